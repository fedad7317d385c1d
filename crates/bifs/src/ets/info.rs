//! Information about tables.

use layout::Term;
use term::{am, build, node};

use super::table;
use ets::Part;
use ets::TableKind;
use ets::options::WriteConcurrency;
use ets::table::Table;
use runtime::code::bif::{BifResult, Failure, badarg, trap};
use runtime::mail::time;
use runtime::process::Process;

/// The items of `ets:info/1`, in its order.
const ITEMS: [Term; 15] = [
    am::ID,
    am::DECENTRALIZED_COUNTERS,
    am::READ_CONCURRENCY,
    am::WRITE_CONCURRENCY,
    am::COMPRESSED,
    am::MEMORY,
    am::OWNER,
    am::HEIR,
    am::NAME,
    am::SIZE,
    am::NODE,
    am::NAMED_TABLE,
    am::TYPE,
    am::KEYPOS,
    am::PROTECTION,
];

/// `ets:info(Table)`.
pub(crate) fn info_1(process: &mut Process, [id]: [Term; 1]) -> BifResult {
    let (table, process) = match table(process, id) {
        Err(Failure::ErrorBecause { cause: am::ID, .. }) => return Ok(am::UNDEFINED),
        found => found?,
    };
    let mut list = Term::NIL;
    for item in ITEMS.iter().rev() {
        let value = item_of(process, table, *item).ok_or(badarg(1))?;
        let heap = process.heap();
        let pair = build::tuple(heap, &[*item, value]);
        list = build::cons(heap, pair, list);
    }
    Ok(list)
}

/// `ets:info(Table, Item)`.
pub(crate) fn info_2(process: &mut Process, [id, item]: [Term; 2]) -> BifResult {
    if item == am::BINARY {
        return Err(trap(am::ERTS_INTERNAL, am::ETS_INFO_BINARY, &[id]));
    }
    let (table, process) = match table(process, id) {
        Err(Failure::ErrorBecause { cause: am::ID, .. }) => return Ok(am::UNDEFINED),
        found => found?,
    };
    item_of(process, table, item).ok_or(badarg(2))
}

fn item_of(process: &mut Process, table: &Table, item: Term) -> Option<Term> {
    let options = &table.options;
    let heap = process.heap();
    Some(match item {
        am::ID => table.reference(heap),
        am::DECENTRALIZED_COUNTERS => am::boolean(options.decentralized_counters),
        am::READ_CONCURRENCY => am::boolean(options.read_concurrency),
        am::WRITE_CONCURRENCY => match options.write_concurrency {
            WriteConcurrency::No => am::FALSE,
            WriteConcurrency::Yes => am::TRUE,
            WriteConcurrency::Auto => am::AUTO,
            WriteConcurrency::Locks(count) => {
                let count = Term::small(i64::from(count));
                build::tuple(heap, &[am::DEBUG_HASH_FIXED_NUMBER_OF_LOCKS, count])
            }
        },
        am::COMPRESSED => am::boolean(options.compressed),
        am::MEMORY => Term::small(table.words() as i64),
        am::OWNER => table.owner(),
        am::HEIR => table
            .heir
            .lock()
            .as_ref()
            .map_or(am::NONE, |heir| heir.process.pid),
        am::NAME => table.name(),
        am::SIZE => Term::small(table.objects() as i64),
        am::NODE => node::own_name(),
        am::NAMED_TABLE => am::boolean(options.named),
        am::TYPE => options.kind.atom(),
        am::KEYPOS => Term::small(options.keypos as i64),
        am::PROTECTION => table.protection().atom(),
        am::FIXED => am::boolean(table.fixation.is_fixed()),
        am::SAFE_FIXED | am::SAFE_FIXED_MONOTONIC_TIME => {
            fixed(process, table, item == am::SAFE_FIXED)
        }
        am::STATS => stats(process, table),
        _ => return None,
    })
}

/// `{Since, [{Pid, Count}]}`, or `false`.
fn fixed(process: &mut Process, table: &Table, as_timestamp: bool) -> Term {
    let Some((since_ns, holders)) = table.fixation.holders() else {
        return am::FALSE;
    };
    let heap = process.heap();
    let since = if as_timestamp {
        let us = (since_ns + time::offset_ns()).div_euclid(1000);
        let (seconds, us) = (us.div_euclid(1_000_000), us.rem_euclid(1_000_000));
        let parts = [seconds / 1_000_000, seconds % 1_000_000, us].map(Term::small);
        build::tuple(heap, &parts)
    } else {
        build::integer(heap, since_ns)
    };
    let holders: Vec<Term> = holders
        .iter()
        .map(|(pid, count)| build::tuple(heap, &[*pid, Term::small(i64::from(*count))]))
        .collect();
    let holders = build::list(heap, &holders);
    build::tuple(heap, &[since, holders])
}

/// `{Slots, MeanChain, Deviation, ExpectedDeviation, Shortest, Longest, Deleted, Locks}`; for an ordered set `false`,
/// or with write concurrency `{Bounds, Ranges, Steps}`, where the last is how often a search for a key's range
/// compares. Objects that are only marked as deleted count while the table is fixed, as for [`Table::words`].
fn stats(process: &mut Process, table: &Table) -> Term {
    if let Some(ranges) = table.ranges() {
        let ranges = ranges.count();
        let steps = ranges.next_power_of_two().ilog2() as usize;
        let counts = [ranges - 1, ranges, steps].map(|count| Term::small(count as i64));
        return build::tuple(process.heap(), &counts);
    }
    let mut chains: Vec<usize> = Vec::new();
    let mut deleted = 0;
    if table.options.kind == TableKind::OrderedSet {
        return am::FALSE;
    }
    let fixed = table.fixation.is_fixed();
    for part in 0..table.parts() {
        if let Part::Hash(shard) = &*table.read_part(part) {
            for slot in 0..shard.slots() {
                let (live, marked) = shard.chain_length(slot);
                let marked = if fixed { marked } else { 0 };
                chains.push(live + marked);
                deleted += marked;
            }
        }
    }
    let slots = chains.len() as f64;
    let objects: usize = chains.iter().sum();
    let mean = objects as f64 / slots;
    let variance = chains
        .iter()
        .map(|&chain| (chain as f64 - mean).powi(2))
        .sum::<f64>()
        / slots;
    let heap = process.heap();
    let floats = [mean, variance.sqrt(), (mean * (1.0 - 1.0 / slots)).sqrt()];
    let [mean, deviation, expected] = floats.map(|value| build::float(heap, value));
    let count = |value: usize| Term::small(value as i64);
    let parts = [
        count(chains.len()),
        mean,
        deviation,
        expected,
        count(chains.iter().copied().min().unwrap_or(0)),
        count(chains.iter().copied().max().unwrap_or(0)),
        count(deleted),
        count(table.parts()),
    ];
    build::tuple(heap, &parts)
}
