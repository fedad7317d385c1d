//! Conversion of big integers to floats, and errors.
#![allow(clippy::undocumented_unsafe_blocks)]

use term::am;
use term::arith::float_of_integer;

use crate::operation::slow_paths;
use crate::slow::exceptions::{set_error, unwind};

slow_paths! {
    convert |m, o: FloatLoad| {
        let Some(value) = float_of_integer(m.get(o.source)) else {
            set_error(m.c, am::BADARITH);
            let ip = m.ip;
            return unwind(m, ip, core::ptr::null(), core::ptr::null());
        };
        let register = (&raw mut (*m.c).f).cast::<f64>().wrapping_byte_add(m.word(o.dest) as usize);
        *register = value;
        m.next(o.end)
    }

    /// The result is infinite or NaN. Ignores its operands.
    badarith |m, o: Nothing| {
        set_error(m.c, am::BADARITH);
        let ip = m.ip;
        unwind(m, ip, core::ptr::null(), core::ptr::null())
    }
}
