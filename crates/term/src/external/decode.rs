//! Decoding the external format.
//!
//! An object is allocated when its head is read, and each term goes to its place in it at once. What is still to be
//! read of the objects around is kept on a stack of rows, so depth needs no native stack. Every term that is still to
//! be read takes at least one byte; a claim of more terms than remaining bytes is refused, which bounds everything that
//! is allocated. After an error the places that are left become `[]`, so no half-made object stays behind.

use layout::kinds::HeapBinary;
use layout::limits::{FLAT_MAP_PAIRS, HEAP_BINARY_BYTES};
use layout::object::offset;
use layout::{Header, Heap, ObjectKind, Term, no_gc};
use smallvec::SmallVec;

use super::input::{Input, fail_at};
use super::{DecodeOptions, Resolver, SourceBinary, compression, local, tags};
use crate::heap::{Allocate, Room};
use crate::integer::is_too_long;
use crate::release::{self, Release};
use crate::{build, map, text};

mod names;
mod row;
mod seen;

use row::{End, HashPairs, Row};

/// What is wrong with a term in external format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// The bytes end before the term does.
    Truncated,
    /// The first byte is not 131.
    Version,
    UnknownTag(u8),
    /// An atom that is too long, is not UTF-8, or is not in the atom cache.
    Atom,
    /// Decoding must be safe, and the term contains a new atom or function.
    Unsafe,
    /// The atom table is full.
    AtomLimit,
    /// Not a finite number.
    Float,
    /// More digits than an integer may have.
    Integer,
    /// A pid, port or reference that cannot exist.
    Identifier,
    /// A fun with an invalid field.
    Fun,
    /// A bit string whose length and trailing bits do not agree.
    BitString,
    /// A map with the same key twice.
    DuplicateKey,
    /// A native record with a field twice, or with unknown flags.
    NativeRecord,
    /// Marked as this node's own, and not made by it.
    NotOurs,
    /// Compressed data that is damaged, or does not have the length it claims.
    Compressed,
}

/// What is wrong, and after how many bytes it was found (of the uncompressed term, if it was compressed).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DecodeError {
    pub fault: Fault,
    pub position: usize,
}

impl std::fmt::Display for DecodeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "bad external term at byte {}: {:?}",
            self.position, self.fault
        )
    }
}

impl std::error::Error for DecodeError {}

/// Decodes one term, version byte first. Returns it with the number of bytes it took; more may follow.
///
/// # Errors
/// See [`Fault`]. What was built until then stays on the heap as garbage.
pub fn decode(
    heap: &mut Heap,
    bytes: &[u8],
    options: &DecodeOptions,
    resolver: &mut dyn Resolver,
) -> Result<(Term, usize), DecodeError> {
    finish(Form::Versioned, heap, bytes, options, resolver)
}

/// As [`decode`], for a term without version byte, as in distribution messages, where several follow each other.
///
/// # Errors
/// As [`decode`].
pub fn decode_bare(
    heap: &mut Heap,
    bytes: &[u8],
    options: &DecodeOptions,
    resolver: &mut dyn Resolver,
) -> Result<(Term, usize), DecodeError> {
    finish(Form::Bare, heap, bytes, options, resolver)
}

/// As [`decode`], for a term that must not be compressed. Other nodes compress none, and what looks small and becomes
/// large would be inflated where nobody expects so much work.
///
/// # Errors
/// As [`decode`].
pub fn decode_plain(
    heap: &mut Heap,
    bytes: &[u8],
    options: &DecodeOptions,
    resolver: &mut dyn Resolver,
) -> Result<(Term, usize), DecodeError> {
    finish(Form::Plain, heap, bytes, options, resolver)
}

fn finish(
    form: Form,
    heap: &mut Heap,
    bytes: &[u8],
    options: &DecodeOptions,
    resolver: &mut dyn Resolver,
) -> Result<(Term, usize), DecodeError> {
    let mut decoder = Decoder::with(form);
    let term = decoder.finish(heap, bytes, options, resolver)?;
    Ok((term, decoder.used()))
}

/// What may come before a term.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// The version byte; then the term may be compressed.
    Versioned,
    /// The version byte only.
    Plain,
    Bare,
}

