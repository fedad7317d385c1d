//! Literal areas: blocks of terms that never move, cut from one reserved range of addresses.
//!
//! The place of a freed area serves others of any size ([`space`]), and whole pages that nothing uses are given back to
//! the system. Any thread may call these functions.

mod space;

use std::sync::OnceLock;

use layout::Term;
use layout::kinds::SharedBinary;
use parking_lot::Mutex;
use sys::gauge::Gauge;
use sys::memory::{Reservation, budget, page_bytes, usage};
use term::copy::shared::{self, SharedSize};
use term::{copy, literal, off_heap};

use space::Space;

/// Address space for all literal areas, if the process's address space is not limited.
const RANGE_BYTES: usize = 64 << 30;
/// Where the system has no room for all of it, no less than this is asked for.
const LEAST_RANGE_BYTES: usize = 1 << 30;
/// If it is limited, literal areas get one part in this many.
const LIMITED_PART: u64 = 16;
/// The size of an area is a multiple of this, so that no two share a cache line.
const STEP_BYTES: usize = 64;
/// Memory is committed in multiples of this, which is no less than any system's page.
const CHUNK_BYTES: usize = 64 << 10;

struct Range {
    reservation: Reservation,
    space: Mutex<Space>,
}

impl Range {
    /// Takes `bytes` committed bytes; returns their offset.
    fn take(&self, bytes: usize) -> Option<usize> {
        let mut space = self.space.lock();
        if let Some(offset) = space.take(bytes) {
            return Some(offset);
        }
        let more = space.missing(bytes).checked_next_multiple_of(CHUNK_BYTES)?;
        let end = space.end();
        if more > self.reservation.bytes() - end {
            return None;
        }
        self.reservation.commit(end..end + more).ok()?;
        space.extend(more);
        COMMITTED_BYTES.add(more as i64);
        space.take(bytes)
    }

    /// Frees an area, and releases the pages of which it was the last user.
    fn give_back(&self, offset: usize, bytes: usize) {
        let mut space = self.space.lock();
        let whole = space.free(offset..offset + bytes);
        let page = page_bytes();
        let start = whole.start.next_multiple_of(page).max(offset / page * page);
        let end = (whole.end / page * page).min((offset + bytes).next_multiple_of(page));
        if start < end {
            // SAFETY: all of these pages are free, and nobody takes them while the lock is held. Without success they
            // keep their memory, and nothing else changes.
            let _ = unsafe { self.reservation.release(start..end) };
        }
    }
}

static RANGE: OnceLock<Range> = OnceLock::new();

/// Areas that live, and their bytes.
pub static AREAS: Gauge = Gauge::new();
pub static AREA_BYTES: Gauge = Gauge::new();
/// Bytes of the range that may be used.
pub static COMMITTED_BYTES: Gauge = Gauge::new();

/// The literals of one module version or persistent term; they live as long as this value.
pub struct Area {
    offset: usize,
    bytes: usize,
    pub words: usize,
    off_heap: *mut u64,
}

// SAFETY: the words are written before the area is shared, and never afterwards.
unsafe impl Send for Area {}
// SAFETY: as above.
unsafe impl Sync for Area {}

/// Reserves the range; called once, before the first literal.
///
/// # Errors
/// If the address space cannot be reserved.
pub fn create() -> sys::errno::Result<()> {
    let bytes = match usage::address_limit_bytes() {
        Some(limit) => {
            usize::try_from(limit / LIMITED_PART).map_or(RANGE_BYTES, |part| part.min(RANGE_BYTES))
        }
        None => RANGE_BYTES,
    };
    let reservation = reserve(bytes)?;
    literal::set_range(reservation.base().as_ptr() as usize, reservation.bytes());
    let range = Range {
        reservation,
        space: Mutex::default(),
    };
    assert!(
        RANGE.set(range).is_ok(),
        "the literal range is reserved once"
    );
    Ok(())
}

