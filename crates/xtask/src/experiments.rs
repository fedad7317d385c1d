//! `cargo xtask experiments`: the published experiments on ferl and on stock, side by side.
//!
//! Stock and ferl take turns in every round, so that a noisy minute of the host hits both; the figure
//! is the median of the rounds. A run that fails, hangs or eats the host is a result like any other.

mod plan;

use crate::{compile, project};
use anyhow::{Context, Result, bail};
use comfy_table::{Cell, CellAlignment, Table, presets};
use indicatif::{ProgressBar, ProgressStyle};
use plan::{Better, Figure, Row};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::thread;
use std::time::{Duration, Instant};
use watch::{Invocation, Next, Outcome, resident_bytes};

/// Long after a run should have ended, even on a busy host.
const WATCHDOG: Duration = Duration::from_secs(12);
const MEMORY_LIMIT_BYTES: u64 = 6 << 30;
/// After the last process waits, memory may still be settling.
const SETTLE: Duration = Duration::from_millis(200);

#[derive(clap::Args)]
pub struct Options {
    /// The machine under test [default: target/release/ferl].
    #[arg(long, value_name = "PATH")]
    ferl: Option<PathBuf>,
    /// One round at a tenth of the size: does it run, and roughly how fast.
    #[arg(long)]
    quick: bool,
    /// The sizes the authors published (takes minutes).
    #[arg(long, conflicts_with = "quick")]
    full: bool,
    /// Only rows whose name contains this.
    filter: Option<String>,
}

/// A measured figure, or why there is none.
type Measured = Result<f64, String>;

struct Machines {
    ferl: PathBuf,
    stock: PathBuf,
    /// The folder with the experiments' code, where they also run.
    folder: PathBuf,
    /// The programs of the compute set, by name.
    compute: Vec<String>,
}

