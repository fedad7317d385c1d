//! Copy and patch: machine code beside the words of a module.
//!
//! A module's words stay what they are, the threaded form: every code address (entry, label, return address) is that of
//! an instruction's words. Machine code only takes the place of dispatch: the handler word of each instruction is
//! replaced by the address of its own machine code, which runs it and falls into that of the next. So code may be
//! entered anywhere from anywhere, slow paths read the words of the instruction they serve, and what looks addresses up
//! knows nothing of machine code.
//!
//! For each instruction the stencil of its handler is copied and its holes are patched ([`Symbol`]). Where there is no
//! stencil, or an operand does not fit the hole, there is a jump to the handler:
//!
//! ```text
//! 41 b9 <words>        mov r9d, words
//! ff 24 25 <cell>      jmp [cell]
//! ```
//!
//! Words, machine code, and the cells that hold the addresses of handlers all lie below 2 GiB. Words are never
//! executable, machine code is never writable once it runs. Where there is no such memory, or no stencil for the
//! processor, code stays threaded. Any thread may call; cells are made under a lock.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{LazyLock, Mutex, PoisonError};

use sys::errno::Errno;
use sys::memory::code::{CodeArea, Place};
use sys::memory::page_bytes;

use layout::object::offset;
use layout::{Header, Kind as ObjectKind};

use crate::bodies::{
    arith, binaries, calls, compare, exceptions, floats, guards, lists, maps, messages, moves,
    select, tests, tuples,
};
use crate::breakpoints::DETOUR_BYTES;
use crate::form::{Handler, Threaded};
use crate::operand::{K, Operand, X, Y};
use crate::operation::{D, P, S, SD, SS, Sdd, Ssd, dest as dest_handler, plain, source};
use crate::slow;

/// The machine code of one operation.
pub struct Stencil {
    code: &'static [u8],
    relocations: &'static [Relocation],
}

impl Stencil {
    /// Whether all that it reads of its instruction's words is the first operand.
    fn reads_first_operand_only(&self) -> bool {
        self.relocations.iter().all(|relocation| {
            !matches!(relocation.symbol, Symbol::Record)
                || relocation.addend == 8 && relocation.kind != Kind::Relative
                || relocation.addend == 8 - 4 && relocation.kind == Kind::Relative
        })
    }
}

/// Four bytes to be patched.
pub struct Relocation {
    offset: u32,
    kind: Kind,
    addend: i64,
    symbol: Symbol,
}

/// What the four bytes are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A number that the processor extends with zeros.
    Zero,
    /// A number that it extends with its sign.
    Sign,
    /// A distance from their own address.
    Relative,
}

/// What a hole is filled with.
#[derive(Clone, Copy)]
pub enum Symbol {
    /// An operand word.
    Hole(u8),
    /// The machine code at the label in an operand word.
    Target(u8),
    /// The address of the instruction's words.
    Record,
    /// The machine code of the next instruction.
    Continue,
    /// The cell with the address of a slow path.
    Glue(Glue),
}

macro_rules! glue {
    ($($module:ident: $($name:ident)*;)*) => {
        /// The slow paths that stencils leave for.
        #[allow(non_camel_case_types)]
        #[derive(Clone, Copy, PartialEq, Eq)]
        pub enum Glue {
            $($($name,)*)*
        }

        const GLUE: &[Handler] = &[$($(slow::$module::$name,)*)*];
    };
}
for_each_glue!(glue);

/// The tables of stencils, made when the engine is built.
mod tables {
    #[allow(
        unused_imports,
        reason = "processors without stencils have empty tables"
    )]
    use super::{Kind, Relocation, Stencil, Symbol};

    include!(concat!(env!("OUT_DIR"), "/stencils.rs"));
}

/// The handlers that the rows of the tables stand for.
static HANDLERS: &[&[Handler]] = stencil_table!(Threaded);

