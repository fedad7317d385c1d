//! The relations of all channels, by their handles.
//!
//! ```text
//!  59                33 32                 4 3      0
//! ┌────────────────────┬────────────────────┬────────┐
//! │     generation     │        slot        │ shard  │
//! └────────────────────┴────────────────────┴────────┘
//! ```
//!
//! A slot counts the relations that it has held, so a handle is not used again (before that count has gone round).
//! Slots are divided among shards, so that threads seldom wait for each other. Any thread may call.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use layout::Term;
use parking_lot::{Mutex, MutexGuard};

use super::Relation;

const SHARD_BITS: u32 = 4;
const SLOT_BITS: u32 = 29;
const GENERATIONS: u64 = 1 << (60 - 1 - SHARD_BITS - SLOT_BITS);

struct Slot {
    generation: u32,
    relation: Option<Arc<Relation>>,
}

struct Shard {
    slots: Vec<Slot>,
    free: Vec<u32>,
}

#[repr(align(128))]
struct Locked(Mutex<Shard>);

static SHARDS: [Locked; 1 << SHARD_BITS] = [const {
    Locked(Mutex::new(Shard {
        slots: Vec::new(),
        free: Vec::new(),
    }))
}; 1 << SHARD_BITS];

/// The shard of the next relation.
static NEXT: AtomicUsize = AtomicUsize::new(0);

struct Place {
    shard: usize,
    slot: usize,
    generation: u32,
}

fn place(handle: Term) -> Place {
    let bits = handle.as_small().expect("a handle") as u64;
    Place {
        shard: bits as usize & ((1 << SHARD_BITS) - 1),
        slot: (bits >> SHARD_BITS) as usize & ((1 << SLOT_BITS) - 1),
        generation: (bits >> (SHARD_BITS + SLOT_BITS)) as u32,
    }
}

/// Adds a relation, which is made with its handle.
pub(super) fn add(make: impl FnOnce(Term) -> Relation) -> Arc<Relation> {
    let number = NEXT.fetch_add(1, Ordering::Relaxed) % SHARDS.len();
    let mut shard = SHARDS[number].0.lock();
    let slot = shard.free.pop().map_or_else(
        || {
            shard.slots.push(Slot {
                generation: 0,
                relation: None,
            });
            shard.slots.len() - 1
        },
        |slot| slot as usize,
    );
    assert!(slot < 1 << SLOT_BITS, "{slot} relations in a shard");
    let place = &mut shard.slots[slot];
    let bits = u64::from(place.generation) << (SHARD_BITS + SLOT_BITS);
    let bits = bits | (slot as u64) << SHARD_BITS | number as u64;
    let relation = Arc::new(make(Term::small(bits as i64)));
    place.relation = Some(relation.clone());
    relation
}

/// The relation with a handle, if it is there.
pub(super) fn find(handle: Term) -> Option<Arc<Relation>> {
    Some(Found::lock(handle)?.relation().clone())
}

/// A relation, while its shard is locked.
pub(super) struct Found {
    shard: MutexGuard<'static, Shard>,
    slot: usize,
}

impl Found {
    pub(super) fn lock(handle: Term) -> Option<Found> {
        let Place {
            shard,
            slot,
            generation,
        } = place(handle);
        let shard = SHARDS[shard].0.lock();
        let found = shard.slots.get(slot)?;
        let is_it = found.generation == generation && found.relation.is_some();
        is_it.then_some(Found { shard, slot })
    }

    pub(super) fn relation(&self) -> &Arc<Relation> {
        let relation = self.shard.slots[self.slot].relation.as_ref();
        relation.expect("it was found")
    }

    /// Removes the relation; its handle is not one any more.
    pub(super) fn remove(mut self) -> Arc<Relation> {
        let slot = &mut self.shard.slots[self.slot];
        slot.generation = (u64::from(slot.generation + 1) % GENERATIONS) as u32;
        let relation = slot.relation.take();
        self.shard.free.push(self.slot as u32);
        relation.expect("it was found")
    }
}
