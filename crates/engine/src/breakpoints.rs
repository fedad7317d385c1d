//! Breakpoints of the interpreting debugger: function entries that are redirected to the runtime.
//!
//! A function without a breakpoint costs nothing extra: no code tests for breakpoints. A breakpoint replaces what is
//! at the function's entry. In the threaded form, that is the entry's handler word. Machine code that calls a
//! function of its own module jumps directly to the function's machine code; there, the first bytes are replaced by a
//! jump to a landing, which jumps to the handler with the address of the entry's words:
//!
//! ```text
//! e9 <landing>         jmp landing
//!
//! landing:
//! 49 b9 <breakpoint>   movabs r9, breakpoint
//! 41 ff 21             jmp [r9]
//! ```
//!
//! So a call finds the record of the breakpoint ([`Breakpoint`]) without a search. In the threaded form the handler
//! asks the runtime for it.
//!
//! The code generator guarantees two things for this: the first instruction of a function is at least [`DETOUR_BYTES`]
//! long, and no jump within a function leads to its entry, so the entry is reached only by calls.
//!
//! A native library replaces functions in the same way, for as long as the code lives: there, the landing jumps to the
//! first instruction of the stub that calls the native function, with the address of that instruction.
//!
//! ```text
//! 49 b9 <stub>         movabs r9, stub
//! 41 ff 21             jmp [r9]
//! ```
//!
//! In the threaded form the handler asks the runtime for the stub ([`Code::replacement`]).
//!
//! Breakpoints are changed, and functions replaced, only while no thread runs code.
//!
//! A module that gets machine code later ([`crate::tiering`]) has its breakpoints in its words until then. They are set
//! in the new code before anything leads to it, while others may run the words ([`Code::make_machine_code`]).

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use layout::breakpoint::Counter;
use layout::{Breakpoint, Term};
use sys::memory::code::{CodeArea, Place};

use crate::code::{Code, Words};
pub use crate::detour::resume;
use crate::detour::{DETOUR, DETOUR_BYTES};
use crate::form::Handler;
use crate::native::{self, JUMP_BYTES, Making, NoRoom};
use crate::slow;

/// The breakpoints of a module's code.
#[derive(Debug, Default)]
pub(crate) struct Breakpoints {
    /// The record of each function's breakpoint, in the order of the code. Created with the first breakpoint, and kept.
    records: OnceLock<Records>,
    set: Mutex<Set>,
}

#[derive(Debug, Default)]
struct Set {
    /// What each breakpoint replaced, in the order of the code; empty until there has been a breakpoint.
    displaced: Vec<Option<Displaced>>,
    /// The landings, for machine code: one for each record. Created with them.
    landings: Option<CodeArea>,
    /// The stubs that replace functions, by the word index of the entry.
    replaced: BTreeMap<u32, Stub>,
    /// The landings of replaced functions, for machine code.
    replacements: Vec<CodeArea>,
}

/// One record for each function.
struct Records(Box<[Breakpoint]>);

// SAFETY: the records change only while no thread runs code, but for their counters, which are atomic.
unsafe impl Send for Records {}
// SAFETY: as above.
unsafe impl Sync for Records {}

impl fmt::Debug for Records {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} records", self.0.len())
    }
}

/// The address of a stub's first instruction.
#[derive(Debug, Clone, Copy)]
struct Stub(*const u64);

// SAFETY: an address; whoever enters the stub relies on the promise of `Code::replace_functions`.
unsafe impl Send for Stub {}

#[derive(Debug)]
enum Displaced {
    Handler(u64),
    Bytes([u8; DETOUR_BYTES]),
}

/// Has a breakpoint only count calls, with one counter for each scheduler; or ask the runtime.
pub fn only_count(breakpoint: &Breakpoint, counters: Option<*const Counter>) {
    // What is no single handler, the runtime leads to.
    let is_simple = !breakpoint.resume_handler.load(Ordering::Relaxed).is_null();
    let counters = counters.filter(|_| is_simple);
    let handler: Handler = match counters {
        Some(_) => slow::calls::counted.handler,
        None => slow::calls::reached.handler,
    };
    let counters = counters.unwrap_or(std::ptr::null());
    breakpoint
        .counters
        .store(counters.cast_mut(), Ordering::Relaxed);
    breakpoint
        .handler
        .store(handler as *mut (), Ordering::Relaxed);
}

