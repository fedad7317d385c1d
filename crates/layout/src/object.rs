//! Heap objects: a header word, followed by as many words as its arity says.
//!
//! ```text
//! bits  0-1   00: a header
//! bits  2-5   kind
//! bits  6-37  arity: words after the header
//! bits 38-39  maps: 0 flat, 1 root of a hash map, 2 inner node of one
//! bits 40-55  maps: which of 16 children a node has
//! ```
//!
//! Of the words after the header, the first ones are plain data and the rest are terms; [`Header::raw_words`] returns
//! the number of plain words, which is all the collector needs to know. Objects by kind (words after the header):
//!
//! | kind | words |
//! |---|---|
//! | tuple | the elements |
//! | native record | its definition (a tuple of module, name, whether it is exported, names of the fields), the values (terms) |
//! | float | the 64 bits |
//! | positive, negative big | limbs, least first, the last not 0 |
//! | reference | 2 words of number; an alias or process reference: and the pid |
//! | magic reference | a reference of 4 words: 2 words of number, next in the off-heap list, pointer to a counted object |
//! | fun | pointer to the fun entry, arity and free count (`arity \| free << 8`), creator (term), free variables (terms) |
//! | export | pointer to the export entry |
//! | heap binary | size in bytes, the bytes, zero padded |
//! | shared binary | size in bytes, flags, next in the off-heap list, pointer to the counted block, pointer to the first byte |
//! | sub-binary | whole bytes, byte offset, trailing bits and bit offset (`bits \| bit_offset << 8 \| writable << 16`), the binary (term) |
//! | match context | pointer to the bytes, position in bits, end in bits, the binary (term), saved positions (terms) |
//! | flat map | number of pairs, tuple of keys (term), the values (terms) |
//! | hash map root | number of pairs, children (terms) |
//! | hash map node | children (terms); a leaf is a cons cell of key and value |
//! | external pid, port | the node (`creation \| atom index of its name << 32`), id and serial (`id \| serial << 32`; a port: its 64-bit id) |
//! | external reference | the node, number of 32-bit words, the words two by two |

use core::slice;

use crate::no_gc::NoGc;
use crate::term::Term;
use crate::view::Boxed;

/// The kind of an object.
#[repr(u8)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ObjectKind {
    Tuple = 0,
    MatchContext = 1,
    PositiveBig = 2,
    NegativeBig = 3,
    Reference = 4,
    Fun = 5,
    Float = 6,
    Export = 7,
    SharedBinary = 8,
    HeapBinary = 9,
    SubBinary = 10,
    Map = 11,
    ExternalPid = 12,
    ExternalPort = 13,
    ExternalReference = 14,
    NativeRecord = 15,
}

/// The three shapes of an object of kind `Map`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MapShape {
    Flat,
    HashRoot,
    HashNode,
}

/// A header word.
#[repr(transparent)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Header(pub u64);

impl Header {
    #[inline(always)]
    #[must_use]
    pub const fn new(kind: ObjectKind, arity: usize) -> Header {
        Header((arity as u64) << 6 | (kind as u64) << 2)
    }

    /// The header of a hash map's root or inner node.
    #[must_use]
    pub const fn hash_map(root: bool, bitmap: u16) -> Header {
        let (children, shape) = (bitmap.count_ones() as usize, if root { 1 } else { 2 });
        let arity = if root { children + 1 } else { children };
        Header(Header::new(ObjectKind::Map, arity).0 | shape << 38 | (bitmap as u64) << 40)
    }

    /// The header of a hash map's node that has one child more, whose bit is given.
    #[inline(always)]
    #[must_use]
    pub const fn with_child(self, bit: u16) -> Header {
        Header((self.0 + (1 << 6)) | (bit as u64) << 40)
    }

    /// The header of a hash map's node that has one child less, whose bit is given.
    #[inline(always)]
    #[must_use]
    pub const fn without_child(self, bit: u16) -> Header {
        Header((self.0 - (1 << 6)) & !((bit as u64) << 40))
    }

    #[inline(always)]
    #[must_use]
    pub const fn is_header(word: u64) -> bool {
        word & 0b11 == 0
    }

    #[inline(always)]
    #[must_use]
    pub const fn kind(self) -> ObjectKind {
        // SAFETY: the value has four bits, and `ObjectKind` has all sixteen values.
        unsafe { core::mem::transmute::<u8, ObjectKind>((self.0 >> 2 & 0b1111) as u8) }
    }

