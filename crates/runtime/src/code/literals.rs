//! Literal areas: blocks of terms that never move, cut from one reserved range of addresses.
//!
//! Areas of a page or more, usually those of modules, take whole pages; smaller ones, usually those of persistent
//! terms, share pages. A freed area is reused for the next one of its size. Any thread may call these functions.

use std::collections::HashMap;
use std::sync::OnceLock;

use layout::Term;
use parking_lot::Mutex;
use sys::memory::{Reservation, usage};
use term::copy::shared::{self, SharedSize};
use term::{copy, literal};

/// Address space for all literal areas, if the process's address space is not limited.
const RANGE_BYTES: usize = 64 << 30;
/// If it is limited, literal areas get one part in this many.
const LIMITED_PART: u64 = 8;
const PAGE_BYTES: usize = 4096;
/// The size of an area below a page is a multiple of this, so that no two share a cache line.
const SMALL_STEP_BYTES: usize = 64;
/// Memory that is committed at a time for small areas.
const CHUNK_BYTES: usize = 16 * PAGE_BYTES;

struct Range {
    reservation: Reservation,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Bytes from the start of the range that have been handed out.
    next: usize,
    /// The part of those bytes from which small areas are cut.
    chunk: std::ops::Range<usize>,
    /// The offsets of freed areas, by their size in bytes.
    free: HashMap<usize, Vec<usize>>,
}

impl Range {
    /// Takes `bytes` committed bytes; returns their offset.
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

    /// Takes whole pages that were never used.
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
        // SAFETY: the owner drops the area only when no term points into it any more.
        unsafe { term::off_heap::release(self.off_heap) };
        if self.bytes > 0 {
            range().give_back(self.offset, self.bytes);
        }
    }
}
