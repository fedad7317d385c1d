//! BIFs of the module `erts_internal`, by family.

mod carriers;
mod spawning;
mod tasks;
mod terms;
mod threads;

pub use carriers::*;
pub use spawning::*;
pub use tasks::*;
pub use terms::*;
pub use threads::*;
