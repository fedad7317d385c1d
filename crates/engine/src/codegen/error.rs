//! Why a module could not be translated. Plain data.

use std::fmt;

use spec::Opcode;

/// Why a module could not be translated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodegenError {
    /// The function in which the error was found, as `name/arity`.
    pub function: String,
    pub kind: CodegenErrorKind,
}

/// The kinds of errors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CodegenErrorKind {
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

impl fmt::Display for CodegenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "function {}: ", self.function)?;
        match &self.kind {
            CodegenErrorKind::Unsupported(opcode) => {
                write!(f, "operation {} is not supported", opcode.name())
            }
            CodegenErrorKind::NoBif {
                module,
                function,
                arity,
            } => write!(f, "{module}:{function}/{arity} is no BIF"),
            CodegenErrorKind::BadOperand { opcode, operand } => {
                write!(
                    f,
                    "operation {} has a bad operand `{operand}`",
                    opcode.name()
                )
            }
            CodegenErrorKind::TooLong => write!(f, "the code is too long"),
            CodegenErrorKind::NoRoom => write!(f, "no memory is left for code"),
        }
    }
}

impl std::error::Error for CodegenError {}

pub(super) type Result<T = ()> = core::result::Result<T, CodegenErrorKind>;

/// The error for an operand of an operation.
pub(super) fn bad(opcode: Opcode, operand: &'static str) -> CodegenErrorKind {
    CodegenErrorKind::BadOperand { opcode, operand }
}
