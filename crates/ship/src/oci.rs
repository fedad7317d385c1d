//! A packed program as an image for containers: the files of the OCI image layout (the image specification of the Open
//! Container Initiative), in a folder or in a tar file, made without a daemon.
//!
//! An image has two layers: the shared libraries that the program, and the native libraries and programs in its
//! archive, need (with the loader), and the program itself. The first is the same from version to version, so it is
//! sent once. There is nothing else in it: no shell, no users.
//!
//! The same program on the same system gives the same bytes: no times, no owners, names in order.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use flate2::{Compression, GzBuilder};
use object::elf;
use object::read::elf::{ElfFile64, FileHeader as _, ProgramHeader as _};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tar::{EntryType, Header};

use crate::archive::Archive;
use crate::{AtPath, ShipError};

/// How a program and library of the system begins.
const ELF: &[u8] = b"\x7fELF";
/// Folders in which the loader looks by itself.
const KNOWN_FOLDERS: &[&str] = &["/lib", "/usr/lib", "/lib64", "/usr/lib64"];
/// The part of the locale C.UTF-8 that says how text is encoded.
const LOCALE: &str = "/usr/lib/locale/C.utf8/LC_CTYPE";
/// Nobody in particular, who owns nothing.
const USER: &str = "65534:65534";

/// What an image is called inside of its layout.
pub struct Names<'a> {
    /// The program's name, in the root of the image.
    pub program: &'a str,
    /// The image's tag.
    pub tag: &'a str,
}

/// Writes the image of a packed program: a tar file if `out` ends so, else a folder.
pub fn write(program: &Path, names: &Names<'_>, out: &Path) -> Result<(), ShipError> {
    let contents = fs::read(program).at(program)?;
    let machine = Machine::of(&contents).ok_or_else(|| {
        ShipError::plain(format!(
            "{}: it is no program of a processor that images have a name for",
            program.display()
        ))
    })?;
    let libraries = libraries(program, &contents)?;
    let folders: BTreeSet<String> = libraries
        .keys()
        .filter(|path| *path != LOCALE)
        .filter_map(|path| unknown_folder(path))
        .collect();
    let mut layers = Vec::new();
    if !libraries.is_empty() {
        let files = libraries
            .iter()
            .map(|(path, found)| fs::read(found).at(found).map(|bytes| (&**path, bytes)))
            .collect::<Result<Vec<_>, _>>()?;
        layers.push(Layer::of("the shared libraries that are needed", &files).at(out)?);
    }
    let path = format!("/{}", names.program);
    layers.push(Layer::of("the program", &[(&path, contents)]).at(out)?);
    let blobs = Blobs::of(&layers, &machine, names, &folders);
    if out.extension().is_some_and(|extension| extension == "tar") {
        write_tar(&blobs, out)
    } else {
        write_folder(&blobs, out)
    }
}

/// The processor that a program is for, and its loader.
struct Machine {
    /// As images call it.
    name: &'static str,
    loader: Option<PathBuf>,
}

impl Machine {
    fn of(contents: &[u8]) -> Option<Machine> {
        let file = ElfFile64::<object::Endianness>::parse(contents).ok()?;
        let endian = file.endian();
        let name = match file.elf_header().e_machine(endian) {
            elf::EM_X86_64 => "amd64",
            elf::EM_AARCH64 => "arm64",
            _ => return None,
        };
        let loader = file
            .elf_program_headers()
            .iter()
            .find_map(|header| header.interpreter(endian, contents).ok()?)
            .map(|name| PathBuf::from(String::from_utf8_lossy(name).into_owned()));
        Some(Machine { name, loader })
    }
}

/// The shared libraries of the program, and of what is native in its archive: where each has to be, and the file.
fn libraries(program: &Path, contents: &[u8]) -> Result<BTreeMap<String, PathBuf>, ShipError> {
    let mut found = BTreeMap::new();
    let Some(loader) = Machine::of(contents).and_then(|machine| machine.loader) else {
        // Static: there is nothing that could load others.
        return Ok(found);
    };
    // A name alone is looked for among the libraries.
    let whole = fs::canonicalize(program).at(program)?;
    ask_loader(&loader, &whole, "the program", &mut found)?;
    let Some(mut archive) = Archive::of_program(program)? else {
        return Ok(found);
    };
    let scratch = tempfile::Builder::new().prefix("ferl-image-").tempdir();
    let scratch = scratch.at(&std::env::temp_dir())?;
    let mut names: Vec<String> = archive.names().collect();
    names.sort_unstable();
    for name in names {
        let bytes = archive.read(&name).at(program)?;
        if bytes.starts_with(ELF) {
            let file = scratch.path().join("native");
            fs::write(&file, &bytes).at(&file)?;
            fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).at(&file)?;
            let is_static_program = Machine::of(&bytes).is_none_or(|own| own.loader.is_none())
                && !name.ends_with(".so");
            if !is_static_program {
                ask_loader(&loader, &file, &name, &mut found)?;
            }
        }
    }
    // What LANG names is not built into the C library.
    if Path::new(LOCALE).is_file() {
        found.insert(LOCALE.to_owned(), PathBuf::from(LOCALE));
    }
    found.insert(
        loader.to_string_lossy().into_owned(),
        fs::canonicalize(&loader).at(&loader)?,
    );
    Ok(found)
}

