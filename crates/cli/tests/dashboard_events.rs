//! What the dashboard tells of the past: events, and the last lines of the console. With OTP 25.

#[allow(dead_code, reason = "other tests use all of it")]
mod dashboard {
    pub(crate) mod client;
}

use dashboard::client::{Node, number, rows, shown, shown_when};
use serde_json::Value;

/// The event of this kind about a process of this name.
fn event<'a>(events: &'a Value, kind: &str, name: &str) -> Option<&'a Value> {
    let mut events = rows(events).iter();
    events.find(|event| event["event"] == kind && event["name"] == name)
}

const EVENTS: &str = r#"
    erts_debug:set_internal_state(available_internal_state, true),
    Monitor = spawn(fun() -> register(monitor, self()), receive stop -> ok end end),
    undefined = erlang:system_monitor(Monitor, [{long_gc, 100000}]),
    Named = fun(Name, Body) -> spawn(fun() -> register(Name, self()), Body(), receive {never} -> ok end end) end,
    Named(large, fun() -> put(list, lists:seq(1, 300_000)), erlang:garbage_collect() end),
    Named(flooded, fun() -> [self() ! Number || Number <- lists:seq(1, 5000)] end),
    Await = fun Await(Is) -> Is() orelse begin timer:sleep(10), Await(Is) end end,
    Await(fun() -> case whereis(flooded) of undefined -> false;
        Pid -> {message_queue_len, 5000} =:= process_info(Pid, message_queue_len) end end),
    {Monitor, [{long_gc, 100000}]} = erlang:system_monitor(),
    Named(slow, fun() -> erts_debug:set_internal_state(test_long_gc_sleep, 60), erlang:garbage_collect(),
        erlang:garbage_collect(), erts_debug:set_internal_state(test_long_gc_sleep, 0) end),
    Named(busy, fun() -> Port = open_port({spawn, "sleep 1000"}, []),
        [port_command(Port, binary:copy(<<0>>, 1_000_000)) || _ <- [1, 2]] end),
    Named(stuck, fun() -> erts_debug:set_internal_state(block_scheduler, 2000) end),
    register(ready, spawn(fun() -> receive stop -> ok end end)),
    timer:sleep(infinity)"#;

#[test]
fn events_are_told_beside_the_monitor_of_a_program() {
    let flags = [
        "+S",
        "2:2",
        "+dashboard_long_gc",
        "50",
        "+dashboard_large_heap",
        "500000",
        "+dashboard_long_queue",
        "1000",
    ];
    let node = Node::run(EVENTS, &flags);
    let lasts = |events: &Value| {
        event(events, "long_schedule", "stuck").is_some_and(|event| event["is_lasting"] == true)
    };
    let events = shown_when(&node, "events", lasts);
    let stuck = event(&events, "long_schedule", "stuck").unwrap();
    assert!(number(&stuck["took_ms"]) >= 100, "{stuck:#}");
    assert!(
        stuck["detail"].as_str().unwrap().starts_with("scheduler "),
        "{stuck:#}"
    );
    let is_over = |events: &Value| {
        let stuck = event(events, "long_schedule", "stuck");
        let slow = event(events, "long_gc", "slow");
        let others = [
            ("long_message_queue", "flooded"),
            ("busy_port", "busy"),
            ("large_heap", "large"),
        ];
        stuck.is_some_and(|event| event["is_lasting"] == false)
            && slow.is_some_and(|event| number(&event["count"]) >= 2)
            && others
                .iter()
                .all(|(kind, name)| event(events, kind, name).is_some())
    };
    let events = shown_when(&node, "events", is_over);
    let stuck = event(&events, "long_schedule", "stuck").unwrap();
    assert!(
        (1500..20_000).contains(&number(&stuck["took_ms"])),
        "{stuck:#}"
    );
    let flooded = event(&events, "long_message_queue", "flooded").unwrap();
    assert_eq!(
        (number(&flooded["messages"]), &flooded["is_lasting"]),
        (5000, &true.into())
    );
    let slow = event(&events, "long_gc", "slow").unwrap_or_else(|| panic!("{events:#}"));
    assert!(
        number(&slow["count"]) >= 2 && number(&slow["took_ms"]) >= 60,
        "{slow:#}"
    );
    let busy = event(&events, "busy_port", "busy").unwrap_or_else(|| panic!("{events:#}"));
    assert!(
        busy["detail"].as_str().unwrap().starts_with("#Port<0."),
        "{busy:#}"
    );
    let large = event(&events, "large_heap", "large").unwrap_or_else(|| panic!("{events:#}"));
    assert!(number(&large["size_bytes"]) >= 8 * 600_000, "{large:#}");
    assert!(
        large["about"].as_str().unwrap().starts_with("<0."),
        "{large:#}"
    );
    assert_eq!(events["limits"]["long_queue_messages"], 1000);
    assert_eq!(events["forgotten"], 0);
    let opened = rows(&events)
        .iter()
        .find(|event| event["event"] == "dashboard");
    assert!(
        opened.unwrap()["detail"]
            .as_str()
            .unwrap()
            .starts_with("opened at 127.0.0.1:")
    );
    let sorted = shown(&node, "events?sort=messages&filter=queue&rows=1");
    assert_eq!(rows(&sorted)[0]["name"], "flooded");
}

