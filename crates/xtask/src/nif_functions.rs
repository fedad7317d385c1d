//! `cargo xtask nif-functions`: which functions of stock's headers for native libraries and for linked-in drivers ferl
//! has, and which of them the libraries under `tests/programs` call. Fails if one is missing or is not called.

use crate::{project, stock};
use anyhow::{Context, Result};
use spec::driver_functions::DRIVER_FUNCTIONS;
use spec::nif_functions::NIF_FUNCTIONS;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

/// A C interface: a header of stock's, and the table of what ferl has.
struct Interface {
    header: &'static str,
    declared: fn(&str) -> BTreeSet<&str>,
    present: BTreeSet<&'static str>,
    /// Functions that the header declares and stock does not export, so that no library can call them there.
    not_exported: &'static [&'static str],
}

pub(crate) fn run() -> Result<ExitCode> {
    if !stock::headers()?.join(stock::NIF_HEADER).is_file() {
        println!("LEFT OUT the header for native libraries (Debian's erlang-dev) is missing");
        println!("0 passed, 0 failed, 1 skipped");
        return Ok(ExitCode::SUCCESS);
    }
    let interfaces = [
        Interface {
            header: "erl_nif_api_funcs.h",
            declared: declared_for_nifs,
            present: NIF_FUNCTIONS.iter().map(|row| row.name).collect(),
            not_exported: &[],
        },
        Interface {
            header: "erl_driver.h",
            declared: declared_for_drivers,
            present: DRIVER_FUNCTIONS.iter().copied().collect(),
            not_exported: &["dtrace_drvport_str"],
        },
    ];
    let sources = sources(&project::root().join("tests/programs"))?;
    let mut is_complete = true;
    for interface in &interfaces {
        is_complete &= interface.report(&sources)?;
    }
    Ok(ExitCode::from(u8::from(!is_complete)))
}

impl Interface {
    /// Prints what is missing or not called; returns whether that is nothing. What ferl has beyond the header, because
    /// a later release has it, must be called too.
    fn report(&self, sources: &str) -> Result<bool> {
        let path = stock::headers()?.join(self.header);
        let header = fs::read_to_string(&path).with_context(|| {
            format!(
                "{}: install Debian's erlang-dev, or the headers of your OTP",
                path.display()
            )
        })?;
        let wanted = (self.declared)(&header);
        let missing: Vec<&&str> = wanted.difference(&self.present).collect();
        let untested: Vec<&&str> = wanted
            .union(&self.present)
            .filter(|name| !self.not_exported.contains(name) && !calls(sources, name))
            .collect();
        for name in &missing {
            println!("missing: {name}");
        }
        for name in &untested {
            println!("not called by any test: {name}");
        }
        let untested_of_header = untested.iter().filter(|name| wanted.contains(**name));
        println!(
            "{}: {} functions: {} present, {} called by tests; {} beyond it",
            self.header,
            wanted.len(),
            wanted.len() - missing.len(),
            wanted.len() - untested_of_header.count(),
            self.present.difference(&wanted).count(),
        );
        Ok(missing.is_empty() && untested.is_empty())
    }
}

/// The names of functions that the header for NIFs declares: `ERL_NIF_API_FUNC_DECL(type, name, ...)`, without those
/// for machines whose `long` has not 64 bits.
fn declared_for_nifs(header: &str) -> BTreeSet<&str> {
    let mut is_for_others = false;
    let declarations = header.lines().filter_map(|line| {
        if line.starts_with("#if SIZEOF_LONG != 8") {
            is_for_others = true;
        } else if line.starts_with("#endif") {
            is_for_others = false;
        }
        let rest = line.trim().strip_prefix("ERL_NIF_API_FUNC_DECL(");
        rest.filter(|_| !is_for_others)
    });
    declarations
        .filter_map(|rest| rest.split(',').nth(1))
        .map(str::trim)
        .collect()
}

/// The names of functions that the header for drivers declares: `EXTERN type name(...)`, also over several lines.
fn declared_for_drivers(header: &str) -> BTreeSet<&str> {
    let declarations = header.split("\nEXTERN ").skip(1);
    declarations
        .filter_map(|rest| {
            let (before, _) = rest.split_once('(')?;
            let is_name_part = |letter: char| letter.is_alphanumeric() || letter == '_';
            before.trim_end().rsplit(|c| !is_name_part(c)).next()
        })
        .collect()
}

/// The text of all C files in a folder and those below, without comments.
fn sources(folder: &Path) -> Result<String> {
    let mut text = String::new();
    for path in project::entries(folder)? {
        if path.is_dir() {
            text.push_str(&sources(&path)?);
        } else if path
            .extension()
            .is_some_and(|ending| ending == "c" || ending == "h")
        {
            let source = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
            text.push_str(&without_comments(&source));
        }
    }
    Ok(text)
}

/// Whether a name stands in a text as a word, be it called or handed on, or a macro of the header that calls the
/// function.
fn calls(text: &str, name: &str) -> bool {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    let named = |name: &str| {
        text.match_indices(name).any(|(at, _)| {
            !text[..at].ends_with(is_part) && !text[at + name.len()..].starts_with(is_part)
        })
    };
    named(name)
        || match name {
            "enif_make_tuple" | "enif_make_list" => {
                (1..=9).any(|count| named(&format!("{name}{count}")))
            }
            "enif_select_x" => named("enif_select_read"),
            _ => false,
        }
}

/// A C source without its comments.
fn without_comments(source: &str) -> String {
    let mut parts = source.split("/*");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        text.push(' ');
        text.push_str(part.split_once("*/").map_or("", |(_, rest)| rest));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations_are_found_by_their_macro() {
        let header = "#if X\nERL_NIF_API_FUNC_DECL(int,enif_one,(ErlNifEnv*, int));\n  \
                      ERL_NIF_API_FUNC_DECL(void*, enif_two,(void));\nint other(int, enif_three);\n\
                      #if SIZEOF_LONG != 8\nERL_NIF_API_FUNC_DECL(int,enif_four,(void));\n#endif\n";
        let names: Vec<&str> = declared_for_nifs(header).into_iter().collect();
        assert_eq!(names, ["enif_one", "enif_two"]);
    }

    #[test]
    fn declarations_for_drivers_are_found_over_lines() {
        let header = "#define EXTERN extern\n/* EXTERN int none(void) */\nEXTERN int one(ErlDrvPort);\n\
                      EXTERN int \ntwo (int err);\nEXTERN void *three(int)\n    ATTRIBUTE(four);\nextern int five;\n";
        let names: Vec<&str> = declared_for_drivers(header).into_iter().collect();
        assert_eq!(names, ["one", "three", "two"]);
    }

    #[test]
    fn a_name_within_another_or_in_a_comment_is_not_a_call() {
        assert!(calls("x = enif_self(env);", "enif_self"));
        assert!(!calls("x = enif_selfish(env);", "enif_self"));
        assert!(calls("{\"self\", enif_self}", "enif_self"));
        assert!(calls("enif_make_tuple3(env, a, b, c)", "enif_make_tuple"));
        let text = without_comments("one(); /* two(); */ three(); /* four */");
        assert!(calls(&text, "one") && calls(&text, "three"));
        assert!(!calls(&text, "two") && !calls(&text, "four"));
    }
}
