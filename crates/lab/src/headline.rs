//! The headline figures: a few lines that say what ferl is about, as a small JSON file and as a picture for the README.
//!
//! The picture is one SVG file without fonts or scripts. Its style sheet follows the reader's preference for light or
//! dark, and it has its own background, so it is readable on any page.

use anyhow::{Context, Result, bail};
use minijinja::Environment;
use minijinja::value::Serde;
use serde::{Deserialize, Serialize};

use crate::experiment::{Group, Unit};
use crate::results::{Line, Session};
use crate::show;
use crate::statistics;

const TEMPLATE: &str = include_str!("../templates/headline.svg");

/// The headline figures of one session, compared with one other VM.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Headline {
    /// The session's remark, such as the commit that was measured.
    pub note: String,
    /// Local date and time of the start of the session.
    pub began: String,
    pub host: String,
    /// The name of the other VM.
    pub other: String,
    pub figures: Vec<HeadlineFigure>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct HeadlineFigure {
    pub label: String,
    /// Medians with their unit; `None` for the mean of a group.
    pub medians: Option<Medians>,
    /// How many times as good ferl is, and the least and the most of the rounds (or of the group).
    pub ratio: f64,
    pub least: f64,
    pub most: f64,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Medians {
    pub unit: Unit,
    pub ferl: f64,
    pub other: f64,
}

/// A line that is a headline figure, at the largest size that was measured.
pub(crate) struct Pick {
    pub row: &'static str,
    case: &'static str,
    figure: &'static str,
    /// `{N}` is replaced by the size.
    label: &'static str,
}

pub(crate) const fn pick(
    row: &'static str,
    case: &'static str,
    figure: &'static str,
    label: &'static str,
) -> Pick {
    Pick {
        row,
        case,
        figure,
        label,
    }
}

pub(crate) const PICKS: &[Pick] = &[
    pick("E1/start", "SMP on", "time", "E1: chain of {N} processes"),
    pick(
        "E1/start_wo_msg",
        "SMP on",
        "time",
        "E1: {N} processes that end at once",
    ),
    pick(
        "E2/memory",
        "",
        "memory of one process",
        "E2: memory of a waiting process",
    ),
    pick(
        "E3/pipe_ring",
        "SMP on",
        "messages",
        "E3: messages through programs",
    ),
    pick(
        "E3/starting",
        "",
        "each",
        "E3: program beside {N} processes",
    ),
    pick(
        "E4/limit",
        "",
        "elapsed",
        "E4: creating one of {N} processes",
    ),
    pick("E5/oneway", "SMP on", "rate", "E5: messages, one way"),
    pick("E5/pingpong", "SMP on", "rate", "E5: messages, round trips"),
    pick("everyday/calls", "SMP on", "rate", "Calls to a gen_server"),
];

const MEANS: &[(Group, &str)] = &[
    (Group::Compute, "Ordinary programs, mean of"),
    (Group::Tables, "ETS operations, mean of"),
];

impl Headline {
    /// # Errors
    ///
    /// If the session has no other VM to compare with, or none of the headline figures.
    pub(crate) fn of(session: &Session) -> Result<Headline> {
        let other = session
            .vms
            .get(1)
            .context("the headline figures compare ferl with another VM, and there is none")?;
        let mut figures: Vec<HeadlineFigure> = PICKS
            .iter()
            .filter_map(|pick| picked(session, pick))
            .collect();
        figures.extend(means(session));
        if figures.is_empty() {
            bail!("none of the headline figures was measured");
        }
        let note = match session.commit.as_str() {
            "" => session.note.clone(),
            commit => format!("commit {commit}"),
        };
        Ok(Headline {
            note,
            began: session.began.clone(),
            host: format!(
                "{}, {} processors",
                session.host.processor, session.host.processors
            ),
            other: other.name.clone(),
            figures,
        })
    }

    /// The figures as text.
    pub(crate) fn lines(&self) -> Vec<String> {
        let about = self.about();
        let figures = self.figures.iter().map(|figure| {
            let (ferl, other) = figure.values();
            let (label, ratio) = (&figure.label, show::number_of_ratio(figure.ratio));
            format!("  {label:<48} {ferl:>14} {other:>14}  {ratio:>5}")
        });
        let header = format!("  {:<48} {:>14} {:>14}  ratio", "", "ferl", self.other);
        [about, header].into_iter().chain(figures).collect()
    }

    fn about(&self) -> String {
        let parts = [&self.note, &self.began, &self.host];
        let parts = parts.into_iter().filter(|part| !part.is_empty());
        parts.map(String::as_str).collect::<Vec<_>>().join(", ")
    }
}

impl HeadlineFigure {
    /// The medians of ferl and of the other VM, with their units.
    pub(crate) fn values(&self) -> (String, String) {
        let Some(medians) = &self.medians else {
            return Default::default();
        };
        let shown = |value| {
            let number = show::number(medians.unit, value);
            match medians.unit {
                Unit::PerSecond => format!("{number}/s"),
                unit => format!("{number} {}", show::unit(unit)),
            }
        };
        (shown(medians.ferl), shown(medians.other))
    }
}

/// The geometric means of the groups that have one here.
pub(crate) fn means(session: &Session) -> impl Iterator<Item = HeadlineFigure> {
    let means = MEANS.iter();
    means.filter_map(|(group, label)| mean(session, *group, label))
}

/// The line that a pick names, if the session has it with a ratio.
pub(crate) fn picked(session: &Session, pick: &Pick) -> Option<HeadlineFigure> {
    let found = session
        .experiments
        .iter()
        .find(|found| found.key == pick.row)?;
    let is_picked = |line: &&Line| {
        line.case == pick.case
            && line.figure == pick.figure
            && line.ratios.first().is_some_and(Option::is_some)
    };
    let line = found
        .lines
        .iter()
        .filter(is_picked)
        .max_by_key(|line| line.size)?;
    let ratio = line.ratios.first().copied().flatten()?;
    Some(HeadlineFigure {
        label: match line.size {
            Some(size) => pick.label.replace("{N}", &show::size(size)),
            None => pick.label.to_owned(),
        },
        medians: Some(Medians {
            unit: line.unit,
            ferl: line.on.first()?.summary()?.median,
            other: line.on.get(1)?.summary()?.median,
        }),
        ratio: ratio.median,
        least: ratio.least,
        most: ratio.most,
    })
}

/// The geometric mean of the ratios of a group.
fn mean(session: &Session, group: Group, label: &str) -> Option<HeadlineFigure> {
    let of_group = session
        .comparisons()
        .filter(|(found, _)| found.group == group.key());
    let ratios: Vec<f64> = of_group
        .filter_map(|(_, line)| Some((*line.ratios.first()?)?.median))
        .collect();
    let spread = statistics::summary(&ratios)?;
    Some(HeadlineFigure {
        label: format!("{label} {}", ratios.len()),
        medians: None,
        ratio: statistics::geometric_mean(&ratios)?,
        least: spread.least,
        most: spread.most,
    })
}

/// Measures of the picture, in pixels.
const WIDTH: f64 = 860.0;
const TOP: f64 = 92.0;
const ROW: f64 = 30.0;
const BOTTOM: f64 = 62.0;
const BARS_LEFT: f64 = 292.0;
const BARS_RIGHT: f64 = 580.0;

/// What the template places.
#[derive(Serialize)]
struct PictureView {
    width: f64,
    height: f64,
    other: String,
    about: String,
    bars_left: f64,
    /// Where the lines of the axis begin and end.
    top: f64,
    bottom: f64,
    /// Where ferl is as good as the other VM.
    equal: f64,
    marks: Vec<MarkView>,
    rows: Vec<RowView>,
}

/// A line of the axis.
#[derive(Serialize)]
struct MarkView {
    x: f64,
    label: String,
}

#[derive(Serialize)]
struct RowView {
    middle: f64,
    label: String,
    ratio: String,
    bar: f64,
    is_behind: bool,
    ferl: String,
    other: String,
}

/// The picture: a bar for each figure, as long as ferl is better.
pub(crate) fn picture(headline: &Headline) -> Result<String> {
    let most = headline
        .figures
        .iter()
        .map(|figure| figure.ratio)
        .fold(2.0, f64::max);
    let across = |ratio: f64| {
        // One decimal: the file is read by people, too.
        let x = BARS_LEFT + ratio / most * (BARS_RIGHT - BARS_LEFT);
        (x * 10.0).round() / 10.0
    };
    let step = if most > 6.0 { 2 } else { 1 };
    let marks = (0..=most as u32)
        .filter(|mark| *mark == 1 || mark % step == 0)
        .map(|mark| MarkView {
            x: across(f64::from(mark)),
            label: mark.to_string(),
        });
    let rows = headline.figures.iter().enumerate().map(|(at, figure)| {
        let (ferl, other) = figure.values();
        RowView {
            middle: TOP + ROW * (at as f64 + 0.5),
            label: figure.label.clone(),
            ratio: format!("{} ×", show::number_of_ratio(figure.ratio)),
            bar: across(figure.ratio) - BARS_LEFT,
            is_behind: figure.ratio < 1.0,
            ferl,
            other,
        }
    });
    let bottom = TOP + ROW * headline.figures.len() as f64;
    let view = PictureView {
        width: WIDTH,
        height: bottom + BOTTOM,
        other: headline.other.clone(),
        about: headline.about(),
        bars_left: BARS_LEFT,
        top: TOP,
        bottom,
        equal: across(1.0),
        marks: marks.collect(),
        rows: rows.collect(),
    };
    let mut environment = Environment::new();
    // The ending of the name makes minijinja escape what it inserts.
    environment.add_template("headline.xml", TEMPLATE)?;
    Ok(environment
        .get_template("headline.xml")?
        .render(Serde(&view))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn picks_name_lines_that_exist() {
        let rows = crate::rows::all();
        for pick in PICKS.iter().chain(crate::digest::MORE_PICKS) {
            let row = rows.iter().find(|row| row.key() == pick.row);
            let row = row.unwrap_or_else(|| panic!("{} is no row", pick.row));
            let case = row.cases.iter().find(|case| case.label == pick.case);
            assert!(case.is_some(), "{}: {}", pick.row, pick.case);
            let labels = row.figures.iter().flat_map(|figure| {
                let growth = figure.slope;
                [Some(figure.label), growth].into_iter().flatten()
            });
            assert!(
                labels.into_iter().any(|label| label == pick.figure),
                "{}: {}",
                pick.row,
                pick.figure
            );
        }
    }

    #[test]
    fn the_picture_is_one_file_that_follows_light_and_dark() {
        let figure = |label: &str, ratio: f64| HeadlineFigure {
            label: label.to_owned(),
            medians: Some(Medians {
                unit: Unit::Seconds,
                ferl: 1.0,
                other: ratio,
            }),
            ratio,
            least: ratio,
            most: ratio,
        };
        let headline = Headline {
            note: "commit <1>".to_owned(),
            began: "today".to_owned(),
            host: "here".to_owned(),
            other: "OTP 25".to_owned(),
            figures: vec![figure("fast", 4.0), figure("slow", 0.5)],
        };
        let svg = picture(&headline).unwrap();
        assert!(svg.starts_with("<svg ") && svg.contains("prefers-color-scheme: dark"));
        assert!(svg.contains("commit &lt;1&gt;") && svg.contains("4.00 ×"));
        assert_eq!(svg.matches("class=\"bar").count(), 2);
        assert_eq!(svg.matches("bar behind").count(), 1);
        let text = serde_json::to_string(&headline).unwrap();
        let again: Headline = serde_json::from_str(&text).unwrap();
        assert_eq!(picture(&again).unwrap(), svg);
    }
}
