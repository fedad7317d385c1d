//! Counts of durations in buckets of growing width, for quantiles of what happens often.
//!
//! Each doubling of the duration is cut into four buckets, so that a quantile is off by at most an eighth or so:
//!
//! ```text
//! bucket 0      less than 256 ns
//! 1 + 4 k + q   from (4 + q) / 4 * 2^(8 + k) ns on, for q of 0 to 3
//! the last      from 2^42 ns (73 minutes) on
//! ```
//!
//! Any thread may read. Who may write says each function.

use std::sync::atomic::{AtomicU64, Ordering};

/// Nanoseconds from which on durations are told apart, as a power of two.
const FIRST_OCTAVE: u32 = 8;
/// The same from which on they no longer are.
const LAST_OCTAVE: u32 = 42;
/// Buckets for each doubling, as a power of two.
const PART_BITS: u32 = 2;
/// Number of buckets.
pub const BUCKETS: usize = 2 + ((LAST_OCTAVE - FIRST_OCTAVE) << PART_BITS) as usize;

/// See the module's documentation.
pub struct Histogram {
    counts: [AtomicU64; BUCKETS],
    sum_ns: AtomicU64,
}

fn bucket_of(ns: u64) -> usize {
    if ns < 1 << FIRST_OCTAVE {
        return 0;
    }
    let octave = ns.ilog2();
    if octave >= LAST_OCTAVE {
        return BUCKETS - 1;
    }
    let part = (ns >> (octave - PART_BITS)) & ((1 << PART_BITS) - 1);
    1 + ((octave - FIRST_OCTAVE) << PART_BITS) as usize + part as usize
}

/// The least duration that is in no bucket up to this one; `None` for the last, which has no end.
fn end_ns(bucket: usize) -> Option<u64> {
    if bucket + 1 >= BUCKETS {
        return None;
    }
    let (octave, part) = (bucket >> PART_BITS, bucket & ((1 << PART_BITS) - 1));
    let quarters = (1 << PART_BITS) + part as u64;
    Some(quarters << (FIRST_OCTAVE + octave as u32 - PART_BITS))
}

impl Histogram {
    /// An empty one.
    #[must_use]
    pub const fn new() -> Histogram {
        Histogram {
            counts: [const { AtomicU64::new(0) }; BUCKETS],
            sum_ns: AtomicU64::new(0),
        }
    }

    /// Counts a duration. For the only thread that counts here.
    pub fn add(&self, ns: u64) {
        let more = |counter: &AtomicU64, more: u64| {
            let before = counter.load(Ordering::Relaxed);
            counter.store(before.wrapping_add(more), Ordering::Relaxed);
        };
        more(&self.counts[bucket_of(ns)], 1);
        more(&self.sum_ns, ns);
    }

    /// Counts a duration. For any thread.
    pub fn add_shared(&self, ns: u64) {
        self.counts[bucket_of(ns)].fetch_add(1, Ordering::Relaxed);
        self.sum_ns.fetch_add(ns, Ordering::Relaxed);
    }

    /// What has been counted so far.
    #[must_use]
    pub fn read(&self) -> Counted {
        let mut counted = Counted::default();
        self.add_to(&mut counted);
        counted
    }

    /// Adds what has been counted so far.
    pub fn add_to(&self, counted: &mut Counted) {
        for (total, count) in counted.counts.iter_mut().zip(&self.counts) {
            *total += count.load(Ordering::Relaxed);
        }
        let sum_ns = self.sum_ns.load(Ordering::Relaxed);
        counted.sum_ns = counted.sum_ns.wrapping_add(sum_ns);
    }
}

impl Default for Histogram {
    fn default() -> Histogram {
        Histogram::new()
    }
}

/// What a histogram, or several together, had counted at a moment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Counted {
    counts: [u64; BUCKETS],
    /// The sum of all durations.
    pub sum_ns: u64,
}

impl Default for Counted {
    fn default() -> Counted {
        Counted {
            counts: [0; BUCKETS],
            sum_ns: 0,
        }
    }
}

impl Counted {
    /// How many durations.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// What was counted since an earlier moment.
    #[must_use]
    pub fn since(&self, before: &Counted) -> Counted {
        let counts =
            std::array::from_fn(|bucket| self.counts[bucket].saturating_sub(before.counts[bucket]));
        Counted {
            counts,
            sum_ns: self.sum_ns.wrapping_sub(before.sum_ns),
        }
    }

    /// The duration that this share (0 to 1) of all do not exceed, as the end of its bucket; `None` if nothing was
    /// counted.
    #[must_use]
    pub fn quantile_ns(&self, share: f64) -> Option<u64> {
        let rank = ((self.count() as f64 * share).ceil() as u64).max(1);
        let mut passed = 0;
        let bucket = self.counts.iter().position(|count| {
            passed += count;
            passed >= rank
        })?;
        Some(end_ns(bucket).unwrap_or(1 << LAST_OCTAVE))
    }

    /// For each doubling from 256 ns to 73 minutes, in nanoseconds, how many durations were shorter.
    pub fn doublings(&self) -> impl Iterator<Item = (u64, u64)> {
        let ends = (0..BUCKETS - 1).filter_map(|bucket| Some((bucket, end_ns(bucket)?)));
        let mut passed = 0;
        let all = ends.map(move |(bucket, end)| {
            passed += self.counts[bucket];
            (end, passed)
        });
        all.filter(|(end, _)| end.is_power_of_two())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_ends_where_the_next_begins() {
        for bucket in 0..BUCKETS - 1 {
            let end = end_ns(bucket).unwrap();
            assert_eq!(bucket_of(end - 1), bucket, "{end}");
            assert_eq!(bucket_of(end), bucket + 1, "{end}");
        }
        assert_eq!((bucket_of(0), bucket_of(u64::MAX)), (0, BUCKETS - 1));
        assert_eq!(end_ns(BUCKETS - 1), None);
    }

    #[test]
    fn quantiles_are_those_of_what_was_counted_since() {
        let histogram = Histogram::new();
        histogram.add(5_000_000);
        let before = histogram.read();
        assert_eq!(before.since(&before).quantile_ns(0.5), None);
        for us in 1..=100 {
            histogram.add(us * 1_000);
            histogram.add_shared(us * 1_000);
        }
        let counted = histogram.read().since(&before);
        assert_eq!((counted.count(), counted.sum_ns), (200, 10_100_000));
        for (share, exact) in [(0.5, 50_000.0), (0.99, 99_000.0), (1.0, 100_000.0)] {
            let found = counted.quantile_ns(share).unwrap() as f64;
            assert!(
                found >= exact && found <= exact * 1.25,
                "{share} is {found}"
            );
        }
    }

    #[test]
    fn doublings_count_what_is_shorter() {
        let histogram = Histogram::new();
        for ns in [255, 256, 511, 512, u64::MAX >> 1] {
            histogram.add(ns);
        }
        let counted = histogram.read();
        let doublings: Vec<(u64, u64)> = counted.doublings().collect();
        assert_eq!(doublings[..3], [(256, 1), (512, 3), (1024, 4)]);
        assert_eq!(doublings.last(), Some(&(1 << LAST_OCTAVE, 4)));
        assert_eq!(doublings.len(), (LAST_OCTAVE - FIRST_OCTAVE + 1) as usize);
        assert_eq!(counted.count(), 5);
    }
}
