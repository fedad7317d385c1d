//! Drivers that are loaded, and who uses them: what `erl_ddll` asks for.
//!
//! A driver stays as long as a process has loaded it more often than it has unloaded it, and as long as it has ports.
//! One lock guards all of it; nothing is called with that lock held.

use std::collections::BTreeMap;
use std::ffi::{CStr, c_int};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use drivers::open::{self, Starter};
use drivers::settings::Settings;
use layout::{Heap, Term, no_gc};
use parking_lot::Mutex;
use runtime::effects::port as table;
use runtime::effects::port::driver::{Access, Driver};
use runtime::mail::signal;
use runtime::process::dirty::DirtyKind;
use sys::library::{SharedObject, path as loader_path};
use term::copy::Owned;
use term::heap::Scratch;
use term::{am, atom, build, compare};

use super::abi::{Entry, MAJOR, MARKER, MINOR};
use super::port;
use crate::library;

/// A driver whose shared object is loaded.
pub struct Loaded {
    pub name: Vec<u8>,
    pub flags: c_int,
    /// Held while the driver is called, unless it locks its ports by itself.
    pub lock: Mutex<()>,
    entry: *const Entry,
    /// Whether it may not be unloaded any more.
    is_permanent: AtomicBool,
    /// Jobs of `driver_async` that are not over: it stays until they are.
    jobs: AtomicUsize,
    /// Dropped last, because what the others call is in it; None if the driver came with another one.
    object: Option<SharedObject>,
}

// SAFETY: the entry is in the object, and does not change.
unsafe impl Send for Loaded {}
// SAFETY: as above.
unsafe impl Sync for Loaded {}

/// Why a driver is not loaded.
pub enum OpenFailure {
    /// The reason's name.
    Named(&'static str),
    /// The loader's text.
    Text(Vec<u8>),
    /// Native libraries are refused.
    NotAvailable,
}

/// The code in `{open_error, Code}` that says that loading is not available.
pub const NOT_AVAILABLE: i64 = -6;
/// The code of the first message that came from the loader; later messages get lower codes.
pub const FIRST_MESSAGE: i64 = -10;

/// The loader's messages about files that could not be opened; each has a code.
static MESSAGES: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// The loader's message that has a code.
pub fn message(code: i64) -> Option<String> {
    let place = usize::try_from(FIRST_MESSAGE.checked_sub(code)?).ok()?;
    MESSAGES.lock().get(place).cloned()
}

impl OpenFailure {
    /// The reason, as `erl_ddll` tells it.
    pub fn reason(self, heap: &mut Heap) -> Term {
        let code = match self {
            OpenFailure::Named(name) => return atom::known(name),
            OpenFailure::NotAvailable => NOT_AVAILABLE,
            OpenFailure::Text(text) => {
                let text = String::from_utf8_lossy(&text).into_owned();
                let mut messages = MESSAGES.lock();
                let place = messages.iter().position(|known| *known == text);
                let place = place.unwrap_or_else(|| {
                    messages.push(text);
                    messages.len() - 1
                });
                FIRST_MESSAGE - place as i64
            }
        };
        build::tuple(heap, &[atom::known("open_error"), Term::small(code)])
    }
}

const NO_INIT: OpenFailure = OpenFailure::Named("no_driver_init");
const INIT_FAILED: OpenFailure = OpenFailure::Named("driver_init_failed");
const BAD_NAME: OpenFailure = OpenFailure::Named("bad_driver_name");
const WRONG_VERSION: OpenFailure = OpenFailure::Named("driver_incorrect_version");

/// What became of a request. The names are those of `erl_ddll`.
pub enum Outcome {
    Loaded,
    AlreadyLoaded,
    /// Others use the driver; whether the process is told when it happens.
    PendingProcess(bool),
    /// The driver has ports, or is about to be unloaded; as above.
    PendingDriver(bool),
    Refused(&'static str),
    Failed(OpenFailure),
}

/// When a request that is not done at once has a message sent.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Told {
    Never,
    /// If only ports hold it up.
    PendingDriver,
    /// Also if other processes do.
    Pending,
}

/// A process's request about a driver.
pub struct Request<'a> {
    pub process: Term,
    pub name: &'a [u8],
    pub told: Told,
    /// `{Reference, Name}` for the message.
    pub tag: Term,
}

