//! `binary:match`, `matches` and `split`: searching bytes for patterns.
//!
//! The match that starts first counts; of several that start at the same byte, the longest. A long search stops when
//! its slice is over. It is continued with its progress in place of the pattern argument.

use std::sync::Arc;

use aho_corasick::AhoCorasick;
use layout::{Term, no_gc};
use memchr::memmem::Finder;
use parking_lot::Mutex;
use smallvec::SmallVec;
use term::bits::matching::extract;
use term::heap::{Allocate, Room};
use term::release::{self, Release};
use term::{am, build, list, unicode};

use super::short_patterns::{ShortPatterns, automaton_of};
use crate::erlang::part_range;
use crate::erts_debug::BINARY_LOOP;
use crate::magic;
use runtime::code::bif::{BifResult, Failure, badarg};
use runtime::mail::current::{charge, reductions_left};
use runtime::process::Process;

/// Bytes searched that count as one reduction.
const BYTES_PER_REDUCTION: usize = 512;

/// A match takes at least as long as passing so many bytes.
const BYTES_PER_MATCH: usize = 16;
/// Words that a match takes in a result, about.
const WORDS_PER_FOUND: usize = 5;
/// Bytes searched between two looks at the rest of the slice, by [`Search::run_for_byte`].
const BYTES_AT_ONCE: usize = 1 << 10;

/// Matches that are made into a list within a slice, in a millisecond or so; for more, a dirty scheduler does it.
const FEW_FOUND: usize = 1 << 15;

/// A compiled pattern. What is not a single byte is shared by all who search for it.
#[derive(Clone)]
enum Pattern {
    Byte(u8),
    One(Arc<Finder<'static>>),
    ShortPatterns(Arc<ShortPatterns>),
    Many(Arc<Many>),
}

struct Many {
    automaton: AhoCorasick,
    longest: usize,
}

/// The object behind the reference in a compiled pattern.
struct Compiled(Pattern);

impl Pattern {
    /// How many bytes a match may extend beyond its first one.
    fn overhang(&self) -> usize {
        match self {
            Pattern::Byte(_) => 0,
            Pattern::One(finder) => finder.needle().len() - 1,
            Pattern::ShortPatterns(few) => few.longest() - 1,
            Pattern::Many(many) => many.longest - 1,
        }
    }

    fn tag(&self) -> Term {
        match self {
            Pattern::Byte(_) | Pattern::One(_) => am::BM,
            Pattern::ShortPatterns(_) | Pattern::Many(_) => am::AC,
        }
    }

