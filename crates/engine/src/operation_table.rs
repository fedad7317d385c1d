//! The table of operations: what each is called, which combinations of operand kinds have stencils, its operand words,
//! and the generic operation that it comes from.
//!
//! ```text
//! tuples::TestArity [register] TestArity from TestArity { tuple, fail; header: tuple_header(arity) };
//! |                 |          |           |
//! |                 |          |           the generic operation (`spec::opcodes`): operands whose names are the same, and others
//! |                 |          |           that a function of `codegen::convert` makes from one
//! |                 |          its row in `encoding.rs`
//! |                 combinations with stencils, as `variants!` names them; none if it always runs threaded
//! its body, in `bodies`
//! ```
//!
//! From a row follow the stencils (`stencils.rs`), the handlers that they stand in for (`native.rs`), the translation
//! where a generic operation is always one instruction (`codegen::derived`), and what the tests of operations expect. A
//! row without a generic operation is one of several that the code generator chooses from, or fuses
//! (`codegen::operations`). A row that disagrees with its body or its encoding does not compile.
//!
//! `stencil_table!(form)` is a list of lists of handlers in that form; a stencil is identified by its position.
//! Constant data.

/// Expands `$callback! { $arguments bodies { rows } slow { rows } }`. The rows of slow paths are those of generic
/// operations that always are one.
macro_rules! for_each_operation {
    ($callback:ident $($argument:tt)*) => {
        $callback! {
            [$($argument)*]
            bodies {
                moves::Move [source_dest] SourceDest;
                moves::Move2 [plain] Move2;
                moves::Move2YX [plain] Move2YX;
                moves::Move2XY [plain] Move2XY;
                moves::SwapXX [plain] TwoX;
                moves::SwapXY [plain] XAndY;
                moves::SwapYY [plain] TwoY;
                moves::InitY [plain] OneY;
                moves::InitY2 [plain] TwoY;
                moves::InitYs [] InitYs;
                moves::Allocate [plain] Allocation from Allocate { live; bytes: words_to_bytes(frame) };
                moves::AllocateZero [] Allocation from AllocateZero { live; bytes: words_to_bytes(frame) };
                moves::AllocateHeap [plain] FrameAndHeap;
                moves::AllocateHeapZero [] FrameAndHeap;
                moves::TestHeap [plain] Allocation from TestHeap { live; bytes: heap_bytes(heap) };
                moves::Deallocate [plain] Frame from Trim { ; frame: words_to_bytes(frame) };

                lists::GetList [register_dests] GetList from GetList { list, head, tail };
                lists::GetHd [register_dest] SourceDest from GetHd { source, dest };
                lists::GetTl [register_dest] SourceDest from GetTl { source, dest };
                lists::PutList [sources_dest] Pair from PutList { a, b, dest };
                lists::IsNonemptyListGetList [register_dests] IsNonemptyListGetList;

                tuples::GetTupleElement [register_dest] GetTupleElement;
                tuples::GetTupleElement2 [register_dests] GetTupleElement2;
                tuples::SetTupleElement [sources] SetTupleElement
                    from SetTupleElement { value, tuple; offset: element_offset(index) };
                tuples::SetElement [plain] CallExport;
                tuples::SetElementOnly [plain] CallExport;
                tuples::PutTuple2 [sources_dest] Pair;
                tuples::PutTuple3 [] Triple;
                tuples::PutTuple [] PutTuple;
                tuples::PutHeader [plain] PutHeader;
                tuples::PutElement [source] PutElement;
                tuples::CopyElement [source] CopyElement;
                tuples::EndTuple [dest] EndTuple;
                tuples::UpdateRecord [] UpdateRecord;
                tuples::IsTuple [register] Test from IsTuple { term, fail };
                tuples::TestArity [register] TestArity from TestArity { tuple, fail; header: tuple_header(arity) };
                tuples::IsTaggedTuple [register] IsTaggedTuple
                    from IsTaggedTuple { term, tag, fail; header: tuple_header(arity) };

                type_tests::IsInteger [register] Test from IsInteger { term, fail };
                type_tests::IsSmall [register] Test;
                type_tests::IsFloat [register] Test from IsFloat { term, fail };
                type_tests::IsNumber [register] Test from IsNumber { term, fail };
                type_tests::IsAtom [register] Test from IsAtom { term, fail };
                type_tests::IsPid [register] Test from IsPid { term, fail };
                type_tests::IsPort [] Test from IsPort { term, fail };
                type_tests::IsReference [] Test from IsReference { term, fail };
                type_tests::IsNil [register] Test from IsNil { term, fail };
                type_tests::IsList [register] Test from IsList { term, fail };
                type_tests::IsNonemptyList [register] Test from IsNonemptyList { term, fail };
                type_tests::IsBinary [register] Test from IsBinary { term, fail };
                type_tests::IsBitstring [register] Test from IsBitstr { term, fail };
                type_tests::IsBoolean [] Test from IsBoolean { term, fail };
                type_tests::IsMap [register] Test from IsMap { term, fail };
                type_tests::IsAnyNativeRecord [register] Test from IsAnyNativeRecord { term, fail };
                type_tests::IsFunction [register] Test from IsFunction { term, fail };
                type_tests::IsFunction2 [] IsFunction2;
                type_tests::IsFunctionOfArity [register] IsFunctionOfArity;
                type_tests::Jump [plain] Jump from Jump { label };

                compare::IsEqExact [sources] Comparison;
                compare::IsEqImmediate [register] CompareImmediate;
                compare::IsNeExact [sources] Comparison;
                compare::IsNeImmediate [register] CompareImmediate;
                compare::IsEq [sources] Comparison;
                compare::IsNe [] Comparison;
                compare::IsLt [integers] Comparison;
                compare::IsGe [integers] Comparison;

                select::SelectValue [register] Select;
                select::SelectValue2 [register] Select2;
                select::SelectFew [] Select;
                select::JumpTable [register] JumpTable;
                select::SelectNode [register] SelectNode;
                select::SelectTupleArity [register] Select;
                select::SelectTupleArity2 [register] SelectArity2;
                select::IsBoxed [register] Test;
                select::SelectHeader [register] TestArity;

                calls::Call [plain] Jump;
                calls::CallWithin [plain] CallWithin;
                calls::CallOnly [plain] Jump from CallOnly { label };
                calls::CallLast [plain] CallLast from CallLast { label; frame: words_to_bytes(frame) };
                calls::MoveCall [source] MoveCall;
                calls::MoveCallWithin [source] MoveCallWithin;
                calls::MoveCallOnly [source] MoveCall;
                calls::MoveCallLast [source] MoveCallLast;
                calls::CallExport [plain] CallExport;
                calls::CallExportOnly [plain] CallExport;
                calls::CallExportLast [plain] CallExportLast;
                calls::ReturnWithin [plain] ReturnWithin;
                calls::Return [plain] Nothing;
                calls::DeallocateReturn [plain] Frame;
                calls::MoveReturn [source] MoveReturn;
                calls::MoveDeallocateReturn [source] MoveDeallocateReturn;
                calls::CallFun [register] CallFun;
                calls::CallFunLast [register] CallFunLast;
                calls::FunHead [plain] FunHead;
                calls::MakeFun [] MakeFun;
                calls::SelfPid [dest] Destination;

                guards::ElementConstant [register_dest] ElementConstant;
                guards::ElementOfConstant [register_dest] ElementOfConstant;
                guards::Element [sources_dest_few] Bif2;
                guards::TupleSize [register_dest] Bif1;
                guards::MapSize [register_dest] Bif1;
                guards::Head [register_dest] Bif1;
                guards::Tail [register_dest] Bif1;
                guards::Absolute [register_dest] Bif1;
                guards::ByteSize [register_dest] Bif1;
                guards::Length [register_dest] Bif1;
                guards::Not [register_dest] Bif1;
                guards::And [sources_dest_few] Bif2;
                guards::Or [sources_dest_few] Bif2;
                guards::EqualExact [sources_dest_few] Bif2;
                guards::NotEqualExact [sources_dest_few] Bif2;
                guards::Equal [sources_dest_few] Bif2;
                guards::NotEqual [sources_dest_few] Bif2;
                guards::Less [sources_dest_few] Bif2;
                guards::GreaterOrEqual [sources_dest_few] Bif2;
                guards::Greater [sources_dest_few] Bif2;
                guards::LessOrEqual [sources_dest_few] Bif2;

                arith::Add [integers_dest] Bif2;
                arith::Subtract [integers_dest] Bif2;
                arith::Multiply [integers_dest] Bif2;
                arith::MultiplyConstant [register_dest] ByConstant;
                arith::IntegerDivide [integers_dest_few] Bif2;
                arith::Remainder [integers_dest_few] Bif2;
                arith::Max [integers_dest_few] Bif2;
                arith::Min [integers_dest_few] Bif2;
                arith::RemainderByPower [register_dest] ByConstant;
                arith::DivideByPower [register_dest] ByDivisor;
                arith::DivideByConstant [register_dest] ByDivisor;
                arith::RemainderByConstant [register_dest] ByDivisor;
                arith::BitAnd [integers_dest] Bif2;
                arith::BitOr [integers_dest] Bif2;
                arith::BitXor [integers_dest] Bif2;
                arith::ShiftLeft [integers_dest_few] Bif2;
                arith::MultiplyMasked [integers_dest_few] Masked;
                arith::ShiftLeftMasked [integers_dest_few] Masked;
                arith::MultiplyAddMasked [integers_dest_few] MaskedSum;
                arith::ShiftRight [integers_dest_few] Bif2;
                arith::ShiftLeftConstant [register_dest] ByConstant;
                arith::ShiftRightConstant [register_dest] ByConstant;
                arith::Negate [register_dest] Bif1;
                arith::BitNot [register_dest] Bif1;

                maps::GetMapElement [register_dest] GetMapElement;
                maps::GetMapElementOf [registers_dest] GetMapElementOf;
                maps::HasMapField [register_and_source] Comparison;
                maps::MapGet [sources_dest] Bif2;
                maps::IsMapKey [sources_dest] Bif2;
                maps::UpdateMap [plain] PutMap;
                maps::NewMap [] NewMap;

                records::IsNativeRecord [register] IsNativeRecord from IsNativeRecord { term, module, name, fail };
                records::IsRecordAccessible [register] IsRecordAccessible;
                records::GetRecordElement [register_dest] GetRecordElement;
                records::NewRecord [] NewRecord;

                floats::FloatAdd [plain] FloatBinary from Fadd { a, b, dest };
                floats::FloatSubtract [plain] FloatBinary from Fsub { a, b, dest };
                floats::FloatMultiply [plain] FloatBinary from Fmul { a, b, dest };
                floats::FloatDivide [plain] FloatBinary from Fdiv { a, b, dest };
                floats::FloatNegate [] FloatUnary from Fnegate { source, dest };
                floats::FloatCopy [] FloatUnary;
                floats::FloatStore [dest] FloatStore;
                floats::FloatLoad [source] FloatLoad;
                floats::FloatConvert [source] FloatLoad from Fconv { source, dest };
                floats::AddFloats [sources_dest_few] Bif2;
                floats::SubtractFloats [sources_dest_few] Bif2;
                floats::MultiplyFloats [sources_dest_few] Bif2;
                floats::LessFloats [sources] Comparison;
                floats::NotLessFloats [sources] Comparison;

                binaries::StartMatch [register_dest] StartMatch from BsStartMatch3 { term, dest, fail, live };
                binaries::GetInteger8 [register_dest] GetBits;
                binaries::GetInteger16 [register_dest] GetBits;
                binaries::GetInteger32 [register_dest] GetBits;
                binaries::GetUnsigned [register_dest] GetWindow;
                binaries::GetSigned [register_dest] GetWindow;
                binaries::GetLittle [register_dest] GetWindow;
                binaries::ReadUnsigned [register_dest] ReadWindow;
                binaries::ReadSigned [register_dest] ReadWindow;
                binaries::ReadLittle [register_dest] ReadWindow;
                binaries::OpenWindow [register] Advance;
                binaries::TakeByte [dest] TakeByte;
                binaries::TakeUnsigned [dest] TakeFromWindow;
                binaries::TakeSigned [dest] TakeFromWindow;
                binaries::TakeLittle [dest] TakeFromWindow;
                binaries::GetUtf8 [register_dest] GetCharacter;
                binaries::SkipUtf8 [register] SkipCharacter from BsSkipUtf8 { context, fail };
                binaries::MatchBits [register] MatchBits;
                binaries::GetRest [register_dest] GetBits;
                binaries::GetTail [register_dest] GetTail from BsGetTail { context, dest, live };
                binaries::GetPosition [register_dest] SourceDest from BsGetPosition { dest; source: term(context) };
                binaries::SetPosition [registers] SetPosition from BsSetPosition { context, position };
                binaries::TestTail [register] TestBits from BsTestTail2 { context, fail, bits };
                binaries::TestUnit [register] TestBits;
                binaries::TestPowerUnit [register] TestBits;
                binaries::SkipBits [register] TestBits;
                binaries::Advance [register] Advance;
                binaries::TestAtLeast [register] TestBits;
                binaries::TestRest [register] TestRest;

                building::StartBinary [plain] StartBinary;
                building::StartMeasuredBinary [plain] StartBinary;
                building::StartBinaryAround [register] StartBinaryAround;
                building::StartAppend [register] StartAppend;
                building::EndBinary [dest] EndBinary;
                building::EndMeasuredBinary [dest] EndBytes;
                building::EndAppend [register_dest] EndAppend;
                building::EndPrivateAppend [register_dest] EndAppend;
                building::Gather [source] Gather;
                building::GatherFirst [source] Gather;
                building::GatherNext [source] Gather;
                building::GatherFirstTwo [x_registers] GatherTwo;
                building::GatherNextTwo [x_registers] GatherTwo;
                building::ShiftRight [register] PutValue;
                building::PutUtf8 [register] PutValue;
                building::PutBytes [register] PutBytes;
                building::PutConstant64 [plain] PutConstantWord;
                building::PutConstant8 [plain] PutConstant;
                building::PutConstant16 [plain] PutConstant;
                building::PutConstant32 [plain] PutConstant;
                building::PutInteger8 [register] PutValue;
                building::PutInteger16 [register] PutValue;
                building::PutInteger24 [register] PutValue;
                building::PutInteger32 [register] PutValue;
                building::PutInteger64 [register] PutValue;
                building::PutInteger16Little [register] PutValue;
                building::PutInteger24Little [register] PutValue;
                building::PutInteger32Little [register] PutValue;
                building::PutInteger64Little [register] PutValue;
                building::PutFloat32 [register] PutValue;
                building::PutFloat64 [register] PutValue;
                building::PutFloat32Little [register] PutValue;
                building::PutFloat64Little [register] PutValue;

                exceptions::Catch [plain] Catch;
                exceptions::CatchEnd [plain] OneY from CatchEnd { y };
                exceptions::TryEnd [plain] OneY from TryEnd { y };
                exceptions::TryCase [plain] OneY from TryCase { y };

                coverage::Mark [plain] CoveragePlace;
                coverage::Count [plain] CoveragePlace;

                debugger::LineBreakpoint [plain] LinePlace;

                messages::LoopRec [dest] LoopRec from LoopRec { dest, label };
                messages::LoopRecEnd [plain] Jump from LoopRecEnd { label };
            }
            slow {
                calls::apply Apply from Apply { arity };
                calls::apply_last ApplyLast from ApplyLast { arity; frame: words_to_bytes(frame) };

                messages::send Nothing from Send {};
                messages::remove_message Nothing from RemoveMessage {};
                messages::wait Jump from Wait { label };
                messages::wait_timeout WaitTimeout from WaitTimeout { label, timeout };
                messages::timeout Nothing from Timeout {};
                messages::marker_reserve Destination from RecvMarkerReserve { dest };
                messages::marker_bind MarkerBind from RecvMarkerBind { marker, reference };
                messages::marker_clear Value from RecvMarkerClear { value };
                messages::marker_use Value from RecvMarkerUse { value };

                exceptions::badmatch Value from Badmatch { value };
                exceptions::case_end Value from CaseEnd { value };
                exceptions::try_case_end Value from TryCaseEnd { value };
                exceptions::badrecord Value from Badrecord { value };
                exceptions::if_end Nothing from IfEnd {};
                exceptions::raise Raise from Raise { trace, reason };
                exceptions::raw_raise Nothing from RawRaise {};
                exceptions::build_stacktrace Nothing from BuildStacktrace {};

                build::init_writable Nothing from BsInitWritable {};
                build::add_sizes AddSizes from BsAdd { fail, a, b, unit, dest };
                build::put_integer PutSegment from BsPutInteger { fail, value, unit, flags; size: segment_size(size) };
                build::put_float PutSegment from BsPutFloat { fail, value, unit, flags; size: segment_size(size) };
                build::put_binary PutSegment from BsPutBinary { fail, value, unit, flags; size: segment_size(size) };
                build::put_utf8 PutCharacter from BsPutUtf8 { fail, value, flags };
                build::put_utf16 PutCharacter from BsPutUtf16 { fail, value, flags };
                build::put_utf32 PutCharacter from BsPutUtf32 { fail, value, flags };
                build::utf8_size SourceDest from BsUtf8Size { source, dest };
                build::utf16_size SourceDest from BsUtf16Size { source, dest };
            }
        }
    };
}

