//! The code of a module, and the lookup of what its addresses belong to.

use core::cell::UnsafeCell;
use core::ops::Range;
use core::sync::atomic::{AtomicU64, Ordering};

use layout::Term;

use crate::breakpoints::Breakpoints;
use crate::codegen::CallSite;
use crate::coverage::Coverage;
use crate::line_breakpoints::LineBreakpoints;
use crate::native::{Placed, PlacedCode};

/// A module in the threaded form. It never moves; drop it only when no process and no export refers to it any more.
#[derive(Debug)]
pub struct Code {
    pub(crate) module: Term,
    pub(crate) words: Words,
    /// The module's strings; operands point into them.
    #[expect(dead_code, reason = "it is owned for the operands")]
    pub(crate) strings: Box<[u8]>,
    /// In code order.
    pub(crate) functions: Box<[Function]>,
    /// The word that each label stands for; `NOWHERE` if it stands for none.
    pub(crate) labels: Box<[u32]>,
    pub(crate) lines: LineTable,
    /// The calls of all functions in the order of the file, until they are taken.
    pub(crate) calls: Vec<CallSite>,
    pub(crate) on_load: Option<u32>,
    /// The instructions of the code point into it.
    pub(crate) coverage: Option<Coverage>,
    /// As `coverage`.
    pub(crate) line_breakpoints: Option<LineBreakpoints>,
    /// The handler of each function's first instruction.
    pub(crate) first_handlers: Box<[u64]>,
    pub(crate) breakpoints: Breakpoints,
}

/// The storage of a module's words. Other threads may run them at any time.
#[derive(Debug)]
pub(crate) enum Words {
    /// Threaded. Only a breakpoint changes a word, and only while no thread runs code.
    Boxed(Box<[UnsafeCell<u64>]>),
    /// Where machine code can refer to them.
    Placed(Placed),
}

impl Words {
    /// Stores words that have no machine code.
    pub(crate) fn threaded(words: Box<[u64]>) -> Words {
        let words = Box::into_raw(words) as *mut [UnsafeCell<u64>];
        // SAFETY: the pointer comes from the box taken apart above; an `UnsafeCell<u64>` has the same layout as a
        // `u64`.
        Words::Boxed(unsafe { Box::from_raw(words) })
    }

    pub(crate) fn as_ptr(&self) -> *const u64 {
        match self {
            Words::Boxed(words) => words.as_ptr().cast(),
            Words::Placed(placed) => placed.base(),
        }
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Words::Boxed(words) => words.len(),
            Words::Placed(placed) => placed.len(),
        }
    }

    /// The word at a place, to be changed.
    pub(crate) fn cell(&self, place: u32) -> *mut u64 {
        assert!((place as usize) < self.len());
        self.as_ptr().cast_mut().wrapping_add(place as usize)
    }

    /// The word at a place.
    pub(crate) fn at(&self, place: u32) -> u64 {
        // SAFETY: a word of this code, which is changed only in this way (`Placed`), or while no other thread reads it
        // (`Code::set_breakpoints`).
        unsafe { AtomicU64::from_ptr(self.cell(place)) }.load(Ordering::Relaxed)
    }

    pub(crate) fn machine_code(&self) -> Option<&PlacedCode> {
        match self {
            Words::Boxed(_) => None,
            Words::Placed(placed) => placed.machine_code(),
        }
    }
}

pub(crate) const NOWHERE: u32 = u32::MAX;

// SAFETY: the words are handlers, operands and literals, which never change while other threads read them.
unsafe impl Send for Code {}
// SAFETY: as above.
unsafe impl Sync for Code {}

/// A function of a module.
#[derive(Clone, Copy, Debug)]
pub struct Function {
    pub module: Term,
    pub function: Term,
    pub arity: u32,
    /// The index of the first word of its `func_info`.
    pub(crate) start: u32,
}

impl Function {
    /// The index of the word at its entry.
    pub(crate) fn entry(&self) -> u32 {
        self.start + FUNC_INFO_WORDS
    }
}

/// A function's machine code.
pub struct MachineCode<'a> {
    pub function: &'a Function,
    /// Its `func_info`, which raises `function_clause`.
    pub info: &'a [u8],
    /// From the entry to the end of the function.
    pub body: &'a [u8],
    /// Where the line changes: the address of the code, and the line's index as in [`CodeLocation::line`].
    pub lines: Vec<(u64, u32)>,
}

/// Number of words in a `func_info`.
pub(crate) const FUNC_INFO_WORDS: u32 = 5;

