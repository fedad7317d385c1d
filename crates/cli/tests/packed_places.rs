//! Where a packed file starts: in a tree with nothing else, on a file system that cannot be written, as a user that
//! nobody knows. What only root can set up is left out for others, with a line.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

#[path = "releases/made.rs"]
mod made;
use made::{Ended, app, ended, left_out, may_mount, packed, text};

/// A shell in a name space of its own, where what it mounts is seen by nobody else.
fn in_own_space(script: &str, words: &[&Path]) -> Ended {
    let output = Command::new("unshare")
        .args(["-m", "sh", "-euc", script, "sh"])
        .args(words)
        .env_clear()
        .env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin")
        .output()
        .unwrap();
    ended(&output)
}

/// The libraries that the system loads for a program.
fn libraries(program: &Path) -> Vec<PathBuf> {
    let listed = Command::new("ldd").arg(program).output().unwrap();
    text(&listed.stdout)
        .split_whitespace()
        .filter(|word| word.starts_with('/'))
        .map(PathBuf::from)
        .collect()
}

/// A release whose node is named, so that its own port mapper is started, and packed.
fn release(otp: &stock::Otp, folder: &Path) -> PathBuf {
    let release = made::release(otp, folder, &otp.root);
    let vm_args = "-name packed@127.0.0.1\n-setcookie c\n-kernel logger_level error\n";
    fs::write(release.join("releases/1/vm.args"), vm_args).unwrap();
    let path = folder.join("app");
    packed(otp, &release, &path);
    path
}

/// Starts the node, asks it and stops it, by the file `/app`; then ends the port mapper.
const ASK: &str = r#"
    export HOME=/ ERL_EPMD_PORT=14877
    chroot "$1" /app start &
    for _ in $(seq 100); do chroot "$1" /app ping > /dev/null 2>&1 && break; sleep 0.1; done
    chroot "$1" /app eval '{code:root_dir(), element(1, file:list_dir("/tmp")), filelib:is_file("/app/lib")}.'
    chroot "$1" /app stop
    wait $!
    chroot "$1" /app erl -noshell -eval '
        {ok, Socket} = gen_tcp:connect({127, 0, 0, 1}, 14877, [binary]),
        gen_tcp:send(Socket, <<1:16, $k>>), receive {tcp, _, Said} -> io:format("~s~n", [Said]) end, halt().'
"#;

#[test]
fn a_tree_with_nothing_but_the_file_and_the_c_library_is_enough() {
    if !may_mount("packed files in other places") {
        return;
    }
    for otp in made::otps() {
        let folder = tempfile::tempdir().unwrap();
        let path = release(&otp, folder.path());
        let plain = folder.path().join("release");
        let root = folder.path().join("root");
        // OTP's libraries, which are loaded from memory, may need others.
        let libraries_of_release = Command::new("find")
            .arg(plain.join("lib"))
            .args(["-name", "*.so"])
            .output();
        let found = text(&libraries_of_release.unwrap().stdout);
        let found: Vec<PathBuf> = found.lines().map(PathBuf::from).collect();
        let needed = [path.clone()].into_iter().chain(found);
        let needed: Vec<PathBuf> = needed.flat_map(|program| libraries(&program)).collect();
        for library in needed {
            let target = root.join(library.strip_prefix("/").unwrap());
            fs::create_dir_all(target.parent().unwrap()).unwrap();
            fs::copy(&library, &target).unwrap();
        }
        fs::copy(&path, root.join("app")).unwrap();
        fs::create_dir(root.join("proc")).unwrap();
        let place = format!("OTP {}", otp.release);
        // Nothing can be written there either.
        let script = format!(
            "mount --bind \"$1\" \"$1\"\nmount -t proc proc \"$1/proc\"\nmount -o remount,ro,bind \"$1\"\n{ASK}"
        );
        let (status, said, errors) = in_own_space(&script, &[&root]);
        let expected = "{\"/app\", error, true}\nOK\n";
        assert_eq!((status, &*said), (Some(0), expected), "{place}: {errors}");
        // Without /proc it cannot find itself, and says so.
        let (status, _, errors) = in_own_space("chroot \"$1\" /app version", &[&root]);
        assert!(
            status == Some(1) && errors.contains("/proc is not mounted"),
            "{errors}"
        );
    }
}

