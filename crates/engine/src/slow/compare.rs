//! Comparing terms whose words alone do not decide: `a, b, fail`.
#![allow(clippy::undocumented_unsafe_blocks)]

use core::cmp::Ordering;

use term::compare::{compare, eq, eq_exact};

use crate::operand::Any;
use crate::operation::slow_paths;

macro_rules! comparisons {
    ($($(#[$doc:meta])* $name:ident |$a:ident, $b:ident| $holds:expr;)*) => {
        slow_paths! {
            $(
                $(#[$doc])*
                $name |m| {
                    let ($a, $b) = (m.get::<Any, 0>(), m.get::<Any, 1>());
                    if $holds {
                        return m.next::<3>();
                    }
                    m.jump::<2>()
                }
            )*
        }
    };
}

comparisons! {
    /// `=:=`
    is_eq_exact |a, b| eq_exact(a, b);
    /// `=/=`
    is_ne_exact |a, b| !eq_exact(a, b);
    /// `==`
    is_eq |a, b| eq(a, b);
    /// `/=`
    is_ne |a, b| !eq(a, b);
    /// `<`
    is_lt |a, b| compare(a, b) == Ordering::Less;
    /// `>=`
    is_ge |a, b| compare(a, b) != Ordering::Less;
}
