//! Finds stock OTP of the release that a test or a chore means, whichever release the system's `erl` is of.
//!
//! A release is looked for in the tree that a variable names (`FERL_STOCK_25` for OTP 25: the tree, or its `erl`), then
//! in `PATH`, then under `target/stock`, where `packaging/stock.sh` unpacks it (`make stock-25`). What ferl does is
//! compared with [`RELEASE`] where nothing else is said. Any thread may call this.
//!
//! [`Running`] and [`Talking`] are programs that a test has started, ferl or stock; [`write_program`] writes one.
#![forbid(unsafe_code)]

mod running;

use std::env;
use std::fmt::{self, Display};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

pub use running::{Running, Talking, write_program};

/// The release that is meant where none is named.
pub const RELEASE: u8 = 25;

/// The variable that tells ferl whose libraries to boot.
pub const LIBRARIES: &str = "FERL_OTP";

/// Prints the release, and the root of the libraries.
const TELL: &str =
    r#"io:format("~s~n~ts", [erlang:system_info(otp_release), code:root_dir()]), halt()."#;

/// An installed OTP.
#[derive(Clone, Debug)]
pub struct Otp {
    pub release: u8,
    pub erl: PathBuf,
    /// The root of its libraries.
    pub root: PathBuf,
    is_in_path: bool,
}

/// Why there is no OTP to compare with.
#[derive(Debug)]
pub enum Missing {
    /// None of this release is installed.
    NotInstalled(u8),
    /// A place that should hold this release holds something else.
    Unfit {
        release: u8,
        erl: PathBuf,
        found: String,
    },
}

/// OTP of this release, if it is installed.
pub fn find(release: u8) -> Result<Otp, Missing> {
    let named = env::var_os(variable(release)).map(PathBuf::from);
    if named.is_none()
        && let Some(otp) = in_path()
        && otp.release == release
    {
        return Ok(otp.clone());
    }
    let tree = named.unwrap_or_else(|| usual_place(release));
    let erl = [tree.join("erl"), tree.join("bin/erl"), tree]
        .into_iter()
        .find(|erl| erl.is_file())
        .and_then(|erl| std::path::absolute(erl).ok())
        .ok_or(Missing::NotInstalled(release))?;
    match ask(&erl) {
        Ok((found, root)) if found == release => Ok(Otp {
            release,
            erl,
            root,
            is_in_path: false,
        }),
        other => Err(Missing::Unfit {
            release,
            erl,
            found: other.map_or_else(|said| said, |(found, _)| format!("OTP {found}")),
        }),
    }
}

/// OTP of [`RELEASE`], which most tests compare with.
///
/// # Panics
/// If it is not installed.
pub fn otp() -> &'static Otp {
    usual().unwrap_or_else(|missing| panic!("{missing}"))
}

/// OTP of [`RELEASE`], which is looked for once.
pub fn usual() -> Result<&'static Otp, &'static Missing> {
    static OTP: OnceLock<Result<Otp, Missing>> = OnceLock::new();
    OTP.get_or_init(|| find(RELEASE)).as_ref()
}

/// The machine of OTP 25.
///
/// # Panics
/// If it is not installed.
pub fn erl_25() -> Command {
    Command::new(&otp().erl)
}

/// The compiler of OTP 25.
///
/// # Panics
/// If it is not installed.
pub fn erlc_25() -> Command {
    otp().erlc()
}

/// This build of ferl, which will boot the libraries of OTP 25.
///
/// # Panics
/// If OTP 25 is not installed.
pub fn ferl_on_25(ferl: &str) -> Command {
    let mut command = Command::new(ferl);
    command.envs(otp().environment());
    command
}

impl Otp {
    /// Whether it is the one that the system's users start.
    pub fn is_in_path(&self) -> bool {
        self.is_in_path
    }

