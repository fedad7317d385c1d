//! Where a walk continues: what a BIF keeps of a paused one, and the continuations that programs hold.
//!
//! ```text
//! hash table    {Table, Slot, Limit, Program, Rest, RestCount}                    -1: all slots are done
//! ordered set   {Table, LastKey, EndPattern, Limit, Program, [], Backwards, 0}
//! ```
//!
//! `Table` is the reference of a hash table even if it has a name, because another table may have the name later. For
//! an ordered set it is the name if there is one, as on stock.
//!
//! Programs may make continuations of their own, and `ets:repair_continuation/2` knows their form: nothing in them is
//! trusted, and they can only collect. What is left of a paused walk is a [`PausedWalk`], which no program can make.

use std::sync::Arc;

use layout::Term;
use term::{am, build};

use super::{Outcome, Purpose, Walk, WalkPosition};
use crate::match_spec::Program;
use crate::store::part::Part;
use crate::store::tree;
use crate::table::Table;
use crate::{Access, TableKind, match_spec, registry};
use runtime::code::bif::{Failure, badarg, badarg_because};
use runtime::process::Process;

/// Bits of a slot's index in its part; the part's index is above them.
const SLOT_BITS: u32 = 40;

/// A walk that is paused, without its terms: `{LastKey, EndPattern, Found}`.
pub struct PausedWalk {
    /// The number of the table; its name may belong to another table when the walk continues.
    table: u64,
    /// The slot where it continues; `None` in an ordered set, where it continues after the last key.
    slot: Option<(usize, usize)>,
    program: Arc<Program>,
    purpose: Purpose,
    limit: usize,
    count: usize,
    backwards: bool,
    fixed: bool,
}

/// Continues a walk that was paused; `terms` are those that it was paused with.
///
/// # Errors
/// `badarg` if the table is gone, or if the process has lost its access.
pub fn resume(process: &mut Process, paused: PausedWalk, terms: Term) -> Result<Outcome, Failure> {
    let table = registry::find(paused.table).ok_or_else(|| badarg_because(am::ID))?;
    if let Err(failure) = table.allow(process, paused.purpose.access()) {
        if paused.fixed {
            table.release(process.pid(), false);
        }
        return Err(failure);
    }
    let Some([key, end, earlier]) = terms.as_tuple_of() else {
        unreachable!("the terms of a paused walk");
    };
    let place = match paused.slot {
        Some((part, slot)) => WalkPosition::Slot { part, slot },
        None => WalkPosition::Tree {
            from: tree::WalkStart::After(key),
            end: end_of(end),
        },
    };
    let PausedWalk { program, limit, .. } = paused;
    let (purpose, backwards) = (paused.purpose, paused.backwards);
    let mut walk = Walk::new(process, &table, program, purpose, limit, backwards);
    walk.earlier = earlier;
    walk.count = paused.count;
    walk.fixed = paused.fixed;
    walk.continued = true;
    walk.run(place)
}

/// Continues a walk from a continuation that a program held.
///
/// # Errors
/// `badarg` if it is not a continuation of this table; otherwise as [`resume`].
pub fn continue_from(
    process: &mut Process,
    table: &Table,
    continuation: &[Term],
) -> Result<Outcome, Failure> {
    match *continuation {
        [_, slot, limit, program, rest, count] if table.options.kind != TableKind::OrderedSet => {
            let slot = slot.as_small().ok_or(badarg(1))?;
            let (Some(limit), Some(count)) = (as_size(limit), as_size(count)) else {
                return Err(badarg(1));
            };
            let program = match_spec::from_term(program).ok_or(badarg(1))?;
            if !rest.is_list() || limit == 0 {
                return Err(badarg(1));
            }
            table.allow(process, Access::Read)?;
            let mut walk = Walk::new(process, table, program, Purpose::Collect, limit, false);
            walk.earlier = rest;
            walk.count = count;
            walk.continued = true;
            let place = slot_place(table, slot).ok_or(badarg(1))?;
            if count >= limit {
                return Ok(Outcome::Done(walk.slot_chunk(place)));
            }
            walk.run(place)
        }
        [_, key, end, limit, program, _, backwards, _]
            if table.options.kind == TableKind::OrderedSet =>
        {
            let limit = as_size(limit).filter(|limit| *limit > 0).ok_or(badarg(1))?;
            let backwards = backwards.as_small().ok_or(badarg(1))? != 0;
            let program = match_spec::from_term(program).ok_or(badarg(1))?;
            let walk = Walk::new(process, table, program, Purpose::Collect, limit, backwards);
            walk.run(WalkPosition::Tree {
                from: tree::WalkStart::After(key),
                end: end_of(end),
            })
        }
        _ => Err(badarg(1)),
    }
}

