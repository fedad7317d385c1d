//! Erlang sources to `.beam` files, through stock `erlc`, and C sources to shared objects: the same files then run on
//! both machines.

use crate::{project, stock};
use ::stock::Otp;
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Stock's compiler.
pub(crate) struct Compiler(Otp);

impl Compiler {
    /// That of the release that is meant where none is named.
    pub(crate) fn usual() -> Result<Compiler> {
        Ok(Compiler(::stock::usual()?.clone()))
    }

    pub(crate) fn of(otp: Otp) -> Compiler {
        Compiler(otp)
    }

    /// Compiles all sources with one call, because starting `erlc` costs more than compiling a small file. Returns what
    /// `erlc` said; a file has compiled if its `.beam` file is there.
    pub(crate) fn batch(
        &self,
        options: &[String],
        sources: &[PathBuf],
        into: &Path,
    ) -> Result<String> {
        std::fs::create_dir_all(into).with_context(|| into.display().to_string())?;
        let output = self
            .0
            .erlc()
            .args(options)
            .arg("-o")
            .arg(into)
            .args(sources)
            .output()
            .with_context(|| format!("cannot run erlc of OTP {}", self.0.release))?;
        let mut said = String::from_utf8_lossy(&output.stdout).into_owned();
        said.push_str(&String::from_utf8_lossy(&output.stderr));
        Ok(said)
    }
}

/// Compiles a native library with stock's headers, to `NAME.so`. Words behind `/* cc: ` in its first line are options.
pub(crate) fn library(source: &Path, into: &Path) -> Result<()> {
    std::fs::create_dir_all(into).with_context(|| into.display().to_string())?;
    let text = std::fs::read_to_string(source).with_context(|| source.display().to_string())?;
    let first = text.lines().next().unwrap_or_default();
    let options = first
        .strip_prefix("/* cc: ")
        .and_then(|rest| rest.strip_suffix(" */"))
        .unwrap_or_default();
    let object = into
        .join(source.file_stem().unwrap_or_default())
        .with_extension("so");
    let output = Command::new("cc")
        .args(["-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-I"])
        .arg(stock::headers()?)
        .args(options.split_ascii_whitespace())
        .arg("-o")
        .arg(&object)
        .arg(source)
        .output()
        .context("cannot run cc")?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        bail!("{} does not compile:\n{said}", source.display());
    }
    Ok(())
}

/// Compiles `tests/generators/NAME.erl`, which the machines run to make calls or to run generated programs.
pub(crate) fn generator(compiler: &Compiler, name: &str, into: &Path) -> Result<()> {
    generator_with(compiler, &[], name, into)
}

/// As [`generator`], with options of the compiler.
pub(crate) fn generator_with(
    compiler: &Compiler,
    options: &[String],
    name: &str,
    into: &Path,
) -> Result<()> {
    let source = project::root()
        .join("tests/generators")
        .join(name)
        .with_extension("erl");
    let said = compiler.batch(options, std::slice::from_ref(&source), into)?;
    if !beam_path(&source, into).is_file() {
        bail!("{} does not compile:\n{said}", source.display());
    }
    Ok(())
}

/// Where the compiled form of `source` is put.
pub(crate) fn beam_path(source: &Path, into: &Path) -> PathBuf {
    into.join(source.file_stem().unwrap_or_default())
        .with_extension("beam")
}