/// The handlers that have stencils: the rows of `stencil_table.rs`, each with one for every combination of operands. For who
/// wants to know what a program uses.
#[must_use]
pub fn handlers() -> &'static [&'static [Handler]] {
    HANDLERS
}

/// A map by address of handler: the loader looks up several for every instruction.
type ByHandler<V> = HashMap<usize, V, BuildHasherDefault<AddressHasher>>;

/// Spreads addresses of functions, which differ little, over all bits.
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

/// By address of handler, the row of its stencil.
static ROWS: LazyLock<ByHandler<usize>> = LazyLock::new(|| {
    let handlers = HANDLERS.iter().flat_map(|list| list.iter());
    handlers
        .take(tables::NARROW.len())
        .enumerate()
        .map(|(row, &handler)| (handler as usize, row))
        .collect()
});

/// Words in low memory that hold addresses of handlers.
struct Cells {
    area: CodeArea,
    by_handler: ByHandler<usize>,
}

/// More handlers than there are.
const CELLS: usize = 4096;

static CELLS_OF_HANDLERS: LazyLock<Option<Mutex<Cells>>> = LazyLock::new(|| {
    let area = CodeArea::new(CELLS * 8, Place::Low2GiB).ok()?;
    // SAFETY: fresh; nothing in it is ever executed.
    unsafe { area.unseal(0..area.bytes()) }.ok()?;
    Some(Mutex::new(Cells {
        area,
        by_handler: ByHandler::default(),
    }))
});

impl Cells {
    /// The address of the cell that holds the address of a handler; `None` when there are too many.
    fn cell(&mut self, handler: usize) -> Option<usize> {
        if let Some(&cell) = self.by_handler.get(&handler) {
            return Some(cell);
        }
        let index = self.by_handler.len();
        if index == CELLS {
            return None;
        }
        // SAFETY: within the area, which is writable; nobody knows this cell yet.
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

/// Whether modules that are assembled from now on get machine code, where there is any; they do unless told otherwise.
pub fn set_enabled(enabled: bool) {
    ENABLED.store(enabled, Ordering::Relaxed);
}

/// Whether there are stencils for this processor, and they are enabled.
#[must_use]
pub fn is_enabled() -> bool {
    !tables::NARROW.is_empty() && ENABLED.load(Ordering::Relaxed)
}

/// Finds out whether machine code may run here at all: hardened systems give no executable memory.
///
/// # Errors
/// What the system answered. Then it is for the caller to say so, and to disable machine code.
pub fn check() -> sys::Result<()> {
    if !is_enabled() {
        return Ok(());
    }
    let area = CodeArea::new(page_bytes(), Place::Low2GiB)?;
    // SAFETY: fresh; nothing runs in it.
    unsafe { area.unseal(0..area.bytes()) }?;
    // SAFETY: as above; zeros that nobody runs.
    unsafe { area.seal(0..area.bytes()) }
}

/// There is no room for code any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoRoom;

/// For an error of the system: want of memory is want of room, anything else means that the module runs threaded.
fn room<T>(result: sys::Result<T>) -> Result<Option<T>, NoRoom> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(Errno::ENOMEM) => Err(NoRoom),
        Err(_) => Ok(None),
    }
}

/// Words, and the machine code behind them in the same area.
#[derive(Debug)]
pub struct Placed {
    area: CodeArea,
    words: usize,
    code: usize,
}

impl Placed {
    pub fn words(&self) -> &[u64] {
        // SAFETY: the area starts with that many words, written before it was made.
        unsafe { std::slice::from_raw_parts(self.area.base().as_ptr().cast::<u64>(), self.words) }
    }

    /// All machine code.
    pub fn all_code(&self) -> &[u8] {
        let code_start = (self.words * 8).next_multiple_of(page_bytes());
        // SAFETY: the machine code begins at the page behind the words, and is that long.
        unsafe { std::slice::from_raw_parts(self.area.base().as_ptr().add(code_start), self.code) }
    }

