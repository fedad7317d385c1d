//! Where the relations of a process are kept: an array of entries, behind one word of the control block, and once there
//! are many of them an index into it.
//!
//! A waiting process of an OTP behaviour has one to three relations, so its entries are in one small block that is
//! searched. An entry is found by its kind and key. Another entry takes the place of one that is removed.

use std::ops::Range;

use layout::Term;
use rustc_hash::FxHashMap;
use term::copy::Owned;

use super::aliases::AliasKind;
use crate::process::positions::Positions;
use crate::process::rank::Rank;
use crate::process::thin_array::ThinArray;

/// What an entry is.
#[repr(u8)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum EntryKind {
    /// The key is the other side (a pid or port); `number` is that of an unlink signal which the other side has not yet
    /// acknowledged, or 0 for an active link.
    Link,
    /// A monitor that the process set on the process or port `other`, or on the time offset. The key is the reference's
    /// number.
    Monitor,
    /// A monitor that `other` set on the process. The key is the reference's number.
    Watcher,
    /// An active alias; the key is its number.
    Alias,
}

/// One relation.
#[derive(Clone, Copy)]
pub(super) struct Entry {
    /// The number of a reference; for a link see [`EntryKind::Link`].
    pub number: u64,
    /// A pid or port; for a monitor perhaps `clock_service`, or `undefined` for a name that nobody had; `NONE` for an
    /// alias.
    pub other: Term,
    /// The name by which `other`, or the process, was monitored: the index of an atom.
    pub name_index: u32,
    pub kind: EntryKind,
    /// What ends an alias.
    pub alias: Option<AliasKind>,
    /// The reference of the monitor also names the process that set it, because it is or was an alias.
    pub names_owner: bool,
    /// See [`mark`].
    pub marks: u8,
}

/// Bits of [`Entry::marks`].
pub(super) mod mark {
    /// A monitor of a port, or of a name that was to be a port's.
    pub(crate) const OF_PORT: u8 = 1;
    /// Messages through the alias that ask for it, or the message that a link or monitor makes when it ends, are
    /// received with priority.
    pub(crate) const PRIORITY: u8 = 2;
}

const _: () = assert!(size_of::<Entry>() == 24);
const NO_NAME: u32 = u32::MAX;

impl Entry {
    pub(super) fn new(kind: EntryKind, number: u64, other: Term) -> Entry {
        Entry {
            number,
            other,
            name_index: NO_NAME,
            kind,
            alias: None,
            names_owner: false,
            marks: 0,
        }
    }

    /// The entry with a registered name (an atom).
    pub(super) fn named(self, name: Option<Term>) -> Entry {
        let name = name.and_then(Term::as_atom).unwrap_or(NO_NAME);
        Entry {
            name_index: name,
            ..self
        }
    }

    /// The entry, for messages with this rank.
    pub(super) fn ranked(self, rank: Rank) -> Entry {
        let marks = match rank {
            Rank::Ordinary => self.marks & !mark::PRIORITY,
            Rank::Priority => self.marks | mark::PRIORITY,
        };
        Entry { marks, ..self }
    }

    pub(super) fn rank(&self) -> Rank {
        match self.marks & mark::PRIORITY != 0 {
            true => Rank::Priority,
            false => Rank::Ordinary,
        }
    }

    pub(super) fn name(&self) -> Option<Term> {
        (self.name_index != NO_NAME).then(|| Term::atom(self.name_index))
    }

    fn key(&self) -> u64 {
        match self.kind {
            EntryKind::Link => self.other.bits(),
            EntryKind::Monitor | EntryKind::Watcher | EntryKind::Alias => self.number,
        }
    }

    fn hash(&self) -> u64 {
        hash(self.kind, self.key())
    }
}

/// What only few processes need: behind the header of the array.
#[derive(Default)]
struct Extra {
    /// Positions of the first `indexed` entries.
    index: Positions,
    indexed: u32,
    /// The tags of the monitors that have one, by number.
    tags: FxHashMap<u64, Owned>,
}

/// The latest entries are searched, at most so many. The entry of a call, which is soon removed, is usually among them,
/// and costs no access to the index: in a process with many links that would be in no cache.
const MOST_SEARCHED: usize = 16;
/// The latest entries that are left out when others are added to the index.
const LEFT_OUT: usize = 8;
/// The most entries that are not in the index. They are added together: the processor then waits for several places of
/// the index at the same time.
const MOST_UNINDEXED: usize = 1024;

/// See the module's documentation.
#[derive(Default)]
pub(super) struct Entries(ThinArray<Option<Box<Extra>>, Entry, 2>);

