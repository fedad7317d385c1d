//! Modules of which a function is translated when it is first called: of 8,094 functions that booting OTP 27 loads,
//! 1,129 are.
//!
//! An [`Outline`] has a *stub* for each function: its `func_info`, and an entry that leads to the code. The code of the
//! functions that were called lies behind the stubs, in the order of their first calls. It is threaded, and calls all
//! functions of the module by their stubs. So an outline looks like a module without machine code, in one range of
//! addresses, and its functions' entries never change.
//!
//! Stubs count calls. When the module is worth machine code ([`crate::tiering`]), the runtime translates all of it as
//! if it had just been loaded, and has the stubs lead there ([`Outline::lead_to`]). The same happens when somebody
//! wants more of a module than to run it (breakpoints, native functions), and when there is no room for its code.
//!
//! Any thread may call.

mod room;

use core::ops::Range;
use core::sync::atomic::Ordering;
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use crate::code::{Code, CodeLocation, FUNC_INFO_WORDS, Function, LineTable};
use crate::codegen::{self, CallSite, CodegenError, CodegenErrorKind, LabelOf, Module};
use crate::encoding::{Encoding, FunctionClause, Outlined, WordSink};
use crate::{slow, tiering};
use room::Room;

/// A module of which some functions are translated.
#[derive(Debug)]
pub struct Outline {
    /// Stubs, and behind them the code of functions; the rest is not written yet. A word is written before it is shared
    /// (`Parts::used`, the word of a stub that leads to it).
    words: Room,
    /// Operands point into it.
    strings: Box<[u8]>,
    functions: Box<[Sketch]>,
    /// Whether their entry labels ascend, as the compiler numbers them.
    is_ordered: bool,
    parts: RwLock<Parts>,
}

/// A function, translated or not.
#[derive(Debug)]
struct Sketch {
    /// It starts with its stub.
    function: Function,
    line: u32,
    entry_label: u32,
    extent: Range<u32>,
}

/// The code behind the stubs.
#[derive(Debug)]
struct Parts {
    /// Words that are written, with those of the stubs.
    used: u32,
    /// In the order of their addresses.
    list: Vec<Part>,
}

/// The code of a function.
#[derive(Debug)]
struct Part {
    start: u32,
    function: u32,
    /// Counted from its start.
    lines: LineTable,
    calls: Vec<CallSite>,
    /// The words behind its calls, as the numbers of words of the outline and of the code of all functions, once that
    /// is there.
    returns: Vec<(u32, u32)>,
}

/// Why a function was not translated.
#[derive(Debug)]
pub enum Untranslated {
    /// There is no room left for its code.
    Full,
    Code(CodegenError),
}

const STUB_WORDS: u32 = FUNC_INFO_WORDS + 2;

/// There is room for a word of code for so many bytes of the file's: what all functions would take, about. Memory that
/// is not written takes none of the system's.
const BYTES_PER_WORD: u32 = 2;

impl Outline {
    /// The outline of a module, with the errors of [`generate`](crate::generate()) that depend on the node. Others are
    /// found when functions are translated; what the compiler writes has none.
    ///
    /// # Errors
    /// See [`CodegenError`].
    pub fn new(module: &Module<'_>) -> Result<Outline, CodegenError> {
        codegen::check(module)?;
        let code = module.code;
        let functions: Box<[Sketch]> = (0..)
            .zip(code.functions.iter().zip(code.extents()))
            .map(|(place, (function, extent))| Sketch {
                function: Function {
                    module: module.atoms[function.module as usize],
                    function: module.atoms[function.name as usize],
                    arity: u32::from(function.arity),
                    start: place * STUB_WORDS,
                },
                line: function.line,
                entry_label: function.entry_label,
                extent,
            })
            .collect();
        let bytes: u32 = functions
            .iter()
            .map(|sketch| sketch.extent.end - sketch.extent.start)
            .sum();
        let room = (bytes / BYTES_PER_WORD) as usize;
        let calls = tiering::calls_for(room);
        let mut stubs = Words(Vec::with_capacity(functions.len() * STUB_WORDS as usize));
        for sketch in &functions {
            stubs.stub(&sketch.function, calls);
        }
        let Words(stubs) = stubs;
        let words = Room::new(stubs.len() + room).map_err(|_| CodegenError {
            function: module.file.module().to_owned(),
            kind: CodegenErrorKind::NoRoom,
        })?;
        let outline = Outline {
            words,
            strings: module.file.strings().into(),
            is_ordered: functions.is_sorted_by_key(|sketch| sketch.entry_label),
            functions,
            parts: RwLock::new(Parts {
                used: stubs.len() as u32,
                list: Vec::new(),
            }),
        };
        for (place, word) in (0..).zip(stubs) {
            outline.words.word(place).store(word, Ordering::Relaxed);
        }
        Ok(outline)
    }

