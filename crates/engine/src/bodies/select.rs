//! Choosing among values.
#![allow(clippy::undocumented_unsafe_blocks)]

use super::tuples::header_of;
use crate::operand::K;
use crate::operation::operations;

/// Up to this many words, a linear search is no slower than a binary one.
pub const LINEAR: usize = 8;

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
            low = if *values.add(low + half) <= value {
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

operations! {
    /// `term, fail, count, value..., label...`: the values are immediates, sorted by their words; each has a label.
    SelectValue: S<A: Source> |m| {
        let value = m.get::<A, 0>().bits();
        let count = m.word::<2>() as usize;
        let values = m.words::<3>();
        let index = search(values, count, value);
        if index == count {
            return m.jump::<1>();
        }
        m.enter(*values.add(count + index) as *const u64)
    }

    /// As `SelectValue`, for up to `LINEAR` values.
    SelectFew: S<A: Source> |m| {
        let value = m.get::<A, 0>().bits();
        let count = m.word::<2>() as usize;
        let values = m.words::<3>();
        let index = search_linear(values, count, value);
        if index == count {
            return m.jump::<1>();
        }
        m.enter(*values.add(count + index) as *const u64)
    }

    /// Two immediates: `term, fail, value, label, value, label`
    SelectValue2: S<A: Source> |m| {
        let value = m.get::<A, 0>().bits();
        if value == m.get::<K, 2>().bits() {
            return m.jump::<3>();
        }
        if value == m.get::<K, 4>().bits() {
            return m.jump::<5>();
        }
        m.jump::<1>()
    }

    /// Small integers with few gaps: `term, fail, smallest value (a plain number), count, label...`
    JumpTable: S<A: Source> |m| {
        let value = m.get::<A, 0>();
        let index = value.small_value().wrapping_sub(m.word::<2>() as i64) as u64;
        if !value.is_small() || index >= m.word::<3>() {
            return m.jump::<1>();
        }
        let target = *m.words::<4>().add(index as usize);
        m.enter(target as *const u64)
    }

    /// Selects by a tuple's header: `term, fail, count, header..., label...`
    SelectTupleArity: S<A: Source> |m| {
        let header = header_of(m.get::<A, 0>());
        let count = m.word::<2>() as usize;
        let values = m.words::<3>();
        let index = search_linear(values, count, header);
        if index == count {
            return m.jump::<1>();
        }
        m.enter(*values.add(count + index) as *const u64)
    }
}
