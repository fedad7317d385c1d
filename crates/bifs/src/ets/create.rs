//! Creating, renaming and deleting tables.

use std::sync::Arc;

use layout::{Term, no_gc};
use parking_lot::Mutex;
use term::release::{self, Release};
use term::{am, list};

use super::table;
use crate::magic;
use ets::options::{Protection, TableOptions, WriteConcurrency};
use ets::table::{Heir, Table};
use ets::{self, Access, Contents, OwnedObject, TableKind, registry};
use runtime::code::bif::{BifResult, Failure, badarg, badarg_because};
use runtime::mail::current;
use runtime::process::Process;
use runtime::process::table::Identity;

/// Most locks that `{debug_hash_fixed_number_of_locks, N}` may ask for.
const MOST_LOCKS: i64 = 32_768;
/// Fewest locks that a table gets for it.
const LEAST_LOCKS: u32 = 64;
/// Objects freed for one reduction.
const OBJECTS_PER_REDUCTION: i64 = 2;
/// Reductions that freeing objects may use in any slice, even if fewer are left.
const LEAST_REDUCTIONS: i64 = 500;

/// The parsed options of a new table, with its heir and whether decentralized counters were requested.
struct Wanted {
    options: TableOptions,
    heir: Option<(Term, Option<Term>)>,
    counters: Option<bool>,
}

/// `ets:new(Name, Options)`.
pub(crate) fn new_2(process: &mut Process, [name, options]: [Term; 2]) -> BifResult {
    if !name.is_atom() {
        return Err(badarg(1));
    }
    let wanted = parse(options).ok_or(badarg(2))?;
    let mut options = wanted.options;
    let locked = options.write_concurrency != WriteConcurrency::No;
    if matches!(options.write_concurrency, WriteConcurrency::Locks(_))
        && options.kind == TableKind::OrderedSet
    {
        return Err(badarg(2));
    }
    options.decentralized_counters = locked
        && options.protection != Protection::Private
        && wanted.counters.unwrap_or(match options.write_concurrency {
            WriteConcurrency::Auto | WriteConcurrency::Locks(_) => true,
            _ => options.kind == TableKind::OrderedSet,
        });
    if options.protection == Protection::Private {
        options.write_concurrency = WriteConcurrency::No;
        options.read_concurrency = false;
    }
    let heir = wanted.heir.and_then(|(pid, data)| heir(process, pid, data));
    let named = options.named;
    let made = Arc::new(Table::new(name, options, process.pid(), heir));
    let number = made.number;
    if !registry::publish(made.clone()) {
        return Err(badarg_because(am::ALREADY_EXISTS));
    }
    ets::note(process, number);
    Ok(if named {
        name
    } else {
        made.reference(process.heap())
    })
}

/// The heir, if it is alive.
pub(super) fn heir(process: &mut Process, pid: Term, data: Option<Term>) -> Option<Heir> {
    let heir = Identity::of(pid)?;
    let data = data.map(|data| {
        let wrapped = term::build::tuple(process.heap(), &[data]);
        OwnedObject::new(wrapped, 0)
    });
    Some(Heir {
        process: heir,
        data,
    })
}

fn parse(list: Term) -> Option<Wanted> {
    let mut wanted = Wanted {
        options: TableOptions {
            kind: TableKind::Set,
            keypos: 1,
            protection: Protection::Protected,
            named: false,
            compressed: false,
            write_concurrency: WriteConcurrency::No,
            read_concurrency: false,
            decentralized_counters: false,
        },
        heir: None,
        counters: None,
    };
    for option in list::to_vec(list)? {
        match option.as_tuple(no_gc!()) {
            Some(parts) => parse_tuple(&mut wanted, parts)?,
            None => parse_atom(&mut wanted.options, option)?,
        }
    }
    Some(wanted)
}

fn parse_atom(options: &mut TableOptions, option: Term) -> Option<()> {
    match option {
        am::SET => {}
        am::ORDERED_SET => options.kind = TableKind::OrderedSet,
        am::BAG => options.kind = TableKind::Bag,
        am::DUPLICATE_BAG => options.kind = TableKind::DuplicateBag,
        am::PUBLIC => options.protection = Protection::Public,
        am::PRIVATE => options.protection = Protection::Private,
        // The default; it does not undo an earlier option.
        am::PROTECTED => {}
        am::NAMED_TABLE => options.named = true,
        am::COMPRESSED => options.compressed = true,
        _ => return None,
    }
    Some(())
}

