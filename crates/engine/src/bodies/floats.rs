//! Floating-point registers; their operands are byte offsets into `Context::f`.
#![allow(clippy::undocumented_unsafe_blocks)]

use layout::{Header, ObjectKind, Term};

use super::tags::{boxed, has_header};
use crate::encoding::{At, FloatRegister};
use crate::form::Form;
use crate::operation::operations;
use crate::registers::Registers;
use crate::slow;

/// The header word of a float.
const FLOAT: u64 = Header::new(ObjectKind::Float, 1).0;

#[inline(always)]
unsafe fn register<F: Form, const I: usize>(
    m: &Registers<F>,
    place: At<FloatRegister, I>,
) -> *mut f64 {
    unsafe {
        (&raw mut (*m.c).f)
            .cast::<f64>()
            .wrapping_byte_add(m.word(place) as usize)
    }
}

/// The value of a word that is known to be a float.
#[inline(always)]
unsafe fn value(term: Term) -> f64 {
    unsafe { *(term.bits() as *const u8).wrapping_add(6).cast::<f64>() }
}

macro_rules! operators {
    ($($(#[$doc:meta])* $name:ident $operator:tt;)*) => {
        operations! {
            $(
                $(#[$doc])*
                $name: P |m, o: FloatBinary| {
                    let result = *register(&m, o.a) $operator *register(&m, o.b);
                    if !result.is_finite() {
                        return m.slow(o, slow::floats::badarith);
                    }
                    *register(&m, o.dest) = result;
                    m.next(o.end)
                }
            )*
        }
    };
}

/// Writes a float at the heap top, where there is room.
#[inline(always)]
unsafe fn store<F: Form>(m: &mut Registers<F>, value: f64) -> Term {
    unsafe {
        let object = m.h;
        object.write(FLOAT);
        object.add(1).write(value.to_bits());
        m.h = object.add(2);
        boxed(object)
    }
}

macro_rules! operators_of_terms {
    ($($(#[$doc:meta])* $name:ident $operator:tt $otherwise:ident;)*) => {
        operations! {
            $(
                $(#[$doc])*
                $name: SsdFew |m, o: Bif2| {
                    let result = value(m.get(o.a)) $operator value(m.get(o.b));
                    if !result.is_finite() || !m.has_room(16) {
                        return m.slow(o, slow::arith::$otherwise);
                    }
                    let result = store(&mut m, result);
                    m.put(o.dest, result);
                    m.next(o.end)
                }
            )*
        }
    };
}

operators_of_terms! {
    /// `+` of two terms that are known to be floats
    AddFloats + add;
    /// `-`
    SubtractFloats - subtract;
    /// `*`
    MultiplyFloats * multiply;
}

operators! {
    FloatAdd +;
    FloatSubtract -;
    FloatMultiply *;
    FloatDivide /;
}

operations! {
    FloatNegate: P |m, o: FloatUnary| {
        let bits = (*register(&m, o.source)).to_bits() ^ 1 << 63;
        *register(&m, o.dest) = f64::from_bits(bits);
        m.next(o.end)
    }

    FloatCopy: P |m, o: FloatUnary| {
        *register(&m, o.dest) = *register(&m, o.source);
        m.next(o.end)
    }

    /// Loads a float.
    FloatLoad: S |m, o: FloatLoad| {
        *register(&m, o.dest) = value(m.get(o.source));
        m.next(o.end)
    }

    /// Stores a float on the heap, where room was made before.
    FloatStore: D |m, o: FloatStore| {
        let value = *register(&m, o.source);
        let float = store(&mut m, value);
        m.put(o.dest, float);
        m.next(o.end)
    }

    /// `a < b` of two terms that are known to be floats
    LessFloats: SS |m, o: Comparison| {
        if value(m.get(o.a)) < value(m.get(o.b)) {
            return m.next(o.end);
        }
        m.jump(o.fail)
    }

    /// `a >= b` of two terms that are known to be floats
    NotLessFloats: SS |m, o: Comparison| {
        if value(m.get(o.a)) < value(m.get(o.b)) {
            return m.jump(o.fail);
        }
        m.next(o.end)
    }

    /// Loads any number as a float.
    FloatConvert: S |m, o: FloatLoad| {
        let term = m.get(o.source);
        if term.is_small() {
            *register(&m, o.dest) = term.small_value() as f64;
            return m.next(o.end);
        }
        if !has_header(term, u64::MAX, FLOAT) {
            return m.slow(o, slow::floats::convert);
        }
        *register(&m, o.dest) = value(term);
        m.next(o.end)
    }
}
