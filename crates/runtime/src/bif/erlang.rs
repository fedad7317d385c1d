//! BIFs of the module `erlang`, by family.

mod code;
mod funs;
mod halt;

pub use code::*;
pub use funs::*;
pub use halt::*;