#[test]
fn limits_of_zero_turn_events_off() {
    let flags = [
        "+dashboard_long_gc",
        "0",
        "+dashboard_large_heap",
        "0",
        "+dashboard_long_queue",
        "0",
        "+dashboard_long_schedule",
        "0",
    ];
    let node = Node::run(EVENTS, &flags);
    shown_when(&node, "processes?filter=ready", |page| {
        number(&page["matched"]) == 1
    });
    let events = shown(&node, "events");
    let of_processes = rows(&events)
        .iter()
        .filter(|event| event["event"] != "dashboard");
    assert_eq!(of_processes.count(), 0, "{events:#}");
}

const LINES: &str = r#"
    [io:format("line ~p~n", [Number]) || Number <- lists:seq(1, 1500)],
    spawn(fun() -> error(a_reason) end),
    register(ready, spawn(fun() -> receive stop -> ok end end)),
    timer:sleep(1000),
    erts_debug:set_internal_state(available_internal_state, true),
    [spawn(fun() -> erts_debug:set_internal_state(block_scheduler, 20000) end) || _ <- [1, 2]],
    timer:sleep(infinity)"#;

/// Also while all schedulers are stuck.
#[test]
fn the_last_lines_of_the_console_are_shown_and_bounded() {
    let node = Node::run(LINES, &["+S", "2:2"]);
    let crashed = shown_when(&node, "log?filter=a_reason", |log| {
        rows(log).iter().any(|line| line["source"] == "report")
    });
    assert!(number(&crashed["total"]) <= 1000, "{crashed:#}");
    let has_two = |events: &Value| number(&events["matched"]) >= 2;
    shown_when(&node, "events?filter=long_schedule", has_two);
    let log = shown(&node, "log");
    assert_eq!(log["total"], 1000);
    assert!(number(&log["forgotten"]) > 500, "{}", log["forgotten"]);
    let first = &rows(&shown(&node, "log?filter=line+1500"))[0].clone();
    assert_eq!(
        (&first["source"], &first["text"]),
        (&"output".into(), &"line 1500".into())
    );
    assert!(number(&first["written_unix_ms"]) > 1_600_000_000_000);
    let report = rows(&crashed)
        .iter()
        .find(|line| line["source"] == "report")
        .unwrap();
    assert_eq!(report["level"], "error");
    let is_first = |line: &Value| line["text"] == "line 1";
    assert!(!rows(&log).iter().any(is_first), "it is forgotten");
}

