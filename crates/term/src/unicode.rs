//! Characters in lists, binaries, and lists of both: the core of `unicode:characters_to_binary/2` and
//! `characters_to_list/2`.
//!
//! [`convert`] turns character data into UTF-8 up to the first fault or until its budget is used up. The rest is
//! character data again, so a BIF may keep it on the heap and continue later. After a fault the rest has the same shape
//! as in OTP, because programs see it. Nothing here collects; only the thread that owns the heap may call.

pub mod filename;

use std::borrow::Cow;

use layout::object::Bits;
use layout::{NoGc, Term, no_gc};

use crate::bits::range;
use crate::heap::Allocate;
use crate::integer::uint32;
use crate::{am, build};

/// The encoding of binaries, and which integers are characters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Encoding {
    /// Bytes are characters, and so are integers up to 255.
    Latin1,
    /// Binaries are UTF-8; integers that are Unicode scalar values are characters.
    Utf8,
}

impl Encoding {
    /// The last integer that is a character.
    fn last(self) -> char {
        match self {
            Encoding::Latin1 => '\u{ff}',
            Encoding::Utf8 => char::MAX,
        }
    }

    /// `latin1`, `utf8` or `unicode`; `unicode.erl` implements the other encodings itself.
    #[must_use]
    pub fn from_atom(atom: Term) -> Option<Encoding> {
        match atom {
            am::LATIN1 => Some(Encoding::Latin1),
            am::UTF8 | am::UNICODE => Some(Encoding::Utf8),
            _ => None,
        }
    }
}

/// `badarg`: the data contains something other than characters, binaries and lists.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NotCharacters;

/// How far a conversion got.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub enum Conversion {
    Done,
    /// The budget is used up; this is left.
    More(Term),
    /// The rest begins with something that is not a character.
    Error(Term),
    /// The data ends within a character; these are its first bytes.
    Incomplete(Term),
}

/// The bytes of a binary: borrowed, or copied if it does not start at a byte boundary. `None` if it is not a binary.
#[inline]
#[must_use]
pub fn bytes_of(binary: Term, no_gc: &NoGc) -> Option<Cow<'_, [u8]>> {
    if !binary.is_bitstring() {
        return None;
    }
    let bits = binary.as_bits()?;
    if let Some(bytes) = bits.as_bytes(no_gc) {
        return Some(Cow::Borrowed(bytes));
    }
    if bits.bit_len() % 8 != 0 {
        return None;
    }
    Some(Cow::Owned(aligned(bits)))
}

/// A character given as an integer.
#[must_use]
#[inline]
pub fn character(term: Term) -> Option<char> {
    char::from_u32(uint32(term)?)
}

fn aligned(bits: Bits) -> Vec<u8> {
    let mut bytes = vec![0; (bits.bit_len() / 8) as usize];
    let count = bytes.len() as u64 * 8;
    // SAFETY: the source is a live bit string, the target has as many bytes.
    unsafe {
        range::copy(
            bits.bytes(),
            bits.bit_offset().into(),
            bytes.as_mut_ptr(),
            0,
            count,
        )
    };
    bytes
}

/// `unicode:bin_is_7bit/1`.
#[must_use]
pub fn is_7bit(term: Term) -> bool {
    bytes_of(term, no_gc!()).is_some_and(|bytes| bytes.is_ascii())
}

/// Whether a binary is UTF-8.
#[must_use]
pub fn is_utf8(binary: Term) -> bool {
    bytes_of(binary, no_gc!()).is_some_and(|bytes| std::str::from_utf8(&bytes).is_ok())
}

/// The length of data that is a plain list of at most `most` characters, and so its own list of characters.
#[must_use]
pub fn plain_list_length(data: Term, encoding: Encoding, most: usize) -> Option<usize> {
    let last = encoding.last();
    let (mut rest, mut length) = (data, 0);
    while let Some((head, tail)) = rest.as_cons()
        && length < most
        && character(head).is_some_and(|character| character <= last)
    {
        length += 1;
        rest = tail;
    }
    rest.is_nil().then_some(length)
}

