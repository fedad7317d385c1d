//! Low numbers for the descriptors that a child is given, in a process with many descriptors.
//!
//! A child begins with a copy of our table of descriptors, and closes those that it is not given; the cost of both
//! grows with our highest number: a millisecond with 15,000 descriptors. If our numbers are high, a child shares the
//! table instead, and at once copies only its beginning. That contains a few numbers reserved for this purpose, which
//! are made duplicates of the given descriptors until the child has copied them; the parent waits for that.
//!
//! Invariant: the numbers are reserved from [`keep`] on, and are duplicates of `/dev/null` while there is no
//! [`Placed`].

use std::fs::File;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::HIGHEST_GIVEN;
use crate::errno::{Result, check};
use crate::fd;

/// From this number on it pays to avoid copying the table.
const HIGH: RawFd = 1000;
/// How many numbers are reserved: for the descriptors that a child is given, with its directory.
const KEPT: usize = 4;

/// The highest descriptor number seen.
static HIGHEST: AtomicI32 = AtomicI32::new(0);
static NUMBERS: Mutex<Vec<OwnedFd>> = Mutex::new(Vec::new());

/// Records that there is a descriptor with this number.
pub(crate) fn seen(number: RawFd) {
    if number >= HIGH && HIGHEST.load(Ordering::Relaxed) < number {
        HIGHEST.fetch_max(number, Ordering::Relaxed);
    }
}

/// Reserves the numbers. Should be called early, while low ones are free; without it children copy the whole table.
pub fn keep() -> Result<()> {
    let nothing = File::options().read(true).write(true).open("/dev/null")?;
    let numbers = (0..KEPT).map(|_| fd::duplicate_from(nothing.as_raw_fd(), HIGHEST_GIVEN + 1));
    *lock() = numbers.collect::<Result<_>>()?;
    Ok(())
}

fn lock() -> MutexGuard<'static, Vec<OwnedFd>> {
    NUMBERS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Duplicates of descriptors at low numbers, until this is dropped. Holds the lock, so there is one at a time.
pub(super) struct Placed {
    numbers: MutexGuard<'static, Vec<OwnedFd>>,
    count: usize,
}

/// Duplicates descriptors to low numbers if ours are high; `None` if they are not, or if it fails.
pub(super) fn place(descriptors: impl Iterator<Item = RawFd>) -> Option<Placed> {
    let descriptors: Vec<RawFd> = descriptors.inspect(|number| seen(*number)).collect();
    if HIGHEST.load(Ordering::Relaxed) < HIGH {
        return None;
    }
    let mut placed = Placed {
        numbers: lock(),
        count: 0,
    };
    // One of the numbers always stays `/dev/null`, to restore the others from.
    if descriptors.len() >= placed.numbers.len() {
        return None;
    }
    for from in descriptors {
        stand_for(&placed.numbers[placed.count], from).ok()?;
        placed.count += 1;
    }
    Some(placed)
}

impl Placed {
    /// In the order in which the descriptors were named.
    pub(super) fn numbers(&self) -> impl Iterator<Item = RawFd> {
        self.numbers[..self.count].iter().map(OwnedFd::as_raw_fd)
    }

    /// All of them are below this number.
    pub(super) fn end(&self) -> RawFd {
        self.numbers().fold(HIGHEST_GIVEN, RawFd::max) + 1
    }
}

impl Drop for Placed {
    fn drop(&mut self) {
        let Some(nothing) = self.numbers.last() else {
            return;
        };
        for number in &self.numbers[..self.count] {
            // Cannot fail: both descriptors are open.
            let _ = stand_for(number, nothing.as_raw_fd());
        }
    }
}

/// Makes the number a duplicate of `from`, and closes what it was before.
fn stand_for(number: &OwnedFd, from: RawFd) -> Result<()> {
    // SAFETY: numbers and a flag; the number is owned here, and stays open.
    check(unsafe { libc::dup3(from, number.as_raw_fd(), libc::O_CLOEXEC) })?;
    Ok(())
}
