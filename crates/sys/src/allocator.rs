//! The allocator of the program, and how it asks the system for memory.
//!
//! mimalloc reserves a gibibyte at its first allocation and by default makes all of it usable at once, which lets the
//! kernel fill it with huge pages for a few bytes in each: a node that has just booted held 130 MB. It is told to
//! take memory as it needs it, before anything is allocated.

pub use mimalloc::MiMalloc;

use libmimalloc_sys::{mi_option_set, mi_option_t};

/// `mi_option_arena_eager_commit` of mimalloc 2 and 3, which the crate has no name for.
const ARENA_EAGER_COMMIT: mi_option_t = 4;

/// Called by the C library before `main`, and before Rust allocates.
#[used]
// SAFETY: the section holds functions without arguments, and this is one.
#[unsafe(link_section = ".init_array")]
static CONFIGURE: extern "C" fn() = configure;

extern "C" fn configure() {
    // SAFETY: sets a number in a table, and nothing else runs yet.
    unsafe { mi_option_set(ARENA_EAGER_COMMIT, 0) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_taken_as_it_is_needed() {
        // SAFETY: reads a number from a table.
        assert_eq!(
            unsafe { libmimalloc_sys::mi_option_get(ARENA_EAGER_COMMIT) },
            0
        );
    }
}
