//! The order of atoms as keys of flat maps, as OTP 26 and later have it: not by text, but as they came into stock's
//! table.
//!
//! Programs see that order when they list or print a map. Stock's table begins with the atoms that its own code names
//! (`spec::atom_order`), and the others follow as they are made, which is mostly by the modules that are loaded. ferl's
//! table begins with other atoms. So an atom that was there before the first module was loaded has a rank here, and for
//! the others the number decides. One that is not among stock's own gets its rank when it is first mentioned: then
//! stock would make it.
//!
//! Nothing is ranked before [`set`], and on a release that orders atoms by text nothing ever is. Any thread may call.

use std::cmp::Ordering;
use std::sync::OnceLock;
use std::sync::atomic::{self, AtomicU32, AtomicU64};

use layout::Term;
use spec::Release;
use spec::atom_order::AtomOrder;

/// The number of atoms that were there when ranking began; 0 as long as atoms are not ranked. It changes once, before
/// any process runs.
static FIRST_ATOMS: AtomicU32 = AtomicU32::new(0);

/// The ranks of the atoms with the lowest numbers; 0 for those that were not mentioned yet.
static RANKS: OnceLock<Box<[AtomicU64]>> = OnceLock::new();

/// Counts those that were first mentioned after [`set`].
static MENTIONED: AtomicU32 = AtomicU32::new(0);

/// Ranks atoms from now on, if the release does: those that stock's code names come first, and all others that exist
/// are not mentioned yet. Called once, before the first module is loaded.
pub fn set(release: Release) {
    let Some(order) = AtomOrder::of(release) else {
        return;
    };
    let first: Vec<Term> = order.first().map(super::known).collect();
    let ranks: Box<[AtomicU64]> = (0..super::count()).map(|_| AtomicU64::new(0)).collect();
    for (rank, atom) in (1..).zip(first) {
        ranks[number(atom)].store(rank, atomic::Ordering::Relaxed);
    }
    let count = ranks.len() as u32;
    if RANKS.set(ranks).is_ok() {
        FIRST_ATOMS.store(count, atomic::Ordering::Release);
    }
}

/// Mentions what stock's native code names when it is loaded, which follows the preloaded modules.
pub fn natives(release: Release) {
    if let Some(order) = AtomOrder::of(release) {
        for text in order.natives() {
            let _ = super::known(text);
        }
    }
}

#[inline(always)]
pub fn are_ranked() -> bool {
    first_atoms() != 0
}

#[inline(always)]
fn first_atoms() -> u32 {
    FIRST_ATOMS.load(atomic::Ordering::Relaxed)
}

#[inline(always)]
fn number(atom: Term) -> usize {
    atom.as_atom().expect("an atom") as usize
}

/// A text was looked up whose atom exists: if nothing has mentioned that atom before, it takes its place behind all
/// others.
#[inline(always)]
pub(super) fn mention(atom: Term) {
    if are_ranked() {
        rank(atom);
    }
}

/// The order of two atoms by their ranks; `None` if atoms are not ranked.
#[inline(always)]
pub(super) fn compare(a: Term, b: Term) -> Option<Ordering> {
    let first = first_atoms() as usize;
    if first == 0 {
        return None;
    }
    let (number_a, number_b) = (number(a), number(b));
    // Atoms that came later have their numbers for ranks.
    Some(match number_a.min(number_b) >= first {
        true => number_a.cmp(&number_b),
        false => rank(a).cmp(&rank(b)),
    })
}

/// The rank of an atom, which is below 2^63; `None` if atoms are not ranked. In the upper half of it is the number of
/// atoms that were made before, in the lower one how many were mentioned before that.
#[inline(always)]
pub(crate) fn rank(atom: Term) -> Option<u64> {
    let number = number(atom);
    let Some(rank) = RANKS.get()?.get(number) else {
        return Some((number as u64) << 32 | u64::from(u32::MAX));
    };
    Some(match rank.load(atomic::Ordering::Relaxed) {
        0 => first_mentioned(rank),
        rank => rank,
    })
}

#[cold]
fn first_mentioned(rank: &AtomicU64) -> u64 {
    let turn = MENTIONED.fetch_add(1, atomic::Ordering::Relaxed);
    let new = (super::count() as u64) << 32 | u64::from(turn);
    let stored =
        rank.compare_exchange(0, new, atomic::Ordering::Relaxed, atomic::Ordering::Relaxed);
    stored.map_or_else(|other| other, |_| new)
}
