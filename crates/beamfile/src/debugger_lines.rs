//! The table for debuggers, `DbgB` (OTP 28): where the variables are at each line at which a process can be stopped.
//!
//! ```text
//! 1, number of lines, number of elements of all lists      three words
//! 4, 0, frame        for each line: nil without a frame, an atom at the entry of a function, or the words of the frame
//! 4, 1, list         if there are variables: name, value for each
//! 4, 2, list         if there are calls: arity, module, function for each, or arity + 256, function, or a variable
//! ```
//!
//! Below the words all is compact. Every index is validated.

use crate::constants::{Constant, Table};
use crate::container::ChunkId;
use crate::operand::REGISTERS;
use crate::reader::{Reader, Tag};
use crate::{Atoms, BeamError};

/// A line at which a process can be stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DebuggerLine {
    pub frame: LineFrame,
    /// The names and values of the variables. At a function's entry the names are the numbers of the arguments.
    pub variables: Vec<(Constant, LineValue)>,
    /// What is called before the next line.
    pub calls: Vec<LineCall>,
}

/// The stack frame at a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineFrame {
    None,
    /// The entry of a function, which is no place to stop.
    Entry,
    Words(u32),
}

/// Where the value of a variable is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LineValue {
    X(u32),
    Y(u32),
    Constant(Constant),
}

/// A call. Names are atoms, or literals that are the names of variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LineCall {
    Remote {
        module: Constant,
        function: Constant,
        arity: u8,
    },
    Local {
        function: Constant,
        arity: u8,
    },
    /// Of a fun.
    Variable(Constant),
}

/// The opcode that begins every part.
const PART: u8 = 4;
const VARIABLES: u64 = 1;
const CALLS: u64 = 2;
/// Added to the arity of a local call.
const LOCAL: u64 = 256;
/// Bytes that a line takes at least.
const LINE_BYTES: usize = 3;

/// `None` for an unknown version: then the module has nothing for debuggers.
pub(crate) fn debugger_lines(
    data: &[u8],
    atoms: &Atoms,
    literals: usize,
) -> Result<Option<Vec<DebuggerLine>>, BeamError> {
    let mut table = Table {
        reader: Reader::new(ChunkId::DEBUGGER_LINES, data),
        atoms,
        literals,
    };
    if table.reader.u32()? != 1 {
        return Ok(None);
    }
    let count = table.reader.count(LINE_BYTES)?;
    let elements = table.reader.u32()?;
    let mut lines = Vec::with_capacity(count);
    let mut found = 0;
    while table.reader.remaining() > 0 {
        let offset = table.reader.offset();
        match table.part()? {
            0 => lines.push(DebuggerLine {
                frame: table.frame()?,
                variables: Vec::new(),
                calls: Vec::new(),
            }),
            part @ (VARIABLES | CALLS) => {
                let Some(line) = lines.last_mut() else {
                    return Err(table.bad_tag(offset, Tag::Unsigned));
                };
                let length = table.list()?;
                found += length;
                if part == VARIABLES {
                    line.variables = table.variables(length)?;
                } else {
                    line.calls = table.calls(length)?;
                }
            }
            _ => return Err(table.bad_tag(offset, Tag::Unsigned)),
        }
    }
    if lines.len() != count {
        return Err(table.bad_count(4, count as u64));
    }
    if found != elements as usize {
        return Err(table.bad_count(8, elements.into()));
    }
    Ok(Some(lines))
}

