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

use core::mem::offset_of;
use core::sync::atomic::AtomicPtr;

use crate::context::Context;
use crate::term::Term;

/// A BIF as the engine calls it: `arguments` points to as many terms as its arity. To fail, wait, trap or exit, it
/// fills [`Context::abrupt`] and returns [`Term::NONE`].
pub type BifFunction = unsafe extern "C" fn(context: *mut Context, arguments: *const Term) -> Term;

/// A function that modules can call by name. Created when it is first named; never freed.
#[repr(C)]
pub struct Export {
    /// Where a call jumps to: the function's entry in the current code, or `stub`.
    pub code: AtomicPtr<u64>,
    pub module: Term,
    pub arity: u32,
    pub flags: u32,
    pub function: Term,
    /// The Rust function, if this is a BIF.
    pub bif: Option<BifFunction>,
    /// What calls of the BIF by name run: `bif`, unless the function is traced. Changes only while no thread runs code.
    pub called: AtomicPtr<()>,
    /// Two instructions: `func_info`, followed by either "call this BIF" or "call the error handler". `code` points
    /// to the second ([`Export::STUB_ENTRY`]) while no module defines the function.
    pub stub: [u64; 8],
}

impl Export {
    /// The index in `stub` of the instruction after its `func_info`.
    pub const STUB_ENTRY: usize = 5;
    /// Flag: the BIF may be called in a guard.
    pub const GUARD_BIF: u32 = 1;
    /// Flag: `erlang:is_builtin/3` returns true.
    pub const BUILTIN: u32 = 2;
}

/// The code of a fun, shared by all funs created at one place of one module version. Never freed once its module was
/// loaded; before that, when only external terms have named it, it lives as long as the funs in them.
#[repr(C)]
pub struct FunEntry {
    /// The function's entry; null while its module is not loaded, or is being purged (calls then go through
    /// `RuntimeTable::call_fun`).
    pub code: AtomicPtr<u64>,
    pub module: Term,
    /// Number of arguments of a call, not counting the free variables.
    pub arity: u32,
    pub free: u32,
    pub index: u32,
    pub old_index: u32,
    pub old_unique: u32,
    /// MD5 of the module.
    pub unique: [u8; 16],
}

// Calls of either kind of fun read these two without asking which kind it is.
const _: () = assert!(offset_of!(Export, code) == offset_of!(FunEntry, code));
const _: () = assert!(offset_of!(Export, arity) == offset_of!(FunEntry, arity));
