//! Lines of the node's own on standard output and standard error.
//!
//! Both may be gone: a pipe that nobody reads, a full disk, a terminal that was hung up. Then what was to be said is
//! lost, and the node goes on; the standard library's `print!` and `eprint!` would end it.

pub mod tail;

use std::fmt::{Arguments, Write as _};
use std::io::Write as _;

use tail::Source;

/// Writes to standard output, as far as it takes it.
pub fn to_output(text: Arguments<'_>) {
    let whole = text.to_string();
    tail::wrote(Source::Output, whole.as_bytes());
    let mut output = std::io::stdout().lock();
    let _ = output.write_all(whole.as_bytes());
    let _ = output.flush();
}

/// Writes to standard error, as far as it takes it: all at once, so that lines of different threads stay whole.
pub fn to_error(text: Arguments<'_>) {
    let mut whole = String::new();
    let _ = whole.write_fmt(text);
    tail::wrote(Source::Error, whole.as_bytes());
    let _ = std::io::stderr().write_all(whole.as_bytes());
}
