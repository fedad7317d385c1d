//! The generic opcodes, which `.beam` files consist of, with OTP's numbers.
//!
//! One row per opcode, in order of number and without a gap (`Opcode` relies on this, and a test checks it). The
//! facts are those of OTP 25 for 1 to 180, and of OTP 26 to 29 for higher numbers. Constant data; any thread may read
//! it.

/// Expands `$callback! { (number, Variant, "name", arity, status), ... }`, one row for each generic opcode.
///
/// `status` is `Current`, `Old`, `Removed` or `Later(release)`: an expression of type
/// [`crate::opcodes::Status`], evaluated where its variants are in scope.
#[macro_export]
macro_rules! for_each_opcode {
    ($callback:ident) => {
        $callback! {
            (1, Label, "label", 1, Current),
            (2, FuncInfo, "func_info", 3, Current),
            (3, IntCodeEnd, "int_code_end", 0, Current),
            (4, Call, "call", 2, Current),
            (5, CallLast, "call_last", 3, Current),
            (6, CallOnly, "call_only", 2, Current),
            (7, CallExt, "call_ext", 2, Current),
            (8, CallExtLast, "call_ext_last", 3, Current),
            (9, Bif0, "bif0", 2, Current),
            (10, Bif1, "bif1", 4, Current),
            (11, Bif2, "bif2", 5, Current),
            (12, Allocate, "allocate", 2, Current),
            (13, AllocateHeap, "allocate_heap", 3, Current),
            (14, AllocateZero, "allocate_zero", 2, Old),
            (15, AllocateHeapZero, "allocate_heap_zero", 3, Old),
            (16, TestHeap, "test_heap", 2, Current),
            (17, Init, "init", 1, Old),
            (18, Deallocate, "deallocate", 1, Current),
            (19, Return, "return", 0, Current),
            (20, Send, "send", 0, Current),
            (21, RemoveMessage, "remove_message", 0, Current),
            (22, Timeout, "timeout", 0, Current),
            (23, LoopRec, "loop_rec", 2, Current),
            (24, LoopRecEnd, "loop_rec_end", 1, Current),
            (25, Wait, "wait", 1, Current),
            (26, WaitTimeout, "wait_timeout", 2, Current),
            (27, MPlus, "m_plus", 4, Removed),
            (28, MMinus, "m_minus", 4, Removed),
            (29, MTimes, "m_times", 4, Removed),
            (30, MDiv, "m_div", 4, Removed),
            (31, IntDiv, "int_div", 4, Removed),
            (32, IntRem, "int_rem", 4, Removed),
            (33, IntBand, "int_band", 4, Removed),
            (34, IntBor, "int_bor", 4, Removed),
            (35, IntBxor, "int_bxor", 4, Removed),
            (36, IntBsl, "int_bsl", 4, Removed),
            (37, IntBsr, "int_bsr", 4, Removed),
            (38, IntBnot, "int_bnot", 3, Removed),
            (39, IsLt, "is_lt", 3, Current),
            (40, IsGe, "is_ge", 3, Current),
            (41, IsEq, "is_eq", 3, Current),
            (42, IsNe, "is_ne", 3, Current),
            (43, IsEqExact, "is_eq_exact", 3, Current),
            (44, IsNeExact, "is_ne_exact", 3, Current),
            (45, IsInteger, "is_integer", 2, Current),
            (46, IsFloat, "is_float", 2, Current),
            (47, IsNumber, "is_number", 2, Current),
            (48, IsAtom, "is_atom", 2, Current),
            (49, IsPid, "is_pid", 2, Current),
            (50, IsReference, "is_reference", 2, Current),
            (51, IsPort, "is_port", 2, Current),
            (52, IsNil, "is_nil", 2, Current),
            (53, IsBinary, "is_binary", 2, Current),
            (54, IsConstant, "is_constant", 2, Removed),
            (55, IsList, "is_list", 2, Current),
            (56, IsNonemptyList, "is_nonempty_list", 2, Current),
            (57, IsTuple, "is_tuple", 2, Current),
            (58, TestArity, "test_arity", 3, Current),
            (59, SelectVal, "select_val", 3, Current),
            (60, SelectTupleArity, "select_tuple_arity", 3, Current),
            (61, Jump, "jump", 1, Current),
            (62, Catch, "catch", 2, Current),
            (63, CatchEnd, "catch_end", 1, Current),
            (64, Move, "move", 2, Current),
            (65, GetList, "get_list", 3, Current),
            (66, GetTupleElement, "get_tuple_element", 3, Current),
            (67, SetTupleElement, "set_tuple_element", 3, Current),
            (68, PutString, "put_string", 3, Removed),
            (69, PutList, "put_list", 3, Current),
            (70, PutTuple, "put_tuple", 2, Removed),
            (71, Put, "put", 1, Removed),
            (72, Badmatch, "badmatch", 1, Current),
            (73, IfEnd, "if_end", 0, Current),
            (74, CaseEnd, "case_end", 1, Current),
            (75, CallFun, "call_fun", 1, Current),
            (76, MakeFun, "make_fun", 3, Removed),
            (77, IsFunction, "is_function", 2, Current),
            (78, CallExtOnly, "call_ext_only", 2, Current),
            (79, BsStartMatch, "bs_start_match", 2, Removed),
            (80, BsGetInteger, "bs_get_integer", 5, Removed),
            (81, BsGetFloat, "bs_get_float", 5, Removed),
            (82, BsGetBinary, "bs_get_binary", 5, Removed),
            (83, BsSkipBits, "bs_skip_bits", 4, Removed),
            (84, BsTestTail, "bs_test_tail", 2, Removed),
            (85, BsSave, "bs_save", 1, Removed),
            (86, BsRestore, "bs_restore", 1, Removed),
            (87, BsInit, "bs_init", 2, Removed),
            (88, BsFinal, "bs_final", 2, Removed),
            (89, BsPutInteger, "bs_put_integer", 5, Old),
            (90, BsPutBinary, "bs_put_binary", 5, Old),
            (91, BsPutFloat, "bs_put_float", 5, Old),
            (92, BsPutString, "bs_put_string", 2, Old),
            (93, BsNeedBuf, "bs_need_buf", 1, Removed),
            (94, Fclearerror, "fclearerror", 0, Old),
            (95, Fcheckerror, "fcheckerror", 1, Old),
            (96, Fmove, "fmove", 2, Current),
            (97, Fconv, "fconv", 2, Current),
            (98, Fadd, "fadd", 4, Current),
            (99, Fsub, "fsub", 4, Current),
            (100, Fmul, "fmul", 4, Current),
            (101, Fdiv, "fdiv", 4, Current),
            (102, Fnegate, "fnegate", 3, Current),
            (103, MakeFun2, "make_fun2", 1, Old),
            (104, Try, "try", 2, Current),
            (105, TryEnd, "try_end", 1, Current),
            (106, TryCase, "try_case", 1, Current),
            (107, TryCaseEnd, "try_case_end", 1, Current),
            (108, Raise, "raise", 2, Current),
            (109, BsInit2, "bs_init2", 6, Old),
            (110, BsBitsToBytes, "bs_bits_to_bytes", 3, Removed),
            (111, BsAdd, "bs_add", 5, Old),
            (112, Apply, "apply", 1, Current),
            (113, ApplyLast, "apply_last", 2, Current),
            (114, IsBoolean, "is_boolean", 2, Current),
            (115, IsFunction2, "is_function2", 3, Current),
            (116, BsStartMatch2, "bs_start_match2", 5, Removed),
            (117, BsGetInteger2, "bs_get_integer2", 7, Current),
            (118, BsGetFloat2, "bs_get_float2", 7, Current),
            (119, BsGetBinary2, "bs_get_binary2", 7, Current),
            (120, BsSkipBits2, "bs_skip_bits2", 5, Current),
            (121, BsTestTail2, "bs_test_tail2", 3, Current),
            (122, BsSave2, "bs_save2", 2, Removed),
            (123, BsRestore2, "bs_restore2", 2, Removed),
            (124, GcBif1, "gc_bif1", 5, Current),
            (125, GcBif2, "gc_bif2", 6, Current),
            (126, BsFinal2, "bs_final2", 2, Removed),
            (127, BsBitsToBytes2, "bs_bits_to_bytes2", 2, Removed),
            (128, PutLiteral, "put_literal", 2, Removed),
            (129, IsBitstr, "is_bitstr", 2, Current),
            (130, BsContextToBinary, "bs_context_to_binary", 1, Removed),
            (131, BsTestUnit, "bs_test_unit", 3, Current),
            (132, BsMatchString, "bs_match_string", 4, Current),
            (133, BsInitWritable, "bs_init_writable", 0, Current),
            (134, BsAppend, "bs_append", 8, Old),
            (135, BsPrivateAppend, "bs_private_append", 6, Old),
            (136, Trim, "trim", 2, Current),
            (137, BsInitBits, "bs_init_bits", 6, Old),
            (138, BsGetUtf8, "bs_get_utf8", 5, Current),
            (139, BsSkipUtf8, "bs_skip_utf8", 4, Current),
            (140, BsGetUtf16, "bs_get_utf16", 5, Current),
            (141, BsSkipUtf16, "bs_skip_utf16", 4, Current),
            (142, BsGetUtf32, "bs_get_utf32", 5, Current),
            (143, BsSkipUtf32, "bs_skip_utf32", 4, Current),
            (144, BsUtf8Size, "bs_utf8_size", 3, Old),
            (145, BsPutUtf8, "bs_put_utf8", 3, Old),
            (146, BsUtf16Size, "bs_utf16_size", 3, Old),
            (147, BsPutUtf16, "bs_put_utf16", 3, Old),
            (148, BsPutUtf32, "bs_put_utf32", 3, Old),
            (149, OnLoad, "on_load", 0, Current),
            (150, RecvMark, "recv_mark", 1, Old),
            (151, RecvSet, "recv_set", 1, Old),
            (152, GcBif3, "gc_bif3", 7, Current),
            (153, Line, "line", 1, Current),
            (154, PutMapAssoc, "put_map_assoc", 5, Current),
            (155, PutMapExact, "put_map_exact", 5, Current),
            (156, IsMap, "is_map", 2, Current),
            (157, HasMapFields, "has_map_fields", 3, Current),
            (158, GetMapElements, "get_map_elements", 3, Current),
            (159, IsTaggedTuple, "is_tagged_tuple", 4, Current),
            (160, BuildStacktrace, "build_stacktrace", 0, Current),
            (161, RawRaise, "raw_raise", 0, Current),
            (162, GetHd, "get_hd", 2, Current),
            (163, GetTl, "get_tl", 2, Current),
            (164, PutTuple2, "put_tuple2", 2, Current),
            (165, BsGetTail, "bs_get_tail", 3, Current),
            (166, BsStartMatch3, "bs_start_match3", 4, Current),
            (167, BsGetPosition, "bs_get_position", 3, Current),
            (168, BsSetPosition, "bs_set_position", 2, Current),
            (169, Swap, "swap", 2, Current),
            (170, BsStartMatch4, "bs_start_match4", 4, Current),
            (171, MakeFun3, "make_fun3", 3, Current),
            (172, InitYregs, "init_yregs", 1, Current),
            (173, RecvMarkerBind, "recv_marker_bind", 2, Current),
            (174, RecvMarkerClear, "recv_marker_clear", 1, Current),
            (175, RecvMarkerReserve, "recv_marker_reserve", 1, Current),
            (176, RecvMarkerUse, "recv_marker_use", 1, Current),
            (177, BsCreateBin, "bs_create_bin", 6, Current),
            (178, CallFun2, "call_fun2", 3, Current),
            (179, NifStart, "nif_start", 0, Current),
            (180, Badrecord, "badrecord", 1, Current),
            (181, UpdateRecord, "update_record", 5, Later(26)),
            (182, BsMatch, "bs_match", 3, Later(26)),
            (183, ExecutableLine, "executable_line", 2, Later(27)),
            (184, DebugLine, "debug_line", 4, Later(28)),
            (185, Bif3, "bif3", 6, Later(29)),
            (186, IsAnyNativeRecord, "is_any_native_record", 2, Later(29)),
            (187, IsNativeRecord, "is_native_record", 4, Later(29)),
            (188, GetRecordElements, "get_record_elements", 3, Later(29)),
            (189, PutRecord, "put_record", 6, Later(29)),
            (190, IsRecordAccessible, "is_record_accessible", 3, Later(29)),
            (191, GetRecordField, "get_record_field", 5, Later(29)),
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
    /// Obsolete; the loader refuses a module that contains it, as OTP 25's does.
    Removed,
    /// New in this OTP release, which is later than 25.
    Later(u8),
}

macro_rules! define_opcodes {
    ($(($number:literal, $variant:ident, $name:literal, $arity:literal, $status:expr),)*) => {
        /// A generic opcode; the discriminant is OTP's number.
        #[repr(u8)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Opcode {
            $(
                #[doc = concat!("`", $name, "/", $arity, "`")]
                $variant = $number,
            )*
        }

        impl Opcode {
            /// Every opcode, in order of number.
            pub const ALL: &'static [Opcode] = &[$(Opcode::$variant,)*];

            const ROWS: &'static [Row] = {
                use Status::*;
                &[$(Row { name: $name, arity: $arity, status: $status },)*]
            };
        }
    };
}

for_each_opcode!(define_opcodes);

struct Row {
    name: &'static str,
    arity: u8,
    status: Status,
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
        self.row().arity
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
            (Opcode::PutTuple, 70, "put_tuple", 2, Status::Removed),
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
        let removed = Opcode::ALL.iter().filter(|o| o.status() == Status::Removed);
        assert_eq!(removed.count(), 36);
        for &opcode in Opcode::ALL {
            let later = matches!(opcode.status(), Status::Later(26..));
            assert_eq!(later, opcode > Opcode::Badrecord, "{}", opcode.name());
        }
    }
}
