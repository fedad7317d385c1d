//! Rewrites patterns that PCRE 8 and PCRE2 treat differently. PCRE 8 accepts things that have no meaning where they
//! stand, mostly as literal characters, and PCRE2 refuses them: a hyphen after something that stands for several
//! characters in a class, letters of escapes that do not exist in a class, `\x` without digits, `\F`, a control
//! character after `\c`. To others only
//! PCRE2 gives a meaning: `{,3}` and `{ 1, 3 }` are not repetitions in PCRE 8, and `\8` is the digit unless there are
//! eight groups before it. A script's property, `\p{Greek}`, has in PCRE2 also the characters that several scripts use,
//! and `\p{Lu}`, `\p{Ll}` and `\p{Lt}` are the same if case does not matter; PCRE 8 knows fewer names, and only in one
//! spelling. A group that refers back to itself, `(a\1?)`, is atomic in PCRE 8: once it has matched, it does not try
//! another way.
//!
//! Only patterns that PCRE2 has refused for one of the former reasons, or that have such braces, digits, properties or
//! groups, are rewritten. Plain functions; any thread may call them.

use std::ffi::c_int;
use std::ops::Range;

use super::CompileOptions;
use super::stock::property::{is_category, is_script};

/// PCRE2's numbers for errors that [`plainer`] may mend: an escape in a class, an escape of Perl's, a range in a
/// class, a character after `\c`, missing digits.
pub(crate) const MENDABLE: [c_int; 5] = [107, 137, 150, 168, 178];

const NO_SUCH_ESCAPE: c_int = 137;
const MALFORMED_PROPERTY: c_int = 146;
const UNKNOWN_PROPERTY: c_int = 147;
/// Names of properties must be shorter for PCRE 8.
const LONGEST_NAME: usize = 31;

/// A pattern in the form that PCRE2 is given.
pub(crate) struct Plainer {
    pub text: Vec<u8>,
    /// Places of the text from which on it is as far behind those of the pattern as they are.
    places: Vec<(usize, usize)>,
    /// The first property or escape that PCRE 8 does not know: the number of PCRE2's error, and where in the pattern.
    pub unknown: Option<(c_int, usize)>,
    /// Whether a group refers back to itself.
    pub refers_to_itself: bool,
}

impl Plainer {
    /// The offset in the pattern that corresponds to one in the text.
    pub(crate) fn original(&self, offset: usize) -> usize {
        let place = self.places.iter().rev().find(|place| place.0 <= offset);
        place.map_or(offset, |(here, there)| there + offset - here)
    }
}

const CODE_POINT: &[u8] = br"\N{U+";

/// Whether characters are perhaps named by their numbers.
pub(crate) fn has_code_points(source: &[u8]) -> bool {
    source
        .windows(CODE_POINT.len())
        .any(|part| part == CODE_POINT)
}

