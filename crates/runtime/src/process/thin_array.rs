//! An array that grows, behind one word: what a process has few of, but nearly every process of an OTP behaviour has.
//!
//! ```text
//! block: | header: H | length: u32 | capacity: u32 | elements: T ... |
//! ```
//!
//! An empty array has no block until something is added or its header is needed. The first block comes from
//! `sys::memory::slab` if that has blocks of its size, since there are millions of them. The elements are plain words,
//! so they are moved and forgotten without being dropped; the header is dropped with the array. Only the owner of the
//! process accesses it.

use std::alloc::{Layout, alloc, dealloc, realloc};
use std::marker::PhantomData;
use std::ptr::{self, NonNull};
use std::slice;

use sys::memory::slab::{Class, Stay};
use term::held::{self, HeldKind};

#[repr(C)]
struct Block<H> {
    header: H,
    length: u32,
    capacity: u32,
}

/// See the module's documentation. `FIRST` is the number of elements that the first block has room for.
pub(super) struct ThinArray<H, T: Copy, const FIRST: usize> {
    block: Option<NonNull<Block<H>>>,
    owns: PhantomData<(H, T)>,
}

// SAFETY: the array owns its block, which nothing else refers to.
unsafe impl<H: Send, T: Copy + Send, const FIRST: usize> Send for ThinArray<H, T, FIRST> {}

impl<H: Default, T: Copy, const FIRST: usize> ThinArray<H, T, FIRST> {
    const IS_ALIGNED: () = assert!(align_of::<T>() <= align_of::<Block<H>>() && FIRST > 0);

    #[must_use]
    pub(super) const fn new() -> Self {
        let () = Self::IS_ALIGNED;
        ThinArray {
            block: None,
            owns: PhantomData,
        }
    }

    fn layout(capacity: usize) -> Layout {
        let bytes = capacity.checked_mul(size_of::<T>());
        let bytes = bytes.and_then(|bytes| bytes.checked_add(Self::OFFSET));
        let layout = Layout::from_size_align(bytes.unwrap_or(usize::MAX), align_of::<Block<H>>());
        layout.expect("a size below isize::MAX")
    }

    fn elements(block: NonNull<Block<H>>) -> *mut T {
        block.as_ptr().wrapping_byte_add(Self::OFFSET).cast()
    }

    fn lengths(&self) -> (usize, usize) {
        // SAFETY: the array's own block.
        self.block.map_or((0, 0), |block| unsafe {
            let block = block.as_ref();
            (block.length as usize, block.capacity as usize)
        })
    }

    #[must_use]
    pub(super) fn len(&self) -> usize {
        self.lengths().0
    }

    #[must_use]
    pub(super) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes of memory that it uses, without what its header refers to.
    #[must_use]
    pub(super) fn bytes(&self) -> usize {
        match self.block {
            Some(_) => Self::layout(self.lengths().1).size(),
            None => 0,
        }
    }

    /// Bytes of the block that so many elements more need, if they do not fit into the present one.
    #[must_use]
    pub(super) fn growth_bytes(&self, more: usize) -> usize {
        let (length, capacity) = self.lengths();
        match length + more <= capacity {
            true => 0,
            false => Self::layout(Self::grown(length + more, capacity)).size(),
        }
    }

    /// The capacity of the block that takes the place of one that is too small for `length` elements.
    fn grown(length: usize, capacity: usize) -> usize {
        length.max(capacity * 2).max(FIRST)
    }

    /// The header, if there is a block.
    #[must_use]
    pub(super) fn header(&self) -> Option<&H> {
        // SAFETY: the array's own block, borrowed with the array.
        self.block.map(|block| unsafe { &block.as_ref().header })
    }

    /// The header; a block is allocated for it if there is none.
    pub(super) fn header_mut(&mut self) -> &mut H {
        let mut block = self.block.unwrap_or_else(|| self.reallocate(FIRST));
        // SAFETY: the array's own block, borrowed with the array.
        unsafe { &mut block.as_mut().header }
    }

    #[must_use]
    pub(super) fn as_slice(&self) -> &[T] {
        match self.block {
            // SAFETY: so many elements of the array's own block are initialised.
            Some(block) => unsafe { slice::from_raw_parts(Self::elements(block), self.len()) },
            None => &[],
        }
    }

