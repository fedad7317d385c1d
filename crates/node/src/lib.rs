//! A node: its start, its break menu, and its end with a crash dump.

pub mod break_menu;
pub mod crash;
mod start;

pub use start::start;
