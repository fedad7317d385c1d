//! Traversing a table with a match specification: `select` and similar functions.
//!
//! A walk runs a program on the objects in a scope ([`scope()`]), a limited number of objects per step; each step locks
//! one part after the other. At the end of a slice a walk is paused ([`PausedWalk`]); a program can also be given a
//! continuation, which is a term ([`continuation`]).

mod continuation;
mod scope;

use std::sync::Arc;

use layout::{Term, no_gc};
use smallvec::SmallVec;
use term::{am, build, compare, copy};

use super::options::{Access, TableKind};
use super::table::Table;
use crate::match_spec::flat::Flat;
use crate::match_spec::pattern;
use crate::match_spec::{self, Interpreter, Program};
use crate::store::object::{ObjectRef, Verdict};
use crate::store::part::Part;
use crate::store::ranges::{self, Bound};
use crate::store::tree::{self, Tree, Visited};
use runtime::code::bif::{Failure, badarg};
use runtime::mail::current;
use runtime::process::Process;

use scope::{Scope, scope};

pub use continuation::{PausedWalk, continue_from, resume};

/// Minimum number of objects that a step may visit.
const MIN_BUDGET: i64 = 256;
/// Visiting this many slots costs as much as visiting an object.
const SLOTS_PER_OBJECT: usize = 8;

/// What to do with the objects that match.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purpose {
    /// The results are collected.
    Collect,
    /// Objects for which the result is `true` are counted.
    Count,
    /// Objects for which the result is `true` are deleted.
    Delete,
    /// Objects are replaced by the result.
    Replace,
}

impl Purpose {
    /// The access that it needs.
    #[must_use]
    pub fn access(self) -> Access {
        match self {
            Purpose::Collect | Purpose::Count => Access::Read,
            Purpose::Delete | Purpose::Replace => Access::Write,
        }
    }
}

/// How far a walk got.
pub enum Outcome {
    Done(Term),
    /// The slice is over; the walk continues with [`resume`]. Only the caller may hold the terms until then.
    Paused {
        walk: PausedWalk,
        terms: Term,
    },
}

/// The position of a walk.
#[derive(Clone, Copy)]
enum WalkPosition {
    Slot {
        part: usize,
        slot: usize,
    },
    Tree {
        from: tree::WalkStart,
        end: Option<Term>,
    },
    End,
}

/// How far a walk got in a part of an ordered set.
enum Reached {
    /// To the end of the part.
    End,
    /// To the last object that can match.
    Last,
    /// To a position where it has to stop for now.
    At(WalkPosition),
}

impl From<Visited<WalkPosition>> for Reached {
    fn from(visited: Visited<WalkPosition>) -> Reached {
        match visited {
            Visited::All => Reached::End,
            Visited::UpToPast => Reached::Last,
            Visited::Stopped(place) => Reached::At(place),
        }
    }
}

/// Reductions for a visit of an object, besides those of the program. In a large table most objects are in no cache, so
/// a slice of as many objects as reductions would take milliseconds.
const REDUCTIONS_PER_OBJECT: i64 = 1;
/// Bytes of objects that are collected for one reduction more.
const COPIED_PER_REDUCTION: usize = 512;

struct Walk<'a> {
    process: &'a mut Process,
    table: &'a Table,
    program: Arc<Program>,
    purpose: Purpose,
    /// Maximum number of results; 0 for all.
    limit: usize,
    backwards: bool,
    interpreter: Interpreter,
    /// Reductions that are left for this step.
    budget: i64,
    /// Reductions for each object.
    cost: i64,
    /// Number of results, or of objects counted, deleted or replaced.
    count: usize,
    /// Results of this step, in the order of the traversal; they come after those in `earlier`.
    found: Vec<Term>,
    /// Results of earlier steps, the latest first.
    earlier: Term,
    /// Whether this walk fixed the table when it was paused.
    fixed: bool,
    /// Whether the walk began in an earlier call.
    continued: bool,
}

