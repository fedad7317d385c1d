//! A socket: two lines of work, which do not wait for each other, and the state that they share.
//!
//! Locks are taken in the order `reading`, `writing`, `kept`, and `armed` last; while a line is locked its descriptor
//! stays open. The poll's handler takes only `armed`, so that a long transfer on one thread does not delay others. Any
//! thread may call.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use layout::{NoGc, Term};
use parking_lot::{Mutex, MutexGuard};
use sys::poll::Token;
use sys::socket::{Descriptor, catalogue};
use term::copy::Owned;
use term::{am, map};

use super::outcome::{CLOSED, Refusal};
use crate::magic;

/// Bytes to read if the reader gives no number.
pub(super) const DEFAULT_BUFFER_BYTES: usize = 8192;
/// Size of the buffer for ancillary data if none is given, in bytes.
pub(super) const DEFAULT_ANCILLARY_BYTES: usize = 1024;

/// Bits of [`Line::state`].
pub(super) mod state {
    pub(crate) const BOUND: u32 = 1;
    pub(crate) const LISTENING: u32 = 2;
    pub(crate) const ACCEPTING: u32 = 4;
    pub(crate) const CONNECTING: u32 = 8;
    pub(crate) const CONNECTED: u32 = 16;
    pub(crate) const SELECTED: u32 = 32;
    /// Closing has begun, or has finished.
    pub(crate) const CLOSING: u32 = 64;
    pub(crate) const CLOSED: u32 = 128;
}

/// The direction in which bytes go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Side {
    Read = 0,
    Write = 1,
}

/// What the processes in a line do; a line does one kind of task at a time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Task {
    Read,
    Accept,
    Write,
    Connect,
}

/// A process in a line.
pub(super) struct Waiter {
    pub pid: Term,
    /// The number of the reference that names its request.
    pub number: (u64, u64),
    /// The message it gets when its turn comes; for the first in line the message is in [`Armed`].
    pub message: Option<Owned>,
}

/// Counters of the bytes and packets of a line.
#[derive(Default)]
pub(super) struct Traffic {
    pub bytes: u64,
    pub fails: u64,
    pub packets: u64,
    pub largest: u64,
    /// Bytes so far of the current packet.
    pub under_way: u64,
    pub tries: u64,
    pub waits: u64,
}

impl Traffic {
    /// Counts more bytes of the current packet.
    pub(super) fn part(&mut self, bytes: usize) {
        self.bytes += bytes as u64;
        self.under_way += bytes as u64;
    }

    /// Counts the current packet as complete.
    pub(super) fn end(&mut self) {
        self.packets += 1;
        self.largest = self.largest.max(self.under_way);
        self.under_way = 0;
    }
}

/// Counters of accepted connections.
#[derive(Default)]
pub(super) struct Accepted {
    pub taken: u64,
    pub fails: u64,
    pub tries: u64,
    pub waits: u64,
}

/// The file being sent.
#[derive(Default)]
pub(super) struct Sending {
    pub file: Option<Arc<sys::file::File>>,
    /// `None` until a file was sent.
    pub counters: Option<Box<super::sendfile::Counters>>,
}

/// One line: the processes that read, or those that write.
pub(super) struct Line {
    pub state: u32,
    /// `None` once it is closed.
    descriptor: Option<Arc<Descriptor>>,
    pub task: Option<Task>,
    pub current: Option<Waiter>,
    pub queue: VecDeque<Waiter>,
    pub traffic: Traffic,
    pub accepted: Accepted,
    /// Size of the buffer for ancillary data, in bytes.
    pub ancillary_bytes: usize,
    /// Bytes to read if the reader gives no number; how many full buffers may follow each other in one read; and how
    /// many of them have been read so far.
    pub buffer_bytes: usize,
    pub most_buffers: u32,
    pub buffers: u32,
    /// Bytes that were read for a request of more; the next one gets them (from OTP 27 on).
    pub early: Vec<u8>,
    pub sending: Sending,
    /// A reader that gets something is told when there is more, without another call (`select_read`, from OTP 28 on).
    pub reads_on: bool,
}

impl Line {
    fn new(descriptor: Arc<Descriptor>) -> Line {
        Line {
            state: 0,
            descriptor: Some(descriptor),
            task: None,
            current: None,
            queue: VecDeque::new(),
            traffic: Traffic::default(),
            accepted: Accepted::default(),
            ancillary_bytes: DEFAULT_ANCILLARY_BYTES,
            buffer_bytes: DEFAULT_BUFFER_BYTES,
            most_buffers: 0,
            buffers: 0,
            early: Vec::new(),
            sending: Sending::default(),
            reads_on: false,
        }
    }

    /// The descriptor of an open socket.
    pub(super) fn open(&self) -> Result<&Arc<Descriptor>, Refusal> {
        if self.state & (state::CLOSING | state::CLOSED) != 0 {
            return Err(CLOSED);
        }
        self.descriptor.as_ref().ok_or(CLOSED)
    }

