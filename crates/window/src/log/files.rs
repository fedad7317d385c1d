//! The files that handlers of OTP's logger write, and the last lines of each.
//!
//! Which files these are is in the logger's table: each handler has an entry there, with its configuration, of which
//! `file` is the name. Other handlers than OTP's (RabbitMQ's) keep to that. A handler that writes several files in turn
//! (`logger_disk_log_h`) adds `.1`, `.2` and so on to it; the newest counts. No process is asked. A file may be
//! anything by now: what is no ordinary file is not read, and of a large one only its end. Called by the walker: a disk
//! may be slow.

use std::time::Duration;

use ets::registry as tables;
use layout::{Term, no_gc};
use serde::Serialize;
use sys::Errno;
use sys::file::File;
use sys::file::info::{self, FileKind, Links};
use sys::standard::tail;
use term::{atom, list, map};

use super::plain::plain;
use crate::listed::{self, ListQuery, Listed, columns};
use crate::printed;

/// The most handlers that are looked at.
const MOST_FILES: usize = 50;
/// The longest name of a file.
const LONGEST_NAME: usize = 4_096;
/// The most files of one handler that are looked at.
const MOST_TURNS: i64 = 100;
/// How long the lock of the logger's table is waited for.
const PATIENCE: Duration = Duration::from_millis(20);

/// A file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct LogFile {
    /// The name of the handler.
    pub handler: String,
    pub file: String,
    /// `None` if there is no such file, or it is no ordinary one.
    pub size_bytes: Option<u64>,
    pub written_unix_ms: Option<u64>,
}

/// A line of a file.
#[derive(Clone, Debug, Serialize)]
pub struct FileRow {
    /// The byte of the file at which it begins.
    pub offset: u64,
    /// Without what sets colours or moves a cursor.
    pub text: String,
}

columns!(FileRow: offset, text);

/// The end of a file.
#[derive(Clone, Debug, Serialize)]
pub struct FileLog {
    #[serde(flatten)]
    pub of: LogFile,
    /// Without another order the newest lines come first.
    #[serde(flatten)]
    pub listed: Listed<FileRow>,
}

/// Why there is no page.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Fault {
    /// No handler has this name, and a file.
    Unknown,
    /// The file cannot be read.
    File(String),
    Query(String),
}

/// A handler and the name of its file.
struct Written {
    handler: String,
    name: Vec<u8>,
}

/// The files that there are, by the names of their handlers.
pub(crate) fn all() -> Vec<LogFile> {
    written().iter().map(LogFile::of).collect()
}

/// The end of the file that the handler of this name writes.
pub(crate) fn page(handler: &str, query: &ListQuery) -> Result<FileLog, Fault> {
    let written = written();
    let written = written.iter().find(|written| written.handler == handler);
    let written = written.ok_or(Fault::Unknown)?;
    let of = LogFile::of(written);
    let (begin, bytes) = end_of(&written.name).map_err(|error| match error {
        Errno::EINVAL => Fault::File(format!("{} is no ordinary file", of.file)),
        error => Fault::File(format!("{}: {error}", of.file)),
    })?;
    let mut lines = lines_of(begin, &bytes);
    lines.reverse();
    let listed = listed::page(lines, 0, query, |(offset, bytes)| FileRow {
        offset: *offset,
        text: plain(bytes),
    });
    Ok(FileLog {
        of,
        listed: listed.map_err(Fault::Query)?,
    })
}

impl LogFile {
    fn of(written: &Written) -> LogFile {
        let info = info::of(&written.name, Links::Follow).ok();
        let info = info.filter(|info| info.kind == FileKind::Regular);
        LogFile {
            handler: written.handler.clone(),
            file: printed::text(&String::from_utf8_lossy(&written.name), printed::MOST),
            size_bytes: info.map(|info| info.size),
            written_unix_ms: info
                .and_then(|info| u64::try_from(info.modified).ok()?.checked_mul(1_000)),
        }
    }
}

/// What the logger's table says: `{{_, Handler}, #{config := #{file := Name}}}` for each handler that has a file.
fn written() -> Vec<Written> {
    let name = atom::known("logger");
    let mut found = Vec::new();
    let tables = tables::all_within(PATIENCE).unwrap_or_default();
    for table in tables
        .iter()
        .filter(|found| found.options.named && found.name() == name)
    {
        table.each_part_within(PATIENCE, |part| {
            part.each(|object| {
                let opened = object.open();
                if found.len() < MOST_FILES
                    && let [key, .., configuration] = opened.elements()
                    && let Some([_, handler]) = key.as_tuple(no_gc!())
                    && let Some(name) = file_in(*configuration)
                {
                    let handler = printed::term(*handler, printed::MOST_IN_ROW);
                    found.push(Written { handler, name });
                }
            });
        });
    }
    found.sort_by(|one, other| one.handler.cmp(&other.handler));
    found
}

/// The name of the file in the configuration of a handler.
fn file_in(configuration: Term) -> Option<Vec<u8>> {
    let value = |of: Term, key| {
        of.is_map()
            .then(|| map::get(of, atom::known(key)))
            .flatten()
    };
    let configuration = value(configuration, "config")?;
    let name = file_name(value(configuration, "file")?)?;
    let is_in_turn = value(configuration, "type") == Some(atom::known("wrap"));
    let files = value(configuration, "max_no_files").and_then(Term::as_small);
    match (is_in_turn, files) {
        (true, Some(files)) => Some(newest(&name, files.min(MOST_TURNS)).unwrap_or(name)),
        _ => Some(name),
    }
}

