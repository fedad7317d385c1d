//! Crash dumps of a real node: when one is written, the messages about it, and its contents. OTP 25 is the
//! oracle for messages, exit statuses and the names of sections.

use std::collections::BTreeSet;
use std::fmt::{Display, Formatter};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

#[derive(Clone, Copy)]
enum Machine {
    Ferl,
    Stock,
}

const MACHINES: [Machine; 2] = [Machine::Ferl, Machine::Stock];

impl Machine {
    fn command(self) -> Command {
        match self {
            Machine::Ferl => stock::ferl_on_25(env!("CARGO_BIN_EXE_ferl")),
            Machine::Stock => stock::erl_25(),
        }
    }
}

impl Display for Machine {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Machine::Ferl => "ferl",
            Machine::Stock => "stock",
        })
    }
}

struct Ended {
    output: Output,
    dump: Option<String>,
}

impl Ended {
    fn errors(&self) -> String {
        String::from_utf8_lossy(&self.output.stderr).into_owned()
    }
}

fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("crash_dump_{name}"));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// Runs an expression on a machine in a separate folder.
fn run(machine: Machine, name: &str, expression: &str, environment: &[(&str, &str)]) -> Ended {
    let folder = folder(&format!("{name}_{machine}"));
    let output = machine
        .command()
        .args(["-noshell", "-eval", expression])
        .current_dir(&folder)
        .env_remove("ERL_CRASH_DUMP")
        .env_remove("ERL_CRASH_DUMP_SECONDS")
        .env_remove("ERL_CRASH_DUMP_BYTES")
        .envs(environment.iter().copied())
        .output()
        .unwrap();
    let file = environment
        .iter()
        .find(|(name, _)| *name == "ERL_CRASH_DUMP")
        .map_or("erl_crash.dump", |(_, file)| file);
    let dump = std::fs::read(folder.join(file)).ok();
    Ended {
        output,
        dump: dump.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()),
    }
}

fn both(name: &str, expression: &str, environment: &[(&str, &str)]) -> [Ended; 2] {
    MACHINES.map(|machine| run(machine, name, expression, environment))
}

/// Names of the sections of a dump.
fn sections(dump: &str) -> BTreeSet<&str> {
    dump.lines()
        .filter_map(|line| line.strip_prefix('='))
        .map(|line| line.split(':').next().unwrap_or(line))
        .collect()
}

#[test]
fn a_slogan_ends_the_node_with_a_dump_as_on_stock() {
    let program = r#"ets:new(t, [named_table]), put(key, {value, 1.5, 1 bsl 70, binary:copy(<<"b">>, 100)}),
        erlang:send_after(100000, self(), hello), self() ! #{a => [message]}, erlang:halt("my slogan")."#;
    let [ferl, stock] = both("slogan", program, &[]);
    for (machine, ended) in [("ferl", &ferl), ("stock", &stock)] {
        assert_eq!(ended.output.status.code(), Some(1), "{machine}");
        assert_eq!(
            ended.errors(),
            "my slogan\r\n\r\nCrash dump is being written to: erl_crash.dump...done\r\n",
            "{machine}"
        );
    }
    let (ferl, stock) = (ferl.dump.unwrap(), stock.dump.unwrap());
    let missing: Vec<&str> = sections(&stock)
        .difference(&sections(&ferl))
        .copied()
        .collect();
    // ferl starts dirty schedulers only when needed, and they have no run queues of their own.
    let meant = [
        "dirty_cpu_run_queue",
        "dirty_cpu_scheduler",
        "dirty_io_run_queue",
        "dirty_io_scheduler",
    ];
    assert_eq!(missing, meant);
    assert!(ferl.starts_with("=erl_crash_dump:0.5\n"));
    for line in [
        "Slogan: my slogan\n",
        "Current Process State: Running\n",
        "\nMessage: hello\n",
        "\nTable: t\n",
        ":B1180591620717411303424\n",
        ":F1A:1.50000000000000000000e+00\n",
        "\n=node:'nonode@nohost'\n=no_distribution\n",
    ] {
        assert!(ferl.contains(line), "{line:?} is missing");
    }
    assert!(ferl.ends_with("\n=end\n"));
}

