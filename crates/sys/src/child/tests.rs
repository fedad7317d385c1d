//! Children of this test process, mostly shells: what they get, what they report, how they end.

use super::*;
use std::io::Read;
use std::os::fd::AsFd;

const SHELL: &[u8] = b"/bin/sh";

fn shell<'a>(script: &'a str) -> Command<'a> {
    Command::new(SHELL).arg(b"-c").arg(script.as_bytes())
}

/// Runs a command with its standard output in a pipe; returns the output and how it ended.
fn output_of(command: Command<'_>) -> (String, Exit) {
    let (reader, writer) = fd::pipe().unwrap();
    let child = command.give(1, writer.as_fd()).spawn().unwrap();
    drop(writer);
    let mut text = String::new();
    std::fs::File::from(reader)
        .read_to_string(&mut text)
        .unwrap();
    (text, child.wait().unwrap())
}

#[test]
fn statuses_and_signals_are_told_apart() {
    for (script, exit) in [
        ("exit 0", Exit::Status(0)),
        ("exit 7", Exit::Status(7)),
        ("exit 255", Exit::Status(255)),
        ("kill -TERM $$", Exit::Signal(libc::SIGTERM)),
        ("kill -KILL $$", Exit::Signal(libc::SIGKILL)),
    ] {
        let child = shell(script).spawn().unwrap();
        assert_eq!(child.wait(), Ok(exit));
        assert_eq!(child.wait(), Err(Errno::ECHILD));
    }
    assert_eq!(Exit::Status(7).shell_status(), 7);
    assert_eq!(Exit::Signal(15).shell_status(), 143);
}

#[test]
fn arguments_environment_and_directory_arrive() {
    let (text, _) =
        output_of(shell("echo \"$0|$1|$2\"").args([&b"zero"[..], b"a b", b"\xc3\xa5*"]));
    assert_eq!(text, "zero|a b|å*\n");
    let (text, _) = output_of(
        Command::new(SHELL)
            .arg0(b"-my-name")
            .arg(b"-c")
            .arg(b"cat /proc/$$/cmdline"),
    );
    assert!(text.starts_with("-my-name\0"), "{text:?}");
    let entries = vec![c"ONLY=this one".to_owned()];
    let (text, _) = output_of(Command::new(b"/usr/bin/env").environment(entries.into()));
    assert_eq!(text, "ONLY=this one\n");
    env::put(b"FERL_SPAWN_TEST", b"seen").unwrap();
    assert_eq!(output_of(shell("echo $FERL_SPAWN_TEST")).0, "seen\n");
    assert_eq!(
        output_of(Command::new(b"/bin/pwd").directory(b"/usr")).0,
        "/usr\n"
    );
    // A relative path is relative to that directory.
    assert_eq!(
        output_of(
            Command::new(b"bin/env")
                .arg(b"-C/")
                .arg(b"pwd")
                .directory(b"/usr")
        )
        .0,
        "/\n"
    );
}

#[test]
fn a_child_has_its_descriptors_and_no_others() {
    let (reader, _writer) = fd::pipe().unwrap();
    // A descriptor that programs inherit unless it is closed for them.
    let leak = fd::duplicate_from(reader.as_raw_fd(), 20).unwrap();
    rustix::io::fcntl_setfd(&leak, rustix::io::FdFlags::empty()).unwrap();
    let list = || Command::new(b"/bin/ls").arg(b"/proc/self/fd");
    // `ls` itself opens one more to read the directory.
    assert_eq!(output_of(list()).0, "0\n1\n2\n3\n");
    assert_eq!(
        output_of(list().give(4, reader.as_fd())).0,
        "0\n1\n2\n3\n4\n"
    );
    assert_eq!(
        output_of(list().give(3, reader.as_fd()).give(5, reader.as_fd())).0,
        "0\n1\n2\n3\n4\n5\n"
    );
}

#[test]
fn a_process_with_high_descriptors_gives_what_others_give() {
    low::keep().unwrap();
    low::seen(1 << 20);
    a_child_has_its_descriptors_and_no_others();
    descriptors_can_be_given_crosswise();
    arguments_environment_and_directory_arrive();
    what_cannot_be_started_says_why();
    children_start_from_many_threads_at_once();
    // More descriptors than reserved numbers: the whole table is copied.
    let (reader, _writer) = fd::pipe().unwrap();
    let list = Command::new(b"/bin/ls").arg(b"/proc/self/fd");
    let list = (3..8).fold(list, |list, number| list.give(number, reader.as_fd()));
    assert_eq!(output_of(list).0, "0\n1\n2\n3\n4\n5\n6\n7\n8\n");
}

#[test]
fn descriptors_can_be_given_crosswise() {
    // The child's 3 and 4 are our 4 and 3: giving one must not overwrite the other.
    let (reader, writer) = fd::pipe().unwrap();
    let (second_reader, second_writer) = fd::pipe().unwrap();
    let (low, high) = (reader.as_raw_fd(), second_writer.as_raw_fd());
    // A shell takes only one digit after `<&`.
    let script = format!("cat </proc/self/fd/{high} >/proc/self/fd/{low}");
    let child = shell(&script)
        .give(low, second_writer.as_fd())
        .give(high, reader.as_fd())
        .spawn()
        .unwrap();
    drop((reader, second_writer));
    fd::write(writer.as_fd(), b"crossed").unwrap();
    drop(writer);
    let mut text = String::new();
    std::fs::File::from(second_reader)
        .read_to_string(&mut text)
        .unwrap();
    assert_eq!(text, "crossed");
    assert_eq!(child.wait(), Ok(Exit::Status(0)));
}

