//! Loading, finding and removing code.

use std::cmp::Reverse;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use layout::{Export, NoGc, Term, no_gc};
use parking_lot::Mutex;
use sys::memory::budget;
use term::copy::Owned;
use term::external::{self, DecodeOptions};
use term::{am, atom, build, list};

use crate::magic;
use runtime::code::bif::{BifResult, Failure, badarg, badarg_as_called, notsup, system_limit};
use runtime::code::load::{self, CodeResolver};
use runtime::code::load_error::LoadError;
use runtime::code::modules::{self, Loaded};
use runtime::code::native::calling_code;
use runtime::code::permission::{self, Permission};
use runtime::code::{exports, literal_collector, preloaded, purge};
use runtime::effects::collection::literals;
use runtime::mail::current;
use runtime::process::Process;

/// The result of `prepare_loading`: loaded code that is not committed yet.
pub(crate) struct Prepared(Mutex<Option<Arc<Loaded>>>);

/// The permission to change code. While somebody else has it, the call yields and is made again.
pub(super) fn permission(arguments: &[Term]) -> Result<Permission, Failure> {
    permission::try_take().ok_or_else(|| Failure::Yield {
        arguments: arguments.into(),
    })
}

/// The permission to load or delete code. It is refused, too, while a purge withholds funs: until that is over, the
/// process is suspended.
fn permission_to_load(process: &mut Process, arguments: &[Term]) -> Result<Permission, Failure> {
    let permission = permission(arguments)?;
    if purge::park_change(process) {
        let arguments = arguments.into();
        return Err(Failure::Yield { arguments });
    }
    Ok(permission)
}

/// `erts_internal:prepare_loading(Module, Code)`
pub(crate) fn prepare_loading_2(process: &mut Process, [module, code]: [Term; 2]) -> BifResult {
    if !module.is_atom() {
        return Err(badarg(1));
    }
    let no_gc = no_gc!();
    let (_, bytes) = aligned(process, code, no_gc).ok_or(badarg(2))?;
    match prepare(module, bytes) {
        Ok(loaded) => {
            // This has taken long. Whoever was spawned before gets a turn before `finish_loading` makes the code that
            // of all, as on stock.
            current::end_slice_soon();
            Ok(magic::make(process, Prepared(Mutex::new(Some(loaded)))))
        }
        Err(error) => {
            runtime::effects::log::load_failed(process, module, &error.to_string());
            let reason = match error {
                LoadError::NoRoom => am::SYSTEM_LIMIT,
                _ => am::BADFILE,
            };
            Ok(build::tuple(process.heap(), &[am::ERROR, reason]))
        }
    }
}

/// Code and literals of at most so many bytes in all are still loaded while the node stays near the end of its memory:
/// programs load modules when they first need them, the logger too.
const MOST_BYTES_WHILE_HIGH: usize = 4 << 20;

/// Bytes that were loaded since the node came near the end of its memory.
static LOADED_WHILE_HIGH: AtomicUsize = AtomicUsize::new(0);

/// Prepares code, unless there is no memory for it within the node's budget. Nobody owns code, so nobody's end would
/// give its memory back.
fn prepare(module: Term, file: &[u8]) -> Result<Arc<Loaded>, LoadError> {
    if !budget::is_high() {
        LOADED_WHILE_HIGH.store(0, Ordering::Relaxed);
        return load::prepare(Some(module), file);
    }
    if LOADED_WHILE_HIGH.load(Ordering::Relaxed) >= MOST_BYTES_WHILE_HIGH {
        return Err(LoadError::NoRoom);
    }
    let loaded = load::prepare(Some(module), file)?;
    LOADED_WHILE_HIGH.fetch_add(loaded.held_bytes(), Ordering::Relaxed);
    Ok(loaded)
}

/// A binary with its bytes; a copy of the binary if they do not start at a byte's first bit.
fn aligned<'t>(process: &mut Process, binary: Term, no_gc: &'t NoGc) -> Option<(Term, &'t [u8])> {
    let bits = binary.as_bits()?;
    if let Some(bytes) = bits.as_bytes(no_gc) {
        return Some((binary, bytes));
    }
    if !binary.is_binary() {
        return None;
    }
    let copy = build::bit_string(process.heap(), bits);
    Some((copy, copy.as_bits()?.as_bytes(no_gc)?))
}

