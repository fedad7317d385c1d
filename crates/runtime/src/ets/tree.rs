//! The objects of an ordered set: a B-tree by key, in the order of the language, where `1` and `1.0`
//! are one key.
//!
//! A key in the tree is the term in its object; when the object is replaced, so is the key. The
//! caller holds the lock of the part: shared for `&self`, alone for `&mut self`.
//!
//! A program that walks through the table asks for one key after the other, and for its object in between. So what
//! follows the key that was asked for last is kept at hand ([`Ahead`]), as long as nothing is put in or taken out.

use std::borrow::Borrow;
use std::cell::{Cell, UnsafeCell};
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::collections::btree_map::{self, Entry};
use std::ops::{Bound, Deref, DerefMut};
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicU64};

use layout::Term;
use smallvec::SmallVec;
use term::compare;

use super::Verdict;
use super::lone;
use super::object::{Object, OwnedObject};
use crate::match_spec::pattern;
use crate::scheduler;

/// A key that stands in the tree.
struct Key(Cell<Term>);

/// What a key is compared with: a key, or an edge of the keys that a pattern may match.
trait Probe {
    fn term(&self) -> Term;

    /// For an edge, on which side of the keys that the pattern may match it lies.
    fn edge(&self) -> Option<Ordering> {
        None
    }
}

impl Probe for Key {
    fn term(&self) -> Term {
        self.0.get()
    }
}

/// The place before (`Less`) or behind (`Greater`) all keys that a pattern may match.
struct Edge(Term, Ordering);

impl Probe for Edge {
    fn term(&self) -> Term {
        self.0
    }

    fn edge(&self) -> Option<Ordering> {
        Some(self.1)
    }
}

impl<'a> Borrow<dyn Probe + 'a> for Key {
    fn borrow(&self) -> &(dyn Probe + 'a) {
        self
    }
}

impl Ord for dyn Probe + '_ {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self.edge(), other.edge()) {
            (None, None) => compare::compare(self.term(), other.term()),
            (Some(side), _) => compare_pattern(self.term(), other.term()).unwrap_or(side),
            (None, Some(side)) => compare_pattern(other.term(), self.term())
                .unwrap_or(side)
                .reverse(),
        }
    }
}

impl PartialOrd for dyn Probe + '_ {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for dyn Probe + '_ {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for dyn Probe + '_ {}

impl Ord for Key {
    fn cmp(&self, other: &Self) -> Ordering {
        compare::compare(self.0.get(), other.0.get())
    }
}

impl PartialOrd for Key {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Key {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Key {}

/// The order of a pattern and a key as far as the pattern says; `None` when the pattern may match it.
fn compare_pattern(pattern: Term, key: Term) -> Option<Ordering> {
    // Pairs still to be compared, the next one last.
    let mut rest: SmallVec<[(Term, Term); 8]> = SmallVec::new();
    rest.push((pattern, key));
    while let Some((mut pattern, mut key)) = rest.pop() {
        loop {
            if pattern::is_wildcard(pattern) || pattern.is_map() {
                return None;
            }
            if let (Some((head, tail)), Some((key_head, key_tail))) =
                (pattern.as_cons(), key.as_cons())
            {
                rest.push((tail, key_tail));
                (pattern, key) = (head, key_head);
                continue;
            }
            if let (Some(parts), Some(key_parts)) = (pattern.as_tuple(), key.as_tuple()) {
                if parts.len() != key_parts.len() {
                    return Some(parts.len().cmp(&key_parts.len()));
                }
                rest.extend(parts.iter().copied().zip(key_parts.iter().copied()).rev());
                break;
            }
            match compare::compare(pattern, key) {
                Ordering::Equal => break,
                order => return Some(order),
            }
        }
    }
    None
}

/// Most objects that are kept at hand.
const MOST_AHEAD: usize = 32;

/// The objects behind a key that was asked for, or before it, in the order in which a walk wants them.
struct Ahead {
    objects: [*const Object; MOST_AHEAD],
    count: usize,
    /// The one that was handed out last.
    at: usize,
    backwards: bool,
}

/// [`Ahead`], for one reader at a time; others do without.
///
/// On a node with one scheduler that thread enters without an atomic operation, which would take as long as the rest of
/// a step: whoever else reads the tree keeps it out (`lone`).
struct AheadLock {
    is_taken: AtomicBool,
    /// The node has one scheduler.
    is_lone: bool,
    ahead: UnsafeCell<Option<Box<Ahead>>>,
}

/// Sole access to what is ahead.
struct AheadGuard<'a>(&'a AheadLock);

impl AheadLock {
    fn new() -> AheadLock {
        AheadLock {
            is_taken: AtomicBool::new(false),
            is_lone: scheduler::count() == 1 && *lone::IS_POSSIBLE,
            ahead: UnsafeCell::new(None),
        }
    }

