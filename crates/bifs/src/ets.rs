//! BIFs of the module `ets`, by family, and those of `erts_internal` that serve it.
//!
//! A BIF first looks the table up, then locks what it needs and asks whether the process may; only then it judges its
//! other arguments, for OTP's explanations of errors rely on that order.

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
use runtime::bif::Failure;

/// The table that an argument stands for.
#[inline(always)]
fn table<'a>(identifier: Term) -> Result<&'a Table, Failure> {
    registry::look_up(identifier)
}

/// A proper list's items.
fn items(list: Term) -> Option<Vec<Term>> {
    let mut items = Vec::new();
    let mut rest = list;
    while let Some((head, tail)) = rest.as_cons() {
        items.push(head);
        rest = tail;
    }
    rest.is_nil().then_some(items)
}
