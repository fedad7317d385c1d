//! `catch` and `try`, and what follows a caught exception. Raising is in `slow::exceptions`.
//!
//! A catch mark in a Y register names the handler. Marks on the stack are counted in `ProcessHead::catches`. The mark
//! is removed, and the count decremented, by the operation at the handler or at the end of the protected part;
//! unwinding changes neither.
#![allow(clippy::undocumented_unsafe_blocks)]

use layout::Term;

use crate::operation::operations;
use crate::slow;

operations! {
    /// `catch` and `try`.
    Catch: P |m, o: Catch| {
        (*(*m.c).process).catches += 1;
        m.put(o.y, Term::catch(m.word(o.handler) as *const u64));
        m.next(o.end)
    }

    /// The end of `catch`, with or without an exception.
    CatchEnd: P |m, o: OneY| {
        (*(*m.c).process).catches -= 1;
        m.put(o.y, Term::NIL);
        if (*m.x).is_none() {
            return m.slow(o, slow::exceptions::catch_value);
        }
        m.next(o.end)
    }

    /// The protected part of a `try` is over.
    TryEnd: P |m, o: OneY| {
        (*(*m.c).process).catches -= 1;
        m.put(o.y, Term::NIL);
        m.next(o.end)
    }

    /// The handler of a `try`; moves class, reason and trace to x0..x2.
    TryCase: P |m, o: OneY| {
        (*(*m.c).process).catches -= 1;
        m.put(o.y, Term::NIL);
        *m.x = *m.x.add(1);
        *m.x.add(1) = *m.x.add(2);
        *m.x.add(2) = *m.x.add(3);
        m.next(o.end)
    }
}
