//! Types a chapter's commands in a shell, and compares what it prints with what is shown.

use std::fmt::Write as _;
use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Stdio};

use super::chapter::{Chapter, Step, Task};

/// How long the commands of a chapter may take, also on a busy host.
const SECONDS: &str = "300";
/// What stands before a line that is no output, but says that a command begins or how it ended.
const MARK: &str = "\u{1}book ";

pub(crate) struct Outcome {
    /// Each command that did not do what the chapter says.
    pub faults: Vec<String>,
    pub left_out: Vec<String>,
    /// How many commands were run.
    pub run: usize,
}

pub(crate) fn run(chapter: &Chapter) -> Outcome {
    let mut outcome = Outcome {
        faults: Vec::new(),
        left_out: Vec::new(),
        run: 0,
    };
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("home");
    let bin = folder.path().join("bin");
    fs::create_dir_all(&home).unwrap();
    fs::create_dir_all(&bin).unwrap();
    symlink(env!("CARGO_BIN_EXE_ferl"), bin.join("ferl")).unwrap();
    let mut typed = Vec::new();
    let mut script = String::from("exec 2>&1\n");
    for step in &chapter.steps {
        if let Some((program, why)) = &step.needs
            && !is_installed(program)
        {
            outcome.left_out.push(format!("{}: {why}", chapter.name));
            continue;
        }
        match &step.task {
            Task::LeaveOut { reason } => {
                outcome.left_out.push(format!("{}: {reason}", chapter.name));
            }
            Task::Write { name, text } => {
                let path = home.join(name);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                // A file may be changed between two commands, so it is written by the shell.
                let _ = write!(script, "cat > '{name}' <<'BOOK_END'\n{text}BOOK_END\n");
            }
            Task::Command { typed: words, .. } => {
                let _ = write!(
                    script,
                    "printf '%s\\n' '{MARK}begins'\n{words}\nstatus=$?; printf '%s\\n' \"{MARK}ended $status\"\n"
                );
                typed.push(step);
            }
        }
    }
    outcome.run = typed.len();
    if typed.is_empty() {
        return outcome;
    }
    let printed = ask(&script, &home, &bin);
    compare(chapter, &typed, &printed, &mut outcome.faults);
    outcome
}

/// Programs that the system's OTP has compiled, so that an older one does not run them.
const OF_SYSTEM_OTP: [&str; 2] = ["elixir", "mix"];

fn is_installed(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
        && (!OF_SYSTEM_OTP.contains(&program) || stock::otp().is_in_path())
}

/// What the shell prints.
fn ask(script: &str, home: &Path, bin: &Path) -> String {
    let otp = stock::otp();
    let inherited = std::env::var_os("PATH").unwrap_or_default();
    let own = otp.erl.parent().unwrap().to_owned();
    let folders = [bin.to_owned(), own]
        .into_iter()
        .chain(std::env::split_paths(&inherited));
    let path = std::env::join_paths(folders).unwrap();
    let file = home.join("../script");
    fs::write(&file, script).unwrap();
    // Nodes of a chapter find each other by a port mapper of their own.
    let free = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = free.local_addr().unwrap().port().to_string();
    drop(free);
    let surround = |command: &mut Command| {
        command
            .env_clear()
            .envs(otp.environment())
            .env("PATH", &path)
            .env("HOME", home)
            .env("LC_ALL", "C.UTF-8")
            .env("TERM", "dumb")
            .env("ERL_EPMD_PORT", &port)
            .env("ERL_EPMD_ADDRESS", "127.0.0.1")
            .current_dir(home)
            .stdin(Stdio::null());
        if !otp.is_in_path() {
            command.env("ERLC_EMULATOR", &otp.erl);
        }
    };
    // It ends all that the shell has started, too.
    let mut shell = Command::new("timeout");
    shell.args(["-s", "KILL", SECONDS, "bash"]).arg(&file);
    surround(&mut shell);
    let output = shell.output().expect("a shell");
    if let Some(epmd) = otp.epmd() {
        let mut end = Command::new(epmd);
        end.arg("-kill").stdout(Stdio::null()).stderr(Stdio::null());
        surround(&mut end);
        let _ = end.status();
    }
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn compare(chapter: &Chapter, typed: &[&Step], printed: &str, faults: &mut Vec<String>) {
    let begins = format!("{MARK}begins\n");
    let mut parts = printed.split(&begins).skip(1);
    for step in typed {
        let Task::Command {
            typed,
            shown,
            status,
        } = &step.task
        else {
            continue;
        };
        let place = format!("{}:{}: {typed}", chapter.name, step.line);
        let part = parts.next().unwrap_or_default();
        let ended = format!("{MARK}ended ");
        let Some((output, rest)) = part.split_once(&ended) else {
            faults.push(format!("{place}\nhas not ended; it printed:\n{part}"));
            return;
        };
        let found = rest.lines().next().unwrap_or_default();
        if found != status.to_string() {
            faults.push(format!(
                "{place}\nended with {found}, not {status}:\n{output}"
            ));
        } else if !shown.is_empty() {
            // What a node in the background prints counts as well.
            let lines: Vec<&str> = output
                .lines()
                .map(|line| line.trim_end_matches('\r'))
                .collect();
            let shown: Vec<&str> = shown.iter().map(String::as_str).collect();
            if !is_shown(&lines, &shown) {
                faults.push(format!(
                    "{place}\nis said to print:\n{}\nand printed:\n{output}",
                    shown.join("\n")
                ));
            }
        }
    }
}

/// Whether lines are those that are shown.
fn is_shown(lines: &[&str], shown: &[&str]) -> bool {
    match shown.split_first() {
        None => lines.iter().all(|line| line.trim().is_empty()),
        Some((&"...", rest)) => (0..=lines.len()).any(|skipped| is_shown(&lines[skipped..], rest)),
        Some((first, rest)) => lines
            .split_first()
            .is_some_and(|(line, others)| is_line(line, first) && is_shown(others, rest)),
    }
}

/// Whether a line is one that is shown, in which `…` stands for anything.
fn is_line(line: &str, shown: &str) -> bool {
    let (line, shown) = (line.trim_end(), shown.trim_end());
    let Some((start, rest)) = shown.split_once('…') else {
        return line == shown;
    };
    let Some(mut line) = line.strip_prefix(start) else {
        return false;
    };
    let mut parts = rest.split('…').peekable();
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return line.ends_with(part);
        }
        match line.find(part) {
            Some(place) => line = &line[place + part.len()..],
            None => return false,
        }
    }
    true
}

#[test]
fn lines_are_compared_but_for_what_is_left_open() {
    assert!(is_line("a 12 b", "a … b") && is_line("a 12 b 3", "a … b …") && is_line("x", "x"));
    assert!(!is_line("a 12 c", "a … b") && !is_line("ab", "a"));
    assert!(is_shown(&["a", "b", "c"], &["...", "c"]) && is_shown(&["a", ""], &["a"]));
    assert!(!is_shown(&["a", "b"], &["a"]) && !is_shown(&[], &["a"]));
}
