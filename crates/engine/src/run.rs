//! Entering and leaving the engine.

use layout::limits::X_REGISTERS;
use layout::{Context, Heap, Term};

use crate::form::{Exit, Handler};

/// Runs the process of the context, starting at [`ProcessHead::ip`](layout::ProcessHead::ip), until it leaves the
/// engine.
///
/// Before the call, `context.process`, `context.runtime` and `context.reductions_left` (usually
/// [`REDUCTIONS_PER_SLICE`](layout::limits::REDUCTIONS_PER_SLICE)) must be set, and the saved X registers must be on
/// the stack. Afterwards heap, stack, `ip`, `saved_x` and `reductions_left` describe the state of the process; after
/// [`Exit::Exited`] only the heap and the reductions are meaningful.
///
/// # Safety
/// The process is runnable and owned by this thread, its `ip` is an instruction of live code, its heap and stack are
/// well-formed, and every function of the runtime's table fulfils its documented contract.
pub unsafe fn run(context: *mut Context) -> Exit {
    // SAFETY: the caller's promises; `saved_x` is the number of saved X registers, and they are at the top of the
    // stack, where `leave` put them.
    unsafe {
        let process = (*context).process;
        check(&(*process).heap);
        let x = (&raw mut (*context).x).cast::<Term>();
        let saved = usize::from((*process).saved_x);
        debug_assert!(saved <= X_REGISTERS);
        let stack = (*process).heap.stack.cast::<Term>();
        x.copy_from_nonoverlapping(stack, saved);
        (*process).saved_x = 0;
        let stack = stack.add(saved);
        let ip = (*process).ip;
        let handler = *ip.cast::<Handler>();
        let (heap, reductions) = ((*process).heap.top, (*context).reductions_left);
        let exit = handler(x, stack, heap, reductions, context, ip);
        #[cfg(miri)]
        let exit = crate::form::trampoline::bounce(exit);
        check(&(*process).heap);
        exit
    }
}

/// What holds whenever a process is outside the engine: heap and stack lie within their block, and have not met.
fn check(heap: &Heap) {
    debug_assert!(heap.start <= heap.top, "the heap ends before its start");
    debug_assert!(heap.top <= heap.stack, "the heap is in the stack");
    debug_assert!(heap.stack <= heap.end, "the stack begins behind its end");
}
