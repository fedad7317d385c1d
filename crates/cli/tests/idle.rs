//! A node in which nothing runs costs next to nothing: its threads do not wake. With OTP 25.

use std::io::Write;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use stock::Talking;

/// A node that reads lines, and nothing else, until it has to run something.
struct Node(Talking);

impl Node {
    /// `on_line` is what it does with a line.
    fn start(on_line: &str) -> Node {
        let read = format!("io:format(\"ready~n\"), _ = io:get_line(\"\"), {on_line}.");
        let mut command: Command = stock::ferl_on_25(env!("CARGO_BIN_EXE_ferl"));
        command
            .args(["-noshell", "-eval", &read])
            .stdin(Stdio::piped());
        let mut node = Talking::start(&mut command);
        assert_eq!(node.line(), "ready");
        Node(node)
    }

    /// How often its threads have given up their processors to wait for something.
    fn switches(&self) -> u64 {
        let threads = std::fs::read_dir(format!("/proc/{}/task", self.0.program.id())).unwrap();
        let switches = threads.map(|thread| {
            let status = std::fs::read_to_string(thread.unwrap().path().join("status")).unwrap();
            let field = |line: &str| {
                line.strip_prefix("voluntary_ctxt_switches:")
                    .map(str::to_owned)
            };
            let number = status.lines().find_map(field).unwrap();
            number.trim().parse::<u64>().unwrap()
        });
        switches.sum()
    }

    /// Waits until it wakes seldom, and returns how often it woke in so many seconds after that.
    fn wakes_in(&self, seconds: u64) -> u64 {
        let mut before = self.switches();
        for _ in 0..20 {
            std::thread::sleep(Duration::from_secs(1));
            let after = self.switches();
            if std::mem::replace(&mut before, after) == after {
                break;
            }
        }
        let before = self.switches();
        std::thread::sleep(Duration::from_secs(seconds));
        self.switches() - before
    }
}

#[test]
fn a_node_in_which_nothing_runs_wakes_seldom() {
    let node = Node::start("halt()");
    let wakes = node.wakes_in(10);
    assert!(wakes < 10, "{wakes} times in ten seconds");
}

/// The processors of the main thread are those that the node may use.
#[test]
fn a_node_that_has_rested_follows_its_processors_as_soon_as_it_works() {
    let processors = sys::cpu::initial_affinity();
    if processors.len() < 2 {
        println!("left out: there is only one processor");
        return;
    }
    let mut node = Node::start(
        "Loop = fun Loop() -> \
            io:format(\"~w~n\", [erlang:system_info(schedulers_online)]), timer:sleep(100), Loop() \
        end, Loop()",
    );
    node.wakes_in(1);
    let status = Command::new("taskset")
        .args(["-p", "-c", &processors[0].to_string()])
        .arg(node.0.program.id().to_string())
        .stdout(Stdio::null())
        .status();
    if !status.is_ok_and(|status| status.success()) {
        println!("left out: taskset is not there");
        return;
    }
    let mut input = node.0.program.stdin.take().unwrap();
    input.write_all(b"go\n").unwrap();
    let began = Instant::now();
    let first = node.0.line();
    assert_ne!(first, "1", "nobody has looked at rest");
    while node.0.line() != "1" {
        assert!(
            began.elapsed() < Duration::from_secs(15),
            "it is not followed"
        );
    }
}
