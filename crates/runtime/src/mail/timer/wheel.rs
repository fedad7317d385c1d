//! A hierarchical timing wheel (Varghese and Lauck): eight levels of 64 slots.
//!
//! Level `l` holds timers whose tick and the current tick differ in the `l`-th group of six bits (from the lowest), but
//! in no higher group. When time reaches a slot of a higher level, its timers move to lower levels. Each slot is a
//! doubly-linked list of entries in a slab, so inserting and removing take constant time; a bit mask per level finds
//! the next occupied slot.
//!
//! An entry may also be added without reading a clock, for so many ticks. It is not under way until the next `expire`,
//! which knows the time.
//!
//! A million timers may be due at the same tick. `expire` hands out so many at once as its caller can take; the others
//! stay, in the order in which they were due, and may still be removed.

use std::collections::VecDeque;

use crate::process::timer_key::Key;

const BITS: u32 = 6;
const SLOTS: usize = 1 << BITS;
const LEVELS: usize = 8;
const NONE: u32 = u32::MAX;

struct Entry<T> {
    value: Option<T>,
    tick: i64,
    generation: u32,
    /// Neighbours in the slot's list; in a free entry, `next` is the next free one.
    previous: u32,
    next: u32,
    /// [`NOT_UNDER_WAY`] or [`DUE`] if it is in no slot.
    level: u8,
    slot: u8,
}

/// The level of entries whose time is not known yet; their `tick` is the number of ticks that they take.
const NOT_UNDER_WAY: u8 = LEVELS as u8;
/// The level of entries that are due, and in no slot any more.
const DUE: u8 = NOT_UNDER_WAY + 1;

/// The earliest entry of a slot is looked for among at most so many: who sleeps until the next one should not wake for
/// each level on its way down, but where there are many timers others wake it anyway.
const MOST_LOOKED_AT: usize = 16;

/// Room for so many that are due is kept.
const DUE_KEPT: usize = 1 << 12;

/// See the module's documentation. Ticks may count from any origin.
pub(super) struct Wheel<T> {
    entries: Vec<Entry<T>>,
    free: u32,
    heads: [[u32; SLOTS]; LEVELS],
    occupied: [u64; LEVELS],
    /// The entries that are not under way, the newest first.
    waiting: u32,
    /// The entries that are due, the earliest first. Those that were removed since are still here.
    due: VecDeque<Key>,
    now: i64,
    len: usize,
}

impl<T> Wheel<T> {
    pub(super) fn new(now: i64) -> Wheel<T> {
        Wheel {
            entries: Vec::new(),
            free: NONE,
            heads: [[NONE; SLOTS]; LEVELS],
            occupied: [0; LEVELS],
            waiting: NONE,
            due: VecDeque::new(),
            now,
            len: 0,
        }
    }

    /// Adds a value at a tick; if that is in the past, it is due at the next `expire`.
    pub(super) fn insert(&mut self, tick: i64, value: T) -> Key {
        let key = self.fill_entry(tick, value);
        self.link(key.index);
        key
    }

    /// Adds a value that is due when so many ticks have passed after the next `expire`.
    pub(super) fn insert_waiting(&mut self, ticks: i64, value: T) -> Key {
        let key = self.fill_entry(ticks, value);
        self.push(key.index, self.waiting);
        self.entries[key.index as usize].level = NOT_UNDER_WAY;
        self.waiting = key.index;
        key
    }

    fn fill_entry(&mut self, tick: i64, value: T) -> Key {
        let index = self.take_entry();
        let entry = &mut self.entries[index as usize];
        entry.value = Some(value);
        entry.tick = tick;
        self.len += 1;
        let generation = entry.generation;
        Key { index, generation }
    }

    /// Removes a value before it is due.
    pub(super) fn remove(&mut self, key: Key) -> Option<T> {
        let entry = self.entries.get(key.index as usize)?;
        if entry.generation != key.generation || entry.value.is_none() {
            return None;
        }
        if entry.level != DUE {
            self.unlink(key.index);
        }
        self.give_entry(key.index)
    }

