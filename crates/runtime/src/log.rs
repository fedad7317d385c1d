//! What the machine itself has to report, in the form that OTP's logger takes: a message to the
//! process registered as `logger`, or, before there is one, a line on standard error.

use layout::{Heap, Term};
use term::heap::Scratch;
use term::{am, atom, build, map};

use crate::process::Process;
use crate::{registry, signal};

/// A process ended by an error that nobody caught.
pub fn crashed(process: &Process, reason: Term) {
    report(
        process,
        "Error in process ~p with exit value:~n~p~n",
        |_, pid| vec![pid, reason],
    );
}

/// A heap passed its `max_heap_size`.
pub fn over_heap_limit(process: &Process, words: u64, limit: u64) {
    let format = "     Process:            ~p~n     Context:            maximum heap size reached~n     \
                  Max Heap Size:      ~p~n     Total Heap Size:    ~p~n";
    report(process, format, |_, pid| {
        vec![pid, Term::small(limit as i64), Term::small(words as i64)]
    });
}

/// A file cannot be loaded; the loader's caller learns only `badfile`.
pub fn load_failed(process: &Process, module: Term, why: &str) {
    report(process, "Loading of ~p failed: ~ts~n", |heap, _| {
        vec![module, build::string(heap, why)]
    });
}

fn report(process: &Process, format: &str, arguments: impl FnOnce(&mut Heap, Term) -> Vec<Term>) {
    let mut scratch = Scratch::new();
    let heap = scratch.heap();
    let pid = process.pid();
    let arguments = arguments(heap, pid);
    let Some(logger) = registry::whereis_process(am::LOGGER) else {
        eprintln!(
            "{}",
            Plain {
                format,
                arguments: &arguments
            }
        );
        return;
    };
    let list = build::list(heap, &arguments);
    let format = build::string(heap, format);
    let time = build::integer(heap, sys::clock::system_ns() / 1000);
    let error_logger = map::from_pairs(
        heap,
        &[(atom::known("tag"), am::ERROR), (am::EMULATOR, am::TRUE)],
    );
    let metadata = map::from_pairs(
        heap,
        &[
            (am::PID, pid),
            (atom::known("gl"), process.group_leader),
            (atom::known("time"), time),
            (am::ERROR_LOGGER, error_logger),
        ],
    );
    let message = build::tuple(heap, &[am::LOG, am::ERROR, format, list, metadata]);
    signal::send_message_from_outside(logger, message);
}

/// The report as text, while nobody else formats it.
struct Plain<'a> {
    format: &'a str,
    arguments: &'a [Term],
}

impl std::fmt::Display for Plain<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut arguments = self.arguments.iter();
        let mut rest = self.format;
        while let Some(at) = rest.find('~') {
            f.write_str(&rest[..at])?;
            match rest.as_bytes().get(at + 1) {
                Some(b'p' | b't') => {
                    if let Some(argument) = arguments.next() {
                        write!(f, "{}", term::print::display(*argument))?;
                    }
                }
                _ => writeln!(f)?,
            }
            rest = rest.get(at + 2..).unwrap_or("");
        }
        f.write_str(rest)
    }
}