/// How a driver that is loaded already is loaded anew.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Reload {
    Never,
    /// When it has no port any more.
    PendingDriver,
    /// The same, and other processes may use it.
    Pending,
}

/// A driver's row.
struct Row {
    driver: Arc<Loaded>,
    /// How often each process has loaded it.
    users: Vec<(Term, usize)>,
    /// The ports by the bits of their identifiers, which mostly increase from port to port: the oldest is ended first,
    /// and one of many is found fast when it closes.
    ports: BTreeMap<u64, Term>,
    kills_ports: bool,
    /// The folder to load it from anew, and the process that has asked for that.
    reload: Option<(Vec<u8>, Term)>,
}

impl Row {
    /// Whether it is to be unloaded, as soon as it has no port any more.
    fn is_leaving(&self) -> bool {
        let is_wanted = self.reload.is_some() || self.users.is_empty();
        is_wanted && !self.driver.is_permanent.load(Ordering::Acquire)
    }

    /// Whether nothing of the driver is in use.
    fn is_idle(&self) -> bool {
        self.ports.is_empty() && self.driver.jobs.load(Ordering::Acquire) == 0
    }

    /// What uses it or is asked of it has changed. If it is to be unloaded: ends its ports if that is asked for, and
    /// sees to it that it happens.
    fn settle(&self, kills_ports: bool) {
        if (kills_ports || self.kills_ports) && self.is_leaving() {
            self.ports.values().copied().for_each(kill);
        }
        self.leave_if_idle();
    }

    /// Sees to it that it is unloaded if it is to be and nothing of it is in use.
    fn leave_if_idle(&self) {
        if self.is_leaving() && self.is_idle() {
            let driver = Arc::clone(&self.driver);
            // A port that closes is still being taken apart, and what it calls is in the object.
            runtime::mail::dirty::later(DirtyKind::Io, move || leave(&driver));
        }
    }
}

/// A process that is told when a driver is loaded or unloaded.
struct Watcher {
    name: Vec<u8>,
    pid: Term,
    /// `{Reference, Name}`, as the process has it.
    tag: Owned,
    kind: Awaited,
}

/// What a monitor waits for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Awaited {
    Loaded,
    Unloaded,
    /// It is not told if the driver stays after all.
    UnloadedOnly,
}

#[derive(Default)]
struct Known {
    rows: Vec<Row>,
    watchers: Vec<Watcher>,
}

static KNOWN: Mutex<Known> = Mutex::new(Known {
    rows: Vec::new(),
    watchers: Vec::new(),
});

/// One driver is loaded or unloaded at a time.
static LOADING: Mutex<()> = Mutex::new(());

impl Known {
    fn row(&mut self, name: &[u8]) -> Option<&mut Row> {
        self.rows.iter_mut().find(|row| row.driver.name == name)
    }
}

impl Loaded {
    pub fn entry(&self) -> &Entry {
        // SAFETY: the object that has it is open as long as the driver is.
        unsafe { &*self.entry }
    }

    pub fn port_opened(&self, id: Term) {
        if let Some(row) = KNOWN.lock().row(&self.name) {
            row.ports.insert(id.bits(), id);
            if row.kills_ports && row.is_leaving() {
                kill(id);
            }
        }
    }

    pub fn port_closed(&self, id: Term) {
        if let Some(row) = KNOWN.lock().row(&self.name) {
            row.ports.remove(&id.bits());
            row.leave_if_idle();
        }
    }

    pub fn job_begins(&self) {
        self.jobs.fetch_add(1, Ordering::Relaxed);
    }

    pub fn job_ends(&self) {
        if self.jobs.fetch_sub(1, Ordering::AcqRel) == 1
            && let Some(row) = KNOWN.lock().row(&self.name)
        {
            row.leave_if_idle();
        }
    }

