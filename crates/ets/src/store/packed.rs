//! The packed form of terms, for compressed tables: the words of a block of terms as a sequence of short tokens.
//!
//! A block is what `term::copy` makes: a sequence of words in which every pointer leads to a word of the same
//! sequence. It is processed from its first word to its last, so neither packing nor unpacking recurses, and a
//! pointer is stored as a distance, which is usually short. A token is a byte, `value << 3 | tag`, and more bytes if
//! the value needs them:
//!
//! | tag | value |
//! |---|---|
//! | SMALL | a small integer, with its sign in the lowest bit |
//! | ATOM | the atom's index |
//! | HEADER | a header without its tag; its raw words follow, 8 bytes each |
//! | CELL, BOXED | how many words ahead that object is |
//! | TEXT | the number of list cells that each hold a byte and a pointer to the cell right after; the bytes follow |
//! | OTHER | an immediate; its 8 bytes follow |
//! | ISLAND | 0: the next of the objects that are kept unpacked: they hold a reference to something outside the block |
//!
//! Only this file makes tokens, so the code that reads them does not validate their meaning.

use std::ops::Range;

use layout::{Header, Term};
use term::off_heap;

const SMALL: u8 = 0;
const ATOM: u8 = 1;
const HEADER: u8 = 2;
const CELL: u8 = 3;
const BOXED: u8 = 4;
const TEXT: u8 = 5;
const OTHER: u8 = 6;
const ISLAND: u8 = 7;

/// Number of bits of a header or a pointer that are its tag.
const TAG_BITS: u32 = 2;
/// In the five bits of a token's first byte: more bytes follow.
const MORE: u64 = 31;

/// Words in packed form.
pub(crate) struct Packed {
    pub(crate) bytes: Vec<u8>,
    /// The places of the objects that are kept unpacked, in the order in which the tokens refer to them.
    pub(crate) islands: Vec<Range<usize>>,
}

/// Whether an object holds a reference to something outside its block.
#[inline]
pub(crate) fn is_counting(header: Header) -> bool {
    header.is_off_heap()
}

impl Packed {
    /// Packs a sequence of words; returns `None` if a pointer does not lead forward within it, as those of copies do.
    ///
    /// # Safety
    /// The words are the end of a block of terms, and every pointer leads to an object among them.
    pub(crate) unsafe fn of(words: &[u64]) -> Option<Packed> {
        let mut packed = Packed {
            // A few bytes for most words.
            bytes: Vec::with_capacity(4 * words.len()),
            islands: Vec::new(),
        };
        let mut at = 0;
        while at < words.len() {
            let word = words[at];
            if Header::is_header(word) {
                let header = Header(word);
                let plain = header.raw_words();
                if is_counting(header) {
                    packed.token(ISLAND, 0);
                    packed.islands.push(at..at + 1 + plain);
                } else {
                    packed.token(HEADER, word >> TAG_BITS);
                    for word in &words[at + 1..at + 1 + plain] {
                        packed.bytes.extend_from_slice(&word.to_le_bytes());
                    }
                }
                at += 1 + plain;
                continue;
            }
            let cells = text_cells(words, at);
            if cells > 0 {
                packed.token(TEXT, cells as u64);
                let heads = words[at..].iter().step_by(2).take(cells);
                // SAFETY: `text_cells` found that these words are small integers.
                let bytes = heads.map(|head| unsafe { Term::from_bits(*head) }.small_value() as u8);
                packed.bytes.extend(bytes);
                at += 2 * cells;
                continue;
            }
            // SAFETY: not a header, so it is a term.
            let term = unsafe { Term::from_bits(word) };
            if let Some(value) = term.as_small() {
                packed.token(SMALL, (value << 1 ^ value >> 63) as u64);
            } else if let Some(index) = term.as_atom() {
                packed.token(ATOM, u64::from(index));
            } else if term.is_immediate() {
                packed.token(OTHER, 0);
                packed.bytes.extend_from_slice(&word.to_le_bytes());
            } else {
                let tag = if term.is_cons() { CELL } else { BOXED };
                let target = word & !((1 << TAG_BITS) - 1);
                let here = &raw const words[at] as u64;
                let ahead = target.checked_sub(here)? / 8;
                if at as u64 + ahead >= words.len() as u64 {
                    return None;
                }
                packed.token(tag, ahead);
            }
            at += 1;
        }
        Some(packed)
    }

    #[inline]
    fn token(&mut self, tag: u8, value: u64) {
        if value < MORE {
            self.bytes.push((value as u8) << 3 | tag);
        } else {
            self.long_token(tag, value);
        }
    }

    fn long_token(&mut self, tag: u8, value: u64) {
        self.bytes.push((MORE as u8) << 3 | tag);
        let mut rest = value - MORE;
        while rest >= 0x80 {
            self.bytes.push(rest as u8 | 0x80);
            rest >>= 7;
        }
        self.bytes.push(rest as u8);
    }
}

