//! Where the words of an outline lie: zeroed, and most of them never written.
//!
//! Large ones have pages of their own. An outline stays as long as its module; among blocks of the allocator it would
//! keep a page of many blocks from going back to the system, most of which were used but once, while code was loaded.

use core::sync::atomic::AtomicU64;

use sys::errno::Errno;
use sys::memory::Reservation;

/// Outlines of at least so many bytes have their own pages.
const OWN_PAGES_FROM_BYTES: usize = 4 << 10;

#[derive(Debug)]
pub(super) struct Room {
    memory: Memory,
    words: usize,
}

#[derive(Debug)]
enum Memory {
    Shared(Box<[AtomicU64]>),
    Own(Reservation),
}

impl Room {
    /// Room for so many words.
    ///
    /// # Errors
    /// The system's, if there is no memory for it.
    pub(super) fn new(words: usize) -> Result<Room, Errno> {
        let bytes = words * size_of::<u64>();
        let memory = match bytes < OWN_PAGES_FROM_BYTES {
            true => Memory::Shared((0..words).map(|_| AtomicU64::new(0)).collect()),
            false => {
                let pages = Reservation::new(bytes, align_of::<u64>())?;
                pages.commit(0..pages.bytes())?;
                Memory::Own(pages)
            }
        };
        Ok(Room { memory, words })
    }

    pub(super) fn len(&self) -> usize {
        self.words
    }

    /// The address of the first word.
    pub(super) fn start(&self) -> *const u64 {
        match &self.memory {
            Memory::Shared(words) => words.as_ptr().cast(),
            Memory::Own(pages) => pages.base().as_ptr().cast(),
        }
    }

    /// The word at a place.
    pub(super) fn word(&self, place: u32) -> &AtomicU64 {
        let place = place as usize;
        assert!(place < self.words);
        let word = self.start().wrapping_add(place).cast_mut();
        // SAFETY: the word is part of `self`, aligned, zeroed at first, and accessed in no other way but by the engine,
        // which reads it as an instruction.
        unsafe { AtomicU64::from_ptr(word) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::sync::atomic::Ordering;

    #[test]
    fn small_and_large_rooms_are_zeroed_and_keep_what_is_written() {
        for words in [
            0,
            1,
            OWN_PAGES_FROM_BYTES / 8 - 1,
            OWN_PAGES_FROM_BYTES / 8,
            100_000,
        ] {
            let room = Room::new(words).unwrap();
            assert_eq!(room.len(), words);
            for place in [0, words / 2, words.saturating_sub(1)] {
                if place < words {
                    let word = room.word(place as u32);
                    assert_eq!(word.load(Ordering::Relaxed) & 0xff, 0);
                    word.store(place as u64 + (7 << 32), Ordering::Relaxed);
                    let written = room.start().wrapping_add(place);
                    // SAFETY: a word of the room, which nobody writes meanwhile.
                    assert_eq!(unsafe { *written }, place as u64 + (7 << 32));
                    word.store(0, Ordering::Relaxed);
                }
            }
        }
    }
}
