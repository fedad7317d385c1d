//! Breakpoints of the interpreting debugger: entries of functions that lead to the runtime instead.
//!
//! A function without a breakpoint runs as if there were none in the world: nothing is tested anywhere. A breakpoint
//! takes the place of what stands at the function's entry. In the threaded form that is the entry's handler word. Machine
//! code that calls a function of its own module jumps to its machine code, so there the first bytes become a jump to a
//! landing, which goes to the handler with the address of the entry's words:
//!
//! ```text
//! e9 <landing>         jmp landing
//!
//! landing:
//! 41 b9 <words>        mov r9d, words
//! ff 24 25 <cell>      jmp [cell]
//! ```
//!
//! The assembler keeps two promises for this: the first instruction of a function is at least [`DETOUR_BYTES`] long, and
//! no jump within the function leads to its entry, so that whoever comes there calls.
//!
//! Changed only while no thread runs code.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use sys::memory::code::{CodeArea, Place};

use crate::code::{Code, FUNC_INFO_WORDS, Function, Words};
use crate::form::Handler;
use crate::native::{self, JUMP_BYTES, NoRoom};
use crate::slow;

/// Bytes of the jump that a breakpoint puts at the entry.
pub(crate) const DETOUR_BYTES: usize = 5;

/// The breakpoints of a module's code.
#[derive(Debug, Default)]
pub(crate) struct Breakpoints(Mutex<Set>);

#[derive(Debug, Default)]
struct Set {
    /// By the entry's word, what the breakpoint took the place of.
    displaced: BTreeMap<u32, Displaced>,
    /// Of machine code, one for each function in the order of the code; made with the first breakpoint.
    landings: Option<CodeArea>,
}

#[derive(Debug)]
enum Displaced {
    Handler(u64),
    Bytes([u8; DETOUR_BYTES]),
}

impl Code {
    /// Sets or clears the breakpoints of the functions that are asked for, and answers how many functions those are.
    ///
    /// # Errors
    /// [`NoRoom`], when the system gives no memory for the landings or does not let the code be written; then nothing
    /// has changed.
    ///
    /// # Safety
    /// No thread runs code meanwhile, or looks at this code's words.
    pub unsafe fn set_breakpoints(
        &self,
        wanted: impl Fn(&Function) -> bool,
        on: bool,
    ) -> Result<usize, NoRoom> {
        let mut set = self
            .breakpoints
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let functions: Vec<(usize, u32)> = self
            .functions
            .iter()
            .enumerate()
            .filter(|(_, function)| wanted(function))
            .map(|(index, function)| (index, function.start + FUNC_INFO_WORDS))
            .collect();
        match &self.words {
            Words::Boxed(words) => {
                for &(_, entry) in &functions {
                    let word = words[entry as usize].get();
                    // SAFETY: a word of the code, which nobody else looks at: the caller's promise.
                    unsafe { set.change_word(word, entry, on) };
                }
            }
            Words::Placed(placed) => {
                if on && set.landings.is_none() {
                    set.landings = Some(self.landings()?);
                }
                let landings = set
                    .landings
                    .as_ref()
                    .map(|area| area.base().as_ptr() as usize);
                let words = placed.words();
                // SAFETY: no thread runs code, and the detours are whole jumps.
                unsafe {
                    placed.rewrite(|| {
                        for &(index, entry) in &functions {
                            let code = words[entry as usize] as *mut u8;
                            let landing = landings.map(|base| base + index * JUMP_BYTES);
                            set.change_code(code, entry, landing.filter(|_| on));
                        }
                    })?;
                }
            }
        }
        Ok(functions.len())
    }

    /// A landing for each function.
    fn landings(&self) -> Result<CodeArea, NoRoom> {
        let handler: Handler = slow::calls::breakpoint;
        let cell = native::cell_of(handler).ok_or(NoRoom)?;
        let area = CodeArea::new(self.functions.len() * JUMP_BYTES, Place::Low2GiB);
        let area = area.map_err(|_| NoRoom)?;
        // SAFETY: fresh, nothing runs in it.
        unsafe { area.unseal(0..area.bytes()) }.map_err(|_| NoRoom)?;
        for (index, function) in self.functions.iter().enumerate() {
            let words = self.address(function.start + FUNC_INFO_WORDS) as usize;
            let jump = native::jump(words as u32, cell as u32);
            // SAFETY: the area is writable and has room for as many jumps as there are functions.
            unsafe {
                let landing = area.base().as_ptr().add(index * JUMP_BYTES);
                landing.copy_from_nonoverlapping(jump.as_ptr(), JUMP_BYTES);
            }
        }
        // SAFETY: whole jumps, which nobody writes to any more.
        unsafe { area.seal(0..area.bytes()) }.map_err(|_| NoRoom)?;
        Ok(area)
    }
}

impl Set {
    /// # Safety
    /// `word` is the handler word of an entry, and nobody else reads it meanwhile.
    unsafe fn change_word(&mut self, word: *mut u64, entry: u32, on: bool) {
        if on {
            let handler: Handler = slow::calls::breakpoint;
            self.displaced.entry(entry).or_insert_with(|| {
                // SAFETY: the caller's promise.
                let before = unsafe { word.replace(handler as usize as u64) };
                Displaced::Handler(before)
            });
        } else if let Some(Displaced::Handler(before)) = self.displaced.remove(&entry) {
            // SAFETY: the caller's promise.
            unsafe { word.write(before) };
        }
    }

    /// Leads the code of an entry to its landing, or back to itself.
    ///
    /// # Safety
    /// `code` is the machine code of an entry, it is writable, and no thread runs it meanwhile.
    unsafe fn change_code(&mut self, code: *mut u8, entry: u32, landing: Option<usize>) {
        if let Some(landing) = landing {
            self.displaced.entry(entry).or_insert_with(|| {
                // Both lie below 2 GiB, so the distance fits.
                let distance = landing as i64 - (code as i64 + DETOUR_BYTES as i64);
                let mut detour = [0xe9, 0, 0, 0, 0];
                detour[1..].copy_from_slice(&(distance as i32).to_le_bytes());
                // SAFETY: an entry's first instruction is that long (`native::plan`).
                let before = unsafe { code.cast::<[u8; DETOUR_BYTES]>().replace(detour) };
                Displaced::Bytes(before)
            });
        } else if let Some(Displaced::Bytes(before)) = self.displaced.remove(&entry) {
            // SAFETY: as above.
            unsafe { code.cast::<[u8; DETOUR_BYTES]>().write(before) };
        }
    }
}
