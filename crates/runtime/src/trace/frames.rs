//! Frames of functions whose return is traced.
//!
//! Such a function finds on the stack, in front of its caller's return address, the address of an instruction that
//! tells of its return ([`engine::start::traced_return`]), and five terms:
//!
//! ```text
//! traced_return | wishes, session | module | function | arity | tracer or [] | caller's return address ...
//! ```
//!
//! One whose time or memory is measured has a smaller frame: another address ([`engine::start::timed_return`]), and in
//! one small integer the session, what is measured, and the number of the function before (`costs`). Each session has
//! frames of its own.
//!
//! To collections these are terms as others. Stack traces leave the address out. Only the thread that runs the process
//! calls.

use std::sync::Arc;

use layout::Term;
use layout::context::{TIMED_FRAME_WORDS, TRACED_FRAME_WORDS};
use term::copy::Owned;
use term::heap::Scratch;
use term::{am, build};

use super::costs::{self, Measure};
use super::{events, get, is_for_in};
use crate::code;
use crate::code::stack::{behind_frames, is_traced_return, words_of};
use crate::process::tracing::{Event, Family, Sessions, Tracer, Tracing, what};
use crate::process::{Flags, Process};

/// What is to be told of the end of a call.
pub mod wish {
    /// Its value.
    pub const RETURN: u8 = 1;
    /// Its value, or the exception with which it ends.
    pub const EXCEPTION: u8 = 1 << 1;
    /// Where the process continues.
    pub const RETURN_TO: u8 = 1 << 2;
    /// Nothing: the tracer is gone.
    pub const TRACER_GONE: u8 = 1 << 3;
}

/// Whether the function that is being called has a frame already.
pub(super) fn has_frame(process: &Process) -> bool {
    // SAFETY: the stack has a return address on top when a function is called.
    is_traced_return(unsafe { *process.head.heap.stack })
}

/// In a frame, the session is above the wishes.
const SESSION_SHIFT: u32 = 8;

/// Lets the function that is being called tell a session of its return; there is room on the stack.
pub(super) fn push(
    process: &mut Process,
    function: [Term; 3],
    wishes: u8,
    session: u32,
    tracer: Term,
) {
    let mut wishes = wishes;
    if wishes & wish::RETURN_TO != 0 && is_returned_to(process, session) {
        // Those that the function has replaced tell of that already.
        wishes &= !wish::RETURN_TO;
    }
    if wishes == 0 {
        return;
    }
    if wishes & (wish::EXCEPTION | wish::RETURN_TO) != 0 {
        process.extras().exceptions_traced = true;
    }
    let [module, name, arity] = function;
    let wishes = Term::small(i64::from(session) << SESSION_SHIFT | i64::from(wishes));
    let words = [
        engine::start::traced_return() as u64,
        wishes.bits(),
        module.bits(),
        name.bits(),
        arity.bits(),
        tracer.bits(),
    ];
    const { assert!(TRACED_FRAME_WORDS == 6) };
    let heap = &mut process.head.heap;
    // SAFETY: the engine has made sure of the room.
    unsafe {
        heap.stack = heap.stack.sub(words.len());
        heap.stack
            .copy_from_nonoverlapping(words.as_ptr(), words.len());
    }
}

/// Lets the function that is being called tell a session that it has ended, for what is measured. `before` is the
/// number of the function before.
pub(super) fn push_measured(process: &mut Process, session: u32, measure: Measure, before: usize) {
    process.extras().exceptions_traced = true;
    let frame = MeasuredFrame {
        session,
        measure,
        before,
    };
    let words = [engine::start::timed_return() as u64, frame.to_term().bits()];
    const { assert!(TIMED_FRAME_WORDS == 2) };
    let heap = &mut process.head.heap;
    // SAFETY: the engine has made sure of the room.
    unsafe {
        heap.stack = heap.stack.sub(words.len());
        heap.stack
            .copy_from_nonoverlapping(words.as_ptr(), words.len());
    }
}

/// The small integer of a function that is measured:
///
/// ```text
/// number of the function before | 1 if it is memory that is measured | session
///          26 bits              |              1 bit                 | 32 bits
/// ```
struct MeasuredFrame {
    session: u32,
    measure: Measure,
    before: usize,
}

impl MeasuredFrame {
    fn to_term(&self) -> Term {
        let memory = i64::from(self.measure == Measure::Memory);
        Term::small((self.before as i64) << 33 | memory << 32 | i64::from(self.session))
    }

    /// # Safety
    /// `words` is behind the address of `timed_return` on a stack.
    unsafe fn at(words: *const u64) -> MeasuredFrame {
        // SAFETY: the caller's promise.
        let number = unsafe { Term::from_bits(*words) };
        let number = number.as_small().unwrap_or(0);
        MeasuredFrame {
            session: number as u32,
            measure: match number >> 32 & 1 {
                0 => Measure::Time,
                _ => Measure::Memory,
            },
            before: (number >> 33) as usize,
        }
    }

    /// The function ends.
    fn ends(&self, process: &mut Process) {
        costs::returned(process, self.session, self.measure, self.before);
    }
}

/// A function that is measured returns; the number is on top of the stack.
#[cold]
pub(crate) fn timed_returns(process: &mut Process) {
    // SAFETY: the instruction that calls this was reached by the address in front of the number.
    let frame = unsafe { MeasuredFrame::at(process.head.heap.stack) };
    frame.ends(process);
}

