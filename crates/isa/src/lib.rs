//! ferl's tables, and nothing but tables: generic opcodes, well-known atoms, BIFs, emulator flags.
//!
//! Each table is one macro whose rows derive everything else: identifiers, names, dispatch, reports. A crate that wants
//! a row as something this crate cannot name (a typed atom, a function body) expands the table with its own callback.
//! Everything here is constant data, which any thread may read.

#![forbid(unsafe_code)]

pub mod atoms;
pub mod bifs;
pub mod flags;
pub mod opcodes;

pub use opcodes::Opcode;
