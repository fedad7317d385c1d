//! `ferl top`: the numbers of a node, and its processes, in a terminal.
//!
//! It reads what the window of the node serves (`ferl dashboard`, `+dashboard`), as a browser does, so it needs nothing
//! of the node but that, and what it shows is what the dashboard shows.
//!
//! - [`client`]: requests to the node; [`answers`]: what it says;
//! - [`reader`]: the thread that asks again and again, so that keys are never late;
//! - [`app`]: what is shown, and what each key changes of it: no terminal, no node;
//! - [`screen`]: how it is drawn; [`text`]: numbers with their units, and text that a terminal takes;
//! - [`terminal`]: the loop between keyboard, reader and screen;
//! - [`once`]: one look, as text or JSON, for scripts.

mod answers;
mod app;
mod client;
mod once;
mod reader;
mod screen;
mod terminal;
mod text;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;

use crate::commands;
use crate::dashboard::Dashboard;
use app::{App, Sort};
use client::Client;

/// Shows what a node does: its load, memory and processes.
///
/// It reads the node's dashboard. Where that is not open, it is opened for as long as this runs: the node is asked as
/// `ferl dashboard` asks it. Keys are shown at the bottom; `?` shows all.
#[derive(Parser, Debug)]
#[command(name = "ferl top", max_term_width = 100, verbatim_doc_comment)]
pub(crate) struct TopOptions {
    /// The node: the name that -sname or -name gave it, with or without its host; or the URL of its dashboard.
    #[arg(value_name = "NODE|URL")]
    node: String,
    /// The node's cookie, if it is not the one in .erlang.cookie.
    #[arg(long, value_name = "COOKIE")]
    cookie: Option<String>,
    /// A file with the token that the dashboard asks for, if the URL has none.
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// Look once, and print what there is.
    #[arg(long)]
    once: bool,
    /// Print it as JSON, with --once.
    #[arg(long, requires = "once")]
    json: bool,
    /// What processes are sorted by.
    #[arg(long, value_name = "KEY", default_value = "memory")]
    sort: Sort,
    /// Only processes with this in their pid, name, label or calls.
    #[arg(long, value_name = "TEXT")]
    filter: Option<String>,
    /// How many processes --once prints.
    #[arg(long, value_name = "N", default_value = "20", value_parser = clap::value_parser!(u16).range(1..=500))]
    rows: u16,
    /// Seconds between two looks.
    #[arg(long, value_name = "SECONDS", default_value = "1", value_parser = clap::value_parser!(u16).range(1..=3600))]
    interval: u16,
}

/// A dashboard that was opened for this is closed when nothing has been asked of it for so many seconds, and for three
/// times the interval.
const SILENCE_SECONDS: i32 = 20;

/// Runs the command with the words that follow `top`. Returns 1 if it fails, 2 if the words are wrong.
pub fn main(words: impl Iterator<Item = OsString>) -> ExitCode {
    commands::run("ferl top", words, carry_out)
}

fn carry_out(options: &TopOptions) -> Result<String, String> {
    if options.node.contains("://") {
        return show(options, &options.node);
    }
    let dashboard = Dashboard::of(&options.node, options.cookie.as_deref())?;
    // Who is killed here cannot close what it has opened: the node does then, when nothing is asked any more.
    let patience = SILENCE_SECONDS.max(3 * i32::from(options.interval));
    let shown = show(options, &dashboard.open_while_used(patience)?);
    // Why it could not be shown is more than that it could not be closed then.
    let closed = dashboard.leave();
    shown.and_then(|text| closed.map(|()| text))
}

fn show(options: &TopOptions, url: &str) -> Result<String, String> {
    let mut client = Client::new(url)?;
    if let Some(file) = &options.token_file {
        let token = std::fs::read_to_string(file);
        let token = token.map_err(|error| format!("{}: {error}", file.display()))?;
        client = client.with_token(token.trim());
    }
    let app = App::new(options.sort, options.filter.clone());
    if options.once {
        let rows = usize::from(options.rows);
        return once::look(&client, &app.query(rows), options.json);
    }
    let interval = Duration::from_secs(options.interval.into());
    terminal::run(client, app, interval).map(|()| String::new())
}