    /// The machine code from the instruction at word `start` to that at word `end`, or to the end.
    pub fn code_of(&self, start: u32, end: Option<u32>) -> &[u8] {
        let words = self.words();
        let all = self.all_code().as_ptr_range();
        let address = |word: u32| words[word as usize] as usize;
        let (from, to) = (address(start), end.map_or(all.end as usize, address));
        // SAFETY: the first words of instructions are addresses in the machine code, which rise with the words.
        unsafe { std::slice::from_raw_parts(from as *const u8, to - from) }
    }

    /// Makes the machine code writable while `body` changes it.
    ///
    /// # Errors
    /// [`NoRoom`] when the system does not allow that; then `body` did not run.
    ///
    /// # Safety
    /// No thread runs the code meanwhile, and what `body` leaves is code that may run.
    pub unsafe fn rewrite(&self, body: impl FnOnce()) -> Result<(), NoRoom> {
        let code_start = (self.words * 8).next_multiple_of(page_bytes());
        let part = code_start..(code_start + self.code).next_multiple_of(page_bytes());
        // SAFETY: the caller's promises.
        unsafe {
            self.area.unseal(part.clone()).map_err(|_| NoRoom)?;
            body();
            let sealed = self.area.seal(part);
            // Code that cannot run any more is the end of whoever runs it.
            sealed.expect("pages that were executable become executable again");
        }
        Ok(())
    }

    /// Bytes of machine code.
    pub fn code_bytes(&self) -> usize {
        self.code
    }
}

/// What an assembler hands over: words whose labels are not patched yet.
pub struct Unplaced<'a> {
    pub words: &'a [u64],
    /// Where instructions start, in order.
    pub starts: &'a [u32],
    /// Words that are to become the address of another word.
    pub labels: &'a [(u32, u32)],
}