/// Appends the UTF-8 of the characters at the start of a list to `out`, up to anything else or until the budget is used
/// up. Returns the rest of the list.
pub fn leading_characters(
    data: Term,
    encoding: Encoding,
    budget: &mut usize,
    out: &mut Vec<u8>,
) -> Term {
    let last = encoding.last();
    let mut room = [0; 256];
    let mut used = 0;
    let mut rest = data;
    while *budget > 0
        && let Some((head, tail)) = rest.as_cons()
        && let Some(character) = character(head)
        && character <= last
    {
        if used > room.len() - char::MAX_LEN_UTF8 {
            out.extend_from_slice(&room[..used]);
            used = 0;
        }
        used += character.encode_utf8(&mut room[used..]).len();
        *budget -= 1;
        rest = tail;
    }
    out.extend_from_slice(&room[..used]);
    rest
}

/// Checks that the data is made of the right kinds of terms. As in OTP, the check ends at the first big integer, where
/// the conversion will stop.
///
/// # Errors
/// [`NotCharacters`].
pub fn check(data: Term) -> Result<(), NotCharacters> {
    let is_whole = |term: Term| term.is_binary();
    let mut pending = Vec::new();
    let mut current = data;
    loop {
        while let Some((head, tail)) = current.as_cons() {
            current = tail;
            if head.is_cons() {
                pending.push(tail);
                current = head;
            } else if head.big_sign().is_some() {
                return Ok(());
            } else if !head.is_small() && !head.is_nil() && !is_whole(head) {
                return Err(NotCharacters);
            }
        }
        if !current.is_nil() && !is_whole(current) {
            return Err(NotCharacters);
        }
        match pending.pop() {
            Some(tail) => current = tail,
            None => return Ok(()),
        }
    }
}

/// First bytes of a character whose other bytes should be in the next binary.
#[derive(Default)]
struct Leftover {
    bytes: [u8; 4],
    length: usize,
}

/// The length of a character according to its first byte; `None` if no character starts with this byte.
fn length_of(first: u8) -> Option<usize> {
    match first {
        0..0x80 => Some(1),
        0xc0..0xe0 => Some(2),
        0xe0..0xf0 => Some(3),
        0xf0..0xf8 => Some(4),
        _ => None,
    }
}

impl Leftover {
    fn get(&self) -> &[u8] {
        &self.bytes[..self.length]
    }

    /// Number of bytes missing to complete the character; 0 if there is none.
    fn missing(&self) -> usize {
        match self.get() {
            [] => 0,
            [first, ..] => length_of(*first).expect("only such bytes are kept") - self.length,
        }
    }

    fn push(&mut self, bytes: &[u8]) {
        self.bytes[self.length..self.length + bytes.len()].copy_from_slice(bytes);
        self.length += bytes.len();
    }

    /// Appends UTF-8 to `out`; completes a character left from the last binary, and keeps one that is cut off at the
    /// end.
    ///
    /// # Errors
    /// The position of the fault in `bytes`.
    fn copy(&mut self, out: &mut Vec<u8>, mut bytes: &[u8]) -> Result<(), usize> {
        let mut start = 0;
        if self.length > 0 {
            let missing = self.missing();
            let whole = self.length + missing;
            if bytes.len() < missing {
                self.push(bytes);
                return Ok(());
            }
            let mut character = self.bytes;
            character[self.length..whole].copy_from_slice(&bytes[..missing]);
            if std::str::from_utf8(&character[..whole]).is_err() {
                return Err(0);
            }
            out.extend_from_slice(&character[..whole]);
            self.length = 0;
            (start, bytes) = (missing, &bytes[missing..]);
        }
        let Err(error) = std::str::from_utf8(bytes) else {
            out.extend_from_slice(bytes);
            return Ok(());
        };
        let (good, bad) = bytes.split_at(error.valid_up_to());
        out.extend_from_slice(good);
        match length_of(bad[0]) {
            Some(length) if bad.len() < length => {
                self.push(bad);
                Ok(())
            }
            _ => Err(start + good.len()),
        }
    }
}

/// Whether bytes that end too early could be continued to a character, as far as OTP checks.
fn may_go_on(bytes: &[u8]) -> bool {
    let continues = bytes[1..].iter().all(|byte| byte & 0xc0 == 0x80);
    match length_of(bytes[0]) {
        Some(2) => true,
        Some(length @ (3 | 4)) => bytes.len() < length && continues,
        _ => false,
    }
}

