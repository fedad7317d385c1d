//! Choosing among values.
#![allow(clippy::undocumented_unsafe_blocks)]

use layout::Term;

use super::tags::{header, header_of, is_boxed};
use crate::operation::operations;

/// Up to this many words, a linear search is no slower than a binary one in the threaded form.
pub(crate) const LINEAR: usize = 8;

/// The index of `value` among `count` words, or `count` if it is absent.
#[inline(always)]
unsafe fn search_linear(values: *const u64, count: usize, value: u64) -> usize {
    unsafe {
        let mut index = 0;
        while index < count && *values.add(index) != value {
            index += 1;
        }
        index
    }
}

/// The index of `value` among `count` (at least one) sorted words, or `count` if it is absent.
#[inline(always)]
unsafe fn search(values: *const u64, count: usize, value: u64) -> usize {
    unsafe {
        let (mut low, mut length) = (0, count);
        while length > 1 {
            let half = length / 2;
            // Written without a branch, because the outcome cannot be predicted.
            low = if *values.add(low + half) as i64 <= value as i64 {
                low + half
            } else {
                low
            };
            length -= half;
        }
        if *values.add(low) == value {
            low
        } else {
            count
        }
    }
}

/// Jump tables begin with an integer of at most this magnitude, so that no small integer below `least` wraps around to
/// an index of the table.
pub(crate) const FARTHEST_TABLE: u64 = 1 << 58;

/// Where a value leads in a jump table for small integers from `least` on: a number that is no index of the table, if
/// the value is not in it.
#[inline(always)]
fn place_in_table(value: Term, least: Term) -> u64 {
    // The tags of two small integers leave no bits; those of another term leave some, which become the highest.
    value
        .bits()
        .wrapping_sub(least.bits())
        .rotate_right(Term::SMALL_TAG_BITS)
}

operations! {
    /// The values are immediates, sorted by their words as signed numbers; each has a label.
    SelectValue: S |m, o: Select| {
        let value = m.get(o.term).bits();
        let count = m.word(o.count) as usize;
        let values = m.words(o.end);
        let index = search(values, count, value);
        if index == count {
            return m.jump(o.fail);
        }
        m.enter(*values.add(count + index) as *const u64)
    }

    /// As `SelectValue`, for up to `LINEAR` values.
    SelectFew: S |m, o: Select| {
        let value = m.get(o.term).bits();
        let count = m.word(o.count) as usize;
        let values = m.words(o.end);
        let index = search_linear(values, count, value);
        if index == count {
            return m.jump(o.fail);
        }
        m.enter(*values.add(count + index) as *const u64)
    }

    /// Two immediates.
    SelectValue2: S |m, o: Select2| {
        let value = m.get(o.term).bits();
        if value == m.get(o.value).bits() {
            return m.jump(o.label);
        }
        if value == m.get(o.value2).bits() {
            return m.jump(o.label2);
        }
        m.jump(o.fail)
    }

    /// Part of `SelectValue` in machine code: the values less than this one are tested elsewhere, and the greater ones
    /// next. The words are compared as signed numbers, which a constant in an instruction is.
    SelectNode: S |m, o: SelectNode| {
        let (word, value) = (m.get(o.term).bits() as i64, m.get(o.value).bits() as i64);
        if word == value {
            return m.jump(o.equal);
        }
        if word < value {
            return m.jump(o.less);
        }
        m.next(o.end)
    }

    /// Small integers with few gaps.
    JumpTable: S |m, o: JumpTable| {
        let value = m.get(o.term);
        let index = place_in_table(value, m.get(o.least));
        if index >= m.word(o.count) {
            return m.jump(o.fail);
        }
        m.enter_table(m.words(o.end), index as usize, m.word(o.count))
    }

    /// Selects by a tuple's header.
    SelectTupleArity: S |m, o: Select| {
        let header = header_of(m.get(o.term));
        let count = m.word(o.count) as usize;
        let values = m.words(o.end);
        let index = search_linear(values, count, header);
        if index == count {
            return m.jump(o.fail);
        }
        m.enter(*values.add(count + index) as *const u64)
    }

    /// Part of `SelectTupleArity` in machine code: goes on if the term has a header.
    IsBoxed: S |m, o: Test| {
        if !is_boxed(m.get(o.term)) {
            return m.jump(o.fail);
        }
        m.next(o.end)
    }

    /// Part of `SelectTupleArity` in machine code, for a term that is boxed: leaves if this is its header.
    SelectHeader: S |m, o: TestArity| {
        if header(m.get(o.tuple)) == m.word(o.header) {
            return m.jump(o.fail);
        }
        m.next(o.end)
    }

    /// Two headers of tuples.
    SelectTupleArity2: S |m, o: SelectArity2| {
        let header = header_of(m.get(o.term));
        if header == m.word(o.header) {
            return m.jump(o.label);
        }
        if header == m.word(o.header2) {
            return m.jump(o.label2);
        }
        m.jump(o.fail)
    }
}
