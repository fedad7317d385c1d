//! What ferl carries with it and what it ships: the modules that start a node, the archive at the end of a program's
//! own file, and the folder `erts` of a release.
//!
//! [`start_modules`] finds the modules that stock's emulator contains and an installed OTP has beside its libraries.
//! [`archive`] attaches files to a copy of ferl and reads them back. [`erts`] writes the folder `erts-VERSION` from
//! which tools copy the emulator into a release, and exchanges the emulator of a release that exists. [`image`] is a
//! release or a script in one file, [`seal`] what such a file says about itself, [`verify`] checks it, and
//! [`oci`] makes an image for containers of it.
//!
//! Everything here runs before a node starts, on the main thread, and works on files only. An error says which file,
//! and what to do where something can be done; files are written under another name and renamed when they are whole.

#![forbid(unsafe_code)]

pub mod archive;
mod code;
mod debug_info;
pub mod erts;
pub mod image;
pub mod oci;
pub mod seal;
pub mod start_modules;
pub mod verify;

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Why something could not be read or written.
#[derive(Debug)]
pub enum ShipError {
    /// The system's error for a file.
    File { path: PathBuf, error: io::Error },
    /// What is wrong, and what to do.
    Plain(String),
}

impl ShipError {
    fn plain(text: impl Into<String>) -> ShipError {
        ShipError::Plain(text.into())
    }
}

impl fmt::Display for ShipError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ShipError::File { path, error } => write!(out, "{}: {error}", path.display()),
            ShipError::Plain(text) => out.write_str(text),
        }
    }
}

impl std::error::Error for ShipError {}

/// Names the file in the system's error.
trait AtPath<T> {
    fn at(self, path: &Path) -> Result<T, ShipError>;
}

impl<T> AtPath<T> for io::Result<T> {
    fn at(self, path: &Path) -> Result<T, ShipError> {
        self.map_err(|error| ShipError::File {
            path: path.to_owned(),
            error,
        })
    }
}
