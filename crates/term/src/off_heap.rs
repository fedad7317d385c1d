//! Reference-counted blocks that heap objects hold outside the heap: shared binaries and magic objects.
//!
//! An object that holds a block (a shared binary, a magic reference) is linked through its `OFF_HEAP_NEXT` word into
//! the list of the heap or fragment it lies in. The collector walks the list to release the blocks of dead objects.
//! Counts are atomic; a list belongs to the owner of its heap.

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error, realloc};
use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::mem::offset_of;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{LazyLock, OnceLock};

use layout::kinds::MagicReference;
use layout::object::{binary_block, offset};
use layout::{Header, ObjectKind, Term};
use parking_lot::Mutex;
use sys::memory::budget;

use crate::held;

/// The header of every counted block.
#[repr(C)]
pub struct Counted {
    references: AtomicU32,
    kind: CountedKind,
}

#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq)]
enum CountedKind {
    Binary,
    Magic,
}

/// The header of a shared binary; its bytes follow. `used` of the `capacity` bytes are in use.
#[repr(C)]
pub struct BinaryBlock {
    counted: Counted,
    pub capacity: usize,
    /// Bytes in use. It only grows, and only the one writer that appends in place changes it.
    pub used: AtomicUsize,
}

const _: () = assert!(offset_of!(BinaryBlock, capacity) == binary_block::CAPACITY);
const _: () = assert!(offset_of!(BinaryBlock, used) == binary_block::USED);

/// A Rust object that magic references hold.
#[repr(C)]
pub struct MagicBlock {
    counted: Counted,
    /// The number it can be found by, once a reference to it went out as text or in the external format.
    saved: OnceLock<(u64, u64)>,
    /// The type of the object, kept here so that [`MagicBlock::get`] needs no virtual call.
    holds: TypeId,
    /// Bytes that the object has elsewhere.
    held_bytes: usize,
    object: Box<dyn Any + Send + Sync>,
}

/// Blocks by the number of their reference, for the references that went out as text or in the external format. A block
/// is removed before it is freed, so whoever holds the lock may read its count.
static SAVED: LazyLock<Mutex<HashMap<(u64, u64), usize>>> = LazyLock::new(Mutex::default);

/// The room behind the bytes of a padded block.
const PADDING_BYTES: usize = 7;

impl BinaryBlock {
    fn layout(capacity: usize) -> Option<Layout> {
        let size = size_of::<BinaryBlock>().checked_add(capacity)?;
        Layout::from_size_align(size, 16).ok()
    }

    /// A block with room for `capacity` bytes, uninitialised, counted once for the caller.
    #[must_use]
    pub fn new(capacity: usize) -> *mut BinaryBlock {
        BinaryBlock::try_new(capacity).unwrap_or_else(|| {
            held::insist(|| {
                let layout = BinaryBlock::layout(capacity).expect("a size below isize::MAX");
                // SAFETY: the size is not zero.
                let block = unsafe { alloc(layout) };
                BinaryBlock::begin(block, capacity).unwrap_or_else(|| handle_alloc_error(layout))
            })
        })
    }

    /// As [`BinaryBlock::new`], but returns `None` when there is not enough memory: for sizes that a program chose.
    #[must_use]
    pub fn try_new(capacity: usize) -> Option<*mut BinaryBlock> {
        let layout = BinaryBlock::layout(capacity)?;
        if !budget::admit_below_last_mark(layout.size()) {
            return None;
        }
        // SAFETY: the size is not zero.
        let block = held::attempt(|| unsafe { alloc(layout) });
        BinaryBlock::begin(block, capacity)
    }

    /// Makes a block of fresh memory for it; `None` of no memory.
    fn begin(block: *mut u8, capacity: usize) -> Option<*mut BinaryBlock> {
        let block = block.cast::<BinaryBlock>();
        if block.is_null() {
            return None;
        }
        let counted = Counted {
            references: AtomicU32::new(1),
            kind: CountedKind::Binary,
        };
        // SAFETY: just allocated.
        unsafe {
            block.write(BinaryBlock {
                counted,
                capacity,
                used: AtomicUsize::new(capacity),
            })
        };
        held::took(held::HeldKind::Binary, capacity);
        Some(block)
    }

    /// Grows or shrinks a block that only the caller holds; the address may change. Returns `None`, and changes
    /// nothing, when there is not enough memory.
    ///
    /// # Safety
    /// `block` is live and counted exactly once; no other pointer into it is used after success.
    #[must_use]
    pub unsafe fn try_resize(block: *mut BinaryBlock, capacity: usize) -> Option<*mut BinaryBlock> {
        // SAFETY: the caller's promise.
        held::attempt(|| unsafe { BinaryBlock::resize_if_any(block, capacity) })
    }