/// Converts up to about `budget` characters, appending their UTF-8 to `out`. The data must have passed [`check`].
pub fn convert<A: Allocate + ?Sized>(
    heap: &mut A,
    data: Term,
    encoding: Encoding,
    budget: usize,
    out: &mut Vec<u8>,
) -> Conversion {
    let mut run = Run {
        encoding,
        budget,
        out,
        leftover: Leftover::default(),
        pending: Vec::new(),
    };
    let (stop, rest) = run.all(heap, data);
    let leftover = run.leftover;
    let kept = (leftover.length > 0).then(|| build::binary(heap, leftover.get()));
    match (stop, kept) {
        (Stop::Fault, None) => Conversion::Error(rest),
        (Stop::Fault, Some(kept)) => Conversion::Error(build::list(heap, &[kept, rest])),
        (Stop::Budget, None) => Conversion::More(rest),
        (Stop::Budget, Some(kept)) => Conversion::More(build::cons(heap, kept, rest)),
        (Stop::End, None) => Conversion::Done,
        (Stop::End, Some(kept)) if may_go_on(leftover.get()) => Conversion::Incomplete(kept),
        (Stop::End, Some(kept)) => Conversion::Error(kept),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stop {
    End,
    Budget,
    Fault,
}

struct Run<'a> {
    encoding: Encoding,
    budget: usize,
    out: &'a mut Vec<u8>,
    leftover: Leftover,
    /// Tails to return to, the nearest last; empty ones too, because they appear in the rest.
    pending: Vec<Term>,
}

impl Run<'_> {
    /// Returns why it stopped, and what is left.
    fn all<A: Allocate + ?Sized>(&mut self, heap: &mut A, data: Term) -> (Stop, Term) {
        let (stop, mut rest) = self.walk(heap, data);
        if stop != Stop::End {
            while let Some(tail) = self.pending.pop() {
                rest = build::cons(heap, rest, tail);
            }
        }
        (stop, rest)
    }

    fn walk<A: Allocate + ?Sized>(&mut self, heap: &mut A, data: Term) -> (Stop, Term) {
        let mut current = data;
        loop {
            loop {
                if self.leftover.length == 0 {
                    current =
                        leading_characters(current, self.encoding, &mut self.budget, self.out);
                }
                let Some((head, tail)) = current.as_cons() else {
                    break;
                };
                if self.is_spent() {
                    return (Stop::Budget, current);
                }
                if head.is_cons() {
                    self.pending.push(tail);
                    current = head;
                    continue;
                }
                if head.is_bitstring() {
                    if let Some((stop, rest)) = self.binary(heap, head) {
                        return (stop, build::cons(heap, rest, tail));
                    }
                } else if !head.is_nil() {
                    // No character, or one within the bytes of another.
                    return (Stop::Fault, current);
                }
                current = tail;
            }
            if current.is_bitstring() {
                if self.is_spent() {
                    return (Stop::Budget, current);
                }
                if let Some(stopped) = self.binary(heap, current) {
                    return stopped;
                }
            } else if !current.is_nil() {
                return (Stop::Fault, current);
            }
            match self.pending.pop() {
                Some(tail) => current = tail,
                None => return (Stop::End, Term::NIL),
            }
        }
    }

    /// Whether to stop. Not within a character: the rest would begin with its first bytes again, so there would be no
    /// progress.
    fn is_spent(&self) -> bool {
        self.budget == 0 && self.leftover.length == 0
    }

    /// Converts a binary. If it stops within it, returns why, and the part that is left.
    fn binary<A: Allocate + ?Sized>(&mut self, heap: &mut A, binary: Term) -> Option<(Stop, Term)> {
        let no_gc = no_gc!();
        let Some(bytes) = bytes_of(binary, no_gc) else {
            return Some((Stop::Fault, binary));
        };
        let mut taken = bytes.len().min(self.budget.max(self.leftover.missing()));
        if self.encoding == Encoding::Utf8 {
            // Stop at the boundary of a character, so that a fault there returns the whole rest.
            while taken < bytes.len() && bytes[taken] & 0xc0 == 0x80 {
                taken += 1;
            }
        }
        let mut part_from = |start: usize| {
            let left = (bytes.len() - start) as u64 * 8;
            build::sub_bits(heap, binary, start as u64 * 8, left)
        };
        match self.encoding {
            Encoding::Utf8 => {
                if let Err(at) = self.leftover.copy(self.out, &bytes[..taken]) {
                    return Some((Stop::Fault, part_from(at)));
                }
            }
            Encoding::Latin1 => latin1_to_utf8(self.out, &bytes[..taken]),
        }
        self.budget = self.budget.saturating_sub(taken);
        (taken < bytes.len()).then(|| (Stop::Budget, part_from(taken)))
    }
}

