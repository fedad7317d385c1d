//! The shapes that operation bodies and the runtime share: the tagged word, heap objects, the heap
//! of a process, the message block, the head of a process, and the context of a scheduler.
//!
//! Everything here is `repr(C)` or `repr(transparent)` and free of `std`, so that stencils can be
//! compiled from it. It knows shapes and offsets, no algorithms: comparing, hashing, printing and
//! collecting live in `term`; scheduling lives in `runtime`.
#![no_std]

pub mod code;
pub mod context;
pub mod heap;
pub mod limits;
pub mod object;
pub mod process;
pub mod term;

pub use code::{BifFunction, Export, FunEntry};
pub use context::{Class, Context, Raise, RaiseKind, RuntimeTable};
pub use heap::{Fragment, Heap, OldHeap};
pub use object::{Header, Kind};
pub use process::ProcessHead;
pub use term::Term;
