//! What comes of a function of `prim_socket`: a term, or why it has failed, and how that is reported.

use layout::Term;
use sys::Errno;
use term::integer::int32;
use term::release::{self, Release};
use term::{am, atom, build};

use runtime::code::bif::{BifResult, badarg, error};
use runtime::process::Process;

/// Why a function has failed, and how it is reported.
pub(crate) enum Refusal {
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
pub(crate) type Answer = Result<Term, Refusal>;

/// The socket is closed, or is being closed.
pub(crate) const CLOSED: Refusal = Refusal::Error(am::CLOSED);
/// The operation is not possible in the current state.
pub(crate) const BAD_STATE: Refusal = Refusal::ErrorInvalid(am::STATE);

/// Converts the outcome of a body to the result of a BIF.
pub(crate) fn answer(process: &mut Process, outcome: Answer) -> BifResult {
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
pub(crate) fn ok(process: &mut Process, value: Term) -> Term {
    build::tuple(process.heap(), &[am::OK, value])
}

/// An integer of 32 bits; a longer one is reported as out of range.
pub(crate) fn int(term: Term) -> Result<i32, Refusal> {
    int32(term).ok_or_else(|| not_in_range(term))
}

/// The failure for a term that does not fit the width of a number.
pub(crate) fn not_in_range(term: Term) -> Refusal {
    if term.is_integer() {
        Refusal::Range(term)
    } else {
        Refusal::Badarg
    }
}