fn as_size(term: Term) -> Option<usize> {
    usize::try_from(term.as_small()?).ok()
}

/// The end pattern in a term. A real one contains a variable, so it is never `[]`.
fn end_of(end: Term) -> Option<Term> {
    (!end.is_nil()).then_some(end)
}

fn slot_place(table: &Table, slot: i64) -> Option<WalkPosition> {
    if slot < 0 {
        return Some(WalkPosition::End);
    }
    let part = (slot >> SLOT_BITS) as usize;
    let slot = (slot & ((1 << SLOT_BITS) - 1)) as usize;
    // If it is not fixed, the table may have shrunk since.
    let is_there = part < table.parts()
        && matches!(&*table.read_part(part), Part::Hash(shard) if slot < shard.slots());
    is_there.then_some(WalkPosition::Slot { part, slot })
}

impl Walk<'_> {
    /// Pauses the walk. In a hash table it has fixed the table already, while it still held the part's lock.
    pub(super) fn pause(mut self, place: WalkPosition) -> Outcome {
        let earlier = self.latest_first();
        let (slot, key, end) = match place {
            WalkPosition::Tree {
                from: tree::WalkStart::After(key),
                end,
            } => (None, key, end.unwrap_or(Term::NIL)),
            WalkPosition::Slot { part, slot } => (Some((part, slot)), Term::NIL, Term::NIL),
            _ => unreachable!("a walk stops after an object or a slot"),
        };
        let terms = build::tuple(self.process.heap(), &[key, end, earlier]);
        let walk = PausedWalk {
            table: self.table.number,
            slot,
            program: self.program,
            purpose: self.purpose,
            limit: self.limit,
            count: self.count,
            backwards: self.backwards,
            fixed: self.fixed,
        };
        Outcome::Paused { walk, terms }
    }

    /// `{Results, Continuation}` for an ordered set.
    pub(super) fn tree_chunk(&mut self, place: WalkPosition) -> Term {
        if self.count == 0 {
            return am::DOLLAR_END_OF_TABLE;
        }
        let results = self.in_order();
        let heap = self.process.heap();
        let continuation = match place {
            WalkPosition::Tree {
                from: tree::WalkStart::After(key),
                end,
            } => {
                let table = self.table.identifier(heap);
                let program = match_spec::to_term(heap, self.program.clone());
                let parts = [
                    table,
                    key,
                    end.unwrap_or(Term::NIL),
                    Term::small(self.limit as i64),
                    program,
                    Term::NIL,
                    Term::small(i64::from(self.backwards)),
                    Term::small(0),
                ];
                build::tuple(heap, &parts)
            }
            _ => am::DOLLAR_END_OF_TABLE,
        };
        build::tuple(heap, &[results, continuation])
    }

    /// `{Results, Continuation}` for a hash table. Whole slots were visited, so there may be more results than
    /// wanted; the continuation keeps the others.
    pub(super) fn slot_chunk(&mut self, place: WalkPosition) -> Term {
        // All results in the order of the traversal.
        let mut all: Vec<Term> = Vec::new();
        let mut rest = self.earlier;
        while let Some((head, tail)) = rest.as_cons() {
            all.push(head);
            rest = tail;
        }
        all.reverse();
        all.append(&mut self.found);
        if all.is_empty() && matches!(place, WalkPosition::End) {
            return am::DOLLAR_END_OF_TABLE;
        }
        let heap = self.process.heap();
        let mut more = all.split_off(all.len().min(self.limit));
        let count = more.len();
        if !self.continued {
            // OTP splits the list of the first call in two; later it builds another list for the results that remain.
            more.reverse();
        }
        let more = build::list(heap, &more);
        all.reverse();
        let results = build::list(heap, &all);
        if count == 0 && matches!(place, WalkPosition::End) {
            return build::tuple(heap, &[results, am::DOLLAR_END_OF_TABLE]);
        }
        let table = self.table.reference(heap);
        let program = match_spec::to_term(heap, self.program.clone());
        let parts = [
            table,
            slot_term(place),
            Term::small(self.limit as i64),
            program,
            more,
            Term::small(count as i64),
        ];
        let continuation = build::tuple(heap, &parts);
        build::tuple(heap, &[results, continuation])
    }
}

fn slot_term(place: WalkPosition) -> Term {
    match place {
        WalkPosition::Slot { part, slot } => Term::small((part as i64) << SLOT_BITS | slot as i64),
        _ => Term::small(-1),
    }
}