    /// Number of words after the header.
    #[inline(always)]
    #[must_use]
    pub const fn arity(self) -> usize {
        (self.0 >> 6 & 0xffff_ffff) as usize
    }

    /// The shape of a map, from its header.
    #[inline(always)]
    #[must_use]
    pub const fn map_shape(self) -> MapShape {
        match self.0 >> 38 & 0b11 {
            0 => MapShape::Flat,
            1 => MapShape::HashRoot,
            _ => MapShape::HashNode,
        }
    }

    /// Whether it is the header of a node of a hash map below its root.
    #[inline(always)]
    #[must_use]
    pub const fn is_hash_node(self) -> bool {
        const KIND_AND_SHAPE: u64 = 0b1111 << 2 | 0b11 << 38;
        self.0 & KIND_AND_SHAPE == Header::hash_map(false, 0).0 & KIND_AND_SHAPE
    }

    /// The header of a magic reference: its number of words distinguishes it from other references.
    pub const MAGIC_REFERENCE: Header = Header::new(ObjectKind::Reference, 4);

    /// Whether the object holds a count of a block outside the heap, and so is in an off-heap list.
    #[inline(always)]
    #[must_use]
    pub const fn is_off_heap(self) -> bool {
        self.kind() as u8 == ObjectKind::SharedBinary as u8 || self.0 == Header::MAGIC_REFERENCE.0
    }

    /// The bitmap of the children that a hash map's node has.
    #[inline(always)]
    #[must_use]
    pub const fn bitmap(self) -> u16 {
        (self.0 >> 40) as u16
    }

    /// The bits from a map's bitmap on, whose lowest 16 it is: for who looks at single bits of it.
    #[inline(always)]
    #[must_use]
    pub const fn bits_from_bitmap(self) -> u64 {
        self.0 >> 40
    }

    /// How many words after the header are plain data; the terms follow them.
    #[inline(always)]
    #[must_use]
    pub const fn raw_words(self) -> usize {
        match self.kind() {
            ObjectKind::Tuple | ObjectKind::NativeRecord => 0,
            ObjectKind::Fun => 2,
            ObjectKind::SubBinary | ObjectKind::MatchContext => 3,
            ObjectKind::Map => match self.map_shape() {
                MapShape::Flat | MapShape::HashRoot => 1,
                MapShape::HashNode => 0,
            },
            _ => self.arity(),
        }
    }
}

/// Offsets of words after the header, for each kind.
pub mod offset {
    pub const FLOAT_BITS: usize = 0;
    pub const RECORD_DEFINITION: usize = 0;
    pub const RECORD_VALUES: usize = 1;
    /// Of the elements of a record's definition; the names of the fields follow these.
    pub const DEFINITION_MODULE: usize = 0;
    pub const DEFINITION_NAME: usize = 1;
    pub const DEFINITION_EXPORTED: usize = 2;
    pub const DEFINITION_FIELDS: usize = 3;
    pub const REFERENCE_LOW: usize = 0;
    pub const REFERENCE_HIGH: usize = 1;
    pub const REFERENCE_PID: usize = 2;
    /// The same offset for every kind of object in an off-heap list.
    pub const OFF_HEAP_NEXT: usize = 2;
    /// Offset of the pointer to the reference-counted block, for objects in an off-heap list.
    pub const OFF_HEAP_BLOCK: usize = 3;
    pub const FUN_ENTRY: usize = 0;
    pub const FUN_ARITY: usize = 1;
    pub const FUN_CREATOR: usize = 2;
    pub const FUN_FREE: usize = 3;
    pub const EXPORT_ENTRY: usize = 0;
    pub const HEAP_BINARY_SIZE: usize = 0;
    pub const HEAP_BINARY_BYTES: usize = 1;
    pub const SHARED_BINARY_SIZE: usize = 0;
    pub const SHARED_BINARY_FLAGS: usize = 1;
    pub const SHARED_BINARY_BYTES: usize = 4;
    pub const SUB_BINARY_SIZE: usize = 0;
    pub const SUB_BINARY_OFFSET: usize = 1;
    pub const SUB_BINARY_BITS: usize = 2;
    pub const SUB_BINARY_WHOLE: usize = 3;
    pub const MATCH_BYTES: usize = 0;
    pub const MATCH_POSITION: usize = 1;
    pub const MATCH_END: usize = 2;
    pub const MATCH_BINARY: usize = 3;
    pub const MATCH_SAVED: usize = 4;
    pub const MAP_SIZE: usize = 0;
    pub const FLAT_MAP_KEYS: usize = 1;
    pub const FLAT_MAP_VALUES: usize = 2;
    pub const HASH_ROOT_CHILDREN: usize = 1;
    pub const EXTERNAL_NODE: usize = 0;
    pub const EXTERNAL_ID: usize = 1;
    pub const EXTERNAL_REFERENCE_COUNT: usize = 1;
    pub const EXTERNAL_REFERENCE_WORDS: usize = 2;
}

