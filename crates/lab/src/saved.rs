//! Results that are kept: `bench/results/COMMIT-HOST.json` in a checkout of ferl, one file for each run with `--save`.
//!
//! A file is a [`Session`] whose cells are left out unless they failed: its lines have the figures of each round. HOST
//! is [`Host::kind`](crate::results::Host::kind), so a file says what kind of machine it is of, and not whose.

use anyhow::{Context, Result, bail};
use serde::Serialize;
use serde_json::ser::{Formatter, Serializer};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

use crate::results::{Cell, Found, Line, Measured, OnVm, Session};
use crate::statistics::{Ratio, Summary};

/// Digits of commits in names.
const COMMIT_DIGITS: usize = 8;
/// Significant digits of kept figures, which is more than any repeats.
const DIGITS: usize = 5;
/// What lies deeper than this is written on one line.
const DEEPEST_WITH_LINES: usize = 4;

/// A checkout of ferl.
pub(crate) struct Checkout {
    pub root: PathBuf,
}

impl Checkout {
    /// The checkout that the working directory lies in.
    pub(crate) fn here() -> Result<Checkout> {
        let here = std::env::current_dir().context("the working directory is unknown")?;
        let root = here
            .ancestors()
            .find(|folder| folder.join("crates/lab/Cargo.toml").is_file())
            .context(
                "this is no checkout of ferl: results are kept in its bench/results (--json writes a file anywhere)",
            )?;
        Ok(Checkout {
            root: root.to_path_buf(),
        })
    }

    pub(crate) fn results(&self) -> PathBuf {
        self.root.join("bench").join("results")
    }

    /// The commit that an executable was built from: that of the checkout, unless its sources were changed since.
    pub(crate) fn commit_of(&self, executable: &Path) -> Result<String> {
        const SOURCES: [&str; 4] = ["crates", "Cargo.toml", "Cargo.lock", "experiments"];
        let hint = "`--commit` says what was measured";
        let changed = self.git(
            &["status", "--porcelain", "--untracked-files=no", "--"],
            &SOURCES,
        )?;
        if let Some(first) = changed.lines().next() {
            bail!(
                "sources are not as they were committed ({}): {hint}",
                first.trim()
            );
        }
        let committed: u64 = self
            .git(&["log", "-1", "--format=%ct", "--"], &SOURCES)?
            .trim()
            .parse()
            .context("git does not say when the commit was made")?;
        let built = fs::metadata(executable)
            .and_then(|data| data.modified())
            .with_context(|| executable.display().to_string())?;
        if built < SystemTime::UNIX_EPOCH + Duration::from_secs(committed) {
            bail!("{} is older than the commit: {hint}", executable.display());
        }
        let commit = self.git(&["rev-parse", "HEAD"], &[])?;
        Ok(short(commit.trim()).to_owned())
    }

