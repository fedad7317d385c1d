//! The busy protocol: when senders to a port have to wait, and who lets them continue.
//!
//! A port is busy for two independent reasons. Each is a [`Busy`], and a sender waits for one of them at a time:
//!
//! | reason | guarded by | begins | ends |
//! |---|---|---|---|
//! | the *driver* holds too much output | the port's lock | [`Access::set_busy`]`(true)` | `set_busy(false)`, or the port closes |
//! | the *queue* of commands ([`super::queue`]) is too long | the queue's lock | its bytes reach the high watermark | they are down to the low one |
//!
//! ```text
//!            bytes >= high, set_busy(true)
//!      free ------------------------------> busy      While busy: `must_wait` records the sender.
//!           <------------------------------
//!     bytes <= low, set_busy(false): `end` returns the recorded senders, and `SuspendedSenders::resume` resumes them
//! ```
//!
//! **The sender.** It asks `must_wait` before its command is carried out or queued: under the port's lock if it found
//! the port idle ([`State::must_wait`]), otherwise of the queue and then of the driver ([`Port::must_wait_to_queue`]).
//! A recorded sender then calls [`suspend_sender`]. With `port_command` the command is tried again when the sender runs
//! again; with `Port ! Message` it has been accepted, and only the sender stops. While the driver is busy, such a
//! command is *held*: it is carried out when the driver no longer is, and then its sender is resumed. A sender with
//! `nosuspend` is not recorded and does not wait; `force` does not ask.
//!
//! A command that was queued before the driver became busy is held as well when its turn comes, and its sender goes on.
//! What that sender then asks for is held behind it ([`State::must_hold`]): messages, requests, exit signals. Links and
//! monitors are not, because nobody can tell their order from that of output.
//!
//! **No wakeup is lost**: asking and recording are one step under the lock under which the state ends. Resuming is a
//! signal that the sender carries out itself, so it cannot overtake [`suspend_sender`], which the sender does before
//! it takes signals again. A sender that was recorded twice is resumed twice, as it was suspended twice.
//!
//! A closed port is never busy: its commands fail or are dropped, and nobody would resume the senders.
//!
//! The watermarks of a driver's output are the driver's own ([`super::descriptor_writer`], sockets); it says only
//! `set_busy`.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use layout::Term;

use super::access::Access;
use super::queue::{self, Task};
use super::{Core, Phase, Port, State};
use crate::mail::signal;
use crate::process::signal::Signal;
use crate::process::{Process, table};

/// A low and a high mark in bytes. Whatever is filled becomes busy at the high one, until it is down to the low one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Watermarks {
    pub low: usize,
    pub high: usize,
}

impl Watermarks {
    /// Those of the queue of a port's commands, and of a driver's output, as OTP documents them.
    pub const DEFAULT: Watermarks = Watermarks {
        low: 4096,
        high: 8192,
    };
    /// What programs see if there are none.
    pub const DISABLED: Watermarks = Watermarks {
        low: usize::MAX,
        high: usize::MAX,
    };

    /// Sets the low one; raises the high one if necessary.
    pub fn set_low(&mut self, low: usize) {
        self.low = low;
        self.high = self.high.max(low);
    }

    /// Sets the high one; lowers the low one if necessary.
    pub fn set_high(&mut self, high: usize) {
        self.high = high;
        self.low = self.low.min(high);
    }
}

/// One reason for which a port is busy, and the senders that wait for its end.
#[derive(Default)]
pub(super) struct Busy {
    is_busy: bool,
    suspended: Vec<Term>,
}

impl Busy {
    pub(super) fn is_busy(&self) -> bool {
        self.is_busy
    }

    /// Whether a sender has to wait. If so, `sender` is recorded, to be resumed at the end.
    #[inline]
    pub(super) fn must_wait(&mut self, sender: Option<Term>) -> bool {
        if self.is_busy {
            self.suspended.extend(sender);
        }
        self.is_busy
    }

    pub(super) fn begin(&mut self) {
        self.is_busy = true;
    }

    /// Ends the state; the caller resumes the senders.
    #[inline]
    pub(super) fn end(&mut self) -> SuspendedSenders {
        self.is_busy = false;
        SuspendedSenders(std::mem::take(&mut self.suspended))
    }
}

/// Senders that waited for a port, or a connection to another node, which is no longer busy.
#[must_use]
#[derive(Default)]
pub struct SuspendedSenders(pub Vec<Term>);