/// The result of one run of a decoder.
#[must_use]
#[derive(Clone, Copy, Debug)]
pub enum Step {
    /// The budget is used up; run again with the same bytes and heap.
    More,
    Done(Term),
}

/// A decoder that can stop and continue.
///
/// Between two runs it holds terms that no collector knows of: a caller that stops must decode into fragments that it
/// owns (for example `heap::Scratch`) and hand these over at the end.
pub struct Decoder {
    started: bool,
    form: Form,
    /// The decompressed bytes of a compressed term.
    inflated: Option<Vec<u8>>,
    /// Bytes of the input that a compressed term took.
    compressed_bytes: usize,
    /// Where to continue reading.
    position: usize,
    /// The check sums of the marked terms that are being read, one within the other, and where these terms begin.
    marked: Vec<(usize, u32)>,
    /// The places to be filled next; `None` before the first run.
    row: Option<Row>,
    rows: SmallVec<[Row; 8]>,
    /// Places in `rows`.
    pending: usize,
    /// The pairs of the hash maps that are being read, one within the other.
    pairs: Vec<HashPairs>,
    /// The keys of the flat maps read last, by their number; `NONE` if there was none.
    keys: [Term; KEYS_KEPT],
    /// The whole term, and where it was during the last run.
    whole: Term,
    whole_at: *mut Term,
}

/// Numbers of keys that are told apart in [`Decoder::keys`].
const KEYS_KEPT: usize = 8;

impl Default for Decoder {
    fn default() -> Decoder {
        Decoder::new()
    }
}

impl Decoder {
    /// For a term that starts with the version byte.
    #[inline]
    #[must_use]
    pub fn new() -> Decoder {
        Decoder::with(Form::Versioned)
    }

    #[inline(always)]
    fn with(form: Form) -> Decoder {
        Decoder {
            started: false,
            form,
            inflated: None,
            compressed_bytes: 0,
            position: 0,
            marked: Vec::new(),
            row: None,
            rows: SmallVec::new(),
            pending: 0,
            pairs: Vec::new(),
            keys: [Term::NONE; KEYS_KEPT],
            whole: Term::NIL,
            whole_at: std::ptr::null_mut(),
        }
    }

    /// Bytes of the input that the term took, once it is done.
    #[must_use]
    pub fn used(&self) -> usize {
        if self.inflated.is_some() {
            self.compressed_bytes
        } else {
            self.position
        }
    }

    /// Decodes all of the term.
    ///
    /// # Errors
    /// As [`decode`].
    pub fn finish(
        &mut self,
        heap: &mut Heap,
        bytes: &[u8],
        options: &DecodeOptions,
        resolver: &mut dyn Resolver,
    ) -> Result<Term, DecodeError> {
        loop {
            let mut budget = usize::MAX;
            let step = self.run(heap, bytes, options, resolver, &mut budget)?;
            if let Step::Done(term) = step {
                return Ok(term);
            }
        }
    }

    /// Decodes until the budget (bytes of input, of which those of binaries hardly count) is used up or the term is
    /// complete. Decompressing is a single step; its cost is deducted from the budget afterwards.
    ///
    /// # Errors
    /// As [`decode`].
    pub fn run(
        &mut self,
        heap: &mut Heap,
        bytes: &[u8],
        options: &DecodeOptions,
        resolver: &mut dyn Resolver,
        budget: &mut usize,
    ) -> Result<Step, DecodeError> {
        if !self.started {
            self.start(bytes, budget)?;
        }
        let inflated = self.inflated.take();
        let source = inflated.as_deref().unwrap_or(bytes);
        let result = {
            let mut reading = Reading {
                source,
                input: Input::new(source, self.position.min(source.len())),
                room: Room::new(heap, source.len() / BYTES_PER_FRAGMENT_WORD),
                options,
                resolver,
                is_marked: !self.marked.is_empty(),
            };
            let result = self.terms(&mut reading, budget);
            self.position = reading.input.position();
            result
        };
        self.inflated = inflated;
        result
    }