#[test]
fn signals_are_as_a_fresh_program_expects_them() {
    let (text, _) = crate::thread::spawn("blocking", 1 << 20, || {
        // This thread blocks signals, and the test runner ignores SIGPIPE.
        output_of(shell("grep -E '^Sig(Blk|Ign)' /proc/self/status"))
    })
    .unwrap()
    .join()
    .unwrap();
    assert_eq!(signal_sets(&text), [0, 0]);
    let ignoring = shell("grep -E '^Sig(Blk|Ign)' /proc/self/status").ignored(1 << 12 | 1 << 7);
    assert_eq!(signal_sets(&output_of(ignoring).0), [0, 0x1080]);
}

/// The hexadecimal number after a word at the beginning of a line.
fn signal_sets(text: &str) -> Vec<u64> {
    let set = |line: &str| u64::from_str_radix(line.split('\t').nth(1).unwrap(), 16).unwrap();
    text.lines().map(set).collect()
}

#[test]
fn processors_can_be_chosen() {
    let first = cpu::initial_affinity()[0];
    let chosen = [first];
    let child = Command::new(b"/usr/bin/nproc").processors(&chosen);
    assert_eq!(output_of(child).0, "1\n");
}

#[test]
fn a_start_does_not_wait_and_its_failure_is_found_at_the_end() {
    let child = Command::new(b"/no/such").start().unwrap();
    assert!(matches!(child.wait(), Ok(Exit::Status(_))));
    let error = child.failure().unwrap();
    assert_eq!((error.step, error.errno), (Step::Program, Errno::ENOENT));
    let child = shell("exit 127").start().unwrap();
    assert_eq!(child.wait(), Ok(Exit::Status(127)));
    assert_eq!(child.failure(), None);
}

#[test]
fn children_start_from_many_threads_at_once() {
    let threads: Vec<_> = (0..4)
        .map(|thread: i32| {
            std::thread::spawn(move || {
                for round in 0..50 {
                    let status = thread * 50 + round;
                    let script = format!("exit {status}");
                    let child = shell(&script).start().unwrap();
                    assert_eq!(child.wait(), Ok(Exit::Status(status)));
                }
            })
        })
        .collect();
    threads
        .into_iter()
        .for_each(|thread| thread.join().unwrap());
}

#[test]
fn a_session_of_its_own_when_asked() {
    let session = |command: Command<'_>| {
        let (text, _) = output_of(command);
        text.split(' ').nth(5).unwrap().to_owned()
    };
    let stat = || Command::new(b"/bin/cat").arg(b"/proc/self/stat");
    // SAFETY: takes and returns plain numbers.
    let ours = unsafe { libc::getsid(0) }.to_string();
    assert_eq!(session(stat()), ours);
    assert_ne!(session(stat().new_session()), ours);
}

#[test]
fn what_cannot_be_started_says_why() {
    let tree = crate::fixture::Tree::new(&[
        ("plain", "no program"),
        ("broken", "#!/no/such/interpreter\n"),
    ]);
    let inside = |name: &str| tree.path().join(name).into_os_string().into_encoded_bytes();
    let error = |command: Command<'_>| {
        let error = command.spawn().unwrap_err();
        (error.step, error.errno)
    };
    use std::os::unix::fs::PermissionsExt;
    for name in ["broken", "nobody"] {
        std::fs::write(tree.path().join(name), "#!/no/such/interpreter\n").unwrap();
        std::fs::set_permissions(
            tree.path().join(name),
            std::fs::Permissions::from_mode(0o755),
        )
        .unwrap();
    }
    assert_eq!(
        error(Command::new(b"/no/such")),
        (Step::Program, Errno::ENOENT)
    );
    assert_eq!(
        error(Command::new(&inside("plain"))),
        (Step::Program, Errno::EACCES)
    );
    assert_eq!(
        error(Command::new(&inside("broken"))),
        (Step::Program, Errno::ENOENT)
    );
    assert_eq!(error(Command::new(b"/")), (Step::Program, Errno::EACCES));
    assert_eq!(
        error(shell("").directory(b"/no/such")),
        (Step::Directory, Errno::ENOENT)
    );
    assert_eq!(
        error(shell("").directory(b"/bin/sh")),
        (Step::Directory, Errno::ENOTDIR)
    );
    assert_eq!(
        error(Command::new(b"/bin/a\0b")),
        (Step::Arguments, Errno::EINVAL)
    );
    assert_eq!(error(shell("a\0b")), (Step::Arguments, Errno::EINVAL));
    let (reader, _writer) = fd::pipe().unwrap();
    assert_eq!(
        error(shell("").give(-1, reader.as_fd())),
        (Step::Arguments, Errno::EINVAL)
    );
    assert_eq!(
        error(shell("").give(1000, reader.as_fd())),
        (Step::Arguments, Errno::EINVAL)
    );
    let long = vec![b'x'; 4 << 20];
    assert_eq!(
        error(Command::new(SHELL).arg(&long)),
        (Step::Program, Errno::E2BIG)
    );
}
