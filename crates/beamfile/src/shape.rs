//! The kinds of operands that each operation takes, as OTP's loader requires them.
//!
//! The decoder validates every operand against this table, so code that reads decoded operations can rely on it.
//! Constant data.

use isa::Opcode;

use OperandKind::*;

/// A kind of operand, which determines the possible variants of [`Operand`](crate::Operand).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OperandKind {
    /// A term: `X`, `Y`, `TypedX`, `TypedY`, `Atom`, `Nil`, `Integer`, `BigInteger` or `Literal`.
    Source,
    /// A constant term: `Atom`, `Nil`, `Integer`, `BigInteger` or `Literal`.
    Constant,
    /// A source or destination of a term: `X`, `Y`, `TypedX` or `TypedY`.
    Register,
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
    /// `Number`, at most [`REGISTERS`](crate::REGISTERS): the number of live X registers, or of slots in a frame.
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

/// The kinds of an operation's operands, as many as its arity. Empty for obsolete operations.
pub const fn operands(opcode: Opcode) -> &'static [OperandKind] {
    const TEST_1: &[OperandKind] = &[Label, Source];
    const TEST_2: &[OperandKind] = &[Label, Source, Source];
    const FLOAT_2: &[OperandKind] = &[Fail, Float, Float, Float];
    const BITS_GET: &[OperandKind] =
        &[Label, Register, Registers, Source, Number, Number, Register];
    const BITS_PUT: &[OperandKind] = &[Fail, Source, Number, Number, Source];
    const BITS_INIT: &[OperandKind] = &[Fail, NumberOrSource, Alloc, Registers, Number, Register];
    const UTF_GET: &[OperandKind] = &[Label, Register, Number, Number, Register];
    const UTF_SKIP: &[OperandKind] = &[Label, Register, Number, Number];
    const UTF_SIZE: &[OperandKind] = &[Fail, Source, Register];
    const UTF_PUT: &[OperandKind] = &[Fail, Number, Source];
    const MAP_PUT: &[OperandKind] = &[Fail, Source, Register, Registers, List(&[Source, Source])];

    match opcode {
        Opcode::Label => &[NewLabel],
        Opcode::FuncInfo => &[Atom, Atom, Arity],
        Opcode::IntCodeEnd => &[],

        Opcode::Call => &[Arity, Label],
        Opcode::CallLast => &[Arity, Label, Registers],
        Opcode::CallOnly => &[Arity, Label],
        Opcode::CallExt => &[Arity, Import],
        Opcode::CallExtLast => &[Arity, Import, Registers],
        Opcode::CallExtOnly => &[Arity, Import],
        Opcode::Bif0 => &[Import, Register],
        Opcode::Bif1 => &[Fail, Import, Source, Register],
        Opcode::Bif2 => &[Fail, Import, Source, Source, Register],
        Opcode::Bif3 => &[Fail, Import, Source, Source, Source, Register],
        Opcode::GcBif1 => &[Fail, Registers, Import, Source, Register],
        Opcode::GcBif2 => &[Fail, Registers, Import, Source, Source, Register],
        Opcode::GcBif3 => &[Fail, Registers, Import, Source, Source, Source, Register],
        Opcode::CallFun => &[Arity],
        Opcode::CallFun2 => &[LambdaOrAtom, Arity, Source],
        Opcode::Apply => &[Arity],
        Opcode::ApplyLast => &[Arity, Registers],
        Opcode::Return => &[],
        Opcode::OnLoad | Opcode::NifStart => &[],

        Opcode::Allocate | Opcode::AllocateZero => &[Registers, Registers],
        Opcode::AllocateHeap | Opcode::AllocateHeapZero => &[Registers, Alloc, Registers],
        Opcode::TestHeap => &[Alloc, Registers],
        Opcode::Init => &[Slot],
        Opcode::InitYregs => &[List(&[Slot])],
        Opcode::Deallocate => &[Registers],
        Opcode::Trim => &[Registers, Registers],

        Opcode::Send | Opcode::RemoveMessage | Opcode::Timeout => &[],
        Opcode::LoopRec => &[Label, Register],
        Opcode::LoopRecEnd | Opcode::Wait => &[Label],
        Opcode::WaitTimeout => &[Label, Source],
        Opcode::RecvMark | Opcode::RecvSet => &[Label],
        Opcode::RecvMarkerBind => &[Register, Register],
        Opcode::RecvMarkerClear | Opcode::RecvMarkerReserve | Opcode::RecvMarkerUse => &[Register],

        Opcode::IsLt
        | Opcode::IsGe
        | Opcode::IsEq
        | Opcode::IsNe
        | Opcode::IsEqExact
        | Opcode::IsNeExact => TEST_2,
        Opcode::IsInteger | Opcode::IsFloat | Opcode::IsNumber | Opcode::IsAtom | Opcode::IsPid => {
            TEST_1
        }
        Opcode::IsReference
        | Opcode::IsPort
        | Opcode::IsNil
        | Opcode::IsBinary
        | Opcode::IsBitstr => TEST_1,
        Opcode::IsList | Opcode::IsNonemptyList | Opcode::IsTuple | Opcode::IsMap => TEST_1,
        Opcode::IsFunction | Opcode::IsBoolean => TEST_1,
        Opcode::IsFunction2 => TEST_2,
        Opcode::TestArity => &[Label, Source, Number],
        Opcode::IsTaggedTuple => &[Label, Source, Number, Atom],

        Opcode::SelectVal => &[Source, Label, List(&[Constant, Label])],
        Opcode::SelectTupleArity => &[Source, Label, List(&[Number, Label])],
        Opcode::Jump => &[Label],

        Opcode::Catch | Opcode::Try => &[Slot, Label],
        Opcode::CatchEnd | Opcode::TryEnd | Opcode::TryCase => &[Slot],
        Opcode::Badmatch | Opcode::CaseEnd | Opcode::TryCaseEnd | Opcode::Badrecord => &[Source],
        Opcode::IfEnd | Opcode::BuildStacktrace | Opcode::RawRaise => &[],
        Opcode::Raise => &[Source, Source],

        Opcode::Move => &[Source, Register],
        Opcode::Swap => &[Register, Register],
        Opcode::GetList => &[Source, Register, Register],
        Opcode::GetHd | Opcode::GetTl => &[Source, Register],
        Opcode::GetTupleElement => &[Source, Number, Register],
        Opcode::SetTupleElement => &[Source, Register, Number],
        Opcode::PutList => &[Source, Source, Register],
        Opcode::PutTuple2 => &[Register, List(&[Source])],
        Opcode::UpdateRecord => &[Atom, Number, Source, Register, List(&[Number, Source])],
        Opcode::MakeFun2 => &[Lambda],
        Opcode::MakeFun3 => &[Lambda, Register, List(&[Source])],

        Opcode::PutMapAssoc | Opcode::PutMapExact => MAP_PUT,
        Opcode::HasMapFields => &[Label, Source, List(&[Source])],
        Opcode::GetMapElements => &[Label, Source, List(&[Source, Register])],

        Opcode::Fclearerror => &[],
        Opcode::Fcheckerror => &[Fail],
        Opcode::Fmove => &[FloatOrSource, FloatOrSource],
        Opcode::Fconv => &[Source, Float],
        Opcode::Fadd | Opcode::Fsub | Opcode::Fmul | Opcode::Fdiv => FLOAT_2,
        Opcode::Fnegate => &[Fail, Float, Float],

        Opcode::BsStartMatch3 => &[Fail, Source, Registers, Register],
        Opcode::BsStartMatch4 => &[LabelOrAtom, Registers, Source, Register],
        Opcode::BsGetPosition => &[Register, Register, Registers],
        Opcode::BsSetPosition => &[Register, Source],
        Opcode::BsGetTail => &[Register, Register, Registers],
        Opcode::BsGetInteger2 | Opcode::BsGetFloat2 | Opcode::BsGetBinary2 => BITS_GET,
        Opcode::BsSkipBits2 => &[Label, Register, Source, Number, Number],
        Opcode::BsTestTail2 | Opcode::BsTestUnit => &[Label, Register, Number],
        Opcode::BsMatchString => &[Label, Register, Number, Number],
        Opcode::BsGetUtf8 | Opcode::BsGetUtf16 | Opcode::BsGetUtf32 => UTF_GET,
        Opcode::BsSkipUtf8 | Opcode::BsSkipUtf16 | Opcode::BsSkipUtf32 => UTF_SKIP,
        // The list is one of commands: `MatchCommand`.
        Opcode::BsMatch => &[Label, Register, List(&[Any])],

        // For each segment: its type, its number, unit, flags, value (for a string, its offset) and size.
        Opcode::BsCreateBin => {
            const SEGMENT: &[OperandKind] =
                &[Atom, Number, Number, Constant, NumberOrSource, Source];
            &[Fail, Alloc, Registers, Number, Register, List(SEGMENT)]
        }
        Opcode::BsInit2 | Opcode::BsInitBits => BITS_INIT,
        Opcode::BsAdd => &[Fail, Source, Source, Number, Register],
        Opcode::BsAppend => &[
            Fail, Source, Alloc, Registers, Number, Source, Number, Register,
        ],
        Opcode::BsPrivateAppend => &[Fail, Source, Number, Source, Number, Register],
        Opcode::BsInitWritable => &[],
        Opcode::BsPutInteger | Opcode::BsPutBinary | Opcode::BsPutFloat => BITS_PUT,
        Opcode::BsPutString => &[Number, Number],
        Opcode::BsUtf8Size | Opcode::BsUtf16Size => UTF_SIZE,
        Opcode::BsPutUtf8 | Opcode::BsPutUtf16 | Opcode::BsPutUtf32 => UTF_PUT,

        Opcode::Line => &[Line],
        Opcode::ExecutableLine => &[Line, Number],
        Opcode::DebugLine => &[Atom, Line, Number, Registers],

        Opcode::IsAnyNativeRecord => TEST_1,
        Opcode::IsNativeRecord => &[Label, Source, Atom, Atom],
        Opcode::GetRecordElements => &[Label, Source, List(&[Atom, Register])],
        Opcode::IsRecordAccessible => &[Label, Source, Atom],
        Opcode::GetRecordField => &[Fail, Source, Constant, Atom, Register],
        Opcode::PutRecord => &[
            Fail,
            Constant,
            Source,
            Register,
            Registers,
            List(&[Atom, Source]),
        ],

        Opcode::MPlus | Opcode::MMinus | Opcode::MTimes | Opcode::MDiv => &[],
        Opcode::IntDiv | Opcode::IntRem | Opcode::IntBand | Opcode::IntBor | Opcode::IntBxor => &[],
        Opcode::IntBsl | Opcode::IntBsr | Opcode::IntBnot | Opcode::IsConstant => &[],
        Opcode::PutString
        | Opcode::PutTuple
        | Opcode::Put
        | Opcode::MakeFun
        | Opcode::PutLiteral => &[],
        Opcode::BsStartMatch | Opcode::BsStartMatch2 | Opcode::BsContextToBinary => &[],
        Opcode::BsGetInteger
        | Opcode::BsGetFloat
        | Opcode::BsGetBinary
        | Opcode::BsSkipBits
        | Opcode::BsTestTail => &[],
        Opcode::BsSave | Opcode::BsRestore | Opcode::BsSave2 | Opcode::BsRestore2 => &[],
        Opcode::BsInit | Opcode::BsFinal | Opcode::BsFinal2 | Opcode::BsNeedBuf => &[],
        Opcode::BsBitsToBytes | Opcode::BsBitsToBytes2 => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use isa::opcodes::Status;

    #[test]
    fn operations_have_as_many_kinds_as_operands() {
        for &opcode in Opcode::ALL {
            let arity = if opcode.status() == Status::Removed {
                0
            } else {
                usize::from(opcode.arity())
            };
            assert_eq!(operands(opcode).len(), arity, "{}", opcode.name());
        }
    }
}