    #[must_use]
    pub(super) fn as_mut_slice(&mut self) -> &mut [T] {
        match self.block {
            // SAFETY: so many elements of the array's own block are initialised.
            Some(block) => unsafe { slice::from_raw_parts_mut(Self::elements(block), self.len()) },
            None => &mut [],
        }
    }

    /// The elements, and what `of` makes of the header. There is a block.
    pub(super) fn parts<P>(&mut self, of: impl FnOnce(&mut H) -> &mut P) -> (&[T], &mut P) {
        let block = self.block.unwrap_or_else(|| self.reallocate(FIRST));
        // SAFETY: header and elements are different parts of the array's own block, borrowed with the array.
        unsafe {
            let elements = slice::from_raw_parts(Self::elements(block), self.len());
            (elements, of(&mut (*block.as_ptr()).header))
        }
    }

    /// Adds elements at the end.
    pub(super) fn extend<const COUNT: usize>(&mut self, added: [T; COUNT]) {
        let (length, capacity) = self.lengths();
        let mut block = match self.block {
            Some(block) if length + COUNT <= capacity => block,
            _ => self.reallocate(Self::grown(length + COUNT, capacity)),
        };
        // SAFETY: the block has room for the new elements behind those it holds.
        unsafe {
            let end = Self::elements(block).add(length);
            ptr::copy_nonoverlapping(added.as_ptr(), end, COUNT);
            block.as_mut().length = length_field(length + COUNT);
        }
    }

    /// Forgets the elements from the given index on.
    pub(super) fn truncate(&mut self, length: usize) {
        if let Some(block) = &mut self.block {
            // SAFETY: the array's own block.
            let block = unsafe { block.as_mut() };
            block.length = block.length.min(length_field(length));
        }
    }

    /// Gives memory back if less than a quarter is used.
    pub(super) fn shrink(&mut self) {
        let (length, capacity) = self.lengths();
        if capacity > FIRST && length < capacity / 4 {
            self.reallocate((length * 2).max(FIRST));
        }
    }

    /// Gives the array a block with room for so many elements, at least as many as it has.
    fn reallocate(&mut self, mut capacity: usize) -> NonNull<Block<H>> {
        let (length, before) = self.lengths();
        debug_assert!(capacity >= length);
        let bytes_before = self.bytes();
        let attempt = |capacity| match self.block {
            None => Self::allocate(capacity),
            // SAFETY: the present block was allocated with its capacity, and is not used after it has moved.
            Some(block) => unsafe { Self::resize(block, before, capacity) },
        };
        let mut pointer = attempt(capacity);
        if pointer.is_null() && Self::class_of(capacity).is_some() {
            // The program's allocator may have a little memory when no more chunks can be had.
            capacity += 1;
            pointer = attempt(capacity);
        }
        // From here on, what `self.block` refers to is gone.
        let layout = Self::layout(capacity);
        if self.block.is_some() {
            held::gave(Self::kind_of(before), bytes_before);
        }
        held::took(Self::kind_of(capacity), layout.size());
        let Some(mut block) = NonNull::new(pointer.cast::<Block<H>>()) else {
            held::exhausted(layout)
        };
        // SAFETY: the block is large enough; a new one is initialised here, another keeps what it held.
        unsafe {
            if self.block.is_none() {
                block.write(Block {
                    header: H::default(),
                    length: 0,
                    capacity: 0,
                });
            }
            block.as_mut().capacity = length_field(capacity);
        }
        self.block = Some(block);
        block
    }

    /// A block for so many elements, not initialised; null if there is no memory.
    fn allocate(capacity: usize) -> *mut u8 {
        match Self::class_of(capacity) {
            Some(class) => class.take().map_or(ptr::null_mut(), NonNull::as_ptr),
            // SAFETY: the layout is not empty.
            None => unsafe { alloc(Self::layout(capacity)) },
        }
    }

