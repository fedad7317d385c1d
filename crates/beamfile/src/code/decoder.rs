//! Decodes and validates the operations of a module, in three passes: operations one by one, then functions and the
//! definitions of labels, then the uses of labels.

use std::ops::Range;

use spec::Opcode;
use spec::opcodes::{OperandKind, Status};

use super::{Code, Function, LabelTarget, Operation};
use crate::commands::MatchCommand;
use crate::container::ChunkId;
use crate::operand::{Operand, REGISTERS, Span};
use crate::reader::{Number, Reader, Tag};
use crate::{BeamError, BeamFile, ErrorKind};

pub(super) fn decode(file: &BeamFile<'_>) -> Result<Code, BeamError> {
    let labels = file.code_header.label_count as usize;
    let mut decoder = Decoder::of_parts(file, vec![false; labels]);
    decoder.code.labels = vec![None; labels];
    let raw = decoder.operations()?;
    decoder.code.operations.reserve(raw.len());
    decoder.functions(&raw)?;
    decoder.label_uses()?;
    decoder.entries()?;
    Ok(decoder.code)
}

/// Decodes one function of code that was decoded before.
pub(super) fn decode_function(file: &BeamFile<'_>, extent: Range<u32>) -> Result<Code, BeamError> {
    let mut decoder = Decoder::of_parts(file, Vec::new());
    decoder.reader.skip_to(extent.start as usize);
    let mut raw = Vec::new();
    while decoder.reader.offset() < extent.end as usize {
        raw.push(decoder.operation()?);
    }
    decoder.body(&raw)?;
    Ok(decoder.code)
}

pub(super) struct Decoder<'a> {
    file: &'a BeamFile<'a>,
    pub(super) reader: Reader<'a>,
    pub(super) code: Code,
    /// The operands of the current operation. They are moved to the arena when it is complete; the elements of a list
    /// go to the arena at once.
    pending: Vec<Operand>,
    /// Whether each label of the file is used; of those beyond its end nothing is noted.
    pub(super) used: Vec<bool>,
}

