//! Floating-point registers: `f` operands are byte offsets into `Context::f`.
#![allow(clippy::undocumented_unsafe_blocks)]

use layout::{Header, ObjectKind, Term};

use super::tuples::header_of;
use crate::form::Form;
use crate::operation::operations;
use crate::registers::Registers;
use crate::slow;

/// The header word of a float.
const FLOAT: u64 = Header::new(ObjectKind::Float, 1).0;

/// Mask of a float's exponent.
const EXPONENT: u64 = 0x7ff << 52;

#[inline(always)]
unsafe fn register<F: Form, const I: usize>(m: &Registers<F>) -> *mut f64 {
    unsafe {
        (&raw mut (*m.c).f)
            .cast::<f64>()
            .wrapping_byte_add(m.word::<I>() as usize)
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
                $name: P<> |m| {
                    let result = *register::<_, 0>(&m) $operator *register::<_, 1>(&m);
                    // All exponent bits are set for infinities and NaNs.
                    if result.to_bits() & EXPONENT == EXPONENT {
                        return m.slow(slow::floats::badarith);
                    }
                    *register::<_, 2>(&m) = result;
                    m.next::<3>()
                }
            )*
        }
    };
}

operators! {
    /// `f, f, f dest`
    FloatAdd +;
    /// `f, f, f dest`
    FloatSubtract -;
    /// `f, f, f dest`
    FloatMultiply *;
    /// `f, f, f dest`
    FloatDivide /;
}

operations! {
    /// `f, f dest`
    FloatNegate: P<> |m| {
        let bits = (*register::<_, 0>(&m)).to_bits() ^ 1 << 63;
        *register::<_, 1>(&m) = f64::from_bits(bits);
        m.next::<2>()
    }

    /// `f, f dest`
    FloatCopy: P<> |m| {
        *register::<_, 1>(&m) = *register::<_, 0>(&m);
        m.next::<2>()
    }

    /// Loads a float: `source, f dest`
    FloatLoad: S<A: Source> |m| {
        *register::<_, 1>(&m) = value(m.get::<A, 0>());
        m.next::<2>()
    }

    /// Stores a float on the heap, where room was made before: `f, dest`
    FloatStore: P<> |m| {
        let object = m.h;
        object.write(FLOAT);
        object.add(1).write((*register::<_, 0>(&m)).to_bits());
        m.h = object.add(2);
        m.put::<crate::operand::Any, 1>(Term::from_boxed_pointer(object));
        m.next::<2>()
    }

    /// Loads any number as a float: `source, f dest`
    FloatConvert: S<A: Source> |m| {
        let term = m.get::<A, 0>();
        if term.is_small() {
            *register::<_, 1>(&m) = term.small_value() as f64;
            return m.next::<2>();
        }
        if header_of(term) != FLOAT {
            return m.slow(slow::floats::convert);
        }
        *register::<_, 1>(&m) = value(term);
        m.next::<2>()
    }
}
