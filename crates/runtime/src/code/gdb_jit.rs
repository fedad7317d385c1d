//! Registers modules' machine code with debuggers, which then show names of functions, and unwind from the Erlang stack
//! to the native stack (`engine::gdb_jit` documents the limits).
//!
//! Any thread may call these functions.

use sys::debugger::Registration;

/// Registers a module's machine code, if it has any.
pub fn register(code: &engine::Code) -> Option<Registration> {
    engine::gdb_jit::module(code, super::perf::name).map(Registration::new)
}

/// Registers the bottom frame of all processes, for the life of the node.
pub fn register_bottom() {
    if engine::native::is_enabled() {
        std::mem::forget(engine::gdb_jit::bottom().map(Registration::new));
    }
}
