//! The code of a loaded module: all of it, or an outline ([`engine::outline`]) until all of it is wanted.
//!
//! Any thread may call. What an outline is translated from is kept until all of it has been (`translation`).

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use engine::code::{CodeLocation, Function};
use engine::{Code, Coverage, LineBreakpoints, Outline};
use layout::Term;
use parking_lot::{Mutex, RwLock};

use super::source::Source;

/// The code of a module.
#[derive(Default)]
pub struct ModuleCode {
    pub(super) outlined: Option<Outlined>,
    pub(super) whole: OnceLock<Code>,
}

pub(super) struct Outlined {
    pub(super) outline: Outline,
    /// `None` when all functions have been translated.
    pub(super) source: RwLock<Option<Arc<Source<'static>>>>,
    /// Held by who translates all functions. True when nothing outside of the module is to lead to what is made: it is
    /// being purged.
    pub(super) is_leaving: Mutex<bool>,
}

impl ModuleCode {
    pub(super) fn whole(code: Code) -> ModuleCode {
        ModuleCode {
            outlined: None,
            whole: OnceLock::from(code),
        }
    }

    pub(super) fn outlined(outline: Outline, source: Source<'static>) -> ModuleCode {
        ModuleCode {
            outlined: Some(Outlined {
                outline,
                source: RwLock::new(Some(Arc::new(source))),
                is_leaving: Mutex::new(false),
            }),
            whole: OnceLock::new(),
        }
    }

    fn outline(&self) -> Option<&Outline> {
        self.outlined.as_ref().map(|outlined| &outlined.outline)
    }

    /// The code of all functions, if it has been made. Only that has breakpoints, machine code, or coverage.
    #[must_use]
    pub fn made(&self) -> Option<&Code> {
        self.whole.get()
    }

    /// The address ranges of its instructions.
    pub(super) fn ranges(&self) -> impl Iterator<Item = Range<*const u64>> + use<> {
        let outline = self.outline().map(Outline::range);
        outline.into_iter().chain(self.made().map(Code::range))
    }

    /// Whether the first of its ranges begins at this address.
    pub(super) fn begins_at(&self, address: usize) -> bool {
        let first = self.ranges().next();
        first.is_some_and(|range| range.start as usize == address)
    }

    #[must_use]
    pub fn contains(&self, address: *const u64) -> bool {
        self.ranges().any(|range| range.contains(&address))
    }

    /// The function and line of an address in this code, as [`Code::place`].
    #[must_use]
    pub fn place(&self, address: *const u64) -> Option<CodeLocation> {
        let made = self.made().and_then(|code| code.place(address));
        made.or_else(|| self.outline()?.place(address))
    }

    /// The first operand word of the instruction at an address.
    #[must_use]
    pub fn first_operand(&self, address: *const u64) -> Option<u64> {
        let made = self.made().and_then(|code| code.first_operand(address));
        made.or_else(|| self.outline()?.first_operand(address))
    }

    /// All functions with their entries, in the order of the file.
    pub fn functions(&self) -> impl Iterator<Item = (&Function, *const u64)> {
        let made = self.made().map(Code::functions);
        let outline = match made {
            Some(_) => None,
            None => self.outline().map(Outline::functions),
        };
        made.into_iter()
            .flatten()
            .chain(outline.into_iter().flatten())
    }

    /// A purge of this version begins, or is over without having removed it. Meanwhile funs that lead to its code are
    /// withheld, and no more are made to.
    pub(super) fn set_leaving(&self, is_leaving: bool) {
        if let Some(outlined) = &self.outlined {
            *outlined.is_leaving.lock() = is_leaving;
        }
    }

    /// The place of a function in [`ModuleCode::functions`].
    #[must_use]
    pub fn place_of(&self, name: Term, arity: u32) -> Option<usize> {
        self.functions()
            .position(|(function, _)| function.function == name && function.arity == arity)
    }

    /// Whether it has a function of that name.
    #[must_use]
    pub fn has(&self, name: Term, arity: u32) -> bool {
        self.place_of(name, arity).is_some()
    }

    /// What of it has run, if it was loaded with a mode of coverage.
    #[must_use]
    pub fn coverage(&self) -> Option<&Coverage> {
        self.made()?.coverage()
    }

    /// Where debuggers may stop processes, if it was loaded for them.
    #[must_use]
    pub fn line_breakpoints(&self) -> Option<&LineBreakpoints> {
        self.made()?.line_breakpoints()
    }

    /// Whether two return addresses are behind the same call, one in the outline, and one in the code of all functions.
    #[must_use]
    pub(super) fn is_same_call(&self, a: *const u64, b: *const u64) -> bool {
        let (Some(outline), Some(made)) = (self.outline(), self.made()) else {
            return false;
        };
        let is_return = |own, other| outline.made_return(own, made) == Some(other);
        is_return(a, b) || is_return(b, a)
    }

    /// Size of the code in bytes, not counting its tables; what is kept of the file counts.
    #[must_use]
    pub fn size_bytes(&self) -> usize {
        let outlined = self.outlined.as_ref().map_or(0, |outlined| {
            let source = outlined.source.read();
            let source = source
                .as_ref()
                .map_or(0, |source| source.file.bytes().len());
            outlined.outline.size_bytes() + source
        });
        outlined + self.made().map_or(0, Code::size_bytes)
    }
}
