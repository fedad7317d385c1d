//! `prim_socket`: sockets of the operating system, the native functions of OTP's module of that name.
//!
//! A socket is a magic reference to a [`socket::Socket`]. A process owns it; when the owner ends, the socket is
//! closed. An operation that would block returns `select`, and a message says when to try again. [`turns`] decides
//! which process may read and which may write, [`life`] opens and closes, and [`receive`], [`send`] and [`sendfile`]
//! move bytes. The names of options, flags and requests are in `sys::socket::catalogue`; their values are converted in
//! [`options`] and [`ancillary`].

pub mod address;
mod ancillary;
mod associations;
mod close;
mod info;
mod ioctl;
mod life;
mod options;
mod receive;
mod send;
mod sendfile;
mod socket;
mod turns;

pub use associations::*;
pub use close::*;
pub use info::*;
pub use ioctl::*;
pub use life::*;
pub use options::*;
pub use receive::*;
pub use send::*;
pub use sendfile::*;
pub use turns::nif_cancel_3;

use std::sync::Arc;

use layout::Term;
use sys::Errno;
use term::release::{self, Release};
use term::{am, atom, build};

use super::magic;
use runtime::code::bif::{BifResult, badarg, error};
use runtime::process::Process;
use socket::Socket;
use term::integer::int32;

/// Why a function has failed, and how it is reported.
pub enum Refusal {
    /// A `badarg` exception: an argument has a type that the function does not take.
    Badarg,
    /// `{error, Posix}`.
    System(Errno),
    /// `{error, Reason}`.
    Error(Term),
    /// `{error, {invalid, What}}`.
    ErrorInvalid(Term),
    /// `{invalid, What}`, which OTP's module explains.
    Invalid(Term),
    /// `{invalid, {integer_range, Number}}`; an exception in OTP 27.
    Range(Term),
    /// The exception `{invalid, What}`.
    Raise(Term),
}

impl From<Errno> for Refusal {
    fn from(error: Errno) -> Refusal {
        Refusal::System(error)
    }
}

/// The result of a body.
pub type Answer = Result<Term, Refusal>;

/// The socket is closed, or is being closed.
const CLOSED: Refusal = Refusal::Error(am::CLOSED);
/// The operation is not possible in the current state.
const BAD_STATE: Refusal = Refusal::ErrorInvalid(am::STATE);

/// Converts the outcome of a body to the result of a BIF.
pub fn answer(process: &mut Process, outcome: Answer) -> BifResult {
    let heap = process.heap();
    match outcome {
        Ok(term) => Ok(term),
        Err(Refusal::Badarg) => Err(badarg(1)),
        Err(Refusal::System(errno)) => {
            let reason = atom::known(errno.name());
            Ok(build::tuple(heap, &[am::ERROR, reason]))
        }
        Err(Refusal::Error(reason)) => Ok(build::tuple(heap, &[am::ERROR, reason])),
        Err(Refusal::ErrorInvalid(what)) => {
            let reason = build::tuple(heap, &[am::INVALID, what]);
            Ok(build::tuple(heap, &[am::ERROR, reason]))
        }
        Err(Refusal::Invalid(what)) => Ok(build::tuple(heap, &[am::INVALID, what])),
        Err(Refusal::Range(number)) => {
            let what = build::tuple(heap, &[am::INTEGER_RANGE, number]);
            let refusal = build::tuple(heap, &[am::INVALID, what]);
            match release::get() == Release::OTP_27 {
                true => Err(error(refusal)),
                false => Ok(refusal),
            }
        }
        Err(Refusal::Raise(what)) => Err(error(build::tuple(heap, &[am::INVALID, what]))),
    }
}

/// `{ok, Value}`.
pub fn ok(process: &mut Process, value: Term) -> Term {
    build::tuple(process.heap(), &[am::OK, value])
}

/// The socket that a reference holds.
fn socket<'a>(reference: Term) -> Result<&'a Arc<Socket>, Refusal> {
    magic::get::<Arc<Socket>>(reference).ok_or(Refusal::Badarg)
}

/// An integer of 32 bits; a longer one is reported as out of range.
fn int(term: Term) -> Result<i32, Refusal> {
    int32(term).ok_or_else(|| not_in_range(term))
}

/// The failure for a term that does not fit the width of a number.
fn not_in_range(term: Term) -> Refusal {
    if term.is_integer() {
        Refusal::Range(term)
    } else {
        Refusal::Badarg
    }
}

/// Takes the settings that OTP's module passes when it loads its native functions.
pub fn load(info: Term) {
    socket::load(info);
}
