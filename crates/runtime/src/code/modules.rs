//! Loaded modules: current and old code, and the mapping from code addresses to functions and lines.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, OnceLock};
use std::time::Duration;

use layout::{Term, no_gc};
use parking_lot::RwLock;
use term::native_record::{self, Definition};

use super::literals::Area;
use super::module_code::ModuleCode;

/// One version of a module.
pub struct Loaded {
    pub name: Term,
    /// The registration of the code with debuggers. Declared before `code`, so it is dropped first.
    pub debugger: OnceLock<sys::debugger::Registration>,
    pub code: ModuleCode,
    pub literals: Area,
    pub md5: [u8; 16],
    /// Functions that may be called from outside: name, arity, entry.
    pub exports: Vec<(Term, u32, Address)>,
    /// The files, as indexes into `files`, and lines that `Code::place` refers to; empty if the module's file has none.
    pub locations: Vec<beamfile::Location>,
    /// The names of source files, as literals: each frame of a stack trace has one.
    pub files: Vec<Term>,
    /// The chunks that `module_info` decodes, in the external term format.
    pub attributes: Vec<u8>,
    pub compile_info: Vec<u8>,
    /// `None` if it was not compiled for debuggers. What is known at each line at which a process can be stopped, by
    /// [`engine::StopLine::index`], as literals (`debugger_lines`); empty if it was loaded without such lines.
    pub debugger_lines: Option<Vec<Term>>,
    /// Entries of the funs that this module creates, with their code.
    pub funs: Vec<(&'static layout::FunEntry, Address)>,
    pub on_load: Option<Address>,
    /// The functions that the file declares as NIFs; empty if it does not say, and then every function may become one.
    pub nifs: Vec<(Term, u32)>,
    /// The native library that replaces some of its functions.
    pub library: super::native::Slot,
    /// Its native records, as literals, with the default value of each field ([`term::native_record::NO_VALUE`] for
    /// none).
    pub records: Vec<Term>,
    /// The module name as given in the file.
    pub file_atom: Term,
}

impl Loaded {
    /// Bytes of its code and literals.
    #[must_use]
    pub fn held_bytes(&self) -> usize {
        self.code.size_bytes() + self.literals.held_bytes()
    }

