//! Address space and memory of the operating system.
//!
//! A [`Reservation`] is a range of addresses that takes no memory until parts of it are committed, and whose
//! memory can be released part by part. [`code`] reserves ranges for machine code; [`slab`] cuts
//! ranges into small blocks. [`usage`] says how much memory this process, this host and our control group have,
//! and [`budget`] how much of it this process may take; [`settling`] gives back what threads keep of it.
//!
//! Invariant: a committed page reads as zero until it is written, also after it was released and written
//! again. All offsets and lengths are whole pages, which is checked.
//!
//! A reservation may be shared by threads: every method is a system call on a range that the caller owns, and the
//! kernel serialises these calls.

pub mod budget;
pub mod code;
mod grants;
pub mod settling;
pub mod slab;
pub mod usage;

use std::alloc::{Layout, alloc_zeroed};
use std::ffi::c_void;
use std::ops::Range;
use std::ptr::NonNull;
use std::sync::OnceLock;

use rustix::mm::{Advice, MapFlags, MprotectFlags, ProtFlags};

use crate::errno::{Errno, Result};

/// The size of a page: 4096 nearly everywhere, 16 or 64 KiB on some AArch64 kernels.
#[inline]
pub fn page_bytes() -> usize {
    static PAGE: OnceLock<usize> = OnceLock::new();
    *PAGE.get_or_init(rustix::param::page_size)
}

/// Returns the memory of all whole pages in a part of the program's own memory to the system at once. They stay mapped,
/// and read as zero. Nothing happens where the system refuses.
///
/// # Safety
/// The part was allocated, nothing refers into it, and its content is no longer needed.
pub unsafe fn discard(start: *mut u8, bytes: usize) {
    let first = start.addr().next_multiple_of(page_bytes());
    let end = (start.addr() + bytes) & !(page_bytes() - 1);
    if first < end && !cfg!(miri) {
        let pages = start.with_addr(first).cast::<c_void>();
        // SAFETY: the caller's promise, for pages that lie in the part.
        let _ = unsafe { rustix::mm::madvise(pages, end - first, Advice::LinuxDontNeed) };
    }
}

/// A range of addresses that no other mapping gets until this is dropped.
#[derive(Debug)]
pub struct Reservation {
    base: NonNull<u8>,
    bytes: usize,
}

// SAFETY: a range of addresses belongs to no thread; callers of the unsafe methods and of pointers into it promise what
// accesses need.
unsafe impl Send for Reservation {}
// SAFETY: as above; the kernel serialises changes of mappings.
unsafe impl Sync for Reservation {}

impl Reservation {
    /// Reserves `bytes` (rounded up to pages) whose first address is a multiple of `alignment`, a power of two.
    /// Nothing in it may be accessed before it is committed. `enomem` when there is no such gap.
    pub fn new(bytes: usize, alignment: usize) -> Result<Reservation> {
        if !alignment.is_power_of_two() || bytes == 0 {
            return Err(Errno::EINVAL);
        }
        let bytes = bytes
            .checked_next_multiple_of(page_bytes())
            .ok_or(Errno::ENOMEM)?;
        if cfg!(miri) {
            return in_miri(bytes, alignment);
        }
        if alignment <= page_bytes() {
            let base = map(0, bytes, MapFlags::empty())?;
            return Ok(Reservation { base, bytes });
        }
        // The kernel aligns to pages only: reserve the slack too, then unmap what lies outside.
        let padded = bytes.checked_add(alignment).ok_or(Errno::ENOMEM)?;
        let start = map(0, padded, MapFlags::empty())?.addr().get();
        let base = start.next_multiple_of(alignment);
        let end = base + bytes;
        unmap(start, base - start);
        unmap(end, start + padded - end);
        let base =
            NonNull::new(std::ptr::with_exposed_provenance_mut(base)).ok_or(Errno::ENOMEM)?;
        Ok(Reservation { base, bytes })
    }

    /// The first address.
    #[inline]
    pub fn base(&self) -> NonNull<u8> {
        self.base
    }

    /// The length, in whole pages.
    #[inline]
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Whether the address lies in the range.
    #[inline]
    pub fn contains(&self, address: usize) -> bool {
        address.wrapping_sub(self.base.addr().get()) < self.bytes
    }

    /// Leaves the range mapped, whoever unmaps it.
    pub(crate) fn leave(self) -> NonNull<u8> {
        std::mem::ManuallyDrop::new(self).base
    }

    /// Makes a part readable and writable. Memory is used only where it is touched. Committing a part again
    /// keeps its content.
    pub fn commit(&self, part: Range<usize>) -> Result<()> {
        self.protect(&part, MprotectFlags::READ | MprotectFlags::WRITE)
    }

    /// Returns a part's memory to the system at once; the part stays committed and reads as zero.
    ///
    /// # Safety
    /// There are no references into the part, and its content is no longer needed.
    pub unsafe fn release(&self, part: Range<usize>) -> Result<()> {
        if cfg!(miri) {
            let (start, bytes) = self.pages(&part)?;
            // SAFETY: a part of this reservation (`pages`), whose content is no longer needed.
            unsafe { start.write_bytes(0, bytes) };
            return Ok(());
        }
        self.advise(&part, Advice::LinuxDontNeed)
    }