macro_rules! variants {
    (@ $form:ty, $operation:path, $shape:ident, [$(($($kind:ident),*)),*]) => {
        &[$(<$operation as $shape>::run::<$form, $($kind),*> as Handler),*]
    };
    (plain, $form:ty, $operation:path) => {
        &[<$operation as P>::run::<$form> as Handler]
    };
    // A source that is not a constant.
    (register, $form:ty, $operation:path) => {
        variants!(@ $form, $operation, S, [(X), (Y)])
    };
    (x_registers, $form:ty, $operation:path) => {
        variants!(@ $form, $operation, SS, [(X, X)])
    };
    (source, $form:ty, $operation:path) => {
        variants!(@ $form, $operation, S, [(X), (Y), (K)])
    };
    (dest, $form:ty, $operation:path) => {
        variants!(@ $form, $operation, D, [(X), (Y)])
    };
    (register_dest, $form:ty, $operation:path) => {
        variants!(@ $form, $operation, SD, [(X, X), (X, Y), (Y, X), (Y, Y)])
    };
    (source_dest, $form:ty, $operation:path) => {
        variants!(@ $form, $operation, SD, [(X, X), (X, Y), (Y, X), (Y, Y), (K, X), (K, Y)])
    };
    (sources, $form:ty, $operation:path) => {
        variants!(@ $form, $operation, SS,
            [(X, X), (X, Y), (X, K), (Y, X), (Y, Y), (Y, K), (K, X), (K, Y)])
    };
    (registers, $form:ty, $operation:path) => {
        variants!(@ $form, $operation, SS, [(X, X), (X, Y), (Y, X), (Y, Y)])
    };
    (register_and_source, $form:ty, $operation:path) => {
        variants!(@ $form, $operation, SS, [(X, X), (X, Y), (X, K), (Y, X), (Y, Y), (Y, K)])
    };
    (registers_dest, $form:ty, $operation:path) => {
        variants!(@ $form, $operation, Ssd,
            [(X, X, X), (X, X, Y), (X, Y, X), (X, Y, Y), (Y, X, X), (Y, X, Y), (Y, Y, X), (Y, Y, Y)])
    };
    (register_dests, $form:ty, $operation:path) => {
        variants!(@ $form, $operation, Sdd, [(X, X, X), (X, X, Y), (X, Y, X), (X, Y, Y), (Y, X, X)])
    };
    (sources_dest, $form:ty, $operation:path) => {
        variants!(@ $form, $operation, Ssd,
            [(X, X, X), (X, X, Y), (X, Y, X), (X, Y, Y), (X, K, X), (X, K, Y),
             (Y, X, X), (Y, X, Y), (Y, Y, X), (Y, Y, Y), (Y, K, X), (Y, K, Y),
             (K, X, X), (K, X, Y), (K, Y, X), (K, Y, Y)])
    };
    (integers, $form:ty, $operation:path) => {
        variants!(@ $form, $operation, II,
            [(X, X), (X, Y), (X, N), (X, K), (Y, X), (Y, Y), (Y, N), (Y, K), (N, X), (N, Y)])
    };
    (integers_dest, $form:ty, $operation:path) => {
        variants!(@ $form, $operation, Iid,
            [(X, X, X), (X, X, Y), (X, Y, X), (X, Y, Y), (X, N, X), (X, N, Y),
             (Y, X, X), (Y, X, Y), (Y, Y, X), (Y, Y, Y), (Y, N, X), (Y, N, Y),
             (N, X, X), (N, X, Y), (N, Y, X), (N, Y, Y)])
    };
    (integers_dest_few, $form:ty, $operation:path) => {
        variants!(@ $form, $operation, IidFew, [(X, X, X), (X, N, X)])
    };
    (sources_dest_few, $form:ty, $operation:path) => {
        variants!(@ $form, $operation, SsdFew, [(X, X, X), (X, K, X)])
    };
}

