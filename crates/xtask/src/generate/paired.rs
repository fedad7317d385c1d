//! Scenarios that a module of `tests/generators` runs by their numbers, on ferl and on stock: what both print of each
//! must be the same.
//!
//! A line begins with the number of its scenario. Where ferl differs, stock runs the scenario once more: what stock
//! itself leaves open is not compared, but counted. A machine that dies goes on with the next scenario. The first ones
//! that differ are cut down to the steps that they need for that.

use super::place;
use super::programs;
use super::shrink::{self, ShrinkOption};
use super::steps::{self, Said, Scenario};
use crate::compile;
use crate::project;
use crate::stock::{NIF_HEADER, ReleaseOption};
use crate::under_test::UnderTest;
use anyhow::{Result, bail};
use std::path::Path;
use std::process::ExitCode;
use std::thread;
use std::time::{Duration, Instant};
use watch::Invocation;

/// Differing scenarios that are shown.
const MOST_SHOWN: u32 = 10;

#[derive(clap::Args)]
pub(crate) struct PairedOptions {
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
    #[arg(long, value_name = "N", default_value_t = 1000)]
    count: u32,
    /// Go on with more scenarios until this time is over.
    #[arg(long, value_name = "N", default_value_t = 0)]
    minutes: u64,
    /// Seconds that a batch of scenarios may take on one machine.
    #[arg(long, value_name = "SECONDS", default_value_t = 300)]
    timeout: u64,
}

/// What is run.
pub(super) struct Scenarios {
    /// In `tests/generators`; its `start/0` gets the first number and the count.
    pub module: &'static str,
    /// Other modules that it needs.
    pub beside: &'static [&'static str],
    /// A native library in `tests/generators` that it needs.
    pub library: Option<&'static str>,
    /// Flags that only ferl gets.
    pub flags: &'static [&'static str],
    /// Scenarios that one machine runs, one after the other.
    pub batch: u32,
    /// How many steps a scenario has, if it can be cut down to some of them.
    pub steps: Option<u32>,
}

pub(super) fn run(scenarios: &Scenarios, options: &PairedOptions) -> Result<ExitCode> {
    let Some(stock) = options.release.stock()? else {
        return Ok(ExitCode::SUCCESS);
    };
    let place = place::of(scenarios.module, &stock)?;
    for module in [scenarios.module].iter().chain(scenarios.beside) {
        compile::generator(&stock.compiler, module, &place)?;
    }
    if let Some(library) = scenarios.library {
        if !crate::stock::headers()?.join(NIF_HEADER).is_file() {
            println!("LEFT OUT {}: {NIF_HEADER} is missing", scenarios.module);
            return Ok(ExitCode::SUCCESS);
        }
        let source = project::root().join("tests/generators").join(library);
        compile::library(&source.with_extension("c"), &place)?;
    }
    let ferl = options.under_test.path()?;
    let on_stock = || Invocation::new(&stock.erl, &place);
    let on_ferl = || {
        let invocation = options.under_test.invocation(&ferl, &place);
        stock.booted_by(invocation).args(scenarios.flags)
    };
    let began = Instant::now();
    let (mut ran, mut differ, mut open, mut failed) = (0, 0, 0, 0);
    let mut from = options.seed;
    while ran < options.count || began.elapsed() < Duration::from_secs(60 * options.minutes) {
        let count = match options.count.saturating_sub(ran) {
            0 => scenarios.batch,
            left => scenarios.batch.min(left),
        };
        let batch = |machine: &dyn Fn() -> Invocation, name: &str| {
            outcome(machine, name, scenarios, from, count, options, &place)
        };
        let (wanted, found) = thread::scope(|scope| {
            let wanted = scope.spawn(|| batch(&on_stock, "stock"));
            let found = batch(&on_ferl, "ferl");
            let wanted = wanted.join().unwrap_or_else(|_| bail!("a thread died"));
            anyhow::Ok((wanted?, found?))
        })?;
        for number in from..from + count {
            let (wanted, found) = (wanted.get(&number), found.get(&number));
            if wanted == found && wanted.is_some() {
                continue;
            }
            let Some(wanted) = wanted else {
                failed += 1;
                continue;
            };
            let again = outcome(&on_stock, "stock", scenarios, number, 1, options, &place)?;
            if again.get(&number) != Some(wanted) {
                open += 1;
                continue;
            }
            differ += 1;
            if differ <= MOST_SHOWN {
                show(number, wanted, found);
            }
            if let Some(steps) = scenarios.steps
                && differ as usize <= shrink::MOST
                && !options.shrink.time().is_zero()
            {
                let scenario = Scenario {
                    module: scenarios.module,
                    number,
                    steps,
                    place: &place,
                    timeout: Duration::from_secs(options.timeout),
                };
                cut_down(&scenario, &options.shrink, &on_stock, &on_ferl)?;
            }
        }
        ran += count;
        from += count;
    }
    println!(
        "{ran} scenarios, {differ} differ, {open} that stock does not do alike twice, {failed} that stock does not do"
    );
    Ok(ExitCode::from(u8::from(differ > 0)))
}

