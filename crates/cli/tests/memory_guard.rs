//! The memory guard of a real node: whatever takes memory without end, the node lives, and tells who ended. OTP 25.

use std::path::PathBuf;
use std::process::Command;

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

/// One test, because the bombs would take each other's memory and time.
#[test]
fn the_node_outlives_what_takes_memory_without_end() {
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/memory_guard/bomb.erl");
    let compiled = stock::erlc_25()
        .arg("-o")
        .arg(folder())
        .arg(source)
        .status();
    assert!(compiled.unwrap().success());
    let refused = "system_limit, by the guard: false";
    let ended = "memory_guard, by the guard: true";
    for (kind, expected) in [
        ("list", ended),
        ("binaries", ended),
        ("queue", ended),
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
    }
    // What is refused here may be found too large by the guard before, and the processes that were made stay.
    for (kind, after) in [("double", "calm"), ("binary", "calm"), ("processes", "")] {
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
