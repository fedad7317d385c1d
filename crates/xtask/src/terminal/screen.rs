//! Removes from a screen what changes from run to run: the banner's details, the numbers of pids, dates, the home
//! directory.

use std::path::Path;

/// Whether the screen has any text besides the line about the cursor.
pub(super) fn shows_something(screen: &str) -> bool {
    screen
        .lines()
        .any(|line| !line.is_empty() && !line.starts_with("cursor "))
}

/// The screen without what changes from run to run.
pub(super) fn plain(screen: &str, home: &Path) -> String {
    let home = home.display().to_string();
    let mut text = String::new();
    let begins = |line: &str| {
        let release = line.split_once("Erlang/OTP ").map_or("", |(_, rest)| rest);
        release
            .trim_start_matches(|c: char| c.is_ascii_digit())
            .starts_with(" [")
    };
    let ends = |line: &str| line.starts_with("Eshell") || line.starts_with("Interactive Elixir");
    let first = screen.lines().find(|line| ends(line) || begins(line));
    // If the banner ends before one begins, its beginning has scrolled off the screen.
    let mut is_banner = first.is_some_and(ends);
    for line in screen.lines() {
        // A banner may take several lines; each becomes an empty one.
        is_banner |= begins(line);
        is_banner &= !ends(line);
        if !is_banner {
            let line = masked(line, "<0.", ">", "<pid>");
            let line = masked(&line, "REPORT==== ", " ===", "REPORT==== date ===");
            text.push_str(&line.replace(&home, "home"));
        }
        text.push('\n');
    }
    text
}

/// The line with everything from `start` to the next `end` replaced.
fn masked(line: &str, start: &str, end: &str, by: &str) -> String {
    let mut text = String::new();
    let mut rest = line;
    while let Some(from) = rest.find(start)
        && let Some(length) = rest[from..].find(end)
    {
        text.push_str(&rest[..from]);
        text.push_str(by);
        rest = &rest[from + length + end.len()..];
    }
    text.push_str(rest);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_changes_is_left_out() {
        let screen = "Erlang/OTP 25 [a]\n[b]\n\nEshell V1\n1> <0.85.0>\ncursor 1,2 1\n";
        let found = plain(screen, Path::new("/home"));
        assert_eq!(found, "\n\n\nEshell V1\n1> <pid>\ncursor 1,2 1\n");
        assert!(shows_something(&found));
        assert!(!shows_something("\n\ncursor 0,0 1\n"));
        let found = plain("=ERROR REPORT==== now ===\n/home/x\n", Path::new("/home"));
        assert_eq!(found, "=ERROR REPORT==== date ===\nhome/x\n");
    }
}
