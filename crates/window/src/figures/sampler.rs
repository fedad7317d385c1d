//! The thread that takes a reading each second while the window is open.
//!
//! It is started when the window is opened for the first time, and lives as long as the node: while the window is
//! closed it waits. It takes no lock that others hold for long, so it goes on when all schedulers are stuck.

use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

use super::reading::{Reading, Slow};
use super::ring::STEP_MS;
use super::state::STATE;
use crate::processes;

const STEP: Duration = Duration::from_millis(STEP_MS);
const STACK_BYTES: usize = 256 << 10;

static STARTED: Mutex<bool> = Mutex::new(false);
static OPENED: Condvar = Condvar::new();

/// Starts the thread, unless it runs.
pub(super) fn start() -> sys::Result<()> {
    let mut started = STARTED.lock();
    if !*started {
        sys::thread::spawn("window_sampler", STACK_BYTES, run)?;
        *started = true;
    }
    Ok(())
}

/// Tells the thread that the window was opened.
pub(super) fn wake() {
    OPENED.notify_one();
}

fn run() {
    loop {
        let mut state = STATE.lock();
        OPENED.wait_while(&mut state, |state| state.is_none());
        drop(state);
        sample();
    }
}

/// Takes samples until the window is closed.
fn sample() {
    let mut slow = Slow::default();
    let mut before: Option<Arc<Reading>> = None;
    let mut due = Instant::now();
    loop {
        let late = Instant::now().saturating_duration_since(due);
        let missed = late.as_millis() as u64 / STEP_MS;
        due += STEP * u32::try_from(missed + 1).unwrap_or(u32::MAX);
        let now = Arc::new(Reading::take(&mut slow));
        {
            let mut state = STATE.lock();
            let Some(open) = state.as_mut() else { return };
            // The window may have been closed and opened again meanwhile: then this is the first reading.
            if open.last.is_none() {
                before = None;
            }
            open.ring.add(&open.rows, before.as_deref(), &now, missed);
            if let Some(number) = open.ring.newest() {
                open.peers.put(number, &now.each_peer);
            }
            open.last = Some(Arc::clone(&now));
        }
        before = Some(now);
        processes::tidy();
        std::thread::sleep(due.saturating_duration_since(Instant::now()));
        if STATE.lock().is_none() {
            return;
        }
    }
}
