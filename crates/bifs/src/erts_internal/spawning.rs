//! Spawning system processes.

use layout::Term;
use term::list;

use runtime::code::bif::{BifResult, badarg, system_limit};
use runtime::exec::spawn::{self, SpawnError, SpawnOptions};
use runtime::process::Process;

/// `spawn_system_process(Module, Function, Args)`.
pub(crate) fn spawn_system_process_3(
    process: &mut Process,
    [module, function, arguments]: [Term; 3],
) -> BifResult {
    if !module.is_atom() || !function.is_atom() {
        return Err(badarg(1));
    }
    let arity = list::length(arguments).ok_or(badarg(3))? as u32;
    let options = SpawnOptions {
        system: true,
        ..SpawnOptions::default()
    };
    spawn::spawn(process, module, function, arguments, arity, options)
        .map(|spawned| spawned.pid)
        .map_err(|SpawnError::Limit| system_limit())
}
