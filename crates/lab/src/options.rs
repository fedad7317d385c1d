//! The command line of `ferl lab`.

use clap::Parser;
use std::ffi::OsString;
use std::path::PathBuf;

use crate::rows::Set;

/// Runs experiments on ferl and on other Erlang VMs in turns, and compares what they take.
#[derive(Parser, Debug)]
#[command(name = "ferl lab", max_term_width = 100)]
pub struct Options {
    /// What to run: a group (E1), a row (E1/start) or a part of a row's name [default: all of the set].
    pub experiments: Vec<String>,
    /// The quick set: a few minutes on two processors (the default).
    #[arg(long, conflicts_with = "full")]
    pub quick: bool,
    /// The sizes that the authors published. Takes hours, and as much memory as there is.
    #[arg(long)]
    pub full: bool,
    /// Another VM to run them on: a path, or a name in PATH [default: erl]. May be given again.
    #[arg(long, value_name = "ERL")]
    pub against: Vec<String>,
    /// Rounds; in each one every VM has a turn [default: 3, with --full 5].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub runs: Option<u32>,
    /// Draws the results into one HTML page.
    #[arg(long, value_name = "FILE.html")]
    pub report: Option<PathBuf>,
    /// Writes all that was measured.
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Writes a summary in Markdown.
    #[arg(long, value_name = "FILE.md")]
    pub markdown: Option<PathBuf>,
    /// Ends a run that holds more than this [default: most of what is free].
    #[arg(long, value_name = "MB")]
    pub memory: Option<u64>,
    /// Ends a run that lasts longer than this [default: 12, with --full 900].
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub timeout: Option<u64>,
    /// Lists the experiments and ends.
    #[arg(long)]
    pub list: bool,
    /// Runs nothing: shows, draws and summarises what an earlier run wrote with --json.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["experiments", "against", "runs"])]
    pub from: Option<PathBuf>,
    /// The VM under test, in place of this one.
    #[arg(long, value_name = "PATH", hide = true)]
    pub ferl: Option<PathBuf>,
}

impl Options {
    pub fn read(arguments: impl IntoIterator<Item = OsString>) -> Result<Options, clap::Error> {
        Options::try_parse_from([OsString::from("ferl lab")].into_iter().chain(arguments))
    }

    pub fn set(&self) -> Set {
        if self.full { Set::Full } else { Set::Quick }
    }
}
