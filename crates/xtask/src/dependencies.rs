//! `cargo xtask dependencies`: licences, duplicates and sources of what the workspace depends on, as `deny.toml` allows
//! them.
//!
//! It is what `cargo deny check licenses bans sources` checks, for this host, without a program that takes minutes to
//! build. The test of this module makes `cargo test` check it. Advisories need cargo-deny and its database.

mod licence;

use crate::project;
use anyhow::{Context, Result, bail};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode};

/// The file whose table of licences holds.
const RULES: &str = "deny.toml";

/// A package that is built into something of the workspace.
struct Package {
    name: String,
    version: String,
    licence: String,
    /// Where it comes from, if that is not the registry.
    elsewhere: Option<String>,
}

pub(crate) fn run() -> Result<ExitCode> {
    let packages = packages()?;
    let complaints = complaints(&packages, &allowed_licences()?, &skipped()?);
    for complaint in &complaints {
        println!("{complaint}");
    }
    println!(
        "{} packages, {} complaints",
        packages.len(),
        complaints.len()
    );
    Ok(ExitCode::from(u8::from(!complaints.is_empty())))
}

fn complaints(
    packages: &[Package],
    allowed: &BTreeSet<String>,
    skipped: &BTreeSet<String>,
) -> Vec<String> {
    let mut complaints = Vec::new();
    let mut versions: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for package in packages {
        let Package { name, version, .. } = package;
        if !licence::is_allowed(&package.licence, allowed) {
            let licence = &package.licence;
            complaints.push(format!(
                "{name} {version}: licence {licence:?} is not in {RULES}"
            ));
        }
        let is_ours = |place: &str| Path::new(place).starts_with(project::root());
        if let Some(place) = package.elsewhere.as_deref().filter(|place| !is_ours(place)) {
            complaints.push(format!("{name} {version} comes from {place}"));
        }
        let major = version.split('.').next().unwrap_or_default();
        if !skipped.contains(&format!("{name}@{major}")) {
            versions.entry(name).or_default().push(version);
        }
    }
    for (name, versions) in versions {
        if versions.len() > 1 {
            complaints.push(format!(
                "{name} is built in versions {}",
                versions.join(" and ")
            ));
        }
    }
    complaints
}

/// The packages that the workspace needs on this host, with its own.
fn packages() -> Result<Vec<Package>> {
    let output = Command::new("cargo")
        .args(["tree", "--workspace", "--all-features", "--locked"])
        .args(["--prefix", "none", "--format", "{p}|{l}"])
        .current_dir(project::root())
        .output()
        .context("cargo tree does not start")?;
    if !output.status.success() {
        bail!("cargo tree: {}", String::from_utf8_lossy(&output.stderr));
    }
    // A package that stands in several places has a mark at all but the first.
    let told = String::from_utf8(output.stdout)?;
    let lines: BTreeSet<&str> = told
        .lines()
        .map(|line| line.trim_end_matches(" (*)"))
        .collect();
    lines
        .into_iter()
        .filter(|line| !line.is_empty())
        .map(package)
        .collect()
}

/// `name v1.0.0|licence`. Behind the version stands `(proc-macro)`, or in parentheses where the package is if that is
/// not the registry.
fn package(line: &str) -> Result<Package> {
    let unread = || format!("a line of cargo tree: {line}");
    let (package, licence) = line.split_once('|').with_context(unread)?;
    let mut words = package.splitn(3, ' ');
    let (name, version) = (
        words.next().with_context(unread)?,
        words.next().with_context(unread)?,
    );
    let source = words.next().unwrap_or_default().replace("(proc-macro)", "");
    let source = source.trim().trim_matches(['(', ')']);
    Ok(Package {
        name: name.to_owned(),
        version: version.trim_start_matches('v').to_owned(),
        licence: licence.to_owned(),
        elsewhere: (!source.is_empty()).then(|| source.to_owned()),
    })
}

/// The strings of `allow` in the section of licences.
fn allowed_licences() -> Result<BTreeSet<String>> {
    strings("licenses", "allow")
}

/// Those versions of packages that there may be besides another one, as `name@major`.
fn skipped() -> Result<BTreeSet<String>> {
    strings("bans", "skip")
}

/// The strings of a list in a section of the rules.
fn strings(section: &str, list: &str) -> Result<BTreeSet<String>> {
    let text = fs::read_to_string(project::root().join(RULES)).context(RULES)?;
    let section = text
        .split(&format!("[{section}]"))
        .nth(1)
        .with_context(|| format!("no section [{section}]"))?;
    let list = section
        .split_once(&format!("\n{list} = ["))
        .with_context(|| format!("no list `{list}`"))?
        .1;
    let list = list.split(']').next().unwrap_or_default();
    Ok(list
        .split('"')
        .skip(1)
        .step_by(2)
        .map(str::to_owned)
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dependencies_are_as_the_rules_allow() {
        let found = complaints(
            &packages().unwrap(),
            &allowed_licences().unwrap(),
            &skipped().unwrap(),
        );
        assert!(found.is_empty(), "{}", found.join("\n"));
    }

    #[test]
    fn each_kind_of_fault_is_told() {
        let ours = format!(
            "ours v1.0.0 ({})|MIT",
            project::root().join("crates/ours").display()
        );
        let lines = [
            ours.as_str(),
            "twice v1.0.0|MIT",
            "twice v2.0.0 (proc-macro)|MIT",
            "before v1.4.0|MIT",
            "before v2.0.0|MIT",
            "closed v1.0.0|GPL-3.0-only",
            "near v1.0.0 (https://example.org/near#0123abcd)|MIT",
        ];
        let packages: Vec<Package> = lines
            .into_iter()
            .map(|line| package(line).unwrap())
            .collect();
        let allowed = BTreeSet::from(["MIT".to_owned()]);
        let skipped = BTreeSet::from(["before@1".to_owned()]);
        let found = complaints(&packages, &allowed, &skipped);
        assert_eq!(found.len(), 3, "{found:?}");
        for part in ["GPL-3.0-only", "comes from https://", "1.0.0 and 2.0.0"] {
            assert!(found.iter().any(|line| line.contains(part)), "{found:?}");
        }
    }
}