pub fn run(options: &Options) -> Result<ExitCode> {
    let machines = prepare(options)?;
    let (rounds, size) = match (options.quick, options.full) {
        (true, _) => (1, plan::Size::Quick),
        (_, true) => (3, plan::Size::Published),
        _ => (3, plan::Size::Modest),
    };
    let mut rows = plan::rows(size);
    rows.extend(plan::compute_rows(&machines.compute));
    rows.retain(|row| {
        options
            .filter
            .as_ref()
            .is_none_or(|part| row.name.contains(part.as_str()))
    });
    if rows.is_empty() {
        bail!("no experiment matches");
    }
    let progress = ProgressBar::new((rows.len() * rounds * 2) as u64);
    progress.set_style(ProgressStyle::with_template(
        "{pos:>3}/{len} {elapsed:>4} {msg}",
    )?);

    let mut table = new_table();
    let mut failures = Vec::new();
    let mut computed = Vec::new();
    for row in &rows {
        let mut ferl = Vec::new();
        let mut stock = Vec::new();
        for round in 0..rounds {
            progress.set_message(format!("{} {} (round {})", row.name, row.flags, round + 1));
            let mut on_ferl = || {
                // One failure is told; repeating it would only cost the watchdog's time again.
                if !ferl.iter().any(Measured::is_err) {
                    ferl.push(measure(row, &machines.ferl, row.flags, &machines.folder));
                }
                progress.inc(1);
            };
            let mut on_stock = || {
                stock.push(measure(
                    row,
                    &machines.stock,
                    row.stock_flags,
                    &machines.folder,
                ));
                progress.inc(1);
            };
            if round % 2 == 0 {
                on_stock();
                on_ferl();
            } else {
                on_ferl();
                on_stock();
            }
        }
        let (ferl, stock) = (median(ferl), median(stock));
        if let Err(reason) = &ferl {
            failures.push(format!("{} {}: {reason}", row.name, row.flags));
        }
        if row.name.starts_with(plan::COMPUTE)
            && let (Ok(ferl), Ok(stock)) = (&ferl, &stock)
        {
            computed.push(stock / ferl);
        }
        add_row(&mut table, row, ferl, stock);
    }
    let took = progress.elapsed();
    progress.finish_and_clear();
    println!("{table}");
    println!(
        "Median of {rounds} {}, the machines taking turns; ratio above 1: ferl is better. {} s in all.",
        if rounds == 1 { "round" } else { "rounds" },
        took.as_secs()
    );
    if let Some((mean, least)) = summary(&computed) {
        println!(
            "Compute set: {} programs, geometric mean of the ratios {mean:.2}, least {least:.2}.",
            computed.len()
        );
    }
    let _ = fs::remove_dir_all(&machines.folder);
    for failure in &failures {
        println!("FAILED {failure}");
    }
    Ok(if failures.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn prepare(options: &Options) -> Result<Machines> {
    let ferl = project::ferl(options.ferl.as_deref())?;
    let stock = project::stock("erl")?;
    let folder = std::env::temp_dir().join(format!("xtask-experiments-{}", std::process::id()));
    let mut sources = Vec::new();
    for of in ["experiments", "experiments/compute"] {
        let entries = fs::read_dir(project::root().join(of)).context(of)?;
        sources.extend(
            entries
                .filter_map(|entry| Some(entry.ok()?.path()))
                .filter(|path| path.extension().is_some_and(|ending| ending == "erl")),
        );
    }
    let mut compute: Vec<String> = sources
        .iter()
        .filter_map(|path| Some(path.file_stem()?.to_str()?.strip_prefix("compute_")?.into()))
        .collect();
    compute.sort();
    let said = compile::batch(&project::stock("erlc")?, &[], &sources, &folder)?;
    if let Some(bad) = sources
        .iter()
        .find(|source| !compile::beam_path(source, &folder).is_file())
    {
        bail!("{} does not compile:\n{said}", bad.display());
    }
    Ok(Machines {
        ferl,
        stock,
        folder,
        compute,
    })
}

fn measure(row: &Row, machine: &Path, flags: &str, folder: &Path) -> Measured {
    let outcome = match &row.figure {
        Figure::BytesEach { few, many } => {
            return bytes_each(row, machine, flags, folder, *few, *many);
        }
        Figure::Boot => {
            let started = Instant::now();
            finish(invocation(row, machine, flags, folder, "").run())?;
            return Ok(started.elapsed().as_secs_f64());
        }
        Figure::Printed { .. } => finish(invocation(row, machine, flags, folder, "").run())?,
    };
    let Figure::Printed { before, scale, .. } = row.figure else {
        unreachable!("handled above")
    };
    let text = String::from_utf8_lossy(&outcome.stdout);
    let number = number_after(&text, before)
        .ok_or_else(|| format!("no figure in its output: {}", text.trim()))?;
    Ok(number * scale)
}

/// The slope of resident memory between few and many waiting processes: what is there without any
/// process cancels out.
fn bytes_each(
    row: &Row,
    machine: &Path,
    flags: &str,
    folder: &Path,
    few: u64,
    many: u64,
) -> Measured {
    let low = resident_with(row, machine, flags, folder, few)?;
    let high = resident_with(row, machine, flags, folder, many)?;
    Ok((high as f64 - low as f64) / (many - few) as f64)
}

fn resident_with(
    row: &Row,
    machine: &Path,
    flags: &str,
    folder: &Path,
    count: u64,
) -> Result<u64, String> {
    let mut resident = None;
    let outcome = invocation(row, machine, flags, folder, &count.to_string()).run_looking(|seen| {
        if seen.stdout.windows(9).any(|part| part == b"waiting: ") {
            thread::sleep(SETTLE);
            resident = resident_bytes(seen.process);
            return Next::Enough;
        }
        Next::GoOn
    });
    finish(outcome)?;
    resident.ok_or_else(|| "ended before its processes waited".to_owned())
}

fn invocation(row: &Row, machine: &Path, flags: &str, folder: &Path, last: &str) -> Invocation {
    let arguments = row.arguments.replace("COUNT", last);
    Invocation::new(machine, folder)
        .timeout(WATCHDOG * row.patience)
        .memory_limit_bytes(MEMORY_LIMIT_BYTES)
        .args(flags.split_ascii_whitespace())
        .arg("-noshell")
        .args(arguments.split_ascii_whitespace())
}

fn finish(outcome: Result<Outcome>) -> Result<Outcome, String> {
    let outcome = outcome.map_err(|error| format!("{error:#}"))?;
    if outcome.end.is_success() {
        return Ok(outcome);
    }
    Err(match outcome.first_complaint() {
        Some(complaint) => format!("{}: {complaint}", outcome.end),
        None => outcome.end.to_string(),
    })
}

fn number_after(text: &str, before: &str) -> Option<f64> {
    let rest = &text[text.find(before)? + before.len()..];
    let end = rest
        .find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | 'e' | '-' | '+')))
        .unwrap_or(rest.len());
    rest[..end].parse().ok()
}