    /// Asks for huge pages in a part. `einval` on kernels without them; callers may ignore it.
    pub fn advise_huge(&self, part: Range<usize>) -> Result<()> {
        self.advise(&part, Advice::LinuxHugepage)
    }

    fn advise(&self, part: &Range<usize>, advice: Advice) -> Result<()> {
        let (start, bytes) = self.pages(part)?;
        if bytes == 0 || cfg!(miri) {
            return Ok(());
        }
        // SAFETY: the range lies in this reservation (`pages` above). Only the unsafe `release` gives advice that
        // discards content, and its callers own the content.
        Ok(unsafe { rustix::mm::madvise(start, bytes, advice) }?)
    }

    fn protect(&self, part: &Range<usize>, protection: MprotectFlags) -> Result<()> {
        let (start, bytes) = self.pages(part)?;
        if bytes == 0 || cfg!(miri) {
            return Ok(());
        }
        // SAFETY: the range lies in this reservation (`pages` above). Only `CodeArea` takes access away, and its
        // callers promise that nobody uses the part.
        Ok(unsafe { rustix::mm::mprotect(start, bytes, protection) }?)
    }

    /// Start and length of a part, after checking that it consists of whole pages of this reservation.
    fn pages(&self, part: &Range<usize>) -> Result<(*mut c_void, usize)> {
        let page = page_bytes();
        let is_ours = part.start <= part.end && part.end <= self.bytes;
        if !is_ours || !part.start.is_multiple_of(page) || !part.end.is_multiple_of(page) {
            return Err(Errno::EINVAL);
        }
        Ok((
            self.base.as_ptr().wrapping_add(part.start).cast(),
            part.end - part.start,
        ))
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        // The allocator would have to be told the alignment.
        if cfg!(miri) {
            return;
        }
        unmap(self.base.addr().get(), self.bytes);
    }
}

/// Uses so many bytes of memory for a moment: all of it has been handed out by the kernel and written to, and is free
/// again when this returns. `einval` on kernels that cannot do so in one step (before Linux 5.14).
///
/// A virtual machine may give memory that has been free for some seconds back to its host; the next to use it waits for
/// the host, several microseconds for each KiB. After this it does not.
pub fn use_and_free(bytes: usize) -> Result<()> {
    const HUGE_PAGE_BYTES: usize = 2 << 20;
    let range = Reservation::new(bytes, HUGE_PAGE_BYTES)?;
    range.commit(0..range.bytes())?;
    // Memory that the kernel hands out in large parts is what the host has taken back.
    let _ = range.advise_huge(0..range.bytes());
    range.advise(&(0..range.bytes()), Advice::LinuxPopulateWrite)
}

/// A reservation under Miri: all of it is committed at once, because Miri knows neither `mprotect` nor `madvise`.
fn in_miri(bytes: usize, alignment: usize) -> Result<Reservation> {
    let layout = Layout::from_size_align(bytes, alignment.max(page_bytes()));
    // SAFETY: there is at least one byte.
    let base = unsafe { alloc_zeroed(layout.map_err(|_| Errno::ENOMEM)?) };
    let base = NonNull::new(base).ok_or(Errno::ENOMEM)?;
    Ok(Reservation { base, bytes })
}

/// Maps inaccessible addresses, at `hint` if the flags demand that.
fn map(hint: usize, bytes: usize, flags: MapFlags) -> Result<NonNull<u8>> {
    let sharing = if flags.contains(MapFlags::SHARED) {
        MapFlags::empty()
    } else {
        MapFlags::PRIVATE
    };
    let flags = sharing | MapFlags::NORESERVE | flags;
    let hint = std::ptr::without_provenance_mut(hint);
    // SAFETY: a new anonymous mapping; no caller passes MAP_FIXED, so it replaces no existing one.
    let base = unsafe { rustix::mm::mmap_anonymous(hint, bytes, ProtFlags::empty(), flags) }?;
    base.expose_provenance();
    NonNull::new(base.cast()).ok_or(Errno::ENOMEM)
}

