//! The Makefile's first steps on a machine that lacks something, which programs of the same names stand for.
#![forbid(unsafe_code)]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

/// A folder with the only programs that there are, each of which notes how it was called.
struct Machine(TempDir);

impl Machine {
    fn with(programs: &[&str]) -> Machine {
        let machine = Machine(tempfile::tempdir().unwrap());
        fs::create_dir(machine.bin()).unwrap();
        symlink("/usr/bin/env", machine.bin().join("env")).unwrap();
        for name in programs {
            machine.has(name, "exit 0");
        }
        machine.has("id", "echo 0");
        machine
    }

    fn bin(&self) -> PathBuf {
        self.0.path().join("bin")
    }

    fn has(&self, name: &str, body: &str) {
        let path = self.bin().join(name);
        let notes = self.notes();
        let note = format!("echo \"{name} $*\" >>'{}'", notes.display());
        stock::write_program(&path, format!("#!/bin/sh\n{note}\n{body}\n"));
    }

    fn notes(&self) -> PathBuf {
        self.0.path().join("notes")
    }

    /// Runs a target; what was called, in a line each, and what was said.
    fn make(&self, target: &str) -> (Vec<String>, Output) {
        let _ = fs::remove_file(self.notes());
        let makefile = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../Makefile");
        let output = Command::new("/usr/bin/make")
            .arg("-C")
            .arg(self.0.path())
            .arg("-f")
            .arg(makefile.canonicalize().unwrap())
            .arg(target)
            .env_clear()
            .env("PATH", self.bin())
            .output()
            .expect("make starts");
        let notes = fs::read_to_string(self.notes()).unwrap_or_default();
        (notes.lines().map(str::to_owned).collect(), output)
    }
}

fn said(output: &Output) -> String {
    let text = [&*output.stdout, &*output.stderr].concat();
    String::from_utf8_lossy(&text).into_owned()
}

const WHOLE: &[&str] = &["cargo", "cc", "erl", "erlc"];

#[test]
fn the_first_build_shows_what_it_does_and_others_are_silent() {
    let machine = Machine::with(WHOLE);
    let built = |is_first: bool| {
        let (called, output) = machine.make("build");
        assert!(output.status.success(), "{}", said(&output));
        let quiet = if is_first { "" } else { "--quiet " };
        assert_eq!(
            called,
            [format!("cargo build {quiet}--release --package cli")]
        );
    };
    built(true);
    fs::create_dir_all(machine.0.path().join("target/release")).unwrap();
    fs::write(machine.0.path().join("target/release/ferl"), "").unwrap();
    built(false);
}

#[test]
fn rust_comes_with_the_system_s_rustup() {
    let machine = Machine::with(&["cc", "erl", "erlc", "apt-get", "apt-cache"]);
    let (called, output) = machine.make("rust");
    assert!(output.status.success(), "{}", said(&output));
    let installs = |line: &String| line.starts_with("apt-get install") && line.ends_with(" rustup");
    assert!(called.iter().any(installs), "{called:?}");
    assert!(said(&output).contains("installing rustup"));
    // Nothing is installed where Rust is there.
    let (called, _) = Machine::with(&["cargo", "apt-get"]).make("rust");
    assert!(called.is_empty(), "{called:?}");
}

#[test]
fn who_has_no_rustup_is_told_to_install_rust() {
    let without = Machine::with(&["cc", "apt-get"]);
    without.has("apt-cache", "exit 100");
    for machine in [&without, &Machine::with(&["cc"])] {
        let (called, output) = machine.make("rust");
        assert!(!output.status.success());
        assert!(
            said(&output).contains("install Rust 1.95 or later"),
            "{}",
            said(&output)
        );
        let installs = |line: &String| line.contains("install");
        assert!(!called.iter().any(installs), "{called:?}");
    }
}
