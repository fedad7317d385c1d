//! Address space for machine code.
//!
//! Generated code refers to the program with 32-bit addresses or distances, so it must lie where those reach:
//! [`Place`] says where. No page is ever writable and executable at once: code is written first and sealed before it
//! runs. What is to change later lies in memory that can be mapped a second time ([`CodeArea::rewritable`]), and is
//! written there, at an address that nobody knows for long.
//!
//! Where code lies begins elsewhere in each run, as far as its addresses have to be low.

use std::hash::{BuildHasher, RandomState};
use std::ops::Range;
use std::ptr::NonNull;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use rustix::mm::{MapFlags, MprotectFlags, MremapFlags, ProtFlags};

use super::{Reservation, map, page_bytes, unmap};
use crate::errno::{Errno, Result};

/// Where code has to lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Below 2 GiB, where an address is a positive 32-bit number (the small code model).
    Low2GiB,
    /// Wholly within 2 GiB of an address, such as that of the program's own functions, so that calls and
    /// references between the two are 32-bit distances.
    Near(usize),
    /// Anywhere in the address space.
    Anywhere,
}

const GIB: usize = 1 << 30;
/// Candidates for the start of an area are this far apart.
const STEP_BYTES: usize = 2 << 20;
/// The kernel refuses lower addresses, or they are reserved for programs linked at fixed addresses.
const LOWEST_ADDRESS: usize = 1 << 20;
/// Where low code of a run begins: above what is most likely taken, and with a quarter of the space above it. What does
/// not fit there is placed in the rest.
const FIRST_LOW_ADDRESSES: Range<usize> = GIB / 4..GIB / 2 * 3;

/// A reserved range for code.
#[derive(Debug)]
pub struct CodeArea {
    reservation: Reservation,
}

/// Where the bytes of an area are written while it is changed ([`CodeArea::rewrite`]).
#[derive(Clone, Copy, Debug)]
pub struct Writable {
    /// The first address of the area, and where its first byte is written.
    area: *mut u8,
    at: *mut u8,
}

impl Writable {
    /// Where the byte at an address of the area is written.
    #[inline]
    #[must_use]
    pub fn of(self, address: *const u8) -> *mut u8 {
        let offset = address.addr().wrapping_sub(self.area.addr());
        self.at.wrapping_add(offset)
    }
}

impl CodeArea {
    /// Reserves `bytes` (rounded up to pages) at a place; `enomem` when there is no such gap.
    pub fn new(bytes: usize, place: Place) -> Result<CodeArea> {
        CodeArea::with(bytes, place, MapFlags::empty())
    }

    /// As [`CodeArea::new`], for code that is to change after it ran: its memory can be mapped a second time.
    pub fn rewritable(bytes: usize, place: Place) -> Result<CodeArea> {
        CodeArea::with(bytes, place, MapFlags::SHARED)
    }

    fn with(bytes: usize, place: Place, sharing: MapFlags) -> Result<CodeArea> {
        if bytes == 0 {
            return Err(Errno::EINVAL);
        }
        let bytes = bytes
            .checked_next_multiple_of(page_bytes())
            .ok_or(Errno::ENOMEM)?;
        let reservation = match place {
            Place::Anywhere => {
                let base = map(0, bytes, sharing)?;
                Reservation { base, bytes }
            }
            Place::Low2GiB => match map_low(bytes, sharing) {
                Some(base) => Reservation { base, bytes },
                None => {
                    let wanted = NEXT_LOW_ADDRESS.load(Ordering::Relaxed);
                    reserve_within(LOWEST_ADDRESS..2 * GIB, bytes, wanted, sharing)?
                }
            },
            Place::Near(address) => {
                // One page short of the reach, so that a distance from the far end of any instruction fits.
                let reach = 2 * GIB - page_bytes();
                let from = address.saturating_sub(reach).max(LOWEST_ADDRESS);
                reserve_within(from..address.saturating_add(reach), bytes, address, sharing)?
            }
        };
        Ok(CodeArea { reservation })
    }

    /// The first address.
    #[inline]
    pub fn base(&self) -> NonNull<u8> {
        self.reservation.base()
    }

    /// The length, in whole pages.
    #[inline]
    pub fn bytes(&self) -> usize {
        self.reservation.bytes()
    }

    /// Whether the address lies in the area.
    #[inline]
    pub fn contains(&self, address: usize) -> bool {
        self.reservation.contains(address)
    }

    /// Makes a part writable, not executable. Fresh pages are zero; others keep what they hold.
    ///
    /// # Safety
    /// No thread may execute in the part until it is sealed.
    pub unsafe fn unseal(&self, part: Range<usize>) -> Result<()> {
        self.reservation
            .protect(&part, MprotectFlags::READ | MprotectFlags::WRITE)
    }