/// A piece of machine code. An instruction has one, or a few where its threaded form is a loop over its operands
/// (`expand`).
#[derive(Clone, Copy)]
enum Piece {
    /// The handler's stencil.
    Stencil(&'static Stencil),
    /// The stencil of another handler, its operands taken from elsewhere.
    Part(&'static Stencil, [Fill; 4]),
    /// A jump to the handler in this cell.
    Jump(usize),
}

/// What an operand of a part is.
#[derive(Clone, Copy)]
enum Fill {
    /// An operand word of the instruction.
    Word(usize),
    /// A number.
    Number(u64),
}

impl Piece {
    fn bytes(&self) -> usize {
        match self {
            Piece::Stencil(stencil) | Piece::Part(stencil, _) => stencil.code.len(),
            Piece::Jump(_) => JUMP_BYTES,
        }
    }
}

/// Bytes of a jump to a handler.
pub(crate) const JUMP_BYTES: usize = 13;
/// Functions start at multiples of this.
const ENTRY_ALIGNMENT: usize = 16;
const NOP: u8 = 0x90;

/// Places words in low memory with machine code behind them; `None` when that is impossible here.
///
/// # Errors
/// [`NoRoom`], when it would be possible with more memory.
pub fn place(unplaced: &Unplaced<'_>) -> Result<Option<Placed>, NoRoom> {
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
    // SAFETY: fresh, nothing runs in it.
    if room(unsafe { area.unseal(0..bytes) })?.is_none() {
        return Ok(None);
    }
    if plan.write(unplaced, &area).is_none() {
        return Ok(None);
    }
    // SAFETY: whole stencils and jumps, patched; nobody writes to them any more.
    if plan.size > 0 && room(unsafe { area.seal(code_start..bytes) })?.is_none() {
        return Ok(None);
    }
    Ok(Some(Placed {
        area,
        words: unplaced.words.len(),
        code: plan.size,
    }))
}

/// What the instructions of a module become.
struct Plan {
    /// The addresses of the cells of slow paths.
    glue: Vec<usize>,
    pieces: Vec<Piece>,
    /// By instruction, its first piece, and where that begins in the code; the end closes the list.
    first_pieces: Vec<(usize, usize)>,
    words: usize,
    /// Bytes of machine code.
    size: usize,
}

/// Chooses the pieces of each instruction; `None` when there are no cells.
fn plan(unplaced: &Unplaced<'_>) -> Option<Plan> {
    let mut cells = CELLS_OF_HANDLERS
        .as_ref()?
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    let glue: Vec<usize> = GLUE
        .iter()
        .map(|&handler| cells.cell(handler as usize))
        .collect::<Option<_>>()?;
    let Unplaced {
        words,
        starts,
        labels,
    } = *unplaced;
    let mut is_label = vec![false; words.len()];
    for &(position, _) in labels {
        is_label[position as usize] = true;
    }

    let function_clause = slow::exceptions::function_clause as Handler as usize as u64;
    let mut pieces = Vec::with_capacity(starts.len());
    let mut first_pieces: Vec<(usize, usize)> = Vec::with_capacity(starts.len() + 1);
    let mut size = 0usize;
    for (index, &start) in starts.iter().enumerate() {
        let start = start as usize;
        let is_entry = index > 0 && words[starts[index - 1] as usize] == function_clause;
        if is_entry {
            size = size.next_multiple_of(ENTRY_ALIGNMENT);
        }
        first_pieces.push((pieces.len(), size));
        if !expand(words, &is_label, start, &mut pieces) {
            pieces.push(match stencil(words, &is_label, start) {
                Some(stencil) => Piece::Stencil(stencil),
                None => Piece::Jump(cells.cell(words[start] as usize)?),
            });
        }
        let (first, _) = first_pieces[index];
        let bytes = pieces[first..].iter().map(Piece::bytes).sum::<usize>();
        size += if is_entry {
            bytes.max(DETOUR_BYTES)
        } else {
            bytes
        };
    }
    first_pieces.push((pieces.len(), size));

    Some(Plan {
        glue,
        pieces,
        first_pieces,
        words: words.len(),
        size,
    })
}

impl Plan {
    /// Where machine code begins in the area: at the page behind the words.
    fn code_start(&self) -> usize {
        (self.words * 8).next_multiple_of(page_bytes())
    }

    /// Writes words and code into a writable area; `None` when something does not fit its hole.
    fn write(&self, unplaced: &Unplaced<'_>, area: &CodeArea) -> Option<()> {
        let Unplaced {
            words,
            starts,
            labels,
        } = *unplaced;
        let base = area.base().as_ptr();
        let code_start = self.code_start();
        // SAFETY: the area has room for the words and, from the next page on, for the code; nobody else knows it.
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
        for (&start, &(_, offset)) in starts.iter().zip(&self.first_pieces) {
            placed[start as usize] = (code_at + offset) as u64;
        }
        code.fill(NOP);
        for (&start, instruction) in starts.iter().zip(self.first_pieces.windows(2)) {
            let patch = Patch {
                words: placed,
                words_at,
                start: start as usize,
                code_at,
                glue: &self.glue,
            };
            let mut offset = instruction[0].1;
            for piece in &self.pieces[instruction[0].0..instruction[1].0] {
                let code = &mut code[offset..];
                match *piece {
                    Piece::Stencil(stencil) => patch.stencil(stencil, None, code, offset)?,
                    Piece::Part(stencil, fills) => {
                        patch.stencil(stencil, Some(fills), code, offset)?;
                    }
                    Piece::Jump(cell) => {
                        let record = (words_at + start as usize * 8) as u32;
                        code[..JUMP_BYTES].copy_from_slice(&jump(record, cell as u32));
                    }
                }
                offset += piece.bytes();
            }
        }
        Some(())
    }
}

/// A jump to the handler in a cell, on the instruction at `record`.
pub(crate) fn jump(record: u32, cell: u32) -> [u8; JUMP_BYTES] {
    let mut code = [0x41, 0xb9, 0, 0, 0, 0, 0xff, 0x24, 0x25, 0, 0, 0, 0];
    code[2..6].copy_from_slice(&record.to_le_bytes());
    code[9..13].copy_from_slice(&cell.to_le_bytes());
    code
}

/// The cell with the address of a handler; `None` where there are no cells.
pub(crate) fn cell_of(handler: Handler) -> Option<usize> {
    CELLS_OF_HANDLERS
        .as_ref()?
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .cell(handler as usize)
}

/// The stencil for the instruction at `start`, if its handler has one whose holes its operands fit.
fn stencil(words: &[u64], is_label: &[bool], start: usize) -> Option<&'static Stencil> {
    fitting(words[start] as usize, |operand| {
        let place = start + 1 + operand;
        (words[place], is_label[place])
    })
}

/// The stencil of a handler whose holes these operands fit; each operand is a word, or will be a label.
fn fitting(handler: usize, operand: impl Fn(usize) -> (u64, bool)) -> Option<&'static Stencil> {
    let row = *ROWS.get(&handler)?;
    let fits = |stencil: &&'static Stencil| {
        stencil.relocations.iter().all(|relocation| {
            let (number, is_target) = match relocation.symbol {
                Symbol::Hole(number) => (number, false),
                Symbol::Target(number) => (number, true),
                _ => return true,
            };
            let (word, is_label) = operand(usize::from(number));
            if is_label {
                // An address in the area, which every hole has room for.
                return true;
            }
            let value = (word as i64).wrapping_add(relocation.addend);
            !is_target
                && match relocation.kind {
                    Kind::Zero => u32::try_from(value).is_ok(),
                    Kind::Sign => i32::try_from(value).is_ok(),
                    Kind::Relative => false,
                }
        })
    };
    let narrow = tables::NARROW[row].as_ref().filter(fits);
    narrow.or_else(|| tables::WIDE[row].as_ref().filter(fits))
}

