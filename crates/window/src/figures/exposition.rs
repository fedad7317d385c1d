//! `/metrics`: the numbers as text, for Prometheus and those who read the same formats: OpenMetrics 1.0 for those who
//! ask for it, and the older format, which everybody reads, for others.
//!
//! Names follow Prometheus' conventions: they begin with `ferl_`, have base units, and end in `_total` where a number
//! only grows. What it cannot tell is left out. The histograms count what was measured while the window was open, of
//! messages and queued processes a sample.

use std::borrow::Cow;
use std::fmt;

use prometheus_client::encoding::{DescriptorEncoder, MetricEncoder, NoLabelSet};
use prometheus_client::encoding::{prometheus_text, text};
use prometheus_client::metrics::MetricType;
use prometheus_client::registry::{Registry, Unit};
use sys::histogram::Counted;

use super::peers;
use super::reading::Reading;
use super::table::{Kind, Metric, Row};
use crate::printed;

/// A format of the text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    OpenMetrics,
    /// Prometheus' own, version 0.0.4.
    Prometheus,
}

impl Format {
    /// The format for a request with such a header `Accept`, empty if there is none.
    #[must_use]
    pub fn asked_for(accept: &str) -> Format {
        match accept.contains("application/openmetrics-text") {
            true => Format::OpenMetrics,
            false => Format::Prometheus,
        }
    }

    /// The type of the text, for the header of an answer.
    #[must_use]
    pub fn content_type(self) -> &'static str {
        match self {
            Format::OpenMetrics => "application/openmetrics-text; version=1.0.0; charset=utf-8",
            Format::Prometheus => "text/plain; version=0.0.4; charset=utf-8",
        }
    }
}

/// The name of each histogram, its help, and where it is in a reading.
pub(super) type Measured = (&'static str, &'static str, fn(&Reading) -> &Counted);
pub(super) const HISTOGRAMS: [Measured; 3] = [
    (
        "collection_pause",
        "How long garbage collections of processes took",
        |reading| &reading.pauses,
    ),
    (
        "scheduling_latency",
        "How long processes were queued until they ran, of a sample",
        |reading| &reading.latencies,
    ),
    (
        "message_age",
        "How long messages had waited when they were received, of a sample",
        |reading| &reading.message_ages,
    ),
];

/// A family of metrics: with its label's value for each sample.
#[derive(Debug)]
struct Family {
    name: &'static str,
    unit: Option<&'static str>,
    help: &'static str,
    samples: Samples,
}

#[derive(Debug)]
enum Samples {
    Numbers(Kind, Option<&'static str>, Vec<(Cow<'static, str>, f64)>),
    Durations(Box<Counted>),
}

/// The text for the numbers of a reading.
pub(super) fn text(format: Format, rows: &[Row], reading: &Reading) -> String {
    let mut registry = Registry::with_prefix("ferl");
    for family in families(rows, reading) {
        registry.register_collector(Box::new(family));
    }
    let mut text = String::new();
    let encoded = match format {
        Format::OpenMetrics => text::encode(&mut text, &registry),
        Format::Prometheus => prometheus_text::encode(&mut text, &registry),
    };
    encoded.expect("a string takes everything");
    text
}

/// All families, in the order of the table, then the histograms. Those without a number are left out.
fn families(rows: &[Row], reading: &Reading) -> Vec<Family> {
    let mut families: Vec<Family> = Vec::new();
    for row in rows {
        let Some((metric, label)) = &row.metric else {
            continue;
        };
        let Some(value) = row.now(reading) else {
            continue;
        };
        let sample = (label.clone(), value);
        let known = families
            .iter_mut()
            .find(|family| family.name == metric.family);
        match known.map(|family| &mut family.samples) {
            Some(Samples::Numbers(_, _, samples)) => samples.push(sample),
            _ => families.push(Family::new(metric, row.kind(), vec![sample])),
        }
    }
    families.extend(peers::METRICS.iter().filter_map(|(metric, kind, read)| {
        let samples = reading.each_peer.iter().take(peers::MOST);
        let samples = samples.filter_map(|peer| {
            let value = read(peer.seen.as_ref()?);
            Some((Cow::Owned(printed::node(peer.name)), value))
        });
        let samples: Vec<_> = samples.collect();
        (!samples.is_empty()).then(|| Family::new(metric, *kind, samples))
    }));
    families.extend(HISTOGRAMS.map(|(name, help, counted)| Family {
        name,
        unit: Some("seconds"),
        help,
        samples: Samples::Durations(Box::new(counted(reading).clone())),
    }));
    families
}

impl Family {
    fn new(metric: &Metric, kind: Kind, samples: Vec<(Cow<'static, str>, f64)>) -> Family {
        Family {
            name: metric.family,
            unit: metric.unit,
            help: metric.help,
            samples: Samples::Numbers(kind, metric.label, samples),
        }
    }
}

impl prometheus_client::collector::Collector for Family {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let kind = match self.samples {
            Samples::Numbers(Kind::Gauge, ..) => MetricType::Gauge,
            Samples::Numbers(Kind::Counter, ..) => MetricType::Counter,
            Samples::Durations(_) => MetricType::Histogram,
        };
        let unit = self.unit.map(|unit| Unit::Other(unit.to_owned()));
        let mut encoder = encoder.encode_descriptor(self.name, self.help, unit.as_ref(), kind)?;
        match &self.samples {
            Samples::Numbers(kind, None, samples) => {
                let value = samples.iter().map(|(_, value)| *value).sum();
                number(&mut encoder, *kind, value)
            }
            Samples::Numbers(kind, Some(label), samples) => {
                samples.iter().try_for_each(|(of, value)| {
                    let labels = [(*label, of.as_ref())];
                    number(&mut encoder.encode_family(&labels)?, *kind, *value)
                })
            }
            Samples::Durations(counted) => durations(&mut encoder, counted),
        }
    }
}

fn number(encoder: &mut MetricEncoder<'_>, kind: Kind, value: f64) -> fmt::Result {
    match kind {
        Kind::Gauge => encoder.encode_gauge(&value),
        Kind::Counter => encoder.encode_counter::<NoLabelSet, _, f64>(&value, None),
    }
}

fn durations(encoder: &mut MetricEncoder<'_>, counted: &Counted) -> fmt::Result {
    const NS_PER_S: f64 = 1e9;
    let mut before = 0;
    // The library adds the buckets up.
    let mut buckets: Vec<(f64, u64)> = counted
        .doublings()
        .map(|(end_ns, shorter)| {
            let here = shorter - before;
            before = shorter;
            (end_ns as f64 / NS_PER_S, here)
        })
        .collect();
    let count = counted.count();
    buckets.push((f64::INFINITY, count - before));
    let sum = counted.sum_ns as f64 / NS_PER_S;
    encoder.encode_histogram::<NoLabelSet>(sum, count, &buckets, None)
}
