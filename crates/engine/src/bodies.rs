//! The operation bodies, grouped by family.
//!
//! All bodies share one contract, and every unsafe line in them relies on it: a body runs as the handler of an
//! instruction that the code generator wrote. So its operand words are those of its encoding ([`crate::encoding`]); the
//! registers they name exist (X below `X_REGISTERS`, Y within the current frame; the compiler's validator and the
//! loader ensure this); every register that is read holds a term; and a preceding `test_heap` has made heap room.
//! Bodies call other functions only in tail position, so none has a native frame.
//!
//! In a test, the operand `fail` is a label, never 0. In an operation that may raise, 0 means "raise".

pub mod arith;
pub mod binaries;
pub mod builder;
pub mod building;
pub mod calls;
pub mod compare;
pub mod coverage;
pub mod debugger;
pub mod exceptions;
pub mod floats;
pub mod guards;
pub mod lists;
pub mod maps;
pub mod messages;
pub mod moves;
pub mod records;
pub mod select;
mod tags;
pub mod tuples;
pub mod type_tests;
