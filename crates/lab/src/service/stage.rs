//! What a service is started on: the VM with its flags, and an empty folder.

use anyhow::{Context, Result};
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// What a service is started on.
pub(super) struct Stage {
    /// The path of the VM, and its flags.
    pub vm: PathBuf,
    pub flags: Vec<String>,
    /// The compiled programs of the experiments.
    pub programs: PathBuf,
    /// An empty folder, which is the current one.
    pub folder: PathBuf,
}

impl Stage {
    /// A folder with a program `erl`, which is the VM with its flags; in front of `PATH` it has every script start it.
    pub(super) fn folder_with_erl(&self) -> Result<PathBuf> {
        let folder = self.folder.join("bin");
        fs::create_dir_all(&folder)?;
        let words: Vec<String> = std::iter::once(self.vm.display().to_string())
            .chain(self.flags.iter().cloned())
            .collect();
        let line = crate::measure::shell_line(&words);
        let erl = folder.join("erl");
        fs::write(&erl, format!("#!/bin/sh\nexec {line} \"$@\"\n"))?;
        fs::set_permissions(&erl, fs::Permissions::from_mode(0o755))?;
        Ok(folder)
    }

    /// `PATH` with the VM in front.
    pub(super) fn path(&self) -> Result<OsString> {
        let before = std::env::var_os("PATH").unwrap_or_default();
        let folder = self.folder_with_erl()?;
        let folders = std::iter::once(folder).chain(std::env::split_paths(&before));
        std::env::join_paths(folders).context("PATH")
    }

    pub(super) fn new_folder(&self, name: &str) -> Result<PathBuf> {
        let folder = self.folder.join(name);
        fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
        Ok(folder)
    }

    pub(super) fn write(&self, name: &str, text: &str) -> Result<PathBuf> {
        let path = self.folder.join(name);
        fs::write(&path, text).with_context(|| path.display().to_string())?;
        Ok(path)
    }
}

/// A number among the arguments of a service.
pub(super) fn number<T: std::str::FromStr>(word: &str) -> Result<T> {
    word.parse()
        .ok()
        .with_context(|| format!("a number is expected, and not {word}"))
}

/// The first path that a pattern with stars names.
pub(super) fn installed(pattern: &str) -> Result<PathBuf> {
    crate::installed::find(Path::new(pattern))
        .with_context(|| format!("{pattern} is not installed"))
}