/// Byte offsets in the counted block of a shared binary, which is `term::off_heap::BinaryBlock`.
pub mod binary_block {
    pub const CAPACITY: usize = 8;
    pub const USED: usize = 16;
}

/// Bits of a shared binary's flags word.
pub mod binary_flag {
    /// This object created its block and may append to it in place; its size says where the used bytes end.
    pub const WRITABLE: u64 = 1;
    /// A match context points to the bytes, so they must not move.
    pub const PINNED: u64 = 2;
    /// Something was appended since the last collection.
    pub const ACTIVE: u64 = 4;
    /// The current collection has found a match context that points to the bytes.
    pub const HELD: u64 = 8;
}

/// This bit of a sub-binary's third word is set if it ends where its writable binary ends, so that appending to it
/// can continue in place. At most one sub-binary of a writable binary has it.
pub const SUB_BINARY_WRITABLE: u64 = 1 << 16;

/// Accessors for boxed terms; each returns `None` for a term of another kind.
impl Term {
    /// The elements of a tuple of `N` elements.
    #[inline(always)]
    #[must_use]
    pub fn as_tuple_of<const N: usize>(self) -> Option<[Term; N]> {
        let object = self.as_boxed()?;
        if object.header() != Header::new(ObjectKind::Tuple, N) {
            return None;
        }
        // SAFETY: a tuple's words are terms, and by its header there are `N`.
        Some(core::array::from_fn(|index| unsafe {
            object.term_unchecked(index)
        }))
    }

    /// The element of a tuple at an index, from 0; nothing if there is none, or for another term.
    #[inline(always)]
    #[must_use]
    pub fn tuple_element(self, index: usize) -> Option<Term> {
        let object = self.as_boxed()?;
        let header = object.header();
        // SAFETY: a tuple's words are terms, and by its header there are more than `index`.
        (header.kind() == ObjectKind::Tuple && index < header.arity())
            .then(|| unsafe { object.term_unchecked(index) })
    }

    /// Number of elements of a tuple.
    #[inline(always)]
    #[must_use]
    pub fn tuple_size(self) -> Option<usize> {
        Some(self.as_kind(ObjectKind::Tuple)?.arity())
    }

    /// The elements of a tuple.
    #[inline(always)]
    #[must_use]
    pub fn as_tuple(self, _no_gc: &NoGc) -> Option<&[Term]> {
        let object = self.as_kind(ObjectKind::Tuple)?;
        // SAFETY: a tuple's words are terms; while the token lives, nothing moves or changes them.
        Some(unsafe { slice::from_raw_parts(object.word_pointer(0).cast(), object.arity()) })
    }

    /// The definition and the values of a native record: as many values as the definition has names of fields.
    #[inline(always)]
    #[must_use]
    pub fn as_native_record(self, _no_gc: &NoGc) -> Option<(Term, &[Term])> {
        let object = self.as_kind(ObjectKind::NativeRecord)?;
        let count = object.arity() - offset::RECORD_VALUES;
        let values = object.word_pointer(offset::RECORD_VALUES);
        // SAFETY: all words of a record are terms, the first is the definition; while the token lives, nothing moves or
        // changes them.
        unsafe {
            let definition = object.term_unchecked(offset::RECORD_DEFINITION);
            Some((definition, slice::from_raw_parts(values.cast(), count)))
        }
    }

    /// The definition of a native record.
    #[inline(always)]
    #[must_use]
    pub fn record_definition(self) -> Option<Term> {
        let object = self.as_kind(ObjectKind::NativeRecord)?;
        // SAFETY: the first word of a record is its definition.
        Some(unsafe { object.term_unchecked(offset::RECORD_DEFINITION) })
    }

