//! `+profile`: the stacks that the profiler finds are those that a program has, and its files are complete.
#![cfg(target_arch = "x86_64")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn erlc(folder: &Path, module: &str, source: &str) {
    let file = folder.join(format!("{module}.erl"));
    std::fs::write(&file, source).unwrap();
    let done = stock::erlc_25().arg(&file).current_dir(folder).status();
    assert!(done.expect("erlc starts").success());
}

fn ferl(folder: &Path, flags: &[&str]) -> Output {
    stock::ferl_on_25(env!("CARGO_BIN_EXE_ferl"))
        .args(["+S", "1:1"])
        .args(flags)
        .args(["-noshell", "-s", "profiled", "main"])
        .current_dir(folder)
        .output()
        .expect("ferl starts")
}

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// A flag in the place of the name is one whose own value was forgotten.
#[test]
fn a_flag_is_no_name_for_a_profile() {
    let folder = folder("profile_name");
    for words in [&["+profile"][..], &["+profile", "+S"], &["+profile-x"]] {
        let output = ferl(&folder, words);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success(), "{words:?}: {said}");
        assert!(said.contains("bad +profile name"), "{words:?}: {said}");
    }
    let written = std::fs::read_dir(&folder).unwrap().count();
    assert_eq!(written, 0, "nothing is written");
}

/// Each phase spends its time in one place, for half a second of processor time.
const PROGRAM: &str = r#"
-module(profiled).
-export([main/0]).
main() ->
    Map = maps:from_list([{{Key, x}, Key} || Key <- lists:seq(1, 1000)]),
    List = lists:seq(1, 300),
    phase(fun() -> lookups(Map, 1000, 0) end),
    phase(fun() -> calls(List, 100) end),
    phase(fun() -> garbage(2000, []) end),
    phase(fun() -> deep(20000) end),
    Table = ets:new(table, []),
    phase(fun() -> inserts(Table, 1000) end),
    halt().
phase(Work) -> phase(Work, runtime() + 500).
runtime() -> element(1, erlang:statistics(runtime)).
phase(Work, End) ->
    Work(), Work(), Work(), Work(), Work(), Work(), Work(), Work(),
    case runtime() < End of
        true -> phase(Work, End);
        false -> ok
    end.
lookups(_, 0, Sum) -> Sum;
lookups(Map, N, Sum) -> #{{N, x} := Value} = Map, lookups(Map, N - 1, more(Sum, Value)).
more(Sum, Value) -> Sum + Value.
calls(_, 0) -> ok;
calls(List, N) -> {_} = {list_to_tuple(List)}, calls(List, N - 1).
garbage(0, Kept) -> length(Kept);
garbage(N, Kept) -> garbage(N - 1, [lists:duplicate(20, N) | Kept]).
inserts(_, 0) -> ok;
inserts(Table, N) -> true = ets:insert(Table, {N, {some, [term, N]}}), inserts(Table, N - 1).
deep(0) -> 0;
deep(N) -> 1 + deep(N - 1).
"#;

