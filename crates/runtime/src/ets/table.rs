//! A table: what it is, who may do what with it, and its parts.
//!
//! Any thread may hold a table. Its contents are reached through [`Table::reading`] and the other
//! functions that take a lock; each asks, with the lock held, whether the process may. Operations on the
//! whole table lock all parts in order.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

use layout::Term;
use parking_lot::Mutex;
use term::heap::Allocate;
use term::off_heap::MagicBlock;
use term::{am, build, hash};

use super::fixation::Fixation;
use super::lock::{PartLock, ReadGuard, WriteGuard};
use super::object::{HASH_MASK, OwnedObject};
use super::part::Part;
use super::{Access, Kind, registry};
use crate::bif::{Failure, badarg_because};
use crate::process::{Process, flag};
use crate::scheduler;

/// Slots of an empty hash table; as many as OTP's have.
pub const FIRST_SLOTS: usize = 256;
/// Parts of a hash table with write concurrency.
pub const PARTS: usize = 16;
/// Most places at which the lock of a part with read concurrency is shared.
const MOST_PLACES: usize = 16;
/// Bits of a hash (of 31) that select one of [`PARTS`].
const PART_SHIFT: u32 = 31 - PARTS.trailing_zeros();

const _: () = assert!(PARTS.is_power_of_two());

/// Bits of [`Table::status`]; the protection, or DELETED alone.
mod status {
    /// Others may not even read.
    pub const PRIVATE: u32 = 0;
    pub const PROTECTED: u32 = 1;
    pub const PUBLIC: u32 = 2;
    pub const DELETED: u32 = 4;
}

/// Who may read and write besides the owner.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Protection {
    Private,
    Protected,
    Public,
}

impl Protection {
    fn bits(self) -> u32 {
        match self {
            Protection::Private => status::PRIVATE,
            Protection::Protected => status::PROTECTED,
            Protection::Public => status::PUBLIC,
        }
    }

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

/// What `ets:new/2` was asked for.
#[derive(Clone, Debug)]
pub struct Options {
    pub kind: Kind,
    pub keypos: usize,
    pub protection: Protection,
    pub named: bool,
    pub compressed: bool,
    pub write_concurrency: WriteConcurrency,
    pub read_concurrency: bool,
    pub decentralized_counters: bool,
}

/// Who gets the table when its owner ends.
pub struct Heir {
    pub pid: Term,
    /// `{Data}`.
    pub data: OwnedObject,
}

/// A table.
pub struct Table {
    /// The low word of its reference.
    pub number: u64,
    pub options: Options,
    name: AtomicU32,
    status: AtomicU32,
    owner: AtomicU64,
    pub heir: Mutex<Option<Heir>>,
    pub fixation: Fixation,
    parts: Box<[PartLock]>,
}

/// A part that is locked, and a key's hash.
pub struct Locked<Guard> {
    pub part: Guard,
    pub hash: u32,
}

pub type Reading<'a> = Locked<ReadGuard<'a>>;
pub type Writing<'a> = Locked<WriteGuard<'a>>;

impl Table {
    #[must_use]
    pub fn new(name: Term, options: Options, owner: Term, heir: Option<Heir>) -> Table {
        let shared = options.write_concurrency != WriteConcurrency::No
            && options.protection != Protection::Private
            && options.kind != Kind::OrderedSet;
        let parts = if shared { PARTS } else { 1 };
        let first_slots = FIRST_SLOTS / parts;
        let places = match (options.read_concurrency, parts) {
            (true, 1) => MOST_PLACES,
            (true, _) => MOST_PLACES / 4,
            (false, _) => 1,
        };
        let schedulers = scheduler::count();
        let places = places.min(schedulers);
        let parts = (0..parts)
            .map(|_| Part::new(options.kind, options.keypos, first_slots))
            .map(|part| PartLock::new(part, places, schedulers))
            .collect();
        Table {
            number: term::reference::fresh_number(),
            name: AtomicU32::new(name.as_atom().expect("a table's name is an atom")),
            status: AtomicU32::new(options.protection.bits()),
            owner: AtomicU64::new(owner.bits()),
            heir: Mutex::new(heir),
            fixation: Fixation::default(),
            options,
            parts,
        }
    }

    #[must_use]
    pub fn name(&self) -> Term {
        Term::atom(self.name.load(Ordering::Acquire))
    }

    pub(super) fn set_name(&self, name: Term) {
        self.name
            .store(name.as_atom().expect("an atom"), Ordering::Release);
    }

    #[must_use]
    pub fn owner(&self) -> Term {
        // SAFETY: only pids are stored, which are immediates.
        unsafe { Term::from_bits(self.owner.load(Ordering::Acquire)) }
    }

    pub fn set_owner(&self, owner: Term) {
        self.owner.store(owner.bits(), Ordering::Release);
    }

    #[must_use]
    pub fn is_deleted(&self) -> bool {
        self.status.load(Ordering::Acquire) & status::DELETED != 0
    }

    #[must_use]
    pub fn protection(&self) -> Protection {
        match self.status.load(Ordering::Acquire) {
            status::PROTECTED => Protection::Protected,
            status::PUBLIC => Protection::Public,
            _ => Protection::Private,
        }
    }

    pub fn set_protection(&self, protection: Protection) {
        self.status.store(protection.bits(), Ordering::Release);
    }