/// The name of the file that was written last of so many that are written in turn.
fn newest(name: &[u8], files: i64) -> Option<Vec<u8>> {
    let names = (1..=files).map(|number| [name, format!(".{number}").as_bytes()].concat());
    let written =
        names.filter_map(|name| Some((info::of(&name, Links::Follow).ok()?.modified, name)));
    written.max().map(|(_, name)| name)
}

/// A name of a file as programs give it: a binary, or a list of characters.
fn file_name(name: Term) -> Option<Vec<u8>> {
    if let Some(bits) = name.as_bits() {
        let no_gc = no_gc!();
        let bytes = bits.as_bytes(no_gc)?;
        return (!bytes.is_empty() && bytes.len() <= LONGEST_NAME).then(|| bytes.to_vec());
    }
    let mut text = String::new();
    for item in list::items(name) {
        let code = item.ok()?.as_small()?;
        text.push(char::from_u32(u32::try_from(code).ok()?)?);
        if text.len() > LONGEST_NAME {
            return None;
        }
    }
    (!text.is_empty()).then(|| text.into_bytes())
}

/// The last bytes of a file, and where they begin.
fn end_of(name: &[u8]) -> sys::Result<(u64, Vec<u8>)> {
    let file = File::open_ordinary(name)?;
    let begin = file.info()?.size.saturating_sub(tail::MOST_BYTES as u64);
    let mut bytes = vec![0; tail::MOST_BYTES];
    let offset = i64::try_from(begin).map_err(|_| Errno::EOVERFLOW)?;
    let length = file.pread(offset, &mut bytes)?;
    bytes.truncate(length);
    Ok((begin, bytes))
}

/// The last lines of the bytes that begin at an offset of a file, and where each begins. The first one is left out if
/// its beginning is, and what is too long becomes several.
fn lines_of(begin: u64, bytes: &[u8]) -> Vec<(u64, &[u8])> {
    let cut = match begin {
        0 => 0,
        _ => {
            let end = bytes.iter().position(|byte| *byte == b'\n');
            end.map_or(0, |end| end + 1)
        }
    };
    let mut lines = Vec::new();
    let mut at = begin + cut as u64;
    for line in bytes[cut..].split_inclusive(|byte| *byte == b'\n') {
        let text = line.strip_suffix(b"\n").unwrap_or(line);
        let text = text.strip_suffix(b"\r").unwrap_or(text);
        let mut offset = at;
        for piece in text.chunks(tail::LONGEST_LINE) {
            lines.push((offset, piece));
            offset += piece.len() as u64;
        }
        if text.is_empty() {
            lines.push((offset, text));
        }
        at += line.len() as u64;
    }
    let extra = lines.len().saturating_sub(tail::MOST_LINES);
    lines.split_off(extra)
}

#[cfg(test)]
mod tests {
    use term::build;
    use term::heap::Scratch;

    use super::*;

    #[test]
    fn lines_begin_where_they_are_in_the_file() {
        let whole = lines_of(0, b"one\r\n\ntwo");
        assert_eq!(whole, [(0, &b"one"[..]), (5, b""), (6, b"two")]);
        let later = lines_of(100, b"half\nwhole\n");
        assert_eq!(later, [(105, &b"whole"[..])]);
        let without_end = lines_of(100, b"half");
        assert_eq!(without_end, [(100, &b"half"[..])]);
        let long = b"x".repeat(tail::LONGEST_LINE + 1);
        let offsets: Vec<u64> = lines_of(0, &long).iter().map(|line| line.0).collect();
        assert_eq!(offsets, [0, tail::LONGEST_LINE as u64]);
        let many = b"\n".repeat(tail::MOST_LINES + 3);
        let lines = lines_of(0, &many);
        assert_eq!((lines.len(), lines[0].0), (tail::MOST_LINES, 3));
    }

    #[test]
    fn names_are_binaries_or_lists_of_characters() {
        let mut scratch = Scratch::new();
        let heap = scratch.heap();
        let binary = build::binary(heap, b"/x/\xff");
        assert_eq!(file_name(binary).as_deref(), Some(&b"/x/\xff"[..]));
        let letters = ['/', 'ü'].map(|letter| Term::small(i64::from(u32::from(letter))));
        let characters = build::list(heap, &letters);
        assert_eq!(file_name(characters).as_deref(), Some("/ü".as_bytes()));
        let long = vec![Term::small(i64::from(b'x')); LONGEST_NAME + 1];
        let long = build::list(heap, &long);
        let wrong = build::list(heap, &[Term::small(-1)]);
        for other in [Term::NIL, long, wrong, atom::known("x"), Term::small(3)] {
            assert_eq!(file_name(other), None);
        }
    }

    #[test]
    fn of_files_that_are_written_in_turn_the_newest_counts() {
        let folder = std::env::temp_dir().join(format!("ferl_turns_{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let name = folder.join("log").into_os_string().into_encoded_bytes();
        assert_eq!(newest(&name, 3), None);
        for (number, seconds) in [(1, 2_000), (2, 3_000), (3, 1_000), (4, 9_000)] {
            let file = std::fs::File::create(folder.join(format!("log.{number}"))).unwrap();
            let moment = std::time::UNIX_EPOCH + Duration::from_secs(seconds);
            file.set_modified(moment).unwrap();
        }
        assert_eq!(newest(&name, 3), Some([&name[..], b".2"].concat()));
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn what_is_no_ordinary_file_is_not_read() {
        assert!(end_of(b"/dev/zero").is_err());
        assert!(end_of(b"/").is_err());
        assert!(end_of(b"/nowhere/x.log").is_err());
    }
}
