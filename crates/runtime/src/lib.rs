//! The machine: processes, the signals between them, the schedulers that run them, code, timers, and the core of ports.
//!
//! The rooms, from the lowest: [`process`] is data alone; [`mail`] is how a process is reached and woken; [`code`] is
//! what it runs; [`effects`] is what happens to it; [`exec`] is what runs it; [`trace`] observes it. `rooms.txt` says
//! which may use which.

// They panic where the terminal, pipe or disk behind is gone: `sys::standard`.
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]

pub mod code;
pub mod effects;
pub mod exec;
pub mod mail;
pub mod process;
pub mod trace;

pub use process::config::Config;
