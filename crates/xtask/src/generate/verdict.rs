//! What comes of a generator that judges by itself.

use std::process::ExitCode;
use watch::Outcome;

/// Prints what it has said, and passes on its verdict.
pub(super) fn told(outcome: &Outcome) -> ExitCode {
    print!("{}", String::from_utf8_lossy(&outcome.stdout));
    if outcome.end.is_success() {
        return ExitCode::SUCCESS;
    }
    println!("{}: {}", outcome.end, outcome.last_words(3));
    ExitCode::FAILURE
}
