//! `ferl image`: an image for containers, of a release or of a program that `ferl pack` has made.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use clap::Parser;
use ship::archive::Archive;
use ship::oci;
use tempfile::TempDir;

use crate::commands;
use crate::otp::Caller;

/// Makes an image for containers, in the layout of the Open Container Initiative, without a daemon. In it are the
/// packed program and the shared libraries that it needs, and nothing else.
#[derive(Parser, Debug)]
#[command(name = "ferl image", max_term_width = 100)]
pub(crate) struct ImageOptions {
    /// A release, or a program that `ferl pack` has made of one.
    #[arg(value_name = "RELEASE|PROGRAM")]
    source: PathBuf,
    /// The file to write, if its name ends with .tar, else the folder.
    #[arg(short, value_name = "OUT")]
    out: PathBuf,
    /// The tag of the image in its layout.
    #[arg(long, value_name = "TAG", default_value = "latest", value_parser = tag)]
    tag: String,
}

/// Runs the command with the words that follow `image`. Returns 1 if it fails, 2 if the words are wrong.
pub fn main(words: impl Iterator<Item = OsString>) -> ExitCode {
    commands::run("ferl image", words, make)
}

/// A tag as registries take it.
fn tag(word: &str) -> Result<String, String> {
    let is_in_tag = |letter: char| letter.is_ascii_alphanumeric() || "_.-".contains(letter);
    let begins_well = !word.starts_with(['.', '-']);
    match !word.is_empty() && word.len() <= 128 && begins_well && word.chars().all(is_in_tag) {
        true => Ok(word.to_owned()),
        false => {
            Err("a tag has letters, digits, `_`, `.`, `-`, and 128 of them at most".to_owned())
        }
    }
}

fn make(options: &ImageOptions) -> Result<String, String> {
    let source = &options.source;
    let name = program_name(source)?;
    let packed = if source.is_dir() {
        Some(pack(source)?)
    } else {
        None
    };
    let packed_file = packed.as_ref().map(|folder| folder.path().join(PACKED));
    let program = packed_file.as_ref().unwrap_or(source);
    if !matches!(Archive::of_program(program), Ok(Some(_))) {
        return Err(format!(
            "{} is neither a release nor a program that `ferl pack` has made",
            source.display()
        ));
    }
    let names = oci::Names {
        program: &name,
        tag: &options.tag,
    };
    oci::write(program, &names, &options.out).map_err(|error| error.to_string())?;
    Ok(String::new())
}

/// What the program is called in the image: as the file or folder.
fn program_name(source: &Path) -> Result<String, String> {
    let whole = source
        .canonicalize()
        .map_err(|error| format!("{}: {error}", source.display()))?;
    let name = whole.file_name().and_then(OsStr::to_str);
    name.map(str::to_owned)
        .ok_or_else(|| format!("{}: its name is no UTF-8", source.display()))
}

/// The name of the packed release in its folder.
const PACKED: &str = "packed";

/// The release as one program, in a folder of its own that is removed when it is no longer needed.
fn pack(release: &Path) -> Result<TempDir, String> {
    let caller = Caller::own(Path::new("ferl"));
    let folder = tempfile::Builder::new().prefix("ferl-image-").tempdir();
    let folder = folder.map_err(|error| error.to_string())?;
    let done = Command::new(caller.file()?)
        .arg("pack")
        .arg(release)
        .arg("-o")
        .arg(folder.path().join(PACKED))
        .output()
        .map_err(|error| error.to_string())?;
    match done.status.success() {
        true => Ok(folder),
        false => {
            let said = String::from_utf8_lossy(&done.stderr);
            let said = said.trim();
            Err(said.strip_prefix("ferl pack: ").unwrap_or(said).to_owned())
        }
    }
}
