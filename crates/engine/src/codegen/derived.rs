//! The translation of generic operations that are always one instruction. All of it follows from the table of
//! operations (`operation_table.rs`): an operand of the generic operation becomes the operand word of the same name, or
//! what a function of `convert.rs` makes of it.

use beamfile::{FloatRegister, Generic, Operand as FileOperand};
use layout::Term;
use spec::Opcode;

use super::convert::{
    element_offset, heap_bytes, segment_size, term, tuple_header, words_to_bytes,
};
use super::emit::Emitter;
use super::error::{CodegenErrorKind, Result};
use crate::operand::Operand;
use crate::operation::Operation;
use crate::{bodies, encoding, slow};

/// What a field of an encoding takes from an operand of the same name.
trait Given<T> {
    fn given(self, emitter: &Emitter<'_>) -> T;
}

impl Given<Operand> for FileOperand {
    fn given(self, emitter: &Emitter<'_>) -> Operand {
        emitter.source(self)
    }
}

impl Given<Term> for FileOperand {
    fn given(self, emitter: &Emitter<'_>) -> Term {
        emitter.constant(self).expect("a proven constant")
    }
}

impl Given<u32> for u32 {
    fn given(self, _: &Emitter<'_>) -> u32 {
        self
    }
}

impl Given<u64> for u64 {
    fn given(self, _: &Emitter<'_>) -> u64 {
        self
    }
}

/// The byte offset of a floating-point register.
impl Given<u64> for FloatRegister {
    fn given(self, _: &Emitter<'_>) -> u64 {
        u64::from(self.0) * 8
    }
}

macro_rules! derive {
    ([] bodies {
        $($module:ident::$name:ident [$($kinds:ident)?] $encoding:ident
            $(from $generic:ident {
                $($same:ident),* $(; $($field:ident: $convert:ident($operand:ident)),*)?
            })?;)*
    } slow {
        $($slow_module:ident::$slow_name:ident $slow_encoding:ident from $slow_generic:ident {
            $($slow_same:ident),* $(; $($slow_field:ident: $slow_convert:ident($slow_operand:ident)),*)?
        };)*
    }) => {
        /// Writes the instruction for an operation, if that is always the same. Returns whether it is.
        pub(super) fn operation(emitter: &mut Emitter<'_>, generic: Generic<'_>) -> Result<bool> {
            match generic {
                $($(Generic::$generic { $($same,)* $($($operand,)*)? .. } => {
                    let words = encoding::$encoding {
                        $($same: $same.given(emitter),)*
                        $($($field: $convert(emitter, $operand).ok_or(
                            CodegenErrorKind::BadOperand {
                                opcode: Opcode::$generic,
                                operand: stringify!($operand),
                            },
                        )?,)*)?
                    };
                    emitter.operation::<bodies::$module::$name>(words);
                })?)*
                $(Generic::$slow_generic { $($slow_same,)* $($($slow_operand,)*)? .. } => {
                    let words = encoding::$slow_encoding {
                        $($slow_same: $slow_same.given(emitter),)*
                        $($($slow_field: $slow_convert(emitter, $slow_operand).ok_or(
                            CodegenErrorKind::BadOperand {
                                opcode: Opcode::$slow_generic,
                                operand: stringify!($slow_operand),
                            },
                        )?,)*)?
                    };
                    emitter.instruction(slow::$slow_module::$slow_name, words);
                })*
                _ => return Ok(false),
            }
            Ok(true)
        }

        // Each row names the encoding of its body.
        const _: () = {
            const fn reads<O: Operation<Encoding = E>, E>() {}
            $(reads::<bodies::$module::$name, encoding::$encoding>();)*
        };
    };
}

for_each_operation!(derive);
