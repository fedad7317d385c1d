//! What keys do.

use super::*;
use crate::top::answers::Row;

fn press(app: &mut App, keys: &str) -> After {
    let mut after = After::Nothing;
    for c in keys.chars() {
        let code = match c {
            '\n' => KeyCode::Enter,
            '\x1b' => KeyCode::Esc,
            '>' => KeyCode::PageDown,
            'v' => KeyCode::Down,
            other => KeyCode::Char(other),
        };
        after = app.key(KeyEvent::new(code, KeyModifiers::NONE));
    }
    after
}

fn with_rows(count: usize) -> App {
    let mut app = App::new(Sort::Memory, None);
    let row = |number| Row {
        pid: format!("<0.{number}.0>"),
        ..Row::default()
    };
    app.take(Found::Page(Page {
        rows: (0..count).map(row).collect(),
        matched: 100,
        ..Page::default()
    }));
    app
}

fn asked(app: &App, name: &str) -> String {
    let query = app.query(10);
    let found = query.into_iter().find(|(known, _)| *known == name);
    found.map_or(String::new(), |(_, value)| value)
}

#[test]
fn keys_sort_turn_and_group() {
    let mut app = with_rows(3);
    assert_eq!(press(&mut app, "s"), After::Ask);
    assert_eq!(asked(&app, "sort"), "reductions_rate");
    assert_eq!(press(&mut app, "4r"), After::Ask);
    assert_eq!(
        (asked(&app, "sort"), asked(&app, "order")),
        ("queue".into(), "asc".into())
    );
    assert_eq!(press(&mut app, "g"), After::Ask);
    assert_eq!(asked(&app, "group"), "initial_call");
}

#[test]
fn a_filter_is_typed_and_taken_back() {
    let mut app = with_rows(3);
    assert_eq!(press(&mut app, "/gen q"), After::Nothing);
    assert_eq!(app.mode, Mode::Filter("gen q".into()));
    assert_eq!(press(&mut app, "\n"), After::Ask);
    assert_eq!(asked(&app, "filter"), "gen q");
    assert_eq!(press(&mut app, "\x1b"), After::Ask);
    assert_eq!(app.filter, None);
}

#[test]
fn a_process_is_opened_and_left() {
    let mut app = with_rows(3);
    assert_eq!(press(&mut app, "vvvv\n"), After::Ask);
    assert_eq!(app.wanted(), Some(Wanted::Process("<0.2.0>".into())));
    app.take(Found::ProcessIsGone("<0.1.0>".into()));
    assert!(!app.is_gone, "an answer about another one came late");
    app.take(Found::ProcessIsGone("<0.2.0>".into()));
    assert!(app.is_gone);
    assert_eq!(press(&mut app, "\x1b"), After::Ask);
    assert_eq!(app.view, View::Table);
}

#[test]
fn pages_end_where_the_rows_end() {
    let mut app = with_rows(20);
    app.room = 40;
    assert_eq!(press(&mut app, ">>"), After::Ask);
    assert_eq!(press(&mut app, ">"), After::Nothing);
    assert_eq!(app.page_number, 2);
    app.take(Found::Page(Page::default()));
    assert_eq!(app.row, 0);
    assert_eq!(press(&mut app, "\nx"), After::Nothing);
}

#[test]
fn nothing_is_killed_without_being_allowed_and_confirmed() {
    let mut app = with_rows(3);
    assert_eq!(press(&mut app, "x"), After::Nothing);
    assert!(app.note.is_some());
    app.take(Found::Node(Box::new(Node {
        control: true,
        ..Node::default()
    })));
    assert_eq!(press(&mut app, "xn"), After::Nothing);
    assert_eq!(press(&mut app, "y"), After::Nothing);
    assert_eq!(
        press(&mut app, "xy"),
        After::Do(Deed::Kill("<0.0.0>".into()))
    );
}

#[test]
fn while_paused_nothing_is_asked() {
    let mut app = with_rows(3);
    assert_eq!(press(&mut app, " "), After::Ask);
    assert_eq!(app.wanted(), None);
    assert_eq!(press(&mut app, " "), After::Ask);
    assert!(app.wanted().is_some());
    assert_eq!(press(&mut app, "q"), After::Quit);
}

#[test]
fn only_so_much_history_is_kept() {
    let mut app = App::new(Sort::Memory, None);
    let history = |value: f64, samples| History {
        columns: HashMap::from([("load".into(), vec![Some(value); samples])]),
        ..History::default()
    };
    app.take(Found::History(history(0.5, 500)));
    app.take(Found::History(history(0.75, 1)));
    assert_eq!(app.columns["load"].len(), SAMPLES);
    assert_eq!(app.last("load"), Some(0.75));
    assert_eq!(app.last("none"), None);
}
