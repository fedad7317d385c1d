//! The node as one of many: the connections to other nodes, and what processes of this node and of others do with each
//! other.
//!
//! OTP's `net_kernel` makes and watches connections, in Erlang, by BIFs that end here ([`peers`], [`channel`]). What
//! processes do goes out as control messages ([`control`]): messages, links and monitors ([`relations`]), processes to
//! be spawned ([`spawn`]). [`channel::input`] does what those that come in say. The runtime reaches up through
//! [`runtime::mail::remote::Remote`], which is implemented in [`remote`].
//!
//! The protocol is OTP's: <https://www.erlang.org/doc/apps/erts/erl_dist_protocol.html>.

// They panic where the terminal, pipe or disk behind is gone: `sys::standard`.
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]

pub mod channel;
pub mod control;
pub mod dist_handle;
pub mod flags;
pub mod monitor_nodes;
pub mod peers;
pub mod relations;
pub mod remote;
pub mod signals;
pub mod spawn;

pub use remote::REMOTE;
