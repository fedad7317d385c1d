//! Processes of other nodes, as processes of this node are tied to them.
//!
//! The runtime knows no connection: crate `distribution` hands in [`Remote`], which it calls when something has to go
//! to another node. A relation to a process of another node (a link, a monitor in either direction) is named by
//! a *handle*, an immediate term that stands where the pid of a process of this node would stand. It is a small
//! integer, which is never a pid or port.
//!
//! **Handles are counted.** Every entry in a process's relations and every signal that carries a handle owns one count.
//! Whoever removes the entry or handles the signal gives that count back: by [`Remote::release`], or by one of the
//! calls below that says so.

use std::cell::OnceCell;
use std::sync::Arc;

use layout::{Fragment, Heap, Term};
use term::copy::Owned;

use crate::mail::hooks;
use crate::mail::signal::Sent;
use crate::process::Process;
use crate::process::rank::Rank;
use crate::process::relations::is_handle;

/// The other side of a relation as programs see it; `None` for relations that they do not see.
#[must_use]
pub fn identity(heap: &mut Heap, other: Term) -> Option<Term> {
    match is_handle(other) {
        true => get().identity(other, heap),
        false => Some(other),
    }
}

/// What the runtime asks of the connections to other nodes. Any thread may call.
pub trait Remote: Sync {
    /// Sends a message to a pid, alias or `{Name, Node}` of another node.
    fn send(&self, from: &mut Process, to: Term, message: Term, rank: Rank) -> Sent;

    /// What a message that came from another node is in this node's form, after that node's name; `None` if it is
    /// damaged. Uses up the fragment, whose kind is [`crate::process::signal::UNDECODED`].
    ///
    /// # Safety
    /// The fragment is live, and in no list.
    unsafe fn decode(&self, message: *mut Fragment) -> Option<(Term, *mut Fragment)>;

    /// A pid, or `{Name, Node}` for a monitor by name; `None` for relations that programs do not see.
    fn identity(&self, handle: Term, heap: &mut Heap) -> Option<Term>;

    /// Gives so many counts of a handle back.
    fn release(&self, handle: Term, counts: usize);

    /// Process `pid`, which is linked, has ended; the signal carries a token of sequential trace if there is one. Uses
    /// up the handle.
    fn linked_ended(&self, handle: Term, pid: Term, reason: &Reason, token: Option<Term>);

    /// `pid` has handled the unlink signal with this number. Uses up the handle.
    fn unlink_handled(&self, handle: Term, pid: Term, number: u64);

    /// `pid`, which is monitored from the other node, has ended, or does not exist. Uses up the handle.
    fn watched_ended(&self, handle: Term, pid: Term, reason: &Reason);

    /// The monitor with this number, which a process had set, is removed. Uses up the handle.
    fn demonitor(&self, handle: Term, number: u64);

    /// The process that had set the monitor with this number has ended. Uses up the handle.
    fn watcher_ended(&self, handle: Term, number: u64, reason: Term);

    /// Who tells a process that what it monitored is gone (for [`crate::mail::senders`]), and the message. `reference`
    /// is that of the monitor. Uses up the handle.
    fn down_message(&self, handle: Term, heap: &mut Heap, down: Down) -> Option<(Term, Term)>;
}

/// Why a process has ended, for all whom that concerns.
pub struct Reason {
    term: Term,
    kept: OnceCell<Arc<Owned>>,
}

impl Reason {
    /// The term lives as long as the value.
    #[must_use]
    pub fn new(term: Term) -> Reason {
        let kept = OnceCell::new();
        Reason { term, kept }
    }

    #[must_use]
    pub fn term(&self) -> Term {
        self.term
    }

    /// A copy that may outlive the value: one for all who ask.
    #[must_use]
    pub fn kept(&self) -> Arc<Owned> {
        let copy = || Arc::new(Owned::new(self.term));
        self.kept.get_or_init(copy).clone()
    }
}

/// The parts of a message of a monitor that has ended.
#[derive(Clone, Copy)]
pub struct Down {
    /// `'DOWN'`, or the tag that was asked for.
    pub tag: Term,
    pub reference: Term,
    pub reason: Term,
}

/// The connections to other nodes.
#[inline]
#[must_use]
pub fn get() -> &'static dyn Remote {
    hooks::get().remote
}
