//! `cargo xtask nif-functions`: which functions of stock's header for native libraries ferl has, and which of them the
//! libraries under `tests/programs` call.

use crate::project;
use anyhow::{Context, Result};
use isa::nif_functions::NIF_FUNCTIONS;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

/// Declares the functions, one in each line that begins with the macro.
const DECLARATIONS: &str = "erl_nif_api_funcs.h";

pub fn run() -> Result<ExitCode> {
    let path = project::headers()?.join(DECLARATIONS);
    let header = fs::read_to_string(&path).with_context(|| {
        format!(
            "{}: install Debian's erlang-dev, or the headers of your OTP",
            path.display()
        )
    })?;
    let wanted = declared(&header);
    let present: BTreeSet<&str> = NIF_FUNCTIONS.iter().map(|row| row.name).collect();
    let sources = sources(&project::root().join("tests/programs"))?;
    let untested: Vec<&&str> = wanted
        .iter()
        .filter(|name| !calls(&sources, name))
        .collect();
    let missing: Vec<&&str> = wanted.difference(&present).collect();
    for name in &missing {
        println!("missing: {name}");
    }
    for name in &untested {
        println!("not called by any test: {name}");
    }
    println!(
        "{} functions in the header: {} present, {} called by tests; {} beyond it",
        wanted.len(),
        wanted.len() - missing.len(),
        wanted.len() - untested.len(),
        present.difference(&wanted).count(),
    );
    Ok(ExitCode::from(u8::from(!missing.is_empty())))
}

/// The names of functions that a header declares: `ERL_NIF_API_FUNC_DECL(type, name, ...)`, without those for machines
/// whose `long` has not 64 bits.
fn declared(header: &str) -> BTreeSet<&str> {
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

/// The text of all C files in a folder and those below.
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
            text.push_str(&source);
        }
    }
    Ok(text)
}

/// Whether a name stands in a text as a word, or a macro of the header calls it.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations_are_found_by_their_macro() {
        let header = "#if X\nERL_NIF_API_FUNC_DECL(int,enif_one,(ErlNifEnv*, int));\n  \
                      ERL_NIF_API_FUNC_DECL(void*, enif_two,(void));\nint other(int, enif_three);\n\
                      #if SIZEOF_LONG != 8\nERL_NIF_API_FUNC_DECL(int,enif_four,(void));\n#endif\n";
        let names: Vec<&str> = declared(header).into_iter().collect();
        assert_eq!(names, ["enif_one", "enif_two"]);
    }

    #[test]
    fn a_name_within_another_is_not_a_call() {
        assert!(calls("x = enif_self(env);", "enif_self"));
        assert!(!calls("x = enif_selfish(env);", "enif_self"));
        assert!(calls("enif_make_tuple3(env, a, b, c)", "enif_make_tuple"));
    }
}
