//! A node: its start, its break menu, and its end with a crash dump.

#![warn(unreachable_pub)]

mod break_menu;
mod crash;
mod start;

pub use start::start;