    /// Reads what comes before the term: the version byte, and the header of a compressed term.
    fn start(&mut self, bytes: &[u8], budget: &mut usize) -> Result<(), DecodeError> {
        self.started = true;
        let mut input = Input::new(bytes, 0);
        if self.form != Form::Bare && input.u8()? != tags::VERSION {
            return Input::new(bytes, 0).fail(Fault::Version);
        }
        self.position = input.position();
        let may_be_compressed = self.form == Form::Versioned;
        if may_be_compressed && input.remaining() >= 5 && input.rest()[0] == tags::COMPRESSED {
            input.u8()?;
            let length = input.length()?;
            let Some((inflated, read)) = compression::inflate(input.rest(), length) else {
                return input.fail(Fault::Compressed);
            };
            *budget = budget.saturating_sub(inflated.len() / COPIED_PER_BYTE);
            self.compressed_bytes = input.position() + read;
            self.inflated = Some(inflated);
            self.position = 0;
        }
        Ok(())
    }

    fn terms(
        &mut self,
        reading: &mut Reading<'_>,
        budget: &mut usize,
    ) -> Result<Step, DecodeError> {
        // The place of the whole term is here, because the decoder may move between two runs.
        let mut whole = self.whole;
        if let Some(outermost) = self.pairs.first_mut() {
            outermost.moved(self.whole_at, &raw mut whole);
        }
        let mut row = match self.row.take() {
            Some(mut row) => {
                row.moved(self.whole_at, &raw mut whole);
                row
            }
            None => Row::of(&raw mut whole, 1, End::Complete),
        };
        self.whole_at = &raw mut whole;
        let result = self.fill(reading, &mut row, budget);
        self.whole = whole;
        match result {
            Ok(true) => Ok(Step::Done(whole)),
            Ok(false) => {
                self.row = Some(row);
                Ok(Step::More)
            }
            Err(error) => {
                row.abandon();
                self.rows.drain(..).for_each(Row::abandon);
                Err(error)
            }
        }
    }

