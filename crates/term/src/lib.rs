//! Terms and heaps: what a value of the language is, and every algorithm on values that needs
//! neither a process nor a scheduler.
//!
//! The words themselves are declared in `layout`; here is how they are allocated, built, copied,
//! collected, compared, hashed, calculated with, printed and put into the external term format.

// They panic where the terminal, pipe or disk behind is gone: `sys::standard`.
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]

pub mod am;
pub mod arith;
pub mod atom;
pub mod bits;
pub mod build;
pub mod byte_queue;
pub mod compare;
pub mod copy;
pub mod external;
pub mod fun;
pub mod gc;
pub mod hash;
pub mod heap;
pub mod held;
pub mod input_buffer;
pub mod integer;
pub mod iolist;
pub mod list;
pub mod literal;
pub mod map;
pub mod native_record;
pub mod node;
pub mod off_heap;
pub mod print;
pub mod reference;
pub mod release;
pub mod size;
pub mod text;
pub mod unicode;

#[cfg(test)]
mod samples;
#[cfg(feature = "test-terms")]
pub mod test_terms;

pub use heap::Allocate;
pub use layout::{Header, ObjectKind, Term};
