//! The node's only I/O poll. Descriptors are registered once, edge-triggered. The scheduler that polls handles the
//! events that it gets: busy schedulers poll at intervals, and one idle scheduler may wait here.

use std::os::fd::BorrowedFd;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use parking_lot::{Mutex, RwLock};
use rustc_hash::FxHashMap;
use sys::errno::Errno;
use sys::poll::{Event, Events, Interest, Poller, Token, Trigger};

use crate::mail::microstate::{self, ThreadState};

/// The callback for a ready descriptor; called on a scheduler thread.
pub type Handler = Arc<dyn Fn(Event) + Send + Sync>;

struct Io {
    poller: Poller,
    /// Locked by the thread that polls.
    events: Mutex<Events>,
    /// By token: consecutive numbers that we choose, so a fast hash that could be attacked is safe.
    handlers: RwLock<FxHashMap<u64, Handler>>,
    next_token: AtomicU64,
    /// The index of the scheduler that waits in the poll, plus one; 0 if none does.
    waiting: AtomicUsize,
}

/// An error if the system has no descriptors left for it. A node does not start then.
static IO: LazyLock<sys::Result<Io>> = LazyLock::new(|| {
    Ok(Io {
        poller: Poller::new()?,
        events: Mutex::new(Events::with_capacity(256)),
        handlers: RwLock::default(),
        next_token: AtomicU64::new(1),
        waiting: AtomicUsize::new(0),
    })
});

fn io() -> Option<&'static Io> {
    IO.as_ref().ok()
}

/// Watches a descriptor until [`unregister`]. If it is already watched (a port was opened on another port's
/// descriptor), this handler replaces the earlier one.
///
/// # Errors
/// The system's error (`eperm` for a regular file, which cannot be watched).
pub fn register(
    fd: BorrowedFd<'_>,
    interest: Interest,
    handler: Handler,
) -> sys::errno::Result<Token> {
    let io = IO.as_ref().map_err(|&error| error)?;
    let token = Token(io.next_token.fetch_add(1, Ordering::Relaxed));
    io.handlers.write().insert(token.0, handler);
    let mut watched = io.poller.add(fd, token, interest, Trigger::Edge);
    if watched == Err(Errno::EEXIST) {
        watched = io.poller.modify(fd, token, interest, Trigger::Edge);
    }
    if let Err(error) = watched {
        io.handlers.write().remove(&token.0);
        return Err(error);
    }
    Ok(token)
}

/// Stops watching; events already received may still be handled.
pub fn unregister(fd: BorrowedFd<'_>, token: Token) {
    // The descriptor may already be closed; then there is nothing to remove.
    if let Some(io) = io() {
        let _ = io.poller.remove(fd);
        io.handlers.write().remove(&token.0);
    }
}

/// Forgets the handler of an earlier registration of a descriptor that was registered again.
pub fn forget(token: Token) {
    if let Some(io) = io() {
        io.handlers.write().remove(&token.0);
    }
}

/// The number of watched descriptors, and the bytes of what is kept about them.
#[must_use]
pub fn watched() -> (usize, usize) {
    let Some(io) = io() else { return (0, 0) };
    let handlers = io.handlers.read();
    let place_bytes = size_of::<(u64, Handler)>() + 1;
    (handlers.len(), handlers.capacity() * place_bytes)
}

/// The number of descriptors that were registered and have been closed since, which is a fault of whoever registered
/// them.
#[must_use]
pub fn lost() -> usize {
    let Some(io) = io() else { return 0 };
    let handlers = io.handlers.read().len();
    handlers.saturating_sub(io.poller.count().unwrap_or(handlers))
}

/// Handles the events that are ready, without waiting.
pub(crate) fn poll_now() {
    let Some(io) = io() else { return };
    if io.handlers.read().is_empty() {
        return;
    }
    if let Some(mut events) = io.events.try_lock()
        && io.poller.wait(&mut events, Some(0)).is_ok()
    {
        dispatch(&events);
    }
}

/// Handles events, or waits this long for some, or leaves them to another thread that is already waiting. For a node
/// that ends.
pub(crate) fn poll_within(timeout_ns: u64) {
    match io().and_then(|io| Some((io, io.events.try_lock()?))) {
        Some((io, mut events)) => {
            if io.poller.wait(&mut events, Some(timeout_ns)).is_ok() {
                dispatch(&events);
            }
        }
        None => std::thread::sleep(Duration::from_nanos(timeout_ns)),
    }
}

/// How [`wait`] ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Waited {
    /// Another thread is already polling, so this one did not wait.
    NotHere,
    /// Events arrived and were handled.
    Events,
    /// It was interrupted, or the timeout has passed.
    Nothing,
}

/// Waits for I/O, a call of [`interrupt`], or the timeout. `called` is evaluated after the waiter has announced itself;
/// if it returns true, [`wait`] polls without waiting.
pub(crate) fn wait(index: usize, timeout_ns: Option<u64>, called: impl FnOnce() -> bool) -> Waited {
    let Some(io) = io() else {
        return Waited::NotHere;
    };
    let Some(mut events) = io.events.try_lock() else {
        return Waited::NotHere;
    };
    io.waiting.store(index + 1, Ordering::SeqCst);
    let timeout_ns = if called() { Some(0) } else { timeout_ns };
    let result = io.poller.wait(&mut events, timeout_ns);
    io.waiting.store(0, Ordering::SeqCst);
    if result.is_ok() && !events.is_empty() {
        dispatch(&events);
        Waited::Events
    } else {
        Waited::Nothing
    }
}

/// Makes [`wait`] return if this scheduler waits there.
pub(crate) fn interrupt(index: usize) {
    if let Some(io) = io()
        && io.waiting.load(Ordering::SeqCst) == index + 1
    {
        io.poller.waker().wake();
    }
}

fn dispatch(events: &Events) {
    let Some(io) = io().filter(|_| !events.is_empty()) else {
        return;
    };
    let _check_io = microstate::enter(ThreadState::CheckIo);
    for event in events.iter() {
        let handler = io.handlers.read().get(&event.token.0).cloned();
        if let Some(handler) = handler {
            handler(event);
        }
    }
}
