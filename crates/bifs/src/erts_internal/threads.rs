//! Queries of OTP about the VM's threads.

use layout::Term;
use term::am;

use runtime::code::bif::{BifResult, badarg};
use runtime::mail::{idle, schedulers, world};
use runtime::process::Process;

/// `scheduler_wall_time(Enable)`: returns whether it was on. The time is always measured; this sets whether it is
/// reported.
pub(crate) fn scheduler_wall_time_1(_process: &mut Process, [enable]: [Term; 1]) -> BifResult {
    Ok(am::boolean(idle::tell_wall_time(enable == am::TRUE)))
}

/// `no_aux_work_threads()`: threads that work for others, of which OTP expects one besides the schedulers.
pub(crate) fn no_aux_work_threads_0(_process: &mut Process, []: [Term; 0]) -> BifResult {
    Ok(Term::small(schedulers::schedulers().all.len() as i64 + 1))
}

/// `system_check(schedulers)`: returns once all schedulers have responded.
pub(crate) fn system_check_1(_process: &mut Process, [kind]: [Term; 1]) -> BifResult {
    if kind != am::SCHEDULERS {
        return Err(badarg(1));
    }
    // This needs every scheduler between two slices, so none of them hangs in one.
    world::stopped(|| ());
    Ok(am::OK)
}
