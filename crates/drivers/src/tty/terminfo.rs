//! What a type of terminal understands: the entries of its terminfo description that are needed to edit lines.
//!
//! The file's format is that of `term(5)`: six numbers of 16 bits, names, flags, numbers, offsets of strings,
//! strings. Entries are asked for by their names of two letters, as in termcap. Plain data.

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

/// The entries of a description that have names here.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Description {
    flags: Vec<[u8; 2]>,
    numbers: Vec<([u8; 2], u16)>,
    strings: Vec<([u8; 2], Vec<u8>)>,
}

const MAGIC: u16 = 0o432;
const MAGIC_WIDE_NUMBERS: u16 = 0o1036;

/// Names and indexes of flags, numbers and strings.
const FLAGS: &[([u8; 2], usize)] = &[(*b"xn", 4), (*b"bs", 37)];
const NUMBERS: &[([u8; 2], usize)] = &[(*b"co", 0), (*b"li", 2)];
const STRINGS: &[([u8; 2], usize)] = &[
    (*b"cl", 5),
    (*b"cd", 7),
    (*b"do", 11),
    (*b"nd", 17),
    (*b"up", 19),
    (*b"DC", 105),
    (*b"IC", 108),
    (*b"ta", 134),
    (*b"u6", 293),
    (*b"u7", 294),
    (*b"bc", 395),
];

impl Description {
    #[must_use]
    pub fn flag(&self, name: [u8; 2]) -> bool {
        self.flags.contains(&name)
    }

    #[must_use]
    pub fn number(&self, name: [u8; 2]) -> Option<u16> {
        let found = self.numbers.iter().find(|entry| entry.0 == name)?;
        Some(found.1)
    }

    #[must_use]
    pub fn string(&self, name: [u8; 2]) -> Option<&[u8]> {
        let found = self.strings.iter().find(|entry| entry.0 == name)?;
        Some(&found.1)
    }

    fn capabilities(&self) -> Option<Capabilities> {
        let plain = |name| self.string(name).map(without_padding);
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
    for &(name, index) in FLAGS.iter().filter(|entry| entry.1 < flag_count) {
        if *bytes.get(flags + index)? == 1 {
            found.flags.push(name);
        }
    }
    for &(name, index) in NUMBERS.iter().filter(|entry| entry.1 < number_count) {
        let value = number(numbers + number_bytes * index)?;
        if value < 0x8000 {
            found.numbers.push((name, value));
        }
    }
    for &(name, index) in STRINGS.iter().filter(|entry| entry.1 < string_count) {
        let offset = number(offsets + 2 * index)?;
        if offset < 0x8000 {
            let rest = bytes.get(strings + usize::from(offset)..)?;
            let end = rest.iter().position(|byte| *byte == 0)?;
            found.strings.push((name, rest[..end].to_vec()));
        }
    }
    Some(found)
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

/// The text that a string of a description stands for, with these parameters, and without delays. Of the language of
/// parameters it knows what moves a cursor: `%p1` and `%p2`, `%d`, `%i` and `%%`.
#[must_use]
pub fn with_parameters(text: &[u8], mut parameters: [i32; 2]) -> Vec<u8> {
    let text = without_padding(text);
    let mut result = Vec::with_capacity(text.len());
    let mut stack = Vec::new();
    let mut rest = &text[..];
    while let Some((&byte, behind)) = rest.split_first() {
        rest = behind;
        if byte != b'%' {
            result.push(byte);
            continue;
        }
        let Some((&operation, behind)) = rest.split_first() else {
            break;
        };
        rest = behind;
        match operation {
            b'%' => result.push(b'%'),
            b'i' => parameters = parameters.map(|parameter| parameter.wrapping_add(1)),
            b'd' => result.extend(stack.pop().unwrap_or(0).to_string().bytes()),
            b'p' => {
                if let Some((&which, behind)) = rest.split_first() {
                    rest = behind;
                    stack.push(if which == b'2' {
                        parameters[1]
                    } else {
                        parameters[0]
                    });
                }
            }
            _ => {}
        }
    }
    result
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

    #[test]
    fn parameters_are_counted_from_one_where_asked() {
        assert_eq!(with_parameters(b"\x1b[%p1%d@", [5, 0]), b"\x1b[5@");
        assert_eq!(with_parameters(b"%i%p1%d;%p2%dR$<5>", [7, 5]), b"8;6R");
        assert_eq!(with_parameters(b"100%%", [0, 0]), b"100%");
    }
}
