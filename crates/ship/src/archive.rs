//! The archive at the end of a program's own file.
//!
//! A program may be followed by a zip file: the system loads what the program's headers name and ignores the rest, and
//! readers of zip files look for the directory at the end. So `unzip -l` shows what a ferl carries.

use std::fs::File;
use std::io::{self, Cursor, Read, Seek, SeekFrom, Write};
use std::path::Path;

use zip::write::SimpleFileOptions;
use zip::{DateTime, ZipArchive, ZipWriter};

use crate::{AtPath, ShipError};

/// How the end of a zip file begins, where the file has no comment ([`attached`] writes none).
const END_MARK: &[u8] = b"PK\x05\x06";
/// The bytes of that end.
const END_BYTES: i64 = 22;

/// A file to be carried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The path within the archive, with `/` between folders.
    pub name: String,
    pub bytes: Vec<u8>,
    /// Whether it may be executed.
    pub is_program: bool,
}

impl Entry {
    /// A text that ferl itself writes.
    pub(crate) fn text(name: &str, text: String) -> Entry {
        Entry {
            name: name.to_owned(),
            bytes: text.into_bytes(),
            is_program: false,
        }
    }
}

/// The files that follow a program.
pub struct Archive(ZipArchive<File>);

impl Archive {
    /// The archive at the end of this file; `None` if there is none.
    pub fn of_program(program: &Path) -> Result<Option<Archive>, ShipError> {
        let mut file = File::open(program).at(program)?;
        if !ends_in_archive(&mut file).at(program)? {
            return Ok(None);
        }
        let archive = ZipArchive::new(file).map_err(io::Error::from).at(program)?;
        Ok(Some(Archive(archive)))
    }

    /// The names of all files in it.
    pub fn names(&self) -> impl Iterator<Item = String> {
        self.0.file_names().map(str::to_owned)
    }

    /// The contents of a file in it. A sum over the contents is checked.
    pub fn read(&mut self, name: &str) -> io::Result<Vec<u8>> {
        let mut file = self.0.by_name(name)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}

/// Whether the last bytes of a file are the end of an archive that [`attached`] wrote.
fn ends_in_archive(file: &mut File) -> io::Result<bool> {
    let mut mark = [0; END_MARK.len()];
    let length = file.metadata()?.len();
    if length < END_BYTES as u64 {
        return Ok(false);
    }
    file.seek(SeekFrom::End(-END_BYTES))?;
    file.read_exact(&mut mark)?;
    Ok(mark == END_MARK)
}

/// A program and behind it the files that it carries. The same input gives the same bytes.
pub fn attached<'a>(
    program: Vec<u8>,
    entries: impl IntoIterator<Item = &'a Entry>,
) -> io::Result<Vec<u8>> {
    let mut out = Cursor::new(program);
    out.seek(SeekFrom::End(0))?;
    // Its offsets count from the start of the file, because it begins to write here.
    let mut writer = ZipWriter::new(out);
    for entry in entries {
        let options = SimpleFileOptions::default()
            .last_modified_time(DateTime::default())
            .unix_permissions(if entry.is_program { 0o755 } else { 0o644 })
            .large_file(u32::try_from(entry.bytes.len()).is_err());
        writer.start_file(entry.name.as_str(), options)?;
        writer.write_all(&entry.bytes)?;
    }
    Ok(writer.finish()?.into_inner())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries() -> Vec<Entry> {
        let entry = |name: &str, bytes: &[u8]| Entry {
            name: name.to_owned(),
            bytes: bytes.to_vec(),
            is_program: false,
        };
        vec![
            entry("a/first", b"one"),
            entry("a/empty", b""),
            entry("big", &[7; 100_000]),
        ]
    }

    fn program_with(entries: &[Entry]) -> (tempfile::TempDir, std::path::PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("program");
        std::fs::write(&path, attached(b"a program".to_vec(), entries).unwrap()).unwrap();
        (folder, path)
    }

    #[test]
    fn what_is_attached_is_read_back() {
        let (_folder, path) = program_with(&entries());
        let mut archive = Archive::of_program(&path).unwrap().unwrap();
        let mut names: Vec<_> = archive.names().collect();
        names.sort_unstable();
        assert_eq!(names, ["a/empty", "a/first", "big"]);
        for entry in entries() {
            assert_eq!(archive.read(&entry.name).unwrap(), entry.bytes);
        }
        assert!(archive.read("nothing").is_err());
        assert!(std::fs::read(&path).unwrap().starts_with(b"a program"));
    }

    #[test]
    fn the_same_input_gives_the_same_bytes() {
        let (_first, one) = program_with(&entries());
        let (_second, other) = program_with(&entries());
        assert_eq!(std::fs::read(one).unwrap(), std::fs::read(other).unwrap());
    }

    #[test]
    fn a_program_alone_has_no_archive() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("program");
        for bytes in [&b""[..], b"short", &[0; 4096]] {
            std::fs::write(&path, bytes).unwrap();
            assert!(Archive::of_program(&path).unwrap().is_none());
        }
    }

    #[test]
    fn a_damaged_archive_is_an_error() {
        let (_folder, path) = program_with(&entries());
        let whole = std::fs::read(&path).unwrap();
        // The contents of "a/first", in the place where only they stand so.
        let place = whole
            .windows(7)
            .position(|part| part == b"a/first")
            .unwrap()
            + 7;
        let mut damaged = whole.clone();
        damaged[place] ^= 0xff;
        std::fs::write(&path, &damaged).unwrap();
        let read = Archive::of_program(&path).and_then(|archive| {
            let mut archive = archive.expect("its end is whole");
            archive
                .read("a/first")
                .map_err(|error| ShipError::plain(error.to_string()))
        });
        assert!(read.is_err());
        // Cut in the middle, with an end that promises more than there is.
        let mut cut = whole[..40].to_vec();
        cut.extend_from_slice(&whole[whole.len() - 22..]);
        std::fs::write(&path, &cut).unwrap();
        assert!(Archive::of_program(&path).is_err());
    }
}
