//! Computes lines from runs: for each figure, a summary of the rounds on each VM, and the ratios of ferl to the others.

use crate::experiment::{Better, Experiment, Figure};
use crate::results::{Cell, Line, Measured, OnVm};
use crate::show;
use crate::statistics::{self, Ratio};

/// All lines of an experiment, ordered by figure: a line for each cell, then the growth, if it is a figure too.
pub(crate) fn of(experiment: &Experiment, cells: &[Cell], vms: usize) -> Vec<Line> {
    let mut lines = Vec::new();
    for (at, figure) in experiment.figures.iter().enumerate() {
        lines.extend(cells.iter().map(|cell| of_figure(experiment, at, cell)));
        if let Some(label) = figure.slope {
            lines.extend(slopes(experiment, figure, label, at, cells, vms));
        }
    }
    lines
}

/// The lines of one cell.
pub(crate) fn of_cell(experiment: &Experiment, cell: &Cell) -> Vec<Line> {
    let figures = 0..experiment.figures.len();
    figures.map(|at| of_figure(experiment, at, cell)).collect()
}

/// The lines of the growth from size to size.
pub(crate) fn growth(experiment: &Experiment, cells: &[Cell], vms: usize) -> Vec<Line> {
    let mut lines = Vec::new();
    for (at, figure) in experiment.figures.iter().enumerate() {
        if let Some(label) = figure.slope {
            lines.extend(slopes(experiment, figure, label, at, cells, vms));
        }
    }
    lines
}

fn of_figure(experiment: &Experiment, at: usize, cell: &Cell) -> Line {
    let figure = &experiment.figures[at];
    let of_vm = |on: &OnVm| match &on.failure {
        Some(failure) => Err(failure.clone()),
        None => Ok(on.runs.iter().map(|run| run.figures[at]).collect()),
    };
    let figures = cell.on.iter().map(of_vm).collect();
    line(experiment, figure, figure.label, cell, figures)
}

/// One line for each case: how much the figure grows when the size grows by one, for each round.
fn slopes(
    experiment: &Experiment,
    figure: &Figure,
    label: &'static str,
    at: usize,
    cells: &[Cell],
    vms: usize,
) -> Vec<Line> {
    let mut lines = Vec::new();
    for case in experiment.cases {
        let of_case: Vec<&Cell> = cells
            .iter()
            .filter(|cell| cell.case == case.label)
            .collect();
        let Some(first) = of_case.first() else {
            continue;
        };
        let figures = (0..vms)
            .map(|vm| {
                let done: Vec<(f64, &OnVm)> = of_case
                    .iter()
                    .filter(|cell| cell.on[vm].failure.is_none())
                    .filter_map(|cell| Some((cell.size? as f64, &cell.on[vm])))
                    .collect();
                let rounds = done.iter().map(|(_, on)| on.runs.len()).min().unwrap_or(0);
                let slopes: Option<Vec<f64>> = (0..rounds)
                    .map(|round| {
                        let points = done
                            .iter()
                            .map(|(size, on)| (*size, on.runs[round].figures[at]));
                        statistics::slope(&points.collect::<Vec<_>>())
                    })
                    .collect();
                slopes
                    .filter(|slopes| !slopes.is_empty())
                    .ok_or_else(|| "too few sizes were measured".to_owned())
            })
            .collect();
        let together = Cell {
            size: None,
            ..(*first).clone()
        };
        lines.push(line(experiment, figure, label, &together, figures));
    }
    lines
}

fn line(
    experiment: &Experiment,
    figure: &Figure,
    label: &str,
    cell: &Cell,
    figures: Vec<Result<Vec<f64>, String>>,
) -> Line {
    let ratios = figures[1..]
        .iter()
        .map(|other| ratio(figure.better, &figures[0], other))
        .collect();
    let runs = figures
        .iter()
        .map(|found| found.clone().unwrap_or_default());
    let runs = runs.collect();
    let on = figures
        .into_iter()
        .map(|figures| {
            let found = figures.map(|figures| statistics::summary(&figures));
            match found {
                Ok(Some(summary)) => Measured::Summary(summary),
                Ok(None) => Measured::Failure("not run".to_owned()),
                Err(failure) => Measured::Failure(failure),
            }
        })
        .collect();
    let published = published(experiment, label, cell);
    Line {
        figure: label.to_owned(),
        case: cell.case.clone(),
        size: cell.size,
        unit: figure.unit,
        better: figure.better,
        on,
        ratios,
        runs,
        published: published.as_ref().map(|(value, _)| *value),
        published_note: published.map_or_else(String::new, |(_, note)| note),
        others_cpus: others_cpus(cell),
    }
}

