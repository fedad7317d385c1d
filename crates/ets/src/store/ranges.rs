//! The ranges of an ordered set with write concurrency. Each range is a part; ranges are split where writers contend,
//! and merged where they do not.
//!
//! After the contention adapting search trees of Sagonas and Winblad (2015): each lock keeps count of whether it had
//! to be waited for, and the table changes its shape accordingly. Theirs is a tree of route nodes; here a sorted
//! array leads to the ranges, because there are few ([`super::directory`] has the protocol).
//!
//! A scheduler calls within a slice; on other threads each access to the directory is pinned (`epoch::with_pin`).

use std::sync::Arc;
use std::sync::atomic::{AtomicI32, AtomicU8, AtomicU64, Ordering};
use std::time::Duration;

use layout::Term;
use term::heap::Scratch;
use term::{build, compare};

use super::directory::{self, Held, Range};
use super::lock::{PartLock, ReadGuard, WriteGuard};
use super::object::OwnedObject;
use super::part::Part;
use super::tree::{Tree, WalkStart};
use runtime::process::epoch;

/// What is added to a range's heat when its lock had to be waited for; if not, 1 is subtracted
/// (`tables/ordered_set_concurrent` chose all three constants).
const HEAT_OF_WAITING: i32 = 200;
/// Above this heat a range is split.
const HOT: i32 = 1000;
/// Below this heat it is merged with its neighbour. Far below, because merged ranges may have to be split again.
const COLD: i32 = -20_000;

/// The heat of a range under [`Pressure`]: each write takes one off it.
const FORCED_HEAT: i32 = i32::MAX / 2;

/// What changes the shape of a table besides contention. Test suites ask for it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pressure {
    None,
    /// Every write splits its range.
    Split,
    /// Every write splits its range, or merges it with its neighbour, by chance.
    Random,
}

/// A key between two ranges.
#[derive(Clone)]
pub struct Bound {
    pub(crate) key: Term,
    /// Owns the key's memory if it is not an immediate.
    _holder: Option<Arc<OwnedObject>>,
}

// SAFETY: the key is an immediate, or part of an object that is kept alive by `_holder` and only read.
unsafe impl Send for Bound {}
// SAFETY: the key is an immediate, or part of an object that is kept alive by `_holder` and only read.
unsafe impl Sync for Bound {}

impl Bound {
    fn new(key: Term) -> Bound {
        if key.is_immediate() {
            return Bound { key, _holder: None };
        }
        let mut scratch = Scratch::new();
        let tuple = build::tuple(scratch.heap(), &[key]);
        let holder = Arc::new(OwnedObject::new(tuple, 0));
        Bound {
            key: holder.get().key(1),
            _holder: Some(holder),
        }
    }
}

/// A range: its objects and their lock.
#[repr(align(128))]
pub struct Span {
    lock: PartLock,
    /// Changed only by the holder of the write lock.
    heat: AtomicI32,
    /// How often the write lock was taken.
    turns: AtomicU64,
}

impl Span {
    fn read(&self) -> ReadGuard<'_> {
        self.lock.read()
    }

    /// Also returns whether the lock had to be waited for.
    fn write_noting_contention(&self) -> (WriteGuard<'_>, bool) {
        let guard = self.lock.write_noting_contention();
        self.count_turn();
        guard
    }

    fn count_turn(&self) {
        let turns = self.turns.load(Ordering::Relaxed);
        self.turns.store(turns + 1, Ordering::Relaxed);
    }

    /// Adjusts the heat after the lock was taken, and returns it; the caller holds the lock.
    fn heat_by(&self, waited: bool) -> i32 {
        let heat = self.heat.load(Ordering::Relaxed);
        let heat = if waited {
            heat + HEAT_OF_WAITING
        } else {
            heat - 1
        };
        self.heat.store(heat, Ordering::Relaxed);
        heat
    }
}

impl Range for Span {
    type Writer<'a> = WriteGuard<'a>;

    fn write(&self) -> WriteGuard<'_> {
        self.write_noting_contention().0
    }

    fn try_write(&self) -> Option<WriteGuard<'_>> {
        let guard = self.lock.try_write()?;
        self.count_turn();
        Some(guard)
    }
}

/// The state of a range when it was locked.
pub struct Mark<'a> {
    span: &'a Span,
    turns: u64,
}

