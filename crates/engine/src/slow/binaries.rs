//! Matching bit strings, using `term::bits::matching`.
//!
//! Where a match fails, registers beyond the live ones may be read: those are known for a match that succeeds. So what
//! can fail is tested before a collection.
#![allow(clippy::undocumented_unsafe_blocks)]

use layout::kinds::MatchContext;
use layout::{Heap, Term};
use term::bits::{Flags, is_all, match_width, matching};
use term::{am, build};

use crate::encoding::{Encoding, GetCharacter};
use crate::form::{Exit, Form};
use crate::operation::slow_paths;
use crate::registers::Registers;
use crate::slow::bifs::collect_keeping;
use crate::slow::collect::room_before;
use crate::slow::exceptions::raise_error;

/// Heap words needed for a match context, and for most matched parts: a heap binary of 64 bytes, or a sub-binary.
const CONTEXT_WORDS: usize = 5;
const PART_WORDS: usize = 10;

const FLOAT_WORDS: usize = 2;

/// The most bits of an integer that room is made for.
const MOST_BITS_WITH_ROOM: u64 = 64 * (PART_WORDS as u64 - 1);

/// The number of bits of a segment, if they are left. `all` stands for all that are left, a multiple of the unit.
#[inline(always)]
fn width_of(context: MatchContext, size: Term, unit: u32) -> Option<u64> {
    if is_all(size) {
        return matching::test_unit(context, unit).then(|| matching::left(context));
    }
    match_width(size, unit).filter(|&width| width <= matching::left(context))
}

/// Writes the registers back and returns the process's heap.
#[inline(always)]
unsafe fn heap<'a, F: Form>(m: &Registers<F>) -> &'a mut Heap {
    unsafe {
        m.save();
        &mut (*(*m.c).process).heap
    }
}

/// Stores a newly built result in its destination, after a collection if one is due.
macro_rules! finish {
    ($m:ident, $o:ident, $result:expr) => {{
        $m.load();
        let live = $m.word($o.live);
        let result = collect_keeping(&mut $m, $result, live);
        if result.is_none() {
            return Exit::Exited;
        }
        $m.put($o.dest, result);
        $m.next($o.end)
    }};
}

slow_paths! {
    start_match |m, o: StartMatch| {
        let live = m.word(o.live);
        let term = m.get(o.term);
        if MatchContext::of(term).is_none() && !term.is_bitstring() {
            if m.word(o.fail) == 0 {
                return raise_error(m, am::BADARG);
            }
            return m.jump(o.fail);
        }
        let term = room_before(&mut m, CONTEXT_WORDS, live, term);
        if term.is_none() {
            return Exit::Exited;
        }
        let context = matching::start_match(heap(&m), term).unwrap_unchecked();
        finish!(m, o, context.term())
    }

    get_binary |m, o: GetBits| {
        let context = m.get(o.context);
        let Some(width) = width_of(MatchContext::expect(context), m.get(o.size), m.word(o.unit) as u32) else {
            return m.jump(o.fail);
        };
        let live = m.word(o.live);
        let context = room_before(&mut m, PART_WORDS, live, context);
        if context.is_none() {
            return Exit::Exited;
        }
        let part = matching::get_binary(heap(&m), MatchContext::expect(context), width);
        finish!(m, o, part.unwrap_unchecked())
    }

    get_integer |m, o: GetBits| {
        let mut context = m.get(o.context);
        let Some(width) = width_of(MatchContext::expect(context), m.get(o.size), m.word(o.unit) as u32) else {
            return m.jump(o.fail);
        };
        // A long one may be too long for an integer, and has a fragment of its own.
        if width <= MOST_BITS_WITH_ROOM {
            let live = m.word(o.live);
            context = room_before(&mut m, PART_WORDS, live, context);
            if context.is_none() {
                return Exit::Exited;
            }
        }
        let flags = Flags::new(m.word(o.flags) as u32);
        match matching::get_integer(heap(&m), MatchContext::expect(context), width, flags) {
            Some(value) => finish!(m, o, value),
            None => m.jump(o.fail),
        }
    }

    get_float |m, o: GetBits| {
        let context = MatchContext::expect(m.get(o.context));
        let flags = Flags::new(m.word(o.flags) as u32);
        let width = width_of(context, m.get(o.size), m.word(o.unit) as u32);
        let Some(value) = width.and_then(|width| matching::get_float(context, width, flags)) else {
            return m.jump(o.fail);
        };
        let live = m.word(o.live);
        if room_before(&mut m, FLOAT_WORDS, live, Term::NIL).is_none() {
            return Exit::Exited;
        }
        let value = build::float(heap(&m), value);
        finish!(m, o, value)
    }

    skip_bits |m, o: SkipUnits| {
        let context = MatchContext::expect(m.get(o.context));
        match width_of(context, m.get(o.size), m.word(o.unit) as u32) {
            Some(width) if matching::skip(context, width) => m.next(o.end),
            _ => m.jump(o.fail),
        }
    }

    test_rest |m, o: TestRestUnit| {
        let rest = matching::left(MatchContext::expect(m.get(o.context))).checked_sub(m.word(o.bits));
        if rest.is_some_and(|rest| rest.is_multiple_of(m.word(o.unit))) {
            return m.next(o.end);
        }
        m.jump(o.fail)
    }

    match_string |m, o: MatchString| {
        let context = MatchContext::expect(m.get(o.context));
        if matching::match_string(context, m.word(o.bits), m.wide(o.string) as *const u8) {
            return m.next(o.end);
        }
        m.jump(o.fail)
    }

    get_tail |m, o: GetTail| {
        let live = m.word(o.live);
        let context = m.get(o.context);
        let context = room_before(&mut m, PART_WORDS, live, context);
        if context.is_none() {
            return Exit::Exited;
        }
        let tail = matching::get_tail(heap(&m), MatchContext::expect(context));
        finish!(m, o, tail)
    }

    set_position |m, o: SetPosition| {
        let (context, position) = (MatchContext::expect(m.get(o.context)), m.get(o.position));
        if !matching::set_position_term(context, position) {
            return raise_error(m, am::BADARG);
        }
        m.next(o.end)
    }

    get_utf8 |m, o: GetCharacter| {
        let context = MatchContext::expect(m.get(o.context));
        character(m, matching::get_utf8(context))
    }

    skip_utf8 |m, o: SkipCharacter| {
        match matching::get_utf8(MatchContext::expect(m.get(o.context))) {
            Some(_) => m.next(o.end),
            None => m.jump(o.fail),
        }
    }

    get_utf16 |m, o: GetCharacter| {
        let context = MatchContext::expect(m.get(o.context));
        let flags = Flags::new(m.word(o.flags) as u32);
        character(m, matching::get_utf16(context, flags))
    }

    get_utf32 |m, o: GetCharacter| {
        let context = MatchContext::expect(m.get(o.context));
        let flags = Flags::new(m.word(o.flags) as u32);
        character(m, matching::get_utf32(context, flags))
    }
}

/// The destination operand for a skipped character: a constant, so it cannot be a register.
pub(crate) const NO_DEST: Term = Term::NIL;

#[inline(always)]
unsafe fn character<F: Form>(m: Registers<F>, found: Option<Term>) -> Exit {
    unsafe {
        let o = GetCharacter::OPERANDS;
        match found {
            Some(value) => {
                if m.word(o.dest) != NO_DEST.bits() {
                    m.put(o.dest, value);
                }
                m.next(o.end)
            }
            None => m.jump(o.fail),
        }
    }
}
