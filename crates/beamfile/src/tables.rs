//! The tables of functions: `ImpT`, `ExpT`, `LocT` and `FunT`.
//!
//! Atoms are validated indexes into the module's atoms, counted from 0. At this stage, labels of exports, locals and
//! lambdas are only known to be below the code's label count; decoding the code verifies that they are entries of
//! functions.

use crate::container::ChunkId;
use crate::reader::Reader;
use crate::{BeamError, ErrorKind};

/// A function of another module (or of this one) that the code calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Import {
    /// Atom.
    pub module: u32,
    /// Atom.
    pub function: u32,
    pub arity: u8,
}

/// A function of this module: an export, or a local function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Export {
    /// Atom.
    pub function: u32,
    pub arity: u8,
    /// The label of the function's entry.
    pub label: u32,
}

/// A fun expression of this module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lambda {
    /// Atom: the name of the function that implements the fun.
    pub function: u32,
    /// The arity of that function: the arguments of the fun, followed by the free variables. The fun's own arity is
    /// `arity - free`.
    pub arity: u8,
    /// The label of the function's entry.
    pub label: u32,
    pub index: u32,
    /// The number of free variables in the fun.
    pub free: u8,
    pub old_uniq: u32,
}

pub(crate) fn imports(data: &[u8], atoms: usize) -> Result<Vec<Import>, BeamError> {
    table(ChunkId::IMPORTS, data, 12, |reader| {
        Ok(Import {
            module: atom(reader, atoms)?,
            function: atom(reader, atoms)?,
            arity: reader.arity()?,
        })
    })
}

pub(crate) fn exports(
    id: ChunkId,
    data: &[u8],
    atoms: usize,
    labels: u32,
) -> Result<Vec<Export>, BeamError> {
    table(id, data, 12, |reader| {
        Ok(Export {
            function: atom(reader, atoms)?,
            arity: reader.arity()?,
            label: reader.index("label", labels as usize)?,
        })
    })
}

/// Bytes after the last lambda are refused, as in OTP: no checksum would cover them.
pub(crate) fn lambdas(data: &[u8], atoms: usize, labels: u32) -> Result<Vec<Lambda>, BeamError> {
    let lambdas = table(ChunkId::LAMBDAS, data, LAMBDA_BYTES, |reader| {
        let function = atom(reader, atoms)?;
        let arity = reader.arity()?;
        let label = reader.index("label", labels as usize)?;
        let index = reader.u32()?;
        let free = reader.index("number of free variables", usize::from(arity) + 1)? as u8;
        let old_uniq = reader.u32()?;
        Ok(Lambda {
            function,
            arity,
            label,
            index,
            free,
            old_uniq,
        })
    })?;
    if !(data.len() - 4).is_multiple_of(LAMBDA_BYTES) {
        let offset = 4 + lambdas.len() * LAMBDA_BYTES;
        return Err(BeamError::new(ChunkId::LAMBDAS, offset, ErrorKind::Excess));
    }
    Ok(lambdas)
}

/// The size of an entry of `FunT`, whose last four bytes are `old_uniq`.
pub(crate) const LAMBDA_BYTES: usize = 24;

fn table<Entry>(
    id: ChunkId,
    data: &[u8],
    entry_bytes: usize,
    mut entry: impl FnMut(&mut Reader<'_>) -> Result<Entry, BeamError>,
) -> Result<Vec<Entry>, BeamError> {
    let mut reader = Reader::new(id, data);
    let count = reader.count(entry_bytes)?;
    let mut entries = Vec::with_capacity(count);
    for _ in 0..count {
        entries.push(entry(&mut reader)?);
    }
    Ok(entries)
}

/// Atoms are counted from 1 in these chunks; 0 would be the empty list, which is not a valid name.
fn atom(reader: &mut Reader<'_>, atoms: usize) -> Result<u32, BeamError> {
    let offset = reader.offset();
    match reader.index("atom", atoms + 1)? {
        0 => Err(reader.error_at(
            offset,
            ErrorKind::OutOfRange {
                what: "atom",
                value: 0,
                limit: atoms as u64,
            },
        )),
        number => Ok(number - 1),
    }
}
