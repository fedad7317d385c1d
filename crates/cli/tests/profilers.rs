//! What profilers and debuggers learn about a real node's machine code: compares the files for perf with those of
//! stock, and checks a backtrace by gdb.
#![cfg(target_arch = "x86_64")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use stock::Talking;

const FERL: &str = env!("CARGO_BIN_EXE_ferl");

/// For each function, the address of its machine code and its size in bytes.
type Functions = BTreeMap<String, (u64, u64)>;

/// Runs a VM with `+JPperf`; returns the contents of the map and the dump, if it wrote them, and deletes the
/// files.
fn files(mut machine: Command, value: &str) -> (Option<String>, Option<Vec<u8>>) {
    let output = machine
        .args(["+JPperf", value, "-noshell", "-eval"])
        .arg("io:put_chars(os:getpid()), halt().")
        .output()
        .unwrap();
    let process = String::from_utf8(output.stdout).unwrap();
    let [map, dump] = ["perf", "jit"].map(|kind| {
        let suffix = if kind == "perf" { "map" } else { "dump" };
        let path = format!("/tmp/{kind}-{process}.{suffix}");
        let bytes = std::fs::read(&path).ok();
        let _ = std::fs::remove_file(&path);
        bytes
    });
    (map.map(|bytes| String::from_utf8(bytes).unwrap()), dump)
}

/// Whether a name is that of a function of `lists`. Stock also has code around the functions, with two colons in its
/// names.
fn is_of_lists(name: &str) -> bool {
    name.starts_with("lists:") && !name.starts_with("lists::")
}

/// The functions of `lists` in a map.
fn in_map(map: &str) -> Functions {
    let hexadecimal =
        |text: &str| u64::from_str_radix(text.strip_prefix("0x").unwrap_or(text), 16).unwrap();
    let row = |line: &str| {
        let mut words = line.splitn(3, ' ');
        let (start, bytes) = (words.next()?, words.next()?);
        let name = words.next()?.strip_prefix('$')?;
        let extent = (hexadecimal(start), hexadecimal(bytes));
        is_of_lists(name).then(|| (name.to_owned(), extent))
    };
    map.lines().filter_map(row).collect()
}

/// Reads the fields of a record one by one.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn bytes(&mut self, count: usize) -> &'a [u8] {
        let (bytes, rest) = self.0.split_at(count);
        self.0 = rest;
        bytes
    }

    fn half(&mut self) -> u32 {
        u32::from_le_bytes(self.bytes(4).try_into().unwrap())
    }

    fn word(&mut self) -> u64 {
        u64::from_le_bytes(self.bytes(8).try_into().unwrap())
    }

    fn text(&mut self) -> String {
        let end = self.0.iter().position(|byte| *byte == 0).unwrap();
        let text = String::from_utf8(self.bytes(end).to_vec()).unwrap();
        self.bytes(1);
        text
    }
}

/// A parsed dump: the functions of `lists`, and the lines of each by its address.
#[derive(Default)]
struct Dump {
    functions: Functions,
    lines: BTreeMap<u64, Vec<(u64, u32, String)>>,
}

/// Parses a dump to its end, in the format that Linux documents (`jitdump-specification.txt`).
fn dump(bytes: &[u8]) -> Dump {
    let mut reader = Reader(bytes);
    assert_eq!(reader.half(), 0x4a69_5444);
    assert_eq!(reader.half(), 1);
    assert_eq!(reader.half(), 40);
    assert_eq!(reader.half(), 62);
    reader.bytes(24);
    let mut dump = Dump::default();
    let (mut indexes, mut before) = (BTreeSet::new(), 0);
    while !reader.0.is_empty() {
        let (kind, total) = (reader.half(), reader.half() as usize);
        let mut record = Reader(reader.bytes(total - 8));
        let time = record.word();
        assert!(time >= before);
        before = time;
        match kind {
            0 => {
                record.bytes(8);
                let (address, at, bytes) = (record.word(), record.word(), record.word());
                assert_eq!(address, at);
                assert!(indexes.insert(record.word()));
                let name = record.text();
                assert_eq!(record.0.len() as u64, bytes);
                if is_of_lists(&name) {
                    dump.functions.insert(name, (address, bytes));
                }
            }
            2 => {
                let (address, count) = (record.word(), record.word());
                let lines = (0..count).map(|_| {
                    let (address, line, _) = (record.word(), record.half(), record.half());
                    (address, line, record.text())
                });
                dump.lines.insert(address, lines.collect());
                assert!(record.0.is_empty());
            }
            other => panic!("a record of kind {other}"),
        }
    }
    dump
}

