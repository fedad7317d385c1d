//! Spawning system processes.

use layout::Term;

use runtime::bif::{BifResult, badarg, system_limit};
use runtime::process::Process;
use runtime::process::spawn::{self, SpawnError, SpawnOptions};

/// `spawn_system_process(Module, Function, Args)`.
pub fn spawn_system_process_3(
    process: &mut Process,
    [module, function, arguments]: [Term; 3],
) -> BifResult {
    if !module.is_atom() || !function.is_atom() {
        return Err(badarg(1));
    }
    let mut arity = 0;
    let mut rest = arguments;
    while rest.is_cons() {
        arity += 1;
        rest = rest.tail();
    }
    if !rest.is_nil() {
        return Err(badarg(3));
    }
    let options = SpawnOptions {
        system: true,
        ..SpawnOptions::default()
    };
    spawn::spawn(process, module, function, arguments, arity, options)
        .map(|spawned| spawned.pid)
        .map_err(|SpawnError::Limit| system_limit())
}
