//! The machine: processes, the signals between them, the schedulers that run them, code, timers,
//! tables, ports, and the BIFs.
//!
//! What a process goes through: [`process::spawn`] makes it, [`scheduler`] runs it in slices, [`signal`]s reach it,
//! [`collector`] keeps its heap small, [`exception`] unwinds it, [`process::exit`] ends it.

pub mod bif;
pub mod break_menu;
pub mod code;
mod collector;
pub mod config;
pub mod crash;
pub mod epoch;
pub mod ets;
mod exception;
pub mod io;
mod log;
mod machine;
pub mod match_spec;
mod microstate;
pub mod node;
pub mod packet;
pub mod port;
pub mod process;
pub mod regex;
pub mod registry;
pub mod scheduler;
pub mod send;
pub mod signal;
mod sync;
pub mod system_monitor;
#[cfg(test)]
mod test_terms;
pub mod time;
pub mod timer;

pub use config::Config;
pub use node::start;
