//! Control messages: the first element of the tuple says what a packet is for. The numbers are public.

use layout::{Heap, Term};
use smallvec::SmallVec;
use term::build;
use term::heap::Scratch;

/// The numbers of the control messages.
pub mod code {
    pub const LINK: i64 = 1;
    pub const SEND: i64 = 2;
    pub const EXIT: i64 = 3;
    pub const UNLINK: i64 = 4;
    pub const REG_SEND: i64 = 6;
    pub const GROUP_LEADER: i64 = 7;
    pub const EXIT2: i64 = 8;
    pub const SEND_TRACED: i64 = 12;
    pub const EXIT_TRACED: i64 = 13;
    pub const REG_SEND_TRACED: i64 = 16;
    pub const EXIT2_TRACED: i64 = 18;
    pub const MONITOR: i64 = 19;
    pub const DEMONITOR: i64 = 20;
    pub const DOWN: i64 = 21;
    pub const SEND_SENDER: i64 = 22;
    pub const SEND_SENDER_TRACED: i64 = 23;
    pub const PAYLOAD_EXIT: i64 = 24;
    pub const PAYLOAD_EXIT_TRACED: i64 = 25;
    pub const PAYLOAD_EXIT2: i64 = 26;
    pub const PAYLOAD_EXIT2_TRACED: i64 = 27;
    pub const PAYLOAD_DOWN: i64 = 28;
    pub const SPAWN_REQUEST: i64 = 29;
    pub const SPAWN_REQUEST_TRACED: i64 = 30;
    pub const SPAWN_REPLY: i64 = 31;
    pub const SPAWN_REPLY_TRACED: i64 = 32;
    pub const ALIAS_SEND: i64 = 33;
    pub const ALIAS_SEND_TRACED: i64 = 34;
    pub const UNLINK_ID: i64 = 35;
    pub const UNLINK_ID_ACK: i64 = 36;
    /// A message or exit signal: flags, sender, receiver, and perhaps a token.
    pub const ALTERNATIVE_SEND: i64 = 37;
}

/// Flags of [`code::ALTERNATIVE_SEND`].
pub mod alternative {
    pub const PRIORITY: i64 = 1;
    /// There is a token.
    pub const TRACED: i64 = 1 << 1;
    /// The receiver is an alias; without this and `NAME`, a pid.
    pub const ALIAS: i64 = 1 << 2;
    pub const NAME: i64 = 1 << 3;
    /// It is an exit signal; the payload is its reason.
    pub const EXIT: i64 = 1 << 4;
}

/// Flags of a spawn reply: the new process is linked, or monitored.
pub const SPAWNED_LINKED: i64 = 1;
pub const SPAWNED_MONITORED: i64 = 2;

/// A control message.
pub struct Control {
    scratch: Scratch,
    term: Term,
}

impl Control {
    /// The tuple of a code and what follows it. The terms must not move meanwhile.
    pub fn new(code: i64, rest: &[Term]) -> Control {
        Control::with(code, |_| rest.into())
    }

    /// As [`Control::new`]; the function may build terms.
    pub fn with(code: i64, rest: impl FnOnce(&mut Heap) -> SmallVec<[Term; 8]>) -> Control {
        let mut scratch = Scratch::new();
        let mut elements = rest(scratch.heap());
        elements.insert(0, Term::small(code));
        let term = build::tuple(scratch.heap(), &elements);
        Control { scratch, term }
    }

    /// The tuple, valid as long as `self` is.
    pub fn term(&self) -> Term {
        let _ = &self.scratch;
        self.term
    }
}
