//! The operands of generic operations.
//!
//! Every index in an operand is proven against its own file: see [`Operand`].

use std::fmt;

/// x and y registers, and float registers, are numbered below this.
pub const REGISTERS: u32 = 1024;

/// An operand of a generic operation.
///
/// Indexes are proven when the code is decoded: an atom, import, lambda, literal, location or type exists in the file
/// whose code it is, registers are below [`REGISTERS`], and a label is defined in the code (or is 0: none).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operand {
    /// A number that stands for itself: an arity, a count, a size, flags, an offset. What is above `u64::MAX` in the file
    /// is `u64::MAX`, which like it is more than any size can be.
    Number(u64),
    /// An integer term of at most 64 bits.
    Integer(i64),
    /// An integer term of more: its bytes are found with [`Code::big_integer`](crate::Code::big_integer).
    BigInteger(Span),
    /// An atom term; index into [`BeamFile::atoms`](crate::BeamFile::atoms), counted from 0.
    Atom(u32),
    /// The empty list.
    Nil,
    /// A term in the literal table.
    Literal(u32),
    X(u32),
    Y(u32),
    /// A register whose term is known to be of a type; index into [`BeamFile::types`](crate::BeamFile::types).
    TypedX {
        register: u32,
        type_index: u32,
    },
    TypedY {
        register: u32,
        type_index: u32,
    },
    FloatReg(u32),
    /// A label, or 0 where the operation may have none.
    Label(u32),
    /// Index into [`BeamFile::imports`](crate::BeamFile::imports).
    Import(u32),
    /// Index into [`BeamFile::lambdas`](crate::BeamFile::lambdas).
    Lambda(u32),
    /// Index into [`Lines::locations`](crate::Lines::locations), or any number if the file has no lines.
    Line(u32),
    /// Heap that is needed, in words and in objects whose size the machine knows.
    Alloc {
        words: u32,
        floats: u32,
        funs: u32,
    },
    /// Operands on their own, found with [`Code::list`](crate::Code::list). No list lies within a list.
    List(Span),
}

/// A part of one of the arenas of a [`Code`](crate::Code).
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Span {
    pub(crate) start: u32,
    pub(crate) len: u32,
}

impl Span {
    pub fn len(self) -> usize {
        self.len as usize
    }

    pub fn is_empty(self) -> bool {
        self.len == 0
    }

    pub(crate) fn of<T>(self, arena: &[T]) -> &[T] {
        &arena[self.start as usize..][..self.len as usize]
    }
}

impl fmt::Debug for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}+{}", self.start, self.len)
    }
}

const _: () = assert!(size_of::<Operand>() == 16);