#[test]
fn what_the_logger_prints_is_shown_and_what_would_control_a_terminal_escaped() {
    let expression = r#"
        io:format("<b>printed~n\e[31mred\e[0m \e]0;title\x07~n"), io:format(standard_error, "to ~ts~n", [[16#202e]]),
        logger:error("logged ~p", [here]), timer:sleep(infinity)"#;
    let node = Node::run(expression, &[]);
    let logged = shown_when(&node, "log?filter=logged", |log| {
        number(&log["matched"]) > 0
    });
    assert_eq!(rows(&logged)[0]["text"], "logged here");
    let log = shown(&node, "log?sort=number&order=asc");
    let line = |text: &str, source: &str| {
        let mut lines = rows(&log).iter();
        assert!(
            lines.any(|line| line["text"] == text && line["source"] == source),
            "{text}: {log:#}"
        );
    };
    line("<b>printed", "output");
    line("red \\x{1B}]0;title\\x{7}", "output");
    line("to \\x{202E}", "error");
}

#[test]
fn files_of_the_logger_are_listed_and_their_ends_shown() {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("dashboard_logs");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    let pipe = folder.join("pipe");
    assert!(
        std::process::Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );
    // The handler may not be scheduled before it has hundreds of events: none of them is to be dropped.
    let expression = format!(
        r#"ok = logger:add_handler(file, logger_std_h, #{{config => #{{file => "{0}/ü.log",
               burst_limit_enable => false, drop_mode_qlen => 5000, flush_qlen => 5000}}}}),
           ok = logger:add_handler('odd <h>', logger_std_h, #{{config => #{{file => "{0}/gone.log"}}}}),
           [logger:error("mistake ~p~n~ts", [Number, <<27, "[31mred">>]) || Number <- lists:seq(1, 1200)],
           ok = logger_std_h:filesync(file), ok = logger_std_h:filesync('odd <h>'),
           ok = file:delete("{0}/gone.log"), register(done, self()), timer:sleep(infinity)"#,
        folder.display()
    );
    let node = Node::run(&expression, &[]);
    shown_when(&node, "processes?filter=done", |page| {
        number(&page["matched"]) == 1
    });
    let log = shown(&node, "log");
    let [odd, file] = &log["files"].as_array().unwrap()[..] else {
        panic!("{log:#}");
    };
    assert_eq!(file["handler"], "file");
    assert!(
        file["file"].as_str().unwrap().ends_with("/ü.log"),
        "{file:#}"
    );
    assert!(number(&file["size_bytes"]) > 10_000, "{file:#}");
    assert_eq!(
        (&odd["handler"], &odd["size_bytes"]),
        (&"'odd <h>'".into(), &Value::Null)
    );
    let end = shown(&node, "log/file?rows=2");
    assert_eq!(number(&end["total"]), 1000, "{end:#}");
    let last = rows(&end)[0]["text"].as_str().unwrap();
    assert!(last.ends_with("mistake 1200, red"), "{end:#}");
    let found = shown(&node, "log/file?filter=MISTAKE+1100");
    assert_eq!(found["matched"], 1, "{found:#}");
    let gone = node.get("/api/v1/log/%27odd%20%3Ch%3E%27", &[]);
    assert_eq!(gone.status, 409, "{}", gone.body);
    assert!(gone.body.contains("No such file"), "{}", gone.body);
    // A pipe that took the place of the file is not waited for.
    std::fs::rename(&pipe, folder.join("ü.log")).unwrap();
    let pipe = node.get("/api/v1/log/file", &[]);
    assert_eq!(pipe.status, 409, "{}", pipe.body);
    assert!(pipe.body.contains("no ordinary file"), "{}", pipe.body);
    assert_eq!(node.get("/api/v1/log/default", &[]).status, 404);
    assert_eq!(node.get("/api/v1/log/file?rows=0", &[]).status, 400);
}