/// The published figure for this line and a remark on it. If only one size was published, its figure is shown beside
/// other sizes too, with a remark that names its size.
fn published(experiment: &Experiment, label: &str, cell: &Cell) -> Option<(f64, String)> {
    let of_case: Vec<_> = experiment
        .published
        .iter()
        .filter(|published| published.figure == label && published.case == cell.case)
        .collect();
    let size = cell.size.unwrap_or(0);
    if let Some(exact) = of_case.iter().find(|published| published.size == size) {
        return Some((exact.value, exact.note.to_owned()));
    }
    let [only] = of_case[..] else { return None };
    let size = format!("for {}", show::size(only.size));
    let note = match only.note {
        "" => size,
        note => format!("{note}, {size}"),
    };
    Some((only.value, note))
}

fn ratio(
    better: Better,
    ours: &Result<Vec<f64>, String>,
    theirs: &Result<Vec<f64>, String>,
) -> Option<Ratio> {
    let pairs = ours.as_ref().ok()?.iter().zip(theirs.as_ref().ok()?);
    let ratios: Vec<f64> = pairs
        .filter(|(ours, theirs)| **ours > 0.0 && **theirs > 0.0)
        .filter_map(|(ours, theirs)| match better {
            Better::Less => Some(theirs / ours),
            Better::More => Some(ours / theirs),
            Better::Neither => None,
        })
        .collect();
    statistics::ratio(&ratios)
}

/// The average number of processors that other programs used during the runs of the cell.
fn others_cpus(cell: &Cell) -> f64 {
    let runs = || cell.on.iter().flat_map(|on| &on.runs);
    let wall: f64 = runs().map(|run| run.wall_s).sum();
    let used: f64 = runs().map(|run| run.others_cpus * run.wall_s).sum();
    if wall > 0.0 { used / wall } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::Run;
    use crate::statistics::Verdict;

    fn cell(size: u64, of_ferl: &[f64], of_other: Result<&[f64], &str>) -> Cell {
        let runs = |figures: &[f64]| -> Vec<Run> {
            let run = |figure: &f64| Run {
                figures: vec![*figure, 1.0],
                wall_s: 1.0,
                ..Run::default()
            };
            figures.iter().map(run).collect()
        };
        let ferl = OnVm {
            runs: runs(of_ferl),
            ..OnVm::default()
        };
        let other = match of_other {
            Ok(figures) => OnVm {
                runs: runs(figures),
                ..OnVm::default()
            },
            Err(failure) => OnVm {
                failure: Some(failure.to_owned()),
                ..OnVm::default()
            },
        };
        Cell {
            case: String::new(),
            size: Some(size),
            on: vec![ferl, other],
        }
    }

    fn memory() -> Experiment {
        let rows = crate::rows::all();
        *rows.iter().find(|row| row.key() == "E2/memory").unwrap()
    }

    #[test]
    fn ratios_are_taken_pair_by_pair() {
        let cells = [cell(100_000, &[1.0, 2.0, 4.0], Ok(&[3.0, 6.0, 12.0]))];
        let lines = of(&memory(), &cells, 2);
        let ratio = lines[0].ratios[0].unwrap();
        assert_eq!(
            (ratio.least, ratio.most, ratio.verdict),
            (3.0, 3.0, Verdict::Better)
        );
        assert_eq!(lines[0].published, Some(299e6));
    }

    #[test]
    fn growth_has_its_own_line() {
        let cells = [
            cell(100, &[1500.0], Ok(&[3500.0])),
            cell(300, &[2500.0], Ok(&[8500.0])),
        ];
        let lines = of(&memory(), &cells, 2);
        let growth = lines
            .iter()
            .find(|line| line.figure == "memory of one process")
            .unwrap();
        let medians = growth.on.iter().map(|on| on.summary().unwrap().median);
        assert_eq!(medians.collect::<Vec<_>>(), [5.0, 25.0]);
        assert_eq!(growth.published, Some(2667.0));
    }

    #[test]
    fn a_failure_has_no_ratio() {
        let cells = [cell(100, &[1.0], Err("killed by signal 9"))];
        let lines = of(&memory(), &cells, 2);
        assert!(lines[0].ratios[0].is_none());
        assert!(matches!(&lines[0].on[1], Measured::Failure(why) if why.contains("signal 9")));
    }
}