/// Says how the function of a breakpoint goes on, and has the breakpoint ask the runtime.
fn go_on_at(breakpoint: &Breakpoint, at: *const u64, handler: u64) {
    breakpoint.resume_at.store(at.cast_mut(), Ordering::Relaxed);
    breakpoint
        .resume_handler
        .store(handler as *mut (), Ordering::Relaxed);
    only_count(breakpoint, None);
}

impl Code {
    /// The record of each function's breakpoint, in the order of [`Code::functions`]; empty as long as there has been
    /// none.
    #[must_use]
    pub fn breakpoints(&self) -> &[Breakpoint] {
        self.breakpoints
            .records
            .get()
            .map_or(&[], |records| &records.0)
    }

    /// Makes the module's machine code, if it has none yet and can have it. Other threads may run its words meanwhile.
    /// Returns whether it was made now.
    pub fn make_machine_code(&self) -> bool {
        let Words::Placed(placed) = &self.words else {
            return false;
        };
        let Some(making) = placed.make() else {
            return false;
        };
        let mut set = self.breakpoint_set();
        let displaced = self.carry_over(&mut set, &making);
        let is_sealed = displaced.is_ok() && making.seal() == Ok(true);
        if is_sealed {
            making.publish();
        } else {
            // Without memory for it, the module stays in the threaded form.
            making.give_up();
        }
        let handlers = self.first_handlers.iter();
        for (displaced, &first) in set.displaced.iter_mut().zip(handlers) {
            // It was the one that counts calls.
            if let Some(Displaced::Handler(handler)) = displaced {
                *handler = first;
            }
        }
        for (index, bytes) in displaced.into_iter().flatten().filter(|_| is_sealed) {
            set.displaced[index] = Some(Displaced::Bytes(bytes));
        }
        is_sealed
    }

    /// Sets the breakpoints of the words in machine code that nothing leads to yet. Returns the functions, and what
    /// that replaced.
    fn carry_over(
        &self,
        set: &mut Set,
        making: &Making<'_>,
    ) -> Result<Vec<(usize, [u8; DETOUR_BYTES])>, NoRoom> {
        let is_set = |&index: &usize| set.displaced[index].is_some();
        let functions: Vec<usize> = (0..set.displaced.len()).filter(is_set).collect();
        let mut replaced = Vec::with_capacity(functions.len());
        for index in functions {
            let landing = self.landing(set, index)?;
            if let Some(code) = making.code_at(self.functions[index].entry()) {
                // SAFETY: the entry of a function in code that is writable and that nobody runs.
                replaced.push((index, unsafe { write_detour(code, code, landing) }));
            }
        }
        Ok(replaced)
    }

    /// The landing of a function's breakpoint.
    fn landing(&self, set: &mut Set, index: usize) -> Result<usize, NoRoom> {
        if set.landings.is_none() {
            let records = self.breakpoints().iter();
            set.landings = Some(landings(records.map(|record| &raw const *record as u64))?);
        }
        let landings = set.landings.as_ref().ok_or(NoRoom)?;
        Ok(landings.base().as_ptr() as usize + index * JUMP_BYTES)
    }

    /// Sets or clears the breakpoints of functions, which are given by their places in [`Code::functions`]. Those that
    /// are set ask the runtime then ([`only_count`]).
    ///
    /// # Errors
    /// [`NoRoom`] if the system provides no memory for the landings or does not allow writing to the code; then
    /// nothing has changed.
    ///
    /// # Safety
    /// No other thread runs code or reads this code's words during the call.
    pub unsafe fn set_breakpoints(&self, functions: &[usize], on: bool) -> Result<(), NoRoom> {
        let mut set = self.breakpoint_set();
        if on && set.displaced.is_empty() {
            self.breakpoints.records.get_or_init(|| {
                Records(self.functions().map(|(_, entry)| record(entry)).collect())
            });
            set.displaced.resize_with(self.functions.len(), || None);
        }
        if functions.is_empty() || set.displaced.is_empty() {
            return Ok(());
        }
        let records = self.breakpoints();
        let entry_of = |index: usize| self.functions[index].entry();
        match self.words.machine_code() {
            None => {
                for &index in functions {
                    let word = self.words.cell(entry_of(index));
                    // SAFETY: a word of this code; nobody else accesses it, as the caller promises.
                    unsafe { set.change_word(word, index, on) };
                }
            }
            Some(machine_code) => {
                let first = match on {
                    true => Some(self.landing(&mut set, 0)?),
                    false => None,
                };
                // SAFETY: the caller promises that no thread runs code, and the detours are complete jumps.
                unsafe {
                    machine_code.rewrite(|writable| {
                        for &index in functions {
                            let code = self.words.at(entry_of(index)) as *const u8;
                            let landing = first.map(|first| first + index * JUMP_BYTES);
                            set.change_code(code, writable.of(code), index, landing);
                        }
                    })?;
                }
            }
        }
        for &index in functions.iter().filter(|_| on) {
            let (record, entry) = (&records[index], entry_of(index));
            match set.replaced.get(&entry) {
                Some(stub) => go_on_at(record, stub.0, 0),
                None => go_on_at(record, record.entry, self.first_handlers[index]),
            }
        }
        Ok(())
    }