    /// Changes a sealed area: `body` writes to it where it is told. It stays sealed where it lies, and is mapped a
    /// second time, writable, during the call; where the system cannot do that, it is unsealed meanwhile.
    ///
    /// # Errors
    /// The system's, if it allows neither; then `body` was not called.
    ///
    /// # Safety
    /// No thread runs the code during the call, and `body` leaves complete code behind.
    pub unsafe fn rewrite(&self, body: impl FnOnce(Writable)) -> Result<()> {
        let area = self.base().as_ptr();
        if let Ok(second) = self.second() {
            let at = second.base().as_ptr();
            body(Writable { area, at });
            drop(second);
            synchronise(area, self.bytes());
            return Ok(());
        }
        let all = 0..self.bytes();
        // SAFETY: the caller's promises.
        unsafe { self.unseal(all.clone()) }?;
        body(Writable { area, at: area });
        // SAFETY: as above. If this failed, every process that runs the code would crash.
        unsafe { self.seal(all) }.expect("pages that were executable become executable again");
        Ok(())
    }

    /// A second mapping of the area, writable and not executable.
    fn second(&self) -> Result<Reservation> {
        if cfg!(miri) {
            return Err(Errno::ENOSYS);
        }
        // SAFETY: without a length to take away, the first mapping stays as it is, and the system chooses the place of
        // the second. This fails for memory that is not shared.
        let base = unsafe {
            let first = self.base().as_ptr().cast();
            rustix::mm::mremap(first, 0, self.bytes(), MremapFlags::MAYMOVE)
        }?;
        base.expose_provenance();
        let base = NonNull::new(base.cast()).ok_or(Errno::ENOMEM)?;
        let second = Reservation {
            base,
            bytes: self.bytes(),
        };
        let access = MprotectFlags::READ | MprotectFlags::WRITE;
        second.protect(&(0..second.bytes()), access)?;
        Ok(second)
    }

    /// Makes a part executable, not writable, and visible to instruction fetch on all processors.
    ///
    /// # Safety
    /// The part is not written until it is unsealed, and holds complete code.
    pub unsafe fn seal(&self, part: Range<usize>) -> Result<()> {
        let (start, bytes) = self.reservation.pages(&part)?;
        synchronise(start.cast(), bytes);
        self.reservation
            .protect(&part, MprotectFlags::READ | MprotectFlags::EXEC)
    }
}

/// Maps the start of a file as code and leaves it mapped, by which profilers learn that the file describes code.
pub fn map_for_profilers(file: &std::fs::File) -> Result<()> {
    let protection = ProtFlags::READ | ProtFlags::EXEC;
    // SAFETY: a new mapping, which replaces nothing and which nobody reads or runs.
    unsafe {
        rustix::mm::mmap(
            std::ptr::null_mut(),
            page_bytes(),
            protection,
            MapFlags::PRIVATE,
            file,
            0,
        )
    }?;
    Ok(())
}

/// Where the next low area is wanted.
static NEXT_LOW_ADDRESS: LazyLock<AtomicUsize> = LazyLock::new(|| {
    let pages = FIRST_LOW_ADDRESSES.len() / page_bytes();
    let page = RandomState::new().hash_one(0) as usize % pages;
    AtomicUsize::new(FIRST_LOW_ADDRESSES.start + page * page_bytes())
});

/// Takes the next low addresses if they are free. Otherwise the kernel chooses, which it can on x86-64, in the second
/// GiB.
#[cfg(target_arch = "x86_64")]
fn map_low(bytes: usize, sharing: MapFlags) -> Option<NonNull<u8>> {
    let wanted = NEXT_LOW_ADDRESS.fetch_add(bytes, Ordering::Relaxed);
    // A flag that `rustix` has no name for.
    let low = MapFlags::from_bits_retain(libc::MAP_32BIT as u32);
    map(wanted, bytes, low | sharing).ok()
}

#[cfg(not(target_arch = "x86_64"))]
fn map_low(_bytes: usize, _sharing: MapFlags) -> Option<NonNull<u8>> {
    None
}

/// Tries addresses in a window, from `wanted` upwards and then downwards, until the kernel grants one.
fn reserve_within(
    window: Range<usize>,
    bytes: usize,
    wanted: usize,
    sharing: MapFlags,
) -> Result<Reservation> {
    let last = window.end.checked_sub(bytes).ok_or(Errno::ENOMEM)?;
    let first = window.start.next_multiple_of(STEP_BYTES);
    let middle = wanted.next_multiple_of(STEP_BYTES);
    let above = (middle..=last).step_by(STEP_BYTES);
    let below = (first..middle.min(last + 1)).step_by(STEP_BYTES).rev();
    for address in above.chain(below) {
        match map(address, bytes, MapFlags::FIXED_NOREPLACE | sharing) {
            Ok(base) if base.addr().get() == address => return Ok(Reservation { base, bytes }),
            // Kernels before 4.17 treat the address as a hint.
            Ok(base) => unmap(base.addr().get(), bytes),
            Err(Errno::EEXIST | Errno::EPERM | Errno::ENOMEM) => {}
            Err(error) => return Err(error),
        }
    }
    Err(Errno::ENOMEM)
}

