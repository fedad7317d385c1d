//! `prim_socket`: sockets of the operating system, the native functions of OTP's module of that name.
//!
//! A socket is a magic reference to a [`socket::Socket`]. A process owns it; when the owner ends, the socket is
//! closed. An operation that would block returns `select`, and a message says when to try again. [`requests`] decides
//! which process may read and which may write, [`open`] and [`close`] do what they say, and [`receive`], [`send`] and
//! [`sendfile`] move bytes. The names of options, flags and requests are in `sys::socket::catalogue`; their values are
//! converted in [`options`] and [`ancillary`].

pub mod address;
mod ancillary;
mod associations;
mod close;
mod info;
mod ioctl;
mod open;
mod options;
pub mod outcome;
mod receive;
mod requests;
mod send;
mod sendfile;
mod socket;

pub use associations::*;
pub use close::*;
pub use info::*;
pub use ioctl::*;
pub use open::*;
pub use options::*;
pub use receive::*;
pub use requests::nif_cancel_3;
pub use send::*;
pub use sendfile::*;

use layout::Term;

/// Takes the settings that OTP's module passes when it loads its native functions.
pub fn load(info: Term) {
    socket::load(info);
}
