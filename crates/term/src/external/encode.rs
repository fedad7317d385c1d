//! Encoding terms in the external format.
//!
//! What is still to be written is kept on a stack of tasks, so depth needs no native stack and the work can stop.
//! Lengths that are known only at the end (of lists and funs) are filled in later.

use layout::object::{Bits, MapShape, offset};
use layout::{Export, ObjectKind, Term};

use super::segments::Segment;
use super::tags;
use crate::compare::compare_exact;
use crate::off_heap::MagicBlock;
use crate::{atom, build, fun, map, node, reference, text};

/// How to encode.
#[derive(Clone, Copy)]
pub struct EncodeOptions<'a> {
    /// Floats as text, as before `{minor_version, 1}`.
    pub text_floats: bool,
    /// All atoms in UTF-8, as from `{minor_version, 2}`; otherwise only those with characters outside Latin-1.
    pub utf8_atoms: bool,
    /// Large maps in the order of their keys.
    pub deterministic: bool,
    /// The index of an atom in the atom cache of a distribution message, if it is there.
    pub atom_cache: Option<&'a dyn Fn(Term) -> Option<u8>>,
}

impl EncodeOptions<'_> {
    /// `{minor_version, Version}`; 1 is what `term_to_binary/1` uses.
    #[must_use]
    pub fn minor_version(version: u8) -> Option<Self> {
        (version <= 2).then_some(Self {
            text_floats: version == 0,
            utf8_atoms: version == 2,
            deterministic: false,
            atom_cache: None,
        })
    }
}

impl Default for EncodeOptions<'_> {
    fn default() -> Self {
        Self::minor_version(1).expect("a version there is")
    }
}

/// The term has no external format: it contains a binary of 4 GiB or more, or a list or map that long.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SystemLimit;

/// Encodes a term, version byte first.
///
/// # Errors
/// [`SystemLimit`].
pub fn encode(term: Term, options: &EncodeOptions) -> Result<Vec<u8>, SystemLimit> {
    let mut encoder = Encoder::new(term);
    encoder.finish(options)?;
    Ok(encoder.into_bytes())
}

/// Appends a term without version byte, as in distribution messages, where several follow each other.
///
/// # Errors
/// [`SystemLimit`]; then part of the term is in the buffer.
pub fn encode_bare(
    buffer: &mut Vec<u8>,
    term: Term,
    options: &EncodeOptions,
) -> Result<(), SystemLimit> {
    let mut encoder = Encoder::bare(std::mem::take(buffer), term);
    let result = encoder.finish(options);
    *buffer = encoder.into_bytes();
    result
}

/// What is still to be written.
enum Task {
    Term(Term),
    /// Words `next..end` of a boxed object.
    Words {
        object: Term,
        next: usize,
        end: usize,
    },
    /// The cells of a list from here on; their number is written to `length_at`.
    List {
        cell: Term,
        count: u64,
        length_at: usize,
    },
    /// The pairs of a flat map from `next` on.
    Pairs {
        map: Term,
        next: usize,
    },
    /// The children `first..next` of a node of a hash map, written from the last to the first.
    Children {
        node: Term,
        first: usize,
        next: usize,
    },
    /// Pairs in descending order of their keys; the last one is written next.
    Sorted(Vec<(Term, Term)>),
    /// Fills in the size of a fun once its parts are written.
    FunSize {
        at: usize,
        apart: usize,
    },
}

/// A binary that is not copied to the buffer, and where in the buffer it belongs.
struct Apart {
    at: usize,
    binary: Term,
    start: usize,
    size: usize,
}

/// An encoder that can stop and continue.
///
/// It holds terms that no collector knows of: between two runs the term must not move.
pub struct Encoder {
    buffer: Vec<u8>,
    tasks: Vec<Task>,
    /// The large binaries found so far, if they are not copied.
    apart: Option<Vec<Apart>>,
    apart_bytes: usize,
}

/// Bytes copied that count as one step.
const BYTES_PER_STEP: usize = 64;

