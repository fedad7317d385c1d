//! Scenarios of many processes, by seed (`tests/generators/processes.erl`), on ferl and on stock.
//!
//! Their outcome follows from the language, so each machine tells by itself what is wrong; and both must print the same.
//! With `--delays`, threads of ferl are delayed between the steps of protocols (`runtime::sync::delays`), which the machine
//! under test must have been built for.

use crate::under_test::UnderTest;
use crate::{compile, project};
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::Path;
use std::process::ExitCode;
use std::thread;
use std::time::Duration;
use watch::Invocation;

/// Scenarios that one machine runs, one after the other.
const BATCH: u32 = 50;

/// The versions of the module that scenarios load and purge.
const VERSIONS: u32 = 3;

#[derive(clap::Args)]
pub struct ProcessesOptions {
    #[command(flatten)]
    under_test: UnderTest,
    /// The number of the first scenario.
    #[arg(long, default_value_t = 1)]
    seed: u32,
    /// Scenarios to run.
    #[arg(long, value_name = "N", default_value_t = 50)]
    count: u32,
    /// Delay threads between the steps of protocols, by this seed above 0 (FERL_DELAYS). The machine under test must have
    /// been built with the feature `delays`.
    #[arg(long, value_name = "SEED")]
    delays: Option<u32>,
    /// Seconds that a batch of scenarios may take.
    #[arg(long, value_name = "SECONDS", default_value_t = 600)]
    timeout: u64,
}

pub fn run(options: &ProcessesOptions) -> Result<ExitCode> {
    let place = project::target().join("generated").join("processes");
    compile_all(&place)?;
    let stock = project::stock("erl")?;
    let ferl = options.under_test.path()?;
    let (mut scenarios, mut differ) = (0, 0);
    let end = options.seed.saturating_add(options.count);
    let mut from = options.seed;
    while from < end {
        let count = BATCH.min(end - from);
        let (wanted, found) = thread::scope(|scope| {
            let wanted = scope.spawn(|| {
                output(
                    Invocation::new(&stock, &place),
                    from,
                    count,
                    options,
                    &place,
                )
            });
            let mut machine = options.under_test.invocation(&ferl, &place);
            if let Some(seed) = options.delays {
                machine = machine.env("FERL_DELAYS", &seed.to_string());
            }
            let found = output(machine, from, count, options, &place);
            let wanted = wanted.join().unwrap_or_else(|_| bail!("a thread died"));
            anyhow::Ok((wanted?, found?))
        })?;
        differ += u32::from(!compare(&wanted, &found));
        scenarios += count;
        from += count;
    }
    println!("{scenarios} scenarios, {differ} batches differ");
    Ok(ExitCode::from(u8::from(differ > 0)))
}

fn compile_all(place: &Path) -> Result<()> {
    fs::create_dir_all(place).with_context(|| place.display().to_string())?;
    compile::generator("processes", place)?;
    for version in 1..=VERSIONS {
        let define = format!("-DVERSION={version}");
        compile::generator_with(&[define], "versions", &place.join(version.to_string()))?;
    }
    Ok(())
}

/// What a machine prints for scenarios; where it fails, its output ends with how.
fn output(
    machine: Invocation,
    first: u32,
    count: u32,
    options: &ProcessesOptions,
    place: &Path,
) -> Result<String> {
    let outcome = machine
        .timeout(Duration::from_secs(options.timeout))
        .arg("-noshell")
        .arg("-pa")
        .arg(place)
        .args(["-s", "processes", "start", "-extra"])
        .args([first.to_string(), count.to_string()])
        .run()?;
    let mut text = String::from_utf8_lossy(&outcome.stdout).into_owned();
    if !outcome.end.is_success() {
        text.push_str(&format!("{}: {}\n", outcome.end, outcome.last_words(3)));
    }
    Ok(text)
}

/// Prints the lines that only one machine printed; returns whether there are none.
fn compare(wanted: &str, found: &str) -> bool {
    for (machine, lines, others) in [("ferl", found, wanted), ("stock", wanted, found)] {
        for line in lines.lines() {
            if !others.lines().any(|other| other == line) {
                let shown: String = line.chars().take(2000).collect();
                println!("only {machine}: {shown}");
            }
        }
    }
    wanted == found && !found.contains("WRONG")
}