    #[inline(always)]
    #[must_use]
    pub fn is_native_record(self) -> bool {
        self.is_kind(ObjectKind::NativeRecord)
    }

    #[inline(always)]
    #[must_use]
    pub fn as_float(self) -> Option<f64> {
        let object = self.as_kind(ObjectKind::Float)?;
        // SAFETY: a float has one word.
        Some(f64::from_bits(unsafe { object.word_unchecked(0) }))
    }

    /// Whether a big integer is negative.
    #[inline(always)]
    #[must_use]
    pub fn big_sign(self) -> Option<bool> {
        match self.boxed_kind()? {
            ObjectKind::PositiveBig => Some(false),
            ObjectKind::NegativeBig => Some(true),
            _ => None,
        }
    }

    /// Sign (true if negative) and limbs of a big integer.
    #[inline(always)]
    #[must_use]
    pub fn as_big(self, _no_gc: &NoGc) -> Option<(bool, &[u64])> {
        let object = self.as_boxed()?;
        let negative = self.big_sign()?;
        // SAFETY: a big integer's words are its limbs; while the token lives, nothing moves or changes them.
        let limbs = unsafe { slice::from_raw_parts(object.word_pointer(0), object.arity()) };
        Some((negative, limbs))
    }

    #[inline(always)]
    #[must_use]
    pub fn is_integer(self) -> bool {
        self.is_small() || self.big_sign().is_some()
    }

    #[inline(always)]
    #[must_use]
    pub fn is_number(self) -> bool {
        self.is_small()
            || matches!(
                self.boxed_kind(),
                Some(ObjectKind::PositiveBig | ObjectKind::NegativeBig | ObjectKind::Float)
            )
    }

    #[inline(always)]
    #[must_use]
    pub fn is_float(self) -> bool {
        self.is_kind(ObjectKind::Float)
    }

    #[inline(always)]
    #[must_use]
    pub fn is_tuple(self) -> bool {
        self.is_kind(ObjectKind::Tuple)
    }

    #[inline(always)]
    #[must_use]
    pub fn is_map(self) -> bool {
        self.is_kind(ObjectKind::Map)
    }

    #[inline(always)]
    #[must_use]
    pub fn is_fun(self) -> bool {
        matches!(
            self.boxed_kind(),
            Some(ObjectKind::Fun | ObjectKind::Export)
        )
    }

    #[inline(always)]
    #[must_use]
    pub fn is_pid(self) -> bool {
        self.is_local_pid() || self.is_kind(ObjectKind::ExternalPid)
    }

    #[inline(always)]
    #[must_use]
    pub fn is_port(self) -> bool {
        self.is_local_port() || self.is_kind(ObjectKind::ExternalPort)
    }

    #[inline(always)]
    #[must_use]
    pub fn is_reference(self) -> bool {
        matches!(
            self.boxed_kind(),
            Some(ObjectKind::Reference | ObjectKind::ExternalReference)
        )
    }

    /// Whether this is a reference that holds a counted object.
    #[inline(always)]
    #[must_use]
    pub fn is_magic_reference(self) -> bool {
        self.as_magic_reference().is_some()
    }

    /// The reference, if it holds a counted object.
    #[inline(always)]
    #[must_use]
    pub fn as_magic_reference(self) -> Option<Boxed> {
        self.as_boxed()
            .filter(|object| object.header() == Header::MAGIC_REFERENCE)
    }

    /// Whether this is a binary or another bit string (match contexts excluded).
    #[inline(always)]
    #[must_use]
    pub fn is_bitstring(self) -> bool {
        matches!(
            self.boxed_kind(),
            Some(ObjectKind::HeapBinary | ObjectKind::SharedBinary | ObjectKind::SubBinary)
        )
    }

    /// Whether this is a bit string of whole bytes.
    #[inline(always)]
    #[must_use]
    pub fn is_binary(self) -> bool {
        let Some(object) = self.as_boxed() else {
            return false;
        };
        match object.kind() {
            ObjectKind::HeapBinary | ObjectKind::SharedBinary => true,
            // SAFETY: every sub-binary has this word.
            ObjectKind::SubBinary => unsafe {
                object.word_unchecked(offset::SUB_BINARY_BITS) & 0xff == 0
            },
            _ => false,
        }
    }

    /// Number of pairs of a map.
    #[inline(always)]
    #[must_use]
    pub fn map_size(self) -> Option<usize> {
        let object = self.as_kind(ObjectKind::Map)?;
        // SAFETY: a map that a program can hold has this word.
        Some(unsafe { object.word_unchecked(offset::MAP_SIZE) } as usize)
    }
}

