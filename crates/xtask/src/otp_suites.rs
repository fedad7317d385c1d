//! `cargo xtask otp-suites`: what OTP's own test suites say of ferl beside stock. It counts results that runs of the
//! suites have left, and does not run them: lines `AREA/SUITE CASE STATUS ...`, as docs/otp-suites.md says.
//!
//! `tests/otp-suites.txt` says of each case that stock passes and ferl does not why that is, on which releases, and
//! whether it counts. A case that fails without a line there is an error, so that none is forgotten.

use crate::project;
use anyhow::{Context, Result, bail};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Where the reasons stand.
const REASONS: &str = "tests/otp-suites.txt";

#[derive(clap::Args)]
pub(crate) struct OtpSuitesOptions {
    /// The release of OTP whose suites were run.
    #[arg(long, value_name = "N", default_value_t = ::stock::RELEASE)]
    release: u8,
    /// Results of stock.
    #[arg(long)]
    stock: PathBuf,
    /// Results of ferl; those of a later file replace those of an earlier one.
    #[arg(long, required = true, num_args = 1..)]
    ferl: Vec<PathBuf>,
}

/// Why ferl does not pass a case that stock passes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Kind {
    /// The case looks inside stock's machine, at parts that ferl has not.
    Inside,
    /// The host lacks what the case needs; stock does not pass it there either.
    Host,
    /// ferl differs on purpose.
    Meant,
    /// The case asks for an order or a time that nobody promises; it passes now and then.
    Chance,
    /// ferl should pass it.
    Fault,
}

impl Kind {
    const ALL: [(&'static str, Kind); 5] = [
        ("inside", Kind::Inside),
        ("host", Kind::Host),
        ("meant", Kind::Meant),
        ("chance", Kind::Chance),
        ("fault", Kind::Fault),
    ];

    fn counts(self) -> bool {
        matches!(self, Kind::Chance | Kind::Fault)
    }
}

/// The results of runs: what became of each case, by `AREA/SUITE:CASE`.
type Results = BTreeMap<String, String>;

/// The reasons, by `AREA/SUITE:CASE`; a `*` at the end stands for any rest.
type Reasons = BTreeMap<String, Kind>;

pub(crate) fn run(options: &OtpSuitesOptions) -> Result<ExitCode> {
    let read = |path: &Path| {
        fs::read_to_string(path).with_context(|| format!("{}: no results", path.display()))
    };
    let reasons = read_reasons(&read(&project::root().join(REASONS))?, options.release)?;
    let stock = read_results(&read(&options.stock)?);
    let mut ferl = Results::new();
    for path in &options.ferl {
        ferl.extend(read_results(&read(path)?));
    }
    let report = Report::of(&stock, &ferl, &reasons);
    report.print();
    Ok(ExitCode::from(u8::from(!report.unexplained.is_empty())))
}

fn read_results(text: &str) -> Results {
    let mut results = Results::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let mut words = line.split(' ');
        if let (Some(suite), Some(case), Some(status)) = (words.next(), words.next(), words.next())
        {
            results.insert(format!("{suite}:{case}"), status.to_owned());
        }
    }
    results
}

/// The reasons that count for this release. After the kind, and an `@`, a line may say for which releases it is; others
/// are for all.
fn read_reasons(text: &str, release: u8) -> Result<Reasons> {
    let mut reasons = Reasons::new();
    for (number, line) in text.lines().enumerate() {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        let mut words = line.splitn(3, ' ');
        let (case, kind) = (
            words.next().unwrap_or_default(),
            words.next().unwrap_or_default(),
        );
        let (Some((kind, releases)), Some(_)) = (read_kind(kind), words.next()) else {
            bail!(
                "{REASONS}:{}: not AREA/SUITE:CASE KIND[@RELEASE,...] REASON: {line}",
                number + 1
            );
        };
        if !releases.is_empty() && !releases.contains(&release) {
            continue;
        }
        if reasons.insert(case.to_owned(), kind).is_some() {
            bail!("{REASONS}:{}: {case} stands there twice", number + 1);
        }
    }
    Ok(reasons)
}

/// A kind, and the releases that it is for; none stand for all.
fn read_kind(word: &str) -> Option<(Kind, Vec<u8>)> {
    let (name, releases) = match word.split_once('@') {
        Some((name, releases)) => (name, Some(releases)),
        None => (word, None),
    };
    let (_, kind) = Kind::ALL.iter().find(|(known, _)| *known == name)?;
    let numbers = releases.into_iter().flat_map(|list| list.split(','));
    let releases: Option<Vec<u8>> = numbers.map(|number| number.parse().ok()).collect();
    Some((*kind, releases?))
}

/// The reason that covers a case: its own, or one with a `*`.
fn reason<'r>(reasons: &'r Reasons, case: &str) -> Option<(&'r str, Kind)> {
    let covers = |name: &str| match name.strip_suffix('*') {
        Some(start) => case.starts_with(start),
        None => name == case,
    };
    let mut all = reasons.iter();
    all.find(|(name, _)| covers(name))
        .map(|(name, kind)| (name.as_str(), *kind))
}

/// What is counted of one area.
#[derive(Default, Debug, PartialEq, Eq)]
struct Counts {
    stock_passes: usize,
    not_run: usize,
    left_out: BTreeMap<Kind, usize>,
    counted: usize,
    passed: usize,
}

#[derive(Default)]
struct Report {
    areas: BTreeMap<String, Counts>,
    /// Cases that fail without a reason, and what became of them.
    unexplained: Vec<(String, String)>,
    /// Reasons whose cases all pass.
    needless: BTreeSet<String>,
}

