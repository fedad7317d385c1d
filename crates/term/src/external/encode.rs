//! Encoding terms in the external format.
//!
//! One pass, from the term to bytes: [`Encoder::run`] is at a place in one object, the rest of those around it is kept
//! on a stack of tasks, so depth needs no native stack and the work can stop. Lengths that are known only at the end
//! (of lists and funs) are filled in later.

use layout::kinds::{FlatMap, Float, HeapBinary};
use layout::limits::HEAP_BINARY_BYTES;
use layout::object::{Bits, offset};
use layout::{Boxed, Cons, Heap, ObjectKind, Term, no_gc};
use smallvec::SmallVec;

use super::output::{FirstBytes, Output, Pen, ROOM};
use super::segments::Segment;
use super::tags;
use crate::compare::compare_exact;
use crate::{atom, build, map, text};

mod identifiers;
mod pieces;

pub(super) use identifiers::is_narrow_port;
pub(super) use identifiers::{latin1_length, node_of};
pub use identifiers::{port_number, reference_words};
pub(super) use pieces::big_bytes;
use pieces::{
    float_bytes, put_heap_binary, put_limb, put_short_bits, put_small, put_spelling, tagged,
};

/// How to encode.
#[derive(Clone, Copy)]
pub struct EncodeOptions<'a> {
    /// Floats as text, as before `{minor_version, 1}`.
    pub text_floats: bool,
    /// All atoms in UTF-8, as from `{minor_version, 2}`; otherwise only those with characters outside Latin-1.
    pub utf8_atoms: bool,
    /// Large maps in the order of their keys.
    pub deterministic: bool,
    /// For this node only, whatever it is named when it reads the term: its identifiers are written without its name.
    pub local: bool,
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
            local: false,
            atom_cache: None,
        })
    }
}

impl EncodeOptions<'_> {
    /// What `term_to_binary/1` uses: from OTP 26 on, atoms are in UTF-8.
    #[inline]
    #[must_use]
    pub fn of_release() -> Self {
        Self {
            utf8_atoms: crate::release::has(crate::release::Release::OTP_26),
            ..Self::default()
        }
    }

    /// Whether atoms are written as their spelling ([`atom::spelling`]), if they have one.
    #[inline]
    fn has_plain_atoms(&self) -> bool {
        self.atom_cache.is_none() && !self.utf8_atoms
    }
}

impl Default for EncodeOptions<'_> {
    #[inline]
    fn default() -> Self {
        Self {
            text_floats: false,
            utf8_atoms: false,
            deterministic: false,
            local: false,
            atom_cache: None,
        }
    }
}

/// The term has no external format: it contains a binary of 4 GiB or more, or a list or map that long.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SystemLimit;

/// What an encoder needs of its caller's stack, so that small terms need no allocation. It is large: it is made where
/// it stays.
pub struct EncodeBuffers {
    first: FirstBytes,
    tasks: SmallVec<[Task; 8]>,
}

impl EncodeBuffers {
    #[inline(always)]
    #[must_use]
    pub fn new() -> EncodeBuffers {
        EncodeBuffers {
            first: FirstBytes::uninit(),
            tasks: SmallVec::new(),
        }
    }
}

impl Default for EncodeBuffers {
    fn default() -> EncodeBuffers {
        EncodeBuffers::new()
    }
}

/// Encodes a term, version byte first.
///
/// # Errors
/// [`SystemLimit`].
pub fn encode(term: Term, options: &EncodeOptions) -> Result<Vec<u8>, SystemLimit> {
    let mut buffers = EncodeBuffers::new();
    let mut encoder = Encoder::new(term, &mut buffers);
    encoder.finish(options)?;
    Ok(encoder.bytes().to_vec())
}