#[test]
fn the_environment_says_where_and_how_much() {
    let program = "erlang:halt(\"x\").";
    for ended in both("file", program, &[("ERL_CRASH_DUMP", "other.dump")]) {
        assert_eq!(
            ended.errors(),
            "x\r\n\r\nCrash dump is being written to: other.dump...done\r\n"
        );
        assert!(ended.dump.is_some_and(|dump| dump.ends_with("=end\n")));
    }
    for name in ["ERL_CRASH_DUMP_SECONDS", "ERL_CRASH_DUMP_BYTES"] {
        for ended in both("none", program, &[(name, "0")]) {
            assert_eq!(ended.errors(), "x\r\n", "{name}");
            assert!(ended.dump.is_none(), "{name}");
            assert_eq!(ended.output.status.code(), Some(1), "{name}");
        }
    }
    for ended in both("bytes", program, &[("ERL_CRASH_DUMP_BYTES", "1000")]) {
        assert_eq!(
            ended.errors(),
            "x\r\n\r\nCrash dump is being written to: erl_crash.dump..."
        );
        let dump = ended.dump.unwrap();
        let end = "\n=abort:CRASH DUMP SIZE LIMIT REACHED\n";
        assert!(dump.ends_with(end), "{dump}");
        assert_eq!(dump.len(), 1000 + end.len());
    }
    let nowhere = [("ERL_CRASH_DUMP", "no/such/folder")];
    for ended in both("nowhere", program, &nowhere) {
        assert_eq!(
            ended.errors(),
            "x\r\n\r\nCrash dump is being written to: no/such/folder..."
        );
        assert_eq!(ended.output.status.code(), Some(1));
    }
}

#[test]
fn only_a_slogan_makes_a_dump() {
    use std::os::unix::process::ExitStatusExt;
    for ended in both("status", "erlang:halt(3).", &[]) {
        assert_eq!(ended.output.status.code(), Some(3));
        assert!(ended.dump.is_none());
    }
    for ended in both("abort", "erlang:halt(abort).", &[]) {
        assert_eq!(ended.output.status.signal(), Some(6));
        assert_eq!(ended.errors(), "");
        assert!(ended.dump.is_none());
    }
}

#[test]
fn a_full_atom_table_ends_the_node_without_the_memory_guard() {
    let program = "(fun F(N) -> list_to_atom(integer_to_list(N)), F(N + 1) end)(0).";
    for machine in MACHINES {
        let folder = folder(&format!("atoms_{machine}"));
        let output = machine
            .command()
            .args(match machine {
                Machine::Ferl => &["+Mguard", "off"][..],
                Machine::Stock => &[],
            })
            .args(["+t", "20000", "-noshell", "-eval", program])
            .current_dir(&folder)
            .env_remove("ERL_CRASH_DUMP_SECONDS")
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(1), "{machine}");
        assert_eq!(
            String::from_utf8_lossy(&output.stderr),
            "no more index entries in atom_tab (max=20000)\r\n\r\nCrash dump is being written to: \
             erl_crash.dump...done\r\n",
            "{machine}"
        );
    }
}

#[test]
fn the_node_ends_with_any_of_its_system_processes() {
    for (name, process) in [("init", "init"), ("purger", "erts_code_purger")] {
        let program = format!("exit(whereis({process}), kill), receive after infinity -> ok end.");
        let [ferl, stock] = both(name, &program, &[]);
        assert_eq!(ferl.output.status.code(), Some(1), "{name}");
        assert_eq!(stock.output.status.code(), Some(1), "{name}");
        assert_eq!(ferl.errors(), stock.errors(), "{name}");
        let slogan = "Slogan: System process <0.";
        for ended in [ferl, stock] {
            assert!(ended.dump.unwrap().contains(slogan), "{name}");
        }
    }
}

#[test]
fn tables_are_told_of_as_on_stock() {
    let program = r#"[begin T = ets:new(N, [Type, named_table | More]), ets:insert(T, [{K, x} || K <- lists:seq(1, 40)]),
            ets:safe_fixtable(T, true), [ets:delete(T, K) || K <- Gone]
        end || {N, Type, More, Gone} <- [{set, set, [], [1, 2, 3]}, {kept, bag, [public], []}, {tree, ordered_set, [], [1]}]],
        ets:new(free, [named_table, private]), halt("told")."#;
    let [ferl, stock] = both("tables", program, &[]).map(|ended| ended.dump.expect("a dump"));
    for name in ["set", "kept", "tree", "free"] {
        let [ours, theirs] = [&ferl, &stock].map(|dump| table(dump, name));
        assert_eq!(ours, theirs, "of {name}");
    }
}

