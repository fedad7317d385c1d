//! `catch` and `try`, and what follows a caught exception. Raising is in `slow::exceptions`.
//!
//! A catch mark in a Y register names the handler. Marks on the stack are counted in `ProcessHead::catches`. The mark
//! is removed, and the count decremented, by the operation at the handler or at the end of the protected part;
//! unwinding changes neither.
#![allow(clippy::undocumented_unsafe_blocks)]

use layout::Term;

use crate::operand::Y;
use crate::operation::operations;
use crate::slow;

operations! {
    /// `catch` and `try`: `y, label of the handler`
    Catch: P<> |m| {
        (*(*m.c).process).catches += 1;
        m.put::<Y, 0>(Term::catch(m.word::<1>() as *const u64));
        m.next::<2>()
    }

    /// The end of `catch`, with or without an exception: `y`
    CatchEnd: P<> |m| {
        (*(*m.c).process).catches -= 1;
        m.put::<Y, 0>(Term::NIL);
        if (*m.x).is_none() {
            return m.slow(slow::exceptions::catch_value);
        }
        m.next::<1>()
    }

    /// The protected part of a `try` is over: `y`
    TryEnd: P<> |m| {
        (*(*m.c).process).catches -= 1;
        m.put::<Y, 0>(Term::NIL);
        m.next::<1>()
    }

    /// The handler of a `try`; moves class, reason and trace to x0..x2: `y`
    TryCase: P<> |m| {
        (*(*m.c).process).catches -= 1;
        m.put::<Y, 0>(Term::NIL);
        *m.x = *m.x.add(1);
        *m.x.add(1) = *m.x.add(2);
        *m.x.add(2) = *m.x.add(3);
        m.next::<1>()
    }
}
