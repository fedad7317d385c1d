//! BIFs of the module `erlang`, by family.

mod atoms;
mod binaries;
mod checksums;
mod code;
mod display;
mod external;
mod funs;
mod halt;
mod identifiers;
mod memory;
mod numerals;
mod operators;
mod rounding;
mod statistics;
mod system;
mod tuples;
mod types;

pub use atoms::*;
pub use binaries::*;
pub use checksums::*;
pub use code::*;
pub use display::*;
pub use external::*;
pub use funs::*;
pub use halt::*;
pub use identifiers::*;
pub use memory::*;
pub use numerals::*;
pub use operators::*;
pub use rounding::*;
pub use statistics::*;
pub use system::*;
pub use tuples::*;
pub use types::*;
