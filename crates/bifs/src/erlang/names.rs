//! Registered names.

use layout::Term;
use term::{am, build};

use runtime::code::bif::{BifResult, badarg, badarg_because};
use runtime::effects::port;
use runtime::mail::current;
use runtime::mail::registry::{self, Refusal};
use runtime::process::Process;
use runtime::trace;

/// `register(Name, PidOrPort)`.
pub(crate) fn register_2(process: &mut Process, [name, identifier]: [Term; 2]) -> BifResult {
    if !name.is_atom() || name == am::UNDEFINED {
        return Err(badarg_because(am::NONE));
    }
    let given = if identifier.is_local_port() {
        port::signals::register(name, identifier)
    } else if identifier.is_local_pid() {
        registry::give(name, identifier)
    } else {
        return Err(badarg_because(am::NONE));
    };
    let cause = match given {
        Ok(()) => {
            trace::is_done_to(process, identifier, am::REGISTER, name);
            return Ok(am::TRUE);
        }
        Err(Refusal::NameTaken) => am::NONE,
        Err(Refusal::HasName) => am::REGISTERED_NAME,
        Err(Refusal::NotAlive) => am::NOTALIVE,
    };
    Err(badarg_because(cause))
}

/// `unregister(Name)`.
pub(crate) fn unregister_1(process: &mut Process, [name]: [Term; 1]) -> BifResult {
    let owner = registry::unregister(name).ok_or_else(|| badarg(1))?;
    if owner.is_local_port() {
        port::signals::has_lost_name(owner, name);
    } else {
        trace::is_done_to(process, owner, am::UNREGISTER, name);
    }
    Ok(am::TRUE)
}

/// `whereis(Name)`.
pub(crate) fn whereis_1(_process: &mut Process, [name]: [Term; 1]) -> BifResult {
    if !name.is_atom() {
        return Err(badarg(1));
    }
    Ok(registry::whereis(name).unwrap_or(am::UNDEFINED))
}

/// `registered()`.
pub(crate) fn registered_0(process: &mut Process, []: [Term; 0]) -> BifResult {
    let names = registry::names();
    current::charge(names.len() as i64 / 10);
    Ok(build::list(process.heap(), &names))
}
