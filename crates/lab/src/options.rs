//! The command line of `ferl lab`.

use clap::{Parser, Subcommand};
use std::ffi::OsString;
use std::path::PathBuf;

use crate::compare::CompareOptions;
use crate::digest::ResultsOptions;
use crate::experiment::Set;

/// Runs experiments on ferl and on other Erlang VMs in turns, and compares the results. Without arguments it runs the
/// headline set: the published experiments E1 to E5 and a few more, within two minutes.
#[derive(Parser, Debug)]
#[command(
    name = "ferl lab",
    max_term_width = 100,
    args_conflicts_with_subcommands = true,
    disable_help_subcommand = true
)]
pub(crate) struct LabOptions {
    #[command(subcommand)]
    pub task: Option<Task>,
    /// The words of this command line, to be kept with the results.
    #[arg(skip)]
    pub command: String,
    /// What to run: a group (E1), a row (E1/start) or a part of a row's name [default: the headline set].
    pub experiments: Vec<String>,
    /// Run the quick set: the headline set and many everyday programs, in a few minutes.
    #[arg(long, conflicts_with = "full")]
    pub quick: bool,
    /// Run everything at the sizes that the authors published. This takes hours, and all memory there is.
    #[arg(long)]
    pub full: bool,
    /// Another VM to compare with: a path, or a name in PATH [default: erl]. May be repeated.
    #[arg(long, value_name = "ERL")]
    pub against: Vec<String>,
    /// The number of rounds; in each round every VM has a turn [default: 3, with --full 5].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub runs: Option<u32>,
    /// Run fewer rounds, if necessary, to be done in this time [default: 105 for the headline set].
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=864_000))]
    pub within: Option<u64>,
    /// Write an HTML page with tables and plots.
    #[arg(long, value_name = "FILE.html")]
    pub report: Option<PathBuf>,
    /// Write all measurements.
    #[arg(long, value_name = "FILE.json")]
    pub json: Option<PathBuf>,
    /// Write a summary in Markdown.
    #[arg(long, value_name = "FILE.md")]
    pub markdown: Option<PathBuf>,
    /// Draw the headline figures.
    #[arg(long, value_name = "FILE.svg")]
    pub picture: Option<PathBuf>,
    /// Write the headline figures alone: a small file, from which --from can draw the picture again.
    #[arg(long, value_name = "FILE.json")]
    pub headline: Option<PathBuf>,
    /// Keep the results in a checkout of ferl, as bench/results/COMMIT-HOST.json, where HOST is the kind of machine.
    #[arg(long)]
    pub save: bool,
    /// The commit that is measured [default: with --save, that of the checkout].
    #[arg(long, value_name = "COMMIT")]
    pub commit: Option<String>,
    /// Keep a remark with the results, such as the commit that was measured.
    #[arg(long, value_name = "TEXT")]
    pub note: Option<String>,
    /// End a run that holds more memory than this [default: most of what is free].
    #[arg(long, value_name = "MB")]
    pub memory: Option<u64>,
    /// End a run that takes longer than this [default: 12, with --full 900].
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub timeout: Option<u64>,
    /// List the experiments.
    #[arg(long)]
    pub list: bool,
    /// Run nothing: read what --json, --save or --headline wrote earlier.
    #[arg(long, value_name = "FILE.json", conflicts_with_all = ["experiments", "against", "runs", "within", "note", "save", "commit"])]
    pub from: Option<PathBuf>,
    /// The ferl to measure instead of this executable.
    #[arg(long, value_name = "PATH", hide = true)]
    pub ferl: Option<PathBuf>,
}

/// What is done with kept results instead of measuring.
#[derive(Subcommand, Debug)]
pub(crate) enum Task {
    Compare(CompareOptions),
    Results(ResultsOptions),
}

impl LabOptions {
    pub(crate) fn read(
        arguments: impl IntoIterator<Item = OsString>,
    ) -> Result<LabOptions, clap::Error> {
        let words: Vec<OsString> = [OsString::from("ferl lab")]
            .into_iter()
            .chain(arguments)
            .collect();
        let shown = words.iter().map(|word| word.to_string_lossy());
        let command = shown.collect::<Vec<_>>().join(" ");
        Ok(LabOptions {
            command,
            ..LabOptions::try_parse_from(words)?
        })
    }

    /// Rows that are asked for by name have the sizes of the quick set.
    pub(crate) fn set(&self) -> Set {
        if self.full {
            Set::Full
        } else if self.quick || !self.experiments.is_empty() {
            Set::Quick
        } else {
            Set::Headline
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(words: &str) -> Result<LabOptions, clap::Error> {
        LabOptions::read(words.split_ascii_whitespace().map(OsString::from))
    }

    #[test]
    fn experiments_are_named_beside_tasks() {
        let options = read("E1 compute/json --runs 7").unwrap();
        assert!(options.task.is_none() && options.experiments == ["E1", "compute/json"]);
        assert_eq!(options.command, "ferl lab E1 compute/json --runs 7");
        assert!(matches!(
            read("compare a b").unwrap().task,
            Some(Task::Compare(_))
        ));
        assert!(matches!(
            read("results").unwrap().task,
            Some(Task::Results(_))
        ));
        // What is no task is a name, even if it looks like one.
        let options = read("compar").unwrap();
        assert!(options.task.is_none() && options.experiments == ["compar"]);
        assert!(read("compare a").is_err());
        assert!(read("--from a.json --save").is_err());
    }
}
