//! Erlang sources to `.beam` files, through stock `erlc`: the same files then run on both machines.

use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Compiles all sources with one call (starting `erlc` costs more than compiling a small file).
/// What `erlc` said is returned; whether a file compiled is told by its `.beam` file.
pub fn batch(erlc: &Path, options: &[String], sources: &[PathBuf], into: &Path) -> Result<String> {
    std::fs::create_dir_all(into).with_context(|| into.display().to_string())?;
    let output = Command::new(erlc)
        .args(options)
        .arg("-o")
        .arg(into)
        .args(sources)
        .output()
        .with_context(|| format!("cannot run {}", erlc.display()))?;
    let mut said = String::from_utf8_lossy(&output.stdout).into_owned();
    said.push_str(&String::from_utf8_lossy(&output.stderr));
    Ok(said)
}

/// Where the compiled form of `source` is put.
pub fn beam_path(source: &Path, into: &Path) -> PathBuf {
    into.join(source.file_stem().unwrap_or_default())
        .with_extension("beam")
}
