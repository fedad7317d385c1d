//! The data layouts that operation bodies and the runtime share: the tagged word, heap objects, the heap of a
//! process, the message block, the head of a process, and the context of a scheduler.
//!
//! Everything here is `repr(C)` or `repr(transparent)` and does not use `std`, so that stencils can be compiled from
//! it. This crate defines layouts and offsets only, no algorithms: comparing, hashing, printing and collecting are in
//! `term`; scheduling is in `runtime`. What machine code does as `term` does it is the exception: `trie`.
#![no_std]

pub mod breakpoint;
pub mod cache;
pub mod code;
pub mod context;
pub mod heap;
pub mod kinds;
pub mod limits;
pub mod no_gc;
pub mod object;
pub mod process;
pub mod provenance;
pub mod term;
pub mod trie;
pub mod view;

pub use breakpoint::Breakpoint;
pub use code::{BifFunction, Export, FunEntry};
pub use context::{Abrupt, AbruptKind, Class, Context, RuntimeTable};
pub use heap::{Fragment, Heap, OldHeap};
pub use no_gc::NoGc;
pub use object::{Header, ObjectKind};
pub use process::ProcessHead;
pub use term::Term;
pub use view::{Boxed, Cons};
