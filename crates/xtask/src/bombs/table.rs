//! What the runs have shown: a line for each, and a table of all.

use super::group::Limit;
use super::kinds::ENDS;
use super::run::Seen;
use std::fmt;
use std::time::Duration;

/// No witness may be silent for longer.
const LONGEST_SILENCE: Duration = Duration::from_secs(1);

/// One that is neither ended nor refused has to fill its group by so much, or to have processes ended.
const LEAST_PEAK_PERCENT: u64 = 60;

pub(crate) struct Row {
    pub(crate) machine: &'static str,
    pub(crate) kind: &'static str,
    pub(crate) limit: Limit,
    pub(crate) schedulers: u32,
    pub(crate) seen: Seen,
}

impl Row {
    /// Whether the node did not live, nobody can say how the bomb ended, or the witness was silent for too long. Of
    /// stock none of this is asked.
    pub(crate) fn is_wrong(&self) -> bool {
        self.machine == "ferl" && !(self.is_alive() && self.is_expected() && self.is_in_time())
    }

    fn is_alive(&self) -> bool {
        self.seen.lives && self.seen.kills == 0 && self.seen.end.is_success()
    }

    fn is_expected(&self) -> bool {
        let bomb = self.seen.bomb.as_ref();
        bomb.is_some_and(|(_, how)| match how.as_str() {
            // One that does not fill the group shows nothing.
            "goes on" => self.seen.peak_percent >= LEAST_PEAK_PERCENT || self.has_ended_any(),
            how => ENDS.contains(&how),
        })
    }

    /// Whether the guard has ended processes: then the group was full enough for that, though what the node shares
    /// with others (its program) counts for it and not for the group.
    fn has_ended_any(&self) -> bool {
        let guard = self.seen.guard.as_ref();
        guard.is_some_and(|(ended, _)| *ended > 0)
    }

    fn is_in_time(&self) -> bool {
        self.seen.silence <= LONGEST_SILENCE
    }

    /// What happened, in a few words.
    fn summary(&self) -> String {
        let seen = &self.seen;
        if seen.kills > 0 {
            return "**killed by the kernel**".to_owned();
        }
        let silent = format!("{} ms", seen.silence.as_millis());
        let silent = match self.is_in_time() {
            true => silent,
            false => format!("**{silent}**"),
        };
        match &seen.bomb {
            Some((_, how)) if how == "goes on" && self.is_alive() => format!("goes on; {silent}"),
            Some((after_ms, how)) if self.is_alive() => format!("{how}, {after_ms} ms; {silent}"),
            _ => format!("**{}**; {silent}", seen.end),
        }
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mark = match self.is_wrong() {
            true => "WRONG",
            false => "",
        };
        let seen = &self.seen;
        let guard = match &seen.guard {
            Some((ended, level)) => format!(
                "{}% at most, guard ended {ended}, then {level}",
                seen.peak_percent
            ),
            None => String::new(),
        };
        write!(
            f,
            "{:5} {:5} {:8} +S {} {:16} {}; {guard}",
            mark,
            self.machine,
            self.limit.name(),
            self.schedulers,
            self.kind,
            self.summary()
        )?;
        match self.is_alive() {
            true => Ok(()),
            false => write!(f, "\n      {}", seen.last_words.replace('\n', "\n      ")),
        }
    }
}

/// All runs, in Markdown: a line for each kind, and a column for each machine, group and number of schedulers.
#[derive(Default)]
pub(crate) struct Table {
    rows: Vec<Row>,
}

impl Table {
    pub(crate) fn push(&mut self, row: Row) {
        self.rows.push(row);
    }

    pub(crate) fn rows(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter()
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let head =
            |row: &Row| format!("{} {} +S {}", row.machine, row.limit.name(), row.schedulers);
        let heads = in_order(self.rows.iter().map(head));
        writeln!(f, "| kind | {} |", heads.join(" | "))?;
        writeln!(f, "|---|{}", "---|".repeat(heads.len()))?;
        for kind in in_order(self.rows.iter().map(|row| row.kind)) {
            write!(f, "| {kind} |")?;
            for column in &heads {
                let row = self
                    .rows
                    .iter()
                    .find(|row| row.kind == kind && head(row) == *column);
                write!(f, " {} |", row.map_or(String::new(), Row::summary))?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

/// Each once, in the order of their first appearance.
fn in_order<T: PartialEq>(all: impl Iterator<Item = T>) -> Vec<T> {
    let mut seen = Vec::new();
    for each in all {
        if !seen.contains(&each) {
            seen.push(each);
        }
    }
    seen
}
