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
//! the port idle ([`State::must_wait`]), otherwise of the queue and then of the driver ([`Port::must_wait_to_queue`]). A
//! recorded sender then calls [`suspend_sender`]. With `port_command` the command is tried again when the sender runs
//! again; with `Port ! Message` it has been accepted, and only the sender stops. While the driver is busy, such a command is
//! *held*: it is carried out when the driver no longer is, and then its sender is resumed. A sender with `nosuspend` is not
//! recorded and does not wait; `force` does not ask.
//!
//! **No wakeup is lost**: asking and recording are one step under the lock under which the state ends. Resuming is a
//! signal that the sender carries out itself, so it cannot overtake [`suspend_sender`], which the sender does before
//! it takes signals again. A sender that was recorded twice is resumed twice, as it was suspended twice.
//!
//! A closed port is never busy: its commands fail or are dropped, and nobody would resume the senders.
//!
//! The watermarks of a driver's output are the driver's own ([`super::descriptor_writer`], sockets); it says only `set_busy`.

use std::sync::atomic::Ordering;

use layout::Term;

use term::copy::Owned;

use super::access::Access;
use super::{Core, Phase, Port, State, queue, signals};
use crate::process::Process;
use crate::signal::{self, Signal};

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
                    if let Some(rare) = process.existing_rare_mut() {
                        rare.is_sending = false;
                    }
                }
            };
            let _ = signal::send(pid, Signal::Call(Box::new(resume)));
        }
    }
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

    /// Holds a command of a sender that has to wait for the driver.
    pub(super) fn hold(&mut self, sender: Term, message: Term) {
        self.core.held.push_back((sender, Owned::new(message)));
    }

    /// The command that was held first, with its sender.
    pub(super) fn take_held(&mut self) -> Option<(Term, Owned)> {
        self.core.held.pop_front()
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
                queue::push(self.port, 0, Box::new(signals::run_held));
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
