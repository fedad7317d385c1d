//! The slots of a hash table in which objects are only marked as deleted.
//!
//! A few are listed. Many have a bit each: the same keys may come and go for as long as the table is fixed, and noting
//! a slot once more must neither take longer nor need more memory. The number of the table's slots stays the same while
//! any are noted. The caller holds the lock of the part, exclusively.

/// So many slots are listed at most.
const LISTED: usize = 1024;

#[derive(Default)]
pub(super) struct Marked {
    listed: Vec<usize>,
    /// A bit for each slot of the table; empty while slots are listed.
    bits: Vec<u64>,
    /// In all words of `bits` before this one, no bit is set.
    from: usize,
}

impl Marked {
    /// Whether no slots are noted. If it is false, there may be none left all the same: [`Marked::take`] finds out.
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.listed.is_empty() && self.bits.is_empty()
    }

    /// Notes a slot of a table whose last slot is at most `last`.
    pub(super) fn note(&mut self, slot: usize, last: usize) {
        debug_assert!(slot <= last);
        if self.bits.is_empty() {
            if self.listed.last() == Some(&slot) {
                return;
            }
            if self.listed.len() < LISTED || self.forget_doubles() {
                return self.listed.push(slot);
            }
            self.bits = vec![0; last / 64 + 1];
            for slot in std::mem::take(&mut self.listed) {
                self.set(slot);
            }
        }
        self.set(slot);
    }

    /// Lists each slot once; returns whether many more can be listed then.
    #[cold]
    fn forget_doubles(&mut self) -> bool {
        self.listed.sort_unstable();
        self.listed.dedup();
        self.listed.len() <= LISTED / 2
    }

    fn set(&mut self, slot: usize) {
        let word = slot / 64;
        self.bits[word] |= 1 << (slot % 64);
        self.from = self.from.min(word);
    }

    /// Takes out a slot; `None` if none are left. One that was noted more than once may come more than once.
    pub(super) fn take(&mut self) -> Option<usize> {
        if let Some(slot) = self.listed.pop() {
            return Some(slot);
        }
        for word in &mut self.bits[self.from..] {
            if *word != 0 {
                let bit = word.trailing_zeros() as usize;
                *word &= *word - 1;
                return Some(self.from * 64 + bit);
            }
            self.from += 1;
        }
        *self = Marked::default();
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(marked: &mut Marked) -> Vec<usize> {
        let mut all: Vec<usize> = std::iter::from_fn(|| marked.take()).collect();
        all.sort_unstable();
        all.dedup();
        assert!(marked.is_empty());
        all
    }

    #[test]
    fn every_slot_is_taken_however_many_there_are() {
        for count in [1, 2, LISTED / 2, LISTED, LISTED + 1, 10 * LISTED] {
            let mut marked = Marked::default();
            let slots = (0..count).map(|number| number * 7);
            for slot in slots.clone().chain(slots.clone().rev()) {
                marked.note(slot, count * 7);
            }
            assert_eq!(taken(&mut marked), slots.collect::<Vec<_>>(), "{count}");
        }
    }

    #[test]
    fn the_same_slots_need_no_more_room() {
        let mut marked = Marked::default();
        for number in 0..100 * LISTED {
            marked.note(number % 100, 1 << 30);
        }
        assert!(marked.listed.capacity() <= 2 * LISTED && marked.bits.is_empty());
        assert_eq!(taken(&mut marked).len(), 100);
    }

    #[test]
    fn what_is_noted_while_others_are_taken_is_taken_too() {
        let mut marked = Marked::default();
        let last = 4 * LISTED;
        (0..=last).for_each(|slot| marked.note(slot, last));
        for _ in 0..last / 2 {
            assert!(marked.take().is_some());
        }
        marked.note(3, last);
        let left = taken(&mut marked);
        assert_eq!(left.len(), last / 2 + 2);
        assert_eq!(left.first(), Some(&3));
    }
}
