//! `prim_socket`: sockets as the system has them, the bodies below OTP's own module of that name.
//!
//! A socket is a magic reference to a [`Socket`](socket::Socket). A process owns it; when the owner ends, the socket is
//! closed. What would wait answers `select`, and a message tells when it is worth trying again. [`turns`] says who may read
//! and who may write, [`life`] opens and closes, [`receive`], [`send`] and [`sendfile`] move bytes; what options, flags and
//! requests are called is in `sys::socket::catalogue`, and their values are made in [`options`] and [`ancillary`].

pub mod address;
mod ancillary;
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
use term::{am, atom, build};

use super::magic;
use runtime::bif::{BifResult, badarg, error};
use runtime::process::Process;
use socket::Socket;
use term::integer::int32;

/// Why a function has no result of the good kind.
pub enum Refusal {
    /// An exception: an argument is of no kind that the function takes.
    Badarg,
    /// `{error, Posix}`.
    System(Errno),
    /// `{error, Reason}`.
    Error(Term),
    /// `{error, {invalid, What}}`.
    ErrorInvalid(Term),
    /// `{invalid, What}`, for the module to explain.
    Invalid(Term),
    /// `{invalid, {integer_range, Number}}`.
    Range(Term),
    /// The exception `{invalid, What}`.
    Raise(Term),
    /// An exception of another reason.
    Exception(Term),
}

impl From<Errno> for Refusal {
    fn from(error: Errno) -> Refusal {
        Refusal::System(error)
    }
}

/// What a body answers.
pub type Answer = Result<Term, Refusal>;

/// The socket is closed, or about to be.
const CLOSED: Refusal = Refusal::Error(am::CLOSED);
/// Not now.
const BAD_STATE: Refusal = Refusal::ErrorInvalid(am::STATE);

/// Turns a body's outcome into a BIF's.
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
            Ok(build::tuple(heap, &[am::INVALID, what]))
        }
        Err(Refusal::Raise(what)) => Err(error(build::tuple(heap, &[am::INVALID, what]))),
        Err(Refusal::Exception(reason)) => Err(error(reason)),
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

/// An integer of 32 bits; a longer one is told as out of range.
fn int(term: Term) -> Result<i32, Refusal> {
    int32(term).ok_or_else(|| not_in_range(term))
}

/// What is said of a term that does not fit a number's width.
fn not_in_range(term: Term) -> Refusal {
    if term.is_integer() {
        Refusal::Range(term)
    } else {
        Refusal::Badarg
    }
}

/// Takes the description of what OTP's module knows when it loads the machine's functions.
pub fn load(info: Term) {
    socket::load(info);
}
