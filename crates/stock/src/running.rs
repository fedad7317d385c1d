//! A program that a test has written or started.

use std::fs::{self, Permissions};
use std::io::{BufRead, BufReader};
use std::ops::{Deref, DerefMut};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

/// Writes a program, which may be started at once. Another process writes it: this one's open file would for a moment
/// be open in each child that other tests start meanwhile, and the system starts nothing that is open for writing.
#[track_caller]
pub fn write_program(path: &Path, contents: impl AsRef<[u8]>) {
    let written = path.with_added_extension("written");
    let whole = fs::write(&written, contents)
        .and_then(|()| fs::set_permissions(&written, Permissions::from_mode(0o755)))
        .and_then(|()| {
            let copy = ["--preserve=mode", "--remove-destination"];
            Command::new("cp")
                .args(copy)
                .args([&*written, path])
                .status()
        });
    assert!(
        whole.as_ref().is_ok_and(|status| status.success()),
        "{path:?} is not written: {whole:?}"
    );
    let _ = fs::remove_file(written);
}

/// A program that ends with this, however the test ends.
pub struct Running {
    child: Child,
}

impl Running {
    /// Starts a program.
    #[track_caller]
    pub fn start(command: &mut Command) -> Running {
        let child = command.spawn();
        let child = child.unwrap_or_else(|error| panic!("{command:?} does not start: {error}"));
        Running { child }
    }
}

impl Deref for Running {
    type Target = Child;

    fn deref(&self) -> &Child {
        &self.child
    }
}

impl DerefMut for Running {
    fn deref_mut(&mut self) -> &mut Child {
        &mut self.child
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A program whose standard output is read line by line.
pub struct Talking {
    pub program: Running,
    lines: BufReader<ChildStdout>,
}

impl Talking {
    /// Starts a program.
    #[track_caller]
    pub fn start(command: &mut Command) -> Talking {
        let mut program = Running::start(command.stdout(Stdio::piped()));
        let output = program.stdout.take().expect("a pipe");
        let lines = BufReader::new(output);
        Talking { program, lines }
    }

    /// Waits for its next line, and returns this without its end; an empty one if there is none.
    #[track_caller]
    pub fn line(&mut self) -> String {
        let mut line = String::new();
        let read = self.lines.read_line(&mut line);
        assert!(read.is_ok(), "{read:?}");
        line.trim_end().to_owned()
    }
}
