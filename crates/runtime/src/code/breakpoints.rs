//! Breakpoints of the interpreting debugger in current code: a call to a function that has one goes to
//! `error_handler:breakpoint/3` instead, which receives the call's module, function and arguments.
//!
//! A breakpoint belongs to one version of a module and is removed with it. Breakpoints are set and cleared while the
//! world is stopped.

use engine::native::NoRoom;
use layout::Term;

use super::modules;
use crate::scheduler::world;

/// A pattern of functions; `None` matches anything.
pub struct Pattern {
    pub module: Option<Term>,
    pub function: Option<Term>,
    pub arity: Option<i64>,
}

/// Sets or clears the breakpoints of all matching functions in current code; returns the number of functions.
///
/// # Errors
/// [`NoRoom`] if there is not enough memory; some modules may have been changed by then.
pub fn set(pattern: &Pattern, on: bool) -> Result<usize, NoRoom> {
    world::stopped(|| {
        let mut count = 0;
        for loaded in modules::all_current(pattern.module) {
            let wanted = |function: &engine::code::Function| {
                pattern
                    .function
                    .is_none_or(|name| name == function.function)
                    && pattern
                        .arity
                        .is_none_or(|arity| arity == i64::from(function.arity))
            };
            // SAFETY: no thread runs code while the world is stopped, and no thread reads words of code meanwhile.
            count += unsafe { loaded.code.set_breakpoints(wanted, on) }?;
        }
        Ok(count)
    })
}
