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

mod expand;

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{LazyLock, Mutex, PoisonError};

use sys::errno::Errno;
use sys::gauge::Gauge;
use sys::memory::code::{CodeArea, Place};
use sys::memory::page_bytes;

use crate::bodies::{
    arith, binaries, building, calls, compare, exceptions, floats, guards, lists, maps, messages,
    moves, records, select, tests, tuples,
};
use crate::breakpoints::DETOUR_BYTES;
use crate::encoding::{self, Encoding as _};
use crate::form::{Handler, Threaded};
use crate::operand::{K, Knowledge, N, Operand, Passed, Small, Source, X, Y};
use crate::operation::{D, HandlerOf, II, Iid, IidFew, P, S, SD, SS, Sdd, Ssd, SsdFew};
use crate::slow;
use expand::{Part, PartOperand, expand};

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

/// The handlers that have stencils: for each row of `stencil_table.rs`, one for every combination of operands. For
/// tools that examine which handlers a program uses.
#[must_use]
pub fn handlers() -> &'static [&'static [Handler]] {
    HANDLERS
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

/// The rows of the table of stencils for operands of which more is known: for which handlers they stand in, and what must
/// be known.
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

/// Sets whether modules assembled from now on get machine code, if there are stencils; enabled by default.
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

/// Areas of modules, the bytes that they need, and those that they take: whole pages.
pub static AREAS: Gauge = Gauge::new();
pub static AREA_BYTES: Gauge = Gauge::new();
pub static AREA_ROOM: Gauge = Gauge::new();

/// Words, followed by their machine code in the same area.
#[derive(Debug)]
pub(crate) struct Placed {
    area: CodeArea,
    words: usize,
    code: usize,
}

impl Drop for Placed {
    fn drop(&mut self) {
        self.count(-1);
    }
}

impl Placed {
    fn count(&self, areas: i64) {
        AREAS.add(areas);
        AREA_BYTES.add((self.words * 8 + self.code) as i64 * areas);
        AREA_ROOM.add(self.area.bytes() as i64 * areas);
    }

    pub(crate) fn words(&self) -> &[u64] {
        // SAFETY: the area starts with that many words, which were written before this value was created.
        unsafe { std::slice::from_raw_parts(self.area.base().as_ptr().cast::<u64>(), self.words) }
    }

    /// The handler that runs the words of the instruction at `start` as it stands here; `handler` is that of the threaded form.
    pub(crate) fn handler_at(&self, start: usize, handler: u64) -> u64 {
        let words = self.words().as_ptr_range();
        let leads_to_code = || !words.contains(&(self.words()[first_label(start)] as *const u64));
        over_code(handler)
            .filter(|_| leads_to_code())
            .unwrap_or(handler)
    }

    /// All machine code.
    pub(crate) fn all_code(&self) -> &[u8] {
        let code_start = (self.words * 8).next_multiple_of(page_bytes());
        // SAFETY: the machine code begins at the first page after the words, and has that length.
        unsafe { std::slice::from_raw_parts(self.area.base().as_ptr().add(code_start), self.code) }
    }

    /// The machine code from the instruction at word `start` to the one at word `end`, or to the end of the code.
    pub(crate) fn code_of(&self, start: u32, end: Option<u32>) -> &[u8] {
        let words = self.words();
        let all = self.all_code().as_ptr_range();
        let address = |word: u32| words[word as usize] as usize;
        let (from, to) = (address(start), end.map_or(all.end as usize, address));
        // SAFETY: the first words of instructions are addresses in the machine code, in the same order as the words.
        unsafe { std::slice::from_raw_parts(from as *const u8, to - from) }
    }

    /// Makes the machine code writable while `body` changes it.
    ///
    /// # Errors
    /// [`NoRoom`] if the system does not allow this; then `body` was not called.
    ///
    /// # Safety
    /// No thread runs the code during the call, and the code that `body` leaves behind is valid.
    pub(crate) unsafe fn rewrite(&self, body: impl FnOnce()) -> Result<(), NoRoom> {
        let code_start = (self.words * 8).next_multiple_of(page_bytes());
        let part = code_start..(code_start + self.code).next_multiple_of(page_bytes());
        // SAFETY: the caller's promises.
        unsafe {
            self.area.unseal_briefly(part.clone()).map_err(|_| NoRoom)?;
            body();
            let sealed = self.area.seal(part);
            // If this failed, every process that runs the code would crash.
            sealed.expect("pages that were executable become executable again");
        }
        Ok(())
    }

    /// Bytes of machine code.
    pub(crate) fn code_bytes(&self) -> usize {
        self.code
    }
}

/// The output of the assembler: words whose labels are not patched yet.
pub(crate) struct Unplaced<'a> {
    pub words: &'a [u64],
    /// The first words of instructions, in order.
    pub starts: &'a [u32],
    /// What is known where each of them runs.
    pub known: &'a [Known],
    /// Pairs of word indexes: the first word must become the address of the second.
    pub labels: &'a [(u32, u32)],
}

