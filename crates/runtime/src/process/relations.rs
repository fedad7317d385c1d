//! Links, monitors and aliases of a process. The owner's alone; the other side learns by signals.

use std::collections::HashMap;

use layout::Term;
use term::copy::Owned;

/// A reference's number, as the key of what it names.
pub type ReferenceNumber = (u64, u64);

/// What a process is tied to.
#[derive(Default)]
pub struct Relations {
    /// Linked pids and ports, by the bits of an immediate.
    pub links: HashMap<u64, Link>,
    /// Monitors that this process set.
    pub monitors: HashMap<ReferenceNumber, Monitor>,
    /// Monitors that others set on this process.
    pub watchers: HashMap<ReferenceNumber, Watcher>,
    /// Active aliases.
    pub aliases: HashMap<ReferenceNumber, AliasKind>,
}

pub struct Link {
    pub other: Term,
    /// The number of the unlinking that the other side has not yet acknowledged. Meanwhile the link
    /// does not count; it is kept so that a link signal that crossed it is known to be void.
    pub unlinking: Option<u64>,
}

impl Link {
    /// A link that counts.
    #[must_use]
    pub fn to(other: Term) -> Link {
        Link {
            other,
            unlinking: None,
        }
    }
}

pub struct Monitor {
    /// What is watched: a pid, port, or `{Name, Node}` as given, or `time_offset`.
    pub target: MonitorTarget,
    /// The tag of its message instead of 'DOWN', when not the default.
    pub tag: Option<Owned>,
    /// The reference itself.
    pub reference: Owned,
}

pub enum MonitorTarget {
    Process { pid: Term, name: Option<Term> },
    Port { port: Term, name: Option<Term> },
    TimeOffset,
}

pub struct Watcher {
    /// Who watches.
    pub watcher: Term,
    pub reference: Owned,
    /// The name it used, for the message.
    pub name: Option<Term>,
}

/// When an alias ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AliasKind {
    ExplicitUnalias,
    Demonitor,
    ReplyDemonitor,
    Reply,
}
