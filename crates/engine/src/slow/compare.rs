//! Comparing terms whose words alone do not decide.
#![allow(clippy::undocumented_unsafe_blocks)]

use core::cmp::Ordering;

use term::compare::{compare, eq, eq_exact};

use crate::operation::slow_paths;

macro_rules! comparisons {
    ($($(#[$doc:meta])* $name:ident |$a:ident, $b:ident| $holds:expr;)*) => {
        slow_paths! {
            $(
                $(#[$doc])*
                $name |m, o: Comparison| {
                    let ($a, $b) = (m.get(o.a), m.get(o.b));
                    if $holds {
                        return m.next(o.end);
                    }
                    m.jump(o.fail)
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