    fn git(&self, arguments: &[&str], paths: &[&str]) -> Result<String> {
        let output = Command::new("git")
            .current_dir(&self.root)
            .args(arguments)
            .args(paths)
            .output()
            .context("cannot run git")?;
        if !output.status.success() {
            bail!("git: {}", String::from_utf8_lossy(&output.stderr).trim());
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// Everything that is kept, oldest first: the name of the file without its ending, and what it holds.
    pub(crate) fn all(&self) -> Result<Vec<(String, Session)>> {
        let mut found = Vec::new();
        for path in self.files()? {
            let name = path.file_stem().unwrap_or_default();
            found.push((name.to_string_lossy().into_owned(), read(&path)?));
        }
        found.sort_by(|(_, a), (_, b)| a.began.cmp(&b.began));
        Ok(found)
    }

    fn files(&self) -> Result<Vec<PathBuf>> {
        let folder = self.results();
        let mut files = Vec::new();
        for entry in fs::read_dir(&folder).with_context(|| folder.display().to_string())? {
            let path = entry?.path();
            if path
                .extension()
                .is_some_and(|extension| extension == "json")
            {
                files.push(path);
            }
        }
        files.sort();
        Ok(files)
    }

    /// The files of a commit, which the first digits name.
    pub(crate) fn of_commit(&self, commit: &str) -> Result<Vec<PathBuf>> {
        let mut files = self.files()?;
        files.retain(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let of = name.split('-').next().unwrap_or_default();
            // Names have eight digits; more may be given, and fewer.
            !commit.is_empty() && (of.starts_with(commit) || commit.starts_with(of))
        });
        Ok(files)
    }
}

/// The commit as names have it.
pub(crate) fn short(commit: &str) -> &str {
    commit.get(..COMMIT_DIGITS).unwrap_or(commit)
}

/// Where a session is kept; one of the same commit on the same kind of machine gets a number.
pub(crate) fn file_of(folder: &Path, session: &Session) -> PathBuf {
    let name = format!("{}-{}", short(&session.commit), session.host.kind);
    let numbered = (2..).map(|number| format!("{name}.{number}.json"));
    std::iter::once(format!("{name}.json"))
        .chain(numbered)
        .map(|name| folder.join(name))
        .find(|path| !path.exists())
        .unwrap_or_else(|| folder.join(name))
}

/// Reads what `--save` or `--json` wrote.
pub(crate) fn read(path: &Path) -> Result<Session> {
    let name = path.display();
    let text = fs::read_to_string(path).with_context(|| format!("{name} cannot be read"))?;
    let value: serde_json::Value =
        serde_json::from_str(&text).with_context(|| format!("{name} is not JSON"))?;
    if value.get("experiments").is_none() {
        bail!("{name} was not written by `ferl lab --save` or `--json`: it has no experiments");
    }
    let session: Session = serde_json::from_value(value)
        .with_context(|| format!("{name} was written by another version of `ferl lab`"))?;
    check(&session).with_context(|| format!("{name} is damaged"))?;
    Ok(session)
}

/// Whether each line has a figure for each VM, which everything that reads sessions relies on.
fn check(session: &Session) -> Result<()> {
    let vms = session.vms.len();
    if vms == 0 {
        bail!("it names no VM");
    }
    for found in &session.experiments {
        for line in &found.lines {
            if line.on.len() != vms || line.ratios.len() != vms - 1 {
                bail!(
                    "{} ({}) is not measured on {vms} VMs",
                    found.key,
                    line.figure
                );
            }
        }
        for cell in &found.cells {
            if cell.on.len() != vms {
                bail!("{} is not measured on {vms} VMs", found.key);
            }
        }
    }
    Ok(())
}

/// The text of a kept session: one line for each line of the table.
pub(crate) fn text(session: &Session) -> Result<String> {
    let mut kept = session.clone();
    kept.experiments.iter_mut().for_each(keep);
    // Paths tell about a host, not about what was measured.
    for vm in &mut kept.vms {
        vm.path = String::new();
    }
    let words = kept
        .command
        .split(' ')
        .map(|word| match word.strip_prefix('/') {
            Some(path) => path.rsplit('/').next().unwrap_or_default(),
            None => word,
        });
    kept.command = words.collect::<Vec<_>>().join(" ");
    let mut text = Vec::new();
    kept.serialize(&mut Serializer::with_formatter(
        &mut text,
        Shallow::default(),
    ))?;
    text.push(b'\n');
    Ok(String::from_utf8(text)?)
}

fn keep(found: &mut Found) {
    found
        .cells
        .retain(|cell| cell.on.iter().any(|on| on.failure.is_some()));
    for cell in &mut found.cells {
        *cell = Cell {
            on: cell
                .on
                .iter()
                .map(|on| OnVm {
                    failure: on.failure.clone(),
                    ..OnVm::default()
                })
                .collect(),
            ..cell.clone()
        };
    }
    found.lines.iter_mut().for_each(keep_line);
}

fn keep_line(line: &mut Line) {
    line.others_cpus = rounded(line.others_cpus);
    line.runs
        .iter_mut()
        .flatten()
        .for_each(|run| *run = rounded(*run));
    for measured in &mut line.on {
        if let Measured::Summary(summary) = measured {
            *summary = Summary {
                median: rounded(summary.median),
                least: rounded(summary.least),
                most: rounded(summary.most),
                count: summary.count,
            };
        }
    }
    for ratio in line.ratios.iter_mut().flatten() {
        *ratio = Ratio {
            median: rounded(ratio.median),
            least: rounded(ratio.least),
            most: rounded(ratio.most),
            ..*ratio
        };
    }
}

fn rounded(number: f64) -> f64 {
    let places = DIGITS - 1;
    format!("{number:.places$e}").parse().unwrap_or(number)
}

/// Lays JSON out: a line for each part that is not deep, and deep ones on one line, so that changes show row by row.
#[derive(Default)]
struct Shallow {
    depth: usize,
    has_parts: bool,
}

impl Shallow {
    fn begin(&mut self, writer: &mut (impl Write + ?Sized), bracket: &[u8]) -> io::Result<()> {
        self.depth += 1;
        self.has_parts = false;
        writer.write_all(bracket)
    }

    fn part(&mut self, writer: &mut (impl Write + ?Sized), is_first: bool) -> io::Result<()> {
        if !is_first {
            writer.write_all(b",")?;
        }
        self.new_line(writer, !is_first)
    }

    fn end(&mut self, writer: &mut (impl Write + ?Sized), bracket: &[u8]) -> io::Result<()> {
        let has_lines = self.has_parts && self.depth <= DEEPEST_WITH_LINES;
        self.depth -= 1;
        if has_lines {
            self.new_line(writer, false)?;
        }
        self.has_parts = true;
        writer.write_all(bracket)
    }