    /// Start and length of the first match.
    fn find(&self, bytes: &[u8]) -> Option<(usize, usize)> {
        match self {
            Pattern::Byte(byte) => memchr::memchr(*byte, bytes).map(|at| (at, 1)),
            Pattern::One(finder) => finder.find(bytes).map(|at| (at, finder.needle().len())),
            Pattern::ShortPatterns(few) => few.find(bytes),
            Pattern::Many(many) => many
                .automaton
                .find(bytes)
                .map(|found| (found.start(), found.len())),
        }
    }
}

/// Compiles a binary, or a list of binaries, none of them empty.
fn compile(pattern: Term) -> Option<Pattern> {
    let no_gc = no_gc!();
    let not_empty = |binary| unicode::bytes_of(binary, no_gc).filter(|bytes| !bytes.is_empty());
    if !pattern.is_list() {
        return Some(one(&not_empty(pattern)?));
    }
    let mut all = SmallVec::<[_; 4]>::new();
    for one in list::items(pattern) {
        all.push(not_empty(one.ok()?)?);
    }
    let longest = all.iter().map(|bytes| bytes.len()).max()?;
    if let [only] = &all[..] {
        return Some(one(only));
    }
    Some(match ShortPatterns::new(&mut all) {
        Some(few) => Pattern::ShortPatterns(Arc::new(few)),
        None => Pattern::Many(Arc::new(Many {
            automaton: automaton_of(&all)?,
            longest,
        })),
    })
}

fn one(bytes: &[u8]) -> Pattern {
    match *bytes {
        [byte] => Pattern::Byte(byte),
        _ => Pattern::One(Arc::new(Finder::new(bytes).into_owned())),
    }
}

/// `binary:compile_pattern(Pattern)`: `{bm | ac, Reference}`.
pub(crate) fn compile_pattern_1(process: &mut Process, [pattern]: [Term; 1]) -> BifResult {
    let compiled = compile(pattern).ok_or(badarg(1))?;
    let tag = compiled.tag();
    let reference = magic::make(process, Compiled(compiled));
    Ok(build::tuple(process.heap(), &[tag, reference]))
}

/// The pattern of an argument, which is a pattern or was compiled from one earlier.
fn pattern_of(argument: Term) -> Option<Pattern> {
    let no_gc = no_gc!();
    let Some(elements) = argument.as_tuple(no_gc) else {
        return compile(argument);
    };
    let [tag, reference] = *elements else {
        return None;
    };
    let Compiled(pattern) = magic::get::<Compiled>(reference, no_gc)?;
    (tag == pattern.tag()).then(|| pattern.clone())
}

/// The options of a search.
#[derive(Clone, Copy, Default)]
struct SearchOptions {
    start: usize,
    end: usize,
    global: bool,
    trim: bool,
    trim_all: bool,
}

/// Parses options; the tail of an improper list is ignored, as on stock.
fn options_of(list: Term, size: usize, splits: bool) -> Option<SearchOptions> {
    let mut options = SearchOptions {
        end: size,
        ..SearchOptions::default()
    };
    if !list.is_list() {
        return None;
    }
    // An improper tail is ignored.
    for option in list::items(list).map_while(Result::ok) {
        match option {
            am::GLOBAL if splits => options.global = true,
            am::TRIM if splits => options.trim = true,
            am::TRIM_ALL if splits => options.trim_all = true,
            _ => {
                let Some([am::SCOPE, part]) = option.as_tuple_of() else {
                    return None;
                };
                let [position, length] = part.as_tuple_of()?;
                let (start, length) = part_range(size as u64, position, length)?;
                options.start = start as usize;
                options.end = (start + length) as usize;
            }
        }
    }
    Some(options)
}

/// A search that may continue in the next slice.
struct Search {
    pattern: Pattern,
    options: SearchOptions,
    /// Where to continue.
    position: usize,
    found: Found,
}

/// Start and length of each match. The first few need no memory of their own; the others are in chunks of a fixed size,
/// so that growing never copies the matches found so far.
#[derive(Default)]
struct Found {
    first: [(usize, usize); Found::FIRST],
    pieces: Vec<Vec<(usize, usize)>>,
    count: usize,
}

impl Found {
    const FIRST: usize = 4;
    const PIECE: usize = 1 << 12;

    fn push(&mut self, place: (usize, usize)) {
        let index = self.count;
        self.count += 1;
        let Some(later) = index.checked_sub(Found::FIRST) else {
            self.first[index] = place;
            return;
        };
        if later.is_multiple_of(Found::PIECE) {
            // Most searches find few matches, so the first chunk starts empty.
            let room = if later == 0 { 0 } else { Found::PIECE };
            self.pieces.push(Vec::with_capacity(room));
        }
        self.pieces.last_mut().expect("one was pushed").push(place);
    }

    fn iter(&self) -> impl DoubleEndedIterator<Item = (usize, usize)> {
        let first = &self.first[..self.count.min(Found::FIRST)];
        first.iter().chain(self.pieces.iter().flatten()).copied()
    }
}

struct Progress(Mutex<Option<Search>>);

/// Whether a search has ended.
enum Step {
    Done,
    More,
}

impl Search {
    fn run(&mut self, bytes: &[u8], budget: usize) -> Step {
        let mut left = budget;
        let bytes = &bytes[..self.options.end];
        if let Pattern::Byte(byte) = self.pattern
            && self.options.global
        {
            return self.run_for_byte(byte, bytes, left);
        }
        while self.position < bytes.len() {
            if left == 0 {
                return Step::More;
            }
            let starts = left.min(bytes.len() - self.position);
            let window = (starts + self.pattern.overhang()).min(bytes.len() - self.position);
            let found = self
                .pattern
                .find(&bytes[self.position..self.position + window])
                .filter(|(at, _)| *at < starts);
            let passed = match found {
                Some((at, length)) => {
                    self.found.push((self.position + at, length));
                    if !self.options.global {
                        return Step::Done;
                    }
                    at + length
                }
                None => starts,
            };
            self.position += passed;
            // Each call of `find` is charged, however few bytes it passes.
            left = left.saturating_sub(passed.max(BYTES_PER_MATCH));
        }
        Step::Done
    }

