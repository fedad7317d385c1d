//! Patterns that stock's PCRE 8.44 has compiled, as literals of modules hold them: a program compiled on stock may
//! contain the code of its patterns (each `~r` of Elixir does). The code is read back into a pattern, which PCRE2 then
//! compiles.
//!
//! ```text
//! header      64 bytes: magic, size, options, ..., place, entry size and number of the names
//! names       number of the group (2 bytes), name, zeros
//! code        a group of all alternatives, then END
//!
//! group       operation, distance to the next ALT or KET (2 bytes), for a capturing one its number (2 bytes);
//!             items; for each further alternative ALT, distance, items; KET or one of its kind, distance
//! ```
//!
//! Options within a pattern are gone from its code, since each operation says what it does; so the text that is written
//! here says it for each item too, and is compiled without those options. A group that was repeated a certain number of
//! times stands in the code as often, with the same number: such copies become one again. Code that makes no sense, and
//! what PCRE2 has no words for, is no pattern.

mod op;
mod pattern;
pub(crate) mod property;

use std::fmt::Write;

use pattern::{Kind, Mode, Node, Times, Writer, merged, optional, times};
use property::property;

use crate::{Bsr, CompileOptions, Newline};

/// The first bytes: the magic number of PCRE, in the order of this machine's bytes.
const MAGIC: &[u8; 4] = b"ERCP";
const HEADER_BYTES: usize = 64;
/// How deep groups may be nested.
const MAX_DEPTH: u32 = 400;

/// The text and the options of a pattern in stock's form; `None` if it makes no sense.
pub(crate) fn read(bytes: &[u8]) -> Option<(Vec<u8>, CompileOptions)> {
    let header = Header::read(bytes)?;
    let code = header.code(bytes)?;
    let mut reader = Reader {
        code,
        names: header.names(bytes)?,
        is_utf: header.options & 0x800 != 0,
        groups: Vec::new(),
    };
    if code.first() != Some(&op::BRA) {
        return None;
    }
    let (whole, end) = reader.group(0, 0)?;
    if code.get(end) != Some(&op::END) {
        return None;
    }
    let Node::Group { alternatives, .. } = whole else {
        return None;
    };
    let mut writer = Writer {
        text: String::new(),
        last_group: 0,
        groups: &reader.groups,
        names: &reader.names,
    };
    writer.alternatives(&alternatives)?;
    // Every group has its number: none is left out.
    (writer.last_group == header.last_group)
        .then(|| (writer.text.into_bytes(), header.compile_options()))
}