impl Entries {
    pub(super) const fn new() -> Entries {
        Entries(ThinArray::new())
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Bytes of memory outside the control block.
    pub(super) fn bytes(&self) -> usize {
        let extra = self.0.header().and_then(Option::as_ref);
        let extra = extra.map_or(0, |extra| {
            let tags = extra.tags.capacity() * size_of::<(u64, Owned)>();
            size_of::<Extra>() + extra.index.bytes() + tags
        });
        self.0.bytes() + extra
    }

    /// About how many bytes are allocated at once when one is added: 0 nearly always, but what is full is replaced by
    /// something of twice its size.
    pub(super) fn growth_bytes(&self) -> usize {
        let extra = self.extra().map_or(0, |extra| {
            let tags = match extra.tags.capacity() == extra.tags.len() {
                true => extra.tags.capacity() * size_of::<(u64, Owned)>() * 2,
                false => 0,
            };
            extra.index.growth_bytes(MOST_UNINDEXED) + tags
        });
        self.0.growth_bytes(1) + extra
    }

    /// Whether one of them is for messages with priority.
    pub(super) fn have_priority(&self) -> bool {
        let all = self.0.as_slice();
        all.iter().any(|entry| entry.rank() == Rank::Priority)
    }

    pub(super) fn of_kind(&self, kind: EntryKind) -> impl Iterator<Item = &Entry> {
        self.0
            .as_slice()
            .iter()
            .filter(move |entry| entry.kind == kind)
    }

    fn extra(&self) -> Option<&Extra> {
        self.0.header().and_then(Option::as_deref)
    }

    fn extra_mut(&mut self) -> &mut Extra {
        self.0.header_mut().get_or_insert_with(Box::default)
    }

    /// The number of entries that are in the index.
    fn indexed(&self) -> usize {
        self.extra().map_or(0, |extra| extra.indexed as usize)
    }

    fn position(&mut self, kind: EntryKind, key: u64) -> Option<usize> {
        let is_wanted = |entry: &Entry| entry.kind == kind && entry.key() == key;
        let (indexed, length) = (self.indexed(), self.0.len());
        let searched = indexed.max(length.saturating_sub(MOST_SEARCHED));
        if let Some(at) = self.0.as_slice()[searched..].iter().rposition(is_wanted) {
            return Some(searched + at);
        }
        if searched > indexed {
            self.index(indexed..length - LEFT_OUT);
        } else if indexed == 0 {
            return None;
        }
        let (entries, extra) = self.parts();
        let is_at = |&at: &u32| is_wanted(&entries[at as usize]);
        extra.index.find(hash(kind, key), is_at)
    }

    pub(super) fn get(&mut self, kind: EntryKind, key: u64) -> Option<&Entry> {
        self.position(kind, key).map(|at| &self.0.as_slice()[at])
    }

    pub(super) fn get_mut(&mut self, kind: EntryKind, key: u64) -> Option<&mut Entry> {
        let at = self.position(kind, key)?;
        Some(&mut self.0.as_mut_slice()[at])
    }

    /// Adds an entry; there is none of its kind with its key.
    pub(super) fn add(&mut self, entry: Entry) {
        debug_assert!(!self.ends_with_another(&entry), "two entries of one key");
        self.0.extend([entry]);
        let (indexed, length) = (self.indexed(), self.0.len());
        if length - indexed > MOST_UNINDEXED {
            self.index(indexed..length - LEFT_OUT);
        }
    }

    /// Whether one of the latest entries has the kind and key of this one.
    fn ends_with_another(&self, entry: &Entry) -> bool {
        let all = self.0.as_slice();
        let latest = &all[all.len().saturating_sub(MOST_SEARCHED)..];
        latest
            .iter()
            .any(|other| other.kind == entry.kind && other.key() == entry.key())
    }

    /// Adds the entries at these positions to the index, which holds all before them.
    fn index(&mut self, positions: Range<usize>) {
        self.extra_mut();
        let (entries, extra) = self.parts();
        let hash_of = |&at: &u32| entries[at as usize].hash();
        extra.index.reserve(positions.len(), hash_of);
        for at in positions.clone() {
            extra.index.insert(entries[at].hash(), at, hash_of);
        }
        extra.indexed = positions.end as u32;
        debug_assert_eq!(extra.index.len(), positions.end);
    }

    /// The entries, and the rest, which exists.
    fn parts(&mut self) -> (&[Entry], &mut Extra) {
        self.0
            .parts(|extra| extra.as_deref_mut().expect("made before"))
    }

    pub(super) fn remove(&mut self, kind: EntryKind, key: u64) -> Option<Entry> {
        let at = self.position(kind, key)?;
        let entry = self.0.as_slice()[at];
        let mut free = at;
        if at < self.indexed() {
            // The last entry of the indexed ones takes the place, and any entry may take that one's.
            free = self.unindex(at);
            self.0.as_mut_slice().copy_within(free..=free, at);
        }
        let last = self.0.len() - 1;
        self.0.as_mut_slice().copy_within(last..=last, free);
        self.0.truncate(last);
        if self.extra().is_some() {
            self.shrink_index();
        }
        self.0.shrink();
        Some(entry)
    }

    /// Removes an entry from the index, and lets the last indexed one be found in its place. Returns where that one is
    /// now.
    fn unindex(&mut self, at: usize) -> usize {
        let (entries, extra) = self.parts();
        let last = extra.indexed as usize - 1;
        let was_there = extra.index.remove(entries[at].hash(), at);
        debug_assert!(was_there, "an entry was not in the index");
        if at != last {
            extra.index.moved(entries[last].hash(), last, at);
        }
        extra.indexed = last as u32;
        last
    }

    /// Gives memory of the index back if little of it is used.
    fn shrink_index(&mut self) {
        let (entries, extra) = self.parts();
        extra.index.shrink(|&at| entries[at as usize].hash());
    }

    /// Keeps the tag of a monitor.
    pub(super) fn keep_tag(&mut self, number: u64, tag: Owned) {
        self.extra_mut().tags.insert(number, tag);
    }

    pub(super) fn tag(&self, number: u64) -> Option<&Owned> {
        self.0.header()?.as_ref()?.tags.get(&number)
    }

    pub(super) fn take_tag(&mut self, number: u64) -> Option<Owned> {
        let extra = self.0.header()?.as_ref()?;
        if extra.tags.is_empty() {
            return None;
        }
        self.extra_mut().tags.remove(&number)
    }

    /// Gives up memory that empty relations keep.
    pub(super) fn trim(&mut self) {
        if self.0.is_empty() {
            self.0 = ThinArray::new();
        }
    }
}

fn hash(kind: EntryKind, key: u64) -> u64 {
    term::hash::word(key ^ (kind as u64) << 61)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn entries_are_found_until_they_are_removed() {
        let mut entries = Entries::default();
        let mut model: HashMap<(u8, u64), u64> = HashMap::new();
        let mut random = fastrand::Rng::with_seed(7);
        // The number of keys in use grows and shrinks, so that both search and index are used.
        const STEPS: u32 = if cfg!(miri) { 400 } else { 20_000 };
        for span in [4, 30, 5, 3000, 8, 1] {
            for step in 0..STEPS {
                let kind = [EntryKind::Link, EntryKind::Watcher][random.usize(0..2)];
                let number = random.u64(1..=span);
                let pid = Term::local_pid(number as u32, 0);
                let key = if kind == EntryKind::Link {
                    pid.bits()
                } else {
                    number
                };
                let known = model.get(&(kind as u8, number)).copied();
                let found = entries
                    .get(kind, key)
                    .map(|entry| entry.alias.is_some() as u64);
                assert_eq!(found.is_some(), known.is_some());
                if known.is_some() && random.u32(0..100) < if step < STEPS / 2 { 40 } else { 95 } {
                    assert!(entries.remove(kind, key).is_some());
                    model.remove(&(kind as u8, number));
                } else if known.is_none() && step < STEPS / 4 * 3 {
                    entries.add(Entry::new(kind, number, pid));
                    model.insert((kind as u8, number), number);
                }
                assert_eq!(entries.len(), model.len());
            }
        }
        let left: Vec<(EntryKind, u64)> = [EntryKind::Link, EntryKind::Watcher]
            .iter()
            .flat_map(|&kind| entries.of_kind(kind).map(move |entry| (kind, entry.key())))
            .collect();
        for (kind, key) in left {
            assert!(entries.remove(kind, key).is_some());
        }
        entries.trim();
        assert_eq!((entries.len(), entries.bytes()), (0, 0));
    }

    #[test]
    fn what_grows_in_one_piece_is_known_before() {
        let mut entries = Entries::default();
        let mut grew = 0;
        for number in 0..100_000 {
            let (before, announced) = (entries.bytes(), entries.growth_bytes());
            entries.add(Entry::new(EntryKind::Watcher, number, Term::NONE));
            if number > 5000 && entries.bytes() > before {
                grew += 1;
                assert!(
                    announced > entries.bytes() - before,
                    "{number}: {announced}"
                );
            }
        }
        assert!(grew > 4);
    }

    #[test]
    fn the_first_two_relations_take_one_small_block() {
        let mut entries = Entries::default();
        entries.add(Entry::new(EntryKind::Link, 0, Term::local_pid(1, 0)));
        entries.add(Entry::new(EntryKind::Watcher, 1, Term::local_pid(1, 0)));
        assert_eq!(entries.bytes(), 64);
    }
}