    /// The ticks that an entry has left.
    pub(super) fn left(&self, key: Key, now: i64) -> Option<i64> {
        let entry = self.entries.get(key.index as usize)?;
        if entry.generation != key.generation || entry.value.is_none() {
            return None;
        }
        if entry.level == NOT_UNDER_WAY {
            return Some(entry.tick);
        }
        Some(entry.tick.saturating_sub(now).max(0))
    }

    /// Removes values due at `now` or before, the earliest `most` of them, and adds them with their keys to `due` in
    /// order of ticks. Lets those that waited begin; tick `now` may have passed in part, so it counts for none of
    /// theirs.
    pub(super) fn expire(&mut self, now: i64, most: usize, due: &mut Vec<(Key, T)>) {
        self.find_due(now);
        let waiting = std::mem::replace(&mut self.waiting, NONE);
        for index in self.oldest_first(waiting) {
            let entry = &mut self.entries[index as usize];
            entry.tick = entry.tick.saturating_add(now + 1);
            self.link(index);
        }
        while due.len() < most {
            let Some(key) = self.due.pop_front() else {
                break;
            };
            if self.entries[key.index as usize].generation == key.generation {
                due.extend(self.give_entry(key.index).map(|value| (key, value)));
            }
        }
        if self.due.is_empty() {
            self.due.shrink_to(DUE_KEPT);
        }
    }

    /// Whether some are due already that [`Wheel::expire`] has left.
    pub(super) fn has_due(&self) -> bool {
        !self.due.is_empty()
    }

    /// Moves what is due at `now` or before from its slots to `due`.
    fn find_due(&mut self, now: i64) {
        while let Some((level, slot, tick)) = self.next_slot() {
            if tick > now {
                break;
            }
            self.now = self.now.max(tick);
            let list = std::mem::replace(&mut self.heads[level][slot], NONE);
            self.occupied[level] &= !(1 << slot);
            for index in self.oldest_first(list) {
                let entry = &mut self.entries[index as usize];
                if entry.tick <= self.now {
                    entry.level = DUE;
                    let generation = entry.generation;
                    self.due.push_back(Key { index, generation });
                } else {
                    self.link(index);
                }
            }
        }
        self.now = self.now.max(now);
    }

    /// The entries of a list, which has the newest first: those of one tick must expire in the order in which they were
    /// added.
    fn oldest_first(&self, mut index: u32) -> impl Iterator<Item = u32> + use<T> {
        let mut indexes = Vec::new();
        while index != NONE {
            indexes.push(index);
            index = self.entries[index as usize].next;
        }
        indexes.into_iter().rev()
    }

    /// How many are under way.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Ticks and values of all that is under way, in no particular order.
    pub(super) fn iter(&self) -> impl Iterator<Item = (i64, &T)> {
        self.entries
            .iter()
            .filter(|entry| entry.level != NOT_UNDER_WAY)
            .filter_map(|entry| Some((entry.tick, entry.value.as_ref()?)))
    }

    /// A tick at which `expire` has something to do: not after the earliest entry that is under way, and the same where
    /// few are.
    pub(super) fn next_tick(&self) -> Option<i64> {
        if self.has_due() {
            return Some(self.now);
        }
        let (level, slot, begins) = self.next_slot()?;
        if level == 0 {
            return Some(begins);
        }
        let mut earliest = i64::MAX;
        let mut index = self.heads[level][slot];
        for _ in 0..MOST_LOOKED_AT {
            let entry = &self.entries[index as usize];
            earliest = earliest.min(entry.tick);
            index = entry.next;
            if index == NONE {
                return Some(earliest.max(begins));
            }
        }
        Some(begins)
    }