/// `erlang:has_prepared_code_on_load(Prepared)`
pub(crate) fn has_prepared_code_on_load_1(
    _process: &mut Process,
    [prepared]: [Term; 1],
) -> BifResult {
    let no_gc = no_gc!();
    let prepared = magic::get::<Prepared>(prepared, no_gc).ok_or(badarg(1))?;
    let loaded = prepared.0.lock();
    Ok(am::boolean(
        loaded.as_ref().ok_or(badarg(1))?.on_load.is_some(),
    ))
}

/// `erlang:finish_loading([Prepared])`
pub(crate) fn finish_loading_1(process: &mut Process, [list]: [Term; 1]) -> BifResult {
    if current::reductions_left() <= 0 {
        let arguments = [list].into();
        return Err(Failure::Yield { arguments });
    }
    let _permission = permission_to_load(process, &[list])?;
    let no_gc = no_gc!();
    let mut prepared = Vec::new();
    for item in list::items(list) {
        let item = item.map_err(|_| badarg(1))?;
        let holder = magic::get::<Prepared>(item, no_gc).ok_or(badarg(1))?;
        let loaded = holder.0.lock().clone().ok_or(badarg(1))?;
        prepared.push((holder, loaded));
    }
    let refuse = |process: &mut Process, reason: Term, names: &[Term]| {
        let names = build::list(process.heap(), names);
        Ok(build::tuple(process.heap(), &[reason, names]))
    };
    if prepared.len() > 1 {
        // Several modules are committed at once, but an `on_load` function may refuse its module and would have to run
        // before the commit is complete.
        if prepared.iter().any(|(_, loaded)| loaded.on_load.is_some()) {
            return Err(system_limit());
        }
        let mut seen = std::collections::HashSet::new();
        let twice: Vec<Term> = prepared
            .iter()
            .map(|(_, loaded)| loaded.name)
            .filter(|name| !seen.insert(*name))
            .collect();
        if !twice.is_empty() {
            return refuse(process, atom::known("duplicated"), &twice);
        }
    }
    let loaded: Vec<Arc<Loaded>> = prepared
        .iter()
        .map(|(_, loaded)| Arc::clone(loaded))
        .collect();
    // Another process may be committing the same code; only one may, because code that is current twice would be freed
    // by the first purge.
    let taken = prepared
        .iter()
        .take_while(|(holder, _)| holder.0.lock().take().is_some())
        .count();
    let committed = match taken == prepared.len() {
        true => load::commit(&loaded).map_err(Some),
        false => Err(None),
    };
    if let Err(names) = committed {
        for (holder, loaded) in prepared.into_iter().take(taken) {
            *holder.0.lock() = Some(loaded);
        }
        let names = names.ok_or(badarg(1))?;
        return refuse(process, am::NOT_PURGED, &names);
    }
    let on_load: Vec<Term> = loaded
        .iter()
        .filter(|loaded| loaded.on_load.is_some())
        .map(|loaded| loaded.name)
        .collect();
    if on_load.is_empty() {
        Ok(am::OK)
    } else {
        refuse(process, am::ON_LOAD, &on_load)
    }
}

/// `erlang:call_on_load_function(Module)`
pub(crate) fn call_on_load_function_1(_process: &mut Process, [module]: [Term; 1]) -> BifResult {
    let pending = modules::versions(module).pending.ok_or(badarg(1))?;
    let entry = pending.on_load.ok_or(badarg(1))?;
    // The `on_load` function need not be exported, so it is called through an export with a name reserved for this.
    let name = atom::known("-on_load-");
    let export: &'static Export = exports::get(module, name, 0);
    exports::set_code(export, Some(entry.0));
    Err(Failure::Trap {
        target: export,
        arguments: Box::default(),
    })
}

