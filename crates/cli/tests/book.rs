//! The book (`docs/book`): its commands are typed and must print what it shows, its links must lead somewhere, and the
//! messages that it explains must be ferl's.
//!
//! A block of code marked `console` is what a user sees: lines that begin with `$ ` are typed, those with `> ` continue
//! them, and the others are what is printed. `…` stands for any text within a line, a line of `...` alone for any
//! lines. A command that prints something which is not shown must only succeed. Comments before a block say more:
//!
//! - `<!-- file: NAME -->`: the block is a file, and is written;
//! - `<!-- exit status: N -->`: the last command of the block ends so;
//! - `<!-- needs: PROGRAM: what is missing without it -->`: left out where that program is not installed;
//! - `<!-- not run: REASON -->`: left out.
//!
//! What is left out is shown. All blocks of a chapter run in one shell and one empty folder.

mod book {
    pub(crate) mod chapter;
    pub(crate) mod links;
    pub(crate) mod shell;
}

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::thread;

use book::chapter::{self, Chapter};
use book::{links, shell};

fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn source() -> PathBuf {
    project().join("docs/book/src")
}

/// The chapters with what they include, by their names.
fn chapters() -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(source()).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if name.ends_with(".md") {
            let text = fs::read_to_string(&path).unwrap();
            found.insert(name, chapter::with_included(&text, &source()));
        }
    }
    assert!(found.len() > 10, "the book has chapters");
    found
}

/// Two chapters at a time: they wait more than they work.
#[test]
fn every_command_works_and_prints_what_is_shown() {
    let chapters = chapters();
    let only = std::env::var("BOOK_CHAPTER").ok();
    let waiting: Vec<(&String, &String)> = chapters
        .iter()
        .filter(|(name, _)| only.as_ref().is_none_or(|only| name.contains(only)))
        .collect();
    let waiting = Mutex::new(waiting);
    let faults = Mutex::new(Vec::new());
    let left_out = Mutex::new(BTreeSet::new());
    let run = Mutex::new(0);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let next = waiting.lock().unwrap().pop();
                    let Some((name, text)) = next else { return };
                    let chapter = Chapter::read(name, text);
                    let outcome = shell::run(&chapter);
                    *run.lock().unwrap() += outcome.run;
                    left_out.lock().unwrap().extend(outcome.left_out);
                    faults.lock().unwrap().extend(outcome.faults);
                }
            });
        }
    });
    // Past the capture of the tests' output, in lines of their own: so the suite shows them.
    let lines = left_out.into_inner().unwrap().into_iter();
    let lines: String = lines
        .map(|line| format!("\nLEFT OUT of the book: {line}"))
        .collect();
    let _ = writeln!(io::stderr(), "{lines}");
    let faults = faults.into_inner().unwrap();
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
    let run = run.into_inner().unwrap();
    assert!(only.is_some() || run > 40, "only {run} commands were run");
}

/// Commands are in blocks that are run.
#[test]
fn commands_are_in_no_other_blocks() {
    for (name, text) in chapters() {
        for language in chapter::languages(&text) {
            let is_known = [
                "c",
                "console",
                "erlang",
                "elixir",
                "text",
                "ini",
                "dockerfile",
                "toml",
                "yaml",
            ];
            assert!(
                is_known.contains(&&*language),
                "{name}: a block of {language:?}"
            );
        }
        let is_indented = |line: &str| line.starts_with("    ferl ") || line.starts_with("    $ ");
        assert!(
            !text.lines().any(is_indented),
            "{name}: a command in an indented block"
        );
    }
}

