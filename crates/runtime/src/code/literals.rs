//! Literal areas: blocks of terms that never move, cut from one reserved range of addresses.

use std::sync::OnceLock;

use layout::Term;
use parking_lot::Mutex;
use sys::memory::{Reservation, usage};
use term::{copy, literal};

/// Address space for all literal areas, where that is not limited.
const RANGE_BYTES: usize = 64 << 30;
/// The part of a limited address space that they get.
const LIMITED_PART: u64 = 8;
const PAGE_BYTES: usize = 4096;

struct Range {
    reservation: Reservation,
    /// Bytes handed out from the start, and areas given back: offset and bytes.
    state: Mutex<(usize, Vec<(usize, usize)>)>,
}

static RANGE: OnceLock<Range> = OnceLock::new();

/// Terms of one module version or persistent term; its terms live as long as it.
pub struct Area {
    offset: usize,
    bytes: usize,
    pub words: usize,
    off_heap: *mut u64,
}

// SAFETY: the words are written before the area is shared, and never after.
unsafe impl Send for Area {}
// SAFETY: as above.
unsafe impl Sync for Area {}

/// Reserves the range; once, before the first literal.
///
/// # Errors
/// When the address space cannot be had.
pub fn create() -> sys::errno::Result<()> {
    let bytes = match usage::address_limit_bytes() {
        Some(limit) => {
            usize::try_from(limit / LIMITED_PART).map_or(RANGE_BYTES, |part| part.min(RANGE_BYTES))
        }
        None => RANGE_BYTES,
    };
    let reservation = Reservation::new(bytes.next_multiple_of(PAGE_BYTES), PAGE_BYTES)?;
    literal::set_range(reservation.base().as_ptr() as usize, reservation.bytes());
    let range = Range {
        reservation,
        state: Mutex::new((0, Vec::new())),
    };
    assert!(
        RANGE.set(range).is_ok(),
        "the literal range is reserved once"
    );
    Ok(())
}

fn range() -> &'static Range {
    RANGE
        .get()
        .expect("the literal range is reserved at the start")
}

/// Copies terms, literals of other areas included, into an area of their own; answers where they are now, or `None` when
/// there is no memory for them.
#[must_use]
pub fn make(terms: &[Term]) -> Option<(Area, Vec<Term>)> {
    let sizes: Vec<usize> = terms
        .iter()
        .map(|term| copy::size_with_literals(*term))
        .collect();
    let words: usize = sizes.iter().sum();
    let mut area = take(words)?;
    let base = range().reservation.base().as_ptr() as usize + area.offset;
    let mut room = base as *mut u64;
    let literals = terms
        .iter()
        .zip(&sizes)
        .map(|(term, &size)| {
            if size == 0 {
                return *term;
            }
            // SAFETY: the area has the words that were counted.
            let literal = unsafe { copy::copy_to(room, size, &mut area.off_heap, *term, true) };
            room = room.wrapping_add(size);
            literal
        })
        .collect();
    Some((area, literals))
}

fn take(words: usize) -> Option<Area> {
    let bytes = (words * 8).next_multiple_of(PAGE_BYTES).max(PAGE_BYTES);
    let range = range();
    let offset = {
        let (next, free) = &mut *range.state.lock();
        match free.iter().position(|(_, free_bytes)| *free_bytes == bytes) {
            Some(at) => free.swap_remove(at).0,
            None if bytes <= range.reservation.bytes() - *next => {
                let offset = *next;
                *next += bytes;
                offset
            }
            None => return None,
        }
    };
    // Given back by its end if the memory cannot be had.
    let area = Area {
        offset,
        bytes,
        words,
        off_heap: std::ptr::null_mut(),
    };
    let memory = range.reservation.commit(offset..offset + bytes);
    memory.ok().map(|()| area)
}

impl Area {
    /// The addresses of its words.
    #[must_use]
    pub fn addresses(&self) -> std::ops::Range<usize> {
        let start = range().reservation.base().as_ptr() as usize + self.offset;
        start..start + self.words * 8
    }
}

impl Drop for Area {
    fn drop(&mut self) {
        // SAFETY: the owner drops the area when no term points into it any more.
        unsafe { term::off_heap::release(self.off_heap) };
        range().state.lock().1.push((self.offset, self.bytes));
    }
}