    /// Reads terms to their places, until all are filled (`true`) or the budget is used up.
    fn fill(
        &mut self,
        reading: &mut Reading<'_>,
        current: &mut Row,
        budget: &mut usize,
    ) -> Result<bool, DecodeError> {
        // These are kept in registers: what is called, other than inlined, gets and returns copies.
        let (mut row, mut input) = (*current, reading.input);
        // A term is begun only if at least so many bytes are left, or one, if that is 0.
        let begin = input.position();
        let mut least = input.size().saturating_add(1);
        least = least.saturating_sub(begin.saturating_add(*budget));
        let mut spared = 0;
        let result = 'run: loop {
            macro_rules! ok {
                ($result:expr) => {
                    match $result {
                        Ok(value) => value,
                        Err(error) => break 'run Err(error),
                    }
                };
            }
            if row.left == 0 {
                match ok!(self.ended(reading, &mut input, row)) {
                    Some(next) => row = next,
                    None => break Ok(true),
                }
                continue;
            }
            if input.remaining() < least {
                break Ok(false);
            }
            // A term without parts goes to its place, and that is all; for others their own row comes first.
            let (object, parts) = 'parts: {
                let term = match ok!(input.u8()) {
                    tags::SMALL_INTEGER => Term::small(i64::from(ok!(input.u8()))),
                    tags::INTEGER => Term::small(i64::from(ok!(input.u32()) as i32)),
                    tags::ATOM => {
                        let length = usize::from(ok!(input.u16()));
                        let text = ok!(input.take(length));
                        ok!(reading.latin1_atom(input.position(), text))
                    }
                    tags::NIL => Term::NIL,
                    tags::SMALL_TUPLE => {
                        let arity = usize::from(ok!(input.u8()));
                        if !self.may_claim(input.remaining(), row, arity) {
                            break 'run input.fail(Fault::Truncated);
                        }
                        let (tuple, first) = build::tuple_uninit(&mut reading.room, arity);
                        break 'parts (tuple, Row::of(first, arity, End::Complete));
                    }
                    tags::LARGE_TUPLE => {
                        let arity = ok!(input.length());
                        if !self.may_claim(input.remaining(), row, arity) {
                            break 'run input.fail(Fault::Truncated);
                        }
                        let (tuple, first) = build::tuple_uninit(&mut reading.room, arity);
                        break 'parts (tuple, Row::of(first, arity, End::Complete));
                    }
                    tags::LIST => {
                        let length = ok!(input.length());
                        if length == 0 {
                            // The same as its tail, which comes next.
                            continue 'run;
                        }
                        if !self.may_claim(input.remaining(), row, length + 1) {
                            break 'run input.fail(Fault::Truncated);
                        }
                        let (list, first) = build::list_uninit(&mut reading.room, length);
                        let mut cells = Row::of_list(first, length);
                        numbers(reading, &mut input, &mut cells, least);
                        break 'parts (list, cells);
                    }
                    tags::MAP => {
                        let size = ok!(input.length());
                        if !self.may_claim(input.remaining(), row, 2 * size) {
                            break 'run input.fail(Fault::Truncated);
                        }
                        if size == 0 {
                            map::empty(&mut reading.room)
                        } else if size <= FLAT_MAP_PAIRS {
                            let (map, keys) = map::flat_uninit(&mut reading.room, size);
                            break 'parts (map, Row::of_flat_map(keys, size));
                        } else {
                            // The map does not exist before its pairs do. The place gets it then.
                            let mut pairs = HashPairs::new(2 * size, row.next);
                            let places = pairs.row();
                            self.pairs.push(pairs);
                            break 'parts (Term::NIL, places);
                        }
                    }
                    tags::BINARY => {
                        let size = ok!(input.length());
                        if size > HEAP_BINARY_BYTES {
                            // What is copied takes little time.
                            let more = size - size / COPIED_PER_BYTE;
                            spared += more;
                            least = least.saturating_sub(more);
                        }
                        match reading.options.source {
                            Some(source) if is_shared(size, source) => {
                                let start = (source.start + input.position()) as u64 * 8;
                                ok!(input.take(size));
                                let bits = size as u64 * 8;
                                build::sub_bits(&mut reading.room, source.binary, start, bits)
                            }
                            _ => ok!(binary(&mut reading.room, &mut input, size)),
                        }
                    }
                    tags::BIT_BINARY => {
                        let size = ok!(input.length());
                        ok!(bit_string(&mut reading.room, &mut input, size))
                    }
                    tags::STRING => {
                        let length = usize::from(ok!(input.u16()));
                        build::byte_list(&mut reading.room, ok!(input.take(length)))
                    }
                    tags::NEW_FLOAT => {
                        let value = f64::from_bits(ok!(input.u64()));
                        if !value.is_finite() {
                            break 'run input.fail(Fault::Float);
                        }
                        build::float(&mut reading.room, value)
                    }
                    tags::SMALL_BIG => {
                        let size = usize::from(ok!(input.u8()));
                        let negative = ok!(input.u8()) != 0;
                        let bytes = ok!(input.take(size));
                        match limb(bytes) {
                            Some(limb) => build::big(&mut reading.room, negative, &[limb]),
                            None => ok!(reading.long_big(input.position(), negative, bytes)),
                        }
                    }
                    tags::NEW_FUN => {
                        reading.input = input;
                        let (fun, variables) = ok!(reading.fun());
                        input = reading.input;
                        if !self.may_claim(input.remaining(), row, variables.left) {
                            break 'run input.fail(Fault::Truncated);
                        }
                        break 'parts (fun, variables);
                    }
                    tags::NATIVE_RECORD if release::has(Release::OTP_29) => {
                        reading.input = input;
                        let (record, values) = ok!(reading.native_record());
                        input = reading.input;
                        if !self.may_claim(input.remaining(), row, values.left) {
                            // Nothing has seen the record, but its places are words of the heap.
                            values.abandon();
                            break 'run input.fail(Fault::Truncated);
                        }
                        break 'parts (record, values);
                    }
                    // Before OTP 26 no sum is right.
                    tags::LOCAL if self.form == Form::Versioned => {
                        let sum = ok!(input.u32());
                        self.marked.push((input.position(), sum));
                        reading.is_marked = true;
                        break 'parts (Term::NIL, Row::of(row.next, 1, End::Local));
                    }
                    tag => {
                        reading.input = input;
                        let term = ok!(reading.rare(tag));
                        input = reading.input;
                        term
                    }
                };
                row.fill(term);
                continue 'run;
            };
            row.fill(object);
            if !row.is_over() {
                self.pending += row.left;
                self.rows.push(row);
            }
            row = parts;
        };
        let used = (input.position() - begin).saturating_sub(spared);
        *budget = budget.saturating_sub(used);
        (*current, reading.input) = (row, input);
        result
    }

    /// Finishes an object whose row is filled; returns the row that comes next, if there is one.
    #[inline(always)]
    fn ended(
        &mut self,
        reading: &mut Reading<'_>,
        input: &mut Input<'_>,
        row: Row,
    ) -> Result<Option<Row>, DecodeError> {
        match row.end {
            End::Complete => {}
            End::List => {
                // Most lists end in `[]`, which is there already.
                match input.rest().first() {
                    Some(&tags::NIL) => input.skip(1),
                    _ => return Ok(Some(row.tail())),
                }
            }
            End::FlatMap => {
                if !self.flat_map_ended(row) {
                    return input.fail(Fault::DuplicateKey);
                }
            }
            End::HashMap => {
                let pairs = self.pairs.pop().expect("the pairs of the map");
                if !pairs.make(&mut reading.room) {
                    return input.fail(Fault::DuplicateKey);
                }
            }
            End::Local => {
                let (start, sum) = self.marked.pop().expect("the sum of the marked term");
                reading.is_marked = !self.marked.is_empty();
                if local::check_sum(&reading.source[start..input.position()]) != sum {
                    return input.fail(Fault::NotOurs);
                }
            }
        }
        let outer = self.rows.pop();
        self.pending -= outer.map_or(0, |outer| outer.left);
        Ok(outer)
    }

    /// Brings the keys of a flat map in order; returns whether they differ from each other. If a map before had the
    /// same keys, it gets the same tuple of keys.
    fn flat_map_ended(&mut self, row: Row) -> bool {
        let (map, keys) = row.flat_map();
        let no_gc = no_gc!();
        let elements = keys.as_tuple(no_gc).unwrap_or_default();
        let kept = &mut self.keys[elements.len() % KEYS_KEPT];
        if let Some(same) = kept.as_tuple(no_gc!())
            && same.len() == elements.len()
            && elements
                .iter()
                .zip(same)
                .all(|(a, b)| are_same_words(*a, *b))
        {
            // SAFETY: that word of the map is its tuple of keys.
            unsafe { map.word_pointer(offset::FLAT_MAP_KEYS).write(kept.bits()) };
            return true;
        }
        if !map::are_sorted(elements) && !map::sort_flat(map) {
            return false;
        }
        *kept = keys;
        true
    }

    /// Whether there may be `count` more terms besides those that were claimed before: each has at least one of the
    /// bytes that remain.
    #[inline(always)]
    fn may_claim(&self, remaining: usize, row: Row, count: usize) -> bool {
        self.pending + row.left + count <= remaining + 1
    }
}

