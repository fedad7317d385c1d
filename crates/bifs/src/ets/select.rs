//! Traversing tables with match specifications and patterns.
//!
//! A traversal that does not fit in its slice continues with its state in place of the specification (or of the
//! continuation). Programs never get hold of such a state.

use layout::Term;
use term::{am, build};

use super::table;
use ets::Access;
use ets::select::{self, Outcome, Purpose};
use runtime::bif::{BifResult, Failure, badarg};
use runtime::process::Process;
use term::am::{DOLLAR_DOLLAR, DOLLAR_UNDERSCORE};

/// Elements of a wrapped state, `{Mark, State}`.
const PAUSED: usize = 2;

fn finish(outcome: Outcome, arguments: impl FnOnce(Term) -> Box<[Term]>) -> BifResult {
    match outcome {
        Outcome::Done(result) => Ok(result),
        Outcome::Paused(state) => Err(Failure::Yield {
            arguments: arguments(state),
        }),
    }
}

/// Starts a traversal of a table with a specification, or continues a paused one.
fn traverse(
    process: &mut Process,
    [id, specification]: [Term; 2],
    purpose: Purpose,
    limit: Option<Term>,
    backwards: bool,
) -> BifResult {
    let table = table(id)?;
    let access = if matches!(purpose, Purpose::Collect | Purpose::Count) {
        Access::Read
    } else {
        Access::Write
    };
    table.allow(process, access)?;
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
    let outcome = if specification.is_tuple() {
        select::resume(process, table, purpose, specification)?
    } else {
        select::start(process, table, specification, purpose, wanted, backwards)?
    };
    finish(outcome, |state| match limit {
        Some(limit) => [id, state, limit].into(),
        None => [id, state].into(),
    })
}

/// Makes `[{Pattern, [], [Result]}]`; for a wrapped state, returns the state of the paused traversal instead.
fn with_result(process: &mut Process, pattern: Term, result: Term) -> Term {
    if is_paused(pattern) {
        return pattern.as_tuple().map_or(pattern, |parts| parts[1]);
    }
    let heap = process.heap();
    let body = build::list(heap, &[result]);
    let clause = build::tuple(heap, &[pattern, Term::NIL, body]);
    build::list(heap, &[clause])
}

/// A pattern may be a tuple itself, so a state in its place is wrapped: `{Mark, State}`.
fn is_paused(pattern: Term) -> bool {
    pattern
        .as_tuple()
        .is_some_and(|parts| parts.len() == PAUSED && crate::magic::get::<Mark>(parts[0]).is_some())
}

/// The object behind the mark of a wrapped state; programs cannot make one.
struct Mark;

/// Traverses for `match` and `match_object`.
fn match_pattern(
    process: &mut Process,
    id: Term,
    pattern: Term,
    limit: Option<Term>,
    result: Term,
) -> BifResult {
    let specification = with_result(process, pattern, result);
    match traverse(process, [id, specification], Purpose::Collect, limit, false) {
        Err(Failure::Yield { mut arguments }) => {
            let mark = crate::magic::make(process, Mark);
            arguments[1] = build::tuple(process.heap(), &[mark, arguments[1]]);
            Err(Failure::Yield { arguments })
        }
        result => result,
    }
}

/// Continues after a continuation, or continues a traversal that was paused while doing so.
fn go_on(process: &mut Process, continuation: Term) -> BifResult {
    if continuation == am::DOLLAR_END_OF_TABLE {
        return Ok(continuation);
    }
    let parts = continuation
        .as_tuple()
        .filter(|parts| !parts.is_empty())
        .ok_or(badarg(1))?;
    let id = parts[0];
    let outcome = match *parts {
        [mark, id, state] if crate::magic::get::<Mark>(mark).is_some() => {
            let table = table(id)?;
            table.allow(process, Access::Read)?;
            return finish(
                select::resume(process, table, Purpose::Collect, state)?,
                |state| {
                    let paused = build::tuple(process.heap(), &[mark, id, state]);
                    [paused].into()
                },
            );
        }
        _ => {
            let table = table(id)?;
            table.allow(process, Access::Read)?;
            select::continue_from(process, table, parts)?
        }
    };
    finish(outcome, |state| {
        let mark = crate::magic::make(process, Mark);
        let paused = build::tuple(process.heap(), &[mark, id, state]);
        [paused].into()
    })
}

