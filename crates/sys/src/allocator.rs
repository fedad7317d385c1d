//! The allocator of the program, how it gets memory from the system, and what happens when there is none.
//!
//! mimalloc reserves a gibibyte at its first allocation and by default commits all of it at once, which lets the kernel
//! back it with huge pages even where only a few bytes of each are used: a node that had just booted held 130 MB.
//! Before the first allocation it is told to commit memory only as needed. Where the address space is limited
//! (`ulimit -v`), it reserves less at a time.
//!
//! The C library has an allocator of its own, which serves foreign libraries and the library itself. It reserves 64 MiB
//! of addresses for each thread that allocates, and starting a thread is enough: 0.7 GB in a node that had just booted,
//! of which two pages for each thread were used. It gets no more such *arenas* than there are processors.
//!
//! Blocks of one size lie in *pages* of mimalloc, which it cuts from its arenas; a block larger than
//! [`MOST_SHARED_BYTES`] has a page to itself. [`pages`] shows all of them. A large block that has grown is a mapping
//! of its own (`mapped`), and shown as such a page.
//!
//! The system hands out more addresses than it has memory for, and ends programs that use them. So before a block of at
//! least [`ASKED_FOR_BYTES`] is allocated, the machine is asked whether it has that much.
//!
//! When the system refuses memory, or the machine has none, the handler of [`on_shortage`] is called. It either
//! returns, and the allocation fails, or ends the program, with the help of a small reserve that is kept for that.

mod mapped;

use std::alloc::{GlobalAlloc, Layout};
use std::cell::{Cell, UnsafeCell};
use std::ffi::{c_long, c_void};
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use libmimalloc_sys::{mi_heap_area_t, mi_heap_t, mi_option_set, mi_option_t};
use mimalloc::MiMalloc;

use crate::memory::{budget, settling, usage};
use crate::standard::to_error;
use crate::thread::exit_at_once;

/// `mi_option_arena_eager_commit` of mimalloc 2 and 3, which the crate has no name for.
const ARENA_EAGER_COMMIT: mi_option_t = 4;
/// `mi_option_arena_reserve` of mimalloc 2: kibibytes that are reserved at a time.
const ARENA_RESERVE: mi_option_t = 23;
/// Where the address space is limited, one part in this many of it is reserved at a time.
const LIMITED_PART: u64 = 16;
/// What mimalloc reserves at a time where nothing is limited.
const MOST_RESERVED_BYTES: u64 = 1 << 30;

/// Bytes of the reserve, which takes no memory until it is used.
const RESERVE_BYTES: usize = 16 << 20;
/// Bytes of it that are kept for requests of at most [`SMALL_BYTES`].
const KEPT_BYTES: usize = 4 << 20;
const SMALL_BYTES: usize = 64 << 10;
const _: () = assert!(KEPT_BYTES < RESERVE_BYTES);
const _: () = assert!(budget::LARGE_BYTES <= ASKED_FOR_BYTES);

/// Larger blocks are allocated only if there is memory for them. To ask takes less than a hundredth of the time that it
/// takes to use so much.
const ASKED_FOR_BYTES: usize = 64 << 20;

/// Whether a block of that size, which takes the place of one of `before` bytes, is not to be allocated.
#[inline]
fn is_refused(bytes: usize, before: usize) -> bool {
    bytes >= budget::LARGE_BYTES && bytes > before && is_refused_if_large(bytes, before)
}

#[cold]
fn is_refused_if_large(bytes: usize, before: usize) -> bool {
    // The old block lives until the new one is made, so all of it counts against the budget. The budget comes first:
    // who is refused for its sake is told so.
    let is_asked = is_attempt();
    if is_asked && is_beyond_budget(bytes) {
        return true;
    }
    let is_short = bytes >= ASKED_FOR_BYTES && !cfg!(miri) && !usage::has_room_for(bytes - before);
    if is_short && is_asked {
        budget::handed_out(0, bytes);
    }
    is_short
}

/// Called by the C library before `main`, and before Rust allocates. Miri runs no C, so mimalloc neither.
#[used]
// SAFETY: the section holds functions without arguments, and this is one.
#[cfg_attr(not(miri), unsafe(link_section = ".init_array"))]
static CONFIGURE: extern "C" fn() = configure;

