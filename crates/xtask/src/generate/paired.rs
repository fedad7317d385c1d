//! Scenarios that a module of `tests/generators` runs by their numbers, on ferl and on stock: what both print of each must be the same.
//!
//! A line begins with the number of its scenario. Where ferl differs, stock runs the scenario once more: what stock itself leaves open
//! is not compared, but counted. A machine that dies goes on with the next scenario.

use crate::compile;
use crate::stock::ReleaseOption;
use crate::under_test::UnderTest;
use anyhow::{Result, bail};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;
use std::thread;
use std::time::{Duration, Instant};
use watch::Invocation;

/// Differing scenarios that are shown.
const MOST_SHOWN: u32 = 10;

#[derive(clap::Args)]
pub struct PairedOptions {
    #[command(flatten)]
    under_test: UnderTest,
    #[command(flatten)]
    release: ReleaseOption,
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
pub struct Scenarios {
    /// In `tests/generators`; its `start/0` gets the first number and the count.
    pub module: &'static str,
    /// Other modules that it needs.
    pub beside: &'static [&'static str],
    /// Scenarios that one machine runs, one after the other.
    pub batch: u32,
}

/// The lines of each scenario.
type Said = BTreeMap<u32, Vec<String>>;

pub fn run(scenarios: &Scenarios, options: &PairedOptions) -> Result<ExitCode> {
    let Some(stock) = options.release.stock()? else {
        return Ok(ExitCode::SUCCESS);
    };
    let place = super::place(scenarios.module, &stock)?;
    for module in [scenarios.module].iter().chain(scenarios.beside) {
        compile::generator(&stock.compiler, module, &place)?;
    }
    let ferl = options.under_test.path()?;
    let on_stock = || Invocation::new(&stock.erl, &place);
    let on_ferl = || stock.booted_by(options.under_test.invocation(&ferl, &place));
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
        }
        ran += count;
        from += count;
    }
    println!(
        "{ran} scenarios, {differ} differ, {open} that stock does not do alike twice, {failed} that stock does not do"
    );
    Ok(ExitCode::from(u8::from(differ > 0)))
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
        let mut said = read(&outcome.stdout);
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

/// The lines that begin with the number of a scenario.
fn read(stdout: &[u8]) -> Said {
    let mut said = Said::new();
    for line in String::from_utf8_lossy(stdout).lines() {
        let number = line
            .split_once(": ")
            .and_then(|(number, _)| number.parse().ok());
        if let Some(number) = number {
            said.entry(number).or_default().push(line.to_owned());
        }
    }
    said
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_belong_to_the_scenario_that_they_begin_with() {
        let said = read(b"1: a\nnoise\n2: b\n2: c: d\nx: y\n");
        assert_eq!(said[&1], ["1: a"]);
        assert_eq!(said[&2], ["2: b", "2: c: d"]);
        assert_eq!(said.len(), 2);
    }
}
