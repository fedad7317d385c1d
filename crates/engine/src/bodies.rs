//! The operation bodies, by family.
//!
//! Their one contract, which every unsafe line in them leans on: a body runs as a handler on an instruction that the
//! assembler wrote, so its operand words are those that its documentation lists, the registers they name exist (X below
//! `X_REGISTERS`, Y within the current frame, which the compiler's validator and the loader vouch for), and every register
//! that is read holds a term. Heap room was made by the `test_heap` in front. No body calls anything but in tail
//! position, so none has a native frame.
//!
//! `fail` among the operands of a test is a label, never 0. In an operation that may raise it is 0 for "raise".

pub mod arith;
pub mod binaries;
pub mod calls;
pub mod compare;
pub mod exceptions;
pub mod floats;
pub mod guards;
pub mod lists;
pub mod maps;
pub mod messages;
pub mod moves;
pub mod select;
pub mod tests;
pub mod tuples;