extern "C" fn configure() {
    let limit = usage::address_limit_bytes();
    // SAFETY: sets numbers in a table, and no other thread runs yet.
    unsafe {
        mi_option_set(ARENA_EAGER_COMMIT, 0);
        if let Some(limit) = limit {
            let kibibytes = (limit / LIMITED_PART).min(MOST_RESERVED_BYTES) >> 10;
            mi_option_set(ARENA_RESERVE, kibibytes as c_long);
        }
    }
    #[cfg(target_env = "gnu")]
    {
        let arenas = match limit {
            Some(_) => 1,
            None => {
                // SAFETY: asks the system for a number.
                let processors = unsafe { libc::sysconf(libc::_SC_NPROCESSORS_ONLN) };
                processors.clamp(1, 64) as libc::c_int
            }
        };
        // SAFETY: sets a number; without success the library keeps its own.
        unsafe { libc::mallopt(libc::M_ARENA_MAX, arenas) };
    }
}

/// The allocator of the program.
pub struct Allocator {
    /// Whether the program ends where there is no memory and no handler yet ([`on_shortage`]), with a message and
    /// status 1. Otherwise the allocation fails, for which Rust aborts.
    ends_at_start: bool,
}

impl Allocator {
    /// For a program that sets a handler.
    pub const WITH_HANDLER: Allocator = Allocator {
        ends_at_start: true,
    };
}

/// Called with the number of bytes that could not be allocated.
pub type Handler = fn(usize);

static HANDLER: OnceLock<Handler> = OnceLock::new();

#[repr(align(4096))]
struct Reserve(UnsafeCell<[u8; RESERVE_BYTES]>);

// SAFETY: each part of it is handed out once, by the atomic `RESERVE_USED`.
unsafe impl Sync for Reserve {}

static RESERVE: Reserve = Reserve(UnsafeCell::new([0; RESERVE_BYTES]));
static RESERVE_USED: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    /// Whether this thread may use the reserve.
    static MAY_USE_RESERVE: Cell<bool> = const { Cell::new(false) };
}

/// Sets the function that is called when there is no memory; the first call counts.
pub fn on_shortage(handler: Handler) {
    let _ = HANDLER.set(handler);
}

/// From now on allocations of this thread that fail are served from the reserve. Its parts are never reused, because
/// the program is about to end.
pub fn open_reserve() {
    MAY_USE_RESERVE.set(true);
}

thread_local! {
    /// Whether this thread is within an [`attempt`].
    static ATTEMPT: Cell<bool> = const { Cell::new(false) };
    /// See [`take_refusal`].
    static WAS_REFUSED: Cell<bool> = const { Cell::new(false) };
}

/// Runs `ask`, whose allocations may fail: then the operation that the program asked for fails, not the node. They fail
/// when the system has no memory, and large ones when the budget has none.
pub fn attempt<R>(ask: impl FnOnce() -> R) -> R {
    let outer = ATTEMPT.replace(true);
    let result = ask();
    ATTEMPT.set(outer);
    result
}

/// Runs `ask` outside of any [`attempt`].
pub fn insist<R>(ask: impl FnOnce() -> R) -> R {
    let outer = ATTEMPT.replace(false);
    let result = ask();
    ATTEMPT.set(outer);
    result
}

/// Whether this thread is within an [`attempt`].
#[must_use]
pub fn is_attempt() -> bool {
    ATTEMPT.get()
}

/// Whether an allocation of this size is beyond the budget, also when what was freed, or is about to be, has gone back
/// to the system.
fn is_beyond_budget(bytes: usize) -> bool {
    let fits = || budget::admit(bytes);
    if fits() || budget::await_leaving(bytes as u64, fits) {
        return false;
    }
    budget::refuse();
    WAS_REFUSED.set(true);
    true
}

/// Whether an allocation of this thread was refused for the budget's sake since the last call: if not, one that failed
/// did so because the system has no memory.
pub fn take_refusal() -> bool {
    WAS_REFUSED.replace(false)
}

/// Bytes of the C library's allocator, which serves foreign libraries: those in use, and those that are free and kept.
/// It looks at all that is free, under its locks.
#[must_use]
pub fn foreign_bytes() -> (u64, u64) {
    #[cfg(all(target_env = "gnu", not(miri)))]
    {
        // SAFETY: reads the allocator's own bookkeeping.
        let info = unsafe { libc::mallinfo2() };
        ((info.uordblks + info.hblkhd) as u64, info.fordblks as u64)
    }
    #[cfg(not(all(target_env = "gnu", not(miri))))]
    (0, 0)
}

