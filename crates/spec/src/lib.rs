//! ferl's tables, and nothing else: generic opcodes, well-known atoms, BIFs, emulator flags, environment variables,
//! functions of the C interface.
//!
//! Each table is one macro, and everything else is derived from its rows: identifiers, names, dispatch, reports. A
//! crate that needs the rows in a form that this crate cannot express (a typed atom, a function body) expands the
//! table with its own callback. Everything here is constant data, which any thread may read.

#![forbid(unsafe_code)]

pub mod atom_order;
pub mod atoms;
pub mod bifs;
pub mod driver_functions;
pub mod flags;
pub mod nif_functions;
pub mod opcodes;
pub mod release;
pub mod variables;

pub use opcodes::Opcode;
pub use release::Release;
