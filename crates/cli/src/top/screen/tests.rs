//! Screens, drawn without a terminal.

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use serde_json::json;

use super::*;
use crate::top::app::Found;

fn app() -> App {
    let mut app = App::new(Sort::Memory, None);
    let found = |value: serde_json::Value| serde_json::from_value(value).unwrap();
    app.take(Found::Node(Box::new(
        serde_json::from_value(json!({
            "name": "rabbit@host", "release": "25", "ferl": "0.1.0", "uptime_ms": 90_000_000,
            "schedulers": {"total": 4, "online": 2}, "processes": {"count": 5_000_000, "limit": 8_388_608},
            "guard": {"on": true, "level": "soft"}, "control": true
        }))
        .unwrap(),
    )));
    app.take(Found::History(
        serde_json::from_value(json!({"first": 0, "next": 3, "columns": {
            "load": [0.0, 0.5, 1.0], "memory_resident": [1e9, 2e9, 3e9], "memory_high": [null, 4e9, 4e9],
            "messages": [null, 1000, 2500]
        }}))
        .unwrap(),
    ));
    app.take(Found::Page(found(json!({"matched": 5_000_000, "rows": [
        {"pid": "<0.123456.7>", "name": "evil\u{1b}[2J name", "current_function": "gen_server:loop/7",
         "memory_bytes": 1_500_000, "reductions": 12_345_678, "messages": 3, "status": "waiting"},
        {"pid": "<0.9.0>", "initial_call": "erlang:apply/2", "status": "running"}
    ]}))));
    app
}

fn drawn(app: &mut App, width: u16, height: u16) -> Vec<String> {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(|frame| draw(frame, app)).unwrap();
    let buffer = terminal.backend().buffer();
    let line = |y| {
        (0..width)
            .map(|x| buffer[(x, y)].symbol())
            .collect::<String>()
    };
    (0..height).map(line).collect()
}

#[test]
fn a_table_fits_in_80_columns_and_24_lines() {
    let mut app = app();
    let lines = drawn(&mut app, 80, 24);
    let title = "rabbit@host  ferl 0.1.0 OTP 25  up 1 d 1 h  2/4 schedulers  5M processes";
    assert!(lines[0].starts_with(title), "{lines:#?}");
    assert!(lines[1].starts_with("Load 100%"), "{lines:#?}");
    assert!(lines[1].contains("Mem 2.8 GB (high 3.7 GB)"), "{lines:#?}");
    assert!(lines[1].contains("Messages 2.5k/s"), "{lines:#?}");
    assert!(lines[2].contains('█'), "a plot: {lines:#?}");
    assert!(lines[5].starts_with("PID           MEMORYv"), "{lines:#?}");
    assert!(
        lines[6].starts_with("<0.123456.7>  1.4MB   -       3      evil"),
        "{lines:#?}"
    );
    assert!(lines[6].contains("evil\u{fffd}[2J name"), "{lines:#?}");
    assert!(lines[7].starts_with("<0.9.0>       -"), "{lines:#?}");
    assert!(lines[23].starts_with("1-2 of 5M  s sort"), "{lines:#?}");
    assert!(lines[23].trim_end().ends_with("q quit"), "{lines:#?}");
    assert_eq!(app.room, 17);
}

#[test]
fn columns_that_there_is_no_room_for_are_left_out_unless_they_sort() {
    let mut app = app();
    assert!(!drawn(&mut app, 80, 24)[5].contains("BINARY"));
    assert!(drawn(&mut app, 120, 24)[5].contains("BINARY"));
    app.sort = Sort::Binaries;
    assert!(drawn(&mut app, 80, 24)[5].contains("BINARYv"));
}

#[test]
fn small_and_large_terminals_are_no_reason_to_panic() {
    for (width, height) in [(1, 1), (10, 3), (20, 6), (40, 10), (300, 100)] {
        for mode in [Mode::Keys, Mode::Help, Mode::Filter("x".into())] {
            let mut app = app();
            app.mode = mode;
            drawn(&mut app, width, height);
            app.view = View::Process("<0.1.0>".into());
            drawn(&mut app, width, height);
        }
    }
}

#[test]
fn a_process_shows_its_stack_and_says_when_it_has_ended() {
    let mut app = app();
    app.view = View::Process("<0.9.0>".into());
    let process = json!({
        "pid": "<0.9.0>", "status": "waiting", "links": ["<0.1.0>", "<0.2.0>"],
        "stack": [{"module": "gen_server", "function": "loop", "arity": 7, "file": "gen_server.erl", "line": 437},
                  {"module": "proc_lib", "function": "init_p_do_apply", "arity": 3}],
        "dictionary": [["a", "1"]], "queue_head": ["hello"], "holdings": {"heap_bytes": 4096}
    });
    app.take(Found::Process(serde_json::from_value(process).unwrap()));
    let text = drawn(&mut app, 80, 24).join("\n");
    for part in [
        "links            <0.1.0>, <0.2.0>",
        "stack            gen_server:loop/7 (gen_server.erl:437)",
        "proc_lib:init_p_do_apply/3",
        "dictionary       a: 1",
        "message          hello",
        "holds            heap 4 KB",
        "esc back",
    ] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
    app.take(Found::ProcessIsGone("<0.9.0>".into()));
    let text = drawn(&mut app, 80, 24).join("\n");
    assert!(text.contains("<0.9.0> has ended"), "{text}");
}

#[test]
fn a_node_that_does_not_answer_is_told_of() {
    let mut app = app();
    app.take(Found::Silence("connection refused".into()));
    let lines = drawn(&mut app, 80, 24);
    assert!(
        lines[23].starts_with("no answer for 0 s: connection refused"),
        "{lines:#?}"
    );
    assert!(lines[6].contains("<0.123456.7>"), "what was known stays");
}

#[test]
fn help_is_shown_whole_in_the_smallest_usual_window() {
    let mut app = app();
    app.mode = Mode::Help;
    let text = drawn(&mut app, 80, 24).join("\n");
    for line in HELP.lines() {
        assert!(text.contains(line), "{line}");
    }
}