    /// The line number of a location, if it is a known one.
    #[must_use]
    pub fn line(&self, location: u32) -> Option<u32> {
        self.locations.get(location as usize)?.known_line()
    }
}

/// A code address that may be shared between threads.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Address(pub *const u64);

// SAFETY: the address points to code, which is not written after it is shared.
unsafe impl Send for Address {}
// SAFETY: as above.
unsafe impl Sync for Address {}

/// The versions of one module.
#[derive(Default, Clone)]
pub struct Versions {
    pub current: Option<Arc<Loaded>>,
    pub old: Option<Arc<Loaded>>,
    /// Loaded, but its `on_load` function has not returned yet.
    pub pending: Option<Arc<Loaded>>,
}

impl Versions {
    /// Makes a version current; the version that it replaces becomes old and is returned. If there was no current
    /// version (the module was deleted), old code stays old until it is purged, because funs may still run it.
    pub fn replace(&mut self, loaded: &Arc<Loaded>) -> Option<Arc<Loaded>> {
        let before = self.current.replace(Arc::clone(loaded));
        if before.is_some() {
            self.old.clone_from(&before);
        }
        before
    }
}

#[derive(Default)]
pub struct Table {
    modules: HashMap<Term, Versions>,
    /// Module versions by the first address of their code.
    ranges: BTreeMap<usize, Arc<Loaded>>,
    /// Names in the order in which they were first loaded.
    order: Vec<Term>,
}

static TABLE: LazyLock<RwLock<Table>> = LazyLock::new(RwLock::default);

/// Counts the changes of `Table::ranges`, and of where its modules have machine code.
static CHANGES: AtomicU64 = AtomicU64::new(1);

/// The function, and the line if known, that contain a code address.
#[derive(Clone, Copy)]
pub struct NamedPlace {
    pub module: Term,
    pub function: Term,
    pub arity: u32,
    /// Source file, a literal of the module, and line.
    pub location: Option<(Term, u32)>,
}

/// Places that a thread caches. Most stack traces consist of the same few places, and a look-up takes 200 ns.
const REMEMBERED: usize = 128;

/// A cached place, and the value of [`CHANGES`] when it was looked up.
#[derive(Clone, Copy)]
struct Remembered {
    address: usize,
    changes: u64,
    place: NamedPlace,
}

thread_local! {
    static MEMORY: RefCell<Vec<Option<Remembered>>> = const { RefCell::new(Vec::new()) };
}

/// The module version whose code contains an address.
#[must_use]
pub fn find_code(address: *const u64) -> Option<Arc<Loaded>> {
    let table = TABLE.read();
    let (_, loaded) = table.ranges.range(..=address as usize).next_back()?;
    loaded.code.contains(address).then(|| Arc::clone(loaded))
}

/// The function and line of a code address in a module or an export's stub. The file's name, a literal, can be used
/// until the caller's process leaves its operation or BIF: the module is not purged before. Afterwards heaps that refer
/// to it count.
#[must_use]
pub fn place_of(address: *const u64) -> Option<NamedPlace> {
    place_in_module(address).or_else(|| {
        let export = super::stubs::around(address as usize)?;
        Some(NamedPlace {
            module: export.module,
            function: export.function,
            arity: export.arity,
            location: None,
        })
    })
}

/// The function and line of an address in a module's code.
#[must_use]
pub fn place_in_module(address: *const u64) -> Option<NamedPlace> {
    // Read before the look-up, so that the place found is at least as new as this count.
    let changes = CHANGES.load(Ordering::Acquire);
    let slot = (address as usize >> 3) % REMEMBERED;
    MEMORY.with_borrow_mut(|memory| {
        if memory.is_empty() {
            memory.resize(REMEMBERED, None);
        }
        if let Some(known) = &memory[slot]
            && known.address == address as usize
            && known.changes == changes
        {
            return Some(known.place);
        }
        let place = find_place(address)?;
        memory[slot] = Some(Remembered {
            address: address as usize,
            changes,
            place,
        });
        Some(place)
    })
}

fn find_place(address: *const u64) -> Option<NamedPlace> {
    let loaded = find_code(address)?;
    let place = loaded.code.place(address)?;
    let location = loaded.locations.get(place.line as usize);
    let location = location.filter(|_| place.line != 0).and_then(|location| {
        let file = loaded.files.get(location.file as usize)?;
        Some((*file, location.line))
    });
    Some(NamedPlace {
        module: place.module,
        function: place.function,
        arity: place.arity,
        location,
    })
}

/// Whether two return addresses are behind the same call, in the two forms that the code of a module may have.
pub(super) fn is_same_call(a: *const u64, b: *const u64) -> bool {
    find_code(a).is_some_and(|loaded| loaded.code.is_same_call(a, b))
}

/// Whether this is the address of a function's `func_info`.
#[must_use]
pub fn is_function_start(address: *const u64) -> bool {
    let place = find_code(address).and_then(|loaded| loaded.code.place(address));
    place.is_some_and(|place| place.start == address)
}

/// A number that is another one after the code, or machine code, of any module has come or gone.
#[must_use]
pub fn changes() -> u64 {
    CHANGES.load(Ordering::Acquire)
}

/// A module has got machine code.
pub(super) fn changed() {
    CHANGES.fetch_add(1, Ordering::Release);
}

/// All versions of modules whose code has addresses.
#[must_use]
pub fn all_with_code() -> Vec<Arc<Loaded>> {
    let table = TABLE.read();
    let modules = table
        .ranges
        .iter()
        .filter(|(start, loaded)| loaded.code.begins_at(**start));
    modules.map(|(_, loaded)| Arc::clone(loaded)).collect()
}

/// The versions of a module.
#[must_use]
pub fn versions(name: Term) -> Versions {
    TABLE.read().modules.get(&name).cloned().unwrap_or_default()
}

/// The native record that the current version of a module defines by this name; see [`Loaded::records`]. The module
/// cannot be purged before the caller's process leaves its operation or BIF.
#[must_use]
pub fn record(module: Term, name: Term) -> Option<Term> {
    let table = TABLE.read();
    let current = table.modules.get(&module)?.current.as_ref()?;
    let is_named =
        |record: &&Term| Definition::of(native_record::definition(**record), no_gc!()).name == name;
    current.records.iter().find(is_named).copied()
}

/// Whether loading of the module was ever committed.
#[must_use]
pub fn is_known(name: Term) -> bool {
    TABLE.read().modules.contains_key(&name)
}

/// The current version of a module.
#[must_use]
pub fn current(name: Term) -> Option<Arc<Loaded>> {
    TABLE
        .read()
        .modules
        .get(&name)
        .and_then(|versions| versions.current.clone())
}

/// The current versions of all modules, or of one.
#[must_use]
pub fn all_current(name: Option<Term>) -> Vec<Arc<Loaded>> {
    if let Some(name) = name {
        return current(name).into_iter().collect();
    }
    let table = TABLE.read();
    let current = |versions: &Versions| versions.current.clone();
    table.modules.values().filter_map(current).collect()
}

/// Names of the modules that have current or old code, the latest first, as `erlang:loaded/0` returns them.
#[must_use]
pub fn names() -> Vec<Term> {
    let table = TABLE.read();
    let loaded = |name: &&Term| {
        table
            .modules
            .get(name)
            .is_some_and(|versions| versions.current.is_some() || versions.old.is_some())
    };
    table.order.iter().rev().filter(loaded).copied().collect()
}

/// All modules that have current or old code, in order of first loading; `None` if the table's lock was not acquired
/// within `patience`.
#[must_use]
pub fn all_within(patience: Duration) -> Option<Vec<(Term, Versions)>> {
    let table = TABLE.try_read_for(patience)?;
    let versions = |name: &Term| {
        let versions = table.modules.get(name)?;
        (versions.current.is_some() || versions.old.is_some()).then(|| (*name, versions.clone()))
    };
    Some(table.order.iter().filter_map(versions).collect())
}

/// Bytes of all code, without tables.
#[must_use]
pub fn code_bytes() -> usize {
    TABLE
        .read()
        .ranges
        .iter()
        // A module may have two ranges.
        .filter(|(start, loaded)| loaded.code.begins_at(**start))
        .map(|(_, loaded)| loaded.code.size_bytes())
        .sum()
}

/// The code of all functions of an outlined module has been made: adds its addresses, unless the module has been
/// removed meanwhile.
pub(super) fn add_made(loaded: &Arc<Loaded>) {
    let mut table = TABLE.write();
    let mut starts = loaded.code.ranges().map(|range| range.start as usize);
    let is_there = starts.next().is_some_and(|start| {
        let found = table.ranges.get(&start);
        found.is_some_and(|found| Arc::ptr_eq(found, loaded))
    });
    if is_there {
        table.add_range(loaded);
    }
}

/// Changes the table; the caller must have stopped the world.
pub fn change<R>(body: impl FnOnce(&mut Table) -> R) -> R {
    body(&mut TABLE.write())
}

impl Table {
    pub fn versions(&mut self, name: Term) -> &mut Versions {
        if !self.modules.contains_key(&name) {
            self.order.push(name);
        }
        self.modules.entry(name).or_default()
    }

    /// Whether the current version may become old: there is no current version, or no old one.
    #[must_use]
    pub fn is_purged(&self, name: Term) -> bool {
        let versions = self.modules.get(&name);
        versions.is_none_or(|versions| versions.current.is_none() || versions.old.is_none())
    }

    /// Adds the code of a version, so that its addresses can be looked up.
    pub fn add_range(&mut self, loaded: &Arc<Loaded>) {
        for Range { start, .. } in loaded.code.ranges() {
            self.ranges.insert(start as usize, Arc::clone(loaded));
        }
        CHANGES.fetch_add(1, Ordering::Release);
    }

    pub fn remove_range(&mut self, loaded: &Loaded) {
        for Range { start, .. } in loaded.code.ranges() {
            self.ranges.remove(&(start as usize));
        }
        CHANGES.fetch_add(1, Ordering::Release);
    }
}