impl<'a> Mark<'a> {
    /// The caller holds the range's lock.
    pub fn new(span: &'a Span) -> Mark<'a> {
        let turns = span.turns.load(Ordering::Relaxed);
        Mark { span, turns }
    }

    /// Whether any thread has write-locked the range since. If one has, and then changed what the caller has locked
    /// now, this is certain to see it.
    pub fn has_changed(&self) -> bool {
        self.span.turns.load(Ordering::Relaxed) != self.turns
    }
}

/// Where a walk continues after the range that ends with a bound; backwards, before the range that begins with it.
pub fn beyond(bound: &Bound, backwards: bool) -> WalkStart {
    if backwards {
        WalkStart::After(bound.key)
    } else {
        WalkStart::At(bound.key)
    }
}

/// See the file's comment.
pub struct Ranges {
    spans: directory::Ranges<Bound, Span>,
    keypos: usize,
    places: usize,
    schedulers: usize,
    /// A [`Pressure`]; read only when a range is split or merged.
    pressure: AtomicU8,
}

/// All ranges, write-locked.
pub struct All<'a> {
    pub(crate) parts: Vec<WriteGuard<'a>>,
    bounds: Vec<Bound>,
    /// Released last.
    held: Held<'a, Bound, Span>,
}

impl All<'_> {
    /// The part that a key belongs to.
    pub fn part_of(&self, key: Term) -> usize {
        until(&self.bounds, key)
    }

    /// Merges all ranges into one; they are empty.
    pub(crate) fn collapse(&mut self) {
        self.held.collapse();
        self.bounds.clear();
    }
}

/// The number of bounds that are not above a key.
#[inline]
fn until(bounds: &[Bound], key: Term) -> usize {
    bounds.partition_point(|bound| compare::compare(bound.key, key).is_le())
}

/// The index of the range in which a walk begins.
fn beginning(bounds: &[Bound], from: WalkStart, backwards: bool) -> usize {
    match from {
        WalkStart::Edge if backwards => bounds.len(),
        WalkStart::Edge => 0,
        WalkStart::After(key) | WalkStart::At(key) if !backwards => until(bounds, key),
        WalkStart::After(key) | WalkStart::At(key) => {
            bounds.partition_point(|bound| compare::compare(bound.key, key).is_lt())
        }
        WalkStart::Pattern(pattern) => {
            bounds.partition_point(|bound| Tree::is_before_matches(bound.key, pattern, backwards))
        }
    }
}

impl Ranges {
    /// Makes one range; its lock has `places` places for readers.
    #[must_use]
    pub fn new(keypos: usize, places: usize, schedulers: usize) -> Ranges {
        Ranges {
            spans: directory::Ranges::new(Self::span(keypos, places, schedulers)),
            keypos,
            places,
            schedulers,
            pressure: AtomicU8::new(Pressure::None as u8),
        }
    }

    /// From now on every write that begins changes the shape of the table as `pressure` says.
    pub fn set_pressure(&self, pressure: Pressure) {
        self.pressure.store(pressure as u8, Ordering::Relaxed);
        for span in self.spans.hold().all().0 {
            // A write that takes its turn at this moment may overwrite it; the one after a split sets it again.
            span.heat.store(self.fresh_heat(), Ordering::Relaxed);
        }
    }

    /// The heat of a range after its shape was changed.
    fn fresh_heat(&self) -> i32 {
        match self.pressure.load(Ordering::Relaxed) == Pressure::None as u8 {
            true => 0,
            false => FORCED_HEAT,
        }
    }

    /// Whether to split a range now, rather than merge it.
    fn is_to_split(&self, span: &Span, heat: i32) -> bool {
        let by_chance = self.pressure.load(Ordering::Relaxed) == Pressure::Random as u8;
        match by_chance {
            true => {
                span.turns
                    .load(Ordering::Relaxed)
                    .wrapping_mul(0x9e37_79b9_7f4a_7c15)
                    >> 63
                    == 0
            }
            false => heat > HOT,
        }
    }

    fn span(keypos: usize, places: usize, schedulers: usize) -> Span {
        Span {
            lock: PartLock::new(Part::Tree(Tree::new(keypos)), places, schedulers),
            heat: AtomicI32::new(0),
            turns: AtomicU64::new(0),
        }
    }

