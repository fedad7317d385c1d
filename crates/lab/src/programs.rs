//! The programs of the experiments. Their sources are embedded in this executable, and compiled once into a folder of
//! the user's cache, so that every command line that the lab shows can be repeated by hand. What is written in Elixir
//! or C is put there as sources: whoever has no compiler for it can still run all others. `elixir_forms.erl` and
//! `natives.erl` compile it.
//!
//! Invariant: a folder with its final name holds every program, because it is filled under a temporary name and then
//! renamed.

use anyhow::{Context, Result, bail};
use include_dir::{Dir, File, include_dir};
use std::ffi::OsStr;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::time::Duration;
use watch::Invocation;

use crate::cache;
use crate::installed::find_program;
use crate::vms::Vm;

static FILES: Dir = include_dir!("$CARGO_MANIFEST_DIR/../../experiments");

/// The time limit for compiling all programs, which takes seconds even on a busy host.
const COMPILE_TIMEOUT: Duration = Duration::from_secs(120);

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    Erlang,
    Elixir,
    /// A native library.
    C,
}

impl Language {
    fn of_file(extension: &OsStr) -> Option<Language> {
        [Language::Erlang, Language::Elixir, Language::C]
            .into_iter()
            .find(|language| extension == language.extension())
    }

    fn extension(self) -> &'static str {
        match self {
            Language::Erlang => "erl",
            Language::Elixir => "ex",
            Language::C => "c",
        }
    }
}

/// One program.
#[derive(Clone, Copy)]
pub(crate) struct Source {
    /// The name of the module, or of the file if it is not written in Erlang.
    pub module: &'static str,
    pub language: Language,
    /// The first line of its opening comment.
    pub about: &'static str,
    text: &'static str,
}

/// All programs, sorted by name.
pub(crate) fn sources() -> impl Iterator<Item = Source> {
    let mut files: Vec<&'static File<'static>> = FILES.files().collect();
    files.extend(FILES.dirs().flat_map(Dir::files));
    files.sort_by_key(|file| file.path().file_name());
    files.into_iter().filter_map(|file| {
        let path = file.path();
        let language = Language::of_file(path.extension()?)?;
        let text = file.contents_utf8()?;
        Some(Source {
            module: path.file_stem()?.to_str()?,
            language,
            about: opening(text),
            text,
        })
    })
}

/// The first line of the opening comment.
fn opening(text: &str) -> &str {
    let line = text.lines().next().unwrap_or_default();
    let line = line.trim_start_matches(['%', '#', '/', '*', ' ']);
    line.trim_end_matches(['/', '*', ' '])
}

/// A folder with every program compiled.
pub(crate) struct Programs {
    pub folder: PathBuf,
    /// Removes the folder when dropped, if there was no cache to keep it in.
    _temporary: Option<tempfile::TempDir>,
}

impl Programs {
    /// Takes the programs from the cache, or compiles them with the compiler of the OTP that the VM boots.
    pub(crate) fn compiled(vm: &Vm) -> Result<Programs> {
        let (parent, temporary) = match cache::folder() {
            Some(cache) => (cache, None),
            None => {
                let temporary =
                    tempfile::tempdir().context("there is no folder for the compiled programs")?;
                (temporary.path().to_path_buf(), Some(temporary))
            }
        };
        let folder = parent.join(format!(
            "programs-{}-{:016x}",
            vm.info.release,
            fingerprint()
        ));
        if !is_complete(&folder) {
            let staging = tempfile::Builder::new()
                .prefix("compiling-")
                .tempdir_in(&parent)
                .with_context(|| parent.display().to_string())?;
            compile(vm, staging.path())?;
            // The rename fails if another lab has created the folder in the meantime; then that one is used.
            let staged = staging.keep();
            if fs::rename(&staged, &folder).is_err() {
                let _ = fs::remove_dir_all(&staged);
            }
        }
        if !is_complete(&folder) {
            bail!(
                "{} does not contain the compiled programs",
                folder.display()
            );
        }
        Ok(Programs {
            folder,
            _temporary: temporary,
        })
    }
}

fn fingerprint() -> u64 {
    let mut hasher = DefaultHasher::new();
    for source in sources() {
        source.module.hash(&mut hasher);
        source.text.hash(&mut hasher);
    }
    hasher.finish()
}

fn is_complete(folder: &Path) -> bool {
    missing(folder).is_none()
}

impl Source {
    /// The name of the file that the folder holds once it is complete.
    fn product(&self) -> String {
        match self.language {
            Language::Erlang => format!("{}.beam", self.module),
            Language::Elixir | Language::C => self.file_name(),
        }
    }

    fn file_name(&self) -> String {
        format!("{}.{}", self.module, self.language.extension())
    }
}

fn compile(vm: &Vm, folder: &Path) -> Result<()> {
    let mut names = Vec::new();
    for source in sources() {
        let name = source.file_name();
        fs::write(folder.join(&name), source.text).with_context(|| folder.display().to_string())?;
        if source.language == Language::Erlang {
            names.push(name);
        }
    }
    let mut tried = Vec::new();
    for compiler in compilers(vm, &names, folder) {
        let name = compiler.program.display().to_string();
        match compiler.timeout(COMPILE_TIMEOUT).run() {
            Ok(outcome) if outcome.end.is_success() => match missing(folder) {
                None => return Ok(()),
                Some(file) => tried.push(format!("{name} did not write {file}")),
            },
            Ok(outcome) => tried.push(format!(
                "{name}: {}: {}",
                outcome.end,
                outcome.last_words(3)
            )),
            Err(error) => tried.push(format!("{error:#}")),
        }
    }
    bail!(
        "the programs of the experiments cannot be compiled: {}",
        tried.join("; ")
    )
}

fn missing(folder: &Path) -> Option<String> {
    sources()
        .map(|source| source.product())
        .find(|product| !folder.join(product).is_file())
}

/// Ways to compile, in the order in which they are tried.
fn compilers(vm: &Vm, names: &[String], folder: &Path) -> Vec<Invocation> {
    let erlc = |path: PathBuf| Invocation::new(&path, folder).args(names);
    let mut ways: Vec<Invocation> = find_program(&vm.root.join("bin/erlc").to_string_lossy())
        .map(erlc)
        .into_iter()
        .collect();
    let each = "lists:foreach(fun(F) -> {ok, _} = compile:file(F) end, init:get_plain_arguments()), halt().";
    ways.push(
        vm.invocation(&vm.path, folder)
            .args(["-noshell", "-eval", each, "-extra"])
            .args(names),
    );
    ways.extend(find_program("erlc").map(erlc));
    ways
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_embedded_and_described() {
        let modules: Vec<&str> = sources().map(|source| source.module).collect();
        for module in [
            "timed",
            "create_process",
            "compute",
            "compute_fib",
            "elixir_processes",
        ] {
            assert!(modules.contains(&module), "{module}");
        }
        for source in sources() {
            assert!(!source.about.is_empty(), "{} says nothing", source.module);
            let declares = match source.language {
                Language::Erlang => "-module(",
                Language::Elixir => "defmodule ",
                Language::C => "ERL_NIF_INIT(",
            };
            assert!(source.text.contains(declares), "{}", source.module);
        }
    }
}
