//! Low numbers for what a child is given by a process with many descriptors.
//!
//! A child begins with a copy of our table of descriptors, and closes what is not its own; both cost the more the higher
//! our numbers are: a millisecond with 15,000 descriptors. Where they are high a child shares the table instead, and at
//! once takes a copy of its beginning alone. That holds a few numbers which are kept for this, and which stand for what
//! it is given until it has done so; we wait for that.
//!
//! Invariant: the numbers are ours from [`keep`] on, and stand for `/dev/null` while nobody holds a [`Placed`].

use std::fs::File;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::HIGHEST_GIVEN;
use crate::errno::{Result, check};
use crate::fd;

/// From this number on a copy of the table is worth being avoided.
const HIGH: RawFd = 1000;
/// What a child is given, with its directory.
const KEPT: usize = 4;

/// The highest number seen.
static HIGHEST: AtomicI32 = AtomicI32::new(0);
static NUMBERS: Mutex<Vec<OwnedFd>> = Mutex::new(Vec::new());

/// There is a descriptor with this number.
pub(crate) fn seen(number: RawFd) {
    if number >= HIGH && HIGHEST.load(Ordering::Relaxed) < number {
        HIGHEST.fetch_max(number, Ordering::Relaxed);
    }
}

/// Keeps the numbers. To be called early, while low ones are free; without it children get whole copies.
pub fn keep() -> Result<()> {
    let nothing = File::options().read(true).write(true).open("/dev/null")?;
    let numbers = (0..KEPT).map(|_| fd::duplicate_from(nothing.as_raw_fd(), HIGHEST_GIVEN + 1));
    *lock() = numbers.collect::<Result<_>>()?;
    Ok(())
}

fn lock() -> MutexGuard<'static, Vec<OwnedFd>> {
    NUMBERS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Descriptors of ours that have low numbers as well, until this is dropped. Nobody else can have any meanwhile.
pub(super) struct Placed {
    numbers: MutexGuard<'static, Vec<OwnedFd>>,
    count: usize,
}

/// Gives descriptors low numbers if ours are high; None if they are not, or it cannot be done.
pub(super) fn place(descriptors: impl Iterator<Item = RawFd>) -> Option<Placed> {
    let descriptors: Vec<RawFd> = descriptors.inspect(|number| seen(*number)).collect();
    if HIGHEST.load(Ordering::Relaxed) < HIGH {
        return None;
    }
    let mut placed = Placed {
        numbers: lock(),
        count: 0,
    };
    // One of them stands for nothing all the time.
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
            // Cannot fail: both are open.
            let _ = stand_for(number, nothing.as_raw_fd());
        }
    }
}

/// What the number stood for before is closed.
fn stand_for(number: &OwnedFd, from: RawFd) -> Result<()> {
    // SAFETY: numbers and a flag; the number is ours, and stays open.
    check(unsafe { libc::dup3(from, number.as_raw_fd(), libc::O_CLOEXEC) })?;
    Ok(())
}
