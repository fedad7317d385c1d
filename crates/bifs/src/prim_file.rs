//! `prim_file`: files and the file system, the native functions of OTP's module of that name.
//!
//! Names come as native bytes terminated by a zero byte. An error of the operating system is returned as `{error,
//! Posix}`. Arguments of the wrong type are `badarg`, which the module turns into `{error, badarg}`.

mod emulator;
mod handle;
mod names;
mod system;

pub(crate) use handle::*;
pub(crate) use names::*;
pub(crate) use system::*;

use layout::{NoGc, Term};
use sys::Errno;
use term::{am, atom, build};

use runtime::code::bif::{BifResult, badarg};
use runtime::process::Process;

/// `{error, Posix}`.
fn posix(process: &mut Process, error: Errno) -> Term {
    let name = atom::known(error.name());
    build::tuple(process.heap(), &[am::ERROR, name])
}

/// `{ok, Value}`.
fn ok(process: &mut Process, value: Term) -> Term {
    build::tuple(process.heap(), &[am::OK, value])
}

/// `ok`, or the error.
fn done(process: &mut Process, answer: sys::Result<()>) -> BifResult {
    Ok(match answer {
        Ok(()) => am::OK,
        Err(error) => posix(process, error),
    })
}

/// Why a function fails: with a `badarg` exception, or by returning `{error, Posix}`.
enum Refusal {
    Badarg(usize),
    Posix(Errno),
}

impl From<Errno> for Refusal {
    fn from(error: Errno) -> Refusal {
        Refusal::Posix(error)
    }
}

/// Converts the outcome of a body to the result of a BIF.
fn answer(process: &mut Process, outcome: Result<Term, Refusal>) -> BifResult {
    match outcome {
        Ok(term) => Ok(term),
        Err(Refusal::Posix(error)) => Ok(posix(process, error)),
        Err(Refusal::Badarg(number)) => Err(badarg(number)),
    }
}

/// The bytes of a name: a binary with one or more zero bytes at its end and none elsewhere.
fn path(name: Term, no_gc: &NoGc) -> Result<std::borrow::Cow<'_, [u8]>, Errno> {
    let bytes = term::unicode::bytes_of(name, no_gc).ok_or(Errno::EINVAL)?;
    let first_zero = bytes.iter().position(|byte| *byte == 0);
    let first_zero = first_zero.ok_or(Errno::EINVAL)?;
    if bytes[first_zero..].iter().any(|byte| *byte != 0) {
        return Err(Errno::EINVAL);
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use layout::no_gc;
    use term::heap::Scratch;

    #[test]
    fn names_end_in_zero_bytes() {
        let mut scratch = Scratch::new();
        let mut check = |bytes: &[u8]| {
            path(build::binary(scratch.heap(), bytes), no_gc!()).map(|path| path.len())
        };
        assert_eq!(check(b"abc\0"), Ok(4));
        assert_eq!(check(b"abc\0\0"), Ok(5));
        assert_eq!(check(b"\0"), Ok(1));
        assert_eq!(check(b"abc"), Err(Errno::EINVAL));
        assert_eq!(check(b""), Err(Errno::EINVAL));
        assert_eq!(check(b"a\0b\0"), Err(Errno::EINVAL));
        assert_eq!(path(am::OK, no_gc!()), Err(Errno::EINVAL));
    }
}