    /// The variable that has ferl boot these libraries, where it would not find them by itself.
    pub fn environment(&self) -> Option<(&'static str, &Path)> {
        (!self.is_in_path).then_some((LIBRARIES, &*self.root))
    }

    /// Its compiler. A tree without `erlc` has its machine started by another release's, which does no more than that.
    pub fn erlc(&self) -> Command {
        let own = self.erl.with_file_name("erlc");
        let mut command = Command::new(if own.is_file() {
            &own
        } else {
            Path::new("erlc")
        });
        if !self.is_in_path {
            command.env("ERLC_EMULATOR", &self.erl);
        }
        command
    }

    /// Its port mapper, or that of another release, which does the same.
    pub fn epmd(&self) -> Option<PathBuf> {
        let own = |erl: PathBuf| Some(erl.with_file_name("epmd")).filter(|path| path.is_file());
        let linked = |erl: PathBuf| own(erl.canonicalize().ok()?);
        own(self.erl.clone())
            .or_else(|| linked(self.erl.clone()))
            .or_else(|| program_in_path("epmd"))
            .or_else(|| linked(program_in_path("erl")?))
    }

    /// Where its headers for C are, if they are installed.
    pub fn headers(&self) -> PathBuf {
        self.root.join("usr/include")
    }
}

impl Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Missing::NotInstalled(release) => write!(
                f,
                "no OTP {release}: neither in PATH, nor in the folder that {} names, nor in {}; `make stock-{release}` \
                 unpacks it there",
                variable(*release),
                usual_place(*release).display()
            ),
            Missing::Unfit {
                release,
                erl,
                found,
            } => write!(f, "{} is not of OTP {release}: {found}", erl.display()),
        }
    }
}

impl std::error::Error for Missing {}

/// The OTP of the `erl` in `PATH`, which is asked once.
fn in_path() -> Option<&'static Otp> {
    static IN_PATH: OnceLock<Option<Otp>> = OnceLock::new();
    let find = || {
        let erl = program_in_path("erl")?;
        let (release, root) = ask(&erl).ok()?;
        Some(Otp {
            release,
            erl,
            root,
            is_in_path: true,
        })
    };
    IN_PATH.get_or_init(find).as_ref()
}

fn program_in_path(name: &str) -> Option<PathBuf> {
    env::split_paths(&env::var_os("PATH")?)
        .map(|folder| folder.join(name))
        .find(|program| program.is_file())
}

fn variable(release: u8) -> String {
    format!("FERL_STOCK_{release}")
}

fn usual_place(release: u8) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    let target = target.canonicalize().unwrap_or(target);
    target.join("stock").join(format!("otp-{release}"))
}

/// The release of a machine and the root of its libraries, or what it said instead.
fn ask(erl: &Path) -> Result<(u8, PathBuf), String> {
    let output = Command::new(erl)
        .args(["-noshell", "-noinput", "-eval", TELL])
        .stdin(Stdio::null())
        .output()
        .map_err(|error| error.to_string())?;
    let told = String::from_utf8_lossy(&output.stdout);
    let answer = told
        .split_once('\n')
        .filter(|_| output.status.success())
        .and_then(|(release, root)| Some((release.parse().ok()?, PathBuf::from(root))));
    answer.ok_or_else(|| format!("{told}{}", String::from_utf8_lossy(&output.stderr)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_found_is_of_the_release_that_was_meant() {
        let otp = otp();
        assert_eq!(ask(&otp.erl).unwrap(), (RELEASE, otp.root.clone()));
        let said = otp.erlc().arg("--help").output().unwrap();
        assert!(String::from_utf8_lossy(&said.stderr).contains("Usage: erlc"));
    }

    #[test]
    fn a_missing_release_is_told_with_the_places_that_were_looked_at() {
        let said = find(1).unwrap_err().to_string();
        for part in ["OTP 1:", "PATH", "FERL_STOCK_1 ", "stock/otp-1;"] {
            assert!(said.contains(part), "{said}");
        }
    }
}