/// The same pattern, in a form that PCRE2 accepts.
pub(crate) fn plainer(source: &[u8], options: CompileOptions) -> Plainer {
    let extended = options.has(CompileOptions::EXTENDED);
    let mut writer = Writer {
        source,
        at: 0,
        out: Vec::with_capacity(source.len() + 8),
        groups: Groups {
            so_far: 0,
            names_only: options.has(CompileOptions::NO_AUTO_CAPTURE),
            open: Vec::new(),
        },
        caseless: options.has(CompileOptions::CASELESS) || switches_on(source, b'i'),
        places: Vec::new(),
        unknown: None,
        refers_to_itself: false,
    };
    while let Some(&byte) = source.get(writer.at) {
        match byte {
            b'\\' => {
                if let Some(group) = reference(&source[writer.at..]) {
                    writer.groups.refer(group);
                }
                if !writer.digit() && !writer.cased_property() {
                    writer.escape();
                }
            }
            b'[' => writer.class(),
            b'#' if extended => writer.copy_through(b"\n"),
            b'(' if source[writer.at..].starts_with(b"(?#") => writer.copy_through(b")"),
            b'(' if source[writer.at..].starts_with(b"(*") => writer.copy_through(b")"),
            b'(' => {
                if let Some(group) = reference(&source[writer.at..]) {
                    writer.groups.refer(group);
                }
                let length = writer.groups.begin(&source[writer.at..]);
                writer.copy(length);
                if let Some(open) = writer.groups.open.last_mut() {
                    open.body = (writer.out.len(), writer.at);
                }
            }
            b'|' => {
                writer.groups.alternative();
                writer.copy(1);
            }
            b')' => {
                if let Some(body) = writer.groups.end() {
                    writer.make_atomic(body);
                }
                writer.copy(1);
            }
            b'{' if repeats_for_pcre2_only(writer.rest()) => {
                writer.out.push(b'\\');
                writer.copy(1);
            }
            _ => writer.copy(1),
        }
    }
    // In a comment it would be none, and where such comments are is not followed here.
    if switches_on(source, b'x') && source.contains(&b'#') {
        writer.unknown = None;
    }
    Plainer {
        text: writer.out,
        places: writer.places,
        unknown: writer.unknown,
        refers_to_itself: writer.refers_to_itself,
    }
}

/// Whether a group of the pattern may switch this option on, as in `(?i)`.
fn switches_on(source: &[u8], option: u8) -> bool {
    source.windows(2).enumerate().any(|(at, pair)| {
        let letters = source[at + 2..].iter();
        let mut letters = letters.take_while(|byte| byte.is_ascii_alphabetic());
        pair == b"(?" && letters.any(|letter| *letter == option)
    })
}

/// Whether there may be properties of Unicode.
pub(crate) fn has_properties(source: &[u8]) -> bool {
    source
        .windows(2)
        .any(|pair| matches!(pair, [b'\\', b'p' | b'P']))
}

/// Whether there may be digits after a backslash that only PCRE2 takes for the number of a group.
pub(crate) fn has_foreign_digits(source: &[u8]) -> bool {
    source
        .windows(2)
        .any(|pair| matches!(pair, [b'\\', b'8' | b'9']))
}

/// Whether there may be references back to groups.
pub(crate) fn has_references(source: &[u8]) -> bool {
    let is_reference =
        |at: usize| matches!(source[at], b'\\' | b'(') && reference(&source[at..]).is_some();
    (0..source.len()).any(is_reference)
}

/// What a reference back names.
#[derive(Clone, Copy)]
enum Group<'a> {
    Number(u32),
    /// The group that began so many groups ago; 1 is the last.
    Before(u32),
    Name(&'a [u8]),
}

/// The group that the text begins with a reference to: `\1`, `\g1`, `\g{-1}`, `\g{name}`, `\k<name>`, `(?P=name)`.
fn reference(text: &[u8]) -> Option<Group<'_>> {
    let number = |digits: &[u8]| -> Option<u32> { str::from_utf8(digits).ok()?.parse().ok() };
    let digits = |text: &[u8]| text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let until = |text: &[u8], end: u8| text.iter().position(|&byte| byte == end);
    match text {
        [b'\\', b'1'..=b'9', ..] => number(&text[1..1 + digits(&text[1..])]).map(Group::Number),
        [b'\\', b'g', b'{', rest @ ..] => {
            let name = &rest[..until(rest, b'}')?];
            match name {
                [b'-', before @ ..] => number(before).map(Group::Before),
                [b'0'..=b'9', ..] => number(name).map(Group::Number),
                _ => Some(Group::Name(name)),
            }
        }
        [b'\\', b'g', b'-', rest @ ..] => number(&rest[..digits(rest)]).map(Group::Before),
        [b'\\', b'g', rest @ ..] => number(&rest[..digits(rest)]).map(Group::Number),
        [b'\\', b'k', open, rest @ ..] => {
            let end = match open {
                b'<' => b'>',
                b'{' => b'}',
                b'\'' => b'\'',
                _ => return None,
            };
            Some(Group::Name(&rest[..until(rest, end)?]))
        }
        [b'(', b'?', b'P', b'=', rest @ ..] => Some(Group::Name(&rest[..until(rest, b')')?])),
        _ => None,
    }
}

