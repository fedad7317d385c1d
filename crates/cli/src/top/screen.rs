//! How it is drawn, from 80 columns and 24 lines on; on less, what fits.
//!
//! Nothing depends on colours alone, and text of the node goes through [`clean`].

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{
    Block, Cell, Clear, Paragraph, Row as TableRow, Sparkline, Table, TableState, Wrap,
};

use super::answers::{Process, Row};
use super::app::{App, Deed, Group, Mode, Sort, View};
use super::text::{bytes, clean, count, percent, seconds, uptime};

/// Lines above the table: the node, and two rows of plots.
const HEADER_LINES: u16 = 5;

pub(super) fn draw(frame: &mut Frame<'_>, app: &mut App) {
    let [header, body, footer] = Layout::vertical([
        Constraint::Length(HEADER_LINES),
        Constraint::Min(1),
        Constraint::Length(1),
    ])
    .areas(frame.area());
    draw_header(frame, app, header);
    match app.view {
        View::Table => {
            // One line is for the names of the columns.
            app.room = usize::from(body.height.saturating_sub(1)).max(1);
            draw_table(frame, app, body);
        }
        View::Process(_) => draw_process(frame, app, body),
    }
    draw_footer(frame, app, footer);
    if app.mode == Mode::Help {
        draw_help(frame);
    }
}

fn strong() -> Style {
    Style::new().add_modifier(Modifier::BOLD)
}

fn quiet() -> Style {
    Style::new().fg(Color::DarkGray)
}

fn draw_header(frame: &mut Frame<'_>, app: &App, area: Rect) {
    let [title, plots] = Layout::vertical([Constraint::Length(1), Constraint::Min(0)]).areas(area);
    frame.render_widget(title_line(app), title);
    let rows = Layout::vertical([Constraint::Length(2); 2]).split(plots);
    let shown = |id: &str, show: fn(f64) -> String| app.last(id).map_or("-".to_owned(), show);
    let memory = match app.last("memory_high") {
        Some(high) => format!("{} (high {})", shown("memory_resident", bytes), bytes(high)),
        None => shown("memory_resident", bytes),
    };
    let plots = [
        [
            (
                "load",
                format!("Load {}", shown("load", percent)),
                Some(1.0),
            ),
            ("memory_resident", format!("Mem {memory}"), None),
            (
                "messages",
                format!("Messages {}/s", shown("messages", count)),
                None,
            ),
        ],
        [
            (
                "run_queue",
                format!("Queued {}", shown("run_queue", count)),
                None,
            ),
            (
                "reductions",
                format!("Reductions {}/s", shown("reductions", count)),
                None,
            ),
            (
                "collections",
                format!(
                    "GC {}/s p99 {}",
                    shown("collections", count),
                    shown("pause_p99", seconds)
                ),
                None,
            ),
        ],
    ];
    for (row, plots) in rows.iter().zip(plots) {
        let places = Layout::horizontal([Constraint::Fill(1); 3])
            .spacing(1)
            .split(*row);
        for (place, (id, label, most)) in places.iter().zip(plots) {
            draw_plot(frame, app, *place, id, label, most);
        }
    }
}

fn title_line(app: &App) -> Line<'static> {
    let mut spans = Vec::new();
    match &app.node {
        None => spans.push(Span::raw("ferl top: no answer yet")),
        Some(node) => {
            spans.push(Span::styled(clean(&node.name), strong()));
            let level = match node.guard.level.as_deref() {
                None | Some("calm") => String::new(),
                Some(level) => format!("  memory: {}", clean(level)),
            };
            spans.push(Span::raw(format!(
                "  ferl {} OTP {}  up {}  {}/{} schedulers  {} processes{level}",
                clean(&node.ferl),
                clean(&node.release),
                uptime(node.uptime_ms / 1000),
                node.schedulers.online,
                node.schedulers.total,
                count(node.processes.count as f64),
            )));
        }
    }
    if app.is_paused {
        spans.push(Span::styled("  PAUSED", strong()));
    }
    Line::from(spans)
}

/// A label, and the plot of a column below it.
fn draw_plot(
    frame: &mut Frame<'_>,
    app: &App,
    area: Rect,
    id: &str,
    label: String,
    most: Option<f64>,
) {
    let [above, below] = Layout::vertical([Constraint::Length(1); 2]).areas(area);
    frame.render_widget(Line::from(label), above);
    let Some(column) = app.columns.get(id) else {
        return;
    };
    let values = column.iter().rev().take(usize::from(below.width)).rev();
    let values: Vec<f64> = values.map(|value| value.unwrap_or(0.0)).collect();
    let most = most.unwrap_or_else(|| values.iter().copied().fold(0.0, f64::max));
    // A sparkline takes whole numbers.
    const STEPS: f64 = 1_000.0;
    let scaled = |value: &f64| match most > 0.0 {
        true => (value / most * STEPS) as u64,
        false => 0,
    };
    let plot = Sparkline::default()
        .data(values.iter().map(scaled).collect::<Vec<u64>>())
        .max(STEPS as u64)
        .style(Style::new().fg(Color::Cyan));
    frame.render_widget(plot, below);
}

