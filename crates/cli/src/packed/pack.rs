//! `ferl pack`: makes one executable file of a release, an escript or a folder of applications, and verifies such
//! files.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use ship::image::{self, Parcel};
use ship::verify::{Signed, verify};

use super::gather::{Kind, gather};
use super::mix;
use crate::commands;
use crate::environment::Environment;
use crate::otp::{Caller, Otp, is_root, unreadable};
use crate::words::{Word, os};

/// Makes one executable file: ferl, and behind it a release, an escript, or a folder of applications, with all that
/// they need. It starts on a machine without Erlang.
#[derive(Parser, Debug)]
#[command(name = "ferl pack", max_term_width = 100)]
pub(crate) struct PackOptions {
    /// A release: the folder with `lib` and `releases` that mix, rebar3 or systools have made. Or an escript. Or a
    /// folder of OTP applications, or of one. The applications that the last two name go in too, from the OTP that ferl
    /// boots.
    #[arg(
        value_name = "RELEASE|ESCRIPT|DIR",
        required_unless_present = "verify",
        requires = "out"
    )]
    input: Option<PathBuf>,
    /// The file to write.
    #[arg(short, value_name = "FILE")]
    out: Option<PathBuf>,
    /// With an escript or a folder: all applications of the OTP go in.
    #[arg(long)]
    all: bool,
    /// Start it with this ferl, which may be for another processor [default: the one that packs].
    #[arg(long, value_name = "FERL")]
    target: Option<PathBuf>,
    /// Say whether a packed file is as it was packed, and its SHA-256.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["input", "out", "target", "all"])]
    verify: Option<PathBuf>,
    #[command(flatten)]
    signed: SignedOptions,
}

/// Who must have signed a packed file.
#[derive(clap::Args, Debug)]
struct SignedOptions {
    /// With --verify: the file must be signed by the key whose public half is in this PEM file (Ed25519).
    #[arg(long, value_name = "PEM")]
    key: Option<PathBuf>,
    /// With --key: the signature [default: FILE.sig].
    #[arg(long, value_name = "FILE", requires = "key")]
    signature: Option<PathBuf>,
}

/// What a packed program takes behind `--verify`.
#[derive(Parser, Debug)]
#[command(name = "--verify", disable_help_flag = true)]
struct OwnOptions {
    #[command(flatten)]
    signed: SignedOptions,
}

impl SignedOptions {
    fn of(&self, file: &Path) -> Option<Signed> {
        let beside = || {
            let mut name = file.as_os_str().to_owned();
            name.push(".sig");
            PathBuf::from(name)
        };
        Some(Signed {
            public_key: self.key.clone()?,
            signature: self.signature.clone().unwrap_or_else(beside),
        })
    }
}

/// Runs the command with the words that follow `pack`. Returns 1 if it fails, 2 if the words are wrong.
pub fn main(words: impl Iterator<Item = OsString>) -> ExitCode {
    commands::run("ferl pack", words, carry_out)
}

/// What a packed program prints when it is asked to verify itself, and its status.
pub(super) fn verify_own(program: &Path, words: &[Word]) -> (String, u8) {
    let words = words.iter().map(|word| os(word).to_owned());
    match OwnOptions::try_parse_from([OsString::from("--verify")].into_iter().chain(words)) {
        Ok(options) => match verify(program, options.signed.of(program).as_ref()) {
            Ok(text) => (text, 0),
            Err(error) => (format!("{error}\n"), 1),
        },
        Err(error) => (error.to_string(), 2),
    }
}

fn carry_out(options: &PackOptions) -> Result<String, String> {
    let failed = |error: ship::ShipError| error.to_string();
    if let Some(file) = &options.verify {
        return verify(file, options.signed.of(file).as_ref()).map_err(failed);
    }
    let (Some(input), Some(out)) = (&options.input, &options.out) else {
        return Err("what to pack and -o FILE are needed".to_owned());
    };
    let environment = Environment::inherited();
    let caller = Caller::own(Path::new("ferl"));
    let mut notes = String::new();
    let parcel = if is_root(input) {
        release(input, &environment, &caller, &mut notes)?
    } else {
        if let Some(error) = unreadable(input) {
            return Err(error.to_string());
        }
        let kind = match fs::metadata(input) {
            Ok(found) if found.is_dir() => Kind::Folder,
            Ok(_) => Kind::Escript,
            Err(error) => return Err(format!("{}: {error}", input.display())),
        };
        let otp = Otp::find(&environment, &caller).map_err(|error| error.to_string())?;
        gather(kind, input, options.all, (&otp, caller.file()?), &mut notes)?
    };
    let ferl = match &options.target {
        Some(ferl) => ferl,
        None => caller.file()?,
    };
    notes.push_str(&strange(&parcel, ferl)?);
    parcel.write(ferl, out).map_err(failed)?;
    Ok(notes)
}

