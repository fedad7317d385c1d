//! The atom table: text to number and back. Atoms live for ever.
//!
//! Entries never move. The first 65,536, which is enough for most nodes, are in a static array; the others are in
//! leaked chunks that double in size. So reading an entry by its number needs no lock, and comparing two atoms usually
//! reads one word of each. Finding the atom of a known text needs no lock either (`numbers`); a new one takes the lock
//! for writing. An entry also holds the registration slot of its name, so that sending to a name is one load. Any
//! thread may call.

use std::cell::Cell;
use std::cell::UnsafeCell;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{LazyLock, OnceLock};

use layout::Term;
use layout::limits::ATOM_CHARACTERS;
use parking_lot::Mutex;
use sys::memory::budget;

use crate::external::tags;

mod numbers;
mod ranks;

pub(crate) use ranks::rank as rank_of;
pub use ranks::{are_ranked, natives as rank_natives, set as rank};

/// Atoms a node may hold unless `+t` says otherwise; the value OTP documents.
pub const DEFAULT_LIMIT: usize = 1_048_576;

/// Why a text cannot become an atom.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AtomError {
    /// More than 255 characters.
    TooLong,
    /// The text is not UTF-8.
    NotUtf8,
    /// The table is full.
    Limit,
}

impl std::fmt::Display for AtomError {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(match self {
            AtomError::TooLong => "an atom has more than 255 characters",
            AtomError::NotUtf8 => "an atom is not UTF-8",
            AtomError::Limit => "the atom table is full",
        })
    }
}

/// Sixteen bytes of an atom's spelling.
pub type Chunk = [u8; 16];

/// Bytes of a spelling before the text.
const SPELLING_HEAD: usize = 3;

/// Returned by [`spelling`].
#[derive(Clone, Copy)]
pub struct Spelling {
    /// Tag, length and text, and zeros up to a whole chunk.
    pub chunks: &'static [Chunk],
    /// Bytes without those zeros.
    pub length: usize,
}

/// The chunks of a spelling, which live for ever and do not change, and the hash of its text.
#[derive(Clone, Copy)]
struct Chunks {
    first: NonNull<Chunk>,
    count: u32,
    hash: u32,
}

/// An entry whose bytes are all zero is valid: it is not published yet.
struct Entry {
    /// Written once, before `prefix`: the length of the text in two bytes after a tag, then the text, in whole chunks.
    /// If all characters are ASCII, the tag is [`tags::ATOM`], and this is what the external format has for the atom;
    /// otherwise it is 0.
    spelling: UnsafeCell<Option<Chunks>>,
    /// [`PUBLISHED`] and the first seven bytes of the text, big-endian: enough to decide most comparisons.
    prefix: AtomicU64,
    registered: AtomicU64,
}

// SAFETY: `spelling` is written once, by the holder of the lock, before the release store of `prefix`, and
// read only after an acquire load of `prefix` showed `PUBLISHED`. What it points to is only read.
unsafe impl Sync for Entry {}

impl Entry {
    const fn unpublished() -> Entry {
        Entry {
            spelling: UnsafeCell::new(None),
            prefix: AtomicU64::new(0),
            registered: AtomicU64::new(0),
        }
    }

    #[inline]
    fn chunks(&self) -> Option<Chunks> {
        // SAFETY: `entry` returns only published entries, whose spelling is never written again.
        unsafe { *self.spelling.get() }
    }

    #[inline]
    fn spelling(&self) -> Spelling {
        let chunks = self.chunks().map_or(&[][..], |chunks| {
            // SAFETY: `publish` made this of a slice that lives for ever.
            unsafe { std::slice::from_raw_parts(chunks.first.as_ptr(), chunks.count as usize) }
        });
        let length = chunks.first().map_or(0, |first| {
            SPELLING_HEAD + usize::from(u16::from_be_bytes([first[1], first[2]]))
        });
        Spelling { chunks, length }
    }

    #[inline]
    fn text(&self) -> &'static str {
        let Spelling { chunks, length } = self.spelling();
        let text = chunks.as_flattened().get(SPELLING_HEAD..length);
        // SAFETY: `spell` put a `str` there.
        unsafe { str::from_utf8_unchecked(text.unwrap_or_default()) }
    }
}