/// Starts to traverse a table.
///
/// # Errors
/// `badarg` for a bad specification, and the errors of [`Table::allow`].
pub fn start(
    process: &mut Process,
    table: &Table,
    specification: Term,
    purpose: Purpose,
    limit: usize,
    backwards: bool,
) -> Result<Outcome, Failure> {
    table.allow(process, purpose.access())?;
    if limit == 0
        && purpose != Purpose::Replace
        && let Some((flat, key)) = flat_with_key(specification, table)
    {
        return Ok(Outcome::Done(visit_flat(
            process, table, &flat, key, purpose,
        )?));
    }
    let sources = match_spec::sources(specification).map_err(|_| badarg(2))?;
    let keypos = table.options.keypos;
    if purpose == Purpose::Replace
        && !sources
            .iter()
            .all(|source| match_spec::replace_check::keeps_key(source, keypos))
    {
        return Err(badarg(2));
    }
    let program = Program::compile(&sources).map_err(|_| badarg(2))?;
    let mut walk = Walk::new(process, table, Arc::new(program), purpose, limit, backwards);
    let ordered = table.options.kind == TableKind::OrderedSet;
    let place = match scope(&sources, keypos, ordered) {
        Scope::Nothing => WalkPosition::End,
        // Several keys may give more results than wanted, and only the continuation of a hash table can keep the
        // others for later.
        Scope::Keys(keys) if ordered && limit > 0 && keys.len() > limit => WalkPosition::Tree {
            from: tree::WalkStart::Edge,
            end: None,
        },
        Scope::Keys(keys) => {
            walk.visit_keys(keys)?;
            WalkPosition::End
        }
        Scope::All if ordered => WalkPosition::Tree {
            from: tree::WalkStart::Edge,
            end: None,
        },
        Scope::All => WalkPosition::Slot { part: 0, slot: 0 },
        Scope::Matching(pattern) => WalkPosition::Tree {
            from: tree::WalkStart::Pattern(pattern),
            end: Some(pattern),
        },
    };
    walk.run(place)
}

/// A specification that needs no program, and the only key of the objects that it can match.
fn flat_with_key(specification: Term, table: &Table) -> Option<(Flat, Term)> {
    let (clause, others) = specification.as_cons()?;
    let (&[head, guards, body], true) = (clause.as_tuple(no_gc!())?, others.is_nil()) else {
        return None;
    };
    let index = table.options.keypos - 1;
    // This alone rules out most specifications without such a key.
    if pattern::is_wildcard(*head.as_tuple(no_gc!())?.get(index)?) {
        return None;
    }
    let flat = Flat::of(&[head, guards, body])?;
    let key = flat.constant(index)?;
    Some((flat, key))
}

/// Visits the objects of a key.
fn visit_flat(
    process: &mut Process,
    table: &Table,
    flat: &Flat,
    key: Term,
    purpose: Purpose,
) -> Result<Term, Failure> {
    let mut visited = 0;
    let result = if purpose == Purpose::Delete {
        let mut writing = table.writing(process, key)?;
        let fixed = table.fixation.is_fixed();
        let hash = writing.hash;
        let mut count = 0;
        writing.part.judge_key(key, hash, fixed, |object| {
            visited += 1;
            let opened = object.open();
            match flat.matches(opened.elements()) {
                Some(bound) if flat.is_true(&bound) => {
                    count += 1;
                    Verdict::Remove
                }
                _ => Verdict::Keep,
            }
        });
        Term::small(count)
    } else {
        let reading = table.reading(process, key)?;
        let heap = process.heap();
        let mut found = Term::NIL;
        let mut count = 0;
        reading.part.each_with_key(key, reading.hash, |object| {
            visited += 1;
            let opened = object.open();
            let Some(bound) = flat.matches(opened.elements()) else {
                return;
            };
            if purpose == Purpose::Collect {
                let result = flat.result(object, &bound, heap);
                found = build::cons(heap, result, found);
            } else if flat.is_true(&bound) {
                count += 1;
            }
        });
        if purpose == Purpose::Collect {
            found
        } else {
            Term::small(count)
        }
    };
    current::charge(visited);
    Ok(result)
}

