//! Copy and patch: machine code in addition to the words of a module.
//!
//! A module's words remain the threaded form: every code address (entry, label, return address) is the address of an
//! instruction's words. Machine code only replaces the dispatch: the handler word of each instruction holds the
//! address of the instruction's own machine code, which falls through to that of the next instruction. So code can be
//! entered at any instruction from anywhere, slow paths read the words of the instruction they serve, and code that
//! looks up addresses does not need to know about machine code.
//!
//! For each instruction, the stencil of its handler is copied and its holes are patched ([`Symbol`]). If there is no
//! stencil, or an operand does not fit its hole, the machine code is a jump to the handler:
//!
//! ```text
//! 41 b9 <words>        mov r9d, words
//! ff 24 25 <cell>      jmp [cell]
//! ```
//!
//! Words, machine code, and the cells that hold the addresses of handlers are all below 2 GiB. Words are never
//! executable, and machine code is not writable while it can run. If no such memory is available, or there are no
//! stencils for the processor, code runs threaded. Any thread may call; cells are created under a lock.
//!
//! This module has the tables of stencils. `placed` has the memory of a module's words and machine code, `plan` chooses
//! what each instruction runs and where that lies (`expand` for instructions that are several stencils), `patch` writes
//! it.

mod expand;
mod patch;
mod placed;
mod plan;

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{LazyLock, Mutex};

use spec::Opcode;
use sys::errno::Errno;
use sys::memory::code::{CodeArea, Place};
use sys::memory::page_bytes;

use crate::bodies::{
    arith, binaries, building, calls, compare, coverage, debugger, exceptions, floats, guards,
    lists, maps, messages, moves, records, select, tuples, type_tests,
};
use crate::encoding;
use crate::form::{Handler, Threaded};
use crate::operand::{K, Knowledge, N, Passed, Small, Source, X, Y};
use crate::operation::{D, HandlerOf, II, Iid, IidFew, P, S, SD, SS, Sdd, Ssd, SsdFew};
use crate::slow;
pub(crate) use patch::jump_to_instruction;
pub use placed::{AREA_BYTES, AREA_ROOM, AREAS};
pub(crate) use placed::{Making, Placed, PlacedCode, Unplaced, place};

/// The machine code of one operation.
#[allow(dead_code, reason = "processors without stencils have empty tables")]
pub(crate) struct Stencil {
    /// Runs from its start, and falls through at its end or jumps elsewhere.
    hot: Code,
    /// Leads to slow paths; what jumps there is in `hot`.
    cold: Code,
    /// Whether what comes next is the next instruction.
    falls_through: bool,
    /// Whether it passes its result on wherever it goes on with the next instruction.
    passes: bool,
}

/// Machine code and its holes.
#[allow(dead_code, reason = "processors without stencils have empty tables")]
pub(crate) struct Code {
    bytes: &'static [u8],
    relocations: &'static [Relocation],
}

impl Stencil {
    fn relocations(&self) -> impl Iterator<Item = &'static Relocation> {
        self.hot.relocations.iter().chain(self.cold.relocations)
    }

    /// Whether it reads none of its instruction's words, nor passes their address on.
    fn reads_no_words(&self) -> bool {
        self.relocations()
            .all(|relocation| !matches!(relocation.symbol, Symbol::Record))
    }

    /// Whether the first operand is the only one that it reads from its instruction's words.
    fn reads_first_operand_only(&self) -> bool {
        self.relocations().all(|relocation| {
            !matches!(relocation.symbol, Symbol::Record)
                || relocation.addend == 8 && relocation.kind != PatchKind::Relative
                || relocation.addend == 8 - 4 && relocation.kind == PatchKind::Relative
        })
    }
}

/// Four bytes, or one, that must be patched.
#[allow(dead_code, reason = "processors without stencils have empty tables")]
pub(crate) struct Relocation {
    offset: u32,
    kind: PatchKind,
    addend: i64,
    symbol: Symbol,
}

/// How they are encoded.
#[allow(dead_code, reason = "processors without stencils have empty tables")]
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum PatchKind {
    /// A number that the processor zero-extends.
    Zero,
    /// A number that the processor sign-extends.
    Sign,
    /// A distance from the address of these bytes.
    Relative,
    /// One byte, which the processor sign-extends.
    Byte,
}

