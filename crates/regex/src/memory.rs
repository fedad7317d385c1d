//! PCRE2 takes the memory for backtracking from the machine's allocator, which may refuse what is large.

use std::alloc::{Layout, alloc, dealloc};
use std::ffi::c_void;
use std::ptr;
use std::sync::LazyLock;

use pcre2_sys as pcre;
use sys::allocator;

/// What stands before each block: its size, in as many bytes as a block is aligned to.
const HEADER: usize = 16;

struct Context(*mut pcre::pcre2_general_context_8);

// SAFETY: nobody changes it once it is made.
unsafe impl Send for Context {}
// SAFETY: as above.
unsafe impl Sync for Context {}

/// With what PCRE2 allocates match data and all that hangs on it.
pub(crate) fn context() -> *mut pcre::pcre2_general_context_8 {
    static CONTEXT: LazyLock<Context> = LazyLock::new(|| {
        // SAFETY: the functions keep C's contract of `malloc` and `free`; there is no data.
        let context = unsafe {
            pcre::pcre2_general_context_create_8(Some(take), Some(give_back), ptr::null_mut())
        };
        assert!(!context.is_null(), "no memory for a few bytes");
        Context(context)
    });
    CONTEXT.0
}

fn layout(bytes: usize) -> Option<Layout> {
    Layout::from_size_align(bytes.checked_add(HEADER)?, HEADER).ok()
}

extern "C" fn take(bytes: usize, _: *mut c_void) -> *mut c_void {
    let Some(layout) = layout(bytes) else {
        return ptr::null_mut();
    };
    // SAFETY: the size is not zero.
    let block = allocator::attempt(|| unsafe { alloc(layout) });
    if block.is_null() {
        // It is told by PCRE2's error code.
        allocator::take_refusal();
        return ptr::null_mut();
    }
    // SAFETY: the block has room for the header, and is aligned for it.
    unsafe {
        block.cast::<usize>().write(bytes);
        block.add(HEADER).cast()
    }
}

extern "C" fn give_back(block: *mut c_void, _: *mut c_void) {
    if block.is_null() {
        return;
    }
    // SAFETY: `take` has made it, with its size before it.
    unsafe {
        let block = block.cast::<u8>().sub(HEADER);
        let bytes = block.cast::<usize>().read();
        if let Some(layout) = layout(bytes) {
            dealloc(block, layout);
        }
    }
}
