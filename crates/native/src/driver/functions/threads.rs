//! Work on other threads, and locks for the data of a port that it uses.

use std::collections::{HashMap, VecDeque};
use std::ffi::{c_long, c_uint, c_void};
use std::ptr;
use std::sync::atomic::{AtomicI64, AtomicIsize, Ordering};
use std::sync::{Arc, LazyLock};

use parking_lot::lock_api::RawMutex as _;
use parking_lot::{Mutex, RawMutex};
use runtime::process::dirty::DirtyKind;

use crate::driver::abi::Handle;
use crate::driver::port::{self, Shared};

type Work = unsafe extern "C" fn(data: *mut c_void);

/// Work that a driver has asked for.
struct Job {
    invoke: Work,
    result: Given,
}

/// The data of a job: given back to the driver, or freed by it.
struct Given {
    data: *mut c_void,
    free: Option<Work>,
    /// Dropped last: it keeps the library that the functions are in.
    shared: Arc<Shared>,
}

// SAFETY: the driver's data, which it has given away until it gets it back.
unsafe impl Send for Given {}

impl Drop for Given {
    fn drop(&mut self) {
        if let Some(free) = self.free.take() {
            // SAFETY: the driver's function; nobody else has the data.
            unsafe { free(self.data) };
        }
        self.shared.driver.job_ends();
    }
}

/// Jobs with the same key are done in order. The key is there as long as one of its jobs is.
static LINES: LazyLock<Mutex<HashMap<c_uint, VecDeque<Job>>>> = LazyLock::new(Mutex::default);

static COUNT: AtomicI64 = AtomicI64::new(0);

impl Job {
    fn run(self) {
        let Job { invoke, result } = self;
        // SAFETY: the driver's function, and its data.
        unsafe { invoke(result.data) };
        let Some(port) = result.shared.port.upgrade() else {
            return;
        };
        port.run_later(move |_, access| {
            let mut result = result;
            let Some(ready_async) = result.shared.driver.entry().ready_async else {
                return;
            };
            // The driver gets the data back.
            result.free = None;
            result.shared.call(access, |_, data| {
                // SAFETY: the driver's function, and its data.
                unsafe { ready_async(data, result.data) };
            });
        });
    }
}

/// Does all jobs of a key, one after the other.
fn run_line(key: c_uint) {
    loop {
        let job = {
            let mut lines = LINES.lock();
            let Some(job) = lines.get_mut(&key).and_then(VecDeque::pop_front) else {
                lines.remove(&key);
                return;
            };
            job
        };
        job.run();
    }
}

/// Has `invoke` called on a thread where it may block, and then `ready_async` for the port; with a key, after all
/// others that have the same. If the port is gone by then, `free` is called instead. Returns the number of the job;
/// below 0 if there is no such port.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn driver_async(
    port: Handle,
    key: Option<&c_uint>,
    invoke: Work,
    data: *mut c_void,
    free: Option<Work>,
) -> c_long {
    let Some(shared) = port::find(port) else {
        return -1;
    };
    shared.driver.job_begins();
    let job = Job {
        invoke,
        result: Given { data, free, shared },
    };
    match key {
        None => runtime::mail::dirty::later(DirtyKind::Io, move || job.run()),
        Some(&key) => {
            let mut lines = LINES.lock();
            let is_first = !lines.contains_key(&key);
            lines.entry(key).or_default().push_back(job);
            if is_first {
                runtime::mail::dirty::later(DirtyKind::Io, move || run_line(key));
            }
        }
    }
    COUNT.fetch_add(1, Ordering::Relaxed) + 1
}

/// A key for all jobs of a port; 0 if there is no such port.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn driver_async_port_key(port: Handle) -> c_uint {
    let is_there = port::with(port, |_, _| ()).is_some() || port::find(port).is_some();
    if is_there { (port >> 4) as c_uint } else { 0 }
}

/// `ErlDrvPDL`: a lock that is there as long as it is counted: once for its port, as long as that is there.
pub struct PortDataLock {
    lock: RawMutex,
    count: AtomicIsize,
}

/// A lock for the port's data; null if the port has one.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn driver_pdl_create(port: Handle) -> *mut PortDataLock {
    let Some(shared) = port::find(port) else {
        return ptr::null_mut();
    };
    let lock = Box::into_raw(Box::new(PortDataLock {
        lock: RawMutex::INIT,
        count: AtomicIsize::new(1),
    }));
    if shared.set_data_lock(lock) {
        return lock;
    }
    // SAFETY: made above; nobody else knows it.
    drop(unsafe { Box::from_raw(lock) });
    ptr::null_mut()
}

/// Whoever holds the lock counts it, so that it is there until it is unlocked.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn driver_pdl_lock(lock: &PortDataLock) {
    driver_pdl_inc_refc(lock);
    lock.lock.lock();
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn driver_pdl_unlock(lock: *mut PortDataLock) {
    // SAFETY: the header asks for a lock that the caller holds, and has counted when it locked it.
    unsafe {
        (*lock).lock.unlock();
        driver_pdl_dec_refc(lock);
    }
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn driver_pdl_get_refc(lock: &PortDataLock) -> isize {
    lock.count.load(Ordering::Acquire)
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn driver_pdl_inc_refc(lock: &PortDataLock) -> isize {
    lock.count.fetch_add(1, Ordering::Relaxed) + 1
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn driver_pdl_dec_refc(lock: *mut PortDataLock) -> isize {
    // SAFETY: the header asks for a lock that the caller has counted; whoever counts down to 0 is the last one.
    unsafe {
        let left = (*lock).count.fetch_sub(1, Ordering::AcqRel) - 1;
        if left == 0 {
            drop(Box::from_raw(lock));
        }
        left
    }
}
