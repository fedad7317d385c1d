//! Replacing messages that wait in a queue while a literal area is freed.
//!
//! A message is not part of its receiver's heap until it is received, so a collection does not look at it. The owner of
//! the queue replaces the messages that point into the area by messages that do not.

use std::collections::HashSet;
use std::ops::Range;

use layout::{Fragment, Term};

use crate::{copy, heap};

/// If `message` points to literals at the addresses of `range`, returns a copy of it that includes its literals, and
/// frees the original. The copy keeps the original's place in a queue (`next`) and its kind.
///
/// # Safety
/// `message` is live and nothing but the caller points to it or its words.
#[must_use]
pub unsafe fn without_literals(
    message: *mut Fragment,
    range: &Range<usize>,
) -> Option<*mut Fragment> {
    // SAFETY: the caller's promise.
    unsafe {
        let term = (*message).term;
        if !reaches(term, range) {
            return None;
        }
        let words = copy::size_with_literals(term);
        let copied = heap::new_fragment(words);
        (*copied).next = (*message).next;
        (*copied).kind = (*message).kind;
        (*copied).term = copy::copy_to(
            Fragment::words_pointer(copied),
            words,
            &mut (*copied).off_heap,
            term,
            true,
        );
        heap::drop_fragment(message);
        Some(copied)
    }
}

/// Whether a term, or any part of it, points to an address within `range`.
#[must_use]
pub fn reaches(term: Term, range: &Range<usize>) -> bool {
    let mut seen = HashSet::new();
    let mut rest = vec![term];
    while let Some(term) = rest.pop() {
        if term.is_none() || term.is_immediate() || !seen.insert(term) {
            continue;
        }
        if range.contains(&(term.bits() as usize)) {
            return true;
        }
        if let Some((head, tail)) = term.as_cons() {
            rest.push(head);
            rest.push(tail);
            continue;
        }
        rest.extend(term.expect_boxed().terms());
    }
    false
}
