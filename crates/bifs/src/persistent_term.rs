//! Persistent terms: read without copying and without a lock, and rarely replaced.
//!
//! A hash table with open addressing, whose places point to immutable entries. Readers start at [`CURRENT`] and keep
//! what they find until the end of the slice. Writers exclude each other by [`WRITER`]. What they remove, entries and
//! whole tables, stays allocated until every scheduler has begun another slice (`epoch`).
//!
//! A value lives in its own literal area. When it is replaced or erased, the area is kept until no process refers to
//! its terms any more (see `code::literal_collector`), because any heap may point into it.

use std::mem::ManuallyDrop;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::time::Duration;

use layout::Term;
use parking_lot::Mutex;
use sys::memory::budget;
use term::copy::{self, Owned};
use term::{am, atom, build, compare, hash, map};

use runtime::code::bif::{BifResult, Failure, badarg, system_limit};
use runtime::code::literal_collector;
use runtime::code::literals::{self, Area};
use runtime::process::Process;
use runtime::process::epoch::{self, Pinned, Retired};

/// Places of the first table.
const FIRST_PLACES: usize = 64;

struct Entry {
    key: Term,
    value: Term,
    hash: u32,
    words: usize,
    /// Moved out when the entry is retired.
    area: ManuallyDrop<Area>,
}

// SAFETY: keys and values are literals, which are immutable.
unsafe impl Send for Entry {}
// SAFETY: as above.
unsafe impl Sync for Entry {}

/// Each place is null, which ends a search, or [`GONE`], or points to an entry. The number of places is a power of two,
/// and at least one place is null.
struct Table {
    places: Box<[AtomicPtr<Entry>]>,
}

/// The table that is in use; null before the first term.
static CURRENT: AtomicPtr<Table> = AtomicPtr::new(ptr::null_mut());
/// Entries and tables that were removed, kept until no reader can be using them.
static FORMER_ENTRIES: Retired<Box<Entry>> = Retired::new();
static FORMER_TABLES: Retired<Box<Table>> = Retired::new();
static WRITER: Mutex<Writer> = Mutex::new(Writer {
    count: 0,
    used: 0,
    words: 0,
    put_while_high: 0,
});

/// The state of writers; whoever changes the table holds its lock.
struct Writer {
    count: usize,
    /// Places that are not null.
    used: usize,
    words: usize,
    /// Terms that were put since the node came near the end of its memory.
    put_while_high: u32,
}

/// Takes the place of a removed entry, so that a search continues past it.
const GONE: *mut Entry = ptr::dangling_mut();

impl Table {
    fn new(places: usize) -> Table {
        Table {
            places: (0..places).map(|_| AtomicPtr::default()).collect(),
        }
    }

    /// The entry that a place points to.
    ///
    /// # Safety
    /// The pointer was read from a place of this table since the thread pinned it.
    #[inline]
    unsafe fn entry(&self, pointer: *mut Entry) -> Option<&Entry> {
        if pointer == GONE {
            return None;
        }
        // SAFETY: null, or a pointer to an entry, which stays allocated as long as the pin that the table was found by.
        unsafe { pointer.as_ref() }
    }

    /// The place of a key's entry; the error is the null place at which the search ended.
    #[inline]
    fn search(&self, key: Term, hash: u32) -> Result<(usize, &Entry), usize> {
        let mask = self.places.len() - 1;
        let mut place = hash as usize & mask;
        loop {
            let pointer = self.places[place].load(Ordering::Acquire);
            if pointer.is_null() {
                return Err(place);
            }
            // SAFETY: the pointer was just read from a place.
            if let Some(entry) = unsafe { self.entry(pointer) }
                && entry.hash == hash
                && compare::eq_exact(entry.key, key)
            {
                return Ok((place, entry));
            }
            place = (place + 1) & mask;
        }
    }

