//! How libraries take part in the end of the node and in their own (`enif_set_option`). They are told that the node
//! ends, and a node that ends after it has flushed its output waits until no function of a library that has asked for
//! that is running any more. When a library's module is purged, every scheduler may call it, to free what it keeps for
//! the thread. As on stock, dirty ones do not.
//!
//! A library says what it wants while it is loaded, once; later it is only read. The thread that ends the node calls
//! [`node_ends`]; no process runs then, but functions on dirty schedulers do.

use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock, Weak};

use parking_lot::{Condvar, Mutex};

use runtime::mail::aux_work::{self, AuxWork};

use crate::library::Library;

/// Called with what the library keeps for itself.
pub(crate) type Callback = unsafe extern "C" fn(data: *mut c_void);

/// What a library has asked for.
#[derive(Default)]
pub(crate) struct Ending {
    told: OnceLock<Callback>,
    /// What every scheduler calls when the module is purged.
    thread_leaves: OnceLock<Callback>,
    /// Whether its functions return before the node ends.
    is_awaited: AtomicBool,
    /// How many of its functions run, if it is awaited.
    running: Mutex<usize>,
    returned: Condvar,
}

/// The libraries that take part.
static LIBRARIES: Mutex<Vec<Weak<Library>>> = Mutex::new(Vec::new());

/// Set when libraries have been told: no function of one that is awaited begins any more.
static HAS_BEGUN: AtomicBool = AtomicBool::new(false);

impl Ending {
    /// Has the library told; returns false if it was set before.
    pub(crate) fn tell(&self, callback: Callback) -> bool {
        self.told.set(callback).is_ok()
    }

    /// Has every scheduler call this when the module is purged; returns false if it was set before.
    pub(crate) fn tell_threads(&self, callback: Callback) -> bool {
        self.thread_leaves.set(callback).is_ok()
    }

    /// Has the library awaited; returns false if it was set before.
    pub(crate) fn wait_for_it(&self) -> bool {
        !self.is_awaited.swap(true, Ordering::AcqRel)
    }

    /// Notes that a function of the library runs, as long as the result lives.
    #[inline]
    pub(crate) fn enter(&self) -> Option<Running<'_>> {
        self.is_awaited
            .load(Ordering::Relaxed)
            .then(|| self.count())
    }

    #[cold]
    fn count(&self) -> Running<'_> {
        let mut running = self.running.lock();
        if HAS_BEGUN.load(Ordering::SeqCst) {
            drop(running);
            loop {
                std::thread::park();
            }
        }
        *running += 1;
        Running(self)
    }

    fn wait(&self) {
        let mut running = self.running.lock();
        while *running > 0 {
            self.returned.wait(&mut running);
        }
    }
}

/// A function of a library that is awaited runs.
pub(crate) struct Running<'a>(&'a Ending);

impl Drop for Running<'_> {
    fn drop(&mut self) {
        *self.0.running.lock() -= 1;
        self.0.returned.notify_all();
    }
}

/// Notes a library that has been loaded, if it takes part.
pub(crate) fn note(library: &Arc<Library>) {
    let Ending {
        told, is_awaited, ..
    } = &library.ending;
    if told.get().is_some() || is_awaited.load(Ordering::Acquire) {
        let mut libraries = LIBRARIES.lock();
        libraries.retain(|known| known.strong_count() > 0);
        libraries.push(Arc::downgrade(library));
    }
}

/// The library's module was purged: every scheduler is told. The library lives until the last one was, so `unload`
/// follows.
pub(crate) fn purged(library: Arc<Library>) {
    if let Some(&callback) = library.ending.thread_leaves.get() {
        // SAFETY: the library's function, which gets what the library keeps; that work keeps the library.
        let work: AuxWork = Arc::new(move || unsafe { callback(library.data()) });
        aux_work::on_every_scheduler(&work);
    }
}

/// The node ends: tells libraries, and waits for those that have asked for that.
pub fn node_ends() {
    HAS_BEGUN.store(true, Ordering::SeqCst);
    let known = LIBRARIES.lock();
    let libraries: Vec<Arc<Library>> = known.iter().filter_map(Weak::upgrade).collect();
    drop(known);
    for library in &libraries {
        if let Some(told) = library.ending.told.get() {
            // SAFETY: the library's function, which gets what the library keeps.
            unsafe { told(library.data()) };
        }
    }
    for library in &libraries {
        if library.ending.is_awaited.load(Ordering::Acquire) {
            library.ending.wait();
        }
    }
    // A library's end must not begin now.
    libraries.into_iter().for_each(std::mem::forget);
}
