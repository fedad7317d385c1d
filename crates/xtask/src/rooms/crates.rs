//! The crates of the workspace and the arrows between them, as `cargo metadata` tells them. What only tests need is
//! left out: a test may use any crate.

use super::reading::Sources;
use super::table::{Graph, Room};
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::collections::BTreeMap;
use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

pub(super) struct Member {
    pub name: String,
    pub folder: PathBuf,
    /// Crates it needs to be built, of this workspace or not.
    needs: Vec<String>,
    pub sources: Sources,
}

/// Every crate of the workspace, with its sources.
pub(super) fn members(root: &Path) -> Result<Vec<Member>> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--no-deps", "--format-version", "1"])
        .current_dir(root)
        .output()
        .context("cargo metadata")?;
    if !output.status.success() {
        bail!(
            "cargo metadata: {}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
    let told: Value = serde_json::from_slice(&output.stdout).context("cargo metadata")?;
    let packages = told["packages"].as_array().context("no packages")?;
    packages.iter().map(read_member).collect()
}

fn read_member(package: &Value) -> Result<Member> {
    let text = |value: &Value| value.as_str().map(str::to_owned).context("no text");
    let manifest = PathBuf::from(text(&package["manifest_path"])?);
    let mut needs = Vec::new();
    for dependency in package["dependencies"].as_array().into_iter().flatten() {
        if dependency["kind"] != "dev" {
            needs.push(text(&dependency["name"])?);
        }
    }
    let folder = manifest.parent().context("no folder")?.to_owned();
    Ok(Member {
        name: text(&package["name"])?,
        sources: Sources::below(&folder.join("src"))?,
        folder,
        needs,
    })
}

pub(super) fn graph(members: &[Member]) -> Graph {
    let mut graph = Graph::new();
    for member in members {
        let lines = member.sources.lines();
        let manifest = format!("crates/{}/Cargo.toml", member.name);
        let uses: BTreeMap<String, String> = member
            .needs
            .iter()
            .filter(|needed| members.iter().any(|other| other.name == **needed))
            .map(|needed| (needed.clone(), manifest.clone()))
            .collect();
        graph.insert(member.name.clone(), Room { lines, uses });
    }
    graph
}