/// Bytes of a binary that count as one byte of the budget.
const COPIED_PER_BYTE: usize = 64;

/// Bytes of input for each word of a fragment, if the heap has no room: few terms take fewer words.
const BYTES_PER_FRAGMENT_WORD: usize = 4;

/// Whether two keys are the same immediate, or binaries on the heap with the same bytes.
#[inline]
fn are_same_words(a: Term, b: Term) -> bool {
    if a == b {
        return true;
    }
    let (Some(a), Some(b)) = (HeapBinary::of(a), HeapBinary::of(b)) else {
        return false;
    };
    // SAFETY: both have as many words.
    let are_same = |index| unsafe { a.word_unchecked(index) == b.word_unchecked(index) };
    a.header() == b.header() && (0..a.arity()).all(are_same)
}

/// Reads the integers and floats that a list begins with, while at least `least` bytes are left.
#[inline(always)]
fn numbers(reading: &mut Reading<'_>, input: &mut Input<'_>, cells: &mut Row, least: usize) {
    while cells.left > 0 && input.remaining() >= least {
        let number = match *input.rest() {
            [tags::SMALL_INTEGER, byte, ..] => {
                input.skip(2);
                Term::small(i64::from(byte))
            }
            [tags::INTEGER, a, b, c, d, ..] => {
                input.skip(5);
                Term::small(i64::from(i32::from_be_bytes([a, b, c, d])))
            }
            [tags::NEW_FLOAT, a, b, c, d, e, f, g, h, ..] => {
                let value = f64::from_be_bytes([a, b, c, d, e, f, g, h]);
                if !value.is_finite() {
                    break;
                }
                input.skip(9);
                build::float(&mut reading.room, value)
            }
            _ => break,
        };
        cells.fill(number);
    }
}