fn parse_tuple(wanted: &mut Wanted, parts: &[Term]) -> Option<()> {
    let options = &mut wanted.options;
    match *parts {
        [am::KEYPOS, position] => {
            let position = position.as_small().filter(|position| *position > 0)?;
            options.keypos = usize::try_from(position).ok()?;
        }
        [am::WRITE_CONCURRENCY, am::AUTO] => options.write_concurrency = WriteConcurrency::Auto,
        [am::WRITE_CONCURRENCY, how] if how.is_tuple() => {
            let Some([am::DEBUG_HASH_FIXED_NUMBER_OF_LOCKS, count]) = how.as_tuple_of() else {
                return None;
            };
            let count = count
                .as_small()
                .filter(|count| (1..=MOST_LOCKS).contains(count))?;
            // A power of two that is not above it, but so many at least.
            let count = 1 << (count as u32).ilog2();
            options.write_concurrency = WriteConcurrency::Locks(count.max(LEAST_LOCKS));
        }
        [am::WRITE_CONCURRENCY, how] => {
            options.write_concurrency = if am::to_boolean(how)? {
                WriteConcurrency::Yes
            } else {
                WriteConcurrency::No
            };
        }
        [am::READ_CONCURRENCY, how] => options.read_concurrency = am::to_boolean(how)?,
        [am::DECENTRALIZED_COUNTERS, how] => wanted.counters = Some(am::to_boolean(how)?),
        [am::HEIR, am::NONE] => wanted.heir = None,
        [am::HEIR, pid, data] if pid.is_local_pid() => wanted.heir = Some((pid, Some(data))),
        [am::HEIR, pid] if pid.is_local_pid() && release::has(Release::OTP_28) => {
            wanted.heir = Some((pid, None));
        }
        _ => return None,
    }
    Some(())
}

/// `ets:rename(Table, Name)`.
pub(crate) fn rename_2(process: &mut Process, [id, name]: [Term; 2]) -> BifResult {
    let (table, process) = table(process, id)?;
    table.allow(process, Access::Write)?;
    if !name.is_atom() || !registry::rename(table, name) {
        return Err(badarg(2));
    }
    Ok(if table.options.named { name } else { id })
}

/// `ets:delete(Table)`.
pub(crate) fn delete_1(process: &mut Process, [id]: [Term; 1]) -> BifResult {
    if magic::get::<Rest>(id, no_gc!()).is_some() {
        return free(id, am::TRUE).map_err(|rest| Failure::Yield {
            arguments: [rest].into(),
        });
    }
    let (table, process) = table(process, id)?;
    table.allow(process, Access::Write)?;
    let rest = Rest(Mutex::new(ets::delete(table)));
    start_to_free(process, rest, am::TRUE).map_err(|rest| Failure::Yield {
        arguments: [rest].into(),
    })
}

/// `ets:internal_delete_all(Table, undefined)`: returns how many objects there were.
pub(crate) fn internal_delete_all_2(process: &mut Process, [id, rest]: [Term; 2]) -> BifResult {
    let count = |rest: &Rest| Term::small(rest.0.lock().objects as i64);
    let go_on = |rest: Term| Failure::Yield {
        arguments: [id, rest].into(),
    };
    if let Some(known) = magic::get::<Rest>(rest, no_gc!()) {
        return free(rest, count(known)).map_err(go_on);
    }
    let (table, process) = table(process, id)?;
    table.allow(process, Access::Write)?;
    let rest = Rest(Mutex::new(ets::clear(table)));
    let objects = count(&rest);
    start_to_free(process, rest, objects).map_err(go_on)
}

/// Contents that a BIF is about to free; no other process can reach them.
struct Rest(Mutex<Contents>);

/// Frees as much as the slice allows; the error is a reference that holds the rest.
fn start_to_free(process: &mut Process, rest: Rest, result: Term) -> Result<Term, Term> {
    if free_some(&rest) {
        Err(magic::make(process, rest))
    } else {
        Ok(result)
    }
}

fn free(rest: Term, result: Term) -> Result<Term, Term> {
    match magic::get::<Rest>(rest, no_gc!()) {
        Some(contents) if free_some(contents) => Err(rest),
        _ => Ok(result),
    }
}

/// Frees some objects; returns whether there are more to free.
fn free_some(rest: &Rest) -> bool {
    let mut contents = rest.0.lock();
    let reductions = current::reductions_left().max(LEAST_REDUCTIONS);
    let most = (reductions * OBJECTS_PER_REDUCTION) as usize;
    let objects = contents.objects;
    let more = contents.free_some(most);
    current::charge(if more {
        reductions
    } else {
        objects.min(most) as i64 / OBJECTS_PER_REDUCTION
    });
    more
}

/// `ets:whereis(Name)`.
pub(crate) fn whereis_1(process: &mut Process, [name]: [Term; 1]) -> BifResult {
    if !name.is_atom() {
        return Err(badarg(1));
    }
    match table(process, name) {
        Ok((table, process)) => Ok(table.reference(process.heap())),
        Err(Failure::ErrorBecause { cause: am::ID, .. }) => Ok(am::UNDEFINED),
        Err(failure) => Err(failure),
    }
}
