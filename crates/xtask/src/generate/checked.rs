//! Generators that check by themselves what they make, because it follows from the language: they are not compared with
//! stock.

use super::place;
use crate::compile;
use crate::stock::ReleaseOption;
use crate::under_test::UnderTest;
use anyhow::Result;
use std::process::ExitCode;
use std::time::Duration;

/// Modules in `tests/generators`: the one that is started, and what it uses.
pub(super) struct Checked {
    pub module: &'static str,
    pub beside: &'static [&'static str],
}

/// Runs a generator on the machine under test, which boots the libraries of this release, with these words as its
/// arguments; prints those of its lines that `is_shown` wants.
pub(super) fn run(
    checked: &Checked,
    (under_test, release): (&UnderTest, &ReleaseOption),
    timeout: Duration,
    words: &[u64],
    is_shown: impl Fn(&str) -> bool,
) -> Result<ExitCode> {
    let module = checked.module;
    let Some(stock) = release.stock()? else {
        return Ok(ExitCode::SUCCESS);
    };
    let place = place::of(module, &stock)?;
    for name in [module].iter().chain(checked.beside) {
        compile::generator(&stock.compiler, name, &place)?;
    }
    let machine = under_test.path()?;
    let outcome = stock
        .booted_by(under_test.invocation(&machine, &place))
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
