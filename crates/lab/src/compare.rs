//! `ferl lab compare OLD NEW`: how much better or worse ferl is in one kept session than in another, row by row.
//!
//! Two sessions are hours or weeks apart, and a host's speed may have changed in between. So a row is compared by
//! ferl's ratio to the other VM, which had its turns in the same minutes, if both sessions have the same one; else by
//! ferl's own figure. A difference counts only where the spreads do not meet.

use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};

use crate::experiment::Better;
use crate::results::{Line, Session};
use crate::saved::{self, Checkout};
use crate::screen::say;
use crate::show;
use crate::statistics::{self, Ratio, Summary, Verdict};

/// Compares the results of two runs, row by row: how many times as good the new ones are. The exit status is 1 if a row
/// is worse beyond the spread of its runs.
#[derive(clap::Args, Debug)]
pub(crate) struct CompareOptions {
    /// A file that --save or --json has written, or the first digits of a commit in bench/results.
    pub old: String,
    /// The same.
    pub new: String,
}

/// A row of both sessions.
struct Compared {
    name: String,
    /// What both are compared by, as text.
    old: String,
    new: String,
    change: Ratio,
}

/// Returns whether no row is worse.
pub(crate) fn run(options: &CompareOptions) -> Result<bool> {
    let (old, new) = find(&options.old, &options.new)?;
    let (old, new) = (saved::read(&old)?, saved::read(&new)?);
    for line in text(&old, &new)? {
        say(&line);
    }
    Ok(compared(&old, &new)
        .iter()
        .all(|row| row.change.verdict != Verdict::Worse))
}

/// The files that two words name. Two commits are compared on the same kind of machine.
fn find(old: &str, new: &str) -> Result<(PathBuf, PathBuf)> {
    let candidates = |word: &str| -> Result<Vec<PathBuf>> {
        let path = Path::new(word);
        if path.is_file() || word.contains('/') {
            return Ok(vec![path.to_path_buf()]);
        }
        let checkout = Checkout::here().with_context(|| format!("there is no file {word}"))?;
        let found = checkout.of_commit(word)?;
        if found.is_empty() {
            bail!(
                "{} has no results of a commit {word}",
                checkout.results().display()
            );
        }
        Ok(found)
    };
    let (of_old, of_new) = (candidates(old)?, candidates(new)?);
    if let ([old], [new]) = (of_old.as_slice(), of_new.as_slice()) {
        return Ok((old.clone(), new.clone()));
    }
    let mut pairs = Vec::new();
    for old in &of_old {
        for new in &of_new {
            if kind_of(old) == kind_of(new) {
                pairs.push((old.clone(), new.clone()));
            }
        }
    }
    match pairs.as_slice() {
        [pair] => Ok(pair.clone()),
        [] => bail!("{old} and {new} were not measured on the same kind of machine: name files"),
        _ => bail!("there are several results of {old} and {new}: name files"),
    }
}

/// The part of a file's name behind the commit.
fn kind_of(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_string_lossy().into_owned();
    Some(name.split_once('-')?.1.to_owned())
}

/// The table and the lists below it.
fn text(old: &Session, new: &Session) -> Result<Vec<String>> {
    let rows = compared(old, new);
    if rows.is_empty() {
        bail!("the two sessions have no row in common");
    }
    let mut text = vec![about("old", old), about("new", new)];
    if old.host.kind != new.host.kind {
        text.push(
            "Not the same kind of machine: what differs may be the processor's doing.".to_owned(),
        );
    }
    let by = match common_vm(old, new) {
        Some((at, _)) => format!("ferl's ratio to {}", old.vms[at].name),
        None => "ferl's own figures, without another VM that both have".to_owned(),
    };
    text.push(format!(
        "Compared by {by}. A change above 1 means that the new one is better."
    ));
    let width = rows
        .iter()
        .map(|row| row.name.chars().count())
        .max()
        .unwrap_or(0);
    text.push(format!(
        "{:<width$} {:>10} {:>10}  change",
        "", "old", "new"
    ));
    text.extend(rows.iter().map(|row| {
        let (change, verdict) = (show::ratio(&row.change), show::verdict(row.change.verdict));
        format!(
            "{:<width$} {:>10} {:>10}  {change:<17} {verdict}",
            row.name, row.old, row.new
        )
    }));
    for (verdict, word) in [(Verdict::Worse, "Worse"), (Verdict::Better, "Better")] {
        let mut of_verdict: Vec<&Compared> = rows
            .iter()
            .filter(|row| row.change.verdict == verdict)
            .collect();
        of_verdict.sort_by(|a, b| a.change.median.total_cmp(&b.change.median));
        text.push(format!(
            "{word}: {} of {} rows.",
            of_verdict.len(),
            rows.len()
        ));
        text.extend(
            of_verdict
                .iter()
                .map(|row| format!("  {:.2}  {}", row.change.median, row.name)),
        );
    }
    let changes: Vec<f64> = rows.iter().map(|row| row.change.median).collect();
    if let Some(mean) = statistics::geometric_mean(&changes) {
        text.push(format!("Geometric mean of all changes: {mean:.3}."));
    }
    let (only_old, only_new) = (
        lines(old).count() - rows.len(),
        lines(new).count() - rows.len(),
    );
    if only_old + only_new > 0 {
        text.push(format!(
            "Not compared, because the other has no such figure: {only_old} rows of the old, {only_new} of the new."
        ));
    }
    Ok(text)
}