/// The function and line that a code address belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CodeLocation {
    pub module: Term,
    pub function: Term,
    pub arity: u32,
    /// The function's entry, and the `func_info` before it.
    pub entry: *const u64,
    pub start: *const u64,
    /// Index into [`beamfile::Lines::locations`] of the module's file; 0 if the line is unknown.
    pub line: u32,
}

impl Code {
    /// The module's name.
    #[must_use]
    pub fn module(&self) -> Term {
        self.module
    }

    /// The address range of its instructions.
    #[must_use]
    pub fn range(&self) -> Range<*const u64> {
        let start = self.words.as_ptr();
        start..start.wrapping_add(self.words.len())
    }

    /// Size of the code in bytes, not counting its tables.
    #[must_use]
    pub fn size_bytes(&self) -> usize {
        self.words.len() * 8 + self.native_bytes()
    }

    /// Size of the machine code in bytes; 0 if the module runs threaded.
    #[must_use]
    pub fn native_bytes(&self) -> usize {
        self.words.machine_code().map_or(0, |code| code.all().len())
    }

    /// The machine code of each function; empty if the module runs threaded.
    pub fn machine_code(&self) -> impl Iterator<Item = MachineCode<'_>> {
        let code = self.words.machine_code();
        code.into_iter().flat_map(move |code| {
            self.functions
                .iter()
                .enumerate()
                .map(move |(index, function)| {
                    let end = self.functions.get(index + 1).map(|next| next.start);
                    let entry = function.entry();
                    let words = entry..end.unwrap_or(self.words.len() as u32);
                    MachineCode {
                        function,
                        info: self.code_of(code, function.start, Some(entry)),
                        body: self.code_of(code, entry, end),
                        lines: self.line_addresses(words),
                    }
                })
        })
    }

    /// The machine code from the instruction at word `start` to the one at word `end`, or to the end of the code: the
    /// first words of instructions are addresses in the machine code, in the same order as the words.
    pub(crate) fn code_of<'a>(
        &self,
        code: &'a PlacedCode,
        start: u32,
        end: Option<u32>,
    ) -> &'a [u8] {
        code.part(self.words.at(start), end.map(|end| self.words.at(end)))
    }

    /// The lines of a range of words by the addresses of their machine code, in the order of these.
    fn line_addresses(&self, words: Range<u32>) -> Vec<(u64, u32)> {
        let lines = self.lines.within(words);
        let mut addresses: Vec<(u64, u32)> = lines
            .map(|(word, line)| (self.words.at(word), line))
            .collect();
        // The code that a word leads to may stand behind its function.
        addresses.sort_unstable();
        addresses
    }

    /// The first operand word of the instruction at an address.
    #[must_use]
    pub fn first_operand(&self, address: *const u64) -> Option<u64> {
        let word = (address as usize).checked_sub(self.words.as_ptr() as usize)? / 8;
        (word + 1 < self.words.len()).then(|| self.words.at(word as u32 + 1))
    }

    /// The address range of its machine code; empty if the module runs threaded.
    #[must_use]
    pub fn machine_range(&self) -> Range<usize> {
        self.words.machine_code().map_or(0..0, |code| {
            let code = code.all().as_ptr_range();
            code.start as usize..code.end as usize
        })
    }

    /// The function whose machine code contains an address.
    #[must_use]
    pub fn function_of_machine_code(&self, address: usize) -> Option<&Function> {
        if !self.machine_range().contains(&address) {
            return None;
        }
        // A first word is the address of its instruction's machine code; both are in the same order.
        let begins = |function: &Function| self.words.at(function.start) as usize;
        let after = self
            .functions
            .partition_point(|function| begins(function) <= address);
        self.functions.get(after.checked_sub(1)?)
    }

    #[must_use]
    pub fn contains(&self, address: *const u64) -> bool {
        self.range().contains(&address)
    }

    /// The address that a label of the file stands for; calls use the label of a function's entry.
    #[must_use]
    pub fn label(&self, label: u32) -> Option<*const u64> {
        let word = *self.labels.get(label as usize)?;
        (word != NOWHERE).then(|| self.address(word))
    }

    /// All functions with their entries.
    pub fn functions(&self) -> impl Iterator<Item = (&Function, *const u64)> {
        self.functions
            .iter()
            .map(|function| (function, self.address(function.entry())))
    }

    /// The entry of a function by name.
    #[must_use]
    pub fn function(&self, name: Term, arity: u32) -> Option<*const u64> {
        let place = self.place_of(name, arity)?;
        Some(self.address(self.functions[place].entry()))
    }

    /// The place of a function in [`Code::functions`].
    #[must_use]
    pub fn place_of(&self, name: Term, arity: u32) -> Option<usize> {
        let is_wanted = |function: &Function| function.function == name && function.arity == arity;
        self.functions.iter().position(is_wanted)
    }

    /// The place in [`Code::functions`] of the function with this entry.
    #[must_use]
    pub fn place_of_entry(&self, entry: *const u64) -> Option<usize> {
        let is_before = |function: &Function| self.address(function.entry()) < entry;
        let place = self.functions.partition_point(is_before);
        let function = self.functions.get(place)?;
        (self.address(function.entry()) == entry).then_some(place)
    }

    /// The entry of the `on_load` function, if there is one.
    #[must_use]
    pub fn on_load(&self) -> Option<*const u64> {
        self.on_load.map(|word| self.address(word))
    }

    /// What of it has run, if it was loaded with a mode of coverage.
    #[must_use]
    pub fn coverage(&self) -> Option<&Coverage> {
        self.coverage.as_ref()
    }

    /// Where debuggers may stop processes, if it was loaded for them.
    #[must_use]
    pub fn line_breakpoints(&self) -> Option<&LineBreakpoints> {
        self.line_breakpoints.as_ref()
    }

    /// The lines that its instructions belong to, as in [`CodeLocation::line`]; one may come several times.
    pub fn locations(&self) -> impl Iterator<Item = u32> {
        self.lines.changes.iter().map(|&(_, line)| line)
    }

    /// Takes the places behind its calls, which only who has an outline of the module needs.
    pub fn take_calls(&mut self) -> Vec<CallSite> {
        std::mem::take(&mut self.calls)
    }

    /// The function and line of an address in this code; `None` for an address outside it. A return address points
    /// behind its call, so look up the word before it.
    #[must_use]
    pub fn place(&self, address: *const u64) -> Option<CodeLocation> {
        if !self.contains(address) {
            return None;
        }
        let word = ((address as usize - self.words.as_ptr() as usize) / 8) as u32;
        let after = self.functions.partition_point(|f| f.start <= word);
        let function = &self.functions[after.checked_sub(1)?];
        Some(CodeLocation {
            module: function.module,
            function: function.function,
            arity: function.arity,
            entry: self.address(function.entry()),
            start: self.address(function.start),
            line: self.lines.line(word),
        })
    }

    pub(crate) fn address(&self, word: u32) -> *const u64 {
        self.words.as_ptr().wrapping_add(word as usize)
    }
}

