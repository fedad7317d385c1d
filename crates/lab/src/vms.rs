//! The VMs to compare: what was asked for, found, started once, and asked what it is. A VM that does not
//! start is told of and left out.

use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::time::Duration;
use watch::Invocation;

use crate::programs::find_program;
use crate::results;

/// Where VMs are looked for when none is named.
const DEFAULT: &str = "erl";
/// A VM that needs longer than this to say what it is can't be measured in any useful time.
const PATIENCE: Duration = Duration::from_secs(30);

/// One Erlang VM that starts.
pub struct Vm {
    pub path: PathBuf,
    pub is_ferl: bool,
    /// The OTP whose libraries it boots.
    pub root: PathBuf,
    pub info: results::VmInfo,
}

impl Vm {
    /// Starts it once.
    pub fn open(path: &Path, is_ferl: bool) -> Result<Vm> {
        let question = "io:format(\"lab|~s|~s|~s|~s|~n\", [erlang:system_info(otp_release), \
                        erlang:system_info(version), erlang:system_info(emu_flavor), code:root_dir()]), halt().";
        let outcome = Invocation::new(path, Path::new("/"))
            .args(["-noshell", "-eval", question])
            .timeout(PATIENCE)
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
            .with_context(|| format!("{path_shown} does not say what it is"))?
            .split('|')
            .collect();
        let [release, version, flavor, root, ..] = answer[..] else {
            bail!("{path_shown} does not say what it is: {text}");
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

/// ferl and those it is compared with. What is missing is added to the problems; without ferl there is nothing to do.
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
            problems.push(format!("no other Erlang: {name} is not found"));
            continue;
        };
        match Vm::open(&path, false) {
            Ok(vm) => found.push(vm),
            Err(error) => problems.push(format!("{error:#}")),
        }
    }
    name_apart(&mut found);
    Ok(found)
}

/// Two of the same release are told apart by version, or else by number.
fn name_apart(found: &mut [Vm]) {
    for at in 1..found.len() {
        let name = found[at].info.name.clone();
        let same = |other: &Vm| other.info.name == name;
        if found.iter().filter(|other| same(other)).count() > 1 {
            found[at].info.name = format!("{name} ({})", at);
        }
    }
}
