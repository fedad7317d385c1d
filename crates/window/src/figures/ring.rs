//! The history: a sample each second for the last hour, in a block that is allocated once.
//!
//! A sample has a number of four bytes for each row of the table, so an hour of 60 rows takes 864 KB, and each
//! scheduler 14 KB more. A byte count of many gigabytes is off by some hundreds of bytes, which no plot shows. Samples
//! are numbered from 0; the clock counts, not the samples, so that what was missed is a gap.

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::reading::Reading;
use super::table::{Row, Series};

/// Milliseconds from one sample to the next.
pub(crate) const STEP_MS: u64 = 1_000;
/// Samples that are kept.
pub(super) const SAMPLES: u64 = 3_600;

pub(crate) struct Ring {
    columns: usize,
    /// Sample after sample; what is not known is no number.
    values: Box<[f32]>,
    /// The number of the next sample.
    next: u64,
    last_unix_ms: i64,
}

impl Ring {
    pub(crate) fn new(columns: usize) -> Ring {
        Ring {
            columns,
            values: vec![f32::NAN; columns * SAMPLES as usize].into_boxed_slice(),
            next: 0,
            last_unix_ms: 0,
        }
    }

    fn first(&self) -> u64 {
        self.next.saturating_sub(SAMPLES)
    }

    fn sample(&self, number: u64) -> &[f32] {
        let begin = (number % SAMPLES) as usize * self.columns;
        &self.values[begin..begin + self.columns]
    }

    /// Adds a sample: what is between two readings. If so many were `missed`, their places are empty.
    pub(crate) fn add(
        &mut self,
        rows: &[Row],
        before: Option<&Reading>,
        now: &Reading,
        missed: u64,
    ) {
        for _ in 0..missed.min(SAMPLES) {
            self.put(|_| None);
        }
        self.next += missed.saturating_sub(SAMPLES);
        match before {
            Some(before) => self.put(|column| rows[column].between(before, now)),
            None => self.put(|column| rows[column].between(now, now)),
        }
        self.last_unix_ms = now.unix_ms;
    }

    fn put(&mut self, value: impl Fn(usize) -> Option<f64>) {
        let begin = (self.next % SAMPLES) as usize * self.columns;
        let sample = &mut self.values[begin..begin + self.columns];
        for (column, place) in sample.iter_mut().enumerate() {
            *place = value(column).map_or(f32::NAN, |value| value as f32);
        }
        self.next += 1;
    }

    /// The number of the sample that was added last, if there is one.
    pub(crate) fn newest(&self) -> Option<u64> {
        self.next.checked_sub(1)
    }

    /// The last sample, if there is one: a value for each row.
    pub(crate) fn last(&self) -> Option<Vec<Option<f32>>> {
        let last = self.sample(self.next.checked_sub(1)?);
        Some(last.iter().map(|value| known(*value)).collect())
    }

    /// The samples from this one on.
    pub(crate) fn history(&self, from: u64, rows: &[Row]) -> History {
        let first = from.clamp(self.first(), self.next);
        let column = |column: usize| {
            let samples = (first..self.next).map(|number| self.sample(number)[column]);
            Column(samples.collect())
        };
        let columns = rows.iter().enumerate();
        let columns = columns.map(|(index, row)| (row.id.to_string(), column(index)));
        History {
            step_ms: STEP_MS,
            first,
            next: self.next,
            now_unix_ms: self.last_unix_ms,
            peers: Vec::new(),
            columns: Columns(columns.collect()),
        }
    }
}

fn known(value: f32) -> Option<f32> {
    value.is_finite().then_some(value)
}

/// Samples that one asked for.
#[derive(Default, Serialize)]
pub struct History {
    /// Milliseconds from one sample to the next.
    pub step_ms: u64,
    /// The number of the first sample here.
    pub first: u64,
    /// The number of the first that is not here.
    pub next: u64,
    /// When the last one was taken, in milliseconds since 1970.
    pub now_unix_ms: i64,
    /// The series of nodes that are connected, or were in this hour; all others do not change while the window is open.
    pub peers: Vec<Series>,
    pub columns: Columns,
}

impl History {
    /// Adds the series of nodes, and their columns of the same samples.
    pub(super) fn add(&mut self, peers: Vec<Series>, columns: Vec<(String, Column)>) {
        self.peers.extend(peers);
        self.columns.0.extend(columns);
    }
}

/// The columns by their series' id, as a map.
#[derive(Default)]
pub struct Columns(Vec<(String, Column)>);

impl Columns {
    /// The column of a series.
    #[must_use]
    pub fn get(&self, id: &str) -> Option<Vec<Option<f32>>> {
        let (_, column) = self.0.iter().find(|(known, _)| known == id)?;
        Some(column.known())
    }
}

impl Serialize for Columns {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (id, column) in &self.0 {
            map.serialize_entry(id, column)?;
        }
        map.end()
    }
}

/// The values of a column.
pub(super) struct Column(Vec<f32>);

impl Column {
    /// What is not known is no number.
    pub(super) fn of(values: Vec<f32>) -> Column {
        Column(values)
    }

    pub(super) fn known(&self) -> Vec<Option<f32>> {
        self.0.iter().map(|value| known(*value)).collect()
    }
}

impl Serialize for Column {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(|value| Number(*value)))
    }
}

/// A number in as few digits as it has.
struct Number(f32);

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match known(self.0) {
            None => serializer.serialize_none(),
            Some(value) if value.fract() == 0.0 && value.abs() < 1e15 => {
                serializer.serialize_i64(value as i64)
            }
            Some(value) => serializer.serialize_f32(value),
        }
    }
}
