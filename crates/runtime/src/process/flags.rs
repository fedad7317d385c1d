//! The flags of a process ([`Process::flags`](super::Process::flags)): what its owner knows of it, each in one bit.
//! Only the owner reads or changes them; what other threads may know is in the [`state`](super::state) word.

use std::ops::BitOr;

/// A set of flags.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Flags(u16);

impl Flags {
    pub const NONE: Flags = Flags(0);

    /// `process_flag(trap_exit, true)`: exit signals become messages.
    pub const TRAP_EXIT: Flags = Flags(1);
    /// A system process: when it ends, so does the node.
    pub const SYSTEM: Flags = Flags(1 << 1);
    /// `message_queue_data` is `off_heap`: collections leave its messages in fragments.
    pub const OFF_HEAP_MESSAGES: Flags = Flags(1 << 2);
    /// It hibernates until a message comes.
    pub const HIBERNATED: Flags = Flags(1 << 3);
    /// The sum of the words in its queue has wrapped once, so they are counted message by message.
    pub const QUEUE_WORDS_WRAPPED: Flags = Flags(1 << 4);
    /// It left its scheduler so that a dirty one does the collection described in `Extras`.
    pub const DIRTY_COLLECTION: Flags = Flags(1 << 5);
    /// It must not run again: a signal ended it, with the `exit_reason` in `Cold`.
    pub const EXIT_PENDING: Flags = Flags(1 << 6);
    /// Messages with priority have come after the receive in progress had passed their place:
    /// `effects::receive::priority`.
    pub const PRIORITY_MESSAGES: Flags = Flags(1 << 7);
    /// System tasks are pending in `Extras`: collections and checks that must run between two slices.
    pub const SYSTEM_TASKS: Flags = Flags(1 << 8);
    /// Its last slice ended because it waits for a message or timeout, not because its reductions were used up.
    pub const WAITING: Flags = Flags(1 << 9);
    /// Its slice ended so that a dirty scheduler makes the call stored in `Extras`.
    pub const DIRTY_CALL: Flags = Flags(1 << 10);
    /// The outcome of the dirty call is in `Extras`; the process picks it up when it calls the BIF again.
    pub const DIRTY_CALL_DONE: Flags = Flags(1 << 11);
    /// The BIF that it calls has given up the slice and returns when it is entered again: `erlang:yield/0`, or a call
    /// that a busy port or connection suspends.
    pub const BIF_YIELDED: Flags = Flags(1 << 12);
    /// It is traced, has a token of sequential trace, or saves its calls: `Extras` says what is reported, and to whom.
    pub const TRACED: Flags = Flags(1 << 13);
    /// It waits in a receive without clauses: when it began to wait there was a message that it had not examined.
    pub const WAITING_WITHOUT_CLAUSES: Flags = Flags(1 << 14);
    /// Its float registers are saved in `Extras`.
    pub const SAVED_FLOATS: Flags = Flags(1 << 15);

    /// Whether all of `flags` are set.
    #[inline]
    #[must_use]
    pub const fn contains(self, flags: Flags) -> bool {
        self.0 & flags.0 == flags.0
    }

    /// Whether any of `flags` is set.
    #[inline]
    #[must_use]
    pub const fn intersects(self, flags: Flags) -> bool {
        self.0 & flags.0 != 0
    }

    #[inline]
    pub const fn insert(&mut self, flags: Flags) {
        self.0 |= flags.0;
    }

    #[inline]
    pub const fn remove(&mut self, flags: Flags) {
        self.0 &= !flags.0;
    }

    /// Sets or clears all of `flags`.
    pub const fn set(&mut self, flags: Flags, on: bool) {
        if on {
            self.insert(flags);
        } else {
            self.remove(flags);
        }
    }
}

impl BitOr for Flags {
    type Output = Flags;

    #[inline]
    fn bitor(self, other: Flags) -> Flags {
        Flags(self.0 | other.0)
    }
}