/// Appends a term without version byte, as in distribution messages, where several follow each other.
///
/// # Errors
/// [`SystemLimit`].
pub fn encode_bare(
    buffer: &mut Vec<u8>,
    term: Term,
    options: &EncodeOptions,
) -> Result<(), SystemLimit> {
    let mut buffers = EncodeBuffers::new();
    let mut encoder = Encoder::bare(term, &mut buffers);
    encoder.finish(options)?;
    buffer.extend_from_slice(encoder.bytes());
    Ok(())
}

/// What is still to be written.
enum Task {
    Rest(Rest),
    /// The first `left` children of a node of a hash map, written from the last to the first.
    Children {
        first: *const Term,
        left: usize,
    },
    /// Keeps the sorted pairs of a hash map while they are a row.
    Keep(Vec<[Term; 2]>),
    /// Fills in the size of a fun once its parts are written.
    FunSize {
        at: usize,
        apart: usize,
    },
}

/// The terms of an object that are still to be written: a row of terms in memory, or a list. Both are one type, because
/// the writing loop has to keep what it is at in few registers.
#[derive(Clone, Copy)]
struct Rest {
    /// The address of the next term of a row; a list.
    at: u64,
    /// The number of terms of a row; of a list, the number of elements that were written.
    count: usize,
    /// Words from a term of a row to the next one: [`Rest::ROW`], or for the keys and values of a flat map, which are
    /// apart, the words from a key to its value, and from a value to the next key, in turns. [`Rest::LIST`] for a list.
    step: isize,
    /// Where the number of a list's elements belongs.
    length_at: usize,
}

impl Rest {
    const LIST: isize = 0;
    const ROW: isize = 1;
    const NONE: Rest = Rest {
        at: 0,
        count: 0,
        step: Rest::ROW,
        length_at: 0,
    };

    /// `count` terms that follow each other.
    #[inline(always)]
    fn row(first: *const u64, count: usize) -> Rest {
        Rest {
            at: first as u64,
            count,
            ..Rest::NONE
        }
    }

    /// The keys and values of a flat map in turns.
    #[inline(always)]
    fn flat_map(map: FlatMap, size: usize) -> Rest {
        let keys = map.keys().word_pointer(0);
        let values = map.word_pointer(offset::FLAT_MAP_VALUES);
        // A header is between: this is neither of the other two steps, and 1 less it, the way back, is not either.
        let step = (values as isize).wrapping_sub(keys as isize) / size_of::<Term>() as isize;
        Rest {
            step,
            ..Rest::row(keys, 2 * size)
        }
    }

    /// What follows the first `count` elements of a list.
    #[inline(always)]
    fn list(list: Term, count: usize, length_at: usize) -> Rest {
        Rest {
            at: list.bits(),
            count,
            step: Rest::LIST,
            length_at,
        }
    }

    /// The next term of a row that is not empty.
    #[inline(always)]
    fn next(&mut self) -> Term {
        let place = self.at as *const Term;
        // SAFETY: the row has another term, of an object that the moving rule keeps, or that a task keeps.
        let term = unsafe { *place };
        self.at = place.wrapping_offset(self.step) as u64;
        self.count -= 1;
        if self.step != Rest::ROW {
            self.step = 1 - self.step;
        }
        term
    }
}

/// The parts of a term whose head was written.
enum Parts {
    None,
    Rest(Rest),
    /// First the row, then the task.
    Kept(Rest, Task),
}

/// A binary that is not copied to the output, and where in the output it belongs.
struct Apart {
    at: usize,
    /// The shared binary, or the part of one.
    binary: Term,
    /// Its whole bytes.
    bytes: *const u8,
    size: usize,
}

/// An encoder that can stop and continue.
///
/// It holds terms that no collector knows of: between two runs the term must not move.
pub struct Encoder<'a> {
    output: Output<'a>,
    /// The term to be written next; `NONE` if all is written.
    next: Term,
    tasks: &'a mut SmallVec<[Task; 8]>,
    /// The current run ends when the output has this many bytes.
    stop_at: usize,
    /// The large binaries found so far that were not copied.
    apart: Vec<Apart>,
    apart_bytes: usize,
    /// Shared binaries of more bytes are not copied.
    copied_bytes: usize,
}

