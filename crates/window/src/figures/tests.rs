//! The table against what is made of it.

use std::collections::HashSet;
use std::io::Write;
use std::process::{Command, Stdio};

use super::connected::{Peer, Seen};
use super::reading::Reading;
use super::ring::Ring;
use super::{Format, exposition, table};

/// A reading a second later, with this much more of what is counted.
fn reading(second: i64, counted: u64) -> Reading {
    Reading {
        at_ns: second * 1_000_000_000,
        unix_ms: 1_000_000 + second * 1_000,
        worked_ns: vec![second * 250_000_000],
        messages: counted,
        processes: 7,
        ..Reading::empty()
    }
}

#[test]
fn ids_are_unique_and_units_are_told() {
    let rows = table::rows();
    let mut ids = HashSet::new();
    for row in rows.iter() {
        let series = row.series();
        assert!(
            ids.insert(series.id.clone()),
            "{} is there twice",
            series.id
        );
        let is_per_second = series.unit.ends_with("/s");
        let is_counter = series.kind == table::Kind::Counter;
        let has_no_unit_of_its_own = ["share", "processors"].contains(&series.unit.as_ref());
        assert!(
            is_per_second == is_counter || has_no_unit_of_its_own,
            "{series:?}"
        );
        assert!(
            !series.help.ends_with('.') && !series.name.is_empty(),
            "{series:?}"
        );
    }
}

#[test]
fn columns_are_values_and_growth_per_second() {
    let rows = table::rows();
    let mut ring = Ring::new(rows.len());
    let readings = [reading(0, 100), reading(1, 150), reading(2, 150)];
    ring.add(&rows, None, &readings[0], 0);
    ring.add(&rows, Some(&readings[0]), &readings[1], 0);
    ring.add(&rows, Some(&readings[1]), &readings[2], 0);
    let history = ring.history(0, &rows);
    assert_eq!(
        (history.first, history.next, history.now_unix_ms),
        (0, 3, 1_002_000)
    );
    let column = |id| history.columns.get(id).unwrap();
    assert_eq!(column("messages"), [None, Some(50.0), Some(0.0)]);
    assert_eq!(column("scheduler_1"), [None, Some(0.25), Some(0.25)]);
    assert_eq!(column("processes"), [Some(7.0); 3]);
    assert_eq!(column("memory_soft"), [None; 3]);
    let later = serde_json::to_value(ring.history(2, &rows)).unwrap();
    assert_eq!(later["first"], 2);
    assert_eq!(later["columns"]["processes"], serde_json::json!([7]));
    assert_eq!(later["columns"]["scheduler_1"], serde_json::json!([0.25]));
    assert_eq!(later["columns"]["memory_soft"], serde_json::json!([null]));
    assert_eq!(ring.history(9, &rows).first, 3);
}

#[test]
fn what_was_missed_is_a_gap_and_the_oldest_goes() {
    let rows = table::rows();
    let mut ring = Ring::new(rows.len());
    let (first, second) = (reading(0, 0), reading(10, 10));
    ring.add(&rows, None, &first, 0);
    ring.add(&rows, Some(&first), &second, 9);
    let column = ring.history(0, &rows).columns.get("processes").unwrap();
    assert_eq!(column.len(), 11);
    assert_eq!(column.iter().flatten().count(), 2);
    ring.add(&rows, Some(&second), &reading(100_000, 20), 99_989);
    let history = ring.history(0, &rows);
    assert_eq!((history.first, history.next), (100_001 - 3_600, 100_001));
    let column = history.columns.get("processes").unwrap();
    assert_eq!(column.iter().flatten().count(), 1);
    assert_eq!(column.last(), Some(&Some(7.0)));
}

#[test]
fn metrics_are_what_openmetrics_says() {
    let rows = table::rows();
    let text = exposition::text(Format::OpenMetrics, &rows, &reading(4, 1 << 40));
    assert!(text.ends_with("# EOF\n"));
    assert!(text.contains("# UNIT ferl_memory_bytes bytes\n"), "{text}");
    assert!(
        text.contains("\nferl_memory_bytes{kind=\"ets\"} 0.0\n"),
        "{text}"
    );
    assert!(
        text.contains("\nferl_messages_sent_total 1099511627776"),
        "{text}"
    );
    let worked = "\nferl_scheduler_worked_seconds_total{scheduler=\"1\"} 1.0\n";
    assert!(text.contains(worked), "{text}");
    assert!(
        text.contains("\nferl_message_age_seconds_bucket{le=\"+Inf\"} 0\n"),
        "{text}"
    );
    assert!(!text.contains("memory_guard_mark"), "the guard is off");
    // Each family has its lines together.
    let mut families = HashSet::new();
    for line in text.lines().filter_map(|line| line.strip_prefix("# TYPE ")) {
        let name = line.split(' ').next().unwrap();
        assert!(families.insert(name), "{name} is there twice");
        assert!(
            name.starts_with("ferl_") && !name.ends_with("_total"),
            "{name}"
        );
    }
}

