//! Writing words, labels and lines.

use beamfile::{Generic, Operand as FileOperand, Operation as FileOperation};
use layout::{Export, FunEntry, Term};
use spec::Opcode;

use super::error::{self, bad};
use super::facts::{Fact, Facts};
use super::module::Module;
use super::recursion::Recursion;
use crate::bodies::calls::ReturnWithin;
use crate::bodies::coverage::{Count, Mark};
use crate::bodies::debugger::LineBreakpoint;
use crate::bodies::type_tests;
use crate::code::{Function, LineTable, NOWHERE, Words};
use crate::coverage::{self, Coverage, Place};
use crate::encoding::{self, CoveragePlace, Encoding, Jump, LinePlace, WordSink};
use crate::line_breakpoints::{self, LineBreakpoints};
use crate::native::{self, Known, NoRoom};
use crate::operand::{Knowledge, Operand};
use crate::operation::{HandlerOf, Operation};

/// The code being written.
pub(super) struct Emitter<'a> {
    pub(super) module: &'a Module<'a>,
    strings: &'a [u8],
    words: Vec<u64>,
    /// The first words of instructions, and what is known where each one runs.
    starts: Vec<u32>,
    known: Vec<Known>,
    /// What is known about registers where the next instruction runs.
    pub(super) facts: Facts,
    pub(super) recursion: Recursion,
    /// The integers that the next instruction reads, and the one that it writes.
    next: Integers,
    /// What the latest instruction has passed on, and its straight way.
    passed: Option<(Operand, u32)>,
    /// The straight way of the latest instruction.
    way: Option<u32>,
    /// The word that each label stands for.
    labels: Labels,
    /// The words that must become the address of a label, and the label.
    patches: Vec<(u32, u32)>,
    lines: LineTable,
    calls: Vec<CallSite>,
    /// The position of the latest function's entry.
    entry: u32,
    on_load: Option<u32>,
    coverage: Option<coverage::Plan>,
    line_breakpoints: Option<line_breakpoints::Plan>,
}

impl<'a> Emitter<'a> {
    /// For all functions of a module.
    pub(super) fn new(module: &'a Module<'a>, strings: &'a [u8]) -> Self {
        let last = module.file.code_header.label_count.max(1) - 1;
        Emitter::with_labels(module, strings, Labels::new(module, 0, last))
    }

    /// For the only function of the module's code.
    pub(super) fn of_one(module: &'a Module<'a>, strings: &'a [u8]) -> Self {
        let (code, function) = (module.code, &module.code.functions[0]);
        let defined =
            code.body(function)
                .iter()
                .filter_map(|operation| match code.generic(operation) {
                    Generic::Label { label } => Some(label),
                    _ => None,
                });
        let info = function.info_label;
        let (first, last) = defined.fold((info, info), |(first, last), label| {
            (first.min(label), last.max(label))
        });
        let labels = Labels::new(module, first, last);
        Emitter {
            recursion: Recursion::of_one(),
            ..Emitter::with_labels(module, strings, labels)
        }
    }

    fn with_labels(module: &'a Module<'a>, strings: &'a [u8], labels: Labels) -> Self {
        Emitter {
            module,
            strings,
            words: Vec::with_capacity(module.code.operations.len() * 4),
            starts: Vec::with_capacity(module.code.operations.len()),
            known: Vec::with_capacity(module.code.operations.len()),
            facts: Facts::default(),
            recursion: Recursion::default(),
            next: Integers::default(),
            passed: None,
            way: None,
            labels,
            patches: Vec::new(),
            lines: LineTable::default(),
            calls: Vec::new(),
            entry: NOWHERE,
            on_load: None,
            coverage: module
                .coverage
                .map(|mode| coverage::Plan::new(mode, module.code)),
            line_breakpoints: module.line_breakpoints.then(|| {
                let is_line = |atom| module.file.atom(atom) == "line";
                line_breakpoints::Plan::new(module.code, is_line)
            }),
        }
    }

    /// A word that was emitted before.
    pub(super) fn word_at(&self, position: u32) -> u64 {
        self.words[position as usize]
    }

    pub(super) fn position(&self) -> u32 {
        u32::try_from(self.words.len()).unwrap_or(NOWHERE)
    }

    /// Makes `label` stand for the next instruction.
    pub(super) fn define(&mut self, label: u32) {
        let position = self.position();
        self.labels.set(label, position);
    }

    /// A label that the file does not have.
    pub(super) fn new_label(&mut self) -> u32 {
        self.labels.add()
    }

