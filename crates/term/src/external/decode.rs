//! Decoding the external format.
//!
//! Parts are collected on a stack of values and built into objects when they are complete, so an error leaves no
//! half-made object behind. Every term that is still to be read takes at least one byte; a claim of more terms than
//! remaining bytes is refused, which bounds everything that is allocated.

use layout::limits::{BIG_LIMBS, FLAT_MAP_PAIRS};
use layout::{FunEntry, Term};
use smallvec::SmallVec;

use super::input::Input;
use super::{DecodeOptions, Resolver, compression, tags};
use crate::heap::Allocate;
use crate::{build, map, text};

mod names;

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
    /// The atom table is full: the node cannot continue.
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
pub fn decode<A: Allocate + ?Sized>(
    heap: &mut A,
    bytes: &[u8],
    options: &DecodeOptions,
    resolver: &mut dyn Resolver,
) -> Result<(Term, usize), DecodeError> {
    whole(Decoder::new(), heap, bytes, options, resolver)
}

/// As [`decode`], for a term without version byte, as in distribution messages, where several follow each other.
///
/// # Errors
/// As [`decode`].
pub fn decode_bare<A: Allocate + ?Sized>(
    heap: &mut A,
    bytes: &[u8],
    options: &DecodeOptions,
    resolver: &mut dyn Resolver,
) -> Result<(Term, usize), DecodeError> {
    whole(Decoder::bare(), heap, bytes, options, resolver)
}

fn whole<A: Allocate + ?Sized>(
    mut decoder: Decoder,
    heap: &mut A,
    bytes: &[u8],
    options: &DecodeOptions,
    resolver: &mut dyn Resolver,
) -> Result<(Term, usize), DecodeError> {
    loop {
        let mut budget = usize::MAX;
        let step = decoder.run(heap, bytes, options, resolver, &mut budget)?;
        if let Step::Done(term) = step {
            return Ok((term, decoder.used()));
        }
    }
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
    versioned: bool,
    /// The decompressed bytes of a compressed term.
    inflated: Option<Vec<u8>>,
    /// Bytes of the input that a compressed term took.
    compressed_bytes: usize,
    /// Where to continue reading.
    position: usize,
    /// Terms still to be read.
    outstanding: usize,
    frames: Vec<Frame>,
    /// The complete parts of all open frames.
    values: Vec<Term>,
    limbs: Vec<u64>,
}

/// An object whose parts are being read.
struct Frame {
    /// Parts still to come.
    left: usize,
    /// Where its parts start in `values`.
    base: usize,
    shape: Shape,
}

enum Shape {
    /// The last part is the tail.
    List,
    Tuple,
    Map,
    Fun {
        entry: *const FunEntry,
        /// Its pid, or that with the keeper of the entry.
        creator: Term,
    },
}

/// The result of reading the start of a term: a complete term, or the number of its parts.
enum Read {
    Term(Term),
    Parts(usize, Shape),
    /// A list without elements is the same as its tail, which comes next.
    Next,
}

impl Default for Decoder {
    fn default() -> Decoder {
        Decoder::new()
    }
}

impl Decoder {
    /// For a term that starts with the version byte.
    #[must_use]
    pub fn new() -> Decoder {
        Decoder {
            started: false,
            versioned: true,
            inflated: None,
            compressed_bytes: 0,
            position: 0,
            outstanding: 1,
            frames: Vec::new(),
            values: Vec::new(),
            limbs: Vec::new(),
        }
    }

