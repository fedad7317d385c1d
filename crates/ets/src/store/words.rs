//! The words of a table as `ets:info(Table, memory)` reports them: those that OTP 25 would use for it.
//!
//! Programs compare tables by this figure and set limits by it, so it must not depend on our own layout
//! (`erlang:memory(ets)` has the bytes that are really used). The numbers here were read off running OTP nodes.
//! Compressed objects, funs, empty tuples and maps, and references of tables are counted with their sizes in this VM,
//! and fixing a table counts for nothing. Any thread may call.

use crate::options::{FIRST_SLOTS, TableKind, TableOptions, WriteConcurrency};

/// A hash table without objects, its first slots included.
const HASH: usize = 305;
/// An ordered set without objects, and one with write concurrency.
const ORDERED: usize = 139;
const ORDERED_IN_RANGES: usize = 99;
/// Locks of a hash table with write concurrency, unless another number is asked for.
pub(crate) const LOCKS: usize = 64;
const LOCK: usize = 16;
/// Added for having locks, however many.
const WITH_LOCKS: usize = 32;
/// Added for each lock with read concurrency.
const FOR_READERS: usize = 32;
const COUNTERS: usize = 34;
/// Words that an OTP object takes more than ours, and that one of an ordered set does.
pub(crate) const MORE: usize = 1;
pub(crate) const MORE_IN_ORDER: i64 = 2;
/// OTP adds this many slots at once.
const SEGMENT: usize = 2048;
/// Entries in the first table of segments; each further table has [`MORE_SEGMENTS`] more than the one before, which
/// is kept.
const SEGMENTS: usize = 256;
const MORE_SEGMENTS: usize = 128;
const HEAD_OF_SEGMENTS: usize = 6;

/// Words of a table without objects.
pub(crate) fn empty(options: &TableOptions, schedulers: usize) -> usize {
    let is_ordered = options.kind == TableKind::OrderedSet;
    let alone = if is_ordered { ORDERED } else { HASH };
    if schedulers == 1 {
        return alone;
    }
    let locks = match options.write_concurrency {
        WriteConcurrency::No => None,
        WriteConcurrency::Locks(count) => Some(count as usize),
        WriteConcurrency::Yes | WriteConcurrency::Auto => Some(LOCKS),
    };
    let (words, locks) = match locks {
        None => (alone, 1),
        Some(_) if is_ordered => (ORDERED_IN_RANGES, 1),
        Some(locks) => (alone + WITH_LOCKS + locks * LOCK, locks),
    };
    let readers = usize::from(options.read_concurrency) * locks * FOR_READERS;
    words + readers + usize::from(options.decentralized_counters) * COUNTERS
}

/// Words of the slots beyond the first ones.
pub(crate) fn of_slots(slots: usize) -> usize {
    let segments = slots.saturating_sub(FIRST_SLOTS).div_ceil(SEGMENT);
    if segments == 0 {
        return 0;
    }
    let mut words = segments * SEGMENT;
    let mut room = SEGMENTS;
    loop {
        words += room + HEAD_OF_SEGMENTS;
        // The first slots count as a segment.
        if segments < room {
            return words;
        }
        room += MORE_SEGMENTS;
    }
}

#[cfg(test)]
mod tests {
    use super::of_slots;

    #[test]
    fn slots_are_counted_as_otp_does() {
        for (slots, words) in [
            (256, 0),
            (257, 2310),
            (2304, 2310),
            (2305, 4358),
            (10_000, 10_502),
            (315_052, 315_654),
            (635_052, 635_532),
            (1_275_052, 1_277_720),
        ] {
            assert_eq!(of_slots(slots), words, "{slots}");
        }
    }
}
