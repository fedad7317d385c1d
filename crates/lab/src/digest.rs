//! `ferl lab results`: draws `docs/results.md`, `docs/findings.md` and the picture of the README from what is kept in
//! `bench/results`, and from `bench/notes.json`, which says why ferl is behind where it is, and what was found by hand.
//!
//! The page has a table for each kind of machine and each VM that ferl was compared with there: of each experiment the
//! newest session counts. The picture shows the newest full run. Nothing in either is written by hand, and a test
//! compares both with what is kept.

use anyhow::{Context, Result, bail};
use minijinja::Environment;
use minijinja::value::Serde;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::headline::{self, Headline, HeadlineFigure, PICKS, Pick, pick, picked};
use crate::results::{Found, Line, Session};
use crate::rows;
use crate::saved::Checkout;
use crate::screen::say;
use crate::show;
use crate::view::{self, Behind, Standing};

const RESULTS: &str = include_str!("../templates/results.md");
const FINDINGS: &str = include_str!("../templates/findings.md");
const LINE_COLUMNS: usize = 120;
/// The lines of the page's tables besides the headline figures.
pub(crate) const MORE_PICKS: &[Pick] = &[
    pick("everyday/boot", "", "time", "Booting and halting"),
    pick(
        "everyday/fan_in",
        "SMP on",
        "rate",
        "Messages from many processes to one",
    ),
    pick(
        "everyday/timers_cancelled",
        "",
        "each",
        "A timer set and cancelled",
    ),
    pick("everyday/echo", "", "rate", "Round trips over TCP"),
    pick(
        "processes/gen_servers_many",
        "",
        "start_link",
        "Starting one of {N} gen_servers",
    ),
    pick(
        "processes/gen_servers_many",
        "",
        "memory when started",
        "Memory of one of {N} gen_servers",
    ),
    pick(
        "processes/gen_servers_many",
        "",
        "second call, at random",
        "A call to one of {N} gen_servers",
    ),
    pick(
        "processes/one_for_one",
        "",
        "start",
        "A supervisor starts one of {N} children",
    ),
];

/// Draws docs/results.md, docs/findings.md and the picture of the README again, from bench/results and
/// bench/notes.json.
#[derive(clap::Args, Debug)]
pub(crate) struct ResultsOptions {}

/// Why ferl is behind somewhere.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Reason {
    /// The row: `compute/tak`.
    row: String,
    /// The figure, if it is not all of them.
    #[serde(default)]
    figure: String,
    /// When it was found.
    date: String,
    text: String,
}

/// What was measured outside the kept sessions.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Finding {
    date: String,
    commit: String,
    /// The processor.
    on: String,
    about: String,
    text: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Notes {
    reasons: Vec<Reason>,
    findings: Vec<Finding>,
}

/// What the template of the results places.
#[derive(Serialize)]
struct ResultsPage {
    machines: Vec<MachineView>,
}

/// What the template of the findings places.
#[derive(Serialize)]
struct FindingsPage {
    /// Each a point of a list, in lines.
    findings: Vec<String>,
}

#[derive(Serialize)]
struct MachineView {
    heading: String,
    host: String,
    other: String,
    /// What the table rests on, newest first.
    sessions: Vec<String>,
    figures: Vec<FigureView>,
    standing: Standing,
    behind: Vec<BehindView>,
    /// Why, as points of a list.
    reasons: Vec<String>,
}

#[derive(Serialize)]
struct FigureView {
    label: String,
    ferl: String,
    other: String,
    ratio: String,
    measured: String,
}

#[derive(Serialize)]
struct BehindView {
    name: String,
    ratio: String,
    measured: String,
}

/// The newest of each experiment on one kind of machine, beside one other VM.
struct Machine {
    session: Session,
    /// The commit and the day of each experiment, by its key.
    measured: HashMap<String, String>,
    /// The same for each session that has a part in it, oldest first.
    sessions: Vec<String>,
}

pub(crate) fn run(_options: &ResultsOptions) -> Result<bool> {
    let checkout = Checkout::here()?;
    for (path, text) in files(&checkout)? {
        fs::write(&path, text).with_context(|| format!("{} cannot be written", path.display()))?;
        say(&format!("Written: {}", path.display()));
    }
    Ok(true)
}

