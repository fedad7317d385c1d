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
//! One of several tables, each with the objects whose hash leads to its lock, is a *share* of OTP's table: see
//! [`Share`].
//!
//! The caller holds the lock of the part: shared for `&self`, exclusive for `&mut self`.

use layout::Term;
use term::compare;

use super::marked::Marked;
use super::object::{
    Link, New, ObjectMut, ObjectRef, OwnedObject, Verdict, prefetch, prefetch_key,
};
use super::words;
use crate::options::TableKind;

/// OTP's tables grow and shrink by this many slots at a time.
const SEGMENT: usize = 2048;
/// Number of slots by which prefetching runs ahead (`tables/set` of the lab).
const PREFETCHED_AHEAD: usize = 8;
/// A table grows or shrinks by at most this many slots per insertion or deletion.
const STEPS: usize = 5;
/// An insertion or deletion that would change the number of slots first frees what is marked as deleted in so many.
const PURGED_BEFORE_MOVING: usize = 16 * STEPS;
/// Chains of a folded table; a table with more objects than that is unfolded (`tables/many_tables`).
const FOLDED_CHAINS: usize = 16;

/// Which objects of a table a shard holds.
///
/// OTP's tables with write concurrency have one array of slots and 64 locks; the lowest bits of a slot's number choose
/// its lock. They are traversed lock by lock, and each lock's slots in their order. A shard stands for a few
/// neighbouring locks, and has only their slots:
///
/// ```text
/// hash           | more bits of the slot | shard | lane |
/// slot of shard  | more bits of the slot         | lane |
/// ```
///
/// So a traversal goes lane by lane, and a small table shows the order of OTP's. A larger one does not always: OTP's
/// slots grow with the objects of the whole table, a shard's with its own, so that its writers share nothing with
/// others.
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
    pub(crate) const WHOLE: Share = Share {
        low: usize::MAX,
        shift: 0,
        lanes: 1,
    };

    /// Those of `lanes` of OTP's locks, for one of `shards` shards; both are powers of two.
    #[must_use]
    pub(crate) const fn of(shards: usize, lanes: usize) -> Share {
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
    /// The first object of every chain; empty before the first insertion.
    slots: Vec<Link>,
    shape: Shape,
    tally: Tally,
}

/// How a table's slots are chosen, and what its keys are.
struct Shape {
    share: Share,
    /// Logarithm of the number of slots that share a chain; 0 if the table is not folded.
    fold: u32,
    /// Mask for the bits of a hash that select a slot: the number of slots, rounded up to a power of two, less one.
    mask: usize,
    first_slots: usize,
    keypos: usize,
    kind: TableKind,
}

/// What a table holds.
#[derive(Default)]
struct Tally {
    /// Objects that are not deleted.
    live: usize,
    /// All objects, also those marked as deleted.
    count: usize,
    /// Bytes of all objects, and of those marked as deleted.
    bytes: usize,
    marked_bytes: usize,
    /// Slots with objects marked as deleted.
    marked: Marked,
}

/// The next object in the order of slots.
pub enum Following<'a> {
    /// There is no object with the key that was asked for.
    NoSuchKey,
    Object(ObjectRef<'a>),
    End,
}

impl Shard {
    /// An empty table that begins with `first_slots` slots: a power of two, and at least one for each lane.
    #[must_use]
    pub fn new(kind: TableKind, keypos: usize, first_slots: usize, share: Share) -> Shard {
        debug_assert!(
            share.lanes == 1 || share.lanes <= first_slots && first_slots <= FOLDED_CHAINS
        );
        assert!(keypos > 0, "elements are counted from 1");
        Shard {
            slots: Vec::new(),
            shape: Shape {
                share,
                fold: (first_slots / FOLDED_CHAINS).max(1).ilog2(),
                mask: first_slots.next_power_of_two() - 1,
                first_slots,
                keypos,
                kind,
            },
            tally: Tally::default(),
        }
    }

