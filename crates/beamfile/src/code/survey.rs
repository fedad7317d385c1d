//! A look over the code of a module whose functions are decoded later, one by one, when they are first called.
//!
//! It accepts and refuses what [`decode`](super::decoder::decode) does, but keeps next to nothing, so that it takes
//! a third of the time: an operation is gone over with tables that say how large a number each kind of operand
//! may have. What they do not tell, and every operation that loading asks for, is decoded.

use spec::Opcode;
use spec::opcodes::{OperandKind, Status};

use super::decoder::{self, Decoder};
use super::{Code, Function, Operation};
use crate::container::ChunkId;
use crate::operand::{Operand, REGISTERS};
use crate::reader::Tag;
use crate::{BeamError, BeamFile};

/// All functions of the code, of whose operations there are only those that say something of the whole module: see
/// [`BeamFile::survey`]. [`Code::label`] knows none.
pub(super) fn survey(file: &BeamFile<'_>) -> Result<Code, BeamError> {
    match Survey::new(file).code() {
        Some(code) => Ok(code),
        // The decoder finds the error.
        None => decoder::decode(file),
    }
}

/// How an operation is looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// Its operands are gone over.
    Over,
    /// As `Over`; if its import is the first of this kind, it is decoded.
    Bif,
    Label,
    Line,
    FunctionInfo,
    End,
    /// It is decoded.
    Decoded,
}

/// The most operands that an operation has.
const MOST_OPERANDS: usize = 8;
/// The most kinds of elements in a list that is gone over.
const MOST_ELEMENTS: usize = 2;

/// An opcode's row, in numbers.
#[derive(Clone, Copy)]
struct Row {
    way: Way,
    count: u8,
    kinds: [u8; MOST_OPERANDS],
    /// The kinds of the elements of its list, if it has one.
    elements: [u8; MOST_ELEMENTS],
    element_count: u8,
}

macro_rules! kinds {
    ($($kind:ident)*) => {
        /// The kinds in the order of their places in a table of [`Bounds`]; lists have no place.
        const KINDS: &[OperandKind] = &[$(OperandKind::$kind),*];

        const fn is_same(one: OperandKind, other: OperandKind) -> bool {
            matches!((one, other), $((OperandKind::$kind, OperandKind::$kind))|*)
        }
    };
}

kinds! {
    Source Constant Register Dest Slot Float FloatOrSource Atom Number NewLabel Arity Registers NumberOrSource Alloc
    Label Fail LabelOrAtom Import Lambda LambdaOrAtom Line Any
}

const LIST: u8 = (KINDS.len() * TAGS) as u8;

static ROWS: [Row; 256] = rows();

const fn rows() -> [Row; 256] {
    let mut rows = [Row {
        way: Way::Decoded,
        count: 0,
        kinds: [0; MOST_OPERANDS],
        elements: [0; MOST_ELEMENTS],
        element_count: 0,
    }; 256];
    let mut number = 1;
    while number <= Opcode::MAX {
        if let Some(opcode) = Opcode::from_number(number) {
            rows[number as usize] = row(opcode);
        }
        number += 1;
    }
    rows
}

const fn row(opcode: Opcode) -> Row {
    let operands = opcode.operands();
    let mut row = Row {
        way: way(opcode),
        count: operands.len() as u8,
        kinds: [0; MOST_OPERANDS],
        elements: [0; MOST_ELEMENTS],
        element_count: 0,
    };
    let mut at = 0;
    while at < operands.len() {
        match operands[at].kind {
            OperandKind::List(kinds) => {
                row.kinds[at] = LIST;
                if kinds.len() > MOST_ELEMENTS {
                    row.way = Way::Decoded;
                } else {
                    row.element_count = kinds.len() as u8;
                    let mut element = 0;
                    while element < kinds.len() {
                        row.elements[element] = place(kinds[element]);
                        element += 1;
                    }
                }
            }
            kind => row.kinds[at] = place(kind),
        }
        at += 1;
    }
    row
}

const fn way(opcode: Opcode) -> Way {
    match opcode {
        Opcode::Label => Way::Label,
        Opcode::Line => Way::Line,
        Opcode::FuncInfo => Way::FunctionInfo,
        Opcode::IntCodeEnd => Way::End,
        _ if opcode.calls_guard_bif() => Way::Bif,
        // Strings, and lists that must make sense as a whole.
        Opcode::BsPutString
        | Opcode::BsMatchString
        | Opcode::BsCreateBin
        | Opcode::BsMatch
        | Opcode::UpdateRecord => Way::Decoded,
        // What loading asks for.
        Opcode::PutMapAssoc | Opcode::PutRecord | Opcode::OnLoad | Opcode::NifStart => Way::Decoded,
        _ if matches!(opcode.status(), Status::Removed(_)) => Way::Decoded,
        _ => Way::Over,
    }
}

