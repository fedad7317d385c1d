//! What a type of terminal understands: its terminfo description.
//!
//! The file's format is that of `term(5)`: six numbers of 16 bits, names, flags, numbers, offsets of strings,
//! strings. Plain data.

mod entries;
mod parameters;

use std::path::PathBuf;

pub use entries::{Entry, FLAGS, NUMBERS, STRINGS};
pub use parameters::with_parameters;

/// How to move the cursor by one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Capabilities {
    pub up: Vec<u8>,
    pub down: Vec<u8>,
    pub right: Vec<u8>,
    /// Whether the cursor stays in the last column until another character comes.
    pub stays_at_margin: bool,
}

/// A description; entries are asked for by their codes of two letters, as in termcap ([`entries`]).
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Description {
    flags: Vec<bool>,
    numbers: Vec<Option<u16>>,
    strings: Vec<Option<Vec<u8>>>,
}

const MAGIC: u16 = 0o432;
const MAGIC_WIDE_NUMBERS: u16 = 0o1036;

fn index(entries: &[Entry], code: [u8; 2]) -> Option<usize> {
    entries
        .iter()
        .position(|entry| entry.1.as_bytes() == code.as_slice())
}

impl Description {
    #[must_use]
    pub fn flag(&self, code: [u8; 2]) -> bool {
        let found = index(FLAGS, code).and_then(|index| self.flags.get(index));
        found.copied().unwrap_or(false)
    }

    #[must_use]
    pub fn number(&self, code: [u8; 2]) -> Option<u16> {
        *self.numbers.get(index(NUMBERS, code)?)?
    }

    #[must_use]
    pub fn string(&self, code: [u8; 2]) -> Option<&[u8]> {
        self.strings.get(index(STRINGS, code)?)?.as_deref()
    }

    /// The string of this name.
    #[must_use]
    pub fn string_named(&self, name: &[u8]) -> Option<&[u8]> {
        let index = STRINGS
            .iter()
            .position(|entry| entry.0.as_bytes() == name)?;
        self.strings.get(index)?.as_deref()
    }

    fn capabilities(&self) -> Option<Capabilities> {
        let plain = |code| self.string(code).map(without_padding);
        Some(Capabilities {
            up: plain(*b"up")?,
            down: plain(*b"do").unwrap_or_else(|| b"\n".to_vec()),
            right: plain(*b"nd")?,
            stays_at_margin: self.flag(*b"xn"),
        })
    }
}

/// The capabilities of the terminal that `TERM` names; None if it is not known, or cannot move its cursor.
pub fn of_environment() -> Option<Capabilities> {
    let name = String::from_utf8(sys::env::get(b"TERM")?).ok()?;
    of_type(&name)?.capabilities()
}

/// The description of a type of terminal, if there is one.
#[must_use]
pub fn of_type(name: &str) -> Option<Description> {
    let first = name.chars().next()?;
    if name.contains('/') {
        return None;
    }
    let text = |key: &[u8]| String::from_utf8(sys::env::get(key)?).ok();
    let mut directories: Vec<PathBuf> = Vec::new();
    directories.extend(text(b"TERMINFO").map(PathBuf::from));
    directories.extend(text(b"HOME").map(|home| PathBuf::from(home).join(".terminfo")));
    for usual in ["/etc/terminfo", "/lib/terminfo", "/usr/share/terminfo"] {
        directories.push(PathBuf::from(usual));
    }
    let subdirectories = [first.to_string(), format!("{:x}", u32::from(first))];
    directories
        .iter()
        .flat_map(|directory| {
            subdirectories
                .iter()
                .map(|sub| directory.join(sub).join(name))
        })
        .find_map(|path| std::fs::read(path).ok())
        .and_then(|bytes| parse(&bytes))
}

fn parse(bytes: &[u8]) -> Option<Description> {
    let number = |offset: usize| -> Option<u16> {
        let pair = bytes.get(offset..offset + 2)?;
        Some(u16::from_le_bytes([pair[0], pair[1]]))
    };
    let size = |index: usize| number(2 * index).map(usize::from);
    let number_bytes = match number(0)? {
        MAGIC => 2,
        MAGIC_WIDE_NUMBERS => 4,
        _ => return None,
    };
    let flags = 12 + size(1)?;
    let flags_end = flags + size(2)?;
    let numbers = flags_end + flags_end % 2;
    let offsets = numbers + number_bytes * size(3)?;
    let strings = offsets + 2 * size(4)?;
    let (flag_count, number_count, string_count) = (size(2)?, size(3)?, size(4)?);
    let mut found = Description::default();
    for index in 0..flag_count.min(FLAGS.len()) {
        found.flags.push(*bytes.get(flags + index)? == 1);
    }
    for index in 0..number_count.min(NUMBERS.len()) {
        let value = number(numbers + number_bytes * index)?;
        found.numbers.push((value < 0x8000).then_some(value));
    }
    for index in 0..string_count.min(STRINGS.len()) {
        let offset = number(offsets + 2 * index)?;
        let text = match offset < 0x8000 {
            true => {
                let rest = bytes.get(strings + usize::from(offset)..)?;
                let end = rest.iter().position(|byte| *byte == 0)?;
                Some(rest[..end].to_vec())
            }
            false => None,
        };
        found.strings.push(text);
    }
    Some(found)
}

/// Removes delays such as `$<5>`: they are for terminals that nobody has any more.
#[must_use]
pub fn without_padding(text: &[u8]) -> Vec<u8> {
    let mut plain = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.windows(2).position(|pair| pair == b"$<")
        && let Some(end) = rest[start..].iter().position(|byte| *byte == b'>')
    {
        plain.extend_from_slice(&rest[..start]);
        rest = &rest[start + end + 1..];
    }
    plain.extend_from_slice(rest);
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_description_is_read() {
        let mut bytes = Vec::new();
        // Names of 5 bytes, 5 flags, 1 number, 20 strings in 12 bytes.
        for value in [MAGIC, 5, 5, 1, 20, 12] {
            bytes.extend(value.to_le_bytes());
        }
        bytes.extend(b"term\0");
        bytes.extend([0, 0, 0, 0, 1]);
        bytes.extend(80u16.to_le_bytes());
        for index in 0..20 {
            let offset: u16 = match index {
                17 => 0,
                19 => 4,
                _ => 0xffff,
            };
            bytes.extend(offset.to_le_bytes());
        }
        bytes.extend(b"\x1b[C\0\x1bM$<5>\0");
        let description = parse(&bytes).unwrap();
        assert_eq!(description.number(*b"co"), Some(80));
        assert_eq!(description.string(*b"up"), Some(&b"\x1bM$<5>"[..]));
        let found = description.capabilities().unwrap();
        assert_eq!(found.right, b"\x1b[C");
        assert_eq!(found.up, b"\x1bM");
        assert_eq!(found.down, b"\n");
        assert!(found.stays_at_margin);
        for end in 0..bytes.len() - 8 {
            assert_eq!(parse(&bytes[..end]), None, "{end}");
        }
        assert_eq!(parse(b"\x1a\x02"), None);
    }
}