/// The handlers that have stencils, in a form.
macro_rules! stencil_table {
    ([$form:ty] bodies {
        $($module:ident::$name:ident [$($kinds:ident)?] $encoding:ident $(from $generic:ident $operands:tt)?;)*
    } slow $slow:tt) => {
        &[$($(variants!($kinds, $form, $module::$name),)?)*]
    };
    ($form:ty) => {
        for_each_operation!(stencil_table $form)
    };
}

/// Stencils for operands of which more is known ([`Knowledge`](crate::operand::Knowledge)): `code` is their machine
/// code in a form, `key` says for which handler of the table above they stand in, and what must be known of its
/// sources.
macro_rules! known_variants {
    (@ (code $form:ty), $operation:path, $shape:ident, [$(($($source:ty),* $(; $dest:ident)?)),*]) => {
        &[$(<$operation as $shape>::run::<$form, $($source),* $(, $dest)?> as Handler),*]
    };
    (@ (key), $operation:path, $shape:ident, [$(($($source:ty),* $(; $dest:ident)?)),*]) => {
        &[$((
            <$operation as $shape>::run::<Threaded, $(<$source as Source>::Unknown),* $(, $dest)?> as Handler,
            &[$(<$source as Source>::KNOWN),*] as &[Knowledge],
        )),*]
    };
    (integers_dest, $what:tt, $operation:path) => {
        known_variants!(@ $what, $operation, Iid,
            [(Passed<X>, N; X), (Passed<X>, X; X), (X, Passed<X>; X), (Passed<X>, Small<X>; X),
             (Small<X>, Passed<X>; X), (Small<X>, N; X), (Small<X>, Small<X>; X), (N, Passed<X>; X), (N, Small<X>; X),
             (Passed<X>, Y; X), (Y, Passed<X>; X), (Passed<X>, Small<Y>; X), (Small<Y>, Passed<X>; X),
             (Small<Y>, N; X), (Small<X>, Small<Y>; X), (Small<Y>, Small<X>; X),
             (Passed<X>, N; Y), (Passed<X>, X; Y), (X, Passed<X>; Y), (Passed<X>, Small<X>; Y),
             (Small<X>, Passed<X>; Y), (Small<X>, N; Y), (Small<X>, Small<X>; Y), (Passed<X>, Y; Y),
             (Y, Passed<X>; Y)])
    };
    (integers_dest_few, $what:tt, $operation:path) => {
        known_variants!(@ $what, $operation, IidFew,
            [(Passed<X>, N; X), (Passed<X>, X; X), (X, Passed<X>; X), (Passed<X>, Small<X>; X),
             (Small<X>, Passed<X>; X), (Small<X>, N; X), (Small<X>, Small<X>; X)])
    };
    (integer_dest, $what:tt, $operation:path) => {
        known_variants!(@ $what, $operation, SD,
            [(Passed<X>; X), (Passed<X>; Y), (Small<X>; X), (Small<X>; Y), (Small<Y>; X)])
    };
    (integer, $what:tt, $operation:path) => {
        known_variants!(@ $what, $operation, S, [(Small<X>)])
    };
    (x_integers, $what:tt, $operation:path) => {
        known_variants!(@ $what, $operation, SS, [(Small<X>, Small<X>)])
    };
    (integers, $what:tt, $operation:path) => {
        known_variants!(@ $what, $operation, II,
            [(Passed<X>, N), (Passed<X>, X), (X, Passed<X>), (Passed<X>, Small<X>), (Small<X>, Passed<X>),
             (Small<X>, N), (Small<X>, Small<X>), (N, Passed<X>), (N, Small<X>), (Passed<X>, Y), (Y, Passed<X>),
             (Small<Y>, N)])
    };
}

