//! Stock machines: the OTP of the `erl` in PATH, which ferl is compared with, or one of another release.
//!
//! One of another release is a tree of its own, named by the variable `FERL_STOCK_27` (for OTP 27), or `target/stock/otp-27`,
//! where `packaging/stock.sh` puts it. `erl` is in the tree itself or in its `bin`.

use crate::compile::Compiler;
use crate::count::Count;
use crate::project;
use anyhow::{Context, Result, bail};
use std::collections::HashSet;
use std::env;
use std::path::{Path, PathBuf};
use std::time::Duration;
use watch::Invocation;

/// The header that native libraries include.
pub const NIF_HEADER: &str = "erl_nif.h";

/// Prints the release, and the root of the libraries.
const TELL: &str =
    r#"io:format("~s~n~ts", [erlang:system_info(otp_release), code:root_dir()]), halt()."#;

/// The choice of a release on a chore's command line.
#[derive(clap::Args)]
pub struct ReleaseOption {
    /// Compare with stock of this release of OTP, whose libraries ferl then boots too [default: that of the `erl` in PATH].
    #[arg(long, value_name = "N")]
    release: Option<u8>,
}

impl ReleaseOption {
    /// The stock to compare with. `None` if it is one of another release that is not installed: that is told in a line, and counted.
    pub fn stock(&self) -> Result<Option<Stock>> {
        let Some(release) = self.release else {
            return Stock::in_path().map(Some);
        };
        let stock = Stock::of(release)?;
        if stock.is_none() {
            println!(
                "LEFT OUT OTP {release}: no erl in the folder that {} names, nor in {}",
                variable(release),
                usual_place(release).display()
            );
            let skipped = Count {
                skipped: 1,
                ..Count::default()
            };
            println!("{skipped}");
        }
        Ok(stock)
    }
}

/// An installed OTP.
pub struct Stock {
    pub erl: PathBuf,
    pub compiler: Compiler,
    pub release: u8,
    /// The root of its libraries.
    root: PathBuf,
    is_in_path: bool,
}

impl Stock {
    pub fn in_path() -> Result<Stock> {
        let erl = project::stock("erl")?;
        let (release, root) = ask(&erl)?;
        Ok(Stock {
            erl,
            compiler: Compiler::in_path()?,
            release,
            root,
            is_in_path: true,
        })
    }

    /// That of another release, if it is installed.
    fn of(release: u8) -> Result<Option<Stock>> {
        let tree =
            env::var_os(variable(release)).map_or_else(|| usual_place(release), PathBuf::from);
        let candidates = [tree.join("erl"), tree.join("bin/erl")];
        let Some(erl) = candidates.into_iter().find(|erl| erl.is_file()) else {
            return Ok(None);
        };
        let erl = std::path::absolute(erl)?;
        let (found, root) = ask(&erl)?;
        if found != release {
            bail!("{} is of OTP {found}, not {release}", erl.display());
        }
        Ok(Some(Stock {
            compiler: Compiler::of(&erl)?,
            erl,
            release,
            root,
            is_in_path: false,
        }))
    }

    /// Whether it is the one that is meant if none is named.
    pub fn is_in_path(&self) -> bool {
        self.is_in_path
    }

    /// Whether what is for these releases is for this one; none stand for all.
    pub fn runs(&self, releases: &[u8]) -> bool {
        releases.is_empty() || releases.contains(&self.release)
    }

    /// What ferl needs in its environment to boot these libraries.
    pub fn environment(&self) -> Option<(&'static str, String)> {
        (!self.is_in_path).then(|| self.libraries())
    }

    /// The variable that names these libraries to ferl, and its value.
    pub fn libraries(&self) -> (&'static str, String) {
        ("FERL_OTP", self.root.to_string_lossy().into_owned())
    }

    /// The invocation of ferl that boots these libraries.
    pub fn booted_by(&self, invocation: Invocation) -> Invocation {
        match self.environment() {
            Some((name, value)) => invocation.env(name, &value),
            None => invocation,
        }
    }

    /// What of it is installed that may be missing: applications, and the header for native libraries.
    pub fn applications(&self) -> Result<HashSet<String>> {
        let library = self.root.join("lib");
        let mut names = HashSet::new();
        if headers()?.join(NIF_HEADER).is_file() {
            names.insert(NIF_HEADER.to_owned());
        }
        for folder in project::entries(&library)? {
            let name = folder.file_name().unwrap_or_default().to_string_lossy();
            if let Some((name, _)) = name.rsplit_once('-')
                && folder.join("ebin").is_dir()
            {
                names.insert(name.to_owned());
            }
        }
        Ok(names)
    }
}

/// Where stock's headers for C are, if they are installed. Libraries made with an older release's run on newer ones.
pub fn headers() -> Result<PathBuf> {
    let erl = project::stock("erl")?.canonicalize()?;
    // `erl` is in the release's `bin`, or in that of its erts.
    let root = erl
        .ancestors()
        .find(|folder| folder.join("lib").is_dir() && folder.join("releases").is_dir());
    let root = root.with_context(|| format!("{} is in no release of OTP", erl.display()))?;
    Ok(root.join("usr/include"))
}

fn variable(release: u8) -> String {
    format!("FERL_STOCK_{release}")
}

fn usual_place(release: u8) -> PathBuf {
    project::target()
        .join("stock")
        .join(format!("otp-{release}"))
}

/// The release of a machine, and the root of its libraries.
fn ask(erl: &Path) -> Result<(u8, PathBuf)> {
    let outcome = Invocation::new(erl, &env::temp_dir())
        .args(["-noshell", "-eval", TELL])
        .timeout(Duration::from_secs(60))
        .run()?;
    let told = String::from_utf8_lossy(&outcome.stdout).into_owned();
    let told = told
        .split_once('\n')
        .filter(|_| outcome.end.is_success())
        .and_then(|(release, root)| Some((release.parse().ok()?, PathBuf::from(root))));
    told.with_context(|| {
        format!(
            "{} does not start: {}\n{}",
            erl.display(),
            outcome.end,
            outcome.last_words(10)
        )
    })
}
