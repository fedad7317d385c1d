//! What runs processes: the schedulers' loops, what the engine calls, spawning and exit, and the end of the node.

mod engine_calls;
pub mod exit;
pub mod halt;
pub mod scheduler;
pub mod spawn;

use crate::effects::port;
use crate::mail::hooks::Machine;

/// What the lower rooms leave to the upper ones.
pub static MACHINE: Machine = Machine {
    run_dirty_scheduler: scheduler::dirty::run,
    do_dirty_work: scheduler::dirty::perform_here,
    attend_lent: scheduler::loans::attend,
    link_refused: port::signals::link_refused,
    process_down: port::signals::process_down,
};
