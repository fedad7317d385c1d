//! The modules that a node loads before any process runs (`init`, `erl_prim_loader`, `prim_file`, ...).
//!
//! Stock's emulator contains them. An installed OTP has them beside its libraries too, in `lib/erts-VERSION/ebin`; a
//! release that was made from it has not. So they are looked for in three places: that folder, the archive that this
//! program carries, and stock's emulator, as long as the release has it.

use std::fs;
use std::path::{Path, PathBuf};

use beamfile::BeamFile;
use memchr::memmem;

use crate::archive::{Archive, Entry};
use crate::{AtPath, ShipError};

/// The module without which there is none of the others.
const FIRST: &str = "init";
/// How a module's file begins: this, its length in four bytes, [`KIND`].
const FORM: &[u8] = b"FOR1";
const KIND: &[u8] = b"BEAM";
/// The name under which the emulator of a release is kept while ferl stands in its place.
pub(crate) const KEPT_SUFFIX: &str = ".stock";
/// The program that contains them on stock.
pub(crate) const EMULATOR: &str = "beam.smp";

/// A module as it is in a `.beam` file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StartModule {
    pub name: String,
    pub bytes: Vec<u8>,
}

/// Where the modules are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StartModules {
    /// In files of a folder, NAME.beam.
    Folder(PathBuf),
    /// In the archive at the end of this program, for this version of the emulator.
    Carried {
        program: PathBuf,
        erts_version: String,
    },
    /// In stock's emulator.
    Emulator(PathBuf),
}

impl StartModules {
    /// Those of an OTP or a release in `root`. `program` is the ferl that asks: it may carry them.
    #[must_use]
    pub fn find(root: &Path, erts_version: &str, program: Option<&Path>) -> Option<StartModules> {
        let folder = StartModules::folder_of(root, erts_version);
        if folder.join(format!("{FIRST}.beam")).is_file() {
            return Some(StartModules::Folder(folder));
        }
        if let Some(program) = program
            && let Ok(Some(archive)) = Archive::of_program(program)
            && archive
                .names()
                .any(|name| carried_module(&name, erts_version) == Some(FIRST))
        {
            return Some(StartModules::Carried {
                program: program.to_owned(),
                erts_version: erts_version.to_owned(),
            });
        }
        let bin = root.join(format!("erts-{erts_version}/bin"));
        [format!("{EMULATOR}{KEPT_SUFFIX}"), EMULATOR.to_owned()]
            .into_iter()
            .map(|name| bin.join(name))
            .find(|path| in_emulator(path).is_ok_and(|modules| !modules.is_empty()))
            .map(StartModules::Emulator)
    }

    /// The folder where an installed OTP has them.
    #[must_use]
    pub fn folder_of(root: &Path, erts_version: &str) -> PathBuf {
        root.join(format!("lib/erts-{erts_version}/ebin"))
    }

    /// Reads them, in no particular order.
    pub fn read(&self) -> Result<Vec<StartModule>, ShipError> {
        match self {
            StartModules::Folder(folder) => in_folder(folder),
            StartModules::Carried {
                program,
                erts_version,
            } => in_archive(program, erts_version),
            StartModules::Emulator(path) => in_emulator(path),
        }
    }
}

fn in_folder(folder: &Path) -> Result<Vec<StartModule>, ShipError> {
    let mut modules = Vec::new();
    for file in fs::read_dir(folder).at(folder)? {
        let path = file.at(folder)?.path();
        let is_module = path
            .extension()
            .is_some_and(|extension| extension == "beam");
        if let Some(name) = path.file_stem().and_then(|name| name.to_str())
            && is_module
        {
            modules.push(StartModule {
                name: name.to_owned(),
                bytes: fs::read(&path).at(&path)?,
            });
        }
    }
    Ok(modules)
}

/// The name in an archive of a module for this version of the emulator.
fn carried_name(erts_version: &str, module: &str) -> String {
    format!("erts-{erts_version}/start/{module}.beam")
}

/// The module that a file of an archive is, if it is one to start with: a file that was put there for that, or one of
/// the folder that an installed OTP has, which is in releases of tools that copy all of its libraries.
fn carried_module<'a>(path: &'a str, erts_version: &str) -> Option<&'a str> {
    let (folder, file) = path.rsplit_once('/')?;
    let places = [
        format!("erts-{erts_version}/start"),
        format!("lib/erts-{erts_version}/ebin"),
    ];
    let is_there = places.iter().any(|place| place == folder);
    file.strip_suffix(".beam").filter(|_| is_there)
}

/// The modules as files to be carried.
#[must_use]
pub fn entries(erts_version: &str, mut modules: Vec<StartModule>) -> Vec<Entry> {
    modules.sort_by(|one, other| one.name.cmp(&other.name));
    modules
        .into_iter()
        .map(|module| Entry {
            name: carried_name(erts_version, &module.name),
            bytes: module.bytes,
            is_program: false,
        })
        .collect()
}

fn in_archive(program: &Path, erts_version: &str) -> Result<Vec<StartModule>, ShipError> {
    let Some(mut archive) = Archive::of_program(program)? else {
        return Ok(Vec::new());
    };
    let names: Vec<String> = archive.names().collect();
    let mut modules = Vec::new();
    for path in names {
        let Some(name) = carried_module(&path, erts_version) else {
            continue;
        };
        modules.push(StartModule {
            name: name.to_owned(),
            bytes: archive.read(&path).at(program)?,
        });
    }
    Ok(modules)
}

/// The modules within stock's emulator: each is a whole file, with its length and its name in it.
fn in_emulator(path: &Path) -> Result<Vec<StartModule>, ShipError> {
    let program = fs::read(path).at(path)?;
    Ok(memmem::find_iter(&program, FORM)
        .filter_map(|start| module_at(&program[start..]))
        .collect())
}

/// The module with which these bytes begin.
fn module_at(bytes: &[u8]) -> Option<StartModule> {
    let length = bytes.get(FORM.len()..8)?.try_into().ok()?;
    let length = u32::from_be_bytes(length) as usize;
    let bytes = bytes.get(..length.checked_add(8)?)?;
    if bytes.get(8..12)? != KIND {
        return None;
    }
    let file = BeamFile::parse(bytes).ok()?;
    Some(StartModule {
        name: file.module().to_owned(),
        bytes: bytes.to_vec(),
    })
}
