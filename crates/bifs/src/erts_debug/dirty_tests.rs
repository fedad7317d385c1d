//! `erts_debug:dirty/3`, `dirty_cpu/2` and `dirty_io/2`: calls that OTP's suites make to see dirty schedulers at work.

use std::time::{Duration, Instant};

use layout::Term;
use term::{am, atom, build, copy, integer};

use super::is_named;
use runtime::code::bif::{BifResult, Failure, badarg, error, trap};
use runtime::mail::{loans, signal};
use runtime::process::{Process, table};

/// Where a test runs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Normal,
    DirtyCpu,
    DirtyIo,
}

impl Place {
    fn name(self) -> Term {
        match self {
            Place::Normal => am::NORMAL,
            Place::DirtyCpu => atom::known("dirty_cpu"),
            Place::DirtyIo => atom::known("dirty_io"),
        }
    }

    /// Calls a test there, in place of the running one.
    fn continue_with(self, test: Term, argument: Term) -> Failure {
        let module = atom::known("erts_debug");
        match self {
            Place::Normal => trap(module, atom::known("dirty"), &[am::NORMAL, test, argument]),
            _ => trap(module, self.name(), &[test, argument]),
        }
    }
}

/// `erts_debug:dirty_cpu(Test, Argument)`
pub(crate) fn dirty_cpu_2(process: &mut Process, [test, argument]: [Term; 2]) -> BifResult {
    run(process, Place::DirtyCpu, test, argument)
}

/// `erts_debug:dirty_io(Test, Argument)`
pub(crate) fn dirty_io_2(process: &mut Process, [test, argument]: [Term; 2]) -> BifResult {
    run(process, Place::DirtyIo, test, argument)
}

/// `erts_debug:dirty(normal | dirty_cpu | dirty_io, Test, Argument)`
pub(crate) fn dirty_3(process: &mut Process, [place, test, argument]: [Term; 3]) -> BifResult {
    if place == am::NORMAL {
        return run(process, Place::Normal, test, argument);
    }
    let place = [Place::DirtyCpu, Place::DirtyIo]
        .into_iter()
        .find(|known| known.name() == place)
        .ok_or(badarg(1))?;
    if test == am::ERROR {
        // The trace of the exception is to name this call.
        return failure(argument);
    }
    Err(place.continue_with(test, argument))
}

fn run(process: &mut Process, place: Place, test: Term, argument: Term) -> BifResult {
    match test {
        am::ERROR => failure(argument),
        am::COPY => {
            // Every copy is a real one, so that heap fragments come about.
            let heap = process.heap();
            let copies = (0..1000)
                .map(|_| copy::copy(heap, argument))
                .collect::<Vec<_>>();
            Ok(build::list(process.heap(), &copies))
        }
        am::SEND => {
            tell(process, argument, am::OK);
            Ok(am::OK)
        }
        _ if is_named(test, "scheduler") && is_named(argument, "type") => Ok(place.name()),
        _ if is_named(test, "wait") => {
            let ms = integer::uint64(argument).ok_or(badarg(2))?;
            loans::apart(process, || match place {
                Place::DirtyCpu => keep_busy(ms),
                _ => wait(ms),
            });
            Ok(am::OK)
        }
        _ if is_named(test, "reschedule") => reschedule(place, test, argument),
        _ if is_named(test, "ready_wait6_done") => {
            tell(process, argument, atom::known("ready"));
            loans::apart(process, || wait(6000));
            tell(process, argument, atom::known("done"));
            Ok(am::OK)
        }
        _ if is_named(test, "alive_waitexiting") && place != Place::Normal => {
            until_told_to_exit(process, place, argument);
            loans::apart(process, || wait(1000));
            let big = build::big(process.heap(), false, &[4711; 10_000]);
            Ok(build::tuple(process.heap(), &[am::OK, big]))
        }
        _ if is_named(test, "alive_waitexitingonly") && place != Place::Normal => {
            until_told_to_exit(process, place, argument);
            Ok(am::OK)
        }
        _ => Err(badarg(2)),
    }
}

fn failure(reason: Term) -> BifResult {
    let known = [
        am::NOTSUP,
        am::UNDEF,
        am::BADARITH,
        am::NOPROC,
        am::SYSTEM_LIMIT,
    ];
    match known.contains(&reason) {
        true => Err(error(reason)),
        false => Err(badarg(2)),
    }
}

/// Counts down by two, in a call of its own each time, and moves to the next kind of scheduler at every multiple of
/// four. An odd number ends in `badarg`.
fn reschedule(place: Place, test: Term, count: Term) -> BifResult {
    let count = integer::int64(count)
        .filter(|count| *count >= 0)
        .ok_or(badarg(2))?;
    if count == 0 {
        return Ok(am::OK);
    }
    if count % 2 != 0 {
        return Err(badarg(2));
    }
    let next = match (count % 4 == 0, place) {
        (false, _) => place,
        (true, Place::DirtyCpu) => Place::DirtyIo,
        (true, Place::DirtyIo) => Place::Normal,
        (true, Place::Normal) => Place::DirtyCpu,
    };
    Err(next.continue_with(test, Term::small(count - 2)))
}

fn wait(ms: u64) {
    std::thread::sleep(Duration::from_millis(ms));
}

/// Uses the processor, as what belongs on a dirty CPU scheduler does.
fn keep_busy(ms: u64) {
    let end = Instant::now() + Duration::from_millis(ms);
    while Instant::now() < end {
        std::thread::yield_now();
    }
}

/// Sends `{Tag, Pid}`, with the pid of the process that runs the test.
fn tell(process: &mut Process, to: Term, tag: Term) {
    let pid = process.pid();
    let message = build::tuple(process.heap(), &[tag, pid]);
    signal::send_message(am::UNDEFINED, to, message);
}

/// Tells `tester` `{alive, Pid}`, and goes on until a signal says that it must end.
fn until_told_to_exit(process: &mut Process, place: Place, tester: Term) {
    let pid = process.pid();
    tell(process, tester, am::ALIVE);
    loans::apart(process, || {
        while table::exists(pid) {
            match place {
                Place::DirtyCpu => keep_busy(1),
                _ => wait(1),
            }
        }
    });
}
