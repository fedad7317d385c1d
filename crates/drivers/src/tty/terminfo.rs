//! What a type of terminal understands: the few entries of its terminfo description that are needed to move a cursor.
//!
//! The file's format is that of `term(5)`: six numbers of 16 bits, names, flags, numbers, offsets of strings,
//! strings.

use std::path::PathBuf;

/// How to move the cursor by one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Capabilities {
    pub up: Vec<u8>,
    pub down: Vec<u8>,
    pub right: Vec<u8>,
    /// Whether the cursor stays in the last column until another character comes.
    pub stays_at_margin: bool,
}

const MAGIC: u16 = 0o432;
const MAGIC_WIDE_NUMBERS: u16 = 0o1036;
/// Indexes of flags and strings.
const EAT_NEWLINE_GLITCH: usize = 4;
const CURSOR_DOWN: usize = 11;
const CURSOR_RIGHT: usize = 17;
const CURSOR_UP: usize = 19;

/// The capabilities of the terminal that `TERM` names; None if it is not known, or cannot move its cursor.
pub fn of_environment() -> Option<Capabilities> {
    let name = String::from_utf8(sys::env::get(b"TERM")?).ok()?;
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
                .map(|sub| directory.join(sub).join(&name))
        })
        .find_map(|path| std::fs::read(path).ok())
        .and_then(|bytes| parse(&bytes))
}

fn parse(bytes: &[u8]) -> Option<Capabilities> {
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
    let string = |index: usize| -> Option<Vec<u8>> {
        if index >= size(4)? {
            return None;
        }
        let offset = number(offsets + 2 * index).filter(|offset| *offset < 0x8000)?;
        let rest = bytes.get(strings + usize::from(offset)..)?;
        let text = rest.split(|byte| *byte == 0).next()?;
        Some(without_padding(text))
    };
    Some(Capabilities {
        up: string(CURSOR_UP)?,
        down: string(CURSOR_DOWN).unwrap_or_else(|| b"\n".to_vec()),
        right: string(CURSOR_RIGHT)?,
        stays_at_margin: size(2)? > EAT_NEWLINE_GLITCH
            && bytes.get(flags + EAT_NEWLINE_GLITCH) == Some(&1),
    })
}

/// Removes delays such as `$<5>`: they are for terminals that nobody has any more.
fn without_padding(text: &[u8]) -> Vec<u8> {
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
                CURSOR_RIGHT => 0,
                CURSOR_UP => 4,
                _ => 0xffff,
            };
            bytes.extend(offset.to_le_bytes());
        }
        bytes.extend(b"\x1b[C\0\x1bM$<5>\0");
        let found = parse(&bytes).unwrap();
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
