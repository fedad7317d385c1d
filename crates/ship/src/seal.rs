//! What a packed program says about itself, in the program and not in the archive behind it: so a file that was cut, or
//! whose archive was changed or stripped off, is noticed before anything of it runs.
//!
//! The seal is a variable of the program with a mark in front, which [`Seal::write`] overwrites in the copy that it
//! packs. In a ferl that is not packed it is empty.
//!
//! ```text
//! byte  0..24   the mark
//!      24..32   the length of the program: where the archive begins
//!      32..40   the length of the whole file
//!      40..44   CRC-32 of the archive, which every start checks
//!      44..48   zero
//!      48..80   SHA-256 of the whole file, with zeroes in place of this sum; `--verify` checks it
//! ```
//!
//! It protects against accidents. Who changes a file on purpose writes another seal: against that, compare the sum of
//! the file with one that was kept elsewhere, or verify a signature ([`crate::verify`]).

use std::fs::File;
use std::hint::black_box;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use memchr::memmem;
use sha2::{Digest, Sha256};

use crate::{AtPath, ShipError};

const MARK_BYTES: usize = 24;
const SEAL_BYTES: usize = 80;
const SUM: std::ops::Range<usize> = 48..80;
/// How much of a file is read at once.
const CHUNK_BYTES: usize = 1 << 18;

/// Begins with the mark; a newer form of packed files gets another one.
static SEAL: [u8; SEAL_BYTES] = {
    let mut seal = [0; SEAL_BYTES];
    let mark = b"ferl packed file, seal 1";
    let mut place = 0;
    while place < MARK_BYTES {
        seal[place] = mark[place];
        place += 1;
    }
    seal
};

/// The seal as it is in the file of this program: the compiler must not take it for what it is in the source.
fn own() -> &'static [u8; SEAL_BYTES] {
    black_box(&SEAL)
}

/// The lengths and sums of a packed program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seal {
    program_bytes: u64,
    file_bytes: u64,
    archive_crc: u32,
    sum: [u8; 32],
}

impl Seal {
    /// The seal of this program; `None` if it is not packed.
    #[must_use]
    pub fn own() -> Option<Seal> {
        Seal::read(own())
    }

    /// The seal of another program; `None` if it is not packed, or not by a ferl of this form.
    #[must_use]
    pub fn of(program: &[u8]) -> Option<Seal> {
        let place = place_in(program)?;
        Seal::read(program[place..].first_chunk()?)
    }

    fn read(bytes: &[u8; SEAL_BYTES]) -> Option<Seal> {
        let number = |place: usize| {
            let bytes = bytes[place..].first_chunk().copied().unwrap_or_default();
            u64::from_le_bytes(bytes)
        };
        let seal = Seal {
            program_bytes: number(24),
            file_bytes: number(32),
            // The four bytes behind it are zero.
            archive_crc: u32::try_from(number(40)).ok()?,
            sum: bytes[SUM].try_into().unwrap_or_default(),
        };
        (seal.file_bytes != 0).then_some(seal)
    }

    /// Seals a program and its archive: writes into the program what both are.
    ///
    /// # Errors
    /// The program is no ferl that can start a packed file of this form.
    pub fn write(program: &mut [u8], archive: &[u8]) -> Result<(), NoSeal> {
        let place = place_in(program).ok_or(NoSeal)?;
        let (program_bytes, archive_bytes) = (program.len() as u64, archive.len() as u64);
        let mut field = |from: usize, bytes: &[u8]| {
            program[place + from..][..bytes.len()].copy_from_slice(bytes);
        };
        field(SUM.start, &[0; 32]);
        field(24, &program_bytes.to_le_bytes());
        field(32, &(program_bytes + archive_bytes).to_le_bytes());
        field(40, &u64::from(crc32fast::hash(archive)).to_le_bytes());
        let sum = Sha256::new()
            .chain_update(&*program)
            .chain_update(archive)
            .finalize();
        program[place + SUM.start..][..sum.len()].copy_from_slice(&sum);
        Ok(())
    }

