//! Breakpoints of the interpreting debugger in current code: a call to a function that has one goes to
//! `error_handler:breakpoint/3`, with the call as its arguments.
//!
//! They belong to one version of a module and go with it. Set and cleared while the world stands still.

use engine::native::NoRoom;
use layout::Term;

use super::modules;
use crate::scheduler::world;

/// Which functions; what is not given is any.
pub struct Pattern {
    pub module: Option<Term>,
    pub function: Option<Term>,
    pub arity: Option<i64>,
}

/// Sets or clears the breakpoints of functions, and answers of how many.
///
/// # Errors
/// [`NoRoom`] when memory is missing; the modules before that one have been changed.
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
            // SAFETY: no thread runs code while the world stands still, and none looks at words outside of it.
            count += unsafe { loaded.code.set_breakpoints(wanted, on) }?;
        }
        Ok(count)
    })
}
