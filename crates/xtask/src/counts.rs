//! `cargo xtask counts`: how many instructions ferl executes for the programs of `bench/counts.erl`, compared with
//! those that `bench/counts.json` stores. Hosts change their speed by more than a change in the code does; counts stay
//! within a fraction of a percent, so a row that is 3 % worse fails.
//!
//! A row is run twice under valgrind's callgrind, for N and for 2N times its work; the difference is what N times cost,
//! without booting and loading. The node is made to do the same each time: one scheduler, no waiting in loops, machine
//! code from the start. What runs on several schedulers, and starting programs, cannot be counted so.

mod stored;

use crate::compile;
use crate::project;
use crate::stock::Stock;
use anyhow::{Context, Result, bail};
use std::collections::VecDeque;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use stored::{Counts, Made, Verdict};
use watch::Invocation;

/// What a run takes under valgrind is some ten seconds; a busy host may take many times that.
const TIMEOUT: Duration = Duration::from_secs(600);
/// How a release build says what compiled it.
const COMPILED_BY: &[u8] = b"rustc version ";

/// The arguments of every run.
///
/// The node has a long name, because without one OTP looks up the host's name by a program, which valgrind cannot
/// start: it knows no child that shares its parent's memory. It listens nowhere and asks no `epmd`. The memory guard
/// is off, because its thread looks at the clock: it executes more the slower valgrind is.
const ARGUMENTS: &[&str] = &[
    "+S",
    "1",
    "+SDcpu",
    "1",
    "+SDio",
    "1",
    "+sbwt",
    "none",
    "+sbwtdcpu",
    "none",
    "+sbwtdio",
    "none",
    "+code_calls",
    "0",
    "+Mguard",
    "off",
    "-name",
    "counts@127.0.0.1",
    "-dist_listen",
    "false",
    "-start_epmd",
    "false",
    "-setcookie",
    "counts",
    "-noinput",
];

#[derive(clap::Args)]
pub(crate) struct CountsOptions {
    /// The machine under test [default: target/release/ferl].
    #[arg(long, value_name = "PATH")]
    ferl: Option<PathBuf>,
    /// Store the counts in bench/counts.json instead of comparing with it.
    #[arg(long)]
    write: bool,
    /// The commit that is counted, to be stored [default: that of the checkout].
    #[arg(long, value_name = "COMMIT")]
    commit: Option<String>,
    /// Runs at the same time [default: one for each processor].
    #[arg(long, value_name = "N")]
    jobs: Option<usize>,
    /// Parts of the names of the rows; all rows if there are none.
    filters: Vec<String>,
}

/// A row of `bench/counts.erl`.
struct Row {
    name: String,
    size: u64,
}

pub(crate) fn run(options: &CountsOptions) -> Result<ExitCode> {
    let ferl = project::ferl(options.ferl.as_deref())?;
    let valgrind = valgrind()?;
    let place = Place::prepare()?;
    let mut rows = place.rows()?;
    rows.retain(|row| project::is_asked_for(&row.name, &options.filters));
    if rows.is_empty() {
        bail!("no row matches; bench/counts.erl has them all");
    }
    let made = Made {
        rustc: compiled_by(&ferl)?,
        otp: place.version.clone(),
        valgrind: first_line(Command::new(&valgrind).arg("--version"))?,
    };
    let file = project::root().join("bench").join("counts.json");
    let mut stored = Counts::read(&file)?;
    let differences = stored.made.differences(&made);
    if options.write && options.filters.is_empty() {
        stored.retain(|name| rows.iter().any(|row| row.name == name));
    } else if options.write && !differences.is_empty() {
        bail!("{}: write all rows", differences.join("; "));
    }
    println!(
        "{} rows, instructions for one piece of work, under {}",
        rows.len(),
        made.valgrind
    );
    if options.write {
        stored.made = made;
    } else {
        differences.iter().for_each(|line| println!("{line}"));
    }
    println!("{}", stored::HEADING);
    let commit = options.commit.clone().unwrap_or_else(commit);
    let queue: Mutex<VecDeque<&Row>> = Mutex::new(rows.iter().collect());
    let tally = Mutex::new((stored, Vec::new()));
    let next = || queue.lock().ok()?.pop_front();
    let work = || -> Result<()> {
        while let Some(row) = next() {
            let count = place.count(&valgrind, &ferl, row)?;
            let Ok(mut tally) = tally.lock() else { break };
            let (stored, found) = &mut *tally;
            println!("{}", stored.compared(&row.name, row.size, count));
            found.push((row, count));
            // After each row: what was counted is not lost if the rest is interrupted.
            if options.write {
                stored.put(&row.name, row.size, count, &commit);
                stored.write(&file)?;
            }
        }
        Ok(())
    };
    let jobs = options
        .jobs
        .unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..jobs.max(1)).map(|_| scope.spawn(work)).collect();
        workers.into_iter().try_for_each(|worker| {
            worker
                .join()
                .unwrap_or_else(|_| bail!("a worker has panicked"))
        })
    })?;
    if options.write {
        println!("written to {}", file.display());
        return Ok(ExitCode::SUCCESS);
    }
    let (stored, found) = tally.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(judge(&stored, &found))
}

