//! Random programs (`programs/grammar.rs`), compiled by stock's compiler and run on both machines.
//!
//! One machine runs many programs and prints the name of each before its output, so that a difference can be told by
//! name. The text of a program that differs is kept, and its path is printed; the first ones are cut down, and what is
//! left of each is written beside it. `tests/generators/run.erl` runs the programs.

mod grammar;

use super::place;
use super::shrink::{self, Limits, Made, ShrinkOption};
use crate::compile::{self, Compiler};
use crate::count::Count;
use crate::stock::{ReleaseOption, Stock};
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
pub(crate) struct ProgramsOptions {
    #[command(flatten)]
    under_test: UnderTest,
    #[command(flatten)]
    release: ReleaseOption,
    #[command(flatten)]
    shrink: ShrinkOption,
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

/// The two machines, and where programs are put.
struct Machines<'a> {
    options: &'a ProgramsOptions,
    stock: &'a Stock,
    ferl: PathBuf,
    place: PathBuf,
}

pub(crate) fn run(options: &ProgramsOptions) -> Result<ExitCode> {
    let Some(stock) = options.release.stock()? else {
        return Ok(ExitCode::SUCCESS);
    };
    let machines = Machines {
        options,
        stock: &stock,
        ferl: options.under_test.path()?,
        place: place::of("programs", &stock)?,
    };
    let place = &machines.place;
    compile::generator(&stock.compiler, "run", place)?;

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
            place,
            stock.release,
        )?;
        for (name, (wanted, found)) in names.iter().zip(machines.run(&names)?) {
            lines += wanted.lines().count();
            if wanted == found {
                remove(place, name);
                count.passed += 1;
                continue;
            }
            count.failed += 1;
            let report = machines.report(name, &wanted, &found, count.failed <= shrink::MOST)?;
            progress.suspend(|| println!("{report}"));
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

impl Machines<'_> {
    /// What stock and ferl print of each program.
    fn run(&self, names: &[String]) -> Result<Vec<(String, String)>> {
        let (mut wanted, mut found) = thread::scope(|scope| {
            let wanted =
                scope.spawn(|| outputs(names, || Invocation::new(&self.stock.erl, &self.place)));
            let found = outputs(names, || {
                let machine = self.options.under_test.invocation(&self.ferl, &self.place);
                self.stock.booted_by(machine)
            });
            let wanted = wanted.join().unwrap_or_else(|_| bail!("a thread died"));
            anyhow::Ok((wanted?, found?))
        })?;
        let of = |outputs: &mut BTreeMap<String, String>, name: &String| {
            outputs.remove(name).unwrap_or_default()
        };
        let both = |name| (of(&mut wanted, name), of(&mut found, name));
        Ok(names.iter().map(both).collect())
    }

    /// What is said of a program that differs. With `is_cut_down` it is, in the time that there is for it.
    fn report(&self, name: &str, wanted: &str, found: &str, is_cut_down: bool) -> Result<String> {
        let lines = self.options.lines;
        let source = self.place.join(name).with_extension("erl");
        let mut report = format!(
            "DIFFERS {}\n{}",
            source.display(),
            difference(wanted, found, lines)
        );
        if is_cut_down && !self.options.shrink.time().is_zero() {
            report.push('\n');
            report.push_str(&self.cut_down(name)?);
        }
        Ok(report)
    }

    /// Cuts a program down, and writes what is left beside it. Returns what is said of that.
    fn cut_down(&self, name: &str) -> Result<String> {
        let seed = name[1..].parse()?;
        let small = format!("{name}_small");
        let release = self.stock.release;
        let first = grammar::random(&small, seed, release);
        let before = first.text.lines().count();
        if !self.differ(&small, &[&first.text])?[0] {
            return Ok("It does not differ when it is run again, so it is not cut down.".into());
        }
        let limits = Limits {
            time: self.options.shrink.time(),
            batch: BATCH as usize,
        };
        let outcome = shrink::shrink(
            first,
            &limits,
            |record| grammar::recorded(&small, record, release),
            |texts| self.differ(&small, texts),
        )?;
        let source = self.place.join(&small).with_extension("erl");
        let text = &outcome.smallest.text;
        fs::write(&source, text).with_context(|| source.display().to_string())?;
        compile_each(
            &self.stock.compiler,
            std::slice::from_ref(&source),
            &self.options.erlc,
            &self.place,
            |refused, said| bail!("{} does not compile:\n{said}", refused.display()),
        )?;
        let (wanted, found) = self.run(&[small])?.remove(0);
        Ok(format!(
            "cut down from {before} lines to {} ({outcome}): {}\n{}",
            text.lines().count(),
            source.display(),
            difference(&wanted, &found, self.options.lines)
        ))
    }

    /// Whether the machines differ in each of these texts of a module. One that does not compile is none in which they
    /// do.
    fn differ(&self, module: &str, texts: &[&str]) -> Result<Vec<bool>> {
        let names: Vec<String> = (1..=texts.len())
            .map(|at| format!("{module}_{at}"))
            .collect();
        let mut sources = Vec::new();
        for (name, text) in names.iter().zip(texts) {
            let source = self.place.join(name).with_extension("erl");
            let named = text.replacen(
                &format!("-module({module})"),
                &format!("-module({name})"),
                1,
            );
            fs::write(&source, named).with_context(|| source.display().to_string())?;
            sources.push(source);
        }
        let compiler = &self.stock.compiler;
        let has_compiled = compile_each(
            compiler,
            &sources,
            &self.options.erlc,
            &self.place,
            |_, _| Ok(()),
        )?;
        let compiled: Vec<String> = (names.iter().zip(&has_compiled))
            .filter(|(_, has_compiled)| **has_compiled)
            .map(|(name, _)| name.clone())
            .collect();
        let mut differ = self
            .run(&compiled)?
            .into_iter()
            .map(|(wanted, found)| wanted != found);
        for name in &names {
            remove(&self.place, name);
        }
        let of_one = |has_compiled| has_compiled && differ.next() == Some(true);
        Ok(has_compiled.into_iter().map(of_one).collect())
    }
}

