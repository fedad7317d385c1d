//! Generic operations with their operands by name.
//!
//! [`Generic`] has a variant for each row of `spec`'s table of opcodes, with a field for each operand. The decoder has
//! proven that operands are of the kinds that the row says, so fields have the type of what is in them: a number is a
//! `u64`, a list a slice, and only what may be several things is an [`Operand`]. Plain data.

use spec::{Opcode, for_each_opcode};

use crate::{Code, Operand, Operation};

/// A floating-point register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FloatRegister(pub u32);

/// The type of a field for an operand of this kind.
macro_rules! field_type {
    (Number $lifetime:lifetime) => {
        u64
    };
    (Arity $lifetime:lifetime) => {
        u64
    };
    (Registers $lifetime:lifetime) => {
        u64
    };
    (NewLabel $lifetime:lifetime) => {
        u32
    };
    (Label $lifetime:lifetime) => {
        u32
    };
    (Fail $lifetime:lifetime) => {
        u32
    };
    (Import $lifetime:lifetime) => {
        u32
    };
    (Lambda $lifetime:lifetime) => {
        u32
    };
    (Line $lifetime:lifetime) => {
        u32
    };
    (Float $lifetime:lifetime) => {
        FloatRegister
    };
    (List $lifetime:lifetime) => {
        &$lifetime[Operand]
    };
    ($other:ident $lifetime:lifetime) => {
        Operand
    };
}

/// The value of a field: what is in the operand, whose kind was proven.
macro_rules! field {
    (Number $operand:ident, $code:expr) => {
        number($operand)
    };
    (Arity $operand:ident, $code:expr) => {
        number($operand)
    };
    (Registers $operand:ident, $code:expr) => {
        number($operand)
    };
    (NewLabel $operand:ident, $code:expr) => {
        number($operand) as u32
    };
    (Label $operand:ident, $code:expr) => {
        index($operand)
    };
    (Fail $operand:ident, $code:expr) => {
        index($operand)
    };
    (Import $operand:ident, $code:expr) => {
        index($operand)
    };
    (Lambda $operand:ident, $code:expr) => {
        index($operand)
    };
    (Line $operand:ident, $code:expr) => {
        index($operand)
    };
    (Float $operand:ident, $code:expr) => {
        float($operand)
    };
    (List $operand:ident, $code:expr) => {
        list($operand, $code)
    };
    ($other:ident $operand:ident, $code:expr) => {
        $operand
    };
}

macro_rules! generic {
    ($(($number:literal, $variant:ident, $name:literal,
        [$($field:ident: $kind:ident $([$($element:ident),*])?),*],
        $status:expr, $effect:ident),)*) => {
        /// A generic operation and its operands.
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub enum Generic<'a> {
            $(
                #[doc = concat!("`", $name, "`")]
                $variant { $($field: field_type!($kind 'a),)* },
            )*
        }

        impl Code {
            /// An operation of this code, with its operands by name.
            #[inline]
            pub fn generic(&self, operation: &Operation) -> Generic<'_> {
                match (operation.opcode, self.operands(operation)) {
                    $((Opcode::$variant, &[$($field),*]) => {
                        Generic::$variant { $($field: field!($kind $field, self),)* }
                    })*
                    (opcode, operands) => unreachable!("proven operands: {opcode:?} {operands:?}"),
                }
            }
        }
    };
}

for_each_opcode!(generic);

fn number(operand: Operand) -> u64 {
    match operand {
        Operand::Number(number) => number,
        other => unreachable!("proven to be a number: {other:?}"),
    }
}

fn index(operand: Operand) -> u32 {
    match operand {
        Operand::Label(index)
        | Operand::Import(index)
        | Operand::Lambda(index)
        | Operand::Line(index) => index,
        other => unreachable!("proven to be an index: {other:?}"),
    }
}

fn float(operand: Operand) -> FloatRegister {
    match operand {
        Operand::FloatReg(register) => FloatRegister(register),
        other => unreachable!("proven to be a floating-point register: {other:?}"),
    }
}

fn list(operand: Operand, code: &Code) -> &[Operand] {
    match operand {
        Operand::List(span) => code.list(span),
        other => unreachable!("proven to be a list: {other:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operands_fit_in_a_few_words() {
        // The loader makes one for each operation.
        assert!(size_of::<Generic<'_>>() <= 136);
    }
}