impl<'a> Decoder<'a> {
    /// A decoder that notes the use of as many labels, and knows of none where it is.
    pub(super) fn of_parts(file: &'a BeamFile<'a>, used: Vec<bool>) -> Decoder<'a> {
        let data = file.chunk(ChunkId::CODE).unwrap_or_default();
        let mut reader = Reader::new(ChunkId::CODE, data);
        reader.skip_to(file.code_header.start);
        let code = Code {
            functions: Vec::new(),
            operations: Vec::new(),
            operands: Vec::new(),
            big_integers: Vec::new(),
            labels: Vec::new(),
            end: 0,
        };
        Decoder {
            file,
            reader,
            code,
            pending: Vec::new(),
            used,
        }
    }

    /// All operations before `int_code_end`, which is required; anything after it is ignored, as in OTP.
    fn operations(&mut self) -> Result<Vec<Operation>, BeamError> {
        // An operation takes some eight bytes, and has three operands or less.
        let bytes = self.reader.remaining();
        let mut operations = Vec::with_capacity(bytes / 6);
        self.code.operands.reserve(bytes / 2);
        loop {
            let operation = self.operation()?;
            if operation.opcode == Opcode::IntCodeEnd {
                self.code.end = operation.offset;
                return Ok(operations);
            }
            operations.push(operation);
        }
    }

    pub(super) fn operation(&mut self) -> Result<Operation, BeamError> {
        let offset = self.reader.offset();
        let number = self.reader.u8()?;
        let refuse = |reader: &Reader<'_>, kind| Err(reader.error_at(offset, kind));
        let Some(opcode) = Opcode::from_number(number) else {
            return refuse(&self.reader, ErrorKind::UnknownOpcode(number));
        };
        if matches!(opcode.status(), Status::Removed(_)) {
            return refuse(&self.reader, ErrorKind::ObsoleteOpcode(opcode));
        }
        if u32::from(number) > self.file.code_header.max_opcode {
            return refuse(&self.reader, ErrorKind::OpcodeAboveMaximum(opcode));
        }

        self.pending.clear();
        for (place, row) in opcode.operands().iter().enumerate() {
            let operand = match row.kind {
                OperandKind::List(kinds) => self.list(opcode, place, kinds)?,
                kind => self.operand(opcode, place, kind)?,
            };
            self.pending.push(operand);
        }
        let first = self.code.operands.len() as u32;
        self.code.operands.extend_from_slice(&self.pending);
        self.check_strings(opcode, offset)?;
        self.check_lists(opcode, offset)?;
        Ok(Operation {
            opcode,
            offset: offset as u32,
            first,
        })
    }

    /// Reads the operand at `place` of `opcode`, which must be of `kind`.
    fn operand(
        &mut self,
        opcode: Opcode,
        place: usize,
        kind: OperandKind,
    ) -> Result<Operand, BeamError> {
        let operand = match self.short_operand(kind) {
            Some(operand) => operand,
            None => self.long_operand(opcode, place, kind)?,
        };
        if let Operand::Label(label) = operand
            && let Some(used) = self.used.get_mut(label as usize)
        {
            *used = true;
        }
        Ok(operand)
    }

    /// As `operand`, for what is most often found: registers, constants and numbers in their shortest forms. `None` for
    /// everything else, also for what is wrong; then nothing was read.
    #[inline]
    fn short_operand(&mut self, kind: OperandKind) -> Option<Operand> {
        use OperandKind as Kind;
        let (tag, value, mut bytes) = self.reader.peek_short(0)?;
        let is_source = matches!(kind, Kind::Source | Kind::NumberOrSource | Kind::Any);
        let is_constant = is_source || kind == Kind::Constant;
        let is_register =
            is_source || matches!(kind, Kind::Register | Kind::Dest | Kind::FloatOrSource);
        let file = self.file;
        let below = |count: usize| (value as usize) < count;
        let operand = match tag {
            Tag::X if is_register && value < REGISTERS => Operand::X(value),
            Tag::Y if (is_register || kind == Kind::Slot) && value < REGISTERS => Operand::Y(value),
            Tag::Unsigned => match kind {
                Kind::Number | Kind::NumberOrSource | Kind::Any => Operand::Number(value.into()),
                Kind::Arity if value < 256 => Operand::Number(value.into()),
                Kind::Registers if value <= REGISTERS => Operand::Number(value.into()),
                Kind::NewLabel if value != 0 && value < file.code_header.label_count => {
                    Operand::Number(value.into())
                }
                Kind::Alloc => Operand::Alloc {
                    words: value,
                    floats: 0,
                    funs: 0,
                },
                Kind::Import if below(file.imports.len()) => Operand::Import(value),
                Kind::Lambda | Kind::LambdaOrAtom if below(file.lambdas.len()) => {
                    Operand::Lambda(value)
                }
                Kind::Line
                    if file
                        .lines
                        .as_ref()
                        .is_none_or(|lines| below(lines.locations.len())) =>
                {
                    Operand::Line(value)
                }
                _ => return None,
            },
            Tag::Integer if is_constant => Operand::Integer(value.into()),
            Tag::Atom if is_constant && value == 0 => Operand::Nil,
            Tag::Atom
                if value != 0
                    && value as usize <= file.atoms.len()
                    && (is_constant
                        || matches!(kind, Kind::Atom | Kind::LabelOrAtom | Kind::LambdaOrAtom)) =>
            {
                Operand::Atom(value - 1)
            }
            Tag::Label
                if value < file.code_header.label_count
                    && (matches!(kind, Kind::Fail | Kind::Any)
                        || value != 0 && matches!(kind, Kind::Label | Kind::LabelOrAtom)) =>
            {
                Operand::Label(value)
            }
            Tag::Extended if value == LITERAL && (is_constant || kind == Kind::FloatOrSource) => {
                let (tag, literal, more) = self.reader.peek_short(bytes)?;
                if tag != Tag::Unsigned || literal as usize >= file.literals.len() {
                    return None;
                }
                bytes += more;
                Operand::Literal(literal)
            }
            Tag::Extended if value == TYPED_REGISTER && is_register => {
                let (tag, register, more) = self.reader.peek_short(bytes)?;
                bytes += more;
                let (type_tag, type_index, more) = self.reader.peek_short(bytes)?;
                bytes += more;
                let types = file.types.as_ref()?;
                if type_tag != Tag::Unsigned
                    || type_index as usize >= types.len()
                    || register >= REGISTERS
                {
                    return None;
                }
                match tag {
                    Tag::X => Operand::TypedX {
                        register,
                        type_index,
                    },
                    Tag::Y => Operand::TypedY {
                        register,
                        type_index,
                    },
                    _ => return None,
                }
            }
            _ => return None,
        };
        self.reader.skip(bytes);
        Some(operand)
    }

    /// As `operand`, for all of them.
    #[inline(never)]
    fn long_operand(
        &mut self,
        opcode: Opcode,
        place: usize,
        kind: OperandKind,
    ) -> Result<Operand, BeamError> {
        let offset = self.reader.offset();
        let operand = self.any_operand()?;
        match self.convert(operand, kind, offset)? {
            Some(operand) => Ok(operand),
            None => Err(self.bad_operand(opcode, place, kind, offset)),
        }
    }

    fn bad_operand(
        &self,
        opcode: Opcode,
        place: usize,
        expected: OperandKind,
        offset: usize,
    ) -> BeamError {
        self.reader.error_at(
            offset,
            ErrorKind::BadOperand {
                opcode,
                operand: place as u8,
                expected,
            },
        )
    }

    /// `operand` converted to `kind`, or `None` if it is of another kind. Numbers that are indexes become index
    /// operands.
    fn convert(
        &self,
        operand: Operand,
        kind: OperandKind,
        offset: usize,
    ) -> Result<Option<Operand>, BeamError> {
        use Operand::*;
        let index = |what, value, count: usize| self.check(what, offset, value, 0..count as u64);
        let fits = match (kind, operand) {
            (OperandKind::NewLabel, Number(label)) => {
                self.check(
                    "label",
                    offset,
                    label,
                    1..u64::from(self.file.code_header.label_count),
                )?;
                true
            }
            (OperandKind::Arity, Number(arity)) => {
                self.check("arity", offset, arity, 0..256)?;
                true
            }
            (OperandKind::Registers, Number(count)) => {
                self.check(
                    "number of registers",
                    offset,
                    count,
                    0..u64::from(REGISTERS) + 1,
                )?;
                true
            }
            (OperandKind::Alloc, Number(words)) => {
                self.check("number of words", offset, words, 0..u64::from(u32::MAX))?;
                return Ok(Some(Alloc {
                    words: words as u32,
                    floats: 0,
                    funs: 0,
                }));
            }
            (OperandKind::Import, Number(import)) => {
                index("import", import, self.file.imports.len())?;
                return Ok(Some(Import(import as u32)));
            }
            (OperandKind::Lambda | OperandKind::LambdaOrAtom, Number(lambda)) => {
                index("fun", lambda, self.file.lambdas.len())?;
                return Ok(Some(Lambda(lambda as u32)));
            }
            (OperandKind::Line, Number(line)) => {
                let count = self
                    .file
                    .lines
                    .as_ref()
                    .map_or(u32::MAX as usize, |lines| lines.locations.len());
                index("location", line, count)?;
                return Ok(Some(Line(line as u32)));
            }

            (OperandKind::Source | OperandKind::NumberOrSource, operand) if is_source(operand) => {
                true
            }
            (OperandKind::Constant, operand) => is_constant(operand),
            (OperandKind::Register | OperandKind::Dest, operand) => is_register(operand),
            (OperandKind::Slot, operand) => matches!(operand, Y(_) | TypedY { .. }),
            (OperandKind::Float, operand) => matches!(operand, FloatReg(_)),
            (OperandKind::FloatOrSource, operand) => {
                is_register(operand) || matches!(operand, FloatReg(_) | Literal(_))
            }
            (OperandKind::Atom | OperandKind::LabelOrAtom | OperandKind::LambdaOrAtom, Atom(_)) => {
                true
            }
            (OperandKind::Number | OperandKind::NumberOrSource, Number(_)) => true,
            (OperandKind::Alloc, Alloc { .. }) => true,
            (OperandKind::Label | OperandKind::LabelOrAtom, Label(label)) => label != 0,
            (OperandKind::Fail, Label(_)) => true,
            (OperandKind::Any, operand) => !matches!(operand, List(_)),
            _ => false,
        };
        Ok(fits.then_some(operand))
    }

    /// Reads a list whose elements have the kinds `kinds`, repeated cyclically.
    fn list(
        &mut self,
        opcode: Opcode,
        place: usize,
        kinds: &'static [OperandKind],
    ) -> Result<Operand, BeamError> {
        let offset = self.reader.offset();
        let expected = OperandKind::List(kinds);
        let (Tag::Extended, Number::Short(EXTENDED_LIST)) = self.reader.compact()? else {
            return Err(self.bad_operand(opcode, place, expected, offset));
        };
        let len = self.reader.unsigned()?;
        // Each element takes at least a byte, so the arena grows only in proportion to the data.
        if len > self.reader.remaining() as u64 {
            return Err(self.reader.error_at(offset, ErrorKind::Truncated));
        }
        if !len.is_multiple_of(kinds.len() as u64) {
            return Err(self.bad_operand(opcode, place, expected, offset));
        }
        let start = self.code.operands.len() as u32;
        self.code.operands.reserve(len as usize);
        for kind in kinds.iter().cycle().take(len as usize) {
            let operand = self.operand(opcode, place, *kind)?;
            self.code.operands.push(operand);
        }
        Ok(Operand::List(Span {
            start,
            len: len as u32,
        }))
    }

    /// Reads any operand except a list, and validates it on its own.
    fn any_operand(&mut self) -> Result<Operand, BeamError> {
        let offset = self.reader.offset();
        let (tag, number) = self.reader.compact()?;
        let value = number.unsigned();
        match tag {
            Tag::Unsigned => Ok(Operand::Number(value)),
            Tag::Integer => Ok(match number.signed() {
                Ok(integer) => Operand::Integer(integer),
                Err(bytes) => {
                    let start = self.code.big_integers.len() as u32;
                    self.code.big_integers.extend_from_slice(bytes);
                    Operand::BigInteger(Span {
                        start,
                        len: bytes.len() as u32,
                    })
                }
            }),
            Tag::Atom if value == 0 => Ok(Operand::Nil),
            Tag::Atom => {
                self.check("atom", offset, value - 1, 0..self.file.atoms.len() as u64)?;
                Ok(Operand::Atom(value as u32 - 1))
            }
            Tag::X | Tag::Y => self.register(offset, tag, value),
            Tag::Label => {
                self.check(
                    "label",
                    offset,
                    value,
                    0..u64::from(self.file.code_header.label_count).max(1),
                )?;
                Ok(Operand::Label(value as u32))
            }
            Tag::Extended => self.extended(offset, value),
            Tag::Character => Err(self.reader.error_at(offset, ErrorKind::BadTag(tag as u8))),
        }
    }

    fn register(&self, offset: usize, tag: Tag, number: u64) -> Result<Operand, BeamError> {
        self.check("register", offset, number, 0..u64::from(REGISTERS))?;
        match tag {
            Tag::X => Ok(Operand::X(number as u32)),
            Tag::Y => Ok(Operand::Y(number as u32)),
            _ => Err(self.reader.error_at(offset, ErrorKind::BadTag(tag as u8))),
        }
    }

    /// Reads an operand whose encoding begins with the tag `Extended` and the number `which`.
    fn extended(&mut self, offset: usize, which: u64) -> Result<Operand, BeamError> {
        match which {
            2 => {
                let register = self.reader.unsigned()?;
                self.check("float register", offset, register, 0..u64::from(REGISTERS))?;
                Ok(Operand::FloatReg(register as u32))
            }
            3 => self.allocation(offset),
            4 => {
                let literal = self.reader.unsigned()?;
                self.check(
                    "literal",
                    offset,
                    literal,
                    0..self.file.literals.len() as u64,
                )?;
                Ok(Operand::Literal(literal as u32))
            }
            5 => self.typed_register(offset),
            _ => Err(self
                .reader
                .error_at(offset, ErrorKind::BadTag(which.min(255) as u8))),
        }
    }

    /// Reads pairs of a kind of allocation and an amount.
    fn allocation(&mut self, offset: usize) -> Result<Operand, BeamError> {
        let count = self.reader.unsigned()?;
        self.check("number of allocations", offset, count, 0..4)?;
        let mut totals = [0u32; 3];
        for _ in 0..count {
            let offset = self.reader.offset();
            let kind = self.reader.unsigned()?;
            self.check("allocation", offset, kind, 0..3)?;
            let offset = self.reader.offset();
            let number = self.reader.unsigned()?;
            let total = u64::from(totals[kind as usize]).saturating_add(number);
            self.check("number of words", offset, total, 0..MAX_ALLOCATION)?;
            totals[kind as usize] = total as u32;
        }
        let [words, floats, funs] = totals;
        Ok(Operand::Alloc {
            words,
            floats,
            funs,
        })
    }

    fn typed_register(&mut self, offset: usize) -> Result<Operand, BeamError> {
        let (tag, number) = self.reader.compact()?;
        let register = self.register(offset, tag, number.unsigned())?;
        let type_index = self.reader.unsigned()?;
        // The types may have been stripped from the file after compilation; they are only hints.
        let Some(types) = &self.file.types else {
            return Ok(register);
        };
        self.check("type", offset, type_index, 0..types.len() as u64)?;
        let type_index = type_index as u32;
        Ok(match register {
            Operand::X(register) => Operand::TypedX {
                register,
                type_index,
            },
            Operand::Y(register) => Operand::TypedY {
                register,
                type_index,
            },
            other => other,
        })
    }

    fn check(
        &self,
        what: &'static str,
        offset: usize,
        value: u64,
        range: Range<u64>,
    ) -> Result<(), BeamError> {
        if range.contains(&value) {
            Ok(())
        } else {
            Err(self.reader.error_at(
                offset,
                ErrorKind::OutOfRange {
                    what,
                    value,
                    limit: range.end,
                },
            ))
        }
    }

    /// The lists of these operations must make sense as a whole: the commands of `bs_match`, and the places of
    /// `update_record`, which ascend and are within the tuple.
    fn check_lists(&self, opcode: Opcode, offset: usize) -> Result<(), BeamError> {
        match (opcode, &self.pending[..]) {
            (Opcode::BsMatch, &[.., Operand::List(list)]) => {
                let mut rest = self.code.list(list);
                while let Some((_, behind)) = MatchCommand::read(self.file, &self.code, rest) {
                    rest = behind;
                }
                if rest.is_empty() {
                    return Ok(());
                }
                Err(self.bad_operand(opcode, 2, OperandKind::List(&[OperandKind::Any]), offset))
            }
            (Opcode::UpdateRecord, &[_, Operand::Number(size), .., Operand::List(list)]) => {
                let mut least = 1;
                for change in self.code.list(list).chunks_exact(2) {
                    if let Operand::Number(place) = change[0] {
                        self.check(
                            "place in a tuple",
                            offset,
                            place,
                            least..size.saturating_add(1),
                        )?;
                        least = place + 1;
                    }
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Operations that refer to the string table must stay within it.
    fn check_strings(&self, opcode: Opcode, offset: usize) -> Result<(), BeamError> {
        use Operand::{List, Number};
        let check = |start: u64, len: u64| {
            let end = start.saturating_add(len);
            self.check(
                "end of string",
                offset,
                end,
                0..self.file.strings().len() as u64 + 1,
            )
        };
        match (opcode, &self.pending[..]) {
            (Opcode::BsPutString, &[Number(len), Number(start)]) => check(start, len),
            (Opcode::BsMatchString, &[_, _, Number(bits), Number(start)]) => {
                check(start, bits.div_ceil(8))
            }
            (Opcode::BsCreateBin, &[.., List(segments)]) => {
                for segment in self.code.list(segments).chunks_exact(6) {
                    // Only string segments have a plain number as their value.
                    match (segment[4], segment[5]) {
                        (Number(start), Operand::Integer(len)) => {
                            check(start, len.try_into().unwrap_or(u64::MAX))?
                        }
                        (Number(_), _) => {
                            let place = self.pending.len() - 1;
                            let expected = opcode.operands()[place].kind;
                            return Err(self.bad_operand(opcode, place, expected, offset));
                        }
                        _ => {}
                    }
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Finds the functions and the locations of labels.
    fn functions(&mut self, raw: &[Operation]) -> Result<(), BeamError> {
        self.body(raw)?;
        let (header, found) = (
            self.file.code_header.function_count,
            self.code.functions.len() as u32,
        );
        if header != found || found == 0 {
            return Err(self
                .reader
                .error_at(16, ErrorKind::FunctionCount { header, found }));
        }
        Ok(())
    }

    /// Parts operations into functions.
    fn body(&mut self, raw: &[Operation]) -> Result<(), BeamError> {
        let mut rest = raw;
        while let [first, ..] = rest {
            if let Some((mut function, head)) = self.function_head(rest) {
                function.operations = self.operation_count()..self.operation_count();
                let index = self.code.functions.len() as u32;
                self.define(first, LabelTarget::FunctionInfo(index))?;
                self.code.functions.push(function);
                // The entry's label belongs to this function even if it looks like the start of another head.
                self.body_operation(&rest[head])?;
                rest = &rest[head + 1..];
            } else {
                rest = &rest[1..];
                self.body_operation(first)?;
            }
        }
        Ok(())
    }

    /// The head of a function, if `operations` begins with one, and its number of operations, not counting the
    /// entry's label.
    fn function_head(&self, operations: &[Operation]) -> Option<(Function, usize)> {
        let (info, line, func_info, entry, head) = match operations {
            [info, func_info, entry, ..] if func_info.opcode == Opcode::FuncInfo => {
                (info, None, func_info, entry, 2)
            }
            [info, line, func_info, entry, ..]
                if line.opcode == Opcode::Line && func_info.opcode == Opcode::FuncInfo =>
            {
                (info, Some(line), func_info, entry, 3)
            }
            _ => return None,
        };
        let line = match line.map(|line| self.code.operands(line)) {
            Some(&[Operand::Line(line)]) => line,
            _ => 0,
        };
        let &[
            Operand::Atom(module),
            Operand::Atom(name),
            Operand::Number(arity),
        ] = self.code.operands(func_info)
        else {
            return None;
        };
        let function = Function {
            module,
            name,
            arity: arity as u8,
            line,
            info_label: self.label_of(info)?,
            entry_label: self.label_of(entry)?,
            operations: 0..0,
            offset: info.offset,
        };
        Some((function, head))
    }

    fn body_operation(&mut self, operation: &Operation) -> Result<(), BeamError> {
        let index = self.operation_count();
        // A `func_info` outside the head of a function is invalid.
        let function = match self.code.functions.last_mut() {
            Some(function) if operation.opcode != Opcode::FuncInfo => function,
            _ => {
                return Err(self
                    .reader
                    .error_at(operation.offset as usize, ErrorKind::NotAFunction));
            }
        };
        function.operations.end = index + 1;
        if operation.opcode == Opcode::Label {
            self.define(operation, LabelTarget::Operation(index))?;
        }
        self.code.operations.push(*operation);
        Ok(())
    }

    fn operation_count(&self) -> u32 {
        self.code.operations.len() as u32
    }

    fn label_of(&self, operation: &Operation) -> Option<u32> {
        match (operation.opcode, self.code.operands(operation)) {
            (Opcode::Label, &[Operand::Number(label)]) => Some(label as u32),
            _ => None,
        }
    }

    fn define(&mut self, operation: &Operation, target: LabelTarget) -> Result<(), BeamError> {
        let Some(label) = self.label_of(operation) else {
            return Err(self
                .reader
                .error_at(operation.offset as usize, ErrorKind::NotAFunction));
        };
        let place = self.code.labels.get_mut(label as usize);
        match place.and_then(|place| place.replace(target)) {
            None => Ok(()),
            Some(_) => Err(self
                .reader
                .error_at(operation.offset as usize, ErrorKind::LabelTwice(label))),
        }
    }

    fn label_uses(&self) -> Result<(), BeamError> {
        let mut labels = self.used.iter().zip(&self.code.labels).skip(1);
        if labels.all(|(used, target)| !used || target.is_some()) {
            return Ok(());
        }
        for operation in &self.code.operations {
            for operand in self.code.operands(operation) {
                self.label_use(operation, operand)?;
                if let Operand::List(list) = *operand {
                    for element in self.code.list(list) {
                        self.label_use(operation, element)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn label_use(&self, operation: &Operation, operand: &Operand) -> Result<(), BeamError> {
        match *operand {
            Operand::Label(label) if label != 0 && self.code.label(label).is_none() => Err(self
                .reader
                .error_at(operation.offset as usize, ErrorKind::LabelUndefined(label))),
            _ => Ok(()),
        }
    }

    /// The labels of exports, locals and lambdas must be entries of functions with the same arity.
    fn entries(&self) -> Result<(), BeamError> {
        let check = |chunk, entry_bytes: usize, place: usize, label, arity| match self
            .code
            .function_at(label)
        {
            Some(function) if function.arity == arity => Ok(()),
            _ => Err(BeamError::new(
                chunk,
                4 + place * entry_bytes,
                ErrorKind::NotAnEntry(label),
            )),
        };
        for (place, export) in self.file.exports.iter().enumerate() {
            check(ChunkId::EXPORTS, 12, place, export.label, export.arity)?;
        }
        for (place, local) in self.file.locals.iter().enumerate() {
            check(ChunkId::LOCALS, 12, place, local.label, local.arity)?;
        }
        for (place, lambda) in self.file.lambdas.iter().enumerate() {
            check(
                ChunkId::LAMBDAS,
                crate::tables::LAMBDA_BYTES,
                place,
                lambda.label,
                lambda.arity,
            )?;
        }
        Ok(())
    }
}

/// Numbers after the tag `Extended`, and what they mean.
pub(super) const EXTENDED_LIST: u16 = 1;
pub(super) const LITERAL: u32 = 4;
pub(super) const TYPED_REGISTER: u32 = 5;
/// The maximum amount that one operation can allocate, as in OTP.
const MAX_ALLOCATION: u64 = 1 << 31;

fn is_register(operand: Operand) -> bool {
    use Operand::*;
    matches!(operand, X(_) | Y(_) | TypedX { .. } | TypedY { .. })
}

fn is_constant(operand: Operand) -> bool {
    use Operand::*;
    matches!(
        operand,
        Atom(_) | Nil | Integer(_) | BigInteger(_) | Literal(_)
    )
}

fn is_source(operand: Operand) -> bool {
    is_register(operand) || is_constant(operand)
}
