//! `process_flag(save_calls, Length)`: a process keeps the names of the last functions that it has called by their full
//! names, and when it has sent, received, or waited in vain.
//!
//! While there is such a process, the calls of all exports are told of ([`exports`]); other processes' calls are slower
//! then.

use std::any::Any;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use layout::{Export, Heap, Term};
use term::{am, build};

use super::{exports, settle_flag};
use crate::mail::world;
use crate::process::Process;
use crate::process::dirty::DirtyKind;

/// The processes that save calls, and those that are about to.
static SAVERS: AtomicUsize = AtomicUsize::new(0);
/// Whether the calls of all exports are told of. Changes while the world is stopped.
static IS_ON: AtomicBool = AtomicBool::new(false);

/// Whether the calls of all exports are told of.
#[inline]
#[must_use]
pub(super) fn is_on() -> bool {
    IS_ON.load(Ordering::Relaxed)
}

/// Has calls told of as long as it exists.
struct Share;

impl Share {
    fn new() -> Share {
        SAVERS.fetch_add(1, Ordering::SeqCst);
        if !is_on() {
            world::stopped(|| {
                IS_ON.store(true, Ordering::SeqCst);
                exports::settle_all();
            });
        }
        Share
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        if SAVERS.fetch_sub(1, Ordering::SeqCst) > 1 {
            return;
        }
        // Later, because the world cannot be stopped wherever a process ends.
        crate::mail::dirty::later(DirtyKind::Chore, || {
            world::stopped(|| {
                if SAVERS.load(Ordering::SeqCst) == 0 && IS_ON.swap(false, Ordering::SeqCst) {
                    exports::settle_all();
                }
            });
        });
    }
}

/// What a process has called: a function by module, name and arity, or an atom and twice NONE.
type Call = [Term; 3];

/// The last calls of a process, the oldest first.
pub struct Saved {
    calls: VecDeque<Call>,
    most: usize,
    #[expect(dead_code, reason = "it is held")]
    share: Share,
}

impl Saved {
    /// A place for this many calls; none for 0. Called in a BIF.
    #[must_use]
    pub fn new(most: usize) -> Option<Box<Saved>> {
        (most > 0).then(|| {
            Box::new(Saved {
                calls: VecDeque::new(),
                most,
                share: Share::new(),
            })
        })
    }

    fn add(&mut self, call: Call) {
        if self.calls.len() == self.most {
            self.calls.pop_front();
        }
        self.calls.push_back(call);
    }
}

/// Has a process save calls from now on, or no longer; returns how many it has saved at most. Only its owner calls
/// this.
pub fn set(process: &mut Process, saved: Option<Box<Saved>>) -> usize {
    if saved.is_none() && process.existing_extras().is_none() {
        return 0;
    }
    let saved = saved.map(|saved| saved as Box<dyn Any + Send>);
    let before = std::mem::replace(&mut process.extras().saved_calls, saved);
    settle_flag(process);
    let before = before.and_then(|before| before.downcast::<Saved>().ok());
    before.map_or(0, |before| before.most)
}

/// The value of `process_info(last_calls)`.
pub fn list(process: &Process, heap: &mut Heap) -> Term {
    let saved = process
        .existing_extras()
        .and_then(|extras| extras.saved_calls.as_ref()?.downcast_ref::<Saved>());
    let Some(saved) = saved else {
        return am::FALSE;
    };
    let calls = saved.calls.iter().map(|call| match call[1].is_none() {
        true => call[0],
        false => build::tuple(heap, call),
    });
    let calls: Vec<Term> = calls.collect();
    build::list(heap, &calls)
}

fn add(process: &mut Process, call: Call) {
    if process.is_sensitive() {
        return;
    }
    let saved = process
        .existing_extras_mut()
        .and_then(|extras| extras.saved_calls.as_mut()?.downcast_mut::<Saved>());
    if let Some(saved) = saved {
        saved.add(call);
    }
}

/// A process calls an export.
pub(super) fn called(process: &mut Process, export: &Export) {
    let arity = Term::small(export.arity.into());
    add(process, [export.module, export.function, arity]);
}

/// A process sends (`send`), receives (`'receive'`), or has waited in vain (`timeout`).
pub(crate) fn happens(process: &mut Process, what: Term) {
    add(process, [what, Term::NONE, Term::NONE]);
}

/// A process sends by the operator `!`, which on stock counts as a call too.
#[cold]
pub(crate) fn sends_by_operator(process: &mut Process) {
    add(process, [am::ERLANG, am::SEND, Term::small(2)]);
}

/// A version of a module becomes current, while the world is stopped.
pub fn loaded(module: Term) {
    if is_on() {
        exports::settle_module(module);
    }
}
