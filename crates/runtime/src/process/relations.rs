//! Links, monitors and aliases of a process. Only the thread that owns the process reads or writes them; the process at
//! the other end learns of changes through signals.

use std::collections::HashMap;

use layout::Term;
use term::copy::Owned;

/// The number of a reference, used as the key of its monitor or alias.
pub type ReferenceNumber = (u64, u64);

/// The links, monitors and aliases of one process.
#[derive(Default)]
pub struct Relations {
    /// Linked pids and ports; the key is the bits of the immediate term.
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
    /// The number of an unlink signal that the other side has not yet acknowledged. Until it does, the link is
    /// inactive; the entry is kept so that a link signal that crossed the unlink signal is recognised as void.
    pub unlinking: Option<u64>,
}

impl Link {
    /// An active link.
    #[must_use]
    pub fn to(other: Term) -> Link {
        Link {
            other,
            unlinking: None,
        }
    }
}

pub struct Monitor {
    /// The process, port or time offset that is monitored.
    pub target: MonitorTarget,
    /// The tag of the monitor message, if not the default `'DOWN'`.
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
    /// The process that monitors.
    pub watcher: Term,
    pub reference: Owned,
    /// The registered name it monitored, if any; the message contains it.
    pub name: Option<Term>,
}

/// The event that deactivates an alias.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AliasKind {
    ExplicitUnalias,
    Demonitor,
    ReplyDemonitor,
    Reply,
}