/// Chunks of the spelling of a text.
fn chunks_of(text: &str) -> usize {
    (SPELLING_HEAD + text.len()).div_ceil(size_of::<Chunk>())
}

/// Writes the spelling of a text to chunks of zeros.
fn spell(chunks: &mut [Chunk], text: &str) {
    // An atom has at most 255 characters of four bytes.
    let length = u16::try_from(text.len()).expect("a text that is short enough");
    let bytes = chunks.as_flattened_mut();
    bytes[0] = if text.is_ascii() { tags::ATOM } else { 0 };
    bytes[1..SPELLING_HEAD].copy_from_slice(&length.to_be_bytes());
    bytes[SPELLING_HEAD..][..text.len()].copy_from_slice(text.as_bytes());
}

const PUBLISHED: u64 = 1 << 56;

// Miri examines the whole array at each access to it, but of chunks only the entry.
const FIRST_BITS: u32 = if cfg!(miri) { 4 } else { 16 };
const FIRST: usize = 1 << FIRST_BITS;
/// Chunk n holds 2^(16 + n) entries.
const CHUNKS: usize = (u32::BITS - FIRST_BITS) as usize;

static FIRST_ENTRIES: [Entry; FIRST] = [const { Entry::unpublished() }; FIRST];
static MORE_ENTRIES: [AtomicPtr<Entry>; CHUNKS] =
    [const { AtomicPtr::new(std::ptr::null_mut()) }; CHUNKS];
static COUNT: AtomicU32 = AtomicU32::new(0);
static LIMIT: AtomicUsize = AtomicUsize::new(DEFAULT_LIMIT);
static ON_FULL: OnceLock<fn(usize) -> !> = OnceLock::new();
static TEXT_BYTES: AtomicUsize = AtomicUsize::new(0);
/// Held while an atom is added. Its first use adds those that ferl itself names.
static WRITING: LazyLock<Mutex<()>> = LazyLock::new(|| {
    let all = spec::atoms::TEXT.iter().map(|text| chunks_of(text)).sum();
    let mut room: &'static mut [Chunk] = Box::leak(vec![[0; 16]; all].into_boxed_slice());
    for text in spec::atoms::TEXT {
        let (chunks, rest) = room.split_at_mut(chunks_of(text));
        spell(chunks, text);
        add(COUNT.load(Ordering::Relaxed), text, chunks);
        room = rest;
    }
    Mutex::new(())
});

/// The atom for a UTF-8 text; creates it if it is new.
///
/// # Errors
/// See [`AtomError`].
pub fn intern(text: &[u8]) -> Result<Term, AtomError> {
    match std::str::from_utf8(text) {
        Ok(text) => intern_str(text),
        // If the valid part alone reaches the limit, the text is too long; the rest is not examined.
        Err(error) if characters(&text[..error.valid_up_to()]) >= ATOM_CHARACTERS => {
            Err(AtomError::TooLong)
        }
        Err(_) => Err(AtomError::NotUtf8),
    }
}

/// The number of characters in valid UTF-8.
fn characters(text: &[u8]) -> usize {
    text.iter().filter(|&&byte| byte & 0xC0 != 0x80).count()
}

/// As [`intern`], for text that is known to be UTF-8.
///
/// # Errors
/// See [`AtomError`].
pub fn intern_str(text: &str) -> Result<Term, AtomError> {
    let limit = LIMIT.load(Ordering::Relaxed);
    // If the node ends of it anyway, nothing needs to be kept.
    let kept = match ON_FULL.get() {
        None if !IS_FOR_CODE.get() => limit / PART_FOR_CODE,
        _ => 0,
    };
    intern_up_to(limit - kept, text, || {
        IS_FOR_CODE.get() || may_make_one_more()
    })
}

/// So many atoms may be made, besides those of code, while the node stays near the end of its memory: they stay for
/// ever, so nobody's end would give it back.
const MOST_WHILE_HIGH: usize = 10_000;

