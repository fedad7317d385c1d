//! Memory that was granted and is not resident yet.
//!
//! A grant ends when its block is freed, or when all of the block is resident. Growth of the process is taken to be
//! that of the oldest grants, which is a guess: a block may lie in pages that were resident before, and then the
//! process does not grow. So where the guess matters the system is asked for each block ([`recount`]). After a while a
//! grant ends in any case: a block that was not used so far may never be.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::page_bytes;
use crate::clock::monotonic_ns;

/// More are not remembered: the oldest one ends.
const MOST_GRANTS: usize = 512;

/// How long memory counts that was granted and is not used.
pub(super) const LASTS_NS: i64 = 2_000_000_000;

#[derive(Clone, Copy)]
struct Grant {
    /// Where its block begins; 0 while there is none.
    block: usize,
    /// What was asked for.
    bytes: u64,
    /// What of it is not resident.
    left: u64,
    at_ns: i64,
}

const NO_GRANT: Grant = Grant {
    block: 0,
    bytes: 0,
    left: 0,
    at_ns: 0,
};

/// The oldest one is first. Here is no allocation, because the allocator calls.
struct Grants {
    list: [Grant; MOST_GRANTS],
    count: usize,
}

static GRANTS: Mutex<Grants> = Mutex::new(Grants {
    list: [NO_GRANT; MOST_GRANTS],
    count: 0,
});

/// The sum of what is left of all.
static LEFT: AtomicU64 = AtomicU64::new(0);

impl Grants {
    fn all(&mut self) -> &mut [Grant] {
        &mut self.list[..self.count]
    }

    fn add(&mut self, block: usize, bytes: u64) {
        if self.count == MOST_GRANTS {
            self.remove(0);
        }
        self.list[self.count] = Grant {
            block,
            bytes,
            left: bytes,
            at_ns: monotonic_ns(),
        };
        self.count += 1;
    }

    fn remove(&mut self, index: usize) {
        self.list.copy_within(index + 1..self.count, index);
        self.count -= 1;
    }

    fn keep(&mut self, is_kept: impl Fn(&Grant) -> bool) {
        let mut kept = 0;
        for index in 0..self.count {
            if is_kept(&self.list[index]) {
                self.list[kept] = self.list[index];
                kept += 1;
            }
        }
        self.count = kept;
    }
}

fn lock() -> MutexGuard<'static, Grants> {
    GRANTS.lock().unwrap_or_else(PoisonError::into_inner)
}

fn change<R>(change: impl FnOnce(&mut Grants) -> R) -> R {
    let mut grants = lock();
    let result = change(&mut grants);
    let left = grants.all().iter().map(|grant| grant.left).sum();
    LEFT.store(left, Ordering::Relaxed);
    result
}

/// Bytes that were granted and are not resident, as far as is known.
pub(super) fn left() -> u64 {
    LEFT.load(Ordering::Relaxed)
}

/// Grants so much, for a block or a program that there is not yet.
pub(super) fn add(bytes: u64) {
    change(|grants| grants.add(0, bytes));
}

/// Tells where the block is that was granted so much, or that it was not made, with 0. A block that nobody asked for is
/// granted now.
pub(super) fn set_block(block: usize, bytes: u64) {
    change(|grants| {
        let is_it = |grant: &Grant| grant.block == 0 && grant.bytes == bytes;
        match grants.all().iter().position(is_it) {
            Some(index) if block == 0 => grants.remove(index),
            Some(index) => grants.list[index].block = block,
            None if block == 0 => (),
            None => grants.add(block, bytes),
        }
    });
}

/// Ends the grant of a block that is about to be freed; what was left of it.
pub(super) fn end(block: usize) -> u64 {
    if left() == 0 {
        return 0;
    }
    change(|grants| {
        let of_block = grants.all().iter().filter(|grant| grant.block == block);
        let left = of_block.map(|grant| grant.left).sum();
        grants.keep(|grant| grant.block != block);
        left
    })
}

/// Tells where the block is that has grown with its memory, for which `asked` was granted; `left` is what of it is not
/// used yet.
pub(super) fn set_grown(block: usize, bytes: u64, asked: u64, left: u64) {
    change(|grants| {
        let is_it = |grant: &Grant| grant.block == 0 && grant.bytes == asked;
        if let Some(index) = grants.all().iter().position(is_it) {
            grants.remove(index);
        }
        if left > 0 {
            grants.add(block, bytes);
            grants.list[grants.count - 1].left = left.min(bytes);
        }
    });
}

/// Takes growth of the process from the oldest grants.
pub(super) fn spend(mut grown: u64) {
    if grown == 0 || left() == 0 {
        return;
    }
    change(|grants| {
        for grant in grants.all() {
            let spent = grant.left.min(grown);
            grant.left -= spent;
            grown -= spent;
        }
        grants.keep(|grant| grant.left > 0);
    });
}

/// Ends old grants.
pub(super) fn end_old() {
    if left() > 0 {
        let since_ns = monotonic_ns() - LASTS_NS;
        change(|grants| grants.keep(|grant| grant.at_ns > since_ns));
    }
}

/// Finds out what of each block is not resident. No block is freed meanwhile.
pub(super) fn recount() {
    end_old();
    change(|grants| {
        for grant in grants.all() {
            if grant.block != 0 {
                grant.left = grant.left.min(untouched(grant.block, grant.bytes));
            }
        }
        grants.keep(|grant| grant.left > 0);
    });
}

/// Bytes of the pages of a block that are not resident. Of pages that it shares only a part is its own; they count as
/// resident.
fn untouched(block: usize, bytes: u64) -> u64 {
    const PAGES: usize = 4096;
    let page = page_bytes();
    let end = (block + bytes as usize) / page * page;
    let mut at = block.next_multiple_of(page);
    let mut states = [0u8; PAGES];
    let mut missing = 0;
    while at < end {
        let pages = ((end - at) / page).min(PAGES);
        // SAFETY: there is a byte for each page. Whether the addresses are in use is for the system to tell.
        let status = unsafe { libc::mincore(at as *mut _, pages * page, states.as_mut_ptr()) };
        if status != 0 {
            return bytes;
        }
        let is_missing = |state: &&u8| **state & 1 == 0;
        missing += states[..pages].iter().filter(is_missing).count();
        at += pages * page;
    }
    (missing * page) as u64
}
