//! What a socket is: two lines of work that do not wait for each other, and what belongs to both.
//!
//! Locks are taken in the order `reading`, `writing`, `kept`, and `armed` last; while a line is locked its descriptor stays
//! open. The poll's handler takes `armed` alone, so that a long transfer on one thread holds up no other. Any thread may call.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use layout::Term;
use parking_lot::{Mutex, MutexGuard};
use sys::poll::Token;
use sys::socket::{Descriptor, catalogue};
use term::copy::Owned;
use term::{am, map};

use super::{CLOSED, Refusal};
use runtime::scheduler::dirty;

/// Bytes that are read when the reader does not say how many.
pub const DEFAULT_BUFFER_BYTES: usize = 8192;
/// Bytes of ancillary data that there is room for when nobody says how many.
pub const DEFAULT_ANCILLARY_BYTES: usize = 1024;

/// Bits of [`Line::state`].
pub mod state {
    pub const BOUND: u32 = 1;
    pub const LISTENING: u32 = 2;
    pub const ACCEPTING: u32 = 4;
    pub const CONNECTING: u32 = 8;
    pub const CONNECTED: u32 = 16;
    pub const SELECTED: u32 = 32;
    /// Closing has begun.
    pub const CLOSING: u32 = 64;
    pub const CLOSED: u32 = 128;
}

/// Which way bytes go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    Read = 0,
    Write = 1,
}

/// What those in a line are about; one line does one kind at a time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Task {
    Read,
    Accept,
    Write,
    Connect,
}

/// A process in a line.
pub struct Waiter {
    pub pid: Term,
    /// The number of the reference that names what it asked for.
    pub number: (u64, u64),
    /// What it will be told when it is its turn; for the first in line that is in [`Armed`].
    pub message: Option<Owned>,
}

/// What has gone through a line.
#[derive(Default)]
pub struct Traffic {
    pub bytes: u64,
    pub fails: u64,
    pub packets: u64,
    pub largest: u64,
    /// Bytes of the packet that is under way.
    pub under_way: u64,
    pub tries: u64,
    pub waits: u64,
}

impl Traffic {
    /// More bytes of a packet.
    pub fn part(&mut self, bytes: usize) {
        self.bytes += bytes as u64;
        self.under_way += bytes as u64;
    }

    /// The packet is complete.
    pub fn end(&mut self) {
        self.packets += 1;
        self.largest = self.largest.max(self.under_way);
        self.under_way = 0;
    }
}

/// Connections that were taken.
#[derive(Default)]
pub struct Accepted {
    pub taken: u64,
    pub fails: u64,
    pub tries: u64,
    pub waits: u64,
}

/// A file on its way.
#[derive(Default)]
pub struct Sending {
    pub file: Option<Arc<sys::file::File>>,
    /// `None` until a file was sent.
    pub counters: Option<Box<super::sendfile::Counters>>,
}

/// One line: who reads, or who writes.
pub struct Line {
    pub state: u32,
    /// `None` once it is closed.
    descriptor: Option<Arc<Descriptor>>,
    pub task: Option<Task>,
    pub current: Option<Waiter>,
    pub queue: VecDeque<Waiter>,
    pub traffic: Traffic,
    pub accepted: Accepted,
    /// Bytes of ancillary data that there is room for.
    pub ancillary_bytes: usize,
    /// Bytes that are read when the reader does not say how many; how often a full buffer is followed by another; and
    /// how often it was.
    pub buffer_bytes: usize,
    pub most_buffers: u32,
    pub buffers: u32,
    pub sending: Sending,
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
            sending: Sending::default(),
        }
    }

    /// The descriptor of an open socket.
    pub fn open(&self) -> Result<&Arc<Descriptor>, Refusal> {
        if self.state & (state::CLOSING | state::CLOSED) != 0 {
            return Err(CLOSED);
        }
        self.descriptor.as_ref().ok_or(CLOSED)
    }

    /// Whether closing has not begun.
    pub fn is_open(&self) -> bool {
        self.state & (state::CLOSING | state::CLOSED) == 0
    }

    /// Whether the process is in the line.
    pub fn holds(&self, pid: Term) -> bool {
        self.current
            .iter()
            .chain(&self.queue)
            .any(|waiter| waiter.pid == pid)
    }
}

/// Who is told when the descriptor is ready.
#[derive(Default)]
pub struct Armed {
    pub waiting: Option<(Term, Owned)>,
    /// For one that connects: to see that it is really over.
    pub connecting: Option<Arc<Descriptor>>,
    /// The descriptor became ready while nobody was to be told.
    pub edge: bool,
}

