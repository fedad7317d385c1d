//! The operands of generic operations.
//!
//! Every index in an operand has been validated against its own file: see [`Operand`].

use std::fmt;

/// X, Y and float registers have numbers below this.
pub const REGISTERS: u32 = 1024;

/// An operand of a generic operation.
///
/// Decoding validates the indexes: an atom, import, lambda, literal, location or type exists in the same file,
/// registers are below [`REGISTERS`], and a label is defined in the code (or is 0: none).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operand {
    /// A plain number: an arity, a count, a size, flags, an offset. Values above `u64::MAX` in the file become
    /// `u64::MAX`, which also exceeds any possible size.
    Number(u64),
    /// An integer term of at most 64 bits.
    Integer(i64),
    /// A larger integer term: [`Code::big_integer`](crate::Code::big_integer) returns its bytes.
    BigInteger(Span),
    /// An atom term; index into [`BeamFile::atoms`](crate::BeamFile::atoms), counted from 0.
    Atom(u32),
    /// The empty list.
    Nil,
    /// A term in the literal table.
    Literal(u32),
    X(u32),
    Y(u32),
    /// A register whose term is known to have a certain type; index into [`BeamFile::types`](crate::BeamFile::types).
    TypedX {
        register: u32,
        type_index: u32,
    },
    TypedY {
        register: u32,
        type_index: u32,
    },
    FloatReg(u32),
    /// A label, or 0 if the operation allows that and has none.
    Label(u32),
    /// Index into [`BeamFile::imports`](crate::BeamFile::imports).
    Import(u32),
    /// Index into [`BeamFile::lambdas`](crate::BeamFile::lambdas).
    Lambda(u32),
    /// Index into [`Lines::locations`](crate::Lines::locations), or any number if the file has no lines.
    Line(u32),
    /// The required heap, in words and in objects whose size only the machine knows.
    Alloc {
        words: u32,
        floats: u32,
        funs: u32,
    },
    /// A list of operands; [`Code::list`](crate::Code::list) returns them. Lists are never nested.
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
