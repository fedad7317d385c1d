//! Waiting for many descriptors at once, and being woken from that.
//!
//! A [`Poller`] is a set of descriptors, each with a token that its events carry. With
//! [`Trigger::Edge`] a descriptor is registered once and reported when it *becomes* ready: whoever handles the
//! event reads or writes until `eagain`. With [`Trigger::Once`] it is reported once and stays silent until
//! it is modified.
//!
//! Any thread may add, modify and remove while others wait. Several threads may wait in one poller; an
//! edge is reported to one of them. Removing does not recall events that a waiting thread has already taken,
//! so tokens must not be reused while such events may still be unhandled.

use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, epoll};

use crate::clock;
use crate::errno::{Errno, Result, check_size};

/// Names a descriptor in the events of a poller. The caller may choose any value but `u64::MAX`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Token(pub u64);

impl Token {
    /// The token of the poller's own waker.
    const RESERVED: Token = Token(u64::MAX);
}

/// What to wait for. Errors and the end of the connection are always reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interest {
    /// Wait for data, or for the peer to close its sending side.
    pub readable: bool,
    /// Wait for room to write.
    pub writable: bool,
}

impl Interest {
    /// Neither: only errors are reported.
    pub const NONE: Interest = Interest {
        readable: false,
        writable: false,
    };
    /// Reading only.
    pub const READ: Interest = Interest {
        readable: true,
        writable: false,
    };
    /// Writing only.
    pub const WRITE: Interest = Interest {
        readable: false,
        writable: true,
    };
    /// Both reading and writing.
    pub const BOTH: Interest = Interest {
        readable: true,
        writable: true,
    };
}

/// When a ready descriptor is reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trigger {
    /// At every wait while it is ready.
    Level,
    /// When it becomes ready.
    Edge,
    /// At the next wait that finds it ready, then not again until it is modified.
    Once,
}

/// One descriptor that is ready.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Event {
    /// The token given to [`Poller::add`].
    pub token: Token,
    flags: epoll::EventFlags,
}

impl Event {
    /// Reading will not block: it would return data, the end of the stream or an error.
    pub fn is_readable(self) -> bool {
        use epoll::EventFlags as Flags;
        self.has(Flags::IN | Flags::RDHUP | Flags::HUP | Flags::ERR | Flags::PRI)
    }

    /// Writing will not block: there is room, or it would return an error.
    pub fn is_writable(self) -> bool {
        use epoll::EventFlags as Flags;
        self.has(Flags::OUT | Flags::HUP | Flags::ERR)
    }

    /// An error is pending on the descriptor, or (for the writing end of a pipe) no reading end is open any more.
    pub fn is_error(self) -> bool {
        self.has(epoll::EventFlags::ERR)
    }

    /// The connection is closed in both directions, or (for the reading end of a pipe) no writing end is open any more.
    fn is_hangup(self) -> bool {
        self.has(epoll::EventFlags::HUP)
    }

    /// Urgent data is on its way: a read stops early where that stands, though more has arrived.
    pub fn is_urgent(self) -> bool {
        self.has(epoll::EventFlags::PRI)
    }

    /// The peer has closed its sending side; there may be data left to read.
    pub fn is_read_closed(self) -> bool {
        self.has(epoll::EventFlags::RDHUP | epoll::EventFlags::HUP)
    }

    fn has(self, flags: epoll::EventFlags) -> bool {
        self.flags.intersects(flags)
    }
}

impl std::fmt::Debug for Event {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Event")
            .field("token", &self.token.0)
            .field("readable", &self.is_readable())
            .field("writable", &self.is_writable())
            .field("error", &self.is_error())
            .field("hangup", &self.is_hangup())
            .finish()
    }
}

/// A buffer for the events of one wait; reused from wait to wait.
pub struct Events {
    /// The C library's type: that of `rustix` may hold a pointer, so it cannot be sent to other threads.
    buffer: Vec<libc::epoll_event>,
    woken: bool,
}

impl Events {
    /// Room for this many events (at least one); events that do not fit are reported by the next wait.
    pub fn with_capacity(capacity: usize) -> Events {
        Events {
            buffer: Vec::with_capacity(capacity.clamp(1, 1 << 20)),
            woken: false,
        }
    }

