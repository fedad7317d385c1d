//! Code as operation bodies see it: entries of exported functions and of funs, and the shape of an
//! instruction in the threaded form.
//!
//! An instruction is a word with the address of its handler, then its operand words. A code address
//! (label, return address, entry) is the address of an instruction's first word, 8-byte aligned, so
//! that on a stack it reads as a header and never as a term.
//!
//! The entry of a function is preceded by its `func_info` instruction, whose operand words end
//! right before it: module (atom), function (atom), arity (a plain number). So the arity of the
//! function that starts at `entry` is `entry[-1]`.

use core::sync::atomic::AtomicPtr;

use crate::context::Context;
use crate::term::Term;

/// A BIF as the engine calls it: `arguments` points to as many terms as its arity. Answers
/// [`Term::NONE`] after it filled [`Context::raise`].
pub type BifFunction = unsafe extern "C" fn(context: *mut Context, arguments: *const Term) -> Term;

/// A function that modules can call by name. Lives for ever; made by whoever names it first.
#[repr(C)]
pub struct Export {
    /// Where a call goes: the function's entry in the current code, or `stub`.
    pub code: AtomicPtr<u64>,
    pub module: Term,
    pub function: Term,
    pub arity: u32,
    pub flags: u32,
    /// The body, for a BIF.
    pub bif: Option<BifFunction>,
    /// Two instructions, `func_info` and behind it either "call this BIF" or "ask the error
    /// handler"; `code` points to the second ([`Export::STUB_ENTRY`]) while no module defines the function.
    pub stub: [u64; 8],
}

impl Export {
    /// The index in `stub` of the instruction behind its `func_info`.
    pub const STUB_ENTRY: usize = 4;
    /// Flag: the BIF may be called in a guard.
    pub const GUARD_BIF: u32 = 1;
    /// Flag: `erlang:is_builtin/3` says yes.
    pub const BUILTIN: u32 = 2;
}

/// A fun's code, shared by all funs made from one place of one module version. Lives for ever.
#[repr(C)]
pub struct FunEntry {
    /// The function's entry; null when its module is gone (calls then ask `RuntimeTable::call_fun`).
    pub code: AtomicPtr<u64>,
    pub module: Term,
    /// Arguments of a call, without the free variables.
    pub arity: u32,
    pub free: u32,
    pub index: u32,
    pub old_index: u32,
    pub old_unique: u32,
    /// MD5 of the module.
    pub unique: [u8; 16],
    /// Name of the function that holds its code, as an atom.
    pub function: Term,
}
