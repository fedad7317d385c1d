//! BIFs of the module `erts_internal`, by family.

mod spawning;
mod tasks;
mod terms;

pub use spawning::*;
pub use tasks::*;
pub use terms::*;