macro_rules! known_table {
    ($what:tt) => {
        &[
            known_variants!(integers_dest, $what, arith::Add),
            known_variants!(integers_dest, $what, arith::Subtract),
            known_variants!(integers_dest, $what, arith::Multiply),
            known_variants!(integers_dest, $what, arith::BitAnd),
            known_variants!(integers_dest, $what, arith::BitOr),
            known_variants!(integers_dest, $what, arith::BitXor),
            known_variants!(integers_dest_few, $what, arith::IntegerDivide),
            known_variants!(integers_dest_few, $what, arith::Remainder),
            known_variants!(integers_dest_few, $what, arith::Max),
            known_variants!(integers_dest_few, $what, arith::Min),
            known_variants!(integers_dest_few, $what, arith::ShiftLeft),
            known_variants!(integers_dest_few, $what, arith::MultiplyMasked),
            known_variants!(integers_dest_few, $what, arith::ShiftLeftMasked),
            known_variants!(integers_dest_few, $what, arith::MultiplyAddMasked),
            known_variants!(integers_dest_few, $what, arith::ShiftRight),
            known_variants!(integer_dest, $what, arith::MultiplyConstant),
            known_variants!(integer_dest, $what, arith::RemainderByPower),
            known_variants!(integer_dest, $what, arith::DivideByPower),
            known_variants!(integer_dest, $what, arith::DivideByConstant),
            known_variants!(integer_dest, $what, arith::RemainderByConstant),
            known_variants!(integer_dest, $what, arith::ShiftLeftConstant),
            known_variants!(integer_dest, $what, arith::ShiftRightConstant),
            known_variants!(integer_dest, $what, arith::Negate),
            known_variants!(integer_dest, $what, arith::BitNot),
            known_variants!(integer_dest, $what, guards::ElementOfConstant),
            known_variants!(integers, $what, compare::IsLt),
            known_variants!(integers, $what, compare::IsGe),
            known_variants!(integer, $what, building::GatherFirst),
            known_variants!(integer, $what, building::GatherNext),
            known_variants!(x_integers, $what, building::GatherFirstTwo),
            known_variants!(x_integers, $what, building::GatherNextTwo),
            known_variants!(integer, $what, building::ShiftRight),
            known_variants!(integer, $what, building::PutInteger8),
            known_variants!(integer, $what, building::PutInteger16),
            known_variants!(integer, $what, building::PutInteger24),
            known_variants!(integer, $what, building::PutInteger32),
        ]
    };
}

