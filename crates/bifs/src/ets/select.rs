//! Traversing tables with match specifications and patterns.
//!
//! A traversal that does not fit in its slice continues with its state in place of the specification, pattern or
//! continuation. The state is `{Reference, Terms}`, and only the reference tells it from what programs may pass
//! (`magic::resume`).

use layout::{Term, no_gc};
use term::{am, build};

use super::table;
use crate::magic;
use ets::Access;
use ets::select::{self, Outcome, PausedWalk, Purpose};
use runtime::code::bif::{BifResult, Failure, badarg};
use runtime::process::Process;
use term::am::{DOLLAR_DOLLAR, DOLLAR_UNDERSCORE};

/// The result of a traversal; if it was paused, `again` makes the arguments of the next slice from its state.
fn finish(
    process: &mut Process,
    outcome: Outcome,
    again: impl FnOnce(Term) -> Box<[Term]>,
) -> BifResult {
    match outcome {
        Outcome::Done(result) => Ok(result),
        Outcome::Paused { walk, terms } => {
            let reference = magic::pause(process, walk);
            let state = build::tuple(process.heap(), &[reference, terms]);
            Err(Failure::Yield {
                arguments: again(state),
            })
        }
    }
}

/// The paused traversal that an argument stands for.
fn paused(argument: Term) -> Option<(PausedWalk, Term)> {
    let [reference, terms] = argument.as_tuple_of()?;
    Some((magic::resume(reference)?, terms))
}

/// Starts a traversal of a table with a specification, which `make` makes of the argument; or continues a paused one.
fn traverse(
    process: &mut Process,
    [id, argument]: [Term; 2],
    make: impl FnOnce(&mut Process, Term) -> Result<Term, Failure>,
    purpose: Purpose,
    limit: Option<Term>,
    backwards: bool,
) -> BifResult {
    let outcome = if let Some((walk, terms)) = paused(argument) {
        select::resume(process, walk, terms)?
    } else {
        let (table, process) = table(process, id)?;
        table.allow(process, purpose.access())?;
        let wanted = match limit {
            Some(limit) => {
                let limit = limit
                    .as_small()
                    .filter(|limit| *limit > 0)
                    .ok_or(badarg(3))?;
                usize::try_from(limit).map_err(|_| badarg(3))?
            }
            None => 0,
        };
        let specification = make(process, argument)?;
        select::start(process, table, specification, purpose, wanted, backwards)?
    };
    finish(process, outcome, |state| match limit {
        Some(limit) => [id, state, limit].into(),
        None => [id, state].into(),
    })
}

/// Traverses with a specification.
fn select(
    process: &mut Process,
    arguments: [Term; 2],
    purpose: Purpose,
    limit: Option<Term>,
    backwards: bool,
) -> BifResult {
    let as_given = |_: &mut Process, specification| Ok(specification);
    traverse(process, arguments, as_given, purpose, limit, backwards)
}

/// Traverses for `match` and `match_object`, with the specification `[{Pattern, [], [Result]}]`.
fn match_pattern(
    process: &mut Process,
    arguments: [Term; 2],
    limit: Option<Term>,
    result: Term,
) -> BifResult {
    let with_result = |process: &mut Process, pattern| {
        let heap = process.heap();
        let body = build::list(heap, &[result]);
        let clause = build::tuple(heap, &[pattern, Term::NIL, body]);
        Ok(build::list(heap, &[clause]))
    };
    let purpose = Purpose::Collect;
    traverse(process, arguments, with_result, purpose, limit, false)
}

/// Continues after a continuation, or continues a traversal that was paused while doing so.
fn go_on(process: &mut Process, continuation: Term) -> BifResult {
    if continuation == am::DOLLAR_END_OF_TABLE {
        return Ok(continuation);
    }
    let outcome = if let Some((walk, terms)) = paused(continuation) {
        select::resume(process, walk, terms)?
    } else {
        let no_gc = no_gc!();
        let parts = continuation.as_tuple(no_gc).ok_or(badarg(1))?;
        let (table, process) = table(process, *parts.first().ok_or(badarg(1))?)?;
        table.allow(process, Access::Read)?;
        select::continue_from(process, table, parts)?
    };
    finish(process, outcome, |state| [state].into())
}

