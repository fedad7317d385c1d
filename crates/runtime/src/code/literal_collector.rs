//! Freeing the literal areas of purged modules and removed persistent terms.
//!
//! A heap may still refer to such literals, and messages may; what is kept outside processes never does
//! (`term::literal`). `erts_literal_area_collector` drives this, one area at a time: it switches to the next area,
//! makes every process copy the literals that it uses from it, and switches again, which frees it. Any thread may call
//! these functions.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};

use layout::Term;
use parking_lot::Mutex;
use term::copy::kept;
use term::{am, literal};

use super::literals::Area;
use super::modules::Loaded;
use crate::mail::{loans, signal, world};
use crate::process::Process;

/// A removed module or persistent term, with its literal area, which processes may still refer to.
enum Former {
    Module(Arc<Loaded>),
    Value(Area),
}

impl Former {
    fn addresses(&self) -> Range<usize> {
        match self {
            Former::Module(loaded) => loaded.literals.addresses(),
            Former::Value(area) => area.addresses(),
        }
    }
}

/// Areas that wait to be freed, and the one whose literals processes are copying at present.
#[derive(Default)]
struct Areas {
    waiting: VecDeque<Former>,
    present: Option<Former>,
}

static AREAS: LazyLock<Mutex<Areas>> = LazyLock::new(Mutex::default);

/// The pid of `erts_literal_area_collector`, as bits; 0 before that process exists.
static COLLECTOR: AtomicU64 = AtomicU64::new(0);

/// Sets the process that collects literal areas; called once, at the start.
pub fn set_collector(pid: Term) {
    COLLECTOR.store(pid.bits(), Ordering::Release);
}

/// Whether this is the process that collects literal areas. No other may: an area is freed when that process says that
/// all others have copied its literals.
#[must_use]
pub fn is_collector(process: &Process) -> bool {
    process.pid().bits() == COLLECTOR.load(Ordering::Acquire)
}

/// Frees the memory of a purged version of a module once no heap points into its literals.
pub fn free_module(loaded: Arc<Loaded>) {
    free(Former::Module(loaded));
}

/// Frees the area of a removed value once no heap points into it.
pub fn free_value(area: Area) {
    free(Former::Value(area));
}

fn free(former: Former) {
    AREAS.lock().waiting.push_back(former);
    let bits = COLLECTOR.load(Ordering::Acquire);
    if bits != 0 {
        // SAFETY: the bits of a local pid, an immediate.
        let collector = unsafe { Term::from_bits(bits) };
        signal::send_message(am::SYSTEM, collector, am::COPY_LITERALS);
    }
}

/// Called when every process has copied the literals that it used from the present area: frees that area and begins
/// with the next. Returns false if there is none.
pub fn release_area_switch() -> bool {
    let (done, next) = {
        let mut areas = AREAS.lock();
        (areas.present.take(), areas.waiting.pop_front())
    };
    let addresses = next.as_ref().map_or(0..0, Former::addresses);
    // The world is stopped because a copy in progress has already computed its size, which depends on the doomed area.
    // No lock may be held here: a thread that waits for it would not stop.
    world::stopped(|| literal::doom(&addresses));
    // A dirty call of a process that has ended may refer to the area, and its process was not asked.
    loans::after_departed(move || {
        if let Some(done) = done {
            kept::check(&done.addresses());
        }
    });
    let any = next.is_some();
    AREAS.lock().present = next;
    any
}

/// The addresses of the present area.
pub(crate) fn present() -> Option<Range<usize>> {
    AREAS.lock().present.as_ref().map(Former::addresses)
}