/// The slow paths that stencils jump to, by module in `slow`, with the encodings that they read. The function names are
/// unique across all modules.
macro_rules! for_each_slow_path {
    ($callback:ident) => {
        $callback! {
            arith: add(Bif2) subtract(Bif2) multiply(Bif2) multiply_constant(ByConstant);
            bifs: guard1(Bif1) guard2(Bif2) by_constant(ByConstant) by_divisor(ByDivisor) length(Bif1) call_bif(CallExport) call_bif_only(CallExport);
            binaries: start_match(StartMatch) get_integer(GetBits) get_binary(GetBits) get_tail(GetTail)
                get_utf8(GetCharacter) skip_utf8(SkipCharacter) set_position(SetPosition);
            build: utf8_segment(PutValue) bytes_segment(PutBytes);
            leave: preempt(Nothing) preempt_behind(Nothing);
            calls: call_fun(CallFun) call_fun_last(CallFunLast);
            collect: allocate(Allocation) allocate_heap(FrameAndHeap) test_heap(Allocation)
                room_to_set_element(CallExport);
            compare: is_eq_exact(Comparison) is_ne_exact(Comparison) is_eq(Comparison) is_ne(Comparison)
                is_lt(Comparison) is_ge(Comparison);
            debugger: stop_at_line(LinePlace);
            exceptions: catch_value(OneY);
            floats: badarith(Nothing) convert(FloatLoad);
            maps: get_map_element(GetMapElement) get_map_element_of(GetMapElementOf) has_map_field(Comparison) map_get(Bif2)
                is_map_key(Bif2) put_map(PutMap) room_to_update(PutMap);
            messages: loop_rec(LoopRec) yield_at_label(Jump);
        }
    };
}