    fn entries(&self) -> impl Iterator<Item = &Entry> {
        // SAFETY: the pointer was just read from a place.
        let lead = |place: &AtomicPtr<Entry>| unsafe { self.entry(place.load(Ordering::Acquire)) };
        self.places.iter().filter_map(lead)
    }
}

/// The current table.
#[inline]
fn current(_pinned: Pinned<'_>) -> Option<&Table> {
    // SAFETY: a table that is replaced from now on stays allocated as long as the pin.
    unsafe { CURRENT.load(Ordering::Acquire).as_ref() }
}

/// The value of a key, which is a literal.
#[inline]
pub(crate) fn find(key: Term) -> Option<Term> {
    let hash = hash::internal(key, 0);
    epoch::with_pin(|pinned| {
        let (_, entry) = current(pinned)?.search(key, hash).ok()?;
        Some(entry.value)
    })
}

/// A table shrinks when less than one in so many places is in use.
const LEAST_LOAD: usize = 4;

/// The places of a new table for so many entries: at most half of them are in use, and unless it is small more than a
/// quarter.
fn places_for(entries: usize) -> usize {
    (entries * 2).next_power_of_two().max(FIRST_PLACES)
}

impl Writer {
    /// A table with room for one more entry.
    fn with_room<'p>(&mut self, pinned: Pinned<'p>) -> &'p Table {
        if let Some(table) = current(pinned)
            && (self.used + 1) * 2 <= table.places.len()
        {
            return table;
        }
        self.rebuild(pinned, places_for(self.count + 1))
    }

    /// Replaces the table by one with so many places, none of which is `GONE`.
    fn rebuild<'p>(&mut self, pinned: Pinned<'p>, places: usize) -> &'p Table {
        let table = Table::new(places);
        if let Some(old) = current(pinned) {
            for kept in old.entries() {
                if let Err(place) = table.search(kept.key, kept.hash) {
                    let kept = ptr::from_ref(kept).cast_mut();
                    table.places[place].store(kept, Ordering::Relaxed);
                }
            }
        }
        self.used = self.count;
        let fresh = Box::into_raw(Box::new(table));
        let old = CURRENT.swap(fresh, Ordering::AcqRel);
        if !old.is_null() {
            // SAFETY: it was allocated as the new table was, and nobody can find it any more.
            FORMER_TABLES.keep(unsafe { Box::from_raw(old) });
        }
        // SAFETY: the table stays allocated until it is replaced, and then as long as the pin.
        unsafe { &*fresh }
    }

    /// Retires an entry that no place points to any more.
    fn retire(&mut self, entry: &Entry) {
        self.count -= 1;
        self.words -= entry.words;
        // SAFETY: an entry is retired only once, and nobody else takes its area.
        let area = unsafe { ptr::read(&raw const *entry.area) };
        if entry.words > 0 {
            // All current readers of the entry's terms will have begun another slice before the area is freed.
            literal_collector::free_value(area);
        }
        let entry = ptr::from_ref(entry).cast_mut();
        // SAFETY: `put_term` allocated it with `Box::into_raw`, and no place points to it.
        FORMER_ENTRIES.keep(unsafe { Box::from_raw(entry) });
    }

    fn remove(&mut self, pinned: Pinned<'_>, key: Term) -> bool {
        let Some(table) = current(pinned) else {
            return false;
        };
        let Ok((place, entry)) = table.search(key, hash::internal(key, 0)) else {
            return false;
        };
        table.places[place].store(GONE, Ordering::Release);
        self.retire(entry);
        if table.places.len() > (self.count * LEAST_LOAD).max(FIRST_PLACES) {
            self.rebuild(pinned, places_for(self.count));
        }
        true
    }
}

/// `persistent_term:put(Key, Value)`
pub(crate) fn put_2(_process: &mut Process, [key, value]: [Term; 2]) -> BifResult {
    put_term(key, value, true)
}

