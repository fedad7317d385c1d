//! The functions that guards and bodies may call: they have no effects, and their arguments may be terms anywhere.
//!
//! Where the BIF of the same name would raise an exception, the result is `None`.

use std::cmp::Ordering;

use layout::object::Bits;
use layout::{ObjectKind, Term, no_gc};
use term::arith::{self, ArithError};
use term::native_record::Definition;
use term::release::{self, Release};
use term::{am, build, compare, fun, list, map, node};

use super::arena::Arena;

macro_rules! functions {
    ($(($function:ident, $name:ident, $arity:literal),)*) => {
        /// A function; its arguments are on the stack, the last on top.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(crate) enum Function {
            $($function,)*
        }

        impl Function {
            pub(crate) fn arity(self) -> usize {
                match self {
                    $(Function::$function => $arity,)*
                }
            }
        }

        const TABLE: &[(Term, usize, Function)] = &[$((am::$name, $arity, Function::$function),)*];
    };
}

functions! {
    (IsAtom, IS_ATOM, 1),
    (IsFloat, IS_FLOAT, 1),
    (IsInteger, IS_INTEGER, 1),
    (IsIntegerWithin, IS_INTEGER, 3),
    (IsList, IS_LIST, 1),
    (IsNumber, IS_NUMBER, 1),
    (IsPid, IS_PID, 1),
    (IsPort, IS_PORT, 1),
    (IsReference, IS_REFERENCE, 1),
    (IsTuple, IS_TUPLE, 1),
    (IsMap, IS_MAP, 1),
    (IsMapKey, IS_MAP_KEY, 2),
    (IsBinary, IS_BINARY, 1),
    (IsFun, IS_FUNCTION, 1),
    (IsRecord, IS_RECORD, 3),
    (Abs, ABS, 1),
    (Element, ELEMENT, 2),
    (Hd, HD, 1),
    (Length, LENGTH, 1),
    (MapGet, MAP_GET, 2),
    (MapSize, MAP_SIZE, 1),
    (Node, NODE, 1),
    (OwnNode, NODE, 0),
    (Round, ROUND, 1),
    (Size, SIZE, 1),
    (BitSize, BIT_SIZE, 1),
    (ByteSize, BYTE_SIZE, 1),
    (BinaryPart, BINARY_PART, 2),
    (BinaryPart3, BINARY_PART, 3),
    (Tl, TL, 1),
    (Trunc, TRUNC, 1),
    (Float, FLOAT, 1),
    (Plus, PLUS, 1),
    (Minus, MINUS, 1),
    (Add, PLUS, 2),
    (Subtract, MINUS, 2),
    (Multiply, TIMES, 2),
    (Divide, DIVIDE, 2),
    (Div, DIV, 2),
    (Rem, REM, 2),
    (Band, BAND, 2),
    (Bor, BOR, 2),
    (Bxor, BXOR, 2),
    (Bnot, BNOT, 1),
    (Bsl, BSL, 2),
    (Bsr, BSR, 2),
    (Greater, GT, 2),
    (GreaterOrEqual, GE, 2),
    (Less, LT, 2),
    (LessOrEqual, LE, 2),
    (ExactlyEqual, EQ_EXACT, 2),
    (Equal, EQ, 2),
    (ExactlyUnequal, NE_EXACT, 2),
    (Unequal, NE, 2),
    (Not, NOT, 1),
    (Xor, XOR, 2),
    (Own, SELF, 0),
    (Max, MAX, 2),
    (Min, MIN, 2),
    (Ceil, CEIL, 1),
    (Floor, FLOOR, 1),
    (IsBitstring, IS_BITSTRING, 1),
    (IsBoolean, IS_BOOLEAN, 1),
    (IsFunOf, IS_FUNCTION, 2),
    (TupleSize, TUPLE_SIZE, 1),
}

/// The functions that OTP has from release 26 on.
const LATER: &[Function] = &[
    Function::Max,
    Function::Min,
    Function::Ceil,
    Function::Floor,
    Function::IsBitstring,
    Function::IsBoolean,
    Function::IsFunOf,
    Function::TupleSize,
];

