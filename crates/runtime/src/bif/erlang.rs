//! BIFs of the module `erlang`, by family.

mod code;
mod display;
mod funs;
mod halt;
mod memory;
mod operators;
mod statistics;
mod system;
mod tuples;
mod types;

pub use code::*;
pub use display::*;
pub use funs::*;
pub use halt::*;
pub use memory::*;
pub use operators::*;
pub use statistics::*;
pub use system::*;
pub use tuples::*;
pub use types::*;
