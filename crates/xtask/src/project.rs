//! Where things are: the root of the checkout, the target folder, and the machines to compare; and names picked by filters.

use anyhow::{Context, Result, bail};
use std::env;
use std::fs;
use std::path::{Path, PathBuf};

/// The root of the checkout. Cargo tells where this crate is, which is two folders below it.
pub fn root() -> PathBuf {
    let this_crate = env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    this_crate
        .ancestors()
        .nth(2)
        .map_or_else(|| this_crate.clone(), Path::to_path_buf)
}

/// Cargo's target folder, for everything that can be made again.
pub fn target() -> PathBuf {
    env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

/// What a folder holds, in the order of the names.
pub fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        paths.push(entry?.path());
    }
    paths.sort();
    Ok(paths)
}

/// Whether a name contains one of the parts that the command line gives; without parts, every name is asked for.
pub fn is_asked_for(name: &str, parts: &[String]) -> bool {
    parts.is_empty() || parts.iter().any(|part| name.contains(part.as_str()))
}

/// The machine under test: the path given, or the release build.
pub fn ferl(given: Option<&Path>) -> Result<PathBuf> {
    let path = match given {
        Some(path) => path.to_path_buf(),
        None => target().join("release").join("ferl"),
    };
    if !path.exists() {
        bail!(
            "{} does not exist; build it with `cargo build --release`, or name one with --ferl",
            path.display()
        );
    }
    path.canonicalize()
        .with_context(|| path.display().to_string())
}

/// The path of a stock program (`erl`, `erlc`, `epmd`): in PATH, or beside the `erl` that is there.
pub fn stock(program: &str) -> Result<PathBuf> {
    let path = env::var_os("PATH").context("PATH is not set")?;
    let in_path = |program: &str| {
        env::split_paths(&path)
            .map(|folder| folder.join(program))
            .find(|candidate| candidate.is_file())
    };
    let beside_erl = || {
        let beside = in_path("erl")?.canonicalize().ok()?.with_file_name(program);
        beside.is_file().then_some(beside)
    };
    in_path(program).or_else(beside_erl).with_context(|| {
        format!("no {program} in PATH: stock Erlang/OTP is what ferl is compared with")
    })
}
