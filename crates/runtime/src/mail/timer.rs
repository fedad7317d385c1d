//! Timers: each scheduler has a timing wheel, to which processes that run there add timers, and which it expires.
//!
//! A timer may be cancelled from any scheduler, so a lock protects each wheel; it is rarely contended. Setting and
//! cancelling take constant time. The resolution is a millisecond; a timer never expires early.

pub mod bif_timers;
pub(crate) mod pause;
mod wheel;

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{OnceLock, Weak};
use std::time::Duration;

use layout::Term;
use parking_lot::Mutex;
use term::copy::Owned;

use crate::mail::ports::PortWork;
use crate::mail::{current, signal, time, wake};
use crate::process::signal::Signal;
use crate::process::sync::between_steps;
use crate::process::timer_key::TimerKey;
use wheel::Wheel;

const NS_PER_TICK: i64 = 1_000_000;

/// What happens when a timer expires.
pub(crate) enum TimerTarget {
    /// The receive timer of a process.
    Receive { pid: Term },
    /// A timer of [`bif_timers`]: the message `send` goes to a pid or registered name; `reference` is the number by
    /// which programs refer to the timer.
    Message {
        to: Term,
        send: Owned,
        reference: u64,
    },
    /// The timer of a port's driver.
    Port {
        port: Weak<dyn PortWork>,
        generation: u64,
    },
}

struct SchedulerTimers {
    wheel: Mutex<Wheel<TimerTarget>>,
    /// A tick not after that of the earliest timer, or `i64::MAX` if there is none; read without the lock.
    next: AtomicI64,
}

static WHEELS: OnceLock<Vec<SchedulerTimers>> = OnceLock::new();

/// Creates the wheels, one for each scheduler; called once.
pub fn create(schedulers: usize) {
    let now = time::clock_ns() / NS_PER_TICK;
    let place = |_| SchedulerTimers {
        wheel: Mutex::new(Wheel::new(now)),
        next: AtomicI64::new(i64::MAX),
    };
    assert!(
        WHEELS.set((0..schedulers).map(place).collect()).is_ok(),
        "wheels are made once"
    );
}

fn wheels() -> &'static [SchedulerTimers] {
    WHEELS
        .get()
        .expect("wheels are made before the first timer")
}

/// Timeouts of at least so many milliseconds begin when their scheduler next looks at the time (see [`set_after`]):
/// within 64 slices or a millisecond or two.
const LONG_MS: i64 = 1000;

/// Sets a timer for so many milliseconds from now. Most long ones are cancelled soon, such as that of a call whose
/// answer comes, and reading the clock is what costs most: so those begin a little later, when the scheduler reads it
/// anyway.
pub(crate) fn set_after(timeout_ms: i64, target: TimerTarget) -> TimerKey {
    let number = current::current_number();
    if timeout_ms < LONG_MS || number == 0 {
        let deadline_ns = time::clock_ns() + timeout_ms * NS_PER_TICK;
        return set(deadline_ns, target);
    }
    let index = number - 1;
    let place = &wheels()[index];
    let mut wheel = place.wheel.lock();
    let key = wheel.insert_waiting(timeout_ms, target);
    between_steps();
    // The scheduler has to look before it sleeps.
    place.next.store(0, Ordering::Relaxed);
    TimerKey {
        wheel: index as u32,
        key,
    }
}

/// Sets a timer for a moment of the node's clock ([`time::clock_ns`]), in nanoseconds.
pub(crate) fn set(deadline_ns: i64, target: TimerTarget) -> TimerKey {
    let number = current::current_number();
    let index = number.saturating_sub(1);
    let place = &wheels()[index];
    // Rounded up, so that the timer does not expire early.
    let tick = deadline_ns
        .saturating_add(NS_PER_TICK - 1)
        .div_euclid(NS_PER_TICK);
    let mut wheel = place.wheel.lock();
    let key = wheel.insert(tick, target);
    between_steps();
    if tick < place.next.load(Ordering::Relaxed) {
        place.next.store(tick, Ordering::Relaxed);
        drop(wheel);
        if number == 0 {
            wake::wake(index);
        }
    }
    TimerKey {
        wheel: index as u32,
        key,
    }
}

/// Cancels a timer; returns `None` if it has already expired.
pub(crate) fn cancel(key: TimerKey) -> Option<TimerTarget> {
    wheels()[key.wheel as usize].wheel.lock().remove(key.key)
}

