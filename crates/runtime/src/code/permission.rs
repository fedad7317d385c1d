//! The permission to change code: one BIF at a time loads, deletes or purges code, gives it a library, or changes what
//! of it is traced.
//!
//! It is tried only, by any scheduler: whoever is refused yields and asks again, because a thread that waited for it
//! within a slice would keep the world from stopping.

use std::sync::atomic::{AtomicBool, Ordering};

static IS_TAKEN: AtomicBool = AtomicBool::new(false);

/// The permission, which is given back when this is dropped.
pub struct Permission(());

impl Drop for Permission {
    fn drop(&mut self) {
        IS_TAKEN.store(false, Ordering::Release);
    }
}

/// The permission, unless somebody has it.
#[must_use]
pub fn try_take() -> Option<Permission> {
    let taken = IS_TAKEN.compare_exchange(false, true, Ordering::Acquire, Ordering::Relaxed);
    taken.is_ok().then(|| Permission(()))
}

/// Takes the permission for longer than a call, until [`give_back`]. Returns false if somebody has it.
#[must_use]
pub fn try_keep() -> bool {
    try_take().map(std::mem::forget).is_some()
}

/// Gives back what [`try_keep`] took.
pub fn give_back() {
    drop(Permission(()));
}
