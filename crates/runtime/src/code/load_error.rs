//! Why a file cannot be loaded.

use std::fmt;

use beamfile::BeamError;
use layout::Term;
use term::{atom, external};

/// Why a file cannot be loaded.
#[derive(Debug)]
pub enum LoadError {
    File(BeamError),
    /// A text that cannot become an atom: it is too long, or the atom table is full.
    Atom(atom::AtomError),
    Literal {
        index: usize,
        error: external::DecodeError,
    },
    Code(engine::CodegenError),
    /// There is no memory left in the address ranges for code and literals, or in the node's budget.
    NoRoom,
    /// The file contains another module.
    Name {
        expected: Term,
        found: String,
    },
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LoadError::File(error) => write!(f, "{error}"),
            LoadError::Atom(error) => write!(f, "chunk AtU8: {error}"),
            LoadError::Literal { index, error } => {
                write!(f, "chunk LitT: literal {index}: {error}")
            }
            LoadError::Code(error) => write!(f, "chunk Code: {error}"),
            LoadError::NoRoom => write!(f, "no memory is left for code"),
            LoadError::Name { expected, found } => {
                write!(
                    f,
                    "the file holds module {found}, not {}",
                    atom::text(*expected)
                )
            }
        }
    }
}

impl std::error::Error for LoadError {}