/// Unmaps a range that this module has mapped and that nothing else uses.
fn unmap(start: usize, bytes: usize) {
    if bytes > 0 {
        let start = std::ptr::with_exposed_provenance_mut(start);
        // SAFETY: all callers pass a mapping of their own, or a part of one.
        let result = unsafe { rustix::mm::munmap(start, bytes) };
        debug_assert_eq!(result, Ok(()), "munmap({start:p}, {bytes}) failed");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PART: usize = 16 << 20;
    /// The size of huge pages on x86-64 and, with 4 KiB pages, on AArch64.
    const HUGE_PAGE_BYTES: usize = 2 << 20;

    /// The kernel's own account of how much of the range is in memory.
    fn resident_bytes(reservation: &Reservation, part: Range<usize>) -> usize {
        let (start, bytes) = reservation.pages(&part).unwrap();
        let mut pages = vec![0u8; bytes / page_bytes()];
        // SAFETY: one byte per page of the range is written.
        let answer = unsafe { libc::mincore(start, bytes, pages.as_mut_ptr()) };
        assert_eq!(answer, 0);
        pages.iter().filter(|page| **page & 1 != 0).count() * page_bytes()
    }

    fn fill(reservation: &Reservation, part: Range<usize>) {
        // SAFETY: the test committed the part.
        unsafe {
            reservation
                .base()
                .add(part.start)
                .write_bytes(0xa5, part.end - part.start)
        };
    }

    fn byte(reservation: &Reservation, offset: usize) -> u8 {
        // SAFETY: the test committed the page of the offset.
        unsafe { reservation.base().add(offset).read() }
    }

    #[test]
    fn much_can_be_reserved_and_costs_nothing() {
        let reservation = Reservation::new(1 << 40, 4096).unwrap();
        assert_eq!(reservation.bytes(), 1 << 40);
        reservation.commit(0..PART).unwrap();
        assert_eq!(resident_bytes(&reservation, 0..PART), 0);
        fill(&reservation, 0..page_bytes());
        assert!(resident_bytes(&reservation, 0..PART) >= page_bytes());
    }

    #[test]
    fn alignment_is_kept_and_the_slack_is_given_back() {
        for alignment in [1, 4096, HUGE_PAGE_BYTES, 1 << 30] {
            let reservation = Reservation::new(5000, alignment).unwrap();
            assert_eq!(reservation.base().addr().get() % alignment, 0);
            assert_eq!(reservation.bytes() % page_bytes(), 0);
            let end = reservation.base().addr().get() + reservation.bytes();
            assert!(reservation.contains(end - 1) && !reservation.contains(end));
        }
        assert_eq!(Reservation::new(4096, 3).unwrap_err(), Errno::EINVAL);
        assert_eq!(Reservation::new(0, 4096).unwrap_err(), Errno::EINVAL);
        assert_eq!(
            Reservation::new(usize::MAX, 4096).unwrap_err(),
            Errno::ENOMEM
        );
        assert_eq!(
            Reservation::new(1 << 62, 1 << 21).unwrap_err(),
            Errno::ENOMEM
        );
    }

    #[test]
    fn released_memory_is_gone_and_reads_as_zero() {
        let reservation = Reservation::new(PART, HUGE_PAGE_BYTES).unwrap();
        reservation.commit(0..PART).unwrap();
        fill(&reservation, 0..PART);
        assert_eq!(resident_bytes(&reservation, 0..PART), PART);
        // SAFETY: nothing refers into the reservation.
        unsafe { reservation.release(0..PART / 2).unwrap() };
        assert_eq!(resident_bytes(&reservation, 0..PART / 2), 0);
        assert_eq!(byte(&reservation, 0), 0);
        assert_eq!(byte(&reservation, PART / 2), 0xa5);
        // Committing what is committed keeps its content.
        reservation.commit(0..PART).unwrap();
        assert_eq!(byte(&reservation, PART - 1), 0xa5);
    }

    #[test]
    fn discarded_memory_stays_usable() {
        let mut bytes = vec![0xa5u8; 3 * page_bytes()];
        let start = bytes.as_mut_ptr();
        // SAFETY: the content of what lies between the first and the last byte is not needed.
        unsafe { discard(start.add(1), bytes.len() - 2) };
        let kept = bytes.iter().filter(|byte| **byte == 0xa5).count();
        assert!((2..2 * page_bytes()).contains(&kept), "{kept}");
        assert!(bytes.iter().all(|byte| matches!(byte, 0 | 0xa5)));
        bytes.fill(1);
        // SAFETY: nothing is discarded.
        unsafe { discard(start.add(1), page_bytes() - 1) };
        assert!(bytes.iter().all(|byte| *byte == 1));
    }

    #[test]
    fn parts_outside_or_inside_pages_are_refused() {
        let reservation = Reservation::new(4 * page_bytes(), 4096).unwrap();
        #[expect(clippy::reversed_empty_ranges, reason = "what must be refused")]
        let bad = [
            1..page_bytes(),
            0..page_bytes() + 1,
            0..5 * page_bytes(),
            4096 * 64..0,
        ];
        for part in bad {
            assert_eq!(reservation.commit(part), Err(Errno::EINVAL));
        }
        assert_eq!(reservation.commit(page_bytes()..page_bytes()), Ok(()));
    }

    #[test]
    fn huge_pages_can_be_asked_for() {
        let reservation = Reservation::new(PART, HUGE_PAGE_BYTES).unwrap();
        reservation.commit(0..PART).unwrap();
        let result = reservation.advise_huge(0..PART);
        assert!(matches!(result, Ok(()) | Err(Errno::EINVAL)));
    }

    #[test]
    fn memory_that_is_used_for_a_moment_is_free_again() {
        let before = usage::resident_bytes().unwrap();
        use_and_free(64 << 20).expect("the kernel is new enough");
        let after = usage::resident_bytes().unwrap();
        assert!(after.abs_diff(before) < 32 << 20, "{before} {after}");
    }
}
