//! The memory guard of a real node: whatever takes memory without end, the node lives, and tells who ended. OTP 25.

use std::path::PathBuf;
use std::process::Command;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A budget in which a node boots and has room for some 130 MB.
const BUDGET: &str = "200000000";

fn folder() -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("memory_guard");
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn ferl() -> Command {
    let mut command = stock::ferl_on_25(env!("CARGO_BIN_EXE_ferl"));
    command.current_dir(folder());
    command
}

/// How one bomb ended, and everything that was printed.
fn explode(kind: &str, flags: &[&str]) -> (String, String) {
    let mut command = ferl();
    command
        .args(flags)
        .args(["-noshell", "-s", "bomb", "main", kind]);
    let output = command.output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (printed, errors) = (text(&output.stdout), text(&output.stderr));
    let all = format!("{} {printed}{errors}", output.status);
    let last = printed.lines().rev().find(|line| line.starts_with(kind));
    (last.unwrap_or(&all).to_string(), all)
}

#[test]
fn the_node_outlives_what_takes_memory_without_end() {
    let _alone = alone();
    compile("bomb");
    let refused = "system_limit, by the guard: false";
    let ended = "memory_guard, by the guard: true";
    for (kind, expected) in [
        ("list", ended),
        ("binaries", ended),
        ("queue", ended),
        ("busy", ended),
        ("counters", ended),
        ("table", ended),
        ("ordered", ended),
        ("map", ended),
        ("timers", ended),
        ("external", refused),
    ] {
        let (line, all) = explode(kind, &["+Mguard", BUDGET]);
        let expected = format!("{kind} ended: {expected}, then calm, witness in time: true");
        assert_eq!(line, expected, "{all}");
        assert_eq!(
            expected.contains("true, then"),
            all.contains("Memory guard: the node has"),
            "{all}"
        );
        // Who has filled a queue is told.
        let is_queue = ["queue", "busy"].contains(&kind);
        let tells = all.contains("Messages from: ") && all.contains(" % <0.");
        assert_eq!(is_queue, tells, "{all}");
    }
    // What is refused here may be found too large by the guard before, and the processes that were made stay.
    for (kind, after) in [
        ("double", "calm"),
        ("binary", "calm"),
        ("monitors", "calm"),
        ("messages", "calm"),
        ("objects", "calm"),
        ("processes", ""),
    ] {
        let (line, all) = explode(kind, &["+Mguard", BUDGET]);
        let is_refused =
            line.contains("ended: system_limit") || line.contains("ended: memory_guard");
        assert!(
            is_refused && line.contains(&format!("then {after}")),
            "{all}"
        );
        assert!(line.ends_with("witness in time: true"), "{all}");
    }
    // These have no owner, so they are refused, and stay.
    let (line, all) = explode("persistent", &["+Mguard", BUDGET]);
    assert!(
        line.starts_with(&format!("persistent ended: {refused}")),
        "{all}"
    );
    assert!(line.ends_with("witness in time: true"), "{all}");
    let (line, all) = explode("atoms", &["+t", "200000"]);
    assert_eq!(
        line,
        format!("atoms ended: {refused}, then calm, witness in time: true"),
        "{all}"
    );
}

/// Nodes run one after the other, because they would take each other's memory and time.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Compiles a module beside this file.
fn compile(name: &str) {
    let source = format!(
        "{}/tests/memory_guard/{name}.erl",
        env!("CARGO_MANIFEST_DIR")
    );
    let compiled = stock::erlc_25()
        .arg("-o")
        .arg(folder())
        .arg(source)
        .status();
    assert!(compiled.unwrap().success());
}

/// What a function of the module `keep` prints, and everything that was printed.
fn keep(function: &str) -> (String, String) {
    let _alone = alone();
    compile("keep");
    let mut command = ferl();
    command.args(["+Mguard", BUDGET, "-noshell", "-s", "keep", function]);
    let output = command.output().unwrap();
    let all = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    let told = all.lines().filter_map(|line| line.strip_prefix("keep: "));
    (told.collect::<Vec<_>>().join(", "), all)
}

#[test]
fn a_process_says_what_it_is_worth() {
    let (told, all) = keep("worth");
    assert_eq!(
        told, "before 1, small ended: memory_guard, large lives: true",
        "{all}"
    );
}

#[test]
fn a_keeper_is_asked_first() {
    let (told, all) = keep("keeper");
    let expected = "before undefined, asked: soft, given up before [], \
                    given up ended: memory_guard, bomb ended: memory_guard, keeper lives: true";
    assert_eq!(told, expected, "{all}");
}

#[test]
fn a_keeper_that_does_not_answer_does_no_harm() {
    for function in ["silent", "dead"] {
        let (told, all) = keep(function);
        assert_eq!(told, "bomb ended: memory_guard", "{function}: {all}");
    }
}

#[test]
fn nonsense_about_keepers_is_refused() {
    let (told, all) = keep("nonsense");
    assert_eq!(told, "bad: badarg", "{all}");
}

#[test]
fn who_fills_a_queue_is_slowed_near_the_end_of_memory() {
    let (told, all) = keep("slowed");
    let expected =
        "to the full queue: slow, with nosuspend: fast, to another: fast, once it is empty: fast";
    assert_eq!(told, expected, "{all}");
}

#[test]
fn the_budget_is_shown() {
    let shown = |flags: &[&str]| {
        let show = "case erlang:system_info({ferl, memory_guard}) of \
            #{budget := B, source := S, soft := Soft, high := High, hard := Hard, level := L, resident := R} -> \
            io:format(\"~p ~p ~p\", [S, L, Soft < High andalso High < Hard andalso Hard < B andalso R < Soft]), B; \
            Off -> io:format(\"~p\", [Off]) end, halt().";
        let output = ferl()
            .args(flags)
            .args(["-noshell", "-eval", show])
            .output()
            .unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(shown(&["+Mguard", "1000000000"]), "flag calm true");
    assert_eq!(shown(&["+Mguard", "off"]), "undefined");
    let own = shown(&[]);
    assert!(
        ["host calm true", "cgroup calm true"].contains(&own.as_str()),
        "{own}"
    );
}

#[test]
fn a_bad_budget_is_refused() {
    let output = ferl().args(["+Mguard", "lots"]).output().unwrap();
    assert!(!output.status.success());
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(errors.contains("bad +Mguard budget lots"), "{errors}");
}