    /// Marks the table as deleted; false when it was already.
    #[must_use]
    pub(super) fn mark_deleted(&self) -> bool {
        self.status.swap(status::DELETED, Ordering::AcqRel) & status::DELETED == 0
    }

    /// Whether a process may; to be asked with a lock held.
    ///
    /// # Errors
    /// `badarg` with the cause `id` (deleted) or `access`.
    #[inline]
    pub fn allow(&self, process: &Process, access: Access) -> Result<(), Failure> {
        let status = self.status.load(Ordering::Acquire);
        let enough = match access {
            Access::Info => status & status::DELETED == 0,
            Access::Read => status == status::PROTECTED || status == status::PUBLIC,
            Access::Write => status == status::PUBLIC,
        };
        if enough {
            Ok(())
        } else {
            self.allow_owner(process, status)
        }
    }

    #[cold]
    fn allow_owner(&self, process: &Process, status: u32) -> Result<(), Failure> {
        if status & status::DELETED != 0 {
            Err(badarg_because(am::ID))
        } else if self.owner() == process.pid() || process.flags & flag::ETS_SUPER_USER != 0 {
            Ok(())
        } else {
            Err(badarg_because(am::ACCESS))
        }
    }

    /// The hash of a key, as the parts use it; an ordered set needs none.
    #[inline]
    #[must_use]
    pub fn hash(&self, key: Term) -> u32 {
        if self.options.kind == Kind::OrderedSet {
            0
        } else if key.is_atom() {
            // OTP places atoms by their text, which gives the same order on every node.
            hash::atom_hash(key) & HASH_MASK
        } else {
            hash::internal(key, 0) & HASH_MASK
        }
    }

    /// The object of a tuple that has a key; `hash` is that of the key.
    #[inline]
    #[must_use]
    pub fn object(&self, tuple: Term, hash: u32) -> OwnedObject {
        if self.options.compressed {
            OwnedObject::packed(tuple, hash, self.options.keypos)
        } else {
            OwnedObject::new(tuple, hash)
        }
    }

    /// The number of the part that a hash belongs to.
    #[inline]
    #[must_use]
    pub fn part_of(&self, hash: u32) -> usize {
        if self.parts.len() == 1 {
            0
        } else {
            (hash >> PART_SHIFT) as usize
        }
    }

    /// Locks the part of a key, to read.
    ///
    /// # Errors
    /// See [`Table::allow`]; so for all that lock.
    #[inline(always)]
    pub fn reading(&self, process: &Process, key: Term) -> Result<Reading<'_>, Failure> {
        let hash = self.hash(key);
        let part = self.parts[self.part_of(hash)].read();
        self.allow(process, Access::Read)?;
        Ok(Locked { part, hash })
    }

    /// Locks the part of a key, to write.
    ///
    /// # Errors
    /// As [`Table::reading`].
    #[inline]
    pub fn writing(&self, process: &Process, key: Term) -> Result<Writing<'_>, Failure> {
        let hash = self.hash(key);
        let part = self.parts[self.part_of(hash)].write();
        self.allow(process, Access::Write)?;
        Ok(Locked { part, hash })
    }

    /// Number of parts.
    #[must_use]
    pub fn parts(&self) -> usize {
        self.parts.len()
    }

    /// Locks a part by number, to read.
    pub fn read_part(&self, part: usize) -> ReadGuard<'_> {
        self.parts[part].read()
    }

    /// As [`Table::read_part`]; `None` when the lock cannot be had so soon.
    pub fn read_part_within(&self, part: usize, patience: Duration) -> Option<ReadGuard<'_>> {
        self.parts[part].read_within(patience)
    }

    /// Locks a part by number, to write.
    pub fn write_part(&self, part: usize) -> WriteGuard<'_> {
        self.parts[part].write()
    }

    /// Locks the whole table, to write.
    #[must_use]
    pub fn write_all(&self) -> Vec<WriteGuard<'_>> {
        self.parts.iter().map(|part| part.write()).collect()
    }

    /// Number of objects, part after part.
    #[must_use]
    pub fn objects(&self) -> usize {
        let objects: i64 = self.parts.iter().map(|part| part.read().objects()).sum();
        objects as usize
    }

    /// Bytes that the table takes, without shared binaries.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let locks: usize = self.parts.iter().map(PartLock::bytes).sum();
        let contents: i64 = self.parts.iter().map(|part| part.read().bytes()).sum();
        size_of::<Table>() + locks + contents as usize
    }

    /// The table's reference on a heap.
    pub fn reference<A: Allocate + ?Sized>(&self, heap: &mut A) -> Term {
        let handle = registry::Handle::of(self.number);
        let block = MagicBlock::new(Box::new(handle));
        // SAFETY: the block's one count is handed over.
        unsafe { build::magic_reference(heap, self.number, 0, block) }
    }

    /// How programs call the table: by name if it is named, else by reference.
    pub fn identifier<A: Allocate + ?Sized>(&self, heap: &mut A) -> Term {
        if self.options.named {
            self.name()
        } else {
            self.reference(heap)
        }
    }

    /// Takes back fixations of a process, and frees what was kept for them.
    pub fn release(&self, pid: Term, all: bool) {
        if self.fixation.release(pid, all) {
            for part in &self.parts {
                let mut part = part.write();
                if self.fixation.is_fixed() {
                    return;
                }
                part.purge();
            }
        }
    }
}
