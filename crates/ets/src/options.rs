//! What a program asks for when it makes a table, and which access an operation needs.

use layout::Term;
use term::am;

/// Slots of an empty hash table, as in OTP.
pub(crate) const FIRST_SLOTS: usize = 256;

/// What a table may hold for one key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TableKind {
    /// One object.
    Set,
    /// One object; keys are compared with `==`, and in order.
    OrderedSet,
    /// Any number of different objects.
    Bag,
    /// Any number of objects.
    DuplicateBag,
}

impl TableKind {
    #[must_use]
    pub fn atom(self) -> Term {
        match self {
            TableKind::Set => am::SET,
            TableKind::OrderedSet => am::ORDERED_SET,
            TableKind::Bag => am::BAG,
            TableKind::DuplicateBag => am::DUPLICATE_BAG,
        }
    }

    /// Whether a key has at most one object.
    #[must_use]
    pub fn is_set(self) -> bool {
        matches!(self, TableKind::Set | TableKind::OrderedSet)
    }
}

/// The access that an operation needs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// Only that the table exists.
    Info,
    Read,
    Write,
}

/// Who may read and write besides the owner.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Protection {
    Private,
    Protected,
    Public,
}

impl Protection {
    #[must_use]
    pub fn atom(self) -> Term {
        match self {
            Protection::Private => am::PRIVATE,
            Protection::Protected => am::PROTECTED,
            Protection::Public => am::PUBLIC,
        }
    }
}

/// `write_concurrency`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WriteConcurrency {
    No,
    Yes,
    Auto,
    /// `{debug_hash_fixed_number_of_locks, N}`.
    Locks(u32),
}

/// The options that were given to `ets:new/2`.
#[derive(Clone, Debug)]
pub struct TableOptions {
    pub kind: TableKind,
    pub keypos: usize,
    pub protection: Protection,
    pub named: bool,
    pub compressed: bool,
    pub write_concurrency: WriteConcurrency,
    pub read_concurrency: bool,
    pub decentralized_counters: bool,
}