    /// As [`BinaryBlock::try_resize`], for a caller that cannot do without.
    ///
    /// # Safety
    /// As [`BinaryBlock::try_resize`].
    pub(crate) unsafe fn resize(block: *mut BinaryBlock, capacity: usize) -> *mut BinaryBlock {
        // SAFETY: the caller's promise; where there is no memory, nothing was changed.
        unsafe {
            BinaryBlock::try_resize(block, capacity).unwrap_or_else(|| {
                let resized = held::insist(|| BinaryBlock::resize_if_any(block, capacity));
                resized.expect("the allocator ends the node if there is no memory")
            })
        }
    }

    unsafe fn resize_if_any(block: *mut BinaryBlock, capacity: usize) -> Option<*mut BinaryBlock> {
        // SAFETY: the callers' promise.
        unsafe {
            let old = (*block).capacity;
            let size = BinaryBlock::layout(capacity)?.size();
            let layout = BinaryBlock::layout(old)?;
            let resized = realloc(block.cast(), layout, size);
            let resized = resized.cast::<BinaryBlock>();
            if resized.is_null() {
                return None;
            }
            (*resized).capacity = capacity;
            held::resized(held::HeldKind::Binary, old, capacity);
            Some(resized)
        }
    }

    /// As [`BinaryBlock::try_new`], with a few bytes of room behind the others, for a native library: some write a zero
    /// byte behind what they have asked for, for which stock has room.
    #[must_use]
    pub fn try_new_padded(size: usize) -> Option<*mut BinaryBlock> {
        let block = BinaryBlock::try_new(size.checked_add(PADDING_BYTES)?)?;
        // SAFETY: just allocated.
        unsafe { &(*block).used }.store(size, Ordering::Relaxed);
        Some(block)
    }

    /// As [`BinaryBlock::try_resize`], for a padded block; what is in use is the new size.
    ///
    /// # Safety
    /// As for [`BinaryBlock::try_resize`].
    #[must_use]
    pub unsafe fn try_resize_padded(
        block: *mut BinaryBlock,
        size: usize,
    ) -> Option<*mut BinaryBlock> {
        // SAFETY: the caller's promise.
        unsafe {
            let block = BinaryBlock::try_resize(block, size.checked_add(PADDING_BYTES)?)?;
            (*block).used.store(size, Ordering::Relaxed);
            Some(block)
        }
    }

    /// The first byte.
    ///
    /// # Safety
    /// `block` is live.
    #[must_use]
    pub unsafe fn bytes(block: *mut BinaryBlock) -> *mut u8 {
        // SAFETY: the bytes lie behind the header.
        unsafe { block.add(1).cast::<u8>() }
    }
}

impl MagicBlock {
    /// How many references and others hold the block at this moment.
    #[must_use]
    pub fn references(&self) -> u32 {
        self.counted.references.load(Ordering::Relaxed)
    }

    /// A block for `object`, counted once for the caller.
    #[must_use]
    pub fn new(object: Box<dyn Any + Send + Sync>) -> *mut MagicBlock {
        MagicBlock::holding(object, 0)
    }

    /// As [`MagicBlock::new`], for an object that has so many bytes elsewhere.
    #[must_use]
    pub fn holding(object: Box<dyn Any + Send + Sync>, held_bytes: usize) -> *mut MagicBlock {
        let counted = Counted {
            references: AtomicU32::new(1),
            kind: CountedKind::Magic,
        };
        Box::into_raw(Box::new(MagicBlock {
            counted,
            saved: OnceLock::new(),
            holds: (*object).type_id(),
            held_bytes,
            object,
        }))
    }

    /// Bytes of memory that the end of the block frees.
    #[must_use]
    pub fn held_bytes(&self) -> usize {
        size_of::<MagicBlock>() + self.held_bytes
    }

    /// The block, if that is what is counted.
    ///
    /// # Safety
    /// `block` is live.
    #[must_use]
    pub unsafe fn of(block: *mut Counted) -> Option<*mut MagicBlock> {
        // SAFETY: the caller's promise.
        (unsafe { (*block).kind } == CountedKind::Magic).then(|| block.cast())
    }

    /// The object, if it is of type `T`.
    #[inline]
    #[must_use]
    pub fn get<T: Any>(&self) -> Option<&T> {
        (self.holds == TypeId::of::<T>()).then(|| {
            // SAFETY: the object in the box is a `T`, and the block keeps it.
            unsafe { &*(&raw const *self.object).cast::<T>() }
        })
    }

    /// Makes the object of a magic reference findable by the reference's number from now on; ignores other terms.
    pub fn save(reference: Term) {
        let Some(reference) = MagicReference::of(reference) else {
            return;
        };
        let number = (reference.low(), reference.high());
        let block = reference.block().cast::<MagicBlock>();
        // SAFETY: the reference holds a count of the block, so the block is live.
        let saved = unsafe { &(*block).saved };
        if saved.get().is_none() {
            SAVED.lock().entry(number).or_insert_with(|| {
                let _ = saved.set(number);
                block as usize
            });
        }
    }

    /// The block of the reference with that number, if it was saved and is alive; counted once more for the caller.
    #[must_use]
    pub fn find_saved(low: u64, high: u64) -> Option<*mut MagicBlock> {
        let saved = SAVED.lock();
        let block = *saved.get(&(low, high))? as *mut MagicBlock;
        // SAFETY: the block is not freed while the lock is held (see `drop_reference`).
        unsafe { retain_if_held(block.cast()) }.then_some(block)
    }
}

