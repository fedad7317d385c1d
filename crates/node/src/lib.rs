//! A node: its start, its break menu, and its end with a crash dump.

// They panic where the terminal, pipe or disk behind is gone: `sys::standard`.
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]

mod break_menu;
mod crash;
mod processors;
mod start;

pub use start::start;