    /// `None` when somebody is in.
    #[inline]
    fn try_enter(&self) -> Option<AheadGuard<'_>> {
        let was_taken = if self.is_lone && !scheduler::current().is_null() {
            let was_taken = self.is_taken.load(Relaxed);
            self.is_taken.store(true, Relaxed);
            was_taken
        } else {
            self.is_taken.swap(true, Acquire)
        };
        // Made only when it is ours: its end lets others in.
        (!was_taken).then(|| AheadGuard(self))
    }

    fn get_mut(&mut self) -> &mut Option<Box<Ahead>> {
        self.ahead.get_mut()
    }
}

impl Deref for AheadGuard<'_> {
    type Target = Option<Box<Ahead>>;

    #[inline]
    fn deref(&self) -> &Option<Box<Ahead>> {
        // SAFETY: one guard at a time, as `try_enter` saw to.
        unsafe { &*self.0.ahead.get() }
    }
}

impl DerefMut for AheadGuard<'_> {
    #[inline]
    fn deref_mut(&mut self) -> &mut Option<Box<Ahead>> {
        // SAFETY: as above.
        unsafe { &mut *self.0.ahead.get() }
    }
}

impl Drop for AheadGuard<'_> {
    #[inline]
    fn drop(&mut self) {
        self.0.is_taken.store(false, Release);
    }
}

/// The objects of an ordered set.
pub struct Tree {
    objects: BTreeMap<Key, OwnedObject>,
    /// Made by the first walk. Emptied by whatever puts in, takes out or replaces an object.
    ahead: AheadLock,
    /// The key that was handed out last, if it is an immediate; else the non-value. It only tells that a look into
    /// `ahead` is worth while.
    handed_out: AtomicU64,
    keypos: usize,
    bytes: usize,
}

// SAFETY: the keys' cells change only while the tree is borrowed alone, and so do the objects that `ahead` points to.
unsafe impl Send for Tree {}
// SAFETY: as above.
unsafe impl Sync for Tree {}

/// Bytes that an entry takes in the tree: key and pointer, in nodes that are two thirds full.
const ENTRY_BYTES: usize = 24;

fn key_of(term: Term) -> Key {
    Key(Cell::new(term))
}

/// The objects on one side of a key, those next to it first.
enum Behind<'a> {
    Forwards(btree_map::Range<'a, Key, OwnedObject>),
    Backwards(btree_map::Range<'a, Key, OwnedObject>),
}

impl<'a> Iterator for Behind<'a> {
    type Item = &'a Object;

    fn next(&mut self) -> Option<&'a Object> {
        let entry = match self {
            Behind::Forwards(range) => range.next(),
            Behind::Backwards(range) => range.next_back(),
        };
        entry.map(|(_, object)| &**object)
    }
}

/// Where a walk begins.
#[derive(Clone, Copy)]
pub enum From {
    /// At the first object, or the last when going back.
    Outset,
    /// Behind this key, which needs not be there.
    After(Term),
    /// With the first object whose key the pattern may match.
    Pattern(Term),
}

impl Tree {
    #[must_use]
    pub fn new(keypos: usize) -> Tree {
        Tree {
            objects: BTreeMap::new(),
            ahead: AheadLock::new(),
            handed_out: AtomicU64::new(Term::NONE.bits()),
            keypos,
            bytes: 0,
        }
    }

