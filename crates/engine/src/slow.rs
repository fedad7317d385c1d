//! Slow paths: handlers that write the registers back, call ordinary functions (of `term` or the runtime), read the
//! registers again and continue.
//!
//! A slow path takes the operand words of the body that jumped to it, so one serves all variants of the body. All of
//! them fulfil the contract of `bodies`. In addition, none lets the address of a local variable escape, because that
//! would keep a native frame alive across the final call.
//!
//! Each is a constant with a function's name: the handler, and the type of the encoding that it reads.

pub mod arith;
pub mod bifs;
pub mod binaries;
pub mod breakpoints;
pub mod build;
pub mod calls;
pub mod collect;
pub mod compare;
pub mod debugger;
pub mod exceptions;
pub mod floats;
pub mod leave;
pub mod maps;
pub mod messages;
mod pairs;
pub mod records;
