//! `init:restart/0` of a node with a shell: the shell has its terminal again, though the former one is still referred
//! to. `script` provides the terminal. On each OTP that is here but 29, where stock's own shell reads nothing after a
//! restart.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use stock::Otp;

#[path = "releases/made.rs"]
mod made;
use made::{FERL, otps};

const PATIENCE: Duration = Duration::from_secs(60);

/// A node in a terminal, which is ended with it.
struct Terminal(Child);

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// What a shell shows of its answers before a restart and after it, and how the node ends.
fn answers(machine: &Path, otp: &Otp) -> (Vec<String>, Option<i32>) {
    let folder = tempfile::tempdir().unwrap();
    let screen = folder.path().join("screen");
    let script = Command::new("script")
        .args(["-qec", &format!("exec {}", machine.display()), "/dev/null"])
        .current_dir(folder.path())
        .env("FERL_OTP", &otp.root)
        .env("TERM", "xterm")
        .stdin(Stdio::piped())
        .stdout(File::create(&screen).unwrap())
        .stderr(Stdio::null())
        .spawn()
        .expect("script lends a terminal");
    let mut terminal = Terminal(script);
    let shown = || String::from_utf8_lossy(&fs::read(&screen).unwrap()).into_owned();
    let await_shown = |terminal: &mut Terminal, text: &str, times: usize| {
        let start = Instant::now();
        while shown().matches(text).count() < times {
            let ended = terminal.0.try_wait().unwrap();
            assert!(
                ended.is_none() && start.elapsed() < PATIENCE,
                "{}, OTP {}: {ended:?}, no {text:?}: {}",
                machine.display(),
                otp.release,
                shown()
            );
            thread::sleep(Duration::from_millis(20));
        }
    };
    let say = |terminal: &mut Terminal, line: &str| {
        let mut input = terminal.0.stdin.as_ref().expect("a pipe");
        writeln!(input, "{line}").unwrap();
    };
    for turn in 1..=3 {
        await_shown(&mut terminal, "1> ", turn);
        // The echo of the line has no number in it.
        let call = format!("io:format(\"answer ~b ~p~n\", [{turn}, element(1, io:columns())]).");
        say(&mut terminal, &call);
        await_shown(&mut terminal, &format!("answer {turn} "), 1);
        say(
            &mut terminal,
            if turn < 3 {
                "init:restart()."
            } else {
                "halt(7)."
            },
        );
    }
    let status = terminal.0.wait().unwrap();
    let answers = shown()
        .lines()
        .filter(|line| line.starts_with("answer "))
        .map(str::to_owned)
        .collect();
    (answers, status.code())
}

#[test]
fn a_shell_has_its_terminal_again_after_a_restart() {
    for otp in otps().filter(|otp| otp.release < 29) {
        let [on_stock, on_ferl] = [&otp.erl, Path::new(FERL)].map(|machine| answers(machine, &otp));
        assert_eq!(on_ferl, on_stock, "OTP {}", otp.release);
        assert_eq!((on_ferl.0.len(), on_ferl.1), (3, Some(7)), "{on_ferl:?}");
    }
}
