//! Releases that the tests of shipping make, by stock's own tools.

// Each test uses some of these.
#![allow(dead_code)]

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use stock::Otp;

pub(crate) const FERL: &str = env!("CARGO_BIN_EXE_ferl");

/// Makes the release r-1 of kernel, stdlib, sasl, and crypto where it is, in the current folder, with the emulator of
/// the OTP in the root that is named behind `-extra`.
pub(crate) const MAKE: &str = r#"
    [Root] = init:get_plain_arguments(),
    Version = erlang:system_info(version),
    Applications = [begin
        application:load(Name),
        {ok, V} = application:get_key(Name, vsn),
        {Name, V}
    end || Name <- [kernel, stdlib, sasl] ++ [crypto || erlang:system_info(otp_release) =:= "25",
        code:which(crypto) =/= non_existing]],
    ok = file:write_file("r.rel", io_lib:format("~p.~n", [{release, {"r", "1"}, {erts, Version}, Applications}])),
    {ok, _, _} = systools:make_script("r", [silent]),
    {ok, _, _} = systools:make_tar("r", [silent, {erts, Root}]),
    ok = erl_tar:extract("r.tar.gz", [{cwd, "release"}, compressed]),
    ok = file:write_file("release/releases/start_erl.data", Version ++ " 1\n"),
    halt()."#;

/// Runs a command that must succeed.
pub(crate) fn run(command: &mut Command) -> Output {
    let output = command.output().expect("it starts");
    assert!(
        output.status.success(),
        "{command:?}: {}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    output
}

/// A release made by stock, with the emulator from `erts_root`.
pub(crate) fn release(otp: &Otp, folder: &Path, erts_root: &Path) -> PathBuf {
    fs::create_dir_all(folder).unwrap();
    run(Command::new(&otp.erl)
        .current_dir(folder)
        .args(["-noshell", "-eval", MAKE, "-extra"])
        .arg(erts_root));
    folder.join("release")
}

/// The `bin` of a release's erts.
pub(crate) fn erts_bin(release: &Path) -> PathBuf {
    let mut folders = fs::read_dir(release).unwrap().map(|file| file.unwrap());
    let erts = folders.find(|folder| folder.file_name().as_encoded_bytes().starts_with(b"erts-"));
    erts.expect("a release has it").path().join("bin")
}

/// How a release is started by tools: as `mix release` and relx write it.
const SCRIPT: &str = r#"#!/bin/sh
BINDIR=$(cd "$(dirname "$0")" && pwd -P)
ROOTDIR=$(dirname "$(dirname "$BINDIR")")
EMU=beam
PROGNAME=$(echo "$0" | sed 's/.*\///')
export EMU ROOTDIR BINDIR PROGNAME
exec "$BINDIR/erlexec" ${1+"$@"}
"#;

pub(crate) fn write_script(erl: &Path) {
    stock::write_program(erl, SCRIPT);
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The releases of OTP that are here.
pub(crate) fn otps() -> impl Iterator<Item = Otp> {
    [25, 27, 29]
        .into_iter()
        .filter_map(|release| stock::find(release).ok())
}

/// What a program ended with: its status, its output, its errors.
pub(crate) type Ended = (Option<i32>, String, String);

pub(crate) fn ended(output: &Output) -> Ended {
    (
        output.status.code(),
        text(&output.stdout),
        text(&output.stderr),
    )
}

/// `ferl pack` with these words, on the libraries of an OTP.
pub(crate) fn pack(otp: &Otp, words: &[&Path]) -> Ended {
    let output = Command::new(FERL)
        .arg("pack")
        .args(words)
        .env("FERL_OTP", &otp.root)
        .output()
        .unwrap();
    ended(&output)
}

/// Packs what must be packed, and returns the notes about it.
pub(crate) fn packed(otp: &Otp, input: &Path, app: &Path) -> String {
    let (status, notes, errors) = pack(otp, &[input, Path::new("-o"), app]);
    assert_eq!(status, Some(0), "{}: {errors}", input.display());
    notes
}

/// A packed program in the environment of a system without Erlang.
pub(crate) fn app(app: &Path) -> Command {
    let mut command = Command::new(app);
    command
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .current_dir("/");
    command
}

/// Says what a test leaves out, past the capture of its output, in a line of its own: so the suite shows it.
pub(crate) fn left_out(what: &str) {
    let _ = writeln!(io::stderr(), "\nLEFT OUT {what}");
}

/// Whether this is root, who may mount and change the root folder in a name space of his own; if not, `what` is left
/// out.
pub(crate) fn may_mount(what: &str) -> bool {
    let mounted = Command::new("unshare")
        .args(["-m", "mount", "-t", "tmpfs", "none", "/mnt"])
        .output();
    let may = mounted.is_ok_and(|output| output.status.success());
    if !may {
        left_out(&format!("{what}: mounting is not permitted here"));
    }
    may
}