    /// Called when `label` is defined next. If that would be at the function's entry, as for a receive loop at its
    /// beginning, a jump is inserted first, so that the loop does not lead back to the entry: only calls may reach an
    /// entry.
    pub(super) fn keep_from_entry(&mut self, entry: u32, label: u32) {
        let place = self.labels.get(entry);
        if label != entry && label != 0 && place == Some(self.position()) {
            self.operation::<type_tests::Jump>(Jump { label });
        }
    }

    /// Before a return that ends a frame of so many bytes: tests whether it leads behind a call of the function by
    /// itself.
    pub(super) fn before_return(&mut self, frame: u64) {
        for place in 0..self.recursion.places().len() {
            let label = self.recursion.places()[place];
            self.operation::<ReturnWithin>(encoding::ReturnWithin { frame, label });
        }
    }

    /// If this operation is a call that comes back: it does so here.
    pub(super) fn behind(&mut self, operation: &FileOperation) {
        let comes_back = matches!(
            operation.opcode,
            Opcode::Call | Opcode::CallExt | Opcode::CallFun | Opcode::CallFun2 | Opcode::Apply
        );
        if comes_back {
            let (operation, behind) = (operation.offset, self.position());
            self.calls.push(CallSite { operation, behind });
        }
    }

    /// Sets the line that the next instruction belongs to.
    pub(super) fn line(&mut self, line: u32) {
        let position = self.position();
        self.lines.set(position, line);
    }

    /// Marks the function that is being written to be run when the module is loaded.
    pub(super) fn on_load(&mut self) {
        self.on_load = Some(self.entry);
    }

    /// The entry of a function, given by its place in the code, is here.
    pub(super) fn enter(&mut self, function: usize) {
        self.entry = self.position();
        let plan = self.coverage.as_ref();
        let place = plan.and_then(|plan| plan.of_function(function));
        self.cover(place);
    }

    /// An `executable_line` operation is here.
    pub(super) fn cover_line(&mut self, operation: &FileOperation) {
        let plan = self.coverage.as_ref();
        let place = plan.and_then(|plan| plan.of_line(operation));
        self.cover(place);
    }

    fn cover(&mut self, place: Option<Place>) {
        let words = |place: u64| CoveragePlace { place };
        match place {
            Some(Place::Mark(mark)) => self.operation::<Mark>(words(mark as u64)),
            Some(Place::Counter(counter)) => self.operation::<Count>(words(counter as u64)),
            None => (),
        }
    }

    /// A `debug_line` operation is here. If a process can stop at it, it goes on at the next instruction, which it
    /// reaches then as from a jump.
    pub(super) fn stop_line(&mut self, operation: &FileOperation) -> error::Result {
        let plan = self.line_breakpoints.as_ref();
        let Some(stop) = plan.and_then(|plan| plan.of(self.module.code, operation)) else {
            return Ok(());
        };
        let table = self.module.file.debugger_lines.as_deref();
        if stop.index as usize >= table.map_or(0, <[_]>::len) {
            return Err(bad(operation.opcode, "index"));
        }
        // At the entry of a function its own line counts: the instruction's begins behind its first word.
        let position = self.position() + 1;
        self.lines.set(position, stop.location);
        self.operation::<LineBreakpoint>(LinePlace {
            place: stop.place as u64,
            live: stop.live,
        });
        self.facts.clear();
        Ok(())
    }

    /// Writes an instruction: a handler and the operands that it reads.
    pub(super) fn instruction<W: Encoding>(&mut self, handler: HandlerOf<W>, operands: W) {
        self.starts.push(self.position());
        let known = self.next_known();
        self.known.push(known);
        self.words.push(handler.handler as usize as u64);
        operands.write(self);
    }

    /// The next instruction reads these integers, at most two, in this order.
    pub(super) fn integers(&mut self, sources: &[Operand]) {
        for (place, &source) in self.next.sources.iter_mut().zip(sources) {
            *place = Some(source);
        }
    }

    /// The next instruction, whose result has this destination, passes it on if it is small.
    pub(super) fn passes(&mut self, dest: Operand) {
        self.next.result = Some(dest);
    }

    /// Number of instructions.
    pub(super) fn instructions(&self) -> usize {
        self.starts.len()
    }

    /// An instruction falls through only if certain terms are small integers.
    pub(super) fn makes_facts(&mut self, instruction: usize) {
        if let Some(known) = self.known.get_mut(instruction) {
            known.makes = true;
        }
    }