/// The location of a bit string's data.
#[derive(Clone, Copy, Debug)]
pub struct Bits {
    bytes: *const u8,
    bit_offset: u32,
    bit_len: u64,
}

impl Bits {
    /// # Safety
    /// From `bytes` on, `bit_offset + bit_len` bits are readable for as long as this is used. `bit_offset` is below 8.
    #[inline(always)]
    #[must_use]
    pub const unsafe fn new(bytes: *const u8, bit_offset: u32, bit_len: u64) -> Bits {
        Bits {
            bytes,
            bit_offset,
            bit_len,
        }
    }

    /// The first byte that contains a bit of the string.
    #[inline(always)]
    #[must_use]
    pub const fn bytes(self) -> *const u8 {
        self.bytes
    }

    /// Bits to skip in that byte, 0 to 7.
    #[inline(always)]
    #[must_use]
    pub const fn bit_offset(self) -> u32 {
        self.bit_offset
    }

    /// Length in bits.
    #[inline(always)]
    #[must_use]
    pub const fn bit_len(self) -> u64 {
        self.bit_len
    }

    /// The first `bit_len` bits, or all if there are fewer.
    #[inline]
    #[must_use]
    pub fn first(self, bit_len: u64) -> Bits {
        Bits {
            bit_len: self.bit_len.min(bit_len),
            ..self
        }
    }

    /// All but the first `count` bytes; none if there are fewer.
    #[inline]
    #[must_use]
    pub fn without_bytes(self, count: u64) -> Bits {
        let count = count.min(self.bit_len / 8);
        Bits {
            bytes: self.bytes.wrapping_add(count as usize),
            bit_len: self.bit_len - count * 8,
            ..self
        }
    }

    /// The bytes, if the string starts at a byte boundary and consists of whole bytes.
    #[inline]
    #[must_use]
    pub fn as_bytes(self, _no_gc: &NoGc) -> Option<&[u8]> {
        if self.bit_offset == 0 && self.bit_len % 8 == 0 {
            // SAFETY: the bytes are readable (`Bits::new`, `Term::as_bits`); while the token lives, nothing moves or
            // frees them, and bytes of a binary are not written again.
            Some(unsafe { slice::from_raw_parts(self.bytes, (self.bit_len / 8) as usize) })
        } else {
            None
        }
    }
}

impl Term {
    /// The bits of a binary or bit string.
    #[inline]
    #[must_use]
    pub fn as_bits(self) -> Option<Bits> {
        let object = self.as_boxed()?;
        // SAFETY: each kind of object has the words that are read for it. Those that are addresses were exposed when
        // they were written.
        unsafe {
            match object.kind() {
                ObjectKind::HeapBinary => Some(Bits {
                    bytes: object.word_pointer(offset::HEAP_BINARY_BYTES).cast::<u8>(),
                    bit_offset: 0,
                    bit_len: object.word_unchecked(offset::HEAP_BINARY_SIZE) * 8,
                }),
                ObjectKind::SharedBinary => Some(Bits {
                    bytes: object.address_unchecked(offset::SHARED_BINARY_BYTES),
                    bit_offset: 0,
                    bit_len: object.word_unchecked(offset::SHARED_BINARY_SIZE) * 8,
                }),
                ObjectKind::SubBinary => {
                    // A binary that is not itself a sub-binary.
                    let whole = object.term_unchecked(offset::SUB_BINARY_WHOLE).as_boxed()?;
                    let bits = object.word_unchecked(offset::SUB_BINARY_BITS);
                    let start: *mut u8 = match whole.kind() {
                        ObjectKind::HeapBinary => {
                            whole.word_pointer(offset::HEAP_BINARY_BYTES).cast()
                        }
                        _ => whole.address_unchecked(offset::SHARED_BINARY_BYTES),
                    };
                    let skipped = object.word_unchecked(offset::SUB_BINARY_OFFSET);
                    Some(Bits {
                        bytes: start.wrapping_add(skipped as usize),
                        bit_offset: (bits >> 8 & 0xff) as u32,
                        bit_len: object.word_unchecked(offset::SUB_BINARY_SIZE) * 8 + (bits & 0xff),
                    })
                }
                _ => None,
            }
        }
    }
}
