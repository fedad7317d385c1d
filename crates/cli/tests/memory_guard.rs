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
        ("timers_of_others", ended),
        ("external", refused),
        ("regex", refused),
    ] {
        let (line, all) = explode(kind, &["+Mguard", BUDGET]);
        let expected = format!("{kind} ended: {expected}, then calm, witness in time: true");
        assert_eq!(line, expected, "{all}");
        assert_eq!(
            expected.contains("true, then"),
            all.contains("so a process was ended"),
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
        ("port", "calm"),
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

/// Compiles the library of this test, if there are headers.
fn natives() -> bool {
    let headers = stock::otp().headers();
    if !headers.join("erl_nif.h").is_file() {
        println!("left out: there is no erl_nif.h");
        return false;
    }
    let source = format!(
        "{}/tests/memory_guard/natives.c",
        env!("CARGO_MANIFEST_DIR")
    );
    let compiled = Command::new("cc")
        .args(["-shared", "-fPIC", "-O1", "-o"])
        .arg(folder().join("natives.so"))
        .arg(source)
        .arg("-I")
        .arg(headers)
        .status();
    assert!(compiled.unwrap().success());
    compile("natives");
    true
}

#[test]
fn the_node_outlives_what_libraries_take() {
    let _alone = alone();
    if !natives() {
        return;
    }
    compile("bomb");
    for (kind, expected) in [
        ("resources", "memory_guard, by the guard: true, then calm"),
        ("pieces", "none, by the guard: false"),
    ] {
        let (line, all) = explode(kind, &["+Mguard", BUDGET]);
        assert!(
            line.starts_with(&format!("{kind} ended: {expected}")),
            "{all}"
        );
        assert!(line.ends_with("witness in time: true"), "{all}");
    }
}

/// Whatever memory grows, `{ferl, resident}` has a part for it that grows as much as the system says.
#[test]
fn all_resident_memory_has_a_name() {
    let _alone = alone();
    let natives = if natives() { "natives" } else { "none" };
    compile("whereabouts");
    let output = ferl()
        .args(["-noshell", "-run", "whereabouts", "main", natives])
        .output()
        .unwrap();
    let told = String::from_utf8(output.stdout).unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    let kinds = if natives == "none" { 13 } else { 15 };
    assert_eq!(told.lines().count(), kinds, "{told}{errors}");
    for line in told.lines() {
        let mut numbers = line.split([' ', ':']).filter_map(|word| word.parse().ok());
        let (missed, unnamed): (u32, u32) = (numbers.next().unwrap(), numbers.next().unwrap());
        // Blocks are somewhat larger than what is in them, and a heap is collected at one time rather than at another.
        assert!(missed <= 50 && unnamed <= 5, "{told}");
    }
}

#[test]
fn code_is_refused_near_the_end_of_memory() {
    let _alone = alone();
    compile("bomb");
    let (line, all) = explode("code", &["+Mguard", BUDGET]);
    assert!(
        line.starts_with("code ended: system_limit, by the guard: false"),
        "{all}"
    );
    assert!(line.ends_with("witness in time: true"), "{all}");
}

#[test]
fn a_node_whose_memory_nobody_holds_ends_with_a_dump() {
    let _alone = alone();
    if !natives() {
        return;
    }
    let dump = folder().join("last.dump");
    let take = "Take = fun Take() -> natives:take(100000), Take() end, spawn(Take).";
    let output = ferl()
        .args(["+Mguard", BUDGET, "-noshell", "-eval", take])
        .env("ERL_CRASH_DUMP", &dump)
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    let slogan = "ferl: Memory guard: the node has ";
    assert!(errors.contains(slogan), "{errors}");
    let dump = std::fs::read_to_string(dump).unwrap();
    assert!(dump.contains(&format!("Slogan: {slogan}")));
    assert!(dump.contains("=mod:natives") && dump.ends_with("=end\n"));
}

/// A memory group of version 1 with a limit in MB, and its removal.
struct Group(PathBuf);

impl Group {
    /// `None`, with a line that says so, where there are no such groups or they cannot be made.
    fn new(name: &str, megabytes: u64) -> Option<Group> {
        let parent = "/sys/fs/cgroup/memory";
        let path = PathBuf::from(format!("{parent}/ferl-{name}-{}", std::process::id()));
        let limit = path.join("memory.limit_in_bytes");
        let made = std::fs::create_dir(&path).and_then(|()| {
            let group = Group(path);
            std::fs::write(limit, (megabytes << 20).to_string()).map(|()| group)
        });
        made.map_err(|error| println!("left out: no memory group can be made: {error}"))
            .ok()
    }

    /// The command, to be run in the group.
    fn command(&self, command: &Command) -> Command {
        let mut within = Command::new("sh");
        within
            .args(["-c", "echo $$ > \"$0\"; exec \"$@\""])
            .arg(self.0.join("cgroup.procs"))
            .arg(command.get_program())
            .args(command.get_args())
            .current_dir(folder());
        for (name, value) in command.get_envs() {
            match value {
                Some(value) => within.env(name, value),
                None => within.env_remove(name),
            };
        }
        within
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir(&self.0);
    }
}

#[test]
fn a_group_that_vanishes_leaves_its_budget() {
    let _alone = alone();
    let Some(group) = Group::new("vanishes", 300) else {
        return;
    };
    let leave = format!(
        "Told = fun() -> M = erlang:system_info({{ferl, memory_guard}}), \
            {{maps:get(source, M), maps:get(budget, M) bsr 20}} end, \
        Before = Told(), \
        ok = file:write_file(\"/sys/fs/cgroup/memory/cgroup.procs\", os:getpid()), \
        ok = file:del_dir({:?}), \
        timer:sleep(1000), \
        io:format(\"~w ~w\", [Before, Told()]), halt().",
        group.0
    );
    let mut node = ferl();
    node.args(["-noshell", "-eval", &leave]);
    let output = group.command(&node).output().unwrap();
    let told = String::from_utf8_lossy(&output.stdout);
    assert_eq!(told, "{cgroup,270} {cgroup,270}", "{output:?}");
}

#[test]
fn a_limit_that_changes_is_followed_at_work_and_at_rest_and_too_small_a_one_is_told_of() {
    let _alone = alone();
    let Some(group) = Group::new("changes", 300) else {
        return;
    };
    let change = format!(
        "Told = fun() -> maps:get(budget, erlang:system_info({{ferl, memory_guard}})) bsr 20 end, \
        Set = fun(MB) -> ok = file:write_file({:?}, integer_to_list(MB bsl 20)) end, \
        Rest = fun(MB) -> Set(MB), timer:sleep(8000), Told() end, \
        Work = fun Work(0) -> Told(); Work(N) -> timer:sleep(50), Told(), Work(N - 1) end, \
        Started = Told(), timer:sleep(6000), Set(400), \
        All = [Started, Work(50), Rest(60), Rest(300), is_pid(spawn(fun() -> ok end))], \
        io:format(\"~w\", [All]), halt().",
        group.0.join("memory.limit_in_bytes")
    );
    let mut node = ferl();
    node.args(["-noshell", "-eval", &change]);
    let output = group.command(&node).output().unwrap();
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(told.contains("[270,360,54,270,true]"), "{output:?}");
    let line = "Memory guard: the budget is 54 MB, and a node needs 64 MB";
    assert!(told.contains(line), "{output:?}");
}

/// Nobody's end would help, so nobody ends, neither does the node.
#[test]
fn what_other_programs_take_ends_nobody() {
    let _alone = alone();
    let Some(group) = Group::new("others", 300) else {
        return;
    };
    // The node boots first: there is no room for it afterwards.
    let look = "io:format(\"~w begins~n\", [node()]), timer:sleep(9000), \
        #{level := Level, others := Others, ended := Ended} = erlang:system_info({ferl, memory_guard}), \
        io:format(\"~w ~w ~w\", [Level, Others > 220000000, Ended]), halt().";
    let mut node = ferl();
    node.args(["-noshell", "-eval", look]);
    let mut node = group.command(&node);
    node.stdout(std::process::Stdio::piped());
    node.stderr(std::process::Stdio::piped());
    let node = node.spawn().unwrap();
    std::thread::sleep(std::time::Duration::from_secs(2));
    // It waits with all that it has read.
    let mut other = Command::new("sh");
    other.args(["-c", "exec dd if=/dev/zero bs=230M count=1 status=none"]);
    let mut other = group
        .command(&other)
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let output = node.wait_with_output().unwrap();
    other.kill().unwrap();
    other.wait().unwrap();
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(told.ends_with("hard true 0"), "{output:?}");
    assert!(
        told.contains("no process that may be ended holds much of it"),
        "{output:?}"
    );
}

#[test]
fn a_budget_below_what_a_node_needs_is_told_of() {
    let _alone = alone();
    let output = ferl()
        .args(["+Mguard", "30000000", "-noshell", "-eval"])
        .arg("io:format(\"~w\", [is_pid(spawn(fun() -> ok end))]), halt().")
        .output()
        .unwrap();
    assert!(output.status.success());
    assert_eq!(String::from_utf8_lossy(&output.stdout), "true");
    let errors = String::from_utf8_lossy(&output.stderr);
    let line = "ferl: Memory guard: the budget is 29 MB, and a node needs 64 MB";
    assert!(errors.starts_with(line), "{errors}");
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
    keep_within(BUDGET, function)
}

fn keep_within(budget: &str, function: &str) -> (String, String) {
    let _alone = alone();
    compile("bomb");
    compile("keep");
    let mut command = ferl();
    command.args(["+Mguard", budget, "-noshell", "-s", "keep", function]);
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
fn those_without_whom_kernel_would_end_are_kept() {
    let (told, all) = keep("helpers");
    let expected = "bomb ended: memory_guard, given up ended: memory_guard, 2 helpers live: true";
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
fn who_fills_a_queue_with_large_messages_is_slowed_too() {
    let (told, all) = keep_within("400000000", "slowed_apart");
    let expected = "operator: true, send: true, with nosuspend: false, to another: false";
    assert_eq!(told, expected, "{all}");
}

#[test]
fn who_links_to_very_many_is_slowed_near_the_end_of_memory() {
    let (told, all) = keep("related");
    let expected = "few links: fast, many links: slow, monitors: fast, fewer links: fast";
    assert_eq!(told, expected, "{all}");
}

#[test]
fn nobody_ends_and_nothing_is_refused_while_there_is_room() {
    let (told, all) = keep("room");
    let expected = "1000000 words collected, unused heaps: [normal], copies: [normal], \
                    after queues: [60000000], ended 0, refused 0";
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
