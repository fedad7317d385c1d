//! The VMs to compare. Each is looked up, started once and asked for its version; one that does not start is reported
//! and left out. Unless the user has chosen an OTP, ferl boots the libraries of the first of the others.

use anyhow::{Context, Result, anyhow, bail};
use std::env;
use std::path::{Path, PathBuf};
use std::time::Duration;
use watch::Invocation;

use crate::installed::find_program;
use crate::results;

/// The VM that ferl is compared with by default, looked up in PATH.
const DEFAULT: &str = "erl";
/// The time within which a VM must report its version.
const START_TIMEOUT: Duration = Duration::from_secs(30);

/// An Erlang VM that starts.
pub(crate) struct Vm {
    pub path: PathBuf,
    pub is_ferl: bool,
    /// The root folder of the OTP whose libraries it boots.
    pub root: PathBuf,
    /// The OTP that it is told to boot, through [`CHOICE`].
    told: Option<PathBuf>,
    /// How long it took to start and halt.
    pub start_time: Duration,
    pub info: results::VmInfo,
}

impl Vm {
    /// A run of the VM, or of a program with the VM's environment.
    pub(crate) fn invocation(&self, program: &Path, folder: &Path) -> Invocation {
        invocation(program, folder, self.told.as_deref())
    }

    /// Starts the VM once, to learn its version.
    fn open(path: &Path, is_ferl: bool, told: Option<PathBuf>) -> Result<Vm> {
        let question = "io:format(\"lab|~s|~s|~s|~s|~n\", [erlang:system_info(otp_release), \
                        erlang:system_info(version), erlang:system_info(emu_flavor), code:root_dir()]), halt().";
        let outcome = invocation(path, Path::new("/"), told.as_deref())
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
            told,
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

/// The variable by which ferl is told which OTP to boot.
const CHOICE: &str = "FERL_OTP";

fn invocation(program: &Path, folder: &Path, told: Option<&Path>) -> Invocation {
    let invocation = Invocation::new(program, folder);
    match told {
        Some(otp) => invocation.env(CHOICE, &otp.to_string_lossy()),
        None => invocation,
    }
}

/// Finds ferl and the VMs to compare it with. If none is named, ferl is measured alone where there is no other, which
/// is added to `problems`.
///
/// # Errors
///
/// When ferl does not start, or one that is named.
pub(crate) fn find(ferl: &Path, against: &[String], problems: &mut Vec<String>) -> Result<Vec<Vm>> {
    let mut found = Vec::new();
    let default = [DEFAULT.to_owned()];
    let names = if against.is_empty() {
        &default[..]
    } else {
        against
    };
    for name in names {
        let opened = match find_program(name) {
            Some(path) => Vm::open(&path, false, None),
            None => Err(anyhow!(
                "no other Erlang to compare with: {name} was not found"
            )),
        };
        match opened {
            Ok(vm) => found.push(vm),
            // Without the one that was asked for, what is measured would be of no use.
            Err(error) if !against.is_empty() => return Err(error.context("--against")),
            Err(error) => problems.push(format!("{error:#}")),
        }
    }
    let told = match (env::var_os(CHOICE), found.first()) {
        (None, Some(other)) => Some(other.root.clone()),
        _ => None,
    };
    found.insert(0, Vm::open(ferl, true, told)?);
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
