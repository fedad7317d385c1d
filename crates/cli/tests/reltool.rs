//! Releases that OTP's reltool makes, with ferl's emulator beside stock's. Left out where an OTP has no reltool.

use std::env;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use stock::Otp;

#[path = "releases/made.rs"]
mod made;
use made::{FERL, erts_bin, left_out, run, text, write_script};

/// Makes the release r-1 of kernel, stdlib and sasl in the folder `Target`, with what the profile takes of the OTP in
/// `Root`.
const MAKE: &str = r#"
    [Root, Target, Profile, Relocatable] = init:get_plain_arguments(),
    Names = [kernel, stdlib, sasl],
    {ok, Server} = reltool:start_server([{config, {sys,
        [{root_dir, Root}, {rel, "r", "1", Names}, {boot_rel, "r"}, {incl_cond, exclude},
         {profile, list_to_atom(Profile)}, {relocatable, list_to_atom(Relocatable)} |
         [{app, Name, [{incl_cond, include}]} || Name <- Names]]}}]),
    ok = file:make_dir(Target),
    ok = reltool:create_target(Server, Target),
    reltool:stop(Server),
    halt()."#;

/// What a release says about itself: the machine in a line, and the rest. It asks a program, a node that it starts, and
/// the file of code that it was loaded from, which may be an archive.
const TELL: &str = r#"
    Machine = try erlang:system_info({ferl, memory_guard}) of _ -> ferl catch _:_ -> stock end,
    {ok, Progname} = init:get_argument(progname),
    io:format("~p~n~p~n", [Machine, {
        code:root_dir(), Progname, init:get_argument(bindir), os:getenv("BINDIR"), os:getenv("EMU"),
        erlang:system_info(version), lists:sort(erlang:pre_loaded()), init:script_id(), code:get_path(),
        [Name || {Name, _, _} <- lists:sort(application:which_applications())],
        code:which(release_handler), element(1, erl_prim_loader:get_file(code:which(release_handler))),
        os:cmd("echo said"),
        os:cmd("'" ++ hd(hd(Progname)) ++ "' -noshell -eval 'io:put_chars(code:root_dir()), halt().'")}]),
    halt(3)."#;

const PROFILES: [&str; 3] = ["embedded", "standalone", "development"];

fn has_reltool(otp: &Otp) -> bool {
    let output = run(Command::new(&otp.erl).args([
        "-noshell",
        "-eval",
        "io:put_chars(atom_to_list(is_list(code:which(reltool)))), halt().",
    ]));
    output.stdout == b"true"
}

/// The OTPs here that have reltool.
fn otps() -> Vec<Otp> {
    let otps: Vec<_> = made::otps().filter(has_reltool).collect();
    if otps.is_empty() {
        left_out("releases of reltool: no OTP here has it");
    }
    otps
}

/// Runs reltool by this `erl`, on the OTP in `root`.
fn target(
    mut erl: Command,
    root: &Path,
    target: &Path,
    profile: &str,
    relocatable: bool,
) -> Output {
    run(erl
        .args(["-noshell", "-eval", MAKE, "-extra"])
        .args([root, target])
        .args([profile, &relocatable.to_string()]))
}

/// What the release in a folder says, without the folder's name.
fn tell(release: &Path, erl: &Path) -> (String, String) {
    let output = Command::new(erl)
        .args(["-noshell", "-eval", TELL])
        .env_remove("FERL_OTP")
        .env(
            "PATH",
            format!("{}:/usr/bin:/bin", release.join("bin").display()),
        )
        .output()
        .unwrap();
    let (said, errors) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(
        output.status.code(),
        Some(3),
        "{}: {said}{errors}",
        erl.display()
    );
    let (machine, rest) = said.split_once('\n').expect("two lines");
    (
        machine.to_owned(),
        rest.replace(release.to_str().unwrap(), "ROOT"),
    )
}

/// Since OTP 29 the script `erl` finds the release that it is in. In the packages of Debian it names the place where
/// they are installed instead.
fn names_an_otp(erl: &Path) -> bool {
    let script = fs::read(erl).unwrap();
    script.starts_with(b"#!") && text(&script).contains("\n    ROOTDIR=/")
}

