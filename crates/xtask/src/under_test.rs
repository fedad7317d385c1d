//! The machine under test, and how the command line asks for it to be started.

use crate::project;
use anyhow::Result;
use std::path::{Path, PathBuf};
use watch::Invocation;

/// Under collect-always every allocation may cost a collection.
const COLLECT_ALWAYS_SLOWDOWN: u32 = 15;

#[derive(clap::Args)]
pub(crate) struct UnderTest {
    /// The machine under test [default: target/release/ferl].
    #[arg(long, value_name = "PATH")]
    ferl: Option<PathBuf>,
    /// Run threaded code instead of machine code (`-emu_flavor emu`).
    #[arg(long)]
    emu: bool,
    /// Calls of a function before its module gets machine code: adds `+code_calls N`. With 0 all code is machine code,
    /// with a few modules change while their functions run.
    #[arg(long, value_name = "N")]
    code_calls: Option<u16>,
    /// Have the machine under test collect at every safepoint (FERL_COLLECT_ALWAYS=1).
    #[arg(long)]
    collect_always: bool,
    /// Schedulers of the machine under test: adds `+S N:N`.
    #[arg(long, value_name = "N")]
    schedulers: Option<u32>,
}

impl UnderTest {
    pub(crate) fn path(&self) -> Result<PathBuf> {
        project::ferl(self.ferl.as_deref())
    }

    /// How much longer programs may take than on stock.
    pub(crate) fn slowdown(&self) -> u32 {
        if self.collect_always {
            COLLECT_ALWAYS_SLOWDOWN
        } else {
            1
        }
    }

    /// A run of the machine at `path` as these flags say.
    pub(crate) fn invocation(&self, path: &Path, folder: &Path) -> Invocation {
        let mut invocation = Invocation::new(path, folder);
        if self.emu {
            invocation = invocation.args(["-emu_flavor", "emu"]);
        }
        if let Some(calls) = self.code_calls {
            invocation = invocation.arg("+code_calls").arg(calls.to_string());
        }
        if let Some(count) = self.schedulers {
            invocation = invocation.arg("+S").arg(format!("{count}:{count}"));
        }
        if self.collect_always {
            invocation = invocation.env("FERL_COLLECT_ALWAYS", "1");
        }
        invocation
    }
}