/// The value that a hole is filled with.
#[allow(dead_code, reason = "processors without stencils have empty tables")]
#[derive(Clone, Copy)]
pub(crate) enum Symbol {
    /// An operand word.
    Hole(u8),
    /// The machine code at the label in an operand word.
    Target(u8),
    /// The code before the entry of the function at the label in an operand word, which calls jump to.
    Entry(u8),
    /// The address of the instruction's words.
    Record,
    /// The machine code of the next instruction.
    Continue,
    /// The stencil's cold code.
    Cold,
    /// The cell that holds the address of a slow path.
    SlowPath(SlowPath),
}

macro_rules! slow_paths_of_stencils {
    ($($module:ident: $($name:ident($encoding:ident))*;)*) => {
        /// The slow paths that stencils jump to.
        #[allow(non_camel_case_types)]
        #[allow(dead_code, reason = "some are only for bodies that have no stencil")]
        #[derive(Clone, Copy, PartialEq, Eq)]
        pub(crate) enum SlowPath {
            $($($name,)*)*
        }

        const SLOW_PATHS: &[Handler] = &[$($({
            let path: HandlerOf<encoding::$encoding> = slow::$module::$name;
            path.handler
        },)*)*];
    };
}
for_each_slow_path!(slow_paths_of_stencils);

/// The tables of stencils, generated by the build script.
mod tables {
    #[allow(
        unused_imports,
        reason = "processors without stencils have empty tables"
    )]
    use super::{Code, PatchKind, Relocation, Stencil, Symbol};

    include!(concat!(env!("OUT_DIR"), "/stencils.rs"));
}

/// The handlers that the rows of the tables stand for, in the same order.
static HANDLERS: &[&[Handler]] = stencil_table!(Threaded);

/// An operation that has stencils. For tools that examine which handlers a program uses.
pub struct Row {
    /// The family and the name of the operation.
    pub name: &'static str,
    /// One for every combination of operands that has a stencil.
    pub handlers: &'static [Handler],
    /// The generic operation that always becomes this one, if there is one.
    pub generic: Option<Opcode>,
}

/// The names of the operations, the generic ones that become them, and their combinations that have stencils.
type Titles = &'static [(&'static str, &'static [Opcode], &'static [&'static str])];

macro_rules! titles {
    ([] bodies {
        $($module:ident::$name:ident [$($kinds:ident)?] $encoding:ident $(from $generic:ident $operands:tt)?;)*
    } slow $slow:tt) => {
        &[$((
            concat!(stringify!($module), "::", stringify!($name)),
            &[$(Opcode::$generic)?],
            &[$(stringify!($kinds))?],
        ),)*]
    };
}

/// The operations with stencils, in the order of the table.
#[must_use]
pub fn rows() -> Vec<Row> {
    let titles: Titles = for_each_operation!(titles);
    let with_stencils = titles.iter().filter(|(_, _, kinds)| !kinds.is_empty());
    with_stencils
        .zip(HANDLERS)
        .map(|(&(name, generic, _), &handlers)| Row {
            name,
            handlers,
            generic: generic.first().copied(),
        })
        .collect()
}

/// A map keyed by handler address; fast, because the loader does several lookups for every instruction.
type ByHandler<V> = HashMap<usize, V, BuildHasherDefault<AddressHasher>>;

/// Hashes function addresses: they differ little, so the hash spreads them over all bits.
#[derive(Default)]
struct AddressHasher(u64);

impl Hasher for AddressHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_usize(byte.into());
        }
    }

    fn write_usize(&mut self, address: usize) {
        self.0 = (self.0 ^ address as u64)
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            .rotate_left(26);
    }
}

/// The row of the stencil of each handler, by handler address.
static ROWS: LazyLock<ByHandler<usize>> = LazyLock::new(|| {
    let handlers = HANDLERS.iter().flat_map(|list| list.iter());
    handlers
        .take(tables::NARROW.len())
        .enumerate()
        .map(|(row, &handler)| (handler as usize, row))
        .collect()
});

/// The rows of the table of stencils for operands of which more is known: for which handlers they stand in, and what
/// must be known.
static KNOWN_HANDLERS: &[&[(Handler, &[Knowledge])]] = known_table!((key));