    /// For a term without version byte.
    #[must_use]
    pub fn bare() -> Decoder {
        Decoder {
            versioned: false,
            ..Decoder::new()
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

    /// Decodes until the budget (roughly: terms) is used up or the term is complete. Decompressing is a single step;
    /// its cost is deducted from the budget afterwards.
    ///
    /// # Errors
    /// As [`decode`].
    pub fn run<A: Allocate + ?Sized>(
        &mut self,
        heap: &mut A,
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
        let mut reading = Reading {
            input: Input::new(source, self.position.min(source.len())),
            heap,
            options,
            resolver,
        };
        let result = self.terms(&mut reading, budget);
        self.position = reading.input.position();
        self.inflated = inflated;
        result
    }

    /// Reads what comes before the term: the version byte, and the header of a compressed term.
    fn start(&mut self, bytes: &[u8], budget: &mut usize) -> Result<(), DecodeError> {
        self.started = true;
        let mut input = Input::new(bytes, 0);
        if self.versioned && input.u8()? != tags::VERSION {
            return Input::new(bytes, 0).fail(Fault::Version);
        }
        self.position = input.position();
        if self.versioned && input.remaining() >= 5 && input.rest()[0] == tags::COMPRESSED {
            input.u8()?;
            let length = input.length()?;
            let Some((inflated, read)) = compression::inflate(input.rest(), length) else {
                return input.fail(Fault::Compressed);
            };
            *budget = budget.saturating_sub(inflated.len() / BYTES_PER_STEP);
            self.compressed_bytes = input.position() + read;
            self.inflated = Some(inflated);
            self.position = 0;
        }
        Ok(())
    }

    fn terms<A: Allocate + ?Sized>(
        &mut self,
        reading: &mut Reading<'_, A>,
        budget: &mut usize,
    ) -> Result<Step, DecodeError> {
        loop {
            if *budget == 0 {
                return Ok(Step::More);
            }
            *budget -= 1;
            self.outstanding -= 1;
            let mut value = match reading.term(&mut self.limbs, budget)? {
                Read::Term(term) => term,
                Read::Next => {
                    self.outstanding += 1;
                    continue;
                }
                Read::Parts(count, shape) => {
                    self.outstanding += count;
                    if self.outstanding > reading.input.remaining() {
                        return reading.input.fail(Fault::Truncated);
                    }
                    self.frames.push(Frame {
                        left: count,
                        base: self.values.len(),
                        shape,
                    });
                    continue;
                }
            };
            loop {
                let Some(frame) = self.frames.last_mut() else {
                    return Ok(Step::Done(value));
                };
                self.values.push(value);
                frame.left -= 1;
                if frame.left > 0 {
                    break;
                }
                let base = frame.base;
                value = reading.object(&frame.shape, &self.values[base..])?;
                self.values.truncate(base);
                self.frames.pop();
            }
        }
    }
}

/// Bytes copied or decompressed that count as one step.
const BYTES_PER_STEP: usize = 64;

/// What one run of a decoder works with.
struct Reading<'a, A: ?Sized> {
    input: Input<'a>,
    heap: &'a mut A,
    options: &'a DecodeOptions<'a>,
    resolver: &'a mut dyn Resolver,
}

impl<A: Allocate + ?Sized> Reading<'_, A> {
    /// Reads a term without parts, or the head of one with parts.
    fn term(&mut self, limbs: &mut Vec<u64>, budget: &mut usize) -> Result<Read, DecodeError> {
        let tag = self.input.u8()?;
        let term = match tag {
            tags::SMALL_INTEGER => Term::small(i64::from(self.input.u8()?)),
            tags::INTEGER => Term::small(i64::from(self.input.u32()? as i32)),
            tags::SMALL_BIG => {
                let size = usize::from(self.input.u8()?);
                self.big(size, limbs)?
            }
            tags::LARGE_BIG => {
                let size = self.input.length()?;
                self.big(size, limbs)?
            }
            tags::NIL => Term::NIL,
            tags::SMALL_TUPLE => {
                return match self.input.u8()? {
                    0 => Ok(Read::Term(build::tuple(self.heap, &[]))),
                    arity => Ok(Read::Parts(usize::from(arity), Shape::Tuple)),
                };
            }
            tags::LARGE_TUPLE => {
                return match self.input.length()? {
                    0 => Ok(Read::Term(build::tuple(self.heap, &[]))),
                    arity => Ok(Read::Parts(arity, Shape::Tuple)),
                };
            }
            tags::LIST => {
                return match self.input.length()? {
                    0 => Ok(Read::Next),
                    length => Ok(Read::Parts(length + 1, Shape::List)),
                };
            }
            tags::MAP => {
                return match self.input.length()? {
                    0 => Ok(Read::Term(self.object(&Shape::Map, &[])?)),
                    pairs => Ok(Read::Parts(pairs * 2, Shape::Map)),
                };
            }
            tags::STRING => {
                let length = usize::from(self.input.u16()?);
                *budget = budget.saturating_sub(length / 8);
                build::byte_list(self.heap, self.input.take(length)?)
            }
            tags::BINARY => {
                let size = self.input.length()?;
                *budget = budget.saturating_sub(size / BYTES_PER_STEP);
                build::binary(self.heap, self.input.take(size)?)
            }
            tags::BIT_BINARY => {
                let size = self.input.length()?;
                *budget = budget.saturating_sub(size / BYTES_PER_STEP);
                self.bit_string(size)?
            }
            tags::NEW_FLOAT => {
                let value = f64::from_bits(self.input.u64()?);
                self.float(value)?
            }
            tags::FLOAT => {
                let text = self.input.take(tags::FLOAT_TEXT_BYTES)?;
                self.float(text::float::parse(text).unwrap_or(f64::NAN))?
            }
            tags::ATOM | tags::SMALL_ATOM | tags::ATOM_UTF8 | tags::SMALL_ATOM_UTF8 => {
                self.atom_of(tag)?
            }
            tags::ATOM_CACHE_REFERENCE => self.atom_of(tag)?,
            tags::PID | tags::NEW_PID => self.pid(tag)?,
            tags::PORT | tags::NEW_PORT | tags::V4_PORT => self.port(tag)?,
            tags::REFERENCE | tags::NEW_REFERENCE | tags::NEWER_REFERENCE => self.reference(tag)?,
            tags::EXPORT => self.export()?,
            tags::NEW_FUN => return self.fun(),
            _ => return self.input.fail(Fault::UnknownTag(tag)),
        };
        Ok(Read::Term(term))
    }

