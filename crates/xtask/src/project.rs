//! Where things are: the root of the checkout, the target folder, and the machines to compare; and names picked by
//! filters.

use anyhow::{Context, Result, bail};
use std::env;
use std::fs;
use std::path::{Path, PathBuf};

/// The root of the checkout. Cargo tells where this crate is, which is two folders below it.
pub(crate) fn root() -> PathBuf {
    let this_crate = env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    this_crate
        .ancestors()
        .nth(2)
        .map_or_else(|| this_crate.clone(), Path::to_path_buf)
}

/// Cargo's target folder, for everything that can be made again.
pub(crate) fn target() -> PathBuf {
    env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

/// What a folder holds, in the order of the names.
pub(crate) fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        paths.push(entry?.path());
    }
    paths.sort();
    Ok(paths)
}

/// Whether a name contains one of the parts that the command line gives; without parts, every name is asked for.
pub(crate) fn is_asked_for(name: &str, parts: &[String]) -> bool {
    parts.is_empty() || parts.iter().any(|part| name.contains(part.as_str()))
}

/// The machine under test: the path given, or the release build.
pub(crate) fn ferl(given: Option<&Path>) -> Result<PathBuf> {
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

/// The port mapper that nodes of all releases find each other by: that of OTP 25.
pub(crate) fn port_mapper() -> Result<PathBuf> {
    let otp = stock::usual()?;
    otp.epmd()
        .with_context(|| format!("there is no epmd beside {}", otp.erl.display()))
}

#[cfg(test)]
mod tests {
    use super::root;
    use std::process::Command;

    /// What a program leaves behind in the folder that it runs in is easily committed with everything else.
    #[test]
    fn nothing_but_what_belongs_there_is_committed_at_the_root() {
        const BELONGS: &[&str] = &[
            ".cargo",
            ".ci",
            ".gitignore",
            "ARCHITECTURE.md",
            "CHANGELOG.md",
            "CONTRIBUTING.md",
            "Cargo.lock",
            "Cargo.toml",
            "LICENSE",
            "Makefile",
            "README.md",
            "SECURITY.md",
            "bench",
            "benches",
            "crates",
            "deny.toml",
            "docs",
            "experiments",
            "fuzz",
            "packaging",
            "rust-toolchain.toml",
            "tests",
        ];
        let listed = Command::new("git")
            .args(["ls-tree", "--name-only", "HEAD"])
            .current_dir(root())
            .output();
        // An unpacked archive of the sources has no history, and nothing is committed from it.
        let Ok(listed) = listed else { return };
        let names = String::from_utf8_lossy(&listed.stdout);
        let others: Vec<&str> = names
            .lines()
            .filter(|name| !BELONGS.contains(name))
            .collect();
        assert!(others.is_empty(), "{others:?}");
    }
}
