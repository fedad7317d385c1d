//! Entering and leaving the engine.

use layout::{Context, Term};

use crate::form::{Exit, Handler};

/// Runs the process of the context from [`ProcessHead::ip`](layout::ProcessHead::ip) on, until it leaves.
///
/// Before: `context.process`, `context.runtime` and `context.reductions_left` (usually
/// [`REDUCTIONS_PER_SLICE`](layout::limits::REDUCTIONS_PER_SLICE)) are set, and the X registers that were saved lie on the
/// stack. After: heap, stack, `ip`, `saved_x` and `reductions_left` say where it is; after [`Exit::Exited`] only the heap
/// and the reductions mean anything.
///
/// # Safety
/// The process is runnable and owned by this thread, its `ip` is an instruction of live code, its heap and stack are
/// well-formed, and every function of the runtime's table keeps its documented contract.
pub unsafe fn run(context: *mut Context) -> Exit {
    // SAFETY: the caller's promises; the X registers that were saved are as many as `saved_x` says and are at the top of
    // the stack, as `leave` put them.
    unsafe {
        let process = (*context).process;
        let x = (&raw mut (*context).x).cast::<Term>();
        let saved = usize::from((*process).saved_x);
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
        exit
    }
}
