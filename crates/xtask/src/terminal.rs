//! `cargo xtask terminal`: the shell in a real terminal, key by key, on ferl and on stock.
//!
//! Each file under `tests/terminal` is a session ([`session`]). Both machines get a window of tmux of the same size and
//! the same keys ([`window`]). After each step the screens must be equal, with their colours and the cursor, apart
//! from what changes from run to run ([`screen`]); the first that are not end the session and are shown side by side. A
//! difference counts only when neither screen has changed for seconds, so that a busy host makes a run slower and
//! nothing else. Needs `tmux`, which is why it is a chore and no test of cargo's.

mod screen;
mod session;
mod window;

use crate::project;
use anyhow::{Result, bail};
use session::{Session, Step};
use similar::TextDiff;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};
use window::Window;

/// Equal screens that the step has changed are believed after so long without another change.
const EQUAL: Duration = Duration::from_millis(100);
/// Equal screens that the step has not changed: the step may yet be under way.
const UNCHANGED: Duration = Duration::from_millis(500);
/// Screens that differ are believed after so long without a change.
const DIFFERENT: Duration = Duration::from_secs(4);
/// Screens that never come to rest.
const DEADLINE: Duration = Duration::from_secs(60);

#[derive(clap::Args)]
pub struct Options {
    /// The machine under test [default: target/release/ferl].
    #[arg(long, value_name = "PATH")]
    ferl: Option<PathBuf>,
    /// Type every text key by key, and compare after each.
    #[arg(long)]
    every_key: bool,
    /// Sessions at a time.
    #[arg(long, value_name = "N", default_value_t = 3)]
    jobs: usize,
    /// Only sessions whose name contains one of these.
    filter: Vec<String>,
}

pub fn run(options: &Options) -> Result<ExitCode> {
    let ferl = project::ferl(options.ferl.as_deref())?;
    let stock = project::stock("erl")?;
    let mut sessions = session::discover(&project::root().join("tests/terminal"))?;
    sessions.retain(|session| {
        options.filter.is_empty()
            || options
                .filter
                .iter()
                .any(|part| session.name.contains(part.as_str()))
    });
    if sessions.is_empty() {
        bail!("no session matches");
    }
    sessions.retain(|session| {
        let missing = session.missing();
        if let Some(program) = missing {
            println!("left out {}: there is no {program}", session.name);
        }
        missing.is_none()
    });
    if options.every_key {
        for session in &mut sessions {
            session.steps = session.steps.drain(..).flat_map(Step::every_key).collect();
        }
    }
    let (next, failed, steps) = (
        AtomicUsize::new(0),
        AtomicUsize::new(0),
        AtomicUsize::new(0),
    );
    thread::scope(|scope| {
        for _ in 0..options.jobs.max(1) {
            scope.spawn(|| {
                while let Some(session) = sessions.get(next.fetch_add(1, Ordering::Relaxed)) {
                    steps.fetch_add(session.steps.len(), Ordering::Relaxed);
                    match compare(session, &ferl, &stock) {
                        Ok(None) => println!("passed {}", session.name),
                        Ok(Some(difference)) => {
                            failed.fetch_add(1, Ordering::Relaxed);
                            println!("FAILED {}: {difference}", session.name);
                        }
                        Err(error) => {
                            failed.fetch_add(1, Ordering::Relaxed);
                            println!("FAILED {}: {error:#}", session.name);
                        }
                    }
                }
            });
        }
    });
    let failed = failed.into_inner();
    println!(
        "{} passed, {failed} failed, {} screens",
        sessions.len() - failed,
        steps.into_inner() + sessions.len()
    );
    Ok(ExitCode::from(u8::from(failed > 0)))
}

/// The first step after which the screens differ, and how.
fn compare(session: &Session, ferl: &Path, stock: &Path) -> Result<Option<String>> {
    let ours = Window::open("ferl", ferl, session)?;
    let theirs = Window::open("stock", stock, session)?;
    let mut before = String::new();
    for (number, step) in std::iter::once(None)
        .chain(session.steps.iter().map(Some))
        .enumerate()
    {
        if let Some(step) = step {
            // A window that is closed takes no keys, and says so below.
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

/// The screen that both windows come to rest at, or the two that they come to rest at.
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