/// The number of list cells, from `at` on, that each hold a byte and a pointer to the cell right after.
fn text_cells(words: &[u64], at: usize) -> usize {
    let is_text = |pair: &[u64]| {
        // SAFETY: read as a term only to look at its tag.
        let head = unsafe { Term::from_bits(pair[0]) };
        let next = pair.as_ptr_range().end;
        // SAFETY: only compared.
        let tail = unsafe { Term::from_cons_pointer(next.cast()) };
        head.as_small().is_some_and(|byte| (0..256).contains(&byte)) && pair[1] == tail.bits()
    };
    words[at..]
        .chunks_exact(2)
        .take_while(|pair| is_text(pair))
        .count()
}

/// The memory that unpacking writes to.
pub(crate) struct Target<'a> {
    /// Where each of the first words goes.
    pub(crate) first: &'a [*mut u64],
    /// Where all other words go, contiguously.
    pub(crate) rest: *mut u64,
    /// The number of those other words.
    pub(crate) rest_words: usize,
}

struct Tokens<'a> {
    bytes: &'a [u8],
}

impl Tokens<'_> {
    #[inline]
    fn byte(&mut self) -> u8 {
        let (first, rest) = self.bytes.split_first().expect("a token");
        self.bytes = rest;
        *first
    }

    #[inline]
    fn next(&mut self) -> (u8, u64) {
        let byte = self.byte();
        let (tag, value) = (byte & 7, u64::from(byte >> 3));
        if value < MORE {
            return (tag, value);
        }
        let mut value = 0;
        let mut shift = 0;
        loop {
            let byte = self.byte();
            value |= u64::from(byte & 0x7f) << shift;
            shift += 7;
            if byte < 0x80 {
                return (tag, value + MORE);
            }
        }
    }

    #[inline]
    fn word(&mut self) -> u64 {
        let (word, rest) = self.bytes.split_first_chunk().expect("a word");
        self.bytes = rest;
        u64::from_le_bytes(*word)
    }
}

/// Unpacks words. Calls `counted` with each object that holds a reference to something outside, once its words are in
/// place.
///
/// # Safety
/// `bytes` begins with the tokens that [`Packed::of`] made from as many words as the target has; `islands` are the
/// words of its islands, one object after the other; the target's memory is fresh.
pub(crate) unsafe fn unpack(
    bytes: &[u8],
    mut islands: &[u64],
    target: &Target<'_>,
    mut counted: impl FnMut(*mut u64),
) {
    let mut tokens = Tokens { bytes };
    let first = target.first.len();
    let total = first + target.rest_words;
    let place = |at: usize| target.rest.wrapping_add(at).wrapping_sub(first);
    let mut at = 0;
    while at < total {
        let (tag, value) = tokens.next();
        // The first words are terms that point further on; objects and cells are all in the rest.
        let to = match target.first.get(at) {
            Some(to) => *to,
            None => place(at),
        };
        // SAFETY: `at` is below the number of words that were packed, and tokens stand only for words below that.
        unsafe {
            match tag {
                SMALL => to.write(Term::small((value >> 1) as i64 ^ -((value & 1) as i64)).bits()),
                ATOM => to.write(Term::atom(value as u32).bits()),
                OTHER => to.write(tokens.word()),
                CELL => {
                    let cell = place(at + value as usize);
                    to.write(Term::from_cons_pointer(cell.cast()).bits());
                }
                BOXED => {
                    let object = place(at + value as usize);
                    to.write(Term::from_boxed_pointer(object).bits());
                }
                TEXT => {
                    let cells = value as usize;
                    let (text, rest) = tokens.bytes.split_at(cells);
                    tokens.bytes = rest;
                    for (cell, byte) in text.iter().enumerate() {
                        let to = to.add(2 * cell);
                        to.write(Term::small(i64::from(*byte)).bits());
                        let next = to.wrapping_add(2);
                        to.add(1).write(Term::from_cons_pointer(next.cast()).bits());
                    }
                    at += 2 * cells;
                    continue;
                }
                HEADER => {
                    let header = Header(value << TAG_BITS);
                    to.write(header.0);
                    for plain in 1..=header.raw_words() {
                        to.add(plain).write(tokens.word());
                    }
                    at += header.raw_words();
                }
                _ => {
                    let (island, rest) = islands.split_at(1 + Header(islands[0]).raw_words());
                    islands = rest;
                    to.copy_from_nonoverlapping(island.as_ptr(), island.len());
                    off_heap::retain(off_heap::block_of(to));
                    counted(to);
                    at += island.len() - 1;
                }
            }
        }
        at += 1;
    }
}
