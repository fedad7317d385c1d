//! Random programs (`programs/grammar.rs`), compiled by stock's compiler and run on both machines.
//!
//! Programs run many to a machine; each says its name first, so that what differs is known by its name. The text of a
//! program that differs stays where the message says. `tests/generators/run.erl` is what they run with.

mod grammar;

use crate::{compile, project};
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

/// Programs to a machine.
const BATCH: u32 = 50;

#[derive(clap::Args)]
pub struct Options {
    /// The machine under test [default: target/release/ferl].
    #[arg(long, value_name = "PATH")]
    ferl: Option<PathBuf>,
    /// The number of the first program.
    #[arg(long, default_value_t = 1)]
    seed: u32,
    /// How many.
    #[arg(long, value_name = "N", default_value_t = 100)]
    count: u32,
    /// Run threaded code instead of machine code (`-emu_flavor emu`).
    #[arg(long)]
    emu: bool,
    /// Have the machine under test collect at every safepoint (FERL_COLLECT_ALWAYS=1).
    #[arg(long)]
    collect_always: bool,
    /// Schedulers of the machine under test: adds `+S N:N`.
    #[arg(long, value_name = "N")]
    schedulers: Option<u32>,
    /// Options of the compiler: `+no_type_opt`, `+r24`.
    #[arg(long, value_name = "OPTION", allow_hyphen_values = true)]
    erlc: Vec<String>,
    /// Lines of a difference that are shown.
    #[arg(long, value_name = "N", default_value_t = 12)]
    lines: usize,
}

pub fn run(options: &Options) -> Result<ExitCode> {
    let place = project::target().join("generated").join("programs");
    fs::create_dir_all(&place).with_context(|| place.display().to_string())?;
    let (erl, erlc) = (project::stock("erl")?, project::stock("erlc")?);
    let ferl = project::ferl(options.ferl.as_deref())?;
    let support = project::root().join("tests/generators/run.erl");
    let said = compile::batch(&erlc, &[], std::slice::from_ref(&support), &place)?;
    if !compile::beam_path(&support, &place).is_file() {
        bail!("{} does not compile:\n{said}", support.display());
    }
    let mut more: Vec<String> = Vec::new();
    if options.emu {
        more.extend(["-emu_flavor".into(), "emu".into()]);
    }
    if let Some(count) = options.schedulers {
        more.extend(["+S".into(), format!("{count}:{count}")]);
    }

    let progress = ProgressBar::new(u64::from(options.count));
    progress.set_style(ProgressStyle::with_template("{pos:>5}/{len} {bar:30}")?);
    let (mut lines, mut failed) = (0, 0);
    let mut from = options.seed;
    let end = options.seed.saturating_add(options.count);
    while from < end {
        let names: Vec<String> = (from..end.min(from + BATCH))
            .map(|seed| format!("p{seed}"))
            .collect();
        compile_batch(&erlc, &names, from, options, &place)?;
        let (wanted, found) = thread::scope(|scope| {
            let stock = scope.spawn(|| outputs(&erl, &[], &names, &place, false));
            let ours = outputs(&ferl, &more, &names, &place, options.collect_always);
            let stock = stock.join().unwrap_or_else(|_| bail!("a thread died"));
            anyhow::Ok((stock?, ours?))
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
                continue;
            }
            failed += 1;
            progress.suspend(|| {
                println!("DIFFERS {}", source.display());
                println!("{}", difference(&wanted, &found, options.lines));
            });
        }
        progress.inc(names.len() as u64);
        from = from.saturating_add(BATCH);
    }
    progress.finish_and_clear();
    println!(
        "{} programs, {lines} lines: {} passed, {failed} failed",
        options.count,
        options.count - failed
    );
    Ok(if failed == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn compile_batch(
    erlc: &Path,
    names: &[String],
    first: u32,
    options: &Options,
    place: &Path,
) -> Result<()> {
    let mut sources = Vec::new();
    for (name, seed) in names.iter().zip(u64::from(first)..) {
        let source = place.join(name).with_extension("erl");
        fs::write(&source, grammar::module(name, seed))
            .with_context(|| source.display().to_string())?;
        sources.push(source);
    }
    let mut flags = vec!["-W0".to_owned()];
    flags.extend(options.erlc.iter().cloned());
    let said = compile::batch(erlc, &flags, &sources, place)?;
    // One program that does not compile keeps erlc from those after it.
    let missing: Vec<&PathBuf> = sources
        .iter()
        .filter(|source| !compile::beam_path(source, place).is_file())
        .collect();
    if let Some(first) = missing.first() {
        bail!(
            "{} of {} programs do not compile, {} among them:\n{said}",
            missing.len(),
            names.len(),
            first.display()
        );
    }
    Ok(())
}

/// What each program printed. A program in which the machine died ends with how it died.
fn outputs(
    machine: &Path,
    flags: &[String],
    names: &[String],
    place: &Path,
    collect_always: bool,
) -> Result<BTreeMap<String, String>> {
    let mut outputs = BTreeMap::new();
    let mut left = names;
    while !left.is_empty() {
        let mut invocation = Invocation::new(machine, place)
            .timeout(Duration::from_secs(300))
            .args(flags)
            .args(["-noshell", "-s", "run", "start", "-extra"])
            .args(left);
        if collect_always {
            invocation = invocation.env("FERL_COLLECT_ALWAYS", "1");
        }
        let outcome = invocation.run()?;
        let text = String::from_utf8_lossy(&outcome.stdout).into_owned();
        let mut seen = 0;
        for part in text.split("program ").skip(1) {
            // The word may be in what a program prints.
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