/// Whether a frame on top of the stack tells a session where the process continues.
fn is_returned_to(process: &Process, session: u32) -> bool {
    let mut words = process.head.heap.stack.cast_const();
    // SAFETY: the stack has a return address on top when a function is called, and one behind each frame.
    unsafe {
        while let Some(size) = words_of(*words) {
            if size == TRACED_FRAME_WORDS {
                let frame = Frame::at(words.add(1));
                if frame.session == session && frame.wishes & wish::RETURN_TO != 0 {
                    return true;
                }
            }
            words = words.add(size);
        }
    }
    false
}

/// The terms of a frame.
struct Frame {
    wishes: u8,
    session: u32,
    function: [Term; 3],
    tracer: Term,
}

impl Frame {
    /// # Safety
    /// The words behind the address of `traced_return` on a stack.
    unsafe fn at(words: *const u64) -> Frame {
        // SAFETY: the caller's promise.
        let term = |index: usize| unsafe { Term::from_bits(*words.add(index)) };
        let wishes = term(0).as_small().unwrap_or(0);
        Frame {
            wishes: wishes as u8,
            session: (wishes >> SESSION_SHIFT) as u32,
            function: [term(1), term(2), term(3)],
            tracer: term(4),
        }
    }

    /// Tells whoever wanted to know.
    fn tell(&self, process: &mut Process, event: &Event) {
        if self.tracer.is_nil() {
            let session = self.session;
            if is_for_in(process, session, what::CALL) && !is_for_in(process, session, what::SILENT)
            {
                events::tell_in(process, session, event);
            }
            return;
        }
        let tracer = match self.tracer.as_tuple_of() {
            Some([module, state]) => Tracer::Module(Arc::new((module, Owned::new(state)))),
            _ => Tracer::Identifier(self.tracer),
        };
        let tracing = Tracing {
            what: what::TIMESTAMP | what::CALL,
            tracer: Some(tracer),
            session: self.session,
        };
        let _ = get().tell(process.pid(), &tracing, event);
    }

    fn name(&self, heap: &mut layout::Heap) -> Term {
        build::tuple(heap, &self.function)
    }
}

/// A function returns; the terms of its frame are on top of the stack.
#[cold]
pub(crate) fn returns(process: &mut Process, value: Term) {
    let words = process.head.heap.stack.cast_const();
    // SAFETY: the instruction that calls this was reached by the address in front of the terms.
    let frame = unsafe { Frame::at(words) };
    let mut scratch = Scratch::new();
    if frame.wishes & (wish::RETURN | wish::EXCEPTION) != 0 {
        let name = frame.name(scratch.heap());
        let event = Event::new(Family::Call, am::RETURN_FROM, name).with(value);
        frame.tell(process, &event);
    }
    if frame.wishes & wish::RETURN_TO != 0 {
        // SAFETY: the frame has a return address behind it.
        tells_where(process, frame.session, unsafe {
            words.add(TRACED_FRAME_WORDS - 1)
        });
    }
}

/// Tells a session where a process continues: at the first return address of a function from here on.
fn tells_where(process: &mut Process, session: u32, words: *const u64) {
    // SAFETY: a stack ends with a return address that is no other's.
    let address = unsafe { *behind_frames(words) };
    continues_at(process, session, (address - 8) as *const u64);
}

/// Tells a session that a process continues in the function at an address.
fn continues_at(process: &mut Process, session: u32, address: *const u64) {
    if !process.flags.contains(Flags::TRACED) || !is_for_in(process, session, what::RETURN_TO) {
        return;
    }
    let mut scratch = Scratch::new();
    let place = code::place_of(address).map_or(am::UNDEFINED, |place| {
        let arity = Term::small(i64::from(place.arity));
        build::tuple(scratch.heap(), &[place.module, place.function, arity])
    });
    let event = Event::new(Family::Call, am::RETURN_TO, place);
    events::tell_in(process, session, &event);
}

/// An exception leaves the functions whose frames are between two places of the stack; it is caught at `handler`, or
/// not.
#[cold]
pub(crate) fn thrown(
    process: &mut Process,
    frames: std::ops::Range<*const u64>,
    handler: Option<*const u64>,
    [class, reason]: [Term; 2],
) {
    let mut at = frames.start;
    let mut leaving = Sessions::new();
    while at < frames.end {
        // SAFETY: the words between the two are words of the stack.
        let word = unsafe { *at };
        at = at.wrapping_add(1);
        let Some(words) = words_of(word) else {
            continue;
        };
        if words == TIMED_FRAME_WORDS {
            // SAFETY: the number is behind the address.
            unsafe { MeasuredFrame::at(at) }.ends(process);
            continue;
        }
        // SAFETY: the terms of a frame are behind its address.
        let frame = unsafe { Frame::at(at) };
        if frame.wishes & wish::RETURN_TO != 0 && !leaving.contains(&frame.session) {
            leaving.push(frame.session);
        }
        if frame.wishes & wish::EXCEPTION != 0 {
            let mut scratch = Scratch::new();
            let name = frame.name(scratch.heap());
            let exception = build::tuple(scratch.heap(), &[class, reason]);
            let event = Event::new(Family::Call, am::EXCEPTION_FROM, name).with(exception);
            frame.tell(process, &event);
        }
    }
    if let Some(handler) = handler {
        for session in leaving {
            continues_at(process, session, handler);
        }
    }
}
