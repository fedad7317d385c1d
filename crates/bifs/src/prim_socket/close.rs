//! Closing in two steps: the first ends all work, the second closes the descriptor on a thread that may block.

use std::os::fd::AsFd;

use layout::{Term, no_gc};
use sys::Errno;
use term::am;

use super::outcome::{Answer, CLOSED, Refusal, answer};
use super::requests::forget;
use super::socket::socket;
use super::socket::state;
use crate::magic;
use runtime::code::bif::{BifResult, Failure};
use runtime::process::Process;

/// Stands for the socket in the second call of `nif_close/1`, after those that it has told had a turn.
struct Told;

/// `prim_socket:nif_close(Socket)`: tells all waiting processes. The caller continues with `nif_finalize_close/1`.
///
/// That one runs elsewhere, and on stock the caller then gets its next turn where it comes from, behind those that it
/// has told. Here another scheduler may take it up before they had a turn; a process that ends once its socket is
/// closed, as the server of a socket of `gen_tcp`, would be gone when they ask it. So the call yields first.
pub(crate) fn nif_close_1(process: &mut Process, [reference]: [Term; 1]) -> BifResult {
    if magic::get::<Told>(reference, no_gc!()).is_some() {
        return Ok(am::OK);
    }
    match close(process, reference) {
        Ok(true) => {
            let arguments = Box::new([magic::make(process, Told)]);
            Err(Failure::Yield { arguments })
        }
        Ok(false) => Ok(am::OK),
        Err(refusal) => answer(process, Err(refusal)),
    }
}

/// Returns whether other processes were told.
fn close(process: &mut Process, reference: Term) -> Result<bool, Refusal> {
    let no_gc = no_gc!();
    let socket = socket(reference, no_gc)?;
    let (mut reading, mut writing, mut kept) = socket.all();
    reading.open()?;
    kept.closer = Some(process.pid());
    // If the caller ends before the second step, that closes the socket.
    socket.watch(process, &mut kept);
    Ok(socket.stop(&mut reading, &mut writing, &mut kept))
}

/// `prim_socket:nif_finalize_close(Socket)`
pub(crate) fn nif_finalize_close_1(process: &mut Process, [reference]: [Term; 1]) -> BifResult {
    let outcome = finalize(process, reference);
    answer(process, outcome)
}

fn finalize(process: &mut Process, reference: Term) -> Answer {
    let no_gc = no_gc!();
    let socket = socket(reference, no_gc)?;
    let (mut reading, mut writing, mut kept) = socket.all();
    if reading.state & state::CLOSED != 0 {
        return Err(CLOSED);
    }
    if reading.state & state::CLOSING == 0 || kept.closer != Some(process.pid()) {
        return Err(Refusal::Raise(am::STATE));
    }
    kept.closer = None;
    kept.owner = None;
    socket.unwatch(process, &mut kept);
    let watched = std::mem::take(&mut kept.watched);
    let ending = socket.end(&mut reading, &mut writing, &mut kept);
    drop((reading, writing, kept));
    forget(watched);
    if let Some(fd) = ending.descriptor() {
        // In blocking mode, closing a socket that lingers waits until its data is sent.
        let _ = sys::fd::set_nonblocking(fd.as_fd(), false);
    }
    match ending.close() {
        Ok(()) => Ok(am::OK),
        Err(Errno::EAGAIN) => Err(Refusal::Error(am::TIMEOUT)),
        Err(error) => Err(error.into()),
    }
}
