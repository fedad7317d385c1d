//! Matching bit strings, using `term::bits::matching`.
#![allow(clippy::undocumented_unsafe_blocks)]

use layout::{Heap, Term};
use term::am;
use term::bits::{Flags, is_all, match_width, matching};

use crate::form::{Exit, Form};
use crate::operand::Any;
use crate::operation::slow_paths;
use crate::registers::Registers;
use crate::slow::bifs::settle_guard;
use crate::slow::collect::room_before;
use crate::slow::exceptions::{set_error, unwind};

/// Heap words needed for a match context, and for most matched parts: a heap binary of 64 bytes, or a sub-binary.
const CONTEXT_WORDS: usize = 5;
const PART_WORDS: usize = 10;

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
    ($m:ident, $result:expr, dest $dest:literal, live $live:literal, words $words:literal) => {{
        $m.load();
        let live = $m.word::<$live>();
        let result = settle_guard(&mut $m, $result, live);
        if result.is_none() {
            return Exit::Exited;
        }
        $m.put::<Any, $dest>(result);
        $m.next::<$words>()
    }};
}

slow_paths! {
    /// `term, dest, fail, live`
    start_match |m| {
        let live = m.word::<3>();
        let term = m.get::<Any, 0>();
        let term = room_before(&mut m, CONTEXT_WORDS, live, term);
        if term.is_none() {
            return Exit::Exited;
        }
        let Some(context) = matching::start_match(heap(&m), term) else {
            if m.word::<2>() == 0 {
                set_error(m.c, am::BADARG);
                let ip = m.ip;
                return unwind(m, ip, core::ptr::null(), core::ptr::null());
            }
            return m.jump::<2>();
        };
        finish!(m, context, dest 1, live 3, words 4)
    }

    /// `context, size, dest, fail, live, unit, flags`
    get_integer |m| {
        // A size is a small integer or `all`, so a collection does not affect it.
        let (live, size) = (m.word::<4>(), m.get::<Any, 1>());
        let context = m.get::<Any, 0>();
        let context = room_before(&mut m, PART_WORDS, live, context);
        if context.is_none() {
            return Exit::Exited;
        }
        let flags = Flags::new(m.word::<6>() as u32);
        let found = match match_width(size, m.word::<5>() as u32) {
            Some(width) => matching::get_integer(heap(&m), context, width, flags),
            None => None,
        };
        match found {
            Some(value) => finish!(m, value, dest 2, live 4, words 7),
            None => m.jump::<3>(),
        }
    }

    /// `context, size, dest, fail, live, unit, flags`
    get_float |m| {
        // A size is a small integer or `all`, so a collection does not affect it.
        let (live, size) = (m.word::<4>(), m.get::<Any, 1>());
        let context = m.get::<Any, 0>();
        let context = room_before(&mut m, PART_WORDS, live, context);
        if context.is_none() {
            return Exit::Exited;
        }
        let flags = Flags::new(m.word::<6>() as u32);
        let found = match match_width(size, m.word::<5>() as u32) {
            Some(width) => matching::get_float(heap(&m), context, width, flags),
            None => None,
        };
        match found {
            Some(value) => finish!(m, value, dest 2, live 4, words 7),
            None => m.jump::<3>(),
        }
    }

    /// `context, size, dest, fail, live, unit, flags`
    get_binary |m| {
        // A size is a small integer or `all`, so a collection does not affect it.
        let (live, size) = (m.word::<4>(), m.get::<Any, 1>());
        let context = m.get::<Any, 0>();
        let context = room_before(&mut m, PART_WORDS, live, context);
        if context.is_none() {
            return Exit::Exited;
        }
        let unit = m.word::<5>() as u32;
        let found = if is_all(size) {
            matching::get_all(heap(&m), context, unit)
        } else {
            match match_width(size, unit) {
                Some(width) => matching::get_binary(heap(&m), context, width),
                None => None,
            }
        };
        match found {
            Some(value) => finish!(m, value, dest 2, live 4, words 7),
            None => m.jump::<3>(),
        }
    }

    /// `context, fail, size, unit`
    skip_bits |m| {
        let (context, size) = (m.get::<Any, 0>(), m.get::<Any, 2>());
        let unit = m.word::<3>() as u32;
        let width = if is_all(size) {
            if matching::test_unit(context, unit) { Some(matching::left(context)) } else { None }
        } else {
            match_width(size, unit)
        };
        match width {
            Some(width) if matching::skip(context, width) => m.next::<4>(),
            _ => m.jump::<1>(),
        }
    }

    /// `context, fail, bits, address of the string`
    match_string |m| {
        let context = m.get::<Any, 0>();
        if matching::match_string(context, m.word::<2>(), m.word::<3>() as *const u8) {
            return m.next::<4>();
        }
        m.jump::<1>()
    }

    /// `context, dest, live`
    get_tail |m| {
        let live = m.word::<2>();
        let context = m.get::<Any, 0>();
        let context = room_before(&mut m, PART_WORDS, live, context);
        if context.is_none() {
            return Exit::Exited;
        }
        let tail = matching::get_tail(heap(&m), context);
        finish!(m, tail, dest 1, live 2, words 3)
    }

    /// `context, position`
    set_position |m| {
        let (context, position) = (m.get::<Any, 0>(), m.get::<Any, 1>());
        if !matching::set_position_term(context, position) {
            set_error(m.c, am::BADARG);
            let ip = m.ip;
            return unwind(m, ip, core::ptr::null(), core::ptr::null());
        }
        m.next::<2>()
    }

    /// `context, dest (NO_DEST if the character is skipped), fail, flags`
    get_utf8 |m| {
        let context = m.get::<Any, 0>();
        character(m, matching::get_utf8(context))
    }

    /// `context, dest, fail, flags`
    get_utf16 |m| {
        let context = m.get::<Any, 0>();
        let flags = Flags::new(m.word::<3>() as u32);
        character(m, matching::get_utf16(context, flags))
    }

    /// `context, dest, fail, flags`
    get_utf32 |m| {
        let context = m.get::<Any, 0>();
        let flags = Flags::new(m.word::<3>() as u32);
        character(m, matching::get_utf32(context, flags))
    }
}

/// The destination operand for a skipped character: a constant, so it cannot be a register.
pub const NO_DEST: Term = Term::NIL;

#[inline(always)]
unsafe fn character<F: Form>(m: Registers<F>, found: Option<Term>) -> Exit {
    unsafe {
        match found {
            Some(value) => {
                if m.word::<1>() != NO_DEST.bits() {
                    m.put::<Any, 1>(value);
                }
                m.next::<4>()
            }
            None => m.jump::<2>(),
        }
    }
}
