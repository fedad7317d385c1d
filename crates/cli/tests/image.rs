//! `ferl image`: a release in an image starts where there is nothing else, as a user without rights.

#[path = "releases/made.rs"]
mod made;

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use made::{FERL, run};

/// Makes the release r-1 of kernel, stdlib, sasl, and crypto where it is, in the current folder.
const MAKE: &str = r#"
    Version = erlang:system_info(version),
    Applications = [begin
        application:load(Name),
        {ok, V} = application:get_key(Name, vsn),
        {Name, V}
    end || Name <- [kernel, stdlib, sasl] ++ [crypto || code:which(crypto) =/= non_existing]],
    ok = file:write_file("r.rel", io_lib:format("~p.~n", [{release, {"r", "1"}, {erts, Version}, Applications}])),
    {ok, _, _} = systools:make_script("r", [silent]),
    {ok, _, _} = systools:make_tar("r", [silent, {erts, code:root_dir()}]),
    ok = erl_tar:extract("r.tar.gz", [{cwd, "release"}, compressed]),
    ok = file:write_file("release/releases/start_erl.data", Version ++ " 1\n"),
    halt()."#;

/// What a node in the image says: whether crypto works, if it is there; how names are encoded; what can be written.
const TELL: &str = r#"
    Hash = case application:ensure_all_started(crypto) of
        {ok, _} -> byte_size(crypto:hash(sha256, <<>>));
        {error, {crypto, {"no such file or directory", _}}} -> 32
    end,
    io:format("~p~n", [{Hash, file:native_name_encoding(), file:get_cwd(), file:write_file("/new", <<>>),
        file:write_file("/tmp/new", <<>>)}]),
    halt(3)."#;

/// Enters the unpacked image in a namespace of its own, with a file system that cannot be written but for /tmp.
const ENTER: &str = r#"
    set -e
    mkdir -p "$0/proc" && mount --bind "$0" "$0" && mount --rbind /proc "$0/proc"
    mount -t tmpfs -o mode=1777 tmpfs "$0/tmp" && mount -o remount,ro,bind "$0"
    exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/tmp LANG=C.UTF-8 chroot $1 "$0" /release erl -noshell -eval "$2""#;

#[test]
fn a_release_in_an_image_needs_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    run(Command::new(&stock::otp().erl)
        .current_dir(folder.path())
        .args(["-noshell", "-eval", MAKE]));
    run(stock::ferl_on_25(FERL)
        .current_dir(folder.path())
        .args(["image", "release", "-o", "image"]));
    let root = folder.path().join("root");
    fs::create_dir(&root).unwrap();
    for entry in fs::read_dir(folder.path().join("image/blobs/sha256")).unwrap() {
        let path = entry.unwrap().path();
        // Layers are packed, the rest is text.
        if fs::read(&path).unwrap().starts_with(b"\x1f\x8b") {
            run(Command::new("tar")
                .arg("-xzf")
                .arg(&path)
                .arg("-C")
                .arg(&root));
        }
    }
    let Some(output) = enter(&root) else {
        println!("LEFT OUT: this user may not enter a namespace");
        return;
    };
    let said = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(said, "{32,utf8,{ok,\"/\"},{error,erofs},ok}\n", "{errors}");
    assert_eq!(output.status.code(), Some(3), "{errors}");
}

/// Runs a node there, if this user may make namespaces.
fn enter(root: &Path) -> Option<Output> {
    let unshare = |flags: &[&str]| {
        let mut command = Command::new("unshare");
        command.args(flags);
        command
    };
    let can = |flags: &[&str]| {
        unshare(flags)
            .arg("true")
            .status()
            .is_ok_and(|s| s.success())
    };
    // Root gives its rights away; for others root is a name inside of the namespace.
    let (flags, user) = if can(&["-m"]) {
        (&["-m"][..], "--userspec=65534:65534")
    } else if can(&["-rm"]) {
        (&["-rm"][..], "--userspec=0:0")
    } else {
        return None;
    };
    let mut command = unshare(flags);
    command
        .args(["sh", "-c", ENTER])
        .arg(root)
        .args([user, TELL]);
    Some(command.output().unwrap())
}

#[test]
fn what_is_no_program_or_release_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let text = folder.path().join("text");
    fs::write(&text, "no program").unwrap();
    let empty = folder.path().join("empty");
    fs::create_dir(&empty).unwrap();
    let gone = folder.path().join("gone");
    for (source, tag, status, part) in [
        (&text, "1", 1, "neither a release nor a program"),
        (&empty, "1", 1, "neither a release nor an application"),
        (&gone, "1", 1, "No such file"),
        (&text, "a b", 2, "a tag has"),
    ] {
        let output = stock::ferl_on_25(FERL)
            .arg("image")
            .arg(source)
            .args(["--tag", tag, "-o"])
            .arg(folder.path().join("out"))
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(status), "{said}");
        assert!(said.contains(part), "{part}: {said}");
    }
    assert!(!folder.path().join("out").exists());
}