/// Removes a program and what it was compiled to.
fn remove(place: &Path, name: &str) {
    for extension in ["erl", "beam"] {
        let _ = fs::remove_file(place.join(name).with_extension(extension));
    }
}

/// What a compiler says that finds its own code wrong, as OTP 29's does for some exceptions within exceptions: no fault
/// of the program.
const COMPILERS_FAULT: &str = "Internal consistency check failed";

/// Writes the programs of consecutive seeds, for a release of OTP, into `place` and compiles them there. Returns the
/// names of those that compiled: all but those for which the compiler found a fault of its own.
pub(crate) fn compile_batch(
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
        let Made { text, .. } = grammar::random(name, seed, release);
        fs::write(&source, text).with_context(|| source.display().to_string())?;
        sources.push(source);
    }
    let has_compiled = compile_each(compiler, &sources, options, place, |refused, said| {
        if said.contains(COMPILERS_FAULT) {
            return Ok(());
        }
        bail!("{} does not compile:\n{said}", refused.display());
    })?;
    let compiled = names
        .iter()
        .zip(has_compiled)
        .filter(|(_, has_compiled)| *has_compiled);
    Ok(compiled.map(|(name, _)| name.clone()).collect())
}

/// Compiles programs, and says which have compiled. Each that has not is told to `refused`, with what the compiler
/// said.
fn compile_each(
    compiler: &Compiler,
    sources: &[PathBuf],
    options: &[String],
    place: &Path,
    refused: impl Fn(&Path, &str) -> Result<()>,
) -> Result<Vec<bool>> {
    let mut flags = vec!["-W0".to_owned()];
    flags.extend(options.iter().cloned());
    for source in sources {
        let _ = fs::remove_file(compile::beam_path(source, place));
    }
    let has_compiled = |source: &PathBuf| compile::beam_path(source, place).is_file();
    let mut left = sources;
    while !left.is_empty() {
        let said = compiler.batch(&flags, left, place)?;
        // `erlc` stops at the first program that does not compile, so those after it are missing too.
        let Some(first) = left.iter().position(|source| !has_compiled(source)) else {
            break;
        };
        refused(&left[first], &said)?;
        left = &left[first + 1..];
    }
    Ok(sources.iter().map(has_compiled).collect())
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

/// How two texts differ, in at most so many lines.
pub(crate) fn difference(wanted: &str, found: &str, lines: usize) -> String {
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