    /// The descriptors that the last wait found ready.
    pub fn iter(&self) -> impl Iterator<Item = Event> + '_ {
        self.buffer.iter().map(|event| Event {
            token: Token(event.u64),
            flags: epoll::EventFlags::from_bits_retain(event.events),
        })
    }

    /// How many descriptors the last wait found ready.
    pub fn len(&self) -> usize {
        self.buffer.len()
    }

    /// Whether the last wait found none ready: it timed out, was interrupted or was woken.
    pub fn is_empty(&self) -> bool {
        self.buffer.is_empty()
    }

    /// Whether the last wait was ended by a [`Waker`].
    pub fn woken(&self) -> bool {
        self.woken
    }
}

/// A set of descriptors to wait for.
pub struct Poller {
    epoll: OwnedFd,
    waker: Waker,
    /// Cleared when the kernel turns out not to have waits in nanoseconds (before Linux 5.11).
    has_precise_wait: AtomicBool,
}

impl Poller {
    /// An empty set, with a waker.
    pub fn new() -> Result<Poller> {
        let poller = Poller {
            epoll: epoll::create(epoll::CreateFlags::CLOEXEC)?,
            waker: Waker::new()?,
            has_precise_wait: AtomicBool::new(true),
        };
        // Each write makes an edge, so the counter never needs to be read; it overflows only after 2^64 wake-ups.
        epoll::add(
            &poller.epoll,
            &poller.waker.shared.event,
            data(Token::RESERVED),
            flags(Interest::READ, Trigger::Edge),
        )?;
        Ok(poller)
    }

    /// Adds a descriptor. `eexist` if it is in the set, `eperm` if it is always ready (a regular file), `einval` for
    /// the reserved token.
    pub fn add(
        &self,
        fd: BorrowedFd<'_>,
        token: Token,
        interest: Interest,
        trigger: Trigger,
    ) -> Result<()> {
        crate::child::low::seen(fd.as_raw_fd());
        let data = data(checked(token)?);
        Ok(epoll::add(&self.epoll, fd, data, flags(interest, trigger))?)
    }

    /// Changes what is waited for, and reports the descriptor again if it is ready now. `enoent` if it is not in the
    /// set.
    pub fn modify(
        &self,
        fd: BorrowedFd<'_>,
        token: Token,
        interest: Interest,
        trigger: Trigger,
    ) -> Result<()> {
        let data = data(checked(token)?);
        Ok(epoll::modify(
            &self.epoll,
            fd,
            data,
            flags(interest, trigger),
        )?)
    }

    /// Removes a descriptor from the set. Must be called before it is closed: the kernel removes a closed
    /// descriptor only when no duplicate of it is open anywhere.
    pub fn remove(&self, fd: BorrowedFd<'_>) -> Result<()> {
        Ok(epoll::delete(&self.epoll, fd)?)
    }

    /// How many descriptors are in the set, without the waker's, as the kernel tells it: those that were closed are
    /// not.
    pub fn count(&self) -> Result<usize> {
        let told =
            std::fs::read_to_string(format!("/proc/self/fdinfo/{}", self.epoll.as_raw_fd()))?;
        let descriptors = told.lines().filter(|line| line.starts_with("tfd:"));
        Ok(descriptors.count().saturating_sub(1))
    }

    /// Waits until descriptors are ready, the waker is used, or `timeout_ns` nanoseconds have passed (`None`:
    /// no limit; 0: returns at once). A signal ends the wait early, with no events.
    pub fn wait(&self, events: &mut Events, timeout_ns: Option<u64>) -> Result<()> {
        events.buffer.clear();
        events.woken = false;
        let found = match self.wait_raw(&mut events.buffer, timeout_ns) {
            Ok(found) => found,
            Err(Errno::EINTR) => 0,
            Err(error) => return Err(error),
        };
        // SAFETY: the kernel has filled this many events, at most the capacity it was told.
        unsafe { events.buffer.set_len(found) };
        if let Some(index) = events
            .buffer
            .iter()
            .position(|event| event.u64 == Token::RESERVED.0)
        {
            events.buffer.swap_remove(index);
            events.woken = true;
            // Before our caller looks for the reason of the wake-up: a later `wake` must write again.
            self.waker.shared.pending.swap(false, Ordering::AcqRel);
        }
        Ok(())
    }

    /// A handle to end a wait in this poller from another thread.
    pub fn waker(&self) -> Waker {
        self.waker.clone()
    }