/// The section of a table in a dump, without the lines that depend on how keys are hashed or on the sizes of objects.
fn table(dump: &str, name: &str) -> Vec<String> {
    let title = format!("Name: {name}");
    let lines = dump.lines().skip_while(|line| *line != title);
    lines
        .take_while(|line| !line.starts_with('='))
        .filter(|line| !line.starts_with("Chain Length") && !line.starts_with("Words"))
        .map(str::to_owned)
        .collect()
}

#[test]
fn a_node_without_descriptors_left_writes_its_dump() {
    let program = "put(open, (fun F(L) -> case file:open(\"/dev/null\", [raw, read]) of
            {ok, D} -> F([D | L]);
            {error, emfile} -> L
        end end)([])), erlang:halt(\"no more\").";
    for machine in MACHINES {
        let folder = folder(&format!("descriptors_{machine}"));
        let output = Command::new("bash")
            .args(["-c", "ulimit -n 100; exec \"$@\"", "bash"])
            .arg(machine.command().get_program())
            .envs(stock::otp().environment())
            .args(["-noshell", "-eval", program])
            .current_dir(&folder)
            .env_remove("ERL_CRASH_DUMP")
            .env_remove("ERL_CRASH_DUMP_SECONDS")
            .output()
            .unwrap();
        assert_eq!(
            String::from_utf8_lossy(&output.stderr),
            "no more\r\n\r\nCrash dump is being written to: erl_crash.dump...done\r\n",
            "{machine}"
        );
        let dump = std::fs::read(folder.join("erl_crash.dump")).unwrap();
        assert!(dump.ends_with(b"=end\n"), "{machine}");
    }
}

/// The `heart` program is told of the crash, whether or not there is time for a dump.
#[test]
fn heart_hears_of_the_crash() {
    for seconds in [None, Some("20")] {
        for machine in MACHINES {
            let folder = folder(&format!("heart_{machine}_{}", seconds.unwrap_or("none")));
            let mut command = machine.command();
            command
                .args(["-heart", "-noshell", "-eval", "erlang:halt(\"gone\")."])
                .current_dir(&folder)
                .env_remove("ERL_CRASH_DUMP")
                .env_remove("ERL_CRASH_DUMP_SECONDS")
                .env("HEART_NO_KILL", "TRUE")
                .envs(seconds.map(|seconds| ("ERL_CRASH_DUMP_SECONDS", seconds)));
            // All output until `heart` has ended as well.
            let output = command.output().unwrap();
            let said =
                String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
            assert!(
                said.contains("Erlang is crashing .. (waiting for crash dump file)"),
                "{machine}: {said}"
            );
            assert_eq!(
                folder.join("erl_crash.dump").exists(),
                seconds.is_some(),
                "{machine}"
            );
        }
    }
}

/// Where OTP's crashdump viewer is: installed, or unpacked by `make applications`.
fn viewer() -> Option<PathBuf> {
    let unpacked = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../target/stock/observer");
    let installed = std::fs::read_dir(stock::otp().root.join("lib")).ok()?;
    installed
        .filter_map(|entry| Some(entry.ok()?.path().join("ebin")))
        .chain([unpacked])
        .find(|folder| folder.join("crashdump_viewer.beam").exists())
}

