//! Making processes copy the literals of an area that is to be freed: see `code::literal_collector`.

use std::ops::Range;

use layout::Term;
use term::copy::{self, Owned};
use term::heap::Scratch;
use term::{am, build};

use super::dirty_collection;
use crate::code::literal_collector;
use crate::effects::collection;
use crate::mail::{signal, tasks};
use crate::process::{Flags, Process, message_queue};

/// Makes a process copy the literals of the present area; `asker` then receives `{copy_literals, Id, ok}`.
pub fn send_copy_request(asker: Term, pid: Term, id: Owned) {
    let addresses = literal_collector::present();
    let copy = move |process: Option<&mut Process>| {
        if let (Some(process), Some(addresses)) = (process, addresses) {
            copy_literals(process, &addresses);
        }
        let mut scratch = Scratch::new();
        let done = [am::COPY_LITERALS, id.term(), am::OK];
        let done = build::tuple(scratch.heap(), &done);
        signal::send_message(pid, asker, done);
    };
    tasks::ask_to_collect(pid, takes_long, Box::new(copy));
}

/// Whether copying the literals of the present area would take a process too long for this thread.
fn takes_long(process: &Process) -> bool {
    dirty_collection::is_wanted_for_all(process)
        || literal_collector::present().is_some_and(|addresses| {
            dirty_collection::is_long(addresses.len() / 8)
                && collection::may_refer_to(process, &addresses)
        })
}

/// Removes all pointers to those addresses from a process between two slices. Terms that it receives later contain
/// none, because copying a term also copies doomed literals.
fn copy_literals(process: &mut Process, addresses: &Range<usize>) {
    message_queue::replace(process, |message| {
        copy::refers_to(message, addresses).then(|| Owned::new(message))
    });
    // SAFETY: this is a task of the process, which is between two slices: all its terms are where a collection finds
    // them.
    unsafe { collection::copy_literals(process, addresses) };
    debug_assert!(
        process.flags.contains(Flags::EXIT_PENDING)
            || !collection::may_refer_to(process, addresses),
        "a process refers to literals that it was asked to copy"
    );
}
