//! `cargo xtask tails`: whether the bodies of all operations end in jumps.
//!
//! Operations follow each other by calls in tail position. An optimizer makes these jumps, unless something on the
//! stack may still be referred to; then each such operation keeps a frame until the end of the slice, and a program
//! that runs it often enough ends the node by a stack overflow. Only the optimized program shows that, so its code is
//! read.

use crate::project;
use anyhow::{Context, Result, ensure};
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};

#[derive(clap::Args)]
pub(crate) struct TailsOptions {
    /// The machine, optimized [default: target/release/ferl].
    #[arg(long, value_name = "PATH")]
    ferl: Option<PathBuf>,
}

/// A machine that is not optimized, or has no names, has fewer bodies than this.
const LEAST_BODIES: usize = 500;

pub(crate) fn run(options: &TailsOptions) -> Result<ExitCode> {
    let ferl = project::ferl(options.ferl.as_deref())?;
    let mut objdump = Command::new("objdump")
        .args(["--disassemble", "--demangle", "--no-show-raw-insn"])
        .args(["--section", ".text"])
        .arg(&ferl)
        .stdout(Stdio::piped())
        .spawn()
        .context("objdump is missing: install Debian's binutils")?;
    let output = objdump.stdout.take().context("its output is a pipe")?;
    let mut reading = Reading::default();
    for line in BufReader::new(output).lines() {
        reading.line(&line.context("reading the disassembly")?);
    }
    ensure!(objdump.wait()?.success(), "objdump has failed");
    ensure!(
        reading.bodies > LEAST_BODIES,
        "{} has the names of {} bodies of operations: build it with --release",
        ferl.display(),
        reading.bodies
    );
    for name in &reading.found {
        println!("{name} ends in a call: the next operation runs above its frame");
    }
    let found = reading.found.len();
    println!("{} passed, {found} failed", reading.bodies - found);
    Ok(match found {
        0 => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    })
}

/// What was read of a disassembly.
#[derive(Default)]
struct Reading {
    bodies: usize,
    found: BTreeSet<String>,
    /// The body that is being read.
    body: Option<String>,
    /// Whether nothing but leaving the frame has come since an indirect call.
    is_behind_call: bool,
}

impl Reading {
    fn line(&mut self, line: &str) {
        if let Some(name) = name_of(line) {
            self.is_behind_call = false;
            self.body = is_body(name).then(|| name.to_string());
            self.bodies += usize::from(self.body.is_some());
            return;
        }
        let (Some(body), Some((_, instruction))) = (&self.body, line.split_once('\t')) else {
            return;
        };
        let instruction = instruction.trim();
        if self.is_behind_call && instruction.starts_with("ret") {
            self.found.insert(body.clone());
        }
        let is_call = instruction.starts_with("call") && instruction.contains('*');
        self.is_behind_call = is_call || self.is_behind_call && leaves_frame(instruction);
    }
}

/// The name of the function that begins at this line: `0000000000401000 <name>:`.
fn name_of(line: &str) -> Option<&str> {
    let (address, name) = line.strip_suffix(">:")?.split_once(" <")?;
    let is_address = address.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_address.then_some(name)
}

fn is_body(name: &str) -> bool {
    ["engine::slow::", "engine::bodies::"]
        .iter()
        .any(|part| name.contains(part))
}

/// Whether an instruction only gives a frame back.
fn leaves_frame(instruction: &str) -> bool {
    let changes_stack = ["add", "lea", "mov"]
        .iter()
        .any(|name| instruction.starts_with(name))
        && instruction.ends_with("%rsp");
    changes_stack
        || ["pop", "leave", "vzeroupper"]
            .iter()
            .any(|name| instruction.starts_with(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        let mut reading = Reading::default();
        text.lines().for_each(|line| reading.line(line));
        reading.found.into_iter().collect()
    }

    #[test]
    fn a_body_that_ends_in_a_call_is_found() {
        let text = "000000000061be20 <engine::slow::build::a>:\n  61bff1:\tcall   *0x20(%r10)\n  \
                    61bff5:\tadd    $0x8,%rsp\n  61bff9:\tpop    %rbx\n  61bfff:\tret\n\
                    000000000061c000 <engine::slow::build::b>:\n  61c000:\tcall   *0x20(%r10)\n  \
                    61c005:\tmov    %rax,%rbx\n  61c006:\tpop    %rbx\n  61c007:\tjmp    *%rax\n  61c008:\tret\n\
                    000000000061d000 <term::build::c>:\n  61d000:\tcall   *%rax\n  61d005:\tret\n";
        assert_eq!(found(text), ["engine::slow::build::a"]);
    }
}