impl SuspendedSenders {
    /// Resumes them, by a signal that undoes [`suspend_sender`].
    #[inline]
    pub fn resume(self) {
        for pid in self.0 {
            let resume = |process: Option<&mut Process>| {
                if let Some(process) = process {
                    process.suspend_count = process.suspend_count.saturating_sub(1);
                    if let Some(extras) = process.existing_extras_mut() {
                        extras.is_sending = false;
                    }
                }
            };
            let _ = signal::send(pid, Signal::Call(Box::new(resume)));
        }
    }
}

/// A signal of a process that waits until the driver is no longer busy.
pub(super) struct Held {
    pub(super) sender: Term,
    /// Whether the sender is suspended until the signal has been carried out. It is dropped if the sender ends
    /// meanwhile.
    pub(super) is_awaited: bool,
    /// Those that it holds of a command.
    pub(super) bytes: usize,
    pub(super) task: Task,
}

/// Suspends a sender that was recorded, from the end of its slice until it is resumed.
pub fn suspend_sender(sender: &mut Process) {
    sender.suspend_count += 1;
}

impl State {
    /// Whether the driver is busy.
    pub(super) fn is_busy(&self) -> bool {
        self.core.busy.is_busy() && self.core.phase == Phase::Open
    }

    /// Whether signals of a process are held that it does not wait for, so that it may send more.
    #[inline]
    pub(super) fn holds_of(&self, sender: Term) -> bool {
        let held = &self.core.held;
        !held.is_empty()
            && held
                .iter()
                .any(|held| held.sender == sender && !held.is_awaited)
    }

    /// Whether a signal whose turn has come has to be held: a command for the driver while that is busy, or whatever
    /// its sender has sent behind one.
    pub(super) fn must_hold(&self, sender: Term, waits_for_driver: bool) -> bool {
        waits_for_driver && self.is_busy() || self.holds_of(sender)
    }

    /// Bytes of the commands that are held.
    pub(super) fn held_bytes(&self) -> usize {
        self.core.held.iter().map(|held| held.bytes).sum()
    }

    pub(super) fn hold(&mut self, held: Held) {
        self.core.held.push_back(held);
    }

    /// Carries out what was held while the driver was busy, until it is busy again, and resumes the senders that wait
    /// for that.
    pub(super) fn run_held(&mut self, port: &Arc<Port>) {
        while !self.is_busy() {
            let Some(held) = self.core.held.pop_front() else {
                return;
            };
            if !held.is_awaited || table::exists(held.sender) {
                (held.task)(port, self);
            }
            if held.is_awaited {
                SuspendedSenders(vec![held.sender]).resume();
            }
        }
    }

    /// Whether a sender has to wait for the driver; if so, it is recorded.
    pub(super) fn must_wait(&mut self, sender: Option<Term>) -> bool {
        self.core.phase == Phase::Open && self.core.busy.must_wait(sender)
    }
}

impl Core {
    /// Resumes the senders that wait for the driver.
    pub(super) fn end_busy(&mut self) {
        self.busy.end().resume();
    }
}

impl Port {
    /// Whether a sender of a command that is to be queued has to wait, for the queue or for the driver; if so, it is
    /// recorded. The port's lock is acquired only if the driver may be busy.
    pub(super) fn must_wait_to_queue(&self, sender: Option<Term>) -> bool {
        self.tasks.must_wait(sender) || self.may_be_busy() && self.state.lock().must_wait(sender)
    }

    /// Whether a sender would have to wait; records nobody.
    pub(super) fn is_busy(&self) -> bool {
        self.tasks.must_wait(None) || self.state.lock().is_busy()
    }

    /// Whether a caller that wants to queue a command must first ask, under the lock, if the driver is busy. With
    /// `parallelism` every command is queued, so a driver may become busy at any time.
    fn may_be_busy(&self) -> bool {
        self.parallelism || self.is_driver_busy.load(Ordering::Relaxed)
    }
}

impl Access<'_> {
    /// Makes the port busy or not. While it is busy, senders are suspended, or refused if they ask for that.
    pub fn set_busy(&mut self, busy: bool) {
        self.port.is_driver_busy.store(busy, Ordering::Relaxed);
        if busy {
            self.core.busy.begin();
        } else {
            self.core.end_busy();
            if !self.core.held.is_empty() {
                let task = |port: &Arc<Port>, state: &mut State| state.run_held(port);
                queue::push(self.port, 0, Box::new(task));
            }
        }
    }

    /// Whether the driver has made the port busy.
    #[must_use]
    pub(crate) fn is_busy(&self) -> bool {
        self.core.busy.is_busy()
    }

    /// The watermarks of the queue of commands.
    #[must_use]
    pub fn queue_watermarks(&self) -> Watermarks {
        self.port.tasks.watermarks()
    }

    pub fn set_queue_watermarks(&mut self, watermarks: Watermarks) {
        self.port.tasks.set_watermarks(Some(watermarks));
    }
}