#[test]
fn links_lead_somewhere() {
    let faults = links::faults(&chapters(), &source());
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

/// Every chapter is in the table of contents, so that it becomes a page.
#[test]
fn the_table_of_contents_has_every_chapter() {
    let chapters = chapters();
    let summary = &chapters["SUMMARY.md"];
    for name in chapters.keys().filter(|name| *name != "SUMMARY.md") {
        assert!(summary.contains(&format!("]({name})")), "{name}");
    }
}

/// A message that is explained is one that ferl has: each part of it between `…` is in the sources.
#[test]
fn messages_are_those_of_ferl() {
    let mut sources = String::new();
    let mut folders = vec![project().join("crates")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                sources.push_str(&joined(&fs::read_to_string(&path).unwrap()));
            }
        }
    }
    let mut explained = 0;
    for line in chapters()["messages.md"].lines() {
        let Some(message) = line
            .strip_prefix("### `")
            .and_then(|rest| rest.strip_suffix('`'))
        else {
            continue;
        };
        explained += 1;
        for part in message
            .split('…')
            .map(str::trim)
            .filter(|part| part.len() > 2)
        {
            // What begins with the program's name is written in front of all messages.
            let part = part.strip_prefix("ferl: ").unwrap_or(part);
            assert!(sources.contains(part), "no message has {part:?}: {message}");
        }
    }
    assert!(explained > 15, "{explained} messages are explained");
}

/// What ferl writes on standard error by its own name is explained.
#[test]
fn messages_of_ferl_are_explained() {
    let explained = &chapters()["messages.md"];
    let mut found = 0;
    let mut folders = vec![project().join("crates")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            // Those of chores are for whoever works on ferl.
            if path.is_dir() && !["tests", "xtask", "stock", "target"].contains(&&*name) {
                folders.push(path);
            } else if name.ends_with(".rs") && name != "tests.rs" {
                let text = joined(&fs::read_to_string(&path).unwrap());
                for message in text.split("\"ferl: ").skip(1) {
                    let end = message.find(['{', '"', '\\', '\n']).unwrap_or(0);
                    // The first words: a heading leaves away what follows.
                    let start: String = message[..end].chars().take(24).collect();
                    let start = start.trim_end_matches([' ', ':', '(']);
                    found += usize::from(!start.is_empty());
                    assert!(
                        explained.contains(start),
                        "{}: ferl: {start}",
                        path.display()
                    );
                }
            }
        }
    }
    assert!(found > 10, "{found} messages");
}

/// A source with its texts in one line, and without what stands for quotation marks in them.
fn joined(source: &str) -> String {
    let mut text = String::with_capacity(source.len());
    let mut parts = source.split("\\\n");
    text.push_str(parts.next().unwrap_or_default());
    for part in parts {
        text.push_str(part.trim_start());
    }
    text.replace("\\\"", "\"")
}

/// The variables that the sources of ferl read are those of the table.
#[test]
fn variables_that_are_read_are_listed() {
    let known: Vec<&str> = spec::variables::VARIABLES
        .iter()
        .flat_map(|variable| variable.names)
        .copied()
        .collect();
    let mut folders = vec![project().join("crates")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            // Tests set what they like.
            if path.is_dir() && !["tests", "target", "xtask", "benches"].contains(&&*name) {
                folders.push(path);
            } else if name.ends_with(".rs") && name != "tests.rs" {
                let text = fs::read_to_string(&path).unwrap();
                let text = text.split("#[cfg(test)]\nmod tests").next().unwrap();
                for found in named_in(text) {
                    assert!(known.contains(&found), "{}: {found}", path.display());
                }
            }
        }
    }
}

/// The texts of a source that are a name of a variable of Erlang's or ferl's.
fn named_in(text: &str) -> impl Iterator<Item = &str> {
    text.split('"').filter(|part| {
        let rest = part
            .strip_prefix("ERL_")
            .or_else(|| part.strip_prefix("FERL_"));
        let is_in_name =
            |letter: char| letter.is_ascii_uppercase() || letter.is_ascii_digit() || letter == '_';
        // What ends with `_` is the beginning of a name.
        rest.is_some_and(|rest| {
            !rest.is_empty() && !rest.ends_with('_') && rest.chars().all(is_in_name)
        })
    })
}
