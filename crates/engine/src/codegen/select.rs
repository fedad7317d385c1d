//! Choosing the instructions for `select_val` and `select_tuple_arity`.

use beamfile::Operand as FileOperand;
use layout::Term;

use super::emit::{Emitter, label, number};
use crate::bodies::{compare, select, tuples, type_tests};
use crate::encoding::{
    CompareImmediate, Comparison, Jump, JumpTable, Select, Select2, SelectArity2, WordSink as _,
};
use crate::operand::Operand;
use crate::operation::Operation;

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
    let mut immediates: Vec<(Term, u32)> = Vec::with_capacity(list.len() / 2);
    for pair in list.chunks_exact(2) {
        let (Some(value), target) = (emitter.constant(pair[0]), label(pair[1])) else {
            continue;
        };
        if value.is_immediate() {
            immediates.push((value, target));
        } else {
            // Jumps to the target if they are equal.
            emitter.operation::<compare::IsNeExact>(Comparison {
                a: term,
                b: Operand::constant(value),
                fail: target,
            });
        }
    }
    // The sort is stable: of two equal values, the first one wins.
    immediates.sort_by_key(|&(value, _)| value.bits() as i64);
    immediates.dedup_by_key(|&mut (value, _)| value);
    match immediates[..] {
        [] => emitter.operation::<type_tests::Jump>(Jump { label: default }),
        [(value, target)] => {
            emitter.operation::<compare::IsNeImmediate>(CompareImmediate {
                a: term,
                b: value,
                fail: target,
            });
            emitter.operation::<type_tests::Jump>(Jump { label: default });
        }
        [(value, label), (value2, label2)] => {
            emitter.operation::<select::SelectValue2>(Select2 {
                term,
                fail: default,
                value,
                label,
                value2,
                label2,
            });
        }
        _ => match table(&immediates) {
            Some((least, targets)) => {
                emitter.operation::<select::JumpTable>(JumpTable {
                    term,
                    fail: default,
                    least: Term::small(least),
                    count: targets.len() as u64,
                });
                // Written when there is machine code.
                targets.iter().for_each(|_| emitter.word(0));
                for target in targets {
                    emitter.label(target.unwrap_or(default));
                }
            }
            None => {
                let values: Vec<(u64, u32)> = immediates
                    .iter()
                    .map(|&(value, target)| (value.bits(), target))
                    .collect();
                if values.len() <= select::LINEAR {
                    search_table::<select::SelectFew>(emitter, term, default, &values);
                } else {
                    search_table::<select::SelectValue>(emitter, term, default, &values);
                }
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
    match headers[..] {
        [(header, label), (header2, label2)] => {
            emitter.operation::<select::SelectTupleArity2>(SelectArity2 {
                term,
                fail: default,
                header,
                label,
                header2,
                label2,
            });
        }
        _ => search_table::<select::SelectTupleArity>(emitter, term, default, &headers),
    }
}

fn search_table<O: Operation<Encoding = Select>>(
    emitter: &mut Emitter<'_>,
    term: Operand,
    default: u32,
    values: &[(u64, u32)],
) {
    emitter.operation::<O>(Select {
        term,
        fail: default,
        count: values.len() as u64,
    });
    for &(value, _) in values {
        emitter.word(value);
    }
    for &(_, target) in values {
        emitter.label(target);
    }
}

/// The smallest value and the labels of all values from there on, if all are small integers with few gaps.
fn table(values: &[(Term, u32)]) -> Option<(i64, Vec<Option<u32>>)> {
    if values.len() < TABLE_VALUES {
        return None;
    }
    let mut smalls = Vec::with_capacity(values.len());
    for &(value, target) in values {
        smalls.push((value.as_small()?, target));
    }
    let least = smalls.iter().map(|&(value, _)| value).min()?;
    let greatest = smalls.iter().map(|&(value, _)| value).max()?;
    let span = greatest.abs_diff(least) + 1;
    if least.unsigned_abs() > select::FARTHEST_TABLE {
        return None;
    }
    if span > values.len() as u64 * TABLE_WORDS_PER_VALUE {
        return None;
    }
    let mut targets = vec![None; span as usize];
    for (value, target) in smalls {
        targets[value.abs_diff(least) as usize] = Some(target);
    }
    Some((least, targets))
}
