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

pub(crate) use create::*;
pub(crate) use info::*;
pub(crate) use insert::*;
pub(crate) use read::*;
pub(crate) use remove::*;
pub(crate) use select::*;
pub(crate) use share::*;
pub(crate) use specification::*;
pub(crate) use update::*;

use layout::Term;

use ets::{Table, registry};
use runtime::code::bif::Failure;
use runtime::process::Process;
use runtime::process::epoch::Pinned;

/// The table that an argument identifies, and the process: the table stays for as long as the BIF has the process.
///
/// # Errors
/// Those of [`registry::look_up`], and [`Failure::Again`] while a long list is being inserted into the table.
#[inline(always)]
pub(crate) fn table(
    process: &mut Process,
    identifier: Term,
) -> Result<(&Table, &mut Process), Failure> {
    // SAFETY: these BIFs are not dirty, so whoever has the process is a scheduler in its slice, which ends after the
    // BIF.
    let pinned = unsafe { Pinned::assume() };
    let table = registry::look_up(pinned, identifier)?;
    table.is_complete()?;
    Ok((table, process))
}