#[test]
fn a_user_whom_nobody_knows_starts_it() {
    let folder = tempfile::tempdir().unwrap();
    let otp = stock::otp();
    let script = folder.path().join("script");
    let text = "#!/usr/bin/env escript\nmain(_) -> io:format(\"~s\", [os:cmd(\"id -u\")]).\n";
    fs::write(&script, text).unwrap();
    let path = folder.path().join("app");
    packed(otp, &script, &path);
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = app(&path);
    // Only root may become somebody else.
    match command.uid(54_321).gid(54_321).output() {
        Ok(output) => assert_eq!(
            ended(&output),
            (Some(0), "54321\n".to_owned(), String::new())
        ),
        Err(error) => left_out(&format!("a packed file and an unknown user: {error}")),
    }
}

#[test]
fn a_place_where_nothing_may_be_executed_is_no_hindrance() {
    if !may_mount("packed files in other places") {
        return;
    }
    // What the file carries runs from memory, whatever the places for temporary files are.
    let folder = tempfile::tempdir().unwrap();
    let path = release(stock::otp(), folder.path());
    let script = "mount -t tmpfs -o noexec none /tmp\nmount -t tmpfs -o noexec none /dev/shm\n\
                  HOME=/ ERL_EPMD_PORT=14878 \"$1\" erl -noshell -start_epmd false -eval '\
                  io:format(\"~p~n\", [element(1, inet_gethost_native:gethostbyname(\"localhost\"))]), halt().'";
    let place = Path::new("/mnt/app");
    let script = format!(
        "mount -t tmpfs none /mnt\ncp \"$2\" /mnt/app\n{script}\nmount -o remount,noexec /mnt\n/mnt/app version"
    );
    let (status, said, errors) = in_own_space(&script, &[place, &path]);
    assert_eq!(said, "ok\n", "{errors}");
    // The file itself is refused by the system.
    assert!(
        status == Some(126) && errors.contains("Permission denied"),
        "{errors}"
    );
}

/// Names of folders, of the program and of what it carries: with spaces, line breaks, and characters of several bytes.
#[test]
fn names_may_be_strange() {
    let otp = stock::otp();
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("a b\n\u{fc}");
    let release = made::release(otp, &place, &otp.root);
    let files = release.join("lib/strange-1/priv");
    fs::create_dir_all(&files).unwrap();
    fs::write(files.join("n\nl \u{fc}"), "contents").unwrap();
    // As old as a file can be.
    made::run(
        Command::new("touch")
            .args(["-d", "1901-12-31"])
            .arg(files.join("n\nl \u{fc}")),
    );
    let path = place.join("my\napp");
    packed(otp, &release, &path);
    let ask = r#"
        Folder = filename:join(code:root_dir(), "lib/strange-1/priv"),
        {ok, [Name]} = file:list_dir(Folder),
        {ok, Contents} = file:read_file(filename:join(Folder, Name)),
        io:format("~w ~s~n", [Name, Contents]), halt()."#;
    let words = ["erl", "-noshell", "+fnu", "-eval", ask];
    let (status, said, errors) = ended(&app(&path).args(words).output().unwrap());
    let expected = "[110,10,108,32,252] contents\n";
    assert_eq!((status, &*said), (Some(0), expected), "{errors}");
    // A name that no text has is refused.
    fs::write(files.join(OsStr::from_bytes(b"\xff")), "").unwrap();
    let (status, _, errors) = made::pack(otp, &[&release, Path::new("-o"), &place.join("other")]);
    assert!(
        status == Some(1) && errors.contains("a name that is not UTF-8 cannot be packed"),
        "{errors}"
    );
    assert!(!place.join("other").exists());
}

/// More files than the archive's old form can count, which is 65,535.
#[test]
fn very_many_files_are_carried() {
    const COUNT: usize = 66_000;
    let folder = tempfile::tempdir().unwrap();
    let otp = stock::otp();
    let release = made::release(otp, folder.path(), &otp.root);
    for number in 0..COUNT {
        let folder = release.join(format!("lib/many-1/priv/{}", number / 1000));
        if number % 1000 == 0 {
            fs::create_dir_all(&folder).unwrap();
        }
        fs::write(folder.join(number.to_string()), number.to_string()).unwrap();
    }
    let path = folder.path().join("app");
    packed(otp, &release, &path);
    let ask = format!(
        r#"File = filename:join([code:root_dir(), "lib/many-1/priv", "65", "{}"]),
        io:format("~p ~p~n", [file:read_file(File), length(filelib:wildcard(code:root_dir() ++ "/lib/many-1/priv/*"))]),
        halt()."#,
        COUNT - 1
    );
    let words = ["erl", "-noshell", "-eval", &ask];
    let (status, said, errors) = ended(&app(&path).args(words).output().unwrap());
    let expected = format!("{{ok,<<\"{}\">>}} 66\n", COUNT - 1);
    assert_eq!((status, said), (Some(0), expected), "{errors}");
}

