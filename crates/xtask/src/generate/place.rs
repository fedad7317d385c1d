//! Where a generator puts what it makes.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::project;
use crate::stock::Stock;

/// The folder for what is made beside this stock, which is made if it is missing. Each release has its own, so that
/// several can be compared at a time.
pub(super) fn of(name: &str, stock: &Stock) -> Result<PathBuf> {
    let mut place = project::target().join("generated");
    if !stock.is_usual() {
        place.push(format!("otp-{}", stock.release));
    }
    place.push(name);
    fs::create_dir_all(&place).with_context(|| place.display().to_string())?;
    Ok(place)
}
