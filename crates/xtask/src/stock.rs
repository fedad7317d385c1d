//! Stock machines on the chores' command lines: OTP 25, which ferl is compared with where nothing else is said, or one
//! of another release. The crate `stock` finds them.

use crate::compile::Compiler;
use crate::count::Count;
use crate::project;
use ::stock::{Missing, Otp};
use anyhow::Result;
use std::collections::HashSet;
use std::ops::Deref;
use std::path::PathBuf;
use watch::Invocation;

/// The header that native libraries include.
pub(crate) const NIF_HEADER: &str = "erl_nif.h";

/// The choice of a release on a chore's command line.
#[derive(clap::Args)]
pub(crate) struct ReleaseOption {
    /// Compare with stock of this release of OTP, whose libraries ferl then boots too [default: 25].
    #[arg(long, value_name = "N")]
    release: Option<u8>,
}

impl ReleaseOption {
    /// The stock to compare with. `None` if it is one of another release that is not installed: that is told in a line,
    /// and counted.
    pub(crate) fn stock(&self) -> Result<Option<Stock>> {
        let Some(release) = self.release else {
            return Stock::usual().map(Some);
        };
        match Stock::of(release) {
            Err(missing @ Missing::NotInstalled(_)) => {
                println!("LEFT OUT {missing}");
                let skipped = Count {
                    skipped: 1,
                    ..Count::default()
                };
                println!("{skipped}");
                Ok(None)
            }
            found => Ok(Some(found?)),
        }
    }
}

/// An installed OTP, and its compiler.
pub(crate) struct Stock {
    otp: Otp,
    pub compiler: Compiler,
}

impl From<Otp> for Stock {
    fn from(otp: Otp) -> Stock {
        Stock {
            compiler: Compiler::of(otp.clone()),
            otp,
        }
    }
}

impl Deref for Stock {
    type Target = Otp;

    fn deref(&self) -> &Otp {
        &self.otp
    }
}

impl Stock {
    /// The one that is meant where no release is named.
    pub(crate) fn usual() -> Result<Stock> {
        Ok(Stock::from(::stock::usual()?.clone()))
    }

    fn of(release: u8) -> Result<Stock, Missing> {
        ::stock::find(release).map(Stock::from)
    }

    /// Whether it is the one that is meant where no release is named.
    pub(crate) fn is_usual(&self) -> bool {
        self.release == ::stock::RELEASE
    }

    /// Whether what is for these releases is for this one; none stand for all.
    pub(crate) fn runs(&self, releases: &[u8]) -> bool {
        releases.is_empty() || releases.contains(&self.release)
    }

    /// The invocation of ferl that boots these libraries.
    pub(crate) fn booted_by(&self, invocation: Invocation) -> Invocation {
        match self.environment() {
            Some((name, value)) => invocation.env(name, &value.to_string_lossy()),
            None => invocation,
        }
    }

    /// What of it is installed that may be missing: applications, and the header for native libraries.
    pub(crate) fn applications(&self) -> Result<HashSet<String>> {
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

/// Where the headers for C of OTP 25 are, if they are installed. Libraries made with them run on newer releases too.
pub(crate) fn headers() -> Result<PathBuf> {
    Ok(::stock::usual()?.headers())
}