/// The largest block that shares a page with others: an eighth of a large page of mimalloc.
pub const MOST_SHARED_BYTES: usize = 512 << 10;
const _: () = assert!(MOST_SHARED_BYTES >= settling::free_blocks::FROM_BYTES);
/// Pages are so many bytes, or a multiple.
const SLICE_BYTES: usize = 64 << 10;
/// Where the block of a page begins that holds only one.
const LARGE_OFFSET_BYTES: usize = 4 << 10;

/// What the page takes of a block that is larger than [`MOST_SHARED_BYTES`].
#[must_use]
pub fn room_of_large(bytes: usize) -> usize {
    bytes
        .saturating_add(LARGE_OFFSET_BYTES)
        .next_multiple_of(SLICE_BYTES)
}

/// A page of mimalloc: blocks of one size.
#[derive(Clone, Copy, Debug)]
pub struct Page {
    /// Bytes of a block.
    pub block_bytes: usize,
    /// Blocks in use. Those that another thread has freed may count until the page's thread notices.
    pub used: usize,
    /// Blocks that there are in the memory that the page uses so far.
    pub blocks: usize,
    /// Blocks that it has room for.
    pub capacity: usize,
}

impl Page {
    /// Whether the page is for one block only.
    #[must_use]
    pub fn is_single(&self) -> bool {
        self.capacity == 1
    }

    /// Bytes that it takes: those of its blocks so far.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.blocks * self.block_bytes
    }
}

/// All pages of the program. What a thread that runs meanwhile allocates and frees may be seen in part.
#[must_use]
pub fn pages() -> Vec<Page> {
    extern "C" fn visit(
        _heap: *const mi_heap_t,
        area: *const mi_heap_area_t,
        _block: *mut c_void,
        _block_size: usize,
        pages: *mut c_void,
    ) -> bool {
        // SAFETY: mimalloc passes on what it was given below, and an area that it describes for this call.
        let (area, pages) = unsafe { (&*area, &mut *pages.cast::<Vec<Page>>()) };
        // A page that another thread is freeing has no size.
        let size = area.full_block_size.max(1);
        let page = Page {
            block_bytes: size,
            used: area.used.min(area.committed / size),
            blocks: area.committed / size,
            capacity: area.reserved / size,
        };
        // What exceeds the room is left out: to make room is to change what is looked at.
        if page.blocks > 0 && pages.len() < pages.capacity() {
            pages.push(page);
        }
        true
    }
    let mut pages: Vec<Page> = Vec::new();
    if cfg!(miri) {
        return pages;
    }
    loop {
        let room = pages.capacity() * 2 + 1024;
        pages = Vec::with_capacity(room);
        let all = (&raw mut pages).cast::<c_void>();
        // SAFETY: no heap means the program's, whose pages stay mapped; the visitor allocates nothing.
        unsafe { libmimalloc_sys::mi_heap_visit_blocks(ptr::null_mut(), false, Some(visit), all) };
        if pages.len() < pages.capacity() {
            pages.extend(mapped::pages());
            return pages;
        }
    }
}

/// mimalloc's version.
#[must_use]
pub fn version() -> [usize; 3] {
    if cfg!(miri) {
        return [0; 3];
    }
    // SAFETY: returns a number.
    let version = unsafe { libmimalloc_sys::mi_version() } as usize;
    match version {
        10_000.. => [version / 10_000, version / 100 % 100, version % 100],
        _ => [version / 100, version / 10 % 10, version % 10],
    }
}

/// Bytes that the allocator has from the system.
#[must_use]
pub fn committed_bytes() -> u64 {
    if cfg!(miri) {
        return 0;
    }
    let mut now = 0;
    let mut others = [0; 7];
    let [a, b, c, d, e, f, g] = others.each_mut().map(ptr::from_mut);
    // SAFETY: writes a number to each of these places.
    unsafe { libmimalloc_sys::mi_process_info(a, b, c, d, e, &mut now, f, g) };
    (now + mapped::bytes()) as u64
}

/// The next part of the reserve; null when the reserve is used up.
fn from_reserve(layout: Layout) -> *mut u8 {
    let align = layout.align().max(16);
    if align > 4096 {
        return std::ptr::null_mut();
    }
    let end_for_it = if layout.size() > SMALL_BYTES {
        RESERVE_BYTES - KEPT_BYTES
    } else {
        RESERVE_BYTES
    };
    let mut used = RESERVE_USED.load(Ordering::Relaxed);
    loop {
        let start = used.next_multiple_of(align);
        let Some(end) = start
            .checked_add(layout.size())
            .filter(|end| *end <= end_for_it)
        else {
            return std::ptr::null_mut();
        };
        match RESERVE_USED.compare_exchange_weak(used, end, Ordering::Relaxed, Ordering::Relaxed) {
            Ok(_) => return RESERVE.0.get().cast::<u8>().wrapping_add(start),
            Err(now) => used = now,
        }
    }
}

