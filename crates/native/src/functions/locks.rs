//! Mutexes, condition variables and read-write locks: the system's, with names; and data of threads.

use std::cell::{RefCell, UnsafeCell};
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex as RustMutex;

/// One of the system's objects, and the name that it was given.
pub(super) struct Named<T> {
    object: UnsafeCell<T>,
    name: Option<CString>,
}

pub(super) type Mutex = Named<libc::pthread_mutex_t>;
pub(super) type Condition = Named<libc::pthread_cond_t>;
pub(super) type RwLock = Named<libc::pthread_rwlock_t>;

impl<T> Named<T> {
    /// # Safety
    /// `name` is null or a C string.
    unsafe fn create(object: T, name: *const c_char) -> *mut Named<T> {
        // SAFETY: the caller's promise.
        let name = (!name.is_null()).then(|| unsafe { CStr::from_ptr(name) }.to_owned());
        Box::into_raw(Box::new(Named {
            object: UnsafeCell::new(object),
            name,
        }))
    }

    fn name(&self) -> *const c_char {
        self.name.as_ref().map_or(ptr::null(), |name| name.as_ptr())
    }
}

/// A failure is a fault of the library, such as a mutex that is unlocked twice.
fn expect_success(what: &str, error: c_int) {
    assert!(error == 0, "a native library: {what}: error {error}");
}

macro_rules! objects {
    ($($create:ident $destroy:ident $name:ident : $type:ty = $initial:expr, $system_destroy:path;)*) => {
        $(
            #[unsafe(no_mangle)]
            pub(crate) unsafe extern "C" fn $create(name: *const c_char) -> *mut $type {
                // SAFETY: the header asks for a string or null.
                unsafe { Named::create($initial, name) }
            }

            #[unsafe(no_mangle)]
            pub(crate) unsafe extern "C" fn $destroy(object: *mut $type) {
                // SAFETY: the header asks for an object that nobody uses any more.
                unsafe {
                    $system_destroy((*object).object.get());
                    drop(Box::from_raw(object));
                }
            }

            #[unsafe(no_mangle)]
            pub(crate) extern "C" fn $name(object: Option<&$type>) -> *const c_char {
                object.map_or(ptr::null(), Named::name)
            }
        )*
    };
}

objects! {
    enif_mutex_create enif_mutex_destroy enif_mutex_name: Mutex = libc::PTHREAD_MUTEX_INITIALIZER, libc::pthread_mutex_destroy;
    enif_cond_create enif_cond_destroy enif_cond_name: Condition = libc::PTHREAD_COND_INITIALIZER, libc::pthread_cond_destroy;
    enif_rwlock_create enif_rwlock_destroy enif_rwlock_name: RwLock = libc::PTHREAD_RWLOCK_INITIALIZER, libc::pthread_rwlock_destroy;
}

macro_rules! operations {
    ($($function:ident($type:ty) = $system:path;)*) => {
        $(
            #[unsafe(no_mangle)]
            pub(crate) extern "C" fn $function(object: &$type) {
                // SAFETY: an object that is in use; the system's functions allow any thread.
                expect_success(stringify!($function), unsafe { $system(object.object.get()) });
            }
        )*
    };
}

operations! {
    enif_mutex_lock(Mutex) = libc::pthread_mutex_lock;
    enif_mutex_unlock(Mutex) = libc::pthread_mutex_unlock;
    enif_cond_signal(Condition) = libc::pthread_cond_signal;
    enif_cond_broadcast(Condition) = libc::pthread_cond_broadcast;
    enif_rwlock_rlock(RwLock) = libc::pthread_rwlock_rdlock;
    enif_rwlock_runlock(RwLock) = libc::pthread_rwlock_unlock;
    enif_rwlock_rwlock(RwLock) = libc::pthread_rwlock_wrlock;
    enif_rwlock_rwunlock(RwLock) = libc::pthread_rwlock_unlock;
}

macro_rules! attempts {
    ($($function:ident($type:ty) = $system:path;)*) => {
        $(
            /// Returns 0 if the lock was acquired.
            #[unsafe(no_mangle)]
            pub(crate) extern "C" fn $function(object: &$type) -> c_int {
                // SAFETY: as above.
                unsafe { $system(object.object.get()) }
            }
        )*
    };
}

attempts! {
    enif_mutex_trylock(Mutex) = libc::pthread_mutex_trylock;
    enif_rwlock_tryrlock(RwLock) = libc::pthread_rwlock_tryrdlock;
    enif_rwlock_tryrwlock(RwLock) = libc::pthread_rwlock_trywrlock;
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn enif_cond_wait(condition: &Condition, mutex: &Mutex) {
    // SAFETY: both are in use, and the caller holds the mutex, as the header asks.
    let error = unsafe { libc::pthread_cond_wait(condition.object.get(), mutex.object.get()) };
    expect_success("enif_cond_wait", error);
}

/// The keys of thread data, by the numbers that libraries see: for a key that is there, a number that no other key has
/// had; 0 for one that is not. The system's own keys are too few: libraries may make thousands.
static KEYS: RustMutex<Vec<u64>> = RustMutex::new(Vec::new());
static LAST_KEY: AtomicU64 = AtomicU64::new(0);

thread_local! {
    /// This thread's data, each with the key that it was set for.
    static DATA: RefCell<Vec<(u64, *mut c_void)>> = const { RefCell::new(Vec::new()) };
}

fn key_of(key: c_int) -> Option<(usize, u64)> {
    let index = usize::try_from(key).ok()?;
    let key = KEYS.lock().get(index).copied().filter(|key| *key > 0)?;
    Some((index, key))
}

/// Returns 0: there is no bound.
#[unsafe(no_mangle)]
pub(super) extern "C" fn enif_tsd_key_create(_name: *const c_char, key: &mut c_int) -> c_int {
    let mut keys = KEYS.lock();
    let number = keys.iter().position(|key| *key == 0).unwrap_or(keys.len());
    if number == keys.len() {
        keys.push(0);
    }
    keys[number] = LAST_KEY.fetch_add(1, Ordering::Relaxed) + 1;
    *key = number as c_int;
    0
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn enif_tsd_key_destroy(key: c_int) {
    let index = usize::try_from(key).unwrap_or(usize::MAX);
    if let Some(key) = KEYS.lock().get_mut(index) {
        *key = 0;
    }
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn enif_tsd_set(key: c_int, data: *mut c_void) {
    let (index, key) =
        key_of(key).expect("a native library: data of a thread for a key that was not created");
    // A thread that is ending has no data any more.
    let _ = DATA.try_with(|all| {
        let mut all = all.borrow_mut();
        if all.len() <= index {
            all.resize(index + 1, (0, ptr::null_mut()));
        }
        all[index] = (key, data);
    });
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn enif_tsd_get(key: c_int) -> *mut c_void {
    let Some((index, key)) = key_of(key) else {
        return ptr::null_mut();
    };
    let known = DATA.try_with(|all| all.borrow().get(index).copied());
    match known {
        Ok(Some((of, data))) if of == key => data,
        _ => ptr::null_mut(),
    }
}