    /// As [`run`](Search::run), for all places of one byte, which are often close to each other.
    fn run_for_byte(&mut self, byte: u8, bytes: &[u8], mut left: usize) -> Step {
        while self.position < bytes.len() {
            if left == 0 {
                return Step::More;
            }
            let end = bytes.len().min(self.position + left.min(BYTES_AT_ONCE));
            let before = self.found.count;
            for at in memchr::memchr_iter(byte, &bytes[self.position..end]) {
                self.found.push((self.position + at, 1));
            }
            let found = self.found.count - before;
            left = left.saturating_sub((end - self.position).max(found * BYTES_PER_MATCH));
            self.position = end;
        }
        Step::Done
    }
}

/// Runs a search. To continue in the next slice, `again` makes the arguments, with the search's progress in place of
/// the pattern.
fn search(
    process: &mut Process,
    subject: Term,
    pattern: Term,
    options: impl FnOnce(usize) -> Option<SearchOptions>,
    again: impl FnOnce(Term) -> Box<[Term]>,
) -> Result<(SearchOptions, Found), Failure> {
    let no_gc = no_gc!();
    let bytes = unicode::bytes_of(subject, no_gc).ok_or(badarg(1))?;
    let earlier =
        magic::get::<Progress>(pattern, no_gc).and_then(|Progress(search)| search.lock().take());
    let mut search = match earlier {
        Some(search) => search,
        None => {
            let options = options(bytes.len()).ok_or(badarg(3))?;
            if options.end == 0 && !release::has(Release::OTP_27) {
                // As on stock, the pattern is not even checked.
                return Ok((options, Found::default()));
            }
            Search {
                pattern: pattern_of(pattern).ok_or(badarg(2))?,
                options,
                position: options.start,
                found: Found::default(),
            }
        }
    };
    let budget = match runtime::mail::dirty::is_here() {
        true => usize::MAX,
        false => BINARY_LOOP.bound(reductions_left().max(8) as usize * BYTES_PER_REDUCTION),
    };
    let before = search.position;
    match search.run(&bytes, budget) {
        Step::Done => {
            charge(((search.position - before) / BYTES_PER_REDUCTION) as i64);
            if search.found.count > FEW_FOUND && !runtime::mail::dirty::is_here() {
                // A dirty scheduler builds the list. If the search took more than one slice, it continues from here.
                if let Some(Progress(place)) = magic::get::<Progress>(pattern, no_gc) {
                    *place.lock() = Some(search);
                }
                return Err(Failure::Dirty);
            }
            Ok((search.options, search.found))
        }
        Step::More => {
            charge((budget / BYTES_PER_REDUCTION) as i64);
            let progress = magic::make(process, Progress(Mutex::new(Some(search))));
            Err(Failure::Yield {
                arguments: again(progress),
            })
        }
    }
}

fn place<A: Allocate>(heap: &mut A, (at, length): (usize, usize)) -> Term {
    let place = [Term::small(at as i64), Term::small(length as i64)];
    build::tuple(heap, &place)
}

fn first_place(process: &mut Process, found: &Found) -> Term {
    match found.iter().next() {
        Some(found) => place(process.heap(), found),
        None => am::NOMATCH,
    }
}

fn all_places(process: &mut Process, found: &Found) -> Term {
    let mut room = Room::new(process.heap(), found.count * WORDS_PER_FOUND);
    found.iter().rev().fold(Term::NIL, |list, found| {
        let place = place(&mut room, found);
        build::cons(&mut room, place, list)
    })
}

fn whole(global: bool) -> impl FnOnce(usize) -> Option<SearchOptions> {
    move |size| {
        Some(SearchOptions {
            end: size,
            global,
            ..SearchOptions::default()
        })
    }
}

fn matching(global: bool, list: Term) -> impl FnOnce(usize) -> Option<SearchOptions> {
    move |size| {
        let options = options_of(list, size, false)?;
        Some(SearchOptions { global, ..options })
    }
}

/// `binary:match(Subject, Pattern)`
pub(crate) fn match_2(process: &mut Process, [subject, pattern]: [Term; 2]) -> BifResult {
    let again = |progress| -> Box<[Term]> { Box::new([subject, progress]) };
    let (_, found) = search(process, subject, pattern, whole(false), again)?;
    Ok(first_place(process, &found))
}

/// `binary:match(Subject, Pattern, Options)`
pub(crate) fn match_3(process: &mut Process, [subject, pattern, list]: [Term; 3]) -> BifResult {
    let again = |progress| -> Box<[Term]> { Box::new([subject, progress, list]) };
    let (_, found) = search(process, subject, pattern, matching(false, list), again)?;
    Ok(first_place(process, &found))
}

/// `binary:matches(Subject, Pattern)`
pub(crate) fn matches_2(process: &mut Process, [subject, pattern]: [Term; 2]) -> BifResult {
    let again = |progress| -> Box<[Term]> { Box::new([subject, progress]) };
    let (_, found) = search(process, subject, pattern, whole(true), again)?;
    Ok(all_places(process, &found))
}

/// `binary:matches(Subject, Pattern, Options)`
pub(crate) fn matches_3(process: &mut Process, [subject, pattern, list]: [Term; 3]) -> BifResult {
    let again = |progress| -> Box<[Term]> { Box::new([subject, progress, list]) };
    let (_, found) = search(process, subject, pattern, matching(true, list), again)?;
    Ok(all_places(process, &found))
}

/// The parts of a binary between the matches.
fn parts(process: &mut Process, subject: Term, options: SearchOptions, found: &Found) -> Term {
    let size = subject.as_bits().map_or(0, |bits| bits.bit_len() / 8) as usize;
    let trims = options.trim || options.trim_all;
    if found.count == 0 {
        return match trims && size == 0 {
            true => Term::NIL,
            false => build::cons(process.heap(), subject, Term::NIL),
        };
    }
    let (bytes, first) = build::whole_of(subject);
    let mut room = Room::new(process.heap(), found.count * WORDS_PER_FOUND);
    let mut list = Term::NIL;
    let mut end = size;
    // Built from the end: while the list is empty, an empty part is known to be at the end.
    let mut add = |start: usize, end: usize, list: &mut Term| {
        let at_end = list.is_nil();
        if start == end && (options.trim_all || options.trim && at_end) {
            return;
        }
        let width = (end - start) as u64 * 8;
        let part = extract(&mut room, bytes, first + start as u64 * 8, width);
        *list = build::cons(&mut room, part, *list);
    };
    for (at, length) in found.iter().rev() {
        add(at + length, end, &mut list);
        end = at;
    }
    add(0, end, &mut list);
    list
}

/// `binary:split(Subject, Pattern)`
pub(crate) fn split_2(process: &mut Process, [subject, pattern]: [Term; 2]) -> BifResult {
    let again = |progress| -> Box<[Term]> { Box::new([subject, progress]) };
    let (options, found) = search(process, subject, pattern, whole(false), again)?;
    Ok(parts(process, subject, options, &found))
}

/// `binary:split(Subject, Pattern, Options)`
pub(crate) fn split_3(process: &mut Process, [subject, pattern, list]: [Term; 3]) -> BifResult {
    let again = |progress| -> Box<[Term]> { Box::new([subject, progress, list]) };
    let splitting = |size| options_of(list, size, true);
    let (options, found) = search(process, subject, pattern, splitting, again)?;
    Ok(parts(process, subject, options, &found))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The patterns in both forms.
    fn both(patterns: &[&str]) -> [Pattern; 2] {
        let automaton = automaton_of(patterns).unwrap();
        let longest = patterns.iter().map(|pattern| pattern.len()).max().unwrap();
        let mut few: Vec<_> = patterns.iter().map(|text| text.as_bytes().into()).collect();
        [
            Pattern::Many(Arc::new(Many { automaton, longest })),
            Pattern::ShortPatterns(Arc::new(ShortPatterns::new(&mut few).unwrap())),
        ]
    }

    fn check(pattern: &Pattern, text: &str, expected: &[(usize, usize)]) {
        // The result is the same whatever the budget.
        for budget in [1, 2, 3, 5, 17, 1000] {
            let mut search = Search {
                pattern: pattern.clone(),
                options: SearchOptions {
                    end: text.len(),
                    global: true,
                    ..SearchOptions::default()
                },
                position: 0,
                found: Found::default(),
            };
            while let Step::More = search.run(text.as_bytes(), budget) {}
            let found: Vec<_> = search.found.iter().collect();
            assert_eq!(found, expected, "{text} {budget}");
        }
    }

    #[test]
    fn first_and_longest_match_counts() {
        for pattern in both(&["ab", "abcd", "bcde", "e"]) {
            check(&pattern, "abcde", &[(0, 4), (4, 1)]);
            check(&pattern, "xabcxbcdeab", &[(1, 2), (5, 4), (9, 2)]);
            check(&pattern, "", &[]);
        }
    }

    #[test]
    fn matches_do_not_overlap() {
        let pattern = one(b"aa");
        check(&pattern, "aaaaa", &[(0, 2), (2, 2)]);
        check(&pattern, "abaabaaa", &[(2, 2), (5, 2)]);
    }

    #[test]
    fn one_byte_is_found_everywhere() {
        let pattern = one(b"a");
        check(&pattern, "abaac", &[(0, 1), (2, 1), (3, 1)]);
        check(&pattern, "bcd", &[]);
        let long = "bbbbbbbbba".repeat(1000);
        let places: Vec<_> = (0..1000).map(|number| (number * 10 + 9, 1)).collect();
        check(&pattern, &long, &places);
    }
}
