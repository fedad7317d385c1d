//! A differential program: an Erlang module with `main/0`, and what its opening comment declares.
//!
//! ```erlang
//! %% differs: why ferl's output is not stock's; the output is in NAME.expected beside the file
//! %% status: the exit status, if it is not 0
//! %% args: emulator flags for both machines
//! %% erlc: options for the compiler (+r24, +no_ssa_opt...)
//! %% timeout: seconds
//! %% needs: applications of OTP that may be missing; without them the program is left out, which is reported
//! %% releases: the releases of OTP that it is for, if it is not for all; on others it does not run
//! ```
//!
//! A folder beside `NAME.erl` that is called `NAME` holds modules that the program loads by itself;
//! they are compiled into folders of the same names next to its `.beam` file. So are native libraries, written in C:
//! the program then needs `erl_nif.h`.

use super::oracle::Answer;
use crate::project;
use anyhow::{Context, Result, bail};
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;
use watch::Invocation;

/// Long enough for a host that has little time for each of many programs: only a program that hangs takes so long.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(60);

/// What every program is started with, before the folders of its code.
pub(crate) const FLAGS: [&str; 5] = ["-noshell", "-kernel", "logger_level", "none", "-pa"];

pub(crate) struct Program {
    /// The path below `tests/programs`, without the ending.
    pub name: String,
    pub module: String,
    pub source: PathBuf,
    pub text: Vec<u8>,
    /// Modules it loads by itself, in the folder of the same name.
    pub companions: Vec<Companion>,
    pub arguments: Vec<String>,
    pub compiler_options: Vec<String>,
    pub timeout: Duration,
    /// Applications of OTP that may not be installed.
    pub needs: Vec<String>,
    /// The releases that it is for; none for all.
    pub releases: Vec<u8>,
    /// The exit status. It is declared so that a program that fails on stock too does not pass.
    pub status: i32,
    pub expected: Option<Answer>,
}

pub(crate) struct Companion {
    pub relative: PathBuf,
    pub source: PathBuf,
    pub text: Vec<u8>,
}

impl Companion {
    /// Whether it is a native library, in C.
    pub(crate) fn is_library(&self) -> bool {
        self.source.extension().is_some_and(|ending| ending == "c")
    }
}

/// All programs, in the order of their names.
pub(crate) fn discover(root: &Path) -> Result<Vec<Program>> {
    let mut programs = Vec::new();
    visit(root, root, &mut programs)?;
    programs.sort_by(|a, b| a.name.cmp(&b.name));
    let mut seen: HashMap<&str, &str> = HashMap::new();
    for program in &programs {
        if let Some(other) = seen.insert(&program.module, &program.name) {
            bail!("{} and {} are one module to Erlang", other, program.name);
        }
    }
    Ok(programs)
}

fn visit(folder: &Path, root: &Path, programs: &mut Vec<Program>) -> Result<()> {
    for path in project::entries(folder)? {
        if path.is_dir() {
            // A folder with a program of the same name beside it belongs to that program.
            if !path.with_extension("erl").is_file() {
                visit(&path, root, programs)?;
            }
        } else if path.extension().is_some_and(|ending| ending == "erl") {
            programs.push(Program::read(&path, root)?);
        }
    }
    Ok(())
}

impl Program {
    fn read(source: &Path, root: &Path) -> Result<Program> {
        let text = fs::read(source).with_context(|| source.display().to_string())?;
        let module = source
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let name = source
            .strip_prefix(root)?
            .with_extension("")
            .to_string_lossy()
            .into_owned();
        let mut program = Program {
            name,
            module,
            source: source.to_path_buf(),
            companions: Vec::new(),
            arguments: Vec::new(),
            compiler_options: Vec::new(),
            timeout: DEFAULT_TIMEOUT,
            needs: Vec::new(),
            releases: Vec::new(),
            status: 0,
            expected: None,
            text,
        };
        program
            .read_header()
            .with_context(|| source.display().to_string())?;
        let own_folder = source.with_extension("");
        if own_folder.is_dir() {
            collect_companions(&own_folder, &own_folder, &mut program.companions)?;
        }
        Ok(program)
    }

    fn read_header(&mut self) -> Result<()> {
        let text = String::from_utf8_lossy(&self.text).into_owned();
        let mut differs = false;
        for line in text.lines().take_while(|line| line.starts_with('%')) {
            let Some((key, value)) = line.trim_start_matches('%').trim().split_once(": ") else {
                continue;
            };
            let words = || value.split_ascii_whitespace().map(str::to_owned).collect();
            match key {
                "differs" => differs = true,
                "status" => self.status = value.trim().parse().context("status")?,
                "args" => self.arguments = words(),
                "erlc" => self.compiler_options = words(),
                "needs" => self.needs = words(),
                "releases" => {
                    let numbers = value.split_ascii_whitespace().map(str::parse);
                    self.releases = numbers.collect::<Result<_, _>>().context("releases")?;
                }
                "timeout" => {
                    self.timeout = Duration::from_secs(value.trim().parse().context("timeout")?)
                }
                // Comments may have a colon too.
                _ => {}
            }
        }
        if differs {
            let file = self.source.with_extension("expected");
            let stdout = fs::read(&file)
                .with_context(|| format!("it differs, so {} is needed", file.display()))?;
            self.expected = Some(Answer {
                stdout,
                status: self.status,
            });
        }
        Ok(())
    }

    /// Adds the command line of a run: compiled code in `folders`, no log, `main/0`, then `halt/0`.
    pub(crate) fn on(&self, invocation: Invocation, folders: &[&Path]) -> Invocation {
        self.main(self.flags(invocation, folders), &[])
    }

    /// Adds the flags of a machine that has the code in `folders`, and keeps no log.
    pub(crate) fn flags(&self, invocation: Invocation, folders: &[&Path]) -> Invocation {
        invocation.args(&self.arguments).args(FLAGS).args(folders)
    }

    /// Adds the call of `main`, with a list of these atoms if there are any, then `halt/0`.
    pub(crate) fn main(&self, invocation: Invocation, arguments: &[&str]) -> Invocation {
        invocation
            .args(["-s", &self.module, "main"])
            .args(arguments)
            .args(["-s", "erlang", "halt"])
    }
}

fn collect_companions(folder: &Path, own_folder: &Path, found: &mut Vec<Companion>) -> Result<()> {
    for path in project::entries(folder)? {
        if path.is_dir() {
            collect_companions(&path, own_folder, found)?;
        } else if path
            .extension()
            .is_some_and(|ending| ending == "erl" || ending == "c")
        {
            let text = fs::read(&path).with_context(|| path.display().to_string())?;
            let relative = path
                .parent()
                .unwrap_or(own_folder)
                .strip_prefix(own_folder)?
                .to_path_buf();
            found.push(Companion {
                relative,
                source: path,
                text,
            });
        }
    }
    Ok(())
}
