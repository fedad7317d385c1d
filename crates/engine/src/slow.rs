//! Slow paths: handlers that write the registers back, call ordinary functions (`term`'s or the runtime's), read the
//! registers again and go on.
//!
//! They take the operand words of the body that left for them, so one serves all of its variants. All of them keep the
//! contract of `bodies`; in addition none lets the address of a local escape, which would keep a native frame alive
//! across the closing call.

pub mod arith;
pub mod bifs;
pub mod binaries;
pub mod build;
pub mod calls;
pub mod collect;
pub mod compare;
pub mod exceptions;
pub mod floats;
pub mod maps;
pub mod messages;
