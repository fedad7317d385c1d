//! The command line of `ferl lab`.

use clap::Parser;
use std::ffi::OsString;
use std::path::PathBuf;

use crate::experiment::Set;

/// Runs experiments on ferl and on other Erlang VMs in turns, and compares the results. Without arguments it runs the
/// headline set: the published experiments E1 to E5 and a few more, within two minutes.
#[derive(Parser, Debug)]
#[command(name = "ferl lab", max_term_width = 100)]
pub struct LabOptions {
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
    /// Run nothing: read what --json or --headline wrote earlier.
    #[arg(long, value_name = "FILE.json", conflicts_with_all = ["experiments", "against", "runs", "within", "note"])]
    pub from: Option<PathBuf>,
    /// The ferl to measure instead of this executable.
    #[arg(long, value_name = "PATH", hide = true)]
    pub ferl: Option<PathBuf>,
}

impl LabOptions {
    pub fn read(arguments: impl IntoIterator<Item = OsString>) -> Result<LabOptions, clap::Error> {
        LabOptions::try_parse_from([OsString::from("ferl lab")].into_iter().chain(arguments))
    }

    /// Rows that are asked for by name have the sizes of the quick set.
    pub fn set(&self) -> Set {
        if self.full {
            Set::Full
        } else if self.quick || !self.experiments.is_empty() {
            Set::Quick
        } else {
            Set::Headline
        }
    }
}
