//! `prim_file`, by family.

mod names;

pub use names::*;
