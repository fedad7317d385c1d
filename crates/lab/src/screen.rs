//! What a session shows while it runs: the table, which grows line by line, and below it on a terminal a status line
//! with the run of the moment, the next one, and the time. In a file the headings carry the time instead, and there are
//! no escape codes.
//!
//! One thread, besides the one by which `indicatif` keeps the clock of the status line going.

use console::Term;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{self, Write};
use std::time::Duration;

use crate::experiment::Experiment;
use crate::pace::Pace;
use crate::results::Line;
use crate::show;
use crate::table::Table;

/// The clock of the status line moves this often.
const CLOCK: Duration = Duration::from_secs(1);

pub(crate) struct Screen {
    table: Table,
    status: ProgressBar,
    /// The group whose heading was printed last.
    group: &'static str,
}

impl Screen {
    /// `longest_name` is the length of the longest name among the lines to come.
    pub(crate) fn new(vm_names: Vec<String>, longest_name: usize) -> Screen {
        let target = ProgressDrawTarget::stderr();
        let status = if target.is_hidden() {
            ProgressBar::hidden()
        } else {
            let style = ProgressStyle::with_template("{bar:16} {msg}")
                .unwrap_or_else(|_| ProgressStyle::default_bar());
            let bar = ProgressBar::with_draw_target(Some(1), target).with_style(style);
            bar.enable_steady_tick(CLOCK);
            bar
        };
        Screen {
            table: Table::new(vm_names, longest_name, columns()),
            status,
            group: "",
        }
    }

    /// Shows what the session is going to do.
    pub(crate) fn begin(&self, outlook: &str) {
        self.print(outlook);
        self.print(&self.table.header());
    }

    /// Prints the heading of the experiment's group, if it is a new one.
    pub(crate) fn experiment(&mut self, experiment: &Experiment, pace: &Pace) {
        let group = experiment.group.key();
        if group == self.group {
            return;
        }
        self.group = group;
        let heading = self.table.heading(group);
        if self.status.is_hidden() {
            self.print(&format!("{heading}  [{}]", clock(pace, 0.0)));
        } else {
            self.print(&heading);
        }
    }

    /// Shows the run that starts now. `rounds_left` counts this cell's rounds, as parts of all VMs' turns.
    pub(crate) fn turn(&self, now: &str, next: &str, pace: &Pace, rounds_left: f64) {
        let total_s = pace.total_s(rounds_left);
        self.status.set_length((total_s * 1e3) as u64);
        self.status.set_position((pace.elapsed_s() * 1e3) as u64);
        let text = format!("{} | {now}{next}", clock(pace, rounds_left));
        // The bar and the gap after it take 17 columns.
        let room = columns_of_status().saturating_sub(18);
        self.status.set_message(show::cut(&text, room));
    }

    /// Prints lines that are complete.
    pub(crate) fn lines<'a>(&self, lines: impl Iterator<Item = (String, &'a Line)>) {
        for (name, line) in lines {
            self.print(&self.table.row(&name, line));
        }
    }

    pub(crate) fn end(&self) {
        self.status.finish_and_clear();
    }

    fn print(&self, text: &str) {
        self.status.suspend(|| say(text));
    }
}

fn clock(pace: &Pace, rounds_left: f64) -> String {
    let (elapsed_s, total_s) = (pace.elapsed_s(), pace.total_s(rounds_left));
    format!(
        "{} of about {}",
        show::duration(elapsed_s),
        show::duration(total_s)
    )
}

/// The width of the terminal that standard output is; `None` if it is none.
pub(crate) fn columns() -> Option<usize> {
    let terminal = Term::stdout();
    terminal.size_checked().map(|(_, columns)| columns.into())
}

fn columns_of_status() -> usize {
    usize::from(Term::stderr().size().1)
}

/// Prints a line to standard output. An error is ignored: the reader of a pipe may be gone.
pub(crate) fn say(text: &str) {
    let _ = writeln!(io::stdout(), "{text}");
}