#[test]
fn openmetrics_is_for_those_who_ask() {
    let prometheus =
        "application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.3,*/*;q=0.1";
    assert_eq!(Format::asked_for(prometheus), Format::OpenMetrics);
    assert_eq!(Format::asked_for("*/*"), Format::Prometheus);
    assert_eq!(Format::asked_for(""), Format::Prometheus);
}

/// Prometheus' own check, where it is installed.
#[test]
fn promtool_accepts_the_metrics() {
    let text = exposition::text(Format::Prometheus, &table::rows(), &reading(4, 20));
    let promtool = Command::new("promtool")
        .args(["check", "metrics"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let Ok(mut promtool) = promtool else {
        eprintln!("left out: there is no promtool (Debian's package prometheus)");
        return;
    };
    promtool
        .stdin
        .take()
        .unwrap()
        .write_all(text.as_bytes())
        .unwrap();
    let output = promtool.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}\n{text}");
}

/// A reading with the guard on, so that all metrics are there.
fn full_text() -> String {
    let guard = guard::Figures {
        budget: 1,
        source: "flag",
        soft: 1,
        high: 1,
        hard: 1,
        resident: 1,
        others: 0,
        level: "calm",
        pressure_percent: None,
        soft_count: 0,
        high_count: 0,
        hard_count: 0,
        ended: 0,
        refused: 0,
    };
    let reading = Reading {
        guard: Some(guard),
        oldest_message_ns: Some(1),
        each_peer: [Peer {
            name: term::atom::known("a\"\n@b"),
            seen: Some(Seen {
                queued_bytes: 5,
                is_busy: true,
                packets_in: 6,
                packets_out: 7,
            }),
        }]
        .into(),
        ..Reading::empty()
    };
    exposition::text(Format::OpenMetrics, &table::rows(), &reading)
}

#[test]
fn connected_nodes_have_metrics_with_their_names() {
    let text = full_text();
    for line in [
        "\nferl_peer_queue_bytes{peer=\"a\\\"\\\\x{A}@b\"} 5.0\n",
        "\nferl_peer_busy{peer=\"a\\\"\\\\x{A}@b\"} 1.0\n",
        "\nferl_peer_received_packets_total{peer=\"a\\\"\\\\x{A}@b\"} 6.0\n",
        "\nferl_distribution_queue_bytes 5.0\n",
        "\nferl_connected_nodes 1.0\n",
    ] {
        assert!(text.contains(line), "{line}{text}");
    }
}

#[test]
fn the_board_asks_for_metrics_that_exist_and_for_all_of_them() {
    let text = full_text();
    let samples = text.lines().filter(|line| !line.starts_with('#'));
    let known: HashSet<&str> = samples
        .map(|line| line.split([' ', '{']).next().unwrap())
        .collect();
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../packaging/grafana/ferl.json"
    );
    let board: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let mut asked = HashSet::new();
    for panel in board["panels"].as_array().unwrap() {
        for target in panel["targets"].as_array().unwrap() {
            let expression = target["expr"].as_str().unwrap();
            let is_in_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let words = expression.split(|c: char| !is_in_name(c));
            for name in words.filter(|word| word.starts_with("ferl_")) {
                assert!(
                    known.contains(name),
                    "{name} of panel {} is no metric",
                    panel["title"]
                );
                asked.insert(name.to_owned());
            }
        }
    }
    let is_of_histogram = |name: &str| name.ends_with("_sum") || name.ends_with("_count");
    let unused: Vec<&&str> = known
        .iter()
        .filter(|name| !asked.contains(**name) && !is_of_histogram(name))
        .collect();
    assert!(unused.is_empty(), "no panel shows {unused:?}");
}

/// The rows of the table in the book.
fn rows_for_the_book() -> String {
    let rows = table::rows();
    let rows = rows.iter().filter(|row| row.series().group != "schedulers");
    let lines = rows.map(|row| {
        let series = row.series();
        format!("| `{}` | {} | {} |\n", series.id, series.unit, series.help)
    });
    lines.collect()
}

#[test]
fn the_book_lists_all_series() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../docs/book/src/numbers.md"
    );
    let book = std::fs::read_to_string(path).unwrap();
    let table = rows_for_the_book();
    assert!(
        book.contains(&table),
        "numbers.md should have these lines:\n{table}"
    );
}