/// `erlang:finish_after_on_load(Module, Keep)`
pub(crate) fn finish_after_on_load_2(
    process: &mut Process,
    [module, keep]: [Term; 2],
) -> BifResult {
    if keep != am::TRUE && keep != am::FALSE {
        return Err(badarg(2));
    }
    let _permission = permission_to_load(process, &[module, keep])?;
    if let Some(export) = exports::find(module, atom::known("-on_load-"), 0) {
        exports::set_code(export, None);
    }
    if load::finish_on_load(module, keep == am::TRUE) {
        Ok(am::TRUE)
    } else {
        Err(badarg(1))
    }
}

/// `erlang:loaded()`
pub(crate) fn loaded_0(process: &mut Process, []: [Term; 0]) -> BifResult {
    let names = modules::names();
    Ok(build::list(process.heap(), &names))
}

/// `erlang:pre_loaded()`
pub(crate) fn pre_loaded_0(process: &mut Process, []: [Term; 0]) -> BifResult {
    let names = preloaded::names();
    Ok(build::list(process.heap(), names))
}

/// `erlang:module_loaded(Module)`
pub(crate) fn module_loaded_1(_process: &mut Process, [module]: [Term; 1]) -> BifResult {
    if !module.is_atom() {
        return Err(badarg(1));
    }
    Ok(am::boolean(modules::current(module).is_some()))
}

/// `erlang:check_old_code(Module)`
pub(crate) fn check_old_code_1(_process: &mut Process, [module]: [Term; 1]) -> BifResult {
    if !module.is_atom() {
        return Err(badarg(1));
    }
    Ok(am::boolean(modules::versions(module).old.is_some()))
}

/// `delete_module(Module)`
///
/// Processes spawned before the call still start in the module. On stock this is so because new code takes effect only
/// when every scheduler has switched to something else. Therefore the first call yields, so that all processes already
/// queued run first. The second call has `[Deleting | Module]` as its argument.
pub(crate) fn delete_module_1(process: &mut Process, [argument]: [Term; 1]) -> BifResult {
    let second = argument
        .as_cons()
        .filter(|(head, _)| magic::get::<Deleting>(*head, no_gc!()).is_some());
    let module = second.map_or(argument, |(_, module)| module);
    if !module.is_atom() {
        return Err(badarg(1));
    }
    let _permission = permission_to_load(process, &[argument])?;
    if !modules::is_known(module) {
        return Ok(am::UNDEFINED);
    }
    if modules::versions(module).old.is_some() {
        runtime::effects::log::not_purged(process, module);
        return Err(badarg_as_called(
            process,
            (am::ERLANG, atom::known("delete_module")),
            &[module],
        ));
    }
    if second.is_none() {
        let deleting = magic::make(process, Deleting);
        return Err(Failure::Yield {
            arguments: Box::new([build::cons(process.heap(), deleting, module)]),
        });
    }
    load::delete(module);
    Ok(am::TRUE)
}

/// Marks the second call of a deletion, after other processes have run.
struct Deleting;

/// `erts_internal:purge_module(Module, prepare | prepare_on_load | abort | complete)`
pub(crate) fn purge_module_2(process: &mut Process, [module, step]: [Term; 2]) -> BifResult {
    if !purge::is_purger(process) {
        return Err(notsup());
    }
    if !module.is_atom() {
        return Err(badarg(1));
    }
    let _permission = permission(&[module, step])?;
    let done = match step {
        am::PREPARE => purge::prepare(module),
        am::PREPARE_ON_LOAD => purge::prepare_on_load(module),
        am::ABORT => purge::abort(module).map(|()| false),
        am::COMPLETE => purge::complete(module),
        _ => return Err(badarg(2)),
    };
    done.map(am::boolean).map_err(|_| badarg(1))
}

/// `erts_literal_area_collector:release_area_switch()`
pub(crate) fn release_area_switch_0(process: &mut Process, []: [Term; 0]) -> BifResult {
    if !literal_collector::is_collector(process) {
        return Err(notsup());
    }
    Ok(am::boolean(literal_collector::release_area_switch()))
}

/// `erts_literal_area_collector:send_copy_request(Pid, RequestId, Action)`
pub(crate) fn send_copy_request_3(
    process: &mut Process,
    [pid, id, action]: [Term; 3],
) -> BifResult {
    if !literal_collector::is_collector(process) {
        return Err(notsup());
    }
    if action != am::INIT && action != atom::known("check_gc") && action != atom::known("need_gc") {
        return Err(badarg(3));
    }
    if !pid.is_local_pid() {
        return Err(badarg(1));
    }
    let id = build::tuple(process.heap(), &[id, action, pid]);
    literals::send_copy_request(process.pid(), pid, Owned::new(id));
    Ok(am::OK)
}