    /// Whether a file is as long as it was, and its archive has the same sum.
    pub fn check(&self, file: &mut File, path: &Path) -> Result<(), ShipError> {
        let length = file.metadata().at(path)?.len();
        if length != self.file_bytes {
            let what = if length == self.program_bytes {
                "its archive is missing (was it stripped?)"
            } else if length < self.file_bytes {
                "it is cut"
            } else {
                "something was added to it"
            };
            return Err(ShipError::plain(format!(
                "{}: {what}: it has {length} bytes and had {} when it was packed. Copy or pack it again",
                path.display(),
                self.file_bytes
            )));
        }
        let mut crc = crc32fast::Hasher::new();
        file.seek(SeekFrom::Start(self.program_bytes)).at(path)?;
        each_chunk(file, |chunk| crc.update(chunk)).at(path)?;
        if crc.finalize() != self.archive_crc {
            return Err(ShipError::plain(format!(
                "{}: its archive was changed since it was packed: --verify tells what. Copy or pack it again",
                path.display()
            )));
        }
        Ok(())
    }

    /// Whether the whole file, the program included, is as it was when it was packed.
    #[must_use]
    pub fn is_whole(&self, file: &[u8]) -> bool {
        let Some(place) = place_in(file) else {
            return false;
        };
        let (before, after) = (place + SUM.start, place + SUM.end);
        let sum = Sha256::new()
            .chain_update(&file[..before])
            .chain_update([0; 32])
            .chain_update(&file[after.min(file.len())..])
            .finalize();
        file.len() as u64 == self.file_bytes && sum[..] == self.sum
    }

    /// Where the archive begins.
    #[must_use]
    pub fn program_bytes(&self) -> u64 {
        self.program_bytes
    }
}

/// A program that has no place for a seal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoSeal;

/// Where the seal is in a program. The mark must be there once: what is found twice may be either.
fn place_in(program: &[u8]) -> Option<usize> {
    let mut places = memmem::find_iter(program, &own()[..MARK_BYTES]);
    let place = places.next()?;
    let is_whole = program.len() >= place + SEAL_BYTES;
    (is_whole && places.next().is_none()).then_some(place)
}

fn each_chunk(file: &mut File, mut take: impl FnMut(&[u8])) -> io::Result<()> {
    let mut chunk = vec![0; CHUNK_BYTES];
    loop {
        match file.read(&mut chunk) {
            Ok(0) => return Ok(()),
            Ok(length) => take(&chunk[..length]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// The place for a seal as it is in a ferl.
#[cfg(test)]
pub(crate) fn place() -> Vec<u8> {
    own().to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    /// A program with a place for a seal.
    fn program() -> Vec<u8> {
        [b"before".as_slice(), own(), b"behind"].concat()
    }

    fn sealed(archive: &[u8]) -> Vec<u8> {
        let mut program = program();
        Seal::write(&mut program, archive).unwrap();
        [&program, archive].concat()
    }

    fn check(bytes: &[u8], seal: Seal) -> String {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        match seal.check(&mut file, Path::new("app")) {
            Ok(()) => "ok".to_owned(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn a_change_anywhere_is_noticed() {
        let whole = sealed(b"an archive");
        let seal = Seal::of(&whole).unwrap();
        assert_eq!(check(&whole, seal), "ok");
        assert!(seal.is_whole(&whole));
        for place in 0..whole.len() {
            let mut changed = whole.clone();
            changed[place] ^= 1;
            // By the seal that the changed file has, if it still has one.
            let own = Seal::of(&changed).is_some_and(|own| own.is_whole(&changed));
            assert!(!own, "byte {place}");
            let in_archive = place >= program().len();
            assert_eq!(check(&changed, seal) != "ok", in_archive, "byte {place}");
        }
        assert!(check(&whole[..whole.len() - 1], seal).contains("it is cut"));
        assert!(check(&program(), seal).contains("archive is missing"));
        assert!(check(&[&whole, &b"x"[..]].concat(), seal).contains("was added"));
    }

    #[test]
    fn a_program_without_a_place_for_it_is_refused() {
        for mut program in [b"no ferl".to_vec(), [program(), program()].concat()] {
            assert_eq!(Seal::write(&mut program, b""), Err(NoSeal));
            assert_eq!(Seal::of(&program), None);
        }
        assert_eq!(Seal::of(&program()), None);
        assert_eq!(Seal::own(), None);
    }
}
