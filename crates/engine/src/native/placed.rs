//! The memory of a module's words and of its machine code, which may be made long after the words, while they run.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use sys::gauge::Gauge;
use sys::memory::code::{CodeArea, Place, Writable};

use super::patch::Written;
use super::plan::plan;
use super::{Known, NoRoom, room};
use crate::form::Handler;
use crate::slow;
use crate::tiering::{self, WORDS_BEFORE_ENTRY};

/// Areas of modules' words and of their machine code, the bytes that they need, and those that they take: whole pages.
pub static AREAS: Gauge = Gauge::new();
pub static AREA_BYTES: Gauge = Gauge::new();
pub static AREA_ROOM: Gauge = Gauge::new();

/// The output of the code generator, besides the words.
#[derive(Debug)]
pub(crate) struct Unplaced {
    /// The first words of instructions, in order.
    pub starts: Box<[u32]>,
    /// What is known where each of them runs.
    pub known: Box<[Known]>,
    /// Pairs of word indexes: the first word must become the address of the second.
    pub labels: Box<[(u32, u32)]>,
    /// The entries of functions, in order.
    pub entries: Box<[u32]>,
}

/// An area of which the first bytes are used, counted for those who ask what memory is held.
#[derive(Debug)]
struct Counted {
    area: CodeArea,
    bytes: usize,
}

impl Counted {
    /// A fresh area for words, which is writable; `None` if there can be none on this system.
    fn words(bytes: usize) -> Result<Option<Counted>, NoRoom> {
        Counted::of(CodeArea::new(bytes.max(1), Place::Low2GiB), bytes)
    }

    /// A fresh area for machine code, which is writable; `None` if there can be none on this system.
    fn code(bytes: usize) -> Result<Option<Counted>, NoRoom> {
        Counted::of(CodeArea::rewritable(bytes.max(1), Place::Low2GiB), bytes)
    }

    fn of(area: sys::Result<CodeArea>, bytes: usize) -> Result<Option<Counted>, NoRoom> {
        let Some(area) = room(area)? else {
            return Ok(None);
        };
        // SAFETY: the area is fresh; nothing runs in it.
        if room(unsafe { area.unseal(0..area.bytes()) })?.is_none() {
            return Ok(None);
        }
        let counted = Counted { area, bytes };
        counted.count(1);
        Ok(Some(counted))
    }

    fn count(&self, areas: i64) {
        AREAS.add(areas);
        AREA_BYTES.add(self.bytes as i64 * areas);
        AREA_ROOM.add(self.area.bytes() as i64 * areas);
    }

    fn base(&self) -> *mut u8 {
        self.area.base().as_ptr()
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.count(-1);
    }
}

/// Words where machine code can refer to them, and their machine code, if they have any yet.
#[derive(Debug)]
pub(crate) struct Placed {
    area: Counted,
    words: usize,
    code: OnceLock<PlacedCode>,
    /// What the machine code is made from, until that is tried.
    unplaced: Mutex<Option<Unplaced>>,
}

/// The machine code of a module.
#[derive(Debug)]
pub(crate) struct PlacedCode(Counted);

impl PlacedCode {
    pub(crate) fn all(&self) -> &[u8] {
        // SAFETY: the area has that many bytes of complete code.
        unsafe { std::slice::from_raw_parts(self.0.base(), self.0.bytes) }
    }

    /// The machine code between two addresses, or from one to the end.
    pub(crate) fn part(&self, from: u64, to: Option<u64>) -> &[u8] {
        let all = self.all();
        let offset = |address: u64| address as usize - all.as_ptr() as usize;
        &all[offset(from)..to.map_or(all.len(), offset)]
    }

    /// Has `body` change the machine code, which it writes where it is told.
    ///
    /// # Errors
    /// [`NoRoom`] if the system does not allow this; then `body` was not called.
    ///
    /// # Safety
    /// No thread runs the code during the call, and the code that `body` leaves behind is valid.
    pub(crate) unsafe fn rewrite(&self, body: impl FnOnce(Writable)) -> Result<(), NoRoom> {
        // SAFETY: the caller's promises.
        unsafe { self.0.area.rewrite(body) }.map_err(|_| NoRoom)
    }
}

/// Places words in low memory, with their machine code or without it yet ([`tiering`]); `None` if that is impossible on
/// this system.
///
/// # Errors
/// [`NoRoom`] if it would be possible with more memory.
pub(crate) fn place(words: &[u64], unplaced: Unplaced) -> Result<Option<Placed>, NoRoom> {
    let calls = tiering::calls_for(words.len());
    let placed = Placed::new(words, unplaced, calls)?;
    if calls == 0
        && let Some(making) = placed.as_ref().and_then(Placed::make)
    {
        if making.seal()? {
            making.publish();
        } else {
            making.give_up();
        }
    }
    Ok(placed)
}