#[test]
fn perf_is_told_what_stock_tells_it() {
    let [(map, ours), (stock_map, stock)] =
        [stock::ferl_on_25(FERL), stock::erl_25()].map(|machine| files(machine, "true"));
    let (map, stock_map) = (in_map(&map.unwrap()), in_map(&stock_map.unwrap()));
    let names = |functions: &Functions| functions.keys().cloned().collect::<BTreeSet<_>>();
    assert!(map.len() > 200, "{}", map.len());
    let missing: Vec<_> = names(&stock_map)
        .difference(&names(&map))
        .cloned()
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
    let more: Vec<_> = names(&map)
        .difference(&names(&stock_map))
        .cloned()
        .collect();
    assert!(more.is_empty(), "{more:?}");
    // Nothing overlaps.
    let mut extents: Vec<(u64, u64)> = map.values().copied().collect();
    extents.sort_unstable();
    for pair in extents.windows(2) {
        assert!(pair[0].0 + pair[0].1 <= pair[1].0, "{pair:x?}");
    }

    let (ours, stock) = (dump(&ours.unwrap()), dump(&stock.unwrap()));
    assert_eq!(names(&ours.functions), names(&stock.functions));
    assert_eq!(ours.functions.len(), map.len());
    // The lines of a function must be the same as on stock, with addresses in our code.
    let lines = |dump: &Dump, name: &str| {
        let (address, _) = dump.functions[name];
        let lines = dump.lines[&address].iter().map(|(_, line, _)| *line);
        lines.filter(|line| *line > 0).collect::<BTreeSet<u32>>()
    };
    for name in [
        "lists:seq/2",
        "lists:map/2",
        "lists:foldl/3",
        "lists:keysort/2",
    ] {
        let (address, bytes) = ours.functions[name];
        let found = &ours.lines[&address];
        let within = |at: &u64| (address..=address + bytes).contains(at);
        assert!(
            found.iter().all(|(at, _, _)| within(at)),
            "{name}: {found:x?}"
        );
        assert!(found.len() >= 2, "{name}: {found:x?}");
        let (ours, stock) = (lines(&ours, name), lines(&stock, name));
        // Stock's last line may be the first of the next function.
        let rest = stock.len().checked_sub(ours.len());
        let differ = ours.difference(&stock).count();
        assert!(
            differ == 0 && rest.is_some_and(|rest| rest <= 1),
            "{name}: {ours:?} {stock:?}"
        );
    }
}

#[test]
fn each_file_is_written_when_it_is_asked_for() {
    for (value, has_map, has_dump) in [
        ("map", true, false),
        ("dump", false, true),
        ("false", false, false),
    ] {
        let (map, dump) = files(stock::ferl_on_25(FERL), value);
        assert_eq!(
            (map.is_some(), dump.is_some()),
            (has_map, has_dump),
            "{value}"
        );
    }
}

/// A module whose process makes deeply nested calls, and then runs for ever.
const DEEP: &str = "-module(deep).
-export([main/0]).
main() ->
    Self = self(),
    spawn_link(fun() -> [down(2, Self)] end),
    receive deep -> io:put_chars(\"deep\\n\") end.
down(0, Parent) -> Parent ! deep, [spin(0)];
down(N, Parent) -> {N, down(N - 1, Parent), N}.
spin(N) when N < 0 -> N;
spin(N) -> spin(N + 1).
";

/// Compiles that module in a folder; returns the folder.
fn compiled() -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("profilers");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("deep.erl"), DEEP).unwrap();
    let mut compiler = stock::erlc_25();
    let status = compiler.arg("deep.erl").current_dir(&folder).status();
    assert!(status.unwrap().success());
    folder
}

/// gdb shows Erlang frames by name, and below them the scheduler's. If there is no gdb, or it may not attach, this is
/// skipped: the engine has a test of the same objects.
#[test]
fn a_debugger_walks_erlang_frames() {
    let mut command = stock::ferl_on_25(FERL);
    command
        .args(["+S", "1:1", "-noshell", "-pa", "."])
        .args(["-eval", "deep:main()."])
        .current_dir(compiled())
        .stdin(Stdio::null());
    let mut node = Talking::start(&mut command);
    assert_eq!(node.line(), "deep");
    let look = || {
        Command::new("gdb")
            .args(["-nx", "-batch", "-p", &node.program.id().to_string()])
            .args(["-ex", "thread apply all backtrace 30"])
            .output()
    };
    // The scheduler may be between two slices, or may not have finished the output yet.
    let is_between = |seen: &Output| {
        let text = String::from_utf8_lossy(&seen.stdout);
        text.contains("Thread ") && !text.contains("deep:spin/1")
    };
    // On a busy host many looks in a row may find it there, where the system likes to stop a thread.
    let mut seen = look();
    let deadline = Instant::now() + Duration::from_secs(60);
    while seen.as_ref().is_ok_and(is_between) && Instant::now() < deadline {
        seen = look();
    }
    drop(node);
    let Ok(seen) = seen else {
        println!("not run: there is no gdb");
        return;
    };
    let text = String::from_utf8_lossy(&seen.stdout);
    if !text.contains("Thread ") {
        println!("not run: gdb may not attach");
        return;
    }
    let frames: Vec<&str> = text
        .lines()
        .skip_while(|line| !line.contains("deep:spin/1"))
        .map(|line| line.split_once(" in ").map_or(line, |(_, name)| name))
        .map(|line| line.split(" (").next().unwrap_or(line))
        .collect();
    let expected = [
        "deep:spin/1",
        "deep:down/2",
        "deep:down/2",
        "deep:down/2",
        "deep:'-main/0-fun-0-'/1",
    ];
    assert_eq!(frames.get(..expected.len()), Some(&expected[..]), "{text}");
    // The scheduler's own frames follow. Which of its functions are inlined depends on the profile.
    assert!(
        frames
            .iter()
            .any(|frame| frame.contains("scheduler::Scheduler::")),
        "{text}"
    );
}
