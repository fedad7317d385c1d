//! Searching for a few short patterns.
//!
//! An automaton finds any number of patterns in one pass, but building it takes longer than most searches. So this
//! looks for the first bytes of the patterns and compares from there. Each place where nothing matches is an effort in
//! vain; once they add up to what an automaton costs, one is built and kept. So a search never takes longer than twice
//! what the better of the two would take.
//!
//! Any thread may search; a compiled pattern is shared by the processes that know it.

use std::borrow::Cow;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use aho_corasick::{AhoCorasick, MatchKind};
use memchr::{memchr, memchr2, memchr3};
use smallvec::SmallVec;

/// More patterns than this are searched with an automaton from the start.
const MOST_PATTERNS: usize = 16;
/// And so are patterns with more bytes in total.
const MOST_BYTES: usize = 256;
/// The bytes that a comparison takes in the time of one step.
const BYTES_PER_STEP: usize = 32;
/// About the time that building an automaton takes, in steps: looking at one pattern at one place.
const STEPS_OF_BUILDING: usize = 4096;

/// From two to [`MOST_PATTERNS`] patterns, none of them empty.
pub(super) struct ShortPatterns {
    /// The patterns one after another, longest first.
    bytes: SmallVec<[u8; 32]>,
    lengths: SmallVec<[u16; 8]>,
    firsts: Firsts,
    /// The steps in vain so far. Only an estimate, so that searches by several threads may overwrite each other's.
    wasted: AtomicUsize,
    automaton: OnceLock<AhoCorasick>,
}

/// The first bytes of the patterns.
enum Firsts {
    One(u8),
    Two(u8, u8),
    Three(u8, u8, u8),
    /// One bit for each byte.
    Set([u64; 4]),
}

impl Firsts {
    fn of(mut bytes: SmallVec<[u8; MOST_PATTERNS]>) -> Firsts {
        bytes.sort_unstable();
        bytes.dedup();
        match bytes[..] {
            [one] => Firsts::One(one),
            [one, two] => Firsts::Two(one, two),
            [one, two, three] => Firsts::Three(one, two, three),
            _ => {
                let mut set = [0; 4];
                for byte in bytes {
                    set[usize::from(byte >> 6)] |= 1 << (byte & 63);
                }
                Firsts::Set(set)
            }
        }
    }

    /// Where the first of these bytes is.
    fn find(&self, bytes: &[u8]) -> Option<usize> {
        match *self {
            Firsts::One(one) => memchr(one, bytes),
            Firsts::Two(one, two) => memchr2(one, two, bytes),
            Firsts::Three(one, two, three) => memchr3(one, two, three, bytes),
            Firsts::Set(set) => bytes
                .iter()
                .position(|byte| set[usize::from(byte >> 6)] >> (byte & 63) & 1 == 1),
        }
    }
}

impl ShortPatterns {
    /// `None` if the patterns are too many or too long. Sorts them.
    pub(super) fn new(patterns: &mut [Cow<[u8]>]) -> Option<ShortPatterns> {
        let bytes: usize = patterns.iter().map(|pattern| pattern.len()).sum();
        if patterns.len() > MOST_PATTERNS || bytes > MOST_BYTES {
            return None;
        }
        patterns.sort_by_key(|pattern| std::cmp::Reverse(pattern.len()));
        Some(ShortPatterns {
            bytes: patterns
                .iter()
                .flat_map(|pattern| &**pattern)
                .copied()
                .collect(),
            lengths: patterns
                .iter()
                .map(|pattern| pattern.len() as u16)
                .collect(),
            firsts: Firsts::of(patterns.iter().map(|pattern| pattern[0]).collect()),
            wasted: AtomicUsize::new(0),
            automaton: OnceLock::new(),
        })
    }

    /// The patterns, longest first.
    fn patterns(&self) -> impl Iterator<Item = &[u8]> {
        self.lengths.iter().scan(&self.bytes[..], |left, length| {
            let (pattern, behind) = left.split_at(usize::from(*length));
            *left = behind;
            Some(pattern)
        })
    }

    /// The length of the longest pattern.
    pub(super) fn longest(&self) -> usize {
        self.lengths[0].into()
    }

