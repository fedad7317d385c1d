//! `ferl top --once`: one look, for scripts.
//!
//! The text has a line for each number and each process, in columns; the JSON has what the node answers, as it is:
//! `node`, `series`, `figures` (the last value of each series' column) and `processes`.

use std::fmt::Write;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};

use super::answers::{History, Node, Page};
use super::client::{Client, Failure};
use super::text::{bytes, clean, count, percent, seconds, uptime};

/// A window that was opened just now has rates after its second sample.
const RATES_WITHIN: Duration = Duration::from_secs(3);

/// What there is to print.
pub(super) fn look(
    client: &Client,
    query: &[(&'static str, String)],
    is_json: bool,
) -> Result<String, String> {
    let node: Value = client.get("/api/v1/node", &[])?;
    let figures = last_sample(client)?;
    let mut processes = table(client, query)?;
    // Rates of processes are what changed since the table was asked for before.
    let is_rate = query
        .iter()
        .any(|(name, value)| *name == "sort" && is_rate(value));
    if is_rate {
        thread::sleep(Duration::from_secs(1));
        processes = table(client, query)?;
    }
    if is_json {
        let series: Value = client.get("/api/v1/series", &[])?;
        let all =
            json!({"node": node, "series": series, "figures": figures, "processes": processes});
        return Ok(format!("{all:#}\n"));
    }
    let bad =
        |error: serde_json::Error| format!("{}: not an answer of ferl: {error}", client.base());
    let node: Node = serde_json::from_value(node).map_err(bad)?;
    let page: Option<Page> = serde_json::from_value(processes).map_err(bad)?;
    Ok(in_columns(&node, &figures, &page.unwrap_or_default()))
}

/// The table of processes; null if the node does not tell of them.
fn table(client: &Client, query: &[(&'static str, String)]) -> Result<Value, Failure> {
    match client.get("/api/v1/processes", query) {
        Err(Failure::Gone) => Ok(Value::Null),
        answer => answer,
    }
}

fn is_rate(sort: &str) -> bool {
    ["reductions_rate", "queue_growth"].contains(&sort)
}

/// The last value of each column.
fn last_sample(client: &Client) -> Result<Map<String, Value>, Failure> {
    let began = Instant::now();
    loop {
        // What is before the last sample is not needed, and nobody knows its number yet.
        let now: History = client.get("/api/v1/history", &[("from", u64::MAX.to_string())])?;
        if now.next >= 2 || began.elapsed() > RATES_WITHIN {
            let from = now.next.saturating_sub(1);
            let last: History = client.get("/api/v1/history", &[("from", from.to_string())])?;
            let column = |(id, values): (String, Vec<Option<f64>>)| {
                (id, json!(values.last().copied().flatten()))
            };
            return Ok(last.columns.into_iter().map(column).collect());
        }
        thread::sleep(Duration::from_millis(200));
    }
}

fn in_columns(node: &Node, figures: &Map<String, Value>, page: &Page) -> String {
    let mut text = String::new();
    let mut line = |name: &str, value: String| {
        let _ = writeln!(text, "{name:<20}{value}");
    };
    let number = |id: &str| figures.get(id).and_then(Value::as_f64);
    let shown = |id: &str, show: fn(f64) -> String| number(id).map_or("-".to_owned(), show);
    line("node", clean(&node.name));
    line(
        "release",
        format!("{} (ferl {})", clean(&node.release), clean(&node.ferl)),
    );
    line("os pid", node.os_pid.to_string());
    line("up", uptime(node.uptime_ms / 1000));
    let schedulers = &node.schedulers;
    line(
        "schedulers",
        format!("{} of {}", schedulers.online, schedulers.total),
    );
    line("load", shown("load", percent));
    line("run queues", shown("run_queue", count));
    line("memory", shown("memory_resident", bytes));
    if node.guard.on {
        let level = node.guard.level.as_deref().unwrap_or("-");
        let budget = node
            .guard
            .budget_bytes
            .map_or("-".to_owned(), |budget| bytes(budget as f64));
        line("memory guard", format!("{level}, budget {budget}"));
    }
    line(
        "processes",
        format!("{} of {}", node.processes.count, node.processes.limit),
    );
    line(
        "ports",
        format!("{} of {}", node.ports.count, node.ports.limit),
    );
    line(
        "atoms",
        format!("{} of {}", node.atoms.count, node.atoms.limit),
    );
    line("messages/s", shown("messages", count));
    line("reductions/s", shown("reductions", count));
    line("collections/s", shown("collections", count));
    line("collection p99", shown("pause_p99", seconds));
    text.push('\n');
    let _ = writeln!(
        text,
        "{:<14} {:>9} {:>12} {:>9} {:<9} {:<30} CURRENT FUNCTION",
        "PID", "MEMORY", "REDUCTIONS", "MESSAGES", "STATUS", "NAME"
    );
    for row in &page.rows {
        let number = |value: Option<u64>| value.map_or("-".to_owned(), |value| value.to_string());
        let memory = row
            .memory_bytes
            .map_or("-".to_owned(), |size| bytes(size as f64));
        let current = row.current_function.as_deref().unwrap_or("-");
        let _ = writeln!(
            text,
            "{:<14} {memory:>9} {:>12} {:>9} {:<9} {:<30} {}",
            row.pid,
            number(row.reductions),
            number(row.messages),
            row.status,
            clean(row.title()),
            clean(current)
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_known_is_a_dash() {
        let node = Node {
            name: "a\u{1b}@host".into(),
            ..Node::default()
        };
        let page: Page = serde_json::from_value(json!({
            "rows": [{"pid": "<0.5.0>", "name": null, "memory_bytes": 2048, "messages": null, "more": 1}]
        }))
        .unwrap();
        let figures = Map::from_iter([("load".to_owned(), json!(0.5))]);
        let text = in_columns(&node, &figures, &page);
        assert!(text.contains("load                50%\n"), "{text}");
        assert!(text.contains("messages/s          -\n"), "{text}");
        assert!(
            text.contains("<0.5.0>             2 KB            -         -"),
            "{text}"
        );
        assert!(!text.contains('\u{1b}'));
    }
}
