//! Waking schedulers that sleep: whoever has queued work chooses one from [`sleepers`], or names it. How a scheduler
//! falls asleep is in [`super::idle`]. Any thread may call.

pub(crate) mod sleepers;

use std::sync::atomic::Ordering;

use super::io;
use super::schedulers::{Schedulers, Shared, schedulers};
use crate::process::sync::between_steps;

/// Wakes a sleeping online scheduler, if there is one. Called after work was queued.
pub(crate) fn wake_one(schedulers: &Schedulers) {
    let online = schedulers.online.load(Ordering::Relaxed);
    if let Some(index) = schedulers.idle.choose(online) {
        between_steps();
        unpark(&schedulers.all[index]);
    }
}

/// Wakes a sleeping scheduler, unless an awake one is looking for work. Called after work was queued that any scheduler
/// may take.
pub(crate) fn wake_one_unless_searched(schedulers: &Schedulers) {
    let online = schedulers.online.load(Ordering::Relaxed);
    if let Some(index) = schedulers.idle.choose_unless_searched(online) {
        unpark(&schedulers.all[index]);
    }
}

/// Wakes every sleeping scheduler.
pub(crate) fn wake_all(schedulers: &Schedulers) {
    for index in schedulers.idle.take_all() {
        unpark(&schedulers.all[index]);
    }
}

/// Wakes one particular scheduler, if it sleeps, so that it looks at its own timers.
pub fn wake(index: usize) {
    let schedulers = schedulers();
    schedulers.idle.withdraw(index);
    between_steps();
    unpark(&schedulers.all[index]);
}

fn unpark(shared: &Shared) {
    shared.spot.unpark();
    io::interrupt(shared.index);
}