#[test]
fn stacks_are_those_of_the_program() {
    let folder = folder("profile_stacks");
    erlc(&folder, "profiled", PROGRAM);
    let output = ferl(&folder, &["+profile", "run", "+profile_hz", "500"]);
    assert!(
        output.status.success() && output.stderr.is_empty(),
        "{output:?}"
    );
    let folded = std::fs::read_to_string(folder.join("run.folded")).unwrap();
    // Weight of the stacks that end in some names, and of all that contain the last but one.
    let weight = |has: &dyn Fn(&[&str]) -> bool| -> u64 {
        folded
            .lines()
            .map(|line| line.rsplit_once(' ').expect("a stack and its weight"))
            .filter(|(stack, _)| has(&stack.split(';').collect::<Vec<_>>()))
            .map(|(_, weight)| weight.parse::<u64>().expect("a weight is a number"))
            .sum()
    };
    let within = |name: &str| weight(&|stack| stack.contains(&name));
    let ends = |names: &[&str]| weight(&|stack| stack.ends_with(names));
    let phases = ["lookups/3", "calls/2", "garbage/2", "deep/1"];
    let phases = phases.map(|name| within(&format!("profiled:{name}")));
    assert!(
        phases.iter().all(|weight| *weight > 40),
        "{phases:?}\n{folded}"
    );
    // What is called stands behind its caller, and both behind `main/0`.
    let lookups = ends(&["profiled:lookups/3", "[get_map_element_of]"]);
    assert!(lookups * 2 > phases[0], "{folded}");
    let main = weight(&|stack| {
        let main = stack.iter().position(|name| *name == "profiled:main/0");
        let phase = stack.iter().position(|name| *name == "profiled:lookups/3");
        main.is_some() && main < phase
    });
    assert!(main * 10 > phases[0] * 9, "{folded}");
    let calls = ends(&["profiled:calls/2", "erlang:list_to_tuple/1"]);
    assert!(calls * 2 > phases[1], "{folded}");
    assert!(within("[collecting]") > 0, "{folded}");
    // What a BIF spends its time on is behind it.
    let inserts = within("profiled:inserts/2");
    let of_tables = ends(&["ets:insert/2", "[ETS]"]);
    let of_parts =
        weight(&|stack| matches!(stack, [.., "ets:insert/2", part] if part.starts_with('[')));
    assert!(inserts > 40 && of_tables * 5 > inserts, "{folded}");
    assert!(of_parts * 2 > inserts, "{folded}");
    // Of a deep recursion the middle is left out, its ends are not.
    let deep = weight(&|stack| stack.contains(&"profiled:main/0") && stack.contains(&"[...]"));
    assert!(deep > 0, "{folded}");

    let page = std::fs::read_to_string(folder.join("run.html")).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.trim_end().ends_with("</html>"));
    assert!(page.contains("data-n=\"profiled:lookups/3\""));
    assert!(page.contains("<tr><td>functions</td>") && page.contains("<tr><td>ETS</td>"));
    assert!(
        !page.contains("http:") || page.matches("http:").count() == 1,
        "only the name space"
    );
}

#[test]
fn a_profile_that_cannot_be_written_is_told_at_the_start() {
    let folder = folder("profile_refused");
    erlc(
        &folder,
        "profiled",
        "-module(profiled).\n-export([main/0]).\nmain() -> halt().\n",
    );
    let output = ferl(&folder, &["+profile", "nowhere/run"]);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        !output.status.success() && told.contains("nowhere/run.folded"),
        "{told}"
    );
    // Neither the file behind another user's link is written, nor is a pipe waited for.
    for left in ["link.html", "pipe.folded"] {
        let _ = std::fs::remove_file(folder.join(left));
    }
    std::os::unix::fs::symlink("elsewhere", folder.join("link.html")).unwrap();
    let pipe = Command::new("mkfifo")
        .arg(folder.join("pipe.folded"))
        .status();
    assert!(pipe.expect("mkfifo").success());
    for name in ["link", "pipe"] {
        let output = ferl(&folder, &["+profile", name]);
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && told.contains(name), "{told}");
    }
    assert!(!folder.join("elsewhere").exists());
    let output = ferl(&folder, &["+profile", "run", "-emu_flavor", "emu"]);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        !output.status.success() && told.contains("needs machine code"),
        "{told}"
    );
    assert!(ferl(&folder, &[]).status.success());
}

#[test]
fn a_profile_that_cannot_be_written_in_the_end_is_told_too() {
    let folder = folder("profile_full");
    // Files may be made, and not hold a byte.
    let output = Command::new("sh")
        .args(["-c", "trap '' XFSZ; ulimit -f 0; exec \"$0\" \"$@\""])
        .arg(env!("CARGO_BIN_EXE_ferl"))
        .args(["+profile", "run", "-noshell", "-s", "erlang", "halt"])
        .envs(stock::otp().environment())
        .current_dir(&folder)
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(told.contains("ferl: run: "), "{told}");
}