/// Whether there may be braces that only PCRE2 takes for a repetition.
pub(crate) fn has_foreign_braces(source: &[u8]) -> bool {
    (0..source.len()).any(|at| source[at] == b'{' && repeats_for_pcre2_only(&source[at..]))
}

/// Whether what begins with a brace is a repetition for PCRE2 but not for PCRE 8: without a first number, or with
/// blanks.
fn repeats_for_pcre2_only(rest: &[u8]) -> bool {
    let Some(end) = rest.iter().position(|&byte| byte == b'}') else {
        return false;
    };
    let inside = &rest[1..end];
    let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t');
    let is_number = |part: &[u8]| !part.is_empty() && part.iter().all(u8::is_ascii_digit);
    let trimmed = |part: &[u8]| {
        let blanks = |byte: &&u8| is_blank(byte);
        let start = part.iter().take_while(blanks).count();
        let end = part.len() - part[start..].iter().rev().take_while(blanks).count();
        part[start..end].to_vec()
    };
    let parts: Vec<Vec<u8>> = inside
        .splitn(2, |&byte| byte == b',')
        .map(trimmed)
        .collect();
    let repeats = match &parts[..] {
        [exactly] => is_number(exactly),
        [min, max] => {
            (is_number(min) || min.is_empty() && is_number(max))
                && (is_number(max) || max.is_empty())
        }
        _ => false,
    };
    repeats && (inside.starts_with(b",") || inside.iter().any(is_blank))
}

struct Writer<'a> {
    source: &'a [u8],
    at: usize,
    out: Vec<u8>,
    groups: Groups<'a>,
    /// Whether case may not matter somewhere.
    caseless: bool,
    places: Vec<(usize, usize)>,
    unknown: Option<(c_int, usize)>,
    refers_to_itself: bool,
}

/// The groups that have begun before the writer's position.
struct Groups<'a> {
    /// The highest number of these groups.
    so_far: u32,
    /// Whether only groups with names have numbers.
    names_only: bool,
    /// The open parentheses.
    open: Vec<Open<'a>>,
}

/// An open parenthesis.
#[derive(Default)]
struct Open<'a> {
    /// For `(?|` the number before it, and the highest number in its alternatives.
    alternatives: Option<(u32, u32)>,
    /// For a group with a number that; and its name, if it has one.
    number: Option<u32>,
    name: Option<&'a [u8]>,
    /// Where what is in it begins in the text that is written, and in the pattern.
    body: (usize, usize),
    refers_to_itself: bool,
}

impl<'a> Groups<'a> {
    /// Counts the group that the text begins with, at a parenthesis; returns how many bytes to copy.
    fn begin(&mut self, text: &'a [u8]) -> usize {
        let name_at = match text {
            [b'(', b'?', b'<', next, ..] if !matches!(next, b'=' | b'!') => Some((3, b'>')),
            [b'(', b'?', b'\'', ..] => Some((3, b'\'')),
            [b'(', b'?', b'P', b'<', ..] => Some((4, b'>')),
            _ => None,
        };
        let is_plain = text.get(1) != Some(&b'?');
        let mut open = Open::default();
        if name_at.is_some() || is_plain && !self.names_only {
            self.so_far += 1;
            open.number = Some(self.so_far);
        }
        if text.starts_with(b"(?(") {
            // A condition is not a group; an assertion in its place is read next.
            self.open.push(open);
            if text.get(3) == Some(&b'?') {
                return 2;
            }
            self.open.push(Open::default());
            return 3;
        }
        let has_alternatives = text.starts_with(b"(?|");
        open.alternatives = has_alternatives.then_some((self.so_far, self.so_far));
        let name = name_at.and_then(|(at, end)| {
            let length = text[at..].iter().position(|&byte| byte == end)?;
            Some(at..at + length)
        });
        open.name = name.clone().map(|name| &text[name]);
        self.open.push(open);
        match name {
            Some(name) => name.end + 1,
            None if has_alternatives => 3,
            None => 1,
        }
    }