/// A column of the table.
struct Column {
    title: &'static str,
    width: u16,
    sort: Option<Sort>,
    /// Whether it is there in narrow windows too, where nothing is sorted by it.
    always: bool,
    cell: fn(&Row) -> String,
}

const fn column(
    title: &'static str,
    width: u16,
    sort: Sort,
    always: bool,
    cell: fn(&Row) -> String,
) -> Column {
    Column {
        title,
        width,
        sort: Some(sort),
        always,
        cell,
    }
}

const COLUMNS: [Column; 7] = [
    Column {
        title: "PID",
        width: 13,
        sort: None,
        always: true,
        cell: |row| match row.count {
            Some(processes) => processes.to_string(),
            None => row.pid.clone(),
        },
    },
    column("MEMORY", 7, Sort::Memory, true, |row| {
        size(row.memory_bytes)
    }),
    column("REDS/S", 7, Sort::ReductionsRate, true, |row| {
        rate(row.reductions_per_s)
    }),
    column("REDS", 6, Sort::Reductions, false, |row| {
        whole(row.reductions)
    }),
    column("MSGS", 6, Sort::Queue, true, |row| whole(row.messages)),
    column("MSGS/S", 7, Sort::QueueGrowth, false, |row| {
        rate(row.messages_per_s)
    }),
    column("BINARY", 7, Sort::Binaries, false, |row| {
        size(row.binary_bytes)
    }),
];

/// All columns are shown from this width on.
const WIDE: u16 = 110;

fn or_dash<T>(value: Option<T>, show: impl Fn(T) -> String) -> String {
    value.map_or("-".to_owned(), show)
}

fn size(value: Option<u64>) -> String {
    or_dash(value, |held| bytes(held as f64).replace(' ', ""))
}

fn whole(value: Option<u64>) -> String {
    or_dash(value, |value| count(value as f64))
}

fn rate(value: Option<f64>) -> String {
    or_dash(value, count)
}

fn draw_table(frame: &mut Frame<'_>, app: &App, area: Rect) {
    let columns: Vec<&Column> = COLUMNS
        .iter()
        .filter(|column| column.always || area.width >= WIDE || column.sort == Some(app.sort))
        .collect();
    let title = |column: &&Column| {
        let name = match (column.title, app.group) {
            ("PID", Group::InitialCall | Group::Label | Group::Current) => "PROCESSES",
            (name, _) => name,
        };
        let arrow = if app.ascending { "^" } else { "v" };
        match column.sort == Some(app.sort) {
            true => Cell::from(format!("{name}{arrow}")),
            false => Cell::from(name),
        }
    };
    let last = match app.group {
        Group::None => "NAME  CURRENT FUNCTION",
        Group::InitialCall => "INITIAL CALL",
        Group::Label => "LABEL",
        Group::Current => "CURRENT FUNCTION",
    };
    let titles = columns.iter().map(title).chain([Cell::from(last)]);
    let widths = columns
        .iter()
        .map(|column| Constraint::Length(column.width));
    let rows = app.page.rows.iter().map(|row| {
        let cells = columns.iter().map(|column| Cell::from((column.cell)(row)));
        TableRow::new(cells.chain([Cell::from(named(row))]))
    });
    let table = Table::new(rows, widths.chain([Constraint::Min(10)]))
        .header(TableRow::new(titles).style(strong()))
        .row_highlight_style(Style::new().add_modifier(Modifier::REVERSED));
    let mut state = TableState::new().with_selected(Some(app.row));
    frame.render_stateful_widget(table, area, &mut state);
}

/// What a process, or a group, is called.
fn named(row: &Row) -> Line<'static> {
    match row.count {
        Some(_) => Line::from(clean(row.key.as_deref().unwrap_or("(none)"))),
        None => Line::from(vec![
            Span::raw(clean(row.title())),
            Span::styled(
                format!("  {}", clean(row.current_function.as_deref().unwrap_or(""))),
                quiet(),
            ),
        ]),
    }
}

fn draw_process(frame: &mut Frame<'_>, app: &mut App, area: Rect) {
    let View::Process(pid) = &app.view else {
        return;
    };
    let mut title = pid.clone();
    if app.is_gone {
        title.push_str(" has ended; this is what was last seen");
    }
    let lines = match &app.process {
        Some(process) => process_lines(process),
        None if app.is_gone => vec![],
        None => vec![Line::from("…")],
    };
    let most = lines
        .len()
        .saturating_sub(usize::from(area.height.saturating_sub(1)));
    app.scroll = app.scroll.min(u16::try_from(most).unwrap_or(u16::MAX));
    let block = Block::new().title(Span::styled(title, strong()));
    let text = Paragraph::new(lines).block(block).scroll((app.scroll, 0));
    frame.render_widget(text, area);
}