/// Reserves as much as is wanted, or half of that, and so on: some systems have less room (valgrind 64 GiB in all).
fn reserve(bytes: usize) -> sys::errno::Result<Reservation> {
    let mut bytes = bytes.next_multiple_of(CHUNK_BYTES);
    loop {
        match Reservation::new(bytes, CHUNK_BYTES) {
            Err(_) if bytes > LEAST_RANGE_BYTES => {
                bytes = (bytes / 2).next_multiple_of(CHUNK_BYTES);
            }
            reserved => return reserved,
        }
    }
}

/// The size of the range.
#[must_use]
pub fn range_bytes() -> usize {
    range().reservation.bytes()
}

fn range() -> &'static Range {
    RANGE
        .get()
        .expect("the literal range is reserved at the start")
}

/// Bytes in the areas that live.
#[must_use]
pub fn bytes() -> usize {
    range().space.lock().taken()
}

/// Copies terms, including literals of other areas, into a new area; returns the area and the copies, or `None` if
/// there is not enough memory. Sharing within a term is not kept.
#[must_use]
pub fn make(terms: &[Term]) -> Option<(Area, Vec<Term>)> {
    let plain = |term: &Term| SharedSize {
        words: copy::size_with_literals(*term),
        is_shared: false,
    };
    make_of_sizes(terms, &terms.iter().map(plain).collect::<Vec<_>>())
}

/// As [`make`], but what is shared in a term is shared in its copy.
#[must_use]
pub fn make_sharing(terms: &[Term]) -> Option<(Area, Vec<Term>)> {
    let sizes = terms.iter().map(|term| shared::size(*term));
    make_of_sizes(terms, &sizes.collect::<Vec<_>>())
}

fn make_of_sizes(terms: &[Term], sizes: &[SharedSize]) -> Option<(Area, Vec<Term>)> {
    let words: usize = sizes.iter().map(|size| size.words).sum();
    let mut area = take(words)?;
    let base = range().reservation.base().as_ptr() as usize + area.offset;
    let mut room = base as *mut u64;
    let literals = terms
        .iter()
        .zip(sizes)
        .map(|(term, size)| {
            if size.words == 0 {
                return *term;
            }
            let list = &mut area.off_heap;
            // SAFETY: the area has room for the words that were counted in the same way.
            let literal = unsafe {
                match size.is_shared {
                    true => shared::copy_to(room, list, *term),
                    false => copy::copy_to(room, size.words, list, *term, true),
                }
            };
            room = room.wrapping_add(size.words);
            literal
        })
        .collect();
    Some((area, literals))
}

fn take(words: usize) -> Option<Area> {
    let bytes = (words * 8).next_multiple_of(STEP_BYTES);
    if !budget::allows(bytes) {
        return None;
    }
    let offset = if bytes == 0 { 0 } else { range().take(bytes)? };
    if bytes > 0 {
        AREAS.add(1);
        AREA_BYTES.add(bytes as i64);
    }
    Some(Area {
        offset,
        bytes,
        words,
        off_heap: std::ptr::null_mut(),
    })
}

impl Area {
    /// Bytes of the literals, with those of the shared binaries that they refer to.
    #[must_use]
    pub fn held_bytes(&self) -> usize {
        let mut bytes = self.words * 8;
        let mut object = self.off_heap;
        while !object.is_null() {
            // SAFETY: the members of the list are live objects as long as the area, which nobody changes.
            unsafe {
                let binary = SharedBinary::of(Term::from_boxed_pointer(object));
                bytes += binary.map_or(0, |binary| binary.size() as usize);
                object = off_heap::next_of(object);
            }
        }
        bytes
    }

    /// The addresses of its words.
    #[must_use]
    pub fn addresses(&self) -> std::ops::Range<usize> {
        let start = range().reservation.base().as_ptr() as usize + self.offset;
        start..start + self.words * 8
    }
}

impl Drop for Area {
    fn drop(&mut self) {
        // SAFETY: the owner drops the area only when no term points into it any more.
        unsafe { term::off_heap::release(self.off_heap) };
        if self.bytes > 0 {
            range().give_back(self.offset, self.bytes);
            AREAS.add(-1);
            AREA_BYTES.add(-(self.bytes as i64));
        }
    }
}
