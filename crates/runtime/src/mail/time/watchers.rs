//! Who watches the time offset. Any thread may call.

use std::collections::HashMap;
use std::sync::LazyLock;

use layout::Term;
use parking_lot::Mutex;

use crate::process::relations::ReferenceNumber;

/// The monitors of the offset: numbers of their references, and the processes that set them.
static WATCHERS: LazyLock<Mutex<HashMap<ReferenceNumber, Term>>> = LazyLock::new(Mutex::default);

/// Has a process told of changes, by its monitor of this number.
pub fn watch(watcher: Term, number: ReferenceNumber) {
    WATCHERS.lock().insert(number, watcher);
}

/// Ends what [`watch`] began.
pub(crate) fn unwatch(number: ReferenceNumber) {
    WATCHERS.lock().remove(&number);
}

/// The monitors that there are, and who set them.
pub(crate) fn all() -> Vec<(ReferenceNumber, Term)> {
    let watchers = WATCHERS.lock();
    watchers
        .iter()
        .map(|(&number, &watcher)| (number, watcher))
        .collect()
}
