//! `ferl top --once` of a real node, and what it says where there is none. With OTP 25.

#[path = "dashboard/client.rs"]
#[allow(dead_code)]
mod client;

use std::process::{Command, Output};
use std::time::{Duration, Instant};

use client::{Node, number, shown_when};
use stock::Running;

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

/// A node with that process.
fn large() -> Node {
    let node = Node::run(LARGE, &[]);
    let is_there = |page: &serde_json::Value| number(&page["matched"]) == 1;
    shown_when(&node, "processes?filter=large", is_there);
    node
}

#[test]
fn json_has_what_the_node_answers() {
    let node = large();
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
    let node = large();
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

/// A node with a name, a cookie and no dashboard. It ends when its input does.
struct Named {
    _node: Running,
    name: String,
    cookie: &'static str,
}

impl Named {
    fn start(name: &str) -> Named {
        let name = format!("{name}_{}", std::process::id());
        let cookie = "cookie_of_top";
        let until_end = "io:get_line(\"\"), halt().";
        let mut command = stock::ferl_on_25(env!("CARGO_BIN_EXE_ferl"));
        command
            .args([
                "-sname",
                &name,
                "-setcookie",
                cookie,
                "-noshell",
                "-eval",
                until_end,
            ])
            .stdin(std::process::Stdio::piped());
        Named {
            _node: Running::start(&mut command),
            name,
            cookie,
        }
    }

    /// What a command that asks the node prints; the node may still be starting.
    fn ask(&self, words: &[&str]) -> String {
        let until = Instant::now() + Duration::from_secs(60);
        loop {
            let mut command = Command::new(env!("CARGO_BIN_EXE_ferl"));
            let words = words
                .iter()
                .map(|word| if *word == "NODE" { &self.name } else { *word });
            let output = command
                .args(words)
                .args(["--cookie", self.cookie])
                .output()
                .unwrap();
            if output.status.success() {
                return text(&output.stdout);
            }
            assert!(Instant::now() < until, "{}", text(&output.stderr));
            std::thread::sleep(Duration::from_millis(200));
        }
    }
}

fn is_live(url: &str) -> bool {
    let address = url
        .trim()
        .trim_start_matches("http://")
        .trim_end_matches('/');
    std::net::TcpStream::connect(address).is_ok()
}

#[test]
fn a_dashboard_that_was_opened_for_it_is_closed_after_it() {
    let node = Named::start("top");
    // It is asked for its numbers, which only an open dashboard has.
    let printed = node.ask(&["top", "NODE", "--once", "--json"]);
    let all: serde_json::Value = serde_json::from_str(&printed).unwrap();
    assert!(all["figures"]["load"].is_number(), "{all:#}");
    // What somebody has opened stays.
    let url = node.ask(&["dashboard", "NODE"]);
    assert!(is_live(&url), "{url}");
    node.ask(&["top", "NODE", "--once"]);
    assert!(is_live(&url), "{url}");
    node.ask(&["dashboard", "NODE", "--off"]);
    assert!(!is_live(&url), "{url}");
}

/// Whoever is killed gives nothing up: the node sees that nothing is asked any more.
#[test]
fn a_dashboard_that_nobody_uses_any_more_closes_by_itself() {
    let expression = r#"
        Dashboard = {ferl, dashboard},
        Set = fun(Value) -> erlang:system_flag(Dashboard, Value) end,
        Await = fun Await() -> erlang:system_info(Dashboard) =:= false
            orelse begin timer:sleep(50), Await() end end,
        [{'EXIT', {badarg, _}} = (catch Set({while_used, Wrong})) || Wrong <- [0, -1, x, 86401]],
        false = Set(unused),
        {ok, Url} = Set({while_used, 1}), {ok, Url} = erlang:system_info(Dashboard), Await(),
        {ok, Held} = Set({while_used, 1000}), {ok, Held} = Set({while_used, 1}),
        false = Set(unused), {ok, Held} = erlang:system_info(Dashboard),
        false = Set(unused), false = erlang:system_info(Dashboard),
        {ok, Kept} = Set({while_used, 1}), {ok, Kept} = Set("127.0.0.1:0"), timer:sleep(3000),
        false = Set(unused), {ok, Kept} = erlang:system_info(Dashboard),
        io:format("done"), halt()."#;
    let mut node = stock::ferl_on_25(env!("CARGO_BIN_EXE_ferl"));
    let output = node
        .args(["-noshell", "-eval", expression])
        .output()
        .unwrap();
    assert_eq!(text(&output.stdout), "done", "{}", text(&output.stderr));
}