impl Report {
    fn of(stock: &Results, ferl: &Results, reasons: &Reasons) -> Report {
        let mut report = Report::default();
        let mut needed = BTreeSet::new();
        let mut seen = BTreeSet::new();
        for (case, _) in stock.iter().filter(|(_, status)| *status == "ok") {
            let area = case.split('/').next().unwrap_or_default();
            let counts = report.areas.entry(area.to_owned()).or_default();
            counts.stock_passes += 1;
            let Some(status) = ferl.get(case) else {
                counts.not_run += 1;
                continue;
            };
            let passes = status == "ok";
            let reason = reason(reasons, case);
            if let Some((name, _)) = reason {
                seen.insert(name);
                if !passes {
                    needed.insert(name);
                }
            }
            if let Some((_, kind)) = reason.filter(|(_, kind)| !kind.counts()) {
                *counts.left_out.entry(kind).or_default() += 1;
                continue;
            }
            counts.counted += 1;
            counts.passed += usize::from(passes);
            if !passes && reason.is_none() {
                report.unexplained.push((case.clone(), status.clone()));
            }
        }
        report.needless = seen
            .difference(&needed)
            .map(|&name| name.to_owned())
            .collect();
        report
    }

    fn print(&self) {
        println!(
            "| area | stock passes | not run | inside | host | meant | counted | ferl passes | |"
        );
        println!("|---|--:|--:|--:|--:|--:|--:|--:|--:|");
        let mut total = Counts::default();
        for (area, counts) in &self.areas {
            counts.print(area);
            total.add(counts);
        }
        total.print("all");
        for (case, status) in &self.unexplained {
            println!("NO REASON {case} {status}");
        }
        for name in &self.needless {
            println!("PASSES    {name}");
        }
    }
}

impl Counts {
    fn add(&mut self, other: &Counts) {
        self.stock_passes += other.stock_passes;
        self.not_run += other.not_run;
        self.counted += other.counted;
        self.passed += other.passed;
        for (kind, count) in &other.left_out {
            *self.left_out.entry(*kind).or_default() += count;
        }
    }

    fn print(&self, name: &str) {
        let left_out = |kind| self.left_out.get(&kind).copied().unwrap_or(0);
        println!(
            "| {name} | {} | {} | {} | {} | {} | {} | {} | {:.2} % |",
            self.stock_passes,
            self.not_run,
            left_out(Kind::Inside),
            left_out(Kind::Host),
            left_out(Kind::Meant),
            self.counted,
            self.passed,
            100.0 * self.passed as f64 / self.counted.max(1) as f64,
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STOCK: &str = "# a note\na/x_SUITE one ok [1ms]\na/x_SUITE two ok\na/x_SUITE three ok\na/x_SUITE four fail why\n\
        b/y_SUITE g/one ok\nb/y_SUITE g/two ok\nb/z_SUITE one ok\n";
    const FERL: &str = "a/x_SUITE one ok\na/x_SUITE two fail why\na/x_SUITE three timeout\nb/y_SUITE g/one fail\n\
        b/y_SUITE g/two ok\n";

    fn counts(
        stock_passes: usize,
        not_run: usize,
        inside: usize,
        counted: usize,
        passed: usize,
    ) -> Counts {
        Counts {
            stock_passes,
            not_run,
            left_out: (inside > 0)
                .then_some((Kind::Inside, inside))
                .into_iter()
                .collect(),
            counted,
            passed,
        }
    }

    #[test]
    fn each_case_that_stock_passes_is_counted_once() {
        let reasons = read_reasons(
            "# why\na/x_SUITE:two fault because\nb/y_SUITE:g/* inside looks\n",
            25,
        )
        .unwrap();
        let report = Report::of(&read_results(STOCK), &read_results(FERL), &reasons);
        assert_eq!(report.areas["a"], counts(3, 0, 0, 3, 1));
        assert_eq!(report.areas["b"], counts(3, 1, 2, 0, 0));
        assert_eq!(
            report.unexplained,
            [("a/x_SUITE:three".to_owned(), "timeout".to_owned())]
        );
        assert!(report.needless.is_empty());
    }

    #[test]
    fn reasons_that_are_not_needed_are_told() {
        let reasons = read_reasons(
            "a/x_SUITE:one chance now and then\na/x_SUITE:three host slow\n",
            25,
        )
        .unwrap();
        let report = Report::of(&read_results(STOCK), &read_results(FERL), &reasons);
        assert_eq!(
            report.needless,
            BTreeSet::from(["a/x_SUITE:one".to_owned()])
        );
    }

    #[test]
    fn a_line_counts_for_the_releases_that_it_names() {
        let text = "a:b fault@27,29 x\na:b inside@25 y\na:c host z\n";
        let kinds = |release| -> Vec<Kind> {
            let reasons = read_reasons(text, release).unwrap();
            reasons.into_values().collect()
        };
        assert_eq!(kinds(25), [Kind::Inside, Kind::Host]);
        assert_eq!(kinds(27), [Kind::Fault, Kind::Host]);
        assert_eq!(kinds(28), [Kind::Host]);
    }

    #[test]
    fn lines_without_a_reason_are_refused() {
        for text in [
            "a/x_SUITE:one inside\n",
            "a/x_SUITE:one outside because\n",
            "a/x_SUITE:one inside@ because\n",
            "a/x_SUITE:one inside@27,later because\n",
            "a:b fault x\na:b fault y\n",
        ] {
            assert!(read_reasons(text, 25).is_err(), "{text}");
        }
    }

    #[test]
    fn the_list_of_this_project_can_be_read() {
        let text = fs::read_to_string(project::root().join(REASONS)).unwrap();
        for release in [25, 27, 29] {
            assert!(!read_reasons(&text, release).unwrap().is_empty());
        }
    }
}
