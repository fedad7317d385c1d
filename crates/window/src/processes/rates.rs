//! How fast a number of each process changes: what it was in the walk before, in one word for each place in the
//! process table, while a table is sorted by such a rate.
//!
//! ```text
//! bits 0-27   the number, in units, modulo 2^28 - 1, plus 1; 0: the place was empty
//! bits 28-31  the low bits of the pid's serial, so that a later process in the same place is not taken for the same
//! ```

use std::time::{Duration, Instant};

use layout::Term;
use runtime::process::Process;

use super::row;

/// What is counted, by its unit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Counted {
    /// In units of 32: so they do not wrap within 8 thousand million, which no process does between two walks that are
    /// compared.
    Reductions,
    Messages,
}

const SERIAL_SHIFT: u32 = 28;
const MODULUS: u64 = (1 << SERIAL_SHIFT) - 1;
/// A walk is not compared with one that is longer ago.
const LONGEST: Duration = Duration::from_secs(15);
/// Rates over less time than this tell little.
pub(super) const SHORTEST: Duration = Duration::from_millis(300);

impl Counted {
    /// The number of a process.
    pub(super) fn of(self, process: &Process) -> u64 {
        match self {
            Counted::Reductions => process.reductions,
            Counted::Messages => row::messages(process),
        }
    }

    fn units(self, number: u64) -> u64 {
        match self {
            Counted::Reductions => number / 32,
            Counted::Messages => number.min(MODULUS - 1),
        }
    }
}

/// The numbers of a walk.
pub(super) struct Before {
    pub counted: Counted,
    /// When the walk began that filled it.
    pub at: Instant,
    marks: Vec<u32>,
    per_second: f64,
}

impl Before {
    pub(super) fn new(counted: Counted) -> Before {
        Before {
            counted,
            at: Instant::now(),
            marks: Vec::new(),
            per_second: 0.0,
        }
    }

    /// Whether it is of use at this time.
    pub(super) fn is_fresh(&self, now: Instant) -> bool {
        !self.marks.is_empty() && now.duration_since(self.at) < LONGEST
    }

    /// Begins another walk.
    pub(super) fn begin(&mut self, now: Instant) {
        self.per_second = 1.0 / now.duration_since(self.at).as_secs_f64().max(0.001);
        self.at = now;
    }

    /// Notes the number of a process; returns by how much it has changed since the walk before in a second, if the
    /// process was there.
    #[inline]
    pub(super) fn note(&mut self, pid: Term, number: u64) -> Option<f64> {
        let place = pid.identifier_index() as usize;
        if place >= self.marks.len() {
            // Zeroed pages that are not touched take no memory.
            let length = (place + 1).next_power_of_two();
            let mut marks = vec![0; length];
            marks[..self.marks.len()].copy_from_slice(&self.marks);
            self.marks = marks;
        }
        let units = self.counted.units(number);
        let serial = pid.identifier_serial() << SERIAL_SHIFT;
        let mark = serial | (1 + (units % MODULUS) as u32);
        let before = std::mem::replace(&mut self.marks[place], mark);
        let was_there = before != 0 && before >> SERIAL_SHIFT == mark >> SERIAL_SHIFT;
        was_there.then(|| self.change(before, mark) * self.per_second)
    }

    fn change(&self, before: u32, now: u32) -> f64 {
        let [before, now] = [before, now].map(|mark| u64::from(mark) & MODULUS);
        match self.counted {
            Counted::Reductions => ((now + MODULUS - before) % MODULUS * 32) as f64,
            Counted::Messages => now as f64 - before as f64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_that_of_the_same_process() {
        let start = Instant::now();
        let mut before = Before::new(Counted::Reductions);
        before.begin(start);
        let pid = Term::local_pid(5, 1);
        assert_eq!(before.note(pid, 320), None);
        before.begin(start + Duration::from_secs(2));
        let rate = before.note(pid, 320 + 64_000).unwrap();
        assert!((rate - 32_000.0).abs() < 1.0, "{rate}");
        // Another process has the place, and its number is smaller.
        before.begin(start + Duration::from_secs(4));
        assert_eq!(before.note(Term::local_pid(5, 2), 32), None);
        assert_eq!(before.note(Term::local_pid(100_000, 0), 32), None);
    }

    #[test]
    fn reductions_wrap_and_queues_shrink() {
        let start = Instant::now();
        let pid = Term::local_pid(0, 0);
        let mut reductions = Before::new(Counted::Reductions);
        reductions.begin(start);
        reductions.note(pid, MODULUS * 32 - 320);
        reductions.begin(start + Duration::from_secs(1));
        let rate = reductions.note(pid, MODULUS * 32 + 320).unwrap();
        assert!((rate - 640.0).abs() < 1.0, "{rate}");
        let mut messages = Before::new(Counted::Messages);
        messages.begin(start);
        messages.note(pid, 1_000);
        messages.begin(start + Duration::from_secs(1));
        let rate = messages.note(pid, 400).unwrap();
        assert!((rate + 600.0).abs() < 1.0, "{rate}");
        messages.begin(start + Duration::from_secs(2));
        assert!(messages.note(pid, u64::MAX).unwrap() > 2e8);
    }
}
