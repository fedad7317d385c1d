//! The window into a node: what an operator sees of it, while it runs and also when it does nothing else any more.
//!
//! Threads of the window's own read counters, and walk tables that can be walked without stopping anybody. They need no
//! scheduler, so a node is seen when all schedulers are stuck, and nobody waits for the window. A node whose window is
//! not open pays nothing but counters that each scheduler keeps for itself.

// They panic where the terminal, pipe or disk behind is gone: `sys::standard`.
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]

pub mod atoms;
pub mod control;
pub mod events;
pub mod figures;
pub mod health;
pub mod listed;
pub mod log;
pub mod modules;
pub mod node;
pub mod nodes;
mod paging;
pub mod ports;
mod printed;
pub mod process_page;
pub mod processes;
mod profile;
pub mod server;
pub mod sockets;
pub mod supervision;
pub mod tables;
pub mod timers;
