//! A session prepared for the templates of the page and of the summary: all texts, in reading order.

use serde::Serialize;

use crate::experiment::{Better, Group};
use crate::results::{CoreLoad, Found, Line, Load, Measured, OnVm, Run, Session, VmInfo};
use crate::show;
use crate::statistics::{self, Verdict};

#[derive(Serialize)]
pub(crate) struct View {
    pub note: String,
    pub began: String,
    pub set: String,
    pub rounds: u32,
    pub took: String,
    pub lab: String,
    pub host: HostView,
    pub vms: Vec<VmInfo>,
    /// The VMs that ferl is compared with.
    pub others: Vec<String>,
    pub standings: Vec<Standing>,
    /// The lines in which ferl is behind, worst first.
    pub behind: Vec<Behind>,
    pub failures: Vec<Failure>,
    pub problems: Vec<String>,
    pub groups: Vec<GroupView>,
}

#[derive(Serialize)]
pub(crate) struct HostView {
    pub processor: String,
    pub processors: usize,
    pub memory: String,
    pub system: String,
}

/// How many lines of ferl are better or worse than those of another VM.
#[derive(Serialize, Default)]
pub(crate) struct Standing {
    pub other: String,
    pub better: usize,
    pub worse: usize,
    pub cannot_tell: usize,
    pub failed: usize,
}

#[derive(Serialize)]
pub(crate) struct Behind {
    /// The row, and the name of the line.
    pub key: String,
    pub name: String,
    pub other: String,
    pub ratio: String,
    #[serde(skip)]
    median: f64,
}

#[derive(Serialize)]
pub(crate) struct Failure {
    pub name: String,
    pub vm: String,
    pub why: String,
}

#[derive(Serialize)]
pub(crate) struct GroupView {
    pub key: String,
    /// `E1: Creating processes...`
    pub heading: String,
    pub published_on: Option<String>,
    /// The mean of the ratios to each other VM, for groups that have one.
    pub means: Vec<String>,
    pub experiments: Vec<ExperimentView>,
    pub plots: Vec<PlotView>,
}

#[derive(Serialize)]
pub(crate) struct ExperimentView {
    pub key: String,
    pub anchor: String,
    pub about: String,
    pub has_published: bool,
    pub lines: Vec<LineView>,
    pub commands: Vec<CommandView>,
    pub accounts: Vec<AccountView>,
    pub plots: Vec<PlotView>,
}

#[derive(Serialize)]
pub(crate) struct LineView {
    pub name: String,
    pub figure: String,
    pub unit: String,
    pub values: Vec<ValueView>,
    pub ratios: Vec<RatioView>,
    pub published: String,
    pub note: String,
    pub noisy: bool,
}

#[derive(Serialize)]
pub(crate) struct ValueView {
    pub text: String,
    /// The least and the most, if they differ.
    pub range: String,
    pub failure: String,
}

#[derive(Serialize)]
pub(crate) struct RatioView {
    pub text: String,
    pub verdict: String,
    /// The class in the style sheet.
    pub class: String,
}

#[derive(Serialize)]
pub(crate) struct CommandView {
    pub name: String,
    pub vm: String,
    pub command: String,
}

/// What the operating system reported about the runs of one cell on one VM: medians.
#[derive(Serialize)]
pub(crate) struct AccountView {
    pub name: String,
    pub vm: String,
    pub wall: String,
    pub cpu: String,
    pub peak: String,
    pub steady: String,
    pub switches: String,
    pub faults: String,
    pub io: String,
    pub threads: String,
    /// The number of threads by name.
    pub thread_names: String,
    pub others: String,
    pub calls: String,
    /// The load of the processors, if it was recorded.
    pub load: String,
}

/// A plot, drawn once for wide and once for narrow screens.
#[derive(Serialize)]
pub(crate) struct PlotView {
    pub title: String,
    pub wide: String,
    pub narrow: String,
    pub legend: Vec<LegendEntry>,
}

#[derive(Serialize, Clone)]
pub(crate) struct LegendEntry {
    pub label: String,
    pub colour: String,
    /// `line`, `dashed`, `dotted`, `box` or `diamond`.
    pub shape: String,
}

pub(crate) fn view(session: &Session) -> View {
    let others: Vec<String> = session.vms[1..].iter().map(|vm| vm.name.clone()).collect();
    View {
        note: session.note.clone(),
        began: session.began.clone(),
        set: session.set.clone(),
        rounds: session.rounds,
        took: show::duration(session.seconds),
        lab: session.lab.clone(),
        host: HostView {
            processor: session.host.processor.clone(),
            processors: session.host.processors,
            memory: gigabytes(session.host.memory_bytes),
            system: session.host.system.clone(),
        },
        vms: session.vms.clone(),
        standings: standings(session),
        behind: behind(session),
        failures: failures(session),
        problems: session
            .problems
            .iter()
            .chain(&session.left_out)
            .cloned()
            .collect(),
        groups: groups(session),
        others,
    }
}

