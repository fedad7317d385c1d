//! Why a module could not be translated. Plain data.

use std::fmt;

use isa::Opcode;

/// Why a module could not be translated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssembleError {
    /// The function in which the error was found, as `name/arity`.
    pub function: String,
    pub kind: AssembleErrorKind,
}

/// The kinds of errors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AssembleErrorKind {
    /// An operation that is not supported: it belongs to a later release, or to files that are too old.
    Unsupported(Opcode),
    /// An operation needs a BIF of this name, but there is none.
    NoBif {
        module: String,
        function: String,
        arity: u8,
    },
    /// An invalid operand for its operation, by the operand's name.
    BadOperand {
        opcode: Opcode,
        operand: &'static str,
    },
    /// More than 4 Gi words.
    TooLong,
    /// The memory range in which code must lie is full.
    NoRoom,
}

impl fmt::Display for AssembleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "function {}: ", self.function)?;
        match &self.kind {
            AssembleErrorKind::Unsupported(opcode) => {
                write!(f, "operation {} is not supported", opcode.name())
            }
            AssembleErrorKind::NoBif {
                module,
                function,
                arity,
            } => write!(f, "{module}:{function}/{arity} is no BIF"),
            AssembleErrorKind::BadOperand { opcode, operand } => {
                write!(
                    f,
                    "operation {} has a bad operand `{operand}`",
                    opcode.name()
                )
            }
            AssembleErrorKind::TooLong => write!(f, "the code is too long"),
            AssembleErrorKind::NoRoom => write!(f, "no memory is left for code"),
        }
    }
}

impl std::error::Error for AssembleError {}

pub(super) type Result<T = ()> = core::result::Result<T, AssembleErrorKind>;

/// The error for an operand of an operation.
pub(super) fn bad(opcode: Opcode, operand: &'static str) -> AssembleErrorKind {
    AssembleErrorKind::BadOperand { opcode, operand }
}