/// What is known where an instruction runs, so that its machine code can do without tests.
///
/// What is not sure holds on the straight way only: when the machine code before has fallen through. Instructions that rely
/// on that, and those from which their code is reached, have machine code twice: the straight way, which nothing enters
/// in the middle, and behind the function a *copy* without such code, to which their words lead.
#[derive(Clone, Copy)]
pub(crate) struct Known {
    /// About the first integers that it reads.
    pub sources: [Knowledge; 2],
    /// Whether that holds wherever it comes from.
    pub sure: [bool; 2],
    /// The number of the straight way. Instructions of one way have no label between them.
    pub way: u32,
    /// Whether its machine code, as it falls through, makes something known on the straight way.
    pub makes: bool,
}

/// A piece of machine code. An instruction has one piece, or several if its threaded form is a loop over its operands
/// ([`expand()`]).
#[derive(Clone, Copy)]
enum Piece {
    /// The handler's stencil.
    Stencil(&'static Stencil),
    /// The stencil of another handler, with operands taken from other places.
    Part(Part),
    /// A jump to the handler in this cell.
    Jump(usize),
}

impl Piece {
    fn stencil(&self) -> Option<&'static Stencil> {
        match self {
            Piece::Stencil(stencil) | Piece::Part(Part { stencil, .. }) => Some(stencil),
            Piece::Jump(_) => None,
        }
    }

    /// Bytes of its code, without what is cold.
    fn bytes(&self) -> usize {
        self.stencil()
            .map_or(JUMP_BYTES, |stencil| stencil.hot.bytes.len())
    }

    fn cold_bytes(&self) -> usize {
        self.stencil().map_or(0, |stencil| stencil.cold.bytes.len())
    }

    fn falls_through(&self) -> bool {
        self.stencil().is_some_and(|stencil| stencil.falls_through)
    }

    fn passes(&self) -> bool {
        matches!(self, Piece::Stencil(stencil) if stencil.passes)
    }
}

/// Length of a jump to a handler.
pub(crate) const JUMP_BYTES: usize = 13;
/// A jump within the code, and its length.
const NEAR_JUMP: u8 = 0xe9;
const NEAR_JUMP_BYTES: usize = 5;
/// Functions start at multiples of this number of bytes.
const ENTRY_ALIGNMENT: usize = 16;
const NOP: u8 = 0x90;
/// `add rsp, 8`, before a function's entry.
const CALLED: [u8; 4] = [0x48, 0x83, 0xc4, 0x08];

/// Places words in low memory, followed by their machine code; `None` if that is impossible on this system.
///
/// # Errors
/// [`NoRoom`] if it would be possible with more memory.
pub(crate) fn place(unplaced: &Unplaced<'_>) -> Result<Option<Placed>, NoRoom> {
    if !is_enabled() {
        return Ok(None);
    }
    let Some(plan) = plan(unplaced) else {
        return Ok(None);
    };
    let code_start = plan.code_start();
    let bytes = (code_start + plan.size).next_multiple_of(page_bytes());
    let Some(area) = room(CodeArea::new(bytes, Place::Low2GiB))? else {
        return Ok(None);
    };
    // SAFETY: the area is fresh; nothing runs in it.
    if room(unsafe { area.unseal(0..bytes) })?.is_none() {
        return Ok(None);
    }
    if plan.write(unplaced, &area).is_none() {
        return Ok(None);
    }
    // SAFETY: the area contains complete, patched stencils and jumps, and nobody writes to them any more.
    if plan.size > 0 && room(unsafe { area.seal(code_start..bytes) })?.is_none() {
        return Ok(None);
    }
    let placed = Placed {
        area,
        words: unplaced.words.len(),
        code: plan.size,
    };
    placed.count(1);
    Ok(Some(placed))
}

