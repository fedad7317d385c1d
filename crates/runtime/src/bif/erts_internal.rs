//! BIFs of the module `erts_internal`, by family.

mod terms;

pub use terms::*;