    /// What is known where the instruction that is being written runs.
    fn next_known(&mut self) -> Known {
        let way = self.facts.way();
        let begins_way = self.way.replace(way) != Some(way);
        let Integers { sources, result } = std::mem::take(&mut self.next);
        let passed = self.passed.filter(|&(_, of)| of == way);
        self.passed = result.map(|dest| (dest, way));
        let of = |source: Option<Operand>| match source {
            Some(operand) if operand.as_constant().is_none() => match self.facts.of(operand) {
                Fact::Small { sure } => match passed {
                    Some((passed, _)) if passed == operand => (Knowledge::Passed, sure),
                    _ => (Knowledge::Small, sure),
                },
                Fact::Nothing | Fact::Float | Fact::Immediate => (Knowledge::Nothing, false),
            },
            _ => (Knowledge::Nothing, false),
        };
        Known {
            sources: sources.map(|source| of(source).0),
            sure: sources.map(|source| of(source).1),
            begins_way,
            makes: false,
        }
    }

    /// Writes an instruction that runs the body of an operation.
    pub(super) fn operation<O>(&mut self, operands: O::Encoding)
    where
        O: Operation<Encoding: Encoding>,
    {
        self.instruction(O::handler(&operands), operands);
    }

    /// Writes operands after those of an encoding, for instructions of variable length.
    pub(super) fn more(&mut self, operands: impl IntoIterator<Item = Operand>) {
        self.words.extend(operands.into_iter().map(Operand::word));
    }

    /// The address of `size` bytes at `offset` in the module's strings, if they are within the strings.
    pub(super) fn string(&self, offset: u64, size: u64) -> Option<*const u8> {
        self.string_bytes(offset, size).map(<[u8]>::as_ptr)
    }

    /// The bytes themselves.
    pub(super) fn string_bytes(&self, offset: u64, size: u64) -> Option<&'a [u8]> {
        let offset = usize::try_from(offset).ok()?;
        let end = offset.checked_add(usize::try_from(size).ok()?)?;
        self.strings.get(offset..end)
    }

    /// A term, or a register.
    ///
    /// Panics for an operand of another kind; `beamfile` has verified that there is none in the place of a term.
    pub(super) fn source(&self, operand: FileOperand) -> Operand {
        match operand {
            FileOperand::X(register) | FileOperand::TypedX { register, .. } => {
                Operand::x(register as u16)
            }
            FileOperand::Y(register) | FileOperand::TypedY { register, .. } => Operand::y(register),
            other => Operand::constant(self.constant(other).expect("a proven operand")),
        }
    }

    /// The term of an operand, if it is a constant.
    pub(super) fn constant(&self, operand: FileOperand) -> Option<Term> {
        match operand {
            FileOperand::Atom(index) => Some(self.module.atoms[index as usize]),
            FileOperand::Nil => Some(Term::NIL),
            FileOperand::Literal(index) => Some(self.module.literals[index as usize]),
            FileOperand::Integer(value) => Some(
                Term::try_small(value)
                    .unwrap_or_else(|| (self.module.integer)(&value.to_be_bytes())),
            ),
            FileOperand::BigInteger(bytes) => {
                Some((self.module.integer)(self.module.code.big_integer(bytes)))
            }
            _ => None,
        }
    }

    /// The text of an atom of the file.
    pub(super) fn atom_text(&self, atom: Term) -> &'a str {
        let place = self.module.atoms.iter().position(|it| *it == atom);
        place.map_or("", |place| &self.module.file.atoms[place])
    }

    pub(super) fn import(&self, index: u32) -> *const Export {
        self.module.imports[index as usize]
    }

    pub(super) fn fun(&self, index: u32) -> *const FunEntry {
        self.module.funs[index as usize]
    }

    /// The words of one function, which was translated alone.
    pub(super) fn finish_one(mut self) -> Unplaced {
        self.lines.shrink();
        let entry = self.module.code.functions[0].entry_label;
        let patches = self.patches.iter().map(|&(position, label)| {
            let target = match self.labels.get(label) {
                Some(word) if word != NOWHERE && label != entry => LabelOf::Word(word),
                _ => LabelOf::Entry(label),
            };
            (position, target)
        });
        Unplaced {
            patches: patches.collect(),
            words: self.words,
            lines: self.lines,
            calls: self.calls,
        }
    }

    /// Finishes the words and patches the labels. `is_placed`: the words are to lie where machine code can refer to
    /// them.
    pub(super) fn finish(
        mut self,
        functions: &[Function],
        is_placed: bool,
    ) -> Result<Finished, NoRoom> {
        self.lines.shrink();
        let (patches, places) = (&self.patches, &self.labels);
        let labels = patches
            .iter()
            .map(|&(position, label)| (position, places.get(label).unwrap_or(NOWHERE)));
        debug_assert!(labels.clone().all(|(_, target)| target != NOWHERE));
        let placed = match is_placed && native::is_enabled() {
            true => {
                let unplaced = native::Unplaced {
                    starts: self.starts.into(),
                    known: self.known.into(),
                    labels: labels.clone().collect(),
                    entries: functions.iter().map(Function::entry).collect(),
                };
                native::place(&self.words, unplaced)?
            }
            false => None,
        };
        let words = placed.map_or_else(
            || {
                let mut words = self.words.into_boxed_slice();
                let base = words.as_ptr();
                for (position, target) in labels {
                    words[position as usize] = base.wrapping_add(target as usize) as u64;
                }
                Words::threaded(words)
            },
            Words::Placed,
        );
        Ok(Finished {
            words,
            labels: self.labels.words.into(),
            lines: self.lines,
            calls: self.calls,
            on_load: self.on_load,
            coverage: self.coverage.map(|plan| plan.coverage),
            line_breakpoints: self.line_breakpoints.map(|plan| plan.breakpoints),
        })
    }
}