    fn new_line(&self, writer: &mut (impl Write + ?Sized), has_space: bool) -> io::Result<()> {
        if self.depth <= DEEPEST_WITH_LINES {
            writer.write_all(b"\n")?;
            (0..self.depth).try_for_each(|_| writer.write_all(b" "))
        } else if has_space {
            writer.write_all(b" ")
        } else {
            Ok(())
        }
    }
}

impl Formatter for Shallow {
    fn begin_array<W: Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        self.begin(writer, b"[")
    }

    fn end_array<W: Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        self.end(writer, b"]")
    }

    fn begin_array_value<W: Write + ?Sized>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        self.part(writer, first)
    }

    fn end_array_value<W: Write + ?Sized>(&mut self, _writer: &mut W) -> io::Result<()> {
        self.has_parts = true;
        Ok(())
    }

    fn begin_object<W: Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        self.begin(writer, b"{")
    }

    fn end_object<W: Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        self.end(writer, b"}")
    }

    fn begin_object_key<W: Write + ?Sized>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        self.part(writer, first)
    }

    fn begin_object_value<W: Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b": ")
    }

    fn end_object_value<W: Write + ?Sized>(&mut self, _writer: &mut W) -> io::Result<()> {
        self.has_parts = true;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::sample;

    #[test]
    fn what_is_kept_is_read_again() {
        let session = sample::session(
            "25b5944b",
            &[("E1/start", &[1.0, 1.1, 1.2], &[2.0, 2.2, 2.4])],
        );
        let folder = tempfile::tempdir().unwrap();
        let path = file_of(folder.path(), &session);
        assert_eq!(path.file_name().unwrap(), "25b5944b-amd-epyc-25-17-2.json");
        fs::write(&path, text(&session).unwrap()).unwrap();
        let again = read(&path).unwrap();
        assert_eq!(
            again.experiments[0].lines[0].runs,
            session.experiments[0].lines[0].runs
        );
        assert!(again.experiments[0].cells.is_empty() && again.vms[0].path.is_empty());
        assert_eq!(text(&again).unwrap(), text(&session).unwrap());
        let second = file_of(folder.path(), &session);
        assert_eq!(
            second.file_name().unwrap(),
            "25b5944b-amd-epyc-25-17-2.2.json"
        );
    }

    #[test]
    fn each_line_of_the_table_is_one_line_of_the_file() {
        let row: (&str, &[f64], &[f64]) = ("E1/start", &[1.0], &[2.0]);
        let one = text(&sample::session("1", &[row])).unwrap();
        let two = text(&sample::session("1", &[row, row])).unwrap();
        assert_eq!(
            one.lines()
                .filter(|line| line.contains("\"figure\""))
                .count(),
            1
        );
        assert_eq!(
            two.lines()
                .filter(|line| line.contains("\"figure\""))
                .count(),
            2
        );
    }

    #[test]
    fn no_path_of_a_host_is_kept() {
        let mut session = sample::session("1", &[]);
        session.command = "ferl lab --against /opt/otp29/bin/erl E1".to_owned();
        let text = text(&session).unwrap();
        assert!(text.contains("ferl lab --against erl E1") && !text.contains("/opt"));
        assert!(!text.contains("/usr/bin"));
    }

    #[test]
    fn what_is_no_session_is_refused_with_a_reason() {
        let folder = tempfile::tempdir().unwrap();
        let mut damaged = sample::session("1", &[("E1/start", &[1.0], &[2.0])]);
        damaged.vms.pop();
        for (content, reason) in [
            ("", "is not JSON"),
            ("{\"figures\": []}", "has no experiments"),
            ("{\"experiments\": 7}", "another version"),
            (&text(&damaged).unwrap(), "is damaged"),
        ] {
            let path = folder.path().join("foreign.json");
            fs::write(&path, content).unwrap();
            let error = format!("{:#}", read(&path).unwrap_err());
            assert!(error.contains(reason), "{error}");
        }
        let missing = read(&folder.path().join("missing.json")).unwrap_err();
        assert!(format!("{missing:#}").contains("cannot be read"));
    }

    #[test]
    fn files_are_found_by_the_first_digits_of_a_commit() {
        let root = tempfile::tempdir().unwrap();
        let checkout = Checkout {
            root: root.path().to_path_buf(),
        };
        fs::create_dir_all(checkout.results()).unwrap();
        for name in [
            "25b5944b-amd-epyc-25-17-2.json",
            "25b5944b-intel-xeon-6-207-2.json",
            "7e3b0ac-amd.json",
        ] {
            fs::write(checkout.results().join(name), "").unwrap();
        }
        for (commit, count) in [
            ("25b5", 2),
            ("25b5944b1234", 2),
            ("7e3b0ac1", 1),
            ("7", 1),
            ("8", 0),
            ("", 0),
        ] {
            assert_eq!(checkout.of_commit(commit).unwrap().len(), count, "{commit}");
        }
    }
}