/// The files that are drawn from what is kept, with their contents.
fn files(checkout: &Checkout) -> Result<Vec<(PathBuf, String)>> {
    let sessions: Vec<Session> = checkout
        .all()?
        .into_iter()
        .map(|(_, session)| session)
        .collect();
    let docs = checkout.root.join("docs");
    let notes = read_notes(&checkout.root.join("bench").join("notes.json"))?;
    Ok(vec![
        (
            docs.join("results.md"),
            results_page(&sessions, &notes.reasons)?,
        ),
        (docs.join("findings.md"), findings_page(notes.findings)?),
        (docs.join("headline.svg"), picture(&sessions)?),
    ])
}

fn read_notes(path: &Path) -> Result<Notes> {
    let text = fs::read_to_string(path).with_context(|| path.display().to_string())?;
    let notes: Notes = serde_json::from_str(&text).with_context(|| path.display().to_string())?;
    let keys: Vec<String> = rows::all().iter().map(|row| row.key()).collect();
    for reason in &notes.reasons {
        if !keys.contains(&reason.row) {
            bail!("{}: there is no row {}", path.display(), reason.row);
        }
    }
    Ok(notes)
}

/// The picture of the newest full run, or of the newest run if none was full.
fn picture(sessions: &[Session]) -> Result<String> {
    let full = sessions.iter().rev().find(|session| session.set == "full");
    let newest = full
        .or(sessions.last())
        .context("no results are kept in bench/results")?;
    headline::picture(&Headline::of(newest)?)
}

fn results_page(sessions: &[Session], reasons: &[Reason]) -> Result<String> {
    let machines = machines(sessions);
    let views = machines.iter().map(|machine| view_of(machine, reasons));
    rendered(
        RESULTS,
        &ResultsPage {
            machines: views.collect(),
        },
    )
}

/// Newest first.
fn findings_page(mut findings: Vec<Finding>) -> Result<String> {
    findings.sort_by(|a, b| b.date.cmp(&a.date));
    let points = findings.iter().map(|finding| {
        let Finding {
            date,
            commit,
            on,
            about,
            text,
        } = finding;
        wrapped(&format!("- **{about}** ({date}, {commit}, {on}). {text}"))
    });
    rendered(
        FINDINGS,
        &FindingsPage {
            findings: points.collect(),
        },
    )
}

fn rendered(template: &str, page: &impl Serialize) -> Result<String> {
    let mut environment = Environment::new();
    environment.add_template("page.md", template)?;
    let text = environment.get_template("page.md")?.render(Serde(page))?;
    Ok(text + "\n")
}

/// A point of a list in lines that are no longer than the repository's.
fn wrapped(point: &str) -> String {
    let mut text = String::new();
    let mut column = 0;
    for word in point.split(' ') {
        let length = word.chars().count();
        if column > 0 && column + 1 + length > LINE_COLUMNS {
            text.push_str("\n  ");
            column = 2;
        } else if column > 0 {
            text.push(' ');
            column += 1;
        }
        text.push_str(word);
        column += length;
    }
    text
}

/// Newest first.
fn machines(sessions: &[Session]) -> Vec<Machine> {
    let mut machines: Vec<Machine> = Vec::new();
    for session in sessions {
        for other in 1..session.vms.len() {
            let part = beside(session, other);
            let measured = measured(session);
            let is_same = |machine: &&mut Machine| {
                machine.session.host.kind == part.host.kind
                    && machine.session.vms[1].name == part.vms[1].name
            };
            let keys = part.experiments.iter().map(|found| found.key.clone());
            let of_part = keys.map(|key| (key, measured.clone()));
            match machines.iter_mut().find(is_same) {
                None => machines.push(Machine {
                    measured: of_part.collect(),
                    sessions: vec![measured.clone()],
                    session: part,
                }),
                Some(machine) => {
                    machine.measured.extend(of_part);
                    machine.sessions.push(measured.clone());
                    merge(&mut machine.session, part);
                }
            }
        }
    }
    machines.sort_by(|a, b| b.session.began.cmp(&a.session.began));
    for machine in &mut machines {
        let in_use = |session: &String| machine.measured.values().any(|of| of == session);
        machine.sessions.retain(in_use);
    }
    machines
}