impl Encoder {
    /// An encoder for a term, version byte first.
    #[must_use]
    pub fn new(term: Term) -> Encoder {
        Encoder::bare(vec![tags::VERSION], term)
    }

    /// An encoder that appends a term, without version byte, to a buffer.
    #[must_use]
    pub fn bare(buffer: Vec<u8>, term: Term) -> Encoder {
        Encoder {
            buffer,
            tasks: vec![Task::Term(term)],
            apart: None,
            apart_bytes: 0,
        }
    }

    /// An encoder for a term, version byte first, that does not copy large shared binaries.
    #[must_use]
    pub fn segmented(term: Term) -> Encoder {
        Encoder {
            apart: Some(Vec::new()),
            ..Encoder::new(term)
        }
    }

    /// Writes everything that is left.
    ///
    /// # Errors
    /// [`SystemLimit`].
    pub fn finish(&mut self, options: &EncodeOptions) -> Result<(), SystemLimit> {
        let mut budget = usize::MAX;
        while !self.run(options, &mut budget)? {
            budget = usize::MAX;
        }
        Ok(())
    }

    /// The bytes written.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        self.buffer
    }

    /// The bytes written, and how they and the binaries that were not copied make up the whole.
    #[must_use]
    pub fn into_segments(self) -> (Vec<u8>, Vec<Segment>) {
        let mut segments = Vec::new();
        let mut start = 0;
        for apart in self.apart.unwrap_or_default() {
            if apart.at > start {
                segments.push(Segment::Bytes {
                    start,
                    end: apart.at,
                });
                start = apart.at;
            }
            segments.push(Segment::Shared {
                binary: apart.binary,
                start: apart.start,
                size: apart.size,
            });
        }
        if self.buffer.len() > start {
            let end = self.buffer.len();
            segments.push(Segment::Bytes { start, end });
        }
        (self.buffer, segments)
    }

    /// Writes until the budget (roughly: terms) is used up (`false`) or all is written (`true`).
    ///
    /// # Errors
    /// [`SystemLimit`].
    pub fn run(
        &mut self,
        options: &EncodeOptions,
        budget: &mut usize,
    ) -> Result<bool, SystemLimit> {
        while let Some(task) = self.tasks.pop() {
            if *budget == 0 {
                self.tasks.push(task);
                return Ok(false);
            }
            *budget -= 1;
            match task {
                Task::Term(term) => self.term(term, options, budget)?,
                Task::Words { object, next, end } => {
                    if next + 1 < end {
                        self.tasks.push(Task::Words {
                            object,
                            next: next + 1,
                            end,
                        });
                    }
                    self.term(term_word(object, next), options, budget)?;
                }
                Task::List {
                    cell,
                    count,
                    length_at,
                } => {
                    let tail = cell.tail();
                    if tail.is_cons() {
                        self.tasks.push(Task::List {
                            cell: tail,
                            count: count + 1,
                            length_at,
                        });
                    } else {
                        let count = u32::try_from(count).map_err(|_| SystemLimit)?;
                        self.patch(length_at, count);
                        self.tasks.push(Task::Term(tail));
                    }
                    self.term(cell.head(), options, budget)?;
                }
                Task::Pairs { map, next } => {
                    if next + 1 < map.word(offset::MAP_SIZE) as usize {
                        self.tasks.push(Task::Pairs {
                            map,
                            next: next + 1,
                        });
                    }
                    let keys = term_word(map, offset::FLAT_MAP_KEYS);
                    let value = term_word(map, offset::FLAT_MAP_VALUES + next);
                    self.tasks.push(Task::Term(value));
                    self.term(term_word(keys, next), options, budget)?;
                }
                Task::Children { node, first, next } => {
                    if first + 1 < next {
                        self.tasks.push(Task::Children {
                            node,
                            first,
                            next: next - 1,
                        });
                    }
                    self.child(term_word(node, next - 1), options, budget)?;
                }
                Task::Sorted(mut pairs) => {
                    if let Some((key, value)) = pairs.pop() {
                        self.tasks.push(Task::Sorted(pairs));
                        self.tasks.push(Task::Term(value));
                        self.term(key, options, budget)?;
                    }
                }
                Task::FunSize { at, apart } => {
                    let size = self.buffer.len() - at + self.apart_bytes - apart;
                    self.patch(at, u32::try_from(size).map_err(|_| SystemLimit)?);
                }
            }
        }
        Ok(true)
    }

    /// Writes a term without parts, or the start of a term whose parts become a task.
    fn term(
        &mut self,
        term: Term,
        options: &EncodeOptions,
        budget: &mut usize,
    ) -> Result<(), SystemLimit> {
        if let Some(value) = term.as_small() {
            self.small(value);
        } else if term.is_atom() {
            self.atom(term, options);
        } else if term.is_nil() {
            self.buffer.push(tags::NIL);
        } else if term.is_cons() {
            self.list(term, budget);
        } else if term.is_local_pid() {
            self.pid(term, options);
        } else if term.is_local_port() {
            self.port(term, options);
        } else {
            return self.boxed(term, options, budget);
        }
        Ok(())
    }

    fn boxed(
        &mut self,
        term: Term,
        options: &EncodeOptions,
        budget: &mut usize,
    ) -> Result<(), SystemLimit> {
        match term.header().kind() {
            ObjectKind::Tuple => self.tuple(term),
            ObjectKind::PositiveBig | ObjectKind::NegativeBig => self.big(term),
            ObjectKind::Float => self.float(f64::from_bits(term.word(0)), options),
            ObjectKind::HeapBinary | ObjectKind::SharedBinary | ObjectKind::SubBinary => {
                return self.bit_string(term, budget);
            }
            ObjectKind::Map => return self.map(term, options, budget),
            ObjectKind::Reference | ObjectKind::MagicReference | ObjectKind::ExternalReference => {
                MagicBlock::save(term);
                self.reference(term, options);
            }
            ObjectKind::ExternalPid => self.pid(term, options),
            ObjectKind::ExternalPort => self.port(term, options),
            ObjectKind::Fun => self.fun(term, options),
            ObjectKind::Export => self.export(term, options),
            ObjectKind::MatchContext => unreachable!("a match context is no term of the language"),
        }
        Ok(())
    }

    fn patch(&mut self, at: usize, value: u32) {
        self.buffer[at..at + 4].copy_from_slice(&value.to_be_bytes());
    }

    fn u32(&mut self, value: u32) {
        self.buffer.extend(value.to_be_bytes());
    }

    fn small(&mut self, value: i64) {
        if let Ok(byte) = u8::try_from(value) {
            self.buffer.extend([tags::SMALL_INTEGER, byte]);
        } else if let Ok(value) = i32::try_from(value) {
            self.buffer.push(tags::INTEGER);
            self.buffer.extend(value.to_be_bytes());
        } else {
            self.digits(value < 0, &[value.unsigned_abs()]);
        }
    }

    fn big(&mut self, term: Term) {
        let (negative, limbs) = term.as_big().expect("a big integer");
        self.digits(negative, limbs);
    }

    /// A big integer; its last limb is not 0.
    fn digits(&mut self, negative: bool, limbs: &[u64]) {
        let size = big_bytes(limbs);
        if let Ok(size) = u8::try_from(size) {
            self.buffer.extend([tags::SMALL_BIG, size]);
        } else {
            self.buffer.push(tags::LARGE_BIG);
            self.u32(size as u32);
        }
        self.buffer.push(u8::from(negative));
        let end = self.buffer.len() + size;
        for limb in limbs {
            self.buffer.extend(limb.to_le_bytes());
        }
        self.buffer.truncate(end);
    }

    fn float(&mut self, value: f64, options: &EncodeOptions) {
        if options.text_floats {
            self.buffer.push(tags::FLOAT);
            let end = self.buffer.len() + tags::FLOAT_TEXT_BYTES;
            self.buffer
                .extend(text::float::scientific(value, 20).bytes());
            self.buffer.resize(end, 0);
        } else {
            self.buffer.push(tags::NEW_FLOAT);
            self.buffer.extend(value.to_bits().to_be_bytes());
        }
    }

    fn atom(&mut self, atom: Term, options: &EncodeOptions) {
        if let Some(place) = options.atom_cache.and_then(|cache| cache(atom)) {
            self.buffer.extend([tags::ATOM_CACHE_REFERENCE, place]);
            return;
        }
        let text = atom::text(atom);
        let latin1 = if options.utf8_atoms {
            None
        } else {
            latin1_length(text)
        };
        if let Some(length) = latin1 {
            self.buffer.push(tags::ATOM);
            self.buffer.extend((length as u16).to_be_bytes());
            self.buffer.extend(text.chars().map(|c| c as u8));
            return;
        }
        if let Ok(length) = u8::try_from(text.len()) {
            self.buffer.extend([tags::SMALL_ATOM_UTF8, length]);
        } else {
            self.buffer.push(tags::ATOM_UTF8);
            self.buffer.extend((text.len() as u16).to_be_bytes());
        }
        self.buffer.extend(text.bytes());
    }

    fn pid(&mut self, pid: Term, options: &EncodeOptions) {
        let (name, creation) = node_of(pid);
        self.buffer.push(tags::NEW_PID);
        self.atom(name, options);
        let (index, serial) = if pid.is_local_pid() {
            (pid.identifier_index(), pid.identifier_serial())
        } else {
            let id = pid.word(offset::EXTERNAL_ID);
            (id as u32, (id >> 32) as u32)
        };
        self.u32(index);
        self.u32(serial);
        self.u32(creation);
    }

    fn port(&mut self, port: Term, options: &EncodeOptions) {
        let (name, creation) = node_of(port);
        let number = port_number(port);
        let narrow = number <= tags::MAX_NEW_PORT;
        self.buffer.push(if narrow {
            tags::NEW_PORT
        } else {
            tags::V4_PORT
        });
        self.atom(name, options);
        if narrow {
            self.u32(number as u32);
        } else {
            self.buffer.extend(number.to_be_bytes());
        }
        self.u32(creation);
    }

    fn reference(&mut self, term: Term, options: &EncodeOptions) {
        let (name, creation) = node_of(term);
        let (words, count) = reference_words(term);
        self.buffer.push(tags::NEWER_REFERENCE);
        self.buffer.extend((count as u16).to_be_bytes());
        self.atom(name, options);
        self.u32(creation);
        for word in &words[..count] {
            self.u32(*word);
        }
    }

    fn list(&mut self, list: Term, budget: &mut usize) {
        if let Some(length) = string_length(list) {
            *budget = budget.saturating_sub(length / 8);
            self.buffer.push(tags::STRING);
            self.buffer.extend((length as u16).to_be_bytes());
            let mut rest = list;
            while let Some((head, tail)) = rest.as_cons() {
                self.buffer.push(head.small_value() as u8);
                rest = tail;
            }
            return;
        }
        self.buffer.push(tags::LIST);
        let length_at = self.buffer.len();
        self.u32(0);
        self.tasks.push(Task::List {
            cell: list,
            count: 1,
            length_at,
        });
    }

    fn tuple(&mut self, tuple: Term) {
        let arity = tuple.header().arity();
        if let Ok(arity) = u8::try_from(arity) {
            self.buffer.extend([tags::SMALL_TUPLE, arity]);
        } else {
            self.buffer.push(tags::LARGE_TUPLE);
            self.u32(arity as u32);
        }
        if arity > 0 {
            self.tasks.push(Task::Words {
                object: tuple,
                next: 0,
                end: arity,
            });
        }
    }

    fn map(
        &mut self,
        map: Term,
        options: &EncodeOptions,
        budget: &mut usize,
    ) -> Result<(), SystemLimit> {
        let size = map.word(offset::MAP_SIZE) as usize;
        self.buffer.push(tags::MAP);
        self.u32(u32::try_from(size).map_err(|_| SystemLimit)?);
        match map.header().map_shape() {
            MapShape::Flat if size == 0 => {}
            MapShape::Flat => self.tasks.push(Task::Pairs { map, next: 0 }),
            _ if options.deterministic => {
                let mut pairs: Vec<(Term, Term)> = map::iter(map).collect();
                *budget = budget.saturating_sub(size);
                pairs.sort_unstable_by(|a, b| compare_exact(b.0, a.0));
                self.tasks.push(Task::Sorted(pairs));
            }
            MapShape::HashRoot | MapShape::HashNode => self.node(map),
        }
        Ok(())
    }

    fn node(&mut self, node: Term) {
        let first = match node.header().map_shape() {
            MapShape::HashRoot => offset::HASH_ROOT_CHILDREN,
            _ => 0,
        };
        let next = node.header().arity();
        if first < next {
            self.tasks.push(Task::Children { node, first, next });
        }
    }

    /// Writes a leaf of a hash map, or an inner node.
    fn child(
        &mut self,
        child: Term,
        options: &EncodeOptions,
        budget: &mut usize,
    ) -> Result<(), SystemLimit> {
        if child.is_cons() {
            self.tasks.push(Task::Term(child.tail()));
            return self.term(child.head(), options, budget);
        }
        self.node(child);
        Ok(())
    }

    fn bit_string(&mut self, term: Term, budget: &mut usize) -> Result<(), SystemLimit> {
        let bits = term.as_bits().expect("a bit string");
        let size = bits.bit_len.div_ceil(8) as usize;
        let trailing = (bits.bit_len % 8) as u8;
        let length = u32::try_from(size).map_err(|_| SystemLimit)?;
        self.buffer.push(if trailing == 0 {
            tags::BINARY
        } else {
            tags::BIT_BINARY
        });
        self.u32(length);
        if trailing != 0 {
            self.buffer.push(trailing);
        }
        let whole_bytes = (bits.bit_len / 8) as usize;
        if let Some(apart) = &mut self.apart
            && bits.bit_offset == 0
            && whole_bytes > layout::limits::HEAP_BINARY_BYTES
        {
            let (whole, start) = build::whole_of(term);
            if whole.is_kind(ObjectKind::SharedBinary) {
                apart.push(Apart {
                    at: self.buffer.len(),
                    binary: whole,
                    start: (start / 8) as usize,
                    size: whole_bytes,
                });
                self.apart_bytes += whole_bytes;
                let last = Bits {
                    bytes: bits.bytes.wrapping_add(whole_bytes),
                    bit_offset: 0,
                    bit_len: u64::from(trailing),
                };
                append_bits(&mut self.buffer, last);
                return Ok(());
            }
        }
        *budget = budget.saturating_sub(size / BYTES_PER_STEP);
        append_bits(&mut self.buffer, bits);
        Ok(())
    }

    fn fun(&mut self, fun: Term, options: &EncodeOptions) {
        let entry = fun::entry(fun);
        let header = fun.header();
        let free = header.arity() - offset::FUN_FREE;
        self.buffer.push(tags::NEW_FUN);
        self.tasks.push(Task::FunSize {
            at: self.buffer.len(),
            apart: self.apart_bytes,
        });
        self.u32(0);
        self.buffer.push(entry.arity as u8);
        self.buffer.extend(entry.unique);
        self.u32(entry.index);
        self.u32(free as u32);
        self.atom(entry.module, options);
        self.small(i64::from(entry.old_index));
        self.small(i64::from(entry.old_unique));
        self.pid(fun::creator(fun), options);
        if free > 0 {
            self.tasks.push(Task::Words {
                object: fun,
                next: offset::FUN_FREE,
                end: header.arity(),
            });
        }
    }

    fn export(&mut self, fun: Term, options: &EncodeOptions) {
        // SAFETY: that word of an external fun is the address of an entry, which lives for ever.
        let entry = unsafe { &*(fun.word(offset::EXPORT_ENTRY) as *const Export) };
        self.buffer.push(tags::EXPORT);
        self.atom(entry.module, options);
        self.atom(entry.function, options);
        self.small(i64::from(entry.arity));
    }
}