/// What belongs to both lines.
pub struct Kept {
    /// `None` when the owner has ended.
    pub owner: Option<Term>,
    /// Who has begun to close.
    pub closer: Option<Term>,
    /// Names, by the bits of their pids, the actions of processes that tell of their ends.
    pub watched: HashMap<u64, u64>,
    pub token: Option<Token>,
    pub debug: bool,
    pub inform_on_wrap: bool,
    pub use_registry: bool,
    /// What the registry is told in the end.
    pub farewell: Option<Owned>,
    pub meta: Option<Owned>,
}

/// A socket.
pub struct Socket {
    pub reading: Mutex<Line>,
    pub writing: Mutex<Line>,
    pub kept: Mutex<Kept>,
    pub armed: [Mutex<Armed>; 2],
    pub domain: i32,
    pub kind: i32,
    pub protocol: i32,
    /// The descriptor that it was made from.
    pub origin: Option<i32>,
    /// Whether the descriptor is somebody else's.
    pub is_lent: bool,
}

impl Socket {
    pub fn new(
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
        }
    }

    pub fn is_stream(&self) -> bool {
        self.kind == catalogue::STREAM
    }

    /// Both lines, and what is kept.
    pub fn all(
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

    /// Ends the socket: its descriptor is given to the caller, to be closed without locks.
    pub fn end(&self, reading: &mut Line, writing: &mut Line, kept: &mut Kept) -> Ending {
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

/// What is left to do for a socket that has ended.
#[must_use]
pub struct Ending {
    descriptor: Option<Arc<Descriptor>>,
    file: Option<Arc<sys::file::File>>,
    farewell: Option<Owned>,
}

impl Ending {
    /// The descriptor that is to be closed.
    pub fn descriptor(&self) -> Option<&Descriptor> {
        self.descriptor.as_deref()
    }

    /// Closes the descriptor where waiting is allowed, and tells how that went.
    pub fn close(self) -> sys::Result<()> {
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

    /// Closes the descriptor without waiting; nobody is left to be told how that went.
    pub fn drop_it(self) {
        use std::os::fd::AsFd;
        let lingers = self
            .descriptor
            .as_ref()
            .is_some_and(|descriptor| sys::socket::call::lingers(descriptor.as_fd()));
        if lingers || self.file.is_some() {
            let (descriptor, file) = (self.descriptor, self.file);
            dirty::later(dirty::Kind::Io, move || drop((descriptor, file)));
        } else {
            drop(self.descriptor);
        }
        if let Some(farewell) = self.farewell {
            tell_registry(farewell);
        }
    }
}

impl Drop for Socket {
    /// Nobody refers to the socket any more.
    fn drop(&mut self) {
        let (reading, writing, kept) = (
            self.reading.get_mut(),
            self.writing.get_mut(),
            self.kept.get_mut(),
        );
        let watched = std::mem::take(&mut kept.watched);
        if !watched.is_empty() {
            // Collecting may be what drops it, and is no time for signals.
            dirty::later(dirty::Kind::Io, move || super::turns::forget(watched));
        }
        if let Some(descriptor) = writing.descriptor.take() {
            use std::os::fd::AsFd;
            reading.descriptor = None;
            if let Some(token) = kept.token.take() {
                runtime::io::unregister(descriptor.as_fd(), token);
            }
            count(self.domain, self.kind, self.protocol, -1);
            let lingers = sys::socket::call::lingers(descriptor.as_fd());
            if lingers {
                dirty::later(dirty::Kind::Io, move || drop(descriptor));
            }
        }
    }
}

/// What holds for all sockets.
pub struct Node {
    pub registry: Option<Term>,
    pub use_registry: bool,
    pub debug: bool,
    pub socket_debug: bool,
}

/// What holds for all sockets, for who asks or sets it.
pub static NODE: Mutex<Node> = Mutex::new(Node {
    registry: None,
    use_registry: true,
    debug: false,
    socket_debug: false,
});

pub fn load(info: Term) {
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

/// Tells the process that keeps account of all sockets.
pub fn tell_registry(message: Owned) {
    let registry = NODE.lock().registry;
    if let Some(registry) = registry {
        runtime::signal::send_owned(registry, message);
    }
}

/// How many sockets there are, by what they are; in the order in which they are told.
pub static COUNTS: [AtomicU64; 11] = [const { AtomicU64::new(0) }; 11];
/// What each of [`COUNTS`] is called.
pub const COUNT_NAMES: [&str; 11] = [
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
        // OTP 25 counts them as those of IPv6.
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