/// `erlang:function_exported(Module, Function, Arity)`
pub(crate) fn function_exported_3(
    _process: &mut Process,
    [module, function, arity]: [Term; 3],
) -> BifResult {
    let (Some(arity), true, true) = (arity.as_small(), module.is_atom(), function.is_atom()) else {
        return Err(badarg(3));
    };
    let Ok(arity) = u32::try_from(arity) else {
        return Ok(am::FALSE);
    };
    let export = exports::find(module, function, arity);
    let defined =
        export.is_some_and(|export| exports::is_loaded(export) || is_stub_of_loaded(export));
    Ok(am::boolean(defined))
}

/// A BIF counts as exported when its module, which contains a stub for it, is loaded.
fn is_stub_of_loaded(export: &Export) -> bool {
    exports::is_defined(export)
        && modules::current(export.module).is_some_and(|loaded| {
            loaded
                .exports
                .iter()
                .any(|(name, arity, _)| *name == export.function && *arity == export.arity)
        })
}

/// `erlang:is_builtin(Module, Function, Arity)`
pub(crate) fn is_builtin_3(
    _process: &mut Process,
    [module, function, arity]: [Term; 3],
) -> BifResult {
    let (Some(arity), true, true) = (arity.as_small(), module.is_atom(), function.is_atom()) else {
        return Err(badarg(3));
    };
    if module == am::ERLANG && function == am::APPLY && (arity == 2 || arity == 3) {
        return Ok(am::TRUE);
    }
    let export = u32::try_from(arity)
        .ok()
        .and_then(|arity| exports::find(module, function, arity));
    Ok(am::boolean(export.is_some_and(|export| {
        export.flags & layout::Export::BUILTIN != 0
    })))
}

/// `erlang:get_module_info(Module)`
pub(crate) fn get_module_info_1(process: &mut Process, [module]: [Term; 1]) -> BifResult {
    let items = [
        am::MODULE,
        am::EXPORTS,
        am::ATTRIBUTES,
        am::COMPILE,
        atom::known("md5"),
    ];
    let mut pairs = Vec::new();
    for item in items {
        let value = get_module_info_2(process, [module, item])?;
        pairs.push(build::tuple(process.heap(), &[item, value]));
    }
    Ok(build::list(process.heap(), &pairs))
}

/// `erlang:get_module_info(Module, Item)`
pub(crate) fn get_module_info_2(process: &mut Process, [module, item]: [Term; 2]) -> BifResult {
    if !module.is_atom() || !item.is_atom() {
        return Err(badarg(1));
    }
    let loaded = modules::current(module).ok_or(badarg(1))?;
    let names = |process: &mut Process, functions: &[(Term, u32)]| {
        let heap = process.heap();
        let pairs: Vec<Term> = functions
            .iter()
            .map(|(name, arity)| build::tuple(heap, &[*name, Term::small(i64::from(*arity))]))
            .collect();
        build::list(heap, &pairs)
    };
    match atom::text(item) {
        "module" => Ok(module),
        "md5" => Ok(build::binary(process.heap(), &loaded.md5)),
        "exports" => {
            let mut exports: Vec<(Term, u32)> = loaded
                .exports
                .iter()
                .map(|(name, arity, _)| (*name, *arity))
                .collect();
            exports.sort_by_cached_key(|(name, arity)| {
                Reverse(exports::number(exports::get(module, *name, *arity)))
            });
            Ok(names(process, &exports))
        }
        "functions" => {
            let functions: Vec<(Term, u32)> = loaded
                .code
                .functions()
                .map(|(function, _)| (function.function, function.arity))
                .collect();
            Ok(names(process, &functions))
        }
        "nifs" => {
            let name = atom::text(module);
            let release = term::release::get();
            let rows = spec::bifs::BIFS
                .iter()
                .filter(|row| row.module == name && row.is_nif())
                .filter(|row| row.properties.count_in(release))
                .map(|row| (atom::known(row.name), u32::from(row.arity)));
            let mut nifs: Vec<(Term, u32)> = rows
                .filter(|&(function, arity)| {
                    let mut defined = loaded.code.functions();
                    defined.any(|(found, _)| found.function == function && found.arity == arity)
                })
                .collect();
            if let Some(library) = loaded.library.get() {
                nifs.extend(library.functions());
            }
            Ok(names(process, &nifs))
        }
        "native" => Ok(am::FALSE),
        "native_addresses" => Ok(Term::NIL),
        "attributes" => chunk_term(process, &loaded.attributes),
        "compile" => chunk_term(process, &loaded.compile_info),
        _ => Err(badarg(2)),
    }
}

