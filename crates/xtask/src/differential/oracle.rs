//! Stock's side: the code of the programs, and what stock prints for each. Both are kept between runs.
//!
//! What is kept has a name with a hash of everything it was made from, so that a change of any of it is a new name and
//! no old answer is taken for a new one: the text of the program, which declares its flags, its exit status and the
//! compiler's options; the modules that come with it; the shared modules; the command line; and what [`surroundings`]
//! tells of stock and of the host. A result is moved to its place when it is complete, so that a half-written one is
//! never found, also when two runs meet. `--fresh` asks stock again.

use super::judge::Stage;
use super::program::{self, Program};
use crate::stock::Stock;
use crate::{compile, project};
use anyhow::{Context, Result, bail};
use std::collections::BTreeMap;
use std::env;
use std::ffi::OsString;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;
use watch::{End, Invocation};

/// Prints what distinguishes one stock from another: its build with the number of processors, its patch level, its
/// applications, and the system and the user it runs as.
const TELL: &str = r#"
    Release = filename:join([code:root_dir(), "releases", erlang:system_info(otp_release), "OTP_VERSION"]),
    io:format("~s~p~n~p~n~p~n~s~n", [erlang:system_info(system_version), file:read_file(Release),
                                     lists:sort(code:get_path()), {os:type(), os:version()}, os:cmd("id")]),
    halt()."#;

/// The variables of the environment, besides those that begin with `ERL`, on which an answer may depend.
const SEEN_BY_PROGRAMS: &[&str] = &["LANG", "LOGNAME", "PATH", "SHELL", "TERM", "TZ", "USER"];

pub(crate) struct Oracle<'a> {
    /// Code that all programs share (`tests/support`).
    pub support: PathBuf,
    pub stock: &'a Stock,
    kept: PathBuf,
    /// A hash of what all programs share: stock, the host, and the shared modules.
    version: String,
}

/// What a machine has to print, and its exit status.
#[derive(Clone)]
pub(crate) struct Answer {
    pub stdout: Vec<u8>,
    pub status: i32,
}

/// Stock hung, crashed or ended with another status than the program says.
#[derive(Debug)]
pub(crate) struct StockFailed(String);

impl std::fmt::Display for StockFailed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "stock itself: {}", self.0)
    }
}

impl std::error::Error for StockFailed {}

impl<'a> Oracle<'a> {
    /// An oracle that keeps what it knows of this stock in `kept`. `also` is what answers depend on that no program
    /// tells.
    pub(crate) fn new(stock: &'a Stock, kept: &Path, also: &[&str]) -> Result<Self> {
        let mut oracle = Oracle {
            support: PathBuf::new(),
            version: surroundings(&stock.erl)? + &also.concat(),
            stock,
            kept: kept.to_path_buf(),
        };
        oracle.compile_support(&project::root().join("tests/support"))?;
        Ok(oracle)
    }

    /// Compiles the shared modules. They belong to every program, so their text becomes part of the version.
    fn compile_support(&mut self, sources: &Path) -> Result<()> {
        let mut files: Vec<PathBuf> = Vec::new();
        for entry in fs::read_dir(sources).with_context(|| sources.display().to_string())? {
            files.push(entry?.path());
        }
        files.retain(|path| path.extension().is_some_and(|ending| ending == "erl"));
        files.sort();
        let mut hasher = DefaultHasher::new();
        self.version.hash(&mut hasher);
        for file in &files {
            fs::read(file)?.hash(&mut hasher);
        }
        self.version = format!("{:016x}", hasher.finish());
        self.support = self.kept.join("support").join(&self.version);
        if self.support.is_dir() {
            return Ok(());
        }
        let staging = self.staging();
        let said = self.stock.compiler.batch(&[], &files, &staging)?;
        if let Some(bad) = files
            .iter()
            .find(|file| !compile::beam_path(file, &staging).is_file())
        {
            bail!("{} does not compile:\n{said}", bad.display());
        }
        move_into_place(&staging, &self.support)
    }

    /// Compiles what was not compiled before. For each program, in order: the folder with its code,
    /// or what the compiler said.
    pub(crate) fn compile(&self, programs: &[Program]) -> Result<Vec<Result<PathBuf, String>>> {
        let mut wanted: BTreeMap<&[String], Vec<&Program>> = BTreeMap::new();
        for program in programs
            .iter()
            .filter(|program| !self.code_folder(program).is_dir())
        {
            wanted
                .entry(&program.compiler_options)
                .or_default()
                .push(program);
        }
        for (options, programs) in wanted {
            let sources: Vec<PathBuf> = programs
                .iter()
                .map(|program| program.source.clone())
                .collect();
            let staging = self.staging();
            self.stock.compiler.batch(options, &sources, &staging)?;
            for program in programs {
                self.keep_code(program, &staging)?;
            }
            fs::remove_dir_all(&staging)?;
        }
        programs
            .iter()
            .map(|program| {
                let folder = self.code_folder(program);
                Ok(if folder.is_dir() {
                    Ok(folder)
                } else {
                    Err(self.complaint(program)?)
                })
            })
            .collect()
    }

