//! The operations that have stencils, and their combinations of operand kinds. From this one list, the stencil crate
//! generates machine code, and the engine the list of handlers that this machine code replaces. Constant data.
//!
//! `stencil_table!(form)` is a list of lists of handlers in that form; a stencil is identified by its position.
//! Operations that are not listed run through a jump to their handler.

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

macro_rules! stencil_table {
    ($form:ty) => {
        &[
            variants!(source_dest, $form, moves::Move),
            variants!(plain, $form, moves::Move2),
            variants!(plain, $form, moves::Move2YX),
            variants!(plain, $form, moves::Move2XY),
            variants!(plain, $form, moves::SwapXX),
            variants!(plain, $form, moves::SwapXY),
            variants!(plain, $form, moves::SwapYY),
            variants!(plain, $form, moves::InitY),
            variants!(plain, $form, moves::InitY2),
            variants!(plain, $form, moves::Allocate),
            variants!(plain, $form, moves::AllocateHeap),
            variants!(plain, $form, moves::TestHeap),
            variants!(plain, $form, moves::Deallocate),
            variants!(register_dests, $form, lists::GetList),
            variants!(register_dest, $form, lists::GetHd),
            variants!(register_dest, $form, lists::GetTl),
            variants!(sources_dest, $form, lists::PutList),
            variants!(register_dests, $form, lists::IsNonemptyListGetList),
            variants!(register_dest, $form, tuples::GetTupleElement),
            variants!(register_dests, $form, tuples::GetTupleElement2),
            variants!(sources, $form, tuples::SetTupleElement),
            variants!(plain, $form, tuples::SetElement),
            variants!(plain, $form, tuples::SetElementOnly),
            variants!(sources_dest, $form, tuples::PutTuple2),
            variants!(plain, $form, tuples::PutHeader),
            variants!(source, $form, tuples::PutElement),
            variants!(source, $form, tuples::CopyElement),
            variants!(dest, $form, tuples::EndTuple),
            variants!(register, $form, tuples::IsTuple),
            variants!(register, $form, tuples::TestArity),
            variants!(register, $form, tuples::IsTaggedTuple),
            variants!(register, $form, tests::IsInteger),
            variants!(register, $form, tests::IsFloat),
            variants!(register, $form, tests::IsNumber),
            variants!(register, $form, tests::IsAtom),
            variants!(register, $form, tests::IsPid),
            variants!(register, $form, tests::IsNil),
            variants!(register, $form, tests::IsList),
            variants!(register, $form, tests::IsNonemptyList),
            variants!(register, $form, tests::IsBinary),
            variants!(register, $form, tests::IsBitstring),
            variants!(register, $form, tests::IsMap),
            variants!(register, $form, tests::IsAnyNativeRecord),
            variants!(register, $form, tests::IsFunction),
            variants!(register, $form, tests::IsFunctionOfArity),
            variants!(plain, $form, tests::Jump),
            variants!(sources, $form, compare::IsEqExact),
            variants!(register, $form, compare::IsEqImmediate),
            variants!(sources, $form, compare::IsNeExact),
            variants!(register, $form, compare::IsNeImmediate),
            variants!(sources, $form, compare::IsEq),
            variants!(integers, $form, compare::IsLt),
            variants!(integers, $form, compare::IsGe),
            variants!(register, $form, select::SelectValue),
            variants!(register, $form, select::SelectValue2),
            variants!(register, $form, select::JumpTable),
            variants!(register, $form, select::SelectNode),
            variants!(register, $form, select::SelectTupleArity),
            variants!(register, $form, select::SelectTupleArity2),
            variants!(register, $form, select::IsBoxed),
            variants!(register, $form, select::SelectHeader),
            variants!(plain, $form, calls::Call),
            variants!(plain, $form, calls::CallWithin),
            variants!(plain, $form, calls::CallOnly),
            variants!(plain, $form, calls::CallLast),
            variants!(source, $form, calls::MoveCall),
            variants!(source, $form, calls::MoveCallWithin),
            variants!(source, $form, calls::MoveCallOnly),
            variants!(source, $form, calls::MoveCallLast),
            variants!(plain, $form, calls::CallExport),
            variants!(plain, $form, calls::CallExportOnly),
            variants!(plain, $form, calls::CallExportLast),
            variants!(plain, $form, calls::ReturnWithin),
            variants!(plain, $form, calls::Return),
            variants!(plain, $form, calls::DeallocateReturn),
            variants!(source, $form, calls::MoveReturn),
            variants!(source, $form, calls::MoveDeallocateReturn),
            variants!(register, $form, calls::CallFun),
            variants!(register, $form, calls::CallFunLast),
            variants!(plain, $form, calls::FunHead),
            variants!(dest, $form, calls::SelfPid),
            variants!(register_dest, $form, guards::ElementConstant),
            variants!(register_dest, $form, guards::ElementOfConstant),
            variants!(sources_dest_few, $form, guards::Element),
            variants!(register_dest, $form, guards::TupleSize),
            variants!(register_dest, $form, guards::MapSize),
            variants!(register_dest, $form, guards::Head),
            variants!(register_dest, $form, guards::Tail),
            variants!(register_dest, $form, guards::Absolute),
            variants!(register_dest, $form, guards::ByteSize),
            variants!(register_dest, $form, guards::Length),
            variants!(register_dest, $form, guards::Not),
            variants!(sources_dest_few, $form, guards::And),
            variants!(sources_dest_few, $form, guards::Or),
            variants!(sources_dest_few, $form, guards::EqualExact),
            variants!(sources_dest_few, $form, guards::NotEqualExact),
            variants!(sources_dest_few, $form, guards::Equal),
            variants!(sources_dest_few, $form, guards::NotEqual),
            variants!(sources_dest_few, $form, guards::Less),
            variants!(sources_dest_few, $form, guards::GreaterOrEqual),
            variants!(sources_dest_few, $form, guards::Greater),
            variants!(sources_dest_few, $form, guards::LessOrEqual),
            variants!(integers_dest, $form, arith::Add),
            variants!(integers_dest, $form, arith::Subtract),
            variants!(integers_dest, $form, arith::Multiply),
            variants!(register_dest, $form, arith::MultiplyConstant),
            variants!(integers_dest_few, $form, arith::IntegerDivide),
            variants!(integers_dest_few, $form, arith::Remainder),
            variants!(integers_dest_few, $form, arith::Max),
            variants!(integers_dest_few, $form, arith::Min),
            variants!(register_dest, $form, arith::RemainderByPower),
            variants!(register_dest, $form, arith::DivideByPower),
            variants!(register_dest, $form, arith::DivideByConstant),
            variants!(register_dest, $form, arith::RemainderByConstant),
            variants!(integers_dest, $form, arith::BitAnd),
            variants!(integers_dest, $form, arith::BitOr),
            variants!(integers_dest, $form, arith::BitXor),
            variants!(integers_dest_few, $form, arith::ShiftLeft),
            variants!(integers_dest_few, $form, arith::MultiplyMasked),
            variants!(integers_dest_few, $form, arith::ShiftLeftMasked),
            variants!(integers_dest_few, $form, arith::MultiplyAddMasked),
            variants!(integers_dest_few, $form, arith::ShiftRight),
            variants!(register_dest, $form, arith::ShiftLeftConstant),
            variants!(register_dest, $form, arith::ShiftRightConstant),
            variants!(register_dest, $form, arith::Negate),
            variants!(register_dest, $form, arith::BitNot),
            variants!(register_dest, $form, maps::GetMapElement),
            variants!(plain, $form, maps::GetMapElementOf),
            variants!(sources_dest, $form, maps::MapGet),
            variants!(sources_dest, $form, maps::IsMapKey),
            variants!(plain, $form, maps::UpdateMap),
            variants!(register, $form, records::IsNativeRecord),
            variants!(register, $form, records::IsRecordAccessible),
            variants!(register_dest, $form, records::GetRecordElement),
            variants!(plain, $form, floats::FloatAdd),
            variants!(plain, $form, floats::FloatSubtract),
            variants!(plain, $form, floats::FloatMultiply),
            variants!(plain, $form, floats::FloatDivide),
            variants!(dest, $form, floats::FloatStore),
            variants!(source, $form, floats::FloatLoad),
            variants!(source, $form, floats::FloatConvert),
            variants!(sources_dest_few, $form, floats::AddFloats),
            variants!(sources_dest_few, $form, floats::SubtractFloats),
            variants!(sources_dest_few, $form, floats::MultiplyFloats),
            variants!(sources, $form, floats::LessFloats),
            variants!(sources, $form, floats::NotLessFloats),
            variants!(register_dest, $form, binaries::StartMatch),
            variants!(register_dest, $form, binaries::GetInteger8),
            variants!(register_dest, $form, binaries::GetInteger16),
            variants!(register_dest, $form, binaries::GetInteger32),
            variants!(register_dest, $form, binaries::GetUnsigned),
            variants!(register_dest, $form, binaries::GetSigned),
            variants!(register_dest, $form, binaries::GetLittle),
            variants!(register_dest, $form, binaries::ReadUnsigned),
            variants!(register_dest, $form, binaries::ReadSigned),
            variants!(register_dest, $form, binaries::ReadLittle),
            variants!(register, $form, binaries::OpenWindow),
            variants!(dest, $form, binaries::TakeByte),
            variants!(dest, $form, binaries::TakeUnsigned),
            variants!(dest, $form, binaries::TakeSigned),
            variants!(dest, $form, binaries::TakeLittle),
            variants!(register_dest, $form, binaries::GetUtf8),
            variants!(register, $form, binaries::MatchBits),
            variants!(register_dest, $form, binaries::GetRest),
            variants!(register_dest, $form, binaries::GetTail),
            variants!(register_dest, $form, binaries::GetPosition),
            variants!(registers, $form, binaries::SetPosition),
            variants!(register, $form, binaries::TestTail),
            variants!(register, $form, binaries::TestUnit),
            variants!(register, $form, binaries::TestPowerUnit),
            variants!(register, $form, binaries::SkipBits),
            variants!(register, $form, binaries::Advance),
            variants!(register, $form, binaries::TestAtLeast),
            variants!(register, $form, binaries::TestRest),
            variants!(plain, $form, building::StartBinary),
            variants!(plain, $form, building::StartMeasuredBinary),
            variants!(register, $form, building::StartBinaryAround),
            variants!(register, $form, building::StartAppend),
            variants!(dest, $form, building::EndBinary),
            variants!(dest, $form, building::EndMeasuredBinary),
            variants!(register_dest, $form, building::EndAppend),
            variants!(register_dest, $form, building::EndPrivateAppend),
            variants!(source, $form, building::Gather),
            variants!(register, $form, building::ShiftRight),
            variants!(register, $form, building::PutUtf8),
            variants!(register, $form, building::PutBytes),
            variants!(plain, $form, building::PutConstant64),
            variants!(plain, $form, building::PutConstant8),
            variants!(plain, $form, building::PutConstant16),
            variants!(plain, $form, building::PutConstant32),
            variants!(register, $form, building::PutInteger8),
            variants!(register, $form, building::PutInteger16),
            variants!(register, $form, building::PutInteger32),
            variants!(register, $form, building::PutInteger64),
            variants!(register, $form, building::PutInteger16Little),
            variants!(register, $form, building::PutInteger32Little),
            variants!(register, $form, building::PutInteger64Little),
            variants!(register, $form, building::PutFloat32),
            variants!(register, $form, building::PutFloat64),
            variants!(register, $form, building::PutFloat32Little),
            variants!(register, $form, building::PutFloat64Little),
            variants!(plain, $form, exceptions::Catch),
            variants!(plain, $form, exceptions::CatchEnd),
            variants!(plain, $form, exceptions::TryEnd),
            variants!(plain, $form, exceptions::TryCase),
            variants!(plain, $form, coverage::Mark),
            variants!(plain, $form, coverage::Count),
            variants!(plain, $form, debugger::LineBreakpoint),
            variants!(dest, $form, messages::LoopRec),
            variants!(plain, $form, messages::LoopRecEnd),
        ]
    };
}

/// Stencils for operands of which more is known ([`Knowledge`](crate::operand::Knowledge)): `code` is their machine code
/// in a form, `key` says for which handler of the table above they stand in, and what must be known of its sources.
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
                get_utf8(GetCharacter) set_position(SetPosition);
            build: utf8_segment(PutValue) bytes_segment(PutBytes);
            calls: preempt(Nothing) call_fun(CallFun) call_fun_last(CallFunLast);
            collect: allocate(Allocation) allocate_heap(FrameAndHeap) test_heap(Allocation)
                room_to_set_element(CallExport);
            compare: is_eq_exact(Comparison) is_ne_exact(Comparison) is_eq(Comparison) is_ne(Comparison)
                is_lt(Comparison) is_ge(Comparison);
            debugger: stop_at_line(LinePlace);
            exceptions: catch_value(OneY);
            floats: badarith(Nothing) convert(FloatLoad);
            maps: get_map_element(GetMapElement) get_map_elements(GetMapElements) map_get(Bif2) is_map_key(Bif2) put_map(PutMap)
                room_to_update(PutMap);
            messages: loop_rec(LoopRec) yield_at_label(Jump);
        }
    };
}
