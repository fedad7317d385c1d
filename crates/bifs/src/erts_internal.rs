//! BIFs of the module `erts_internal`, by family.

mod spawning;
mod tasks;
mod terms;
mod threads;

pub use spawning::*;
pub use tasks::*;
pub use terms::*;
pub use threads::*;