/// `persistent_term:put_new(Key, Value)`: `badarg` if the key has another value.
pub(crate) fn put_new_2(_process: &mut Process, [key, value]: [Term; 2]) -> BifResult {
    put_term(key, value, false)
}

/// A value of at most this many words may still be put when the node is near the end of its memory: the logger puts
/// such ones when processes crash.
const SMALL_WORDS: usize = 64;

/// So many small ones may be put while the node stays near the end of its memory.
const MOST_SMALL: u32 = 1000;

impl Writer {
    /// Whether a term may be put. Nobody owns these terms, so nobody's end would give their memory back.
    fn may_put(&mut self, key: Term, value: Term) -> Result<(), Failure> {
        if !budget::is_high() {
            self.put_while_high = 0;
            return Ok(());
        }
        let words = [key, value].map(copy::size_with_literals);
        if words.into_iter().sum::<usize>() > SMALL_WORDS || self.put_while_high >= MOST_SMALL {
            return Err(system_limit());
        }
        self.put_while_high += 1;
        Ok(())
    }
}

fn put_term(key: Term, value: Term, may_replace: bool) -> BifResult {
    let mut writer = WRITER.lock();
    if let Some(before) = find(key) {
        if compare::eq_exact(before, value) {
            return Ok(am::OK);
        }
        if !may_replace {
            return Err(badarg(1));
        }
    }
    writer.may_put(key, value)?;
    let (area, literals) = literals::make_sharing(&[key, value]).ok_or(system_limit())?;
    let hash = hash::internal(key, 0);
    let words = area.words;
    let entry = Box::new(Entry {
        key: literals[0],
        value: literals[1],
        hash,
        words,
        area: ManuallyDrop::new(area),
    });
    let entry = Box::into_raw(entry);
    epoch::with_pin(|pinned| {
        let table = writer.with_room(pinned);
        match table.search(key, hash) {
            Ok((place, before)) => {
                table.places[place].store(entry, Ordering::Release);
                writer.retire(before);
            }
            Err(place) => {
                table.places[place].store(entry, Ordering::Release);
                writer.used += 1;
            }
        }
    });
    writer.count += 1;
    writer.words += words;
    Ok(am::OK)
}

/// `persistent_term:get(Key)`
pub(crate) fn get_1(_process: &mut Process, [key]: [Term; 1]) -> BifResult {
    find(key).ok_or(badarg(1))
}

/// `persistent_term:get(Key, Default)`
pub(crate) fn get_2(_process: &mut Process, [key, default]: [Term; 2]) -> BifResult {
    Ok(find(key).unwrap_or(default))
}

/// `persistent_term:get()`
pub(crate) fn get_0(process: &mut Process, []: [Term; 0]) -> BifResult {
    let heap = process.heap();
    Ok(epoch::with_pin(|pinned| {
        let entries = current(pinned).into_iter().flat_map(Table::entries);
        // The last place comes first, as in OTP.
        entries.fold(Term::NIL, |list, entry| {
            let pair = build::tuple(heap, &[entry.key, entry.value]);
            build::cons(heap, pair, list)
        })
    }))
}

/// All keys and values; `None` if the lock is not acquired within `patience`.
#[must_use]
pub fn all_within(patience: Duration) -> Option<Vec<(Term, Term)>> {
    let _writer = WRITER.try_lock_for(patience)?;
    Some(epoch::with_pin(|pinned| {
        let entries = current(pinned).into_iter().flat_map(Table::entries);
        entries.map(|entry| (entry.key, entry.value)).collect()
    }))
}

/// `persistent_term:erase(Key)`
pub(crate) fn erase_1(_process: &mut Process, [key]: [Term; 1]) -> BifResult {
    let removed = epoch::with_pin(|pinned| WRITER.lock().remove(pinned, key));
    Ok(am::boolean(removed))
}