/// The instructions whose threaded form walks over operands, and whose machine code need not.
#[derive(Clone, Copy)]
enum Walk {
    /// `dest, header, element...`
    Tuple,
    /// `element, element, element, dest`
    Triple,
    /// `term, fail, count, value..., label...`
    Select,
    /// `count, dest...`
    Init,
    /// `dest, entry, arity | free << 8, free variable...`
    Fun,
    /// `bytes, live, dest, keys, value...`
    Map,
}

static WALKS: LazyLock<ByHandler<Walk>> = LazyLock::new(|| {
    let handlers: [(Handler, Walk); 7] = [
        (plain::<calls::MakeFun>(), Walk::Fun),
        (plain::<maps::NewMap>(), Walk::Map),
        (plain::<tuples::PutTuple>(), Walk::Tuple),
        (plain::<tuples::PutTuple3>(), Walk::Triple),
        (source::<select::SelectFew>(Operand::x(0)), Walk::Select),
        (source::<select::SelectFew>(Operand::y(0)), Walk::Select),
        (plain::<moves::InitYs>(), Walk::Init),
    ];
    handlers
        .map(|(handler, walk)| (handler as usize, walk))
        .into_iter()
        .collect()
});

/// Tuples of more elements are made by the loop.
const EXPANDED_ELEMENTS: usize = 32;

