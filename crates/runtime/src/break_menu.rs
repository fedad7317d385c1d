//! What Ctrl-C opens on a node with a terminal: a menu to end it or go on.
//!
//! Called by the scheduler that polled the signal. It holds the poll, so nobody else takes the keys, and the world stands
//! still until a choice is made. A second Ctrl-C ends the node.

use std::os::fd::{AsFd, BorrowedFd};

use crate::node;
use crate::scheduler::world;

const HELP: &str = "BREAK: (a)bort (A)bort with dump (c)ontinue (p)roc info (i)nfo\n       \
                    (l)oaded (v)ersion (k)ill (D)b-tables (d)istribution\n";

/// How often a second Ctrl-C is looked for.
const LOOK_NS: u64 = 50_000_000;

/// What was chosen.
enum Choice {
    Continue,
    End { status: i32, slogan: &'static str },
}

/// Shows the menu and does what is chosen.
pub fn open() {
    let choice = world::stopped(|| {
        sys::terminal::suspend();
        let choice = choose();
        if matches!(choice, Choice::Continue) {
            sys::terminal::renew();
        }
        choice
    });
    if let Choice::End { status, slogan } = choice {
        if !slogan.is_empty() {
            eprintln!("\n{slogan}");
        }
        node::halt(status, false);
    }
}

fn choose() -> Choice {
    show(&format!("\n{HELP}"));
    loop {
        // Without a key it was Ctrl-C again.
        match key().unwrap_or(0) {
            b'a' | b'q' | b'*' | 0 => {
                return Choice::End {
                    status: 0,
                    slogan: "",
                };
            }
            b'A' => {
                return Choice::End {
                    status: 1,
                    slogan: "Crash dump requested by user",
                };
            }
            b'c' | b'm' => return Choice::Continue,
            b'v' => {
                let version = &node::config().erts_version;
                show(&format!("Erlang (BEAM) emulator version {version}\n"));
                return Choice::Continue;
            }
            b'p' | b'o' | b'i' | b'l' | b'd' | b'D' | b'k' => {
                show("This is not told here; the shell's i(), m() and observer tell it.\n");
                return Choice::Continue;
            }
            b'\n' => {}
            other => show(&format!(
                "Invalid option '{}'. Please enter one of the following:\n{HELP}",
                char::from(other)
            )),
        }
    }
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

fn show(text: &str) {
    let stdout = std::io::stdout();
    let _ = sys::fd::write_everything(stdout.as_fd(), text.as_bytes(), None);
}
