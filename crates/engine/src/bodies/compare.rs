//! Comparing terms: `a, b, fail`. Operands whose words alone decide are compared here, all others in `slow::compare`.
#![allow(clippy::undocumented_unsafe_blocks)]

use crate::operand::K;
use crate::operation::operations;
use crate::slow;

operations! {
    /// `a =:= b`
    IsEqExact: SS<A: Source, B: Source> |m| {
        let (a, b) = (m.get::<A, 0>().bits(), m.get::<B, 1>().bits());
        if a != b {
            // An immediate equals only itself, and a cons never equals a boxed object.
            if a & 0b11 == 0b11 || (a ^ b) & 0b11 != 0 {
                return m.jump::<2>();
            }
            return m.slow(slow::compare::is_eq_exact);
        }
        m.next::<3>()
    }

    /// `a =:= b` for an immediate constant `b`
    IsEqImmediate: S<A: Source> |m| {
        if m.get::<A, 0>().bits() != m.get::<K, 1>().bits() {
            return m.jump::<2>();
        }
        m.next::<3>()
    }

    /// `a =/= b`
    IsNeExact: SS<A: Source, B: Source> |m| {
        let (a, b) = (m.get::<A, 0>().bits(), m.get::<B, 1>().bits());
        if a == b {
            return m.jump::<2>();
        }
        if a & 0b11 == 0b11 || (a ^ b) & 0b11 != 0 {
            return m.next::<3>();
        }
        m.slow(slow::compare::is_ne_exact)
    }

    /// `a =/= b` for an immediate constant `b`
    IsNeImmediate: S<A: Source> |m| {
        if m.get::<A, 0>().bits() == m.get::<K, 1>().bits() {
            return m.jump::<2>();
        }
        m.next::<3>()
    }

    /// `a == b`
    IsEq: SS<A: Source, B: Source> |m| {
        let (a, b) = (m.get::<A, 0>().bits(), m.get::<B, 1>().bits());
        if a != b {
            if a & b & 0b11 == 0b11 {
                return m.jump::<2>();
            }
            return m.slow(slow::compare::is_eq);
        }
        m.next::<3>()
    }

    /// `a /= b`
    IsNe: SS<A: Source, B: Source> |m| {
        let (a, b) = (m.get::<A, 0>().bits(), m.get::<B, 1>().bits());
        if a == b {
            return m.jump::<2>();
        }
        if a & b & 0b11 == 0b11 {
            return m.next::<3>();
        }
        m.slow(slow::compare::is_ne)
    }

    /// `a < b`
    IsLt: SS<A: Source, B: Source> |m| {
        let (a, b) = (m.get::<A, 0>(), m.get::<B, 1>());
        if a.bits() & b.bits() & 0b1111 != 0b1111 {
            return m.slow(slow::compare::is_lt);
        }
        // Both words have the same tag, so they are ordered like the values.
        if a.bits() as i64 >= b.bits() as i64 {
            return m.jump::<2>();
        }
        m.next::<3>()
    }

    /// `a >= b`
    IsGe: SS<A: Source, B: Source> |m| {
        let (a, b) = (m.get::<A, 0>(), m.get::<B, 1>());
        if a.bits() & b.bits() & 0b1111 != 0b1111 {
            return m.slow(slow::compare::is_ge);
        }
        if (a.bits() as i64) < b.bits() as i64 {
            return m.jump::<2>();
        }
        m.next::<3>()
    }
}
