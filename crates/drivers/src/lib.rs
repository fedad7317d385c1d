//! The drivers that come with ferl: sockets, the terminal, external programs, descriptors and files in memory.
//!
//! Each implements `runtime::effects::port::driver::Driver`. [`open`] has one row for each driver that a program opens
//! by name.

// They panic where the terminal, pipe or disk behind is gone: `sys::standard`.
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]

mod fd;
pub mod forker;
mod inet;
pub mod open;
mod program;
mod ram_file;
pub mod settings;
pub mod tty;
