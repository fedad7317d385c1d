//! The operation bodies, grouped by family.
//!
//! All bodies share one contract, and every unsafe line in them relies on it: a body runs as the handler of an
//! instruction that the code generator wrote. So its operand words are those of its encoding ([`crate::encoding`]); the
//! registers they name exist (X below `X_REGISTERS`, Y within the current frame; the compiler's validator and the
//! loader ensure this); every register that is read holds a term; and a preceding `test_heap` has made heap room.
//! Bodies call other functions only in tail position, so none has a native frame.
//!
//! In a test, the operand `fail` is a label, never 0. In an operation that may raise, 0 means "raise".

pub(crate) mod arith;
pub(crate) mod binaries;
pub(crate) mod builder;
pub(crate) mod building;
pub(crate) mod calls;
pub(crate) mod compare;
pub(crate) mod coverage;
pub(crate) mod debugger;
pub(crate) mod exceptions;
pub(crate) mod floats;
pub(crate) mod guards;
pub(crate) mod lists;
pub(crate) mod maps;
pub(crate) mod messages;
pub(crate) mod moves;
pub(crate) mod records;
pub(crate) mod select;
mod tags;
pub(crate) mod tuples;
pub(crate) mod type_tests;
