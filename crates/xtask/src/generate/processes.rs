//! Scenarios of many processes, by seed (`tests/generators/processes.erl`), on ferl and on stock.
//!
//! Their outcome follows from the language, so each machine tells by itself what is wrong; and both must print the
//! same. Stock 25.2 once ended by signal 11, and once found something wrong. It then goes on with the next scenario,
//! and ferl must do the one left out without stock's answer. The first one in which ferl does not is cut down to the
//! steps that it needs to fail, if it fails again when it is played a few times. With `--delays`, threads of ferl are
//! delayed between the steps of protocols (`runtime::process::sync::delays`), which the machine under test must have
//! been built for.

use super::place;
use super::shrink::{self, ShrinkOption};
use super::steps::{self, Scenario};
use crate::compile::{self, Compiler};
use crate::stock::ReleaseOption;
use crate::under_test::UnderTest;
use anyhow::{Result, bail};
use std::path::Path;
use std::process::ExitCode;
use std::thread;
use std::time::Duration;
use watch::{Invocation, Outcome};

/// Scenarios that one machine runs, one after the other.
const BATCH: u32 = 50;

/// Seconds that stock may take for a batch; it takes about ten. And how often it may fail in one: come to a stand, end,
/// or find something wrong.
const STOCK_SECONDS: u64 = 120;
const FAILURES: usize = 3;

/// How a scenario's line ends if all was right.
const NOTHING_WRONG: &str = ", 0 wrong";

/// Numbers of steps in a scenario: 100 for each of at most 8 actors, though most have less. And how often each choice
/// of steps is played, because what fails may depend on schedulers.
const STEPS: u32 = 800;
const TIMES: usize = 4;

/// The versions of the module that scenarios load and purge.
const VERSIONS: u32 = 3;

#[derive(clap::Args)]
pub(crate) struct ProcessesOptions {
    #[command(flatten)]
    under_test: UnderTest,
    #[command(flatten)]
    release: ReleaseOption,
    #[command(flatten)]
    shrink: ShrinkOption,
    /// The number of the first scenario.
    #[arg(long, default_value_t = 1)]
    seed: u32,
    /// Scenarios to run.
    #[arg(long, value_name = "N", default_value_t = 50)]
    count: u32,
    /// Delay threads between the steps of protocols, by this seed above 0 (FERL_DELAYS). The machine under test must
    /// have been built with the feature `delays`.
    #[arg(long, value_name = "SEED")]
    delays: Option<u32>,
    /// Seconds that a batch of scenarios may take.
    #[arg(long, value_name = "SECONDS", default_value_t = 600)]
    timeout: u64,
}

pub(super) fn run(options: &ProcessesOptions) -> Result<ExitCode> {
    let Some(stock) = options.release.stock()? else {
        return Ok(ExitCode::SUCCESS);
    };
    let place = place::of("processes", &stock)?;
    compile_all(&stock.compiler, &place)?;
    let ferl = options.under_test.path()?;
    let on_ferl = || {
        let mut machine = stock.booted_by(options.under_test.invocation(&ferl, &place));
        if let Some(seed) = options.delays {
            machine = machine.env("FERL_DELAYS", &seed.to_string());
        }
        machine
    };
    let (mut scenarios, mut differ) = (0, 0);
    let end = options.seed.saturating_add(options.count);
    let mut from = options.seed;
    while from < end {
        let count = BATCH.min(end - from);
        let (wanted, found) = thread::scope(|scope| {
            let wanted = scope.spawn(|| of_stock(&stock.erl, from, count, &place));
            let found = outcome(on_ferl(), from, count, options.timeout, &place);
            let wanted = wanted.join().unwrap_or_else(|_| bail!("a thread died"));
            anyhow::Ok((wanted?, found?))
        })?;
        if !compare(&wanted, &found) {
            differ += 1;
            if let Some(number) = first_missing(&wanted, &found)
                && differ as usize <= shrink::MOST
                && !options.shrink.time().is_zero()
            {
                let scenario = Scenario {
                    module: "processes",
                    number,
                    steps: STEPS,
                    place: &place,
                    timeout: Duration::from_secs(options.timeout),
                };
                cut_down(&scenario, &options.shrink, &on_ferl)?;
            }
        }
        scenarios += count;
        from += count;
    }
    println!("{scenarios} scenarios, {differ} batches differ");
    Ok(ExitCode::from(u8::from(differ > 0)))
}

fn compile_all(compiler: &Compiler, place: &Path) -> Result<()> {
    compile::generator(compiler, "processes", place)?;
    for version in 1..=VERSIONS {
        let define = format!("-DVERSION={version}");
        let place = place.join(version.to_string());
        compile::generator_with(compiler, &[define], "versions", &place)?;
    }
    Ok(())
}

