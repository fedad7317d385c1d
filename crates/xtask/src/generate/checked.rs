//! Generators that check by themselves what they make, because it follows from the language: they are not compared with stock.

use crate::under_test::UnderTest;
use crate::{compile, project};
use anyhow::{Context, Result};
use std::fs;
use std::process::ExitCode;
use std::time::Duration;

/// Modules in `tests/generators`: the one that is started, and what it uses.
pub struct Checked {
    pub module: &'static str,
    pub beside: &'static [&'static str],
}

/// Runs a generator with these words as its arguments; prints those of its lines that `is_shown` wants.
pub fn run(
    checked: &Checked,
    under_test: &UnderTest,
    timeout: Duration,
    words: &[u64],
    is_shown: impl Fn(&str) -> bool,
) -> Result<ExitCode> {
    let module = checked.module;
    let place = project::target().join("generated").join(module);
    fs::create_dir_all(&place).with_context(|| place.display().to_string())?;
    for name in [module].iter().chain(checked.beside) {
        compile::generator(name, &place)?;
    }
    let machine = under_test.path()?;
    let outcome = under_test
        .invocation(&machine, &place)
        .timeout(timeout)
        .arg("-noshell")
        .arg("-pa")
        .arg(&place)
        .args(["-s", module, "start", "-extra"])
        .args(words.iter().map(u64::to_string))
        .run()?;
    let said = String::from_utf8_lossy(&outcome.stdout);
    for line in said.lines().filter(|line| is_shown(line)) {
        println!("{line}");
    }
    if outcome.end.is_success() {
        return Ok(ExitCode::SUCCESS);
    }
    println!("{}: {}", outcome.end, outcome.last_words(1));
    Ok(ExitCode::FAILURE)
}