fn standings(session: &Session) -> Vec<Standing> {
    let one = |(at, other): (usize, &VmInfo)| {
        let count = |wanted: &[Option<Verdict>]| {
            session
                .comparisons()
                .filter(|(_, line)| wanted.contains(&line.ratios[at].map(|ratio| ratio.verdict)))
                .count()
        };
        Standing {
            other: other.name.clone(),
            better: count(&[Some(Verdict::Better)]),
            worse: count(&[Some(Verdict::Worse)]),
            cannot_tell: count(&[Some(Verdict::CannotTell), Some(Verdict::TooFew)]),
            failed: count(&[None]),
        }
    };
    session.vms[1..].iter().enumerate().map(one).collect()
}

fn behind(session: &Session) -> Vec<Behind> {
    let mut found = Vec::new();
    for (experiment, line) in session.comparisons() {
        for (ratio, other) in line.ratios.iter().zip(&session.vms[1..]) {
            if let Some(ratio) = ratio.filter(|ratio| ratio.verdict == Verdict::Worse) {
                let name = show::join(&experiment.key, &line.case, line.size);
                found.push(Behind {
                    key: experiment.key.clone(),
                    name: format!("{name}: {}", line.figure),
                    other: other.name.clone(),
                    ratio: show::ratio(&ratio),
                    median: ratio.median,
                });
            }
        }
    }
    found.sort_by(|a, b| a.median.total_cmp(&b.median));
    found
}

fn failures(session: &Session) -> Vec<Failure> {
    session
        .failures()
        .map(|(found, cell, vm, why)| Failure {
            name: show::cell_name(found, cell),
            vm: vm.name.clone(),
            why: why.to_owned(),
        })
        .collect()
}

fn groups(session: &Session) -> Vec<GroupView> {
    let mut groups = Vec::new();
    for group in Group::ALL {
        let of_group: Vec<&Found> = session
            .experiments
            .iter()
            .filter(|found| found.group == group.key())
            .collect();
        if of_group.is_empty() {
            continue;
        }
        groups.push(GroupView {
            key: group.key().to_owned(),
            heading: group.heading(),
            published_on: group.published_on().map(str::to_owned),
            means: if group.has_mean() {
                means(session, &of_group)
            } else {
                Vec::new()
            },
            experiments: of_group
                .iter()
                .map(|found| experiment(session, found))
                .collect(),
            plots: Vec::new(),
        });
    }
    groups
}

fn means(session: &Session, of_group: &[&Found]) -> Vec<String> {
    let one = |(at, other): (usize, &VmInfo)| {
        let lines = of_group.iter().flat_map(|found| &found.lines);
        let ratios: Vec<f64> = lines
            .filter_map(|line| Some(line.ratios[at]?.median))
            .collect();
        let mean = statistics::geometric_mean(&ratios)?;
        Some(format!(
            "{mean:.2} times the speed of {} (geometric mean of {})",
            other.name,
            ratios.len()
        ))
    };
    let others = session.vms[1..].iter().enumerate();
    others.filter_map(one).collect()
}

fn experiment(session: &Session, found: &Found) -> ExperimentView {
    let mut commands = Vec::new();
    let mut accounts = Vec::new();
    for cell in &found.cells {
        for (on, vm) in cell.on.iter().zip(&session.vms) {
            let name = show::cell_name(found, cell);
            commands.push(CommandView {
                name: name.clone(),
                vm: vm.name.clone(),
                command: on.command.clone(),
            });
            if !on.runs.is_empty() {
                accounts.push(account(name, vm, on));
            }
        }
    }
    ExperimentView {
        key: found.key.clone(),
        anchor: found.key.replace('/', "-"),
        about: found.about.clone(),
        has_published: found.lines.iter().any(|line| line.published.is_some()),
        lines: found
            .lines
            .iter()
            .map(|line| one_line(found, line))
            .collect(),
        commands,
        accounts,
        plots: Vec::new(),
    }
}

fn one_line(found: &Found, line: &Line) -> LineView {
    LineView {
        name: show::line_name(found, line),
        figure: line.figure.clone(),
        unit: show::unit(line.unit).to_owned(),
        values: line
            .on
            .iter()
            .map(|measured| value(line, measured))
            .collect(),
        ratios: line
            .ratios
            .iter()
            .map(|found| ratio(line, *found))
            .collect(),
        published: line
            .published
            .map_or_else(String::new, |published| show::number(line.unit, published)),
        note: line.published_note.clone(),
        noisy: line.is_noisy(),
    }
}

