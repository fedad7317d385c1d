//! The menu that Ctrl-C opens on a node with a terminal: to end the node, inspect it or continue.
//!
//! Called by the scheduler that received the signal. It holds the I/O poll, so no other thread reads the keys, and the
//! world is stopped until a choice is made. A second Ctrl-C ends the node.

use std::os::fd::{AsFd, BorrowedFd};

use layout::Term;
use term::am;
use term::copy::Owned;

use crate::crash::{self, Part};
use runtime::exec::halt::{self, Flush};
use runtime::mail::hooks::CrashCause;
use runtime::mail::{registry, signal, world};
use runtime::process::signal::Signal;
use runtime::process::{config, epoch};

const HELP: &str = "BREAK: (a)bort (A)bort with dump (c)ontinue (p)roc info (i)nfo\n       \
                    (l)oaded (v)ersion (k)ill (D)b-tables (d)istribution\n";

/// The interval between checks for a second Ctrl-C.
const LOOK_NS: u64 = 50_000_000;

/// The user's choice.
enum Choice {
    Continue,
    End,
    EndWithDump,
}

/// Shows the menu and carries out the choice.
pub(crate) fn open() {
    let choice = world::stopped(|| {
        sys::terminal::suspend();
        let choice = choose();
        if matches!(choice, Choice::Continue) {
            // If the terminal is gone, the next read will fail.
            let _ = sys::terminal::renew();
        }
        choice
    });
    match choice {
        Choice::Continue => {}
        Choice::End => halt::halt(0, Flush::No),
        Choice::EndWithDump => {
            crash::end(CrashCause::Menu, "Crash dump requested by user");
        }
    }
}

fn choose() -> Choice {
    show(format!("\n{HELP}").as_bytes());
    loop {
        // No key means that Ctrl-C was pressed again.
        match key().unwrap_or(0) {
            b'a' | b'q' | b'*' | 0 => return Choice::End,
            b'A' => return Choice::EndWithDump,
            b'c' | b'm' => {}
            b'v' => {
                let version = &config::get().erts_version;
                show(format!("Erlang (BEAM) emulator version {version}\n").as_bytes());
            }
            b'p' => show(&crash::text(&[Part::Processes, Part::Ports])),
            b'o' => show(&crash::text(&[Part::Ports])),
            b'i' => show(&crash::text(&[Part::Node])),
            b'l' => show(&crash::text(&[Part::Loaded])),
            b'd' => show(&crash::text(&[Part::Distribution])),
            b'D' => show(&crash::text(&[Part::Tables])),
            b'k' => {
                if let Some(choice) = choose_whom_to_kill() {
                    return choice;
                }
            }
            b'\n' => continue,
            other => {
                let other = char::from(other);
                let text = "Please enter one of the following:";
                show(format!("Invalid option '{other}'. {text}\n{HELP}").as_bytes());
                continue;
            }
        }
        return Choice::Continue;
    }
}

/// Shows one process after another and asks whether to kill it. Returns a choice only if the node must end.
fn choose_whom_to_kill() -> Option<Choice> {
    let line = "-".repeat(50);
    show(format!("\n\nProcess Information\n\n{line}\n").as_bytes());
    epoch::with_pin(|pinned| {
        // SAFETY: the menu is shown while the world is stopped.
        for (pid, text) in unsafe { crash::each_process(pinned) } {
            show(&text);
            show(b"(k)ill (n)ext (r)eturn:\n");
            match key().unwrap_or(0) {
                0 => return Some(Choice::End),
                b'k' => kill(pid),
                b'n' => {}
                _ => return None,
            }
        }
        None
    })
}

/// Kills a process with an exit signal that appears to come from `init`.
fn kill(pid: Term) {
    let init = registry::whereis(term::atom::known("init")).unwrap_or(pid);
    let exit = Signal::Exit {
        from: init,
        reason: Owned::new(am::KILL),
        linked: false,
    };
    signal::send_or_bounce(pid, exit);
}

/// The first key of a line; 0 at the end of input, `None` if Ctrl-C was pressed instead.
fn key() -> Option<u8> {
    let stdin = std::io::stdin();
    let fd: BorrowedFd<'_> = stdin.as_fd();
    let mut line = [0; 64];
    loop {
        if let Ok(true) = sys::fd::wait_readable(fd, Some(LOOK_NS)) {
            return Some(match sys::fd::read(fd, &mut line) {
                Ok(read) if read > 0 => line[0],
                _ => 0,
            });
        }
        let again = sys::signal::take_pending();
        if again.contains(sys::signal::Signal::Interrupt) {
            return None;
        }
    }
}

/// Writes text with a carriage return before each line feed, even if standard output is not a terminal.
fn show(text: &[u8]) {
    let mut shown = Vec::with_capacity(text.len() + text.len() / 32);
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        match line.strip_suffix(b"\n") {
            Some(line) => {
                shown.extend_from_slice(line);
                shown.extend_from_slice(b"\r\n");
            }
            None => shown.extend_from_slice(line),
        }
    }
    let stdout = std::io::stdout();
    let _ = sys::fd::write_everything(stdout.as_fd(), &shown, None);
}
