//! A node: its start, its break menu, and its end with a crash dump.

mod break_menu;
mod crash;
mod start;

pub use start::start;