    /// Has it stay for ever; returns false if it is in no library of its own.
    pub fn make_permanent(&self) -> bool {
        self.is_permanent.store(true, Ordering::Release);
        self.object.is_some()
    }
}

impl Starter for Loaded {
    fn start(
        self: Arc<Self>,
        access: &mut Access<'_>,
        command: &[u8],
        settings: &Settings,
    ) -> Result<Box<dyn Driver>, Term> {
        port::start(&self, access, command, settings.eof)
    }
}

/// Unloads a driver that nobody uses any more, and loads it again if that was asked for.
fn leave(driver: &Arc<Loaded>) {
    let _loading = LOADING.lock();
    let mut known = KNOWN.lock();
    let place = known
        .rows
        .iter()
        .position(|row| Arc::ptr_eq(&row.driver, driver) && row.is_leaving() && row.is_idle());
    let Some(place) = place else { return };
    let Row {
        users,
        kills_ports,
        reload,
        ..
    } = known.rows.remove(place);
    open::remove(&driver.name);
    drop(known);
    if let Some(finish) = driver.entry().finish {
        // SAFETY: the driver's function; it has no port any more.
        unsafe { finish() };
    }
    let name = &driver.name;
    tell(
        name,
        "DOWN",
        |_| atom::known("unloaded"),
        Awaited::is_unloaded,
    );
    let Some((path, _)) = reload else { return };
    match open_driver(&path, name) {
        Ok(driver) => {
            add(driver, users, kills_ports);
            tell(name, "UP", |_| atom::known("loaded"), Awaited::is_loaded);
        }
        Err(failure) => {
            let mut failure = Some(failure);
            let reason = |heap: &mut Heap| {
                let reason = failure.take().map(|failure| failure.reason(heap));
                let parts = [atom::known("load_failure"), reason.unwrap_or(Term::NIL)];
                build::tuple(heap, &parts)
            };
            tell(name, "DOWN", reason, Awaited::is_loaded);
        }
    }
}

impl Awaited {
    fn is_loaded(self) -> bool {
        self == Awaited::Loaded
    }

    fn is_unloaded(self) -> bool {
        self != Awaited::Loaded
    }

    fn is_told_of_both(self) -> bool {
        self == Awaited::Unloaded
    }
}

/// Tells those that wait for this what has happened: `{UpOrDown, Reference, driver, Name, State}`.
fn tell(
    name: &[u8],
    up_or_down: &str,
    state: impl FnOnce(&mut Heap) -> Term,
    concerns: fn(Awaited) -> bool,
) {
    let told = {
        let mut known = KNOWN.lock();
        let all = std::mem::take(&mut known.watchers).into_iter();
        let (told, others): (Vec<Watcher>, Vec<Watcher>) =
            all.partition(|watcher| watcher.name == name && concerns(watcher.kind));
        known.watchers = others;
        told
    };
    let mut scratch = Scratch::new();
    let state = state(scratch.heap());
    for watcher in told {
        let heap = scratch.heap();
        if let &[reference, driver] = watcher.tag.term().as_tuple(no_gc!()).unwrap_or_default() {
            let driver_atom = atom::known("driver");
            let parts = [
                atom::known(up_or_down),
                reference,
                driver_atom,
                driver,
                state,
            ];
            let message = build::tuple(heap, &parts);
            signal::send_message(am::SYSTEM, watcher.pid, message);
        }
    }
}

/// Opens the shared object of a driver.
fn open_driver(path: &[u8], name: &[u8]) -> Result<Loaded, OpenFailure> {
    let mut file = path.to_vec();
    if !file.ends_with(b"/") {
        file.push(b'/');
    }
    file.extend_from_slice(name);
    file.extend_from_slice(b".so");
    let path = loader_path(&file).ok_or(BAD_NAME)?;
    let object = SharedObject::open(&path).map_err(|text| {
        // The loader names the file first, which is known.
        let prefix = [&file[..], b": "].concat();
        let rest = text.strip_prefix(&prefix[..]).map(<[u8]>::to_vec);
        OpenFailure::Text(rest.unwrap_or(text))
    })?;
    let init = object.symbol(c"driver_init").map_err(|_| NO_INIT)?;
    // SAFETY: the header's macro defines the function so.
    let entry = unsafe {
        let init: unsafe extern "C" fn() -> *const Entry = std::mem::transmute(init.as_ptr());
        init()
    };
    // SAFETY: what the function returned, which is a constant of the object.
    let entry = unsafe { entry.as_ref() }.ok_or(INIT_FAILED)?;
    check(entry, name)?;
    if let Some(init) = entry.init {
        // SAFETY: the driver's function.
        if unsafe { init() } != 0 {
            return Err(INIT_FAILED);
        }
    }
    Ok(Loaded::new(entry, name, Some(object)))
}

