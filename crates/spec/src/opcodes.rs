//! The generic opcodes, which `.beam` files consist of, with OTP's numbers, and their operands.
//!
//! One row per opcode, in order of number and without a gap (`Opcode` relies on this, and a test checks it). The
//! facts are those of OTP 25 for 1 to 180, and of OTP 26 to 29 for higher numbers. `beamfile` proves operands by their
//! kinds, and hands them out under their names. Constant data; any thread may read it.

mod operands;

pub use operands::{OperandKind, OperandRow};

/// Expands `$callback! { (number, Variant, "name", [operands], status, effect), ... }`, one row for each generic
/// opcode.
///
/// An operand is `name: Kind`, where the kind is one of [`crate::opcodes::OperandKind`]; a list has the kinds
/// of its elements in brackets. `status` is `Current`, `Old`, `Removed(arity)` or `Later(release)`: an expression of
/// type [`crate::opcodes::Status`], evaluated where its variants are in scope. `effect` is a variant of
/// [`crate::opcodes::Effect`].
#[macro_export]
macro_rules! for_each_opcode {
    ($callback:ident) => {
        $callback! {
            (1, Label, "label", [label: NewLabel], Current, Other),
            (2, FuncInfo, "func_info", [module: Atom, function: Atom, arity: Arity], Current, Other),
            (3, IntCodeEnd, "int_code_end", [], Current, Other),
            (4, Call, "call", [arity: Arity, label: Label], Current, Other),
            (5, CallLast, "call_last", [arity: Arity, label: Label, frame: Registers], Current, Other),
            (6, CallOnly, "call_only", [arity: Arity, label: Label], Current, Other),
            (7, CallExt, "call_ext", [arity: Arity, import: Import], Current, Other),
            (8, CallExtLast, "call_ext_last", [arity: Arity, import: Import, frame: Registers], Current, Other),
            (9, Bif0, "bif0", [import: Import, dest: Dest], Current, Other),
            (10, Bif1, "bif1", [fail: Fail, import: Import, a: Source, dest: Dest], Current, Other),
            (11, Bif2, "bif2", [fail: Fail, import: Import, a: Source, b: Source, dest: Dest], Current, Other),
            (12, Allocate, "allocate", [frame: Registers, live: Registers], Current, Other),
            (13, AllocateHeap, "allocate_heap", [frame: Registers, heap: Alloc, live: Registers], Current, Other),
            (14, AllocateZero, "allocate_zero", [frame: Registers, live: Registers], Old, Other),
            (15, AllocateHeapZero, "allocate_heap_zero", [frame: Registers, heap: Alloc, live: Registers], Old, Other),
            (16, TestHeap, "test_heap", [heap: Alloc, live: Registers], Current, Other),
            (17, Init, "init", [y: Slot], Old, Other),
            (18, Deallocate, "deallocate", [frame: Registers], Current, Other),
            (19, Return, "return", [], Current, Other),
            (20, Send, "send", [], Current, Other),
            (21, RemoveMessage, "remove_message", [], Current, Other),
            (22, Timeout, "timeout", [], Current, Other),
            (23, LoopRec, "loop_rec", [label: Label, dest: Dest], Current, Other),
            (24, LoopRecEnd, "loop_rec_end", [label: Label], Current, Other),
            (25, Wait, "wait", [label: Label], Current, Other),
            (26, WaitTimeout, "wait_timeout", [label: Label, timeout: Source], Current, Other),
            (27, MPlus, "m_plus", [], Removed(4), Other),
            (28, MMinus, "m_minus", [], Removed(4), Other),
            (29, MTimes, "m_times", [], Removed(4), Other),
            (30, MDiv, "m_div", [], Removed(4), Other),
            (31, IntDiv, "int_div", [], Removed(4), Other),
            (32, IntRem, "int_rem", [], Removed(4), Other),
            (33, IntBand, "int_band", [], Removed(4), Other),
            (34, IntBor, "int_bor", [], Removed(4), Other),
            (35, IntBxor, "int_bxor", [], Removed(4), Other),
            (36, IntBsl, "int_bsl", [], Removed(4), Other),
            (37, IntBsr, "int_bsr", [], Removed(4), Other),
            (38, IntBnot, "int_bnot", [], Removed(3), Other),
            (39, IsLt, "is_lt", [fail: Label, a: Source, b: Source], Current, Other),
            (40, IsGe, "is_ge", [fail: Label, a: Source, b: Source], Current, Other),
            (41, IsEq, "is_eq", [fail: Label, a: Source, b: Source], Current, Plain),
            (42, IsNe, "is_ne", [fail: Label, a: Source, b: Source], Current, Plain),
            (43, IsEqExact, "is_eq_exact", [fail: Label, a: Source, b: Source], Current, Other),
            (44, IsNeExact, "is_ne_exact", [fail: Label, a: Source, b: Source], Current, Plain),
            (45, IsInteger, "is_integer", [fail: Label, term: Source], Current, Plain),
            (46, IsFloat, "is_float", [fail: Label, term: Source], Current, Other),
            (47, IsNumber, "is_number", [fail: Label, term: Source], Current, Plain),
            (48, IsAtom, "is_atom", [fail: Label, term: Source], Current, Plain),
            (49, IsPid, "is_pid", [fail: Label, term: Source], Current, Plain),
            (50, IsReference, "is_reference", [fail: Label, term: Source], Current, Plain),
            (51, IsPort, "is_port", [fail: Label, term: Source], Current, Plain),
            (52, IsNil, "is_nil", [fail: Label, term: Source], Current, Plain),
            (53, IsBinary, "is_binary", [fail: Label, term: Source], Current, Plain),
            (54, IsConstant, "is_constant", [], Removed(2), Other),
            (55, IsList, "is_list", [fail: Label, term: Source], Current, Plain),
            (56, IsNonemptyList, "is_nonempty_list", [fail: Label, term: Source], Current, Plain),
            (57, IsTuple, "is_tuple", [fail: Label, term: Source], Current, Plain),
            (58, TestArity, "test_arity", [fail: Label, tuple: Source, arity: Number], Current, Plain),
            (59, SelectVal, "select_val", [term: Source, fail: Label, choices: List[Constant, Label]], Current, Other),
            (60, SelectTupleArity, "select_tuple_arity",
             [tuple: Source, fail: Label, choices: List[Number, Label]], Current, Other),
            (61, Jump, "jump", [label: Label], Current, Other),
            (62, Catch, "catch", [y: Slot, handler: Label], Current, Other),
            (63, CatchEnd, "catch_end", [y: Slot], Current, Other),
            (64, Move, "move", [source: Source, dest: Dest], Current, Other),
            (65, GetList, "get_list", [list: Source, head: Dest, tail: Dest], Current, Plain),
            (66, GetTupleElement, "get_tuple_element", [tuple: Source, index: Number, dest: Dest], Current, Plain),
            (67, SetTupleElement, "set_tuple_element", [value: Source, tuple: Register, index: Number], Current, Plain),
            (68, PutString, "put_string", [], Removed(3), Other),
            (69, PutList, "put_list", [a: Source, b: Source, dest: Dest], Current, Plain),
            (70, PutTuple, "put_tuple", [], Removed(2), Other),
            (71, Put, "put", [], Removed(1), Other),
            (72, Badmatch, "badmatch", [value: Source], Current, Other),
            (73, IfEnd, "if_end", [], Current, Other),
            (74, CaseEnd, "case_end", [value: Source], Current, Other),
            (75, CallFun, "call_fun", [arity: Arity], Current, Other),
            (76, MakeFun, "make_fun", [], Removed(3), Other),
            (77, IsFunction, "is_function", [fail: Label, term: Source], Current, Plain),
            (78, CallExtOnly, "call_ext_only", [arity: Arity, import: Import], Current, Other),
            (79, BsStartMatch, "bs_start_match", [], Removed(2), Other),
            (80, BsGetInteger, "bs_get_integer", [], Removed(5), Other),
            (81, BsGetFloat, "bs_get_float", [], Removed(5), Other),
            (82, BsGetBinary, "bs_get_binary", [], Removed(5), Other),
            (83, BsSkipBits, "bs_skip_bits", [], Removed(4), Other),
            (84, BsTestTail, "bs_test_tail", [], Removed(2), Other),
            (85, BsSave, "bs_save", [], Removed(1), Other),
            (86, BsRestore, "bs_restore", [], Removed(1), Other),
            (87, BsInit, "bs_init", [], Removed(2), Other),
            (88, BsFinal, "bs_final", [], Removed(2), Other),
            (89, BsPutInteger, "bs_put_integer",
             [fail: Fail, size: Source, unit: Number, flags: Number, value: Source], Old, Other),
            (90, BsPutBinary, "bs_put_binary",
             [fail: Fail, size: Source, unit: Number, flags: Number, value: Source], Old, Other),
            (91, BsPutFloat, "bs_put_float",
             [fail: Fail, size: Source, unit: Number, flags: Number, value: Source], Old, Other),
            (92, BsPutString, "bs_put_string", [length: Number, string: Number], Old, Other),
            (93, BsNeedBuf, "bs_need_buf", [], Removed(1), Other),
            (94, Fclearerror, "fclearerror", [], Old, Plain),
            (95, Fcheckerror, "fcheckerror", [fail: Fail], Old, Plain),
            (96, Fmove, "fmove", [source: FloatOrSource, dest: FloatOrSource], Current, Other),
            (97, Fconv, "fconv", [source: Source, dest: Float], Current, Plain),
            (98, Fadd, "fadd", [fail: Fail, a: Float, b: Float, dest: Float], Current, Plain),
            (99, Fsub, "fsub", [fail: Fail, a: Float, b: Float, dest: Float], Current, Plain),
            (100, Fmul, "fmul", [fail: Fail, a: Float, b: Float, dest: Float], Current, Plain),
            (101, Fdiv, "fdiv", [fail: Fail, a: Float, b: Float, dest: Float], Current, Plain),
            (102, Fnegate, "fnegate", [fail: Fail, source: Float, dest: Float], Current, Plain),
            (103, MakeFun2, "make_fun2", [lambda: Lambda], Old, Other),
            (104, Try, "try", [y: Slot, handler: Label], Current, Other),
            (105, TryEnd, "try_end", [y: Slot], Current, Other),
            (106, TryCase, "try_case", [y: Slot], Current, Other),
            (107, TryCaseEnd, "try_case_end", [value: Source], Current, Other),
            (108, Raise, "raise", [trace: Source, reason: Source], Current, Other),
            (109, BsInit2, "bs_init2",
             [fail: Fail, size: NumberOrSource, heap: Alloc, live: Registers, flags: Number, dest: Dest], Old, Other),
            (110, BsBitsToBytes, "bs_bits_to_bytes", [], Removed(3), Other),
            (111, BsAdd, "bs_add", [fail: Fail, a: Source, b: Source, unit: Number, dest: Dest], Old, Other),
            (112, Apply, "apply", [arity: Arity], Current, Other),
            (113, ApplyLast, "apply_last", [arity: Arity, frame: Registers], Current, Other),
            (114, IsBoolean, "is_boolean", [fail: Label, term: Source], Current, Plain),
            (115, IsFunction2, "is_function2", [fail: Label, term: Source, arity: Source], Current, Plain),
            (116, BsStartMatch2, "bs_start_match2", [], Removed(5), Other),
            (117, BsGetInteger2, "bs_get_integer2",
             [fail: Label, context: Register, live: Registers, size: Source, unit: Number, flags: Number,
              dest: Dest],
             Current, Other),
            (118, BsGetFloat2, "bs_get_float2",
             [fail: Label, context: Register, live: Registers, size: Source, unit: Number, flags: Number,
              dest: Dest],
             Current, Other),
            (119, BsGetBinary2, "bs_get_binary2",
             [fail: Label, context: Register, live: Registers, size: Source, unit: Number, flags: Number,
              dest: Dest],
             Current, Other),
            (120, BsSkipBits2, "bs_skip_bits2",
             [fail: Label, context: Register, size: Source, unit: Number, flags: Number], Current, Plain),
            (121, BsTestTail2, "bs_test_tail2", [fail: Label, context: Register, bits: Number], Current, Plain),
            (122, BsSave2, "bs_save2", [], Removed(2), Other),
            (123, BsRestore2, "bs_restore2", [], Removed(2), Other),
            (124, GcBif1, "gc_bif1",
             [fail: Fail, live: Registers, import: Import, a: Source, dest: Dest], Current, Other),
            (125, GcBif2, "gc_bif2",
             [fail: Fail, live: Registers, import: Import, a: Source, b: Source, dest: Dest], Current, Other),
            (126, BsFinal2, "bs_final2", [], Removed(2), Other),
            (127, BsBitsToBytes2, "bs_bits_to_bytes2", [], Removed(2), Other),
            (128, PutLiteral, "put_literal", [], Removed(2), Other),
            (129, IsBitstr, "is_bitstr", [fail: Label, term: Source], Current, Plain),
            (130, BsContextToBinary, "bs_context_to_binary", [], Removed(1), Other),
            (131, BsTestUnit, "bs_test_unit", [fail: Label, context: Register, unit: Number], Current, Plain),
            (132, BsMatchString, "bs_match_string",
             [fail: Label, context: Register, bits: Number, string: Number], Current, Plain),
            (133, BsInitWritable, "bs_init_writable", [], Current, Other),
            (134, BsAppend, "bs_append",
             [fail: Fail, size: Source, heap: Alloc, live: Registers, unit: Number, binary: Source, flags: Number,
              dest: Dest],
             Old, Other),
            (135, BsPrivateAppend, "bs_private_append",
             [fail: Fail, size: Source, unit: Number, binary: Source, flags: Number, dest: Dest], Old, Other),
            (136, Trim, "trim", [frame: Registers, remaining: Registers], Current, Other),
            (137, BsInitBits, "bs_init_bits",
             [fail: Fail, size: NumberOrSource, heap: Alloc, live: Registers, flags: Number, dest: Dest], Old, Other),
            (138, BsGetUtf8, "bs_get_utf8",
             [fail: Label, context: Register, live: Number, flags: Number, dest: Dest], Current, Other),
            (139, BsSkipUtf8, "bs_skip_utf8",
             [fail: Label, context: Register, live: Number, flags: Number], Current, Other),
            (140, BsGetUtf16, "bs_get_utf16",
             [fail: Label, context: Register, live: Number, flags: Number, dest: Dest], Current, Other),
            (141, BsSkipUtf16, "bs_skip_utf16",
             [fail: Label, context: Register, live: Number, flags: Number], Current, Other),
            (142, BsGetUtf32, "bs_get_utf32",
             [fail: Label, context: Register, live: Number, flags: Number, dest: Dest], Current, Other),
            (143, BsSkipUtf32, "bs_skip_utf32",
             [fail: Label, context: Register, live: Number, flags: Number], Current, Other),
            (144, BsUtf8Size, "bs_utf8_size", [fail: Fail, source: Source, dest: Dest], Old, Other),
            (145, BsPutUtf8, "bs_put_utf8", [fail: Fail, flags: Number, value: Source], Old, Other),
            (146, BsUtf16Size, "bs_utf16_size", [fail: Fail, source: Source, dest: Dest], Old, Other),
            (147, BsPutUtf16, "bs_put_utf16", [fail: Fail, flags: Number, value: Source], Old, Other),
            (148, BsPutUtf32, "bs_put_utf32", [fail: Fail, flags: Number, value: Source], Old, Other),
            (149, OnLoad, "on_load", [], Current, Other),
            (150, RecvMark, "recv_mark", [label: Label], Old, Other),
            (151, RecvSet, "recv_set", [label: Label], Old, Other),
            (152, GcBif3, "gc_bif3",
             [fail: Fail, live: Registers, import: Import, a: Source, b: Source, c: Source,
              dest: Dest],
             Current, Other),
            (153, Line, "line", [line: Line], Current, Plain),
            (154, PutMapAssoc, "put_map_assoc",
             [fail: Fail, map: Source, dest: Dest, live: Registers, pairs: List[Source, Source]], Current, Other),
            (155, PutMapExact, "put_map_exact",
             [fail: Fail, map: Source, dest: Dest, live: Registers, pairs: List[Source, Source]], Current, Other),
            (156, IsMap, "is_map", [fail: Label, term: Source], Current, Plain),
            (157, HasMapFields, "has_map_fields", [fail: Label, map: Source, keys: List[Source]], Current, Other),
            (158, GetMapElements, "get_map_elements",
             [fail: Label, map: Source, pairs: List[Source, Dest]], Current, Other),
            (159, IsTaggedTuple, "is_tagged_tuple",
             [fail: Label, term: Source, arity: Number, tag: Atom], Current, Plain),
            (160, BuildStacktrace, "build_stacktrace", [], Current, Other),
            (161, RawRaise, "raw_raise", [], Current, Other),
            (162, GetHd, "get_hd", [source: Source, dest: Dest], Current, Plain),
            (163, GetTl, "get_tl", [source: Source, dest: Dest], Current, Plain),
            (164, PutTuple2, "put_tuple2", [dest: Dest, elements: List[Source]], Current, Plain),
            (165, BsGetTail, "bs_get_tail", [context: Register, dest: Dest, live: Registers], Current, Other),
            (166, BsStartMatch3, "bs_start_match3",
             [fail: Fail, term: Source, live: Registers, dest: Dest], Current, Other),
            (167, BsGetPosition, "bs_get_position", [context: Register, dest: Dest, live: Registers], Current, Plain),
            (168, BsSetPosition, "bs_set_position", [context: Register, position: Source], Current, Plain),
            (169, Swap, "swap", [a: Register, b: Register], Current, Other),
            (170, BsStartMatch4, "bs_start_match4",
             [fail: LabelOrAtom, live: Registers, term: Source, dest: Dest], Current, Other),
            (171, MakeFun3, "make_fun3", [lambda: Lambda, dest: Dest, free: List[Source]], Current, Other),
            (172, InitYregs, "init_yregs", [slots: List[Slot]], Current, Other),
            (173, RecvMarkerBind, "recv_marker_bind", [marker: Register, reference: Register], Current, Other),
            (174, RecvMarkerClear, "recv_marker_clear", [value: Register], Current, Other),
            (175, RecvMarkerReserve, "recv_marker_reserve", [dest: Dest], Current, Other),
            (176, RecvMarkerUse, "recv_marker_use", [value: Register], Current, Other),
            (177, BsCreateBin, "bs_create_bin",
             [fail: Fail, heap: Alloc, live: Registers, unit: Number, dest: Dest,
              segments: List[Atom, Number, Number, Source, NumberOrSource, Source]],
             Current, Other),
            (178, CallFun2, "call_fun2", [tag: LambdaOrAtom, arity: Arity, fun: Source], Current, Other),
            (179, NifStart, "nif_start", [], Current, Other),
            (180, Badrecord, "badrecord", [value: Source], Current, Other),
            (181, UpdateRecord, "update_record",
             [hint: Atom, size: Number, tuple: Source, dest: Dest, changes: List[Number, Source]], Later(26), Plain),
            (182, BsMatch, "bs_match", [fail: Label, context: Register, commands: List[Any]], Later(26), Other),
            (183, ExecutableLine, "executable_line", [line: Line, index: Number], Later(27), Plain),
            (184, DebugLine, "debug_line", [kind: Atom, line: Line, index: Number, live: Registers], Later(28), Plain),
            (185, Bif3, "bif3",
             [fail: Fail, import: Import, a: Source, b: Source, c: Source, dest: Dest], Later(29), Other),
            (186, IsAnyNativeRecord, "is_any_native_record", [fail: Label, term: Source], Later(29), Plain),
            (187, IsNativeRecord, "is_native_record",
             [fail: Label, term: Source, module: Atom, name: Atom], Later(29), Plain),
            (188, GetRecordElements, "get_record_elements",
             [fail: Label, record: Source, fields: List[Atom, Dest]], Later(29), Other),
            (189, PutRecord, "put_record",
             [fail: Fail, id: Constant, record: Source, dest: Dest, live: Registers,
              values: List[Atom, Source]],
             Later(29), Other),
            (190, IsRecordAccessible, "is_record_accessible",
             [fail: Label, term: Source, scope: Atom], Later(29), Plain),
            (191, GetRecordField, "get_record_field",
             [fail: Fail, record: Source, id: Constant, field: Atom, dest: Dest], Later(29), Other),
        }
    };
}