/// `ets:select(Table, Specification)`.
pub fn select_2(process: &mut Process, arguments: [Term; 2]) -> BifResult {
    traverse(process, arguments, Purpose::Collect, None, false)
}

/// `ets:select(Table, Specification, Limit)`.
pub fn select_3(process: &mut Process, [id, specification, limit]: [Term; 3]) -> BifResult {
    traverse(
        process,
        [id, specification],
        Purpose::Collect,
        Some(limit),
        false,
    )
}

/// `ets:select(Continuation)`.
pub fn select_1(process: &mut Process, [continuation]: [Term; 1]) -> BifResult {
    go_on(process, continuation)
}

/// `ets:select_reverse(Table, Specification)`.
pub fn select_reverse_2(process: &mut Process, arguments: [Term; 2]) -> BifResult {
    traverse(process, arguments, Purpose::Collect, None, true)
}

/// `ets:select_reverse(Table, Specification, Limit)`.
pub fn select_reverse_3(process: &mut Process, [id, specification, limit]: [Term; 3]) -> BifResult {
    traverse(
        process,
        [id, specification],
        Purpose::Collect,
        Some(limit),
        true,
    )
}

/// `ets:select_reverse(Continuation)`.
pub fn select_reverse_1(process: &mut Process, [continuation]: [Term; 1]) -> BifResult {
    go_on(process, continuation)
}

/// `ets:select_count(Table, Specification)`.
pub fn select_count_2(process: &mut Process, arguments: [Term; 2]) -> BifResult {
    traverse(process, arguments, Purpose::Count, None, false)
}

/// `ets:internal_select_delete(Table, Specification)`.
pub fn internal_select_delete_2(process: &mut Process, arguments: [Term; 2]) -> BifResult {
    traverse(process, arguments, Purpose::Delete, None, false)
}

/// `ets:select_replace(Table, Specification)`.
pub fn select_replace_2(process: &mut Process, arguments: [Term; 2]) -> BifResult {
    let table = table(arguments[0])?;
    table.allow(process, Access::Write)?;
    if table.options.kind == ets::TableKind::Bag {
        return Err(runtime::bif::badarg_because(am::TABLE_TYPE));
    }
    traverse(process, arguments, Purpose::Replace, None, false)
}

/// `ets:match(Table, Pattern)`.
pub fn match_2(process: &mut Process, [id, pattern]: [Term; 2]) -> BifResult {
    match_pattern(process, id, pattern, None, DOLLAR_DOLLAR)
}

/// `ets:match(Table, Pattern, Limit)`.
pub fn match_3(process: &mut Process, [id, pattern, limit]: [Term; 3]) -> BifResult {
    match_pattern(process, id, pattern, Some(limit), DOLLAR_DOLLAR)
}

/// `ets:match(Continuation)`.
pub fn match_1(process: &mut Process, [continuation]: [Term; 1]) -> BifResult {
    go_on(process, continuation)
}

/// `ets:match_object(Table, Pattern)`.
pub fn match_object_2(process: &mut Process, [id, pattern]: [Term; 2]) -> BifResult {
    match_pattern(process, id, pattern, None, DOLLAR_UNDERSCORE)
}

/// `ets:match_object(Table, Pattern, Limit)`.
pub fn match_object_3(process: &mut Process, [id, pattern, limit]: [Term; 3]) -> BifResult {
    match_pattern(process, id, pattern, Some(limit), DOLLAR_UNDERSCORE)
}

/// `ets:match_object(Continuation)`.
pub fn match_object_1(process: &mut Process, [continuation]: [Term; 1]) -> BifResult {
    go_on(process, continuation)
}
