//! What ferl says when a native library does what it must not: which function of which library it was. Needs OTP 25
//! with its headers for C; does nothing without them.
//!
//! A fault is always told; terms that are used where or when they must not be are found by `+native_checks true`.

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

const MISUSING_LIBRARY: &str = r#"
#include <erl_nif.h>

static ERL_NIF_TERM kept;

static ERL_NIF_TERM keep(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
    kept = argv[0];
    return enif_make_int(env, 0);
}

static ERL_NIF_TERM build_on_kept(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
    return enif_make_tuple(env, 2, argv[0], kept);
}

static ERL_NIF_TERM mix(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
    ErlNifEnv *other = enif_alloc_env();
    ERL_NIF_TERM text = enif_make_string(other, "text", ERL_NIF_LATIN1);
    ERL_NIF_TERM mixed = enif_make_list_cell(env, text, argv[0]);
    enif_free_env(other);
    return mixed;
}

static ERL_NIF_TERM return_other(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
    ErlNifEnv *other = enif_alloc_env();
    return enif_make_string(other, "text", ERL_NIF_LATIN1);
}

static ERL_NIF_TERM build_on_exception(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
    ERL_NIF_TERM map = enif_make_new_map(env);
    enif_make_map_put(env, map, argv[0], enif_make_badarg(env), &map);
    return map;
}

static ERL_NIF_TERM obey(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
    ErlNifEnv *other = enif_alloc_env();
    ErlNifPid self;
    ERL_NIF_TERM there = enif_make_copy(other, argv[0]);
    ERL_NIF_TERM pair = enif_make_tuple2(env, enif_make_copy(env, there), argv[0]);
    enif_send(env, enif_self(env, &self), NULL, there); /* copied, so it may be of any environment */
    enif_send(env, &self, other, enif_make_list1(other, there));
    enif_free_env(other);
    return pair;
}

static ErlNifFunc functions[] = {
    {"keep", 1, keep}, {"build_on_kept", 1, build_on_kept}, {"mix", 1, mix}, {"return_other", 1, return_other},
    {"build_on_exception", 1, build_on_exception, ERL_NIF_DIRTY_JOB_CPU_BOUND}, {"obey", 1, obey},
};

ERL_NIF_INIT(misusing, functions, NULL, NULL, NULL, NULL)
"#;

const MISUSING_MODULE: &str = "
-module(misusing).
-export([init/1, keep/1, build_on_kept/1, mix/1, return_other/1, build_on_exception/1, obey/1]).
init(Name) -> ok = erlang:load_nif(Name, 0).
keep(_) -> no.
build_on_kept(_) -> no.
mix(_) -> no.
return_other(_) -> no.
build_on_exception(_) -> no.
obey(_) -> no.
";

fn run(command: &mut Command) -> Output {
    command
        .output()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"))
}

/// The folder with the headers, if there is one.
fn headers() -> Option<PathBuf> {
    let folder = stock::otp().headers();
    folder.join("erl_nif.h").is_file().then_some(folder)
}

/// Compiles a library and its module in a folder; none without headers.
fn compiled(name: &str, library: &str, module: &str) -> Option<PathBuf> {
    let headers = headers()?;
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir_all(&folder).unwrap();
    let [in_c, in_erlang, object] = ["c", "erl", "so"].map(|kind| format!("{name}.{kind}"));
    fs::write(folder.join(&in_c), library).unwrap();
    fs::write(folder.join(&in_erlang), module).unwrap();
    let compiled = run(Command::new("cc")
        .args(["-shared", "-fPIC", "-O1", "-o", &object, &in_c, "-I"])
        .arg(headers)
        .current_dir(&folder));
    assert!(compiled.status.success(), "{compiled:?}");
    let compiled = run(stock::erlc_25().arg(in_erlang).current_dir(&folder));
    assert!(compiled.status.success(), "{compiled:?}");
    Some(folder)
}

/// Has ferl load a library that was compiled in a folder, and then evaluate more.
fn load_and(name: &str, folder: &Path, flags: &[&str], code: &str) -> Output {
    let library = folder.join(name);
    let code = format!("{name}:init({library:?}), {code}, halt().");
    run(stock::ferl_on_25(env!("CARGO_BIN_EXE_ferl"))
        .args(flags)
        .args(["-noshell", "-pa"])
        .arg(folder)
        .args(["-eval", &code])
        .env("ERL_CRASH_DUMP_BYTES", "0"))
}

#[test]
fn a_fault_names_the_library_and_the_function() {
    let Some(folder) = compiled("faulty", LIBRARY, MODULE) else {
        return;
    };
    let said = |call: &str| {
        let output = load_and("faulty", &folder, &[], &format!("faulty:{call}"));
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

#[test]
fn terms_that_are_misused_are_found_by_checks() {
    let Some(folder) = compiled("misusing", MISUSING_LIBRARY, MISUSING_MODULE) else {
        return;
    };
    let do_checked = |code: &str| load_and("misusing", &folder, &["+native_checks", "true"], code);
    let found = |function: &str, code: &str, what: &str| {
        let output = do_checked(code);
        assert_eq!(output.status.signal(), Some(6), "{output:?}");
        let line = String::from_utf8_lossy(&output.stderr).into_owned();
        let place = format!("in misusing:{function}/1 of {}", folder.display());
        assert!(line.contains(&place), "{line}");
        assert!(line.contains(what), "{line}");
    };
    let pair = "T = {erlang:unique_integer(), [self()]}";
    found(
        "build_on_kept",
        &format!("{pair}, misusing:keep(T), misusing:build_on_kept(T)"),
        "gave enif_make_tuple a term of another environment, or of none that is left",
    );
    found(
        "mix",
        "misusing:mix([])",
        "gave enif_make_list_cell a term of another environment",
    );
    found(
        "return_other",
        "misusing:return_other([])",
        "returned a term of another environment",
    );
    // On a dirty scheduler.
    found(
        "build_on_exception",
        "misusing:build_on_exception(a)",
        "gave enif_make_map_put the value that stands for an exception",
    );
    let obeyed = format!(
        "{pair}, [begin {{T, T}} = misusing:obey(T), receive [T] -> ok end end || _ <- lists:seq(1, 1000)]"
    );
    let output = do_checked(&obeyed);
    assert!(output.status.success(), "{output:?}");
}
