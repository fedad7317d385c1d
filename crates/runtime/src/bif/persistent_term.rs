//! Persistent terms: read without copying, replaced seldom.
//!
//! A value lives in a literal area of its own. When it is replaced or erased the area is kept until
//! processes have given its terms up (see `code::purge`), since any heap may point into it.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use layout::Term;
use parking_lot::RwLock;
use term::copy::Owned;
use term::{am, build, compare, hash, map};

use super::{BifResult, badarg};
use crate::code::literals::{self, Area};
use crate::code::purge;
use crate::process::Process;

struct Entry {
    key: Term,
    value: Term,
    _area: Arc<Area>,
}

#[derive(Default)]
struct Table {
    by_hash: HashMap<u32, Vec<Entry>>,
    count: usize,
    words: usize,
}

// SAFETY: keys and values are literals, which nobody changes.
unsafe impl Send for Table {}
// SAFETY: as above.
unsafe impl Sync for Table {}

static TABLE: LazyLock<RwLock<Table>> = LazyLock::new(RwLock::default);

impl Table {
    fn find(&self, key: Term) -> Option<Term> {
        let entries = self.by_hash.get(&hash::phash2(key))?;
        entries
            .iter()
            .find(|entry| compare::eq_exact(entry.key, key))
            .map(|entry| entry.value)
    }

    fn remove(&mut self, key: Term) -> bool {
        let hash = hash::phash2(key);
        let Some(entries) = self.by_hash.get_mut(&hash) else {
            return false;
        };
        let Some(at) = entries
            .iter()
            .position(|entry| compare::eq_exact(entry.key, key))
        else {
            return false;
        };
        let entry = entries.swap_remove(at);
        if entries.is_empty() {
            self.by_hash.remove(&hash);
        }
        self.count -= 1;
        self.words -= entry._area.words;
        purge::free_value(entry._area);
        true
    }
}

/// `persistent_term:put(Key, Value)`
pub fn put_2(_process: &mut Process, [key, value]: [Term; 2]) -> BifResult {
    let mut table = TABLE.write();
    if table
        .find(key)
        .is_some_and(|before| compare::eq_exact(before, value))
    {
        return Ok(am::OK);
    }
    let (area, literals) = literals::make(&[key, value]).ok_or(super::system_limit())?;
    table.remove(key);
    let words = area.words;
    let entry = Entry {
        key: literals[0],
        value: literals[1],
        _area: Arc::new(area),
    };
    table
        .by_hash
        .entry(hash::phash2(key))
        .or_default()
        .push(entry);
    table.count += 1;
    table.words += words;
    Ok(am::OK)
}

/// `persistent_term:get(Key)`
pub fn get_1(_process: &mut Process, [key]: [Term; 1]) -> BifResult {
    TABLE.read().find(key).ok_or(badarg(1))
}

/// `persistent_term:get(Key, Default)`
pub fn get_2(_process: &mut Process, [key, default]: [Term; 2]) -> BifResult {
    Ok(TABLE.read().find(key).unwrap_or(default))
}

/// `persistent_term:get()`
pub fn get_0(process: &mut Process, []: [Term; 0]) -> BifResult {
    let table = TABLE.read();
    let heap = process.heap();
    let pairs: Vec<Term> = table
        .by_hash
        .values()
        .flatten()
        .map(|entry| build::tuple(heap, &[entry.key, entry.value]))
        .collect();
    Ok(build::list(heap, &pairs))
}

/// Keys and values; `None` when the table cannot be had so soon.
#[must_use]
pub fn all_within(patience: Duration) -> Option<Vec<(Term, Term)>> {
    let table = TABLE.try_read_for(patience)?;
    let entries = table.by_hash.values().flatten();
    Some(entries.map(|entry| (entry.key, entry.value)).collect())
}

/// `persistent_term:erase(Key)`
pub fn erase_1(_process: &mut Process, [key]: [Term; 1]) -> BifResult {
    Ok(am::boolean(TABLE.write().remove(key)))
}

/// `persistent_term:info()`
pub fn info_0(process: &mut Process, []: [Term; 0]) -> BifResult {
    let table = TABLE.read();
    let count = Term::small(table.count as i64);
    let memory = Term::small((table.words * 8 + table.count * size_of::<Entry>()) as i64);
    Ok(map::from_pairs(
        process.heap(),
        &[(am::COUNT, count), (am::MEMORY, memory)],
    ))
}

/// `erts_internal:erase_persistent_terms()`
pub fn erase_persistent_terms_0(_process: &mut Process, []: [Term; 0]) -> BifResult {
    let mut table = TABLE.write();
    let keys: Vec<Owned> = table
        .by_hash
        .values()
        .flatten()
        .map(|entry| Owned::new(entry.key))
        .collect();
    for key in keys {
        table.remove(key.term());
    }
    Ok(am::OK)
}