/// A function that was translated alone: its words, which are not in their place yet.
pub(crate) struct Unplaced {
    pub(crate) words: Vec<u64>,
    /// The words that must become the address of a label.
    pub(crate) patches: Vec<(u32, LabelOf)>,
    pub(crate) lines: LineTable,
    pub(crate) calls: Vec<CallSite>,
}

/// A call that comes back: the offset of its operation in the file, and the word to which it does.
#[derive(Clone, Copy, Debug)]
pub struct CallSite {
    pub(crate) operation: u32,
    pub(crate) behind: u32,
}

/// What a label stands for in a function that was translated alone.
#[derive(Clone, Copy)]
pub(crate) enum LabelOf {
    /// A word of the function.
    Word(u32),
    /// The entry of a function of the module, which may be this one.
    Entry(u32),
}

/// The words that labels stand for: those of the file, or of one function, and behind them those that were added.
struct Labels {
    words: Vec<u32>,
    /// The first label of the file that has a place.
    first: u32,
    /// How many have.
    count: u32,
    /// What the file calls its labels is below this.
    limit: u32,
}

impl Labels {
    /// For the file's labels from `first` to `last`.
    fn new(module: &Module<'_>, first: u32, last: u32) -> Labels {
        let count = last + 1 - first;
        Labels {
            words: vec![NOWHERE; count as usize],
            first,
            count,
            limit: module.file.code_header.label_count,
        }
    }

    fn place(&self, label: u32) -> Option<usize> {
        let place = match label.checked_sub(self.limit) {
            Some(added) => self.count + added,
            None => label
                .checked_sub(self.first)
                .filter(|place| *place < self.count)?,
        };
        Some(place as usize)
    }

    fn get(&self, label: u32) -> Option<u32> {
        self.words.get(self.place(label)?).copied()
    }

    fn set(&mut self, label: u32, position: u32) {
        if let Some(word) = self
            .place(label)
            .and_then(|place| self.words.get_mut(place))
        {
            *word = position;
        }
    }

    /// A label that the file does not have.
    fn add(&mut self) -> u32 {
        self.words.push(NOWHERE);
        self.limit + (self.words.len() as u32 - self.count) - 1
    }
}

/// What an emitter returns at the end.
pub(super) struct Finished {
    pub(super) words: Words,
    pub(super) labels: Box<[u32]>,
    pub(super) lines: LineTable,
    pub(super) calls: Vec<CallSite>,
    /// The position of the function that is run when the module is loaded.
    pub(super) on_load: Option<u32>,
    pub(super) coverage: Option<Coverage>,
    pub(super) line_breakpoints: Option<LineBreakpoints>,
}

/// The integers that an instruction reads, and the one that it writes.
#[derive(Default)]
struct Integers {
    sources: [Option<Operand>; 2],
    result: Option<Operand>,
}

impl WordSink for Emitter<'_> {
    fn word(&mut self, word: u64) {
        self.words.push(word);
    }

    fn label(&mut self, label: u32) {
        if label != 0 {
            self.patches.push((self.position(), label));
        }
        self.words.push(0);
    }
}

/// The number in the operand, if it is a number.
pub(super) fn number(operand: FileOperand) -> Option<u64> {
    match operand {
        FileOperand::Number(number) => Some(number),
        FileOperand::Integer(value) => u64::try_from(value).ok(),
        _ => None,
    }
}

/// The label in the operand; 0 if it is not a label.
pub(super) fn label(operand: FileOperand) -> u32 {
    match operand {
        FileOperand::Label(label) => label,
        _ => 0,
    }
}
