//! The timers that programs start with `erlang:start_timer` and `erlang:send_after`, found by the number of their
//! reference. Any thread may call.
//!
//! A timer runs as long as its entry is here. Whoever removes the entry decides how the timer ends: the one that
//! cancels it, or its expiry, which sends the message before it releases the lock. So the message of a timer that can
//! no longer be cancelled has been sent.
//!
//! A timer ends with its receiver, if that is a process. A process lists its timers to itself in its own `Cold`; those
//! that others set for it are listed here, and a process for which there is such a list has the TIMED bit in its state
//! word. Who sets a timer lists it, sets TIMED, and looks for EXITING; an exit sets EXITING, and then looks for TIMED.
//!
//! A timer that stands still keeps its entry, with its message, and is in no wheel. Whoever lists a timer for a process
//! whose timers stand still stops it too; the lock of the list decides what came first.

use std::collections::HashMap;
use std::sync::LazyLock;

use layout::Term;
use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use term::am;
use term::copy::Owned;

use super::TimerTarget;
use crate::mail::{registry, signal, time};
use crate::process::epoch::with_pin;
use crate::process::sync::between_steps;
use crate::process::table;
use crate::process::timer_key::TimerKey;

/// A running timer of `start_timer` or `send_after`.
struct Running {
    key: TimerKey,
    /// By the node's clock.
    deadline_ns: i64,
    /// The receiver. If it is a process that has ended, the timer counts as ended too.
    to: Term,
    /// Words of its message.
    words: u32,
    /// Of one that stands still. Apart, because few do and there may be millions of timers.
    stopped: Option<Box<Stopped>>,
    /// It stood still once. As on stock (29.1), nobody can read or cancel it from then on, also when it runs again.
    was_stopped: bool,
}

struct Stopped {
    left_ns: i64,
    message: Owned,
}

/// About what a timer takes besides its message: an entry here and one in its wheel.
const TIMER_BYTES: u64 = 160;

impl Running {
    fn bytes(&self) -> u64 {
        TIMER_BYTES + u64::from(self.words) * 8
    }
}

/// Bytes of those of these timers that run.
#[must_use]
pub fn bytes(numbers: &[u64]) -> u64 {
    let of_one = |&number: &u64| {
        let timers = shard(number).lock();
        timers.get(&number).map_or(0, Running::bytes)
    };
    numbers.iter().map(of_one).sum()
}

/// The same of the timers that others have set for a process.
#[must_use]
pub fn bytes_to(pid: Term) -> u64 {
    let receivers = receivers(pid).lock();
    receivers
        .get(&pid)
        .map_or(0, |receiver| bytes(&receiver.numbers))
}

/// The same of the timers that send to a name, by the name.
#[must_use]
pub fn bytes_by_name() -> HashMap<Term, u64> {
    let mut by_name = HashMap::new();
    for shard in TIMERS.iter() {
        for running in shard.lock().values().filter(|running| running.to.is_atom()) {
            let bytes: &mut u64 = by_name.entry(running.to).or_default();
            *bytes += running.bytes();
        }
    }
    by_name
}

/// The same of all that run.
#[must_use]
pub fn bytes_of_all() -> u64 {
    let of_shard = |shard: &Shard| shard.lock().values().map(Running::bytes).sum::<u64>();
    TIMERS.iter().map(of_shard).sum()
}

/// Number of separately locked tables of running timers.
const SHARDS: usize = 64;

/// By the number of the reference, which the machine has made.
type Shard = Mutex<FxHashMap<u64, Running>>;

static TIMERS: LazyLock<Vec<Shard>> =
    LazyLock::new(|| (0..SHARDS).map(|_| Mutex::default()).collect());

fn shard(reference: u64) -> &'static Shard {
    &TIMERS[reference as usize % SHARDS]
}

/// Sets a timer that sends `message` to a pid or name at a given Erlang monotonic time, and is
/// found by its reference's number.
pub fn start(reference: u64, deadline_monotonic_ns: i64, to: Term, message: Owned) {
    let deadline_ns = time::to_clock_ns(deadline_monotonic_ns);
    // Locked before the timer is set, because it may expire on another thread at once.
    let mut timers = shard(reference).lock();
    let words = message.words();
    let target = TimerTarget::Message {
        to,
        send: message,
        reference,
    };
    let key = super::set(deadline_ns, target);
    let running = Running {
        key,
        deadline_ns,
        to,
        words,
        stopped: None,
        was_stopped: false,
    };
    timers.insert(reference, running);
}

/// Sends the message of a timer that has expired, unless the timer was cancelled meanwhile.
pub(super) fn expired(reference: u64, to: Term, message: Owned) {
    between_steps();
    let mut timers = shard(reference).lock();
    if timers.remove(&reference).is_some() {
        between_steps();
        let to = registry::whereis_process(to).unwrap_or(to);
        signal::send_owned(am::CLOCK_SERVICE, to, message);
    }
}

/// Cancels a timer; returns the milliseconds it had left, or `None` if no timer of that number runs.
pub fn cancel(reference: u64) -> Option<i64> {
    let mut timers = shard(reference).lock();
    if timers.get(&reference)?.was_stopped {
        return None;
    }
    let running = timers.remove(&reference)?;
    drop(timers);
    end(&running);
    left_ms(&running)
}

