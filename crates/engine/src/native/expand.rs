//! Instructions whose threaded form loops over its operands, and whose machine code does not have to: it is a sequence
//! of stencils of other operations, one for each operand. Called by the code generator's thread only.

use std::ops::Range;
use std::sync::LazyLock;

use layout::object::offset;
use layout::{Header, ObjectKind, Term};

use super::plan::Piece;
use super::{ByHandler, Stencil, fitting};
use crate::bodies::{calls, compare, maps, moves, records, select, tuples, type_tests};
use crate::encoding::{
    Allocation, At, CompareImmediate, CopyElement, Encoding, EndTuple, FunHead, InitYs, Jump,
    MakeFun, NewMap, NewRecord, OneY, PutElement, PutHeader, PutTuple, Select, SelectNode, Test,
    TestArity, Triple, UpdateRecord, WordSink,
};
use crate::form::Handler;
use crate::operand::Operand;
use crate::operation::{Operation, P, S};

/// Tuples with more elements, and funs with more free variables, are built by the loop.
const EXPANDED_ELEMENTS: usize = 32;

/// So many values are tested one after the other.
const LEAF_VALUES: usize = 4;

/// The instructions that are expanded, by what they do.
#[derive(Clone, Copy)]
enum Loop {
    Tuple,
    Triple,
    Few,
    Tree,
    Arity,
    Init,
    Fun,
    Map,
    Record,
    NativeRecord,
}

static LOOPS: LazyLock<ByHandler<Loop>> = LazyLock::new(|| {
    let handlers: [(Handler, Loop); 13] = [
        (calls::MakeFun::pick([]), Loop::Fun),
        (maps::NewMap::pick([]), Loop::Map),
        (records::NewRecord::pick([]), Loop::NativeRecord),
        (tuples::PutTuple::pick([]), Loop::Tuple),
        (tuples::UpdateRecord::pick([]), Loop::Record),
        (tuples::PutTuple3::pick([]), Loop::Triple),
        (select::SelectFew::pick([Operand::x(0)]), Loop::Few),
        (select::SelectFew::pick([Operand::y(0)]), Loop::Few),
        (select::SelectValue::pick([Operand::x(0)]), Loop::Tree),
        (select::SelectValue::pick([Operand::y(0)]), Loop::Tree),
        (select::SelectTupleArity::pick([Operand::x(0)]), Loop::Arity),
        (select::SelectTupleArity::pick([Operand::y(0)]), Loop::Arity),
        (moves::InitYs::pick([]), Loop::Init),
    ];
    handlers
        .map(|(handler, kind)| (handler as usize, kind))
        .into_iter()
        .collect()
});

/// A stencil of another handler, as a part of an instruction's machine code.
#[derive(Clone, Copy)]
pub(super) struct Part {
    pub(super) stencil: &'static Stencil,
    pub(super) operands: [PartOperand; 4],
    /// The operand of the instruction at whose place the part finds its first operand, if it reads that from the
    /// instruction's words.
    pub(super) first: usize,
}

/// An operand of a part.
#[derive(Clone, Copy)]
pub(super) enum PartOperand {
    Number(u64),
    /// The label in this operand word of the instruction.
    Label(usize),
    /// The machine code so many bytes behind the part's start, which another part begins.
    Ahead(usize),
}

/// Which operands of a part are in the instruction's words. Operands that do not fit into the machine code are read
/// there.
#[derive(Clone, Copy)]
enum InWords {
    None,
    /// The first operand is this one of the instruction.
    First(usize),
    /// All operands have the same positions as in the instruction.
    All,
}

/// Splits an instruction that loops over its operands into one piece for each. Returns false, and adds no piece, if
/// it is not such an instruction or an operand fits no hole.
pub(super) fn expand(
    words: &[u64],
    is_label: &[bool],
    start: usize,
    pieces: &mut Vec<Piece>,
) -> bool {
    let Some(&kind) = LOOPS.get(&(words[start] as usize)) else {
        return false;
    };
    let before = pieces.len();
    let mut parts = Parts {
        words: &words[start + 1..],
        is_label: &is_label[start + 1..],
        pieces,
    };
    let done = match kind {
        Loop::Tuple => parts.tuple(),
        Loop::Triple => parts.triple(),
        Loop::Few => parts.few(),
        Loop::Tree => parts.tree(),
        Loop::Arity => parts.arity(),
        Loop::Init => parts.init(),
        Loop::Fun => parts.fun(),
        Loop::Map => parts.map(),
        Loop::Record => parts.record(),
        Loop::NativeRecord => parts.native_record(),
    };
    if done.is_none() {
        pieces.truncate(before);
    }
    done.is_some()
}

/// The parts of an instruction. All functions return `None` if it cannot be split.
struct Parts<'a> {
    /// From the first operand word of the instruction on.
    words: &'a [u64],
    is_label: &'a [bool],
    pieces: &'a mut Vec<Piece>,
}