    fn breakpoint_set(&self) -> MutexGuard<'_, Set> {
        let set = self.breakpoints.set.lock();
        set.unwrap_or_else(PoisonError::into_inner)
    }

    /// Replaces functions: from now on a call of one continues at its stub, after its breakpoint if it has one. A name
    /// that this code does not define is left out.
    ///
    /// # Errors
    /// [`NoRoom`] as for [`Code::set_breakpoints`]; then nothing has changed.
    ///
    /// # Safety
    /// No other thread runs code or reads this code's words during the call. Each stub is the address of an instruction
    /// that expects the function's arguments in the X registers, and lives as long as this code.
    pub unsafe fn replace_functions(
        &self,
        stubs: &[(Term, u32, *const u64)],
    ) -> Result<(), NoRoom> {
        self.make_machine_code();
        let mut set = self.breakpoint_set();
        let entry_of = |&(name, arity, stub): &(Term, u32, *const u64)| {
            let mut functions = self.functions.iter().enumerate();
            let (index, function) =
                functions.find(|(_, f)| f.function == name && f.arity == arity)?;
            Some((index, function.entry(), Stub(stub)))
        };
        let entries: Vec<(usize, u32, Stub)> = stubs.iter().filter_map(entry_of).collect();
        match self.words.machine_code() {
            None => {
                let handler: Handler = slow::calls::native_function.handler;
                for &(index, entry, _) in &entries {
                    let word = self.words.cell(entry);
                    // SAFETY: a word of this code; nobody else accesses it, as the caller promises.
                    unsafe { set.replace_word(word, index, handler as usize as u64) };
                }
            }
            Some(machine_code) => {
                let area = landings(entries.iter().map(|(_, _, stub)| stub.0 as u64))?;
                // SAFETY: the caller promises that no thread runs code, and the detours are complete jumps.
                unsafe {
                    machine_code.rewrite(|writable| {
                        for (place, &(index, entry, _)) in entries.iter().enumerate() {
                            let code = self.words.at(entry) as *const u8;
                            let landing = area.base().as_ptr() as usize + place * JUMP_BYTES;
                            set.replace_code(code, writable.of(code), index, landing);
                        }
                    })?;
                }
                set.replacements.push(area);
            }
        }
        for (index, entry, stub) in entries {
            if matches!(set.displaced.get(index), Some(Some(_))) {
                go_on_at(&self.breakpoints()[index], stub.0, 0);
            }
            set.replaced.insert(entry, stub);
        }
        Ok(())
    }

    /// The stub that replaces the function with this entry.
    #[must_use]
    pub fn replacement(&self, entry: *const u64) -> Option<*const u64> {
        let word = (entry as usize).checked_sub(self.words.as_ptr() as usize)? / 8;
        let set = self.breakpoint_set();
        let stub = set.replaced.get(&u32::try_from(word).ok()?)?;
        Some(stub.0)
    }
}

impl Set {
    /// # Safety
    /// `word` is the handler word of an entry, and no thread runs code during the call.
    unsafe fn change_word(&mut self, word: *mut u64, index: usize, on: bool) {
        let displaced = &mut self.displaced[index];
        if on {
            let handler: Handler = slow::breakpoints::breakpoint.handler;
            displaced.get_or_insert_with(|| {
                // SAFETY: the caller's promise above.
                let before = unsafe { AtomicU64::from_ptr(word) }
                    .swap(handler as usize as u64, Ordering::Relaxed);
                Displaced::Handler(before)
            });
        } else if let Some(Displaced::Handler(before)) = displaced.take() {
            // SAFETY: the caller's promise above.
            unsafe { AtomicU64::from_ptr(word) }.store(before, Ordering::Relaxed);
        }
    }

