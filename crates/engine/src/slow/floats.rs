//! Conversion of big integers to floats, and errors.
#![allow(clippy::undocumented_unsafe_blocks)]

use term::am;
use term::arith::float_of_integer;

use crate::operation::slow_paths;
use crate::slow::exceptions::raise_error;

slow_paths! {
    convert |m, o: FloatLoad| {
        let Some(value) = float_of_integer(m.get(o.source)) else {
            return raise_error(m, am::BADARITH);
        };
        let register = (&raw mut (*m.c).f).cast::<f64>().wrapping_byte_add(m.word(o.dest) as usize);
        *register = value;
        m.next(o.end)
    }

    /// The result is infinite or NaN. Ignores its operands.
    badarith |m, o: Nothing| {
        raise_error(m, am::BADARITH)
    }
}
