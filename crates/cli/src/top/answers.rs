//! What the window of a node answers. A field that is missing, as of another version, is empty.

use std::collections::HashMap;

use serde::Deserialize;

#[derive(Deserialize, Default, Clone, Debug)]
#[serde(default)]
pub(super) struct Node {
    pub(super) name: String,
    pub(super) release: String,
    pub(super) ferl: String,
    pub(super) os_pid: u64,
    pub(super) uptime_ms: u64,
    pub(super) schedulers: Schedulers,
    pub(super) processes: Used,
    pub(super) ports: Used,
    pub(super) atoms: Used,
    pub(super) guard: Guard,
    pub(super) control: bool,
}

#[derive(Deserialize, Default, Clone, Debug)]
#[serde(default)]
pub(super) struct Schedulers {
    pub(super) total: u64,
    pub(super) online: u64,
}

#[derive(Deserialize, Default, Clone, Debug)]
#[serde(default)]
pub(super) struct Used {
    pub(super) count: u64,
    pub(super) limit: u64,
}

#[derive(Deserialize, Default, Clone, Debug)]
#[serde(default)]
pub(super) struct Guard {
    pub(super) on: bool,
    pub(super) budget_bytes: Option<u64>,
    pub(super) level: Option<String>,
}

#[derive(Deserialize, Default, Clone, Debug)]
#[serde(default)]
pub(super) struct History {
    pub(super) first: u64,
    pub(super) next: u64,
    pub(super) columns: HashMap<String, Vec<Option<f64>>>,
}

#[derive(Deserialize, Default, Clone, Debug)]
#[serde(default)]
pub(super) struct Page {
    pub(super) took_ms: u64,
    pub(super) total: u64,
    pub(super) matched: u64,
    pub(super) rows: Vec<Row>,
}

/// A process, or a group of them, which has a key and a count.
#[derive(Deserialize, Default, Clone, Debug)]
#[serde(default)]
pub(super) struct Row {
    pub(super) pid: String,
    pub(super) name: Option<String>,
    pub(super) label: Option<String>,
    pub(super) initial_call: Option<String>,
    pub(super) current_function: Option<String>,
    pub(super) status: String,
    pub(super) key: Option<String>,
    pub(super) count: Option<u64>,
    pub(super) memory_bytes: Option<u64>,
    pub(super) reductions: Option<u64>,
    pub(super) reductions_per_s: Option<f64>,
    pub(super) messages: Option<u64>,
    pub(super) messages_per_s: Option<f64>,
    pub(super) binary_bytes: Option<u64>,
}

impl Row {
    /// What it is called: its name, its label, or what it was started with.
    pub(super) fn title(&self) -> &str {
        let names = [&self.name, &self.label, &self.initial_call];
        names.into_iter().flatten().next().map_or("", |name| name)
    }
}

#[derive(Deserialize, Default, Clone, Debug)]
#[serde(default)]
pub(super) struct Process {
    #[serde(flatten)]
    pub(super) row: Row,
    pub(super) stack: Vec<Frame>,
    pub(super) links: Vec<String>,
    pub(super) monitors: Vec<String>,
    pub(super) monitored_by: Vec<String>,
    pub(super) parent: Option<String>,
    pub(super) ancestors: Vec<String>,
    pub(super) dictionary: Vec<(String, String)>,
    pub(super) queue_head: Vec<String>,
    pub(super) holdings: HashMap<String, serde_json::Value>,
}

#[derive(Deserialize, Default, Clone, Debug)]
#[serde(default)]
pub(super) struct Frame {
    pub(super) module: String,
    pub(super) function: String,
    pub(super) arity: u64,
    pub(super) file: Option<String>,
    pub(super) line: Option<u64>,
}
