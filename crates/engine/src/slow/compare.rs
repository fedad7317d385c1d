//! Comparing terms whose words alone do not decide.
#![allow(clippy::undocumented_unsafe_blocks)]

use core::cmp::Ordering;

use term::compare::{compare, eq, eq_exact, order_at_a_glance};

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
    /// `<` of terms that a glance does not decide
    is_lt_of_any |a, b| compare(a, b) == Ordering::Less;
    /// `>=` of terms that a glance does not decide
    is_ge_of_any |a, b| compare(a, b) != Ordering::Less;
}

slow_paths! {
    /// `<`
    is_lt |m, o: Comparison| {
        match order_at_a_glance(m.get(o.a), m.get(o.b)) {
            Some(Ordering::Less) => m.next(o.end),
            Some(_) => m.jump(o.fail),
            None => m.slow(o, is_lt_of_any),
        }
    }

    /// `>=`
    is_ge |m, o: Comparison| {
        match order_at_a_glance(m.get(o.a), m.get(o.b)) {
            Some(Ordering::Less) => m.jump(o.fail),
            Some(_) => m.next(o.end),
            None => m.slow(o, is_ge_of_any),
        }
    }
}