/// These rows by handler and knowledge.
static KNOWN_ROWS: LazyLock<ByHandler<usize>> = LazyLock::new(|| {
    let keys = KNOWN_HANDLERS.iter().flat_map(|list| list.iter());
    keys.take(tables::NARROW_KNOWN.len())
        .enumerate()
        .map(|(row, &(handler, known))| {
            let b = known.get(1).copied().unwrap_or_default();
            (key(handler as usize, [known[0], b]), row)
        })
        .collect()
});

/// A handler, in the upper bits, and what is known about its sources.
fn key(handler: usize, [a, b]: [Knowledge; 2]) -> usize {
    handler << 4 | (a as usize) << 2 | b as usize
}

/// Words in low memory that hold addresses of handlers.
struct Cells {
    area: CodeArea,
    by_handler: ByHandler<usize>,
}

/// Capacity of the cell area; larger than the number of handlers.
const CELLS: usize = 4096;

static CELLS_OF_HANDLERS: LazyLock<Option<Mutex<Cells>>> = LazyLock::new(|| {
    let area = CodeArea::new(CELLS * 8, Place::Low2GiB).ok()?;
    // SAFETY: the area is fresh; nothing in it is ever executed.
    unsafe { area.unseal(0..area.bytes()) }.ok()?;
    Some(Mutex::new(Cells {
        area,
        by_handler: ByHandler::default(),
    }))
});

impl Cells {
    /// The address of the cell that holds the address of a handler; `None` when all cells are used.
    fn cell(&mut self, handler: usize) -> Option<usize> {
        if let Some(&cell) = self.by_handler.get(&handler) {
            return Some(cell);
        }
        let index = self.by_handler.len();
        if index == CELLS {
            return None;
        }
        // SAFETY: the address is within the area, which is writable, and nobody else knows this cell yet.
        let cell = unsafe {
            let cell = self.area.base().as_ptr().cast::<usize>().add(index);
            cell.write(handler);
            cell as usize
        };
        self.by_handler.insert(handler, cell);
        Some(cell)
    }
}

static ENABLED: AtomicBool = AtomicBool::new(true);

/// Sets whether modules loaded from now on get machine code, if there are stencils; enabled by default.
pub fn set_enabled(enabled: bool) {
    ENABLED.store(enabled, Ordering::Relaxed);
}

/// Whether there are stencils for this processor, and they are enabled.
#[must_use]
pub fn is_enabled() -> bool {
    !tables::NARROW.is_empty() && ENABLED.load(Ordering::Relaxed)
}

/// Checks whether machine code can run here at all: hardened systems provide no executable memory.
///
/// # Errors
/// The system's error. The caller must report it and disable machine code.
pub fn check() -> sys::Result<()> {
    if !is_enabled() {
        return Ok(());
    }
    let area = CodeArea::new(page_bytes(), Place::Low2GiB)?;
    // SAFETY: the area is fresh; nothing runs in it.
    unsafe { area.unseal(0..area.bytes()) }?;
    // SAFETY: as above; it contains only zeros, and nobody runs them.
    unsafe { area.seal(0..area.bytes()) }
}

/// The memory for code is exhausted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoRoom;

/// Converts a system error: out of memory becomes [`NoRoom`]; any other error becomes `None`, and the module runs
/// threaded.
fn room<T>(result: sys::Result<T>) -> Result<Option<T>, NoRoom> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(Errno::ENOMEM) => Err(NoRoom),
        Err(_) => Ok(None),
    }
}

/// What is known where an instruction runs, so that its machine code can do without tests.
///
/// What is not sure holds on the straight way only: when the machine code before has fallen through. Instructions that
/// rely on that, and those from which their code is reached, have machine code twice: the straight way, which nothing
/// enters in the middle, and behind the function a *copy* without such code, to which their words lead.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known {
    /// About the first integers that it reads.
    pub sources: [Knowledge; 2],
    /// Whether that holds wherever it comes from.
    pub sure: [bool; 2],
    /// Whether a straight way begins with it. Instructions of one way have no label between them.
    pub begins_way: bool,
    /// Whether its machine code, as it falls through, makes something known on the straight way.
    pub makes: bool,
}

