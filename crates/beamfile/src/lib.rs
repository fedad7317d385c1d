//! Reads `.beam` files: the container, its chunks, and the generic operations of the code.
//!
//! [`BeamFile::parse`] takes the bytes of a file, gzipped or not, of any OTP release up to 29, and returns its
//! tables. [`BeamFile::decode`] returns the operations. The results are fully validated: every index is in range,
//! every label that is used is defined, every operand is of a kind that its operation accepts. A [`BeamError`] says
//! what is wrong with a file; no input causes a panic, and memory use is bounded by the size of the input. This crate
//! knows no terms: literals remain bytes in the external format, and atoms are indexes into the file's own table.
//! Everything is plain data.
//!
//! ```
//! # fn load(bytes: &[u8]) -> Result<(), beamfile::BeamError> {
//! let file = beamfile::BeamFile::parse(bytes)?;
//! let code = file.decode()?;
//! for function in &code.functions {
//!     println!("{}/{}", file.atom(function.name), function.arity);
//!     for operation in code.body(function) {
//!         println!("  {} {:?}", operation.opcode.name(), code.operands(operation));
//!     }
//! }
//! # Ok(())
//! # }
//! ```

#![forbid(unsafe_code)]

mod atoms;
mod checksum;
mod code;
mod commands;
mod constants;
mod container;
mod debugger_lines;
mod error;
mod generic;
mod lines;
mod literals;
mod operand;
mod reader;
mod records;
mod tables;
mod types;

use std::borrow::Cow;
use std::ops::Range;

pub use atoms::Atoms;
pub use code::{Code, CodeHeader, Function, LabelTarget, Operation};
pub use commands::{MatchCommand, MatchSegment};
pub use constants::Constant;
pub use container::{Chunk, ChunkId, MAX_INFLATED_BYTES, chunks, find_chunk};
pub use debugger_lines::{DebuggerLine, LineCall, LineFrame, LineValue};
pub use error::{BeamError, ErrorKind};
pub use generic::{FloatRegister, Generic};
pub use lines::{Lines, Location};
pub use literals::Literals;
pub use operand::{Operand, REGISTERS, Span};
pub use records::{RecordDefinition, RecordField};
pub use tables::{Export, Import, Lambda};
pub use types::{Type, TypeSet};

/// A `.beam` file: its tables, and the bytes of all its chunks, which are borrowed from whoever parsed it.
#[derive(Clone, Debug)]
pub struct BeamFile<'a> {
    bytes: Cow<'a, [u8]>,
    chunks: Vec<Chunk>,
    /// The module's atoms; never empty. The first is the module's name. All indexes count from 0.
    pub atoms: Atoms,
    pub code_header: CodeHeader,
    pub imports: Vec<Import>,
    pub exports: Vec<Export>,
    /// Functions that are not exported; empty if the file was stripped.
    pub locals: Vec<Export>,
    pub lambdas: Vec<Lambda>,
    pub literals: Literals,
    /// The native records that the module defines.
    pub records: Vec<RecordDefinition>,
    /// What debuggers need, by the index of `debug_line` less 1; `None` if it was not compiled for them.
    pub debugger_lines: Option<Vec<DebuggerLine>>,
    /// `None` if the file was stripped.
    pub lines: Option<Lines>,
    /// `None` if there are no types, or the version is unknown; then no operand is typed.
    pub types: Option<Vec<Type>>,
    /// The result of `module_info(md5)`.
    pub md5: [u8; 16],
}

