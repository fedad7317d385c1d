//! A packed release in the background: OTP's `run_erl` gives it a terminal, writes what it prints to files, and keeps
//! two pipes by which `to_erl` reaches it.

use std::fs::{self, DirBuilder};
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;

use super::carried::Carried;
use crate::refusal::Refusal;
use crate::words::{Word, os};

/// The command with which a packed program starts a node with exactly these words.
pub(super) const EXACT: &[u8] = b"exact-erl";

/// Starts the node with these words in the background, in place of this program. Returns only if that fails.
pub(super) fn run(carried: &mut Carried, pipes: &Path, log: &Path, words: &[Word]) -> Refusal {
    // `run_erl` itself starts what it is told by the shell.
    if !Path::new("/bin/sh").exists() {
        return Refusal::plain(
            "ferl: there is no /bin/sh, by which run_erl starts a node in the background: use start",
        );
    }
    let in_vain = |what: &str, folder: &Path, error: io::Error| {
        let variable = match (carried.is_mix(), folder == pipes) {
            (true, _) => "RELEASE_TMP",
            (false, true) => "PIPE_DIR",
            (false, false) => "RUNNER_LOG_DIR",
        };
        Refusal::plain(format!(
            "ferl: cannot {what} {}: {error}. Make room, or name another folder by {variable}.",
            folder.display()
        ))
    };
    for folder in [pipes, log] {
        if let Err(error) = make(folder) {
            return in_vain("make", folder, error);
        }
    }
    // `run_erl` ends without a word, long after this program, when it cannot write its log.
    if let Err(error) = write_some(log) {
        return in_vain("write to", log, error);
    }
    let mut command = quoted(carried.program.as_os_str().as_bytes());
    for word in [EXACT].into_iter().chain(words.iter().map(Vec::as_slice)) {
        command.push(b' ');
        command.extend(quoted(word));
    }
    match carried.program("run_erl") {
        Ok(mut program) => {
            program.arg("-daemon");
            for folder in [pipes, log] {
                program.arg(folder.join(""));
            }
            program.arg(os(&[b"exec ", &command[..]].concat()));
            Carried::execute(program, "run_erl")
        }
        Err(refusal) => refusal,
    }
}

/// Talks to a node in the background, in place of this program. Returns only if that fails.
pub(super) fn attach(carried: &Carried, pipes: &Path) -> Refusal {
    match carried.program("to_erl") {
        Ok(mut program) => {
            program.arg(pipes.join(""));
            Carried::execute(program, "to_erl")
        }
        Err(refusal) => refusal,
    }
}

fn make(folder: &Path) -> io::Result<()> {
    match fs::metadata(folder) {
        Ok(found) if found.is_dir() => Ok(()),
        _ => DirBuilder::new().recursive(true).mode(0o700).create(folder),
    }
}

/// Writes as much as a log begins with into a file without a name, of which nothing stays.
fn write_some(folder: &Path) -> io::Result<()> {
    tempfile::tempfile_in(folder)?.write_all(&[0; 4096])
}

/// A word as the shell reads it back.
fn quoted(word: &[u8]) -> Vec<u8> {
    let mut text = vec![b'\''];
    for &byte in word {
        match byte {
            b'\'' => text.extend_from_slice(b"'\\''"),
            _ => text.push(byte),
        }
    }
    text.push(b'\'');
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn the_shell_reads_back_what_was_quoted() {
        let word = b"it's $HOME \"and\" `that`\nand \\ more\xff";
        let text = [b"printf %s ", &quoted(word)[..]].concat();
        let output = Command::new("/bin/sh").arg("-c").arg(os(&text)).output();
        assert_eq!(output.unwrap().stdout, word);
    }
}