/// The magnitude that at most eight bytes are, the least first.
#[inline(always)]
fn limb(bytes: &[u8]) -> Option<u64> {
    if let Some(whole) = bytes.first_chunk::<8>() {
        return (bytes.len() == 8).then_some(u64::from_le_bytes(*whole));
    }
    if let (Some(low), Some(high)) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        // Where both have bytes, they have the same ones.
        let (low, high) = (u32::from_le_bytes(*low), u32::from_le_bytes(*high));
        return Some(u64::from(low) | u64::from(high) << (8 * (bytes.len() - 4)));
    }
    Some(
        bytes
            .iter()
            .rev()
            .fold(0, |all, &byte| all << 8 | u64::from(byte)),
    )
}

/// Reads a binary of `size` bytes.
#[inline(always)]
fn binary(room: &mut Room<'_>, input: &mut Input<'_>, size: usize) -> Result<Term, DecodeError> {
    // Whole words are read, if there are so many bytes.
    let rest = input.rest();
    if size <= HEAP_BINARY_BYTES
        && let Some(bytes) = rest.get(..size.next_multiple_of(8))
    {
        input.skip(size);
        let (chunks, _) = bytes.as_chunks::<8>();
        return Ok(build::binary_of_chunks(room, chunks, size));
    }
    let bytes = input.take(size)?;
    Ok(build::binary(room, bytes))
}

/// Whether a binary of the source is shared: then it keeps the whole source, which must not be much larger.
fn is_shared(size: usize, source: SourceBinary) -> bool {
    let whole = source.binary.as_bits().map_or(0, |bits| bits.bit_len() / 8);
    size > HEAP_BINARY_BYTES && size as u64 * SHARED_PART >= whole
}

/// The largest source that a shared part may keep, in sizes of the part.
const SHARED_PART: u64 = 4;

/// Reads a bit string in `size` bytes, and the number of bits of the last one before these.
#[inline(always)]
fn bit_string(
    room: &mut Room<'_>,
    input: &mut Input<'_>,
    size: usize,
) -> Result<Term, DecodeError> {
    let bits = input.u8()?;
    if input.remaining() < size {
        return input.fail(Fault::Truncated);
    }
    let fits = match size {
        // From OTP 27 on no bits at all are a binary, and no bit string.
        0 => bits == 0 && !release::has(Release::OTP_27),
        _ => (1..=8).contains(&bits),
    };
    if !fits {
        return input.fail(Fault::BitString);
    }
    let whole = binary(room, input, size)?;
    if size == 0 || bits == 8 {
        return Ok(whole);
    }
    let length = (size as u64 - 1) * 8 + u64::from(bits);
    Ok(build::sub_bits(room, whole, 0, length))
}

/// What one run of a decoder works with.
struct Reading<'a> {
    source: &'a [u8],
    input: Input<'a>,
    room: Room<'a>,
    options: &'a DecodeOptions<'a>,
    resolver: &'a mut dyn Resolver,
    /// Within a term that is marked as this node's.
    is_marked: bool,
}

