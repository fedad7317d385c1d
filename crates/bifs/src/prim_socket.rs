//! `prim_socket`: sockets of the operating system, the native functions of OTP's module of that name.
//!
//! A socket is a magic reference to a [`socket::Socket`]. A process owns it; when the owner ends, the socket is
//! closed. An operation that would block returns `select`, and a message says when to try again. [`requests`] decides
//! which process may read and which may write, [`open`] and [`close`] do what they say, and [`receive`], [`send`] and
//! [`sendfile`] move bytes. The names of options, flags and requests are in `sys::socket::catalogue`; their values are
//! converted in [`options`] and [`ancillary`].

pub(crate) mod address;
mod ancillary;
mod associations;
mod close;
mod info;
mod ioctl;
mod look;
mod open;
mod options;
pub(crate) mod outcome;
mod receive;
mod requests;
mod send;
mod sendfile;
mod socket;
mod totals;

pub(crate) use associations::*;
pub(crate) use close::*;
pub(crate) use info::*;
pub(crate) use ioctl::*;
pub(crate) use open::*;
pub(crate) use options::*;
pub(crate) use receive::*;
pub(crate) use requests::nif_cancel_3;
pub(crate) use send::*;
pub(crate) use sendfile::*;

use layout::Term;

/// Takes the settings that OTP's module passes when it loads its native functions.
pub(crate) fn load(info: Term) {
    socket::load(info);
    window::sockets::set_source(window::sockets::Source {
        look: look::look_within,
        totals: totals::totals,
    });
}
