//! Arithmetic with operands other than small integers. Floats are handled here,
//! because the compiler emits the general operators for floats where it does not know the types, or where the
//! operation must not raise. The rest is left to the operator's BIF.
#![allow(clippy::undocumented_unsafe_blocks)]

use layout::limits::STACK_RESERVE_WORDS;
use layout::{Header, ObjectKind, Term};

use term::release::{self, Release};

use crate::operand::Operand;
use crate::operation::slow_paths;
use crate::slow::bifs::{by_constant, guard2, step};

/// The header word of a float.
const FLOAT: u64 = Header::new(ObjectKind::Float, 1).0;

/// The value of a float or small integer as a float, and whether the term is a float.
#[inline(always)]
fn number(term: Term) -> Option<(f64, bool)> {
    match term.as_small() {
        Some(value) => Some((value as f64, false)),
        None => term.as_float().map(|value| (value, true)),
    }
}

macro_rules! operators {
    ($($(#[$doc:meta])* $name:ident($encoding:ident) $operator:tt $integers:literal $otherwise:ident;)*) => {
        slow_paths! {
            $(
                $(#[$doc])*
                $name |m, o: $encoding| {
                    let (a, b) = (number(m.get(o.a)), number(m.get(o.b)));
                    if let (Some((a, a_is_float)), Some((b, b_is_float))) = (a, b)
                        && (a_is_float || b_is_float || $integers)
                    {
                        let result = a $operator b;
                        let room = (m.s as usize - m.h as usize) / 8;
                        if result.is_finite() && room >= 2 + STACK_RESERVE_WORDS {
                            let object = m.h;
                            object.write(FLOAT);
                            object.add(1).write(result.to_bits());
                            m.h = object.add(2);
                            m.put(o.dest, Term::from_boxed_pointer(object));
                            return m.next(o.end);
                        }
                    }
                    m.slow(o, $otherwise)
                }
            )*
        }
    };
}

operators! {
    /// `+`
    add(Bif2) + false add_integers;
    /// `-`
    subtract(Bif2) - false subtract_integers;
    /// `*`
    multiply(Bif2) * false guard2;
    /// `*` by a constant
    multiply_constant(ByConstant) * false by_constant;
    /// `/`
    divide(Bif2) / true guard2;
}

slow_paths! {
    /// `+`, unless its result is a float.
    add_integers |m, o: Bif2| {
        let (a, b) = (m.operand(o.a), m.operand(o.b));
        if is_step(a, b) || is_step(b, a) {
            return m.slow(o, step);
        }
        m.slow(o, guard2)
    }

    /// `-`, unless its result is a float.
    subtract_integers |m, o: Bif2| {
        let (a, b) = (m.operand(o.a), m.operand(o.b));
        let is_negative = |term: Term| term.as_small().is_some_and(|value| value < 0);
        if is_step(b, a) && !b.as_constant().is_some_and(is_negative) {
            return m.slow(o, step);
        }
        m.slow(o, guard2)
    }
}

/// Whether `+` of this operand, and `-` of it unless it is negative, fails without a stack frame of its own: a constant
/// that is a small integer, beside a register, up to OTP 26.
fn is_step(operand: Operand, other: Operand) -> bool {
    other.as_constant().is_none()
        && operand.as_constant().is_some_and(Term::is_small)
        && !release::has(Release::OTP_27)
}
