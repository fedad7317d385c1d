//! Functions of SCTP associations, which ferl does not have: what stock returns for sockets of other kinds.

use layout::{Term, no_gc};
use runtime::code::bif::BifResult;
use runtime::process::Process;
use sys::Errno;

use super::outcome::{Refusal, answer};
use super::socket::socket;

fn refuse(process: &mut Process, reference: Term, refusal: Refusal) -> BifResult {
    let no_gc = no_gc!();
    let outcome = socket(reference, no_gc).and(Err(refusal));
    answer(process, outcome)
}

/// `prim_socket:nif_bind(Socket, Addresses, add | remove)`
pub(crate) fn nif_bind_3(process: &mut Process, [reference, ..]: [Term; 3]) -> BifResult {
    refuse(process, reference, Refusal::System(Errno::ENOPROTOOPT))
}

/// `prim_socket:nif_peeloff(Socket, Association)`
pub(crate) fn nif_peeloff_2(process: &mut Process, [reference, _]: [Term; 2]) -> BifResult {
    refuse(process, reference, Refusal::Badarg)
}

/// `prim_socket:nif_socknames(Socket, Association)`
pub(crate) fn nif_socknames_2(process: &mut Process, [reference, _]: [Term; 2]) -> BifResult {
    refuse(process, reference, Refusal::System(Errno::ENOTSUP))
}

/// `prim_socket:nif_peernames(Socket, Association)`
pub(crate) fn nif_peernames_2(process: &mut Process, [reference, _]: [Term; 2]) -> BifResult {
    refuse(process, reference, Refusal::System(Errno::ENOTSUP))
}