/// Takes an instruction that walks over its operands apart into pieces for each; false, and nothing done, if it is none
/// or has an operand that fits no hole.
fn expand(words: &[u64], is_label: &[bool], start: usize, pieces: &mut Vec<Piece>) -> bool {
    let Some(&walk) = WALKS.get(&(words[start] as usize)) else {
        return false;
    };
    let operand = |index: usize| words[start + 1 + index];
    let number = Fill::Number;
    let mut parts: Vec<(Handler, [Fill; 4])> = Vec::new();
    let mut tuple = |dest: usize, elements: Range<usize>, header: u64| {
        let bytes = (elements.len() as u64 + 1) * 8;
        parts.push((
            plain::<tuples::PutHeader>(),
            [number(0), number(header), number(0), number(0)],
        ));
        for (index, element) in elements.enumerate() {
            let handler = source::<tuples::PutElement>(Operand::from_word(operand(element)));
            let offset = number((index as u64 + 1) * 8);
            parts.push((handler, [Fill::Word(element), offset, number(0), number(0)]));
        }
        let handler = dest_handler::<tuples::EndTuple>(Operand::from_word(operand(dest)));
        parts.push((
            handler,
            [Fill::Word(dest), number(bytes), number(0), number(0)],
        ));
    };
    match walk {
        Walk::Tuple => {
            let arity = (operand(1) >> 6) as usize;
            if arity > EXPANDED_ELEMENTS {
                return false;
            }
            tuple(0, 2..2 + arity, operand(1));
        }
        Walk::Triple => tuple(3, 0..3, tuples::tuple_header(3)),
        Walk::Select => {
            let count = operand(2) as usize;
            let handler = source::<compare::IsNeImmediate>(Operand::from_word(operand(0)));
            for index in 0..count {
                let (value, label) = (Fill::Word(3 + index), Fill::Word(3 + count + index));
                parts.push((handler, [Fill::Word(0), value, label, number(0)]));
            }
            parts.push((
                plain::<tests::Jump>(),
                [Fill::Word(1), number(0), number(0), number(0)],
            ));
        }
        Walk::Fun => {
            let free = (operand(2) >> 8) as usize;
            if free > EXPANDED_ELEMENTS {
                return false;
            }
            // These operands stand where the words of the instruction have them, so it may read all of them there.
            parts.push((
                plain::<calls::FunHead>(),
                [
                    Fill::Word(0),
                    Fill::Word(1),
                    Fill::Word(2),
                    number(Header::new(ObjectKind::Fun, offset::FUN_FREE + free).0),
                ],
            ));
            for index in 0..free {
                let handler = source::<tuples::PutElement>(Operand::from_word(operand(3 + index)));
                let place = number((1 + offset::FUN_FREE + index) as u64 * 8);
                parts.push((
                    handler,
                    [Fill::Word(3 + index), place, number(0), number(0)],
                ));
            }
            let bytes = (1 + offset::FUN_FREE + free) as u64 * 8;
            let handler = dest_handler::<tuples::EndTuple>(Operand::from_word(operand(0)));
            parts.push((
                handler,
                [Fill::Word(0), number(bytes), number(0), number(0)],
            ));
        }
        Walk::Map => {
            let pairs = (operand(0) / 8) as usize - 1 - offset::FLAT_MAP_VALUES;
            let word = |index: usize| number((1 + index) as u64 * 8);
            // Runs the whole instruction again when it has made room, whose words begin as its own do.
            parts.push((
                plain::<moves::TestHeap>(),
                [Fill::Word(0), Fill::Word(1), Fill::Word(2), number(0)],
            ));
            let raw = [
                (number(0), maps::flat_header(pairs)),
                (word(offset::MAP_SIZE), pairs as u64),
            ];
            for (place, value) in raw {
                parts.push((
                    plain::<tuples::PutHeader>(),
                    [place, number(value), number(0), number(0)],
                ));
            }
            for index in 0..=pairs {
                // The keys stand before the values in the words as in the map.
                let handler = source::<tuples::PutElement>(Operand::from_word(operand(3 + index)));
                let place = word(offset::FLAT_MAP_KEYS + index);
                parts.push((
                    handler,
                    [Fill::Word(3 + index), place, number(0), number(0)],
                ));
            }
            let handler = dest_handler::<tuples::EndTuple>(Operand::from_word(operand(2)));
            parts.push((
                handler,
                [Fill::Word(2), number(operand(0)), number(0), number(0)],
            ));
        }
        Walk::Init => {
            for index in 0..operand(0) as usize {
                let handler = plain::<moves::InitY>();
                parts.push((
                    handler,
                    [Fill::Word(1 + index), number(0), number(0), number(0)],
                ));
            }
        }
    }
    let first = pieces.len();
    for (handler, fills) in parts {
        let fitting = fitting(handler as usize, |hole| match fills[hole] {
            Fill::Word(index) => (operand(index), is_label[start + 1 + index]),
            Fill::Number(value) => (value, false),
        });
        // A constant that is read from the words is the first operand, or the part cannot find it.
        let in_place = matches!(fills[..3], [Fill::Word(0), Fill::Word(1), Fill::Word(2)]);
        let Some(stencil) =
            fitting.filter(|stencil| in_place || stencil.reads_first_operand_only())
        else {
            pieces.truncate(first);
            return false;
        };
        pieces.push(Piece::Part(stencil, fills));
    }
    true
}