/// Counts an atom that is new, if the node is near the end of its memory; whether it may be made.
fn may_make_one_more() -> bool {
    static MADE_WHILE_HIGH: AtomicUsize = AtomicUsize::new(0);
    if !budget::is_high() {
        MADE_WHILE_HIGH.store(0, Ordering::Relaxed);
        return true;
    }
    MADE_WHILE_HIGH.fetch_add(1, Ordering::Relaxed) < MOST_WHILE_HIGH
}

/// This part of the table is kept for the atoms of code that is loaded ([`for_code`]).
const PART_FOR_CODE: usize = 32;

thread_local! {
    static IS_FOR_CODE: Cell<bool> = const { Cell::new(false) };
}

/// Runs `body`, whose atoms are those of code that is loaded: a program that has made all the atoms that it may must
/// still be able to say so, for which modules may have to be loaded.
pub fn for_code<R>(body: impl FnOnce() -> R) -> R {
    let outer = IS_FOR_CODE.replace(true);
    let result = body();
    IS_FOR_CODE.set(outer);
    result
}

/// As [`intern_str`], in a table that has less than `limit` atoms. `may_grow` is asked before one is added.
fn intern_up_to(
    limit: usize,
    text: &str,
    may_grow: impl FnOnce() -> bool,
) -> Result<Term, AtomError> {
    if let Some(atom) = lookup(text) {
        ranks::mention(atom);
        return Ok(atom);
    }
    if text.len() > ATOM_CHARACTERS && text.chars().count() > ATOM_CHARACTERS {
        return Err(AtomError::TooLong);
    }
    let writing = WRITING.lock();
    if let Some(atom) = lookup(text) {
        ranks::mention(atom);
        return Ok(atom);
    }
    let index = COUNT.load(Ordering::Relaxed);
    if index as usize >= limit {
        drop(writing);
        if let Some(full) = ON_FULL.get() {
            full(limit);
        }
        return Err(AtomError::Limit);
    }
    if !may_grow() {
        return Err(AtomError::Limit);
    }
    let chunks = Box::leak(vec![[0; 16]; chunks_of(text)].into_boxed_slice());
    spell(chunks, text);
    add(index, text, chunks);
    Ok(Term::atom(index))
}

/// The atom for a text that ferl itself names. There are few of these, so they are made beyond the limit too.
///
/// # Panics
/// For a text that is too long.
#[must_use]
pub fn known(text: &str) -> Term {
    intern_up_to(u32::MAX as usize, text, || true)
        .unwrap_or_else(|error| panic!("the atom {text:?} cannot be made: {error:?}"))
}

/// As [`intern`], for Latin-1 bytes.
///
/// # Errors
/// See [`AtomError`].
pub fn intern_latin1(text: &[u8]) -> Result<Term, AtomError> {
    let text: String = text.iter().map(|&byte| char::from(byte)).collect();
    intern_str(&text)
}

/// The atom for a text, if there is one already.
#[must_use]
pub fn lookup(text: &str) -> Option<Term> {
    LazyLock::force(&WRITING);
    let found = numbers::find(text, |index| entry(index).text());
    found.map(Term::atom)
}

/// Places in the cache of atoms that a connection to another node has: eight segments of 256.
pub const CACHE_PLACES: usize = 2048;

/// The place of an atom in such a cache.
#[must_use]
pub fn cache_place(atom: Term) -> usize {
    crate::hash::place(atom.bits(), CACHE_PLACES.ilog2())
}

/// The text of an atom.
///
/// # Panics
/// When the term is not an atom.
#[must_use]
pub fn text(atom: Term) -> &'static str {
    entry(atom.as_atom().expect("an atom")).text()
}

/// The hash of the text of an atom: Latin-1 characters of the text count as one byte.
fn hash_of_text(text: &str) -> u32 {
    let mut hash = 0u32;
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        let mut value = byte;
        if byte & 0xfe == 0xc2
            && let Some(next) = bytes.next()
        {
            value = byte << 6 | next & 0x3f;
        }
        hash = (hash << 4).wrapping_add(u32::from(value));
        let high = hash & 0xf000_0000;
        if high != 0 {
            hash ^= high >> 24;
            hash ^= high;
        }
    }
    hash
}