    /// Waits, and returns how many events the kernel has written into the buffer.
    fn wait_raw(
        &self,
        buffer: &mut Vec<libc::epoll_event>,
        timeout_ns: Option<u64>,
    ) -> Result<usize> {
        let timeout = match timeout_ns {
            None => return self.wait_ms(buffer, -1),
            Some(0) => return self.wait_ms(buffer, 0),
            Some(timeout_ns) => clock::timespec(timeout_ns),
        };
        if self.has_precise_wait.load(Ordering::Relaxed) {
            // Neither the C library of older systems nor `rustix` has this wait: `rustix` rounds up to milliseconds.
            // SAFETY: the buffer has room for as many events as the kernel is told; the timeout is valid for the
            // call; a null mask leaves the signal mask alone.
            let result = unsafe {
                libc::syscall(
                    libc::SYS_epoll_pwait2,
                    self.epoll.as_raw_fd(),
                    buffer.as_mut_ptr(),
                    buffer.capacity() as libc::c_int,
                    &timeout,
                    std::ptr::null::<libc::sigset_t>(),
                    0usize,
                )
            };
            match check_size(result as isize) {
                // EPERM: some sandboxes refuse calls that they do not know with it.
                Err(Errno::ENOSYS | Errno::EPERM) => {
                    self.has_precise_wait.store(false, Ordering::Relaxed)
                }
                result => return result,
            }
        }
        self.wait_by_ppoll(buffer, &timeout)
    }

    fn wait_ms(
        &self,
        buffer: &mut Vec<libc::epoll_event>,
        timeout_ms: libc::c_int,
    ) -> Result<usize> {
        // Not by the C library's function, for the reason in `fd`.
        // SAFETY: the buffer has room for as many events as the kernel is told; a null mask leaves the signal mask
        // alone.
        let found = unsafe {
            libc::syscall(
                libc::SYS_epoll_pwait,
                self.epoll.as_raw_fd(),
                buffer.as_mut_ptr(),
                buffer.capacity() as libc::c_int,
                timeout_ms,
                std::ptr::null::<libc::sigset_t>(),
                0usize,
            )
        };
        check_size(found as isize)
    }

    /// The set is itself a descriptor that becomes readable, and `ppoll` has always taken nanoseconds.
    /// Unlike a timer in the set this needs no state, so several threads may wait.
    fn wait_by_ppoll(
        &self,
        buffer: &mut Vec<libc::epoll_event>,
        timeout: &Timespec,
    ) -> Result<usize> {
        let mut set = [PollFd::new(&self.epoll, PollFlags::IN)];
        rustix::event::poll(&mut set, Some(timeout))?;
        self.wait_ms(buffer, 0)
    }
}

impl AsFd for Poller {
    /// Readable when a wait would find something, so that a poller can be waited for in another.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.epoll.as_fd()
    }
}

fn data(token: Token) -> epoll::EventData {
    epoll::EventData::new_u64(token.0)
}

fn flags(interest: Interest, trigger: Trigger) -> epoll::EventFlags {
    use epoll::EventFlags as Flags;
    let mut flags = match trigger {
        Trigger::Level => Flags::empty(),
        Trigger::Edge => Flags::ET,
        Trigger::Once => Flags::ONESHOT,
    };
    flags.set(Flags::IN, interest.readable);
    flags.set(Flags::OUT, interest.writable);
    flags.set(Flags::RDHUP, interest != Interest::NONE);
    flags.set(Flags::PRI, interest.readable);
    flags
}

fn checked(token: Token) -> Result<Token> {
    if token == Token::RESERVED {
        Err(Errno::EINVAL)
    } else {
        Ok(token)
    }
}

/// Ends a wait in a poller; held by other threads.
///
/// A wake-up is remembered: if no thread waits, the next wait returns at once. Wake-ups that come before the first is
/// noticed collapse into it, and only the first costs a system call. Whatever a thread wrote before `wake` is visible
/// to the thread whose wait reports [`Events::woken`].
#[derive(Clone)]
pub struct Waker {
    shared: Arc<WakerState>,
}

struct WakerState {
    event: OwnedFd,
    /// Whether a wake-up was written that no wait has noticed yet. Set by wakers, cleared by the wait that notices it.
    pending: AtomicBool,
}

impl Waker {
    fn new() -> Result<Waker> {
        let event = rustix::event::eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        Ok(Waker {
            shared: Arc::new(WakerState {
                event,
                pending: AtomicBool::new(false),
            }),
        })
    }

    /// Wakes one thread that waits in the poller, or the next one that will.
    pub fn wake(&self) {
        // Acquires from the wait that cleared the flag, and releases to the wait that will clear it.
        if self.shared.pending.swap(true, Ordering::AcqRel) {
            return;
        }
        // Cannot fail: the counter is far from its limit.
        let written = rustix::io::write(&self.shared.event, &1u64.to_ne_bytes());
        debug_assert_eq!(written, Ok(8), "waking a poller failed");
    }
}

#[cfg(test)]
mod tests;
