//! What Ctrl-C opens on a node with a terminal: a menu to end it, look into it or go on.
//!
//! Called by the scheduler that polled the signal. It holds the poll, so nobody else takes the keys, and the world stands
//! still until a choice is made. A second Ctrl-C ends the node.

use std::os::fd::{AsFd, BorrowedFd};

use layout::Term;
use term::am;
use term::copy::Owned;

use crate::crash::{self, Part};
use runtime::halt::CrashCause;
use runtime::scheduler::world;
use runtime::signal::{self, Signal};
use runtime::{config, halt, registry};

const HELP: &str = "BREAK: (a)bort (A)bort with dump (c)ontinue (p)roc info (i)nfo\n       \
                    (l)oaded (v)ersion (k)ill (D)b-tables (d)istribution\n";

/// How often a second Ctrl-C is looked for.
const LOOK_NS: u64 = 50_000_000;

/// What was chosen.
enum Choice {
    Continue,
    End,
    EndWithDump,
}

/// Shows the menu and does what is chosen.
pub fn open() {
    let choice = world::stopped(|| {
        sys::terminal::suspend();
        let choice = choose();
        if matches!(choice, Choice::Continue) {
            // If it is gone, that is found out by reading.
            let _ = sys::terminal::renew();
        }
        choice
    });
    match choice {
        Choice::Continue => {}
        Choice::End => halt::halt(0, false),
        Choice::EndWithDump => {
            crash::end(CrashCause::Menu, "Crash dump requested by user");
        }
    }
}

fn choose() -> Choice {
    show(format!("\n{HELP}").as_bytes());
    loop {
        // Without a key it was Ctrl-C again.
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

/// Shows one process after the other and asks what becomes of it; a choice only when the node is to end.
fn choose_whom_to_kill() -> Option<Choice> {
    let line = "-".repeat(50);
    show(format!("\n\nProcess Information\n\n{line}\n").as_bytes());
    for (pid, text) in crash::each_process() {
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
}

/// As if the first process did it.
fn kill(pid: Term) {
    let init = registry::whereis(term::atom::known("init")).unwrap_or(pid);
    let exit = Signal::Exit {
        from: init,
        reason: Owned::new(am::KILL),
        linked: false,
    };
    signal::send_or_bounce(pid, exit);
}

/// The first key of a line; 0 at the end of input, None when Ctrl-C came instead.
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

/// Lines end with a return too, also where no terminal shows them.
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
