//! Writes planned machine code: copies stencils to their places and patches their holes.

use std::ops::Range;
use std::sync::LazyLock;

use super::expand::{Part, PartOperand};
use super::plan::{Piece, Plan};
use super::{CALLED, JUMP_BYTES, NEAR_JUMP_BYTES, PatchKind, Stencil, Symbol, Unplaced};
use crate::bodies::select;
use crate::encoding::{self, Encoding as _};
use crate::operand::Operand;
use crate::operation::S;

const NOP: u8 = 0x90;
/// A jump within the code.
const NEAR_JUMP: u8 = 0xe9;

/// Words that lead to machine code.
pub(super) struct Written {
    pub words: Vec<u64>,
    /// The places of those in tables of addresses of machine code.
    pub tables: Vec<u32>,
}

impl Plan {
    /// Writes machine code for words at an address into writable memory; `None` if a value does not fit its hole.
    pub(super) fn write(
        &self,
        unplaced: &Unplaced,
        words: &[u64],
        words_at: usize,
        code: &mut [u8],
    ) -> Option<Written> {
        let starts = &unplaced.starts;
        let code_at = code.as_ptr() as usize;
        let mut placed = words.to_vec();
        let mut tables = Vec::new();
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
                let table = table_at(words, starts[planned.number] as usize);
                for place in table.clone() {
                    let label = placed[place + table.len()] as usize;
                    placed[place] = placed[(label - words_at) / 8];
                }
                tables.extend(table.map(|place| place as u32));
            }
        }
        code.fill(NOP);
        for part in [&self.all, &self.copies] {
            for (planned, pieces) in part.ranges() {
                let start = starts[planned.number] as usize;
                let patch = Patch {
                    words: &placed,
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
        Some(Written {
            words: placed,
            tables,
        })
    }
}

/// The handlers of jump tables.
static JUMP_TABLES: LazyLock<[u64; 2]> = LazyLock::new(|| {
    [Operand::x(0), Operand::y(0)].map(|term| select::JumpTable::pick([term]) as usize as u64)
});

/// The places of the addresses of machine code, if the instruction at `start` has a table of them; its labels come
/// behind.
fn table_at(words: &[u64], start: usize) -> Range<usize> {
    if !JUMP_TABLES.contains(&words[start]) {
        return 0..0;
    }
    let operands = encoding::JumpTable::OPERANDS;
    let operand = |index: usize| start + 1 + index;
    let first = operand(operands.end.index());
    first..first + words[operand(operands.count.index())] as usize
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