impl Loaded {
    fn new(entry: &Entry, name: &[u8], object: Option<SharedObject>) -> Loaded {
        Loaded {
            name: name.to_vec(),
            flags: entry.flags,
            lock: Mutex::new(()),
            entry,
            is_permanent: AtomicBool::new(object.is_none()),
            jobs: AtomicUsize::new(0),
            object,
        }
    }
}

/// Whether a driver fits this interface, and is the one that is asked for.
fn check(entry: &Entry, name: &[u8]) -> Result<(), OpenFailure> {
    if entry.marker != MARKER || entry.major != MAJOR || entry.minor > MINOR {
        return Err(WRONG_VERSION);
    }
    if entry.name.is_null() {
        return Err(BAD_NAME);
    }
    // SAFETY: the driver's constant string.
    match unsafe { CStr::from_ptr(entry.name) }.to_bytes() == name {
        true => Ok(()),
        false => Err(BAD_NAME),
    }
}

fn add(driver: Loaded, users: Vec<(Term, usize)>, kills_ports: bool) {
    let driver = Arc::new(driver);
    if driver.object.is_some()
        && let Ok(name) = atom::intern_latin1(&driver.name)
    {
        library::taint(name);
    }
    open::add(&driver.name, Arc::clone(&driver) as Arc<dyn Starter>);
    KNOWN.lock().rows.push(Row {
        driver,
        users,
        ports: BTreeMap::new(),
        kills_ports,
        reload: None,
    });
}

/// Adds a driver that is not in a shared object of its own, unless its `init` fails.
///
/// # Safety
/// The entry stays where it is as long as the driver is there.
pub unsafe fn add_entry(entry: &Entry) {
    if entry.name.is_null() {
        return;
    }
    // SAFETY: the driver's constant string.
    let name = unsafe { CStr::from_ptr(entry.name) }.to_bytes();
    if KNOWN.lock().row(name).is_some() {
        return;
    }
    // SAFETY: the driver's function.
    if entry.init.is_none_or(|init| unsafe { init() } == 0) {
        add(Loaded::new(entry, name, None), Vec::new(), false);
    }
}

/// What became of a driver that was to be removed.
#[must_use]
pub enum Removal {
    Done,
    NotThere,
    MustStay,
}

/// Removes a driver that [`add_entry`] has added.
pub fn remove_entry(entry: &Entry) -> Removal {
    let mut known = KNOWN.lock();
    let is_it = |row: &Row| std::ptr::eq(row.driver.entry, entry);
    let Some(place) = known.rows.iter().position(is_it) else {
        return Removal::NotThere;
    };
    let row = &known.rows[place];
    if row.driver.object.is_some() || !row.is_idle() {
        return Removal::MustStay;
    }
    let row = known.rows.remove(place);
    open::remove(&row.driver.name);
    Removal::Done
}