/// The hash of an atom's text, as every release computes it.
///
/// # Panics
/// When the term is not an atom.
#[inline]
#[must_use]
pub fn hash(atom: Term) -> u32 {
    let entry = entry(atom.as_atom().expect("an atom"));
    entry.chunks().map_or(0, |chunks| chunks.hash)
}

/// The external format of an atom whose characters are all ASCII (with the tag `ATOM`); `None` for others.
#[inline]
#[must_use]
pub fn spelling(atom: u32) -> Option<Spelling> {
    let spelling = entry(atom).spelling();
    let is_ascii = spelling.chunks.first()?[0] == tags::ATOM;
    is_ascii.then_some(spelling)
}

/// The order of two atoms: that of their texts by code point.
#[inline]
#[must_use]
pub fn compare(a: Term, b: Term) -> std::cmp::Ordering {
    if a == b {
        return std::cmp::Ordering::Equal;
    }
    let (a, b) = (
        entry(a.as_atom().expect("an atom")),
        entry(b.as_atom().expect("an atom")),
    );
    // UTF-8 keeps the order of code points, so bytes decide.
    let prefix = |entry: &Entry| entry.prefix.load(Ordering::Relaxed);
    match prefix(a).cmp(&prefix(b)) {
        std::cmp::Ordering::Equal => compare_texts(a, b),
        order => order,
    }
}

/// The order of two atoms as keys of a flat map: that of their texts, or from OTP 26 on of their ranks ([`ranks`]).
#[inline(always)]
#[must_use]
pub fn compare_keys(a: Term, b: Term) -> std::cmp::Ordering {
    ranks::compare(a, b).unwrap_or_else(|| compare(a, b))
}

#[cold]
fn compare_texts(a: &Entry, b: &Entry) -> std::cmp::Ordering {
    a.text().cmp(b.text())
}

/// The process or port registered under an atom: the bits of its pid or port identifier, or 0 if there is none.
#[inline]
#[must_use]
pub fn registration(atom: u32) -> &'static AtomicU64 {
    &entry(atom).registered
}

/// Number of atoms.
#[must_use]
pub fn count() -> usize {
    LazyLock::force(&WRITING);
    COUNT.load(Ordering::Acquire) as usize
}

/// The maximum number of atoms.
#[must_use]
pub fn limit() -> usize {
    LIMIT.load(Ordering::Relaxed)
}

/// Sets the maximum number of atoms (`+t`).
pub fn set_limit(limit: usize) {
    LIMIT.store(limit, Ordering::Relaxed);
}

/// Sets the function that is called, with the limit, when the table is full; it does not return. Only the first call
/// counts.
pub fn on_full(full: fn(usize) -> !) {
    let _ = ON_FULL.set(full);
}

/// Bytes that the table occupies, and how many of them are text.
#[must_use]
pub fn memory() -> (usize, usize) {
    let texts = TEXT_BYTES.load(Ordering::Relaxed);
    (
        texts + count() * size_of::<Entry>() + numbers::memory(),
        texts,
    )
}

/// The chunk of an entry beyond the first [`FIRST`], and its index in that chunk.
fn chunk_of(index: u32) -> (usize, usize) {
    let bits = index.ilog2();
    ((bits - FIRST_BITS) as usize, (index - (1 << bits)) as usize)
}

/// The published entry of an atom.
#[inline]
fn entry(index: u32) -> &'static Entry {
    match FIRST_ENTRIES.get(index as usize) {
        Some(entry) if entry.prefix.load(Ordering::Acquire) & PUBLISHED != 0 => entry,
        _ => entry_elsewhere(index),
    }
}

#[cold]
fn entry_elsewhere(index: u32) -> &'static Entry {
    // At startup a constant atom may be used before any text was interned.
    LazyLock::force(&WRITING);
    match FIRST_ENTRIES.get(index as usize) {
        Some(entry) => entry,
        None => {
            let (chunk, place) = chunk_of(index);
            let entries = MORE_ENTRIES[chunk].load(Ordering::Acquire);
            // SAFETY: whoever has the number got it after `publish` wrote the entry.
            unsafe { &*entries.add(place) }
        }
    }
}