/// A release in the background, whose log finds no room, then enough of it.
#[test]
fn a_full_place_for_the_log_is_told_of_and_nothing_is_left() {
    if !may_mount("packed files in full places") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = release(stock::otp(), folder.path());
    let script = "mount -t tmpfs -o size=64k none /mnt\nhead -c 64k /dev/zero > /mnt/full\n\
                  export HOME=/ ERL_EPMD_PORT=14881 PIPE_DIR=/mnt/pipes RUNNER_LOG_DIR=/mnt/log\n\
                  \"$1\" daemon || echo \"status $?\"\nfind /mnt -type f\nrm /mnt/full\n\"$1\" daemon\n\
                  for _ in $(seq 100); do \"$1\" ping > /dev/null 2>&1 && break; sleep 0.1; done\n\
                  \"$1\" ping\n\"$1\" stop\n\"$1\" epmd -kill > /dev/null";
    let (status, said, errors) = in_own_space(script, &[&path]);
    assert_eq!(
        (status, &*said),
        (Some(0), "status 1\n/mnt/full\npong\n"),
        "{errors}"
    );
    let told = "cannot write to /mnt/log: No space left on device (os error 28). Make room, or name another folder by \
                RUNNER_LOG_DIR.";
    assert!(errors.contains(told), "{errors}");
}

/// Times of archives begin in 1980.
#[cfg(target_arch = "x86_64")]
#[test]
fn a_clock_before_1980_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/wall_clock/shift.c");
    made::run(
        Command::new("cc")
            .args(["-O1", "-o"])
            .args([&at("shift"), &source]),
    );
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let in_1975 = 1975 * 31_556_952 - 1970 * 31_556_952;
    fs::write(
        at("ahead"),
        (in_1975 - now.as_secs().cast_signed()).to_string(),
    )
    .unwrap();
    let shifted = |program: &Path| {
        let mut command = Command::new(at("shift"));
        command.arg(at("ahead")).arg(program);
        command
    };
    let script = "#!/usr/bin/env escript\nmain(_) -> {{Year, _, _}, _} = calendar:universal_time(), \
                  {ok, _} = file:read_file(escript:script_name()), io:format(\"~w~n\", [Year]).\n";
    fs::write(at("script"), script).unwrap();
    packed(stock::otp(), &at("script"), &at("app"));
    made::run(
        shifted(Path::new(made::FERL))
            .args(["pack".as_ref(), at("script").as_os_str(), "-o".as_ref()])
            .arg(at("again"))
            .env("FERL_OTP", &stock::otp().root),
    );
    assert!(fs::read(at("app")).unwrap() == fs::read(at("again")).unwrap());
    let said = made::run(shifted(&at("app")).env_clear().env("PATH", "/usr/bin:/bin"));
    assert_eq!(text(&said.stdout), "1975\n");
}

/// `vm.memfd_noexec` of a name space of processes: at 1, programs in memory must be asked for, and at 2 there are none.
#[test]
fn where_files_in_memory_may_not_be_executed_programs_are_asked_for() {
    if !may_mount("packed files in other places") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = release(stock::otp(), folder.path());
    for (forbidden, expected) in [
        ("1", (Some(0), "")),
        ("2", (Some(1), "vm.memfd_noexec is 2")),
    ] {
        let script = "echo \"$2\" > /proc/sys/vm/memfd_noexec || exit 77\n\
                      export HOME=/ ERL_EPMD_PORT=14879 PIPE_DIR=\"$3/pipes\" RUNNER_LOG_DIR=\"$3/log\"\n\
                      \"$1\" daemon || exit 1\n\
                      for _ in $(seq 100); do \"$1\" ping > /dev/null 2>&1 && break; sleep 0.1; done\n\
                      \"$1\" stop > /dev/null; \"$1\" epmd -kill > /dev/null; exit 0";
        let output = Command::new("unshare")
            .args(["--pid", "--fork", "--mount-proc", "sh", "-c", script, "sh"])
            .arg(&path)
            .arg(forbidden)
            .arg(folder.path())
            .env_clear()
            .env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin")
            .output()
            .unwrap();
        let (status, _, errors) = ended(&output);
        if status == Some(77) {
            made::left_out("packed files and vm.memfd_noexec: this system has it not");
            return;
        }
        assert!(
            status == expected.0 && errors.contains(expected.1),
            "{forbidden}: {status:?} {errors}"
        );
    }
}