    #[must_use]
    pub fn objects(&self) -> usize {
        self.objects.len()
    }

    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes + self.objects.len() * ENTRY_BYTES
    }

    #[must_use]
    pub fn get(&self, key: Term) -> Option<&Object> {
        if self.handed_out.load(Relaxed) == key.bits()
            && let Some(ahead) = self.ahead.try_enter()
            && let Some(ahead) = &*ahead
            && let Some(object) = self.at_hand(ahead, key)
        {
            return Some(object);
        }
        self.objects.get(&key_of(key)).map(|object| &**object)
    }

    pub fn get_mut(&mut self, key: Term) -> Option<&mut Object> {
        self.objects.get_mut(&key_of(key)).map(OwnedObject::get_mut)
    }

    /// The first object, or the last.
    #[must_use]
    pub fn edge(&self, last: bool) -> Option<&Object> {
        let entry = if last {
            self.objects.last_key_value()
        } else {
            self.objects.first_key_value()
        };
        entry.map(|(_, object)| &**object)
    }

    /// The object behind a key, which needs not be there, or before it.
    #[must_use]
    pub fn neighbour(&self, key: Term, backwards: bool) -> Option<&Object> {
        // Somebody else may be walking at the same time; then this walk does without.
        let Some(mut guard) = self.ahead.try_enter() else {
            return self.behind(key, backwards).next();
        };
        let ahead = guard.get_or_insert_with(|| {
            Box::new(Ahead {
                objects: [std::ptr::null(); MOST_AHEAD],
                count: 0,
                at: 0,
                backwards,
            })
        });
        let goes_on = ahead.backwards == backwards && self.at_hand(ahead, key).is_some();
        if goes_on && ahead.at + 1 < ahead.count {
            ahead.at += 1;
        } else {
            // A walk that goes on is likely to go on for as long again.
            let wanted = if goes_on { ahead.count * 2 } else { 1 };
            let mut count = 0;
            for object in self.behind(key, backwards).take(wanted.min(MOST_AHEAD)) {
                ahead.objects[count] = object;
                count += 1;
            }
            (ahead.count, ahead.at, ahead.backwards) = (count, 0, backwards);
        }
        if ahead.at == ahead.count {
            return None;
        }
        // SAFETY: what the tree has at hand is in it, and stays while it is borrowed.
        let found = unsafe { &*ahead.objects[ahead.at] };
        let found_key = found.key(self.keypos);
        let handed_out = if found_key.is_immediate() {
            found_key
        } else {
            Term::NONE
        };
        self.handed_out.store(handed_out.bits(), Relaxed);
        Some(found)
    }

    /// The object that was handed out last, if this is its key.
    fn at_hand(&self, ahead: &Ahead, key: Term) -> Option<&Object> {
        if ahead.at >= ahead.count {
            return None;
        }
        // SAFETY: as in `neighbour`.
        let object = unsafe { &*ahead.objects[ahead.at] };
        compare::compare(object.key(self.keypos), key)
            .is_eq()
            .then_some(object)
    }

    /// The objects behind a key in order, or those before it backwards.
    fn behind(&self, key: Term, backwards: bool) -> Behind<'_> {
        let key = Bound::Excluded(key_of(key));
        if backwards {
            Behind::Backwards(self.objects.range((Bound::Unbounded, key)))
        } else {
            Behind::Forwards(self.objects.range((key, Bound::Unbounded)))
        }
    }

    /// Nothing is at hand any more: to be called before an object goes, or another stands between two.
    fn forget_ahead(&mut self) {
        if let Some(ahead) = self.ahead.get_mut() {
            ahead.count = 0;
        }
    }

    /// The objects from a place on, in order, or backwards.
    pub fn walk(&self, from: From, backwards: bool) -> Box<dyn Iterator<Item = &Object> + '_> {
        let all = (Bound::Unbounded, Bound::Unbounded);
        fn object<'a>((_, object): (&'a Key, &'a OwnedObject)) -> &'a Object {
            object
        }
        match (from, backwards) {
            (From::Outset, false) => Box::new(self.objects.values().map(|object| &**object)),
            (From::Outset, true) => Box::new(self.objects.values().rev().map(|object| &**object)),
            (From::After(key), false) => Box::new(
                self.objects
                    .range((Bound::Excluded(key_of(key)), all.1))
                    .map(object),
            ),
            (From::After(key), true) => Box::new(
                self.objects
                    .range((all.0, Bound::Excluded(key_of(key))))
                    .rev()
                    .map(object),
            ),
            (From::Pattern(pattern), false) => {
                let edge = Edge(pattern, Ordering::Less);
                let edge: &dyn Probe = &edge;
                Box::new(
                    self.objects
                        .range::<dyn Probe, _>((Bound::Excluded(edge), Bound::Unbounded))
                        .map(object),
                )
            }
            (From::Pattern(pattern), true) => {
                let edge = Edge(pattern, Ordering::Greater);
                let edge: &dyn Probe = &edge;
                Box::new(
                    self.objects
                        .range::<dyn Probe, _>((Bound::Unbounded, Bound::Excluded(edge)))
                        .rev()
                        .map(object),
                )
            }
        }
    }

    /// Whether a key lies beyond all keys that the pattern may match.
    #[must_use]
    pub fn is_past(key: Term, pattern: Term, backwards: bool) -> bool {
        let past = if backwards {
            Ordering::Greater
        } else {
            Ordering::Less
        };
        compare_pattern(pattern, key) == Some(past)
    }

    /// The object at a place in the order, counted from 0.
    #[must_use]
    pub fn nth(&self, index: usize) -> Option<&Object> {
        self.objects.values().nth(index).map(|object| &**object)
    }

    /// Puts in an object. With `only_new` nothing happens when its key is there: false.
    pub fn insert(&mut self, object: OwnedObject, only_new: bool) -> bool {
        let key = object.key(self.keypos);
        let bytes = object.bytes();
        self.forget_ahead();
        match self.objects.entry(key_of(key)) {
            Entry::Vacant(place) => {
                place.insert(object);
            }
            Entry::Occupied(mut place) => {
                if only_new {
                    return false;
                }
                // The key in the tree points into the object: both change before anybody looks.
                place.key().0.set(key);
                let old = place.insert(object);
                self.bytes -= old.bytes();
            }
        }
        self.bytes += bytes;
        true
    }

    /// Deletes the object with a key, if `condemned` chooses it.
    pub fn remove_key(&mut self, key: Term, mut condemned: impl FnMut(&Object) -> bool) {
        if let Entry::Occupied(place) = self.objects.entry(key_of(key))
            && condemned(place.get())
        {
            // Out of the map first: its key in the tree points into it.
            let object = place.remove();
            self.bytes -= object.bytes();
            self.forget_ahead();
        }
    }

    /// Does what was decided about the object with a key.
    pub fn execute(&mut self, key: Term, verdict: Verdict) {
        match verdict {
            Verdict::Keep => {}
            Verdict::Remove => self.remove_key(key, |_| true),
            Verdict::Replace(object) => {
                self.insert(object, false);
            }
        }
    }

    /// Frees objects from the first on, at most `most`; answers how many.
    pub fn free_some(&mut self, most: usize) -> usize {
        self.forget_ahead();
        (0..most)
            .take_while(|_| self.objects.pop_first().is_some())
            .count()
    }

    /// Takes everything out, leaving an empty tree; the caller frees it outside the lock.
    #[must_use]
    pub fn take(&mut self) -> Tree {
        std::mem::replace(self, Tree::new(self.keypos))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_reader_at_a_time_looks_ahead() {
        let lock = AheadLock {
            is_taken: AtomicBool::new(false),
            is_lone: false,
            ahead: UnsafeCell::new(None),
        };
        let first = lock.try_enter();
        assert!(first.is_some());
        assert!(lock.try_enter().is_none());
        assert!(
            lock.try_enter().is_none(),
            "whoever is refused lets nobody in"
        );
        drop(first);
        assert!(lock.try_enter().is_some());
    }
}
