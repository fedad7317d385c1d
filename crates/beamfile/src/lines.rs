//! The line table (chunk `Line`): what the operand of a `line` operation means.

use crate::container::ChunkId;
use crate::reader::{Reader, Tag};
use crate::{BeamError, ErrorKind};

/// Files and lines of a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lines {
    /// [`EXECUTABLE_LINES`] and [`FORCED_COUNTERS`] (OTP 27 and later).
    pub flags: u32,
    /// The number of `line` operations in the code.
    pub operation_count: u32,
    /// Indexed by the operand of `line`. The first one is the undefined location and is always present.
    pub locations: Vec<Location>,
    /// The first one is the module's own file, `module.erl`, and is always present.
    pub files: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Location {
    /// Index into [`Lines::files`]; out of range in an unknown location.
    pub file: u32,
    /// Counted from 1; 0 in undefined and unknown locations.
    pub line: u32,
}

impl Location {
    /// A location whose file index is out of range. It stands for locations that OTP's VM cannot represent and
    /// therefore drops.
    pub const UNKNOWN: Location = Location {
        file: u32::MAX,
        line: 0,
    };

    /// The line, unless the location is undefined or unknown.
    #[must_use]
    pub fn known_line(self) -> Option<u32> {
        let undefined = Location { file: 0, line: 0 };
        (self != undefined && self != Location::UNKNOWN).then_some(self.line)
    }
}

/// The code has `executable_line` operations.
const EXECUTABLE_LINES: u32 = 1;
/// The lines are to be counted whatever the node's mode of coverage is: `cover` asks for that.
const FORCED_COUNTERS: u32 = 2;

/// OTP's VM cannot represent lines from this number on.
const LINE_LIMIT: u32 = (1 << 24) - 1;
/// OTP's VM cannot represent files from this index on.
const FILE_LIMIT: u32 = 255;

impl Lines {
    /// Whether the code says which lines are executable.
    pub fn has_executable_lines(&self) -> bool {
        self.flags & EXECUTABLE_LINES != 0
    }

    /// Whether lines are to be counted whatever the node's mode of coverage is.
    pub fn forces_counters(&self) -> bool {
        self.flags & FORCED_COUNTERS != 0
    }

    /// `None` for an unknown version: the module then has no lines, as in OTP.
    pub(crate) fn parse(data: &[u8], module: &str) -> Result<Option<Lines>, BeamError> {
        let mut reader = Reader::new(ChunkId::LINES, data);
        if reader.u32()? != 0 {
            return Ok(None);
        }
        let flags = reader.u32()?;
        let operation_count = reader.u32()?;
        let location_count = reader.u32()? as usize;
        let file_count = reader.u32()? as usize;
        // A location takes at least one byte, and a name at least two.
        if location_count > reader.remaining() {
            return Err(reader.error_at(12, ErrorKind::BadCount(location_count as i64)));
        }
        if file_count > (reader.remaining() - location_count) / 2 {
            return Err(reader.error_at(16, ErrorKind::BadCount(file_count as i64)));
        }
        let locations = read_locations(&mut reader, location_count, file_count)?;
        let files = read_files(&mut reader, file_count, module)?;
        Ok(Some(Lines {
            flags,
            operation_count,
            locations,
            files,
        }))
    }
}

/// A number with the tag of an atom selects the file of the following locations; an integer is a line.
fn read_locations(
    reader: &mut Reader<'_>,
    count: usize,
    files: usize,
) -> Result<Vec<Location>, BeamError> {
    let mut locations = Vec::with_capacity(count + 1);
    locations.push(Location { file: 0, line: 0 });
    let mut file = 0;
    while locations.len() <= count {
        let offset = reader.offset();
        let (tag, number) = reader.compact()?;
        let out_of_range = |what, limit| {
            reader.error_at(
                offset,
                ErrorKind::OutOfRange {
                    what,
                    value: number.unsigned(),
                    limit,
                },
            )
        };
        match tag {
            Tag::Atom if number.unsigned() <= files as u64 => file = number.unsigned() as u32,
            Tag::Atom => return Err(out_of_range("file", files as u64)),
            Tag::Integer => match number
                .signed()
                .ok()
                .and_then(|line| u32::try_from(line).ok())
            {
                Some(line) if line < LINE_LIMIT && file < FILE_LIMIT => {
                    locations.push(Location { file, line });
                }
                Some(_) => locations.push(Location::UNKNOWN),
                None => return Err(out_of_range("line", u64::from(u32::MAX))),
            },
            _ => return Err(reader.error_at(offset, ErrorKind::BadTag(tag as u8))),
        }
    }
    Ok(locations)
}

fn read_files(
    reader: &mut Reader<'_>,
    count: usize,
    module: &str,
) -> Result<Vec<String>, BeamError> {
    let own = format!("{module}.erl");
    let mut files = Vec::with_capacity(count + 1);
    files.push(own.clone());
    for _ in 0..count {
        let size = usize::from(reader.u16()?);
        let offset = reader.offset();
        match str::from_utf8(reader.bytes(size)?) {
            // OTP treats an empty file name as the module's own file.
            Ok("") => files.push(own.clone()),
            Ok(name) => files.push(name.to_owned()),
            Err(_) => return Err(reader.error_at(offset, ErrorKind::BadText)),
        }
    }
    Ok(files)
}
