//! A program in one file: ferl, and behind it a zip archive of all that it needs.
//!
//! A [`Parcel`] is such a file before it is written. When the file is started, [`Image`] shows what is in the archive
//! to the node below the program's own name (`sys::file::packed`).
//!
//! In the archive are, each with its path below the program:
//!
//! - `lib/`, `releases/` and whatever else a release has, but for stock's emulator;
//! - `erts-VERSION/bin/`: OTP's own programs, which run from memory, but for those that ferl is itself ([`programs`]):
//!   these are seen there, too;
//! - `erts-VERSION/start/`: the modules to start with ([`crate::start_modules`]);
//! - `ferl-pack`: what it is ([`Facts`]).

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use programs::PROGRAMS;
use sys::errno::Errno;
use sys::file::packed::{Found, Packed};
use zip::ZipArchive;

use crate::archive::Entry;
use crate::erts::{Origin, is_stock_only, write_executable};
use crate::seal::Seal;
use crate::start_modules;
use crate::{AtPath, ShipError, archive, code, debug_info};

/// The file that says what an archive is.
const DESCRIPTION: &str = "ferl-pack";
/// The fact that every archive has: the version of the emulator that its code was made for.
pub const ERTS: &str = "erts";
/// The name by which a packed program is a node with the flags that follow, whatever it carries.
pub const ERL: &str = "erl";

/// What a packed program is and how it is started: one `key=value` in a line. All but [`ERTS`] are of whoever packs and
/// starts it.
pub type Facts = BTreeMap<String, String>;

fn written(facts: &Facts) -> String {
    facts
        .iter()
        .map(|(key, value)| format!("{key}={value}\n"))
        .collect()
}

fn read_facts(text: &str) -> Facts {
    text.lines()
        .filter_map(|line| line.split_once('='))
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .collect()
}

/// A packed program that runs.
pub struct Image {
    archive: Mutex<ZipArchive<File>>,
    files: HashMap<Vec<u8>, Place>,
    /// The names in each folder.
    folders: BTreeMap<Vec<u8>, BTreeSet<Vec<u8>>>,
    pub facts: Facts,
}

/// Where a file is.
enum Place {
    /// In the archive, by its number there.
    Archive {
        number: usize,
        bytes: u64,
        is_program: bool,
    },
    /// Made at the start.
    Memory(Vec<u8>),
    /// The program in front of the archive, which acts as what it is called.
    Itself,
}

impl Image {
    /// What this program carries. It is not begun to be read before its seal is checked.
    pub fn open(program: &Path, seal: &Seal) -> Result<Image, ShipError> {
        let mut file = File::open(program).at(program)?;
        seal.check(&mut file, program)?;
        let mut zip = ZipArchive::new(file).map_err(io::Error::from).at(program)?;
        let mut files = HashMap::new();
        let mut folders = BTreeMap::from([(Vec::new(), BTreeSet::new())]);
        for number in 0..zip.len() {
            let file = zip
                .by_index_raw(number)
                .map_err(io::Error::from)
                .at(program)?;
            let name = file.name().as_bytes().to_vec();
            add_to_folders(&mut folders, &name);
            let is_program = file.unix_mode().is_some_and(|mode| mode & 0o111 != 0);
            let place = Place::Archive {
                number,
                bytes: file.size(),
                is_program,
            };
            files.insert(name, place);
        }
        let mut image = Image {
            archive: Mutex::new(zip),
            files,
            folders,
            facts: Facts::new(),
        };
        let text = image.text(DESCRIPTION).unwrap_or_default();
        image.facts = read_facts(&text);
        if !image.facts.contains_key(ERTS) {
            return Err(ShipError::plain(format!(
                "{}: it does not say for which OTP it was packed",
                program.display()
            )));
        }
        for name in own_programs() {
            let path = format!("erts-{}/bin/{name}", image.fact(ERTS));
            add_to_folders(&mut image.folders, path.as_bytes());
            image.files.insert(path.into_bytes(), Place::Itself);
        }
        Ok(image)
    }

    /// A fact; empty if it has none of that name.
    #[must_use]
    pub fn fact(&self, key: &str) -> &str {
        self.facts.get(key).map_or("", String::as_str)
    }

    /// The contents of a file that is a text.
    #[must_use]
    pub fn text(&self, path: &str) -> Option<String> {
        let bytes = self.read(path.as_bytes()).ok()?;
        String::from_utf8(bytes).ok()
    }

    /// Whether there is a file with this path.
    #[must_use]
    pub fn has(&self, path: &str) -> bool {
        self.files.contains_key(path.as_bytes())
    }