fn is_reserve(pointer: *mut u8) -> bool {
    let start = RESERVE.0.get() as usize;
    (start..start + RESERVE_BYTES).contains(&(pointer as usize))
}

#[cold]
fn short(layout: Layout, ends_at_start: bool) -> *mut u8 {
    let reserved = || {
        MAY_USE_RESERVE
            .get()
            .then(|| from_reserve(layout))
            .filter(|pointer| !pointer.is_null())
    };
    if let Some(pointer) = reserved() {
        return pointer;
    }
    match HANDLER.get() {
        Some(handler) => handler(layout.size()),
        None if ends_at_start => {
            open_reserve();
            let bytes = layout.size();
            to_error(format_args!(
                "ferl: Cannot allocate {bytes} bytes of memory.\n"
            ));
            exit_at_once(1);
        }
        None => (),
    }
    std::ptr::null_mut()
}

/// The alignment of every block of mimalloc. For more, mimalloc has to be asked by another function, which is slower
/// even if the block that it finds happens to be aligned.
const ALIGNMENT: usize = size_of::<usize>();

/// A fresh block of mimalloc, or null, which is [counted](made_large) if it is large.
#[inline]
fn made(pointer: *mut u8, layout: Layout) -> *mut u8 {
    match layout.size() {
        0..budget::LARGE_BYTES => pointer,
        _ => made_large(pointer, layout, 0),
    }
}

/// Counts a large block that mimalloc has just made, or not; the block. One that looks like a mapping becomes one,
/// whose bytes are zero but for the first `kept`, which it takes over.
#[cold]
fn made_large(pointer: *mut u8, layout: Layout, kept: usize) -> *mut u8 {
    let mut block = pointer;
    if !pointer.is_null() && mapped::is_mapped(pointer, layout) {
        block = mapped::map(layout.size());
        // SAFETY: the block of mimalloc was made for this layout, and is used no more.
        unsafe {
            if !block.is_null() {
                block.copy_from_nonoverlapping(pointer, kept);
            }
            MiMalloc.dealloc(pointer, layout);
        }
    }
    budget::handed_out(block as usize, layout.size());
    block
}

/// # Safety
/// As for [`GlobalAlloc::dealloc`], and the block is no part of the reserve.
#[cold]
unsafe fn free_large(pointer: *mut u8, layout: Layout) {
    budget::taken_back(pointer as usize, layout.size());
    // SAFETY: the caller's promise.
    unsafe {
        if mapped::is_mapped(pointer, layout) {
            mapped::unmap(pointer, layout.size());
        } else {
            settling::note_large_freed(layout.size());
            MiMalloc.dealloc(pointer, layout);
        }
    }
}

/// Null, and nothing is changed, if there is no memory or none within the budget.
///
/// # Safety
/// As for [`GlobalAlloc::realloc`], and the block is no part of the reserve.
#[cold]
unsafe fn realloc_large(pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
    let before = layout.size();
    // SAFETY: the caller's promise: the size does not overflow when rounded up to the alignment.
    let layout_of_new = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
    let (was_mapped, may_be) = (
        mapped::is_mapped(pointer, layout),
        mapped::may_be(layout_of_new),
    );
    if was_mapped && may_be {
        // SAFETY: the caller's promise, for a block that is a mapping.
        return unsafe { resize_mapped(pointer, before, size) };
    }
    if is_refused(size, before) {
        return ptr::null_mut();
    }
    let becomes_mapped = may_be && size > before;
    if !was_mapped && !becomes_mapped {
        budget::taken_back(pointer as usize, before);
        // SAFETY: the caller's promise; the block is mimalloc's.
        let moved = unsafe { MiMalloc.realloc(pointer, layout, size) };
        if moved != pointer && !moved.is_null() && before > MOST_SHARED_BYTES {
            settling::note_large_freed(before);
        }
        return made_large(moved, layout_of_new, size.min(before));
    }
    let moved = if becomes_mapped {
        mapped::map(size)
    } else {
        // SAFETY: the caller's promise.
        unsafe { MiMalloc.alloc(layout_of_new) }
    };
    budget::handed_out(moved as usize, size);
    if !moved.is_null() {
        // SAFETY: the caller's promise; a fresh block overlaps nothing.
        unsafe {
            moved.copy_from_nonoverlapping(pointer, before.min(size));
            free_large(pointer, layout);
        }
    }
    moved
}

