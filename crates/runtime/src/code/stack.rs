//! Return addresses on a stack, past the frames that traces put there (`trace::frames`).

use layout::Heap;
use layout::context::{TIMED_FRAME_WORDS, TRACED_FRAME_WORDS};
use layout::heap::is_return_address;

use super::modules;
use crate::process::Process;

/// Whether a word of the stack begins one of these frames.
#[must_use]
pub fn is_traced_return(word: u64) -> bool {
    words_of(word).is_some()
}

/// The addresses of the calls that a stack returns to, the innermost first, without the frames of traces. Equal ones in
/// a row (recursion) come once, as in OTP's stack traces.
pub fn calls(heap: &Heap) -> impl Iterator<Item = *const u64> {
    let (mut at, end, mut before) = (heap.stack.cast_const(), heap.end.cast_const(), 0);
    std::iter::from_fn(move || {
        let mut near = at.wrapping_add(NEAR).min(end);
        loop {
            while at < near {
                // SAFETY: the words between stack and end are return addresses and terms.
                let word = unsafe { *at };
                at = at.wrapping_add(1);
                if is_return_address(word) && word != before && is_call(word) {
                    let is_again = is_again(before, word);
                    before = word;
                    if is_again {
                        continue;
                    }
                    // A return address points to the word after its call.
                    return Some((word - 8) as *const u64);
                }
            }
            if at == end {
                return None;
            }
            at = skip(at, end, before);
            near = at.wrapping_add(CHUNK).min(end);
        }
    })
}

/// So many words are looked at one by one before [`skip`] is called: most frames are small.
const NEAR: usize = 64;

/// The number of words that [`skip`] looks at together.
const CHUNK: usize = 16;

/// Goes on to the first chunk of a stack that has a return address other than `known`, or to the last words. Below a
/// function that calls itself there may be thousands of frames that return to the same place.
#[inline(never)]
fn skip(mut at: *const u64, end: *const u64, known: u64) -> *const u64 {
    while at.wrapping_add(CHUNK) <= end {
        // SAFETY: these words are between stack and end.
        let words = unsafe { *at.cast::<[u64; CHUNK]>() };
        // Without comparisons, for which processors of the basic kind have no vector instruction. The low bits of
        // `known` are 0, so those of the difference are the word's own.
        let others = words.iter().fold(0, |others, word| {
            let difference = word ^ known;
            let is_address = (difference & 0b11).wrapping_sub(1);
            let differs = difference | difference.wrapping_neg();
            others | is_address & differs
        });
        if others >> 63 != 0 {
            break;
        }
        at = at.wrapping_add(CHUNK);
    }
    at
}

/// Whether two return addresses are behind the same call: in the outline of a module (`code::module_code`), and in the
/// code that was made of all of it while the function called itself. That lies below 4 GiB, and outlines above.
#[inline]
fn is_again(before: u64, word: u64) -> bool {
    before != 0
        && (before >> 32 == 0) != (word >> 32 == 0)
        && modules::is_same_call(before as *const u64, word as *const u64)
}

/// Whether a return address is where a call continues. A function of its own, so that the loops above have few
/// instructions for each of the other words.
#[inline(never)]
fn is_call(address: u64) -> bool {
    address != engine::start::process_end() as u64 && !is_traced_return(address)
}

/// The size of the frame that a word of the stack begins, if it begins one.
pub(crate) fn words_of(word: u64) -> Option<usize> {
    if word == engine::start::traced_return() as u64 {
        Some(TRACED_FRAME_WORDS)
    } else if word == engine::start::timed_return() as u64 {
        Some(TIMED_FRAME_WORDS)
    } else {
        None
    }
}

/// The first word from here on that is behind the frames that begin here.
///
/// # Safety
/// A stack begins here with a return address, and ends with one that is no frame's.
pub(crate) unsafe fn behind_frames(mut words: *const u64) -> *const u64 {
    // SAFETY: the caller's promise.
    unsafe {
        while let Some(frame) = words_of(*words) {
            words = words.add(frame);
        }
    }
    words
}

/// The address of the call by which a process has come to the entry of the function that it is at.
#[must_use]
pub fn caller(process: &Process) -> Option<*const u64> {
    // SAFETY: a stack ends with a return address that is no other's.
    let address = unsafe { *behind_frames(process.head.heap.stack) };
    is_return_address(address).then(|| (address - 8) as *const u64)
}