/// Bytes of a binary that count as one byte of the budget.
const COPIED_PER_BYTE: usize = 64;
/// [`Encoder::joining`] copies binaries of more bytes at the end, when it knows the size of the whole.
const COPIED_AT_ONCE: usize = 256;
/// Room for binaries that are not copied, once there is one.
const FIRST_APART: usize = 32;
/// Binaries of at most so many bytes need no more room than an output usually has.
const COPIED_IN_PLACE: usize = 1024;

impl<'a> Encoder<'a> {
    /// An encoder for a term, version byte first.
    #[inline]
    #[must_use]
    pub fn new(term: Term, buffers: &'a mut EncodeBuffers) -> Encoder<'a> {
        let mut encoder = Encoder::bare(term, buffers);
        encoder.output.push(tags::VERSION);
        encoder
    }

    /// An encoder for a term, without version byte.
    #[inline]
    #[must_use]
    pub fn bare(term: Term, buffers: &'a mut EncodeBuffers) -> Encoder<'a> {
        Encoder {
            output: Output::new(&mut buffers.first),
            next: term,
            tasks: &mut buffers.tasks,
            stop_at: 0,
            apart: Vec::new(),
            apart_bytes: 0,
            copied_bytes: usize::MAX,
        }
    }

    /// An encoder for a term, version byte first, that does not copy large shared binaries.
    #[must_use]
    pub fn segmented(term: Term, buffers: &'a mut EncodeBuffers) -> Encoder<'a> {
        let mut encoder = Encoder::new(term, buffers);
        encoder.copied_bytes = HEAP_BINARY_BYTES;
        encoder
    }

    /// An encoder for a term, without version byte, that does not copy shared binaries of more than `copied_bytes`
    /// bytes.
    #[must_use]
    pub fn bare_segmented(
        term: Term,
        buffers: &'a mut EncodeBuffers,
        copied_bytes: usize,
    ) -> Encoder<'a> {
        let mut encoder = Encoder::bare(term, buffers);
        encoder.copied_bytes = copied_bytes.max(HEAP_BINARY_BYTES);
        encoder
    }

    /// Has another term written behind those that are complete.
    pub fn append(&mut self, term: Term) {
        assert!(self.next.is_none() && self.tasks.is_empty());
        self.next = term;
    }

    /// Writes a byte behind the terms that are complete.
    pub fn append_byte(&mut self, byte: u8) {
        assert!(self.next.is_none() && self.tasks.is_empty());
        self.output.push(byte);
    }

    /// An encoder for a term, version byte first, that copies large shared binaries only once: to the binary that
    /// [`Encoder::take_binary`] makes.
    #[inline]
    #[must_use]
    pub fn joining(term: Term, buffers: &'a mut EncodeBuffers) -> Encoder<'a> {
        let mut encoder = Encoder::new(term, buffers);
        encoder.copied_bytes = COPIED_AT_ONCE;
        encoder
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

    /// Number of bytes of the whole, with those that were not copied.
    #[inline]
    #[must_use]
    pub fn size(&self) -> usize {
        self.output.len() + self.apart_bytes
    }

    /// The bytes written.
    #[inline]
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        self.output.bytes()
    }

    /// A binary of the whole. The encoder cannot be used any more.
    #[inline]
    #[must_use]
    pub fn take_binary(&mut self, heap: &mut Heap) -> Term {
        if self.apart.is_empty() {
            return self.output.take_binary(heap);
        }
        self.join(heap)
    }

    /// A binary of the bytes written and of the binaries that were not copied.
    fn join(&self, heap: &mut Heap) -> Term {
        let (whole, room) = build::binary_uninit(heap, self.size());
        let bytes = self.bytes();
        let (mut start, mut pen) = (0, Pen::at(room));
        for apart in &self.apart {
            // SAFETY: the room is as large as all parts together. The moving rule keeps the binary's bytes.
            unsafe {
                pen.copy(&bytes[start..apart.at]);
                pen.copy(std::slice::from_raw_parts(apart.bytes, apart.size));
            }
            start = apart.at;
        }
        // SAFETY: as above.
        unsafe { pen.copy(&bytes[start..]) };
        debug_assert_eq!(pen.at, room.wrapping_add(self.size()));
        whole
    }

    /// How the bytes written and the binaries that were not copied make up the whole.
    #[must_use]
    pub fn segments(&self) -> Vec<Segment> {
        let mut segments = Vec::new();
        let mut start = 0;
        for apart in &self.apart {
            if apart.at > start {
                segments.push(Segment::Bytes {
                    start,
                    end: apart.at,
                });
                start = apart.at;
            }
            let (binary, first_bit) = build::whole_of(apart.binary);
            segments.push(Segment::Shared {
                binary,
                start: (first_bit / 8) as usize,
                size: apart.size,
            });
        }
        let end = self.output.len();
        if end > start {
            segments.push(Segment::Bytes { start, end });
        }
        segments
    }

    /// Writes until the budget (bytes of output, of which those of binaries hardly count) is used up (`false`) or all
    /// is written (`true`). A string counts as one term.
    ///
    /// # Errors
    /// [`SystemLimit`].
    pub fn run(
        &mut self,
        options: &EncodeOptions,
        budget: &mut usize,
    ) -> Result<bool, SystemLimit> {
        self.stop_at = self.output.len().saturating_add(*budget);
        let done = *budget > 0 && self.walk(options)?;
        *budget = self.left();
        Ok(done)
    }

    /// What is left of the budget.
    fn left(&self) -> usize {
        self.stop_at.saturating_sub(self.output.len())
    }

    /// Calls a function that writes to the output itself; returns a pen at its new end.
    #[inline]
    fn aside<R>(&mut self, pen: &mut Pen, write: impl FnOnce(&mut Self) -> R) -> R {
        self.output.put_back(*pen);
        let result = write(self);
        *pen = self.output.pen(self.left());
        result
    }

    /// Writes until all tasks are done (`true`), or the output is as long as it may become in this run.
    ///
    /// Each turn writes a term without parts, or the head of one whose parts become the row or the list that is written
    /// next; what is left of the former row or list becomes a task.
    fn walk(&mut self, options: &EncodeOptions) -> Result<bool, SystemLimit> {
        // The first row is the term to be written next.
        let first = self.next;
        self.next = Term::NONE;
        let mut rest = Rest::row((&raw const first).cast(), 1);
        if first.is_none() {
            rest = Rest::NONE;
        }
        let mut pen = self.output.pen(self.left());
        loop {
            let term = if rest.step == Rest::LIST {
                // SAFETY: what is left of a list is a term.
                let list = unsafe { Term::from_bits(rest.at) };
                if let Some(cell) = list.as_cell() {
                    rest.at = cell.tail().bits();
                    rest.count += 1;
                    cell.head()
                } else {
                    let count = u32::try_from(rest.count).map_err(|_| SystemLimit)?;
                    self.output.put_back(pen);
                    self.output.overwrite(rest.length_at, count.to_be_bytes());
                    rest = Rest::NONE;
                    list
                }
            } else if rest.count > 0 {
                rest.next()
            } else {
                match self.tasks.pop() {
                    Some(Task::Rest(outer)) => rest = outer,
                    Some(task) => {
                        rest = self.aside(&mut pen, |encoder| encoder.unusual(task))?;
                    }
                    None => {
                        self.output.put_back(pen);
                        return Ok(true);
                    }
                }
                continue;
            };
            if pen.at >= pen.limit {
                self.output.put_back(pen);
                if self.left() == 0 {
                    self.set_aside(rest);
                    self.next = term;
                    return Ok(false);
                }
                self.output.reserve(1);
                pen = self.output.pen(self.left());
            }
            // SAFETY: the pen is below its limit.
            match unsafe { self.begin(&mut pen, term, options)? } {
                Parts::None => {}
                Parts::Rest(parts) => {
                    self.set_aside(rest);
                    rest = parts;
                }
                Parts::Kept(parts, task) => {
                    self.set_aside(rest);
                    self.tasks.push(task);
                    rest = parts;
                }
            }
        }
    }

    /// Remembers what is left of a row or of a list.
    #[inline(always)]
    fn set_aside(&mut self, rest: Rest) {
        if rest.count > 0 || rest.step == Rest::LIST {
            self.tasks.push(Task::Rest(rest));
        }
    }

    /// Does a task that is no rest of a row or list; returns a row that comes next.
    fn unusual(&mut self, task: Task) -> Result<Rest, SystemLimit> {
        match task {
            Task::Children { first, left } => {
                let Some(left) = left.checked_sub(1) else {
                    return Ok(Rest::NONE);
                };
                self.tasks.push(Task::Children { first, left });
                // SAFETY: the node has that many children; the moving rule keeps them.
                let child = unsafe { *first.add(left) };
                if child.is_cons() {
                    return Ok(Rest::row(child.cons_pointer().cast(), 2));
                }
                let children = map::children(child);
                self.tasks.push(Task::children(children));
            }
            Task::FunSize { at, apart } => {
                let size = self.output.len() - at + self.apart_bytes - apart;
                let size = u32::try_from(size).map_err(|_| SystemLimit)?;
                self.output.overwrite(at, size.to_be_bytes());
            }
            Task::Keep(pairs) => drop(pairs),
            Task::Rest(_) => unreachable!("a usual task"),
        }
        Ok(Rest::NONE)
    }

    /// Writes a term without parts, or the head of one with parts, which it returns.
    ///
    /// # Safety
    /// The pen is at the end of the output and below its limit.
    #[inline(always)]
    unsafe fn begin(
        &mut self,
        pen: &mut Pen,
        term: Term,
        options: &EncodeOptions,
    ) -> Result<Parts, SystemLimit> {
        // SAFETY: what is put is one term, of at most `ROOM` bytes.
        unsafe {
            if let Some(value) = term.as_small() {
                put_small(pen, value);
            } else if let Some(index) = term.as_atom() {
                match atom::spelling(index) {
                    Some(spelling) if spelling.length <= ROOM && options.has_plain_atoms() => {
                        put_spelling(pen, spelling);
                    }
                    _ => self.aside(pen, |encoder| encoder.atom(term, options)),
                }
            } else if let Some(cell) = term.as_cell() {
                return Ok(self.list(pen, cell));
            } else if let Some(object) = term.as_boxed() {
                return self.boxed(pen, object, options);
            } else if term.is_nil() {
                pen.put([tags::NIL]);
            } else {
                self.aside(pen, |encoder| encoder.identifier(term, options));
            }
        }
        Ok(Parts::None)
    }

    /// # Safety
    /// As [`Encoder::begin`].
    #[inline(always)]
    unsafe fn boxed(
        &mut self,
        pen: &mut Pen,
        object: Boxed,
        options: &EncodeOptions,
    ) -> Result<Parts, SystemLimit> {
        let (term, header) = (object.term(), object.header());
        // SAFETY: what is put is one term, or the head of one, of at most `ROOM` bytes.
        unsafe {
            match header.kind() {
                ObjectKind::Tuple => {
                    let arity = header.arity();
                    match u8::try_from(arity) {
                        Ok(arity) => pen.put([tags::SMALL_TUPLE, arity]),
                        Err(_) => pen.put(tagged(tags::LARGE_TUPLE, arity as u32)),
                    }
                    return Ok(Parts::Rest(Rest::row(term.word_pointer(0), arity)));
                }
                ObjectKind::HeapBinary => put_heap_binary(pen, HeapBinary::expect(term)),
                ObjectKind::Float if !options.text_floats => {
                    pen.put(float_bytes(Float::expect(term).bits()));
                }
                ObjectKind::Float => {
                    let value = f64::from_bits(Float::expect(term).bits());
                    self.aside(pen, |encoder| encoder.float_text(value));
                }
                ObjectKind::Map => return self.map(pen, term, options),
                ObjectKind::SharedBinary | ObjectKind::SubBinary => {
                    let bits = term.as_bits().expect("a bit string");
                    if bits.bit_offset() == 0 && bits.bit_len() <= 8 * HEAP_BINARY_BYTES as u64 {
                        put_short_bits(pen, bits);
                    } else {
                        let before = pen.at;
                        *pen = self.whole_bytes(*pen, term, bits);
                        if pen.at == before {
                            self.aside(pen, |encoder| encoder.bit_string(term, bits))?;
                        }
                    }
                }
                ObjectKind::PositiveBig | ObjectKind::NegativeBig => match term.as_big(no_gc!()) {
                    Some((negative, &[limb])) => put_limb(pen, negative, limb),
                    _ => self.aside(pen, |encoder| encoder.big(term)),
                },
                _ => return Ok(self.aside(pen, |encoder| encoder.opaque(term, options))),
            }
        }
        Ok(Parts::None)
    }

    /// Writes a binary, if it has whole bytes, is not large, and there is room for what is to be copied of it. Returns
    /// the pen where it then is.
    ///
    /// # Safety
    /// As [`Encoder::begin`].
    #[inline(never)]
    unsafe fn whole_bytes(&mut self, mut pen: Pen, term: Term, bits: Bits) -> Pen {
        let size = (bits.bit_len() / 8) as usize;
        if bits.bit_offset() != 0 || bits.bit_len() % 8 != 0 || size > COPIED_IN_PLACE {
            return pen;
        }
        let copied = if size > self.copied_bytes { 0 } else { size };
        if self.output.room_at(pen) < copied + 2 * ROOM {
            return pen;
        }
        // SAFETY: there is room for five bytes, and for the binary if it is copied; the moving rule keeps its bytes.
        unsafe {
            pen.put(tagged(tags::BINARY, size as u32));
            if copied > 0 {
                pen.copy(std::slice::from_raw_parts(bits.bytes(), copied));
                self.spare(copied);
                pen.limit = self.output.limit(self.stop_at);
            } else {
                self.put_apart(self.output.offset_of(pen), term, bits);
            }
        }
        pen
    }

    /// Leaves the whole bytes of a binary out of the output, where they belong at `at`. Only shared binaries have so
    /// many bytes that this is done.
    #[inline(always)]
    fn put_apart(&mut self, at: usize, binary: Term, bits: Bits) {
        let size = (bits.bit_len() / 8) as usize;
        if self.apart.capacity() == 0 {
            self.apart.reserve(FIRST_APART);
        }
        self.apart.push(Apart {
            at,
            binary,
            bytes: bits.bytes(),
            size,
        });
        self.apart_bytes += size;
    }

    /// Notes that bytes are being copied: that takes little time.
    #[inline(always)]
    fn spare(&mut self, size: usize) {
        self.stop_at = self.stop_at.saturating_add(size - size / COPIED_PER_BYTE);
    }

    /// A list: all of it, if it is a string, or the head.
    ///
    /// # Safety
    /// As [`Encoder::begin`].
    #[inline(always)]
    unsafe fn list(&mut self, pen: &mut Pen, list: Cons) -> Parts {
        if is_byte(list.head()) {
            return self.aside(pen, |encoder| encoder.string(list.term()));
        }
        let length_at = self.output.offset_of(*pen) + 1;
        // SAFETY: five bytes of one term.
        unsafe { pen.put(tagged(tags::LIST, 0)) };
        Parts::Rest(Rest::list(list.term(), 0, length_at))
    }

    /// # Safety
    /// As [`Encoder::begin`].
    #[inline(always)]
    unsafe fn map(
        &mut self,
        pen: &mut Pen,
        map: Term,
        options: &EncodeOptions,
    ) -> Result<Parts, SystemLimit> {
        let size = map.map_size().expect("a map");
        let count = u32::try_from(size).map_err(|_| SystemLimit)?;
        // SAFETY: five bytes of one term.
        unsafe { pen.put(tagged(tags::MAP, count)) };
        if let Some(map) = FlatMap::of(map)
            && !(options.deterministic && atom::are_ranked())
        {
            return Ok(Parts::Rest(Rest::flat_map(map, size)));
        }
        Ok(self.aside(pen, |encoder| encoder.other_map(map, size, options)))
    }

    /// A hash map, or a flat one whose keys are not in the order in which they are to be written.
    fn other_map(&mut self, map: Term, size: usize, options: &EncodeOptions) -> Parts {
        if !options.deterministic {
            return Parts::Kept(Rest::NONE, Task::children(map::children(map)));
        }
        let mut pairs: Vec<[Term; 2]> = map::iter(map).map(|(key, value)| [key, value]).collect();
        pairs.sort_unstable_by(|a, b| compare_exact(a[0], b[0]));
        // Sorting takes longer than writing.
        self.stop_at = self.stop_at.saturating_sub(size);
        let row = Rest::row(pairs.as_ptr().cast(), 2 * size);
        Parts::Kept(row, Task::Keep(pairs))
    }

    /// Writes a list that begins with a byte. If it turns out that it is no string, the bytes so far become the
    /// elements of a list, whose rest is returned.
    fn string(&mut self, list: Term) -> Parts {
        let begin = self.output.len();
        let (mut rest, mut count) = (list, 0);
        self.output.extend(&[tags::STRING, 0, 0]);
        while byte_of(rest).is_some() && count < tags::MAX_STRING_BYTES {
            let most = STRING_STEP.min(tags::MAX_STRING_BYTES - count);
            self.output.reserve(most);
            let mut pen = self.output.pen(usize::MAX);
            let mut written = 0;
            while written < most
                && let Some((byte, tail)) = byte_of(rest)
            {
                // SAFETY: there is room for `most` bytes.
                unsafe { pen.put([byte]) };
                rest = tail;
                written += 1;
            }
            self.output.put_back(pen);
            count += written;
        }
        if rest.is_nil() {
            let length = (count as u16).to_be_bytes();
            self.output.overwrite(begin + 1, length);
            return Parts::None;
        }
        // Room for the longer length, and for a tag with each element.
        self.output.extend(&[0; 2]);
        self.output.spread(begin + 3, count);
        self.output.overwrite(begin, tagged(tags::LIST, 0));
        Parts::Rest(Rest::list(rest, count, begin + 1))
    }

    /// An integer of several limbs.
    fn big(&mut self, term: Term) {
        let no_gc = no_gc!();
        let (negative, limbs) = term.as_big(no_gc).expect("a big integer");
        let size = big_bytes(limbs);
        self.output.reserve(6 + size_of_val(limbs));
        let mut pen = self.output.pen(usize::MAX);
        // SAFETY: there is room for the head and for all limbs.
        unsafe {
            match u8::try_from(size) {
                Ok(size) => pen.put([tags::SMALL_BIG, size]),
                Err(_) => pen.put(tagged(tags::LARGE_BIG, size as u32)),
            }
            pen.put([u8::from(negative)]);
            let (last, others) = limbs.split_last().expect("an integer with limbs");
            for limb in others {
                pen.put(limb.to_le_bytes());
            }
            pen.put_first(last.to_le_bytes(), size - size_of_val(others));
        }
        self.output.put_back(pen);
    }

    fn float_text(&mut self, value: f64) {
        self.output.push(tags::FLOAT);
        let mut text = [0; tags::FLOAT_TEXT_BYTES];
        for (place, byte) in text
            .iter_mut()
            .zip(text::float::scientific(value, 20).bytes())
        {
            *place = byte;
        }
        self.output.extend(&text);
    }

    fn bit_string(&mut self, term: Term, bits: Bits) -> Result<(), SystemLimit> {
        let size = bits.bit_len().div_ceil(8) as usize;
        let trailing = (bits.bit_len() % 8) as u8;
        let length = u32::try_from(size).map_err(|_| SystemLimit)?;
        if trailing == 0 {
            self.output.extend(&tagged(tags::BINARY, length));
        } else {
            self.output.extend(&tagged(tags::BIT_BINARY, length));
            self.output.push(trailing);
        }
        let whole_bytes = (bits.bit_len() / 8) as usize;
        if whole_bytes > self.copied_bytes && bits.bit_offset() == 0 {
            self.put_apart(self.output.len(), term, bits);
            let last = bits.without_bytes(whole_bytes as u64);
            self.bits(last);
            return Ok(());
        }
        self.spare(size);
        self.bits(bits);
        Ok(())
    }

    /// Appends bits, padding the last byte with zeros.
    fn bits(&mut self, bits: Bits) {
        if bits.bit_len() == 0 {
            return;
        }
        let size = bits.bit_len().div_ceil(8) as usize;
        let spanned = (u64::from(bits.bit_offset()) + bits.bit_len()).div_ceil(8) as usize;
        // SAFETY: those are the bytes that hold the bits; the moving rule keeps them.
        let source = unsafe { std::slice::from_raw_parts(bits.bytes(), spanned) };
        if bits.bit_offset() == 0 {
            self.output.extend(&source[..size]);
        } else {
            self.output.reserve(size);
            let shift = bits.bit_offset();
            let mut pen = self.output.pen(usize::MAX);
            let mut done = 0;
            // Nine bytes have the bits of eight.
            while let Some([word @ .., next]) = source[done..].first_chunk::<9>() {
                let word = u64::from_be_bytes(*word) << shift | u64::from(next >> (8 - shift));
                // SAFETY: there is room for `size` bytes, and these are among them.
                unsafe { pen.put(word.to_be_bytes()) };
                done += 8;
            }
            for index in done..size {
                let next = source.get(index + 1).map_or(0, |&byte| byte >> (8 - shift));
                // SAFETY: there is room for `size` bytes.
                unsafe { pen.put([source[index] << shift | next]) };
            }
            self.output.put_back(pen);
        }
        let trailing = bits.bit_len() % 8;
        if trailing != 0 {
            self.output.mask_last((0xff00_u16 >> trailing) as u8);
        }
    }
}

impl Task {
    fn children(children: &[Term]) -> Task {
        Task::Children {
            first: children.as_ptr(),
            left: children.len(),
        }
    }
}

/// Bytes of a string that are written between two checks of the room.
const STRING_STEP: usize = 256;

/// Whether a term is an integer of 0 to 255.
#[inline(always)]
fn is_byte(term: Term) -> bool {
    term.bits() & !(0xff << 4) == Term::small(0).bits()
}

/// The byte that a list begins with, if it does, and what follows.
#[inline(always)]
fn byte_of(list: Term) -> Option<(u8, Term)> {
    let cell = list.as_cell()?;
    let head = cell.head();
    is_byte(head).then(|| (head.small_value() as u8, cell.tail()))
}

/// Length of a list, if it is written as a `STRING`.
pub(super) fn string_length(list: Term) -> Option<usize> {
    let (mut rest, mut length) = (list, 0);
    while let Some((head, tail)) = rest.as_cons() {
        if !is_byte(head) || length == tags::MAX_STRING_BYTES {
            return None;
        }
        length += 1;
        rest = tail;
    }
    rest.is_nil().then_some(length)
}
