//! Closures: the entry that a fun shares with all others made at its place in the code, and the process that made it.
//!
//! An entry that belongs to loaded code lives for ever. One that only external terms have named is kept by the funs
//! decoded from them: such a fun has, in place of its creator, a pair of the creator and a magic reference,
//! its *keeper*, whose object gives the entry up with the last fun. So funs that code makes need no count. Any thread
//! may call.

use std::ptr;
use std::sync::atomic::AtomicPtr;

use layout::kinds::{Closure, ExternalFun};
use layout::{Export, FunEntry, ObjectKind, Term, no_gc};

use crate::build;
use crate::heap::Allocate;
use crate::off_heap::MagicBlock;

/// Whether a term is a fun of this arity; `None` if that is no arity.
#[must_use]
pub fn is_of_arity(term: Term, arity: Term) -> Option<bool> {
    let wanted = match arity.as_small() {
        Some(arity) if arity >= 0 => Some(arity),
        Some(_) => return None,
        None if arity.big_sign() == Some(false) => None,
        None => return None,
    };
    let has = match term.boxed_kind() {
        Some(ObjectKind::Fun) => entry(term).arity,
        Some(ObjectKind::Export) => export_entry(term).arity,
        _ => return Some(false),
    };
    Some(wanted == Some(i64::from(has)))
}

/// The origin of a fun, as the external format describes it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct FunIdentity {
    pub module: Term,
    /// MD5 of the module.
    pub unique: [u8; 16],
    pub index: u32,
    pub old_index: u32,
    pub old_unique: u32,
    /// Arguments of a call, without the free variables.
    pub arity: u32,
    pub free: u32,
}

/// The entry of a fun that comes with an external term.
#[derive(Clone, Copy)]
pub struct Found {
    pub entry: *const FunEntry,
    /// Keeps the entry, if it is not of loaded code; counted once for whoever receives this.
    pub keeper: Option<*mut MagicBlock>,
}

/// An entry without code.
#[must_use]
pub fn new_entry(identity: &FunIdentity) -> FunEntry {
    FunEntry {
        code: AtomicPtr::new(ptr::null_mut()),
        module: identity.module,
        arity: identity.arity,
        free: identity.free,
        index: identity.index,
        old_index: identity.old_index,
        old_unique: identity.old_unique,
        unique: identity.unique,
    }
}

/// The export that an external fun names.
///
/// # Panics
/// If the term is no external fun.
#[inline]
#[must_use]
pub fn export_entry(fun: Term) -> &'static Export {
    // SAFETY: the address of an entry, which lives for ever.
    unsafe { &*ExternalFun::expect(fun).entry() }
}

/// The entry of a closure; valid as long as the fun is.
///
/// # Panics
/// If the term is no closure.
#[inline]
#[must_use]
pub fn entry<'a>(fun: Term) -> &'a FunEntry {
    // SAFETY: the address of an entry, which lives for ever or as long as the fun.
    unsafe { &*Closure::expect(fun).entry() }
}

/// The pid of the process that made a closure.
#[must_use]
pub fn creator(fun: Term) -> Term {
    let creator = creator_word(fun);
    creator.as_tuple(no_gc!()).map_or(creator, |pair| pair[0])
}

/// What stands for the creator in a fun: its pid, or that and the keeper of its entry.
#[must_use]
pub fn creator_word(fun: Term) -> Term {
    Closure::expect(fun).creator()
}

/// A creator with the keeper of a fun's entry.
///
/// # Safety
/// The caller hands over one count of the block.
pub unsafe fn with_keeper<A: Allocate + ?Sized>(
    heap: &mut A,
    creator: Term,
    keeper: *mut MagicBlock,
) -> Term {
    // SAFETY: the caller's promise. No program sees the reference, so it needs no number.
    let keeper = unsafe { build::magic_reference(heap, 0, 0, keeper) };
    build::tuple(heap, &[creator, keeper])
}
