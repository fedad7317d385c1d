//! `cargo xtask lines`: lines of more than [`LONGEST`] columns, which are harder to read and to compare side by side.
//!
//! The formatter breaks Rust's code, and leaves strings and comments alone; so of Rust the lines that are all comment
//! are judged, of Erlang also code without text in it, of scripts and Markdown all lines but tables and commands.

use crate::project;
use anyhow::{Context, Result};
use std::fs;
use std::path::Path;
use std::process::ExitCode;

const LONGEST: usize = 120;
/// Folders that hold what was made or is not ours, and templates, whose lines become others.
const LEFT_OUT: &[&str] = &[
    "target",
    "out",
    ".git",
    "corpus",
    "artifacts",
    "templates",
    "vendor",
];
/// Pages that a command writes.
const WRITTEN: &[&str] = &[
    "docs/results.md",
    "docs/findings.md",
    "docs/decisions/README.md",
];

pub(crate) fn run() -> Result<ExitCode> {
    let found = too_long()?;
    for line in &found {
        println!("{line}");
    }
    println!("{} lines of more than {LONGEST} columns", found.len());
    Ok(ExitCode::from(u8::from(!found.is_empty())))
}

/// Each line that is too long, with its place.
fn too_long() -> Result<Vec<String>> {
    let (root, mut found) = (project::root(), Vec::new());
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for path in project::entries(&folder)? {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if path.is_symlink() || LEFT_OUT.contains(&&*name) {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
            } else if let Some(is_judged) = rule(&path) {
                let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
                let place = path.strip_prefix(&root).unwrap_or(&path);
                if WRITTEN.iter().any(|page| place == Path::new(page)) {
                    continue;
                }
                let place = place.display();
                for (index, line) in text.lines().enumerate() {
                    let columns = line.chars().count();
                    if columns > LONGEST && is_judged(line.trim_start()) {
                        found.push(format!("{place}:{}: {columns} columns", index + 1));
                    }
                }
            }
        }
    }
    found.sort();
    Ok(found)
}

/// Says of a line, without what it is indented by, whether it could have been broken. `None` for files of other kinds.
fn rule(path: &Path) -> Option<fn(&str) -> bool> {
    let name = path.file_name()?.to_str()?;
    let kind = name.rsplit('.').next()?;
    match kind {
        "rs" => Some(|line| {
            let text = line
                .strip_prefix("//")
                .map(|text| text.trim_start_matches(['/', '!', ' ']));
            text.is_some_and(|text| !text.starts_with('|'))
        }),
        // Text in quotation marks and long numbers stay whole.
        "erl" => Some(|line| {
            let is_text =
                line.contains('"') || line.split(' ').any(|word| word.len() > LONGEST / 2);
            line.starts_with('%') || !is_text
        }),
        "md" => Some(|line| !line.starts_with('|') && !line.starts_with("ferl ")),
        "sh" | "toml" | "Makefile" => Some(|_| true),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_line_is_too_long() {
        let found = too_long().unwrap();
        assert!(found.is_empty(), "\n{}", found.join("\n"));
    }

    #[test]
    fn what_cannot_be_broken_is_not_judged() {
        let judged =
            |name: &str, line: &str| rule(Path::new(name)).is_some_and(|is_judged| is_judged(line));
        assert!(judged("a/b.rs", "/// A comment") && judged("b.rs", "//! Another"));
        assert!(!judged("b.rs", "let text = \"long\";") && !judged("b.rs", "//! | a | table |"));
        assert!(judged("README.md", "Text") && !judged("README.md", "| a | b |"));
        assert!(judged("Makefile", "\techo") && !judged("data.expected", "anything"));
    }
}