/// Ends a timer that is in no list any more.
fn end(running: &Running) {
    between_steps();
    // If it is just expiring, it is no longer in its wheel; but it finds no entry here, and sends nothing.
    if running.stopped.is_none() {
        drop(super::cancel(running.key));
    }
}

/// What is known here of a process that timers send to.
#[derive(Default)]
struct Receiver {
    /// Numbers of the timers that others have set for it. Some may have ended.
    numbers: Vec<u64>,
    /// All timers that send to its pid stand still.
    is_paused: bool,
}

type Receivers = Mutex<FxHashMap<Term, Receiver>>;

static RECEIVERS: LazyLock<Vec<Receivers>> =
    LazyLock::new(|| (0..SHARDS).map(|_| Mutex::default()).collect());

fn receivers(to: Term) -> &'static Receivers {
    &RECEIVERS[to.identifier_index() as usize % SHARDS]
}

/// Has a timer cancelled when its receiver, a process other than the caller, ends.
pub fn end_with_receiver(reference: u64, to: Term) {
    let will_look = with_pin(|pinned| {
        let process = table::find(pinned, to);
        between_steps();
        process.is_some_and(|process| {
            let mut receivers = receivers(to).lock();
            let receiver = receivers.entry(to).or_default();
            list(&mut receiver.numbers, reference);
            if receiver.is_paused {
                stop(reference);
            }
            between_steps();
            process.set_timed()
        })
    });
    if !will_look {
        cancel(reference);
        cancel_all_to(to);
    }
}

/// Adds a timer's number to a list, from which numbers of timers that have ended are dropped from time to time.
pub fn list(numbers: &mut Vec<u64>, reference: u64) {
    if numbers.len() == numbers.capacity() && numbers.len() >= 16 {
        numbers.retain(|&number| exists(number));
        numbers.reserve(numbers.len().max(16));
    }
    numbers.push(reference);
}

/// Cancels the timers that others have set for a process that ends.
pub(crate) fn cancel_all_to(to: Term) {
    let receiver = receivers(to).lock().remove(&to);
    between_steps();
    let numbers = receiver.unwrap_or_default().numbers;
    crate::mail::dirty::free_now_or_later(numbers.len(), move || cancel_all(numbers));
}

/// Has all timers to a process stand still, those that others have set and its own ones, also those that others set
/// from now on. It has the TIMED bit, so that this is forgotten when it ends.
pub(super) fn pause_all_to(to: Term, own: &[u64]) {
    let mut receivers = receivers(to).lock();
    let receiver = receivers.entry(to).or_default();
    receiver.is_paused = true;
    between_steps();
    for &number in receiver.numbers.iter().chain(own) {
        stop(number);
    }
}

/// Lets the timers go on that [`pause_all_to`] stopped, each for the time that it had left.
pub(super) fn go_on_all_to(to: Term, own: &[u64]) {
    let mut receivers = receivers(to).lock();
    let Some(receiver) = receivers.get_mut(&to) else {
        return;
    };
    receiver.is_paused = false;
    between_steps();
    let now_ns = time::clock_ns();
    for &number in receiver.numbers.iter().chain(own) {
        go_on(number, now_ns);
    }
}

fn stop(reference: u64) {
    let mut timers = shard(reference).lock();
    let Some(running) = timers.get_mut(&reference) else {
        return;
    };
    if running.stopped.is_some() {
        return;
    }
    // One that is just expiring sends its message.
    if let Some(TimerTarget::Message { send, .. }) = super::cancel(running.key) {
        running.was_stopped = true;
        running.stopped = Some(Box::new(Stopped {
            left_ns: running.deadline_ns - time::clock_ns(),
            message: send,
        }));
    }
}

fn go_on(reference: u64, now_ns: i64) {
    let mut timers = shard(reference).lock();
    let Some(running) = timers.get_mut(&reference) else {
        return;
    };
    let Some(stopped) = running.stopped.take() else {
        return;
    };
    running.deadline_ns = now_ns + stopped.left_ns;
    let target = TimerTarget::Message {
        to: running.to,
        send: stopped.message,
        reference,
    };
    running.key = super::set(running.deadline_ns, target);
}

/// Cancels the timers of these numbers.
pub(crate) fn cancel_all(numbers: Vec<u64>) {
    for number in numbers {
        between_steps();
        let running = shard(number).lock().remove(&number);
        if let Some(running) = running {
            end(&running);
        }
    }
}

/// The milliseconds that a timer has left, or `None` if no timer of that number runs.
#[must_use]
pub fn read(reference: u64) -> Option<i64> {
    let timers = shard(reference).lock();
    let running = timers.get(&reference)?;
    match running.was_stopped {
        true => None,
        false => left_ms(running),
    }
}

/// Whether a timer of that number runs.
#[must_use]
pub fn exists(reference: u64) -> bool {
    shard(reference).lock().contains_key(&reference)
}

fn left_ms(running: &Running) -> Option<i64> {
    if running.to.is_local_pid() && !table::exists(running.to) {
        return None;
    }
    let left_ns = running.deadline_ns - time::clock_ns();
    Some((left_ns.max(0) + 999_999) / 1_000_000)
}