impl Table<'_> {
    /// What the part that begins here is about.
    fn part(&mut self) -> Result<u64, BeamError> {
        let offset = self.reader.offset();
        match self.reader.u8()? {
            PART => self.reader.unsigned(),
            _ => Err(self.bad_tag(offset, Tag::Unsigned)),
        }
    }

    fn frame(&mut self) -> Result<LineFrame, BeamError> {
        let offset = self.reader.offset();
        Ok(match self.reader.compact()? {
            (Tag::Unsigned, words) => {
                LineFrame::Words(self.index("frame", offset, words.unsigned(), 1 << 16)?)
            }
            term @ (Tag::Atom, _) => match self.constant(offset, term)? {
                Constant::Nil => LineFrame::None,
                _ => LineFrame::Entry,
            },
            (tag, _) => return Err(self.bad_tag(offset, tag)),
        })
    }

    fn variables(&mut self, length: usize) -> Result<Vec<(Constant, LineValue)>, BeamError> {
        if length % 2 != 0 {
            return Err(self.bad_count(self.reader.offset(), length as u64));
        }
        (0..length / 2)
            .map(|_| Ok((self.any_name()?, self.value()?)))
            .collect()
    }

    fn any_name(&mut self) -> Result<Constant, BeamError> {
        let offset = self.reader.offset();
        let term = self.reader.compact()?;
        self.constant(offset, term)
    }

    fn value(&mut self) -> Result<LineValue, BeamError> {
        let offset = self.reader.offset();
        let (tag, number) = self.reader.compact()?;
        let register =
            |table: &Self| table.index("register", offset, number.unsigned(), REGISTERS as usize);
        Ok(match tag {
            Tag::X => LineValue::X(register(self)?),
            Tag::Y => LineValue::Y(register(self)?),
            _ => LineValue::Constant(self.constant(offset, (tag, number))?),
        })
    }

    fn calls(&mut self, length: usize) -> Result<Vec<LineCall>, BeamError> {
        let begin = self.reader.offset();
        let mut calls = Vec::new();
        let mut left = length;
        while left > 0 {
            let offset = self.reader.offset();
            let (tag, number) = self.reader.compact()?;
            let taken = match (tag, number.unsigned()) {
                (Tag::Unsigned, 0..LOCAL) => 3,
                (Tag::Unsigned, _) => 2,
                _ => 1,
            };
            left = left
                .checked_sub(taken)
                .ok_or_else(|| self.bad_count(begin, length as u64))?;
            calls.push(match taken {
                3 => LineCall::Remote {
                    module: self.any_name()?,
                    function: self.any_name()?,
                    arity: number.unsigned() as u8,
                },
                2 => {
                    let arity = number.unsigned() - LOCAL;
                    LineCall::Local {
                        function: self.any_name()?,
                        arity: self.index("arity", offset, arity, 256)? as u8,
                    }
                }
                _ => LineCall::Variable(self.constant(offset, (tag, number))?),
            });
        }
        Ok(calls)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorKind;

    fn parse(data: &[u8]) -> Result<Option<Vec<DebuggerLine>>, ErrorKind> {
        let atoms = Atoms::from_iter(["m", "entry", "f"]);
        debugger_lines(data, &atoms, 2).map_err(|error| error.kind)
    }

    /// The entry of a function with one argument; a line without a frame where a variable is in x0, which calls
    /// `m:f/1`; one with a frame of two words where it is in y1, and another is 7, which calls `f/2` and a fun.
    const LINES: &[u8] = &[
        0, 0, 0, 1, 0, 0, 0, 3, 0, 0, 0, 14, //
        4, 0x00, 0x22, 4, 0x10, 0x17, 0x20, 0x11, 0x03, //
        4, 0x00, 0x02, 4, 0x10, 0x17, 0x20, 0x47, 0x00, 0x03, //
        4, 0x20, 0x17, 0x30, 0x10, 0x12, 0x32, //
        4, 0x00, 0x20, 4, 0x10, 0x17, 0x40, 0x47, 0x00, 0x14, 0x47, 0x10, 0x71, //
        4, 0x20, 0x17, 0x30, 0x28, 0x02, 0x32, 0x47, 0x00,
    ];

    fn changed(at: usize, byte: u8) -> Vec<u8> {
        let mut bytes = LINES.to_vec();
        bytes[at] = byte;
        bytes
    }

    #[test]
    fn lines_have_variables_and_calls() {
        let number = |value: i64| Constant::Integer(value.to_be_bytes().to_vec());
        let [a, b] = [0, 1].map(Constant::Literal);
        let lines = vec![
            DebuggerLine {
                frame: LineFrame::Entry,
                variables: vec![(number(1), LineValue::X(0))],
                calls: vec![],
            },
            DebuggerLine {
                frame: LineFrame::None,
                variables: vec![(a.clone(), LineValue::X(0))],
                calls: vec![LineCall::Remote {
                    module: Constant::Atom(0),
                    function: Constant::Atom(2),
                    arity: 1,
                }],
            },
            DebuggerLine {
                frame: LineFrame::Words(2),
                variables: vec![
                    (a.clone(), LineValue::Y(1)),
                    (b, LineValue::Constant(number(7))),
                ],
                calls: vec![
                    LineCall::Local {
                        function: Constant::Atom(2),
                        arity: 2,
                    },
                    LineCall::Variable(a),
                ],
            },
        ];
        assert_eq!(parse(LINES), Ok(Some(lines)));
        assert_eq!(parse(&changed(3, 2)), Ok(None));
        assert_eq!(
            parse(&[0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0]),
            Ok(Some(vec![]))
        );
    }

    #[test]
    fn damaged_tables_are_refused() {
        for end in 4..LINES.len() {
            assert!(parse(&LINES[..end]).is_err(), "{end} bytes");
        }
        let too_many = |value, limit, what| ErrorKind::OutOfRange { what, value, limit };
        for (at, byte, kind) in [
            (7, 2, ErrorKind::BadCount(2)),
            (7, 100, ErrorKind::BadCount(100)),
            (11, 13, ErrorKind::BadCount(13)),
            (12, 5, ErrorKind::BadTag(Tag::Unsigned as u8)),
            // Variables before the first line, and a part that there is not.
            (13, 0x10, ErrorKind::BadTag(Tag::Unsigned as u8)),
            (16, 0x50, ErrorKind::BadTag(Tag::Unsigned as u8)),
            // A frame, a list, a name, a register and a literal.
            (14, 0x03, ErrorKind::BadTag(Tag::X as u8)),
            (17, 0x27, ErrorKind::BadTag(Tag::Extended as u8)),
            (18, 0x30, ErrorKind::BadCount(3)),
            (19, 0x13, ErrorKind::BadTag(Tag::X as u8)),
            (14, 0x52, too_many(4, 3, "atom")),
            (29, 0x20, too_many(2, 2, "literal")),
        ] {
            assert_eq!(parse(&changed(at, byte)), Err(kind), "byte {at}");
        }
    }
}