/// The function with a name and an arity.
pub(crate) fn find(name: Term, arity: usize) -> Option<Function> {
    TABLE
        .iter()
        .find(|row| row.0 == name && row.1 == arity)
        .map(|row| row.2)
        .filter(|function| match function {
            Function::IsIntegerWithin => release::has(Release::OTP_29),
            _ => !LATER.contains(function) || release::has(Release::OTP_26),
        })
}

fn truth(value: bool) -> Option<Term> {
    Some(am::boolean(value))
}

fn calculated(outcome: Result<Term, ArithError>) -> Option<Term> {
    outcome.ok()
}

/// Calls a function for the process `own`. Parts of the arguments may be parts of the result.
///
/// # Panics
/// If there are fewer arguments than the function's arity.
pub(crate) fn call(
    function: Function,
    arguments: &[Term],
    own: Term,
    arena: &mut Arena,
) -> Option<Term> {
    use Function as F;
    let a = arguments.first().copied().unwrap_or(Term::NIL);
    let b = arguments.get(1).copied().unwrap_or(Term::NIL);
    match function {
        F::IsAtom => truth(a.is_atom()),
        F::IsFloat => truth(a.is_float()),
        F::IsInteger => truth(a.is_integer()),
        F::IsIntegerWithin => {
            let (least, most) = (b, arguments[2]);
            let is_within = || {
                a.is_integer()
                    && compare::compare(a, least).is_ge()
                    && compare::compare(a, most).is_le()
            };
            (least.is_integer() && most.is_integer()).then(|| am::boolean(is_within()))
        }
        F::IsList => truth(a.is_list()),
        F::IsNumber => truth(a.is_number()),
        F::IsPid => truth(a.is_pid()),
        F::IsPort => truth(a.is_port()),
        F::IsReference => truth(a.is_reference()),
        F::IsTuple => truth(a.is_tuple()),
        F::IsMap => truth(a.is_map()),
        F::IsMapKey => b.is_map().then(|| am::boolean(map::get(b, a).is_some())),
        F::IsBinary => truth(a.is_binary()),
        F::IsBitstring => truth(a.is_bitstring()),
        F::IsBoolean => truth(am::to_boolean(a).is_some()),
        F::IsFunOf => fun::is_of_arity(a, b).map(am::boolean),
        F::TupleSize => Some(Term::small(a.tuple_size()? as i64)),
        F::Max => Some(if compare::compare(a, b).is_lt() { b } else { a }),
        F::Min => Some(if compare::compare(a, b).is_gt() { b } else { a }),
        F::Ceil => arith::ceil(arena, a),
        F::Floor => arith::floor(arena, a),
        F::IsFun => truth(a.is_fun()),
        F::IsRecord => is_record(a, b, arguments[2]),
        F::Abs => arith::abs(arena, a),
        F::Element => element(a, b),
        F::Hd => a.as_cons().map(|(head, _)| head),
        F::Tl => a.as_cons().map(|(_, tail)| tail),
        F::Length => length(a),
        F::MapGet => {
            if b.is_map() {
                map::get(b, a)
            } else {
                None
            }
        }
        F::MapSize => a.map_size().map(|size| Term::small(size as i64)),
        F::Node => node_of(a),
        F::OwnNode => Some(node::own_name()),
        F::Own => Some(own),
        F::Round => arith::round(arena, a),
        F::Trunc => arith::trunc(arena, a),
        F::Size => match a.as_tuple(no_gc!()) {
            Some(elements) => Some(Term::small(elements.len() as i64)),
            None => bits(a).map(|bits| Term::small((bits.bit_len() / 8) as i64)),
        },
        F::BitSize => bits(a).map(|bits| Term::small(bits.bit_len() as i64)),
        F::ByteSize => bits(a).map(|bits| Term::small(bits.bit_len().div_ceil(8) as i64)),
        F::BinaryPart => {
            let [start, length] = b.as_tuple_of()?;
            binary_part(arena, a, start, length)
        }
        F::BinaryPart3 => binary_part(arena, a, b, arguments[2]),
        F::Float if a.is_float() => Some(a),
        F::Float => arith::float_of_integer(a).map(|value| build::float(arena, value)),
        F::Plus => a.is_number().then_some(a),
        F::Minus => calculated(arith::negate(arena, a)),
        F::Add => calculated(arith::add(arena, a, b)),
        F::Subtract => calculated(arith::subtract(arena, a, b)),
        F::Multiply => calculated(arith::multiply(arena, a, b)),
        F::Divide => calculated(arith::divide(arena, a, b)),
        F::Div => calculated(arith::int_div(arena, a, b)),
        F::Rem => calculated(arith::remainder(arena, a, b)),
        F::Band => calculated(arith::band(arena, a, b)),
        F::Bor => calculated(arith::bor(arena, a, b)),
        F::Bxor => calculated(arith::bxor(arena, a, b)),
        F::Bnot => calculated(arith::bnot(arena, a)),
        F::Bsl => calculated(arith::bsl(arena, a, b)),
        F::Bsr => calculated(arith::bsr(arena, a, b)),
        F::Greater => truth(compare::compare(a, b) == Ordering::Greater),
        F::GreaterOrEqual => truth(compare::compare(a, b) != Ordering::Less),
        F::Less => truth(compare::compare(a, b) == Ordering::Less),
        F::LessOrEqual => truth(compare::compare(a, b) != Ordering::Greater),
        F::ExactlyEqual => truth(compare::eq_exact(a, b)),
        F::ExactlyUnequal => truth(!compare::eq_exact(a, b)),
        F::Equal => truth(compare::eq(a, b)),
        F::Unequal => truth(!compare::eq(a, b)),
        F::Not => truth(!am::to_boolean(a)?),
        F::Xor => truth(am::to_boolean(a)? != am::to_boolean(b)?),
    }
}