/// Whether these bytes begin as a pattern in stock's form.
pub(crate) fn is_such(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

struct Header {
    options: u32,
    last_group: u16,
    names_at: usize,
    name_bytes: usize,
    name_count: usize,
}

impl Header {
    fn read(bytes: &[u8]) -> Option<Header> {
        let word = |at: usize| Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?));
        let half = |at: usize| Some(u16::from_le_bytes(*bytes.get(at..)?.first_chunk()?));
        let is_whole = bytes.len() >= HEADER_BYTES && word(4)? as usize == bytes.len();
        (is_such(bytes) && is_whole).then_some(Header {
            options: word(8)?,
            last_group: half(30)?,
            names_at: half(34)?.into(),
            name_bytes: half(36)?.into(),
            name_count: half(38)?.into(),
        })
    }

    /// The entries of the table of names, each with its number.
    fn names<'a>(&self, bytes: &'a [u8]) -> Option<Vec<(u16, &'a str)>> {
        if self.name_count == 0 {
            return Some(Vec::new());
        }
        let table = bytes
            .get(self.names_at..)?
            .get(..self.name_count * self.name_bytes)?;
        let entries = table.chunks_exact(self.name_bytes.max(3));
        entries
            .map(|entry| {
                let name = entry[2..].split(|&byte| byte == 0).next()?;
                let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
                let name = name.iter().all(is_word).then_some(name)?;
                Some((
                    u16::from_be_bytes([entry[0], entry[1]]),
                    std::str::from_utf8(name).ok()?,
                ))
            })
            .collect()
    }

    fn code<'a>(&self, bytes: &'a [u8]) -> Option<&'a [u8]> {
        bytes.get(self.names_at + self.name_count * self.name_bytes..)
    }

    /// The options that say more than the code does.
    fn compile_options(&self) -> CompileOptions {
        let kept = [
            (0x10, CompileOptions::ANCHORED),
            (0x20, CompileOptions::DOLLAR_ENDONLY),
            (0x800, CompileOptions::UNICODE),
            (0x1_0000, CompileOptions::NEVER_UTF),
            (0x4_0000, CompileOptions::FIRSTLINE),
            (0x400_0000, CompileOptions::NO_START_OPTIMIZE),
            (0x2000_0000, CompileOptions::UCP),
        ];
        let mut options = CompileOptions::default();
        // Two groups may have one name, if those of the pattern do.
        options.set(CompileOptions::DUPNAMES);
        for (bit, option) in kept {
            if self.options & bit != 0 {
                options.set(option);
            }
        }
        match self.options >> 20 & 7 {
            1 => options.set_newline(Newline::Cr),
            2 => options.set_newline(Newline::Lf),
            3 => options.set_newline(Newline::CrLf),
            4 => options.set_newline(Newline::Any),
            5 => options.set_newline(Newline::AnyCrLf),
            _ => {}
        }
        match self.options >> 23 & 3 {
            1 => options.set_bsr(Bsr::AnyCrLf),
            2 => options.set_bsr(Bsr::Unicode),
            _ => {}
        }
        options
    }
}

/// Reads code; places are distances from its start.
struct Reader<'a> {
    code: &'a [u8],
    names: Vec<(u16, &'a str)>,
    is_utf: bool,
    /// Where the code of each capturing group begins, and its number.
    groups: Vec<(usize, u16)>,
}

