//! Bit strings: matching and building them.
//!
//! `range` copies and compares raw bits; `integer`, `float` and `utf` read and write values at any bit; `matching`
//! implements match contexts; `construct` builds bit strings from segments; `append` grows a binary in place; `whole`
//! is the fast path for strings of whole bytes. Positions and sizes come from programs, so a read or write past the end
//! is refused before memory is touched.

pub mod append;
pub mod construct;
pub mod float;
pub mod integer;
pub mod matching;
pub mod range;
pub mod utf;
pub mod whole;

use layout::Term;

use crate::am;

/// The flags of a segment, as the generic instructions encode them.
///
/// ```text
/// bit 0  aligned (a hint)
/// bit 1  little-endian
/// bit 2  signed
/// bit 3  exact (a hint)
/// bit 4  native-endian: `Flags::new` turns it into bit 1 or nothing
/// ```
#[repr(transparent)]
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Flags(u32);

impl Flags {
    pub const BIG: Flags = Flags(0);
    pub const LITTLE: Flags = Flags(2);
    pub const SIGNED: Flags = Flags(4);
    /// In the operand of an instruction: the byte order of the processor.
    pub const NATIVE: u32 = 16;

    /// As the operand of an instruction.
    #[inline]
    #[must_use]
    pub const fn bits(self) -> u32 {
        self.0
    }

    /// The flags in the operand of an instruction.
    #[inline]
    #[must_use]
    pub const fn new(bits: u32) -> Flags {
        let native = if cfg!(target_endian = "little") {
            bits >> 3 & 2
        } else {
            0
        };
        Flags(bits & 0b110 | native)
    }

    #[inline(always)]
    #[must_use]
    pub const fn is_little(self) -> bool {
        self.0 & 2 != 0
    }

    #[inline(always)]
    #[must_use]
    pub const fn is_signed(self) -> bool {
        self.0 & 4 != 0
    }
}

/// What is wrong with a segment, as named in `error_info`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// The value has the wrong type, or is not a valid character.
    Type,
    /// The size is not a valid size, or is too large.
    Size,
    /// The binary has fewer bits than the size says.
    Short,
    /// The size of the binary is not a multiple of the unit.
    Unit,
    /// The integer is too large for a float.
    NoFloat,
    /// There are no floats of this size.
    Invalid,
}

impl Fault {
    /// The atom that `error_info` uses.
    #[must_use]
    pub const fn atom(self) -> Term {
        match self {
            Fault::Type => am::TYPE,
            Fault::Size => am::SIZE,
            Fault::Short => am::SHORT,
            Fault::Unit => am::UNIT,
            Fault::NoFloat => am::NO_FLOAT,
            Fault::Invalid => am::INVALID,
        }
    }
}

/// The width in bits that a size operand of a match asks for; `None` means that the match fails.
#[inline]
#[must_use]
pub fn match_width(size: Term, unit: u32) -> Option<u64> {
    let size = u64::try_from(size.as_small()?).ok()?;
    size.checked_mul(u64::from(unit))
}

/// The size of a segment that takes all that there is. Only the compiler can ask for that, by the constant `all`; the
/// atom `all` as the value of a variable is no size. So the constant is kept as something that no variable holds.
pub const ALL: Term = Term::NO_CATCH;

/// Whether a size operand is [`ALL`].
#[inline]
#[must_use]
pub fn is_all(size: Term) -> bool {
    size == ALL
}

#[cfg(test)]
mod tests;