    #[must_use]
    pub fn objects(&self) -> usize {
        self.tally.live
    }

    /// Whether a key has at most one object.
    #[inline]
    #[must_use]
    pub fn is_set(&self) -> bool {
        self.shape.kind == TableKind::Set
    }

    #[must_use]
    pub(crate) fn bytes(&self) -> usize {
        self.tally.bytes + self.slots.capacity() * size_of::<Link>()
    }

    /// Words of the objects as OTP counts them. Those marked as deleted count while the table is `fixed`; later they
    /// only wait to be freed, for which OTP does not wait.
    #[must_use]
    pub(crate) fn words(&self, fixed: bool) -> usize {
        let Tally { live, count, .. } = self.tally;
        let (objects, bytes) = match fixed {
            true => (count, self.tally.bytes),
            false => (live, self.tally.bytes - self.tally.marked_bytes),
        };
        bytes / 8 + objects * words::MORE
    }

    /// Number of slots.
    #[must_use]
    pub fn slots(&self) -> usize {
        self.slots.len().max(self.shape.first_slots)
    }

    #[inline]
    fn slot_of(&self, hash: u32) -> usize {
        self.shape.slot_of(hash, self.slots())
    }

    /// The slot that a traversal visits after `slot`; [`Shard::slots`] if that is the last.
    #[inline]
    #[must_use]
    pub(crate) fn after(&self, slot: usize) -> usize {
        let (slots, lanes) = (self.slots(), self.shape.share.lanes);
        let next = slot + lanes;
        if next < slots || lanes == 1 {
            return next;
        }
        match slot % lanes + 1 {
            lane if lane < lanes => lane,
            _ => slots,
        }
    }

    /// `slot`, or a later slot if the slots before that are known to be empty; [`Shard::slots`] if all are. This looks
    /// at a few chains at most.
    #[inline]
    #[must_use]
    pub(crate) fn past_empty(&self, slot: usize) -> usize {
        if self.tally.live == 0 {
            return self.slots();
        }
        let chain = slot >> self.shape.fold;
        if self.shape.fold == 0
            || self.shape.share.lanes > 1
            || !self.slots.get(chain).is_some_and(Option::is_none)
        {
            return slot;
        }
        let used = self.slots[chain..].iter().position(Option::is_some);
        used.map_or(self.slots(), |skipped| (chain + skipped) << self.shape.fold)
    }