fn median(mut figures: Vec<Measured>) -> Measured {
    if let Some(at) = figures.iter().position(Measured::is_err) {
        return figures.swap_remove(at);
    }
    let mut numbers: Vec<f64> = figures.into_iter().flatten().collect();
    numbers.sort_by(f64::total_cmp);
    numbers
        .get(numbers.len() / 2)
        .copied()
        .ok_or_else(|| "not run".to_owned())
}

/// The geometric mean and the least of ratios, if there are any.
fn summary(ratios: &[f64]) -> Option<(f64, f64)> {
    let least = ratios.iter().copied().min_by(f64::total_cmp)?;
    let logarithms: f64 = ratios.iter().map(|ratio| ratio.ln()).sum();
    Some(((logarithms / ratios.len() as f64).exp(), least))
}

fn new_table() -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(["experiment", "flags", "unit", "ferl", "stock", "ratio"]);
    for column in 3..6 {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}

fn add_row(table: &mut Table, row: &Row, ferl: Measured, stock: Measured) {
    let shown = |figure: &Measured| match figure {
        Ok(number) => row.figure.show(*number),
        Err(_) => "failed".to_owned(),
    };
    let ratio = match (&ferl, &stock) {
        (Ok(ferl), Ok(stock)) if *ferl > 0.0 && *stock > 0.0 => match row.figure.better() {
            Better::Less => format!("{:.2}", stock / ferl),
            Better::More => format!("{:.2}", ferl / stock),
        },
        _ => "-".to_owned(),
    };
    table.add_row(vec![
        Cell::new(&row.name),
        Cell::new(row.flags),
        Cell::new(row.figure.unit()),
        Cell::new(shown(&ferl)),
        Cell::new(shown(&stock)),
        Cell::new(ratio),
    ]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_found_in_what_the_experiments_print() {
        assert_eq!(number_after("timed: 9153\n", "timed: "), Some(9153.0));
        assert_eq!(
            number_after("x = 2.5e-1 (7.0) microseconds", "("),
            Some(7.0)
        );
        assert_eq!(number_after("nothing", "timed: "), None);
    }

    #[test]
    fn ratios_are_summed_up() {
        assert_eq!(summary(&[]), None);
        let (mean, least) = summary(&[0.5, 2.0, 8.0]).unwrap();
        assert!((mean - 2.0).abs() < 1e-9);
        assert_eq!(least, 0.5);
    }

    #[test]
    fn the_median_of_rounds_with_a_failure_is_the_failure() {
        assert_eq!(median(vec![Ok(3.0), Ok(1.0), Ok(2.0)]), Ok(2.0));
        assert_eq!(
            median(vec![Ok(3.0), Err("hung".into())]),
            Err("hung".to_owned())
        );
    }
}