impl Placed {
    /// Places words, whose entries count calls if there are some to be counted.
    fn new(words: &[u64], unplaced: Unplaced, calls: u16) -> Result<Option<Placed>, NoRoom> {
        let Some(area) = Counted::words(words.len() * 8)? else {
            return Ok(None);
        };
        // SAFETY: the area is fresh, and has room for the words.
        let placed = unsafe { std::slice::from_raw_parts_mut(area.base().cast(), words.len()) };
        placed.copy_from_slice(words);
        let at = area.base() as u64;
        for &(position, target) in &unplaced.labels {
            placed[position as usize] = at + u64::from(target) * 8;
        }
        for &entry in &unplaced.entries {
            let entry = entry as usize;
            placed[entry - WORDS_BEFORE_ENTRY] = tiering::word(placed[entry], calls);
            if calls > 0 {
                placed[entry] = cold();
            }
        }
        Ok(Some(Placed {
            area,
            words: words.len(),
            code: OnceLock::new(),
            unplaced: Mutex::new(Some(unplaced)),
        }))
    }

    pub(crate) fn base(&self) -> *const u64 {
        self.area.base().cast()
    }

    pub(crate) fn len(&self) -> usize {
        self.words
    }

    pub(crate) fn machine_code(&self) -> Option<&PlacedCode> {
        self.code.get()
    }

    /// The word at a place, which other threads may read at the same time.
    fn word(&self, place: u32) -> &AtomicU64 {
        assert!((place as usize) < self.words);
        // SAFETY: a word of the area, which lives as long as `self`. While other threads may read it, it is only
        // changed through such references.
        unsafe { &*self.base().add(place as usize).cast::<AtomicU64>() }
    }

    /// Makes machine code, unless that was tried before. Other threads may run the words meanwhile; who else wants it
    /// waits.
    pub(crate) fn make(&self) -> Option<Making<'_>> {
        let mut unplaced = self.unplaced.lock().unwrap_or_else(PoisonError::into_inner);
        let from = unplaced.take()?;
        let mut words: Vec<u64> = (0..self.words as u32)
            .map(|place| self.word(place).load(Ordering::Relaxed))
            .collect();
        for &entry in &from.entries {
            let entry = entry as usize;
            words[entry] = tiering::handler(words[entry - WORDS_BEFORE_ENTRY]);
        }
        Some(Making {
            placed: self,
            made: self.generate(&from, &words),
            from,
            words,
            _lock: unplaced,
        })
    }

    /// `None` if there can be no machine code on this system.
    fn generate(&self, from: &Unplaced, words: &[u64]) -> Result<Option<Made>, NoRoom> {
        let Some(plan) = plan(from, words) else {
            return Ok(None);
        };
        let Some(area) = Counted::code(plan.size)? else {
            return Ok(None);
        };
        // SAFETY: the area is fresh and writable.
        let code = unsafe { std::slice::from_raw_parts_mut(area.base(), plan.size) };
        let written = plan.write(from, words, self.base() as usize, code);
        Ok(written.map(|written| Made { written, area }))
    }
}

/// The handler of entries that count calls.
fn cold() -> u64 {
    let handler: Handler = slow::calls::cold.handler;
    handler as usize as u64
}

/// Machine code that is being made: nothing leads to it yet.
pub(crate) struct Making<'a> {
    placed: &'a Placed,
    from: Unplaced,
    /// As they were, with the handlers of the threaded form.
    words: Vec<u64>,
    made: Result<Option<Made>, NoRoom>,
    _lock: MutexGuard<'a, Option<Unplaced>>,
}

struct Made {
    written: Written,
    area: Counted,
}

impl Making<'_> {
    /// The machine code at the entry of a function, if it was made. It is writable until it is sealed.
    pub(crate) fn code_at(&self, entry: u32) -> Option<*mut u8> {
        let made = self.made.as_ref().ok()?.as_ref()?;
        Some(made.written.words[entry as usize] as *mut u8)
    }

    /// Makes the code executable. False if there can be none on this system.
    ///
    /// # Errors
    /// [`NoRoom`] if there can be with more memory.
    pub(crate) fn seal(&self) -> Result<bool, NoRoom> {
        let made = self.made.as_ref().map_err(|no_room| *no_room)?;
        let Some(Made { area, .. }) = made else {
            return Ok(false);
        };
        // SAFETY: the area contains complete, patched stencils and jumps, and nobody writes to them any more.
        Ok(room(unsafe { area.area.seal(0..area.area.bytes()) })?.is_some())
    }

    /// Has the instructions' first words lead to the code, which must be sealed.
    pub(crate) fn publish(self) {
        let Ok(Some(Made { written, area })) = self.made else {
            return;
        };
        // Machine code reads the tables, so they come before what leads to it.
        for &place in written.tables.iter().chain(&self.from.starts) {
            let word = written.words[place as usize];
            self.placed.word(place).store(word, Ordering::Release);
        }
        // Nobody else sets it: what it is made from is gone.
        let _ = self.placed.code.set(PlacedCode(area));
    }

    /// The module stays as it is, and no longer counts calls.
    pub(crate) fn give_up(self) {
        for &entry in &self.from.entries {
            let word = self.placed.word(entry);
            // What is no such handler is a breakpoint.
            if word.load(Ordering::Relaxed) == cold() {
                word.store(self.words[entry as usize], Ordering::Release);
            }
        }
    }
}