impl Reader<'_> {
    fn byte(&self, at: usize) -> Option<u8> {
        self.code.get(at).copied()
    }

    fn number(&self, at: usize) -> Option<u16> {
        Some(u16::from_be_bytes(*self.code.get(at..)?.first_chunk()?))
    }

    /// The character at a place, and the place behind it.
    fn character(&self, at: usize) -> Option<(u32, usize)> {
        let first = self.byte(at)?;
        if !self.is_utf || first < 0x80 {
            return Some((first.into(), at + 1));
        }
        let length = first.leading_ones() as usize;
        let text = std::str::from_utf8(self.code.get(at..at + length)?).ok()?;
        Some((text.chars().next()?.into(), at + length))
    }

    /// A group, and the place behind it.
    fn group(&mut self, start: usize, depth: u32) -> Option<(Node, usize)> {
        let operation = self.byte(start)?;
        let mut at = start + 3;
        let kind = match operation {
            op::BRA | op::SBRA | op::BRAPOS | op::SBRAPOS => Kind::Plain,
            op::CBRA | op::SCBRA | op::CBRAPOS | op::SCBRAPOS => {
                let number = self.number(at)?;
                at += 2;
                self.groups.push((start, number));
                Kind::Capturing(number)
            }
            op::ONCE | op::ONCE_NC => Kind::Opened("(?>"),
            op::ASSERT => Kind::Opened("(?="),
            op::ASSERT_NOT => Kind::Opened("(?!"),
            op::ASSERTBACK => Kind::Opened("(?<="),
            op::ASSERTBACK_NOT => Kind::Opened("(?<!"),
            op::COND | op::SCOND => {
                let (condition, behind) = self.condition(at)?;
                at = behind;
                Kind::Conditional(condition)
            }
            _ => return None,
        };
        if depth > MAX_DEPTH {
            return None;
        }
        let mut alternatives = Vec::new();
        let end = loop {
            let (items, behind) = self.items(at, depth)?;
            alternatives.push(merged(items));
            at = behind + 3;
            match self.byte(behind)? {
                op::ALT => {}
                end => break end,
            }
        };
        let group = Node::Group { kind, alternatives };
        let mode = match (operation, end) {
            (op::BRAPOS | op::SBRAPOS | op::CBRAPOS | op::SCBRAPOS, _) | (_, op::KETRPOS) => {
                Mode::Possessive
            }
            (_, op::KETRMAX) => Mode::Greedy,
            (_, op::KETRMIN) => Mode::Lazy,
            _ => return Some((group, at)),
        };
        let times = Times {
            least: 1,
            most: None,
            mode,
        };
        Some((group.repeated(times), at))
    }

    /// The condition of a group, if it is not its first item, and the place behind it.
    fn condition(&self, at: usize) -> Option<(Option<String>, usize)> {
        let name = |entry: usize| Some(self.names.get(entry)?.1);
        Some(match self.byte(at)? {
            op::CALLOUT => return self.condition(at + 6),
            op::FAIL => (Some("(?!)".to_owned()), at + 1),
            op::CREF => (Some(format!("({})", self.number(at + 1)?)), at + 3),
            op::DNCREF => (
                Some(format!("(<{}>)", name(self.number(at + 1)?.into())?)),
                at + 5,
            ),
            op::RREF => {
                let condition = match self.number(at + 1)? {
                    u16::MAX => "(R)".to_owned(),
                    number => format!("(R{number})"),
                };
                (Some(condition), at + 3)
            }
            op::DNRREF => (
                Some(format!("(R&{})", name(self.number(at + 1)?.into())?)),
                at + 5,
            ),
            op::DEF => (Some("(DEFINE)".to_owned()), at + 1),
            op::ASSERT..=op::ASSERTBACK_NOT => (None, at),
            _ => return None,
        })
    }

    /// The items up to the end of an alternative, and the place of that.
    fn items(&mut self, mut at: usize, depth: u32) -> Option<(Vec<Node>, usize)> {
        let mut items = Vec::new();
        loop {
            let operation = self.byte(at)?;
            if (op::ALT..=op::KETRPOS).contains(&operation) {
                return Some((items, at));
            }
            let (item, behind) = self.item(at, operation, depth)?;
            items.extend(item);
            at = behind;
        }
    }

    /// One item, if it says anything, and the place behind it.
    fn item(&mut self, at: usize, operation: u8, depth: u32) -> Option<(Option<Node>, usize)> {
        let text = |text: &str, behind| Some((Some(Node::Text(text.to_owned())), behind));
        match operation {
            1..=op::CIRCM => {
                let (text, behind) = self.simple(at)?;
                Some((Some(Node::Text(text)), behind))
            }
            op::CHAR..=op::NOTI => {
                let (character, behind) = self.character(at + 1)?;
                Some((Some(Node::Text(single(operation, character))), behind))
            }
            op::STAR..op::CRSTAR => self.repeated_single(at, operation),
            op::CLASS..=op::DNREFI => {
                let (node, behind) = self.class_or_reference(at, operation)?;
                let (times, behind) = self.class_repeat(behind)?;
                Some((Some(node.repeated(times)), behind))
            }
            op::RECURSE => Some((Some(Node::Call(self.number(at + 1)?.into())), at + 3)),
            op::CALLOUT => Some((None, at + 6)),
            op::REVERSE | op::CLOSE => Some((None, at + 3)),
            op::ASSERT..=op::SCOND => {
                let (group, behind) = self.group(at, depth + 1)?;
                Some((Some(group), behind))
            }
            op::BRAZERO | op::BRAMINZERO | op::BRAPOSZERO | op::SKIPZERO => {
                let (group, behind) = self.group(at + 1, depth + 1)?;
                Some((Some(optional(group, operation)), behind))
            }
            op::PRUNE => text("(*PRUNE)", at + 1),
            op::SKIP => text("(*SKIP)", at + 1),
            op::THEN => text("(*THEN)", at + 1),
            op::COMMIT => text("(*COMMIT)", at + 1),
            op::FAIL => text("(*FAIL)", at + 1),
            op::ACCEPT | op::ASSERT_ACCEPT => text("(*ACCEPT)", at + 1),
            op::MARK | op::PRUNE_ARG | op::SKIP_ARG | op::THEN_ARG => {
                let verb = match operation {
                    op::MARK => "MARK",
                    op::PRUNE_ARG => "PRUNE",
                    op::SKIP_ARG => "SKIP",
                    _ => "THEN",
                };
                let length = usize::from(self.byte(at + 1)?);
                let name = std::str::from_utf8(self.code.get(at + 2..at + 2 + length)?).ok()?;
                if name.contains(')') {
                    return None;
                }
                text(&format!("(*{verb}:{name})"), at + 3 + length)
            }
            _ => None,
        }
    }

    /// What one of the operations from 1 to 28 matches.
    fn simple(&self, at: usize) -> Option<(String, usize)> {
        match self.byte(at)? {
            operation @ (op::PROP | op::NOTPROP) => {
                let text = property(
                    self.byte(at + 1)?,
                    self.byte(at + 2)?,
                    operation == op::NOTPROP,
                )?;
                Some((text, at + 3))
            }
            operation => Some((op::simple(operation)?.to_owned(), at + 1)),
        }
    }

    /// A character, another than a character, or one of a type, so and so often.
    fn repeated_single(&self, at: usize, operation: u8) -> Option<(Option<Node>, usize)> {
        let (family, repeat) = (
            (operation - op::STAR) / op::REPEATS,
            (operation - op::STAR) % op::REPEATS,
        );
        let is_counted = matches!(repeat, 6..=8 | 12);
        let what_at = at + if is_counted { 3 } else { 1 };
        let count = if is_counted {
            self.number(at + 1)?.into()
        } else {
            0
        };
        let times = match repeat {
            6 => times(0, Some(count), Mode::Greedy),
            7 => times(0, Some(count), Mode::Lazy),
            8 => times(count, Some(count), Mode::Greedy),
            12 => times(0, Some(count), Mode::Possessive),
            9..=11 => possessive(repeat - 9),
            _ => plain(repeat),
        };
        let (text, behind) = match family {
            4 => self.simple(what_at)?,
            _ => {
                let single_op = [op::CHAR, op::CHARI, op::NOT, op::NOTI][usize::from(family)];
                let (character, behind) = self.character(what_at)?;
                (single(single_op, character), behind)
            }
        };
        Some((Some(Node::Text(text).repeated(times)), behind))
    }

    /// How often a class or reference is repeated, and the place behind that.
    fn class_repeat(&self, at: usize) -> Option<(Times, usize)> {
        let operation = self.byte(at)?;
        if !(op::CRSTAR..=op::CRPOSRANGE).contains(&operation) {
            return Some((times(1, Some(1), Mode::Greedy), at));
        }
        let mode = match operation - op::CRSTAR {
            6 => Mode::Greedy,
            7 => Mode::Lazy,
            11 => Mode::Possessive,
            repeat @ 8..=10 => return Some((possessive(repeat - 8), at + 1)),
            repeat => return Some((plain(repeat), at + 1)),
        };
        let (least, most) = (self.number(at + 1)?.into(), self.number(at + 3)?.into());
        Some((times(least, (most > 0).then_some(most), mode), at + 5))
    }

    fn class_or_reference(&self, at: usize, operation: u8) -> Option<(Node, usize)> {
        let reference = |text: String| match operation {
            op::REFI | op::DNREFI => Node::Text(format!("(?i:{text})")),
            _ => Node::Text(text),
        };
        match operation {
            op::CLASS | op::NCLASS => {
                let map = self.code.get(at + 1..)?.first_chunk::<32>()?;
                let mut items = ranges_of(map);
                if operation == op::NCLASS && self.is_utf {
                    items.push_str(r"\x{100}-\x{10ffff}");
                }
                Some((Node::Text(class(&items, false)), at + 33))
            }
            op::XCLASS => {
                let end = at + usize::from(self.number(at + 1)?);
                Some((Node::Text(self.extended_class(at + 3, end)?), end))
            }
            op::REF | op::REFI => Some((
                reference(format!(r"\g{{{}}}", self.number(at + 1)?)),
                at + 3,
            )),
            _ => {
                let (_, name) = self.names.get(usize::from(self.number(at + 1)?))?;
                Some((reference(format!(r"\k{{{name}}}")), at + 5))
            }
        }
    }

    /// A class with characters above 255 or with properties.
    fn extended_class(&self, mut at: usize, end: usize) -> Option<String> {
        let flags = self.byte(at)?;
        let (is_negated, has_map, has_properties) =
            (flags & 1 != 0, flags & 2 != 0, flags & 4 != 0);
        at += 1;
        let mut low = String::new();
        if has_map {
            low = ranges_of(self.code.get(at..)?.first_chunk::<32>()?);
            at += 32;
        }
        let mut items = String::new();
        loop {
            match self.byte(at)? {
                0 => break,
                1 => {
                    let (character, behind) = self.character(at + 1)?;
                    items.push_str(&escaped(character));
                    at = behind;
                }
                2 => {
                    let (first, behind) = self.character(at + 1)?;
                    let (last, behind) = self.character(behind)?;
                    let _ = write!(items, "{}-{}", escaped(first), escaped(last));
                    at = behind;
                }
                which @ (3 | 4) => {
                    items.push_str(&property(
                        self.byte(at + 1)?,
                        self.byte(at + 2)?,
                        which == 4,
                    )?);
                    at += 3;
                }
                _ => return None,
            }
        }
        if at + 1 != end {
            return None;
        }
        if has_properties || !is_negated {
            // Here the map says what the class lists.
            return Some(class(&(low + &items), is_negated));
        }
        // The map says which of its characters match; all others do that are not listed.
        let low = match has_map {
            true => low,
            false => r"\x00-\xff".to_owned(),
        };
        Some(format!(
            r"(?:{}|{})",
            class(&low, false),
            class(&format!(r"\x00-\xff{items}"), true)
        ))
    }
}