/// `25b5944b, 2026-11-27`.
fn measured(session: &Session) -> String {
    let day = session.began.split(' ').next().unwrap_or_default();
    format!("{}, {day}", session.commit)
}

/// The session as if ferl had been compared with one other VM alone.
fn beside(session: &Session, other: usize) -> Session {
    let of_line = |line: &Line| Line {
        on: vec![line.on[0].clone(), line.on[other].clone()],
        ratios: vec![line.ratios[other - 1]],
        runs: Vec::new(),
        ..line.clone()
    };
    Session {
        vms: vec![session.vms[0].clone(), session.vms[other].clone()],
        experiments: session
            .experiments
            .iter()
            .map(|found| Found {
                cells: Vec::new(),
                lines: found.lines.iter().map(of_line).collect(),
                ..found.clone()
            })
            .collect(),
        ..session.clone()
    }
}

/// Puts a newer session's experiments in the place of the same ones of older sessions.
fn merge(into: &mut Session, newer: Session) {
    let keys: Vec<String> = newer
        .experiments
        .iter()
        .map(|found| found.key.clone())
        .collect();
    let mut experiments = std::mem::take(&mut into.experiments);
    experiments.retain(|found| !keys.contains(&found.key));
    let replaced = Session {
        experiments: Vec::new(),
        ..newer.clone()
    };
    experiments.extend(newer.experiments);
    *into = Session {
        experiments,
        ..replaced
    };
}

fn view_of(machine: &Machine, reasons: &[Reason]) -> MachineView {
    let session = &machine.session;
    let view = view::view(session);
    let measured = |key: &str| machine.measured.get(key).cloned().unwrap_or_default();
    let figures = PICKS
        .iter()
        .chain(MORE_PICKS)
        .filter_map(|pick| Some(figure_view(&picked(session, pick)?, measured(pick.row))));
    let means = headline::means(session).map(|mean| figure_view(&mean, String::new()));
    let host = &session.host;
    let other = &session.vms[1];
    let reasons = why(&view.behind, reasons);
    let behind = view.behind.into_iter().map(|behind| BehindView {
        measured: measured(&behind.key),
        name: behind.name,
        ratio: behind.ratio,
    });
    MachineView {
        heading: format!(
            "{}, {} processors, beside {}",
            host.processor, host.processors, other.name
        ),
        host: format!(
            "{} ({}), {} processors, {:.1} GB, {}",
            host.processor,
            host.kind,
            host.processors,
            host.memory_bytes as f64 / 1e9,
            host.system
        ),
        other: format!("ERTS {}, {}", other.version, other.flavor),
        sessions: machine.sessions.iter().rev().cloned().collect(),
        figures: figures.chain(means).collect(),
        standing: view.standings.into_iter().next().unwrap_or_default(),
        behind: behind.collect(),
        reasons,
    }
}

fn figure_view(figure: &HeadlineFigure, measured: String) -> FigureView {
    let (ferl, other) = figure.values();
    let ratio = show::number_of_ratio(figure.ratio);
    let (least, most) = (figure.least, figure.most);
    FigureView {
        label: figure.label.clone(),
        ferl,
        other,
        ratio: format!("{ratio} ({least:.2}-{most:.2})"),
        measured,
    }
}

