//! The only code of ferl that talks to the operating system.
//!
//! Everything here is safe to call with any argument unless its signature says `unsafe`. Failures are returned as an
//! [`Errno`]; functions do not panic, and block no longer than they document. The crate does not know
//! Erlang; where a function follows what OTP expects of an operating system its documentation says so.
//!
//! Calls go through `rustix`, which enters the kernel directly and needs no unsafe for most of them. `libc` is left for
//! calls that `rustix` does not have or takes fewer arguments for, for what the C library itself keeps (databases of
//! names, locales, time zones, `exit`), and for a child on its way to its program; those places say why.
//!
//! Each module is one subject of the operating system. Porting ferl to another Unix means
//! editing these files; nothing above this crate names a system call.
//!
//! Unless a module says otherwise its functions may be called from any thread.

// They panic where the terminal, pipe or disk behind is gone: `sys::standard`.
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]
#![warn(missing_docs)]

#[cfg(not(all(target_os = "linux", target_pointer_width = "64")))]
compile_error!("`sys` knows 64-bit Linux only; port its modules one by one");

pub mod allocator;
mod cgroup;
pub mod child;
pub mod clock;
pub mod cpu;
pub mod debugger;
pub mod detach;
pub mod env;
pub mod errno;
pub mod fault;
pub mod fd;
pub mod file;
pub mod gauge;
pub mod histogram;
pub mod host;
pub mod library;
pub mod locale;
pub mod lookout;
pub mod memory;
pub mod park;
mod path;
pub mod poll;
pub mod random;
pub mod sampling;
pub mod signal;
pub mod socket;
pub mod standard;
pub mod terminal;
pub mod thread;

pub use errno::{Errno, Result};

#[cfg(test)]
mod fixture;
