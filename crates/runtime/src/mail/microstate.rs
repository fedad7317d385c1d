//! Microstate accounting: how much time each scheduler thread spends in each state
//! (`statistics(microstate_accounting)`).
//!
//! A thread has an account with a counter for each state. While accounting is off, a thread records only whether it
//! sleeps, so that its state is correct when accounting is turned on. Threads that were never started have no account.
//! Each account has a lock, which its thread holds only briefly; any thread may read it.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;

/// The state of a thread. The names are those of OTP.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ThreadState {
    Aux,
    CheckIo,
    Emulator,
    Gc,
    Other,
    Port,
    Sleep,
}

/// The states' names, in their order.
pub const NAMES: [&str; 7] = [
    "aux", "check_io", "emulator", "gc", "other", "port", "sleep",
];

/// The kind of a thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ThreadKind {
    Scheduler,
    DirtyCpu,
    DirtyIo,
}

struct Account {
    kind: ThreadKind,
    /// The number of the thread among those of its kind, from 1.
    number: usize,
    times: Mutex<Times>,
}

struct Times {
    state: ThreadState,
    since_ns: i64,
    counters_ns: [i64; NAMES.len()],
}

impl Times {
    /// Adds the time since the last change to the counter of the current state.
    fn settle(&mut self) {
        let now_ns = sys::clock::monotonic_ns();
        self.counters_ns[self.state as usize] += now_ns - self.since_ns;
        self.since_ns = now_ns;
    }

    fn change(&mut self, state: ThreadState) -> ThreadState {
        if is_on() {
            self.settle();
        }
        std::mem::replace(&mut self.state, state)
    }
}

/// The contents of one account.
pub struct Reading {
    pub kind: ThreadKind,
    pub number: usize,
    /// Nanoseconds in each state, in the order of [`NAMES`].
    pub counters_ns: [i64; NAMES.len()],
}

static ON: AtomicBool = AtomicBool::new(false);
static ACCOUNTS: Mutex<Vec<&'static Account>> = Mutex::new(Vec::new());

thread_local! {
    static OWN: Cell<Option<&'static Account>> = const { Cell::new(None) };
}

#[inline]
fn is_on() -> bool {
    ON.load(Ordering::Relaxed)
}

/// Creates the account of this thread; it lives as long as the node.
pub(crate) fn begin(kind: ThreadKind, number: usize, state: ThreadState) {
    let account: &'static Account = Box::leak(Box::new(Account {
        kind,
        number,
        times: Mutex::new(Times {
            state,
            since_ns: sys::clock::monotonic_ns(),
            counters_ns: [0; NAMES.len()],
        }),
    }));
    OWN.set(Some(account));
    ACCOUNTS.lock().push(account);
}

/// Changes the state of this thread until the next change, for sleep and other states that outlast the caller.
pub(crate) fn set(state: ThreadState) {
    if let Some(account) = OWN.get() {
        account.times.lock().change(state);
    }
}

/// Puts this thread into a state until the returned value is dropped; does nothing while accounting is off.
#[inline]
#[must_use]
pub(crate) fn enter(state: ThreadState) -> Option<Stay> {
    if is_on() { enter_now(state) } else { None }
}

#[cold]
fn enter_now(state: ThreadState) -> Option<Stay> {
    let account = OWN.get()?;
    let before = account.times.lock().change(state);
    Some(Stay { account, before })
}

/// See [`enter`].
pub(crate) struct Stay {
    account: &'static Account,
    before: ThreadState,
}

impl Drop for Stay {
    fn drop(&mut self) {
        self.account.times.lock().change(self.before);
    }
}

/// Turns accounting on or off; returns whether it was on.
pub fn turn(on: bool) -> bool {
    let accounts = ACCOUNTS.lock();
    for account in accounts.iter() {
        let mut times = account.times.lock();
        if is_on() {
            times.settle();
        }
        times.since_ns = sys::clock::monotonic_ns();
    }
    ON.swap(on, Ordering::Relaxed)
}

/// Resets all counters; returns whether accounting is on.
pub fn reset() -> bool {
    for account in ACCOUNTS.lock().iter() {
        let mut times = account.times.lock();
        times.since_ns = sys::clock::monotonic_ns();
        times.counters_ns = [0; NAMES.len()];
    }
    is_on()
}

/// Reads all accounts.
#[must_use]
pub fn read() -> Vec<Reading> {
    let read_one = |account: &&Account| {
        let mut times = account.times.lock();
        if is_on() {
            times.settle();
        }
        Reading {
            kind: account.kind,
            number: account.number,
            counters_ns: times.counters_ns,
        }
    };
    ACCOUNTS.lock().iter().map(read_one).collect()
}