/// The machine code planned for the instructions of a module.
struct Plan {
    /// The addresses of the cells for slow paths.
    slow_paths: Vec<usize>,
    /// All instructions, in order.
    all: Pieces,
    /// The copies of those that rely on a straight way.
    copies: Pieces,
    /// Jumps from the ends of copies: their offsets, and the instructions that they go to.
    ends: Vec<(usize, usize)>,
    /// For each word, whether a function's first instruction begins there.
    entries: Vec<bool>,
    words: usize,
    /// Size of the machine code in bytes.
    size: usize,
}

/// Instructions and their pieces.
#[derive(Default)]
struct Pieces {
    pieces: Vec<Piece>,
    /// The offset of each piece's cold code.
    cold: Vec<usize>,
    instructions: Vec<Planned>,
}

/// An instruction: its number, the index of its first piece, and the offset of that piece in the code.
#[derive(Clone, Copy)]
struct Planned {
    number: usize,
    first: usize,
    offset: usize,
}

impl Pieces {
    /// Gives room to the cold code of all pieces that have none yet.
    fn place_cold(&mut self, size: &mut usize) {
        for piece in &self.pieces[self.cold.len()..] {
            self.cold.push(*size);
            *size += piece.cold_bytes();
        }
    }

    /// The instructions with the range of their pieces.
    fn ranges(&self) -> impl Iterator<Item = (&Planned, Range<usize>)> {
        let ends = self.instructions.iter().skip(1).map(|next| next.first);
        let ends = ends.chain(std::iter::once(self.pieces.len()));
        let begins = self.instructions.iter();
        begins
            .zip(ends)
            .map(|(planned, end)| (planned, planned.first..end))
    }
}

/// Chooses the pieces of each instruction; `None` if there are no cells.
fn plan(unplaced: &Unplaced<'_>) -> Option<Plan> {
    let mut cells = CELLS_OF_HANDLERS
        .as_ref()?
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    let slow_paths: Vec<usize> = SLOW_PATHS
        .iter()
        .map(|&handler| cells.cell(handler as usize))
        .collect::<Option<_>>()?;
    let Unplaced {
        words,
        starts,
        known,
        labels,
    } = *unplaced;
    let mut is_label = vec![false; words.len()];
    let mut entries = vec![false; words.len()];
    for &(position, _) in labels {
        is_label[position as usize] = true;
    }

    let function_clause = slow::exceptions::function_clause.handler as usize as u64;
    let mut plan = Plan {
        slow_paths,
        all: Pieces::default(),
        copies: Pieces::default(),
        ends: Vec::new(),
        entries: Vec::new(),
        words: words.len(),
        size: 0,
    };
    plan.all.pieces.reserve(starts.len());
    plan.all.instructions.reserve(starts.len());
    // Without what is known.
    let mut plain = |pieces: &mut Vec<Piece>, start: usize| -> Option<()> {
        if !expand(words, &is_label, start, pieces) {
            pieces.push(match stencil(words, &is_label, start) {
                Some(stencil) => Piece::Stencil(stencil),
                None => Piece::Jump(cells.cell(words[start] as usize)?),
            });
        }
        Some(())
    };
    let mut way = Way::default();
    // The instructions that need copies, which are not placed yet.
    let mut to_copy: Vec<Range<usize>> = Vec::new();
    for (number, &start) in starts.iter().enumerate() {
        let start = start as usize;
        let is_function = words[start] == function_clause;
        let is_entry = number > 0 && words[starts[number - 1] as usize] == function_clause;
        // A function's cold code and copies come behind it, where nothing falls through.
        let falls_through = plan.all.pieces.last().is_some_and(Piece::falls_through);
        if (is_function || is_entry) && !falls_through {
            to_copy.extend(way.end());
            plan.place_behind(starts, &mut to_copy, &mut plain)?;
        }
        if is_entry {
            plan.size = (plan.size + CALLED.len()).next_multiple_of(ENTRY_ALIGNMENT);
            entries[start] = true;
        }
        if known[number].way != way.number || is_entry {
            to_copy.extend(way.end());
            way = Way::new(known[number].way);
        }
        let first = plan.all.pieces.len();
        plan.all.instructions.push(Planned {
            number,
            first,
            offset: plan.size,
        });
        let passed = plan.all.pieces.last().is_some_and(Piece::passes);
        match way.stencil(&known[number], passed, words, &is_label, start) {
            Some(stencil) => plan.all.pieces.push(Piece::Stencil(stencil)),
            None => plain(&mut plan.all.pieces, start)?,
        }
        way.next(number, known[number].makes);
        let pieces = plan.all.pieces[first..].iter();
        let bytes = pieces.map(Piece::bytes).sum::<usize>();
        plan.size += if is_entry {
            bytes.max(DETOUR_BYTES)
        } else {
            bytes
        };
    }
    // Nothing falls through at the end of a module either: its last instruction is no stencil.
    to_copy.extend(way.end());
    plan.place_behind(starts, &mut to_copy, &mut plain)?;
    plan.entries = entries;
    Some(plan)
}

