//! What a process has with it on its way to a dirty scheduler and back: a call, or a collection.

use layout::limits::FLOAT_REGISTERS;
use layout::{AbruptKind, BifFunction, Class, Export, Term};

/// Why work needs a dirty scheduler.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DirtyKind {
    /// A library's function takes long, perhaps for ever.
    Cpu,
    /// It may block.
    Io,
    /// A BIF or a collection takes long.
    Long,
    /// What the machine owes to others takes long: to tell them of a process that has ended, to free its memory.
    Chore,
}

/// A call on its way to a dirty scheduler and back; the process keeps it.
pub enum Call {
    Wanted {
        function: BifFunction,
        kind: DirtyKind,
    },
    /// The call returned a result, which is the only term in `Extras::roots`.
    Result,
    /// The call returned no result. `Extras::roots` holds those of reason, trace and arguments that are present, in
    /// this order, followed by the arguments for `target`, if any.
    Raised {
        kind: AbruptKind,
        class: Class,
        /// Which of reason, trace and arguments are present.
        present: [bool; 3],
        target: *const Export,
    },
}

// SAFETY: exports are never freed, and any thread may refer to them.
unsafe impl Send for Call {}

/// The collection for which a process has left its scheduler.
pub enum Collection {
    /// Makes room for the instruction at which the process continues; its registers are kept.
    Room { words: usize },
    /// A collection that was deferred to the end of the slice.
    Due,
    /// The collection of a process that hibernates.
    Hibernation,
    /// The first of its pending tasks, which collects.
    Task,
}

/// The registers of a process that left in the middle of a function.
#[derive(Default)]
pub struct Kept {
    /// X registers: roots until they are moved to its stack.
    pub registers: Vec<Term>,
    pub floats: Option<Box<[f64; FLOAT_REGISTERS]>>,
}

impl Kept {
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.registers.is_empty() && self.floats.is_none()
    }
}