/// The reasons for what is behind, in its order, and a point for what has none.
fn why(behind: &[Behind], reasons: &[Reason]) -> Vec<String> {
    let explains = |reason: &Reason, line: &Behind| {
        reason.row == line.key
            && (reason.figure.is_empty() || line.name.ends_with(&format!(": {}", reason.figure)))
    };
    let mut points: Vec<String> = Vec::new();
    let mut unknown: Vec<&str> = Vec::new();
    for line in behind {
        let mut found: Vec<&Reason> = reasons
            .iter()
            .filter(|reason| explains(reason, line))
            .collect();
        found.sort_by(|a, b| a.date.cmp(&b.date));
        if found.is_empty() {
            unknown.push(&line.name);
        }
        for Reason {
            row,
            figure,
            date,
            text,
        } in found
        {
            let what = match figure.as_str() {
                "" => row.clone(),
                figure => format!("{row}, {figure}"),
            };
            let point = wrapped(&format!("- *{what}* ({date}): {text}"));
            if !points.contains(&point) {
                points.push(point);
            }
        }
    }
    if !unknown.is_empty() {
        points.push(wrapped(&format!(
            "- Not known why: {}.",
            unknown.join("; ")
        )));
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::sample::session;

    const SLOW: &[f64] = &[1.0, 1.01, 1.02];
    const FAST: &[f64] = &[0.5, 0.51, 0.52];

    #[test]
    fn what_is_drawn_is_what_is_kept() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let checkout = Checkout { root };
        for (path, text) in files(&checkout).unwrap() {
            if std::env::var_os("BLESS").is_some() {
                fs::write(&path, &text).unwrap();
            }
            let drawn = fs::read_to_string(&path).unwrap();
            assert!(
                drawn == text,
                "{} is stale: `make picture` or `BLESS=1 cargo test -p lab` draws it again",
                path.display()
            );
        }
    }

    #[test]
    fn of_each_experiment_the_newest_session_counts() {
        let older = session(
            "1",
            &[("E5/oneway", SLOW, FAST), ("E5/pingpong", SLOW, FAST)],
        );
        let mut newer = session("2", &[("E5/oneway", FAST, SLOW)]);
        newer.began = "2026-11-28 10:00 UTC".to_owned();
        let found = machines(&[older.clone(), newer.clone()]);
        let [machine] = found.as_slice() else {
            panic!("{} machines", found.len())
        };
        assert_eq!(machine.measured["E5/oneway"], "2, 2026-11-28");
        assert_eq!(machine.measured["E5/pingpong"], "1, 2026-11-27");
        let view = view_of(machine, &[]);
        assert_eq!(view.behind.len(), 1);
        assert_eq!(view.behind[0].name, "E5/pingpong, SMP on, 100k: time");
        assert_eq!(
            view.reasons,
            ["- Not known why: E5/pingpong, SMP on, 100k: time."]
        );
        // Of another machine it is another table.
        newer.host.kind = "intel-xeon-6-207-2".to_owned();
        assert_eq!(machines(&[older, newer]).len(), 2);
    }

    #[test]
    fn a_reason_stands_beside_what_it_explains() {
        let reason = |figure: &str, date: &str, text: &str| Reason {
            row: "E5/pingpong".to_owned(),
            figure: figure.to_owned(),
            date: date.to_owned(),
            text: text.to_owned(),
        };
        let reasons = [
            reason("", "2026-11-28", "It is late."),
            reason("time", "2026-11-27", "It waits."),
            reason("rate", "2026-11-27", "Of another figure."),
        ];
        let slow: (&str, &[f64], &[f64]) = ("E5/pingpong", SLOW, FAST);
        let behind = view::view(&session("1", &[slow, slow])).behind;
        assert_eq!(behind.len(), 2);
        assert_eq!(
            why(&behind, &reasons),
            [
                "- *E5/pingpong, time* (2026-11-27): It waits.",
                "- *E5/pingpong* (2026-11-28): It is late."
            ]
        );
    }

    #[test]
    fn points_are_wrapped() {
        let words = vec!["word"; 60].join(" ");
        let lines = wrapped(&format!("- {words}"));
        assert_eq!(lines.lines().count(), 3);
        assert!(lines.lines().all(|line| line.len() <= LINE_COLUMNS));
        assert!(lines.lines().skip(1).all(|line| line.starts_with("  word")));
    }

    #[test]
    fn the_picture_is_of_the_newest_full_run() {
        let row: (&str, &[f64], &[f64]) = ("compute/fib", SLOW, FAST);
        let full = session("full", &[row]);
        let mut quick = session("quick", &[row]);
        quick.set = "quick".to_owned();
        let drawn = picture(&[full, quick.clone()]).unwrap();
        assert!(drawn.contains("commit full") && !drawn.contains("commit quick"));
        assert!(picture(&[quick]).unwrap().contains("commit quick"));
        assert!(picture(&[]).is_err());
    }
}