/// A straight way that is being planned.
#[derive(Default)]
struct Way {
    number: u32,
    /// The first instruction that needs a copy if one behind it does: the one after the first that makes something known.
    first: Option<usize>,
    /// Whether the instruction planned last relies on the way, and the number of the last one that does.
    relies: bool,
    last: Option<usize>,
}

impl Way {
    fn new(number: u32) -> Way {
        Way {
            number,
            ..Way::default()
        }
    }

    /// The stencil for an instruction of which more is known, if there is one that it fits.
    fn stencil(
        &mut self,
        known: &Known,
        passed: bool,
        words: &[u64],
        is_label: &[bool],
        start: usize,
    ) -> Option<&'static Stencil> {
        use Knowledge::{Nothing, Passed, Small};
        self.relies = false;
        if known.sources == [Nothing; 2] {
            return None;
        }
        // What may be used, the best first.
        let choices = |index: usize| -> &[Knowledge] {
            match known.sources[index] {
                Passed if passed && self.first.is_some() => &[Passed, Small, Nothing],
                Passed | Small if known.sure[index] || self.first.is_some() => &[Small, Nothing],
                _ => &[Nothing],
            }
        };
        for &a in choices(0) {
            for &b in choices(1) {
                if (a, b) == (Nothing, Nothing) {
                    return None;
                }
                let Some(&row) = KNOWN_ROWS.get(&key(words[start] as usize, [a, b])) else {
                    continue;
                };
                let stencil = fitting_of(
                    &tables::NARROW_KNOWN[row],
                    &tables::WIDE_KNOWN[row],
                    |operand| {
                        let place = start + 1 + operand;
                        (words[place], is_label[place])
                    },
                );
                if stencil.is_some() {
                    let relies =
                        |used: Knowledge, sure: bool| used == Passed || used == Small && !sure;
                    self.relies = relies(a, known.sure[0]) || relies(b, known.sure[1]);
                    return stencil;
                }
            }
        }
        None
    }

    /// An instruction of the way was planned.
    fn next(&mut self, number: usize, makes: bool) {
        if self.relies {
            self.last = Some(number);
        }
        if makes && self.first.is_none() {
            self.first = Some(number + 1);
        }
    }

    /// The instructions that need copies.
    fn end(&mut self) -> Option<Range<usize>> {
        let (first, last) = (self.first?, self.last.take()?);
        Some(first..last + 1)
    }
}

impl Plan {
    /// Places what comes behind a function: cold code, and copies.
    fn place_behind(
        &mut self,
        starts: &[u32],
        to_copy: &mut Vec<Range<usize>>,
        plain: &mut impl FnMut(&mut Vec<Piece>, usize) -> Option<()>,
    ) -> Option<()> {
        self.all.place_cold(&mut self.size);
        for range in to_copy.drain(..) {
            let end = range.end;
            for number in range {
                let first = self.copies.pieces.len();
                self.copies.instructions.push(Planned {
                    number,
                    first,
                    offset: self.size,
                });
                plain(&mut self.copies.pieces, starts[number] as usize)?;
                let pieces = self.copies.pieces[first..].iter();
                self.size += pieces.map(Piece::bytes).sum::<usize>();
            }
            self.ends.push((self.size, end));
            self.size += NEAR_JUMP_BYTES;
        }
        self.copies.place_cold(&mut self.size);
        Some(())
    }

    /// The offset of the machine code in the area: the first page after the words.
    fn code_start(&self) -> usize {
        (self.words * 8).next_multiple_of(page_bytes())
    }