fn process_lines(process: &Process) -> Vec<Line<'static>> {
    let row = &process.row;
    let mut lines = Vec::new();
    let mut line = |name: &'static str, value: String| {
        if !value.is_empty() {
            lines.push(Line::from(vec![
                Span::styled(format!("{name:<16} "), strong()),
                Span::raw(clean(&value)),
            ]));
        }
    };
    line("name", row.name.clone().unwrap_or_default());
    line("label", row.label.clone().unwrap_or_default());
    line("status", row.status.clone());
    line("initial call", row.initial_call.clone().unwrap_or_default());
    line("current", row.current_function.clone().unwrap_or_default());
    let size = |value: Option<u64>| value.map_or(String::new(), |value| bytes(value as f64));
    line("memory", size(row.memory_bytes));
    line("binaries", size(row.binary_bytes));
    let whole = |value: Option<u64>| value.map_or(String::new(), |value| value.to_string());
    line("reductions", whole(row.reductions));
    line("messages", whole(row.messages));
    let mut holdings: Vec<_> = process.holdings.iter().collect();
    holdings.sort_by_key(|(name, _)| name.as_str());
    for (name, value) in holdings {
        let (name, value) = match (name.strip_suffix("_bytes"), value.as_f64()) {
            (Some(name), Some(size)) => (name, bytes(size)),
            _ => (name.as_str(), value.to_string()),
        };
        line("holds", format!("{name} {value}"));
    }
    line("parent", process.parent.clone().unwrap_or_default());
    line("ancestors", process.ancestors.join(", "));
    line("links", process.links.join(", "));
    line("monitors", process.monitors.join(", "));
    line("monitored by", process.monitored_by.join(", "));
    let frames = process.stack.iter().enumerate();
    for (index, frame) in frames {
        let place = match (&frame.file, frame.line) {
            (Some(file), Some(line)) => format!(" ({file}:{line})"),
            _ => String::new(),
        };
        let name = if index == 0 { "stack" } else { "" };
        let function = format!("{}:{}/{}", frame.module, frame.function, frame.arity);
        line(name, format!("{function}{place}"));
    }
    for (key, value) in &process.dictionary {
        line("dictionary", format!("{key}: {value}"));
    }
    for message in &process.queue_head {
        line("message", message.clone());
    }
    lines
}

fn draw_footer(frame: &mut Frame<'_>, app: &App, area: Rect) {
    let line = match (&app.mode, &app.silence, &app.note) {
        (Mode::Filter(text), ..) => Line::from(format!("filter: {text}_")),
        (Mode::Confirm(deed), ..) => {
            let question = match deed {
                Deed::Kill(pid) => format!("end {pid} (exit reason `kill`)? y/n"),
                Deed::Collect(pid) => format!("collect {pid}? y/n"),
            };
            Line::styled(question, strong())
        }
        (_, Some(silence), _) => {
            let since = app.heard.map(|heard| heard.elapsed().as_secs());
            let since = since.map_or(String::new(), |seconds| format!(" for {}", uptime(seconds)));
            Line::styled(format!("no answer{since}: {}", clean(silence)), strong())
        }
        (_, _, Some(note)) => Line::styled(clean(note), strong()),
        _ => Line::styled(keys(app), quiet()),
    };
    frame.render_widget(line, area);
}

fn keys(app: &App) -> String {
    match app.view {
        View::Process(_) => {
            "esc back  up/down scroll  space pause  x end it  c collect  ? help  q quit".into()
        }
        View::Table => {
            let shown = app.page_number * app.room;
            let last = (shown + app.page.rows.len()) as u64;
            let filter = app
                .filter
                .as_ref()
                .map_or(String::new(), |text| format!(" of {:?}", clean(text)));
            format!(
                "{}-{last} of {}{filter}  s sort  r turn  g group  / filter  space pause  ? help  q quit",
                (shown + 1).min(last as usize),
                count(app.page.matched as f64),
            )
        }
    }
}

const HELP: &str = "\
up, down, j, k    choose a row          enter   open it
pgup, pgdn        other rows            esc     back; no filter
1 memory   2 reductions/s   3 reductions   4 messages
5 messages/s   6 binaries                 s       the next of these
r    smallest first                       g       group: initial call,
/    filter by pid, name, label, calls            label, current function
x    end the process (asks first)         space   pause
c    collect it (on its page)             q       quit

Ending and collecting need `+dashboard_control true`.
A dash is not known: the process runs just now.";

fn draw_help(frame: &mut Frame<'_>) {
    let lines = HELP.lines().count() as u16;
    let [area] = Layout::vertical([Constraint::Length(lines + 2)])
        .flex(ratatui::layout::Flex::Center)
        .areas(frame.area());
    let [area] = Layout::horizontal([Constraint::Length(77)])
        .flex(ratatui::layout::Flex::Center)
        .areas(area);
    frame.render_widget(Clear, area);
    let text = Paragraph::new(HELP).wrap(Wrap { trim: false });
    frame.render_widget(text.block(Block::bordered().title(" Keys ")), area);
}

#[cfg(test)]
#[path = "screen/tests.rs"]
mod tests;