/// Instruction fetch sees data writes at once on x86-64.
#[cfg(target_arch = "x86_64")]
fn synchronise(_start: *const u8, _bytes: usize) {}

/// AArch64 keeps separate caches: write the data lines back, then drop the instruction lines.
#[cfg(target_arch = "aarch64")]
fn synchronise(start: *const u8, bytes: usize) {
    use std::arch::asm;
    let types: usize;
    // SAFETY: reads the register that describes the caches, which user programs may.
    unsafe { asm!("mrs {}, ctr_el0", out(reg) types, options(nomem, nostack, preserves_flags)) };
    let data_line = 4usize << ((types >> 16) & 15);
    let instruction_line = 4usize << (types & 15);
    let (from, to) = (start.addr(), start.addr() + bytes);
    for line in (from & !(data_line - 1)..to).step_by(data_line) {
        // SAFETY: cache maintenance of a mapped, readable line changes no values.
        unsafe { asm!("dc cvau, {}", in(reg) line, options(nostack, preserves_flags)) };
    }
    // SAFETY: a barrier.
    unsafe { asm!("dsb ish", options(nostack, preserves_flags)) };
    for line in (from & !(instruction_line - 1)..to).step_by(instruction_line) {
        // SAFETY: as above.
        unsafe { asm!("ic ivau, {}", in(reg) line, options(nostack, preserves_flags)) };
    }
    // SAFETY: barriers.
    unsafe { asm!("dsb ish", "isb", options(nostack, preserves_flags)) };
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A function that returns 42.
    #[cfg(target_arch = "x86_64")]
    const ANSWER: &[u8] = &[0xb8, 42, 0, 0, 0, 0xc3];
    /// Where the function has the number, and what stands there in one that returns 43.
    #[cfg(target_arch = "x86_64")]
    const CONSTANT_AT: usize = 1;
    #[cfg(target_arch = "x86_64")]
    const CONSTANT_OF_43: u8 = 43;
    #[cfg(target_arch = "aarch64")]
    const ANSWER: &[u8] = &[0x40, 0x05, 0x80, 0x52, 0xc0, 0x03, 0x5f, 0xd6];
    #[cfg(target_arch = "aarch64")]
    const CONSTANT_AT: usize = 0;
    #[cfg(target_arch = "aarch64")]
    const CONSTANT_OF_43: u8 = 0x60;

    #[test]
    fn written_and_sealed_code_runs() {
        let here = written_and_sealed_code_runs as fn() as usize;
        for place in [Place::Low2GiB, Place::Near(here), Place::Anywhere] {
            let area = CodeArea::new(64 << 20, place).unwrap();
            let page = page_bytes();
            // SAFETY: nothing runs in the area yet; what is written is a whole function.
            unsafe {
                area.unseal(page..2 * page).unwrap();
                let code = area.base().add(page);
                code.copy_from_nonoverlapping(NonNull::from(ANSWER).cast(), ANSWER.len());
                area.seal(page..2 * page).unwrap();
                let answer: extern "C" fn() -> i32 = std::mem::transmute(code.as_ptr());
                assert_eq!(answer(), 42);
            }
            assert!(area.contains(area.base().addr().get() + page));
        }
    }

    #[test]
    fn code_is_rewritten_beside_where_it_runs() {
        for area in [CodeArea::rewritable, CodeArea::new] {
            let area = area(3 * page_bytes(), Place::Low2GiB).unwrap();
            let code = area.base().as_ptr().wrapping_add(page_bytes() + 5);
            // SAFETY: nothing runs in the area while it is written, and what is written are whole functions.
            unsafe {
                area.unseal(0..area.bytes()).unwrap();
                code.copy_from_nonoverlapping(ANSWER.as_ptr(), ANSWER.len());
                area.seal(0..area.bytes()).unwrap();
                let answer: extern "C" fn() -> i32 = std::mem::transmute(code);
                assert_eq!(answer(), 42);
                area.rewrite(|writable| {
                    writable.of(code).add(CONSTANT_AT).write(CONSTANT_OF_43);
                })
                .unwrap();
                assert_eq!(answer(), 43);
            }
        }
    }

    #[test]
    fn areas_lie_where_they_were_asked_for() {
        let low: Vec<CodeArea> = (0..3)
            .map(|_| CodeArea::new(256 << 20, Place::Low2GiB).unwrap())
            .collect();
        for area in &low {
            assert!(area.base().addr().get() + area.bytes() <= 2 * GIB);
        }
        let here = areas_lie_where_they_were_asked_for as fn() as usize;
        let near = CodeArea::new(256 << 20, Place::Near(here)).unwrap();
        let first = near.base().addr().get();
        assert!(first.abs_diff(here) < 2 * GIB && (first + near.bytes()).abs_diff(here) < 2 * GIB);
        assert_eq!(
            CodeArea::new(3 * GIB, Place::Low2GiB).unwrap_err(),
            Errno::ENOMEM
        );
        assert_eq!(
            CodeArea::new(0, Place::Anywhere).unwrap_err(),
            Errno::EINVAL
        );
    }
}