/// A word that is known to be a term.
fn term_word(object: Term, index: usize) -> Term {
    // SAFETY: the callers pass indexes of words behind the raw ones, which are terms.
    unsafe { Term::from_bits(object.word(index)) }
}

/// Name and creation of the node that an identifier belongs to.
pub(super) fn node_of(identifier: Term) -> (Term, u32) {
    match identifier.boxed_kind() {
        Some(
            ObjectKind::ExternalPid | ObjectKind::ExternalPort | ObjectKind::ExternalReference,
        ) => {
            let node = node::of(identifier);
            (node.name, node.creation)
        }
        _ => (node::own_name(), node::own_creation()),
    }
}

/// The number of a port, as the external format and printing show it.
#[must_use]
pub fn port_number(port: Term) -> u64 {
    if port.is_local_port() {
        let serial = u64::from(port.identifier_serial());
        u64::from(port.identifier_index()) | serial << layout::limits::PID_INDEX_BITS
    } else {
        port.word(offset::EXTERNAL_ID)
    }
}

/// The words of a reference, and how many there are.
#[must_use]
pub fn reference_words(term: Term) -> ([u32; tags::MAX_REFERENCE_WORDS + 1], usize) {
    let mut words = [0; tags::MAX_REFERENCE_WORDS + 1];
    if let Some((low, high)) = reference::number(term) {
        words[..3].copy_from_slice(&reference::to_words(low, high));
        return match reference::pid(term) {
            Some(pid) => {
                words[3] = pid.identifier_index();
                words[4] = pid.identifier_serial();
                (words, 5)
            }
            None => (words, 3),
        };
    }
    let count = term.word(offset::EXTERNAL_REFERENCE_COUNT) as usize;
    for (index, word) in words[..count].iter_mut().enumerate() {
        let both = term.word(offset::EXTERNAL_REFERENCE_WORDS + index / 2);
        *word = (both >> (index % 2 * 32)) as u32;
    }
    (words, count)
}