/// The term encoded in a chunk of a loaded module.
fn chunk_term(process: &mut Process, bytes: &[u8]) -> BifResult {
    if bytes.is_empty() {
        return Ok(Term::NIL);
    }
    match external::decode(
        process.heap(),
        bytes,
        &DecodeOptions::default(),
        &mut CodeResolver,
    ) {
        Ok((term, _)) => Ok(term),
        // The file was loaded, so its other chunks are good; a chunk that does not decode counts as empty.
        Err(_) => Ok(Term::NIL),
    }
}

/// `erts_internal:beamfile_chunk(Code, Name)`
pub(crate) fn beamfile_chunk_2(process: &mut Process, [code, name]: [Term; 2]) -> BifResult {
    let no_gc = no_gc!();
    let (code, bytes) = aligned(process, code, no_gc).ok_or(badarg(1))?;
    let id = list::bytes_at_most(name, 4).and_then(|bytes| <[u8; 4]>::try_from(bytes).ok());
    let id = id.ok_or(badarg(2))?;
    match beamfile::find_chunk(bytes, beamfile::ChunkId(id)) {
        Ok(Some(chunk)) => {
            let start = chunk.as_ptr() as usize - bytes.as_ptr() as usize;
            Ok(build::sub_bits(
                process.heap(),
                code,
                start as u64 * 8,
                chunk.len() as u64 * 8,
            ))
        }
        Ok(None) | Err(_) => Ok(am::UNDEFINED),
    }
}

/// `erts_internal:beamfile_module_md5(Code)`
pub(crate) fn beamfile_module_md5_1(process: &mut Process, [code]: [Term; 1]) -> BifResult {
    let no_gc = no_gc!();
    let (_, bytes) = aligned(process, code, no_gc).ok_or(badarg(1))?;
    match beamfile::BeamFile::parse(bytes) {
        Ok(file) => Ok(build::binary(process.heap(), &file.md5)),
        Err(_) => Ok(am::UNDEFINED),
    }
}

/// Whether this is the name of a library whose NIFs are built into the VM: their functions are rows of the BIF table.
/// `net` is the name under which `prim_net` loads its NIFs.
fn is_built_in_library(name: &str) -> bool {
    spec::bifs::NIF_MODULES.contains(&name) || matches!(name, "net" | "socket_registry")
}

/// `erlang:load_nif(Path, LoadInfo)`
///
/// While somebody else may change code, it yields. Then the second argument is `[Code | LoadInfo]`, because a call that
/// is made again does not show where it came from.
pub(crate) fn load_nif_2(process: &mut Process, [path, info]: [Term; 2]) -> BifResult {
    let character = |item: Result<Term, _>| {
        let code = u32::try_from(item.ok()?.as_small()?).ok()?;
        char::from_u32(code)
    };
    let name: Option<String> = list::items(path).map(character).collect();
    let Some(name) = name.filter(|name| is_built_in_library(name)) else {
        let resumed = info
            .as_cons()
            .and_then(|(first, info)| Some((magic::resume(first)?, info)));
        let (code, info) = resumed.unwrap_or_else(|| (calling_code(process), info));
        let Some(_permission) = permission::try_take() else {
            let paused = magic::pause(process, code);
            return Err(Failure::Yield {
                arguments: [path, build::cons(process.heap(), paused, info)].into(),
            });
        };
        return native::load_nif(process, code, [path, info]);
    };
    if name == "prim_socket" {
        crate::prim_socket::load(info);
    }
    Ok(am::OK)
}
