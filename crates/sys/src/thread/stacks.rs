//! What the stacks of threads take: those that [`super::spawn`] started.

use std::mem::MaybeUninit;
use std::ops::Range;
use std::ptr;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::memory::page_bytes;

/// Addresses of the stacks of all such threads that run.
static STACKS: Mutex<Vec<Range<usize>>> = Mutex::new(Vec::new());

fn stacks() -> MutexGuard<'static, Vec<Range<usize>>> {
    STACKS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The stack of this thread counts until it is dropped.
pub(super) struct Counted(Option<Range<usize>>);

impl Counted {
    pub(super) fn here() -> Counted {
        let stack = own_stack();
        stacks().extend(stack.clone());
        Counted(stack)
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        let mut stacks = stacks();
        if let Some(at) = stacks
            .iter()
            .position(|stack| Some(stack) == self.0.as_ref())
        {
            stacks.swap_remove(at);
        }
    }
}

/// Resident bytes of all these stacks.
#[must_use]
pub fn bytes() -> u64 {
    // As long as the lock is held, none of the threads ends, and its stack stays mapped.
    stacks().iter().cloned().map(resident_bytes).sum()
}

fn resident_bytes(stack: Range<usize>) -> u64 {
    let mut pages = vec![0_u8; stack.len().div_ceil(page_bytes())];
    if cfg!(miri) {
        return 0;
    }
    // SAFETY: fills one byte for each page of the range, and touches none of them.
    let result = unsafe {
        libc::mincore(
            ptr::without_provenance_mut(stack.start),
            stack.len(),
            pages.as_mut_ptr(),
        )
    };
    let resident = pages.iter().filter(|page| **page & 1 != 0).count();
    match result {
        0 => (resident * page_bytes()) as u64,
        _ => 0,
    }
}

/// The addresses of this thread's stack.
fn own_stack() -> Option<Range<usize>> {
    if cfg!(miri) {
        return None;
    }
    let mut attributes = MaybeUninit::<libc::pthread_attr_t>::uninit();
    let (mut start, mut bytes) = (ptr::null_mut(), 0);
    // SAFETY: the first call fills the attributes, or fails; the others read them and end them.
    unsafe {
        if libc::pthread_getattr_np(libc::pthread_self(), attributes.as_mut_ptr()) != 0 {
            return None;
        }
        libc::pthread_attr_getstack(attributes.as_ptr(), &raw mut start, &raw mut bytes);
        libc::pthread_attr_destroy(attributes.as_mut_ptr());
    }
    let start = start.addr();
    (bytes > 0).then_some(start..start + bytes)
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    #[test]
    #[cfg_attr(miri, ignore = "Miri has no such system call")]
    fn what_a_thread_touches_of_its_stack_counts_while_it_runs() {
        const BYTES: usize = 1 << 20;
        #[inline(never)]
        fn touch() {
            std::hint::black_box([1_u8; BYTES]);
        }
        let (is_done, waits) = mpsc::channel();
        let (go_on, goes_on) = mpsc::channel::<()>();
        let thread = super::super::spawn("ferl_stack", 4 << 20, move || {
            let before = resident_bytes(own_stack().unwrap());
            touch();
            is_done.send(before).unwrap();
            goes_on.recv().unwrap();
            own_stack().unwrap()
        });
        let before = waits.recv().unwrap();
        assert!((1..BYTES as u64).contains(&before), "{before}");
        assert!(bytes() >= before + BYTES as u64);
        go_on.send(()).unwrap();
        let stack = thread.unwrap().join().unwrap();
        assert!(!stacks().contains(&stack));
    }
}
