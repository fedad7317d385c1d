//! Rust objects behind references that programs hold.

use std::any::Any;

use layout::object::offset;
use layout::{ObjectKind, Term};
use term::off_heap::MagicBlock;
use term::{build, reference};

use runtime::process::Process;

/// A reference that holds `object`.
pub fn make<T: Any + Send + Sync>(process: &mut Process, object: T) -> Term {
    let block = MagicBlock::new(Box::new(object));
    // SAFETY: a fresh block; its only count goes to the reference.
    unsafe { build::magic_reference(process.heap(), reference::fresh_number(), 0, block) }
}

/// The object of type `T` that a reference holds. It lives as long as the reference, so at least until the BIF returns.
#[must_use]
pub fn get<'a, T: Any>(reference: Term) -> Option<&'a T> {
    if !reference.is_kind(ObjectKind::MagicReference) {
        return None;
    }
    let block = reference.word(offset::OFF_HEAP_BLOCK) as *const MagicBlock;
    // SAFETY: the reference holds a count of the block, and the moving rule keeps the reference alive until the BIF
    // returns.
    unsafe { (*block).get::<T>() }
}