    /// Whether closing has not begun.
    pub(super) fn is_open(&self) -> bool {
        self.state & (state::CLOSING | state::CLOSED) == 0
    }

    /// Whether the process is in the line.
    pub(super) fn holds(&self, pid: Term) -> bool {
        self.current
            .iter()
            .chain(&self.queue)
            .any(|waiter| waiter.pid == pid)
    }
}

/// Which process is told when the descriptor is ready.
#[derive(Default)]
pub(super) struct Armed {
    pub waiting: Option<(Term, Owned)>,
    /// For a connecting process: the descriptor, to check that connecting has really finished.
    pub connecting: Option<Arc<Descriptor>>,
    /// The descriptor became ready while no process was waiting.
    pub edge: bool,
}

/// State that both lines share.
pub(super) struct Kept {
    /// `None` when the owner has ended.
    pub owner: Option<Term>,
    /// The process that has begun to close the socket.
    pub closer: Option<Term>,
    /// The exit actions by which processes tell the socket that they have ended, by the bits of their pids.
    pub watched: HashMap<u64, u64>,
    pub token: Option<Token>,
    pub debug: bool,
    pub inform_on_wrap: bool,
    pub use_registry: bool,
    /// The message to the registry when the socket ends.
    pub farewell: Option<Owned>,
    pub meta: Option<Owned>,
}

/// A socket.
pub(super) struct Socket {
    pub reading: Mutex<Line>,
    pub writing: Mutex<Line>,
    pub kept: Mutex<Kept>,
    pub armed: [Mutex<Armed>; 2],
    pub domain: i32,
    pub kind: i32,
    pub protocol: i32,
    /// The number of the descriptor that the socket was made from.
    pub origin: Option<i32>,
    /// Whether the descriptor belongs to something else.
    pub is_lent: bool,
    /// The number of the reference that programs know the socket by.
    pub number: OnceLock<magic::Number>,
}

impl Socket {
    pub(super) fn new(
        descriptor: Descriptor,
        [domain, kind, protocol]: [i32; 3],
        owner: Term,
        origin: Option<i32>,
    ) -> Socket {
        count(domain, kind, protocol, 1);
        let is_lent = descriptor.is_lent();
        let descriptor = Arc::new(descriptor);
        Socket {
            reading: Mutex::new(Line::new(Arc::clone(&descriptor))),
            writing: Mutex::new(Line::new(descriptor)),
            kept: Mutex::new(Kept {
                owner: Some(owner),
                closer: None,
                watched: HashMap::new(),
                token: None,
                debug: false,
                inform_on_wrap: false,
                use_registry: false,
                farewell: None,
                meta: None,
            }),
            armed: Default::default(),
            domain,
            kind,
            protocol,
            origin,
            is_lent,
            number: OnceLock::new(),
        }
    }

    pub(super) fn is_stream(&self) -> bool {
        self.kind == catalogue::STREAM
    }

    /// Locks both lines and the shared state.
    pub(super) fn all(
        &self,
    ) -> (
        MutexGuard<'_, Line>,
        MutexGuard<'_, Line>,
        MutexGuard<'_, Kept>,
    ) {
        let reading = self.reading.lock();
        let writing = self.writing.lock();
        (reading, writing, self.kept.lock())
    }

    /// Ends the socket. The caller gets its descriptor, to be closed without holding locks.
    pub(super) fn end(&self, reading: &mut Line, writing: &mut Line, kept: &mut Kept) -> Ending {
        reading.state |= state::CLOSING | state::CLOSED;
        writing.state |= state::CLOSING | state::CLOSED;
        drop(reading.descriptor.take());
        let descriptor = writing.descriptor.take();
        if descriptor.is_some() {
            count(self.domain, self.kind, self.protocol, -1);
        }
        kept.meta = None;
        Ending {
            descriptor,
            file: writing.sending.file.take(),
            farewell: kept.farewell.take(),
        }
    }
}

/// What remains to be done for a socket that has ended.
#[must_use]
pub(super) struct Ending {
    descriptor: Option<Arc<Descriptor>>,
    file: Option<Arc<sys::file::File>>,
    farewell: Option<Owned>,
}

impl Ending {
    /// The descriptor to be closed.
    pub(super) fn descriptor(&self) -> Option<&Descriptor> {
        self.descriptor.as_deref()
    }

    /// Closes the descriptor where blocking is allowed, and returns the outcome.
    pub(super) fn close(self) -> sys::Result<()> {
        drop(self.file);
        let closed = match self.descriptor.map(Arc::try_unwrap) {
            Some(Ok(descriptor)) => descriptor.close(),
            _ => Ok(()),
        };
        if let Some(farewell) = self.farewell {
            tell_registry(farewell);
        }
        closed
    }

