//! The stack and the X registers of a suspended process, as a debugger sees them.
//!
//! Frames are numbered from the bottom of the stack, where the process ends when it returns. Each has the terms in its
//! slots, y0 first. The registers that the process will continue with are above its stack.

use std::ops::Range;

use layout::heap::is_return_address;
use layout::{Heap, Term};
use term::{am, atom, build, copy, map};

use crate::code;
use crate::effects::info::nowhere_call;
use crate::process::Process;

/// A frame: where its function is, and its slots on the stack.
struct Frame {
    address: *const u64,
    /// Whether the address is behind a call, or that of the next instruction.
    is_return: bool,
    slots: Range<*const u64>,
}

/// Whether others may look: a process that runs changes its stack.
#[must_use]
pub fn is_suspended(process: &Process) -> bool {
    process.suspend_count > 0
}

/// The frames, from the top of the stack.
fn frames(process: &Process) -> Vec<Frame> {
    let heap = &process.head.heap;
    let begin = heap.stack.wrapping_add(registers(process)).cast_const();
    let end = heap.end.cast_const();
    let mut frames = vec![Frame {
        address: process.head.ip,
        is_return: false,
        slots: begin..end,
    }];
    let mut at = begin;
    while at < end {
        // SAFETY: the words between stack and end are return addresses and terms.
        let word = unsafe { *at };
        if is_return_address(word) {
            if let Some(last) = frames.last_mut() {
                last.slots.end = at;
            }
            frames.push(Frame {
                address: word as *const u64,
                is_return: true,
                slots: at.wrapping_add(1)..end,
            });
        }
        at = at.wrapping_add(1);
    }
    frames
}

/// The list of frames, from the top of the stack: `{Number, Function, #{slots => [Slot], code => Address}}`. Terms of
/// more than `most` words are left out.
pub fn frames_term(process: &Process, most: usize, heap: &mut Heap) -> Term {
    let frames = frames(process);
    let frames: Vec<Term> = (0..frames.len() as i64)
        .rev()
        .zip(&frames)
        .map(|(number, frame)| {
            let slots: Vec<Term> = words(&frame.slots)
                .map(|word| slot(process, word, most, heap))
                .collect();
            let pairs = [
                (atom::known("slots"), build::list(heap, &slots)),
                (am::CODE, build::unsigned(heap, frame.address as u64)),
            ];
            let about = map::from_pairs(heap, &pairs);
            let function = function(process, frame.address, frame.is_return, heap);
            build::tuple(heap, &[Term::small(number), function, about])
        })
        .collect();
    build::list(heap, &frames)
}

/// A slot of a frame, both given by their numbers.
#[must_use]
pub fn slot_term(
    process: &Process,
    [frame, place]: [usize; 2],
    most: usize,
    heap: &mut Heap,
) -> Option<Term> {
    let frames = frames(process);
    let from_top = (frames.len() - 1).checked_sub(frame)?;
    let word = words(&frames[from_top].slots).nth(place)?;
    Some(slot(process, word, most, heap))
}

/// The number of X registers that the process will continue with.
#[must_use]
pub fn registers(process: &Process) -> usize {
    usize::from(process.head.saved_x)
}

/// An X register, given by its number.
#[must_use]
pub fn register_term(
    process: &Process,
    register: usize,
    most: usize,
    heap: &mut Heap,
) -> Option<Term> {
    let stack = process.head.heap.stack.cast_const();
    let saved = stack..stack.wrapping_add(registers(process));
    let word = words(&saved).nth(register)?;
    // SAFETY: what was saved are terms.
    Some(value(unsafe { Term::from_bits(word) }, most, heap))
}

/// The words of a part of a stack.
fn words(part: &Range<*const u64>) -> impl Iterator<Item = u64> {
    let (begin, end) = (part.start, part.end);
    let count = (end as usize - begin as usize) / 8;
    // SAFETY: the part is within the stack of a process that does not run.
    (0..count).map(move |place| unsafe { *begin.add(place) })
}

fn slot(process: &Process, word: u64, most: usize, heap: &mut Heap) -> Term {
    // SAFETY: a word of the stack that is no return address is a term or the mark of a catch.
    let term = unsafe { Term::from_bits(word) };
    match term.as_catch() {
        Some(handler) => {
            let function = function(process, handler, false, heap);
            build::tuple(heap, &[am::CATCH, function])
        }
        None => value(term, most, heap),
    }
}

fn value(term: Term, most: usize, heap: &mut Heap) -> Term {
    let size = copy::size_with_literals(term);
    if size > most {
        let size = Term::small(size as i64);
        return build::tuple(heap, &[atom::known("too_large"), size]);
    }
    let term = copy::copy(heap, term);
    build::tuple(heap, &[am::VALUE, term])
}

/// What is at a code address: `#{function => {Module, Function, Arity}, line => Line | undefined}`, or an atom for what
/// is outside all modules.
fn function(process: &Process, address: *const u64, is_return: bool, heap: &mut Heap) -> Term {
    if address == engine::start::process_end() {
        return atom::known("<terminate process normally>");
    }
    if address == engine::start::line_resumed() {
        return atom::known("<breakpoint>");
    }
    // A process that hibernates, or has not begun to run, is in no function.
    let is_asleep = process.hibernates_without_stack();
    let place = match is_return {
        true => code::place_of(address.wrapping_sub(1)),
        false if is_asleep => None,
        false => code::place_of(address),
    };
    let (name, line) = match place {
        Some(place) => {
            let arity = Term::small(i64::from(place.arity));
            let line = place.location.map(|(_, line)| i64::from(line));
            ([place.module, place.function, arity], line)
        }
        None if is_return => return atom::known("unknown function"),
        None => (nowhere_call(process), None),
    };
    let name = build::tuple(heap, &name);
    let line = line.map_or(am::UNDEFINED, Term::small);
    map::from_pairs(heap, &[(am::FUNCTION, name), (am::LINE, line)])
}
