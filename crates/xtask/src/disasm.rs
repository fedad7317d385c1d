//! `cargo xtask disasm Module Function Arity`: the machine code that ferl makes of a function.
//!
//! With `+JPperf dump` ferl writes its code to a file for perf. The records of that file are searched for the function,
//! and `objdump` disassembles its bytes. ferl finds the module by its code path, or in a folder given with `--pa`.

use crate::project;
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::PathBuf;
use std::process::{Command, ExitCode};
use std::time::Duration;
use watch::Invocation;

#[derive(clap::Args)]
pub(crate) struct DisasmOptions {
    /// The machine [default: target/release/ferl].
    #[arg(long, value_name = "PATH")]
    ferl: Option<PathBuf>,
    /// A folder with more modules.
    #[arg(long, value_name = "FOLDER")]
    pa: Option<PathBuf>,
    module: String,
    function: String,
    arity: u8,
}

/// A function's machine code, and the address it was at.
struct Found {
    address: u64,
    code: Vec<u8>,
}

pub(crate) fn run(options: &DisasmOptions) -> Result<ExitCode> {
    let ferl = project::ferl(options.ferl.as_deref())?;
    let folder = std::env::temp_dir();
    // Quoted, so that any name is an atom and nothing else of it is evaluated.
    let module = options.module.replace(['\\', '\''], "");
    let expression = format!(
        "{{module, _}} = code:ensure_loaded('{module}'), io:put_chars(os:getpid()), halt()"
    );
    let mut invocation = Invocation::new(&ferl, &folder)
        .timeout(Duration::from_secs(30))
        .args(["+JPperf", "dump", "-noshell"]);
    if let Some(more) = &options.pa {
        let more = fs::canonicalize(more).with_context(|| more.display().to_string())?;
        invocation = invocation.arg("-pa").arg(more);
    }
    let outcome = invocation.arg("-eval").arg(expression).run()?;
    if !outcome.end.is_success() {
        bail!("ferl: {}\n{}", outcome.end, outcome.last_words(5));
    }
    let process = String::from_utf8_lossy(&outcome.stdout);
    let dump = PathBuf::from(format!("/tmp/jit-{}.dump", process.trim()));
    let bytes = fs::read(&dump).with_context(|| dump.display().to_string())?;
    let _ = fs::remove_file(&dump);
    let quoted = format!(
        "{}:'{}'/{}",
        options.module, options.function, options.arity
    );
    let plain = quoted.replace('\'', "");
    let found = find(&bytes, &plain).or_else(|| find(&bytes, &quoted));
    let Some(Found { address, code }) = found else {
        bail!("there is no machine code of {plain}");
    };
    let raw = folder.join(format!("xtask-disasm-{}", std::process::id()));
    fs::write(&raw, &code)?;
    let text = Command::new("objdump")
        .args(["-D", "-bbinary", "-mi386:x86-64", "--no-show-raw-insn"])
        .arg(format!("--adjust-vma={address:#x}"))
        .arg(&raw)
        .output()
        .context("objdump (of binutils)");
    let _ = fs::remove_file(&raw);
    let text = text?;
    println!("{plain}: {} bytes at {address:#x}", code.len());
    for line in String::from_utf8_lossy(&text.stdout).lines().skip(7) {
        println!("{line}");
    }
    Ok(ExitCode::SUCCESS)
}

/// Sizes of the file's header, of what every record begins with, and of the fixed part of a record of code (number 0).
const HEADER_BYTES: usize = 40;
const PREFIX_BYTES: usize = 16;
const RECORD_BYTES: usize = 56;

/// The last record with a name, which is the newest version of the function.
fn find(dump: &[u8], name: &str) -> Option<Found> {
    let mut rest = dump.get(HEADER_BYTES..)?;
    let mut found = None;
    while let Some(prefix) = rest.get(..PREFIX_BYTES) {
        let half = |at: usize| u32::from_le_bytes(prefix[at..at + 4].try_into().expect("four"));
        let (kind, total) = (half(0), half(4) as usize);
        let record = rest.get(..total.max(PREFIX_BYTES))?;
        rest = &rest[record.len()..];
        if kind != 0 {
            continue;
        }
        let (fixed, body) = record.split_at_checked(RECORD_BYTES)?;
        let word =
            |at: usize| u64::from_le_bytes(fixed[at..at + 8].try_into().expect("eight bytes"));
        let (address, length) = (word(32), word(40) as usize);
        let (text, code) = body.split_at_checked(body.len().checked_sub(length)?)?;
        if text.strip_suffix(&[0]) == Some(name.as_bytes()) {
            found = Some(Found {
                address,
                code: code.to_vec(),
            });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::find;

    #[test]
    fn the_newest_record_of_a_name_is_found() {
        let mut dump = vec![0; 40];
        for (name, address, code) in [
            ("$a:f/1", 16u64, [1u8, 2]),
            ("$a:g/1", 32, [3, 4]),
            ("$a:f/1", 48, [5, 6]),
        ] {
            let total = 56 + name.len() + 1 + code.len();
            dump.extend(0u32.to_le_bytes());
            dump.extend((total as u32).to_le_bytes());
            dump.extend([0; 16]);
            for word in [address, address, code.len() as u64, 0] {
                dump.extend(word.to_le_bytes());
            }
            dump.extend(name.as_bytes());
            dump.push(0);
            dump.extend(code);
            // A record of another kind.
            dump.extend(2u32.to_le_bytes());
            dump.extend(24u32.to_le_bytes());
            dump.extend([0; 16]);
        }
        let found = find(&dump, "$a:f/1").unwrap();
        assert_eq!((found.address, found.code), (48, vec![5, 6]));
        assert!(find(&dump, "$a:h/1").is_none());
        assert!(find(&dump[..100], "$a:g/1").is_none());
    }
}
