//! A process for whose heap there is no memory within the budget.
//!
//! It is not always the one to blame. If it would hold more than any other that may end, it ends. If not, those that
//! hold more end, and it waits for their memory. One process after the other is judged, so that several that are short
//! at the same time do not each end somebody.

use std::time::{Duration, Instant};

use parking_lot::Mutex;
use runtime::mail::current;
use runtime::mail::hooks::Shortage;
use runtime::process::Process;
use sys::allocator;
use sys::memory::{budget as gauge, settling};

use crate::watcher::COUNTS;
use crate::{budget, offender};

/// How long a process waits for the memory of those that were ended for it.
const PATIENCE: Duration = Duration::from_millis(500);
const LOOKS_EVERY: Duration = Duration::from_millis(2);

/// How often a process that must not end is told to try again.
const MOST_TRIES: u32 = 10;

static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// See `runtime::mail::hooks::Hooks::memory_short`.
pub fn short(process: &Process, own: u64, needed: u64) -> Shortage {
    // Where the system itself has no memory, for example of addresses, nobody's end within the budget would help.
    let was_refused = allocator::take_refusal();
    let Some(found) = budget::found().filter(|_| was_refused) else {
        return Shortage::Unknown;
    };
    let _turn = ONE_AT_A_TIME.lock();
    if gauge::has_room(needed) {
        return Shortage::Relieved;
    }
    let marks = found.marks();
    let is_kept = offender::is_kept(process);
    let larger_than = match is_kept {
        true => 0,
        false => offender::weight(process, own.saturating_add(needed)),
    };
    for _ in 0..MOST_TRIES {
        let resident = gauge::measure();
        let ended = offender::end_larger(larger_than, needed, &marks, resident);
        COUNTS.add_ended(ended);
        if ended == 0 {
            break;
        }
        if waits_for_room(needed) {
            return Shortage::Relieved;
        }
        if !is_kept {
            break;
        }
    }
    let about = offender::about(process);
    about.tell(&marks, gauge::measure());
    COUNTS.add_ended(1);
    Shortage::Ends
}

/// Waits until those that were ended are gone. On a scheduler that is the only one nobody can end meanwhile.
fn waits_for_room(needed: u64) -> bool {
    let since = Instant::now();
    let patience = match current::current_number() {
        0 => PATIENCE,
        _ => PATIENCE / 10,
    };
    while since.elapsed() < patience {
        std::thread::sleep(LOOKS_EVERY);
        settling::settle();
        if gauge::has_room(needed) {
            return true;
        }
    }
    false
}
