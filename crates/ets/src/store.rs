//! How a table stores its objects.
//!
//! A table has one [`part`] for each of its locks. A part holds its objects in a hash table ([`shard`]) or in a B+-tree
//! ([`tree`]); an ordered set with `write_concurrency` is cut into key [`ranges`], each a part of its own, which the
//! lock-free [`directory`] finds.

pub mod biased_lock;
pub mod directory;
pub mod lock;
pub mod object;
pub mod packed;
pub mod part;
pub mod ranges;
pub mod shard;
pub mod tree;
pub mod words;
