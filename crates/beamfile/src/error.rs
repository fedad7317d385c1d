//! What can be wrong with a `.beam` file, and where.
//!
//! Every error names the chunk and the offset in it, so that a damaged file can be examined. Plain data.

use spec::Opcode;
use spec::opcodes::OperandKind;
use std::fmt;

use crate::ChunkId;

/// Why a file was refused: what is wrong, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BeamError {
    /// The chunk at fault; `None` if the error is outside the chunks.
    pub chunk: Option<ChunkId>,
    /// Offset in bytes from the start of the chunk's data, or of the (uncompressed) file. For the contents of a
    /// literal table, the offset in the uncompressed table.
    pub offset: usize,
    pub kind: ErrorKind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The data end prematurely.
    Truncated,
    /// Not a `FOR1` form of type `BEAM`.
    NotBeam,
    /// A required chunk is missing.
    Missing,
    /// Compressed data that cannot be inflated, or that are longer than declared.
    BadCompression,
    /// A version of this chunk's format that no release up to OTP 29 uses.
    UnknownVersion(u32),
    /// A count that is too large for the size of the data, or not allowed.
    BadCount(i64),
    /// Bytes that are not UTF-8, or an atom of more than 255 characters.
    BadText,
    /// Extra bytes where none are allowed.
    Excess,
    /// A number out of range.
    OutOfRange {
        what: &'static str,
        value: u64,
        limit: u64,
    },
    /// The first entry of the type table is not "any", or an entry is the empty set of types.
    BadType,
    /// An opcode that no release uses.
    UnknownOpcode(u8),
    /// An opcode above the maximum that the code's own header gives.
    OpcodeAboveMaximum(Opcode),
    /// An opcode that was removed long ago.
    ObsoleteOpcode(Opcode),
    /// An encoding of an operand that does not exist, or no longer exists.
    BadTag(u8),
    /// An operand of a kind that its operation does not accept; operands are counted from 0.
    BadOperand {
        opcode: Opcode,
        operand: u8,
        expected: OperandKind,
    },
    /// An atom that names two native records, or two fields of one; its index.
    NameTwice(u32),
    /// `func_info` that is not between its two labels, or code outside a function.
    NotAFunction,
    /// The number of functions in the code differs from the one in its header.
    FunctionCount { header: u32, found: u32 },
    /// A label with two definitions.
    LabelTwice(u32),
    /// A label that is used but not defined.
    LabelUndefined(u32),
    /// An export, local or fun whose label is not the entry of a function of that arity.
    NotAnEntry(u32),
}

impl BeamError {
    pub(crate) fn new(chunk: ChunkId, offset: usize, kind: ErrorKind) -> BeamError {
        BeamError {
            chunk: Some(chunk),
            offset,
            kind,
        }
    }

    pub(crate) fn missing(chunk: ChunkId) -> BeamError {
        BeamError::new(chunk, 0, ErrorKind::Missing)
    }
}

impl fmt::Display for BeamError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.chunk {
            Some(chunk) => write!(f, "chunk {chunk}, byte {}: {}", self.offset, self.kind),
            None => write!(f, "byte {}: {}", self.offset, self.kind),
        }
    }
}

impl std::error::Error for BeamError {}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ErrorKind::Truncated => write!(f, "the data end too early"),
            ErrorKind::NotBeam => write!(f, "not a BEAM file"),
            ErrorKind::Missing => write!(f, "the chunk is missing"),
            ErrorKind::BadCompression => write!(f, "the compressed data are damaged"),
            ErrorKind::UnknownVersion(version) => write!(f, "unknown format version {version}"),
            ErrorKind::BadCount(count) => write!(f, "impossible count {count}"),
            ErrorKind::BadText => write!(f, "invalid text"),
            ErrorKind::Excess => write!(f, "bytes left over"),
            ErrorKind::OutOfRange { what, value, limit } => {
                write!(f, "{what} {value} where {limit} is the limit")
            }
            ErrorKind::BadType => write!(f, "invalid type"),
            ErrorKind::UnknownOpcode(number) => write!(f, "unknown opcode {number}"),
            ErrorKind::OpcodeAboveMaximum(opcode) => {
                write!(
                    f,
                    "opcode {} ({}) above the header's maximum",
                    opcode.number(),
                    opcode.name()
                )
            }
            ErrorKind::ObsoleteOpcode(opcode) => write!(f, "obsolete operation {}", opcode.name()),
            ErrorKind::BadTag(tag) => write!(f, "unknown operand encoding {tag}"),
            ErrorKind::BadOperand {
                opcode,
                operand,
                expected,
            } => {
                write!(
                    f,
                    "operand {operand} of {} is no {expected:?}",
                    opcode.name()
                )
            }
            ErrorKind::NameTwice(atom) => write!(f, "atom {atom} stands for two records or fields"),
            ErrorKind::NotAFunction => {
                write!(f, "code outside a function, or a broken function head")
            }
            ErrorKind::FunctionCount { header, found } => {
                write!(f, "{found} functions where the header says {header}")
            }
            ErrorKind::LabelTwice(label) => write!(f, "label {label} is defined twice"),
            ErrorKind::LabelUndefined(label) => write!(f, "label {label} is used and not defined"),
            ErrorKind::NotAnEntry(label) => {
                write!(f, "label {label} is no entry of a function of that arity")
            }
        }
    }
}