impl<'a> BeamFile<'a> {
    /// Reads the container and all tables; [`BeamFile::decode`] reads the code itself.
    pub fn parse(file: &'a [u8]) -> Result<BeamFile<'a>, BeamError> {
        let bytes = container::plain(file)?;
        let chunks = container::chunks(&bytes)?;
        let find = |id| {
            chunks
                .iter()
                .rfind(|chunk| chunk.id == id)
                .map(|chunk| &bytes[chunk.data.clone()])
        };
        // An empty chunk is treated like a missing one, as in OTP.
        let optional = |id| find(id).filter(|data: &&[u8]| !data.is_empty());
        let required = |id| optional(id).ok_or(BeamError::missing(id));

        let code_header = CodeHeader::parse(required(ChunkId::CODE)?)?;
        let labels = code_header.label_count;
        let atoms = match (
            optional(ChunkId::ATOMS_UTF8),
            optional(ChunkId::ATOMS_LATIN1),
        ) {
            (Some(data), _) => atoms::utf8(data)?,
            (None, Some(data)) => atoms::latin1(data)?,
            (None, None) => return Err(BeamError::missing(ChunkId::ATOMS_UTF8)),
        };
        let imports = tables::imports(required(ChunkId::IMPORTS)?, atoms.len())?;
        let exports = |id, data| tables::exports(id, data, atoms.len(), labels);
        let locals = optional(ChunkId::LOCALS)
            .map(|data| exports(ChunkId::LOCALS, data))
            .transpose()?;
        let exports = exports(ChunkId::EXPORTS, required(ChunkId::EXPORTS)?)?;
        let lambdas = optional(ChunkId::LAMBDAS)
            .map(|data| tables::lambdas(data, atoms.len(), labels))
            .transpose()?;
        let literals = optional(ChunkId::LITERALS)
            .map(Literals::parse)
            .transpose()?;
        let literals = literals.unwrap_or_default();
        let records = optional(ChunkId::RECORDS)
            .map(|data| records::records(data, &atoms, literals.len()))
            .transpose()?;
        let debugger_lines = optional(ChunkId::DEBUGGER_LINES)
            .map(|data| debugger_lines::debugger_lines(data, &atoms, literals.len()))
            .transpose()?;
        let lines = optional(ChunkId::LINES)
            .map(|data| Lines::parse(data, &atoms[0]))
            .transpose()?;
        let types = optional(ChunkId::TYPES).map(types::parse).transpose()?;

        let mut file = BeamFile {
            atoms,
            code_header,
            imports,
            exports,
            locals: locals.unwrap_or_default(),
            lambdas: lambdas.unwrap_or_default(),
            literals,
            records: records.unwrap_or_default(),
            debugger_lines: debugger_lines.flatten(),
            lines: lines.flatten(),
            types: types.flatten(),
            md5: [0; 16],
            bytes,
            chunks,
        };
        file.md5 = checksum::md5(&file);
        Ok(file)
    }

    /// Decodes the code and validates it against the tables.
    pub fn decode(&self) -> Result<Code, BeamError> {
        Code::decode(self)
    }

    /// Validates the code as [`BeamFile::decode`] does, in a fraction of the time, but returns no more of it than
    /// loading asks for: all functions, without [`Code::label`], and of their operations only the labels of their
    /// entries, one call of each guard BIF, what makes maps (`put_map_assoc`) and native records (`put_record`),
    /// `nif_start` and `on_load`, those with integers of eight bytes and more, and others as it happens.
    ///
    /// # Errors
    /// Those of [`BeamFile::decode`].
    pub fn survey(&self) -> Result<Code, BeamError> {
        Code::survey(self)
    }

    /// Decodes one function, from one of the [`Code::extents`] of this file's code. What lies outside of it is not
    /// looked at again: labels of other functions are taken to be there, and [`Code::label`] knows none.
    ///
    /// # Errors
    /// None, if it is an extent of this file.
    pub fn decode_function(&self, extent: Range<u32>) -> Result<Code, BeamError> {
        Code::decode_function(self, extent)
    }

    /// The file with bytes of its own.
    #[must_use]
    pub fn into_owned(self) -> BeamFile<'static> {
        BeamFile {
            bytes: Cow::Owned(self.bytes.into_owned()),
            ..self
        }
    }

    /// Forgets everything but what [`BeamFile::decode_function`] needs, and who uses its result; borrows nothing.
    #[must_use]
    pub fn for_functions(self) -> BeamFile<'static> {
        let mut bytes = Vec::new();
        let mut chunks = Vec::new();
        for id in [ChunkId::CODE, ChunkId::STRINGS] {
            let start = bytes.len();
            bytes.extend_from_slice(self.chunk(id).unwrap_or_default());
            let data = start..bytes.len();
            chunks.push(Chunk { id, data });
        }
        bytes.shrink_to_fit();
        BeamFile {
            bytes: Cow::Owned(bytes),
            chunks,
            exports: Vec::new(),
            locals: Vec::new(),
            literals: self.literals.count_only(),
            records: Vec::new(),
            debugger_lines: None,
            lines: None,
            ..self
        }
    }

    /// The module's name.
    pub fn module(&self) -> &str {
        &self.atoms[0]
    }

    /// The text of an atom of this file. Panics if the index is out of range; indexes from the file's own tables and
    /// code are always valid.
    pub fn atom(&self, index: u32) -> &str {
        &self.atoms[index as usize]
    }

    /// The string table, which `bs_put_string`, `bs_match_string` and string segments of `bs_create_bin` refer to.
    pub fn strings(&self) -> &[u8] {
        self.chunk(ChunkId::STRINGS).unwrap_or_default()
    }

    /// The data of any chunk, including those that are not parsed: attributes, compile information, documentation,
    /// ...
    pub fn chunk(&self, id: ChunkId) -> Option<&[u8]> {
        self.chunks
            .iter()
            .rfind(|chunk| chunk.id == id)
            .map(|chunk| &self.bytes[chunk.data.clone()])
    }

    /// All chunks in the order of the file, with their ranges in [`BeamFile::bytes`].
    pub fn chunks(&self) -> &[Chunk] {
        &self.chunks
    }

    /// The whole file, uncompressed.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}
