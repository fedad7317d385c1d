//! Registers modules' machine code with debuggers, which then show names of functions, and unwind from the Erlang stack
//! to the native stack (`engine::gdb_jit` documents the limits).
//!
//! Any thread may call these functions.

use sys::debugger::Registration;

use super::modules::Loaded;

/// Registers a module's machine code, if it has any, and with it what its outline holds. Called once when it is loaded,
/// or when its machine code was made.
pub fn register(loaded: &Loaded) {
    let Some(code) = loaded.code.made() else {
        return;
    };
    let outlined = loaded.code.outlined.as_ref();
    let outline = outlined.map(|outlined| &outlined.outline);
    if let Some(object) = engine::gdb_jit::module(code, outline, super::perf::name) {
        loaded.debugger.get_or_init(|| Registration::new(object));
    }
}

/// Registers the bottom frame of all processes, for the life of the node.
pub fn register_bottom() {
    if engine::native::is_enabled() {
        std::mem::forget(engine::gdb_jit::bottom().map(Registration::new));
    }
}