fn about(which: &str, session: &Session) -> String {
    let host = &session.host;
    let what = match session.commit.as_str() {
        "" => session.note.as_str(),
        commit => commit,
    };
    let parts = [what, session.began.as_str(), host.processor.as_str()];
    let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    format!(
        "{which}: {}, {} processors",
        parts.join(", "),
        host.processors
    )
}

fn lines(session: &Session) -> impl Iterator<Item = (String, &Line)> {
    session.comparisons().map(|(found, line)| {
        let name = show::join(&found.key, &line.case, line.size);
        (format!("{name}: {}", line.figure), line)
    })
}

fn compared(old: &Session, new: &Session) -> Vec<Compared> {
    let common = common_vm(old, new);
    let of_old: std::collections::HashMap<String, &Line> = lines(old).collect();
    lines(new)
        .filter_map(|(name, new)| {
            let old = of_old.get(&name)?;
            let by_ratio = common
                .and_then(|(of_old, of_new)| Some((ratio(old, of_old)?, ratio(new, of_new)?)));
            if let Some((old, new)) = by_ratio {
                return Some(Compared {
                    name,
                    old: show::number_of_ratio(old.median),
                    new: show::number_of_ratio(new.median),
                    change: statistics::change(&old, &new),
                });
            }
            let (was, is) = (old.on.first()?.summary()?, new.on.first()?.summary()?);
            let figure = |median| {
                format!(
                    "{} {}",
                    show::number(new.unit, median),
                    show::unit(new.unit)
                )
            };
            Some(Compared {
                name,
                old: figure(was.median),
                new: figure(is.median),
                change: statistics::change(&goodness(was, new.better)?, &goodness(is, new.better)?),
            })
        })
        .collect()
}

/// The first VM besides ferl that both sessions have: where it is in each.
fn common_vm(old: &Session, new: &Session) -> Option<(usize, usize)> {
    (1..old.vms.len()).find_map(|at| {
        let same = |other: usize| {
            let (old, new) = (&old.vms[at], &new.vms[other]);
            old.name == new.name && old.version == new.version
        };
        let other = (1..new.vms.len()).find(|other| same(*other))?;
        Some((at, other))
    })
}

fn ratio(line: &Line, vm: usize) -> Option<Summary> {
    let ratio = (*line.ratios.get(vm - 1)?)?;
    Some(Summary {
        median: ratio.median,
        least: ratio.least,
        most: ratio.most,
        count: ratio.pairs,
    })
}

/// The figure as one of which more is better.
fn goodness(figure: &Summary, better: Better) -> Option<Summary> {
    if figure.least <= 0.0 {
        return None;
    }
    Some(match better {
        Better::Less => Summary {
            median: 1.0 / figure.median,
            least: 1.0 / figure.most,
            most: 1.0 / figure.least,
            count: figure.count,
        },
        Better::More | Better::Neither => *figure,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::sample::session;

    const STOCK: &[f64] = &[2.0, 2.02, 2.04];

    fn verdicts(old: &Session, new: &Session) -> Vec<(Verdict, String)> {
        compared(old, new)
            .into_iter()
            .map(|row| (row.change.verdict, show::number_of_ratio(row.change.median)))
            .collect()
    }

    #[test]
    fn rows_are_compared_by_their_ratio_to_the_same_stock() {
        let old = session(
            "1",
            &[
                ("E1/start", &[1.0, 1.01, 1.02], STOCK),
                ("E1/slower", &[1.0, 1.01, 1.02], STOCK),
                ("E1/gone", &[1.0], &[1.0]),
            ],
        );
        // The host is half as fast, for both.
        let new = session(
            "2",
            &[
                ("E1/start", &[2.0, 2.02, 2.04], &[4.0, 4.04, 4.08]),
                ("E1/slower", &[2.4, 2.42, 2.44], &[4.0, 4.04, 4.08]),
            ],
        );
        assert_eq!(
            verdicts(&old, &new),
            [
                (Verdict::CannotTell, "1.00".to_owned()),
                (Verdict::Worse, "0.83".to_owned())
            ]
        );
        let text = text(&old, &new).unwrap().join("\n");
        assert!(
            text.contains("Compared by ferl's ratio to OTP 25"),
            "{text}"
        );
        assert!(
            text.contains("Worse: 1 of 2 rows.\n  0.83  E1/slower, SMP on, 100k: time"),
            "{text}"
        );
        assert!(text.contains("1 rows of the old, 0 of the new"), "{text}");
    }

    #[test]
    fn without_a_common_stock_times_are_compared() {
        let old = session("1", &[("E1/start", &[1.0, 1.01, 1.02], STOCK)]);
        let mut new = session("2", &[("E1/start", &[0.5, 0.51, 0.52], STOCK)]);
        new.vms[1].name = "OTP 29".to_owned();
        assert_eq!(verdicts(&old, &new), [(Verdict::Better, "1.98".to_owned())]);
        let text = text(&old, &new).unwrap().join("\n");
        assert!(
            text.contains("1.01 s") && text.contains("0.510 s"),
            "{text}"
        );
    }

    #[test]
    fn sessions_without_a_common_row_are_an_error() {
        let old = session("1", &[("E1/start", &[1.0], &[2.0])]);
        let new = session("2", &[("E5/oneway", &[1.0], &[2.0])]);
        assert!(text(&old, &new).is_err());
    }

    #[test]
    fn a_file_that_is_not_there_is_an_error() {
        assert!(find("no/such.json", "no/other.json").is_ok());
        let error = run(&CompareOptions {
            old: "no/such.json".to_owned(),
            new: "no/other.json".to_owned(),
        });
        assert!(format!("{:#}", error.unwrap_err()).contains("cannot be read"));
    }
}
