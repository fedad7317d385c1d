//! The type table (chunk `Type`): what the compiler knows about the terms in typed registers.
//!
//! Four versions of the format (OTP 25, 26, 27 and 29) number the types differently; they are converted to one form
//! here.

use crate::container::ChunkId;
use crate::reader::Reader;
use crate::{BeamError, ErrorKind};

/// A set of types.
///
/// ```text
/// bit  0 atom       4 float      8 nil         12 tuple
///      1 bitstring  5 fun        9 pid         13 native record
///      2 match ctx  6 integer   10 port
///      3 cons       7 map       11 reference
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TypeSet(u16);

impl TypeSet {
    pub const ATOM: TypeSet = TypeSet(1 << 0);
    pub const BITSTRING: TypeSet = TypeSet(1 << 1);
    pub const MATCH_CONTEXT: TypeSet = TypeSet(1 << 2);
    pub const CONS: TypeSet = TypeSet(1 << 3);
    pub const FLOAT: TypeSet = TypeSet(1 << 4);
    pub const FUN: TypeSet = TypeSet(1 << 5);
    pub const INTEGER: TypeSet = TypeSet(1 << 6);
    pub const MAP: TypeSet = TypeSet(1 << 7);
    pub const NIL: TypeSet = TypeSet(1 << 8);
    pub const PID: TypeSet = TypeSet(1 << 9);
    pub const PORT: TypeSet = TypeSet(1 << 10);
    pub const REFERENCE: TypeSet = TypeSet(1 << 11);
    pub const TUPLE: TypeSet = TypeSet(1 << 12);
    pub const RECORD: TypeSet = TypeSet(1 << 13);
    pub const ANY: TypeSet = TypeSet((1 << 14) - 1);

    pub const fn or(self, other: TypeSet) -> TypeSet {
        TypeSet(self.0 | other.0)
    }

    /// Whether a term with a type in `self` may have a type in `other`.
    pub const fn overlaps(self, other: TypeSet) -> bool {
        self.0 & other.0 != 0
    }
}

/// What is known about a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Type {
    pub types: TypeSet,
    /// If the term is an integer, it is at least this.
    pub min: Option<i64>,
    /// If the term is an integer, it is at most this.
    pub max: Option<i64>,
    /// If the term is a bitstring, its size in bits is a multiple of this; at least 1.
    pub unit: u16,
}

/// How one version of the format encodes types.
struct Format {
    /// The types that each bit of the file stands for.
    types: &'static [TypeSet],
    /// If true, the next bits say whether a lower bound, an upper bound and a unit are present. Otherwise both bounds
    /// are always present.
    has_flags: bool,
}

const BITSTRING_OR_CONTEXT: TypeSet = TypeSet::BITSTRING.or(TypeSet::MATCH_CONTEXT);

/// The types of OTP 25 (`has_flags` false) and 26 (true).
const WITH_CONTEXT: &[TypeSet] = &[
    TypeSet::ATOM,
    TypeSet::BITSTRING,
    TypeSet::MATCH_CONTEXT,
    TypeSet::CONS,
    TypeSet::FLOAT,
    TypeSet::FUN,
    TypeSet::INTEGER,
    TypeSet::MAP,
    TypeSet::NIL,
    TypeSet::PID,
    TypeSet::PORT,
    TypeSet::REFERENCE,
    TypeSet::TUPLE,
];

/// The types of OTP 27: match contexts have no bit of their own, so the one for bitstrings stands for both.
const WITHOUT_CONTEXT: &[TypeSet] = &[
    TypeSet::ATOM,
    BITSTRING_OR_CONTEXT,
    TypeSet::CONS,
    TypeSet::FLOAT,
    TypeSet::FUN,
    TypeSet::INTEGER,
    TypeSet::MAP,
    TypeSet::NIL,
    TypeSet::PID,
    TypeSet::PORT,
    TypeSet::REFERENCE,
    TypeSet::TUPLE,
];

/// The types of OTP 29.
const WITH_RECORD: &[TypeSet] = &[
    TypeSet::ATOM,
    BITSTRING_OR_CONTEXT,
    TypeSet::CONS,
    TypeSet::FLOAT,
    TypeSet::FUN,
    TypeSet::INTEGER,
    TypeSet::MAP,
    TypeSet::NIL,
    TypeSet::PID,
    TypeSet::PORT,
    TypeSet::REFERENCE,
    TypeSet::TUPLE,
    TypeSet::RECORD,
];

impl Format {
    fn of_version(version: u32) -> Option<Format> {
        match version {
            1 => Some(Format {
                types: WITH_CONTEXT,
                has_flags: false,
            }),
            2 => Some(Format {
                types: WITH_CONTEXT,
                has_flags: true,
            }),
            3 => Some(Format {
                types: WITHOUT_CONTEXT,
                has_flags: true,
            }),
            4 => Some(Format {
                types: WITH_RECORD,
                has_flags: true,
            }),
            _ => None,
        }
    }

