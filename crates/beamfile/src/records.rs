//! The table of native records, `Recs` (OTP 29): the records that a module defines, with their fields.
//!
//! ```text
//! 0, number of records, number of all fields          three words
//! label 0, name, true or false, list                  for each record: is it exported?
//!     field, default value or 0                       in the list, for each field
//! ```
//!
//! Below the words all is compact. Every index is validated, and no name stands twice where it has to be unique.

use std::collections::HashSet;

use crate::constants::{Constant, Table};
use crate::container::ChunkId;
use crate::reader::{Number, Reader, Tag};
use crate::{Atoms, BeamError, ErrorKind};

/// A native record that the module defines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordDefinition {
    /// Atom.
    pub name: u32,
    pub is_exported: bool,
    pub fields: Vec<RecordField>,
}

/// A field of a native record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordField {
    /// Atom.
    pub name: u32,
    /// `None` if a value must be given when a record is made.
    pub default: Option<Constant>,
}

/// Bytes that a record takes at least.
const RECORD_BYTES: usize = 5;

pub(crate) fn records(
    data: &[u8],
    atoms: &Atoms,
    literals: usize,
) -> Result<Vec<RecordDefinition>, BeamError> {
    let mut table = Table {
        reader: Reader::new(ChunkId::RECORDS, data),
        atoms,
        literals,
    };
    let version = table.reader.u32()?;
    if version != 0 {
        return Err(table.reader.error_at(0, ErrorKind::UnknownVersion(version)));
    }
    let count = table.reader.count(RECORD_BYTES)?;
    let offset = table.reader.offset();
    let all_fields = table.reader.u32()?;
    let mut records = Vec::with_capacity(count);
    let mut names = HashSet::new();
    for _ in 0..count {
        records.push(table.record(&mut names)?);
    }
    let found: usize = records.iter().map(|record| record.fields.len()).sum();
    if found != all_fields as usize {
        let kind = ErrorKind::BadCount(i64::from(all_fields));
        return Err(table.reader.error_at(offset, kind));
    }
    if table.reader.remaining() > 0 {
        return Err(table.reader.error(ErrorKind::Excess));
    }
    Ok(records)
}

impl Table<'_> {
    fn record(&mut self, names: &mut HashSet<u32>) -> Result<RecordDefinition, BeamError> {
        let offset = self.reader.offset();
        let (tag, number) = self.reader.compact()?;
        if tag != Tag::Label || number != Number::Short(0) {
            return Err(self.bad_tag(offset, tag));
        }
        let name = self.name(names)?;
        let offset = self.reader.offset();
        let exported = self.atom()?;
        let is_exported = match &self.atoms[exported as usize] {
            "true" => true,
            "false" => false,
            _ => return Err(self.bad_tag(offset, Tag::Atom)),
        };
        let offset = self.reader.offset();
        let length = self.list()?;
        if length % 2 != 0 {
            return Err(self.bad_count(offset, length as u64));
        }
        let mut fields = Vec::with_capacity(length / 2);
        let mut names = HashSet::new();
        for _ in 0..length / 2 {
            fields.push(RecordField {
                name: self.name(&mut names)?,
                default: self.default()?,
            });
        }
        Ok(RecordDefinition {
            name,
            is_exported,
            fields,
        })
    }

    /// An atom that is not among these names, and is then.
    fn name(&mut self, names: &mut HashSet<u32>) -> Result<u32, BeamError> {
        let offset = self.reader.offset();
        let name = self.atom()?;
        if !names.insert(name) {
            return Err(self.reader.error_at(offset, ErrorKind::NameTwice(name)));
        }
        Ok(name)
    }

    fn default(&mut self) -> Result<Option<Constant>, BeamError> {
        let offset = self.reader.offset();
        match self.reader.compact()? {
            (Tag::Unsigned, Number::Short(0)) => Ok(None),
            term => self.constant(offset, term).map(Some),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(data: &[u8]) -> Result<Vec<RecordDefinition>, ErrorKind> {
        let atoms = Atoms::from_iter(["m", "point", "false", "x", "true"]);
        records(data, &atoms, 1).map_err(|error| error.kind)
    }

    /// `-record #point{x, m = 2}.`
    const POINT: &[u8] = &[
        0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2, 0x05, 0x22, 0x32, 0x17, 0x40, 0x42, 0x00, 0x12, 0x21,
    ];

    fn changed(at: usize, byte: u8) -> Vec<u8> {
        let mut bytes = POINT.to_vec();
        bytes[at] = byte;
        bytes
    }

    #[test]
    fn fields_may_have_a_default() {
        let point = RecordDefinition {
            name: 1,
            is_exported: false,
            fields: vec![
                RecordField {
                    name: 3,
                    default: None,
                },
                RecordField {
                    name: 0,
                    default: Some(Constant::Integer(2i64.to_be_bytes().to_vec())),
                },
            ],
        };
        assert_eq!(parse(POINT), Ok(vec![point]));
        let literal = [&changed(14, 0x52)[..20], &[0x47, 0x00]].concat();
        let records = parse(&literal).unwrap();
        assert!(records[0].is_exported);
        assert_eq!(records[0].fields[1].default, Some(Constant::Literal(0)));
    }

    #[test]
    fn damaged_tables_are_refused() {
        for (at, byte, kind) in [
            (3, 1, ErrorKind::UnknownVersion(1)),
            (7, 9, ErrorKind::BadCount(9)),
            (11, 3, ErrorKind::BadCount(3)),
            (12, 0x15, ErrorKind::BadTag(Tag::Label as u8)),
            (13, 0x02, ErrorKind::BadTag(Tag::Atom as u8)),
            (14, 0x22, ErrorKind::BadTag(Tag::Atom as u8)),
            (15, 0x27, ErrorKind::BadTag(Tag::Extended as u8)),
            (16, 0x30, ErrorKind::BadCount(3)),
            (19, 0x42, ErrorKind::NameTwice(3)),
            (20, 0x23, ErrorKind::BadTag(Tag::X as u8)),
        ] {
            assert_eq!(parse(&changed(at, byte)), Err(kind), "byte {at}");
        }
        for length in 0..POINT.len() {
            assert!(parse(&POINT[..length]).is_err(), "{length} bytes");
        }
        assert_eq!(parse(&[POINT, &[0]].concat()), Err(ErrorKind::Excess));
    }
}
