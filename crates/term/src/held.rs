//! Bytes that the node holds for terms, by kind (`erlang:memory/0`).
//!
//! Every message and every heap block counts, so each thread keeps a tally of its own and adds it to the common one
//! when it has come to something: the figures are right to within [`SLACK_BYTES`] for each thread. Any thread may
//! call. A thread that ends loses what it has not added, which is less than that.

use std::cell::Cell;
use std::sync::atomic::{AtomicIsize, Ordering};

/// What the bytes are for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Heap blocks and fragments, messages among them.
    Heap = 0,
    /// Shared binaries.
    Binary = 1,
}

const KINDS: usize = 2;

/// What one thread may hold back.
pub const SLACK_BYTES: isize = 8 << 10;

static COMMON: [AtomicIsize; KINDS] = [const { AtomicIsize::new(0) }; KINDS];

thread_local! {
    static OWN: [Cell<isize>; KINDS] = const { [const { Cell::new(0) }; KINDS] };
}

/// Counts bytes that were taken (more than 0) or given back.
#[inline]
pub fn count(kind: Kind, bytes: isize) {
    OWN.with(|own| {
        let cell = &own[kind as usize];
        let held_back = cell.get() + bytes;
        if held_back.unsigned_abs() < SLACK_BYTES as usize {
            cell.set(held_back);
        } else {
            cell.set(0);
            COMMON[kind as usize].fetch_add(held_back, Ordering::Relaxed);
        }
    });
}

/// Bytes held at this moment.
#[must_use]
pub fn bytes(kind: Kind) -> usize {
    // What one thread took and another gave back may be known only of the latter.
    COMMON[kind as usize].load(Ordering::Relaxed).max(0) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_agree_to_within_their_slack() {
        let before = bytes(Kind::Binary);
        let add = || (0..10_000).for_each(|_| count(Kind::Binary, 1_000));
        std::thread::scope(|scope| {
            scope.spawn(add);
            scope.spawn(add);
        });
        // Other tests make binaries meanwhile, but not so many.
        let more = (bytes(Kind::Binary) - before).abs_diff(20_000_000);
        assert!(more < 1_000_000, "{more}");
        std::thread::scope(|scope| {
            scope.spawn(|| (0..10_000).for_each(|_| count(Kind::Binary, -2_000)));
        });
        assert!(bytes(Kind::Binary).abs_diff(before) < 1_000_000);
    }
}
