//! When `make test-all` was last green: a line in `docs/test-all.txt`, which the run itself writes and whoever ran it
//! commits.

use crate::count::Count;
use crate::project;
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::PathBuf;
use std::process::Command;

fn file() -> PathBuf {
    project::root().join("docs/test-all.txt")
}

/// Writes down that all steps passed now, at the commit that is checked out.
pub(super) fn note(count: Count) -> Result<()> {
    let commit = said("git", &["rev-parse", "--short=8", "HEAD"])?;
    let is_changed = !said("git", &["status", "--porcelain", "--untracked-files=no"])?.is_empty();
    let changes = if is_changed { " with changes" } else { "" };
    let date = said("date", &["--utc", "+%Y-%m-%d"])?;
    let system = fs::read_to_string("/etc/os-release").unwrap_or_default();
    let system = system
        .lines()
        .find_map(|line| line.strip_prefix("PRETTY_NAME="))
        .map_or("an unknown system", |name| name.trim_matches('"'));
    let line = format!("{commit}{changes}, {date}, {system}: {count}\n");
    fs::write(file(), line).with_context(|| file().display().to_string())
}

/// One line about the last green run.
pub(super) fn last() -> String {
    match fs::read_to_string(file()) {
        Ok(line) => format!("make test-all was last green at {}", line.trim()),
        Err(_) => format!(
            "make test-all has not been green since {} is kept",
            file().display()
        ),
    }
}

fn said(program: &str, arguments: &[&str]) -> Result<String> {
    let output = Command::new(program)
        .args(arguments)
        .current_dir(project::root())
        .output()
        .with_context(|| program.to_owned())?;
    if !output.status.success() {
        bail!("{program}: {}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
