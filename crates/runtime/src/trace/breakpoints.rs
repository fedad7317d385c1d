//! Breakpoints of the interpreting debugger in current code: a call to a function that has one goes to
//! `error_handler:breakpoint/3` instead, which receives the call's module, function and arguments.
//!
//! A breakpoint belongs to one version of a module and is removed with it. Breakpoints are set and cleared while the
//! world is stopped.

use crate::trace::points;
use engine::native::NoRoom;
use layout::Term;

/// A pattern of functions; `None` matches anything.
#[derive(Clone, Copy)]
pub struct Pattern {
    pub module: Option<Term>,
    pub function: Option<Term>,
    pub arity: Option<i64>,
}

impl Pattern {
    /// Whether a function of a module of that name is meant.
    #[must_use]
    pub fn is_for(&self, function: Term, arity: u32) -> bool {
        self.function.is_none_or(|name| name == function)
            && self.arity.is_none_or(|wanted| wanted == i64::from(arity))
    }
}

/// Sets or clears the breakpoints of all matching functions in current code; returns the number of functions.
///
/// # Errors
/// [`NoRoom`] if there is not enough memory; some modules may have been changed by then.
pub fn set(pattern: &Pattern, on: bool) -> Result<usize, NoRoom> {
    points::change(pattern, |actions| actions.debugged = on)
}
