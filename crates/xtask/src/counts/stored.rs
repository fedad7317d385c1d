//! Counts of instructions as they are stored, and how new ones compare with them.

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// What is told: a count that is larger by more than this is worse, one that is smaller by more is better.
const TOLD_PERCENT: u64 = 3;

/// Above the lines of [`Counts::compared`].
pub(super) const HEADING: &str =
    "row                                   stored            now     change";

#[derive(Default, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Counts {
    pub made: Made,
    rows: BTreeMap<String, Count>,
}

/// What a count depends on besides the code.
#[derive(Default, Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Made {
    pub rustc: String,
    /// Whose compiler and libraries the programs have.
    pub otp: String,
    pub valgrind: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Count {
    /// How often the work was done.
    size: u64,
    /// The instructions that this took.
    instructions: u64,
    /// The commit that was counted.
    commit: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    Worse,
    Better,
    Alike,
    /// The row is not stored, or has another size.
    New,
}

impl Made {
    /// A line for whatever is not as it was when the counts were stored.
    pub(super) fn differences(&self, now: &Made) -> Vec<String> {
        [
            ("rustc", &self.rustc, &now.rustc),
            ("OTP", &self.otp, &now.otp),
            ("valgrind", &self.valgrind, &now.valgrind),
        ]
        .into_iter()
        .filter(|(_, stored, now)| !stored.is_empty() && stored != now)
        .map(|(what, stored, now)| {
            format!("not comparable to the last instruction: {what} is {now}, stored counts are of {stored}")
        })
        .collect()
    }
}

impl Counts {
    /// What a file holds; nothing if there is none yet.
    pub(super) fn read(file: &Path) -> Result<Counts> {
        if !file.exists() {
            return Ok(Counts::default());
        }
        let text = fs::read_to_string(file).with_context(|| file.display().to_string())?;
        serde_json::from_str(&text).with_context(|| file.display().to_string())
    }

    pub(super) fn write(&self, file: &Path) -> Result<()> {
        let text = serde_json::to_string_pretty(self)?;
        fs::write(file, text + "\n").with_context(|| file.display().to_string())
    }

    pub(super) fn put(&mut self, name: &str, size: u64, instructions: u64, commit: &str) {
        let count = Count {
            size,
            instructions,
            commit: commit.to_owned(),
        };
        self.rows.insert(name.to_owned(), count);
    }

    /// Drops the rows that are not wanted any more.
    pub(super) fn retain(&mut self, is_wanted: impl Fn(&str) -> bool) {
        self.rows.retain(|name, _| is_wanted(name));
    }

    pub(super) fn verdict(&self, name: &str, size: u64, instructions: u64) -> Verdict {
        let Some(stored) = self.stored(name, size) else {
            return Verdict::New;
        };
        let now = instructions * 100;
        if now > stored * (100 + TOLD_PERCENT) {
            Verdict::Worse
        } else if now < stored * (100 - TOLD_PERCENT) {
            Verdict::Better
        } else {
            Verdict::Alike
        }
    }

    /// The line of a row: instructions for one piece of work, stored and now.
    pub(super) fn compared(&self, name: &str, size: u64, instructions: u64) -> String {
        let each = |instructions: u64| format!("{:.1}", instructions as f64 / size as f64);
        let now = each(instructions);
        let Some(stored) = self.stored(name, size) else {
            return format!("{name:<28} {:>15} {now:>14}", "");
        };
        let change = (instructions as f64 / stored.max(1) as f64 - 1.0) * 100.0;
        format!("{name:<28} {:>15} {now:>14} {change:>+7.2} %", each(stored))
    }

    /// What is stored for a row of this size.
    fn stored(&self, name: &str, size: u64) -> Option<u64> {
        let row = self.rows.get(name).filter(|row| row.size == size)?;
        Some(row.instructions)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stored() -> Counts {
        let mut counts = Counts::default();
        counts.put("fib", 2, 1000, "1234abcd");
        counts
    }

    #[test]
    fn three_percent_is_told_and_less_is_not() {
        let stored = stored();
        for (now, verdict) in [
            (1031, Verdict::Worse),
            (1030, Verdict::Alike),
            (970, Verdict::Alike),
            (969, Verdict::Better),
        ] {
            assert_eq!(stored.verdict("fib", 2, now), verdict, "{now}");
        }
        assert_eq!(stored.verdict("tak", 2, 1000), Verdict::New);
        assert_eq!(stored.verdict("fib", 3, 1000), Verdict::New);
    }

    #[test]
    fn a_line_shows_one_piece_of_work() {
        assert_eq!(
            stored().compared("fib", 2, 1031),
            "fib                                    500.0          515.5   +3.10 %"
        );
        assert_eq!(
            stored().compared("tak", 2, 1031),
            "tak                                                   515.5"
        );
    }

    #[test]
    fn counts_survive_their_file() {
        let folder = std::env::temp_dir().join(format!("counts-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let file = folder.join("counts.json");
        assert_eq!(Counts::read(&file).unwrap(), Counts::default());
        stored().write(&file).unwrap();
        assert_eq!(Counts::read(&file).unwrap(), stored());
        fs::write(&file, "{}").unwrap();
        assert!(Counts::read(&file).is_err());
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn another_compiler_is_told() {
        let made = |rustc: &str| Made {
            rustc: rustc.to_owned(),
            ..Made::default()
        };
        assert!(made("1.95").differences(&made("1.95")).is_empty());
        assert!(made("").differences(&made("1.95")).is_empty());
        assert!(made("1.95").differences(&made("1.96"))[0].contains("rustc is 1.96"));
    }
}