    /// The chain of a slot; in a folded table other slots share it.
    #[inline]
    fn chain(&self, slot: usize) -> Chain<'_> {
        let first = self
            .slots
            .get(slot >> self.shape.fold)
            .and_then(Option::as_ref);
        Chain {
            next: first.map(OwnedObject::get),
        }
    }

    /// The objects with a key that are not deleted, the newest first.
    pub(crate) fn with_key(&self, key: Term, hash: u32) -> impl Iterator<Item = ObjectRef<'_>> {
        self.chain(self.slot_of(hash))
            .skip_while(move |object| !self.shape.has_key(*object, key, hash))
            .take_while(move |object| self.shape.has_key(*object, key, hash))
            .filter(|object| !object.is_deleted())
    }

    /// The newest object with a key that is not deleted. In a set nothing after it is examined, because every object
    /// is on cache lines of its own.
    #[inline]
    pub(crate) fn newest(&self, key: Term, hash: u32) -> Option<ObjectRef<'_>> {
        if key.is_immediate() {
            return self.newest_immediate(key, hash);
        }
        let mut chain = self.chain(self.slot_of(hash));
        let found = chain.find(|object| {
            prefetch_key(*object);
            self.shape.has_key(*object, key, hash)
        })?;
        if !found.is_deleted() {
            return Some(found);
        }
        chain
            .take_while(|object| self.shape.has_key(*object, key, hash))
            .find(|object| !object.is_deleted())
    }

    /// As [`Shard::newest`], for an immediate key.
    #[inline]
    fn newest_immediate(&self, key: Term, hash: u32) -> Option<ObjectRef<'_>> {
        self.chain(self.slot_of(hash))
            .find(|object| self.shape.key_of(*object) == key && !object.is_deleted())
    }

    /// Whether an object in the chain of a slot belongs to that slot.
    #[inline(always)]
    fn is_in(&self, object: ObjectRef<'_>, slot: usize) -> bool {
        self.shape.fold == 0 || self.slot_of(object.hash()) == slot
    }

    /// The objects of a slot that are not deleted.
    pub fn in_slot(&self, slot: usize) -> impl Iterator<Item = ObjectRef<'_>> {
        self.chain(slot)
            .filter(move |object| self.is_in(*object, slot) && !object.is_deleted())
    }

    /// All objects of a slot, also those that are only marked as deleted.
    pub fn all_in_slot(&self, slot: usize) -> impl Iterator<Item = ObjectRef<'_>> {
        self.chain(slot)
            .filter(move |object| self.is_in(*object, slot))
    }

    /// All objects with a key, also those that are only marked as deleted.
    pub fn all_with_key(&self, key: Term, hash: u32) -> impl Iterator<Item = ObjectRef<'_>> {
        self.chain(self.slot_of(hash))
            .skip_while(move |object| !self.shape.has_key(*object, key, hash))
            .take_while(move |object| self.shape.has_key(*object, key, hash))
    }

    /// All objects, also those that are only marked as deleted.
    pub(crate) fn all(&self) -> impl Iterator<Item = ObjectRef<'_>> {
        self.from(0).flat_map(|slot| self.all_in_slot(slot))
    }

    /// The first object in `slot` or a later slot, also if it is only marked as deleted.
    #[must_use]
    pub fn first_of_all(&self, slot: usize) -> Option<ObjectRef<'_>> {
        self.from(slot)
            .find_map(|slot| self.all_in_slot(slot).next())
    }

    /// `slot` and those that a traversal visits after it; none before the first insertion.
    #[inline]
    fn from(&self, slot: usize) -> impl Iterator<Item = usize> {
        let end = self.slots.len() << self.shape.fold;
        let first = Some(slot).filter(|&slot| slot < end);
        std::iter::successors(first, move |&slot| {
            Some(self.after(slot)).filter(|&next| next < end)
        })
    }

    /// The first object after those with a key, also if it is only marked as deleted.
    #[must_use]
    pub fn next_of_all(&self, key: Term, hash: u32) -> Option<ObjectRef<'_>> {
        let slot = self.slot_of(hash);
        self.chain(slot)
            .skip_while(|object| !self.shape.has_key(*object, key, hash))
            .find(|object| !self.shape.has_key(*object, key, hash))
            .or_else(|| self.first_of_all(self.after(slot)))
    }

    /// Prefetches the first object of a slot that is about to be visited: in a large table it comes from memory, and
    /// several prefetches at once are faster than one load after the other.
    #[inline]
    pub(crate) fn prefetch(&self, slot: usize) {
        if let Some(Some(object)) = self.slots.get(slot >> self.shape.fold) {
            object.prefetch();
        }
    }

    /// As [`Shard::prefetch`], for a slot that a traversal visits a little later than `slot`.
    #[inline]
    pub(crate) fn prefetch_ahead(&self, slot: usize) {
        self.prefetch(slot + PREFETCHED_AHEAD * self.shape.share.lanes);
    }

    /// Prefetches the slot of a hash, for a [`Shard::prefetch`] to follow.
    #[inline]
    pub(crate) fn prefetch_slot(&self, hash: u32) {
        prefetch(
            self.slots
                .as_ptr()
                .wrapping_add(self.slot_of(hash) >> self.shape.fold),
        );
    }

    /// As [`Shard::prefetch`], for the slot of a hash.
    #[inline]
    pub(crate) fn prefetch_first(&self, hash: u32) {
        self.prefetch(self.slot_of(hash));
    }

    /// Number of objects in a slot: live ones, and deleted ones.
    #[must_use]
    pub fn chain_length(&self, slot: usize) -> (usize, usize) {
        let live = self.in_slot(slot).count();
        let all = self.chain(slot).filter(|object| self.is_in(*object, slot));
        (live, all.count() - live)
    }

    /// The first object in `slot` or a later slot.
    #[must_use]
    pub(crate) fn first_from(&self, slot: usize) -> Option<ObjectRef<'_>> {
        self.from(slot).find_map(|slot| self.in_slot(slot).next())
    }

    /// The first object after those with a key.
    #[must_use]
    pub(crate) fn following(&self, key: Term, hash: u32) -> Following<'_> {
        let slot = self.slot_of(hash);
        let mut found = false;
        for object in self.chain(slot) {
            if self.shape.has_key(object, key, hash) {
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

    /// Inserts an object. With `only_new`, returns false and does nothing if its key is there.
    pub(crate) fn insert(&mut self, new: New, only_new: bool, fixed: bool) -> bool {
        let Shard {
            slots,
            shape,
            tally,
        } = self;
        if slots.is_empty() {
            slots.resize_with(shape.first_slots >> shape.fold, || None);
        }
        let hash = new.hash();
        let key = new.key(shape.keypos);
        match shape.link_to(slots, key, hash) {
            Ok(link) if shape.kind == TableKind::Set => {
                return Self::replace_in_set(shape, tally, link, new, only_new);
            }
            Ok(link) => {
                if only_new && shape.is_live_from(link, key, hash) {
                    return false;
                }
                if shape.kind == TableKind::Bag
                    && Self::restore_equal(shape, tally, link, key, &new)
                {
                    return true;
                }
                tally.link(link, new.into_object(shape.keypos));
            }
            Err(link) => tally.link(link, new.into_object(shape.keypos)),
        }
        if self.shape.fold > 0 {
            // The number of slots stays the same, so this is allowed while the table is fixed.
            if self.tally.count > FOLDED_CHAINS {
                self.unfold();
            }
        } else if !fixed {
            self.grow();
        }
        true
    }

    /// Puts an object in the place of the one at a link, which has the same key.
    #[inline]
    fn replace_in_set(
        shape: &Shape,
        tally: &mut Tally,
        link: &mut Link,
        new: New,
        only_new: bool,
    ) -> bool {
        let Some(old) = link else {
            unreachable!("the link to an object");
        };
        let was_deleted = old.get().is_deleted();
        if only_new && !was_deleted {
            return false;
        }
        if new.overwrite(&mut old.get_mut()) {
            if was_deleted {
                tally.restore(old);
            }
            return true;
        }
        let object = new.into_object(shape.keypos);
        tally.unlink(link);
        tally.link(link, object);
        true
    }

    /// If a bag has an equal object, returns true; if that was deleted, restores it and moves it to the front of its
    /// key. `first` is the link to the first object with the key.
    fn restore_equal(
        shape: &Shape,
        tally: &mut Tally,
        first: &mut Link,
        key: Term,
        new: &New,
    ) -> bool {
        let hash = new.hash();
        let mut link = &mut *first;
        let mut is_first = true;
        while let Some(candidate) = first_of(link).filter(|one| shape.has_key(*one, key, hash)) {
            if !new.equals(candidate) {
                link = behind(link);
                is_first = false;
                continue;
            }
            if !candidate.is_deleted() {
                return true;
            }
            let Some(mut object) = link.take() else {
                unreachable!("the link to an object");
            };
            tally.restore(&mut object);
            if is_first {
                *link = Some(object);
            } else {
                *link = object.next_mut().take();
                *object.next_mut() = first.take();
                *first = Some(object);
            }
            return true;
        }
        false
    }

    /// Deletes the objects with a key that `condemned` chooses.
    pub(crate) fn remove_key(
        &mut self,
        key: Term,
        hash: u32,
        fixed: bool,
        mut condemned: impl FnMut(ObjectRef<'_>) -> bool,
    ) {
        if self.slots.is_empty() {
            return;
        }
        let slot = self.slot_of(hash);
        let Shard {
            slots,
            shape,
            tally,
        } = self;
        let Ok(mut link) = shape.link_to(slots, key, hash) else {
            return;
        };
        // While the table is fixed, the chain must still show where the key was.
        let mut keep = fixed;
        let mut any = false;
        while let Some(object) = first_of(link).filter(|one| shape.has_key(*one, key, hash)) {
            let was_deleted = object.is_deleted();
            if was_deleted || !condemned(object) {
                keep &= was_deleted;
                link = behind(link);
                continue;
            }
            any = true;
            if keep {
                tally.mark(link, slot, shape.mask);
                keep = false;
                link = behind(link);
            } else {
                tally.unlink(link);
            }
        }
        if any && !fixed {
            self.shrink();
        }
    }

    /// Keeps, removes or replaces each object of a slot, as `judge` decides.
    pub(crate) fn judge_slot(
        &mut self,
        slot: usize,
        fixed: bool,
        judge: impl FnMut(ObjectRef<'_>) -> Verdict,
    ) {
        let Shard {
            slots,
            shape,
            tally,
        } = self;
        if slot >> shape.fold < slots.len() {
            // The number of slots of a folded table is a power of two, so the mask alone gives the slot.
            let is_in = |object: ObjectRef<'_>| {
                shape.fold == 0 || shape.share.bits(object.hash()) & shape.mask == slot
            };
            let link = shape.link_to_slot(slots, slot);
            Self::judge_chain(shape, tally, link, slot, fixed, judge, is_in);
        }
    }

    /// Keeps, removes or replaces each object with a key, as `judge` decides.
    pub(crate) fn judge_key(
        &mut self,
        key: Term,
        hash: u32,
        fixed: bool,
        judge: impl FnMut(ObjectRef<'_>) -> Verdict,
    ) {
        if self.slots.is_empty() {
            return;
        }
        let slot = self.slot_of(hash);
        let Shard {
            slots,
            shape,
            tally,
        } = self;
        if let Ok(link) = shape.link_to(slots, key, hash) {
            let of_key = |object: ObjectRef<'_>| shape.has_key(object, key, hash);
            Self::judge_chain(shape, tally, link, slot, fixed, judge, of_key);
        }
    }

    /// Keeps, removes or replaces each object from a link on, as long as it is `wanted`; the link is one of the chain
    /// of `slot`.
    fn judge_chain(
        shape: &Shape,
        tally: &mut Tally,
        mut link: &mut Link,
        slot: usize,
        fixed: bool,
        mut judge: impl FnMut(ObjectRef<'_>) -> Verdict,
        wanted: impl Fn(ObjectRef<'_>) -> bool,
    ) {
        while let Some(object) = first_of(link).filter(|object| wanted(*object)) {
            let verdict = if object.is_deleted() {
                Verdict::Keep
            } else {
                judge(object)
            };
            match verdict {
                Verdict::Remove if fixed => tally.mark(link, slot, shape.mask),
                Verdict::Remove => {
                    tally.unlink(link);
                    continue;
                }
                Verdict::Replace(new) => {
                    shape.admit(&new);
                    tally.unlink(link);
                    tally.link(link, new);
                }
                Verdict::Keep => {}
            }
            link = behind(link);
        }
    }

    /// As [`Part::update`](super::part::Part::update).
    pub fn update(
        &mut self,
        key: Term,
        hash: u32,
        change: impl FnOnce(ObjectMut<'_>) -> Option<OwnedObject>,
    ) -> bool {
        if self.slots.is_empty() {
            return false;
        }
        let Shard {
            slots,
            shape,
            tally,
        } = self;
        let Ok(link) = shape.link_to(slots, key, hash) else {
            return false;
        };
        let Some(object) = link else {
            return false;
        };
        if object.get().is_deleted() {
            return false;
        }
        if let Some(new) = change(object.get_mut()) {
            shape.admit(&new);
            tally.unlink(link);
            tally.link(link, new);
        }
        true
    }

    /// The object of a set with this key, to be changed in place.
    pub(crate) fn get_mut(&mut self, key: Term, hash: u32) -> Option<ObjectMut<'_>> {
        if self.slots.is_empty() {
            return None;
        }
        let link = self.shape.link_to(&mut self.slots, key, hash).ok()?;
        let object = link.as_mut()?.get_mut();
        (!object.get().is_deleted()).then_some(object)
    }

    /// Frees the objects that are only marked as deleted, in `most` slots: the table is no longer fixed. Returns in how
    /// many more it might have done so; if in none, there may be some left.
    pub(crate) fn purge(&mut self, most: usize) -> usize {
        for done in 0..most {
            let Some(slot) = self.tally.marked.take() else {
                return most - done;
            };
            let Some(mut link) = self.slots.get_mut(slot >> self.shape.fold) else {
                continue;
            };
            while let Some(object) = first_of(link) {
                if object.is_deleted() {
                    self.tally.unlink(link);
                } else {
                    link = behind(link);
                }
            }
        }
        0
    }

    /// Gives every slot a chain of its own.
    #[cold]
    fn unfold(&mut self) {
        let count = self.shape.first_slots;
        let unfolded = std::iter::repeat_with(|| None).take(count).collect();
        let chains = std::mem::replace(&mut self.slots, unfolded);
        self.shape.fold = 0;
        let Shard { slots, shape, .. } = self;
        let slot_of = |object: &OwnedObject| shape.slot_of(object.get().hash(), count);
        for mut rest in chains {
            while let Some(slot) = rest.as_ref().map(slot_of) {
                let mut end = &mut slots[slot];
                while let Some(mut object) = rest.take_if(|object| slot_of(object) == slot) {
                    rest = object.next_mut().take();
                    end = end.insert(object).next_mut();
                }
            }
        }
    }

    fn grow(&mut self) {
        for _ in 0..STEPS {
            if self.tally.live <= self.slots.len().max(self.shape.undivided()) {
                return;
            }
            if !self.purge_before_moving() {
                return;
            }
            self.split();
        }
    }

    /// Adds a slot and moves the objects that belong there, keeping their order.
    fn split(&mut self) {
        let new = self.slots.len();
        let mask = (new + 1).next_power_of_two() - 1;
        let old = new & (mask >> 1);
        // A later split will read that slot.
        self.prefetch(old + PREFETCHED_AHEAD);
        self.shape.mask = mask;
        let mut rest = self.slots[old].take();
        self.slots.push(None);
        let (stay, moved) = self.slots.split_at_mut(new);
        let (mut stay, mut moved) = (&mut stay[old], &mut moved[0]);
        while let Some(mut object) = rest {
            rest = object.next_mut().take();
            if self.shape.share.bits(object.get().hash()) & mask == new {
                moved = moved.insert(object).next_mut();
            } else {
                stay = stay.insert(object).next_mut();
            }
        }
    }

    /// Frees objects that are only marked as deleted, before any move: `marked` says in which slots they are. Returns
    /// whether none are left. There are some if the table is no longer fixed, but whoever frees them has not come to
    /// this part yet; then it grows and shrinks later.
    fn purge_before_moving(&mut self) -> bool {
        self.tally.marked.is_empty() || self.purge(PURGED_BEFORE_MOVING) > 0
    }

    fn shrink(&mut self) {
        for _ in 0..STEPS {
            if !self.has_slots_to_spare() {
                return;
            }
            if !self.purge_before_moving() {
                return;
            }
            self.join();
        }
        if self.slots.capacity() > 4 * self.slots.len() {
            self.slots.shrink_to(2 * self.slots.len());
        }
    }

    /// Removes the slots that are too many, after many objects were deleted at once.
    pub(crate) fn settle(&mut self, fixed: bool) {
        if fixed || !self.has_slots_to_spare() || !self.purge_before_moving() {
            return;
        }
        while self.has_slots_to_spare() {
            self.join();
        }
        self.slots.shrink_to(2 * self.slots.len());
    }

    /// In OTP slots come and go in segments; a table does not shrink unless it has at least two segments besides the
    /// first slots.
    fn has_slots_to_spare(&self) -> bool {
        let first_slots = self.shape.first_slots;
        let added = self.slots.len().saturating_sub(first_slots);
        let allocated = first_slots + added.div_ceil(SEGMENT) * SEGMENT;
        allocated >= first_slots + 2 * SEGMENT && self.tally.live < (allocated - SEGMENT) / 2
    }

    /// Removes the last slot; its objects are put before those of the slot that it was split from.
    fn join(&mut self) {
        let source = self.slots.len() - 1;
        let target = source & (((source + 1).next_power_of_two() - 1) >> 1);
        self.shape.mask = source.next_power_of_two() - 1;
        let Some(mut chain) = self.slots.pop().flatten() else {
            return;
        };
        let mut end = chain.next_mut();
        while end.is_some() {
            end = behind(end);
        }
        *end = self.slots[target].take();
        self.slots[target] = Some(chain);
    }

    /// Frees at least `count` objects, from the last slot backwards and up to the end of a slot. Returns how many.
    pub(crate) fn free_some(&mut self, count: usize) -> usize {
        let mut freed = 0;
        while freed < count {
            let Some(mut chain) = self.slots.pop() else {
                break;
            };
            while let Some(mut object) = chain {
                chain = object.next_mut().take();
                freed += 1;
            }
        }
        freed
    }

    /// Takes everything out, leaving an empty table; the caller frees it outside the lock.
    #[must_use]
    pub(crate) fn take(&mut self) -> Shard {
        std::mem::replace(
            self,
            Shard::new(
                self.shape.kind,
                self.shape.keypos,
                self.shape.first_slots,
                self.shape.share,
            ),
        )
    }
}

impl Drop for Shard {
    fn drop(&mut self) {
        self.free_some(usize::MAX);
    }
}

impl Shape {
    /// The slot of a hash in a table with `slots` slots.
    #[inline(always)]
    fn slot_of(&self, hash: u32, slots: usize) -> usize {
        let slot = self.share.bits(hash) & self.mask;
        if slot < slots {
            slot
        } else {
            slot & (self.mask >> 1)
        }
    }

    #[inline(always)]
    fn key_of(&self, object: ObjectRef<'_>) -> Term {
        // SAFETY: the objects of a shard have an element at `keypos`: `Shard::insert` reads their keys there, and
        // `Shape::admit` asks those that replace others.
        unsafe { object.key_unchecked(self.keypos) }
    }

    /// Whether an object has a key.
    #[inline(always)]
    fn has_key(&self, object: ObjectRef<'_>, key: Term, hash: u32) -> bool {
        let found = self.key_of(object);
        if key.is_immediate() {
            return found == key;
        }
        object.hash() == hash && compare::eq_exact(found, key)
    }

    /// # Panics
    /// If an object that is to replace another one has no element at `keypos`.
    fn admit(&self, object: &OwnedObject) {
        let elements = object.get().elements().len();
        assert!(self.keypos <= elements, "an object of {elements} elements");
    }

    /// `Ok`: the link to the first object with a key. `Err`: there is none, and this is the link at the end of its
    /// slot. The slots must have been allocated.
    #[inline]
    fn link_to<'s>(
        &self,
        slots: &'s mut [Link],
        key: Term,
        hash: u32,
    ) -> Result<&'s mut Link, &'s mut Link> {
        let count = slots.len().max(self.first_slots);
        let slot = self.slot_of(hash, count);
        let mut link = &mut slots[slot >> self.fold];
        if self.fold == 0 && key.is_immediate() {
            while let Some(object) = first_of(link) {
                if self.key_of(object) == key {
                    return Ok(link);
                }
                link = behind(link);
            }
            return Err(link);
        }
        while let Some(object) = first_of(link) {
            prefetch_key(object);
            if self.has_key(object, key, hash) {
                return Ok(link);
            }
            if self.fold > 0 && self.slot_of(object.hash(), count) > slot {
                break;
            }
            link = behind(link);
        }
        Err(link)
    }

    /// Whether one of the objects with a key is not deleted; `first` is the link to the first of them.
    fn is_live_from(&self, first: &Link, key: Term, hash: u32) -> bool {
        Chain {
            next: first_of(first),
        }
        .take_while(|object| self.has_key(*object, key, hash))
        .any(|object| !object.is_deleted())
    }

    /// The link to the first object of a slot; if there is none, the link at its end. The slots must have been
    /// allocated.
    fn link_to_slot<'s>(&self, slots: &'s mut [Link], slot: usize) -> &'s mut Link {
        let count = slots.len().max(self.first_slots);
        let mut link = &mut slots[slot >> self.fold];
        if self.fold > 0 {
            while let Some(object) = first_of(link)
                && self.slot_of(object.hash(), count) < slot
            {
                link = behind(link);
            }
        }
        link
    }

    /// So many objects need no more than the first slots. One shard of several often has more objects than slots while
    /// the table as a whole has not; only once in 10,000 it has twice as many.
    fn undivided(&self) -> usize {
        match self.share.lanes {
            1 => self.first_slots,
            _ => 2 * self.first_slots,
        }
    }
}

impl Tally {
    /// Puts an object at a link, before what is there.
    #[inline]
    fn link(&mut self, link: &mut Link, mut object: OwnedObject) {
        self.live += 1;
        self.count += 1;
        self.bytes += object.get().bytes();
        *object.next_mut() = link.take();
        *link = Some(object);
    }

    /// Takes the object at a link out of its chain, and frees it.
    #[inline]
    fn unlink(&mut self, link: &mut Link) {
        if let Some(mut object) = link.take() {
            *link = object.next_mut().take();
            self.count -= 1;
            self.bytes -= object.get().bytes();
            if object.get().is_deleted() {
                self.marked_bytes -= object.get().bytes();
            } else {
                self.live -= 1;
            }
        }
    }

    /// Marks the object at a link as deleted; it is in this slot, and no slot is behind `last`.
    fn mark(&mut self, link: &mut Link, slot: usize, last: usize) {
        if let Some(object) = link {
            object.get_mut().set_deleted(true);
            self.live -= 1;
            self.marked_bytes += object.get().bytes();
            self.marked.note(slot, last);
        }
    }

    /// An object that is marked as deleted is not deleted any more.
    fn restore(&mut self, object: &mut OwnedObject) {
        object.get_mut().set_deleted(false);
        self.live += 1;
        self.marked_bytes -= object.get().bytes();
    }
}

/// The object at a link.
#[inline(always)]
fn first_of(link: &Link) -> Option<ObjectRef<'_>> {
    link.as_ref().map(OwnedObject::get)
}

/// The link after the object at a link.
///
/// # Panics
/// If there is no object.
#[inline(always)]
fn behind(link: &mut Link) -> &mut Link {
    link.as_mut().expect("an object").next_mut()
}

/// The objects of a chain.
struct Chain<'a> {
    next: Option<ObjectRef<'a>>,
}

impl<'a> Iterator for Chain<'a> {
    type Item = ObjectRef<'a>;

    #[inline(always)]
    fn next(&mut self) -> Option<ObjectRef<'a>> {
        let object = self.next?;
        self.next = object.next();
        Some(object)
    }
}
