//! What ferl answers about itself, whether or not there is an OTP to boot.

use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;

use crate::words::Word;

/// The commands beside those of `erl`, and what each does. `ferl help` lists them.
pub const COMMANDS: &[(&str, &str)] = &[
    (
        "lab",
        "runs the experiments, here and beside stock, and compares",
    ),
    (
        "dashboard",
        "shows a running node to browsers, or stops that",
    ),
    ("erts", "puts ferl where a release has its emulator"),
    (
        "top",
        "shows what a node does: its load, memory and processes",
    ),
    ("pack", "makes one executable file of a release or a script"),
    ("image", "makes an image for containers of a release"),
    ("manual", "writes manual pages and completions for shells"),
    ("help", "this text"),
    ("version", "the version of ferl"),
];

/// Runs a command of ferl's own with the words that follow its name: reads them, carries out what they ask, and prints
/// the text that comes of it. Returns 1 if that fails, 2 if the words are wrong.
pub(crate) fn run<O: Parser>(
    name: &str,
    words: impl Iterator<Item = OsString>,
    carry_out: impl FnOnce(&O) -> Result<String, String>,
) -> ExitCode {
    let words = [OsString::from(name)].into_iter().chain(words);
    let options = match O::try_parse_from(words) {
        Ok(options) => options,
        Err(error) => {
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { 2 } else { 0 });
        }
    };
    // A reader that is gone is no failure of the command.
    match carry_out(&options) {
        Ok(text) => {
            let _ = io::stdout().write_all(text.as_bytes());
            ExitCode::SUCCESS
        }
        Err(text) => {
            let _ = io::stderr().write_all(format!("{name}: {text}\n").as_bytes());
            ExitCode::FAILURE
        }
    }
}

/// The version of ferl alone, as `ferl version` prints it.
#[must_use]
pub fn version() -> String {
    format!("ferl {}\n", env!("CARGO_PKG_VERSION"))
}

/// What `ferl help` prints.
#[must_use]
pub fn help() -> String {
    let mut text = format!(
        "ferl {}, an Erlang VM that runs the OTP of this machine\n\n\
         ferl [FLAGS] [ARGUMENTS]   as `erl`, with its flags (ferl +help)\n\
         ferl +otp                  lists the OTP releases on this machine\n",
        env!("CARGO_PKG_VERSION")
    );
    text.push_str(&listed());
    text.push_str("\nferl lab --help, ferl erts --help and ferl manual --help say more.\n");
    text
}

/// The commands, one a line.
fn listed() -> String {
    let lines = COMMANDS
        .iter()
        .map(|(name, does)| format!("ferl {name:<22}{does}\n"));
    lines.collect()
}

/// What `ferl +help` prints.
#[must_use]
pub fn usage() -> String {
    format!(
        "{}Commands, in place of flags:\n\n{}\n",
        crate::refusal::emulator_usage(),
        listed()
    )
}

/// What is printed where these words ask about ferl itself; `None` if they start a node. A script that stands for `erl`
/// never asks: there such a word is an argument of the program that is started.
#[must_use]
pub fn answer(first: &[u8]) -> Option<String> {
    match first {
        b"help" | b"--help" => Some(help()),
        b"version" | b"--version" => Some(version()),
        _ => None,
    }
}

/// As [`answer`], for flags that stock answers from its OTP, when there is none.
#[must_use]
pub fn answer_without_otp(typed: &[Word]) -> Option<String> {
    match typed.first()?.as_slice() {
        b"+help" => Some(usage()),
        b"-version" | b"+V" => Some(version()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn help_names_every_command() {
        for (name, _) in COMMANDS {
            let line = format!("\nferl {name} ");
            assert!(help().contains(&line) && usage().contains(&line), "{name}");
        }
    }
}
