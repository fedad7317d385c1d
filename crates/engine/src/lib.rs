//! The engine: operation bodies, their threaded and native forms, and the assembler that brings a module into them.
//!
//! - [`assemble()`] turns the generic operations of a module into [`Code`].
//! - [`run()`] runs the process of a context until it leaves, and says why ([`Exit`]).
//! - [`start`] has what the runtime needs to start processes and to make exports callable.
//!
//! **Code.** An instruction is the address of its handler and its operand words ([`operand`]). A code address is that
//! of an instruction's first word. A function's entry is preceded by `func_info` (handler, module, function, arity), so
//! `entry[-1]` is the arity.
//!
//! **Forms.** The bodies exist twice: as handlers that fetch their operands from the words, and as stencils, machine code
//! to be copied and patched ([`native`]). A module has its words in any case; where there are stencils, the handler word
//! of each instruction is the address of its own machine code, which needs no dispatch. Nobody else can tell.
//!
//! **Frames.** A call pushes its return address and enters; `allocate` moves the stack pointer down by the frame's Y
//! registers, of which y0 is at the pointer. So a stack is a run of words of which those with the low bits `00` are
//! return addresses and all others are terms (or catch marks, which are immediates). The collector leaves the first
//! kind alone and treats the others as roots; the unwinder looks for catch marks; a stack trace is the return addresses
//! from the pointer up, each looked up with [`Code::place`] at the word before it (it points behind its call). The lowest
//! frame's return address is [`start::process_end`].
//!
//! **Safepoints.** Bodies collect only in `allocate`, `test_heap` and their kin (x0..x`live` and the whole stack live),
//! at the start of a receive (no X register lives), after a BIF call (x0), after a guard BIF with a live count, and when
//! a process leaves with more X registers than the stack has room for. At a call whose reductions are used up, x0..
//! x`arity` are pushed (x0 at the lowest address), `saved_x` counts them, and [`run()`] pops them again.
//!
//! Everything runs on the thread that owns the context.

#[macro_use]
mod stencil_table;

pub mod assemble;
mod bodies;
mod breakpoints;
pub mod code;
pub mod debugger;
mod form;
mod machine;
pub mod native;
pub mod operand;
mod operation;
mod run;
mod slow;
pub mod start;

pub use assemble::{AssembleError, Module, assemble, constant_keys};
pub use code::{Code, Place};
pub use form::{Exit, Handler};
pub use run::run;
