//! ETS: tables of terms that processes share.
//!
//! ```text
//! registry -> Table -> Part (one lock each) -> Shard (hash table) or Tree (ordered set, or a range of it) -> Object
//! ```
//!
//! An object is a tuple copied out of the process that inserted it; reading copies it again. Match
//! specifications run on objects where they lie, under the part's lock, so only results are copied.
//! [`select`] traverses a table in steps that fit a slice.
//!
//! A process records the tables that it owns or fixes in its `Cold::tables`. The owner and the fixations stored in
//! the tables themselves are authoritative, so a stale number in that list does no harm.

// They panic where the terminal, pipe or disk behind is gone: `sys::standard`.
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]

mod fixation;
pub mod match_spec;
mod names;
pub mod options;
mod ownership;
pub mod reaper;
pub mod registry;
pub mod select;
mod store;
pub mod table;

pub use options::{Access, TableKind};
pub use ownership::{Contents, clear, delete, fix, hand_over, note, owner_ends};
#[cfg(feature = "loom")]
pub use store::directory::{Range, Ranges};
pub use store::object::{New, ObjectMut, ObjectRef, OwnedObject};
pub use store::part::Part;
pub use store::ranges;
pub use store::ranges::Pressure;
pub use store::shard::Following;
pub use store::tree::WalkStart;
pub use table::Table;

/// Number of tables (`system_info(ets_count)`).
#[must_use]
pub fn count() -> usize {
    registry::count()
}

/// Bytes in all tables (`erlang:memory(ets)`).
#[must_use]
pub fn memory_bytes() -> usize {
    registry::all().iter().map(|table| table.bytes()).sum()
}

#[cfg(test)]
mod tests;