/// Asks the loader what it would load with a file, without running that: one line for each library,
/// `NAME => PATH (ADDRESS)`.
fn ask_loader(
    loader: &Path,
    file: &Path,
    name: &str,
    found: &mut BTreeMap<String, PathBuf>,
) -> Result<(), ShipError> {
    let output = Command::new(loader)
        .arg("--list")
        .arg(file)
        .env_remove("LD_PRELOAD")
        .output()
        .at(loader)?;
    let text = String::from_utf8_lossy(&output.stdout);
    let missing: Vec<&str> = text
        .lines()
        .filter_map(|line| line.trim().strip_suffix("=> not found"))
        .collect();
    if !missing.is_empty() {
        return Err(ShipError::plain(format!(
            "{name} needs {}, which this system does not have: install it here, so that the image gets it",
            missing.join(", ").trim()
        )));
    }
    if !output.status.success() {
        return Err(ShipError::plain(format!(
            "{name} cannot be loaded here, so what it needs cannot be told: {}",
            String::from_utf8_lossy(&output.stderr).trim()
        )));
    }
    for line in text.lines() {
        let Some((_, rest)) = line.split_once(" => ") else {
            continue;
        };
        let path = rest.rsplit_once(" (").map_or(rest, |(path, _)| path);
        found.insert(path.to_owned(), fs::canonicalize(path).at(Path::new(path))?);
    }
    Ok(())
}

/// The folder of a library, if the loader has to be told of it.
fn unknown_folder(library: &str) -> Option<String> {
    let folder = Path::new(library).parent()?;
    let above = folder.parent()?;
    // Below them is a folder for each kind of machine.
    let is_known = |folder: &Path| KNOWN_FOLDERS.iter().any(|known| folder == Path::new(known));
    (!is_known(folder) && !is_known(above)).then(|| folder.to_string_lossy().into_owned())
}

/// A layer, packed, and what is said of it.
struct Layer {
    about: &'static str,
    packed: Vec<u8>,
    /// The sum of the layer before it was packed.
    unpacked_sum: String,
}

impl Layer {
    /// A layer with these files, each with its absolute path, all of which may be executed.
    fn of(about: &'static str, files: &[(&str, Vec<u8>)]) -> io::Result<Layer> {
        let mut builder = tar::Builder::new(Vec::new());
        let mut folders = BTreeSet::new();
        for (path, _) in files {
            let mut above = Path::new(path).parent();
            while let Some(folder) = above.filter(|folder| folder.parent().is_some()) {
                folders.insert(folder.to_owned());
                above = folder.parent();
            }
        }
        // For crash dumps, cookies and whatever else is written.
        let tmp = Path::new("/tmp");
        folders.insert(tmp.to_owned());
        for folder in &folders {
            let mode = if folder == tmp { 0o1777 } else { 0o755 };
            add(&mut builder, folder, EntryType::Directory, mode, &[])?;
        }
        for (path, bytes) in files {
            add(
                &mut builder,
                Path::new(path),
                EntryType::Regular,
                0o755,
                bytes,
            )?;
        }
        let unpacked = builder.into_inner()?;
        let mut encoder = GzBuilder::new()
            .mtime(0)
            .write(Vec::new(), Compression::default());
        encoder.write_all(&unpacked)?;
        Ok(Layer {
            about,
            packed: encoder.finish()?,
            unpacked_sum: sum(&unpacked),
        })
    }
}

fn add(
    builder: &mut tar::Builder<impl Write>,
    path: &Path,
    kind: EntryType,
    mode: u32,
    bytes: &[u8],
) -> io::Result<()> {
    let mut header = Header::new_gnu();
    header.set_entry_type(kind);
    header.set_mode(mode);
    header.set_uid(0);
    header.set_gid(0);
    header.set_mtime(0);
    header.set_size(bytes.len() as u64);
    builder.append_data(&mut header, path.strip_prefix("/").unwrap_or(path), bytes)
}