/// `*`, `*?`, `+`, `+?`, `?`, `??`, which have these numbers wherever something is repeated.
fn plain(number: u8) -> Times {
    let mode = if number % 2 == 0 {
        Mode::Greedy
    } else {
        Mode::Lazy
    };
    repetition(number / 2, mode)
}

/// `*+`, `++`, `?+`.
fn possessive(number: u8) -> Times {
    repetition(number, Mode::Possessive)
}

fn repetition(number: u8, mode: Mode) -> Times {
    match number {
        0 => times(0, None, mode),
        1 => times(1, None, mode),
        _ => times(0, Some(1), mode),
    }
}

/// A single character, or any other, as an item.
fn single(operation: u8, character: u32) -> String {
    let character = escaped(character);
    match operation {
        op::CHAR => character,
        op::CHARI => format!("(?i:{character})"),
        op::NOT => format!("[^{character}]"),
        _ => format!("(?i:[^{character}])"),
    }
}

fn escaped(character: u32) -> String {
    match char::from_u32(character) {
        Some(letter) if letter.is_ascii_alphanumeric() => letter.to_string(),
        _ => format!(r"\x{{{character:x}}}"),
    }
}

/// A class of these items; of none it matches nothing, or everything.
fn class(items: &str, is_negated: bool) -> String {
    match (items.is_empty(), is_negated) {
        (true, false) => "(?!)".to_owned(),
        (true, true) => "(?s:.)".to_owned(),
        (false, false) => format!("[{items}]"),
        (false, true) => format!("[^{items}]"),
    }
}