    fn next_slot(&self) -> Option<(usize, usize, i64)> {
        if self.len == 0 {
            return None;
        }
        // The lowest occupied level holds the earliest entry: entries of higher levels differ in higher bits.
        (0..LEVELS)
            .find(|&level| self.occupied[level] != 0)
            .map(|level| {
                let shift = BITS * level as u32;
                let position = (self.now >> shift) as usize % SLOTS;
                let ahead = self.occupied[level]
                    .rotate_right(position as u32)
                    .trailing_zeros() as usize;
                let slot = (position + ahead) % SLOTS;
                let group = self.now >> shift;
                let tick = (group + ahead as i64) << shift;
                (level, slot, tick.max(self.now))
            })
    }

    fn link(&mut self, index: u32) {
        debug_assert!(self.entries[index as usize].value.is_some());
        let tick = self.entries[index as usize].tick.max(self.now);
        let differing = (tick ^ self.now) as u64;
        let highest = 63 - (differing | 1).leading_zeros();
        let level = ((highest / BITS) as usize).min(LEVELS - 1);
        // A timer beyond the range of the last level goes into that level's farthest slot, and is linked again when
        // time reaches it.
        let shift = BITS * level as u32;
        let farthest = (self.now >> shift) + SLOTS as i64 - 1;
        let slot = (tick >> shift).min(farthest) as usize % SLOTS;
        self.push(index, self.heads[level][slot]);
        let entry = &mut self.entries[index as usize];
        entry.level = level as u8;
        entry.slot = slot as u8;
        self.heads[level][slot] = index;
        self.occupied[level] |= 1 << slot;
    }

    /// Puts an entry in front of the list that begins at `head`.
    fn push(&mut self, index: u32, head: u32) {
        if head != NONE {
            self.entries[head as usize].previous = index;
        }
        let entry = &mut self.entries[index as usize];
        entry.previous = NONE;
        entry.next = head;
    }

    fn unlink(&mut self, index: u32) {
        let entry = &self.entries[index as usize];
        let (previous, next) = (entry.previous, entry.next);
        let (level, slot) = (entry.level as usize, entry.slot as usize);
        if next != NONE {
            debug_assert_eq!(self.entries[next as usize].previous, index);
            self.entries[next as usize].previous = previous;
        }
        debug_assert!(previous == NONE || self.entries[previous as usize].next == index);
        if previous != NONE {
            self.entries[previous as usize].next = next;
        } else if level == usize::from(NOT_UNDER_WAY) {
            self.waiting = next;
        } else {
            self.heads[level][slot] = next;
            if next == NONE {
                self.occupied[level] &= !(1 << slot);
            }
        }
    }

    fn take_entry(&mut self) -> u32 {
        if self.free != NONE {
            let index = self.free;
            self.free = self.entries[index as usize].next;
            return index;
        }
        let index = u32::try_from(self.entries.len()).expect("fewer than 2^32 timers");
        self.entries.push(Entry {
            value: None,
            tick: 0,
            generation: 0,
            previous: NONE,
            next: NONE,
            level: 0,
            slot: 0,
        });
        index
    }

