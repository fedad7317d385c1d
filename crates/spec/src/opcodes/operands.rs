//! The kinds of operands that generic operations take, as OTP's loader requires them.
//!
//! `beamfile` decodes every operand to the variant of its `Operand` that the kind names, and refuses the file
//! otherwise. Constant data.

/// An operand of an opcode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OperandRow {
    pub name: &'static str,
    pub kind: OperandKind,
}

/// A kind of operand. It says which variants `beamfile::Operand` may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperandKind {
    /// A term: `X`, `Y`, `TypedX`, `TypedY`, `Atom`, `Nil`, `Integer`, `BigInteger` or `Literal`.
    Source,
    /// A constant term: `Atom`, `Nil`, `Integer`, `BigInteger` or `Literal`.
    Constant,
    /// A register that is read, or read and written: `X`, `Y`, `TypedX` or `TypedY`.
    Register,
    /// A register that is written: as `Register`.
    Dest,
    /// `Y` or `TypedY`: a stack slot.
    Slot,
    /// `FloatReg`.
    Float,
    /// As `Register`, or `FloatReg`, or (only as a source) `Literal`.
    FloatOrSource,
    /// `Atom`.
    Atom,
    /// `Number`.
    Number,
    /// `Number`: the label that is defined here.
    NewLabel,
    /// `Number`, at most 255.
    Arity,
    /// `Number`, at most `beamfile::REGISTERS`: the number of live X registers, or of slots in a frame.
    Registers,
    /// `Number`, or as `Source`.
    NumberOrSource,
    /// `Alloc`: the required heap. Plain numbers of words are converted to this form.
    Alloc,
    /// `Label`, which is defined and is not 0.
    Label,
    /// `Label`; 0 means that the operation raises an error instead of jumping.
    Fail,
    /// As `Label`, or `Atom`.
    LabelOrAtom,
    /// `Import`.
    Import,
    /// `Lambda`.
    Lambda,
    /// `Lambda` or `Atom`.
    LambdaOrAtom,
    /// `Line`.
    Line,
    /// `List`, whose elements have these kinds, repeated cyclically. Its length is a multiple of their number.
    List(&'static [OperandKind]),
    /// Any operand that is valid on its own; numbers are not converted to indexes.
    Any,
}