/// The status of an opcode, from the point of view of OTP 25.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// OTP 25's compiler emits it.
    Current,
    /// OTP 25's compiler no longer emits it by default, but files from older compilers contain it, and it is
    /// supported.
    Old,
    /// Obsolete, with this many operands; the loader refuses a module that contains it, as OTP 25's does.
    Removed(u8),
    /// New in this OTP release, which is later than 25.
    Later(u8),
}

/// What an operation changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Nothing but its operands of the kind [`OperandKind::Dest`], and the code goes on behind it or at its label: what
    /// is known about other registers remains true.
    Plain,
    /// More than that, or nobody has said what.
    Other,
}

macro_rules! define_opcodes {
    ($(($number:literal, $variant:ident, $name:literal,
        [$($field:ident: $kind:ident $([$($element:ident),*])?),*],
        $status:expr, $effect:ident),)*) => {
        /// A generic opcode; the discriminant is OTP's number.
        #[repr(u8)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Opcode {
            $(
                #[doc = concat!("`", $name, "`")]
                $variant = $number,
            )*
        }

        impl Opcode {
            /// Every opcode, in order of number.
            pub const ALL: &'static [Opcode] = &[$(Opcode::$variant,)*];

            const ROWS: &'static [Row] = {
                use Status::*;
                &[$(Row {
                    name: $name,
                    operands: &[$(OperandRow {
                        name: stringify!($field),
                        kind: OperandKind::$kind $((&[$(OperandKind::$element),*]))?,
                    }),*],
                    status: $status,
                    effect: Effect::$effect,
                },)*]
            };
        }
    };
}

