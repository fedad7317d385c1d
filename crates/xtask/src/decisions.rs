//! `cargo xtask decisions`: the records of decisions under `docs/decisions`, one file for each, and their index.
//!
//! A record is `NNNN-title.md`: a heading with the number, the status, the date, and the sections in [`SECTIONS`]. It
//! is not changed when a later one replaces it, but for its status, which names that one. The index is made of the
//! records; a test fails if it is not what they say, or if one lacks a part.

use crate::project;
use anyhow::{Context, Result, bail, ensure};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const INDEX: &str = "README.md";
const SECTIONS: [&str; 4] = ["Context", "Decision", "Consequence", "Rejected"];

#[derive(clap::Args)]
pub(crate) struct DecisionsOptions {
    /// Write the index, docs/decisions/README.md.
    #[arg(long)]
    write: bool,
}

/// What the index says of a record.
#[derive(Debug, PartialEq)]
struct Record {
    number: String,
    file: String,
    title: String,
    status: String,
    date: String,
}

pub(crate) fn run(options: &DecisionsOptions) -> Result<ExitCode> {
    let folder = folder();
    let index = index(&records(&folder)?);
    let file = folder.join(INDEX);
    if options.write {
        fs::write(&file, index).with_context(|| file.display().to_string())?;
        return Ok(ExitCode::SUCCESS);
    }
    if fs::read_to_string(&file).unwrap_or_default() == index {
        return Ok(ExitCode::SUCCESS);
    }
    println!(
        "{} is stale: `cargo xtask decisions --write`",
        file.display()
    );
    Ok(ExitCode::FAILURE)
}

fn folder() -> PathBuf {
    project::root().join("docs").join("decisions")
}

/// All records in the order of their numbers, which leave no gap.
fn records(folder: &Path) -> Result<Vec<Record>> {
    let mut records: Vec<Record> = Vec::new();
    for path in project::entries(folder)? {
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        if file != INDEX {
            let text = fs::read_to_string(&path)?;
            records.push(record(&file, &text).with_context(|| file.clone().into_owned())?);
        }
    }
    for (at, record) in records.iter().enumerate() {
        let expected = format!("{:04}", at + 1);
        ensure!(
            record.number == expected,
            "{} has not the number {expected}",
            record.file
        );
        if let Some(by) = record.status.strip_prefix("superseded by ") {
            let is_later = by > record.number.as_str() && records.iter().any(|r| r.number == by);
            ensure!(is_later, "{}: there is no later record {by}", record.file);
        }
    }
    Ok(records)
}

fn record(file: &str, text: &str) -> Result<Record> {
    let number = file.split('-').next().unwrap_or_default().to_owned();
    ensure!(
        number.len() == 4 && number.bytes().all(|digit| digit.is_ascii_digit()),
        "the name does not begin with four digits and `-`"
    );
    let title = text
        .lines()
        .next()
        .and_then(|line| line.strip_prefix(&format!("# {number}. ")))
        .context("the first line is not `# NNNN. Title` with the number of the file")?;
    let field = |name: &str| {
        text.lines()
            .find_map(|line| line.strip_prefix(&format!("- {name}: ")))
            .map(str::to_owned)
            .with_context(|| format!("there is no line `- {name}: `"))
    };
    let (status, date) = (field("Status")?, field("Date")?);
    if status != "accepted" && !status.starts_with("superseded by ") {
        bail!("the status is neither `accepted` nor `superseded by NNNN`");
    }
    let shape = date.bytes().map(|byte| match byte {
        b'0'..=b'9' => b'0',
        other => other,
    });
    ensure!(
        shape.eq(*b"0000-00-00"),
        "the date is not of the form 2026-11-28"
    );
    let mut parts = text.split("\n## ").skip(1);
    for section in SECTIONS {
        let body = parts
            .next()
            .and_then(|part| part.strip_prefix(&format!("{section}\n")));
        ensure!(
            body.is_some_and(|body| !body.trim().is_empty()),
            "the section `## {section}` is not in its place, or empty"
        );
    }
    ensure!(
        parts.next().is_none(),
        "there is a section besides {SECTIONS:?}"
    );
    Ok(Record {
        number,
        file: file.to_owned(),
        title: title.to_owned(),
        status,
        date,
    })
}

fn index(records: &[Record]) -> String {
    let mut text = "# Decisions\n\n\
        One record for each decision that a measurement or a fact of OTP settled: context, decision, consequence, and what was\n\
        rejected. Figures and names of modules are of their day (x86-64, 2 processors, stock is OTP 25.2.3 with its JIT, unless said\n\
        otherwise); ratios are to stock. A record stays when a later one replaces it: its status then names that one.\n\n\
        A new one takes the next number; `cargo xtask decisions --write` writes this index.\n\n\
        | number | decision | status | date |\n|---|---|---|---|\n"
        .to_owned();
    for record in records {
        let Record {
            number,
            file,
            title,
            status,
            date,
        } = record;
        text.push_str(&format!(
            "| {number} | [{title}]({file}) | {status} | {date} |\n"
        ));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: &str = "# 0007. A title\n\n- Status: accepted\n- Date: 2026-11-28\n\n## Context\n\na\n\n## Decision\n\nb\n\n\
        ## Consequence\n\nc\n\n## Rejected\n\nd\n";

    #[test]
    fn every_record_is_whole_and_listed() {
        let folder = folder();
        let records = records(&folder).unwrap();
        assert!(records.len() >= 30);
        let written = fs::read_to_string(folder.join(INDEX)).unwrap();
        assert!(
            written == index(&records),
            "stale: `cargo xtask decisions --write`"
        );
    }

    #[test]
    fn a_record_says_its_number_status_and_date() {
        let record = record("0007-title.md", WHOLE).unwrap();
        assert_eq!(record.title, "A title");
        assert_eq!(
            (record.status.as_str(), record.date.as_str()),
            ("accepted", "2026-11-28")
        );
    }

    #[test]
    fn what_lacks_a_part_is_refused() {
        for (file, from, to, reason) in [
            ("title.md", "", "", "four digits"),
            ("0008-title.md", "", "", "first line"),
            ("0007-title.md", "- Status: accepted", "", "- Status: "),
            ("0007-title.md", "accepted", "perhaps", "status is neither"),
            ("0007-title.md", "2026-11-28", "today", "the date"),
            ("0007-title.md", "## Rejected\n\nd\n", "", "## Rejected"),
            ("0007-title.md", "\nc\n", "", "## Consequence"),
            ("0007-title.md", "## Decision", "## Choice", "## Decision"),
            ("0007-title.md", "\nd\n", "\nd\n\n## More\n\ne\n", "besides"),
        ] {
            let text = match from {
                "" => WHOLE.to_owned(),
                from => WHOLE.replace(from, to),
            };
            let error = record(file, &text).unwrap_err().to_string();
            assert!(error.contains(reason), "{error}: {reason}");
        }
    }

    #[test]
    fn numbers_leave_no_gap_and_successors_exist() {
        let place = std::env::temp_dir().join(format!("decisions-{}", std::process::id()));
        fs::create_dir_all(&place).unwrap();
        let put = |number: &str, status: &str| {
            let text = WHOLE.replace("0007", number).replace("accepted", status);
            fs::write(place.join(format!("{number}-title.md")), text).unwrap();
        };
        put("0001", "superseded by 0002");
        assert!(records(&place).is_err());
        put("0002", "accepted");
        assert_eq!(records(&place).unwrap().len(), 2);
        put("0004", "accepted");
        assert!(records(&place).is_err());
        fs::remove_dir_all(&place).unwrap();
    }
}