/// Counts one more holder.
///
/// # Safety
/// `block` is live.
pub unsafe fn retain(block: *mut Counted) {
    // SAFETY: the caller's promise. Relaxed is enough: the caller's own holder keeps the block alive meanwhile.
    unsafe { (*block).references.fetch_add(1, Ordering::Relaxed) };
}

/// Counts one more holder, unless there is none any more; returns whether it did. For those that know a block without
/// holding it.
///
/// # Safety
/// The block is not freed during the call.
pub unsafe fn retain_if_held(block: *mut Counted) -> bool {
    let counted = |count: u32| (count > 0).then(|| count + 1);
    // SAFETY: the caller's promise.
    let references = unsafe { &(*block).references };
    references
        .fetch_update(Ordering::AcqRel, Ordering::Acquire, counted)
        .is_ok()
}

/// Number of holders.
///
/// # Safety
/// `block` is live.
#[inline]
#[must_use]
pub unsafe fn references(block: *mut Counted) -> u32 {
    // SAFETY: the caller's promise.
    unsafe { (*block).references.load(Ordering::Acquire) }
}

/// Drops one holder; the last one frees the block.
///
/// # Safety
/// The caller was counted, and does not use the block afterwards.
pub unsafe fn drop_reference(block: *mut Counted) {
    // SAFETY: the caller's promise; AcqRel orders the last holder after the others.
    unsafe {
        if (*block).references.fetch_sub(1, Ordering::AcqRel) != 1 {
            return;
        }
        match (*block).kind {
            CountedKind::Binary => {
                let block = block.cast::<BinaryBlock>();
                let capacity = (*block).capacity;
                held::gave(held::HeldKind::Binary, capacity);
                let layout = BinaryBlock::layout(capacity).expect("it was allocated");
                dealloc(block.cast(), layout);
            }
            CountedKind::Magic => {
                let block = block.cast::<MagicBlock>();
                if let Some(number) = (*block).saved.get() {
                    SAVED.lock().remove(number);
                }
                drop(Box::from_raw(block));
            }
        }
    }
}

/// The counted block of an object that is in an off-heap list.
///
/// # Safety
/// `object` points to the header of a shared binary or magic reference.
#[must_use]
pub unsafe fn block_of(object: *mut u64) -> *mut Counted {
    // SAFETY: the word holds the block's address for both kinds.
    unsafe { *object.add(1 + offset::OFF_HEAP_BLOCK) as *mut Counted }
}

/// The next object of an off-heap list.
///
/// # Safety
/// As [`block_of`].
#[must_use]
pub unsafe fn next_of(object: *mut u64) -> *mut u64 {
    // SAFETY: the word holds the next object's address for both kinds.
    unsafe { *object.add(1 + offset::OFF_HEAP_NEXT) as *mut u64 }
}

/// Links an object in front of a list.
///
/// # Safety
/// As [`block_of`]; the object is in no list.
pub unsafe fn link(list: &mut *mut u64, object: *mut u64) {
    // SAFETY: the caller's promise.
    unsafe { *object.add(1 + offset::OFF_HEAP_NEXT) = *list as u64 };
    *list = object;
}

/// Makes an object, or none, the next one of an off-heap list.
///
/// # Safety
/// As [`block_of`].
pub unsafe fn link_behind(object: *mut u64, next: *mut u64) {
    // SAFETY: as in `next_of`.
    unsafe { *object.add(1 + offset::OFF_HEAP_NEXT) = next as u64 };
}

/// Off-heap bytes that an object is charged for.
///
/// # Safety
/// As [`block_of`].
#[must_use]
pub unsafe fn bytes_of(object: *mut u64) -> usize {
    // SAFETY: the caller's promise.
    unsafe {
        if Header(*object).kind() == ObjectKind::SharedBinary {
            *object.add(1 + offset::SHARED_BINARY_SIZE) as usize
        } else {
            0
        }
    }
}

/// Prepends the objects of `other`, which is not empty, to `list`; returns the bytes that they are charged for.
pub fn append(list: &mut *mut u64, other: *mut u64) -> usize {
    let mut bytes = 0;
    let mut last = other;
    // SAFETY: lists hold only live off-heap objects.
    unsafe {
        loop {
            bytes += bytes_of(last);
            let next = next_of(last);
            if next.is_null() {
                break;
            }
            last = next;
        }
        *last.add(1 + offset::OFF_HEAP_NEXT) = *list as u64;
    }
    *list = other;
    bytes
}

/// Drops the reference of every object in a list whose heap is going away.
///
/// # Safety
/// The list's objects are live, and not used afterwards.
pub unsafe fn release(mut object: *mut u64) {
    while !object.is_null() {
        // SAFETY: the caller's promise; the next is read before anything is dropped.
        unsafe {
            let next = next_of(object);
            drop_reference(block_of(object));
            object = next;
        }
    }
}