    /// Shows a file that is not in the archive, or another one in its place.
    pub fn show(&mut self, path: &str, bytes: Vec<u8>) {
        add_to_folders(&mut self.folders, path.as_bytes());
        self.files
            .insert(path.as_bytes().to_vec(), Place::Memory(bytes));
    }
}

/// Enters a file, and the folders that it is in, each in the one above.
fn add_to_folders(folders: &mut BTreeMap<Vec<u8>, BTreeSet<Vec<u8>>>, name: &[u8]) {
    let mut path = name;
    loop {
        let (folder, last) = match path.iter().rposition(|byte| *byte == b'/') {
            Some(slash) => (&path[..slash], &path[slash + 1..]),
            None => (&b""[..], path),
        };
        let is_new = folders
            .entry(folder.to_vec())
            .or_default()
            .insert(last.to_vec());
        if folder.is_empty() || !is_new {
            return;
        }
        path = folder;
    }
}

impl Packed for Image {
    fn look(&self, path: &[u8]) -> Option<Found> {
        if self.folders.contains_key(path) {
            return Some(Found::Folder);
        }
        Some(match self.files.get(path)? {
            Place::Archive {
                bytes, is_program, ..
            } => Found::File {
                bytes: *bytes,
                is_program: *is_program,
            },
            Place::Memory(bytes) => Found::File {
                bytes: bytes.len() as u64,
                is_program: false,
            },
            Place::Itself => Found::Itself,
        })
    }

    fn read(&self, path: &[u8]) -> sys::Result<Vec<u8>> {
        let (number, bytes) = match self.files.get(path).ok_or(Errno::ENOENT)? {
            Place::Archive { number, bytes, .. } => (*number, *bytes),
            Place::Memory(bytes) => return Ok(bytes.clone()),
            // Whoever looks for its contents opens the program.
            Place::Itself => return Err(Errno::ENOENT),
        };
        let mut archive = self.archive.lock().unwrap_or_else(PoisonError::into_inner);
        // A sum over the contents is checked: what is damaged is not run.
        let mut file = archive.by_index(number).map_err(|_| Errno::EIO)?;
        let mut contents = Vec::with_capacity(usize::try_from(bytes).unwrap_or(0).min(1 << 30));
        file.read_to_end(&mut contents).map_err(|_| Errno::EIO)?;
        Ok(contents)
    }

    fn list(&self, path: &[u8]) -> Vec<Vec<u8>> {
        let names = self.folders.get(path);
        names.into_iter().flatten().cloned().collect()
    }
}

/// A packed program that is still to be written. Its files are sorted by name, whatever the order in which they come.
#[derive(Debug, Default)]
pub struct Parcel {
    files: BTreeMap<String, Entry>,
    facts: Facts,
}

impl Parcel {
    /// An empty one, for code that was made for this version of the emulator.
    #[must_use]
    pub fn new(erts_version: &str) -> Parcel {
        Parcel {
            files: BTreeMap::new(),
            facts: Facts::from([(ERTS.to_owned(), erts_version.to_owned())]),
        }
    }

    /// Notes a fact. What follows a line break is not part of it.
    pub fn fact(&mut self, key: &str, value: &str) {
        let line = value.lines().next().unwrap_or_default();
        self.facts.insert(key.to_owned(), line.to_owned());
    }

