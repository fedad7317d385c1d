//! Which machine code each instruction has, and where it lies. See [`super`] and [`Known`].

use std::ops::Range;
use std::sync::PoisonError;

use super::expand::{Part, expand};
use super::{
    CALLED, CELLS_OF_HANDLERS, JUMP_BYTES, KNOWN_ROWS, Known, NEAR_JUMP_BYTES, SLOW_PATHS, Stencil,
    Unplaced, fitting_of, key, stencil, tables,
};
use crate::detour::DETOUR_BYTES;
use crate::operand::Knowledge;
use crate::slow;

/// Functions start at multiples of this number of bytes.
const ENTRY_ALIGNMENT: usize = 16;

/// A piece of machine code. An instruction has one piece, or several if its threaded form is a loop over its operands
/// ([`expand()`]).
#[derive(Clone, Copy)]
pub(super) enum Piece {
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
    pub(super) fn bytes(&self) -> usize {
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

/// The machine code planned for the instructions of a module.
pub(super) struct Plan {
    /// The addresses of the cells for slow paths.
    pub(super) slow_paths: Vec<usize>,
    /// All instructions, in order.
    pub(super) all: Pieces,
    /// The copies of those that rely on a straight way.
    pub(super) copies: Pieces,
    /// Jumps from the ends of copies: their offsets, and the instructions that they go to.
    pub(super) ends: Vec<(usize, usize)>,
    /// For each word, whether a function's first instruction begins there.
    pub(super) entries: Vec<bool>,
    /// Size of the machine code in bytes.
    pub(super) size: usize,
}

/// Instructions and their pieces.
#[derive(Default)]
pub(super) struct Pieces {
    pub(super) pieces: Vec<Piece>,
    /// The offset of each piece's cold code.
    pub(super) cold: Vec<usize>,
    pub(super) instructions: Vec<Planned>,
}

/// An instruction: its number, the index of its first piece, and the offset of that piece in the code.
#[derive(Clone, Copy)]
pub(super) struct Planned {
    pub(super) number: usize,
    first: usize,
    pub(super) offset: usize,
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
    pub(super) fn ranges(&self) -> impl Iterator<Item = (&Planned, Range<usize>)> {
        let ends = self.instructions.iter().skip(1).map(|next| next.first);
        let ends = ends.chain(std::iter::once(self.pieces.len()));
        let begins = self.instructions.iter();
        begins
            .zip(ends)
            .map(|(planned, end)| (planned, planned.first..end))
    }
}

/// Chooses the pieces of each instruction; `None` if there are no cells.
pub(super) fn plan(unplaced: &Unplaced, words: &[u64]) -> Option<Plan> {
    let mut cells = CELLS_OF_HANDLERS
        .as_ref()?
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    let slow_paths: Vec<usize> = SLOW_PATHS
        .iter()
        .map(|&handler| cells.cell(handler as usize))
        .collect::<Option<_>>()?;
    let Unplaced {
        starts,
        known,
        labels,
        ..
    } = unplaced;
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
        if known[number].begins_way || is_entry {
            to_copy.extend(way.end());
            way = Way::default();
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
    /// The first instruction that needs a copy if one behind it does: the one after the first that makes something
    /// known.
    first: Option<usize>,
    /// Whether the instruction planned last relies on the way, and the number of the last one that does.
    relies: bool,
    last: Option<usize>,
}

impl Way {
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
}
