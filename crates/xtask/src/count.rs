//! How many tests passed, failed and were skipped: the last line of every chore, written and read.

use std::fmt;
use std::iter::Sum;

/// How lines begin that are shown although all passed.
pub(crate) const NOTES: &[&str] = &["PASSED ALONE", "LEFT OUT"];

#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) struct Count {
    pub passed: usize,
    pub failed: usize,
    pub skipped: usize,
}

impl Count {
    /// What a step counted: cargo's line of each test program, or the last line of a chore.
    pub(crate) fn of_step(output: &str, succeeded: bool) -> Count {
        let counts: Vec<Count> = output.lines().filter_map(Count::of_cargo).collect();
        let mut count: Count = match counts.as_slice() {
            [] => output
                .lines()
                .rev()
                .find_map(Count::of_chore)
                .unwrap_or_default(),
            of_programs => of_programs.iter().copied().sum(),
        };
        if !succeeded {
            count.failed = count.failed.max(1);
        } else if count == Count::default() {
            count.passed = 1;
        }
        count
    }

    /// `test result: ok. 3 passed; 0 failed; 1 ignored; ...`
    fn of_cargo(line: &str) -> Option<Count> {
        let (_, counts) = line.split_once("test result: ")?.1.split_once(". ")?;
        Count::of_parts(counts.split("; "))
    }

    /// `3 passed, 0 failed`, and `, 1 skipped` if any were, behind nothing or a colon.
    fn of_chore(line: &str) -> Option<Count> {
        let counts = line.rsplit_once(": ").map_or(line, |(_, counts)| counts);
        Count::of_parts(counts.split(", "))
    }

    fn of_parts<'a>(parts: impl Iterator<Item = &'a str>) -> Option<Count> {
        let (mut passed, mut failed, mut skipped) = (None, None, 0);
        for (number, what) in parts.filter_map(|part| part.split_once(' ')) {
            let number = number.parse().ok();
            match what {
                "passed" => passed = number,
                "failed" => failed = number,
                "skipped" | "ignored" => skipped = number?,
                _ => {}
            }
        }
        Some(Count {
            passed: passed?,
            failed: failed?,
            skipped,
        })
    }
}

impl Sum for Count {
    fn sum<I: Iterator<Item = Count>>(counts: I) -> Count {
        counts.fold(Count::default(), |sum, count| Count {
            passed: sum.passed + count.passed,
            failed: sum.failed + count.failed,
            skipped: sum.skipped + count.skipped,
        })
    }
}

/// The form of every chore's last line.
impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} failed", self.passed, self.failed)?;
        match self.skipped {
            0 => Ok(()),
            skipped => write!(f, ", {skipped} skipped"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(output: &str, succeeded: bool) -> String {
        Count::of_step(output, succeeded).to_string()
    }

    #[test]
    fn test_programs_are_added_up() {
        let output = "running 2 tests\n..\ntest result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n\
            test result: FAILED. 4 passed; 1 failed; 3 ignored; 0 measured; 0 filtered out\n";
        assert_eq!(counted(output, false), "6 passed, 1 failed, 3 skipped");
    }

    #[test]
    fn a_chore_counts_in_its_last_line() {
        assert_eq!(
            counted(
                "x: 1 passed, 1 failed\n9 passed, 0 failed, 2 skipped\n",
                true
            ),
            "9 passed, 0 failed, 2 skipped"
        );
        assert_eq!(
            counted("3 BIFs, 7 calls: 3 passed, 0 failed\n", true),
            "3 passed, 0 failed"
        );
    }

    #[test]
    fn a_step_without_a_count_is_one() {
        assert_eq!(counted("warning\n", true), "1 passed, 0 failed");
        assert_eq!(counted("error\n", false), "0 passed, 1 failed");
        // It died after its count.
        assert_eq!(counted("3 passed, 0 failed\n", false), "3 passed, 1 failed");
    }
}