/// What stock's viewer says of a dump: its warnings, then lines that the expression `tell` prints of the process that
/// is registered as `watched`, whose description is `Watched` and whose dictionary is `Dictionary`.
fn viewed(viewer: &Path, machine: Machine, name: &str, program: &str, tell: &str) -> String {
    let dump = folder(&format!("{name}_{machine}")).join("erl_crash.dump");
    let output = machine
        .command()
        .args(["+P", "262144", "-noshell", "-eval", program])
        .env("ERL_CRASH_DUMP", &dump)
        .env_remove("ERL_CRASH_DUMP_SECONDS")
        .env_remove("ERL_CRASH_DUMP_BYTES")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1), "{machine}: {output:?}");
    let look = format!(
        r#"{{ok, _}} = crashdump_viewer:start_link(), crashdump_viewer:read_file({dump:?}),
        {{ok, _, W1}} = crashdump_viewer:general_info(), {{ok, All, W2}} = crashdump_viewer:processes(),
        [Pid] = [element(2, P) || P <- All, element(3, P) =:= "watched"],
        {{ok, Watched, W3}} = crashdump_viewer:proc_details(pid_to_list(Pid)), Dictionary = element(18, Watched),
        io:format("~p~n", [W1 ++ W2 ++ W3]), {tell}, halt()."#
    );
    let output = stock::erl_25()
        .args(["-noshell", "-pa"])
        .arg(viewer)
        .args(["-eval", &look])
        .output()
        .unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{machine}: {said}{errors}");
    said
}

#[test]
fn the_viewer_finds_processes_with_any_index() {
    let Some(viewer) = viewer() else {
        eprintln!("left out: OTP's crashdump viewer (erlang-observer) is missing");
        return;
    };
    let program = r#"Wait = fun() -> receive stop -> ok end end, All = [spawn(Wait) || _ <- lists:seq(1, 33100)],
        {Gone, Kept} = lists:split(33000, All),
        [begin R = monitor(process, P), P ! stop, receive {'DOWN', R, _, _, _} -> ok end end || P <- Gone],
        register(watched, self()), Last = lists:last(Kept), link(Last), put(last, Last), put(gone, hd(Gone)),
        ets:new(owned, [named_table]), ets:give_away(owned, Last, x), erlang:send_after(100000, Last, x),
        halt("many")."#;
    let tell = r#"Text = fun(Key) -> ['#CDVPid', 0, N, S] = proplists:get_value(Key, Dictionary),
            lists:flatten(io_lib:format("<0.~w.~w>", [N, S])) end,
        Last = Text(last), {ok, Of, []} = crashdump_viewer:proc_details(Last),
        {ok, Tables, []} = crashdump_viewer:ets_tables(Last), {ok, Timers, []} = crashdump_viewer:timers(Last),
        io:format("~p~n", [{length(All) > 100, element(2, Of) =:= Last, element(5, Of) =:= pid_to_list(Pid),
            lists:keymember(Last, 1, element(12, Watched)), length(Tables), length(Timers),
            [list_to_pid(Last)] -- [element(2, P) || P <- All], crashdump_viewer:proc_details(Text(gone))}])"#;
    let expected = "{true,true,true,true,1,1,[],{error,not_found}}\n";
    for machine in MACHINES {
        let said = viewed(&viewer, machine, "many", program, tell);
        assert!(said.ends_with(expected), "{machine}: {said}");
        if matches!(machine, Machine::Ferl) {
            assert_eq!(said, format!("[]\n{expected}"));
        }
    }
}

/// Stock's own dumps have the bytes of such a part without its shift, so ferl's are compared with the bytes themselves.
#[test]
fn the_viewer_reads_parts_that_begin_within_a_byte() {
    let Some(viewer) = viewer() else {
        eprintln!("left out: OTP's crashdump viewer (erlang-observer) is missing");
        return;
    };
    let program = r#"register(watched, self()), Bin = list_to_binary([N rem 256 || N <- lists:seq(1, 20000)]),
        [begin <<_:Shift, Part:Size/binary, _/bits>> = Bin, put({Shift, Size}, Part) end
            || Shift <- [0, 2, 7, 13], Size <- [1, 64, 65, 3071, 3072, 3073, 19000]], halt("parts")."#;
    let tell = r#"Bin = list_to_binary([N rem 256 || N <- lists:seq(1, 20000)]),
        io:format("~p~n", [{length(Dictionary) > 27, [K || {{Shift, Size} = K, Value} <- Dictionary,
            begin <<_:Shift, Part:Size/binary, _/bits>> = Bin, {ok, Part} =/= case Value of
                ['#CDVBin', Offset, Size, Position] -> crashdump_viewer:expand_binary({Offset, Size, Position});
                Short when Size < 65 -> {ok, Short}
            end end]}])"#;
    let said = viewed(&viewer, Machine::Ferl, "parts", program, tell);
    assert_eq!(said, "[]\n{true,[]}\n");
}
