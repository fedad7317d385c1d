//! The results as a table for the terminal.

use comfy_table::{Attribute, Cell, CellAlignment, Color, ContentArrangement, Table, presets};

use crate::results::{Found, Line, Session};
use crate::rows;
use crate::show;
use crate::statistics::{Ratio, Verdict};
use crate::view;

pub fn table(session: &Session) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    // In a file a row is a line, however long.
    if table.is_tty() {
        table.set_content_arrangement(ContentArrangement::Dynamic);
    }
    let mut header = vec!["experiment".to_owned(), String::new()];
    header.extend(session.vms.iter().map(|vm| vm.name.clone()));
    for other in &session.vms[1..] {
        header.push(match session.vms.len() {
            2 => "ratio (least-most)".to_owned(),
            _ => format!("ratio to {}", other.name),
        });
        header.push(String::new());
    }
    table.set_header(header);
    for column in 2..2 + session.vms.len() {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    let mut group = "";
    for found in &session.experiments {
        if found.group != group {
            group = &found.group;
            table.add_row([Cell::new(heading(group)).add_attribute(Attribute::Bold)]);
        }
        for line in &found.lines {
            table.add_row(row(session, found, line));
        }
    }
    table
}

fn heading(group: &str) -> String {
    rows::Group::of_key(group).map_or_else(|| group.to_owned(), rows::Group::heading)
}

fn row(session: &Session, found: &Found, line: &Line) -> Vec<Cell> {
    let mut name = show::line_name(found, line);
    if found.lines.iter().any(|other| other.figure != line.figure) {
        name = format!("{name}: {}", line.figure);
    }
    let mut cells = vec![
        Cell::new(format!("  {name}")),
        Cell::new(show::unit(line.unit)),
    ];
    cells.extend(line.on.iter().map(|measured| match measured.summary() {
        Some(summary) => Cell::new(show::number(line.unit, summary.median)),
        None => Cell::new("failed").fg(Color::Red),
    }));
    for at in 1..session.vms.len() {
        let (ratio, said) = match line.ratios.get(at - 1).copied().flatten() {
            Some(ratio) => (show::ratio(&ratio), verdict(&ratio, line)),
            None => (String::new(), Cell::new("")),
        };
        cells.push(Cell::new(ratio));
        cells.push(said);
    }
    cells
}

fn verdict(ratio: &Ratio, line: &Line) -> Cell {
    let mut words = show::verdict(ratio.verdict).to_owned();
    if line.is_noisy() {
        words.push_str(", host busy");
    }
    let cell = Cell::new(words);
    match ratio.verdict {
        Verdict::Better => cell.fg(Color::Green),
        Verdict::Worse => cell.fg(Color::Red),
        Verdict::CannotTell | Verdict::TooFew => cell,
    }
}

/// What follows the table: how it was made, how it went, and what failed.
pub fn closing(session: &Session) -> Vec<String> {
    let mut said = vec![format!(
        "Medians of {} {}, the VMs taking turns; a ratio above 1: ferl is better. {:.0} s in all.",
        session.rounds,
        if session.rounds == 1 {
            "round"
        } else {
            "rounds"
        },
        session.seconds
    )];
    let view = view::view(session);
    said.extend(view.standings.iter().map(|standing| {
        format!(
            "Against {}: better {} times, worse {}, cannot tell {}.",
            standing.other, standing.better, standing.worse, standing.cannot_tell
        )
    }));
    for group in &view.groups {
        said.extend(
            group
                .means
                .iter()
                .map(|mean| format!("{}: ferl has {mean}.", group.heading)),
        );
    }
    for failure in &view.failures {
        said.push(format!(
            "FAILED {} on {}: {}",
            failure.name, failure.vm, failure.why
        ));
    }
    said.extend(
        session
            .problems
            .iter()
            .map(|problem| format!("PROBLEM {problem}")),
    );
    said
}