fn sum(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The files of a layout, by their paths in it.
struct Blobs(BTreeMap<String, Vec<u8>>);

impl Blobs {
    fn of(
        layers: &[Layer],
        machine: &Machine,
        names: &Names<'_>,
        folders: &BTreeSet<String>,
    ) -> Blobs {
        let mut blobs = Blobs(BTreeMap::new());
        let mut environment = vec![
            "PATH=/".to_owned(),
            "HOME=/tmp".to_owned(),
            "LANG=C.UTF-8".to_owned(),
        ];
        if !folders.is_empty() {
            let folders: Vec<&str> = folders.iter().map(String::as_str).collect();
            environment.push(format!("LD_LIBRARY_PATH={}", folders.join(":")));
        }
        let sums: Vec<String> = layers
            .iter()
            .map(|layer| format!("sha256:{}", layer.unpacked_sum))
            .collect();
        let history: Vec<Value> = layers
            .iter()
            .map(|layer| json!({"created_by": format!("ferl image: {}", layer.about)}))
            .collect();
        let config = blobs.add_json(
            "application/vnd.oci.image.config.v1+json",
            &json!({
                "architecture": machine.name,
                "os": "linux",
                "config": {
                    "User": USER,
                    "Env": environment,
                    "Entrypoint": [format!("/{}", names.program)],
                    "WorkingDir": "/tmp",
                    "StopSignal": "SIGTERM",
                },
                "rootfs": {"type": "layers", "diff_ids": sums},
                "history": history,
            }),
        );
        let layers: Vec<Value> = layers
            .iter()
            .map(|layer| {
                blobs.add(
                    "application/vnd.oci.image.layer.v1.tar+gzip",
                    layer.packed.clone(),
                )
            })
            .collect();
        let manifest_type = "application/vnd.oci.image.manifest.v1+json";
        let mut manifest = blobs.add_json(
            manifest_type,
            &json!({"schemaVersion": 2, "mediaType": manifest_type, "config": config, "layers": layers}),
        );
        manifest["platform"] = json!({"architecture": machine.name, "os": "linux"});
        manifest["annotations"] = json!({"org.opencontainers.image.ref.name": names.tag});
        let index = json!({
            "schemaVersion": 2,
            "mediaType": "application/vnd.oci.image.index.v1+json",
            "manifests": [manifest],
        });
        blobs
            .0
            .insert("index.json".to_owned(), index.to_string().into_bytes());
        let layout = json!({"imageLayoutVersion": "1.0.0"});
        blobs
            .0
            .insert("oci-layout".to_owned(), layout.to_string().into_bytes());
        blobs
    }

    fn add_json(&mut self, kind: &str, value: &Value) -> Value {
        self.add(kind, value.to_string().into_bytes())
    }

    /// Adds a file by its sum; returns how others refer to it.
    fn add(&mut self, kind: &str, bytes: Vec<u8>) -> Value {
        let sum = sum(&bytes);
        let descriptor =
            json!({"mediaType": kind, "digest": format!("sha256:{sum}"), "size": bytes.len()});
        self.0.insert(format!("blobs/sha256/{sum}"), bytes);
        descriptor
    }
}

/// Names a file beside `out` that is not there, under which it is written before it is renamed.
fn partial(out: &Path) -> PathBuf {
    let mut name = out.as_os_str().to_owned();
    name.push(format!(".{}", std::process::id()));
    PathBuf::from(name)
}

fn write_tar(blobs: &Blobs, out: &Path) -> Result<(), ShipError> {
    let partial = partial(out);
    let written = (|| {
        let mut builder = tar::Builder::new(File::create(&partial)?);
        for folder in ["blobs", "blobs/sha256"] {
            add(
                &mut builder,
                Path::new(folder),
                EntryType::Directory,
                0o755,
                &[],
            )?;
        }
        for (name, bytes) in &blobs.0 {
            add(
                &mut builder,
                Path::new(name),
                EntryType::Regular,
                0o644,
                bytes,
            )?;
        }
        builder.into_inner()?.sync_all()?;
        fs::rename(&partial, out)
    })();
    if written.is_err() {
        let _ = fs::remove_file(&partial);
    }
    written.at(out)
}

fn write_folder(blobs: &Blobs, out: &Path) -> Result<(), ShipError> {
    let is_there = out.symlink_metadata().is_ok();
    if is_there && !out.join("oci-layout").is_file() {
        return Err(ShipError::plain(format!(
            "{} is there already, and no image: name another folder, or a file that ends with .tar",
            out.display()
        )));
    }
    let partial = partial(out);
    let written = (|| {
        fs::create_dir_all(partial.join("blobs/sha256"))?;
        for (name, bytes) in &blobs.0 {
            fs::write(partial.join(name), bytes)?;
        }
        if is_there {
            fs::remove_dir_all(out)?;
        }
        fs::rename(&partial, out)
    })();
    if written.is_err() {
        let _ = fs::remove_dir_all(&partial);
    }
    written.at(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::archive::{Entry, attached};

    /// This test's own program with something behind it, as if it had been packed.
    fn program(folder: &Path) -> PathBuf {
        let path = folder.join("app");
        let own = fs::read(std::env::current_exe().unwrap()).unwrap();
        let entry = Entry {
            name: "a".to_owned(),
            bytes: b"text".to_vec(),
            is_program: false,
        };
        fs::write(&path, attached(own, &[entry]).unwrap()).unwrap();
        path
    }

    const NAMES: Names<'static> = Names {
        program: "app",
        tag: "1.0",
    };

    /// What a descriptor names, which must be as large as it says, and have that sum.
    fn blob(layout: &Path, descriptor: &Value) -> Vec<u8> {
        let digest = descriptor["digest"].as_str().unwrap();
        let name = digest.strip_prefix("sha256:").unwrap();
        let bytes = fs::read(layout.join("blobs/sha256").join(name)).unwrap();
        assert_eq!(sum(&bytes), name);
        assert_eq!(descriptor["size"], bytes.len());
        bytes
    }

    fn json_of(bytes: &[u8]) -> Value {
        serde_json::from_slice(bytes).unwrap()
    }

    #[test]
    fn everything_in_a_layout_is_named_by_its_sum() {
        let folder = tempfile::tempdir().unwrap();
        let (program, out) = (program(folder.path()), folder.path().join("image"));
        write(&program, &NAMES, &out).unwrap();
        let index = json_of(&fs::read(out.join("index.json")).unwrap());
        let [entry] = &index["manifests"].as_array().unwrap()[..] else {
            panic!("{index}");
        };
        assert_eq!(
            entry["annotations"]["org.opencontainers.image.ref.name"],
            "1.0"
        );
        let manifest = json_of(&blob(&out, entry));
        let config = json_of(&blob(&out, &manifest["config"]));
        assert_eq!(config["config"]["Entrypoint"], json!(["/app"]));
        let layers = manifest["layers"].as_array().unwrap();
        let sums = config["rootfs"]["diff_ids"].as_array().unwrap();
        assert_eq!(layers.len(), sums.len());
        let mut names = Vec::new();
        for (layer, unpacked_sum) in layers.iter().zip(sums) {
            let packed = blob(&out, layer);
            let mut unpacked = Vec::new();
            let mut decoder = flate2::read::GzDecoder::new(&*packed);
            io::Read::read_to_end(&mut decoder, &mut unpacked).unwrap();
            assert_eq!(*unpacked_sum, format!("sha256:{}", sum(&unpacked)));
            let mut archive = tar::Archive::new(&*unpacked);
            for entry in archive.entries().unwrap() {
                let path = entry.unwrap().path().unwrap().into_owned();
                names.push(path.to_string_lossy().into_owned());
            }
        }
        let has = |part: &str| names.iter().any(|name| name.contains(part));
        assert!(
            has("libc.so") && has("ld-linux") && names.contains(&"app".to_owned()),
            "{names:?}"
        );
    }

    #[test]
    fn the_same_program_gives_the_same_bytes_and_replaces_its_image_alone() {
        let folder = tempfile::tempdir().unwrap();
        let program = program(folder.path());
        let [one, other] = ["one.tar", "other.tar"].map(|name| folder.path().join(name));
        write(&program, &NAMES, &one).unwrap();
        write(&program, &NAMES, &other).unwrap();
        assert_eq!(fs::read(one).unwrap(), fs::read(other).unwrap());
        let image = folder.path().join("image");
        write(&program, &NAMES, &image).unwrap();
        write(&program, &NAMES, &image).unwrap();
        let foreign = folder.path().join("foreign");
        fs::create_dir(&foreign).unwrap();
        assert!(write(&program, &NAMES, &foreign).is_err());
        // Nothing else is left.
        let left = fs::read_dir(folder.path()).unwrap().count();
        assert_eq!(left, 5);
    }

    #[test]
    fn folders_that_the_loader_does_not_know_are_told_to_it() {
        assert_eq!(unknown_folder("/lib/x86_64-linux-gnu/libc.so.6"), None);
        assert_eq!(unknown_folder("/lib64/ld-linux-x86-64.so.2"), None);
        assert_eq!(
            unknown_folder("/opt/ssl/lib/libcrypto.so.3"),
            Some("/opt/ssl/lib".to_owned())
        );
    }
}