impl Reading<'_> {
    /// A term without parts that is not among the most frequent ones.
    #[inline(never)]
    fn rare(&mut self, tag: u8) -> Result<Term, DecodeError> {
        match tag {
            tags::LARGE_BIG => {
                let size = self.input.length()?;
                let negative = self.input.u8()? != 0;
                let bytes = self.input.take(size)?;
                self.long_big(self.input.position(), negative, bytes)
            }
            tags::FLOAT => {
                let text = self.input.take(tags::FLOAT_TEXT_BYTES)?;
                self.float(text::float::parse(text).unwrap_or(f64::NAN))
            }
            tags::SMALL_ATOM
            | tags::SMALL_ATOM_UTF8
            | tags::ATOM_UTF8
            | tags::ATOM_CACHE_REFERENCE => self.atom_of(tag),
            tags::PID | tags::NEW_PID => self.pid(tag),
            tags::PORT | tags::NEW_PORT | tags::V4_PORT => self.port(tag),
            tags::REFERENCE | tags::NEW_REFERENCE | tags::NEWER_REFERENCE => self.reference(tag),
            tags::EXPORT => self.export(),
            _ => self.input.fail(Fault::UnknownTag(tag)),
        }
    }

    /// An integer of any number of bytes, the last of them at `position`.
    #[inline(never)]
    fn long_big(
        &mut self,
        position: usize,
        negative: bool,
        bytes: &[u8],
    ) -> Result<Term, DecodeError> {
        let length = bytes
            .iter()
            .rposition(|&byte| byte != 0)
            .map_or(0, |last| last + 1);
        // From OTP 27 on leading zeros count.
        let counted = match release::has(Release::OTP_27) {
            true => bytes.len(),
            false => length,
        };
        if is_too_long(counted.div_ceil(8)) {
            return fail_at(position, Fault::Integer);
        }
        let bytes = &bytes[..length];
        if let Some(limb) = limb(bytes) {
            return Ok(build::big(&mut self.room, negative, &[limb]));
        }
        let kind = match negative {
            true => ObjectKind::NegativeBig,
            false => ObjectKind::PositiveBig,
        };
        let (whole, last) = bytes.as_chunks::<8>();
        let count = length.div_ceil(8);
        let object = self.room.allocate(1 + count);
        // SAFETY: fresh words for the header and for each limb.
        unsafe {
            object.write(Header::new(kind, count).0);
            for (index, limb) in whole.iter().enumerate() {
                object.add(1 + index).write(u64::from_le_bytes(*limb));
            }
            if let Some(limb) = limb(last).filter(|_| !last.is_empty()) {
                object.add(count).write(limb);
            }
            Ok(Term::from_boxed_pointer(object))
        }
    }

    #[inline]
    fn float(&mut self, value: f64) -> Result<Term, DecodeError> {
        if value.is_finite() {
            Ok(build::float(&mut self.room, value))
        } else {
            self.input.fail(Fault::Float)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::NoRuntime;
    use super::*;
    use crate::atom;
    use crate::heap::Scratch;

    fn check(bytes: &[u8], verify: impl FnOnce(Result<Term, Fault>)) {
        let mut scratch = Scratch::new();
        let result = decode(
            scratch.heap(),
            bytes,
            &DecodeOptions::default(),
            &mut NoRuntime,
        );
        verify(result.map(|(term, _)| term).map_err(|error| error.fault));
    }

    fn fault(bytes: &[u8]) -> Option<Fault> {
        let mut answer = None;
        check(bytes, |result| answer = result.err());
        answer
    }

    #[test]
    fn lists_tuples_and_maps_nest() {
        let bytes =
            b"\x83h\x03l\0\0\0\x02a\x01b\xff\xff\xff\xfejt\0\0\0\x02w\x01ba\x02w\x01aa\x01k\0\x02hi";
        check(bytes, |result| {
            let term = result.unwrap();
            let no_gc = no_gc!();
            let [list, map, string] = term.as_tuple(no_gc).unwrap() else {
                panic!("three elements");
            };
            let (first, rest) = list.as_cons().unwrap();
            let (second, rest) = rest.as_cons().unwrap();
            assert_eq!((first.as_small(), second.as_small()), (Some(1), Some(-2)));
            assert!(rest.is_nil());
            assert_eq!(map.map_size(), Some(2));
            let (first, _) = string.as_cons().unwrap();
            assert_eq!(first.as_small(), Some(i64::from(b'h')));
        });
    }

    #[test]
    fn claims_beyond_the_input_are_refused() {
        assert_eq!(fault(b"\x83l\xff\xff\xff\xffj"), Some(Fault::Truncated));
        assert_eq!(fault(b"\x83i\xff\xff\xff\xff"), Some(Fault::Truncated));
        assert_eq!(fault(b"\x83t\xff\xff\xff\xffjj"), Some(Fault::Truncated));
        assert_eq!(fault(b"\x83m\xff\xff\xff\xff"), Some(Fault::Truncated));
        assert_eq!(fault(b"\x83o\xff\xff\xff\xff\0"), Some(Fault::Truncated));
        // Each list alone would fit the remaining bytes, but not all of them together.
        let nested = [b"\x83".as_slice(), &b"l\0\0\x10\0".repeat(2000)].concat();
        assert_eq!(fault(&nested), Some(Fault::Truncated));
        assert_eq!(
            fault(b"\x83P\xff\xff\xff\xff\x78\x9c\x03"),
            Some(Fault::Compressed)
        );
        assert_eq!(fault(b"\x82j"), Some(Fault::Version));
        assert_eq!(fault(b""), Some(Fault::Truncated));
        assert_eq!(fault(b"\x83u\0\0\0\0"), Some(Fault::UnknownTag(b'u')));
    }

    #[test]
    fn depth_needs_no_stack() {
        let depth = 1_000_000;
        let bytes = [b"\x83".as_slice(), &b"h\x01".repeat(depth), b"j"].concat();
        check(&bytes, |result| {
            let mut term = result.unwrap();
            for _ in 0..depth {
                term = term.as_tuple(no_gc!()).unwrap()[0];
            }
            assert!(term.is_nil());
        });
    }

    #[test]
    fn marked_terms_stand_where_terms_may() {
        let marked = local::mark(b"\x83h\x01a\x05");
        let part = &marked[1..];
        let decode = |bytes: &[u8]| -> Result<(String, usize), DecodeError> {
            let mut scratch = Scratch::new();
            let mut decoder = Decoder::new();
            loop {
                // A byte at a time, from a decoder that moves meanwhile.
                let mut moved = decoder;
                let (mut budget, heap) = (1, scratch.heap());
                let options = DecodeOptions::default();
                let step = moved.run(heap, bytes, &options, &mut NoRuntime, &mut budget)?;
                decoder = moved;
                if let Step::Done(term) = step {
                    return Ok((crate::print::display(term).to_string(), decoder.used()));
                }
            }
        };
        let within = |before: &[u8], after: &[u8]| decode(&[before, part, after].concat());
        assert_eq!(within(b"\x83", b""), Ok(("{5}".to_owned(), marked.len())));
        assert_eq!(
            within(b"\x83", b"a").map(|(_, used)| used),
            Ok(marked.len())
        );
        let list = within(b"\x83l\0\0\0\x01a\x01", b"");
        assert_eq!(list.map(|(term, _)| term), Ok("[1|{5}]".to_owned()));
        let map = within(b"\x83t\0\0\0\x01a\x01", b"");
        assert_eq!(map.map(|(term, _)| term), Ok("#{1=>{5}}".to_owned()));
        let damaged = |at: usize| {
            let mut bytes = marked.clone();
            bytes[at] ^= 1;
            decode(&bytes).unwrap_err().fault
        };
        assert_eq!(damaged(5), Fault::NotOurs);
        assert_eq!(damaged(marked.len() - 1), Fault::NotOurs);
        assert_eq!(decode(&marked[..4]).unwrap_err().fault, Fault::Truncated);
        let mut scratch = Scratch::new();
        let options = DecodeOptions::default();
        let plain = decode_plain(scratch.heap(), &marked, &options, &mut NoRuntime);
        assert_eq!(plain.unwrap_err().fault, Fault::UnknownTag(tags::LOCAL));
    }

    #[test]
    fn safe_decoding_makes_no_atom() {
        let options = DecodeOptions {
            safe: true,
            ..DecodeOptions::default()
        };
        let mut scratch = Scratch::new();
        let bytes = b"\x83w\x12never_seen_in_tests";
        let result = decode(scratch.heap(), bytes, &options, &mut NoRuntime);
        assert_eq!(result.unwrap_err().fault, Fault::Unsafe);
        assert_eq!(atom::lookup("never_seen_in_tests"), None);
    }

    #[test]
    fn stops_and_goes_on() {
        let bytes = [b"\x83l\0\0\0\x64".as_slice(), &b"a\x07".repeat(100), b"j"].concat();
        let mut scratch = Scratch::new();
        let mut decoder = Decoder::new();
        let mut runs = 0;
        let term = loop {
            let mut budget = 7;
            runs += 1;
            let options = DecodeOptions::default();
            let step = decoder.run(
                scratch.heap(),
                &bytes,
                &options,
                &mut NoRuntime,
                &mut budget,
            );
            if let Step::Done(term) = step.unwrap() {
                break term;
            }
        };
        assert_eq!(decoder.used(), bytes.len());
        // Each run but the last starts its last integer before the end of its seven bytes.
        assert_eq!(runs, 26);
        let length = std::iter::successors(Some(term), |list| list.as_cons().map(|c| c.1)).count();
        assert_eq!(length, 101);
    }
}
