//! How often a thread has waited for work in a loop in vain, which says whether to do so again.
//!
//! Under light load, and where processors are busy, a thread that waits in a loop after each piece of work would wait
//! longer than it works: of a node that answered 32 connections a second this took a fifth of the processor time. Only
//! the thread that waits uses its counts.

use std::cell::Cell;

/// After so many in vain most are left out.
pub(crate) const MOST: u8 = 16;

/// How many waits of a kind were in vain since one was not.
pub(crate) struct InVain {
    count: Cell<u8>,
    /// Of those that could be left out, one in so many is made.
    attempted: u8,
}

impl InVain {
    pub(crate) const fn new(attempted: u8) -> InVain {
        InVain {
            count: Cell::new(0),
            attempted,
        }
    }

    /// Whether to wait in a loop now.
    pub(crate) fn is_attempted(&self) -> bool {
        let count = self.count.get();
        let is_attempted = count < MOST || count.is_multiple_of(self.attempted);
        if !is_attempted {
            self.one_more();
        }
        is_attempted
    }

    /// Such a wait was attempted, and has ended.
    pub(crate) fn ended(&self, found: bool) {
        match found {
            true => self.count.set(0),
            false => self.one_more(),
        }
    }

    /// What the number says is whether there were many.
    fn one_more(&self) {
        self.count
            .update(|count| count.checked_add(1).unwrap_or(MOST));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_in_vain_become_rare_and_one_that_was_not_brings_them_back() {
        let waits = InVain::new(8);
        let attempts = |count: usize| {
            let made = |_: &usize| {
                let is_attempted = waits.is_attempted();
                if is_attempted {
                    waits.ended(false);
                }
                is_attempted
            };
            (0..count).filter(made).count()
        };
        let most = usize::from(MOST);
        assert_eq!(attempts(most), most);
        let rare = attempts(10_000);
        assert!((10_000 / 8..=10_000 / 7).contains(&rare), "{rare}");
        while !waits.is_attempted() {}
        waits.ended(true);
        assert_eq!(attempts(most), most);
    }
}