    /// The address range of its instructions.
    #[must_use]
    pub fn range(&self) -> Range<*const u64> {
        let start = self.address(0);
        start..start.wrapping_add(self.words.len())
    }

    /// Bytes of the stubs, and of the code behind them.
    #[must_use]
    pub fn size_bytes(&self) -> usize {
        self.read().used as usize * 8
    }

    /// All functions with their entries.
    pub fn functions(&self) -> impl Iterator<Item = (&Function, *const u64)> {
        self.functions
            .iter()
            .map(|sketch| (&sketch.function, self.address(sketch.function.entry())))
    }

    /// The entry of the function at a label of the file.
    #[must_use]
    pub fn label(&self, label: u32) -> Option<*const u64> {
        let place = match self.is_ordered {
            true => self
                .functions
                .binary_search_by_key(&label, |sketch| sketch.entry_label)
                .ok(),
            false => self
                .functions
                .iter()
                .position(|sketch| sketch.entry_label == label),
        };
        Some(self.address(self.functions[place?].function.entry()))
    }

    /// The place in [`Outline::functions`] of the function with this entry.
    #[must_use]
    pub fn place_of_entry(&self, entry: *const u64) -> Option<usize> {
        let word = self.word_of(entry)?.checked_sub(FUNC_INFO_WORDS)?;
        let place = (word / STUB_WORDS) as usize;
        (word % STUB_WORDS == 0 && place < self.functions.len()).then_some(place)
    }

    /// Where the function at a place lies in the file's code.
    #[must_use]
    pub fn extent(&self, place: usize) -> Range<u32> {
        self.functions[place].extent.clone()
    }

    /// The code of the functions that were translated, in the order of its addresses: their places in
    /// [`Outline::functions`], and where it lies.
    pub(crate) fn translated(&self) -> Vec<(usize, Range<*const u64>)> {
        let parts = self.read();
        let starts = parts.list.iter().map(|part| part.start);
        let ends = starts.clone().skip(1).chain([parts.used]);
        let ranges = starts.zip(ends);
        let ranges = ranges.map(|(start, end)| self.address(start)..self.address(end));
        let places = parts.list.iter().map(|part| part.function as usize);
        places.zip(ranges).collect()
    }

    /// The function and line of an address; `None` for one outside of the stubs and of what is translated.
    #[must_use]
    pub fn place(&self, address: *const u64) -> Option<CodeLocation> {
        let word = self.word_of(address)?;
        let (number, start, line) = if word < self.end_of_stubs() {
            let number = word / STUB_WORDS;
            (
                number,
                number * STUB_WORDS,
                self.functions[number as usize].line,
            )
        } else {
            let parts = self.read();
            if word >= parts.used {
                return None;
            }
            let after = parts.list.partition_point(|part| part.start <= word);
            let part = &parts.list[after.checked_sub(1)?];
            (
                part.function,
                part.start,
                part.lines.line(word - part.start),
            )
        };
        let function = &self.functions[number as usize].function;
        Some(CodeLocation {
            module: function.module,
            function: function.function,
            arity: function.arity,
            entry: self.address(start + FUNC_INFO_WORDS),
            start: self.address(start),
            line,
        })
    }

    /// The first operand word of the instruction at an address.
    #[must_use]
    pub fn first_operand(&self, address: *const u64) -> Option<u64> {
        let operand = self.word_of(address)? + 1;
        let is_written = operand < self.read().used;
        is_written.then(|| self.words.word(operand).load(Ordering::Relaxed))
    }

