//! A node that ignores SIGHUP ends as stock's does when its terminal goes away: with the same final output. `script`
//! provides the terminal and is killed. Needs an installed OTP.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(60);

#[test]
fn a_node_that_ignores_the_hang_up_ends_without_its_terminal() {
    for arguments in ["", "-oldshell"] {
        let [stock, ferl] = ["erl", env!("CARGO_BIN_EXE_ferl")].map(|m| end(m, arguments));
        assert_eq!(stock, ferl, "with {arguments:?}");
    }
}

/// The output on standard error until the node has ended. The terminal must go away while the shell waits for a line: a
/// shell that cannot write its prompt any more loses its `user` process, and the node continues without both, on ferl
/// and on stock.
fn end(machine: &str, arguments: &str) -> String {
    let name = Path::new(machine).file_name().expect("a name");
    let directory = std::env::temp_dir().join(format!(
        "hang-up-{}{arguments}-{}",
        name.display(),
        std::process::id()
    ));
    fs::create_dir_all(&directory).unwrap();
    let line = format!(
        "exec {machine} {arguments} -eval 'os:set_signal(sighup, ignore), \
         file:write_file(\"pid.part\", os:getpid()), file:rename(\"pid.part\", \"pid\")' 2>errors"
    );
    let mut terminal = Command::new("script")
        .args(["-qec", &line, "/dev/null"])
        .current_dir(&directory)
        .stdin(Stdio::piped())
        .stdout(fs::File::create(directory.join("screen")).unwrap())
        .spawn()
        .expect("script lends a terminal");
    let pid = wait(|| fs::read_to_string(directory.join("pid")).ok());
    wait(|| {
        let screen = fs::read(directory.join("screen")).unwrap();
        screen.windows(3).any(|shown| shown == b"1> ").then_some(())
    });
    terminal.kill().unwrap();
    terminal.wait().unwrap();
    wait(|| has_ended(&pid).then_some(()));
    let errors = fs::read_to_string(directory.join("errors")).unwrap();
    fs::remove_dir_all(&directory).unwrap();
    errors
}

/// Whether the process no longer exists or is a zombie.
fn has_ended(pid: &str) -> bool {
    fs::read_to_string(format!("/proc/{pid}/stat")).map_or(true, |stat| {
        stat.rsplit(") ")
            .next()
            .is_some_and(|rest| rest.starts_with('Z'))
    })
}

fn wait<T>(mut look: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(start.elapsed() < PATIENCE, "waited too long");
        thread::sleep(Duration::from_millis(20));
    }
}