/// A release as a parcel.
fn release(
    root: &Path,
    environment: &Environment,
    caller: &Caller,
    notes: &mut String,
) -> Result<Parcel, String> {
    let failed = |error: ship::ShipError| error.to_string();
    let otp =
        Otp::find_in(root.to_owned(), environment, caller).map_err(|error| format!("{error:#}"))?;
    let installed = Otp::find(environment, caller).ok();
    let installed = installed.filter(|installed| installed.erts_version == otp.erts_version);
    let version = image::release_version(root).map_err(failed)?;
    let installed = installed.as_ref().map(Otp::origin);
    let mut parcel = image::release(otp.origin(), &version, installed).map_err(failed)?;
    let name = name_of(root, &version);
    parcel.fact("release", &version);
    parcel.fact("name", &name);
    match mix::facts(root, &version, &name)? {
        Some(facts) => {
            for (key, value) in facts {
                parcel.fact(key, &value);
            }
        }
        None => {
            if let Ok(script) = fs::read_to_string(root.join("bin").join(&name)) {
                parcel.fact("tool", "relx");
                notes.push_str(&unused(&script));
            }
        }
    }
    Ok(parcel)
}

/// The name of a release: that of its file `NAME.rel`.
fn name_of(root: &Path, version: &str) -> String {
    let releases = root.join("releases");
    let mut names = Vec::new();
    for folder in [releases.join(version), releases] {
        let files = fs::read_dir(folder).into_iter().flatten().flatten();
        let mut here: Vec<_> = files
            .map(|file| file.path())
            .filter(|path| path.extension().is_some_and(|extension| extension == "rel"))
            .filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned()))
            .collect();
        here.sort_unstable();
        names.append(&mut here);
    }
    let has_script = |name: &&String| root.join("bin").join(name).is_file();
    let chosen = names.iter().find(has_script).or_else(|| names.first());
    chosen.map_or("release", String::as_str).to_owned()
}

/// What a start script of relx has that is not carried out: other scripts.
fn unused(script: &str) -> String {
    let set = script.lines().filter_map(|line| {
        let (name, value) = line.split_once("=\"")?;
        let is_hook = name.ends_with("_HOOKS") || name == "STATUS_HOOK" || name == "EXTENSIONS";
        let value = value.strip_suffix('"')?;
        let is_set = !value.is_empty() && value != "undefined" && !value.contains('$');
        (is_hook && is_set).then_some(name)
    });
    let mut names: Vec<&str> = set.collect();
    names.dedup();
    match names.as_slice() {
        [] => String::new(),
        names => format!(
            "note: the start script of this release runs others ({}): the packed file does not\n",
            names.join(", ")
        ),
    }
}

/// Notes about programs and libraries that are of no use to the ferl in front of them.
fn strange(parcel: &Parcel, ferl: &Path) -> Result<String, String> {
    let program = fs::read(ferl).map_err(|error| format!("{}: {error}", ferl.display()))?;
    let mut notes = String::new();
    let mut note = |names: &[&str], what: &str, why: &str| {
        if !names.is_empty() {
            let (count, ferl, names) = (names.len(), ferl.display(), names.join(", "));
            notes.push_str(&format!("note: {count} {what} {ferl}, {why}: {names}\n"));
        }
    };
    if let Some(own) = image::machine(&program) {
        let others = parcel.machines().into_iter();
        let others: Vec<_> = others.filter(|(_, machine)| *machine != own).collect();
        let names: Vec<_> = others.into_iter().map(|(name, _)| name).collect();
        let what = "programs and libraries are for another processor than";
        note(&names, what, "and will not run there");
    }
    if image::is_static(&program) {
        let what = "native libraries cannot be loaded by";
        note(&parcel.libraries(), what, "which is linked statically");
    }
    Ok(notes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hooks_of_relx_are_named() {
        let script = "PRE_START_HOOKS=\"\"\nPOST_START_HOOKS=\"hooks/up|x\"\nEXTENSIONS=\"undefined\"\n\
                      relx_disable() {\n    PRE_START_HOOKS=\"\"\n}\n";
        assert!(unused(script).contains("(POST_START_HOOKS)"));
        assert_eq!(unused("EXTENSIONS=\"undefined\"\n"), "");
    }
}
