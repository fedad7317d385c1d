//! BIFs of the module `ets`, by family, and those of `erts_internal` that belong to them.
//!
//! A BIF first looks the table up, then takes the locks it needs and checks that the process has access. Only then it
//! checks its other arguments, because OTP's explanations of errors rely on that order.

mod create;
mod info;
mod insert;
mod read;
mod remove;
mod select;
mod share;
mod specification;
mod update;

pub use create::*;
pub use info::*;
pub use insert::*;
pub use read::*;
pub use remove::*;
pub use select::*;
pub use share::*;
pub use specification::*;
pub use update::*;

use layout::Term;

use ets::{Table, registry};
use runtime::code::bif::Failure;

/// The table that an argument identifies.
#[inline(always)]
fn table<'a>(identifier: Term) -> Result<&'a Table, Failure> {
    registry::look_up(identifier)
}
