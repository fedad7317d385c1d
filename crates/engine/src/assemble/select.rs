//! Choosing the instructions for `select_val` and `select_tuple_arity`.

use beamfile::Operand as FileOperand;
use layout::Term;

use super::emit::{Emitter, label, number};
use crate::bodies::{compare, select, tests, tuples};
use crate::operand::Operand;
use crate::operation::{plain, source, sources};

/// A jump table may have this many words per value.
const TABLE_WORDS_PER_VALUE: u64 = 3;
/// With fewer values, searching is faster than a jump table.
const TABLE_VALUES: usize = 4;

/// `select_val`
pub(super) fn select_value(
    emitter: &mut Emitter<'_>,
    term: Operand,
    default: u32,
    list: &[FileOperand],
) {
    let mut immediates: Vec<(u64, u32)> = Vec::with_capacity(list.len() / 2);
    for pair in list.chunks_exact(2) {
        let (Some(value), target) = (emitter.constant(pair[0]), label(pair[1])) else {
            continue;
        };
        if value.is_immediate() {
            immediates.push((value.bits(), target));
        } else {
            // Jumps to the target if they are equal.
            emitter.instruction(
                sources::<compare::IsNeExact>(term, Operand::constant(value)),
                &[term, Operand::constant(value)],
            );
            emitter.label(target);
        }
    }
    // The sort is stable: of two equal values, the first one wins.
    immediates.sort_by_key(|&(value, _)| value);
    immediates.dedup_by_key(|&mut (value, _)| value);
    match immediates[..] {
        [] => {
            emitter.handler(plain::<tests::Jump>());
            emitter.label(default);
        }
        [(value, target)] => {
            emitter.instruction(source::<compare::IsNeImmediate>(term), &[term]);
            emitter.word(value);
            emitter.label(target);
            emitter.handler(plain::<tests::Jump>());
            emitter.label(default);
        }
        [(first, first_target), (second, second_target)] => {
            emitter.instruction(source::<select::SelectValue2>(term), &[term]);
            emitter.label(default);
            emitter.word(first);
            emitter.label(first_target);
            emitter.word(second);
            emitter.label(second_target);
        }
        _ => match table(&immediates) {
            Some((least, targets)) => {
                emitter.instruction(source::<select::JumpTable>(term), &[term]);
                emitter.label(default);
                emitter.word(least as u64);
                emitter.word(targets.len() as u64);
                for target in targets {
                    emitter.label(target.unwrap_or(default));
                }
            }
            None => {
                let body = if immediates.len() <= select::LINEAR {
                    source::<select::SelectFew>(term)
                } else {
                    source::<select::SelectValue>(term)
                };
                emitter.instruction(body, &[term]);
                emitter.label(default);
                search_table(emitter, &immediates);
            }
        },
    }
}

/// `select_tuple_arity`
pub(super) fn select_tuple_arity(
    emitter: &mut Emitter<'_>,
    term: Operand,
    default: u32,
    list: &[FileOperand],
) {
    let mut headers: Vec<(u64, u32)> = list
        .chunks_exact(2)
        .filter_map(|pair| {
            let arity = usize::try_from(number(pair[0])?).ok()?;
            (arity <= layout::limits::MAX_TUPLE_ARITY)
                .then(|| (tuples::tuple_header(arity), label(pair[1])))
        })
        .collect();
    headers.sort_by_key(|&(header, _)| header);
    headers.dedup_by_key(|&mut (header, _)| header);
    emitter.instruction(source::<select::SelectTupleArity>(term), &[term]);
    emitter.label(default);
    search_table(emitter, &headers);
}

fn search_table(emitter: &mut Emitter<'_>, values: &[(u64, u32)]) {
    emitter.word(values.len() as u64);
    for &(value, _) in values {
        emitter.word(value);
    }
    for &(_, target) in values {
        emitter.label(target);
    }
}

/// The smallest value and the labels of all values from there on, if all are small integers with few gaps.
fn table(values: &[(u64, u32)]) -> Option<(i64, Vec<Option<u32>>)> {
    if values.len() < TABLE_VALUES {
        return None;
    }
    let mut smalls = Vec::with_capacity(values.len());
    for &(word, target) in values {
        // SAFETY: the word of a constant operand is a term.
        let value = unsafe { Term::from_bits(word) }.as_small()?;
        smalls.push((value, target));
    }
    let least = smalls.iter().map(|&(value, _)| value).min()?;
    let greatest = smalls.iter().map(|&(value, _)| value).max()?;
    let span = greatest.abs_diff(least) + 1;
    if span > values.len() as u64 * TABLE_WORDS_PER_VALUE {
        return None;
    }
    let mut targets = vec![None; span as usize];
    for (value, target) in smalls {
        targets[value.abs_diff(least) as usize] = Some(target);
    }
    Some((least, targets))
}