/// The lines about scenarios that stock prints; none for those in which it fails.
fn of_stock(stock: &Path, first: u32, count: u32, place: &Path) -> Result<Vec<String>> {
    let mut lines = Vec::new();
    let (mut from, end) = (first, first + count);
    let mut failures = 0;
    while from < end {
        let machine = Invocation::new(stock, place);
        let outcome = outcome(machine, from, end - from, STOCK_SECONDS, place)?;
        let said = of_scenarios(&outcome);
        from += u32::try_from(said.len())?;
        if !outcome.end.is_success() {
            print_complaints(&outcome);
        }
        failures += keep_right_ones(said, &mut lines);
        if from < end {
            println!(
                "stock fails in scenario {from} ({}), which is not compared",
                outcome.end
            );
            failures += 1;
            from += 1;
        }
        if failures > FAILURES {
            bail!(
                "stock fails in {failures} of {count} scenarios: {}: {}",
                outcome.end,
                outcome.last_words(3)
            );
        }
    }
    Ok(lines)
}

/// Adds those of stock's lines that say that nothing was wrong, and counts the others.
fn keep_right_ones(said: Vec<String>, lines: &mut Vec<String>) -> usize {
    let (right, wrong): (Vec<String>, Vec<String>) = said
        .into_iter()
        .partition(|line| line.ends_with(NOTHING_WRONG));
    for line in &wrong {
        println!("stock finds something wrong, which is not compared: {line}");
    }
    lines.extend(right);
    wrong.len()
}

/// What a machine says beside its lines about scenarios.
fn print_complaints(outcome: &Outcome) {
    let text = String::from_utf8_lossy(&outcome.stdout);
    let complaints = text
        .lines()
        .filter(|line| line.starts_with(|first: char| first.is_uppercase()));
    for line in complaints {
        let shown: String = line.chars().take(2000).collect();
        println!("{shown}");
    }
}

fn outcome(
    machine: Invocation,
    first: u32,
    count: u32,
    seconds: u64,
    place: &Path,
) -> Result<Outcome> {
    machine
        .timeout(Duration::from_secs(seconds))
        .arg("-noshell")
        .arg("-pa")
        .arg(place)
        .args(["-s", "processes", "start", "-extra"])
        .args([first.to_string(), count.to_string()])
        .run()
}

/// The lines that begin with the number of a scenario.
fn of_scenarios(outcome: &Outcome) -> Vec<String> {
    let is_of_scenario = |line: &&str| {
        let number = line.split(':').next().unwrap_or_default();
        number.parse::<u32>().is_ok()
    };
    let text = String::from_utf8_lossy(&outcome.stdout);
    text.lines()
        .filter(is_of_scenario)
        .map(str::to_owned)
        .collect()
}

/// Whether ferl found nothing wrong, and says of each scenario what stock does; prints what is not so.
fn compare(wanted: &[String], found: &Outcome) -> bool {
    let is_right = found.end.is_success();
    if !is_right {
        println!("ferl: {}: {}", found.end, found.last_words(3));
        print_complaints(found);
    }
    let found = of_scenarios(found);
    let missing: Vec<&String> = wanted.iter().filter(|line| !found.contains(line)).collect();
    for line in &missing {
        println!("only stock: {line}");
    }
    is_right && missing.is_empty()
}

/// The first scenario of which ferl does not say what stock does.
fn first_missing(wanted: &[String], found: &Outcome) -> Option<u32> {
    let found = of_scenarios(found);
    let line = wanted.iter().find(|line| !found.contains(line))?;
    line.split(':').next()?.parse().ok()
}

/// Finds the steps that a scenario needs to fail, and prints them.
fn cut_down(
    scenario: &Scenario,
    option: &ShrinkOption,
    on_ferl: &dyn Fn() -> Invocation,
) -> Result<()> {
    let outcome = scenario.cut_down(option, |lists| {
        let often: Vec<&str> = lists.iter().flat_map(|list| [*list; TIMES]).collect();
        let played = scenario.play(on_ferl, &often)?;
        let is_wrong = |lines: &Option<Vec<String>>| {
            let is_right = |line: &String| line.ends_with(NOTHING_WRONG);
            !lines
                .as_ref()
                .is_some_and(|lines| lines.iter().any(is_right))
        };
        Ok(played
            .chunks(TIMES)
            .map(|times| times.iter().any(is_wrong))
            .collect())
    })?;
    match outcome {
        None => println!(
            "Scenario {} does not fail when it is played again, so it is not cut down.",
            scenario.number
        ),
        Some(outcome) => println!(
            "Scenario {} fails with {} steps ({outcome}): {}",
            scenario.number,
            steps::count(&outcome.smallest.text),
            scenario.command(&outcome.smallest.text)
        ),
    }
    Ok(())
}