impl Parts<'_> {
    fn word<T, const I: usize>(&self, _: At<T, I>) -> u64 {
        self.words[I]
    }

    fn operand(&self, index: usize) -> Operand {
        Operand::from_word(self.words[index])
    }

    /// Adds a part that runs the body of `O`. Its labels are positions in the instruction's words.
    fn add<O>(&mut self, in_words: InWords, operands: O::Encoding) -> Option<()>
    where
        O: Operation<Encoding: Encoding>,
    {
        let handler = O::handler(&operands).handler;
        let mut collected = Collected {
            operands: [PartOperand::Number(0); 4],
            count: 0,
        };
        operands.write(&mut collected);
        let operands = collected.operands;
        let stencil = fitting(handler as usize, |hole| match operands[hole] {
            PartOperand::Number(value) => (value, false),
            PartOperand::Label(index) => (self.words[index], self.is_label[index]),
            PartOperand::Ahead(_) => (0, true),
        })?;
        let (first, finds_its_words) = match in_words {
            InWords::None => (0, stencil.reads_no_words()),
            InWords::First(index) => (index, stencil.reads_first_operand_only()),
            InWords::All => (0, true),
        };
        if !finds_its_words {
            return None;
        }
        self.pieces.push(Piece::Part(Part {
            stencil,
            operands,
            first,
        }));
        Some(())
    }

    /// Writes a word at an offset from the heap top.
    fn put_word(&mut self, offset: u64, header: u64) -> Option<()> {
        self.add::<tuples::PutHeader>(InWords::None, PutHeader { offset, header })
    }

    /// Writes the value of the instruction's operand `index` at an offset from the heap top.
    fn put_operand(&mut self, offset: u64, index: usize) -> Option<()> {
        let element = self.operand(index);
        self.add::<tuples::PutElement>(InWords::First(index), PutElement { element, offset })
    }

    /// Completes an object of this size, and stores it in the instruction's operand `index`.
    fn end(&mut self, index: usize, bytes: u64) -> Option<()> {
        let dest = self.operand(index);
        self.add::<tuples::EndTuple>(InWords::First(index), EndTuple { dest, bytes })
    }

    fn tuple(&mut self) -> Option<()> {
        let o = PutTuple::OPERANDS;
        let header = self.word(o.header);
        let arity = (header >> 6) as usize;
        if arity > EXPANDED_ELEMENTS {
            return None;
        }
        self.put_word(0, header)?;
        for index in 0..arity {
            self.put_operand((1 + index as u64) * 8, o.end.index() + index)?;
        }
        self.end(o.dest.index(), (1 + arity as u64) * 8)
    }

    /// One piece for each element: a new one is written, the others are copied.
    fn record(&mut self) -> Option<()> {
        let o = UpdateRecord::OPERANDS;
        let header = self.word(o.header);
        let arity = header >> 6;
        if arity > EXPANDED_ELEMENTS as u64 {
            return None;
        }
        self.put_word(0, header)?;
        let mut next = o.end.index();
        let end = next + 2 * self.word(o.count) as usize;
        for place in 1..=arity {
            let is_new = next < end
                && self.operand(next).as_constant().and_then(Term::as_small) == Some(place as i64);
            if is_new {
                self.put_operand(place * 8, next + 1)?;
                next += 2;
            } else {
                let tuple = self.operand(o.tuple.index());
                let offset = tuples::element_offset(place - 1);
                let part = CopyElement { tuple, offset };
                self.add::<tuples::CopyElement>(InWords::First(o.tuple.index()), part)?;
            }
        }
        self.end(o.dest.index(), (1 + arity) * 8)
    }

    fn triple(&mut self) -> Option<()> {
        let o = Triple::OPERANDS;
        self.put_word(0, tuples::tuple_header(3))?;
        self.put_operand(8, o.a.index())?;
        self.put_operand(16, o.b.index())?;
        self.put_operand(24, o.c.index())?;
        self.end(o.dest.index(), 32)
    }

    /// A test for each value.
    fn few(&mut self) -> Option<()> {
        let count = self.word(Select::OPERANDS.count) as usize;
        self.linear(0..count)
    }

    /// Tests for these values, one after the other.
    fn linear(&mut self, values: Range<usize>) -> Option<()> {
        let o = Select::OPERANDS;
        for value in values {
            let (b, fail) = self.selected(value);
            let a = self.operand(o.term.index());
            let test = CompareImmediate { a, b, fail };
            self.add::<compare::IsNeImmediate>(InWords::None, test)?;
        }
        let label = o.fail.index() as u32;
        self.add::<type_tests::Jump>(InWords::None, Jump { label })
    }

    /// A value of a `Select`, and the operand that is its label.
    fn selected(&self, index: usize) -> (Term, u32) {
        let o = Select::OPERANDS;
        let value = o.end.index() + index;
        let label = value + self.word(o.count) as usize;
        // SAFETY: the code generator wrote a term there.
        (unsafe { Term::from_bits(self.words[value]) }, label as u32)
    }

    /// A binary search in which each comparison is code of its own, so that the processor learns the outcome of each.
    /// As a loop, it cost the parser of OTP a tenth of its time.
    fn tree(&mut self) -> Option<()> {
        let count = self.word(Select::OPERANDS.count) as usize;
        self.subtree(0..count)
    }

    fn subtree(&mut self, values: Range<usize>) -> Option<()> {
        if values.len() <= LEAF_VALUES {
            return self.linear(values);
        }
        let middle = values.start + values.len() / 2;
        let (value, equal) = self.selected(middle);
        let node = self.pieces.len();
        let term = self.operand(Select::OPERANDS.term.index());
        let less = equal;
        let parts = SelectNode {
            term,
            value,
            equal,
            less,
        };
        self.add::<select::SelectNode>(InWords::None, parts)?;
        self.subtree(middle + 1..values.end)?;
        let bytes = self.pieces[node..].iter().map(Piece::bytes).sum();
        if let Piece::Part(part) = &mut self.pieces[node] {
            part.operands[SelectNode::OPERANDS.less.index()] = PartOperand::Ahead(bytes);
        }
        self.subtree(values.start..middle)
    }

    /// A test for each header of a tuple.
    fn arity(&mut self) -> Option<()> {
        let o = Select::OPERANDS;
        let count = self.word(o.count) as usize;
        if count > select::LINEAR {
            return None;
        }
        let term = self.operand(o.term.index());
        let fail = o.fail.index() as u32;
        self.add::<select::IsBoxed>(InWords::None, Test { term, fail })?;
        for index in 0..count {
            let value = o.end.index() + index;
            let test = TestArity {
                tuple: term,
                header: self.words[value],
                fail: (value + count) as u32,
            };
            self.add::<select::SelectHeader>(InWords::None, test)?;
        }
        self.add::<type_tests::Jump>(InWords::None, Jump { label: fail })
    }

    fn init(&mut self) -> Option<()> {
        let o = InitYs::OPERANDS;
        for index in 0..self.word(o.count) as usize {
            let index = o.end.index() + index;
            let y = self.operand(index);
            self.add::<moves::InitY>(InWords::First(index), OneY { y })?;
        }
        Some(())
    }

    fn fun(&mut self) -> Option<()> {
        let o = MakeFun::OPERANDS;
        let shape = self.word(o.shape);
        let free = (shape >> 8) as usize;
        if free > EXPANDED_ELEMENTS {
            return None;
        }
        // The header is a number that fits, and the other operands are those of `MakeFun`.
        let head = FunHead {
            dest: self.operand(o.dest.index()),
            entry: self.word(o.entry),
            shape,
            header: Header::new(ObjectKind::Fun, offset::FUN_FREE + free).0,
        };
        self.add::<calls::FunHead>(InWords::All, head)?;
        let bytes = |words: usize| (1 + offset::FUN_FREE + words) as u64 * 8;
        for index in 0..free {
            self.put_operand(bytes(index), o.end.index() + index)?;
        }
        self.end(o.dest.index(), bytes(free))
    }

    fn map(&mut self) -> Option<()> {
        let o = NewMap::OPERANDS;
        let bytes = self.word(o.bytes);
        let pairs = (bytes / 8) as usize - 1 - offset::FLAT_MAP_VALUES;
        // After making room it runs the whole instruction again, since the words of a `NewMap` begin with those of an
        // `Allocation`.
        let live = self.word(o.live);
        self.add::<moves::TestHeap>(InWords::All, Allocation { bytes, live })?;
        let place = |word: usize| (1 + word) as u64 * 8;
        self.put_word(0, maps::flat_header(pairs))?;
        self.put_word(place(offset::MAP_SIZE), pairs as u64)?;
        // The keys precede the values, in the words as in the map.
        for index in 0..=pairs {
            let offset = place(offset::FLAT_MAP_KEYS + index);
            self.put_operand(offset, o.keys.index() + index)?;
        }
        self.end(o.dest.index(), bytes)
    }

    fn native_record(&mut self) -> Option<()> {
        let o = NewRecord::OPERANDS;
        let bytes = self.word(o.bytes);
        let fields = records::fields_of(bytes);
        if fields > EXPANDED_ELEMENTS {
            return None;
        }
        // As in a map, all of the instruction runs again after making room.
        let live = self.word(o.live);
        self.add::<moves::TestHeap>(InWords::All, Allocation { bytes, live })?;
        self.put_word(0, records::record_header(fields))?;
        // The definition precedes the values, in the words as in the record.
        for index in 0..=fields {
            let offset = (1 + offset::RECORD_DEFINITION + index) as u64 * 8;
            self.put_operand(offset, o.definition.index() + index)?;
        }
        self.end(o.dest.index(), bytes)
    }
}

/// The operand words of a part.
struct Collected {
    operands: [PartOperand; 4],
    count: usize,
}

impl Collected {
    fn push(&mut self, operand: PartOperand) {
        self.operands[self.count] = operand;
        self.count += 1;
    }
}

impl WordSink for Collected {
    fn word(&mut self, word: u64) {
        self.push(PartOperand::Number(word));
    }

    fn label(&mut self, label: u32) {
        self.push(PartOperand::Label(label as usize));
    }
}
