//! A hash table of objects that grows and shrinks a slot at a time (linear hashing, Litwin 1980).
//!
//! Slots, growth and the order in a chain are those of OTP's tables, so that a table is traversed in the same order.
//! Objects with the same key are adjacent, the newest first. While the table is fixed, the number of slots stays the
//! same, and of the deleted objects with one key the first is only marked: so its chain still shows where a traversal
//! continues.
//!
//! A small table is *folded*: neighbouring slots share a chain, which holds their objects in the order of the slots.
//! So a table with a few objects does not need two kilobytes for slots, and the difference cannot be observed.
//!
//! One of several tables, each with the objects whose hash leads to its lock, is a *share* of OTP's table: see [`Share`].
//!
//! The caller holds the lock of the part: shared for `&self`, exclusive for `&mut self`.

use std::ptr;

use layout::Term;
use term::compare;

use super::object::{New, Object, OwnedObject, fetch, fetch_key};
use super::words;
use crate::{TableKind, Verdict};

/// OTP's tables grow and shrink by this many slots at a time.
const SEGMENT: usize = 2048;
/// Number of slots by which prefetching runs ahead (`tables/set` of the lab).
const FETCHED_AHEAD: usize = 8;
/// A table grows or shrinks by at most this many slots per insertion or deletion.
const STEPS: usize = 5;
/// Chains of a folded table; a table with more objects than that is unfolded (`tables/many_tables`).
const FOLDED_CHAINS: usize = 16;

/// Which objects of a table a shard holds.
///
/// OTP's tables with write concurrency have one array of slots and 64 locks; the lowest bits of a slot's number choose its lock.
/// They are traversed lock by lock, and each lock's slots in their order. A shard stands for a few neighbouring locks, and
/// has only their slots:
///
/// ```text
/// hash           | more bits of the slot | shard | lane |
/// slot of shard  | more bits of the slot         | lane |
/// ```
///
/// So a traversal goes lane by lane, and a small table shows the order of OTP's. A larger one does not always: OTP's slots
/// grow with the objects of the whole table, a shard's with its own, so that its writers share nothing with others.
#[derive(Clone, Copy)]
pub struct Share {
    /// Mask for the bits of a hash that choose the lane, or all bits if there is but one shard.
    low: usize,
    /// How far the bits above those of the shard move down.
    shift: u32,
    /// Number of lanes.
    lanes: usize,
}

impl Share {
    /// All objects.
    pub const WHOLE: Share = Share {
        low: usize::MAX,
        shift: 0,
        lanes: 1,
    };

    /// Those of `lanes` of OTP's locks, for one of `shards` shards; both are powers of two.
    #[must_use]
    pub const fn of(shards: usize, lanes: usize) -> Share {
        Share {
            low: lanes - 1,
            shift: shards.trailing_zeros(),
            lanes,
        }
    }

    /// The bits of a hash that choose a slot of the shard.
    #[inline(always)]
    fn bits(self, hash: u32) -> usize {
        let hash = hash as usize;
        hash & self.low | hash >> self.shift & !self.low
    }
}

/// One hash table.
pub struct Shard {
    share: Share,
    /// The first object of every chain; empty before the first insertion.
    slots: Vec<*mut Object>,
    /// Logarithm of the number of slots that share a chain; 0 if the table is not folded.
    fold: u32,
    /// Mask for the bits of a hash that select a slot: the number of slots, rounded up to a power of two, less one.
    mask: usize,
    first_slots: usize,
    keypos: usize,
    kind: TableKind,
    /// Objects that are not deleted.
    live: usize,
    /// All objects, also those marked as deleted.
    count: usize,
    /// Bytes of all objects.
    bytes: usize,
    /// Slots with objects marked as deleted.
    marked: Vec<usize>,
}

// SAFETY: the chains belong to this shard alone.
unsafe impl Send for Shard {}
// SAFETY: shared access only reads.
unsafe impl Sync for Shard {}

