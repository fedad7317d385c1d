//! The commands of `bs_match`: one operation that tests and takes several segments of a bit string.
//!
//! In the file they are a flat list: the name of a command, an atom, and its operands. Decoding proves that the list
//! consists of whole commands, so whoever reads them afterwards never stops before the end.

use crate::operand::Operand;
use crate::{BeamFile, Code};

/// A command of `bs_match`. Sizes are in units, unless they are called bits. A size that does not fit is `u64::MAX`: no
/// bit string is that long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatchCommand {
    /// At least so many bits are left, and what is left behind them is a multiple of the unit.
    EnsureAtLeast {
        bits: u64,
        unit: u64,
    },
    /// Exactly so many bits are left.
    EnsureExactly {
        bits: u64,
    },
    Integer(MatchSegment),
    Binary(MatchSegment),
    /// The next bits are those of an integer.
    Equals {
        bits: u64,
        value: u64,
    },
    Skip {
        bits: u64,
    },
    /// What is left.
    GetTail {
        live: u64,
        dest: Operand,
    },
}

/// A segment of a constant size that is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatchSegment {
    pub live: u64,
    /// `Nil`, or a literal: a list of atoms.
    pub flags: Operand,
    pub size: u64,
    pub unit: u64,
    pub dest: Operand,
}

impl MatchSegment {
    /// The size in bits.
    #[must_use]
    pub fn bits(&self) -> u64 {
        self.size.saturating_mul(self.unit)
    }
}

/// The largest unit.
const MAX_UNIT: u64 = 256;
/// The largest number of bits that `=:=` compares.
const MAX_VALUE_BITS: u64 = 64;

impl MatchCommand {
    /// Reads the first command of a list, and returns it with the rest. `None` if there is no whole and valid command;
    /// after decoding, that means the end of the list.
    #[must_use]
    pub fn read<'a>(
        file: &BeamFile<'_>,
        code: &Code,
        list: &'a [Operand],
    ) -> Option<(MatchCommand, &'a [Operand])> {
        let (&Operand::Atom(name), rest) = list.split_first()? else {
            return None;
        };
        let (command, operands) = match &file.atoms[name as usize] {
            "ensure_at_least" => {
                let bits = number(rest, 0)?;
                let unit = number(rest, 1)?;
                (
                    MatchCommand::EnsureAtLeast {
                        bits,
                        unit: is_unit(unit)?,
                    },
                    2,
                )
            }
            "ensure_exactly" => (
                MatchCommand::EnsureExactly {
                    bits: number(rest, 0)?,
                },
                1,
            ),
            "integer" => (MatchCommand::Integer(segment(rest)?), 5),
            "binary" => (MatchCommand::Binary(segment(rest)?), 5),
            "=:=" => {
                let bits = number(rest, 1)?;
                let value = value(code, *rest.get(2)?)?;
                let fits = (1..=MAX_VALUE_BITS).contains(&bits) && value <= u64::MAX >> (64 - bits);
                if rest[0] != Operand::Nil || !fits {
                    return None;
                }
                (MatchCommand::Equals { bits, value }, 3)
            }
            "skip" => (
                MatchCommand::Skip {
                    bits: number(rest, 0)?,
                },
                1,
            ),
            "get_tail" => {
                is_unit(number(rest, 1)?)?;
                let (live, dest) = (live(rest)?, register(rest, 2)?);
                (MatchCommand::GetTail { live, dest }, 3)
            }
            _ => return None,
        };
        Some((command, rest.get(operands..)?))
    }
}

fn segment(operands: &[Operand]) -> Option<MatchSegment> {
    let flags = *operands.get(1)?;
    let (size, unit) = (number(operands, 2)?, is_unit(number(operands, 3)?)?);
    matches!(flags, Operand::Nil | Operand::Literal(_)).then_some(MatchSegment {
        live: live(operands)?,
        flags,
        size,
        unit,
        dest: register(operands, 4)?,
    })
}

/// A number of live X registers, which comes first.
fn live(operands: &[Operand]) -> Option<u64> {
    number(operands, 0).filter(|&live| live <= crate::REGISTERS.into())
}

fn is_unit(unit: u64) -> Option<u64> {
    (1..=MAX_UNIT).contains(&unit).then_some(unit)
}

fn number(operands: &[Operand], place: usize) -> Option<u64> {
    match *operands.get(place)? {
        Operand::Number(number) => Some(number),
        Operand::Integer(number) => u64::try_from(number).ok(),
        _ => None,
    }
}

/// An integer that fits 64 bits without a sign.
fn value(code: &Code, operand: Operand) -> Option<u64> {
    match operand {
        Operand::Number(value) => Some(value),
        Operand::Integer(value) => u64::try_from(value).ok(),
        Operand::BigInteger(span) => match code.big_integer(span) {
            [0, bytes @ ..] => Some(u64::from_be_bytes(bytes.try_into().ok()?)),
            _ => None,
        },
        _ => None,
    }
}

fn register(operands: &[Operand], place: usize) -> Option<Operand> {
    operands.get(place).copied().filter(|operand| {
        matches!(
            operand,
            Operand::X(_) | Operand::Y(_) | Operand::TypedX { .. } | Operand::TypedY { .. }
        )
    })
}