/// The folder that `ferl erts` writes for an OTP.
fn emulator(otp: &Otp, folder: &Path) -> PathBuf {
    let made = folder.join("made");
    run(Command::new(FERL)
        .arg("erts")
        .arg(&made)
        .env("FERL_OTP", &otp.root));
    made
}

#[test]
fn a_release_of_reltool_says_what_it_says_on_stock() {
    for otp in otps() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().canonicalize().unwrap();
        let made = emulator(&otp, &folder);
        for profile in PROFILES {
            // Names of one length: where lines of terms are broken depends on it.
            let place = |machine: &str| folder.join(format!("{machine}-{profile}"));
            let (stock, named, found) = (place("stock"), place("named"), place("found"));
            target(Command::new(&otp.erl), &otp.root, &stock, profile, true);
            target(Command::new(&otp.erl), &made, &named, profile, true);
            // Reltool itself runs on ferl, and the OTP that it runs on is the folder.
            target(
                Command::new(made.join("bin/erl")),
                &made,
                &found,
                profile,
                true,
            );
            let packaged = names_an_otp(&stock.join("bin/erl"));
            let tell = |release: &Path| {
                let mut erl = release.join("bin/erl");
                if packaged {
                    erl = erts_bin(release).join("erl");
                    write_script(&erl);
                }
                tell(release, &erl)
            };
            let (machine, on_stock) = tell(&stock);
            assert_eq!(machine, "stock", "OTP {}, {profile}", otp.release);
            for release in [&named, &found] {
                let (machine, said) = tell(release);
                assert_eq!(machine, "ferl", "{}", release.display());
                assert_eq!(said, on_stock, "{}", release.display());
            }
        }
    }
}

/// Where a release is not to be moved, reltool copies the script `erl` of the emulator to where users start it. Stock's
/// names the OTP that it was copied from, until it is installed; ferl's starts the release.
#[test]
fn the_script_that_reltool_copies_starts_the_release() {
    for otp in otps() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().canonicalize().unwrap();
        let made = emulator(&otp, &folder);
        for profile in PROFILES {
            let (moved, fixed) = (
                folder.join(format!("moved-{profile}")),
                folder.join(format!("fixed-{profile}")),
            );
            target(Command::new(&otp.erl), &made, &moved, profile, true);
            target(Command::new(&otp.erl), &made, &fixed, profile, false);
            assert!(
                fs::read(fixed.join("bin/erl"))
                    .unwrap()
                    .starts_with(b"#!/bin/sh\n")
            );
            let (machine, said) = tell(&fixed, &fixed.join("bin/erl"));
            assert_eq!(machine, "ferl", "OTP {}, {profile}", otp.release);
            // Its name is that by which it was called, not a path.
            let (_, of_moved) = tell(&moved, &moved.join("bin/erl"));
            assert_eq!(
                said,
                of_moved.replace("[[\"ROOT/bin/erl\"]]", "[[\"erl\"]]")
            );
        }
    }
}

#[test]
fn reltool_on_ferl_is_told_that_it_copies_the_emulator_of_stock() {
    for otp in otps() {
        let folder = tempfile::tempdir().unwrap();
        let front = folder.path().join("front");
        fs::create_dir(&front).unwrap();
        symlink(FERL, front.join("erl")).unwrap();
        let path = env::var_os("PATH").unwrap_or_default();
        let path = env::join_paths([front].into_iter().chain(env::split_paths(&path))).unwrap();
        let told = |root: &Path, name: &str| {
            let mut erl = Command::new("erl");
            erl.env("PATH", &path).env("FERL_OTP", root);
            let output = target(erl, root, &folder.path().join(name), "embedded", true);
            text(&output.stderr)
        };
        assert_eq!(
            told(&otp.root, "stock")
                .matches("ferl erts --replace")
                .count(),
            1
        );
        assert_eq!(told(&emulator(&otp, folder.path()), "ferl"), "");
    }
}
