//! Random programs (`programs/grammar.rs`), compiled by stock's compiler and run on both machines.
//!
//! One machine runs many programs and prints the name of each before its output, so that a difference can be told by
//! name. The text of a program that differs is kept, and its path is printed. `tests/generators/run.erl` runs the programs.

mod grammar;

use crate::compile::{self, Compiler};
use crate::count::Count;
use crate::stock::ReleaseOption;
use crate::under_test::UnderTest;
use anyhow::{Context, Result, bail};
use indicatif::{ProgressBar, ProgressStyle};
use similar::TextDiff;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::thread;
use std::time::Duration;
use watch::Invocation;

/// Programs that one machine runs, one after the other.
const BATCH: u32 = 50;

#[derive(clap::Args)]
pub struct ProgramsOptions {
    #[command(flatten)]
    under_test: UnderTest,
    #[command(flatten)]
    release: ReleaseOption,
    /// The number of the first program.
    #[arg(long, default_value_t = 1)]
    seed: u32,
    /// Programs to run.
    #[arg(long, value_name = "N", default_value_t = 100)]
    count: u32,
    /// Options of the compiler: `+no_type_opt`, `+r24`.
    #[arg(long, value_name = "OPTION", allow_hyphen_values = true)]
    erlc: Vec<String>,
    /// Lines of a difference that are shown.
    #[arg(long, value_name = "N", default_value_t = 12)]
    lines: usize,
}

pub fn run(options: &ProgramsOptions) -> Result<ExitCode> {
    let Some(stock) = options.release.stock()? else {
        return Ok(ExitCode::SUCCESS);
    };
    let place = super::place("programs", &stock)?;
    let ferl = options.under_test.path()?;
    compile::generator(&stock.compiler, "run", &place)?;

    let progress = ProgressBar::new(u64::from(options.count));
    progress.set_style(ProgressStyle::with_template("{pos:>5}/{len} {bar:30}")?);
    let (mut lines, mut count) = (0, Count::default());
    let mut from = options.seed;
    let end = options.seed.saturating_add(options.count);
    while from < end {
        let batch: Vec<String> = (from..end.min(from + BATCH))
            .map(|seed| format!("p{seed}"))
            .collect();
        let names = compile_batch(
            &stock.compiler,
            &batch,
            from,
            &options.erlc,
            &place,
            stock.release,
        )?;
        let (wanted, found) = thread::scope(|scope| {
            let wanted = scope.spawn(|| outputs(&names, || Invocation::new(&stock.erl, &place)));
            let found = outputs(&names, || {
                stock.booted_by(options.under_test.invocation(&ferl, &place))
            });
            let wanted = wanted.join().unwrap_or_else(|_| bail!("a thread died"));
            anyhow::Ok((wanted?, found?))
        })?;
        for name in &names {
            let of =
                |outputs: &BTreeMap<String, String>| outputs.get(name).cloned().unwrap_or_default();
            let (wanted, found) = (of(&wanted), of(&found));
            lines += wanted.lines().count();
            let source = place.join(name).with_extension("erl");
            if wanted == found {
                for made in [source, place.join(name).with_extension("beam")] {
                    let _ = fs::remove_file(made);
                }
                count.passed += 1;
                continue;
            }
            count.failed += 1;
            progress.suspend(|| {
                println!("DIFFERS {}", source.display());
                println!("{}", difference(&wanted, &found, options.lines));
            });
        }
        progress.inc(batch.len() as u64);
        from = from.saturating_add(BATCH);
    }
    progress.finish_and_clear();
    let ran = count.passed + count.failed;
    let left_out = (end - options.seed) as usize - ran;
    if left_out > 0 {
        println!("{left_out} left out, for which stock's compiler found a fault of its own");
    }
    println!("{ran} programs, {lines} lines");
    println!("{count}");
    Ok(ExitCode::from(u8::from(count.failed > 0)))
}

/// What a compiler says that finds its own code wrong, as OTP 29's does for some exceptions within exceptions: no fault of the program.
const COMPILERS_FAULT: &str = "Internal consistency check failed";

/// Writes the programs of consecutive seeds, for a release of OTP, into `place` and compiles them there. Returns the names of those that
/// compiled: all but those for which the compiler found a fault of its own.
pub fn compile_batch(
    compiler: &Compiler,
    names: &[String],
    first: u32,
    options: &[String],
    place: &Path,
    release: u8,
) -> Result<Vec<String>> {
    let mut sources = Vec::new();
    for (name, seed) in names.iter().zip(u64::from(first)..) {
        let source = place.join(name).with_extension("erl");
        fs::write(&source, grammar::module(name, seed, release))
            .with_context(|| source.display().to_string())?;
        let _ = fs::remove_file(compile::beam_path(&source, place));
        sources.push(source);
    }
    let mut flags = vec!["-W0".to_owned()];
    flags.extend(options.iter().cloned());
    let has_compiled = |source: &PathBuf| compile::beam_path(source, place).is_file();
    let mut left = sources.as_slice();
    while !left.is_empty() {
        let said = compiler.batch(&flags, left, place)?;
        // `erlc` stops at the first program that does not compile, so those after it are missing too.
        let Some(refused) = left.iter().position(|source| !has_compiled(source)) else {
            break;
        };
        if !said.contains(COMPILERS_FAULT) {
            bail!("{} does not compile:\n{said}", left[refused].display());
        }
        left = &left[refused + 1..];
    }
    let compiled = names
        .iter()
        .zip(&sources)
        .filter(|(_, source)| has_compiled(source));
    Ok(compiled.map(|(name, _)| name.clone()).collect())
}

/// What each program printed. Where the machine died in a program, its output ends with how.
fn outputs(names: &[String], machine: impl Fn() -> Invocation) -> Result<BTreeMap<String, String>> {
    let mut outputs = BTreeMap::new();
    let mut left = names;
    while !left.is_empty() {
        let outcome = machine()
            .timeout(Duration::from_secs(300))
            .args(["-noshell", "-s", "run", "start", "-extra"])
            .args(left)
            .run()?;
        let text = String::from_utf8_lossy(&outcome.stdout).into_owned();
        let mut seen = 0;
        for part in text.split("program ").skip(1) {
            // A program may print that word itself.
            let Some((name, printed)) = part
                .split_once('\n')
                .filter(|(name, _)| left.get(seen).is_some_and(|next| next == name))
            else {
                if let Some(current) = seen
                    .checked_sub(1)
                    .and_then(|last| outputs.get_mut(&left[last]))
                {
                    let current: &mut String = current;
                    current.push_str(part);
                }
                continue;
            };
            outputs.insert(name.to_owned(), printed.to_owned());
            seen += 1;
        }
        if outcome.end.is_success() && seen == left.len() {
            break;
        }
        let died = left
            .get(seen.saturating_sub(1))
            .cloned()
            .unwrap_or_default();
        let said = outputs.entry(died).or_default();
        said.push_str(&format!("{}: {}\n", outcome.end, outcome.last_words(3)));
        left = &left[seen.max(1)..];
    }
    Ok(outputs)
}

fn difference(wanted: &str, found: &str, lines: usize) -> String {
    let whole = TextDiff::from_lines(wanted, found)
        .unified_diff()
        .context_radius(1)
        .header("stock", "ferl")
        .to_string();
    whole
        .lines()
        .take(lines)
        .map(|line| line.chars().take(600).collect::<String>())
        .collect::<Vec<_>>()
        .join("\n")
}