impl<'a> Walk<'a> {
    fn new(
        process: &'a mut Process,
        table: &'a Table,
        program: Arc<Program>,
        purpose: Purpose,
        limit: usize,
        backwards: bool,
    ) -> Walk<'a> {
        let interpreter = Interpreter::new(&program, process.pid());
        Walk {
            process,
            table,
            cost: REDUCTIONS_PER_OBJECT + program.cost(),
            program,
            purpose,
            limit,
            backwards,
            interpreter,
            budget: current::reductions_left().max(MIN_BUDGET),
            count: 0,
            found: Vec::new(),
            earlier: Term::NIL,
            fixed: false,
            continued: false,
        }
    }

    fn run(mut self, place: WalkPosition) -> Result<Outcome, Failure> {
        let budget = self.budget;
        let walked = match place {
            WalkPosition::Slot { part, slot } => self.walk_slots(part, slot),
            WalkPosition::Tree { from, end } => self.walk_tree(from, end),
            WalkPosition::End => Ok(None),
        };
        current::charge(budget - self.budget);
        let pid = self.process.pid();
        let stopped = match walked {
            Ok(stopped) => stopped,
            Err(failure) => {
                if self.fixed {
                    self.table.release(pid, false);
                }
                return Err(failure);
            }
        };
        if let Some(place) = stopped
            && !self.is_full()
        {
            return Ok(self.pause(place));
        }
        if self.fixed {
            self.table.release(pid, false);
        }
        Ok(Outcome::Done(
            self.result(stopped.unwrap_or(WalkPosition::End)),
        ))
    }

    /// Whether there are as many results as were wanted.
    fn is_full(&self) -> bool {
        self.limit > 0 && self.count >= self.limit
    }

    fn visit(&mut self, object: ObjectRef<'_>) -> Verdict {
        self.budget -= self.cost;
        let opened = object.open();
        let Some(result) = self.interpreter.run(&self.program, opened.tuple()) else {
            return Verdict::Keep;
        };
        match self.purpose {
            Purpose::Collect => {
                self.budget -= (object.bytes() / COPIED_PER_REDUCTION) as i64;
                let heap = self.process.heap();
                let copied = if result == opened.tuple() {
                    object.copy_to(heap)
                } else {
                    copy::copy(heap, result)
                };
                self.found.push(copied);
                self.count += 1;
                Verdict::Keep
            }
            Purpose::Count | Purpose::Delete if result != am::TRUE => Verdict::Keep,
            Purpose::Count => {
                self.count += 1;
                Verdict::Keep
            }
            Purpose::Delete => {
                self.count += 1;
                Verdict::Remove
            }
            Purpose::Replace => {
                // `replace_check` has accepted the program, so it keeps the key; but a table with an object at the
                // wrong place, or without a key, would be corrupt, so this does not rest on that alone.
                let keypos = self.table.options.keypos;
                let no_gc = no_gc!();
                let key = result
                    .as_tuple(no_gc)
                    .and_then(|parts| parts.get(keypos - 1));
                if !key.is_some_and(|key| compare::eq_exact(*key, object.key(keypos))) {
                    return Verdict::Keep;
                }
                self.count += 1;
                Verdict::Replace(self.table.object(result, object.hash()))
            }
        }
    }

    fn visit_keys(&mut self, mut keys: Vec<Term>) -> Result<(), Failure> {
        if self.backwards {
            keys.reverse();
        }
        for key in keys {
            if self.purpose.access() == Access::Read {
                let reading = self.table.reading_further(self.process, key)?;
                reading.part.each_with_key(key, reading.hash, |object| {
                    self.visit(object);
                });
            } else {
                let mut writing = self.table.writing_further(self.process, key)?;
                let fixed = self.table.fixation.is_fixed();
                let hash = writing.hash;
                writing
                    .part
                    .judge_key(key, hash, fixed, |object| self.visit(object));
            }
        }
        Ok(())
    }

    /// Visits slots from one on; returns where to continue if not all are done.
    fn walk_slots(&mut self, part: usize, slot: usize) -> Result<Option<WalkPosition>, Failure> {
        let mut first = slot;
        for part in part..self.table.parts() {
            let stopped = if self.purpose.access() == Access::Read {
                self.read_slots(part, first)?
            } else {
                self.change_slots(part, first)?
            };
            match stopped {
                Some((slot, slots)) if slot < slots => {
                    return Ok(Some(WalkPosition::Slot { part, slot }));
                }
                // The part is done, and so is this step.
                Some(_) if part + 1 < self.table.parts() => {
                    return Ok(Some(WalkPosition::Slot {
                        part: part + 1,
                        slot: 0,
                    }));
                }
                Some(_) | None => first = 0,
            }
        }
        Ok(None)
    }

    /// Whether to stop after a slot. Must be called while the part is locked: a walk that will be paused fixes the
    /// table before anybody can change the number of slots, otherwise objects could move to where it has been, or to
    /// where it still has to go.
    fn stops_after(&mut self, slot: usize) -> bool {
        if slot % SLOTS_PER_OBJECT == 0 {
            self.budget -= 1;
        }
        if self.is_full() {
            return true;
        }
        if self.budget > 0 {
            return false;
        }
        if !self.fixed {
            crate::fix(self.process, self.table);
            self.fixed = true;
        }
        true
    }

    fn read_slots(&mut self, part: usize, first: usize) -> Result<Option<(usize, usize)>, Failure> {
        let table = self.table;
        let guard = table.read_part(part);
        table.allow(self.process, Access::Read)?;
        let Part::Hash(shard) = &*guard else {
            return Err(badarg(1));
        };
        let mut slot = shard.past_empty(first);
        while slot < shard.slots() {
            shard.prefetch_ahead(slot);
            for object in shard.in_slot(slot) {
                self.visit(object);
            }
            let next = shard.after(slot);
            if self.stops_after(slot) {
                return Ok(Some((next, shard.slots())));
            }
            slot = shard.past_empty(next);
        }
        Ok(None)
    }

    fn change_slots(
        &mut self,
        part: usize,
        first: usize,
    ) -> Result<Option<(usize, usize)>, Failure> {
        let table = self.table;
        let mut guard = table.write_part(part);
        table.allow(self.process, Access::Write)?;
        let Part::Hash(shard) = &mut *guard else {
            return Err(badarg(1));
        };
        // A walk knows by the number of a slot where it is: for itself it need not keep what it deletes.
        let keeps = table.fixation.is_fixed_besides(self.fixed);
        let mut slot = shard.past_empty(first);
        while slot < shard.slots() {
            shard.prefetch_ahead(slot);
            shard.judge_slot(slot, keeps, |object| self.visit(object));
            let next = shard.after(slot);
            if self.stops_after(slot) {
                return Ok(Some((next, shard.slots())));
            }
            slot = shard.past_empty(next);
        }
        shard.settle(keeps || self.fixed);
        Ok(None)
    }

    /// Visits the objects of an ordered set from a position on; returns where to continue if not all are done.
    fn walk_tree(
        &mut self,
        from: tree::WalkStart,
        end: Option<Term>,
    ) -> Result<Option<WalkPosition>, Failure> {
        let mut from = from;
        // Owns the key at which the next range begins.
        let mut bounds: SmallVec<[Bound; 1]> = SmallVec::new();
        loop {
            let table = self.table;
            let next = if self.purpose.access() == Access::Read {
                let range = table.read_from(from, self.backwards);
                match self.read_range(&range.part, from, end)? {
                    Reached::End => table.bound_of(&range, self.backwards),
                    Reached::Last => None,
                    Reached::At(place) => return Ok(Some(place)),
                }
            } else {
                let mut range = table.write_from(from, self.backwards);
                match self.change_range(&mut range.part, from, end)? {
                    Reached::End => table.bound_of(&range, self.backwards),
                    Reached::Last => None,
                    Reached::At(place) => return Ok(Some(place)),
                }
            };
            let Some(bound) = next else {
                return Ok(None);
            };
            self.budget -= 1;
            from = ranges::beyond(&bound, self.backwards);
            bounds.clear();
            bounds.push(bound);
        }
    }

    fn read_range(
        &mut self,
        part: &Part,
        from: tree::WalkStart,
        end: Option<Term>,
    ) -> Result<Reached, Failure> {
        self.table.allow(self.process, Access::Read)?;
        let Part::Tree(tree) = part else {
            return Err(badarg(1));
        };
        let backwards = self.backwards;
        let is_past = |key| end.is_some_and(|pattern| Tree::is_past(key, pattern, backwards));
        let visited = tree.visit(from, backwards, is_past, |object| {
            self.visit_in_order(object, end).1
        });
        Ok(visited.into())
    }

    fn change_range(
        &mut self,
        part: &mut Part,
        from: tree::WalkStart,
        end: Option<Term>,
    ) -> Result<Reached, Failure> {
        self.table.allow(self.process, Access::Write)?;
        let Part::Tree(tree) = part else {
            return Err(badarg(1));
        };
        let is_past = |key| end.is_some_and(|pattern| Tree::is_past(key, pattern, false));
        let visited = tree.judge(from, is_past, |object| self.visit_in_order(object, end));
        Ok(visited.into())
    }

    /// Visits an object of an ordered set; also returns where to continue, if the walk has to stop after it.
    #[inline]
    fn visit_in_order(
        &mut self,
        object: ObjectRef<'_>,
        end: Option<Term>,
    ) -> (Verdict, Option<WalkPosition>) {
        let verdict = self.visit(object);
        let stops = self.is_full() || self.budget <= 0;
        let place = stops.then(|| {
            let key = object.key(self.table.options.keypos);
            let key = copy::copy(self.process.heap(), key);
            let from = tree::WalkStart::After(key);
            WalkPosition::Tree { from, end }
        });
        (verdict, place)
    }

    /// The results so far as a list, the latest first.
    fn latest_first(&mut self) -> Term {
        let heap = self.process.heap();
        self.found
            .iter()
            .fold(self.earlier, |tail, &head| build::cons(heap, head, tail))
    }

    /// The results in the order of the traversal.
    fn in_order(&mut self) -> Term {
        let heap = self.process.heap();
        let mut list = build::list(heap, &self.found);
        let mut rest = self.earlier;
        while let Some((head, tail)) = rest.as_cons() {
            list = build::cons(heap, head, list);
            rest = tail;
        }
        list
    }

    fn result(&mut self, place: WalkPosition) -> Term {
        if self.purpose != Purpose::Collect {
            return Term::small(self.count as i64);
        }
        let ordered = self.table.options.kind == TableKind::OrderedSet;
        match (self.limit > 0, ordered) {
            (false, false) => self.latest_first(),
            (false, true) => self.in_order(),
            (true, false) => self.slot_chunk(place),
            (true, true) => self.tree_chunk(place),
        }
    }
}