    /// Writes the handler word of an entry, or has it written when its breakpoint is cleared.
    ///
    /// # Safety
    /// As for `change_word`.
    unsafe fn replace_word(&mut self, word: *mut u64, index: usize, handler: u64) {
        match self.displaced.get_mut(index).and_then(Option::as_mut) {
            Some(displaced) => *displaced = Displaced::Handler(handler),
            // SAFETY: the caller's promise above.
            None => unsafe { word.write(handler) },
        }
    }

    /// Redirects the code of an entry to the landing of a stub, or has that done when its breakpoint is cleared.
    ///
    /// # Safety
    /// As for `change_code`.
    unsafe fn replace_code(
        &mut self,
        code: *const u8,
        writable: *mut u8,
        index: usize,
        landing: usize,
    ) {
        let detour = detour(code, landing);
        match self.displaced.get_mut(index).and_then(Option::as_mut) {
            Some(displaced) => *displaced = Displaced::Bytes(detour),
            // SAFETY: as in `change_code`.
            None => unsafe { writable.cast::<[u8; DETOUR_BYTES]>().write(detour) },
        }
    }

    /// Redirects the code of an entry to its landing, or restores it if `landing` is `None`.
    ///
    /// # Safety
    /// `code` is the machine code of an entry, which is written at `writable`, and no thread runs it during the call.
    unsafe fn change_code(
        &mut self,
        code: *const u8,
        writable: *mut u8,
        index: usize,
        landing: Option<usize>,
    ) {
        let displaced = &mut self.displaced[index];
        if let Some(landing) = landing {
            displaced.get_or_insert_with(|| {
                // SAFETY: the caller's promises.
                Displaced::Bytes(unsafe { write_detour(code, writable, landing) })
            });
        } else if let Some(Displaced::Bytes(before)) = displaced.take() {
            // SAFETY: as above.
            unsafe { writable.cast::<[u8; DETOUR_BYTES]>().write(before) };
        }
    }
}

/// Redirects the code of an entry to its landing. Returns what was there.
///
/// # Safety
/// `code` is the machine code of an entry, which is written at `writable`, and no thread runs it during the call.
unsafe fn write_detour(code: *const u8, writable: *mut u8, landing: usize) -> [u8; DETOUR_BYTES] {
    let detour = detour(code, landing);
    // SAFETY: the caller's promises; the first instruction of an entry is at least that long (`native::plan`).
    unsafe { writable.cast::<[u8; DETOUR_BYTES]>().replace(detour) }
}

/// The jump from an entry's machine code to its landing. Both addresses are below 2 GiB, so the distance fits.
fn detour(code: *const u8, landing: usize) -> [u8; DETOUR_BYTES] {
    let distance = landing as i64 - (code as i64 + DETOUR_BYTES as i64);
    let mut detour = [DETOUR, 0, 0, 0, 0];
    detour[1..].copy_from_slice(&(distance as i32).to_le_bytes());
    detour
}

/// A record of a function that has no breakpoint yet.
fn record(entry: *const u64) -> Breakpoint {
    let handler: Handler = slow::calls::reached.handler;
    Breakpoint {
        handler: AtomicPtr::new(handler as *mut ()),
        entry,
        resume_at: AtomicPtr::default(),
        resume_handler: AtomicPtr::default(),
        counters: AtomicPtr::default(),
        point: AtomicPtr::default(),
    }
}

/// Landings that lead to the instructions at these addresses, in their order.
fn landings(targets: impl ExactSizeIterator<Item = u64>) -> Result<CodeArea, NoRoom> {
    let area = CodeArea::new((targets.len() * JUMP_BYTES).max(1), Place::Low2GiB);
    let area = area.map_err(|_| NoRoom)?;
    // SAFETY: the area is fresh; nothing runs in it.
    unsafe { area.unseal(0..area.bytes()) }.map_err(|_| NoRoom)?;
    for (index, target) in targets.enumerate() {
        let jump = native::jump_to_instruction(target);
        // SAFETY: the area is writable and has room for as many jumps as there are targets.
        unsafe {
            let landing = area.base().as_ptr().add(index * JUMP_BYTES);
            landing.copy_from_nonoverlapping(jump.as_ptr(), JUMP_BYTES);
        }
    }
    // SAFETY: the area contains only complete jumps, and nobody writes to it any more.
    unsafe { area.seal(0..area.bytes()) }.map_err(|_| NoRoom)?;
    Ok(area)
}
