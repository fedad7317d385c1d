//! `cargo xtask soak`: programs that run again and again in one node, which counts what it keeps after each round
//! (`tests/generators/soak.erl`). What grows from round to round is a leak.
//!
//! The programs are differential programs, by default the hard ones, and random programs whose modules are loaded and
//! purged in each round.

use crate::compile::{self, Compiler};
use crate::differential::program::{self, Program};
use crate::generate::programs;
use crate::project;
use crate::stock::Stock;
use crate::under_test::UnderTest;
use anyhow::{Context, Result, bail};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;
use watch::Next;

/// Programs that run if the command line names none.
const DEFAULT_PROGRAMS: [&str; 2] = ["torture/", "heavy/"];
/// Time for the last round, and for counts to come to rest.
const GRACE: Duration = Duration::from_secs(600);
const MEMORY_LIMIT_BYTES: u64 = 8 << 30;

#[derive(clap::Args)]
pub(crate) struct SoakOptions {
    #[command(flatten)]
    under_test: UnderTest,
    /// Minutes after which no round begins.
    #[arg(long, value_name = "N", default_value_t = 10)]
    minutes: u64,
    /// The number of the first random program.
    #[arg(long, default_value_t = 1)]
    seed: u32,
    /// Random programs in each round.
    #[arg(long, value_name = "N", default_value_t = 20)]
    count: u32,
    /// Parts of the names of the programs [default: torture/ heavy/].
    filters: Vec<String>,
}

pub(crate) fn run(options: &SoakOptions) -> Result<ExitCode> {
    let place = project::target().join("generated").join("soak");
    fs::create_dir_all(&place).with_context(|| place.display().to_string())?;
    let mut names = compile_programs(options, &place)?;
    let compiler = Compiler::usual()?;
    let random: Vec<String> = (options.seed..options.seed.saturating_add(options.count))
        .map(|seed| format!("p{seed}"))
        .collect();
    let release = Stock::usual()?.release;
    let random = programs::compile_batch(&compiler, &random, options.seed, &[], &place, release)?;
    names.extend(random.iter().map(|name| format!("purged:{name}")));
    for generator in ["run", "soak"] {
        compile::generator(&compiler, generator, &place)?;
    }

    let machine = options.under_test.path()?;
    let length = Duration::from_secs(options.minutes * 60);
    let mut invocation = Stock::usual()?.booted_by(options.under_test.invocation(&machine, &place));
    invocation.memory_limit_bytes = MEMORY_LIMIT_BYTES;
    let mut printed = 0;
    let outcome = invocation
        .timeout(length + GRACE)
        .args(["-noshell", "-pa"])
        .arg(&place)
        .args(["-s", "soak", "start", "-extra"])
        .arg(length.as_secs().to_string())
        .args(names)
        .look_every(Duration::from_secs(1))
        .run_looking(|look| {
            print_from(&mut printed, look.stdout);
            Next::GoOn
        })?;
    print_from(&mut printed, &outcome.stdout);
    if outcome.end.is_success() {
        return Ok(ExitCode::SUCCESS);
    }
    println!("{}: {}", outcome.end, outcome.last_words(1));
    Ok(ExitCode::FAILURE)
}

/// Prints what was written since the last call.
fn print_from(printed: &mut usize, written: &[u8]) {
    let new = written.get(*printed..).unwrap_or_default();
    print!("{}", String::from_utf8_lossy(new));
    let _ = std::io::stdout().flush();
    *printed = written.len();
}

/// Compiles the programs that are asked for and what they print with; returns the names of their modules.
fn compile_programs(options: &SoakOptions, place: &Path) -> Result<Vec<String>> {
    let tests = project::root().join("tests");
    let filters = match options.filters.is_empty() {
        true => DEFAULT_PROGRAMS.map(str::to_owned).to_vec(),
        false => options.filters.clone(),
    };
    let programs: Vec<Program> = program::discover(&tests.join("programs"))?
        .into_iter()
        .filter(|program| project::is_asked_for(&program.name, &filters))
        .collect();
    if programs.is_empty() {
        bail!("no program matches");
    }
    let mut sources: Vec<PathBuf> = project::entries(&tests.join("support"))?;
    sources.extend(programs.iter().map(|program| program.source.clone()));
    let said = Compiler::usual()?.batch(&["-W0".to_owned()], &sources, place)?;
    let mut names = Vec::new();
    for program in programs {
        if !compile::beam_path(&program.source, place).is_file() {
            bail!("{} does not compile:\n{said}", program.name);
        }
        names.push(program.module);
    }
    Ok(names)
}