    /// Start and length of the first match; the longest of those that start there.
    pub(super) fn find(&self, bytes: &[u8]) -> Option<(usize, usize)> {
        if let Some(automaton) = self.automaton.get() {
            return find_with(automaton, bytes, 0);
        }
        let cost = self.lengths.len() + self.bytes.len() / BYTES_PER_STEP;
        let wasted_before = self.wasted.load(Ordering::Relaxed);
        let mut wasted = wasted_before;
        let mut from = 0;
        let found = loop {
            let Some(passed) = self.firsts.find(&bytes[from..]) else {
                break None;
            };
            let at = from + passed;
            let mut patterns = self.patterns();
            if let Some(pattern) = patterns.find(|pattern| bytes[at..].starts_with(pattern)) {
                break Some((at, pattern.len()));
            }
            from = at + 1;
            wasted += cost;
            if wasted > STEPS_OF_BUILDING {
                return find_with(self.automaton.get_or_init(|| self.build()), bytes, from);
            }
        };
        if wasted > wasted_before {
            self.wasted.store(wasted, Ordering::Relaxed);
        }
        found
    }

    fn build(&self) -> AhoCorasick {
        let patterns: Vec<&[u8]> = self.patterns().collect();
        automaton_of(&patterns).expect("an automaton holds far more patterns")
    }
}

/// An automaton that finds the first and longest match.
pub(super) fn automaton_of(patterns: &[impl AsRef<[u8]>]) -> Option<AhoCorasick> {
    AhoCorasick::builder()
        .match_kind(MatchKind::LeftmostLongest)
        .build(patterns)
        .ok()
}

fn find_with(automaton: &AhoCorasick, bytes: &[u8], from: usize) -> Option<(usize, usize)> {
    let found = automaton.find(&bytes[from..])?;
    Some((from + found.start(), found.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first and longest match, found by trying every pattern at every place.
    fn naive(patterns: &[Cow<[u8]>], bytes: &[u8]) -> Option<(usize, usize)> {
        (0..bytes.len()).find_map(|at| {
            let matching = patterns
                .iter()
                .filter(|pattern| bytes[at..].starts_with(pattern));
            Some((at, matching.map(|pattern| pattern.len()).max()?))
        })
    }

    /// Numbers that look random, the same in each run.
    struct Numbers(u64);

    impl Numbers {
        fn below(&mut self, end: usize) -> usize {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            (self.0 % end as u64) as usize
        }

        fn text(&mut self, length: usize, letters: usize) -> Vec<u8> {
            (0..length)
                .map(|_| b'a' + self.below(letters) as u8)
                .collect()
        }
    }

    /// All matches, each searched for behind the one before.
    fn all(bytes: &[u8], find: impl Fn(&[u8]) -> Option<(usize, usize)>) -> Vec<(usize, usize)> {
        let mut from = 0;
        std::iter::from_fn(|| {
            let (at, length) = find(&bytes[from..])?;
            let place = (from + at, length);
            from += at + length;
            Some(place)
        })
        .collect()
    }

    #[test]
    fn finds_what_a_naive_search_finds() {
        let mut numbers = Numbers(0x1234_5678_9abc_def1);
        let mut built = 0;
        for _ in 0..1000 {
            let letters = 1 + numbers.below(8);
            let count = 2 + numbers.below(MOST_PATTERNS - 1);
            let shortest = 1 + numbers.below(4);
            let mut patterns: Vec<Cow<[u8]>> = (0..count)
                .map(|_| {
                    let length = shortest + numbers.below(4);
                    Cow::Owned(numbers.text(length, letters))
                })
                .collect();
            let few = ShortPatterns::new(&mut patterns).unwrap();
            // Later searches know what earlier ones have wasted.
            for _ in 0..4 {
                let length = numbers.below(1000);
                let more_letters = letters + numbers.below(4);
                let text = numbers.text(length, more_letters);
                let expected = all(&text, |bytes| naive(&patterns, bytes));
                assert_eq!(
                    all(&text, |bytes| few.find(bytes)),
                    expected,
                    "{patterns:?} {text:?}"
                );
            }
            built += usize::from(few.automaton.get().is_some());
        }
        assert!((100..900).contains(&built), "both ways were tried: {built}");
    }

    #[test]
    fn effort_in_vain_ends_with_an_automaton() {
        let mut patterns = [Cow::Borrowed(&b"aaab"[..]), Cow::Borrowed(b"aaaac")];
        let few = ShortPatterns::new(&mut patterns).unwrap();
        let mut text = vec![b'a'; 100_000];
        assert_eq!(few.find(&text), None);
        assert!(few.automaton.get().is_some());
        text.push(b'b');
        assert_eq!(few.find(&text), Some((99_997, 4)));
    }

    #[test]
    fn many_or_long_patterns_are_not_few() {
        let mut many = vec![Cow::Borrowed(&b"x"[..]); MOST_PATTERNS + 1];
        assert!(ShortPatterns::new(&mut many).is_none());
        assert!(ShortPatterns::new(&mut many[1..]).is_some());
        let mut long = [Cow::Owned(vec![b'x'; MOST_BYTES]), Cow::Borrowed(&b"y"[..])];
        assert!(ShortPatterns::new(&mut long).is_none());
    }
}
