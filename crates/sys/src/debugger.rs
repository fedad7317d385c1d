//! Telling debuggers about code generated at run time: the JIT interface of GDB, which LLDB supports as well.
//!
//! A debugger sets a breakpoint in the function `__jit_debug_register_code`, and reads a list of ELF objects from the
//! variable `__jit_debug_descriptor` when the function is called and when it attaches. A lock guards the variable.

use std::ptr::null_mut;
use std::sync::{Mutex, PoisonError};

/// An object in the list, as the interface defines it.
#[repr(C)]
struct Entry {
    next: *mut Entry,
    previous: *mut Entry,
    object: *const u8,
    object_bytes: u64,
}

/// The type of the variable, as the interface defines it.
#[repr(C)]
struct Descriptor {
    version: u32,
    action: u32,
    relevant: *mut Entry,
    first: *mut Entry,
}

const REGISTER: u32 = 1;
const UNREGISTER: u32 = 2;

#[unsafe(no_mangle)]
static mut __jit_debug_descriptor: Descriptor = Descriptor {
    version: 1,
    action: 0,
    relevant: null_mut(),
    first: null_mut(),
};

/// The debugger stops the program here and reads the descriptor.
#[unsafe(no_mangle)]
#[inline(never)]
extern "C" fn __jit_debug_register_code() {
    // Without a body the compiler might merge it with another function.
    std::hint::black_box(REGISTER);
}

/// Guards the descriptor and all entries.
static LIST: Mutex<()> = Mutex::new(());

/// An object that debuggers see until this is dropped.
#[derive(Debug)]
pub struct Registration {
    entry: *mut Entry,
    /// The entry points to it.
    _object: Box<[u8]>,
}

// SAFETY: the entry is only accessed under the lock.
unsafe impl Send for Registration {}
// SAFETY: as above; a shared registration has no operations.
unsafe impl Sync for Registration {}

impl Registration {
    /// Registers an ELF object, whose sections name the addresses where the code lies now.
    #[must_use]
    pub fn new(object: Vec<u8>) -> Registration {
        let object = object.into_boxed_slice();
        let _locked = LIST.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: the lock gives exclusive access to the list, and its entries live until they are removed from it.
        let entry = unsafe {
            let next = __jit_debug_descriptor.first;
            let entry = Box::into_raw(Box::new(Entry {
                next,
                previous: null_mut(),
                object: object.as_ptr(),
                object_bytes: object.len() as u64,
            }));
            if let Some(next) = next.as_mut() {
                next.previous = entry;
            }
            __jit_debug_descriptor.first = entry;
            tell(REGISTER, entry);
            entry
        };
        Registration {
            entry,
            _object: object,
        }
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        let _locked = LIST.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: as above; the entry is in the list, and nothing refers to it once it is removed.
        unsafe {
            let Entry { next, previous, .. } = *self.entry;
            match previous.as_mut() {
                Some(previous) => previous.next = next,
                None => __jit_debug_descriptor.first = next,
            }
            if let Some(next) = next.as_mut() {
                next.previous = previous;
            }
            tell(UNREGISTER, self.entry);
            drop(Box::from_raw(self.entry));
        }
    }
}

/// Tells a debugger about a change of an entry.
///
/// # Safety
/// The caller holds the lock, and the entry is alive.
unsafe fn tell(action: u32, entry: *mut Entry) {
    // SAFETY: the caller's promise.
    unsafe {
        __jit_debug_descriptor.relevant = entry;
        __jit_debug_descriptor.action = action;
        __jit_debug_register_code();
        __jit_debug_descriptor.relevant = null_mut();
        __jit_debug_descriptor.action = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The objects in the list, the latest first.
    fn objects() -> Vec<Vec<u8>> {
        let _locked = LIST.lock().unwrap();
        let mut found = Vec::new();
        // SAFETY: the list is ours while it is locked.
        unsafe {
            let mut entry = __jit_debug_descriptor.first;
            let mut previous = null_mut();
            while let Some(at) = entry.as_ref() {
                assert_eq!(at.previous, previous);
                let length = at.object_bytes as usize;
                found.push(std::slice::from_raw_parts(at.object, length).to_vec());
                (previous, entry) = (entry, at.next);
            }
        }
        found
    }

    #[test]
    fn objects_are_listed_until_they_are_dropped() {
        let [a, b, c] = [1u8, 2, 3].map(|byte| Registration::new(vec![byte; 4]));
        assert_eq!(objects(), [[3; 4], [2; 4], [1; 4]]);
        drop(b);
        assert_eq!(objects(), [[3; 4], [1; 4]]);
        drop(c);
        assert_eq!(objects(), [[1; 4]]);
        drop(a);
        assert!(objects().is_empty());
    }
}