/// Bytes of a magnitude without leading zeros.
pub(super) fn big_bytes(limbs: &[u64]) -> usize {
    let zeros = limbs.last().map_or(0, |last| last.leading_zeros());
    limbs.len() * 8 - zeros as usize / 8
}

/// Length of a text in Latin-1, if all its characters are in Latin-1.
pub(super) fn latin1_length(text: &str) -> Option<usize> {
    if text.is_ascii() {
        return Some(text.len());
    }
    text.chars()
        .all(|c| u32::from(c) < 256)
        .then(|| text.chars().count())
}

/// Length of a list, if it is written as a `STRING`.
pub(super) fn string_length(list: Term) -> Option<usize> {
    let (mut rest, mut length) = (list, 0);
    while let Some((head, tail)) = rest.as_cons() {
        if !head.as_small().is_some_and(|byte| (0..256).contains(&byte))
            || length == tags::MAX_STRING_BYTES
        {
            return None;
        }
        length += 1;
        rest = tail;
    }
    rest.is_nil().then_some(length)
}

/// Appends bits, padding the last byte with zeros.
fn append_bits(buffer: &mut Vec<u8>, bits: Bits) {
    if bits.bit_len == 0 {
        return;
    }
    let size = bits.bit_len.div_ceil(8) as usize;
    let spanned = (u64::from(bits.bit_offset) + bits.bit_len).div_ceil(8) as usize;
    // SAFETY: those are the bytes that hold the bits; the moving rule keeps them.
    let source = unsafe { std::slice::from_raw_parts(bits.bytes, spanned) };
    if bits.bit_offset == 0 {
        buffer.extend_from_slice(source);
    } else {
        let shift = bits.bit_offset;
        buffer.extend((0..size).map(|index| {
            let next = source.get(index + 1).map_or(0, |&byte| byte >> (8 - shift));
            source[index] << shift | next
        }));
    }
    let trailing = bits.bit_len % 8;
    if trailing != 0
        && let Some(last) = buffer.last_mut()
    {
        *last &= (0xff00_u16 >> trailing) as u8;
    }
}
