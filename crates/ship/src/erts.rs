//! The folder `erts-VERSION` of an OTP or a release, with ferl in it in place of stock's emulator.
//!
//! Tools that make releases copy its `bin` into the release: `mix release` and relx from a folder that is named, or
//! from the OTP that they run on; `systools:make_tar` likewise. So `bin` has all that a release needs: `beam.smp`,
//! which is ferl and carries the start modules; `erlexec`, through which scripts start it; and OTP's own programs
//! (`epmd`, `heart`, `inet_gethost`, `run_erl`, ...), copied, because they do not depend on the emulator.

use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use crate::archive::{self, Archive};
use crate::start_modules::{self, EMULATOR, KEPT_SUFFIX, StartModules};
use crate::{AtPath, ShipError, debug_info};

/// The program that scripts start, with BINDIR, ROOTDIR and PROGNAME in the environment.
const LAUNCHER: &str = "erlexec";
const LAUNCHER_SCRIPT: &str = "#!/bin/sh
# Starts ferl, which takes the arguments and the environment as they are.
exec \"${BINDIR:-$(dirname \"$0\")}/beam.smp\" \"$@\"
";
/// The script that users start, and other scripts of OTP's (`escript`).
const START_SCRIPT: &str = "erl";
/// Its text for an emulator of this version. Some tools write their own into a release; reltool
/// copies this one into the `bin` of the release, too, if that is not to be moved.
fn script(erts_version: &str) -> String {
    format!(
        "#!/bin/sh
# Starts ferl on the OTP or release that this folder is in, or its bin.
program=$(readlink -f \"$0\")
BINDIR=$(dirname \"$program\")
if ! [ -f \"$BINDIR/{LAUNCHER}\" ] && [ -f \"$BINDIR/../erts-{erts_version}/bin/{LAUNCHER}\" ]; then
    BINDIR=$(dirname \"$BINDIR\")/erts-{erts_version}/bin
fi
ROOTDIR=${{ERL_ROOTDIR:-$(dirname \"$(dirname \"$BINDIR\")\")}}
PROGNAME=${{0##*/}}
EMU=beam
export BINDIR ROOTDIR PROGNAME EMU
exec \"$BINDIR/{LAUNCHER}\" \"$@\"
"
    )
}
/// What of stock's `bin` only stock's emulator needs, or only its build.
const STOCK_ONLY: &[&str] = &["erl_child_setup", "yielding_c_fun", "erl", LAUNCHER];

/// An OTP from which a folder `erts` is made, or a release.
#[derive(Clone, Copy, Debug)]
pub struct Origin<'a> {
    pub root: &'a Path,
    pub erts_version: &'a str,
    pub start_modules: &'a StartModules,
}

impl Origin<'_> {
    fn folder_name(&self) -> String {
        format!("erts-{}", self.erts_version)
    }

    fn erts(&self) -> PathBuf {
        self.root.join(self.folder_name())
    }
}

/// Writes `FOLDER/erts-VERSION`, and beside it what makes `FOLDER` the root of an OTP: links to the libraries and
/// releases of `origin`, and `bin`. `program` is the ferl to put there. Where `folder` itself is named `erts-VERSION`,
/// that is what is written. A folder that this function wrote before is replaced, another one is left alone.
///
/// Returns the path of `erts-VERSION`.
pub fn write(folder: &Path, origin: Origin, program: &Path) -> Result<PathBuf, ShipError> {
    let name = origin.folder_name();
    let folder = match folder.file_name().is_some_and(|last| *last == *name) {
        true => folder.parent().unwrap_or(folder),
        false => folder,
    };
    // The parent of a name alone is empty.
    let folder = if folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        folder
    };
    let is_new = !folder.exists();
    fs::create_dir_all(folder).at(folder)?;
    let target = folder.join(&name);
    let is_there = target.symlink_metadata().is_ok();
    if is_there && !is_ours(&target.join("bin")) {
        return Err(ShipError::plain(format!(
            "{} is there already, and not written by this command: name another folder, or use \
             `ferl erts --replace RELEASE` to exchange the emulator of a release",
            target.display()
        )));
    }
    // Written under another name, so that nobody sees half of it.
    let partial = folder.join(format!(".{name}.{}", std::process::id()));
    let written = write_erts(&partial, origin, program).and_then(|()| {
        if is_there {
            fs::remove_dir_all(&target).at(&target)?;
        }
        fs::rename(&partial, &target).at(&target)
    });
    if written.is_err() {
        let _ = fs::remove_dir_all(&partial);
        if is_new {
            let _ = fs::remove_dir(folder);
        }
    }
    written?;
    complete_root(folder, origin)?;
    Ok(target)
}

/// Whether ferl stands in the `bin` of this `erts`.
fn is_ours(bin: &Path) -> bool {
    matches!(Archive::of_program(&bin.join(EMULATOR)), Ok(Some(_)))
}

/// Whether a file of an `erts`'s `bin` is of no use beside ferl: stock's emulator, also one that [`replace`] kept, and
/// what only it needs.
pub(crate) fn is_stock_only(name: &str) -> bool {
    name.starts_with("beam.") || name.ends_with(KEPT_SUFFIX) || STOCK_ONLY.contains(&name)
}

fn write_erts(folder: &Path, origin: Origin, program: &Path) -> Result<(), ShipError> {
    let bin = folder.join("bin");
    fs::create_dir_all(&bin).at(&bin)?;
    let stock_bin = origin.erts().join("bin");
    for file in fs::read_dir(&stock_bin).at(&stock_bin)? {
        let file = file.at(&stock_bin)?;
        let (path, name) = (file.path(), file.file_name());
        if path.is_file() && !is_stock_only(&name.to_string_lossy()) {
            let target = bin.join(&name);
            fs::copy(&path, &target).at(&path)?;
        }
    }
    write_programs(&bin, origin, program)?;
    write_start_script(&bin, origin)?;
    for name in ["include", "lib"] {
        copy_folder(&origin.erts().join(name), &folder.join(name))?;
    }
    Ok(())
}

/// Writes ferl and the script that starts it.
fn write_programs(bin: &Path, origin: Origin, program: &Path) -> Result<(), ShipError> {
    let modules = origin.start_modules.read()?;
    if modules.is_empty() {
        return Err(ShipError::plain(format!(
            "{} has none of the modules to start with",
            origin.root.display()
        )));
    }
    let ferl = fs::read(program).at(program)?;
    let entries = start_modules::entries(origin.erts_version, modules);
    let emulator = bin.join(EMULATOR);
    let ferl = archive::attached(debug_info::strip(ferl), &entries).at(&emulator)?;
    write_executable(&emulator, &ferl)?;
    write_executable(&bin.join(LAUNCHER), LAUNCHER_SCRIPT.as_bytes())
}

fn write_start_script(bin: &Path, origin: Origin) -> Result<(), ShipError> {
    let text = script(origin.erts_version);
    write_executable(&bin.join(START_SCRIPT), text.as_bytes())
}

/// Writes an executable file under another name, and renames it when it is whole.
pub(crate) fn write_executable(path: &Path, bytes: &[u8]) -> Result<(), ShipError> {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{}", std::process::id()));
    let partial = PathBuf::from(name);
    let written = (|| {
        let mut file = File::create(&partial)?;
        file.write_all(bytes)?;
        file.set_permissions(fs::Permissions::from_mode(0o755))?;
        file.sync_all()?;
        fs::rename(&partial, path)
    })();
    if written.is_err() {
        let _ = fs::remove_file(&partial);
    }
    written.at(path)
}

/// Copies a folder with all that is in it; nothing if it is not there.
fn copy_folder(from: &Path, to: &Path) -> Result<(), ShipError> {
    if !from.is_dir() {
        return Ok(());
    }
    fs::create_dir_all(to).at(to)?;
    for file in fs::read_dir(from).at(from)? {
        let file = file.at(from)?;
        let (path, target) = (file.path(), to.join(file.file_name()));
        if path.is_dir() {
            copy_folder(&path, &target)?;
        } else if path.is_file() {
            fs::copy(&path, &target).at(&path)?;
        }
    }
    Ok(())
}

/// Makes a folder the root of an OTP whose libraries are those of `origin`. What is there already stays.
fn complete_root(folder: &Path, origin: Origin) -> Result<(), ShipError> {
    let root = fs::canonicalize(origin.root).at(origin.root)?;
    if fs::canonicalize(folder).is_ok_and(|folder| folder == root) {
        return Ok(());
    }
    let link = |from: PathBuf, to: PathBuf| match to.symlink_metadata().is_ok() {
        true => Ok(()),
        false => symlink(&from, &to).at(&to),
    };
    for name in ["lib", "releases", "usr"] {
        let from = root.join(name);
        if from.exists() {
            link(from, folder.join(name))?;
        }
    }
    let (bin, stock_bin) = (folder.join("bin"), root.join("bin"));
    fs::create_dir_all(&bin).at(&bin)?;
    for file in fs::read_dir(&stock_bin).into_iter().flatten() {
        let name = file.at(&stock_bin)?.file_name();
        let own = PathBuf::from(format!("{}/bin", origin.folder_name())).join(&name);
        let from = match folder.join(&own).is_file() {
            true => Path::new("..").join(own),
            false => stock_bin.join(&name),
        };
        link(from, bin.join(name))?;
    }
    Ok(())
}

/// What [`replace`] and [`restore`] exchange.
const EXCHANGED: [&str; 2] = [EMULATOR, LAUNCHER];

/// Puts ferl in place of the emulator of a release; what stood there is kept beside it, for [`restore`]. Once more, it
/// puts this ferl in place of the other one.
///
/// The start script is exchanged, too, if it is one: that of a distribution may name the OTP of the system, whatever
/// folder it was copied to, and then the release's escripts would run there.
///
/// Returns the folder whose programs were exchanged.
pub fn replace(release: Origin, program: &Path) -> Result<PathBuf, ShipError> {
    let bin = bin_of_release(release)?;
    let is_script = fs::read(bin.join(START_SCRIPT)).is_ok_and(|text| text.starts_with(b"#!"));
    let start_script = is_script.then_some(START_SCRIPT);
    let to_keep: Vec<&str> = match is_ours(&bin) {
        false => EXCHANGED.into_iter().chain(start_script).collect(),
        // An older ferl may have left the script as it was.
        true => start_script
            .filter(|name| !kept(&bin, name).is_file())
            .into_iter()
            .collect(),
    };
    let exchanged = (|| {
        for name in &to_keep {
            keep(&bin, name)?;
        }
        write_programs(&bin, release, program)?;
        match is_script {
            true => write_start_script(&bin, release),
            false => Ok(()),
        }
    })();
    if exchanged.is_err() {
        for name in &to_keep {
            let _ = give_back(&bin, name);
        }
    }
    exchanged.map(|()| bin)
}

/// Keeps a file under its other name, whole or not at all. It stays in its place, so that the release starts at every
/// moment.
fn keep(bin: &Path, name: &str) -> Result<(), ShipError> {
    let (path, kept) = (bin.join(name), kept(bin, name));
    let partial = bin.join(format!(".{name}.{}", std::process::id()));
    let copied = fs::hard_link(&path, &partial)
        .or_else(|_| fs::copy(&path, &partial).map(drop))
        .and_then(|()| fs::rename(&partial, &kept));
    // Also where both are one file already: then renaming does nothing.
    let _ = fs::remove_file(&partial);
    copied.at(&kept)
}

/// Puts a file that was kept back in its place; nothing if none was.
fn give_back(bin: &Path, name: &str) -> Result<(), ShipError> {
    let (path, kept) = (bin.join(name), kept(bin, name));
    if kept.is_file() {
        fs::rename(&kept, &path).at(&path)?;
        // As in [`keep`].
        let _ = fs::remove_file(&kept);
    }
    Ok(())
}

/// Takes back [`replace`].
pub fn restore(release: Origin) -> Result<PathBuf, ShipError> {
    let bin = bin_of_release(release)?;
    if !is_ours(&bin) || EXCHANGED.iter().any(|name| !kept(&bin, name).is_file()) {
        return Err(ShipError::plain(format!(
            "{} has no {EMULATOR}{KEPT_SUFFIX}: `ferl erts --replace` was not used on this release",
            bin.display()
        )));
    }
    for name in EXCHANGED.into_iter().chain([START_SCRIPT]) {
        give_back(&bin, name)?;
    }
    Ok(bin)
}

fn kept(bin: &Path, name: &str) -> PathBuf {
    bin.join(format!("{name}{KEPT_SUFFIX}"))
}

fn bin_of_release(release: Origin) -> Result<PathBuf, ShipError> {
    let bin = release.erts().join("bin");
    if EXCHANGED.iter().all(|name| bin.join(name).is_file()) {
        return Ok(bin);
    }
    Err(ShipError::plain(format!(
        "{} has no emulator of its own ({} is missing): it runs on the OTP whose `erl` is found on PATH. Write one with \
         `ferl erts DIR` and put DIR/bin in front of PATH",
        release.root.display(),
        bin.join(EMULATOR).display()
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    const VERSION: &str = "13.1.5";

    /// An OTP with nothing but what is copied from it.
    fn otp(folder: &Path) -> PathBuf {
        let root = folder.join("otp");
        for (name, text) in [
            ("erts-13.1.5/bin/beam.smp", "stock"),
            ("erts-13.1.5/bin/erlexec", "stock's launcher"),
            ("erts-13.1.5/bin/erl", "#!/bin/sh of the system"),
            ("erts-13.1.5/bin/erl_child_setup", "stock only"),
            ("erts-13.1.5/bin/epmd", "epmd"),
            ("erts-13.1.5/include/erl_nif.h", "a header"),
            ("lib/erts-13.1.5/ebin/init.beam", "init's code"),
            ("lib/stdlib-4/ebin/lists.beam", "code"),
            ("releases/start_erl.data", "13.1.5 25"),
            ("bin/epmd", "epmd"),
            ("bin/start.boot", "boot"),
        ] {
            let path = root.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        root
    }

    fn program(folder: &Path) -> PathBuf {
        let program = folder.join("ferl");
        fs::write(&program, "ferl itself").unwrap();
        program
    }

    fn text(path: PathBuf) -> String {
        String::from_utf8_lossy(&fs::read(&path).unwrap_or_default()).into_owned()
    }

    #[test]
    fn a_folder_is_a_root_with_ferl_in_it() {
        let folder = tempfile::tempdir().unwrap();
        let (root, program) = (otp(folder.path()), program(folder.path()));
        let modules = StartModules::find(&root, VERSION, None).unwrap();
        let origin = Origin {
            root: &root,
            erts_version: VERSION,
            start_modules: &modules,
        };
        let target = folder.path().join("made");
        // Twice: what was written before is replaced. By either name.
        for name in [target.clone(), target.join("erts-13.1.5")] {
            let erts = write(&name, origin, &program).unwrap();
            assert_eq!(erts, target.join("erts-13.1.5"));
        }
        let bin = target.join("erts-13.1.5/bin");
        assert!(text(bin.join("beam.smp")).starts_with("ferl itself"));
        assert_eq!(text(bin.join("epmd")), "epmd");
        assert!(text(bin.join("erl")).contains("BINDIR"));
        assert!(!bin.join("erl_child_setup").exists());
        assert_eq!(
            text(target.join("erts-13.1.5/include/erl_nif.h")),
            "a header"
        );
        assert_eq!(text(target.join("lib/stdlib-4/ebin/lists.beam")), "code");
        assert_eq!(text(target.join("bin/start.boot")), "boot");
        assert_eq!(
            fs::read_link(target.join("bin/epmd")).unwrap(),
            Path::new("../erts-13.1.5/bin/epmd")
        );
        let carried = StartModules::Carried {
            program: bin.join("beam.smp"),
            erts_version: VERSION.to_owned(),
        };
        let carried = carried.read().unwrap();
        assert_eq!((carried.len(), &*carried[0].name), (1, "init"));
        assert_eq!(carried[0].bytes, b"init's code");
        let left: Vec<_> = fs::read_dir(&target)
            .unwrap()
            .map(|file| file.unwrap().file_name())
            .collect();
        assert_eq!(left.len(), 4, "{left:?}");
    }

    #[test]
    fn a_folder_of_somebody_else_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let (root, program) = (otp(folder.path()), program(folder.path()));
        let modules = StartModules::find(&root, VERSION, None).unwrap();
        let origin = Origin {
            root: &root,
            erts_version: VERSION,
            start_modules: &modules,
        };
        let error = write(&root, origin, &program).unwrap_err().to_string();
        assert!(error.contains("is there already"), "{error}");
        assert_eq!(text(root.join("erts-13.1.5/bin/beam.smp")), "stock");
    }

    #[test]
    fn a_release_takes_ferl_and_gives_it_back() {
        let folder = tempfile::tempdir().unwrap();
        let (root, program) = (otp(folder.path()), program(folder.path()));
        let modules = StartModules::find(&root, VERSION, None).unwrap();
        let release = Origin {
            root: &root,
            erts_version: VERSION,
            start_modules: &modules,
        };
        assert!(
            restore(release)
                .unwrap_err()
                .to_string()
                .contains("was not used")
        );
        let bin = root.join("erts-13.1.5/bin");
        for text_of_ferl in ["ferl itself", "the next ferl"] {
            fs::write(&program, text_of_ferl).unwrap();
            assert_eq!(replace(release, &program).unwrap(), bin);
            assert!(text(bin.join("beam.smp")).starts_with(text_of_ferl));
            assert!(text(bin.join("erlexec")).starts_with("#!/bin/sh"));
            assert!(text(bin.join("erl")).contains("readlink"));
        }
        restore(release).unwrap();
        assert_eq!(text(bin.join("beam.smp")), "stock");
        assert_eq!(text(bin.join("erlexec")), "stock's launcher");
        assert_eq!(text(bin.join("erl")), "#!/bin/sh of the system");
        let left = fs::read_dir(&bin).unwrap().map(|file| file.unwrap());
        assert!(
            !left
                .into_iter()
                .any(|file| file.path().extension().is_some_and(|end| end == "stock"))
        );
    }

    #[test]
    fn a_release_without_an_emulator_says_what_it_runs_on() {
        let folder = tempfile::tempdir().unwrap();
        let (root, program) = (otp(folder.path()), program(folder.path()));
        let modules = StartModules::find(&root, VERSION, None).unwrap();
        fs::remove_dir_all(root.join("erts-13.1.5")).unwrap();
        let release = Origin {
            root: &root,
            erts_version: VERSION,
            start_modules: &modules,
        };
        let error = replace(release, &program).unwrap_err().to_string();
        assert!(error.contains("on PATH"), "{error}");
    }
}
