//! `ferl top --once` of a real node, and what it says where there is none. With OTP 25.

#[path = "dashboard/client.rs"]
#[allow(dead_code)]
mod client;

use std::process::{Command, Output};

use client::Node;

fn top(words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ferl"));
    command.arg("top").args(words).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn url(node: &Node) -> String {
    format!("http://{}/", node.address)
}

/// A process that holds much, with a name that is no good text.
const LARGE: &str = "register('large\\e[2J', spawn(fun() -> L = lists:seq(1, 200000), \
    receive stop -> L end end)), [self() ! N || N <- lists:seq(1, 1000)], timer:sleep(infinity)";

#[test]
fn json_has_what_the_node_answers() {
    let node = Node::run(LARGE, &[]);
    let output = top(&[&url(&node), "--once", "--json", "--rows", "5"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let all: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(all["node"]["name"], "nonode@nohost");
    assert!(all["figures"]["load"].is_number(), "{all:#}");
    assert!(all["figures"]["messages"].is_number(), "{all:#}");
    assert!(
        all["series"]
            .as_array()
            .unwrap()
            .iter()
            .any(|row| row["id"] == "load")
    );
    let rows = all["processes"]["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 5);
    let name = rows[0]["name"].as_str().unwrap();
    assert!(name.contains("large"), "{name}");
    let sizes: Vec<u64> = rows
        .iter()
        .filter_map(|row| row["memory_bytes"].as_u64())
        .collect();
    assert!(
        sizes[0] > 1_600_000 && sizes.is_sorted_by(|a, b| a >= b),
        "{sizes:?}"
    );
}

#[test]
fn text_has_a_line_for_each_number_and_process() {
    let node = Node::run(LARGE, &[]);
    let output = top(&[&url(&node), "--once", "--filter", "large"]);
    let printed = text(&output.stdout);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(printed.contains("\nload                "), "{printed}");
    assert!(!printed.contains('\u{1b}'), "{printed}");
    let processes = printed.lines().filter(|line| line.starts_with("<0."));
    assert_eq!(processes.count(), 1, "{printed}");
}

#[test]
fn a_token_is_taken_from_the_url_or_a_file() {
    let token = "0123456789abcdefghij";
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("top_token");
    std::fs::write(&path, format!("{token}\n")).unwrap();
    let file = path.to_str().unwrap();
    let node = Node::start(&["+dashboard_token_file", file]);
    let output = top(&[&url(&node), "--once"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        text(&output.stderr).contains("asks for a token"),
        "{}",
        text(&output.stderr)
    );
    let with_token = format!("{}#token={token}", url(&node));
    for words in [
        &[&*with_token, "--once"][..],
        &[&url(&node), "--once", "--token-file", file],
    ] {
        let output = top(words);
        assert!(
            output.status.success(),
            "{words:?}: {}",
            text(&output.stderr)
        );
    }
}

#[test]
fn what_is_wrong_is_said() {
    let output = top(&["http://127.0.0.1:1", "--once"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        text(&output.stderr).starts_with("ferl top: http://127.0.0.1:1: "),
        "{}",
        text(&output.stderr)
    );
    // There is no terminal.
    let node = Node::start(&[]);
    let output = top(&[&url(&node)]);
    assert!(
        text(&output.stderr).contains("use --once"),
        "{}",
        text(&output.stderr)
    );
    assert_eq!(top(&["--once"]).status.code(), Some(2));
    assert_eq!(
        top(&[&url(&node), "--once", "--sort", "age"]).status.code(),
        Some(2)
    );
}