    /// Moves a block to one for another number of elements; null if there is no memory.
    ///
    /// # Safety
    /// The block was allocated for `before` elements, and not more than `after` of them are used. Afterwards it is not
    /// used.
    unsafe fn resize(block: NonNull<Block<H>>, before: usize, after: usize) -> *mut u8 {
        let (from, to) = (Self::layout(before), Self::layout(after));
        if Self::class_of(before).is_none() && Self::class_of(after).is_none() {
            // SAFETY: the block was allocated with this layout, and the new size is not 0.
            return unsafe { realloc(block.as_ptr().cast(), from, to.size()) };
        }
        let moved = Self::allocate(after);
        if !moved.is_null() {
            // SAFETY: both blocks have so many bytes; the old one is not used afterwards.
            unsafe {
                let bytes = from.size().min(to.size());
                ptr::copy_nonoverlapping(block.as_ptr().cast(), moved, bytes);
                Self::free(block, before);
            }
        }
        moved
    }
}

fn length_field(length: usize) -> u32 {
    u32::try_from(length).expect("fewer than 2^32 elements")
}

impl<H: Default, T: Copy, const FIRST: usize> Default for ThinArray<H, T, FIRST> {
    fn default() -> Self {
        ThinArray::new()
    }
}

impl<H, T: Copy, const FIRST: usize> ThinArray<H, T, FIRST> {
    /// Where the elements begin in a block.
    const OFFSET: usize = size_of::<Block<H>>();
    const FIRST_CLASS: Option<Class> = Class::of(Stay::Whole, Self::bytes_for(FIRST));

    /// Bytes of a block for so many elements, a number that [`ThinArray::layout`] has checked.
    const fn bytes_for(capacity: usize) -> usize {
        Self::OFFSET + capacity * size_of::<T>()
    }

    /// Where blocks for so many elements come from, if not from the program's allocator.
    fn class_of(capacity: usize) -> Option<Class> {
        Self::FIRST_CLASS.filter(|_| capacity == FIRST)
    }

    fn kind_of(capacity: usize) -> HeldKind {
        match Self::class_of(capacity) {
            Some(_) => HeldKind::WholeSlab,
            None => HeldKind::Heap,
        }
    }

    /// Gives back the memory of a block.
    ///
    /// # Safety
    /// The block was allocated for so many elements, and is not used afterwards.
    unsafe fn free(block: NonNull<Block<H>>, capacity: usize) {
        // SAFETY: the caller's promise; the size was checked when it was allocated.
        unsafe {
            if let Some(class) = Self::class_of(capacity) {
                class.give_back(block.cast());
                return;
            }
            let bytes = Self::bytes_for(capacity);
            let layout = Layout::from_size_align_unchecked(bytes, align_of::<Block<H>>());
            dealloc(block.as_ptr().cast(), layout);
        }
    }
}

impl<H, T: Copy, const FIRST: usize> Drop for ThinArray<H, T, FIRST> {
    fn drop(&mut self) {
        if let Some(mut block) = self.block {
            // SAFETY: the array's own block, allocated by `reallocate` for its capacity.
            unsafe {
                let capacity = block.as_ref().capacity as usize;
                held::gave(Self::kind_of(capacity), Self::bytes_for(capacity));
                ptr::drop_in_place(&raw mut block.as_mut().header);
                Self::free(block, capacity);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_and_header_survive_growing_and_shrinking() {
        let mut array: ThinArray<Option<Box<u64>>, u64, 2> = ThinArray::new();
        assert!(array.header().is_none() && array.as_slice().is_empty());
        *array.header_mut() = Some(Box::new(7));
        for number in 0..1000 {
            array.extend([number, number * 2]);
        }
        assert_eq!(array.as_slice()[1999], 1998);
        array.as_mut_slice()[3] = 99;
        let room = (array.bytes() - 16) / 8 - 2000;
        assert_eq!(array.growth_bytes(room), 0);
        assert_eq!(array.growth_bytes(room + 1), 2 * array.bytes() - 16);
        array.truncate(4);
        array.shrink();
        assert_eq!(array.as_slice(), [0, 0, 1, 99]);
        assert_eq!(array.bytes(), 16 + 8 * 8);
        assert_eq!(array.header().unwrap().as_deref(), Some(&7));
    }

    #[test]
    fn an_empty_array_is_one_word_and_has_no_block() {
        let array: ThinArray<Option<Box<u64>>, u64, 2> = ThinArray::new();
        assert_eq!(size_of_val(&array), 8);
        assert_eq!(array.bytes(), 0);
    }
}
