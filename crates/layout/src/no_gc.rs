//! [`NoGc`]: the proof that nothing collects for a while, and so the lifetime of references to words of terms.
//!
//! A [`Term`](crate::Term) is a word, and may be read under the moving rule without any lifetime. A reference into a
//! heap (`&[Term]`, `&[u8]`) needs one, and takes it from a token: `term.as_tuple(no_gc)` lives as long as `no_gc`
//! does. A function that returns such a reference takes the token from its caller; otherwise [`no_gc!`](crate::no_gc!)
//! makes one that ends with the frame or the statement it stands in.
//!
//! Safe code can have a token at any time, because only the collector's callers collect: the engine at safepoints,
//! where no frame of Rust is between it and the scheduler, and the scheduler between slices. A BIF never does. Whoever
//! collects, moves or frees the words of a live heap promises that no frame below holds a token, or a term that is not
//! a root: the collector's entry points are `unsafe` functions.

use core::marker::PhantomData;
use core::ptr::NonNull;

/// While one of these lives, this thread collects, moves and frees no words of terms that it may read.
///
/// It is neither sent nor shared: another thread's collections are another matter.
#[derive(Debug)]
pub struct NoGc {
    of_this_thread: PhantomData<*const ()>,
}

impl NoGc {
    /// For [`no_gc!`](crate::no_gc!) only, which does not let it outlive its frame.
    ///
    /// # Safety
    /// The token is dropped before this thread collects.
    #[doc(hidden)]
    #[inline(always)]
    #[must_use]
    pub const unsafe fn assume() -> NoGc {
        NoGc {
            of_this_thread: PhantomData,
        }
    }

    /// For an owner of terms that no collection touches, which lends the token for as long as it is borrowed itself.
    ///
    /// # Safety
    /// For the lifetime that the caller chooses, nothing collects, moves or frees what is read by means of the token.
    #[inline(always)]
    #[must_use]
    pub const unsafe fn assume_for<'t>() -> &'t NoGc {
        // SAFETY: the type has no bytes, so any aligned address is one of a value.
        unsafe { NonNull::dangling().as_ref() }
    }
}

/// A `&NoGc` that lives as long as the block if it is bound by `let no_gc = no_gc!();`, otherwise as long as the
/// statement. It is a temporary without a name, so that safe code cannot keep it for longer.
#[macro_export]
macro_rules! no_gc {
    () => {
        // SAFETY: the frame ends before this thread collects, for the reason that `no_gc.rs` gives at its top.
        &unsafe { $crate::NoGc::assume() }
    };
}
