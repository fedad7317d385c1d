//! A table: its properties, its access checks, and its parts.
//!
//! Any thread may hold a table. Its contents are reached through [`Table::reading`] and the other functions that take
//! a lock; whether the process has access is checked while the lock is held. Operations on the whole table lock all
//! parts in order.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

use layout::Term;
use parking_lot::Mutex;
use term::heap::Allocate;
use term::off_heap::MagicBlock;
use term::release::{self, Release};
use term::{am, build, hash};

use super::fixation::Fixation;
use super::options::{Access, FIRST_SLOTS, Protection, TableKind, TableOptions, WriteConcurrency};
use super::registry;
use crate::store::lock::{PartLock, ReadGuard, WriteGuard};
use crate::store::object::{HASH_MASK, New, OwnedObject};
use crate::store::part::Part;
use crate::store::ranges::{self, Bound, Mark, Ranges, Span};
use crate::store::shard::Share;
use crate::store::tree::WalkStart;
use crate::store::words;
use runtime::code::bif::{Failure, badarg_because};
use runtime::mail::{dirty, schedulers};
use runtime::process::Process;
use runtime::process::dirty::DirtyKind;
use runtime::process::table::Identity;

/// Parts of a hash table with write concurrency.
pub(crate) const PARTS: usize = 16;
/// Maximum number of places (see `lock`) in the lock of a part with read concurrency.
const MAX_PLACES: usize = 16;
/// Objects that were deleted while a table was fixed are freed in so many slots at a time, which takes 0.15 ms.
const PURGED_AT_ONCE: usize = 2048;
/// OTP's locks that are one of [`PARTS`].
const LANES: usize = words::LOCKS / PARTS;

const _: () = assert!(PARTS.is_power_of_two() && LANES.is_power_of_two());

/// Values of [`Table::status`]: the protection, perhaps with FILLING; or DELETED alone.
mod status {
    /// Others may not even read.
    pub(crate) const PRIVATE: u32 = 0;
    pub(crate) const PROTECTED: u32 = 1;
    pub(crate) const PUBLIC: u32 = 2;
    pub(crate) const DELETED: u32 = 4;
    /// A long list is being inserted: who finds this waits for the end of it.
    pub(crate) const FILLING: u32 = 8;
}

impl Protection {
    fn bits(self) -> u32 {
        match self {
            Protection::Private => status::PRIVATE,
            Protection::Protected => status::PROTECTED,
            Protection::Public => status::PUBLIC,
        }
    }
}

/// The process that gets the table when its owner ends.
pub struct Heir {
    pub process: Identity,
    /// The data in a tuple: `{Data}`. Without data the process is not told that the table is its own.
    pub data: Option<OwnedObject>,
}

/// A table.
pub struct Table {
    /// The low word of the table's reference.
    pub number: u64,
    pub options: TableOptions,
    name: AtomicU32,
    status: AtomicU32,
    owner: AtomicU64,
    pub heir: Mutex<Option<Heir>>,
    pub fixation: Fixation,
    contents: Contents,
}

/// The locks, and behind them the objects.
enum Contents {
    /// In parts selected by the key's hash; an ordered set has one part.
    Parts(Box<[PartLock]>),
    /// In ranges of keys.
    Ranges(Ranges),
}

/// A locked part, and a key's hash.
pub struct Locked<Guard> {
    pub part: Guard,
    pub hash: u32,
}

pub(crate) type Reading<'a> = Locked<ReadGuard<'a>>;
pub type Writing<'a> = Locked<WriteGuard<'a>>;

/// A locked part of an ordered set: all of it, or a range.
pub struct LockedRange<'a, Guard> {
    pub part: Guard,
    span: Option<&'a Span>,
}

impl<'a, Guard> LockedRange<'a, Guard> {
    /// The state of the range as it is now; `None` if the part is the whole table.
    #[must_use]
    pub fn mark(&self) -> Option<Mark<'a>> {
        self.span.map(Mark::new)
    }
}

