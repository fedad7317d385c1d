//! How a table stores its objects.
//!
//! A table has one [`part`] for each of its locks. A part holds its objects in a hash table ([`shard`]) or in a B+-tree
//! ([`tree`]); an ordered set with `write_concurrency` is cut into key [`ranges`], each a part of its own, which the
//! lock-free [`directory`] finds.

pub(crate) mod biased_lock;
#[cfg_attr(
    not(feature = "loom"),
    expect(unreachable_pub, reason = "tests/interleavings uses it under loom")
)]
pub(crate) mod directory;
pub(crate) mod lock;
mod marked;
pub(crate) mod object;
pub(crate) mod packed;
pub(crate) mod part;
pub mod ranges;
pub(crate) mod shard;
pub(crate) mod tree;
pub(crate) mod words;