    /// Read-locks the range of a key.
    #[inline]
    pub(crate) fn read(&self, key: Term) -> ReadGuard<'_> {
        let route = |bounds: &[Bound]| until(bounds, key);
        epoch::with_pin(|pinned| self.spans.enter(pinned, route, Span::read)).1
    }

    /// Write-locks the range of a key.
    #[inline]
    pub(crate) fn write(&self, key: Term) -> WriteGuard<'_> {
        let mut is_adapted = false;
        loop {
            let route = |bounds: &[Bound]| until(bounds, key);
            let lock = Span::write_noting_contention;
            let (span, (guard, waited)) =
                epoch::with_pin(|pinned| self.spans.enter(pinned, route, lock));
            if (COLD..=HOT).contains(&span.heat_by(waited)) || is_adapted {
                return guard;
            }
            self.adapt(span, guard);
            is_adapted = true;
        }
    }

    /// Read-locks the range in which a walk begins.
    pub fn read_from(&self, from: WalkStart, backwards: bool) -> (&Span, ReadGuard<'_>) {
        let route = |bounds: &[Bound]| beginning(bounds, from, backwards);
        epoch::with_pin(|pinned| self.spans.enter(pinned, route, Span::read))
    }

    /// As [`Ranges::read_from`], but write-locks it.
    pub(crate) fn write_from(&self, from: WalkStart, backwards: bool) -> (&Span, WriteGuard<'_>) {
        let route = |bounds: &[Bound]| beginning(bounds, from, backwards);
        epoch::with_pin(|pinned| self.spans.enter(pinned, route, Range::write))
    }

    /// Where the next range begins, or, going backwards, where this one begins; the caller holds its lock.
    pub fn bound_of(&self, span: &Span, backwards: bool) -> Option<Bound> {
        epoch::with_pin(|pinned| self.spans.bound_of(pinned, span, backwards))
    }

    /// Splits a hot range, or merges a cold one with its neighbour, if no lock has to be waited for.
    #[cold]
    fn adapt<'a>(&'a self, span: &Span, mut guard: WriteGuard<'a>) {
        let heat = span.heat.swap(self.fresh_heat(), Ordering::Relaxed);
        let _ = if self.is_to_split(span, heat) {
            let fresh = || {
                let span = Self::span(self.keypos, self.places, self.schedulers);
                span.heat.store(self.fresh_heat(), Ordering::Relaxed);
                span
            };
            self.spans
                .split(span, fresh, |other| divide(&mut guard, other))
        } else {
            self.spans.join(span, &mut guard, merge)
        };
    }

    /// Write-locks everything.
    #[must_use]
    pub fn write_all(&self) -> All<'_> {
        let held = self.spans.hold();
        let (spans, bounds) = held.all();
        let bounds = bounds.to_vec();
        let parts = spans.map(Range::write).collect();
        All {
            parts,
            bounds,
            held,
        }
    }

    /// Read-locks one range after the other, in order, until `visit` returns a value; meanwhile none is split or
    /// merged.
    pub(crate) fn each<R>(&self, mut visit: impl FnMut(&Part) -> Option<R>) -> Option<R> {
        let held = self.spans.hold();
        let (mut spans, _) = held.all();
        spans.find_map(|span| visit(&span.read()))
    }

    /// As [`Ranges::each`], leaving out ranges whose lock was not acquired within `timeout`; returns whether there was
    /// none.
    pub(crate) fn each_within(&self, timeout: Duration, mut visit: impl FnMut(&Part)) -> bool {
        let Some(held) = self.spans.hold_within(timeout) else {
            return false;
        };
        let (spans, _) = held.all();
        let mut is_whole = true;
        for span in spans {
            match span.lock.read_within(timeout) {
                Some(part) => visit(&part),
                None => is_whole = false,
            }
        }
        is_whole
    }

    /// Bytes of the locks.
    pub(crate) fn bytes(&self) -> usize {
        let held = self.spans.hold();
        let (spans, _) = held.all();
        spans
            .map(|span| size_of::<Span>() + span.lock.bytes())
            .sum()
    }

    /// Makes the next writer of a key split its range, or merge it with the next one.
    #[cfg(test)]
    pub(crate) fn provoke(&self, key: Term, is_hot: bool) {
        let route = |bounds: &[Bound]| until(bounds, key);
        let (span, guard) = epoch::with_pin(|pinned| self.spans.enter(pinned, route, Range::write));
        let heat = if is_hot { HOT + 2 } else { COLD };
        span.heat.store(heat, Ordering::Relaxed);
        drop(guard);
    }

    /// Number of ranges.
    pub fn count(&self) -> usize {
        self.spans.hold().all().0.count()
    }
}

/// Moves the upper half of a part to an empty part; returns the bound between them.
fn divide(lower: &mut Part, upper: &mut Part) -> Option<Bound> {
    let (Part::Tree(lower), Part::Tree(upper)) = (lower, upper) else {
        return None;
    };
    let (tree, key) = lower.split_off()?;
    let bound = Bound::new(key);
    upper.append(tree);
    Some(bound)
}

/// Moves all of the upper part to the lower one.
fn merge(lower: &mut WriteGuard<'_>, upper: &mut WriteGuard<'_>) {
    if let (Part::Tree(lower), Part::Tree(upper)) = (&mut **lower, &mut **upper) {
        lower.append(upper.take());
    }
}