/// Cancels a timer; returns the milliseconds that it had left, or `None` if it has already expired.
fn stop(key: TimerKey) -> Option<i64> {
    let now = time::clock_ns() / NS_PER_TICK;
    let mut wheel = wheels()[key.wheel as usize].wheel.lock();
    let left = wheel.left(key.key, now)?;
    wheel.remove(key.key)?;
    Some(left)
}

/// Calls `show` for each timer that will send a message, with receiver, message, and time by the node's clock. Leaves
/// out wheels whose lock was not acquired within `timeout`.
pub fn messages_within(timeout: Duration, show: &mut dyn FnMut(Term, Term, i64)) {
    for place in WHEELS.get().map_or(&[][..], Vec::as_slice) {
        let Some(wheel) = place.wheel.try_lock_for(timeout) else {
            continue;
        };
        for (tick, target) in wheel.iter() {
            if let TimerTarget::Message { to, send, .. } = target {
                show(*to, send.term(), tick.saturating_mul(NS_PER_TICK));
            }
        }
    }
}

/// How many timers run: of programs, of receives and of ports. Leaves out wheels whose lock was not acquired within
/// `timeout`.
#[must_use]
pub fn count_within(timeout: Duration) -> usize {
    let places = WHEELS.get().map_or(&[][..], Vec::as_slice).iter();
    let wheels = places.filter_map(|place| place.wheel.try_lock_for(timeout));
    wheels.map(|wheel| wheel.len()).sum()
}

/// How many timers are in each scheduler's wheel, and in how many milliseconds the first may expire; `None` of a wheel
/// whose lock was not acquired within `timeout`.
#[must_use]
pub fn counts_within(timeout: Duration) -> Vec<Option<(usize, Option<u64>)>> {
    let wheels = WHEELS.get().map_or(&[][..], Vec::as_slice);
    let count = |place: &SchedulerTimers| {
        let count = place.wheel.try_lock_for(timeout)?.len();
        let next = place.next.load(Ordering::Relaxed);
        let ns = || time::until_ns(next.saturating_mul(NS_PER_TICK)) as u64;
        Some((count, (next != i64::MAX).then(|| ns() / NS_PER_TICK as u64)))
    };
    wheels.iter().map(count).collect()
}

/// Nanoseconds until the next timer of a scheduler; `None` if it has no timers.
#[must_use]
pub(crate) fn until_next(index: usize) -> Option<u64> {
    let tick = wheels()[index].next.load(Ordering::Relaxed);
    if tick == i64::MAX {
        return None;
    }
    Some(time::until_ns(tick.saturating_mul(NS_PER_TICK)) as u64)
}

/// Expires the due timers of all schedulers; for a node that ends, whose schedulers have stopped.
pub(crate) fn expire_all() {
    for index in 0..wheels().len() {
        while expire(index) {}
    }
}

/// So many timers expire before their scheduler does something else: some two milliseconds' work. The next ones
/// follow when it looks at the time again, after at most two long slices.
const MOST_AT_ONCE: usize = 4096;

/// Expires due timers of a scheduler; returns whether more are due.
pub(crate) fn expire(index: usize) -> bool {
    let place = &wheels()[index];
    if place.next.load(Ordering::Relaxed) == i64::MAX {
        return false;
    }
    let now = time::clock_ns() / NS_PER_TICK;
    if place.next.load(Ordering::Relaxed) > now {
        return false;
    }
    let mut due = Vec::new();
    let has_more = {
        let mut wheel = place.wheel.lock();
        wheel.expire(now, MOST_AT_ONCE, &mut due);
        place
            .next
            .store(wheel.next_tick().unwrap_or(i64::MAX), Ordering::Relaxed);
        wheel.has_due()
    };
    for (key, target) in due {
        between_steps();
        match target {
            TimerTarget::Receive { pid } => {
                let wheel = index as u32;
                let timer = TimerKey { wheel, key };
                let _ = signal::send(pid, Signal::Timeout { timer });
            }
            TimerTarget::Message {
                to,
                send,
                reference,
            } => bif_timers::expired(reference, to, send),
            TimerTarget::Port { port, generation } => {
                if let Some(port) = port.upgrade() {
                    port.timer_expired(generation);
                }
            }
        }
    }
    has_more
}
