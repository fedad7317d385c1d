//! How an immediate key is found in a hash map: what machine code and the runtime do alike. `term::map::trie` says what
//! a hash map looks like, and does everything else with it.
//!
//! Nothing here calls anything, so it becomes part of its callers. Any thread may call that may read the map.

use crate::object::offset;
use crate::view::{Boxed, Cons};
use crate::{Header, Term};

/// Number of levels for which one hash of a key serves; it has four bits for each.
pub const LEVELS_PER_ROUND: u32 = 8;

/// A way to look into a node's bitmap, which has a bit for each child. A place is a number below 16.
pub trait Bitmap: Copy {
    /// Number of children before a place. What stands above the bitmap's 16 bits does not count.
    fn before(self, bitmap: u64, place: u32) -> usize;
}

/// The way of any processor.
#[derive(Clone, Copy)]
pub struct Anywhere;

impl Bitmap for Anywhere {
    #[inline(always)]
    fn before(self, bitmap: u64, place: u32) -> usize {
        let bits = bitmap & ((1 << place) - 1);
        if cfg!(target_feature = "popcnt") {
            return bits.count_ones() as usize;
        }
        // Sums of one, two and four bits side by side, then all of these by a product.
        let bits = bits as u32;
        let pairs = bits - (bits >> 1 & 0x5555);
        let fours = (pairs & 0x3333) + (pairs >> 2 & 0x3333);
        (fours.wrapping_mul(0x1111) >> 12 & 0xf) as usize
    }
}

/// Instructions for it, also in functions that are compiled for processors without them. A value exists only where
/// the processor has them.
#[cfg(all(target_arch = "x86_64", not(miri)))]
#[derive(Clone, Copy)]
pub struct Counted(());

#[cfg(all(target_arch = "x86_64", not(miri)))]
impl Counted {
    /// # Safety
    /// The processor has `popcnt` and BMI2.
    #[inline(always)]
    #[must_use]
    pub const unsafe fn new() -> Counted {
        Counted(())
    }
}

#[cfg(all(target_arch = "x86_64", not(miri)))]
impl Bitmap for Counted {
    #[inline(always)]
    fn before(self, bitmap: u64, place: u32) -> usize {
        let mut count = bitmap;
        // SAFETY: the processor has the instructions, which change the register and the flags only.
        unsafe {
            core::arch::asm!(
                "bzhi {0:e}, {0:e}, {1:e}",
                "popcnt {0:e}, {0:e}",
                inout(reg) count,
                in(reg) place,
                options(pure, nomem, nostack),
            );
        }
        count as usize
    }
}

/// What a node has below it.
pub enum Child {
    Leaf(Cons),
    Node(Boxed),
}

/// The child of a node for the lowest bits of a hash, if there is one. The address is that of the node's first child.
///
/// # Safety
/// The node has this bitmap, above which other bits may stand.
#[inline(always)]
unsafe fn child_of(
    children: *const u64,
    bitmap: u64,
    hash: u32,
    bits: impl Bitmap,
) -> Option<Child> {
    let place = hash & 15;
    if bitmap >> place & 1 == 0 {
        return None;
    }
    // SAFETY: the bitmap has a bit for every child, which is a term: a leaf, or else a node.
    unsafe {
        let child = Term::from_bits(children.add(bits.before(bitmap, place)).read());
        // Cells have the tag 01 and objects 10: one bit tells which it is.
        Some(match child.bits() & 0b10 == 0 {
            true => Child::Leaf(child.cell_unchecked()),
            false => Child::Node(child.boxed_unchecked()),
        })
    }
}

/// The child of a node for the lowest four bits of a hash, if there is one. `first` is the place of the node's first
/// child: those of a root come after its size, those of an inner node after the header.
#[inline(always)]
#[must_use]
pub fn child(node: Boxed, first: usize, hash: u32, bits: impl Bitmap) -> Option<Child> {
    let children = node.pointer().wrapping_add(1 + first);
    // SAFETY: the bitmap is the node's own.
    unsafe { child_of(children, u64::from(node.header().bitmap()), hash, bits) }
}

/// What was found in the levels of one hash.
pub enum Found {
    Value(Term),
    Nothing,
    /// What is left of the hash is 0: it may be used up, or it was such a hash.
    Undecided,
}

/// Looks an immediate key up in a hash map whose header is given; `hash` is the key's for the first levels.
///
/// # Safety
/// `root` is the address of the header of a hash map's root.
#[inline(always)]
#[must_use]
pub unsafe fn look_up(
    root: *const u64,
    header: Header,
    key: Term,
    mut hash: u32,
    bits: impl Bitmap,
) -> Found {
    let mut children = root.wrapping_add(1 + offset::HASH_ROOT_CHILDREN);
    let mut bitmap = header.bits_from_bitmap();
    loop {
        // SAFETY: the bitmap is of the node whose children these are.
        match unsafe { child_of(children, bitmap, hash, bits) } {
            None => return Found::Nothing,
            Some(Child::Leaf(leaf)) => {
                return match leaf.head() == key {
                    true => Found::Value(leaf.tail()),
                    false => Found::Nothing,
                };
            }
            Some(Child::Node(node)) => {
                hash >>= 4;
                // Levels are not counted: so few hashes end in zeros that these can be looked up in another way.
                if hash == 0 {
                    return Found::Undecided;
                }
                bitmap = node.header().bits_from_bitmap();
                children = node.pointer().wrapping_add(1);
            }
        }
    }
}

/// The hash of an immediate term from OTP 27 on: its word, scrambled as MurmurHash3 ends (Austin Appleby, public
/// domain). The lowest 32 bits are for a hash map's first levels.
#[inline(always)]
#[must_use]
pub const fn scrambled(mut word: u64) -> u64 {
    word ^= word >> 33;
    word = word.wrapping_mul(0xff51_afd7_ed55_8ccd);
    word ^= word >> 33;
    word = word.wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    word ^ word >> 33
}
