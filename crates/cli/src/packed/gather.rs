//! What goes into one file with an escript or a folder of applications: found by Erlang code ([`PROGRAM`]) on the OTP
//! whose libraries go in, because OTP's own modules know escripts, `.app` files and boot scripts.

use std::fs;
use std::path::Path;
use std::process::Command;

use ship::image::Parcel;

use crate::environment::Environment;
use crate::otp::Otp;

const PROGRAM: &str = include_str!("gather.escript");

/// What is packed with the libraries of an OTP.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    Escript,
    /// A folder of applications, or of one.
    Folder,
}

/// Gathers an escript or a folder of applications, and what of the OTP they need, or all of it. `ferl` is the program
/// to find that out with. Notes are added to `notes`.
pub(super) fn gather(
    kind: Kind,
    input: &Path,
    has_all: bool,
    (otp, ferl): (&Otp, &Path),
    notes: &mut String,
) -> Result<Parcel, String> {
    let made = tempfile::tempdir().map_err(|error| format!("a folder to work in: {error}"))?;
    let program = made.path().join("gather");
    fs::write(&program, PROGRAM).map_err(|error| format!("{}: {error}", program.display()))?;
    let mut environment = Environment::inherited();
    for name in [
        "ERL_AFLAGS",
        "ERL_FLAGS",
        "ERL_ZFLAGS",
        "ERL_LIBS",
        "ROOTDIR",
    ] {
        environment.remove(name);
    }
    environment.remove(&format!("ERL_OTP{}_FLAGS", otp.release));
    environment.set(b"FERL_OTP", otp.root_bytes());
    let mut command = Command::new(ferl);
    command
        .args(["-noshell", "-noinput", "-boot", "no_dot_erlang", "+fnu"])
        .args(["-run", "escript", "start", "-extra"])
        .arg(&program)
        .arg(match kind {
            Kind::Escript => "escript",
            Kind::Folder => "folder",
        })
        .arg(input)
        .arg(made.path())
        .arg(if has_all { "all" } else { "needed" });
    environment.give(&mut command);
    let output = command
        .output()
        .map_err(|error| format!("{}: {error}", ferl.display()))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut parcel = Parcel::new(&otp.erts_version);
    let mut is_whole = false;
    for line in text.lines() {
        let parts: Vec<&str> = line.split('\t').collect();
        let failed = |error: ship::ShipError| error.to_string();
        match parts.as_slice() {
            ["add", name, path] => parcel.add_file(name, Path::new(path)).map_err(failed)?,
            ["folder", name, path] => parcel
                .add_folder(name, Path::new(path), is_left_out)
                .map_err(failed)?,
            ["library", name, path] => {
                parcel
                    .add_folder(name, Path::new(path), is_left_out)
                    .map_err(failed)?;
                parcel.strip_code(&format!("{name}/"));
            }
            ["fact", key, value] => parcel.fact(key, value),
            ["note", text] => notes.push_str(&format!("note: {text}\n")),
            ["error", text] => return Err((*text).to_owned()),
            ["end"] => is_whole = true,
            // A complaint of the node's.
            _ => break,
        }
    }
    if !is_whole {
        return Err(format!(
            "{}: cannot tell what it needs: {text}{}",
            input.display(),
            String::from_utf8_lossy(&output.stderr).trim_end()
        ));
    }
    parcel
        .add_start_modules(otp.origin())
        .map_err(|error| error.to_string())?;
    parcel
        .add_programs(otp.origin())
        .map_err(|error| error.to_string())?;
    Ok(parcel)
}

/// What of an application nobody needs who runs it.
fn is_left_out(path: &Path) -> bool {
    let first = path.iter().next().unwrap_or_default();
    ["src", "c_src", "doc", "examples", "include", "man", "test"]
        .iter()
        .any(|name| first == *name)
}
