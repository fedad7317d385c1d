//! When the slower steps of `make test-all` were last green: a line for each in `docs/test-all.txt`, which a run writes
//! and whoever ran it commits. All of them take hours, so they may be run in parts, and each line stands for itself.

use crate::project;
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use super::{Report, Verdict};

const NOTES_FILE: &str = "docs/test-all.txt";

fn file() -> PathBuf {
    project::root().join(NOTES_FILE)
}

/// Writes down which of these steps passed now, at the commit that is checked out. Lines of steps that are no more go.
pub(super) fn note(reports: &[&Report], steps: &[&str]) -> Result<()> {
    let commit = said("git", &["rev-parse", "--short=8", "HEAD"])?;
    // What steps before these have noted is no change of what is tested.
    let but_notes = format!(":(top,exclude){NOTES_FILE}");
    let status = ["status", "--porcelain", "--untracked-files=no", "--"];
    let is_changed = !said("git", &[&status[..], &[":/", &but_notes]].concat())?.is_empty();
    let changes = if is_changed { " with changes" } else { "" };
    let date = said("date", &["--utc", "+%Y-%m-%d"])?;
    let system = fs::read_to_string("/etc/os-release").unwrap_or_default();
    let system = system
        .lines()
        .find_map(|line| line.strip_prefix("PRETTY_NAME="))
        .map_or("an unknown system", |name| name.trim_matches('"'));
    let passed = reports
        .iter()
        .filter(|report| report.verdict == Verdict::Passed);
    let noted: Vec<(&str, String)> = passed
        .map(|report| {
            let count = &report.count;
            let what = format!("{commit}{changes}, {date}, {system}: {count}");
            (report.name, what)
        })
        .collect();
    let before = fs::read_to_string(file()).unwrap_or_default();
    let text = merged(&before, &noted, steps);
    fs::write(file(), text).with_context(|| file().display().to_string())
}

/// The lines for these steps, in their order: what was noted now, else what was noted before.
fn merged(before: &str, noted: &[(&str, String)], steps: &[&str]) -> String {
    let known = parsed(before);
    let line_of = |step: &&str| {
        let now = noted.iter().find(|(name, _)| name == step);
        let what = match now {
            Some((_, what)) => what.as_str(),
            None => known.iter().find(|(name, _)| name == step)?.1,
        };
        Some(format!("{step}: {what}\n"))
    };
    steps.iter().filter_map(line_of).collect()
}

/// The names of steps, and what is noted of them.
fn parsed(text: &str) -> Vec<(&str, &str)> {
    text.lines()
        .filter_map(|line| line.split_once(": "))
        .collect()
}

/// One line about how many of the slower steps were ever green, and which one was so the longest time ago.
pub(super) fn last(steps: &[&str]) -> String {
    summary(&fs::read_to_string(file()).unwrap_or_default(), steps)
}

fn summary(text: &str, steps: &[&str]) -> String {
    let known = parsed(text);
    let green: Vec<(&str, &str)> = known
        .into_iter()
        .filter(|(name, _)| steps.contains(name))
        .collect();
    let date = |what: &str| what.split(", ").nth(1).unwrap_or_default().to_owned();
    let oldest = green.iter().min_by_key(|(_, what)| date(what));
    let oldest = oldest.map_or(String::new(), |(name, what)| {
        format!(", the longest ago: {name}, at {what}")
    });
    format!(
        "{} of {} slower steps of make test-all have been green{oldest}",
        green.len(),
        steps.len()
    )
}

fn said(program: &str, arguments: &[&str]) -> Result<String> {
    let output = Command::new(program)
        .args(arguments)
        .current_dir(project::root())
        .output()
        .with_context(|| program.to_owned())?;
    if !output.status.success() {
        bail!("{program}: {}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const STEPS: [&str; 3] = ["one", "two", "three"];

    #[test]
    fn what_is_noted_stays_until_it_is_noted_again() {
        let before = "two: aa, 2026-01-02, Debian: 1 passed, 0 failed\n\
                      gone: aa, 2026-01-01, Debian: 1 passed, 0 failed\n\
                      three: aa, 2026-01-03, Debian: 1 passed, 0 failed\n";
        let noted = [(
            "three",
            "bb, 2026-02-01, Debian: 2 passed, 0 failed".to_owned(),
        )];
        let after = merged(before, &noted, &STEPS);
        assert_eq!(
            after,
            "two: aa, 2026-01-02, Debian: 1 passed, 0 failed\n\
             three: bb, 2026-02-01, Debian: 2 passed, 0 failed\n"
        );
        assert_eq!(
            summary(&after, &STEPS),
            "2 of 3 slower steps of make test-all have been green, the longest ago: two, at aa, 2026-01-02, Debian: \
             1 passed, 0 failed"
        );
        assert_eq!(
            summary("", &STEPS),
            "0 of 3 slower steps of make test-all have been green"
        );
    }
}