/// Where the bounds of a kind begin in a table of them.
const fn place(kind: OperandKind) -> u8 {
    let mut place = 0;
    while place < KINDS.len() {
        if is_same(KINDS[place], kind) {
            return (place * TAGS) as u8;
        }
        place += 1;
    }
    panic!("every kind but a list has a place");
}

/// The numbers that an operand of a kind may have under a tag.
#[derive(Clone, Copy, Default)]
struct Bounds {
    first: u32,
    count: u32,
}

const TAGS: usize = 8;

/// Those of every kind and tag: the index is the kind's place plus the tag, which any byte is.
type Table = [Bounds; 256];

/// The bounds in a file. What is not within them is left to the decoder.
fn table(file: &BeamFile<'_>) -> Table {
    use OperandKind as Kind;
    let up_to = |count: usize| count.try_into().unwrap_or(u32::MAX);
    let labels = file.code_header.label_count;
    let lines = file
        .lines
        .as_ref()
        .map_or(u32::MAX, |lines| up_to(lines.locations.len()));
    let mut table = [Bounds::default(); 256];
    for &kind in KINDS {
        let place = usize::from(place(kind));
        let mut allow = |tag: Tag, first, count| {
            table[place + tag as usize] = Bounds { first, count };
        };
        let is_source = matches!(kind, Kind::Source | Kind::NumberOrSource | Kind::Any);
        let is_constant = is_source || kind == Kind::Constant;
        if is_source || matches!(kind, Kind::Register | Kind::Dest | Kind::FloatOrSource) {
            allow(Tag::X, 0, REGISTERS);
            allow(Tag::Y, 0, REGISTERS);
        }
        if kind == Kind::Slot {
            allow(Tag::Y, 0, REGISTERS);
        }
        if is_constant {
            allow(Tag::Integer, 0, u32::MAX);
            allow(Tag::Atom, 0, up_to(file.atoms.len()).saturating_add(1));
        }
        if matches!(kind, Kind::Atom | Kind::LabelOrAtom | Kind::LambdaOrAtom) {
            allow(Tag::Atom, 1, up_to(file.atoms.len()));
        }
        match kind {
            Kind::Number | Kind::NumberOrSource | Kind::Any | Kind::Alloc => {
                allow(Tag::Unsigned, 0, u32::MAX);
            }
            Kind::Arity => allow(Tag::Unsigned, 0, 256),
            Kind::Registers => allow(Tag::Unsigned, 0, REGISTERS + 1),
            Kind::Import => allow(Tag::Unsigned, 0, up_to(file.imports.len())),
            Kind::Lambda | Kind::LambdaOrAtom => {
                allow(Tag::Unsigned, 0, up_to(file.lambdas.len()));
            }
            Kind::Line => allow(Tag::Unsigned, 0, lines),
            _ => {}
        }
        match kind {
            Kind::Fail | Kind::Any => allow(Tag::Label, 0, labels),
            Kind::Label | Kind::LabelOrAtom => allow(Tag::Label, 1, labels.saturating_sub(1)),
            _ => {}
        }
    }
    table
}

/// What may begin a function: a label, and perhaps a line.
#[derive(Clone, Copy)]
struct Head {
    offset: u32,
    label: u32,
    line: Option<u32>,
}

struct Survey<'a> {
    file: &'a BeamFile<'a>,
    data: &'a [u8],
    at: usize,
    table: Table,
    /// Whether each label is defined; the decoder notes which are used.
    defined: Vec<bool>,
    /// Whether each import was seen in a call of a guard BIF.
    bifs: Vec<bool>,
    /// Decodes operations, and holds what is kept.
    decoder: Decoder<'a>,
}