/// Loads a driver for a process.
pub fn load(request: &Request<'_>, path: &[u8], kills_ports: bool, reloads: Reload) -> Outcome {
    let _loading = LOADING.lock();
    let &Request { process, name, .. } = request;
    let mut known = KNOWN.lock();
    let Some(row) = known.row(name) else {
        drop(known);
        if reloads != Reload::Never {
            return Outcome::Refused("not_loaded");
        }
        return match open_driver(path, name) {
            Ok(driver) => {
                add(driver, vec![(process, 1)], kills_ports);
                watch(process);
                tell(name, "UP", |_| atom::known("loaded"), Awaited::is_loaded);
                Outcome::Loaded
            }
            Err(failure) => Outcome::Failed(failure),
        };
    };
    if row.driver.is_permanent.load(Ordering::Acquire) {
        return Outcome::Refused("permanent");
    }
    if row.reload.is_some() {
        return Outcome::Refused("pending_reload");
    }
    if reloads != Reload::Never {
        return load_anew(&mut known, request, path, reloads);
    }
    if row.kills_ports != kills_ports {
        return Outcome::Refused("inconsistent");
    }
    let was_leaving = row.is_leaving();
    let is_new = use_once_more(&mut row.users, process);
    drop(known);
    if is_new {
        watch(process);
    }
    if was_leaving {
        let state = |_: &mut Heap| atom::known("unload_cancelled");
        tell(name, "UP", state, Awaited::is_told_of_both);
    }
    Outcome::AlreadyLoaded
}

/// Has a driver loaded anew when nothing is in the way any more.
fn load_anew(known: &mut Known, request: &Request<'_>, path: &[u8], reloads: Reload) -> Outcome {
    let Some(row) = known.row(request.name) else {
        return Outcome::Refused("not_loaded");
    };
    if !row.users.iter().any(|(pid, _)| *pid == request.process) {
        return Outcome::Refused("not_loaded_by_this_process");
    }
    let is_shared = row.users.len() > 1;
    if is_shared && reloads == Reload::PendingDriver {
        return Outcome::Refused("pending_process");
    }
    row.reload = Some((path.to_vec(), request.process));
    let outcome = pending(known, request, is_shared, Awaited::Loaded);
    if let Some(row) = known.row(request.name) {
        row.settle(false);
    }
    outcome
}

/// The outcome of a request that has to wait.
fn pending(known: &mut Known, request: &Request<'_>, for_process: bool, kind: Awaited) -> Outcome {
    let is_told = match request.told {
        Told::Never => false,
        Told::PendingDriver => !for_process,
        Told::Pending => true,
    };
    if is_told {
        known.watchers.push(Watcher {
            name: request.name.to_vec(),
            pid: request.process,
            tag: Owned::new(request.tag),
            kind,
        });
    }
    match for_process {
        true => Outcome::PendingProcess(is_told),
        false => Outcome::PendingDriver(is_told),
    }
}

/// Counts one more use; returns whether it is the process's first.
fn use_once_more(users: &mut Vec<(Term, usize)>, process: Term) -> bool {
    match users.iter_mut().find(|(pid, _)| *pid == process) {
        Some((_, count)) => {
            *count += 1;
            false
        }
        None => {
            users.push((process, 1));
            true
        }
    }
}

/// Has what a process uses unloaded when it ends.
fn watch(process: Term) {
    runtime::mail::tasks::ask(
        process,
        Box::new(move |alive| match alive {
            Some(alive) => alive
                .extras()
                .at_exit
                .add(|_| ((), Box::new(move |_| process_gone(process)))),
            None => process_gone(process),
        }),
    );
}

fn process_gone(process: Term) {
    let names: Vec<Vec<u8>> = {
        let mut known = KNOWN.lock();
        known.watchers.retain(|watcher| watcher.pid != process);
        let rows = known.rows.iter();
        rows.filter(|row| row.users.iter().any(|(pid, _)| *pid == process))
            .map(|row| row.driver.name.clone())
            .collect()
    };
    for name in names {
        let mut known = KNOWN.lock();
        let Some(row) = known.row(&name) else {
            continue;
        };
        row.users.retain(|(pid, _)| *pid != process);
        let was_reloading = row.reload.take_if(|(_, pid)| *pid == process).is_some();
        row.settle(false);
        drop(known);
        if was_reloading {
            cancel_load(&name);
        }
    }
}

/// Tells those that wait for a driver to be loaded that it will not be.
fn cancel_load(name: &[u8]) {
    let state = |_: &mut Heap| atom::known("load_cancelled");
    tell(name, "DOWN", state, Awaited::is_loaded);
}