fn latin1_to_utf8(out: &mut Vec<u8>, bytes: &[u8]) {
    if bytes.is_ascii() {
        out.extend_from_slice(bytes);
        return;
    }
    for &byte in bytes {
        if byte < 0x80 {
            out.push(byte);
        } else {
            out.extend_from_slice(&[0xc0 | byte >> 6, 0x80 | byte & 0x3f]);
        }
    }
}

/// `characters_to_binary/2` at once.
///
/// # Errors
/// [`NotCharacters`].
pub fn to_binary<A: Allocate + ?Sized>(
    heap: &mut A,
    data: Term,
    encoding: Encoding,
) -> Result<Term, NotCharacters> {
    let data = match data.as_cons() {
        Some((only, Term::NIL)) if only.is_bitstring() => only,
        _ => data,
    };
    check(data)?;
    if needs_no_conversion(data, encoding) {
        return Ok(data);
    }
    let mut out = Vec::new();
    let conversion = convert(heap, data, encoding, usize::MAX, &mut out);
    let converted = build::binary(heap, &out);
    Ok(finish(heap, converted, conversion))
}

/// Whether data is a binary that is already its own UTF-8.
#[must_use]
pub fn needs_no_conversion(data: Term, encoding: Encoding) -> bool {
    match encoding {
        Encoding::Latin1 => is_7bit(data),
        Encoding::Utf8 => is_utf8(data),
    }
}

/// The list of the characters of a binary of at most `most` bytes that is UTF-8, and the number of its bytes.
pub fn list_of_utf8<A: Allocate + ?Sized>(
    heap: &mut A,
    data: Term,
    most: usize,
) -> Option<(Term, usize)> {
    let no_gc = no_gc!();
    let bytes = bytes_of(data, no_gc).filter(|bytes| bytes.len() <= most)?;
    let text = std::str::from_utf8(&bytes).ok()?;
    Some((build::string(heap, text), bytes.len()))
}

/// `characters_to_list/2` at once.
///
/// # Errors
/// [`NotCharacters`].
pub fn to_list<A: Allocate + ?Sized>(
    heap: &mut A,
    data: Term,
    encoding: Encoding,
) -> Result<Term, NotCharacters> {
    check(data)?;
    if encoding == Encoding::Utf8
        && let Some((list, _)) = list_of_utf8(heap, data, usize::MAX)
    {
        return Ok(list);
    }
    let mut out = Vec::new();
    let conversion = convert(heap, data, encoding, usize::MAX, &mut out);
    let text = std::str::from_utf8(&out).expect("what was converted is UTF-8");
    let converted = build::string(heap, text);
    Ok(match conversion {
        // For a plain binary OTP returns the part that is left, not the bytes of the split character; the two are
        // equal.
        Conversion::Incomplete(rest) => outcome(heap, am::INCOMPLETE, converted, rest),
        other => finish(heap, converted, other),
    })
}

/// The result of the BIFs for a conversion that has ended.
///
/// # Panics
/// When it has not ended.
pub fn finish<A: Allocate + ?Sized>(heap: &mut A, converted: Term, conversion: Conversion) -> Term {
    match conversion {
        Conversion::Done => converted,
        Conversion::Error(rest) => outcome(heap, am::ERROR, converted, rest),
        Conversion::Incomplete(rest) => outcome(heap, am::INCOMPLETE, converted, rest),
        Conversion::More(_) => panic!("the conversion has more to do"),
    }
}

fn outcome<A: Allocate + ?Sized>(heap: &mut A, kind: Term, converted: Term, rest: Term) -> Term {
    build::tuple(heap, &[kind, converted, rest])
}

#[cfg(test)]
mod tests;
