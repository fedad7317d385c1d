//! Freeing large tables whose owners have ended, on a thread that lives as long as there are any.
//!
//! Any thread may call. There is one such thread, however many owners end at once.

use parking_lot::Mutex;

use crate::Contents;

/// What is to be freed, and whether the thread is there to do it.
struct Waiting {
    contents: Vec<Contents>,
    is_served: bool,
}

static WAITING: Mutex<Waiting> = Mutex::new(Waiting {
    contents: Vec::new(),
    is_served: false,
});

/// Whether nothing waits to be freed, nor is being freed.
#[must_use]
pub fn is_idle() -> bool {
    !WAITING.lock().is_served
}

/// Frees contents later.
pub(crate) fn free(contents: Contents) {
    let mut waiting = WAITING.lock();
    waiting.contents.push(contents);
    if !waiting.is_served {
        let thread = std::thread::Builder::new().name("ets_free".to_owned());
        waiting.is_served = thread.spawn(serve).is_ok();
        if !waiting.is_served {
            // No thread can be started, so it is done here.
            let all = std::mem::take(&mut waiting.contents);
            drop(waiting);
            drop(all);
        }
    }
}

/// Frees one after the other until none waits.
fn serve() {
    while let Some(contents) = next() {
        drop(contents);
    }
}

fn next() -> Option<Contents> {
    let mut waiting = WAITING.lock();
    let next = waiting.contents.pop();
    waiting.is_served = next.is_some();
    next
}
