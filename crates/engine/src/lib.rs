//! The engine: operation bodies, their threaded and native forms, and the code generator that translates a module into
//! them.
//!
//! - [`generate()`] turns the generic operations of a module into [`Code`].
//! - [`run()`] runs the process of a context until it leaves the engine, and returns the reason ([`Exit`]).
//! - [`start`] has what the runtime needs to start processes and to make exports callable.
//!
//! **Code.** An instruction is a word with the address of its handler, followed by its operand words ([`operand`]). A
//! code address is the address of an instruction's first word. A function's entry is preceded by `func_info`
//! (handler, module, function, a word for [`tiering`], arity), so `entry[-1]` is the arity.
//!
//! **Forms.** The bodies exist twice: as handlers that fetch their operands from the words, and as stencils, which
//! are pieces of machine code that are copied and patched ([`native`]). A module always has its words. Where there
//! are stencils, and the module runs often ([`tiering`]), the handler word of each instruction holds the address of
//! that instruction's own machine code, which needs no dispatch. Code outside the engine sees no difference.
//!
//! **Frames.** A call pushes its return address and jumps to the callee; `allocate` moves the stack pointer down by
//! the size of the frame's Y registers, so that y0 is at the stack pointer. A stack is therefore a sequence of words
//! in which those with the low bits `00` are return addresses and all others are terms (or catch marks, which are
//! immediates). The collector skips return addresses and treats all other words as roots; the unwinder looks for
//! catch marks; a stack trace consists of the return addresses from the stack pointer up. A return address points
//! behind its call, so [`Code::place`] is asked for the word before it. The return address of the bottom frame is
//! [`start::process_end`].
//!
//! **Safepoints.** Bodies collect garbage only in `allocate`, `test_heap` and similar operations (x0..x`live` and the
//! whole stack are live), at the start of a receive (no X register is live), after a BIF call (x0 is live), after a
//! guard BIF with a live count, and when a process leaves the engine with more live X registers than the stack has
//! room for. When the reductions are used up at a call, x0..x`arity` are pushed (x0 at the lowest address), `saved_x`
//! holds their number, and [`run()`] pops them again.
//!
//! Everything runs on the thread that owns the context.

// They panic where the terminal, pipe or disk behind is gone: `sys::standard`.
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]

#[macro_use]
mod operation_table;

mod bodies;
pub mod breakpoints;
pub mod code;
pub mod codegen;
pub mod coverage;
mod detour;
mod encoding;
mod form;
pub mod gdb_jit;
pub mod line_breakpoints;
pub mod native;
mod operand;
mod operation;
pub mod outline;
mod registers;
mod routine;
mod run;
mod slow;
pub mod start;
pub mod tiering;

pub use code::{Code, CodeLocation};
pub use codegen::{
    CodegenError, Module, constant_keys, generate, generate_threaded, has_operation,
};
pub use coverage::{Coverage, CoverageMode, Covered};
pub use form::{Exit, Handler};
pub use line_breakpoints::{LineBreakpoints, StopLine};
pub use outline::Outline;
pub use run::run;