    /// Closes the descriptor without blocking; nobody is left to be told the outcome.
    pub(super) fn drop_it(self) {
        use std::os::fd::AsFd;
        let lingers = self
            .descriptor
            .as_ref()
            .is_some_and(|descriptor| sys::socket::call::lingers(descriptor.as_fd()));
        if lingers || self.file.is_some() {
            let (descriptor, file) = (self.descriptor, self.file);
            runtime::mail::dirty::later(runtime::process::dirty::DirtyKind::Io, move || {
                drop((descriptor, file))
            });
        } else {
            drop(self.descriptor);
        }
        if let Some(farewell) = self.farewell {
            tell_registry(farewell);
        }
    }
}

impl Drop for Socket {
    /// Runs when nothing refers to the socket any more.
    fn drop(&mut self) {
        super::look::remove(self);
        let (reading, writing, kept) = (
            self.reading.get_mut(),
            self.writing.get_mut(),
            self.kept.get_mut(),
        );
        let watched = std::mem::take(&mut kept.watched);
        if !watched.is_empty() {
            // A garbage collection may drop the socket, and must not send signals.
            runtime::mail::dirty::later(runtime::process::dirty::DirtyKind::Io, move || {
                super::requests::forget(watched)
            });
        }
        if let Some(descriptor) = writing.descriptor.take() {
            use std::os::fd::AsFd;
            reading.descriptor = None;
            if let Some(token) = kept.token.take() {
                runtime::mail::io::unregister(descriptor.as_fd(), token);
            }
            count(self.domain, self.kind, self.protocol, -1);
            let lingers = sys::socket::call::lingers(descriptor.as_fd());
            if lingers {
                runtime::mail::dirty::later(runtime::process::dirty::DirtyKind::Io, move || {
                    drop(descriptor)
                });
            }
        }
    }
}

/// Settings of all sockets.
pub(super) struct Node {
    pub registry: Option<Term>,
    pub use_registry: bool,
    pub debug: bool,
    pub socket_debug: bool,
}

/// The settings of all sockets of this node.
pub(super) static NODE: Mutex<Node> = Mutex::new(Node {
    registry: None,
    use_registry: true,
    debug: false,
    socket_debug: false,
});

pub(super) fn load(info: Term) {
    if !info.is_map() {
        return;
    }
    let mut node = NODE.lock();
    let get = |key: &str| map::get(info, term::atom::known(key));
    node.registry = get("registry").filter(|pid| pid.is_local_pid());
    let flag = |key: &str, default: bool| match get(key) {
        Some(am::TRUE) => true,
        Some(am::FALSE) => false,
        _ => default,
    };
    node.use_registry = flag("use_registry", true);
    node.debug = flag("debug", false);
    node.socket_debug = flag("socket_debug", false);
}

/// Sends a message to the registry, the process that keeps track of all sockets.
pub(super) fn tell_registry(message: Owned) {
    let registry = NODE.lock().registry;
    if let Some(registry) = registry {
        runtime::mail::signal::send_owned(am::UNDEFINED, registry, message);
    }
}

/// The number of sockets, by kind, in the order in which they are reported.
pub(super) static COUNTS: [AtomicU64; 11] = [const { AtomicU64::new(0) }; 11];
/// The names of [`COUNTS`].
pub(super) const COUNT_NAMES: [&str; 11] = [
    "num_sockets",
    "num_tdgrams",
    "num_tstreams",
    "num_tseqpkgs",
    "num_dlocal",
    "num_dinet",
    "num_dinet6",
    "num_pip",
    "num_ptcp",
    "num_pudp",
    "num_psctp",
];

fn count(domain: i32, kind: i32, protocol: i32, difference: i64) {
    let family = catalogue::FAMILIES
        .iter()
        .find(|(_, number)| *number == domain);
    let domain = match family.map(|(name, _)| *name) {
        // OTP 25 counts these as IPv6 sockets.
        Some("local") => Some(4),
        Some("inet") => Some(5),
        Some("inet6") => Some(6),
        _ => None,
    };
    let kind = match kind {
        catalogue::DATAGRAM => Some(1),
        catalogue::STREAM => Some(2),
        catalogue::SEQUENCE => Some(3),
        _ => None,
    };
    let protocol = match protocol {
        0 => Some(7),
        catalogue::TCP => Some(8),
        catalogue::UDP => Some(9),
        catalogue::SCTP => Some(10),
        _ => None,
    };
    for place in [Some(0), domain, kind, protocol].into_iter().flatten() {
        COUNTS[place].fetch_add(difference as u64, Ordering::Relaxed);
    }
}

/// The socket that a reference holds.
pub(super) fn socket(reference: Term, no_gc: &NoGc) -> Result<&Arc<Socket>, Refusal> {
    magic::get::<Arc<Socket>>(reference, no_gc).ok_or(Refusal::Badarg)
}
