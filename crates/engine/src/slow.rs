//! Slow paths: handlers that write the registers back, call ordinary functions (of `term` or the runtime), read the
//! registers again and continue.
//!
//! A slow path takes the operand words of the body that jumped to it, so one serves all variants of the body. All of
//! them fulfil the contract of `bodies`. In addition, none lets the address of a local variable escape, because that
//! would keep a native frame alive across the final call.
//!
//! Each is a constant with a function's name: the handler, and the type of the encoding that it reads.

pub(crate) mod arith;
pub(crate) mod bifs;
pub(crate) mod binaries;
pub(crate) mod breakpoints;
pub(crate) mod build;
pub(crate) mod calls;
pub(crate) mod collect;
pub(crate) mod compare;
pub(crate) mod debugger;
pub(crate) mod exceptions;
pub(crate) mod floats;
pub(crate) mod leave;
pub(crate) mod maps;
pub(crate) mod messages;
mod pairs;
pub(crate) mod records;