/// Lines of what is left of a scenario that are shown.
const LINES: usize = 30;

/// Finds the steps that a scenario needs to differ, and prints them with the difference.
fn cut_down(
    scenario: &Scenario,
    option: &ShrinkOption,
    on_stock: &(dyn Fn() -> Invocation + Sync),
    on_ferl: &dyn Fn() -> Invocation,
) -> Result<()> {
    let both = |lists: &[&str]| {
        thread::scope(|scope| {
            let wanted = scope.spawn(|| scenario.play(&on_stock, lists));
            let found = scenario.play(on_ferl, lists);
            let wanted = wanted.join().unwrap_or_else(|_| bail!("a thread died"));
            anyhow::Ok((wanted?, found?))
        })
    };
    let outcome = scenario.cut_down(option, |lists| {
        let (wanted, found) = both(lists)?;
        // What stock does not do alike twice is no difference.
        let again = scenario.play(&on_stock, lists)?;
        let differs = |at: usize| wanted[at] != found[at] && wanted[at] == again[at];
        Ok((0..lists.len()).map(differs).collect())
    })?;
    let Some(outcome) = outcome else {
        println!("  It does not differ when it is played again, so it is not cut down.");
        return Ok(());
    };
    let list = outcome.smallest.text.as_str();
    println!(
        "  cut down from {} steps to {} ({outcome}): {}",
        scenario.steps,
        steps::count(list),
        scenario.command(list)
    );
    let (wanted, found) = both(&[list])?;
    let text = |played: &[Option<Vec<String>>]| match &played[0] {
        Some(lines) => lines.iter().map(|line| format!("{line}\n")).collect(),
        None => "the machine ended\n".to_owned(),
    };
    println!(
        "{}",
        programs::difference(&text(&wanted), &text(&found), LINES)
    );
    Ok(())
}

/// Prints the first lines in which ferl differs.
fn show(number: u32, wanted: &[String], found: Option<&Vec<String>>) {
    let nothing = Vec::new();
    let found = found.unwrap_or(&nothing);
    let length = wanted.len().max(found.len());
    let at = (0..length).find(|&at| wanted.get(at) != found.get(at));
    println!("DIFFERS in {number}");
    for (name, lines) in [("stock", wanted), ("ferl ", found)] {
        let line = at.and_then(|at| lines.get(at));
        let line: String = line.map_or("nothing".into(), |line| line.chars().take(700).collect());
        println!("  {name}: {line}");
    }
}

/// What a machine prints of these scenarios.
fn outcome(
    machine: &dyn Fn() -> Invocation,
    name: &str,
    scenarios: &Scenarios,
    first: u32,
    count: u32,
    options: &PairedOptions,
    place: &Path,
) -> Result<Said> {
    let mut all = Said::new();
    let (mut from, end) = (first, first + count);
    while from < end {
        let outcome = machine()
            .timeout(Duration::from_secs(options.timeout))
            .arg("-noshell")
            .arg("-pa")
            .arg(place)
            .args(["-s", scenarios.module, "start", "-extra"])
            .args([from.to_string(), (end - from).to_string()])
            .run()?;
        let mut said = steps::read(&outcome.stdout);
        if outcome.end.is_success() {
            all.append(&mut said);
            break;
        }
        // What the last one has printed may not be all.
        let last = said.pop_last().map_or(from, |(number, _)| number.max(from));
        println!(
            "{name} fails in scenario {last}: {}: {}",
            outcome.end,
            outcome.last_words(2)
        );
        all.append(&mut said);
        from = last + 1;
    }
    Ok(all)
}
