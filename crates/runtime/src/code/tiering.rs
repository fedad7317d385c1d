//! Gives modules machine code when they have been called often enough; when that is, [`engine::tiering`] counts.
//!
//! Making it takes up to milliseconds, so a dirty scheduler does it while the module runs in the threaded form. Any
//! thread may call.

use engine::Code;

use super::translation::make;
use super::{gdb_jit, modules};
use crate::process::dirty::DirtyKind;

/// Has machine code made for the module of the function with this entry.
pub fn make_machine_code(entry: *const u64) {
    let Some(loaded) = modules::find_code(entry) else {
        return;
    };
    // The module may be purged meanwhile; its code lives as long as it is held here.
    crate::mail::dirty::later(DirtyKind::Chore, move || {
        if make(&loaded).is_ok_and(Code::make_machine_code) {
            gdb_jit::register(&loaded);
            modules::changed();
        }
    });
}
