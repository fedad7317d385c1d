//! Monitors of processes.

use std::cmp::Ordering;
use std::ffi::c_int;

use layout::Term;
use runtime::process::table;

use crate::driver::abi::{Handle, Monitor};
use crate::driver::port;

/// Returns 0; below 0 if the driver has no function for it; above 0 if there is no such process.
#[unsafe(no_mangle)]
pub(super) extern "C" fn driver_monitor_process(
    port: Handle,
    pid: Term,
    monitor: &mut Monitor,
) -> c_int {
    let made = port::with(port, |shared, access| {
        if shared.driver.entry().process_exit.is_none() {
            return -1;
        }
        if !table::exists(pid) {
            return 1;
        }
        let number = access.monitor(pid);
        shared.monitored.lock().insert(number, pid);
        *monitor = Monitor {
            number,
            spare: [0; 2],
        };
        0
    });
    made.unwrap_or(-1)
}

/// Returns 0; above 0 if there is no such monitor; below 0 if there is no such port.
#[unsafe(no_mangle)]
pub(super) extern "C" fn driver_demonitor_process(port: Handle, monitor: &Monitor) -> c_int {
    let number = monitor.number;
    let removed = port::with(port, |shared, access| {
        access.demonitor(number);
        shared.monitored.lock().remove(&number).is_some()
    });
    removed.map_or(-1, |removed| c_int::from(!removed))
}

/// The process, or `undefined` if there is no such monitor.
#[unsafe(no_mangle)]
pub(super) extern "C" fn driver_get_monitored_process(port: Handle, monitor: &Monitor) -> Term {
    let pid =
        port::find(port).and_then(|shared| shared.monitored.lock().get(&monitor.number).copied());
    pid.unwrap_or(Term::NIL)
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn driver_compare_monitors(one: &Monitor, other: &Monitor) -> c_int {
    match one.cmp(other) {
        Ordering::Less => -1,
        Ordering::Equal => 0,
        Ordering::Greater => 1,
    }
}