fn is_record(term: Term, tag: Term, size: Term) -> Option<Term> {
    if !tag.is_atom() {
        return None;
    }
    if size.is_atom() && release::has(Release::OTP_29) {
        // Not a tuple of that size, but a native record of this module and name.
        let definition = term.record_definition();
        return truth(definition.is_some_and(|it| Definition::of(it, no_gc!()).is_of(tag, size)));
    }
    let size = size.as_small()?;
    let no_gc = no_gc!();
    let elements = term.as_tuple(no_gc).unwrap_or(&[]);
    truth(elements.len() as i64 == size && elements.first() == Some(&tag))
}

fn element(index: Term, tuple: Term) -> Option<Term> {
    let index = usize::try_from(index.as_small()? - 1).ok()?;
    tuple.as_tuple(no_gc!())?.get(index).copied()
}

fn length(list: Term) -> Option<Term> {
    Some(Term::small(list::length(list)? as i64))
}

fn node_of(identifier: Term) -> Option<Term> {
    match identifier.boxed_kind() {
        Some(
            ObjectKind::ExternalPid | ObjectKind::ExternalPort | ObjectKind::ExternalReference,
        ) => Some(node::of(identifier).name),
        _ if identifier.is_pid() || identifier.is_port() || identifier.is_reference() => {
            Some(node::own_name())
        }
        _ => None,
    }
}

fn bits(term: Term) -> Option<Bits> {
    if term.is_bitstring() {
        term.as_bits()
    } else {
        None
    }
}

fn binary_part(arena: &mut Arena, binary: Term, start: Term, length: Term) -> Option<Term> {
    if !binary.is_binary() {
        return None;
    }
    let size = i64::try_from(binary.as_bits()?.bit_len() / 8).ok()?;
    let (start, length) = (start.as_small()?, length.as_small()?);
    // A negative length means the bytes before `start`.
    let (first, last) = if length < 0 {
        (start + length, start)
    } else {
        (start, start + length)
    };
    if first < 0 || last > size || start < 0 || start > size {
        return None;
    }
    Some(build::sub_bits(
        arena,
        binary,
        first as u64 * 8,
        (last - first) as u64 * 8,
    ))
}