    /// Whether it has a file with this path.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.files.contains_key(name)
    }

    /// Adds a file.
    pub fn add(&mut self, entry: Entry) {
        self.files.insert(entry.name.clone(), entry);
    }

    /// Adds a file with its contents and whether it may be executed.
    pub fn add_file(&mut self, name: &str, path: &Path) -> Result<(), ShipError> {
        let mode = path.metadata().at(path)?.permissions().mode();
        self.add(Entry {
            name: name.to_owned(),
            bytes: fs::read(path).at(path)?,
            is_program: mode & 0o111 != 0,
        });
        Ok(())
    }

    /// Adds what is below a folder, links followed, below `name` (nothing: at the top), but for what `is_left_out` says
    /// of paths within the folder.
    pub fn add_folder(
        &mut self,
        name: &str,
        folder: &Path,
        is_left_out: impl Fn(&Path) -> bool,
    ) -> Result<(), ShipError> {
        let mut paths = Vec::new();
        find_files(folder, Path::new(""), &mut paths)?;
        for path in paths.iter().filter(|path| !is_left_out(path)) {
            let file = folder.join(path);
            let path = path.to_str().ok_or_else(|| {
                ShipError::plain(format!(
                    "{}: a name that is not UTF-8 cannot be packed",
                    file.display()
                ))
            })?;
            match name {
                "" => self.add_file(path, &file)?,
                _ => self.add_file(&format!("{name}/{path}"), &file)?,
            }
        }
        Ok(())
    }

    /// Leaves out of the modules below a folder what no program that runs asks for.
    pub fn strip_code(&mut self, name: &str) {
        for entry in self.files.values_mut() {
            if entry.name.starts_with(name) && entry.name.ends_with(".beam") {
                entry.bytes = code::strip(std::mem::take(&mut entry.bytes));
            }
        }
    }

    /// Adds the modules to start with, unless they are among the libraries.
    pub fn add_start_modules(&mut self, origin: Origin) -> Result<(), ShipError> {
        if self.has(&format!("lib/erts-{}/ebin/init.beam", origin.erts_version)) {
            return Ok(());
        }
        let modules = origin.start_modules.read()?;
        for entry in start_modules::entries(origin.erts_version, modules) {
            self.add(entry);
        }
        Ok(())
    }

    /// Adds those of OTP's own programs that it does not have and that may be started from it.
    pub fn add_programs(&mut self, otp: Origin) -> Result<(), ShipError> {
        for name in STARTED {
            let path = otp
                .root
                .join(format!("erts-{}/bin/{name}", otp.erts_version));
            let name = format!("erts-{}/bin/{name}", otp.erts_version);
            if !self.has(&name) && path.is_file() {
                self.add_file(&name, &path)?;
            }
        }
        Ok(())
    }

    /// The files whose contents are for a processor, each with the number that the format of programs gives it.
    #[must_use]
    pub fn machines(&self) -> Vec<(&str, u16)> {
        let with_machine = self.files.values().filter_map(|entry| {
            let machine = machine(&entry.bytes)?;
            Some((&*entry.name, machine))
        });
        with_machine.collect()
    }

    /// The native libraries in it.
    #[must_use]
    pub fn libraries(&self) -> Vec<&str> {
        let is_library = |entry: &&Entry| is_elf(&entry.bytes) && entry.name.ends_with(".so");
        let libraries = self.files.values().filter(is_library);
        libraries.map(|entry| &*entry.name).collect()
    }

    /// Writes it. `ferl` is the program to put in front.
    pub fn write(mut self, ferl: &Path, out: &Path) -> Result<(), ShipError> {
        self.add(Entry::text(DESCRIPTION, written(&self.facts)));
        let program = program(ferl)?;
        let program_bytes = program.len();
        let mut bytes = archive::attached(program, self.files.values()).at(out)?;
        let (program, archive) = bytes.split_at_mut(program_bytes);
        Seal::write(program, archive).map_err(|_| {
            ShipError::plain(format!(
                "{}: it is no ferl of this version, so a packed file cannot start with it",
                ferl.display()
            ))
        })?;
        write_executable(out, &bytes)
    }
}

/// What of OTP's own programs a node or a command of a release starts, besides [`PROGRAMS`].
const STARTED: [&str; 3] = ["heart", "run_erl", "to_erl"];

/// A ferl without its debugging information and without what it may carry itself.
fn program(ferl: &Path) -> Result<Vec<u8>, ShipError> {
    let mut program = fs::read(ferl).at(ferl)?;
    if let Some(seal) = Seal::of(&program) {
        program.truncate(usize::try_from(seal.program_bytes()).unwrap_or(usize::MAX));
    }
    Ok(debug_info::strip(program))
}

/// The processor of a program or library, as the number that ELF gives it; `None` for other files.
#[must_use]
pub fn machine(bytes: &[u8]) -> Option<u16> {
    let number = bytes.get(18..20).filter(|_| is_elf(bytes))?;
    Some(match bytes[5] {
        2 => u16::from_be_bytes([number[0], number[1]]),
        _ => u16::from_le_bytes([number[0], number[1]]),
    })
}

fn is_elf(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\x7fELF")
}

/// Whether a program is linked statically: the system starts it without a loader, and it loads no libraries. False for
/// what is no program of 64 bits in the order of bytes that ferl's processors have.
#[must_use]
pub fn is_static(program: &[u8]) -> bool {
    const INTERPRETER: u32 = 3;
    let half = |at: usize| {
        Some(u16::from_le_bytes(
            program.get(at..at + 2)?.try_into().ok()?,
        ))
    };
    let table = || {
        let start = u64::from_le_bytes(program.get(32..40)?.try_into().ok()?);
        Some((usize::try_from(start).ok()?, half(54)?, half(56)?))
    };
    let Some((start, bytes, count)) = table().filter(|_| is_elf(program)) else {
        return false;
    };
    let mut kinds = (0..usize::from(count)).map(|number| {
        let at = start.checked_add(number * usize::from(bytes))?;
        program.get(at..)?.first_chunk::<4>()
    });
    kinds.all(|kind| kind.is_some_and(|kind| u32::from_le_bytes(*kind) != INTERPRETER))
}

