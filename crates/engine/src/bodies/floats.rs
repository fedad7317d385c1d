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

/// Mask of a float's exponent.
const EXPONENT: u64 = 0x7ff << 52;

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
                    // All exponent bits are set for infinities and NaNs.
                    if result.to_bits() & EXPONENT == EXPONENT {
                        return m.slow(o, slow::floats::badarith);
                    }
                    *register(&m, o.dest) = result;
                    m.next(o.end)
                }
            )*
        }
    };
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
    FloatStore: P |m, o: FloatStore| {
        let object = m.h;
        object.write(FLOAT);
        object.add(1).write((*register(&m, o.source)).to_bits());
        m.h = object.add(2);
        m.put(o.dest, boxed(object));
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
