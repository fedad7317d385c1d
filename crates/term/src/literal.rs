//! The literal areas: terms of modules and of `persistent_term`, outside all process heaps, never
//! copied within the node and never moved by a collection.
//!
//! All of them lie in one reserved range of addresses, so "is it a literal?" is a subtraction and
//! a comparison. The runtime reserves the range and hands out areas of it. Any thread may ask.

use std::sync::atomic::{AtomicUsize, Ordering};

use layout::Term;

static BASE: AtomicUsize = AtomicUsize::new(usize::MAX / 2);
static SIZE: AtomicUsize = AtomicUsize::new(0);

/// Tells where the range lies; once, before the first literal is made.
pub fn set_range(base: usize, size: usize) {
    BASE.store(base, Ordering::Relaxed);
    SIZE.store(size, Ordering::Release);
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