    /// Builds an object from its parts.
    fn object(&mut self, shape: &Shape, parts: &[Term]) -> Result<Term, DecodeError> {
        match *shape {
            Shape::Tuple => Ok(build::tuple(self.heap, parts)),
            Shape::List => Ok(self.list(parts)),
            Shape::Fun { entry, creator } => {
                // SAFETY: `creator` keeps the entry if that does not live for ever.
                Ok(unsafe { build::fun(self.heap, entry, creator, parts) })
            }
            Shape::Map => self.map(parts),
        }
    }

    /// A list of all parts except the last, which is its tail; its cells are contiguous and in order.
    fn list(&mut self, parts: &[Term]) -> Term {
        let (tail, elements) = parts.split_last().expect("a list with its tail");
        let cells = self.heap.allocate(elements.len() * 2).cast::<Term>();
        for (index, element) in elements.iter().enumerate() {
            // SAFETY: two words for each element were just allocated; a cell is complete before
            // the list is handed out.
            unsafe {
                let cell = cells.add(index * 2);
                cell.write(*element);
                let next = if index + 1 == elements.len() {
                    *tail
                } else {
                    Term::from_cons_pointer(cell.add(2))
                };
                cell.add(1).write(next);
            }
        }
        // SAFETY: the first cell, of at least one.
        unsafe { Term::from_cons_pointer(cells) }
    }

    /// A map of keys and values in turn.
    fn map(&mut self, parts: &[Term]) -> Result<Term, DecodeError> {
        let pairs: SmallVec<[(Term, Term); FLAT_MAP_PAIRS]> = parts
            .chunks_exact(2)
            .map(|pair| (pair[0], pair[1]))
            .collect();
        let map = map::from_pairs(self.heap, &pairs);
        if map::size(map) == pairs.len() {
            Ok(map)
        } else {
            self.input.fail(Fault::DuplicateKey)
        }
    }

    fn big(&mut self, size: usize, limbs: &mut Vec<u64>) -> Result<Term, DecodeError> {
        let negative = self.input.u8()? != 0;
        let bytes = self.input.take(size)?;
        let length = bytes
            .iter()
            .rposition(|&byte| byte != 0)
            .map_or(0, |last| last + 1);
        if length > BIG_LIMBS * 8 {
            return self.input.fail(Fault::Integer);
        }
        limbs.clear();
        limbs.extend(bytes[..length].chunks(8).map(|chunk| {
            let mut limb = [0; 8];
            limb[..chunk.len()].copy_from_slice(chunk);
            u64::from_le_bytes(limb)
        }));
        Ok(build::big(self.heap, negative, limbs))
    }

    fn float(&mut self, value: f64) -> Result<Term, DecodeError> {
        if value.is_finite() {
            Ok(build::float(self.heap, value))
        } else {
            self.input.fail(Fault::Float)
        }
    }

    fn bit_string(&mut self, size: usize) -> Result<Term, DecodeError> {
        let bits = self.input.u8()?;
        let bytes = self.input.take(size)?;
        if bits > 8 || (bits == 0) != (size == 0) {
            return self.input.fail(Fault::BitString);
        }
        let whole = build::binary(self.heap, bytes);
        if size == 0 || bits == 8 {
            return Ok(whole);
        }
        let length = (size as u64 - 1) * 8 + u64::from(bits);
        Ok(build::sub_bits(self.heap, whole, 0, length))
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
            let [list, map, string] = term.as_tuple().unwrap() else {
                panic!("three elements");
            };
            assert_eq!(list.head().as_small(), Some(1));
            assert_eq!(list.tail().head().as_small(), Some(-2));
            assert!(list.tail().tail().is_nil());
            assert_eq!(map.map_size(), Some(2));
            assert_eq!(string.head().as_small(), Some(i64::from(b'h')));
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
                term = term.as_tuple().unwrap()[0];
            }
            assert!(term.is_nil());
        });
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
        assert_eq!(runs, 15);
        let length = std::iter::successors(Some(term), |list| list.as_cons().map(|c| c.1)).count();
        assert_eq!(length, 101);
    }
}