    fn give_entry(&mut self, index: u32) -> Option<T> {
        let entry = &mut self.entries[index as usize];
        debug_assert!(
            entry.value.is_some() && self.len > 0,
            "a free entry is freed"
        );
        entry.generation = entry.generation.wrapping_add(1);
        entry.next = self.free;
        self.free = index;
        self.len -= 1;
        entry.value.take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn random(seed: &mut u64) -> u64 {
        *seed ^= *seed << 13;
        *seed ^= *seed >> 7;
        *seed ^= *seed << 17;
        *seed
    }

    #[test]
    fn what_waits_is_under_way_since_the_next_expiry() {
        let mut wheel = Wheel::new(100);
        let keys: Vec<Key> = (0..6)
            .map(|number| wheel.insert_waiting(10, number))
            .collect();
        for at in [5, 2, 0] {
            assert_eq!(wheel.remove(keys[at]), Some(at));
            assert_eq!(wheel.remove(keys[at]), None);
        }
        assert_eq!((wheel.next_tick(), wheel.iter().count()), (None, 0));
        let left = |wheel: &Wheel<usize>, now| [0, 1].map(|at| wheel.left(keys[at], now));
        assert_eq!(left(&wheel, 150), [None, Some(10)]);
        let mut due = Vec::new();
        let mut expire = |wheel: &mut Wheel<usize>, now| {
            wheel.expire(now, usize::MAX, &mut due);
            due.drain(..).map(|(_, number)| number).collect::<Vec<_>>()
        };
        assert!(expire(&mut wheel, 200).is_empty());
        assert!(wheel.next_tick().is_some_and(|tick| tick <= 211));
        assert_eq!(left(&wheel, 205), [None, Some(6)]);
        let last = wheel.insert_waiting(0, 6);
        assert_eq!(wheel.remove(keys[3]), Some(3));
        assert!(expire(&mut wheel, 210).is_empty());
        assert_eq!(expire(&mut wheel, 211), [1, 4, 6]);
        assert_eq!(wheel.remove(last), None);
        assert_eq!(wheel.next_tick(), None);
    }

    #[test]
    fn timers_run_out_at_their_tick_in_order_and_never_when_cancelled() {
        let mut seed = 0x9e37_79b9_7f4a_7c15;
        for start in [0_i64, 63, 64, 4095, -5000, 1 << 40] {
            let mut wheel = Wheel::new(start);
            let mut now = start;
            let mut live: Vec<(i64, u64, Key)> = Vec::new();
            let mut exact = 0;
            for number in 0..if cfg!(miri) { 200 } else { 20_000_u64 } {
                match random(&mut seed) % 4 {
                    0 | 1 => {
                        let span = 1_u64 << (random(&mut seed) % 30);
                        let tick = now + (random(&mut seed) % span) as i64;
                        let key = wheel.insert(tick, (tick, number));
                        live.push((tick, number, key));
                    }
                    2 if !live.is_empty() => {
                        let at = random(&mut seed) as usize % live.len();
                        let (tick, number, key) = live.swap_remove(at);
                        assert_eq!(wheel.remove(key), Some((tick, number)));
                        assert_eq!(wheel.remove(key), None);
                    }
                    _ => {
                        now += (random(&mut seed) % (1 << (random(&mut seed) % 16))) as i64;
                        let most = 1 + random(&mut seed) as usize % 50;
                        let mut due = Vec::new();
                        loop {
                            let mut part = Vec::new();
                            wheel.expire(now, most, &mut part);
                            let is_last = !wheel.has_due();
                            assert!(part.len() == most || is_last && part.len() < most);
                            due.append(&mut part);
                            if is_last {
                                break;
                            }
                            assert!(wheel.next_tick().is_some_and(|tick| tick <= now));
                            // What is due may still be cancelled, and more may become due.
                            let at = random(&mut seed) as usize % live.len().max(1);
                            let Some(&(tick, number, key)) = live.get(at) else {
                                continue;
                            };
                            if let Some(removed) = wheel.remove(key) {
                                assert_eq!(removed, (tick, number));
                                live.swap_remove(at);
                            }
                        }
                        assert!(due.is_sorted_by_key(|(_, (tick, _))| *tick), "{due:?}");
                        let mut expected = Vec::new();
                        live.retain(|&(tick, number, key)| {
                            if tick <= now {
                                expected.push((key, (tick, number)));
                            }
                            tick > now
                        });
                        due.sort_by_key(|(_, (_, number))| *number);
                        expected.sort_by_key(|(_, (_, number))| *number);
                        assert_eq!(due, expected);
                        let earliest = live.iter().map(|(tick, _, _)| *tick).min();
                        assert_eq!(wheel.next_tick().is_some(), earliest.is_some());
                        assert!(wheel.next_tick() <= earliest);
                        if live.len() <= MOST_LOOKED_AT {
                            assert_eq!(wheel.next_tick(), earliest);
                            exact += 1;
                        }
                    }
                }
            }
            assert!(exact > 0, "few timers were under way at some time");
        }
    }
}
