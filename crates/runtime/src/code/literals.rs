//! Literal areas: blocks of terms that never move, cut from one reserved range of addresses.
//!
//! Those of modules take pages of their own; small ones, as persistent terms have, share pages. An area that was given
//! back serves the next one of its size. Any thread may call.

use std::collections::HashMap;
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
/// Areas below a page are a multiple of this: no two are on one cache line.
const SMALL_STEP_BYTES: usize = 64;
/// What is made usable at once for small areas.
const CHUNK_BYTES: usize = 16 * PAGE_BYTES;

struct Range {
    reservation: Reservation,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Bytes handed out from the start.
    next: usize,
    /// The part of them from which small areas are cut.
    chunk: std::ops::Range<usize>,
    /// The offsets of areas that were given back, by their bytes.
    free: HashMap<usize, Vec<usize>>,
}

impl Range {
    /// The offset of so many usable bytes.
    fn take(&self, bytes: usize) -> Option<usize> {
        let mut state = self.state.lock();
        if let Some(offset) = state.free.get_mut(&bytes).and_then(Vec::pop) {
            return Some(offset);
        }
        if bytes >= PAGE_BYTES {
            return self.extend(&mut state, bytes);
        }
        if state.chunk.len() < bytes {
            let start = self.extend(&mut state, CHUNK_BYTES)?;
            let rest = std::mem::replace(&mut state.chunk, start..start + CHUNK_BYTES);
            if !rest.is_empty() {
                state.free.entry(rest.len()).or_default().push(rest.start);
            }
        }
        let offset = state.chunk.start;
        state.chunk.start += bytes;
        Some(offset)
    }

    /// Takes whole pages that nobody had yet.
    fn extend(&self, state: &mut State, bytes: usize) -> Option<usize> {
        if bytes > self.reservation.bytes() - state.next {
            return None;
        }
        let offset = state.next;
        self.reservation.commit(offset..offset + bytes).ok()?;
        state.next += bytes;
        Some(offset)
    }

    fn give_back(&self, offset: usize, bytes: usize) {
        let mut state = self.state.lock();
        state.free.entry(bytes).or_default().push(offset);
    }
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
        state: Mutex::default(),
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
    let step = if words * 8 < PAGE_BYTES {
        SMALL_STEP_BYTES
    } else {
        PAGE_BYTES
    };
    let bytes = (words * 8).next_multiple_of(step);
    let offset = if bytes == 0 { 0 } else { range().take(bytes)? };
    Some(Area {
        offset,
        bytes,
        words,
        off_heap: std::ptr::null_mut(),
    })
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
        if self.bytes > 0 {
            range().give_back(self.offset, self.bytes);
        }
    }
}