    /// Notes a reference to a group, if it is open.
    fn refer(&mut self, to: Group<'_>) {
        let number = match to {
            Group::Number(number) => Some(number),
            Group::Before(count) => (self.so_far + 1).checked_sub(count),
            Group::Name(_) => None,
        };
        let is_meant = |open: &&mut Open<'a>| match to {
            Group::Name(name) => open.name == Some(name),
            _ => number.is_some() && open.number == number,
        };
        if let Some(open) = self.open.iter_mut().find(is_meant) {
            open.refers_to_itself = true;
        }
    }

    /// All alternatives of `(?|` count from the same number.
    fn alternative(&mut self) {
        let open = self.open.last_mut();
        if let Some((before, highest)) = open.and_then(|open| open.alternatives.as_mut()) {
            *highest = self.so_far.max(*highest);
            self.so_far = *before;
        }
    }

    /// Returns where the group began that ends here, if it refers to itself.
    fn end(&mut self) -> Option<(usize, usize)> {
        let open = self.open.pop()?;
        if let Some((_, highest)) = open.alternatives {
            self.so_far = self.so_far.max(highest);
        }
        open.refers_to_itself.then_some(open.body)
    }
}

impl Writer<'_> {
    fn rest(&self) -> &[u8] {
        &self.source[self.at..]
    }

    fn copy(&mut self, count: usize) {
        let end = self.source.len().min(self.at + count);
        self.out.extend_from_slice(&self.source[self.at..end]);
        self.at = end;
    }

    /// Makes what was written since a place atomic, of which the place in the pattern is given, too.
    fn make_atomic(&mut self, (from, original): (usize, usize)) {
        const BEGIN: &[u8] = b"(?>";
        self.refers_to_itself = true;
        drop(self.out.splice(from..from, BEGIN.iter().copied()));
        let first = self.places.partition_point(|place| place.0 < from);
        for place in &mut self.places[first..] {
            place.0 += BEGIN.len();
        }
        self.places.insert(first, (from + BEGIN.len(), original));
        self.out.push(b')');
        self.mark();
    }

    /// Copies up to and including the next `end`, or everything.
    fn copy_through(&mut self, end: &[u8]) {
        let found = self.rest().windows(end.len()).position(|part| part == end);
        self.copy(found.map_or(self.source.len(), |found| found + end.len()));
    }

    /// Writes `\8` or `\9` as a digit if it is not the number of a group that has begun; otherwise returns false.
    fn digit(&mut self) -> bool {
        let digits = self.rest()[1..].iter();
        let digits = digits.take_while(|byte| byte.is_ascii_digit()).count();
        let number = &self.rest()[1..1 + digits];
        let Some(first @ (b'8' | b'9')) = number.first().copied() else {
            return false;
        };
        let value = std::str::from_utf8(number).map(str::parse::<i32>);
        // A number that is too large is an error for both.
        let Ok(Ok(value)) = value else { return false };
        if u32::try_from(value).is_ok_and(|value| value <= self.groups.so_far) {
            return false;
        }
        // Not the digit itself, which could continue what comes before it.
        self.out
            .extend_from_slice(if first == b'8' { b"\\x38" } else { b"\\x39" });
        self.at += 2;
        true
    }

    /// Copies an escape that means the same inside and outside of a class; returns the letter after the backslash.
    fn escape(&mut self) -> Option<u8> {
        let letter = self.rest().get(1).copied();
        let next = self.rest().get(2).copied();
        match letter {
            Some(b'Q') => self.copy_through(b"\\E"),
            Some(b'x') if !next.is_some_and(|byte| byte == b'{' || byte.is_ascii_hexdigit()) => {
                self.out.extend_from_slice(b"\\x00");
                self.at += 2;
            }
            Some(b'p' | b'P') => self.property(),
            // A character by its number, which PCRE 8 does not know.
            Some(b'N') if self.rest().starts_with(CODE_POINT) => {
                self.is_unknown(NO_SUCH_ESCAPE, 1);
                self.copy(CODE_POINT.len());
            }
            // The braces belong to the escape.
            Some(b'x' | b'o' | b'g' | b'k' | b'N' | b'u') if next == Some(b'{') => {
                self.copy_through(b"}");
            }
            Some(b'c') if next.is_some_and(|byte| byte.is_ascii_control()) => {
                // The character that it stands for differs by one bit.
                let meant = next.unwrap_or_default() ^ 0x40;
                self.out
                    .extend_from_slice(format!("\\x{meant:02x}").as_bytes());
                self.at += 3;
            }
            Some(b'c') => self.copy(3),
            // Not an escape in PCRE 8.
            Some(b'F') => {
                self.at += 1;
                self.copy(1);
            }
            _ => self.copy(2),
        }
        letter
    }

    /// Copies `\p` or `\P` with its property. A script is named in the way that means only its own characters.
    fn property(&mut self) {
        let rest = self.rest();
        if rest.get(2) != Some(&b'{') {
            if rest.get(2).is_some_and(|byte| !is_category(&[*byte])) {
                self.is_unknown(UNKNOWN_PROPERTY, 2);
            }
            return self.copy(3);
        }
        let name_at = if rest.get(3) == Some(&b'^') { 4 } else { 3 };
        let name = &rest[name_at..];
        match name.iter().position(|&byte| byte == b'}') {
            Some(length) if length < LONGEST_NAME => {
                if is_script(&name[..length]) {
                    let (begin, name) = (&rest[..name_at], &name[..length]);
                    self.out.extend_from_slice(&[begin, b"sc:", name].concat());
                    self.at += name_at + length;
                    self.mark();
                } else if !is_category(&name[..length]) {
                    self.is_unknown(UNKNOWN_PROPERTY, name_at + length);
                }
            }
            _ if name.len() >= LONGEST_NAME => {
                self.is_unknown(MALFORMED_PROPERTY, name_at - 1 + LONGEST_NAME);
            }
            _ => {}
        }
        self.copy_through(b"}");
    }

    fn is_unknown(&mut self, error: c_int, offset: usize) {
        let at = self.at + offset;
        self.unknown.get_or_insert((error, at));
    }

    /// From here on, what is written is what is read.
    fn mark(&mut self) {
        self.places.push((self.out.len(), self.at));
    }

    /// Writes a property of letters of one case, which PCRE2 takes for all cases if case does not matter, with what
    /// says how often it occurs; otherwise returns false.
    fn cased_property(&mut self) -> bool {
        let length = cased_length(self.rest());
        if !self.caseless || length == 0 {
            return false;
        }
        self.out.extend_from_slice(b"(?-i:");
        self.copy(length);
        self.copy(repetition_length(self.rest()));
        self.out.push(b')');
        self.mark();
        true
    }

    fn class(&mut self) {
        let start = self.out.len();
        self.copy(1);
        if self.rest().starts_with(b"^") {
            self.copy(1);
        }
        if self.rest().starts_with(b"]") {
            self.copy(1);
        }
        // Whether the last item that was read stands for several characters.
        let mut several = false;
        // Where the properties of letters of one case were written, and whether case may matter to anything else.
        let mut properties = Vec::new();
        let mut has_case = false;
        while let Some(&byte) = self.rest().first() {
            match byte {
                b']' => {
                    self.copy(1);
                    break;
                }
                b'\\' if is_letter_in_class(self.rest().get(1)) => {
                    self.at += 1;
                    self.copy(1);
                    several = false;
                    has_case = true;
                }
                b'\\' if self.caseless && cased_length(self.rest()) != 0 => {
                    let from = self.out.len() - start;
                    self.copy(cased_length(self.rest()));
                    properties.push(from..self.out.len() - start);
                    several = true;
                }
                b'\\' => match self.escape() {
                    Some(b'E') => {}
                    letter => {
                        several = letter.is_some_and(|letter| b"dDwWsShHvVpP".contains(&letter));
                        has_case |= !several;
                    }
                },
                b'[' if self.rest().starts_with(b"[:") && is_named(self.rest()) => {
                    let rest = self.rest();
                    has_case |= rest.starts_with(b"[:upper") || rest.starts_with(b"[:lower");
                    has_case |= rest.starts_with(b"[:^");
                    self.copy_through(b":]");
                    several = true;
                }
                b'-' if several && self.rest().get(1) != Some(&b']') => {
                    self.out.push(b'\\');
                    self.copy(1);
                    several = false;
                }
                _ => {
                    self.copy(1);
                    several = false;
                    has_case |= byte == b'-' || byte.is_ascii_alphabetic() || !byte.is_ascii();
                }
            }
        }
        if !properties.is_empty() {
            self.cased_class(start, &properties, has_case);
        }
    }

    /// Rewrites the class that begins at `start` so that its `properties` keep their case. If nothing else in it has a
    /// case, none of it needs to be without; otherwise it becomes two classes.
    fn cased_class(&mut self, start: usize, properties: &[Range<usize>], has_case: bool) {
        let mut class = self.out.split_off(start);
        if !has_case {
            self.out.extend_from_slice(b"(?-i:");
            self.out.append(&mut class);
            self.copy(repetition_length(self.rest()));
            self.out.push(b')');
            return self.mark();
        }
        let mut apart = Vec::new();
        for range in properties.iter().rev() {
            // What takes the place matches nothing.
            let property = class.splice(range.clone(), br"\P{Any}".iter().copied());
            apart.extend(property);
        }
        let (begin, end): (&[u8], &[u8]) = match class.starts_with(b"[^") {
            true => (b"(?:(?!(?-i:[", b"]))"),
            false => (b"(?:(?-i:[", b"])|"),
        };
        self.out
            .extend_from_slice(&[begin, &apart, end, &class, b")"].concat());
        self.mark();
    }
}