/// The places of the current table.
fn places() -> usize {
    epoch::with_pin(|pinned| current(pinned).map_or(0, |table| table.places.len()))
}

/// `persistent_term:info()`
pub(crate) fn info_0(process: &mut Process, []: [Term; 0]) -> BifResult {
    let (count, words) = {
        let writer = WRITER.lock();
        (writer.count, writer.words)
    };
    let memory = (words + places()) * 8 + count * size_of::<Entry>();
    let pairs = [
        (am::COUNT, Term::small(count as i64)),
        (am::MEMORY, Term::small(memory as i64)),
    ];
    Ok(map::from_pairs(process.heap(), &pairs))
}

/// The number of places of the table, for `erts_debug`.
pub(crate) fn table_info(process: &mut Process) -> BifResult {
    let pairs = [(atom::known("table"), Term::small(places() as i64))];
    Ok(map::from_pairs(process.heap(), &pairs))
}

/// `erts_internal:erase_persistent_terms()`
pub(crate) fn erase_persistent_terms_0(_process: &mut Process, []: [Term; 0]) -> BifResult {
    let mut writer = WRITER.lock();
    epoch::with_pin(|pinned| {
        let keys: Vec<Owned> = current(pinned)
            .into_iter()
            .flat_map(Table::entries)
            .map(|entry| Owned::new(entry.key))
            .collect();
        for key in keys {
            writer.remove(pinned, key.term());
        }
    });
    Ok(am::OK)
}

#[cfg(test)]
mod tests {
    use layout::no_gc;
    use std::sync::atomic::AtomicBool;

    use super::*;
    use term::test_terms::Terms;

    fn pair(terms: &mut Terms, first: i64, second: i64) -> Term {
        build::tuple(terms.heap(), &[Term::small(first), Term::small(second)])
    }

    fn put(key: Term, value: Term) {
        assert!(put_term(key, value, true).is_ok(), "room for a literal");
    }

    #[test]
    fn readers_see_whole_terms_while_others_come_and_go() {
        const KEYS: i64 = 300;
        literals::create().expect("addresses");
        let mut terms = Terms::new();
        for number in 0..KEYS {
            let key = pair(&mut terms, number, 1);
            put(key, pair(&mut terms, number, 0));
        }
        let stop = AtomicBool::new(false);
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    let mut terms = Terms::new();
                    let keys: Vec<Term> = (0..2 * KEYS)
                        .map(|number| pair(&mut terms, number, 1))
                        .collect();
                    while !stop.load(Ordering::Relaxed) {
                        for (number, key) in keys.iter().enumerate() {
                            epoch::with_pin(|_| {
                                let value = find(*key);
                                assert!(value.is_some() || number as i64 >= KEYS);
                                let whose = value.map(|value| value.as_tuple(no_gc!()).unwrap()[0]);
                                assert!(
                                    whose.is_none_or(|whose| whose == Term::small(number as i64))
                                );
                            });
                        }
                    }
                });
            }
            for round in 1..40 {
                let mut terms = Terms::new();
                for number in 0..2 * KEYS {
                    let key = pair(&mut terms, number, 1);
                    put(key, pair(&mut terms, number, round));
                }
                for number in KEYS..2 * KEYS {
                    let key = pair(&mut terms, number, 1);
                    let remove = || epoch::with_pin(|pinned| WRITER.lock().remove(pinned, key));
                    assert!(remove());
                    assert!(!remove());
                }
            }
            stop.store(true, Ordering::Relaxed);
        });
        let all = all_within(Duration::from_secs(1)).expect("nobody changes it");
        assert_eq!(all.len(), KEYS as usize);
        let writer = WRITER.lock();
        assert_eq!(writer.count, KEYS as usize);
        // `{Key, 1}` and `{Key, Round}`.
        assert_eq!(writer.words, KEYS as usize * 6);
        let places = places();
        assert!(places <= 4096, "{places} places for {KEYS} terms");
    }
}
