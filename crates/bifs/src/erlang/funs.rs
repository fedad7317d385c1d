//! Making funs, and information about them.

use std::sync::atomic::Ordering;

use layout::object::offset;
use layout::{Export, FunEntry, ObjectKind, Term};
use term::release::{self, Release};
use term::{am, atom, build, fun};

use runtime::code::bif::{BifResult, badarg};
use runtime::code::{exports, modules};
use runtime::mail::registry;
use runtime::process::Process;

/// The entry of a closure.
fn entry_of<'a>(fun: Term) -> Option<&'a FunEntry> {
    fun.is_kind(ObjectKind::Fun).then(|| fun::entry(fun))
}

/// The entry of an external fun.
fn export_of(fun: Term) -> Option<&'static Export> {
    fun.is_kind(ObjectKind::Export)
        .then(|| fun::export_entry(fun))
}

/// The name of the function that implements a closure, `[]` while its code is not loaded or is being purged.
fn name_of(entry: &FunEntry) -> Term {
    let code = entry.code.load(Ordering::Acquire);
    modules::place_in_module(code).map_or(Term::NIL, |place| place.function)
}

/// `erlang:make_fun(Module, Function, Arity)`
pub(crate) fn make_fun_3(process: &mut Process, [module, function, arity]: [Term; 3]) -> BifResult {
    if !module.is_atom() {
        return Err(badarg(1));
    }
    if !function.is_atom() {
        return Err(badarg(2));
    }
    let arity = arity
        .as_small()
        .filter(|arity| (0..=255).contains(arity))
        .ok_or(badarg(3))?;
    let export = exports::get(module, function, arity as u32);
    Ok(build::export(process.heap(), export))
}

/// `erlang:fun_info(Fun, Item)`
pub(crate) fn fun_info_2(process: &mut Process, [fun, item]: [Term; 2]) -> BifResult {
    if !item.is_atom() {
        return Err(badarg(2));
    }
    let value = if let Some(entry) = entry_of(fun) {
        local_info(process, fun, entry, item)
    } else if let Some(export) = export_of(fun) {
        external_info(export, item)
    } else {
        return Err(badarg(1));
    };
    let value = value.ok_or(badarg(2))?;
    Ok(build::tuple(process.heap(), &[item, value]))
}

fn local_info(process: &mut Process, fun: Term, entry: &FunEntry, item: Term) -> Option<Term> {
    let small = |value: u32| Term::small(i64::from(value));
    Some(match atom::text(item) {
        "type" => atom::known("local"),
        "module" => entry.module,
        "name" => name_of(entry),
        "arity" => small(entry.arity),
        "new_index" => small(entry.index),
        "index" => small(entry.old_index),
        "uniq" => small(entry.old_unique),
        "new_uniq" => build::binary(process.heap(), &entry.unique),
        "refc" => small(1),
        // From OTP 27 on funs do not know who made them.
        "pid" if release::has(Release::OTP_27) => {
            registry::whereis(am::INIT).unwrap_or_else(|| fun::creator(fun))
        }
        "pid" => fun::creator(fun),
        "env" => {
            let variables: Vec<Term> = fun.expect_boxed().terms_from(offset::FUN_FREE).collect();
            build::list(process.heap(), &variables)
        }
        _ => return None,
    })
}

fn external_info(export: &Export, item: Term) -> Option<Term> {
    Some(match atom::text(item) {
        "type" => am::EXTERNAL,
        "module" => export.module,
        "name" => export.function,
        "arity" => Term::small(i64::from(export.arity)),
        "env" => Term::NIL,
        "pid" | "new_index" | "index" | "new_uniq" | "uniq" | "refc" => am::UNDEFINED,
        _ => return None,
    })
}

/// `erlang:fun_info_mfa(Fun)`
pub(crate) fn fun_info_mfa_1(process: &mut Process, [fun]: [Term; 1]) -> BifResult {
    let (module, function, arity) = match (entry_of(fun), export_of(fun)) {
        (Some(entry), _) => (entry.module, name_of(entry), entry.arity),
        (None, Some(export)) => (export.module, export.function, export.arity),
        (None, None) => return Err(badarg(1)),
    };
    let arity = Term::small(i64::from(arity));
    Ok(build::tuple(process.heap(), &[module, function, arity]))
}

/// `erlang:fun_to_list(Fun)`
pub(crate) fn fun_to_list_1(process: &mut Process, [fun]: [Term; 1]) -> BifResult {
    if !fun.is_fun() {
        return Err(badarg(1));
    }
    let text = term::print::display(fun).to_string();
    Ok(build::string(process.heap(), &text))
}
