//! A node that ignores SIGHUP ends as stock's does when its terminal goes away: with the same final output. `script`
//! provides the terminal and is killed. Needs OTP 25.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(60);

#[test]
fn a_node_that_ignores_the_hang_up_ends_without_its_terminal() {
    for arguments in ["", "-oldshell"] {
        let machines = [&stock::otp().erl, Path::new(env!("CARGO_BIN_EXE_ferl"))];
        let [stock, ferl] = machines.map(|machine| end(machine, arguments));
        assert_eq!(stock, ferl, "with {arguments:?}");
    }
}

/// The output on standard error until the node has ended. The terminal must go away while the shell waits for a line: a
/// shell that cannot write its prompt any more loses its `user` process, and the node continues without both, on ferl
/// and on stock.
fn end(machine: &Path, arguments: &str) -> String {
    let name = machine.file_name().expect("a name");
    let directory = std::env::temp_dir().join(format!(
        "hang-up-{}{arguments}-{}",
        name.display(),
        std::process::id()
    ));
    fs::create_dir_all(&directory).unwrap();
    let line = format!(
        "exec {} {arguments} -eval 'os:set_signal(sighup, ignore), \
         file:write_file(\"pid.part\", os:getpid()), file:rename(\"pid.part\", \"pid\")' 2>errors",
        machine.display()
    );
    let terminal = Command::new("script")
        .args(["-qec", &line, "/dev/null"])
        .current_dir(&directory)
        .envs(stock::otp().environment())
        .stdin(Stdio::piped())
        .stdout(fs::File::create(directory.join("screen")).unwrap())
        .spawn()
        .expect("script lends a terminal");
    let mut terminal = Terminal {
        script: terminal,
        directory: directory.clone(),
    };
    let pid = wait(|| terminal.pid());
    wait(|| {
        let screen = fs::read(directory.join("screen")).unwrap();
        screen.windows(3).any(|shown| shown == b"1> ").then_some(())
    });
    terminal.go_away();
    wait(|| has_ended(&pid).then_some(()));
    fs::read_to_string(directory.join("errors")).unwrap()
}

/// A node in its terminal, and the folder of both. When it is dropped nothing of them is left, also where the node
/// would have lived on.
struct Terminal {
    script: Child,
    directory: PathBuf,
}

impl Terminal {
    /// That of the node, once it has begun.
    fn pid(&self) -> Option<String> {
        fs::read_to_string(self.directory.join("pid")).ok()
    }

    fn go_away(&mut self) {
        let _ = self.script.kill();
        let _ = self.script.wait();
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        self.go_away();
        if let Some(pid) = self.pid().filter(|pid| !has_ended(pid)) {
            let _ = Command::new("kill").args(["-KILL", &pid]).status();
        }
        let _ = fs::remove_dir_all(&self.directory);
    }
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
