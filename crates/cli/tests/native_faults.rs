//! What ferl says when a native library does what it must not: which function of which library it was. Needs an installed OTP with
//! its headers for C; does nothing without them.

use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const LIBRARY: &str = r#"
#include <erl_nif.h>
#include <string.h>

int exported_writer(char *volatile at)
{
    *at = 1;
    return 0;
}

static ERL_NIF_TERM directly(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
    return enif_make_int(env, exported_writer((char *)8));
}

static ERL_NIF_TERM through_nothing(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
    int (*volatile none)(void) = NULL;
    return enif_make_int(env, none());
}

static ERL_NIF_TERM in_libc(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
    const char *volatile text = (const char *)8;
    return enif_make_int(env, (int)strlen(text));
}

static ErlNifFunc functions[] = {
    {"directly", 0, directly}, {"through_nothing", 0, through_nothing}, {"in_libc", 1, in_libc, ERL_NIF_DIRTY_JOB_CPU_BOUND},
};

ERL_NIF_INIT(faulty, functions, NULL, NULL, NULL, NULL)
"#;

const MODULE: &str = "
-module(faulty).
-export([init/1, directly/0, through_nothing/0, in_libc/1]).
init(Name) -> ok = erlang:load_nif(Name, 0).
directly() -> no.
through_nothing() -> no.
in_libc(_) -> no.
";

fn run(command: &mut Command) -> Output {
    command
        .output()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"))
}

/// The folder with the headers, if there is one.
fn headers() -> Option<PathBuf> {
    let root = run(Command::new("erl").args([
        "-noshell",
        "-eval",
        "io:put_chars(code:root_dir())",
        "-s",
        "init",
        "stop",
    ]));
    let folder = Path::new(&*String::from_utf8_lossy(&root.stdout)).join("usr/include");
    folder.join("erl_nif.h").is_file().then_some(folder)
}

/// Compiles the library and the module in a folder.
fn compile(folder: &Path, headers: &Path) {
    fs::create_dir_all(folder).unwrap();
    fs::write(folder.join("faulty.c"), LIBRARY).unwrap();
    fs::write(folder.join("faulty.erl"), MODULE).unwrap();
    let compiled = run(Command::new("cc")
        .args([
            "-shared",
            "-fPIC",
            "-O1",
            "-o",
            "faulty.so",
            "faulty.c",
            "-I",
        ])
        .arg(headers)
        .current_dir(folder));
    assert!(compiled.status.success(), "{compiled:?}");
    let compiled = run(Command::new("erlc").arg("faulty.erl").current_dir(folder));
    assert!(compiled.status.success(), "{compiled:?}");
}

#[test]
fn a_fault_names_the_library_and_the_function() {
    let Some(headers) = headers() else { return };
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("native_faults");
    compile(&folder, &headers);
    let said = |call: &str| {
        let library = folder.join("faulty");
        let code = format!("faulty:init({library:?}), faulty:{call}, halt().");
        let output = run(Command::new(env!("CARGO_BIN_EXE_ferl"))
            .args(["-noshell", "-pa"])
            .arg(&folder)
            .args(["-eval", &code])
            .env("ERL_CRASH_DUMP_BYTES", "0"));
        assert_eq!(output.status.signal(), Some(11), "{output:?}");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let object = folder.join("faulty.so").display().to_string();
    let line = said("directly()");
    let place = "SIGSEGV in exported_writer+0x";
    assert!(line.contains(place), "{line}");
    assert!(
        line.contains(&format!("called for faulty:directly/0 of {object}")),
        "{line}"
    );
    let line = said("through_nothing()");
    assert!(
        line.contains("SIGSEGV at 0x0, which is in no library"),
        "{line}"
    );
    assert!(
        line.contains("called for faulty:through_nothing/0 of "),
        "{line}"
    );
    // On a dirty scheduler.
    let line = said("in_libc(a)");
    assert!(line.contains("libc"), "{line}");
    assert!(line.contains("called for faulty:in_libc/1 of "), "{line}");
}
