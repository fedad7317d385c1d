//! Comparing terms. Operands whose words alone decide are compared here, all others in `slow::compare`.
#![allow(clippy::undocumented_unsafe_blocks)]

use crate::operation::operations;
use crate::slow;

operations! {
    /// `a =:= b`
    IsEqExact: SS |m, o: Comparison| {
        let (a, b) = (m.get(o.a).bits(), m.get(o.b).bits());
        if a != b {
            // An immediate equals only itself, and a cons never equals a boxed object.
            if a & 0b11 == 0b11 || (a ^ b) & 0b11 != 0 {
                return m.jump(o.fail);
            }
            return m.slow(o, slow::compare::is_eq_exact);
        }
        m.next(o.end)
    }

    /// `a =:= b` for an immediate constant `b`
    IsEqImmediate: S |m, o: CompareImmediate| {
        if m.get(o.a).bits() != m.get(o.b).bits() {
            return m.jump(o.fail);
        }
        m.next(o.end)
    }

    /// `a =/= b`
    IsNeExact: SS |m, o: Comparison| {
        let (a, b) = (m.get(o.a).bits(), m.get(o.b).bits());
        if a == b {
            return m.jump(o.fail);
        }
        if a & 0b11 == 0b11 || (a ^ b) & 0b11 != 0 {
            return m.next(o.end);
        }
        m.slow(o, slow::compare::is_ne_exact)
    }

    /// `a =/= b` for an immediate constant `b`
    IsNeImmediate: S |m, o: CompareImmediate| {
        if m.get(o.a).bits() == m.get(o.b).bits() {
            return m.jump(o.fail);
        }
        m.next(o.end)
    }

    /// `a == b`
    IsEq: SS |m, o: Comparison| {
        let (a, b) = (m.get(o.a).bits(), m.get(o.b).bits());
        if a != b {
            if a & b & 0b11 == 0b11 {
                return m.jump(o.fail);
            }
            return m.slow(o, slow::compare::is_eq);
        }
        m.next(o.end)
    }

    /// `a /= b`
    IsNe: SS |m, o: Comparison| {
        let (a, b) = (m.get(o.a).bits(), m.get(o.b).bits());
        if a == b {
            return m.jump(o.fail);
        }
        if a & b & 0b11 == 0b11 {
            return m.next(o.end);
        }
        m.slow(o, slow::compare::is_ne)
    }

    /// `a < b`
    IsLt: II |m, o: Comparison| {
        let (a, b) = (m.get(o.a), m.get(o.b));
        if !m.both_small((o.a, a), (o.b, b)) {
            return m.slow(o, slow::compare::is_lt);
        }
        // Both words have the same tag, so they are ordered like the values.
        if a.bits() as i64 >= b.bits() as i64 {
            return m.jump(o.fail);
        }
        m.next(o.end)
    }

    /// `a >= b`
    IsGe: II |m, o: Comparison| {
        let (a, b) = (m.get(o.a), m.get(o.b));
        if !m.both_small((o.a, a), (o.b, b)) {
            return m.slow(o, slow::compare::is_ge);
        }
        if (a.bits() as i64) < b.bits() as i64 {
            return m.jump(o.fail);
        }
        m.next(o.end)
    }
}
