//! The literal areas: terms of modules and of `persistent_term`, outside all process heaps, never
//! copied within the node and never moved by a collection.
//!
//! All of them lie in one reserved range of addresses, so "is it a literal?" is a subtraction and
//! a comparison. The runtime reserves the range and hands out areas of it. Any thread may ask.
//!
//! Who points to a literal must be found when its area is freed. Processes are: each is asked to copy what it uses of
//! the area. So only what belongs to a process, its messages included, may point to literals; what is kept anywhere
//! else owns copies of them (`copy::copy_with_literals`, `copy::Owned`). A message is also made by threads that nobody
//! stops when an area is doomed (dirty schedulers, threads of libraries), and may be on its way when its receiver is
//! asked: there, copies take their literals along too ([`share_here`]).

use std::cell::Cell;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use layout::Term;

static BASE: AtomicUsize = AtomicUsize::new(usize::MAX / 2);
static SIZE: AtomicUsize = AtomicUsize::new(0);

/// Sets the range; called once, before the first literal is made.
pub fn set_range(base: usize, size: usize) {
    BASE.store(base, Ordering::Relaxed);
    SIZE.store(size, Ordering::Release);
}

static DOOMED_BASE: AtomicUsize = AtomicUsize::new(0);
static DOOMED_SIZE: AtomicUsize = AtomicUsize::new(0);

/// Sets the area that is about to be freed, or an empty range for none: from now on, copying a term also copies the
/// literals of that area. Called while no thread is copying.
pub fn doom(area: &Range<usize>) {
    DOOMED_BASE.store(area.start, Ordering::Release);
    DOOMED_SIZE.store(area.len(), Ordering::Release);
}

thread_local! {
    static SHARES: Cell<bool> = const { Cell::new(false) };
}

/// Sets whether copies that this thread makes may point to literals: as long as it cannot miss that an area is doomed,
/// because it is stopped for that. At first they may not.
pub fn share_here(shares: bool) {
    SHARES.set(shares);
}

/// Whether a term points to a literal that copies may go on pointing to.
#[inline(always)]
#[must_use]
pub fn is_shared(term: Term) -> bool {
    is_literal(term) && SHARES.get() && !is_doomed(term)
}

/// The literals that copies may point to, for somebody who asks for many terms in a row.
#[derive(Clone, Copy)]
pub struct Shared {
    base: usize,
    size: usize,
    doomed_base: usize,
    doomed_size: usize,
}

impl Shared {
    /// For a copy that points to none.
    const NONE: Shared = Shared {
        base: 0,
        size: 0,
        doomed_base: 0,
        doomed_size: 0,
    };

    /// Those of now; none for a copy that takes its literals along, or on a thread whose copies do.
    #[inline]
    #[must_use]
    pub fn unless(with_literals: bool) -> Shared {
        match with_literals || !SHARES.get() {
            true => Shared::NONE,
            false => Shared::now(),
        }
    }

    /// Those of now.
    #[inline]
    fn now() -> Shared {
        Shared {
            base: BASE.load(Ordering::Relaxed),
            size: SIZE.load(Ordering::Relaxed),
            doomed_base: DOOMED_BASE.load(Ordering::Relaxed),
            doomed_size: DOOMED_SIZE.load(Ordering::Relaxed),
        }
    }

    /// Whether a term, which is no immediate, is one of them.
    #[inline(always)]
    #[must_use]
    pub fn hold(&self, term: Term) -> bool {
        let address = term.bits() as usize;
        address.wrapping_sub(self.base) < self.size
            && address.wrapping_sub(self.doomed_base) >= self.doomed_size
    }
}

#[inline]
fn is_doomed(term: Term) -> bool {
    let address = term.bits() as usize;
    address.wrapping_sub(DOOMED_BASE.load(Ordering::Relaxed)) < DOOMED_SIZE.load(Ordering::Relaxed)
}

/// Whether an address lies in a literal area.
#[inline(always)]
#[must_use]
pub fn contains(address: usize) -> bool {
    address.wrapping_sub(BASE.load(Ordering::Relaxed)) < SIZE.load(Ordering::Relaxed)
}

/// Whether a term points to a literal.
#[inline(always)]
#[must_use]
pub fn is_literal(term: Term) -> bool {
    !term.is_immediate() && contains(term.bits() as usize)
}