impl<'a> Survey<'a> {
    fn new(file: &'a BeamFile<'a>) -> Survey<'a> {
        let labels = file.code_header.label_count as usize;
        Survey {
            file,
            data: file.chunk(ChunkId::CODE).unwrap_or_default(),
            at: file.code_header.start,
            table: table(file),
            defined: vec![false; labels],
            bifs: vec![false; file.imports.len()],
            decoder: Decoder::of_parts(file, vec![false; labels]),
        }
    }

    /// `None` if something is wrong, or too unusual for a look.
    fn code(mut self) -> Option<Code> {
        self.operations()?;
        let mut labels = self.decoder.used.iter().zip(&self.defined).skip(1);
        let are_defined = labels.all(|(used, defined)| !used || *defined);
        let functions = self.decoder.code.functions.len();
        let are_all = functions != 0 && functions == self.file.code_header.function_count as usize;
        (are_defined && are_all && self.has_entries()).then_some(self.decoder.code)
    }

    fn operations(&mut self) -> Option<()> {
        let most = self.file.code_header.max_opcode;
        // What came just before.
        let mut head: Option<Head> = None;
        loop {
            let offset = self.at;
            let number = *self.data.get(offset)?;
            if u32::from(number) > most {
                return None;
            }
            let row = &ROWS[usize::from(number)];
            let before = head.take();
            self.at += 1;
            match row.way {
                Way::Over if self.go_over(row).is_some() => {}
                Way::Bif if self.go_over(row).is_some() && self.is_known_bif(offset + 1, row) => {}
                Way::Over | Way::Bif | Way::Decoded => {
                    let operation = self.decode(offset)?;
                    self.keep(operation)?;
                }
                Way::Label => {
                    head = Some(Head {
                        offset: offset as u32,
                        label: self.label()?,
                        line: None,
                    });
                }
                Way::Line => {
                    let line = Some(self.operand(place(OperandKind::Line))?);
                    let label = before.filter(|before| before.line.is_none());
                    head = label.map(|label| Head { line, ..label });
                }
                Way::FunctionInfo => self.function(offset, before?)?,
                Way::End => {
                    self.decoder.code.end = offset as u32;
                    return Some(());
                }
            }
        }
    }

    /// A function begins, with its `func_info` at this offset.
    fn function(&mut self, offset: usize, head: Head) -> Option<()> {
        let is_first = self.decoder.code.functions.is_empty();
        if is_first && head.offset as usize != self.file.code_header.start {
            return None;
        }
        let info = self.decode(offset)?;
        let &[
            Operand::Atom(module),
            Operand::Atom(name),
            Operand::Number(arity),
        ] = self.decoder.code.operands(&info)
        else {
            return None;
        };
        let offset = self.at;
        if self.data.get(offset) != Some(&Opcode::Label.number()) {
            return None;
        }
        self.at += 1;
        let entry_label = self.label()?;
        let first = self.decoder.code.operations.len() as u32;
        self.decoder.code.functions.push(Function {
            module,
            name,
            arity: arity as u8,
            line: head.line.unwrap_or(0),
            info_label: head.label,
            entry_label,
            operations: first..first,
            offset: head.offset,
        });
        let entry = self.decode(offset)?;
        self.keep(entry)
    }

    /// Decodes the operation at an offset, and goes on behind it.
    fn decode(&mut self, offset: usize) -> Option<Operation> {
        self.decoder.reader.skip_to(offset);
        let operation = self.decoder.operation().ok()?;
        self.at = self.decoder.reader.offset();
        Some(operation)
    }

    /// Keeps an operation of the last function.
    fn keep(&mut self, operation: Operation) -> Option<()> {
        let code = &mut self.decoder.code;
        let function = code.functions.last_mut()?;
        code.operations.push(operation);
        function.operations.end = code.operations.len() as u32;
        Some(())
    }

    /// Goes over the operands of an operation.
    #[inline]
    fn go_over(&mut self, row: &Row) -> Option<()> {
        for &kind in &row.kinds[..usize::from(row.count)] {
            match kind {
                LIST => self.list(row)?,
                kind => {
                    self.operand(kind)?;
                }
            }
        }
        Some(())
    }

    fn list(&mut self, row: &Row) -> Option<()> {
        let is_long = self.data.get(self.at)? & 0x18 == 0x18;
        if is_long || self.number()? != (Tag::Extended, decoder::EXTENDED_LIST.into()) {
            return None;
        }
        let (Tag::Unsigned, len) = self.number()? else {
            return None;
        };
        let kinds = &row.elements[..usize::from(row.element_count)];
        if !len.is_multiple_of(u32::from(row.element_count)) {
            return None;
        }
        for _ in 0..len / u32::from(row.element_count) {
            for &kind in kinds {
                self.operand(kind)?;
            }
        }
        Some(())
    }

    /// Goes over an operand that is no list, and returns its number.
    #[inline]
    fn operand(&mut self, kind: u8) -> Option<u32> {
        let (tag, value) = self.number()?;
        let bounds = self.bounds(kind, tag);
        if value.wrapping_sub(bounds.first) < bounds.count {
            if tag == Tag::Label {
                self.decoder.used[value as usize] = true;
            }
            return Some(value);
        }
        match (tag, value) {
            (Tag::Extended, decoder::LITERAL) => self.literal(kind),
            (Tag::Extended, decoder::TYPED_REGISTER) => self.typed_register(kind),
            _ => None,
        }
    }

    fn literal(&mut self, kind: u8) -> Option<u32> {
        let is_allowed =
            self.allows(kind, Tag::Integer) || kind == place(OperandKind::FloatOrSource);
        let (Tag::Unsigned, value) = self.number()? else {
            return None;
        };
        (is_allowed && (value as usize) < self.file.literals.len()).then_some(value)
    }

    fn typed_register(&mut self, kind: u8) -> Option<u32> {
        let (tag @ (Tag::X | Tag::Y), register) = self.number()? else {
            return None;
        };
        let (Tag::Unsigned, type_index) = self.number()? else {
            return None;
        };
        let types = self.file.types.as_ref()?;
        let is_sound =
            self.allows(kind, tag) && register < REGISTERS && (type_index as usize) < types.len();
        is_sound.then_some(register)
    }

    fn allows(&self, kind: u8, tag: Tag) -> bool {
        self.bounds(kind, tag).count != 0
    }

    #[inline]
    fn bounds(&self, kind: u8, tag: Tag) -> Bounds {
        self.table[usize::from(kind | tag as u8)]
    }

    /// The number of a compact term; of an integer that takes more than two bytes, and is small, 0.
    #[inline]
    fn number(&mut self) -> Option<(Tag, u32)> {
        let first = *self.data.get(self.at)?;
        let tag = Tag::from_bits(first);
        self.at += 1;
        if first & 0x08 == 0 {
            return Some((tag, u32::from(first >> 4)));
        }
        if first & 0x10 == 0 {
            let second = *self.data.get(self.at)?;
            self.at += 1;
            return Some((tag, u32::from(first >> 5) << 8 | u32::from(second)));
        }
        let count = usize::from(first >> 5) + 2;
        let bytes = self.data.get(self.at..self.at + count)?;
        self.at += count;
        match tag {
            Tag::Integer if count < SMALL_BYTES => Some((tag, 0)),
            Tag::Integer => None,
            _ if count <= 4 => Some((
                tag,
                bytes
                    .iter()
                    .fold(0, |value, &byte| value << 8 | u32::from(byte)),
            )),
            _ => None,
        }
    }

    /// Whether the guard BIF of an operation, whose operands begin here, was called before; if not, it will have been.
    fn is_known_bif(&mut self, operands: usize, row: &Row) -> bool {
        let behind = std::mem::replace(&mut self.at, operands);
        let kinds = &row.kinds[..usize::from(row.count)];
        let import = kinds.iter().find_map(|kind| {
            let (_, value) = self.number()?;
            (*kind == place(OperandKind::Import)).then_some(value)
        });
        self.at = behind;
        let known = import.and_then(|import| self.bifs.get_mut(import as usize));
        known.is_some_and(|known| std::mem::replace(known, true))
    }

    /// The label that an operation defines.
    fn label(&mut self) -> Option<u32> {
        let (Tag::Unsigned, label) = self.number()? else {
            return None;
        };
        let is_defined = self
            .defined
            .get_mut(label as usize)
            .filter(|_| label != 0)?;
        (!std::mem::replace(is_defined, true)).then_some(label)
    }

    /// Whether the labels of exports, locals and lambdas are entries of functions with the same arity.
    fn has_entries(&self) -> bool {
        let functions = &self.decoder.code.functions;
        let mut entries: Vec<(u32, u8)> = functions
            .iter()
            .map(|function| (function.entry_label, function.arity))
            .collect();
        // The compiler's labels ascend.
        entries.sort_unstable();
        let exports = self.file.exports.iter().chain(&self.file.locals);
        let exports = exports.map(|export| (export.label, export.arity));
        let lambdas = self.file.lambdas.iter();
        let mut named = exports.chain(lambdas.map(|lambda| (lambda.label, lambda.arity)));
        named.all(|entry| entries.binary_search(&entry).is_ok())
    }
}

/// Integers of fewer bytes are small on this machine.
const SMALL_BYTES: usize = 8;
