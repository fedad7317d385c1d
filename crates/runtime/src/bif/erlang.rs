//! BIFs of the module `erlang`, by family.

mod code;
mod display;
mod funs;
mod halt;
mod memory;
mod statistics;
mod system;

pub use code::*;
pub use display::*;
pub use funs::*;
pub use halt::*;
pub use memory::*;
pub use statistics::*;
pub use system::*;