fn value(line: &Line, measured: &Measured) -> ValueView {
    match measured {
        Measured::Summary(summary) => {
            let shown = |number| show::number(line.unit, number);
            let (least, most) = (shown(summary.least), shown(summary.most));
            ValueView {
                text: shown(summary.median),
                range: if least == most {
                    String::new()
                } else {
                    format!("{least}–{most}")
                },
                failure: String::new(),
            }
        }
        Measured::Failure(why) => ValueView {
            text: "failed".to_owned(),
            range: String::new(),
            failure: why.clone(),
        },
    }
}

fn ratio(line: &Line, ratio: Option<statistics::Ratio>) -> RatioView {
    let Some(ratio) = ratio else {
        let text = if line.better == Better::Neither {
            ""
        } else {
            "–"
        };
        return RatioView {
            text: text.to_owned(),
            verdict: String::new(),
            class: String::new(),
        };
    };
    RatioView {
        text: show::ratio(&ratio),
        verdict: show::verdict(ratio.verdict).to_owned(),
        class: match ratio.verdict {
            Verdict::Better => "better",
            Verdict::Worse => "worse",
            Verdict::CannotTell | Verdict::TooFew => "unclear",
        }
        .to_owned(),
    }
}

fn account(name: String, vm: &VmInfo, on: &OnVm) -> AccountView {
    let median = |of: fn(&Run) -> f64| {
        let numbers: Vec<f64> = on.runs.iter().map(of).collect();
        statistics::summary(&numbers).map_or(0.0, |summary| summary.median)
    };
    let seconds = |number: f64| format!("{number:.2} s");
    let count = |number: f64| show::grouped(number as i64);
    let names: Vec<String> = on
        .threads
        .iter()
        .map(|(name, count)| format!("{count} {name}"))
        .collect();
    let calls: Vec<String> = on
        .calls
        .iter()
        .map(|(call, count)| format!("{call} {}", show::grouped(*count as i64)))
        .collect();
    AccountView {
        name,
        vm: vm.name.clone(),
        wall: seconds(median(|run| run.wall_s)),
        cpu: format!(
            "{} + {}",
            seconds(median(|run| run.user_s)),
            seconds(median(|run| run.system_s))
        ),
        peak: megabytes(median(|run| run.peak_resident_bytes as f64)),
        steady: megabytes(median(|run| run.steady_resident_bytes as f64)),
        switches: format!(
            "{} + {}",
            count(median(|run| run.voluntary_switches as f64)),
            count(median(|run| run.involuntary_switches as f64))
        ),
        faults: count(median(|run| (run.minor_faults + run.major_faults) as f64)),
        io: format!(
            "{} + {}",
            count(median(|run| run.read_calls as f64)),
            count(median(|run| run.write_calls as f64))
        ),
        threads: count(median(|run| run.threads as f64)),
        thread_names: names.join(", "),
        others: format!("{:.1}", median(|run| run.others_cpus)),
        calls: calls.join(", "),
        load: load(&on.load),
    }
}

/// The average load of all processors, and the average number of runnable threads.
fn load(samples: &[Load]) -> String {
    let cores: Vec<&CoreLoad> = samples.iter().flat_map(|sample| &sample.cores).collect();
    if cores.is_empty() {
        return String::new();
    }
    let mean = |of: fn(&CoreLoad) -> f32| {
        cores.iter().map(|core| of(core)).sum::<f32>() / cores.len() as f32
    };
    let runnable: f64 = samples
        .iter()
        .map(|sample| f64::from(sample.runnable))
        .sum();
    format!(
        "user {:.0} %, nice {:.0}, system {:.0}, iowait {:.0}, irq {:.0}, soft {:.0}, steal {:.0}; run queue {:.1}",
        mean(|core| core.user),
        mean(|core| core.nice),
        mean(|core| core.system),
        mean(|core| core.iowait),
        mean(|core| core.irq),
        mean(|core| core.soft),
        mean(|core| core.steal),
        runnable / samples.len() as f64
    )
}

fn gigabytes(bytes: u64) -> String {
    format!("{:.1} GB", bytes as f64 / 1e9)
}

fn megabytes(bytes: f64) -> String {
    if bytes >= 10e9 {
        return format!("{:.1} GB", bytes / 1e9);
    }
    format!("{:.0} MB", bytes / 1e6)
}