/// Makes an atom with a new text and its spelling. The caller holds the lock, or is the initialiser of `WRITING`.
fn add(index: u32, text: &str, spelling: &'static [Chunk]) {
    publish(index, text, spelling);
    numbers::add(text, index, |index| entry(index).text());
}

/// Writes the entry. The caller holds the lock, or is the initialiser of `WRITING`.
fn publish(index: u32, text: &str, spelling: &'static [Chunk]) {
    let entry: &Entry = match FIRST_ENTRIES.get(index as usize) {
        Some(entry) => entry,
        None => {
            let (chunk, place) = chunk_of(index);
            let mut entries = MORE_ENTRIES[chunk].load(Ordering::Acquire);
            if entries.is_null() {
                let chunk_entries = Box::new_zeroed_slice(FIRST << chunk);
                // SAFETY: an entry of zeroes is valid.
                let chunk_entries: &mut [Entry] = Box::leak(unsafe { chunk_entries.assume_init() });
                entries = chunk_entries.as_mut_ptr();
                MORE_ENTRIES[chunk].store(entries, Ordering::Release);
            }
            // SAFETY: the chunk has room for `place`, and lives for ever.
            unsafe { &*entries.add(place) }
        }
    };
    let mut first = [0u8; 8];
    let length = text.len().min(7);
    first[1..=length].copy_from_slice(&text.as_bytes()[..length]);
    // SAFETY: the only writer, and nobody reads the spelling before `prefix` has `PUBLISHED`.
    unsafe {
        *entry.spelling.get() = Some(Chunks {
            first: NonNull::from(spelling).cast(),
            count: spelling.len() as u32,
            hash: hash_of_text(text),
        });
    }
    let prefix = u64::from_be_bytes(first) | PUBLISHED;
    entry.prefix.store(prefix, Ordering::Release);
    TEXT_BYTES.fetch_add(text.len(), Ordering::Relaxed);
    COUNT.store(index + 1, Ordering::Release);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_name_their_text() {
        assert_eq!(text(crate::am::OK), "ok");
        assert_eq!(lookup("badarg"), Some(crate::am::BADARG));
        assert_eq!(text(crate::am::EMPTY), "");
    }

    #[test]
    fn texts_keep_their_numbers_past_the_first_entries() {
        let atoms: Vec<Term> = (0..if cfg!(miri) { 5000 } else { 200_000 })
            .map(|i| known(&format!("atom_test_{i}")))
            .collect();
        for (i, atom) in atoms.iter().enumerate() {
            assert_eq!(text(*atom), format!("atom_test_{i}"));
            assert_eq!(known(&format!("atom_test_{i}")), *atom);
        }
    }

    #[test]
    fn order_is_that_of_the_text() {
        let order = |a: &str, b: &str| compare(known(a), known(b));
        assert_eq!(order("a", "ab"), std::cmp::Ordering::Less);
        assert_eq!(order("abcdefgh", "abcdefgi"), std::cmp::Ordering::Less);
        assert_eq!(order("ö", "z"), std::cmp::Ordering::Greater);
        assert_eq!(order("same", "same"), std::cmp::Ordering::Equal);
        assert_eq!(order("a\0", "a"), std::cmp::Ordering::Greater);
    }

    #[test]
    fn only_ascii_is_spelled() {
        for length in [0, 1, 12, 13, 14, 29, 30, 255] {
            let text = "x".repeat(length);
            let spelled = spelling(known(&text).as_atom().unwrap()).unwrap();
            let bytes = spelled.chunks.as_flattened();
            let expected = [b"d\0", &[length as u8][..], text.as_bytes()].concat();
            assert_eq!(bytes[..spelled.length], expected);
            assert!(bytes[spelled.length..].iter().all(|&byte| byte == 0));
        }
        assert!(spelling(known("café").as_atom().unwrap()).is_none());
    }

    #[test]
    fn long_texts_are_refused() {
        assert_eq!(intern_str(&"ö".repeat(256)), Err(AtomError::TooLong));
        assert!(intern_str(&"ö".repeat(255)).is_ok());
        assert_eq!(intern(b"\xff"), Err(AtomError::NotUtf8));
    }
}
