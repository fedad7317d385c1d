//! The chunk `Code`: its header, and its decoded operations, functions and labels.
//!
//! Operations and operands are stored in two arenas, so a module needs only a few allocations, whatever its size.
//! Every operation and every operand takes at least one byte of the file, which bounds the arenas by the file size.

mod decoder;
mod survey;

use std::ops::Range;

use spec::Opcode;

use crate::container::ChunkId;
use crate::operand::{Operand, Span};
use crate::reader::Reader;
use crate::{BeamError, BeamFile, ErrorKind};

/// The header of the chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CodeHeader {
    /// An upper bound for the opcodes in the code.
    pub max_opcode: u32,
    /// Label numbers are at least 1 and below this.
    pub label_count: u32,
    pub function_count: u32,
    /// The offset in the chunk where the operations begin.
    pub(crate) start: usize,
}

impl CodeHeader {
    pub(crate) fn parse(data: &[u8]) -> Result<CodeHeader, BeamError> {
        let mut reader = Reader::new(ChunkId::CODE, data);
        let size = reader.u32()? as usize;
        let mut reader = Reader::new(ChunkId::CODE, data);
        let _header = reader.bytes(4)?;
        if size > reader.remaining() {
            return Err(reader.error_at(0, ErrorKind::Truncated));
        }
        if size < 16 {
            return Err(reader.error_at(0, ErrorKind::BadCount(size as i64)));
        }
        let version = reader.u32()?;
        if version != 0 {
            return Err(reader.error_at(4, ErrorKind::UnknownVersion(version)));
        }
        let header = CodeHeader {
            max_opcode: reader.u32()?,
            label_count: reader.u32()?,
            function_count: reader.u32()?,
            start: 4 + size,
        };
        // A label's definition takes two bytes. OTP's compiler uses every label number; code that skips some is
        // tolerated as long as the table of labels stays in proportion to the file.
        let code_bytes = data.len() - header.start;
        if header.label_count as usize > 1024 + 4 * code_bytes {
            return Err(reader.error_at(12, ErrorKind::BadCount(header.label_count.into())));
        }
        Ok(header)
    }
}

/// The decoded code of a module.
#[derive(Clone, Debug)]
pub struct Code {
    /// In the order of the file: every operation belongs to one function. There is at least one.
    pub functions: Vec<Function>,
    /// All operations except `func_info`, the label and line before each, and the final `int_code_end`.
    pub operations: Vec<Operation>,
    operands: Vec<Operand>,
    big_integers: Vec<u8>,
    /// What each label stands for; empty in the code of a single function.
    labels: Vec<Option<LabelTarget>>,
    /// The offset in the chunk where the operations end.
    end: u32,
}

/// A function. In the file it is: `label Info`, an optional `line`, `func_info`, `label Entry`, and the body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Atom; normally the file's first.
    pub module: u32,
    /// Atom.
    pub name: u32,
    pub arity: u8,
    /// The operand of the `line` before `func_info`; 0, the undefined location, if there is none.
    pub line: u32,
    /// The label before `func_info`: a jump to it raises `function_clause`.
    pub info_label: u32,
    /// The label after `func_info`, which calls use.
    pub entry_label: u32,
    /// The body: a range of [`Code::operations`]. It begins with the operation `label Entry`.
    pub operations: Range<u32>,
    /// The offset in the chunk of its first operation, `label Info`.
    offset: u32,
}

/// A generic operation. [`Code::generic`] returns its operands by name, [`Code::operands`] in order; their kinds are in
/// [`spec::opcodes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operation {
    pub opcode: Opcode,
    /// The offset of the opcode in the chunk.
    pub offset: u32,
    first: u32,
}

const _: () = assert!(size_of::<Operation>() == 12);

/// The location of a label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LabelTarget {
    /// Before the `func_info` of this function, by index into [`Code::functions`].
    FunctionInfo(u32),
    /// At the `label` operation with this index into [`Code::operations`].
    Operation(u32),
}

impl Code {
    pub(crate) fn decode(file: &BeamFile<'_>) -> Result<Code, BeamError> {
        decoder::decode(file)
    }

    pub(crate) fn decode_function(
        file: &BeamFile<'_>,
        extent: Range<u32>,
    ) -> Result<Code, BeamError> {
        decoder::decode_function(file, extent)
    }

    pub(crate) fn survey(file: &BeamFile<'_>) -> Result<Code, BeamError> {
        survey::survey(file)
    }

    /// Where each function lies in the chunk, in order: [`BeamFile::decode_function`](crate::BeamFile::decode_function)
    /// takes that.
    pub fn extents(&self) -> impl Iterator<Item = Range<u32>> {
        let ends = self.functions.iter().skip(1).map(|next| next.offset);
        let ends = ends.chain(std::iter::once(self.end));
        let starts = self.functions.iter().map(|function| function.offset);
        starts.zip(ends).map(|(start, end)| start..end)
    }

    /// The operations of a function; the first one is the label of its entry.
    pub fn body(&self, function: &Function) -> &[Operation] {
        &self.operations[function.operations.start as usize..function.operations.end as usize]
    }

    /// The operands of an operation: as many as its opcode's arity.
    #[inline]
    pub fn operands(&self, operation: &Operation) -> &[Operand] {
        &self.operands[operation.first as usize..][..usize::from(operation.opcode.arity())]
    }

    /// The elements of an [`Operand::List`].
    #[inline]
    pub fn list(&self, list: Span) -> &[Operand] {
        list.of(&self.operands)
    }

    /// The big-endian two's complement of an [`Operand::BigInteger`]: more than eight bytes, and as short as
    /// possible.
    pub fn big_integer(&self, integer: Span) -> &[u8] {
        integer.of(&self.big_integers)
    }

    /// The location of a label; `None` for labels that are neither defined nor used.
    pub fn label(&self, label: u32) -> Option<LabelTarget> {
        self.labels.get(label as usize).copied().flatten()
    }

    /// The function whose entry is at this label.
    pub fn function_at(&self, label: u32) -> Option<&Function> {
        let LabelTarget::Operation(operation) = self.label(label)? else {
            return None;
        };
        let after = self
            .functions
            .partition_point(|function| function.operations.start <= operation);
        let function = &self.functions[after.checked_sub(1)?];
        (function.operations.start == operation).then_some(function)
    }
}
