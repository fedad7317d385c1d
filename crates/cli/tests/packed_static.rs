//! Packed files that start by a ferl that is linked statically: in a tree with nothing else. That ferl is the one of
//! `make static`, in whatever profile it was built last; without it, and for others than root, all this is left out.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

#[path = "releases/made.rs"]
mod made;
use made::{Ended, ended, left_out, may_mount, pack};

/// The static ferl.
fn static_ferl() -> Option<PathBuf> {
    let target = format!("../../target/{}-unknown-linux-musl", std::env::consts::ARCH);
    let built = ["release", "tests", "debug"].map(|profile| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(&target);
        path.join(profile).join("ferl")
    });
    let with_time = |path: PathBuf| Some((fs::metadata(&path).ok()?.modified().ok()?, path));
    let newest = built.into_iter().filter_map(with_time).max();
    if newest.is_none() {
        left_out("packed files without a C library: `make static` builds the ferl for them");
    }
    newest.map(|(_, path)| path)
}

/// Packs with the static ferl in front, into an empty tree, in which nothing else is but a place for `/proc`. Returns
/// the tree and the notes.
fn tree(otp: &stock::Otp, ferl: &Path, input: &Path, folder: &Path) -> (PathBuf, String) {
    let root = folder.join("root");
    fs::create_dir_all(root.join("proc")).unwrap();
    let app = root.join("app");
    let (status, notes, errors) = pack(
        otp,
        &[Path::new("--target"), ferl, input, Path::new("-o"), &app],
    );
    assert_eq!(status, Some(0), "{errors}");
    fs::set_permissions(folder, fs::Permissions::from_mode(0o755)).unwrap();
    (root, notes)
}

/// Runs a script of the shell outside the tree, in which `inside` is a command of the file in the tree, which can only
/// be read, by a user whom nobody knows.
fn inside(root: &Path, script: &str) -> Ended {
    let script = format!(
        "mount --bind \"$1\" \"$1\"\nmount -t proc proc \"$1/proc\"\nmount -o remount,ro,bind \"$1\"\n\
         root=$1\n\
         inside() {{ chroot --userspec=54321:54321 \"$root\" /app \"$@\"; }}\n{script}"
    );
    let output = Command::new("unshare")
        .args(["-m", "sh", "-euc", &script, "sh"])
        .arg(root)
        .env_clear()
        .env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin")
        .output()
        .unwrap();
    ended(&output)
}

/// Starts the node, asks it and stops it; then ends the port mapper, which is a part of the file, too.
const ASK: &str = r#"
    export HOME=/ ERL_EPMD_PORT=14879 CODE_LOADING_MODE=interactive
    inside start &
    for _ in $(seq 200); do inside ping > /dev/null 2>&1 && break; sleep 0.1; done
    inside eval '{code:root_dir(), element(1, file:list_dir("/")), filelib:is_file("/app/lib")}.'
    inside eval '[element(1, inet_gethost_native:gethostbyname(Host)) || Host <- ["127.0.0.1", "nowhere.invalid"]].'
    inside eval 'element(1, peer:start(#{name => second, host => "127.0.0.1", longnames => true,
        args => ["-setcookie", "c"], wait_boot => 60000})).'
    inside pid > /dev/null
    inside stop
    wait $!
    for _ in $(seq 100); do inside epmd -kill && break; sleep 0.1; done
"#;

/// What [`ASK`] prints.
const SAID: &str = "{\"/app\", ok, true}\n[ok, error]\nok\nKilled\n";

#[test]
fn a_release_needs_no_file_of_the_system() {
    let Some(ferl) = static_ferl().filter(|_| may_mount("packed files in empty trees")) else {
        return;
    };
    for otp in made::otps() {
        let folder = tempfile::tempdir().unwrap();
        let release = made::release(&otp, folder.path(), &otp.root);
        let vm_args = "-name packed@127.0.0.1\n-setcookie c\n-kernel logger_level error\n";
        fs::write(release.join("releases/1/vm.args"), vm_args).unwrap();
        let (root, _) = tree(&otp, &ferl, &release, folder.path());
        let (status, said, errors) = inside(&root, ASK);
        let place = format!("OTP {}", otp.release);
        // As long as a node is registered.
        let said = said.replace("Killing not allowed - living nodes in database.\n", "");
        // That of 25 has crypto in it, and runs all the same.
        let has_crypto = said.contains("this ferl is linked statically and cannot load it");
        assert_eq!(has_crypto, otp.release == 25, "{place}: {said}");
        let answers = said.split_once("{\"/app\"");
        let answers = answers.map(|(_, rest)| format!("{{\"/app\"{rest}"));
        assert_eq!(
            (status, answers.as_deref()),
            (Some(0), Some(SAID)),
            "{place}: {errors}"
        );
    }
}

#[test]
fn a_script_needs_no_file_of_the_system() {
    let Some(ferl) = static_ferl().filter(|_| may_mount("packed files in empty trees")) else {
        return;
    };
    let otp = stock::otp();
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("tool");
    let source = "#!/usr/bin/env escript\nmain(Words) ->\n\
                  {{Year, _, _}, _} = calendar:local_time(),\n\
                  io:format(\"~p ~p ~p~n\", [Words, Year > 2000, element(1, peer:start(#{connection => 0}))]).\n";
    fs::write(&script, source).unwrap();
    let (root, notes) = tree(otp, &ferl, &script, folder.path());
    assert_eq!(notes, "");
    // It starts a node out of its own file, too.
    let ran = inside(&root, "inside a -b");
    let said = "[\"a\",\"-b\"] true ok\n".to_owned();
    assert_eq!(ran, (Some(0), said, String::new()));
}