    /// Makes the code of the function at a place, which is the only one of `module`'s code, and has its stub lead
    /// there; returns where it begins. Nothing happens if it, or the whole module, was translated meanwhile.
    ///
    /// # Errors
    /// See [`Untranslated`].
    pub fn translate(&self, place: usize, module: &Module<'_>) -> Result<*const u64, Untranslated> {
        let unplaced = codegen::translate_one(module, &self.strings).map_err(Untranslated::Code)?;
        let mut parts = self.write();
        let target = self.words.word(self.functions[place].function.entry() + 1);
        let before = target.load(Ordering::Acquire);
        if before != 0 {
            return Ok(before as *const u64);
        }
        let start = parts.used;
        let end = start as usize + unplaced.words.len();
        if end > self.words.len() {
            return Err(Untranslated::Full);
        }
        for (at, word) in (start..).zip(&unplaced.words) {
            self.words.word(at).store(*word, Ordering::Relaxed);
        }
        for (at, label) in unplaced.patches {
            let address = match label {
                LabelOf::Word(word) => self.address(start + word),
                LabelOf::Entry(label) => self
                    .label(label)
                    .ok_or_else(|| Untranslated::Code(self.no_entry(place)))?,
            };
            self.words
                .word(start + at)
                .store(address as u64, Ordering::Relaxed);
        }
        parts.list.push(Part {
            start,
            function: place as u32,
            lines: unplaced.lines,
            calls: unplaced.calls,
            returns: Vec::new(),
        });
        parts.used = end as u32;
        let entry = self.address(start + FUNC_INFO_WORDS);
        target.store(entry as u64, Ordering::Release);
        Ok(entry)
    }

    /// Has the stubs lead to the code of all functions of the module, of which these are the calls.
    ///
    /// # Panics
    /// If it is another module's.
    pub fn lead_to(&self, whole: &Code, calls: &[CallSite]) {
        assert_eq!(self.functions.len(), whole.functions.len());
        // Nobody translates a function meanwhile.
        let mut parts = self.write();
        for part in &mut parts.list {
            let start = part.start;
            let own = std::mem::take(&mut part.calls);
            let returns = own.iter().filter_map(|call| {
                let operation = |other: &CallSite| other.operation;
                let other = calls.binary_search_by_key(&call.operation, operation);
                Some((start + call.behind, calls[other.ok()?].behind))
            });
            part.returns = returns.collect();
        }
        let handler = slow::calls::led_on.handler as usize as u64;
        for (sketch, function) in self.functions.iter().zip(&whole.functions) {
            let entry = sketch.function.entry();
            let target = whole.address(function.entry());
            self.words
                .word(entry + 1)
                .store(target as u64, Ordering::Release);
            self.words.word(entry).store(handler, Ordering::Release);
        }
    }

    /// Where a call, which comes back to this address, comes back to in the code of all functions.
    #[must_use]
    pub fn made_return(&self, address: *const u64, whole: &Code) -> Option<*const u64> {
        let word = self.word_of(address)?;
        let parts = self.read();
        let after = parts.list.partition_point(|part| part.start <= word);
        let returns = &parts.list[after.checked_sub(1)?].returns;
        let place = returns.binary_search_by_key(&word, |(own, _)| *own).ok()?;
        Some(whole.address(returns[place].1))
    }

    /// A call of something in the module that is no function.
    fn no_entry(&self, place: usize) -> CodegenError {
        let function = &self.functions[place].function;
        CodegenError {
            function: format!("{}/{}", term::atom::text(function.function), function.arity),
            kind: CodegenErrorKind::BadOperand {
                opcode: spec::Opcode::Call,
                operand: "label",
            },
        }
    }

    fn read(&self) -> RwLockReadGuard<'_, Parts> {
        self.parts.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Parts> {
        self.parts.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn end_of_stubs(&self) -> u32 {
        self.functions.len() as u32 * STUB_WORDS
    }

    /// The number of the word at an address of the range.
    fn word_of(&self, address: *const u64) -> Option<u32> {
        let bytes = (address as usize).checked_sub(self.address(0) as usize)?;
        (bytes / 8 < self.words.len()).then_some((bytes / 8) as u32)
    }

    fn address(&self, word: u32) -> *const u64 {
        self.words.start().wrapping_add(word as usize)
    }
}

/// Words of stubs.
struct Words(Vec<u64>);

impl Words {
    fn stub(&mut self, function: &Function, calls: u16) {
        self.word(slow::exceptions::function_clause.handler as usize as u64);
        FunctionClause {
            module: function.module,
            function: function.function,
            first: tiering::word(0, calls),
            arity: u64::from(function.arity),
        }
        .write(self);
        self.word(slow::calls::outlined.handler as usize as u64);
        Outlined { target: 0 }.write(self);
    }
}

impl WordSink for Words {
    fn word(&mut self, word: u64) {
        self.0.push(word);
    }

    fn label(&mut self, _: u32) {
        unreachable!("stubs have no labels");
    }
}