/// Maps words to source lines.
#[derive(Debug, Default)]
pub(crate) struct LineTable {
    /// The word where each line begins, and the line; words in ascending order.
    changes: Vec<(u32, u32)>,
}

impl LineTable {
    /// Code from `word` on belongs to `line`. Calls must be in ascending order of words.
    pub(crate) fn set(&mut self, word: u32, line: u32) {
        match self.changes.last_mut() {
            Some(last) if last.1 == line => (),
            Some(last) if last.0 == word => last.1 = line,
            _ => self.changes.push((word, line)),
        }
    }

    /// The line changes within a range of words; the first one is at the start of the range.
    fn within(&self, words: Range<u32>) -> impl Iterator<Item = (u32, u32)> {
        let after = |word: u32| self.changes.partition_point(|&(start, _)| start <= word);
        let (from, to) = (after(words.start), after(words.end.saturating_sub(1)));
        let first = (words.start, self.line(words.start));
        let changes = self.changes[from..to.max(from)].iter().copied();
        std::iter::once(first).chain(changes)
    }

    pub(crate) fn shrink(&mut self) {
        self.changes.shrink_to_fit();
    }

    pub(crate) fn line(&self, word: u32) -> u32 {
        let after = self.changes.partition_point(|&(start, _)| start <= word);
        match after.checked_sub(1) {
            Some(index) => self.changes[index].1,
            None => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_holds_until_the_next() {
        let mut lines = LineTable::default();
        for (word, line) in [(0, 1), (4, 1), (7, 3), (7, 4), (9, 0)] {
            lines.set(word, line);
        }
        let found: Vec<u32> = (0..11).map(|word| lines.line(word)).collect();
        assert_eq!(found, [1, 1, 1, 1, 1, 1, 1, 4, 4, 0, 0]);
        let within = |words| lines.within(words).collect::<Vec<_>>();
        assert_eq!(within(2..9), [(2, 1), (7, 4)]);
        assert_eq!(within(7..8), [(7, 4)]);
        assert_eq!(within(8..20), [(8, 4), (9, 0)]);
    }
}