    /// Writes words and code into a writable area; `None` if a value does not fit its hole.
    fn write(&self, unplaced: &Unplaced<'_>, area: &CodeArea) -> Option<()> {
        let Unplaced {
            words,
            starts,
            labels,
            ..
        } = *unplaced;
        let base = area.base().as_ptr();
        let code_start = self.code_start();
        // SAFETY: the area has room for the words and, from the next page on, for the code; nobody else accesses it
        // yet.
        let (placed, code) = unsafe {
            let placed = std::slice::from_raw_parts_mut(base.cast::<u64>(), words.len());
            placed.copy_from_slice(words);
            let code = std::slice::from_raw_parts_mut(base.add(code_start), self.size);
            (placed, code)
        };
        let (words_at, code_at) = (base as usize, base as usize + code_start);
        for &(position, target) in labels {
            placed[position as usize] = (words_at + target as usize * 8) as u64;
        }
        // The words of what has a copy lead there.
        for planned in self
            .all
            .instructions
            .iter()
            .chain(&self.copies.instructions)
        {
            placed[starts[planned.number] as usize] = (code_at + planned.offset) as u64;
        }
        for (planned, pieces) in self.all.ranges() {
            if matches!(self.all.pieces[pieces.start], Piece::Stencil(_)) {
                point_to_code(words, placed, words_at, starts[planned.number] as usize);
            }
        }
        code.fill(NOP);
        for part in [&self.all, &self.copies] {
            for (planned, pieces) in part.ranges() {
                let start = starts[planned.number] as usize;
                let patch = Patch {
                    words: placed,
                    words_at,
                    start,
                    code_at,
                    slow_paths: &self.slow_paths,
                    entries: &self.entries,
                };
                let mut offset = planned.offset;
                if self.entries[start] {
                    code[..offset]
                        .last_chunk_mut()
                        .map(|before| *before = CALLED)?;
                }
                for (piece, &cold) in part.pieces[pieces.clone()].iter().zip(&part.cold[pieces]) {
                    let place = PieceAt { hot: offset, cold };
                    match *piece {
                        Piece::Stencil(stencil) => patch.stencil(stencil, None, code, place)?,
                        Piece::Part(part) => {
                            patch.stencil(part.stencil, Some(&part), code, place)?
                        }
                        Piece::Jump(cell) => {
                            let record = (words_at + start * 8) as u32;
                            let jump = jump(record, cell as u32);
                            code[offset..][..JUMP_BYTES].copy_from_slice(&jump);
                        }
                    }
                    offset += piece.bytes();
                }
            }
        }
        for &(offset, number) in &self.ends {
            let target = self.all.instructions.get(number)?.offset;
            let distance = target as i64 - (offset + NEAR_JUMP_BYTES) as i64;
            let jump = &mut code[offset..][..NEAR_JUMP_BYTES];
            jump[0] = NEAR_JUMP;
            jump[1..].copy_from_slice(&i32::try_from(distance).ok()?.to_le_bytes());
        }
        Some(())
    }
}

/// The handlers of jump tables, each with the one that runs it when its labels are addresses of machine code.
static JUMP_TABLES: LazyLock<[(u64, u64); 2]> = LazyLock::new(|| {
    [Operand::x(0), Operand::y(0)].map(|term| {
        let handlers = (
            select::JumpTable::pick([term]),
            select::JumpTableOverCode::pick([term]),
        );
        (handlers.0 as usize as u64, handlers.1 as usize as u64)
    })
});

/// If this is the handler of a jump table, the one for labels in machine code.
fn over_code(handler: u64) -> Option<u64> {
    let mut tables = JUMP_TABLES.iter();
    tables
        .find(|(table, _)| *table == handler)
        .map(|&(_, over_code)| over_code)
}

/// The word of the first label of the jump table that begins at `start`.
fn first_label(start: usize) -> usize {
    start + 1 + encoding::JumpTable::OPERANDS.end.index()
}

/// Makes the labels of a jump table the addresses of machine code, which its stencil jumps to, if the instruction at
/// `start` is one. `placed` are the words with labels and handlers replaced.
fn point_to_code(words: &[u64], placed: &mut [u64], words_at: usize, start: usize) {
    if over_code(words[start]).is_none() {
        return;
    }
    let first = first_label(start);
    let count = words[start + 1 + encoding::JumpTable::OPERANDS.count.index()] as usize;
    for label in first..first + count {
        let target = (placed[label] as usize - words_at) / 8;
        placed[label] = placed[target];
    }
}

/// A jump to the handler in a cell; the handler runs the instruction at `record`.
fn jump(record: u32, cell: u32) -> [u8; JUMP_BYTES] {
    let mut code = [0x41, 0xb9, 0, 0, 0, 0, 0xff, 0x24, 0x25, 0, 0, 0, 0];
    code[2..6].copy_from_slice(&record.to_le_bytes());
    code[9..13].copy_from_slice(&cell.to_le_bytes());
    code
}