/// The boot script that starts nothing but kernel and stdlib, in a release or an OTP, wherever tools put it.
#[must_use]
pub fn start_clean(root: &Path, release_version: &str) -> Option<PathBuf> {
    [
        format!("releases/{release_version}/start_clean.boot"),
        "bin/start_clean.boot".to_owned(),
    ]
    .into_iter()
    .map(|name| root.join(name))
    .find(|path| path.is_file())
}

/// A release as a parcel, without facts about it. What it lacks of the programs and scripts that its commands need is
/// taken from `otp`, which the caller has found to be of the same version.
pub fn release(release: Origin, version: &str, otp: Option<Origin>) -> Result<Parcel, ShipError> {
    let mut parcel = Parcel::new(release.erts_version);
    parcel.add_folder("", release.root, is_left_out)?;
    parcel.add_start_modules(release)?;
    if let Some(otp) = otp {
        parcel.add_programs(otp)?;
        if start_clean(release.root, version).is_none()
            && let Some(script) = start_clean(otp.root, "")
        {
            parcel.add_file("bin/start_clean.boot", &script)?;
        }
    }
    Ok(parcel)
}

/// The version of a release that is started: the second word of `releases/start_erl.data`.
pub fn release_version(root: &Path) -> Result<String, ShipError> {
    let path = root.join("releases/start_erl.data");
    let data = fs::read_to_string(&path).at(&path)?;
    let version = data.split_whitespace().nth(1);
    // It is the name of a folder.
    let version = version.filter(|version| !version.contains('/') && *version != "..");
    version.map(str::to_owned).ok_or_else(|| {
        ShipError::plain(format!(
            "{}: it names no version of the release",
            path.display()
        ))
    })
}

/// The ordinary files below a folder, links followed, each with its path.
fn find_files(root: &Path, below: &Path, found: &mut Vec<PathBuf>) -> Result<(), ShipError> {
    let folder = root.join(below);
    for file in fs::read_dir(&folder).at(&folder)? {
        let path = below.join(file.at(&folder)?.file_name());
        let kind = root.join(&path).metadata().at(&root.join(&path))?;
        if kind.is_dir() {
            find_files(root, &path, found)?;
        } else if kind.is_file() {
            found.push(path);
        }
    }
    Ok(())
}

/// The programs that ferl is itself when it is called by their names.
fn own_programs() -> impl Iterator<Item = &'static str> {
    let others = PROGRAMS.iter().map(|(name, _)| *name);
    others.chain([ERL])
}

