//! The atom tables: `AtU8` with one-byte lengths, with compact lengths (OTP 28 and later), and `Atom` in Latin-1.

use std::ops::Index;

use crate::container::ChunkId;
use crate::reader::Reader;
use crate::{BeamError, ErrorKind};

const MAX_ATOM_CHARACTERS: usize = 255;

/// The texts of a file's atoms, one behind the other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Atoms {
    texts: String,
    /// Where each ends. A file has less than 4 GiB, and a Latin-1 character becomes two bytes at most.
    ends: Vec<u32>,
}

impl Atoms {
    fn with_capacity(count: usize, bytes: usize) -> Atoms {
        Atoms {
            texts: String::with_capacity(bytes),
            ends: Vec::with_capacity(count),
        }
    }

    /// Adds a text; `None` where there is no room.
    fn add(&mut self, text: impl Iterator<Item = char>) -> Option<()> {
        self.texts.extend(text);
        self.ends.push(u32::try_from(self.texts.len()).ok()?);
        Some(())
    }

    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The texts in the order of the file.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        (0..self.len()).map(|index| &self[index])
    }
}

#[cfg(test)]
impl<'a> FromIterator<&'a str> for Atoms {
    fn from_iter<I: IntoIterator<Item = &'a str>>(texts: I) -> Atoms {
        let mut atoms = Atoms::default();
        texts
            .into_iter()
            .for_each(|text| atoms.add(text.chars()).unwrap());
        atoms
    }
}

impl Index<usize> for Atoms {
    type Output = str;

    fn index(&self, index: usize) -> &str {
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.texts[start as usize..self.ends[index] as usize]
    }
}

/// The atoms of the chunk `AtU8`.
///
/// A negative count means that lengths are compact numbers, because an atom of 255 characters may have 1020 bytes.
pub(crate) fn utf8(data: &[u8]) -> Result<Atoms, BeamError> {
    let mut reader = Reader::new(ChunkId::ATOMS_UTF8, data);
    let count = reader.u32()? as i32;
    let compact = count < 0;
    entries(reader, i64::from(count).unsigned_abs(), |reader, atoms| {
        let length = if compact {
            reader.unsigned()?
        } else {
            u64::from(reader.u8()?)
        };
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        let offset = reader.offset();
        let text = str::from_utf8(reader.bytes(length)?).ok();
        match text {
            Some(text) if text.chars().count() <= MAX_ATOM_CHARACTERS => {
                Ok(atoms.add(text.chars()))
            }
            _ => Err(reader.error_at(offset, ErrorKind::BadText)),
        }
    })
}

/// The atoms of the chunk `Atom`.
pub(crate) fn latin1(data: &[u8]) -> Result<Atoms, BeamError> {
    let mut reader = Reader::new(ChunkId::ATOMS_LATIN1, data);
    let count = reader.u32()?;
    entries(reader, u64::from(count), |reader, atoms| {
        let length = usize::from(reader.u8()?);
        let characters = reader.bytes(length)?.iter().copied().map(char::from);
        Ok(atoms.add(characters))
    })
}

fn entries(
    mut reader: Reader<'_>,
    count: u64,
    mut entry: impl FnMut(&mut Reader<'_>, &mut Atoms) -> Result<Option<()>, BeamError>,
) -> Result<Atoms, BeamError> {
    // Each atom takes at least one byte; and there is at least one atom, the module's name.
    if count == 0 || count > reader.remaining() as u64 {
        return Err(reader.error_at(0, ErrorKind::BadCount(count as i64)));
    }
    let mut atoms = Atoms::with_capacity(count as usize, reader.remaining());
    for _ in 0..count {
        if entry(&mut reader, &mut atoms)?.is_none() {
            return Err(reader.error_at(0, ErrorKind::BadCount(count as i64)));
        }
    }
    // The lengths of the atoms are no part of their texts.
    atoms.texts.shrink_to_fit();
    Ok(atoms)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_three_forms_are_read() {
        for (atoms, expected) in [
            (utf8(b"\0\0\0\x02\x01a\x03\xe2\x82\xac"), vec!["a", "€"]),
            (
                utf8(b"\xff\xff\xff\xfe\x10a\x30\xe2\x82\xac"),
                vec!["a", "€"],
            ),
            (latin1(b"\0\0\0\x02\x02\xe5a\0"), vec!["åa", ""]),
        ] {
            let atoms = atoms.unwrap();
            assert_eq!(atoms.iter().collect::<Vec<_>>(), expected);
            assert_eq!(atoms.len(), expected.len());
        }
    }

    #[test]
    fn atoms_have_255_characters_and_not_more() {
        let with = |characters: usize| {
            let text = "€".repeat(characters);
            let mut data = (-1i32).to_be_bytes().to_vec();
            // The eleven-bit form of an unsigned compact number.
            data.extend([((text.len() >> 3) & 0xe0) as u8 | 0x08, text.len() as u8]);
            data.extend(text.as_bytes());
            utf8(&data)
        };
        assert_eq!(with(255).map(|atoms| atoms[0].chars().count()), Ok(255));
        assert_eq!(
            with(256).map_err(|error| error.kind),
            Err(ErrorKind::BadText)
        );
    }

    #[test]
    fn impossible_tables_are_refused() {
        for (data, kind) in [
            (&b"\0\0"[..], ErrorKind::Truncated),
            (b"\0\0\0\0", ErrorKind::BadCount(0)),
            (b"\x7f\xff\xff\xff\x01a", ErrorKind::BadCount(0x7fff_ffff)),
            (b"\x80\0\0\0\x01a", ErrorKind::BadCount(0x8000_0000)),
            (b"\0\0\0\x01\x02a", ErrorKind::Truncated),
            (b"\0\0\0\x01\x01\xff", ErrorKind::BadText),
        ] {
            assert_eq!(
                utf8(data).map_err(|error| error.kind),
                Err(kind),
                "{data:?}"
            );
        }
    }
}
