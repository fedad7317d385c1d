//! Rust objects behind references that programs hold.

use std::any::Any;

use layout::kinds::MagicReference;
use layout::{Heap, NoGc, Term, no_gc};
use parking_lot::Mutex;
use term::off_heap::MagicBlock;
use term::{build, reference};

use runtime::process::Process;

/// A reference that holds `object`.
pub(crate) fn make<T: Any + Send + Sync>(process: &mut Process, object: T) -> Term {
    make_holding(process, object, 0)
}

/// As [`make`], for an object that has so many bytes elsewhere.
pub(crate) fn make_holding<T: Any + Send + Sync>(
    process: &mut Process,
    object: T,
    held_bytes: usize,
) -> Term {
    let block = MagicBlock::holding(Box::new(object), held_bytes);
    let number = reference::fresh_number();
    // SAFETY: a fresh block; its only count goes to the reference.
    unsafe { build::magic_reference(process.heap(), number, reference::OBJECT, block) }
}

/// Makes a reference of [`make`] findable, so that its object can show itself as what monitors a process; returns its
/// number, for [`again`].
pub(crate) fn findable(reference: Term) -> Number {
    MagicBlock::save(reference);
    Number(reference::number(reference).expect("a reference of this node"))
}

/// The number of a reference that was made [`findable`].
#[derive(Clone, Copy)]
pub(crate) struct Number((u64, u64));

/// The reference again; once nobody refers to its object, an ordinary one that is equal to it.
pub(crate) fn again(heap: &mut Heap, Number((low, high)): Number) -> Term {
    match MagicBlock::find_saved(low, high) {
        // SAFETY: the block was counted for this reference.
        Some(block) => unsafe { build::magic_reference(heap, low, high, block) },
        None => reference::with_number(heap, low, high),
    }
}

/// The object of type `T` that a reference holds. It lives as long as the reference, which only a collection drops.
#[must_use]
pub(crate) fn get<T: Any>(reference: Term, _no_gc: &NoGc) -> Option<&T> {
    let block = MagicReference::of(reference)?.block().cast::<MagicBlock>();
    // SAFETY: the reference holds a count of the block, which it gives up when a collection finds it dead.
    unsafe { (*block).get::<T>() }
}

/// The state of a BIF between two slices, until it continues.
struct Paused<T>(Mutex<Option<T>>);

/// A reference that holds the state of a BIF until its next slice.
///
/// What a program hands over is never trusted as such a state, even if it found the reference in the stack trace of an
/// error: it holds the state only until the BIF continues. So whatever stands beside it in the arguments was put there
/// by the BIF, too.
pub(crate) fn pause<T: Any + Send>(process: &mut Process, state: T) -> Term {
    make(process, Paused(Mutex::new(Some(state))))
}

/// Takes the state of a BIF out of its reference; `None` if it is something else, or if the state was taken before.
#[must_use]
pub(crate) fn resume<T: Any + Send>(reference: Term) -> Option<T> {
    get::<Paused<T>>(reference, no_gc!())?.0.lock().take()
}