/// The characters of a map, as ranges.
fn ranges_of(map: &[u8; 32]) -> String {
    let has = |character: u32| map[character as usize / 8] & 1 << (character % 8) != 0;
    let mut text = String::new();
    let mut at = 0;
    while at < 256 {
        let end = (at..256).find(|&character| !has(character)).unwrap_or(256);
        match end - at {
            0 => {}
            1 => text.push_str(&escaped(at)),
            _ => {
                let _ = write!(text, "{}-{}", escaped(at), escaped(end - 1));
            }
        }
        at = end + 1;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A header, with the options, the last group and the names, and the code.
    fn compiled(options: u32, last_group: u16, names: &[(u16, &str)], code: &[u8]) -> Vec<u8> {
        let name_bytes = names
            .iter()
            .map(|(_, name)| name.len() + 3)
            .max()
            .unwrap_or(0);
        let mut bytes = MAGIC.to_vec();
        let size = HEADER_BYTES + names.len() * name_bytes + code.len();
        bytes.extend_from_slice(&(size as u32).to_le_bytes());
        bytes.extend_from_slice(&options.to_le_bytes());
        bytes.resize(HEADER_BYTES, 0);
        let halves = [
            (30, last_group),
            (34, 64),
            (36, name_bytes as u16),
            (38, names.len() as u16),
        ];
        for (at, half) in halves {
            bytes[at..at + 2].copy_from_slice(&half.to_le_bytes());
        }
        for (number, name) in names {
            let end = bytes.len() + name_bytes;
            bytes.extend_from_slice(&number.to_be_bytes());
            bytes.extend_from_slice(name.as_bytes());
            bytes.resize(end, 0);
        }
        bytes.extend_from_slice(code);
        bytes
    }

    fn text(bytes: &[u8]) -> Option<String> {
        read(bytes).map(|(text, _)| String::from_utf8(text).unwrap())
    }

    /// `(a+)` as it stands in code, with the repetition of its letter.
    fn copy(repeat: u8) -> [u8; 10] {
        [op::CBRA, 0, 7, 0, 1, repeat, b'a', 120, 0, 7]
    }

    #[test]
    fn copies_become_a_repetition() {
        // (a+){1,2}, where the second copy is followed by something that no a+ matches: it is possessive.
        let (plus, possessive) = (op::STAR + 2, op::STAR + 10);
        let mut code = vec![op::BRA, 0, 26];
        code.extend_from_slice(&copy(plus));
        code.push(op::BRAZERO);
        code.extend_from_slice(&copy(possessive));
        code.extend_from_slice(&[op::CHAR, b'c', 120, 0, 26, op::END]);
        let named = compiled(0, 1, &[(1, "n")], &code);
        assert_eq!(text(&named).unwrap(), "(?<n>a+){1,2}c");
        // Twice the same group, but of different content, is nothing that PCRE makes.
        let at = named.len() - 10;
        let mut other = named.clone();
        other[at] = b'b';
        assert_eq!(text(&other), None);
    }

    #[test]
    fn damaged_code_is_no_pattern_or_another_one() {
        let mut code = vec![op::BRA, 0, 40, op::CLASS];
        code.extend_from_slice(&[0x55; 32]);
        code.extend_from_slice(&[
            op::CRSTAR + 6,
            0,
            2,
            0,
            5,
            op::XCLASS,
            0,
            8,
            0,
            1,
            b'x',
            1,
            0,
        ]);
        code.extend_from_slice(&copy(op::STAR));
        code.extend_from_slice(&[
            op::COND,
            0,
            8,
            op::CREF,
            0,
            1,
            op::RECURSE,
            0,
            0,
            120,
            0,
            8,
            120,
            0,
            40,
            op::END,
        ]);
        let whole = compiled(0x800, 1, &[(1, "name")], &code);
        let mut random = fastrand::Rng::with_seed(7);
        for _ in 0..200_000 {
            let mut bytes = whole.clone();
            for _ in 0..random.usize(1..4) {
                let at = random.usize(8..bytes.len());
                bytes[at] = random.u8(..);
            }
            if let Some((text, options)) = read(&bytes)
                && text.len() < 200
            {
                let _ = crate::compile(&text, options);
            }
        }
        for length in 0..whole.len() {
            assert_eq!(read(&whole[..length]), None, "{length}");
        }
    }
}
