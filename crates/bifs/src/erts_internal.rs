//! BIFs of the module `erts_internal`, by family.

mod carriers;
mod spawning;
mod tasks;
mod terms;
mod threads;

pub(crate) use carriers::*;
pub(crate) use spawning::*;
pub(crate) use tasks::*;
pub(crate) use terms::*;
pub(crate) use threads::*;
