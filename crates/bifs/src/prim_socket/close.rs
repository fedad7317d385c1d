//! Closing in two steps: the first ends all work, the second closes the descriptor on a thread that may block.

use std::os::fd::AsFd;

use layout::Term;
use sys::Errno;
use term::am;

use super::socket::state;
use super::turns::forget;
use super::{Answer, CLOSED, Refusal, answer, socket};
use runtime::bif::BifResult;
use runtime::process::Process;

/// `prim_socket:nif_close(Socket)`: tells all waiting processes. The caller continues with `nif_finalize_close/1`.
pub fn nif_close_1(process: &mut Process, [reference]: [Term; 1]) -> BifResult {
    let outcome = close(process, reference);
    answer(process, outcome)
}

fn close(process: &mut Process, reference: Term) -> Answer {
    let socket = socket(reference)?;
    let (mut reading, mut writing, mut kept) = socket.all();
    reading.open()?;
    kept.closer = Some(process.pid());
    // If the caller ends before the second step, that closes the socket.
    socket.watch(process, &mut kept);
    socket.stop(&mut reading, &mut writing, &mut kept);
    Ok(am::OK)
}

/// `prim_socket:nif_finalize_close(Socket)`
pub fn nif_finalize_close_1(process: &mut Process, [reference]: [Term; 1]) -> BifResult {
    let outcome = finalize(process, reference);
    answer(process, outcome)
}

fn finalize(process: &mut Process, reference: Term) -> Answer {
    let socket = socket(reference)?;
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