/// `ets:select(Table, Specification)`.
pub(crate) fn select_2(process: &mut Process, arguments: [Term; 2]) -> BifResult {
    select(process, arguments, Purpose::Collect, None, false)
}

/// `ets:select(Table, Specification, Limit)`.
pub(crate) fn select_3(process: &mut Process, [id, specification, limit]: [Term; 3]) -> BifResult {
    select(
        process,
        [id, specification],
        Purpose::Collect,
        Some(limit),
        false,
    )
}

/// `ets:select(Continuation)`.
pub(crate) fn select_1(process: &mut Process, [continuation]: [Term; 1]) -> BifResult {
    go_on(process, continuation)
}

/// `ets:select_reverse(Table, Specification)`.
pub(crate) fn select_reverse_2(process: &mut Process, arguments: [Term; 2]) -> BifResult {
    select(process, arguments, Purpose::Collect, None, true)
}

/// `ets:select_reverse(Table, Specification, Limit)`.
pub(crate) fn select_reverse_3(
    process: &mut Process,
    [id, specification, limit]: [Term; 3],
) -> BifResult {
    select(
        process,
        [id, specification],
        Purpose::Collect,
        Some(limit),
        true,
    )
}

/// `ets:select_reverse(Continuation)`.
pub(crate) fn select_reverse_1(process: &mut Process, [continuation]: [Term; 1]) -> BifResult {
    go_on(process, continuation)
}

/// `ets:select_count(Table, Specification)`.
pub(crate) fn select_count_2(process: &mut Process, arguments: [Term; 2]) -> BifResult {
    select(process, arguments, Purpose::Count, None, false)
}

/// `ets:internal_select_delete(Table, Specification)`.
pub(crate) fn internal_select_delete_2(process: &mut Process, arguments: [Term; 2]) -> BifResult {
    select(process, arguments, Purpose::Delete, None, false)
}

/// `ets:select_replace(Table, Specification)`.
pub(crate) fn select_replace_2(process: &mut Process, arguments: [Term; 2]) -> BifResult {
    let id = arguments[0];
    let of_no_bag = |process: &mut Process, specification| {
        let (table, _) = table(process, id)?;
        if table.options.kind == ets::TableKind::Bag {
            return Err(runtime::code::bif::badarg_because(am::TABLE_TYPE));
        }
        Ok(specification)
    };
    traverse(process, arguments, of_no_bag, Purpose::Replace, None, false)
}

/// `ets:match(Table, Pattern)`.
pub(crate) fn match_2(process: &mut Process, [id, pattern]: [Term; 2]) -> BifResult {
    match_pattern(process, [id, pattern], None, DOLLAR_DOLLAR)
}

/// `ets:match(Table, Pattern, Limit)`.
pub(crate) fn match_3(process: &mut Process, [id, pattern, limit]: [Term; 3]) -> BifResult {
    match_pattern(process, [id, pattern], Some(limit), DOLLAR_DOLLAR)
}

/// `ets:match(Continuation)`.
pub(crate) fn match_1(process: &mut Process, [continuation]: [Term; 1]) -> BifResult {
    go_on(process, continuation)
}

/// `ets:match_object(Table, Pattern)`.
pub(crate) fn match_object_2(process: &mut Process, [id, pattern]: [Term; 2]) -> BifResult {
    match_pattern(process, [id, pattern], None, DOLLAR_UNDERSCORE)
}

/// `ets:match_object(Table, Pattern, Limit)`.
pub(crate) fn match_object_3(process: &mut Process, [id, pattern, limit]: [Term; 3]) -> BifResult {
    match_pattern(process, [id, pattern], Some(limit), DOLLAR_UNDERSCORE)
}

/// `ets:match_object(Continuation)`.
pub(crate) fn match_object_1(process: &mut Process, [continuation]: [Term; 1]) -> BifResult {
    go_on(process, continuation)
}
