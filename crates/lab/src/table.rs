//! The table on the terminal. Its column widths are fixed before the first line, because lines are printed as soon as
//! they are measured.

use console::{Style, style};

use crate::experiment::Group;
use crate::results::{Found, Line, Session};
use crate::show;
use crate::statistics::{Ratio, Verdict};
use crate::view;

/// Widths of columns, in characters.
const UNIT: usize = 3;
const VALUE: usize = 10;
const RATIO: usize = "12.34 (12.34-12.34)".len();
const RATIO_WITHOUT_SPREAD: usize = "12.34".len();
const VERDICT: usize = "too few rounds*".len();
/// A name is not shortened further than this.
const SHORTEST_NAME: usize = 24;

/// How the lines of one session are laid out.
pub(crate) struct Table {
    vm_names: Vec<String>,
    name_width: usize,
    /// Show the least and the most ratio, if the terminal is wide enough.
    shows_spread: bool,
}

impl Table {
    /// `longest_name` is the length of the longest name, and `columns` the width of the terminal; `None` in a file.
    pub(crate) fn new(vm_names: Vec<String>, longest_name: usize, columns: Option<usize>) -> Table {
        let mut table = Table {
            vm_names,
            name_width: longest_name,
            shows_spread: true,
        };
        let columns = columns.unwrap_or(usize::MAX);
        table.shows_spread = table.width() <= columns;
        let excess = table.width().saturating_sub(columns);
        table.name_width = longest_name.saturating_sub(excess).max(SHORTEST_NAME);
        table
    }

    /// The table of a session that has been run.
    pub(crate) fn of(session: &Session, columns: Option<usize>) -> Table {
        let names = session
            .experiments
            .iter()
            .flat_map(|found| found.lines.iter().map(|line| show::name_in(found, line)));
        let longest = names.map(|name| name.chars().count()).max().unwrap_or(0);
        let vm_names = session.vms.iter().map(|vm| vm.name.clone());
        Table::new(vm_names.collect(), longest, columns)
    }

    fn width(&self) -> usize {
        let others = self.vm_names.len().saturating_sub(1);
        2 + self.name_width
            + 1
            + UNIT
            + self.vm_names.len() * (1 + VALUE)
            + others * (2 + self.ratio_width() + 2 + VERDICT)
    }

    fn ratio_width(&self) -> usize {
        if self.shows_spread {
            RATIO
        } else {
            RATIO_WITHOUT_SPREAD
        }
    }

    /// The names of the columns.
    pub(crate) fn header(&self) -> String {
        let mut text = format!("  {:<1$} {2:<UNIT$}", "", self.name_width, "");
        for name in &self.vm_names {
            text.push_str(&format!(" {name:>VALUE$}"));
        }
        for name in self.vm_names.iter().skip(1) {
            let ratio = match (self.shows_spread, self.vm_names.len()) {
                (false, _) => "ratio".to_owned(),
                (true, 2) => "ratio (least-most)".to_owned(),
                (true, _) => format!("ratio to {name}"),
            };
            let width = self.ratio_width() + 2 + VERDICT;
            text.push_str(&format!("  {ratio:<width$}"));
        }
        text.trim_end().to_owned()
    }

    /// The heading of a group.
    pub(crate) fn heading(&self, group: &str) -> String {
        let heading = Group::of_key(group).map_or_else(|| group.to_owned(), Group::heading);
        style(heading).bold().to_string()
    }

    /// One line, with the name that it has in its experiment.
    pub(crate) fn row(&self, name: &str, line: &Line) -> String {
        let name = show::shortened(name, self.name_width);
        let unit = show::unit(line.unit);
        let mut text = format!("  {name:<0$} {unit:<UNIT$}", self.name_width);
        for measured in &line.on {
            let value = match measured.summary() {
                Some(summary) => {
                    format!("{:>VALUE$}", show::number(line.unit, summary.median))
                }
                None => style(format!("{:>VALUE$}", "failed")).red().to_string(),
            };
            text.push_str(&format!(" {value}"));
        }
        for ratio in line.ratios.iter().map(Option::as_ref) {
            let shown = match ratio {
                Some(ratio) if self.shows_spread => show::ratio(ratio),
                Some(ratio) => show::number_of_ratio(ratio.median),
                None => String::new(),
            };
            let verdict = ratio.map_or_else(String::new, |ratio| verdict(ratio, line));
            text.push_str(&format!("  {shown:<0$}  {verdict}", self.ratio_width()));
        }
        text.trim_end().to_owned()
    }

    /// All lines of a session under the headings of their groups.
    pub(crate) fn rows(&self, session: &Session) -> Vec<String> {
        let mut rows = vec![self.header()];
        let mut group = "";
        for found in &session.experiments {
            if found.group != group {
                group = &found.group;
                rows.push(self.heading(group));
            }
            rows.extend(rows_of(self, found));
        }
        rows
    }
}

fn rows_of(table: &Table, found: &Found) -> Vec<String> {
    let rows = found.lines.iter();
    rows.map(|line| table.row(&show::name_in(found, line), line))
        .collect()
}

fn verdict(ratio: &Ratio, line: &Line) -> String {
    let mut words = show::verdict(ratio.verdict).to_owned();
    if line.is_noisy() {
        words.push('*');
    }
    let colour = match ratio.verdict {
        Verdict::Better => Style::new().green(),
        Verdict::Worse => Style::new().red(),
        Verdict::CannotTell | Verdict::TooFew => Style::new(),
    };
    colour.apply_to(format!("{words:<VERDICT$}")).to_string()
}

/// The lines after the table: how it was measured, the totals, and what failed.
pub(crate) fn closing(session: &Session) -> Vec<String> {
    let rounds = show::rounds(session.rounds);
    let mut said = vec![format!(
        "Medians of {rounds} in which the VMs take turns. A ratio above 1 means that ferl is better. {} in all.",
        show::duration(session.seconds)
    )];
    let mut lines = session.experiments.iter().flat_map(|found| &found.lines);
    if lines.any(Line::is_noisy) {
        said.push("* Other programs kept the host busy during these runs.".to_owned());
    }
    let view = view::view(session);
    said.extend(view.standings.iter().map(|standing| {
        format!(
            "Against {}: better {} times, worse {}, cannot tell {}.",
            standing.other, standing.better, standing.worse, standing.cannot_tell
        )
    }));
    for group in &view.groups {
        let means = group.means.iter();
        said.extend(means.map(|mean| format!("{}: ferl has {mean}.", group.heading)));
    }
    for failure in &view.failures {
        said.push(format!(
            "FAILED {} on {}: {}",
            failure.name, failure.vm, failure.why
        ));
    }
    let problems = session.problems.iter();
    said.extend(problems.map(|problem| format!("PROBLEM {problem}")));
    said.extend(session.left_out.clone());
    said
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(longest_name: usize, columns: Option<usize>) -> Table {
        let names = ["ferl", "OTP 25"].map(str::to_owned);
        Table::new(names.to_vec(), longest_name, columns)
    }

    #[test]
    fn a_narrow_terminal_gets_shorter_lines() {
        let in_file = table(40, None);
        assert!(in_file.shows_spread && in_file.name_width == 40);
        let wide = table(40, Some(120));
        assert!(wide.shows_spread && wide.name_width == 40);
        let narrow = table(40, Some(80));
        assert!(!narrow.shows_spread && narrow.name_width < 40);
        assert!(narrow.width() <= 80, "{}", narrow.width());
        assert!(narrow.header().len() <= 80);
    }
}
