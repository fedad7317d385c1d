//! The VMs to compare. Each is looked up, started once and asked for its version; one that does not start is reported
//! and left out.

use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::time::Duration;
use watch::Invocation;

use crate::programs::find_program;
use crate::results;

/// The VM that ferl is compared with by default, looked up in PATH.
const DEFAULT: &str = "erl";
/// The time within which a VM must report its version.
const START_TIMEOUT: Duration = Duration::from_secs(30);

/// An Erlang VM that starts.
pub struct Vm {
    pub path: PathBuf,
    pub is_ferl: bool,
    /// The root folder of the OTP whose libraries it boots.
    pub root: PathBuf,
    /// How long it took to start and halt.
    pub start_time: Duration,
    pub info: results::VmInfo,
}

impl Vm {
    /// Starts the VM once, to learn its version.
    pub fn open(path: &Path, is_ferl: bool) -> Result<Vm> {
        let question = "io:format(\"lab|~s|~s|~s|~s|~n\", [erlang:system_info(otp_release), \
                        erlang:system_info(version), erlang:system_info(emu_flavor), code:root_dir()]), halt().";
        let outcome = Invocation::new(path, Path::new("/"))
            .args(["-noshell", "-eval", question])
            .timeout(START_TIMEOUT)
            .run()?;
        let path_shown = path.display();
        if !outcome.end.is_success() {
            let said = outcome.first_complaint().unwrap_or_default();
            bail!("{path_shown} does not start: {}: {said}", outcome.end);
        }
        let text = String::from_utf8_lossy(&outcome.stdout);
        let answer: Vec<&str> = text
            .lines()
            .find_map(|line| line.strip_prefix("lab|"))
            .with_context(|| format!("{path_shown} does not report its version"))?
            .split('|')
            .collect();
        let [release, version, flavor, root, ..] = answer[..] else {
            bail!("{path_shown} does not report its version: {text}");
        };
        let name = if is_ferl {
            "ferl".to_owned()
        } else {
            format!("OTP {release}")
        };
        Ok(Vm {
            path: path.to_path_buf(),
            is_ferl,
            root: PathBuf::from(root),
            start_time: outcome.wall,
            info: results::VmInfo {
                name,
                path: path_shown.to_string(),
                release: release.to_owned(),
                version: version.to_owned(),
                flavor: flavor.to_owned(),
            },
        })
    }
}

/// Finds ferl and the VMs to compare it with. One that is missing is added to `problems`.
///
/// # Errors
///
/// When ferl does not start.
pub fn find(ferl: &Path, against: &[String], problems: &mut Vec<String>) -> Result<Vec<Vm>> {
    let mut found = vec![Vm::open(ferl, true)?];
    let default = [DEFAULT.to_owned()];
    let names = if against.is_empty() {
        &default[..]
    } else {
        against
    };
    for name in names {
        let Some(path) = find_program(name) else {
            problems.push(format!(
                "no other Erlang to compare with: {name} was not found"
            ));
            continue;
        };
        match Vm::open(&path, false) {
            Ok(vm) => found.push(vm),
            Err(error) => problems.push(format!("{error:#}")),
        }
    }
    make_names_unique(&mut found);
    Ok(found)
}

/// Adds a number to the names of VMs of the same release.
fn make_names_unique(found: &mut [Vm]) {
    for at in 1..found.len() {
        let name = found[at].info.name.clone();
        let same = |other: &Vm| other.info.name == name;
        if found.iter().filter(|other| same(other)).count() > 1 {
            found[at].info.name = format!("{name} ({at})");
        }
    }
}