/// Prints which rows are worse and better than stored, and the count of all.
fn judge(stored: &Counts, found: &[(&Row, u64)]) -> ExitCode {
    let of = |verdict: Verdict| -> Vec<&str> {
        found
            .iter()
            .filter(|(row, count)| stored.verdict(&row.name, row.size, *count) == verdict)
            .map(|(row, _)| row.name.as_str())
            .collect()
    };
    let (worse, better, new) = (of(Verdict::Worse), of(Verdict::Better), of(Verdict::New));
    for (what, names) in [("worse", &worse), ("better", &better), ("not stored", &new)] {
        if !names.is_empty() {
            println!("{what}: {}", names.join(", "));
        }
    }
    if !better.is_empty() || !new.is_empty() {
        println!("`cargo xtask counts --write` stores what is better or new");
    }
    println!(
        "{} passed, {} failed",
        found.len() - worse.len(),
        worse.len()
    );
    if worse.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// A folder with the compiled programs, and with files about hosts that are the same everywhere.
struct Place {
    folder: PathBuf,
    stock: Stock,
    /// `25.2.3`.
    version: String,
}

impl Place {
    fn prepare() -> Result<Place> {
        let folder = project::target().join("counts");
        let hosts = folder.join("etc");
        fs::create_dir_all(&hosts).with_context(|| hosts.display().to_string())?;
        for (name, content) in [
            ("hosts", "127.0.0.1 localhost\n"),
            ("host.conf", "multi on\n"),
            ("nsswitch.conf", "hosts: files\n"),
            ("resolv.conf", "domain localdomain\n"),
        ] {
            fs::write(hosts.join(name), content)?;
        }
        let mut sources = vec![project::root().join("bench").join("counts.erl")];
        let programs = project::entries(&project::root().join("experiments").join("compute"))?;
        sources.extend(
            programs
                .into_iter()
                .filter(|path| path.extension().is_some_and(|extension| extension == "erl")),
        );
        let stock = Stock::usual()?;
        let said = stock.compiler.batch(&[], &sources, &folder)?;
        for source in &sources {
            if !compile::beam_path(source, &folder).is_file() {
                bail!("{} does not compile:\n{said}", source.display());
            }
        }
        let tell = "{ok, V} = file:read_file(filename:join([code:root_dir(), releases, \
            erlang:system_info(otp_release), \"OTP_VERSION\"])), io:put_chars(V), halt().";
        let version = first_line(Command::new(&stock.erl).args(["-noinput", "-eval", tell]))?;
        Ok(Place {
            folder,
            stock,
            version,
        })
    }

    /// The rows, which the compiled program lists.
    fn rows(&self) -> Result<Vec<Row>> {
        let output = Command::new(&self.stock.erl)
            .current_dir(&self.folder)
            .args("-noinput -s counts list -s erlang halt".split(' '))
            .output()?;
        let text = String::from_utf8(output.stdout)?;
        text.lines()
            .map(|line| {
                let (name, size) = line.split_once(' ').context("a row without a size")?;
                Ok(Row {
                    name: name.to_owned(),
                    size: size.parse()?,
                })
            })
            .collect()
    }

    /// The instructions that doing the work of a row N times takes.
    fn count(&self, valgrind: &Path, ferl: &Path, row: &Row) -> Result<u64> {
        let once = self.count_run(valgrind, ferl, row, row.size)?;
        let twice = self.count_run(valgrind, ferl, row, 2 * row.size)?;
        twice.checked_sub(once).with_context(|| {
            format!(
                "{}: {once} instructions, and {twice} for twice the work",
                row.name
            )
        })
    }

    fn count_run(&self, valgrind: &Path, ferl: &Path, row: &Row, size: u64) -> Result<u64> {
        let outcome = self
            .stock
            .booted_by(Invocation::new(valgrind, &self.folder))
            .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
            .arg(ferl)
            .args(ARGUMENTS)
            .args(["-run", "counts", "work", &row.name])
            .arg(size.to_string())
            .args(["-s", "erlang", "halt"])
            .env(
                "ERL_INET_ETC_DIR",
                &self.folder.join("etc").to_string_lossy(),
            )
            .timeout(TIMEOUT)
            .run()?;
        let said = String::from_utf8_lossy(&outcome.stderr);
        if !outcome.end.is_success() || !outcome.stdout.ends_with(b"done\n") {
            let output = String::from_utf8_lossy(&outcome.stdout);
            bail!(
                "{} under valgrind: {}\n{output}{said}",
                row.name,
                outcome.end
            );
        }
        collected(&said).with_context(|| format!("valgrind does not say a count:\n{said}"))
    }
}

/// The count in callgrind's closing lines: `Collected : 878423682`.
fn collected(said: &str) -> Option<u64> {
    let line = said
        .lines()
        .find_map(|line| line.split_once("Collected :"))?;
    line.1.trim().parse().ok()
}

fn valgrind() -> Result<PathBuf> {
    let path = std::env::var_os("PATH").context("PATH is not set")?;
    std::env::split_paths(&path)
        .map(|folder| folder.join("valgrind"))
        .find(|candidate| candidate.is_file())
        .context("valgrind is missing: install it, on Debian with `apt-get install valgrind`")
}

fn first_line(command: &mut Command) -> Result<String> {
    let output = command
        .output()
        .with_context(|| format!("cannot run {:?}", command.get_program()))?;
    let text = String::from_utf8_lossy(&output.stdout);
    Ok(text.lines().next().unwrap_or_default().to_owned())
}

/// The commit of the checkout, or nothing outside of one.
fn commit() -> String {
    let mut git = Command::new("git");
    git.args(["describe", "--always", "--dirty=-changed"])
        .current_dir(project::root());
    first_line(&mut git).unwrap_or_default()
}

/// Which rustc made an executable, by what the compiler has left in it.
fn compiled_by(ferl: &Path) -> Result<String> {
    let bytes = fs::read(ferl).with_context(|| ferl.display().to_string())?;
    let version = bytes
        .windows(COMPILED_BY.len())
        .rposition(|window| window == COMPILED_BY)
        .and_then(|at| {
            bytes[at + COMPILED_BY.len()..]
                .split(|byte| matches!(byte, 0 | b')'))
                .next()
        })
        .context("the executable does not say what compiled it")?;
    Ok(format!("{})", String::from_utf8_lossy(version)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_count_is_read_from_what_callgrind_says() {
        let said = "==7== Events    : Ir\n==7== Collected : 878423682\n==7== \n";
        assert_eq!(collected(said), Some(878_423_682));
        assert_eq!(collected("==7== Events    : Ir\n"), None);
    }
}
