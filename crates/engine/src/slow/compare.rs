//! Comparing terms that do not decide at a glance: `a, b, fail`.
#![allow(clippy::undocumented_unsafe_blocks)]

use crate::operation::slow_paths;
use crate::slow::exceptions::{set_error, unwind};

slow_paths! {
    /// `a, b, fail`
    undecided |m| {
        set_error(m.c, term::am::NOTSUP);
        let ip = m.ip;
        unwind(m, ip, core::ptr::null(), core::ptr::null())
    }
}
pub use undecided as is_eq_exact;
pub use undecided as is_ne_exact;
pub use undecided as is_eq;
pub use undecided as is_ne;
pub use undecided as is_lt;
pub use undecided as is_ge;
