//! The numbers for programs: `erlang:system_info({ferl, figures})`.

use layout::{Heap, Term};
use sys::histogram::Counted;
use term::{am, atom, build, map};

use super::exposition::HISTOGRAMS;
use super::reading::{Reading, Slow};
use super::state::STATE;
use super::table::{self, Kind, Row};

/// `erlang:system_info({ferl, figures})`: a map.
///
/// - `totals`: a map of what only grows, since the node was started, by the id of its series: integers where things are
///   counted, floats in seconds. `load` and the like are seconds that a scheduler has worked, on the average;
/// - `now`: a map of all other numbers as they are now, likewise; `undefined` where one is not known;
/// - `rates`: a map of the columns of the last sample, which is at most a second old: what each total grew by in a
///   second, and quantiles in seconds; `undefined` while the window is closed;
/// - `histograms`: a map of `collection_pause`, `scheduling_latency` and `message_age` to
///   `#{count := Count, sum := Seconds, buckets := [{Seconds, Count}]}`, where `Count` of a bucket is the number of
///   those that took less than `Seconds`: what was measured while the window was open; `undefined` while it is closed.
///
/// Ids and units are those of `/api/v1/series`. It takes about as long as `erlang:memory/0`.
pub fn info(heap: &mut Heap) -> Term {
    let (rows, rates) = match &*STATE.lock() {
        Some(open) => (open.rows.clone(), Some(open.ring.last())),
        None => (table::rows(), None),
    };
    let reading = Reading::take(&mut Slow::default());
    let of_kind = |heap: &mut Heap, kind| {
        let rows = rows.iter().filter(|row| row.kind() == kind);
        let pairs: Vec<(Term, Term)> = rows
            .filter(|row| !row.is_quantile())
            .map(|row| (id(row), number(heap, row.now(&reading))))
            .collect();
        map::from_pairs(heap, &pairs)
    };
    let (totals, now) = (of_kind(heap, Kind::Counter), of_kind(heap, Kind::Gauge));
    let (mut columns, mut histograms) = (am::UNDEFINED, am::UNDEFINED);
    if let Some(rates) = rates {
        histograms = measured(heap, &reading);
        if let Some(rates) = rates {
            let pairs: Vec<(Term, Term)> = rows
                .iter()
                .zip(rates)
                .map(|(row, value)| (id(row), number(heap, value.map(f64::from))))
                .collect();
            columns = map::from_pairs(heap, &pairs);
        }
    }
    let pairs = [
        (atom::known("totals"), totals),
        (atom::known("now"), now),
        (atom::known("rates"), columns),
        (atom::known("histograms"), histograms),
    ];
    map::from_pairs(heap, &pairs)
}

fn id(row: &Row) -> Term {
    atom::known(&row.id)
}

fn number(heap: &mut Heap, value: Option<f64>) -> Term {
    match value {
        None => am::UNDEFINED,
        Some(value) if value.fract() == 0.0 && value.abs() < 1e18 => {
            build::integer(heap, value as i64)
        }
        Some(value) => build::float(heap, value),
    }
}

fn measured(heap: &mut Heap, reading: &Reading) -> Term {
    let pairs =
        HISTOGRAMS.map(|(name, _, counted)| (atom::known(name), durations(heap, counted(reading))));
    map::from_pairs(heap, &pairs)
}

fn durations(heap: &mut Heap, counted: &Counted) -> Term {
    const NS_PER_S: f64 = 1e9;
    let buckets: Vec<Term> = counted
        .doublings()
        .map(|(end_ns, shorter)| {
            let end = build::float(heap, end_ns as f64 / NS_PER_S);
            let shorter = build::unsigned(heap, shorter);
            build::tuple(heap, &[end, shorter])
        })
        .collect();
    let pairs = [
        (atom::known("count"), build::unsigned(heap, counted.count())),
        (
            atom::known("sum"),
            build::float(heap, counted.sum_ns as f64 / NS_PER_S),
        ),
        (atom::known("buckets"), build::list(heap, &buckets)),
    ];
    map::from_pairs(heap, &pairs)
}