/// Words of a table as OTP counts them, summed up part by part.
pub struct Words {
    /// Whether the table is fixed, so that objects marked as deleted count.
    fixed: bool,
    objects: i64,
    slots: usize,
}

impl Words {
    /// Those of a table whose parts are to be added.
    #[must_use]
    pub fn of(table: &Table) -> Words {
        Words {
            fixed: table.fixation.is_fixed(),
            objects: 0,
            slots: 0,
        }
    }

    pub fn add(&mut self, part: &Part) {
        match part {
            Part::Hash(shard) => {
                self.objects += shard.words(self.fixed) as i64;
                self.slots += shard.slots();
            }
            Part::Tree(tree) => self.objects += tree.words(),
        }
    }

    #[must_use]
    pub fn total(&self, table: &Table) -> usize {
        // A table itself is larger since OTP 29.
        usize::from(release::has(Release::OTP_29))
            + words::empty(&table.options, schedulers::count())
            + words::of_slots(self.slots)
            + self.objects as usize
    }
}

/// A whole table, write-locked.
pub enum Whole<'a> {
    Parts(Vec<WriteGuard<'a>>),
    Ranges(ranges::All<'a>),
}

impl<'a> Whole<'a> {
    pub fn parts(&mut self) -> &mut [WriteGuard<'a>] {
        match self {
            Whole::Parts(parts) => parts,
            Whole::Ranges(all) => &mut all.parts,
        }
    }

    /// The part of a key; `hash` is that of the key.
    pub fn part_of(&mut self, key: Term, hash: u32) -> &mut Part {
        match self {
            Whole::Parts(parts) => {
                let part = part_of(hash, parts.len());
                &mut parts[part]
            }
            Whole::Ranges(all) => {
                let part = all.part_of(key);
                &mut all.parts[part]
            }
        }
    }

    /// Must be called when all parts have been emptied.
    pub(crate) fn emptied(&mut self) {
        if let Whole::Ranges(all) = self {
            all.collapse();
        }
    }
}

/// The index of the part that a hash belongs to.
#[inline]
fn part_of(hash: u32, parts: usize) -> usize {
    if parts == 1 {
        0
    } else {
        hash as usize / LANES % PARTS
    }
}

impl Table {
    #[must_use]
    pub fn new(name: Term, options: TableOptions, owner: Term, heir: Option<Heir>) -> Table {
        let shared = options.write_concurrency != WriteConcurrency::No
            && options.protection != Protection::Private;
        let is_ordered = options.kind == TableKind::OrderedSet;
        let schedulers = schedulers::count();
        let parts = if shared && !is_ordered { PARTS } else { 1 };
        let first_slots = FIRST_SLOTS / parts;
        let share = match parts {
            1 => Share::WHOLE,
            parts => Share::of(parts, LANES),
        };
        let places = match (options.read_concurrency, shared) {
            (true, false) => MAX_PLACES,
            (true, true) => MAX_PLACES / 4,
            (false, _) => 1,
        };
        let places = places.min(schedulers);
        let contents = if shared && is_ordered && schedulers > 1 {
            Contents::Ranges(Ranges::new(options.keypos, places, schedulers))
        } else {
            let parts = (0..parts)
                .map(|_| Part::new(options.kind, options.keypos, first_slots, share))
                .map(|part| PartLock::new(part, places, schedulers));
            Contents::Parts(parts.collect())
        };
        Table {
            number: term::reference::fresh_number(),
            name: AtomicU32::new(name.as_atom().expect("a table's name is an atom")),
            status: AtomicU32::new(options.protection.bits()),
            owner: AtomicU64::new(owner.bits()),
            heir: Mutex::new(heir),
            fixation: Fixation::default(),
            options,
            contents,
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

    pub(crate) fn set_owner(&self, owner: Term) {
        self.owner.store(owner.bits(), Ordering::Release);
    }

    #[must_use]
    pub fn is_deleted(&self) -> bool {
        self.status.load(Ordering::Acquire) & status::DELETED != 0
    }

    /// Checks that no long list is being inserted, which others must not see in part. A BIF asks this before it begins;
    /// those that look at one part only ask again with its lock held ([`Table::reading`], [`Table::writing`]).
    ///
    /// # Errors
    /// [`Failure::Again`].
    #[inline]
    pub fn is_complete(&self) -> Result<(), Failure> {
        match self.status.load(Ordering::Acquire) & status::FILLING {
            0 => Ok(()),
            _ => Err(Failure::Again),
        }
    }

    /// Begins to insert a long list; false if another one is being inserted, or the table is deleted. Must be called
    /// with all parts locked.
    #[must_use]
    pub fn begin_filling(&self) -> bool {
        let barring = status::FILLING | status::DELETED;
        self.status
            .try_update(Ordering::AcqRel, Ordering::Acquire, |word| {
                (word & barring == 0).then_some(word | status::FILLING)
            })
            .is_ok()
    }

    /// Ends what [`Table::begin_filling`] began, unless the table was deleted meanwhile.
    pub fn end_filling(&self) {
        self.status.fetch_and(!status::FILLING, Ordering::AcqRel);
    }

    #[must_use]
    pub fn protection(&self) -> Protection {
        match self.status.load(Ordering::Acquire) & !status::FILLING {
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

    /// Checks whether a process has the access; must be called with a lock held.
    ///
    /// # Errors
    /// `badarg` with the cause `id` (deleted) or `access`.
    #[inline]
    pub fn allow(&self, process: &Process, access: Access) -> Result<(), Failure> {
        let status = self.status.load(Ordering::Acquire) & !status::FILLING;
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
        let is_super_user = || {
            process
                .existing_extras()
                .is_some_and(|extras| extras.ets_super_user)
        };
        if status & status::DELETED != 0 {
            Err(badarg_because(am::ID))
        } else if self.owner() == process.pid() || is_super_user() {
            Ok(())
        } else {
            Err(badarg_because(am::ACCESS))
        }
    }

    /// The hash of a key, as the parts use it; an ordered set needs none.
    #[inline]
    #[must_use]
    pub fn hash(&self, key: Term) -> u32 {
        if self.options.kind == TableKind::OrderedSet {
            0
        } else {
            hash::table_key(key) & HASH_MASK
        }
    }

    /// Prepares a tuple that has a key for insertion; `hash` is that of the key.
    #[inline]
    #[must_use]
    pub fn new_object(&self, tuple: Term, hash: u32) -> New {
        New::Tuple {
            tuple,
            hash,
            packs: self.options.compressed,
        }
    }

    /// Makes an object of a tuple that has a key; `hash` is that of the key.
    #[inline]
    #[must_use]
    pub fn object(&self, tuple: Term, hash: u32) -> OwnedObject {
        if self.options.compressed {
            OwnedObject::packed(tuple, hash, self.options.keypos)
        } else {
            OwnedObject::new(tuple, hash)
        }
    }

    /// The index of the part that a hash belongs to.
    #[inline]
    #[must_use]
    pub fn part_of(&self, hash: u32) -> usize {
        part_of(hash, self.parts())
    }

    /// Read-locks the part of a key.
    ///
    /// # Errors
    /// As [`Table::allow`] and [`Table::is_complete`].
    #[inline(always)]
    pub fn reading(&self, process: &Process, key: Term) -> Result<Reading<'_>, Failure> {
        let reading = self.reading_further(process, key)?;
        self.is_complete()?;
        Ok(reading)
    }

    /// As [`Table::reading`], for the later keys of an operation on several.
    ///
    /// # Errors
    /// As [`Table::allow`].
    #[inline(always)]
    pub(crate) fn reading_further(
        &self,
        process: &Process,
        key: Term,
    ) -> Result<Reading<'_>, Failure> {
        let hash = self.hash(key);
        let part = match &self.contents {
            Contents::Parts(parts) => parts[part_of(hash, parts.len())].read(),
            Contents::Ranges(ranges) => ranges.read(key),
        };
        self.allow(process, Access::Read)?;
        Ok(Locked { part, hash })
    }

    /// Write-locks the part of a key.
    ///
    /// # Errors
    /// As [`Table::reading`].
    // Always inlined, as `reading` is: otherwise the result is returned through memory, written in pieces and read
    // whole, and a load that is wider than the stores before it waits for them.
    #[inline(always)]
    pub fn writing(&self, process: &Process, key: Term) -> Result<Writing<'_>, Failure> {
        let writing = self.writing_further(process, key)?;
        self.is_complete()?;
        Ok(writing)
    }

    /// As [`Table::writing`], for the later keys of an operation on several.
    ///
    /// # Errors
    /// As [`Table::allow`].
    #[inline(always)]
    pub(crate) fn writing_further(
        &self,
        process: &Process,
        key: Term,
    ) -> Result<Writing<'_>, Failure> {
        let hash = self.hash(key);
        let part = match &self.contents {
            Contents::Parts(parts) => parts[part_of(hash, parts.len())].write(),
            Contents::Ranges(ranges) => ranges.write(key),
        };
        self.allow(process, Access::Write)?;
        Ok(Locked { part, hash })
    }

    /// The parts that have indexes; an ordered set with ranges has none.
    fn numbered(&self) -> &[PartLock] {
        match &self.contents {
            Contents::Parts(parts) => parts,
            Contents::Ranges(_) => &[],
        }
    }

    /// Number of parts that have indexes.
    #[must_use]
    pub fn parts(&self) -> usize {
        self.numbered().len()
    }

    /// Read-locks a part by index.
    pub fn read_part(&self, part: usize) -> ReadGuard<'_> {
        self.numbered()[part].read()
    }

    /// Write-locks a part by index.
    pub(crate) fn write_part(&self, part: usize) -> WriteGuard<'_> {
        self.numbered()[part].write()
    }

    /// Read-locks the part of an ordered set in which a walk begins.
    pub fn read_from(&self, from: WalkStart, backwards: bool) -> LockedRange<'_, ReadGuard<'_>> {
        match &self.contents {
            Contents::Parts(parts) => LockedRange {
                part: parts[0].read(),
                span: None,
            },
            Contents::Ranges(ranges) => {
                let (span, part) = ranges.read_from(from, backwards);
                LockedRange {
                    part,
                    span: Some(span),
                }
            }
        }
    }

    /// As [`Table::read_from`], but write-locks it.
    pub(crate) fn write_from(
        &self,
        from: WalkStart,
        backwards: bool,
    ) -> LockedRange<'_, WriteGuard<'_>> {
        match &self.contents {
            Contents::Parts(parts) => LockedRange {
                part: parts[0].write(),
                span: None,
            },
            Contents::Ranges(ranges) => {
                let (span, part) = ranges.write_from(from, backwards);
                LockedRange {
                    part,
                    span: Some(span),
                }
            }
        }
    }

    /// The bound at which the part after a range begins, or, going backwards, the range itself.
    pub fn bound_of<Guard>(
        &self,
        range: &LockedRange<'_, Guard>,
        backwards: bool,
    ) -> Option<Bound> {
        match (&self.contents, range.span) {
            (Contents::Ranges(ranges), Some(span)) => ranges.bound_of(span, backwards),
            _ => None,
        }
    }

    /// Read-locks one part after the other, until `visit` returns a value.
    pub fn each_part<R>(&self, mut visit: impl FnMut(&Part) -> Option<R>) -> Option<R> {
        match &self.contents {
            Contents::Parts(parts) => parts.iter().find_map(|part| visit(&part.read())),
            Contents::Ranges(ranges) => ranges.each(visit),
        }
    }

    /// As [`Table::each_part`], leaving out parts whose lock was not acquired within `timeout`; returns whether there
    /// was none.
    pub fn each_part_within(&self, timeout: Duration, mut visit: impl FnMut(&Part)) -> bool {
        match &self.contents {
            Contents::Parts(parts) => {
                let mut is_whole = true;
                for part in parts {
                    match part.read_within(timeout) {
                        Some(part) => visit(&part),
                        None => is_whole = false,
                    }
                }
                is_whole
            }
            Contents::Ranges(ranges) => ranges.each_within(timeout, visit),
        }
    }

    /// Write-locks the whole table.
    #[must_use]
    pub fn write_all(&self) -> Whole<'_> {
        match &self.contents {
            Contents::Parts(parts) => Whole::Parts(parts.iter().map(PartLock::write).collect()),
            Contents::Ranges(ranges) => Whole::Ranges(ranges.write_all()),
        }
    }

    /// Sums up over all parts, one after the other.
    fn sum(&self, of: impl Fn(&Part) -> i64) -> usize {
        let mut sum = 0;
        self.each_part(|part| {
            sum += of(part);
            None::<()>
        });
        sum as usize
    }

    /// Number of objects.
    #[must_use]
    pub fn objects(&self) -> usize {
        self.sum(Part::objects)
    }

    /// The ranges of an ordered set with write concurrency.
    #[must_use]
    pub fn ranges(&self) -> Option<&Ranges> {
        match &self.contents {
            Contents::Ranges(ranges) => Some(ranges),
            _ => None,
        }
    }

    /// Bytes that the table takes, without shared binaries.
    #[must_use]
    pub(crate) fn bytes(&self) -> usize {
        let locks: usize = match &self.contents {
            Contents::Parts(parts) => parts.iter().map(PartLock::bytes).sum(),
            Contents::Ranges(ranges) => ranges.bytes(),
        };
        size_of::<Table>() + locks + self.sum(Part::bytes)
    }

    /// Words that the table takes as OTP counts them.
    #[must_use]
    pub fn words(&self) -> usize {
        let mut count = Words::of(self);
        self.each_part(|part| {
            count.add(part);
            None::<()>
        });
        count.total(self)
    }

    /// Makes the table's reference on a heap.
    pub fn reference<A: Allocate + ?Sized>(&self, heap: &mut A) -> Term {
        let handle = registry::Handle::of(self.number);
        let block = MagicBlock::new(Box::new(handle));
        // SAFETY: the block is fresh, and its one reference count is handed over.
        unsafe { build::magic_reference(heap, self.number, term::reference::OBJECT, block) }
    }

    /// The term by which programs identify the table: its name if it is named, otherwise its reference.
    pub fn identifier<A: Allocate + ?Sized>(&self, heap: &mut A) -> Term {
        if self.options.named {
            self.name()
        } else {
            self.reference(heap)
        }
    }

    /// Undoes one fixation of a process, or all of them. If the table is no longer fixed, frees the deleted objects
    /// that were kept: many of them later, on another thread.
    pub fn release(&self, pid: Term, all: bool) {
        if !self.fixation.release(pid, all) || self.purge(PURGED_AT_ONCE) {
            return;
        }
        let number = self.number;
        dirty::later(DirtyKind::Chore, move || {
            if let Some(table) = registry::find(number) {
                table.purge(usize::MAX);
            }
        });
    }

    /// Frees objects that were deleted while the table was fixed, in `most` slots, unless it is fixed again. Returns
    /// whether none are left that may be freed.
    fn purge(&self, mut most: usize) -> bool {
        // A range keeps no deleted objects while the table is fixed.
        for part in self.numbered() {
            loop {
                let mut part = part.write();
                if self.fixation.is_fixed() {
                    return true;
                }
                let at_once = most.min(PURGED_AT_ONCE);
                let unused = part.purge(at_once);
                if unused > 0 {
                    most -= at_once - unused;
                    break;
                }
                most -= at_once;
                if most == 0 {
                    return false;
                }
            }
        }
        true
    }
}
