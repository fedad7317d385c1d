//! `ferl erts`: ferl as the emulator of releases.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use ship::erts;

use crate::commands;
use crate::environment::Environment;
use crate::otp::{Caller, Otp, unreadable};

/// Puts ferl where a release has its emulator.
///
/// `ferl erts DIR` writes DIR/erts-VERSION, made of this ferl and of the OTP that it boots, with what makes DIR the
/// root of an OTP beside it. In mix.exs: `include_erts: "DIR/erts-VERSION"`; in relx.config or rebar.config:
/// `{include_erts, "DIR"}`. `ferl erts --replace RELEASE` puts ferl into a release that exists.
#[derive(Parser, Debug)]
#[command(name = "ferl erts", max_term_width = 100, verbatim_doc_comment)]
pub(crate) struct ErtsOptions {
    /// The folder to write.
    #[arg(value_name = "DIR", required_unless_present_any = ["replace", "restore"])]
    folder: Option<PathBuf>,
    /// The OTP to take the rest from [default: the one that ferl boots].
    #[arg(long, value_name = "ROOT")]
    otp: Option<PathBuf>,
    /// Put ferl in place of the emulator of a release, which is kept beside it.
    #[arg(long, value_name = "RELEASE", conflicts_with_all = ["folder", "otp", "restore"])]
    replace: Option<PathBuf>,
    /// Take --replace back.
    #[arg(long, value_name = "RELEASE", conflicts_with_all = ["folder", "otp"])]
    restore: Option<PathBuf>,
}

/// Runs the command with the words that follow `erts`. Returns 1 if it fails, 2 if the words are wrong.
pub fn main(words: impl Iterator<Item = OsString>) -> ExitCode {
    commands::run("ferl erts", words, carry_out)
}

fn carry_out(options: &ErtsOptions) -> Result<String, String> {
    let environment = Environment::inherited();
    let caller = Caller::own(Path::new("ferl"));
    let program = caller.file()?;
    let otp_in = |root: &Path| {
        if let Some(error) = unreadable(root) {
            return Err(error.to_string());
        }
        if !root.is_dir() {
            return Err(format!("{} is not a folder", root.display()));
        }
        Otp::find_in(root.to_owned(), &environment, &caller).map_err(|error| format!("{error:#}"))
    };
    let release = options.replace.as_deref().or(options.restore.as_deref());
    let otp = match release.or(options.otp.as_deref()) {
        Some(root) => otp_in(root)?,
        None => Otp::find(&environment, &caller).map_err(|error| error.to_string())?,
    };
    let origin = otp.origin();
    if options.replace.is_some() {
        let bin = erts::replace(origin, program).map_err(|error| error.to_string())?;
        return Ok(format!(
            "{}: ferl now runs this release of OTP {}. `ferl erts --restore` takes that back.\n",
            bin.display(),
            otp.release
        ));
    }
    if options.restore.is_some() {
        let bin = erts::restore(origin).map_err(|error| error.to_string())?;
        return Ok(format!(
            "{}: stock's emulator runs this release again.\n",
            bin.display()
        ));
    }
    let folder = options.folder.as_deref().unwrap_or(Path::new("."));
    let written = erts::write(folder, origin, program).map_err(|error| error.to_string())?;
    let written = written.canonicalize().unwrap_or(written);
    Ok(format!(
        "{path}: ferl for OTP {release}.\n\
         mix.exs:      releases: [NAME: [include_erts: \"{path}\"]]\n\
         rebar.config: {{relx, [{{include_erts, \"{root}\"}}]}}\n",
        path = written.display(),
        release = otp.release,
        root = written.parent().unwrap_or(Path::new("/")).display(),
    ))
}