/// The length of the property of letters of one case that the text begins with; 0 if it begins with something else.
fn cased_length(text: &[u8]) -> usize {
    let (b"\\p{" | b"\\P{", name) = text.split_at(text.len().min(3)) else {
        return 0;
    };
    let caret = usize::from(name.starts_with(b"^"));
    match name[caret..] {
        [b'L', b'u' | b'l' | b't', b'}', ..] => 3 + caret + 3,
        _ => 0,
    }
}

/// The length of what the text begins with that says how often the item before it occurs.
fn repetition_length(text: &[u8]) -> usize {
    let length = match text.first() {
        Some(b'*' | b'+' | b'?') => 1,
        Some(b'{') => {
            let Some(end) = text.iter().position(|&byte| byte == b'}') else {
                return 0;
            };
            let is_number = |part: &[u8]| part.iter().all(u8::is_ascii_digit);
            let mut parts = text[1..end].splitn(2, |&byte| byte == b',');
            let first = parts.next().unwrap_or_default();
            if first.is_empty() || !is_number(first) || !is_number(parts.next().unwrap_or_default())
            {
                return 0;
            }
            end + 1
        }
        _ => return 0,
    };
    length + usize::from(matches!(text.get(length), Some(b'?' | b'+')))
}

/// Whether this letter, escaped in a class, stands for itself.
fn is_letter_in_class(letter: Option<&u8>) -> bool {
    letter.is_some_and(|letter| b"ABCFGKRXZz".contains(letter))
}

/// Whether `[:` begins a name such as `[:alpha:]`.
fn is_named(rest: &[u8]) -> bool {
    let name = rest[2..].iter();
    let letters = name.take_while(|byte| byte.is_ascii_alphabetic() || **byte == b'^');
    rest[2 + letters.count()..].starts_with(b":]")
}