    /// What stock prints for this program on this stage, kept or (if `fresh`) asked again.
    pub(crate) fn ask(
        &self,
        program: &Program,
        folder: &Path,
        fresh: bool,
        stage: &dyn Stage,
    ) -> Result<Answer> {
        let mut name = self.hash(program);
        let place = stage.place();
        if !place.is_empty() {
            let mut hasher = DefaultHasher::new();
            place.hash(&mut hasher);
            name.push_str(&format!("-{:016x}", hasher.finish()));
        }
        let file = self.kept.join("answers").join(name);
        if !fresh && let Some(answer) = read_answer(&file)? {
            return Ok(answer);
        }
        let outcome = stage.expected(program, &[folder, &self.support])?;
        if outcome.end != End::Exited(program.status) {
            let said = format!("{}\n{}", outcome.end, outcome.last_words(10));
            return Err(StockFailed(said).into());
        }
        let answer = Answer {
            stdout: outcome.stdout,
            status: program.status,
        };
        write_answer(&file, &answer)?;
        Ok(answer)
    }

    /// Moves the code of a program that was just compiled, and of its companions, to the program's code folder.
    fn keep_code(&self, program: &Program, staging: &Path) -> Result<()> {
        let beam = compile::beam_path(&program.source, staging);
        if !beam.is_file() {
            // `erlc` stops at the first file that does not compile: try those behind it one by one.
            self.stock.compiler.batch(
                &program.compiler_options,
                std::slice::from_ref(&program.source),
                staging,
            )?;
            if !beam.is_file() {
                return Ok(());
            }
        }
        let assembled = self.staging();
        fs::create_dir_all(&assembled)?;
        fs::rename(&beam, compile::beam_path(&program.source, &assembled))?;
        for companion in &program.companions {
            let into = assembled.join(&companion.relative);
            if companion.is_library() {
                compile::library(&companion.source, &into)?;
                continue;
            }
            let said = self.stock.compiler.batch(
                &program.compiler_options,
                std::slice::from_ref(&companion.source),
                &into,
            )?;
            if !compile::beam_path(&companion.source, &into).is_file() {
                bail!("{} does not compile:\n{said}", companion.source.display());
            }
        }
        move_into_place(&assembled, &self.code_folder(program))
    }

    fn complaint(&self, program: &Program) -> Result<String> {
        let staging = self.staging();
        let said = self.stock.compiler.batch(
            &program.compiler_options,
            std::slice::from_ref(&program.source),
            &staging,
        )?;
        fs::remove_dir_all(&staging)?;
        Ok(said)
    }

    fn code_folder(&self, program: &Program) -> PathBuf {
        self.kept.join("code").join(self.hash(program))
    }

    fn staging(&self) -> PathBuf {
        use std::sync::atomic::{AtomicUsize, Ordering};
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let name = format!(
            "{}-{}",
            std::process::id(),
            COUNT.fetch_add(1, Ordering::Relaxed)
        );
        self.kept.join("staging").join(name)
    }

    fn hash(&self, program: &Program) -> String {
        let mut hasher = DefaultHasher::new();
        self.version.hash(&mut hasher);
        program::FLAGS.hash(&mut hasher);
        program.module.hash(&mut hasher);
        program.text.hash(&mut hasher);
        for companion in &program.companions {
            companion.relative.hash(&mut hasher);
            companion.source.file_name().hash(&mut hasher);
            companion.text.hash(&mut hasher);
        }
        format!("{}-{:016x}", program.module, hasher.finish())
    }
}

/// Moves a folder to its place, or deletes it if another run has put the same there.
fn move_into_place(made: &Path, place: &Path) -> Result<()> {
    fs::create_dir_all(place.parent().context("a kept folder has a parent")?)?;
    match fs::rename(made, place) {
        Err(_) if place.is_dir() => Ok(fs::remove_dir_all(made)?),
        other => other.with_context(|| place.display().to_string()),
    }
}

/// What answers may depend on apart from programs: the release, build and applications of stock, and the host with its
/// limits and the environment that a program is given.
fn surroundings(erl: &Path) -> Result<String> {
    let outcome = Invocation::new(erl, &env::temp_dir())
        .args(["-noshell", "-eval", TELL])
        .timeout(Duration::from_secs(60))
        .run()?;
    if !outcome.end.is_success() {
        bail!(
            "{} does not start: {}\n{}",
            erl.display(),
            outcome.end,
            outcome.last_words(10)
        );
    }
    let mut text = String::from_utf8_lossy(&outcome.stdout).into_owned();
    for file in ["/proc/self/limits", "/proc/sys/kernel/hostname"] {
        text.push_str(&fs::read_to_string(file).unwrap_or_default());
    }
    let mut variables: Vec<(OsString, OsString)> = env::vars_os().collect();
    variables.sort();
    for (name, value) in variables {
        let name = name.to_string_lossy();
        if SEEN_BY_PROGRAMS.contains(&name.as_ref()) || name.starts_with("ERL") {
            text.push_str(&format!("{name}={}\n", value.display()));
        }
    }
    Ok(text)
}

/// An answer is kept as its exit status on a line, then the output.
fn read_answer(file: &Path) -> Result<Option<Answer>> {
    let bytes = match fs::read(file) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error).with_context(|| file.display().to_string()),
    };
    let end = bytes
        .iter()
        .position(|&byte| byte == b'\n')
        .context("a kept answer has no status line")?;
    let status = std::str::from_utf8(&bytes[..end])?.parse()?;
    Ok(Some(Answer {
        stdout: bytes[end + 1..].to_vec(),
        status,
    }))
}

fn write_answer(file: &Path, answer: &Answer) -> Result<()> {
    fs::create_dir_all(file.parent().context("a kept file has a folder")?)?;
    let mut bytes = format!("{}\n", answer.status).into_bytes();
    bytes.extend_from_slice(&answer.stdout);
    let partial = file.with_extension(format!("{}.partial", std::process::id()));
    fs::write(&partial, bytes)?;
    Ok(fs::rename(&partial, file)?)
}