for_each_opcode!(define_opcodes);

struct Row {
    name: &'static str,
    operands: &'static [OperandRow],
    status: Status,
    effect: Effect,
}

impl Opcode {
    /// The highest number in the table.
    pub const MAX: u8 = Self::ALL.len() as u8;

    /// The opcode with this number in OTP, or `None` if no release uses the number.
    #[inline]
    pub const fn from_number(number: u8) -> Option<Opcode> {
        if number == 0 || number > Self::MAX {
            return None;
        }
        Some(Self::ALL[number as usize - 1])
    }

    /// OTP's number: 1 for `label`.
    #[inline]
    pub const fn number(self) -> u8 {
        self as u8
    }

    /// OTP's name, for example `"bs_get_utf8"`.
    #[inline]
    pub const fn name(self) -> &'static str {
        self.row().name
    }

    /// How many operands follow the opcode in the `Code` chunk.
    #[inline]
    pub const fn arity(self) -> u8 {
        match self.row().status {
            Status::Removed(arity) => arity,
            _ => self.row().operands.len() as u8,
        }
    }

    /// The names and kinds of the operands; none for an obsolete operation.
    #[inline]
    pub const fn operands(self) -> &'static [OperandRow] {
        self.row().operands
    }

    /// Whether it calls a BIF that may stand in a guard.
    #[inline]
    pub const fn calls_guard_bif(self) -> bool {
        matches!(
            self,
            Opcode::Bif0
                | Opcode::Bif1
                | Opcode::Bif2
                | Opcode::Bif3
                | Opcode::GcBif1
                | Opcode::GcBif2
                | Opcode::GcBif3
        )
    }

    #[inline]
    pub const fn effect(self) -> Effect {
        self.row().effect
    }

    #[inline]
    pub const fn status(self) -> Status {
        self.row().status
    }

    const fn row(self) -> &'static Row {
        &Self::ROWS[self as usize - 1]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_run_from_one_without_a_gap() {
        for (index, &opcode) in Opcode::ALL.iter().enumerate() {
            assert_eq!(usize::from(opcode.number()), index + 1, "{}", opcode.name());
            assert_eq!(Opcode::from_number(opcode.number()), Some(opcode));
        }
        assert_eq!(Opcode::MAX, 191);
        assert_eq!(Opcode::from_number(0), None);
        assert_eq!(Opcode::from_number(Opcode::MAX + 1), None);
        assert_eq!(Opcode::from_number(255), None);
    }

    #[test]
    fn variants_are_their_names_in_camel_case() {
        for &opcode in Opcode::ALL {
            let camel: String = opcode
                .name()
                .split('_')
                .map(|word| word[..1].to_ascii_uppercase() + &word[1..])
                .collect();
            assert_eq!(format!("{opcode:?}"), camel);
        }
    }

    #[test]
    fn well_known_rows_say_what_otp_says() {
        let facts = [
            (Opcode::Label, 1, "label", 1, Status::Current),
            (Opcode::FuncInfo, 2, "func_info", 3, Status::Current),
            (Opcode::PutTuple, 70, "put_tuple", 2, Status::Removed(2)),
            (Opcode::BsAppend, 134, "bs_append", 8, Status::Old),
            (Opcode::GcBif2, 125, "gc_bif2", 6, Status::Current),
            (Opcode::Badrecord, 180, "badrecord", 1, Status::Current),
            (
                Opcode::UpdateRecord,
                181,
                "update_record",
                5,
                Status::Later(26),
            ),
        ];
        for (opcode, number, name, arity, status) in facts {
            assert_eq!(opcode.number(), number);
            assert_eq!(opcode.name(), name);
            assert_eq!(opcode.arity(), arity);
            assert_eq!(opcode.status(), status);
        }
    }

    #[test]
    fn releases_split_the_table_where_otp_does() {
        let removed = Opcode::ALL
            .iter()
            .filter(|o| matches!(o.status(), Status::Removed(_)));
        assert_eq!(removed.count(), 36);
        for &opcode in Opcode::ALL {
            let later = matches!(opcode.status(), Status::Later(26..));
            assert_eq!(later, opcode > Opcode::Badrecord, "{}", opcode.name());
        }
    }

    #[test]
    fn operands_have_names_of_their_own() {
        for &opcode in Opcode::ALL {
            let mut names: Vec<&str> = opcode.operands().iter().map(|row| row.name).collect();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), opcode.operands().len(), "{}", opcode.name());
        }
    }

    #[test]
    fn what_ends_a_function_has_no_plain_effect() {
        for opcode in [
            Opcode::Label,
            Opcode::Return,
            Opcode::CallOnly,
            Opcode::Jump,
            Opcode::LoopRec,
            Opcode::Catch,
            Opcode::Wait,
            Opcode::BsPutInteger,
        ] {
            assert_eq!(opcode.effect(), Effect::Other, "{opcode:?}");
        }
    }
}
