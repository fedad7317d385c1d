//! The machine: processes, the signals between them, the schedulers that run them, code, timers,
//! tables, ports, and the BIFs.
//!
//! The life of a process: [`process::spawn`] creates it, the [`scheduler`] runs it in slices, [`signal`]s reach it, the
//! [`collector`] reclaims its garbage, [`exception`] unwinds its stack, [`process::exit`] ends it.

pub mod apply;
pub mod bif;
pub mod code;
pub mod collector;
pub mod config;
pub mod debugger;
mod engine_calls;
pub mod epoch;
mod error_handler;
pub mod exception;
pub mod halt;
pub mod hooks;
pub mod io;
pub mod log;
pub mod microstate;
pub mod port;
pub mod process;
pub mod profile;
mod receive;
pub mod registry;
pub mod remote;
pub mod scheduler;
pub mod send;
pub mod signal;
pub mod sync;
pub mod system_monitor;
pub mod time;
pub mod timer;
pub mod trace;
pub mod unique;

pub use config::Config;