/// Takes back one use of a driver by a process. One that no process uses any more may be unloaded by any.
pub fn unload(request: &Request<'_>, kills_ports: bool) -> Outcome {
    let mut known = KNOWN.lock();
    let Some(row) = known.row(request.name) else {
        return Outcome::Refused("not_loaded");
    };
    if row.driver.is_permanent.load(Ordering::Acquire) {
        return Outcome::Refused("permanent");
    }
    let place = row
        .users
        .iter()
        .position(|(pid, _)| *pid == request.process);
    if place.is_none() && !row.users.is_empty() {
        return Outcome::Refused("not_loaded_by_this_process");
    }
    let mut was_reloading = false;
    if let Some(place) = place {
        row.users[place].1 -= 1;
        if row.users[place].1 == 0 {
            row.users.remove(place);
            let reload = row.reload.take_if(|(_, pid)| *pid == request.process);
            was_reloading = reload.is_some();
        }
    }
    let is_used = !row.users.is_empty();
    let free = (row.is_leaving() && row.is_idle()).then(|| Arc::clone(&row.driver));
    let outcome = pending(&mut known, request, is_used, Awaited::Unloaded);
    if free.is_none()
        && let Some(row) = known.row(request.name)
    {
        row.settle(kills_ports);
    }
    drop(known);
    if let Some(driver) = free {
        // Nothing of it is in use, so it is gone when the request is done, as on stock.
        leave(&driver);
    }
    if was_reloading {
        cancel_load(request.name);
    }
    outcome
}

/// Ends a port of a driver that is unloaded.
fn kill(port: Term) {
    if let Some(port) = table::find(port) {
        port.run_later(|_, access| access.exit(atom::known("driver_unloaded")));
    }
}

/// Whether a driver was added by another one, so that it is in no library of its own.
pub fn was_added(name: &[u8]) -> bool {
    let mut known = KNOWN.lock();
    known
        .row(name)
        .is_some_and(|row| row.driver.object.is_none())
}

/// What is known of a loaded driver.
pub struct Facts {
    pub users: Vec<(Term, usize)>,
    pub ports: usize,
    pub kills_ports: bool,
    pub is_permanent: bool,
    /// Whether it is to be loaded anew.
    pub awaits_load: bool,
    pub is_leaving: bool,
}

pub fn facts(name: &[u8]) -> Option<Facts> {
    let mut known = KNOWN.lock();
    let row = known.row(name)?;
    Some(Facts {
        users: row.users.clone(),
        ports: row.ports.len(),
        kills_ports: row.kills_ports,
        is_permanent: row.driver.is_permanent.load(Ordering::Acquire),
        awaits_load: row.reload.is_some(),
        is_leaving: row.is_leaving(),
    })
}

/// The names of loaded drivers, the last one first.
pub fn names() -> Vec<Vec<u8>> {
    let known = KNOWN.lock();
    let names = known.rows.iter().rev();
    names.map(|row| row.driver.name.clone()).collect()
}

/// Has a process told of a driver. `tag` is `{Reference, Name}`.
pub fn await_change(process: Term, name: &[u8], tag: Term, kind: Awaited) {
    KNOWN.lock().watchers.push(Watcher {
        name: name.to_vec(),
        pid: process,
        tag: Owned::new(tag),
        kind,
    });
}

/// Ends what [`await_change`] began.
pub fn forget(process: Term, reference: Term) {
    KNOWN.lock().watchers.retain(|watcher| {
        let its = watcher.tag.term().as_tuple(no_gc!()).map(|parts| parts[0]);
        watcher.pid != process || !its.is_some_and(|its| compare::eq_exact(its, reference))
    });
}

/// How often each process waits for a driver to be loaded, or to be unloaded.
pub fn awaiting(name: &[u8], load: bool) -> Vec<(Term, usize)> {
    let mut counts = Vec::new();
    for watcher in &KNOWN.lock().watchers {
        if watcher.name == name && (watcher.kind == Awaited::Loaded) == load {
            use_once_more(&mut counts, watcher.pid);
        }
    }
    counts
}
