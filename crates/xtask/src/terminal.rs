//! `cargo xtask terminal`: the shell in a real terminal, key by key, on ferl and on stock.
//!
//! Each file under `tests/terminal` is a session ([`session`]). Both machines get a window of tmux of the same size and
//! the same keys ([`window`]). After each step the screens must be equal, with their colours and the cursor, apart
//! from what changes from run to run ([`screen`]). The first pair that differs ends the session and is shown as a diff.
//! A difference counts only when neither screen has changed for seconds, so that a busy host only makes a run slower.
//! What a node prints while it ends depends on which of its processes is first, though: a session that differs is
//! judged again when all others have ended, alone. If it agrees each time it has passed, and is named.
//! This needs `tmux`, which is why it is a chore and not a test of cargo's.

mod screen;
mod session;
mod window;

use crate::count::Count;
use crate::project;
use crate::stock::{ReleaseOption, Stock};
use anyhow::{Result, bail};
use session::{Session, Step};
use similar::TextDiff;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};
use window::Window;

/// How long equal screens must stay unchanged to be accepted, if the step has changed them.
const EQUAL: Duration = Duration::from_millis(100);
/// The same if the step has not changed them: it may not have taken effect yet.
const UNCHANGED: Duration = Duration::from_millis(500);
/// How long screens that differ must stay unchanged to be accepted as different.
const DIFFERENT: Duration = Duration::from_secs(4);
/// How long screens may keep changing.
const DEADLINE: Duration = Duration::from_secs(60);
/// How often a session that differed beside others must agree alone.
const AGREEMENTS_ALONE: usize = 2;

#[derive(clap::Args)]
pub(crate) struct TerminalOptions {
    /// The machine under test [default: target/release/ferl].
    #[arg(long, value_name = "PATH")]
    ferl: Option<PathBuf>,
    #[command(flatten)]
    release: ReleaseOption,
    /// Type every text key by key, and compare after each.
    #[arg(long)]
    every_key: bool,
    /// Sessions at a time.
    #[arg(long, value_name = "N", default_value_t = 3)]
    jobs: usize,
    /// Only sessions whose name contains one of these.
    filter: Vec<String>,
}

pub(crate) fn run(options: &TerminalOptions) -> Result<ExitCode> {
    let ferl = project::ferl(options.ferl.as_deref())?;
    let Some(stock) = options.release.stock()? else {
        return Ok(ExitCode::SUCCESS);
    };
    let mut sessions = session::discover(&project::root().join("tests/terminal"))?;
    sessions.retain(|session| project::is_asked_for(&session.name, &options.filter));
    sessions.retain(|session| stock.runs(&session.releases));
    if sessions.is_empty() {
        bail!("no session matches");
    }
    let mut count = Count::default();
    sessions.retain(|session| {
        let missing = session.missing();
        if let Some(program) = missing {
            println!("LEFT OUT {}: there is no {program}", session.name);
            count.skipped += 1;
        }
        missing.is_none()
    });
    if options.every_key {
        for session in &mut sessions {
            session.steps = session.steps.drain(..).flat_map(Step::every_key).collect();
        }
    }
    let (next, differing) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..options.jobs.max(1) {
            scope.spawn(|| {
                while let Some(session) = sessions.get(next.fetch_add(1, Ordering::Relaxed)) {
                    match compare(session, &ferl, &stock) {
                        None => println!("passed {}", session.name),
                        Some(difference) => {
                            let mut differing = differing.lock().unwrap_or_else(|e| e.into_inner());
                            differing.push((session, difference));
                        }
                    }
                }
            });
        }
    });
    for (session, first) in differing.into_inner().unwrap_or_else(|e| e.into_inner()) {
        match (0..AGREEMENTS_ALONE).find_map(|_| compare(session, &ferl, &stock)) {
            None => println!("PASSED ALONE {}, but beside others: {first}", session.name),
            Some(difference) => {
                count.failed += 1;
                println!("FAILED {}: {difference}", session.name);
            }
        }
    }
    count.passed = sessions.len() - count.failed;
    let steps: usize = sessions.iter().map(|session| session.steps.len()).sum();
    println!("{} screens", steps + sessions.len());
    println!("{count}");
    Ok(ExitCode::from(u8::from(count.failed > 0)))
}

/// The first step after which the screens differ, and how, or why there are none. `None` is agreement.
fn compare(session: &Session, ferl: &Path, stock: &Stock) -> Option<String> {
    perform(session, ferl, stock).unwrap_or_else(|error| Some(format!("{error:#}")))
}

fn perform(session: &Session, ferl: &Path, stock: &Stock) -> Result<Option<String>> {
    let environment = stock.environment();
    let ours = Window::open("ferl", ferl, environment, session)?;
    let theirs = Window::open("stock", &stock.erl, None, session)?;
    let mut before = String::new();
    for (number, step) in std::iter::once(None)
        .chain(session.steps.iter().map(Some))
        .enumerate()
    {
        if let Some(step) = step {
            // Keys cannot be sent to a closed window; the screens below then show that it is closed.
            let _ = (theirs.perform(step), ours.perform(step));
        }
        match agree(&theirs, &ours, &before) {
            Ok(screen) => before = screen,
            Err((expected, found)) => {
                let diff = TextDiff::from_lines(&expected, &found);
                let diff = diff.unified_diff().header("stock", "ferl").to_string();
                let step = step.map_or_else(|| "the start".to_owned(), ToString::to_string);
                return Ok(Some(format!("after step {number}, {step}\n{diff}")));
            }
        }
    }
    Ok(None)
}

/// The screen that both windows end up with, or the two different ones (stock's first).
fn agree(theirs: &Window, ours: &Window, before: &str) -> Result<String, (String, String)> {
    let start = Instant::now();
    let mut last = (String::new(), String::new());
    let mut since = Instant::now();
    loop {
        let now = (theirs.screen(), ours.screen());
        if now != last {
            last = now;
            since = Instant::now();
        }
        let still = since.elapsed();
        if last.0 == last.1 {
            let enough = match last.0 == before {
                true => UNCHANGED,
                false => EQUAL,
            };
            if still >= enough && screen::shows_something(&last.0) {
                return Ok(last.0);
            }
        }
        if last.0 != last.1 && still >= DIFFERENT || start.elapsed() >= DEADLINE {
            return Err(last);
        }
        thread::sleep(Duration::from_millis(30));
    }
}