/// An instruction that is being patched.
struct Patch<'a> {
    /// Patched words, handlers already replaced.
    words: &'a [u64],
    words_at: usize,
    start: usize,
    code_at: usize,
    glue: &'a [usize],
}

impl Patch<'_> {
    /// Copies a stencil to the front of `code`, which is `offset` bytes into the code.
    fn stencil(
        &self,
        stencil: &Stencil,
        fills: Option<[Fill; 4]>,
        code: &mut [u8],
        offset: usize,
    ) -> Option<()> {
        let operand = |number: u8| match fills.map(|fills| fills[usize::from(number)]) {
            None => self.operand(usize::from(number)),
            Some(Fill::Word(index)) => self.operand(index),
            Some(Fill::Number(value)) => value,
        };
        let length = stencil.code.len();
        code[..length].copy_from_slice(stencil.code);
        for relocation in stencil.relocations {
            let at = relocation.offset as usize;
            let value = match relocation.symbol {
                Symbol::Hole(number) => operand(number),
                Symbol::Target(number) => {
                    let label = (operand(number) as usize).checked_sub(self.words_at)? / 8;
                    *self.words.get(label)?
                }
                Symbol::Record => {
                    // A part finds its first operand where the words of an instruction would have it.
                    let shift = match fills {
                        Some([Fill::Word(index), ..]) => index,
                        _ => 0,
                    };
                    (self.words_at + (self.start + shift) * 8) as u64
                }
                Symbol::Continue => (self.code_at + offset + length) as u64,
                Symbol::Glue(glue) => self.glue[glue as usize] as u64,
            };
            let value = (value as i64).wrapping_add(relocation.addend);
            let bytes = match relocation.kind {
                Kind::Zero => u32::try_from(value).ok()?.to_le_bytes(),
                Kind::Sign => i32::try_from(value).ok()?.to_le_bytes(),
                Kind::Relative => {
                    let here = (self.code_at + offset + at) as i64;
                    i32::try_from(value - here).ok()?.to_le_bytes()
                }
            };
            code[at..at + 4].copy_from_slice(&bytes);
        }
        Some(())
    }

    fn operand(&self, index: usize) -> u64 {
        self.words[self.start + 1 + index]
    }
}

#[cfg(test)]
mod tests_of_tables {
    use super::*;

    #[test]
    fn every_row_is_found_by_its_handler() {
        let rows: usize = HANDLERS.iter().map(|list| list.len()).sum();
        assert!(tables::NARROW.is_empty() || tables::NARROW.len() == rows);
        assert_eq!(tables::NARROW.len(), tables::WIDE.len());
        // Handlers with the same machine code may be one.
        assert!(
            ROWS.len() * 10 >= tables::NARROW.len() * 9,
            "{} of {rows}",
            ROWS.len()
        );
    }
}