/// Stock's emulator and other programs in place of which the program itself stands, what only stock needs, and headers.
fn is_left_out(path: &Path) -> bool {
    let mut parts = path
        .components()
        .map(|part| part.as_os_str().to_string_lossy());
    let Some(erts) = parts.next().filter(|first| first.starts_with("erts-")) else {
        return false;
    };
    drop(erts);
    let rest: Vec<_> = parts.collect();
    match rest.as_slice() {
        [bin, name] if bin == "bin" => is_stock_only(name) || own_programs().any(|own| own == name),
        [first, ..] => first != "bin",
        [] => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seal;
    use crate::start_modules::StartModules;

    fn release(folder: &Path) -> PathBuf {
        let root = folder.join("release");
        for (name, text) in [
            ("erts-13.1.5/bin/beam.smp", "stock"),
            ("erts-13.1.5/bin/erlexec", "stock's launcher"),
            ("erts-13.1.5/bin/epmd", "epmd"),
            ("erts-13.1.5/bin/heart", "heart"),
            ("erts-13.1.5/include/erl_nif.h", "a header"),
            ("lib/app-1/ebin/app.beam", "code"),
            ("lib/app-1/priv/data", "data"),
            ("lib/erts-13.1.5/ebin/init.beam", "init's code"),
            ("releases/start_erl.data", "13.1.5 1"),
            ("releases/1/start.boot", "boot"),
        ] {
            let path = root.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let heart = root.join("erts-13.1.5/bin/heart");
        fs::set_permissions(heart, fs::Permissions::from_mode(0o755)).unwrap();
        root
    }

    fn packed(folder: &Path, name: &str) -> PathBuf {
        let root = release(folder);
        let ferl = folder.join("ferl");
        fs::write(&ferl, seal::place()).unwrap();
        let out = folder.join(name);
        let origin = Origin {
            root: &root,
            erts_version: "13.1.5",
            start_modules: &StartModules::find(&root, "13.1.5", None).unwrap(),
        };
        let mut parcel = super::release(origin, "1", None).unwrap();
        parcel.fact("name", "it\nis");
        parcel.write(&ferl, &out).unwrap();
        out
    }

    fn open(path: &Path) -> Result<Image, ShipError> {
        let seal = Seal::of(&fs::read(path).unwrap()).unwrap();
        Image::open(path, &seal)
    }

    #[test]
    fn what_is_packed_is_seen_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let out = packed(folder.path(), "app");
        let mut image = open(&out).unwrap();
        assert_eq!(image.fact("name"), "it");
        assert_eq!(image.fact(ERTS), "13.1.5");
        assert_eq!(image.fact("other"), "");
        assert_eq!(image.read(b"lib/app-1/ebin/app.beam").unwrap(), b"code");
        assert_eq!(image.look(b""), Some(Found::Folder));
        assert_eq!(image.look(b"lib/app-1"), Some(Found::Folder));
        assert_eq!(
            image.list(b"lib/app-1"),
            [b"ebin".to_vec(), b"priv".to_vec()]
        );
        let found = |bytes, is_program| Some(Found::File { bytes, is_program });
        assert_eq!(image.look(b"lib/app-1/priv/data"), found(4, false));
        assert_eq!(image.look(b"erts-13.1.5/bin/heart"), found(5, true));
        // Not OTP's.
        assert_eq!(image.look(b"erts-13.1.5/bin/epmd"), Some(Found::Itself));
        for missing in [
            "erts-13.1.5/bin/beam.smp",
            "erts-13.1.5/include",
            "lib/app",
            "nothing",
        ] {
            assert_eq!(image.look(missing.as_bytes()), None, "{missing}");
        }
        let modules = StartModules::find(Path::new("/nowhere"), "13.1.5", Some(&out)).unwrap();
        assert_eq!(modules.read().unwrap()[0].bytes, b"init's code");
        image.show("releases/1/sys.config", b"made".to_vec());
        image.show("lib/app-1/priv/data", b"other".to_vec());
        assert_eq!(image.text("releases/1/sys.config").unwrap(), "made");
        assert_eq!(image.text("lib/app-1/priv/data").unwrap(), "other");
        assert_eq!(
            image.list(b"releases/1"),
            [b"start.boot".to_vec(), b"sys.config".to_vec()]
        );
    }

    #[test]
    fn the_same_release_gives_the_same_bytes() {
        let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let bytes = [&one, &other].map(|folder| fs::read(packed(folder.path(), "app")).unwrap());
        assert!(bytes[0] == bytes[1]);
        // Packed by a packed one: the archive in front of it is not carried along.
        let folder = tempfile::tempdir().unwrap();
        let app = folder.path().join("app");
        Parcel::new("13.1.5")
            .write(&packed(folder.path(), "first"), &app)
            .unwrap();
        assert!(fs::read(&app).unwrap().starts_with(&seal::place()[..24]));
        assert!(open(&app).unwrap().files.len() == 1 + own_programs().count());
    }

    #[test]
    fn a_program_without_a_loader_is_static() {
        // The head of a program with one part of this kind.
        let program = |kind: u8| {
            let mut bytes = vec![0; 120];
            bytes[..6].copy_from_slice(b"\x7fELF\x02\x01");
            for (at, value) in [(32, 64), (54, 56), (56, 1), (64, kind)] {
                bytes[at] = value;
            }
            bytes
        };
        assert!(is_static(&program(1)));
        assert!(!is_static(&program(3)));
        assert!(!is_static(&program(1)[..60]));
        assert!(!is_static(b"#!/bin/sh"));
        let own = std::env::current_exe().unwrap();
        let is_own = cfg!(target_feature = "crt-static");
        assert_eq!(is_static(&fs::read(own).unwrap()), is_own);
    }

    #[test]
    fn another_program_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let (program, out) = (folder.path().join("program"), folder.path().join("app"));
        fs::write(&program, "no ferl").unwrap();
        let error = Parcel::new("13.1.5").write(&program, &out).unwrap_err();
        assert!(error.to_string().contains("it is no ferl"), "{error}");
        assert!(!out.exists());
    }
}
