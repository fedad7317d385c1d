//! Modules' machine code, as debuggers see it: names of functions, and frames up the Erlang stack and on to the native one
//! (`engine::debugger` says how far that goes).
//!
//! Any thread may call.

use sys::debugger::Registration;

/// Shows a module's machine code, if it has any.
pub fn register(code: &engine::Code) -> Option<Registration> {
    engine::debugger::module(code, super::perf::name).map(Registration::new)
}

/// Shows the bottom frame of processes, for good.
pub fn register_bottom() {
    if engine::native::is_enabled() {
        std::mem::forget(engine::debugger::bottom().map(Registration::new));
    }
}
