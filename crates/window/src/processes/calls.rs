//! The functions that processes were started with and are in, and what a walk remembers of them: there are few
//! different ones, so what is slow about each is done once in a walk.

use layout::Term;
use runtime::code;
use runtime::effects::info::{self, Asker};
use runtime::process::{Flags, Process};
use rustc_hash::FxHashMap;
use term::am;

use crate::printed;

/// A function: the numbers of the atoms of its module and name, and its arity.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Call {
    module: u32,
    function: u32,
    arity: u32,
}

impl Call {
    fn of([module, function, arity]: [Term; 3]) -> Option<Call> {
        Some(Call {
            module: module.as_atom()?,
            function: function.as_atom()?,
            arity: printed::arity(arity),
        })
    }
}

impl std::fmt::Display for Call {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [module, function] = [self.module, self.function].map(Term::atom);
        f.write_str(&printed::call(module, function, self.arity))
    }
}

/// The function that a process was started with: of one that `proc_lib` started the one that it was to run, as
/// `proc_lib:translate_initial_call/1` says.
pub(super) fn initial(process: &Process) -> Call {
    let noted = match process.is_sensitive() {
        true => None,
        false => process.dictionary.get(am::DOLLAR_INITIAL_CALL),
    };
    let (module, function) = process.initial_call;
    noted
        .and_then(printed::call_in)
        .and_then(Call::of)
        .unwrap_or(Call {
            module,
            function,
            arity: process.initial_arity,
        })
}

/// Another process's thread, as `process_info` sees it.
pub(crate) const ASKER: Asker = Asker::Another { saw_it_run: false };

/// The function that a process is in.
pub(super) fn current(process: &Process) -> Option<Call> {
    Call::of(info::current_call(process, ASKER))
}

/// So many addresses or functions are remembered; there are more only if code comes and goes all the time.
const MOST: usize = 1 << 16;

/// What a walk remembers.
#[derive(Default)]
pub(super) struct Calls {
    /// The function at an address, where it is what [`current`] says of a process there.
    places: FxHashMap<usize, Call>,
    /// Whether a filter finds something in a function.
    found: FxHashMap<Call, bool>,
}

impl Calls {
    /// As [`current`].
    pub(super) fn current(&mut self, process: &Process) -> Option<Call> {
        // Of these the address does not tell.
        let is_special = process.suspend_count > 0
            || process
                .flags
                .intersects(Flags::HIBERNATED | Flags::DIRTY_CALL);
        if is_special {
            return current(process);
        }
        let address = process.head.ip as usize;
        if let Some(call) = self.places.get(&address) {
            return Some(*call);
        }
        let call = current(process)?;
        let here = code::place_of(process.head.ip);
        let here = here.and_then(|place| {
            let arity = Term::small(i64::from(place.arity));
            Call::of([place.module, place.function, arity])
        });
        if here == Some(call) {
            if self.places.len() >= MOST {
                self.places.clear();
            }
            self.places.insert(address, call);
        }
        Some(call)
    }

    /// Whether a function's name has this text, in small letters.
    pub(super) fn has(&mut self, call: Call, text: &str) -> bool {
        if let Some(found) = self.found.get(&call) {
            return *found;
        }
        if self.found.len() >= MOST {
            self.found.clear();
        }
        let found = call.to_string().to_lowercase().contains(text);
        self.found.insert(call, found);
        found
    }
}