/// Length of a jump to a handler.
pub(crate) const JUMP_BYTES: usize = 13;
/// Length of a jump within the code.
const NEAR_JUMP_BYTES: usize = 5;
/// `add rsp, 8`, before a function's entry.
const CALLED: [u8; 4] = [0x48, 0x83, 0xc4, 0x08];

/// The stencil for the instruction at `start`, if its handler has one and the operands fit the holes.
fn stencil(words: &[u64], is_label: &[bool], start: usize) -> Option<&'static Stencil> {
    fitting(words[start] as usize, |operand| {
        let place = start + 1 + operand;
        (words[place], is_label[place])
    })
}

/// The stencil of a handler, if these operands fit its holes; each operand is a word, or will become a label.
fn fitting(handler: usize, operand: impl Fn(usize) -> (u64, bool)) -> Option<&'static Stencil> {
    let row = *ROWS.get(&handler)?;
    fitting_of(&tables::NARROW[row], &tables::WIDE[row], operand)
}

/// The first of these stencils whose holes the operands fit.
fn fitting_of(
    narrow: &'static [Option<Stencil>; 2],
    wide: &'static [Option<Stencil>; 2],
    operand: impl Fn(usize) -> (u64, bool),
) -> Option<&'static Stencil> {
    let fits = |stencil: &&'static Stencil| {
        stencil.relocations().all(|relocation| {
            let (number, is_target) = match relocation.symbol {
                Symbol::Hole(number) => (number, false),
                Symbol::Target(number) | Symbol::Entry(number) => (number, true),
                _ => return true,
            };
            let (word, is_label) = operand(usize::from(number));
            if is_label {
                // An address in the area, which fits every hole of four bytes.
                return relocation.kind != PatchKind::Byte;
            }
            let value = (word as i64).wrapping_add(relocation.addend);
            !is_target
                && match relocation.kind {
                    PatchKind::Zero => u32::try_from(value).is_ok(),
                    PatchKind::Sign => i32::try_from(value).is_ok(),
                    PatchKind::Byte => i8::try_from(value).is_ok(),
                    PatchKind::Relative => false,
                }
        })
    };
    narrow.iter().chain(wide).flatten().find(fits)
}

#[cfg(test)]
mod tests_of_tables {
    use super::*;

    #[test]
    fn what_is_known_stands_in_for_a_stencil_without() {
        let keys: Vec<_> = KNOWN_HANDLERS.iter().flat_map(|list| list.iter()).collect();
        assert!(tables::NARROW_KNOWN.is_empty() || tables::NARROW_KNOWN.len() == keys.len());
        assert_eq!(tables::NARROW_KNOWN.len(), tables::WIDE_KNOWN.len());
        for (row, (handler, known)) in keys.iter().take(tables::NARROW_KNOWN.len()).enumerate() {
            assert!(ROWS.contains_key(&(*handler as usize)), "row {row}");
            assert!(
                known.iter().any(|&known| known != Knowledge::Nothing),
                "row {row}"
            );
            assert!(
                tables::WIDE_KNOWN[row][1].is_some(),
                "row {row} is no stencil"
            );
        }
    }

    #[test]
    fn every_row_has_a_stencil_that_fits() {
        for (table, rows) in [tables::WIDE, tables::WIDE_KNOWN].iter().enumerate() {
            for (row, stencils) in rows.iter().enumerate() {
                // The compiler may address a number relative to the code, where only a label fits.
                let fits = |stencil: &Stencil| {
                    stencil.relocations().all(|relocation| {
                        relocation.kind != PatchKind::Relative
                            || !matches!(relocation.symbol, Symbol::Hole(_))
                    })
                };
                assert!(
                    stencils[1].as_ref().is_none_or(fits),
                    "table {table}, row {row}: a number relative to the code"
                );
            }
        }
    }

    #[test]
    fn every_row_is_found_by_its_handler() {
        let rows: usize = HANDLERS.iter().map(|list| list.len()).sum();
        assert!(tables::NARROW.is_empty() || tables::NARROW.len() == rows);
        assert_eq!(tables::NARROW.len(), tables::WIDE.len());
        // The compiler may merge handlers that have the same machine code.
        assert!(
            ROWS.len() * 10 >= tables::NARROW.len() * 9,
            "{} of {rows}",
            ROWS.len()
        );
    }
}