/// Code that runs the threaded instruction at an address anywhere in memory.
pub(crate) fn jump_to_instruction(address: u64) -> [u8; JUMP_BYTES] {
    let mut code = [0x49, 0xb9, 0, 0, 0, 0, 0, 0, 0, 0, 0x41, 0xff, 0x21];
    code[2..10].copy_from_slice(&address.to_le_bytes());
    code
}

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

/// An instruction whose machine code is being written.
struct Patch<'a> {
    /// The words after patching, with the handlers already replaced.
    words: &'a [u64],
    words_at: usize,
    start: usize,
    code_at: usize,
    slow_paths: &'a [usize],
    entries: &'a [bool],
}

/// The offsets of a piece in the machine code.
#[derive(Clone, Copy)]
struct PieceAt {
    hot: usize,
    cold: usize,
}

impl Patch<'_> {
    /// Copies a stencil to its places in the machine code `all`, and patches its holes.
    fn stencil(
        &self,
        stencil: &Stencil,
        part: Option<&Part>,
        all: &mut [u8],
        place: PieceAt,
    ) -> Option<()> {
        let next = place.hot + stencil.hot.bytes.len();
        for (code, offset) in [(&stencil.hot, place.hot), (&stencil.cold, place.cold)] {
            let copy = &mut all[offset..][..code.bytes.len()];
            copy.copy_from_slice(code.bytes);
            for relocation in code.relocations {
                let value = match relocation.symbol {
                    Symbol::Continue => (self.code_at + next) as u64,
                    Symbol::Cold => (self.code_at + place.cold) as u64,
                    symbol => match ahead(symbol, part) {
                        Some(bytes) => (self.code_at + place.hot + bytes) as u64,
                        None => self.value(symbol, part)?,
                    },
                };
                let value = (value as i64).wrapping_add(relocation.addend);
                let at = relocation.offset as usize;
                let bytes = match relocation.kind {
                    PatchKind::Zero => u32::try_from(value).ok()?.to_le_bytes(),
                    PatchKind::Sign => i32::try_from(value).ok()?.to_le_bytes(),
                    PatchKind::Relative => {
                        let here = (self.code_at + offset + at) as i64;
                        i32::try_from(value - here).ok()?.to_le_bytes()
                    }
                    PatchKind::Byte => {
                        copy[at..=at].copy_from_slice(&i8::try_from(value).ok()?.to_le_bytes());
                        continue;
                    }
                };
                copy[at..at + 4].copy_from_slice(&bytes);
            }
        }
        Some(())
    }

    /// The value of a symbol that does not depend on the place of the code.
    fn value(&self, symbol: Symbol, part: Option<&Part>) -> Option<u64> {
        let operand = |number: u8| match part.map(|part| part.operands[usize::from(number)]) {
            None => self.operand(usize::from(number)),
            Some(PartOperand::Label(index)) => self.operand(index),
            Some(PartOperand::Number(value)) => value,
            // Not a value; `ahead` has found it.
            Some(PartOperand::Ahead(_)) => 0,
        };
        Some(match symbol {
            Symbol::Hole(number) => operand(number),
            Symbol::Target(number) => {
                let label = (operand(number) as usize).checked_sub(self.words_at)? / 8;
                *self.words.get(label)?
            }
            Symbol::Entry(number) => {
                let label = (operand(number) as usize).checked_sub(self.words_at)? / 8;
                if !*self.entries.get(label)? {
                    return None;
                }
                *self.words.get(label)? - CALLED.len() as u64
            }
            Symbol::Record => {
                // Shifted for a part, so that its first operand is where the words of an instruction have operand 0.
                let shift = part.map_or(0, |part| part.first);
                (self.words_at + (self.start + shift) * 8) as u64
            }
            Symbol::SlowPath(path) => self.slow_paths[path as usize] as u64,
            Symbol::Continue | Symbol::Cold => return None,
        })
    }

    fn operand(&self, index: usize) -> u64 {
        self.words[self.start + 1 + index]
    }
}

/// The distance from a part to the part that a symbol stands for, if it stands for one.
fn ahead(symbol: Symbol, part: Option<&Part>) -> Option<usize> {
    let Symbol::Target(number) = symbol else {
        return None;
    };
    match part?.operands[usize::from(number)] {
        PartOperand::Ahead(bytes) => Some(bytes),
        _ => None,
    }
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