/// The next object in the order of slots.
pub enum Following<'a> {
    /// There is no object with the key that was asked for.
    NoSuchKey,
    Object(&'a Object),
    End,
}

impl Shard {
    /// An empty table that begins with `first_slots` slots: a power of two, and at least one for each lane.
    #[must_use]
    pub fn new(kind: TableKind, keypos: usize, first_slots: usize, share: Share) -> Shard {
        debug_assert!(
            share.lanes == 1 || share.lanes <= first_slots && first_slots <= FOLDED_CHAINS
        );
        Shard {
            share,
            slots: Vec::new(),
            fold: (first_slots / FOLDED_CHAINS).max(1).ilog2(),
            mask: first_slots.next_power_of_two() - 1,
            first_slots,
            keypos,
            kind,
            live: 0,
            count: 0,
            bytes: 0,
            marked: Vec::new(),
        }
    }

    #[must_use]
    pub fn objects(&self) -> usize {
        self.live
    }

    /// Whether a key has at most one object.
    #[inline]
    #[must_use]
    pub fn is_set(&self) -> bool {
        self.kind == TableKind::Set
    }

    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes + self.slots.capacity() * size_of::<*mut Object>()
    }

    /// Words of the objects as OTP counts them.
    #[must_use]
    pub fn words(&self) -> usize {
        self.bytes / 8 + self.count * words::MORE
    }

    /// Number of slots.
    #[must_use]
    pub fn slots(&self) -> usize {
        self.slots.len().max(self.first_slots)
    }

    #[inline]
    fn slot_of(&self, hash: u32) -> usize {
        let slot = self.share.bits(hash) & self.mask;
        if slot < self.slots() {
            slot
        } else {
            slot & (self.mask >> 1)
        }
    }

    /// The slot that a traversal visits after `slot`; [`Shard::slots`] if that is the last.
    #[inline]
    #[must_use]
    pub fn after(&self, slot: usize) -> usize {
        let (slots, lanes) = (self.slots(), self.share.lanes);
        let next = slot + lanes;
        if next < slots || lanes == 1 {
            return next;
        }
        match slot % lanes + 1 {
            lane if lane < lanes => lane,
            _ => slots,
        }
    }

    /// `slot`, or a later slot if the slots before that are known to be empty; [`Shard::slots`] if all are. This looks at a
    /// few chains at most.
    #[inline]
    #[must_use]
    pub fn past_empty(&self, slot: usize) -> usize {
        if self.live == 0 {
            return self.slots();
        }
        let chain = slot >> self.fold;
        if self.fold == 0
            || self.share.lanes > 1
            || !self.slots.get(chain).is_some_and(|first| first.is_null())
        {
            return slot;
        }
        let used = self.slots[chain..]
            .iter()
            .position(|first| !first.is_null());
        used.map_or(self.slots(), |skipped| (chain + skipped) << self.fold)
    }

    /// The chain of a slot; in a folded table other slots share it.
    #[inline]
    fn chain(&self, slot: usize) -> Chain<'_> {
        let first = self.slots.get(slot >> self.fold);
        let first = first.copied().unwrap_or(ptr::null_mut());
        // SAFETY: a chain holds live objects, and stays as it is while `self` is borrowed.
        let next = unsafe { first.as_ref() };
        Chain { next }
    }

    #[inline(always)]
    fn has_key(&self, object: &Object, key: Term, hash: u32) -> bool {
        // SAFETY: the objects of a shard have an element at `keypos`: `insert` read the key there.
        let found = unsafe { object.key_unchecked(self.keypos) };
        if key.is_immediate() {
            return found == key;
        }
        object.hash() == hash && compare::eq_exact(found, key)
    }

    /// The objects with a key that are not deleted, the newest first.
    pub fn with_key(&self, key: Term, hash: u32) -> impl Iterator<Item = &Object> {
        self.chain(self.slot_of(hash))
            .skip_while(move |object| !self.has_key(object, key, hash))
            .take_while(move |object| self.has_key(object, key, hash))
            .filter(|object| !object.is_deleted())
    }

    /// The newest object with a key that is not deleted. In a set nothing after it is examined, because every object
    /// is on cache lines of its own.
    #[inline]
    pub fn newest(&self, key: Term, hash: u32) -> Option<&Object> {
        if key.is_immediate() {
            return self.newest_immediate(key, hash);
        }
        let mut chain = self.chain(self.slot_of(hash));
        let found = chain.find(|object| {
            fetch_key(*object);
            self.has_key(object, key, hash)
        })?;
        if !found.is_deleted() {
            return Some(found);
        }
        chain
            .take_while(|object| self.has_key(object, key, hash))
            .find(|object| !object.is_deleted())
    }

    /// As [`Shard::newest`], for an immediate key.
    #[inline]
    fn newest_immediate(&self, key: Term, hash: u32) -> Option<&Object> {
        let mut next = *self.slots.get(self.slot_of(hash) >> self.fold)?;
        loop {
            // SAFETY: a chain holds live objects, each with a key there, and stays as it is while `self` is borrowed.
            let object = unsafe { next.as_ref() }?;
            // SAFETY: as above.
            if unsafe { object.key_unchecked(self.keypos) } == key && !object.is_deleted() {
                return Some(object);
            }
            next = object.next;
        }
    }

    /// Whether an object in the chain of a slot belongs to that slot.
    #[inline(always)]
    fn is_in(&self, object: &Object, slot: usize) -> bool {
        self.fold == 0 || self.slot_of(object.hash()) == slot
    }

    /// The objects of a slot that are not deleted.
    pub fn in_slot(&self, slot: usize) -> impl Iterator<Item = &Object> {
        self.chain(slot)
            .filter(move |object| self.is_in(object, slot) && !object.is_deleted())
    }

    /// All objects of a slot, also those that are only marked as deleted.
    pub fn all_in_slot(&self, slot: usize) -> impl Iterator<Item = &Object> {
        self.chain(slot)
            .filter(move |object| self.is_in(object, slot))
    }

    /// All objects with a key, also those that are only marked as deleted.
    pub fn all_with_key(&self, key: Term, hash: u32) -> impl Iterator<Item = &Object> {
        self.chain(self.slot_of(hash))
            .skip_while(move |object| !self.has_key(object, key, hash))
            .take_while(move |object| self.has_key(object, key, hash))
    }

    /// All objects, also those that are only marked as deleted.
    pub fn all(&self) -> impl Iterator<Item = &Object> {
        self.from(0).flat_map(|slot| self.all_in_slot(slot))
    }

    /// The first object in `slot` or a later slot, also if it is only marked as deleted.
    #[must_use]
    pub fn first_of_all(&self, slot: usize) -> Option<&Object> {
        self.from(slot)
            .find_map(|slot| self.all_in_slot(slot).next())
    }

    /// `slot` and those that a traversal visits after it; none before the first insertion.
    #[inline]
    fn from(&self, slot: usize) -> impl Iterator<Item = usize> {
        let end = self.slots.len() << self.fold;
        let first = Some(slot).filter(|&slot| slot < end);
        std::iter::successors(first, move |&slot| {
            Some(self.after(slot)).filter(|&next| next < end)
        })
    }

    /// The first object after those with a key, also if it is only marked as deleted.
    #[must_use]
    pub fn next_of_all(&self, key: Term, hash: u32) -> Option<&Object> {
        let slot = self.slot_of(hash);
        self.chain(slot)
            .skip_while(|object| !self.has_key(object, key, hash))
            .find(|object| !self.has_key(object, key, hash))
            .or_else(|| self.first_of_all(self.after(slot)))
    }

    /// Prefetches the first object of a slot that is about to be visited: in a large table it comes from memory, and
    /// several prefetches at once are faster than one load after the other.
    #[inline]
    pub fn fetch(&self, slot: usize) {
        if let Some(object) = self.slots.get(slot >> self.fold) {
            fetch(*object);
        }
    }

    /// As [`Shard::fetch`], for a slot that a traversal visits a little later than `slot`.
    #[inline]
    pub fn fetch_ahead(&self, slot: usize) {
        self.fetch(slot + FETCHED_AHEAD * self.share.lanes);
    }

    /// Prefetches the slot of a hash, for a [`Shard::fetch`] to follow.
    #[inline]
    pub fn fetch_slot(&self, hash: u32) {
        fetch(
            self.slots
                .as_ptr()
                .wrapping_add(self.slot_of(hash) >> self.fold),
        );
    }

    /// As [`Shard::fetch`], for the slot of a hash.
    #[inline]
    pub fn fetch_first(&self, hash: u32) {
        self.fetch(self.slot_of(hash));
    }

    /// Number of objects in a slot: live ones, and deleted ones.
    #[must_use]
    pub fn chain_length(&self, slot: usize) -> (usize, usize) {
        let live = self.in_slot(slot).count();
        let all = self.chain(slot).filter(|object| self.is_in(object, slot));
        (live, all.count() - live)
    }

    /// The first object in `slot` or a later slot.
    #[must_use]
    pub fn first_from(&self, slot: usize) -> Option<&Object> {
        self.from(slot).find_map(|slot| self.in_slot(slot).next())
    }

    /// The first object after those with a key.
    #[must_use]
    pub fn following(&self, key: Term, hash: u32) -> Following<'_> {
        let slot = self.slot_of(hash);
        let mut found = false;
        for object in self.chain(slot) {
            if self.has_key(object, key, hash) {
                found = true;
            } else if found && !object.is_deleted() {
                return Following::Object(object);
            }
        }
        if !found {
            return Following::NoSuchKey;
        }
        self.first_from(self.after(slot))
            .map_or(Following::End, Following::Object)
    }

    /// `Ok`: the link to the first object with a key. `Err`: there is none, and this is the link at the end of its
    /// slot. The slots must have been allocated.
    fn link_to(&mut self, key: Term, hash: u32) -> Result<*mut *mut Object, *mut *mut Object> {
        let slot = self.slot_of(hash);
        let mut link: *mut *mut Object = &raw mut self.slots[slot >> self.fold];
        if self.fold == 0 && key.is_immediate() {
            // SAFETY: as below; the objects have an element at `keypos`, as `insert` read their keys there.
            unsafe {
                while let Some(object) = (*link).as_ref() {
                    if object.key_unchecked(self.keypos) == key {
                        return Ok(link);
                    }
                    link = &raw mut (**link).next;
                }
            }
            return Err(link);
        }
        // SAFETY: links of a chain are followed to live objects.
        unsafe {
            while let Some(object) = (*link).as_ref() {
                fetch_key(object);
                if self.has_key(object, key, hash) {
                    return Ok(link);
                }
                if self.fold > 0 && self.slot_of(object.hash()) > slot {
                    break;
                }
                link = &raw mut (**link).next;
            }
        }
        Err(link)
    }

    /// The link to the first object of a slot; if there is none, the link at its end. The slots must have been
    /// allocated.
    fn link_to_slot(&mut self, slot: usize) -> *mut *mut Object {
        let mut link: *mut *mut Object = &raw mut self.slots[slot >> self.fold];
        if self.fold > 0 {
            // SAFETY: links of a chain are followed to live objects.
            unsafe {
                while let Some(object) = (*link).as_ref()
                    && self.slot_of(object.hash()) < slot
                {
                    link = &raw mut (**link).next;
                }
            }
        }
        link
    }

    /// Inserts an object. With `only_new`, returns false and does nothing if its key is there.
    pub fn insert(&mut self, new: New, only_new: bool, fixed: bool) -> bool {
        if self.slots.is_empty() {
            let chains = self.first_slots >> self.fold;
            self.slots.resize(chains, ptr::null_mut());
        }
        let hash = new.hash();
        let key = new.key(self.keypos);
        let found = self.link_to(key, hash);
        let (Ok(link) | Err(link)) = found;
        // SAFETY: `link` leads to the first object with the key, or is the end of its slot; the shard is borrowed
        // exclusively.
        unsafe {
            if found.is_ok() {
                if self.kind == TableKind::Set {
                    if only_new && !(**link).is_deleted() {
                        return false;
                    }
                    let was_deleted = (**link).is_deleted();
                    if new.overwrite(&mut **link) {
                        if was_deleted {
                            (**link).set_deleted(false);
                            self.live += 1;
                        }
                        return true;
                    }
                    let next = (**link).next;
                    let object = new.into_object(self.keypos);
                    self.unlink(link);
                    self.link(link, next, object);
                    return true;
                }
                if only_new && self.live_from(*link, key, hash) {
                    return false;
                }
                if self.kind == TableKind::Bag && self.restore_equal(link, key, &new) {
                    return true;
                }
            }
            let next = *link;
            let object = new.into_object(self.keypos);
            self.link(link, next, object);
        }
        if self.fold > 0 {
            // The number of slots stays the same, so this is allowed while the table is fixed.
            if self.count > FOLDED_CHAINS {
                self.unfold();
            }
        } else if !fixed {
            self.grow();
        }
        true
    }

    /// # Safety
    /// `link` is a link of the chain, and `next` is the object that is to follow the new one.
    unsafe fn link(&mut self, link: *mut *mut Object, next: *mut Object, object: OwnedObject) {
        self.live += 1;
        self.count += 1;
        self.bytes += object.bytes();
        let object = object.into_raw();
        // SAFETY: the caller's promise.
        unsafe {
            (*object).next = next;
            *link = object;
        }
    }

    /// Takes the object behind a link out of its chain and frees it.
    ///
    /// # Safety
    /// `link` is a link of a chain, and not its end.
    unsafe fn unlink(&mut self, link: *mut *mut Object) {
        // SAFETY: the caller's promise.
        let object = unsafe {
            let object = *link;
            *link = (*object).next;
            OwnedObject::from_raw(object)
        };
        self.count -= 1;
        self.bytes -= object.bytes();
        if !object.is_deleted() {
            self.live -= 1;
        }
    }

    /// Whether one of the objects with a key, starting at `object`, is not deleted.
    ///
    /// # Safety
    /// `object` is in a chain, and the first with the key.
    unsafe fn live_from(&self, mut object: *mut Object, key: Term, hash: u32) -> bool {
        // SAFETY: a chain holds live objects.
        while let Some(candidate) = unsafe { object.as_ref() } {
            if !self.has_key(candidate, key, hash) {
                return false;
            }
            if !candidate.is_deleted() {
                return true;
            }
            object = candidate.next;
        }
        false
    }

    /// If a bag has an equal object, returns true; if that was deleted, restores it and moves it to the front of its
    /// key.
    ///
    /// # Safety
    /// `first` is the link to the first object with the key.
    unsafe fn restore_equal(&mut self, first: *mut *mut Object, key: Term, new: &New) -> bool {
        let hash = new.hash();
        let mut link = first;
        // SAFETY: links of a chain are followed to live objects; the shard is borrowed exclusively.
        unsafe {
            while !(*link).is_null() && self.has_key(&**link, key, hash) {
                let candidate = *link;
                if new.equals(&*candidate) {
                    if (*candidate).is_deleted() {
                        (*candidate).set_deleted(false);
                        self.live += 1;
                        if link != first {
                            *link = (*candidate).next;
                            (*candidate).next = *first;
                            *first = candidate;
                        }
                    }
                    return true;
                }
                link = &raw mut (*candidate).next;
            }
        }
        false
    }

    /// Deletes the objects with a key that `condemned` chooses.
    pub fn remove_key(
        &mut self,
        key: Term,
        hash: u32,
        fixed: bool,
        mut condemned: impl FnMut(&Object) -> bool,
    ) {
        if self.slots.is_empty() {
            return;
        }
        let slot = self.slot_of(hash);
        let Ok(mut link) = self.link_to(key, hash) else {
            return;
        };
        // While the table is fixed, the chain must still show where the key was.
        let mut keep = fixed;
        let mut any = false;
        // SAFETY: as `restore_equal`.
        unsafe {
            while !(*link).is_null() && self.has_key(&**link, key, hash) {
                let object = *link;
                if (*object).is_deleted() || !condemned(&*object) {
                    keep &= (*object).is_deleted();
                    link = &raw mut (*object).next;
                    continue;
                }
                any = true;
                if keep {
                    (*object).set_deleted(true);
                    self.live -= 1;
                    self.mark_slot(slot);
                    keep = false;
                    link = &raw mut (*object).next;
                } else {
                    self.unlink(link);
                }
            }
        }
        if any && !fixed {
            self.shrink();
        }
    }

    fn mark_slot(&mut self, slot: usize) {
        if self.marked.last() == Some(&slot) {
            return;
        }
        if self.marked.len() == self.marked.capacity() && self.marked.len() > FOLDED_CHAINS {
            // The same few keys may come and go for as long as the table is fixed.
            self.marked.sort_unstable();
            self.marked.dedup();
            let few = self.marked.len() <= self.marked.capacity() / 2;
            self.marked.reserve(if few { 0 } else { self.marked.len() });
        }
        self.marked.push(slot);
    }

    /// Keeps, removes or replaces each object of a slot, as `judge` decides.
    pub fn judge_slot(&mut self, slot: usize, fixed: bool, judge: impl FnMut(&Object) -> Verdict) {
        if slot >> self.fold < self.slots.len() {
            let link = self.link_to_slot(slot);
            let (fold, mask, share) = (self.fold, self.mask, self.share);
            // The number of slots of a folded table is a power of two, so the mask alone gives the slot.
            let is_in =
                move |object: &Object| fold == 0 || share.bits(object.hash()) & mask == slot;
            // SAFETY: the link of a slot of this shard.
            unsafe { self.judge_chain(link, slot, fixed, judge, is_in) };
        }
    }

    /// Keeps, removes or replaces each object with a key, as `judge` decides.
    pub fn judge_key(
        &mut self,
        key: Term,
        hash: u32,
        fixed: bool,
        judge: impl FnMut(&Object) -> Verdict,
    ) {
        if self.slots.is_empty() {
            return;
        }
        let (slot, keypos) = (self.slot_of(hash), self.keypos);
        let Ok(link) = self.link_to(key, hash) else {
            return;
        };
        let of_key = move |object: &Object| {
            object.hash() == hash && compare::eq_exact(object.key(keypos), key)
        };
        // SAFETY: a link of that slot's chain.
        unsafe { self.judge_chain(link, slot, fixed, judge, of_key) };
    }

    /// # Safety
    /// `link` is a link of the chain of `slot`.
    unsafe fn judge_chain(
        &mut self,
        mut link: *mut *mut Object,
        slot: usize,
        fixed: bool,
        mut judge: impl FnMut(&Object) -> Verdict,
        wanted: impl Fn(&Object) -> bool,
    ) {
        // SAFETY: as `restore_equal`.
        unsafe {
            while !(*link).is_null() && wanted(&**link) {
                let object = *link;
                let verdict = if (*object).is_deleted() {
                    Verdict::Keep
                } else {
                    judge(&*object)
                };
                match verdict {
                    Verdict::Remove if fixed => {
                        (*object).set_deleted(true);
                        self.live -= 1;
                        self.mark_slot(slot);
                    }
                    Verdict::Remove => {
                        self.unlink(link);
                        continue;
                    }
                    Verdict::Replace(new) => {
                        let next = (*object).next;
                        self.unlink(link);
                        self.link(link, next, new);
                    }
                    Verdict::Keep => {}
                }
                link = &raw mut (**link).next;
            }
        }
    }

    /// As [`Part::update`](super::part::Part::update).
    pub fn update(
        &mut self,
        key: Term,
        hash: u32,
        change: impl FnOnce(&mut Object) -> Option<OwnedObject>,
    ) -> bool {
        if self.slots.is_empty() {
            return false;
        }
        let Ok(link) = self.link_to(key, hash) else {
            return false;
        };
        // SAFETY: as `restore_equal`.
        unsafe {
            if (**link).is_deleted() {
                return false;
            }
            if let Some(new) = change(&mut **link) {
                let next = (**link).next;
                self.unlink(link);
                self.link(link, next, new);
            }
        }
        true
    }

    /// The object of a set with this key, to be changed in place.
    pub fn get_mut(&mut self, key: Term, hash: u32) -> Option<&mut Object> {
        if self.slots.is_empty() {
            return None;
        }
        let link = self.link_to(key, hash).ok()?;
        // SAFETY: as `restore_equal`; the borrow is that of the shard.
        unsafe { (*link).as_mut() }.filter(|object| !object.is_deleted())
    }

    /// Frees the objects that are only marked as deleted: the table is no longer fixed.
    pub fn purge(&mut self) {
        for slot in std::mem::take(&mut self.marked) {
            let chain = slot >> self.fold;
            if chain >= self.slots.len() {
                continue;
            }
            let mut link: *mut *mut Object = &raw mut self.slots[chain];
            // SAFETY: as `restore_equal`.
            unsafe {
                while !(*link).is_null() {
                    if (**link).is_deleted() {
                        self.unlink(link);
                    } else {
                        link = &raw mut (**link).next;
                    }
                }
            }
        }
    }

    /// Gives every slot a chain of its own.
    #[cold]
    fn unfold(&mut self) {
        let chains = std::mem::replace(&mut self.slots, vec![ptr::null_mut(); self.first_slots]);
        self.fold = 0;
        for mut object in chains {
            let mut end: *mut *mut Object = ptr::null_mut();
            let mut last = usize::MAX;
            // SAFETY: the objects of a chain are live; they are linked in again one by one, in their order, so `end`
            // is a link of this shard whenever there was an object of the same slot.
            unsafe {
                while !object.is_null() {
                    let slot = self.slot_of((*object).hash());
                    if slot != last {
                        (last, end) = (slot, &raw mut self.slots[slot]);
                    }
                    let next = (*object).next;
                    (*object).next = ptr::null_mut();
                    *end = object;
                    end = &raw mut (*object).next;
                    object = next;
                }
            }
        }
    }

    fn grow(&mut self) {
        for _ in 0..STEPS {
            if self.live <= self.slots.len().max(self.undivided()) {
                return;
            }
            self.purge_before_moving();
            self.split();
        }
    }

    /// So many objects need no more than the first slots. One shard of several often has more objects than slots while the
    /// table as a whole has not; only once in 10,000 it has twice as many.
    fn undivided(&self) -> usize {
        match self.share.lanes {
            1 => self.first_slots,
            _ => 2 * self.first_slots,
        }
    }

    /// Adds a slot and moves the objects that belong there, keeping their order.
    fn split(&mut self) {
        let new = self.slots.len();
        let mask = (new + 1).next_power_of_two() - 1;
        let old = new & (mask >> 1);
        // A later split will read that slot.
        self.fetch(old + FETCHED_AHEAD);
        self.slots.push(ptr::null_mut());
        self.mask = mask;
        let slots = self.slots.as_mut_ptr();
        // SAFETY: both slots are there; the old chain's objects are relinked one by one into the two chains; links are
        // those of the two slots or of objects already placed.
        unsafe {
            let (mut stay_link, mut move_link) = (slots.add(old), slots.add(new));
            let mut object = *stay_link;
            while !object.is_null() {
                let next = (*object).next;
                let link = if self.share.bits((*object).hash()) & mask == new {
                    &mut move_link
                } else {
                    &mut stay_link
                };
                **link = object;
                *link = &raw mut (*object).next;
                object = next;
            }
            *stay_link = ptr::null_mut();
            *move_link = ptr::null_mut();
        }
    }

    /// Frees the objects that are only marked as deleted, before objects move: `marked` says in which slots they are.
    /// There are some if the table is no longer fixed, but whoever released it has not come to this part yet.
    fn purge_before_moving(&mut self) {
        if !self.marked.is_empty() {
            self.purge();
        }
    }

    fn shrink(&mut self) {
        for _ in 0..STEPS {
            if !self.has_slots_to_spare() {
                return;
            }
            self.purge_before_moving();
            self.join();
        }
        if self.slots.capacity() > 4 * self.slots.len() {
            self.slots.shrink_to(2 * self.slots.len());
        }
    }

    /// Removes the slots that are too many, after many objects were deleted at once.
    pub fn settle(&mut self, fixed: bool) {
        if fixed || !self.has_slots_to_spare() {
            return;
        }
        self.purge_before_moving();
        while self.has_slots_to_spare() {
            self.join();
        }
        self.slots.shrink_to(2 * self.slots.len());
    }

    /// In OTP slots come and go in segments; a table does not shrink unless it has at least two segments besides the
    /// first slots.
    fn has_slots_to_spare(&self) -> bool {
        let added = self.slots.len().saturating_sub(self.first_slots);
        let allocated = self.first_slots + added.div_ceil(SEGMENT) * SEGMENT;
        allocated >= self.first_slots + 2 * SEGMENT && self.live < (allocated - SEGMENT) / 2
    }

    /// Removes the last slot; its objects are put before those of the slot that it was split from.
    fn join(&mut self) {
        let source = self.slots.len() - 1;
        let target = source & (((source + 1).next_power_of_two() - 1) >> 1);
        self.mask = source.next_power_of_two() - 1;
        let first = self.slots[source];
        let tail = self.slots[target];
        if !first.is_null() {
            let mut last = first;
            // SAFETY: a chain holds live objects.
            unsafe {
                while !(*last).next.is_null() {
                    last = (*last).next;
                }
                (*last).next = tail;
            }
            self.slots[target] = first;
        }
        self.slots.pop();
    }

    /// Frees at least `count` objects, from the last slot backwards and up to the end of a slot. Returns how many.
    pub fn free_some(&mut self, count: usize) -> usize {
        let mut freed = 0;
        while freed < count {
            let Some(mut object) = self.slots.pop() else {
                break;
            };
            while !object.is_null() {
                // SAFETY: each object of the chain is freed once, after its `next` was read.
                unsafe {
                    let next = (*object).next;
                    drop(OwnedObject::from_raw(object));
                    object = next;
                }
                freed += 1;
            }
        }
        freed
    }

    /// Takes everything out, leaving an empty table; the caller frees it outside the lock.
    #[must_use]
    pub fn take(&mut self) -> Shard {
        std::mem::replace(
            self,
            Shard::new(self.kind, self.keypos, self.first_slots, self.share),
        )
    }
}

impl Drop for Shard {
    fn drop(&mut self) {
        self.free_some(usize::MAX);
    }
}

/// The objects of a chain.
struct Chain<'a> {
    next: Option<&'a Object>,
}

impl<'a> Iterator for Chain<'a> {
    type Item = &'a Object;

    fn next(&mut self) -> Option<&'a Object> {
        let object = self.next?;
        // SAFETY: a chain holds live objects.
        self.next = unsafe { object.next.as_ref() };
        Some(object)
    }
}