    fn read(&self, reader: &mut Reader<'_>) -> Result<Type, BeamError> {
        let offset = reader.offset();
        let bits = u32::from(reader.u16()?);
        let mut types = TypeSet(0);
        for (bit, &set) in self.types.iter().enumerate() {
            if bits >> bit & 1 != 0 {
                types = types.or(set);
            }
        }
        if types == TypeSet(0) {
            return Err(reader.error_at(offset, ErrorKind::BadType));
        }
        // In a release without native records, "any" means any term, including the types that were added later.
        if bits & self.all() == self.all() {
            types = TypeSet::ANY;
        }

        let mut found = Type {
            types,
            min: None,
            max: None,
            unit: 1,
        };
        if self.has_flags {
            let flag = |number: usize| bits >> (self.types.len() + number) & 1 != 0;
            if flag(0) {
                found.min = Some(reader.i64()?);
            }
            if flag(1) {
                found.max = Some(reader.i64()?);
            }
            if flag(2) {
                found.unit = u16::from(reader.u8()?) + 1;
            }
        } else {
            let (min, max) = (reader.i64()?, reader.i64()?);
            // An empty range means that no bounds are known.
            if min <= max {
                (found.min, found.max) = (Some(min), Some(max));
            }
        }
        Ok(found)
    }

    fn all(&self) -> u32 {
        (1 << self.types.len()) - 1
    }
}

/// `None` for an unknown version: types are only hints, and code has the same meaning without them.
pub(crate) fn parse(data: &[u8]) -> Result<Option<Vec<Type>>, BeamError> {
    let mut reader = Reader::new(ChunkId::TYPES, data);
    let Some(format) = Format::of_version(reader.u32()?) else {
        return Ok(None);
    };
    let count = reader.count(2)?;
    let mut types = Vec::with_capacity(count);
    for _ in 0..count {
        types.push(format.read(&mut reader)?);
    }
    let any = Type {
        types: TypeSet::ANY,
        min: None,
        max: None,
        unit: 1,
    };
    if types.first() != Some(&any) {
        return Err(reader.error_at(8, ErrorKind::BadType));
    }
    Ok(Some(types))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(version: u32, count: u32, entries: &[u8]) -> Vec<u8> {
        [&version.to_be_bytes()[..], &count.to_be_bytes(), entries].concat()
    }

    const NO_RANGE: [u8; 16] = [
        0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 255, 255, 255, 255, 255, 255,
    ];

    #[test]
    fn all_versions_come_to_one_form() {
        let small = Type {
            types: TypeSet::INTEGER,
            min: Some(1),
            max: Some(2),
            unit: 1,
        };
        let one_to_two = [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 2];
        let version_1 = [&[0x1f, 0xff][..], &NO_RANGE, &[0, 0x40], &one_to_two].concat();
        let version_2 = [&[0x1f, 0xff, 0x60, 0x40][..], &one_to_two].concat();
        let version_3 = [&[0x0f, 0xff, 0x30, 0x20][..], &one_to_two].concat();
        let version_4 = [&[0x1f, 0xff, 0x60, 0x20][..], &one_to_two].concat();
        for (version, entries) in [
            (1, version_1),
            (2, version_2),
            (3, version_3),
            (4, version_4),
        ] {
            let types = parse(&table(version, 2, &entries)).unwrap().unwrap();
            assert_eq!(types[0].types, TypeSet::ANY, "version {version}");
            assert_eq!(types[1], small, "version {version}");
        }
    }

    #[test]
    fn bounds_may_come_alone_and_bitstrings_have_units() {
        let entries = [
            0x0f, 0xff, 0x10, 0x20, 0, 0, 0, 0, 0, 0, 0, 7, 0x20, 0x20, 255, 255, 255, 255, 255,
            255, 255, 255, 0x40, 2, 7,
        ];
        let types = parse(&table(3, 4, &entries)).unwrap().unwrap();
        assert_eq!((types[1].min, types[1].max), (Some(7), None));
        assert_eq!((types[2].min, types[2].max), (None, Some(-1)));
        assert_eq!((types[3].types, types[3].unit), (BITSTRING_OR_CONTEXT, 8));
    }

    #[test]
    fn a_table_starts_with_any_and_has_no_empty_type() {
        let atom = [&[0, 1][..], &NO_RANGE].concat();
        assert_eq!(
            parse(&table(1, 1, &atom)).unwrap_err().kind,
            ErrorKind::BadType
        );
        assert_eq!(
            parse(&table(3, 2, &[0x0f, 0xff, 0, 0])).unwrap_err().kind,
            ErrorKind::BadType
        );
        assert_eq!(
            parse(&table(1, 0, &[])).unwrap_err().kind,
            ErrorKind::BadType
        );
        assert_eq!(parse(&table(99, 1, &[])), Ok(None));
    }
}