/// As [`realloc_large`]. All that the block takes along counts once, so only for the rest is the budget asked.
///
/// # Safety
/// The block is a mapping, made for `before` bytes; so is the result, and the block is not used any more then.
unsafe fn resize_mapped(pointer: *mut u8, before: usize, size: usize) -> *mut u8 {
    let more = size.saturating_sub(before);
    let asked = budget::asked_to_grow(more);
    if is_refused(asked, 0) {
        return ptr::null_mut();
    }
    let left = budget::taken_along(pointer as usize);
    // SAFETY: the caller's promise.
    let moved = unsafe { mapped::resize(pointer, before, size) };
    if moved.is_null() {
        budget::handed_out(0, asked);
        budget::grown(pointer as usize, before, 0, left);
    } else {
        budget::grown(moved as usize, size, more, left);
    }
    moved
}

// SAFETY: blocks are mimalloc's, mappings, or parts of the reserve, which are aligned, disjoint and never reused.
unsafe impl GlobalAlloc for Allocator {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if is_refused(layout.size(), 0) {
            return short(layout, self.ends_at_start);
        }
        let pointer = if layout.align() <= ALIGNMENT && !cfg!(miri) {
            // SAFETY: may be called for any size.
            unsafe { libmimalloc_sys::mi_malloc(layout.size()).cast() }
        } else {
            // SAFETY: the caller's promise.
            unsafe { MiMalloc.alloc(layout) }
        };
        let pointer = made(pointer, layout);
        if pointer.is_null() {
            return short(layout, self.ends_at_start);
        }
        pointer
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if is_refused(layout.size(), 0) {
            return short(layout, self.ends_at_start);
        }
        // SAFETY: the caller's promise.
        let pointer = unsafe { MiMalloc.alloc_zeroed(layout) };
        let pointer = made(pointer, layout);
        if pointer.is_null() {
            // Parts of the reserve are zero, since each is handed out once.
            return short(layout, self.ends_at_start);
        }
        pointer
    }

    #[inline]
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        if is_reserve(pointer) {
            return;
        }
        if layout.size() > MOST_SHARED_BYTES {
            // SAFETY: the caller's promise.
            return unsafe { free_large(pointer, layout) };
        }
        // SAFETY: the caller's promise; the block is mimalloc's.
        unsafe { MiMalloc.dealloc(pointer, layout) };
    }

    #[inline]
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if !is_reserve(pointer) {
            // SAFETY: the caller's promise; a small block is mimalloc's.
            let moved = unsafe {
                match layout.size().max(size) {
                    0..=MOST_SHARED_BYTES => MiMalloc.realloc(pointer, layout, size),
                    _ => realloc_large(pointer, layout, size),
                }
            };
            if !moved.is_null() {
                return moved;
            }
        }
        // SAFETY: the caller's promise: the size does not overflow when rounded up to the alignment.
        let layout_of_new = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
        let moved = short(layout_of_new, self.ends_at_start);
        if !moved.is_null() {
            // SAFETY: both are live and as long as said, and a fresh block overlaps nothing.
            unsafe {
                moved.copy_from_nonoverlapping(pointer, layout.size().min(size));
                self.dealloc(pointer, layout);
            }
        }
        moved
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALLOCATOR: Allocator = Allocator {
        ends_at_start: false,
    };

    #[test]
    fn more_than_the_machine_has_is_refused() {
        let total = crate::memory::usage::total_bytes() as usize;
        let large = Layout::from_size_align(total * 2 + (1 << 40), 16).unwrap();
        let small = Layout::from_size_align(1 << 10, 16).unwrap();
        // SAFETY: the sizes are not zero, and nothing is used.
        unsafe {
            assert!(ALLOCATOR.alloc(large).is_null());
            assert!(ALLOCATOR.alloc_zeroed(large).is_null());
            let block = ALLOCATOR.alloc(small);
            assert!(ALLOCATOR.realloc(block, small, large.size()).is_null());
            ALLOCATOR.dealloc(block, small);
        }
    }

    #[test]
    fn memory_is_taken_as_it_is_needed() {
        // SAFETY: reads a number from a table.
        let eager = unsafe { libmimalloc_sys::mi_option_get(ARENA_EAGER_COMMIT) };
        assert_eq!(eager, 0);
    }

    #[test]
    fn large_blocks_have_pages_of_their_own() {
        let singles = |bytes: usize| {
            let pages = pages();
            let fits = |page: &&Page| page.is_single() && page.block_bytes >= bytes;
            pages.iter().filter(fits).map(Page::bytes).sum::<usize>()
        };
        let layout = |bytes| Layout::from_size_align(bytes, 8).unwrap();
        // A debug build of mimalloc makes blocks a little larger.
        for (bytes, is_single) in [
            (MOST_SHARED_BYTES - 64, false),
            (MOST_SHARED_BYTES + 1, true),
        ] {
            let before = singles(bytes);
            // SAFETY: the size is not zero, and the block is freed as it was allocated.
            unsafe {
                let block = MiMalloc.alloc(layout(bytes));
                let more = singles(bytes) - before;
                assert_eq!(more > 0, is_single, "{bytes}");
                assert!(!is_single || more <= room_of_large(bytes), "{more}");
                MiMalloc.dealloc(block, layout(bytes));
            }
        }
    }

    #[test]
    fn blocks_in_use_are_seen() {
        let used = || {
            pages()
                .iter()
                .filter(|page| (1280..=1536).contains(&page.block_bytes))
                .map(|page| page.used)
                .sum::<usize>()
        };
        let before = used();
        // SAFETY: the size is not zero; freed below.
        let block = || unsafe { MiMalloc.alloc(Layout::from_size_align(1280, 8).unwrap()) };
        let blocks: Vec<*mut u8> = (0..1000).map(|_| block()).collect();
        assert_eq!(used() - before, 1000);
        for block in blocks {
            // SAFETY: allocated above.
            unsafe { MiMalloc.dealloc(block, Layout::from_size_align(1280, 8).unwrap()) };
        }
        assert!(committed_bytes() > 1_280_000);
    }

    #[test]
    fn what_the_system_has_not_comes_from_the_reserve() {
        let too_large = Layout::from_size_align(1 << 60, 16).unwrap();
        let small = Layout::from_size_align(100, 64).unwrap();
        // SAFETY: the sizes are not zero, and every pointer is used as it was allocated.
        unsafe {
            assert!(ALLOCATOR.alloc(too_large).is_null());
            assert!(short(small, false).is_null(), "the reserve is opened first");
            open_reserve();
            let first = short(small, false);
            let second = ALLOCATOR.realloc(first, small, 200);
            assert!(is_reserve(first) && first as usize % 64 == 0);
            assert_ne!(first, second);
            ALLOCATOR.dealloc(second, Layout::from_size_align(200, 64).unwrap());
            assert!(short(too_large, false).is_null());
        }
    }

    #[test]
    fn blocks_that_grow_and_shrink_keep_their_content() {
        let layout = |bytes| Layout::from_size_align(bytes, 16).unwrap();
        let most = 3 * mapped::FROM_BYTES;
        for align in [16, 4096, 2 << 20] {
            let layout = |bytes| Layout::from_size_align(bytes, align).unwrap();
            let mut bytes = 1 << 10;
            // SAFETY: each block is used as it was allocated.
            unsafe {
                let mut block = ALLOCATOR.alloc(layout(bytes));
                block.write_bytes(5, bytes);
                let sizes = [
                    1 << 20,
                    40 << 20,
                    most / 2,
                    most,
                    most / 2,
                    5 << 20,
                    most,
                    1 << 11,
                ];
                for size in sizes {
                    block = ALLOCATOR.realloc(block, layout(bytes), size);
                    bytes = size;
                    assert!(block.addr().is_multiple_of(align));
                    let seen = std::slice::from_raw_parts(block, 1 << 10);
                    assert!(seen.iter().all(|byte| *byte == 5), "{size}");
                    block.add(bytes - 1).write(1);
                }
                ALLOCATOR.dealloc(block, layout(bytes));
            }
        }
        // One that looks like a mapping, and is none.
        let bytes = mapped::FROM_BYTES;
        // SAFETY: each block is used as it was allocated.
        unsafe {
            let aligned = Layout::from_size_align(bytes, 2 << 20).unwrap();
            let block = MiMalloc.alloc_zeroed(aligned);
            block.write(9);
            let block = made_large(block, layout(bytes), 1);
            assert!(mapped::is_mapped(block, layout(bytes)));
            assert_eq!((*block, *block.add(1)), (9, 0));
            ALLOCATOR.dealloc(block, layout(bytes));
        }
    }
}
