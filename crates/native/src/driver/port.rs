//! A port of a loaded driver.
//!
//! [`Shared`] is what functions of the interface find by the port's handle, from any thread; [`DriverPort`] is the
//! port's driver. While a driver is called, [`with`] gives what it calls the [`Access`] of the port: this is how
//! `driver_output` knows where it is.

use std::cell::Cell;
use std::collections::HashMap;
use std::ffi::{CString, c_char, c_int, c_void};
use std::fmt;
use std::os::fd::{BorrowedFd, RawFd};
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};
use std::sync::{Arc, LazyLock, Weak};

use layout::Term;
use layout::limits::REDUCTIONS_PER_SLICE;
use parking_lot::{Mutex, RwLock};
use runtime::code::load::CodeResolver;
use runtime::effects::port::Port;
use runtime::effects::port::driver::{Access, Close, Command, Control, Driver, Output, Ready};
use runtime::mail::{current, deferred};
use runtime::process::relations::ReferenceNumber;
use smallvec::SmallVec;
use sys::Errno;
use sys::poll::{Interest, Token};
use term::copy::Owned;
use term::external::{self, DecodeOptions, EncodeOptions};
use term::heap::Scratch;
use term::off_heap;
use term::{am, atom};

use super::abi::{
    Binary, Data, ERROR_BADARG, ERROR_ERRNO, ERROR_GENERAL, Entry, Event, Handle, IoVec,
    KEEP_BUFFER, Monitor, SOFT_BUSY, USE_INIT_ACK, USE_PORT_LOCKING,
};
use super::functions::threads::{PortDataLock, driver_pdl_dec_refc};
use super::loaded::Loaded;
use super::queue::{self, Queue};
use crate::abi::IoPart;
use crate::functions;

/// Room that a driver is given for the result of `control` and of `call`.
const CONTROL_ROOM: usize = 64;
const CALL_ROOM: usize = 256;

/// A slice in percent.
const WHOLE_SLICE: u32 = 100;

/// See the module.
pub struct Shared {
    pub id: Term,
    pub port: Weak<Port>,
    pub driver: Arc<Loaded>,
    data: AtomicPtr<c_void>,
    pub queue: Mutex<Queue>,
    /// Set by `set_port_control_flags`: results of `control` are binaries.
    pub control_is_binary: AtomicBool,
    pub is_binary: bool,
    /// Whether the port was opened with `eof`.
    pub sends_eof: bool,
    selected: Mutex<HashMap<RawFd, Selected>>,
    /// The processes that the driver monitors.
    pub monitored: Mutex<HashMap<ReferenceNumber, Term>>,
    /// When the timer expires, in nanoseconds of the monotonic clock.
    pub deadline_ns: Mutex<Option<i64>>,
    /// The lock for the port's data, which the port counts once; null if the driver has made none.
    data_lock: AtomicPtr<PortDataLock>,
    /// The driver has ended the port, which is no port to it any more; it is stopped when the call that it is in has
    /// returned.
    has_ended: AtomicBool,
}

/// A descriptor that is selected. Readiness is reported as long as it lasts, which the poller does not: see
/// [`DriverPort::ready`].
struct Selected {
    interest: Interest,
    /// None if the poller cannot watch it: a file or device that is always ready.
    token: Option<Token>,
}

impl Selected {
    fn unwatch(&self, access: &mut Access<'_>, fd: RawFd) {
        if let Some(token) = self.token {
            // SAFETY: the driver keeps what it selects open.
            access.unwatch(unsafe { BorrowedFd::borrow_raw(fd) }, token);
        }
    }
}

static PORTS: LazyLock<RwLock<HashMap<Handle, Arc<Shared>>>> = LazyLock::new(RwLock::default);

/// A call of a driver, while it lasts.
struct Entered {
    shared: *const Shared,
    access: *mut Access<'static>,
    /// What the driver has told of its slice, in percent.
    consumed: Cell<u32>,
}

thread_local! {
    static ENTERED: Cell<*const Entered> = const { Cell::new(ptr::null()) };
}

/// The handle of a port.
pub fn handle_of(id: Term) -> Handle {
    id.bits() as Handle
}

/// A port of a loaded driver, by its handle.
pub fn find(handle: Handle) -> Option<Arc<Shared>> {
    let ports = PORTS.read();
    let shared = ports.get(&handle).filter(|shared| !shared.has_ended());
    shared.cloned()
}

/// Writes which driver this thread is calling; returns false if none. It is called for a fault, in the middle of
/// anything.
pub fn describe(out: &mut dyn fmt::Write) -> bool {
    let entered = ENTERED.get();
    if entered.is_null() {
        return false;
    }
    // SAFETY: `Shared::call` set it, and is below on the stack.
    let driver = unsafe { &(*(*entered).shared).driver };
    let _ = out.write_str("driver ");
    for chunk in driver.name.utf8_chunks() {
        let _ = out.write_str(chunk.valid());
    }
    true
}

/// Gives `body` the port that this thread's driver is called for, if it has this handle.
pub fn with<R>(handle: Handle, body: impl FnOnce(&Shared, &mut Access<'_>) -> R) -> Option<R> {
    let entered = ENTERED.get();
    if entered.is_null() {
        return None;
    }
    // SAFETY: `Shared::call` set it, and is below on the stack; what it was given is not used until the driver returns.
    unsafe {
        let Entered { shared, access, .. } = &*entered;
        let shared = &**shared;
        let is_it = handle_of(shared.id) == handle && !shared.has_ended();
        is_it.then(|| body(shared, &mut **access))
    }
}

/// Counts a part of a slice, in percent, for the call that a driver is in; returns whether the slice is used up. None
/// if there is no such port.
pub fn consume(handle: Handle, percent: u32) -> Option<bool> {
    if with(handle, |_, _| ()).is_none() {
        return find(handle).map(|_| percent >= WHOLE_SLICE);
    }
    // SAFETY: as in `with`, which has found it.
    let consumed = unsafe { &(*ENTERED.get()).consumed };
    consumed.set((consumed.get() + percent).min(WHOLE_SLICE));
    Some(consumed.get() == WHOLE_SLICE)
}

/// Does something for a port: now if this thread's driver is called for it, otherwise by a scheduler. Returns false if
/// there is no such port.
pub fn perform(
    handle: Handle,
    body: impl FnOnce(&Shared, &mut Access<'_>) + Send + 'static,
) -> bool {
    let mut body = Some(body);
    let done = with(handle, |shared, access| {
        if let Some(body) = body.take() {
            body(shared, access);
        }
    });
    if done.is_some() {
        return true;
    }
    let shared = find(handle);
    let port = shared.as_ref().and_then(|shared| shared.port.upgrade());
    let (Some(shared), Some(port), Some(body)) = (shared, port, body) else {
        return false;
    };
    port.run_later(move |_, access| body(&shared, access));
    true
}

impl Shared {
    /// Calls a function of the driver for this port. What the driver tells of its slice is charged to the process that
    /// the scheduler runs, if it is called by one.
    pub fn call<R>(&self, access: &mut Access<'_>, body: impl FnOnce(&Entry, Data) -> R) -> R {
        let entered = Entered {
            shared: self,
            access: ptr::from_mut(access).cast(),
            consumed: Cell::new(0),
        };
        let _own = (self.driver.flags & USE_PORT_LOCKING == 0).then(|| self.driver.lock.lock());
        let before = ENTERED.replace(&raw const entered);
        let result = deferred::hold(|| body(self.driver.entry(), self.data()));
        ENTERED.set(before);
        let consumed = i64::from(entered.consumed.get());
        if consumed > 0 {
            current::charge(consumed * REDUCTIONS_PER_SLICE / i64::from(WHOLE_SLICE));
        }
        result
    }

    pub fn data(&self) -> Data {
        self.data.load(Ordering::Acquire)
    }

    fn has_ended(&self) -> bool {
        self.has_ended.load(Ordering::Acquire)
    }

    /// The driver ends the port.
    pub fn end(&self) {
        self.has_ended.store(true, Ordering::Release);
    }

    /// Sets the lock for the port's data; returns false if it has one.
    pub fn set_data_lock(&self, lock: *mut PortDataLock) -> bool {
        let (none, order) = (ptr::null_mut(), Ordering::AcqRel);
        let set = self
            .data_lock
            .compare_exchange(none, lock, order, Ordering::Acquire);
        set.is_ok()
    }

    pub fn set_data(&self, data: Data) {
        self.data.store(data, Ordering::Release);
    }

    /// Changes what is selected; returns false if the system refuses.
    pub fn select(&self, access: &mut Access<'_>, fd: RawFd, read: bool, write: bool) -> bool {
        if fd < 0 {
            return false;
        }
        // SAFETY: the driver keeps what it selects open.
        let descriptor = unsafe { BorrowedFd::borrow_raw(fd) };
        let mut selected = self.selected.lock();
        if let Some(known) = selected.get(&fd) {
            if known.interest.readable == read && known.interest.writable == write {
                return true;
            }
            known.unwatch(access, fd);
            selected.remove(&fd);
        }
        if !read && !write {
            return true;
        }
        let interest = Interest {
            readable: read,
            writable: write,
        };
        let token = match access.watch(descriptor, interest) {
            Ok(token) => Some(token),
            Err(Errno(libc::EPERM)) => {
                access.call_again(Ready {
                    fd,
                    readable: read,
                    writable: write,
                    hangup: false,
                });
                None
            }
            Err(_) => return false,
        };
        selected.insert(fd, Selected { interest, token });
        true
    }

    /// For what a descriptor is selected: reading, writing.
    pub fn selection(&self, fd: RawFd) -> (bool, bool) {
        let selected = self.selected.lock();
        selected.get(&fd).map_or((false, false), |selected| {
            (selected.interest.readable, selected.interest.writable)
        })
    }

    fn process_gone(&self, access: &mut Access<'_>, number: ReferenceNumber) {
        if self.monitored.lock().remove(&number).is_none() {
            return;
        }
        let monitor = Monitor {
            number,
            spare: [0; 2],
        };
        self.call(access, |entry, data| {
            if let Some(process_exit) = entry.process_exit {
                // SAFETY: the driver's function, and its data.
                unsafe { process_exit(data, &raw const monitor) };
            }
        });
    }
}

/// See the module.
pub struct DriverPort(Arc<Shared>);

/// Opens a port of a loaded driver.
///
/// # Errors
/// The reason, as the driver gives it.
pub fn start(
    driver: &Arc<Loaded>,
    access: &mut Access<'_>,
    command: &[u8],
    sends_eof: bool,
) -> Result<Box<dyn Driver>, Term> {
    let port = DriverPort(Arc::new(Shared::new(driver, access, sends_eof)));
    let shared = &port.0;
    let handle = handle_of(shared.id);
    PORTS.write().insert(handle, Arc::clone(shared));
    driver.port_opened(shared.id);
    let command = CString::new(command).map_err(|_| am::BADARG)?.into_raw();
    let started = shared.call(access, |entry, _| {
        // SAFETY: the driver's function; the command is a string that it may change.
        entry.start.map(|start| unsafe { start(handle, command) })
    });
    // A driver that starts nothing has no data.
    let data = started.unwrap_or(ptr::null_mut());
    let refusal = refusal(data);
    // SAFETY: made above; the driver does not keep it.
    drop(unsafe { CString::from_raw(command) });
    match refusal {
        None => {
            shared.set_data(data);
            Ok(Box::new(port))
        }
        Some(reason) => {
            port.forget(access);
            Err(reason)
        }
    }
}

/// Why a driver starts no port, by what it has returned instead of data; None if it is data. The system's error must
/// still be there.
pub fn refusal(data: Data) -> Option<Term> {
    Some(match data as isize {
        ERROR_GENERAL => am::EINVAL,
        ERROR_ERRNO => atom::known(Errno::last().name()),
        ERROR_BADARG => am::BADARG,
        _ => return None,
    })
}

/// A port that the driver makes by itself, with data that it has already.
pub fn create(driver: &Arc<Loaded>, access: &mut Access<'_>, data: Data) -> Box<dyn Driver> {
    let shared = Shared::new(driver, access, false);
    shared.set_data(data);
    let shared = Arc::new(shared);
    PORTS
        .write()
        .insert(handle_of(shared.id), Arc::clone(&shared));
    driver.port_opened(shared.id);
    Box::new(DriverPort(shared))
}

impl Shared {
    fn new(driver: &Arc<Loaded>, access: &Access<'_>, sends_eof: bool) -> Shared {
        Shared {
            id: access.id(),
            port: access.handle(),
            driver: Arc::clone(driver),
            data: AtomicPtr::new(ptr::null_mut()),
            queue: Mutex::default(),
            control_is_binary: AtomicBool::new(false),
            is_binary: access.is_binary(),
            sends_eof,
            selected: Mutex::default(),
            monitored: Mutex::default(),
            deadline_ns: Mutex::default(),
            data_lock: AtomicPtr::new(ptr::null_mut()),
            has_ended: AtomicBool::new(false),
        }
    }
}

impl DriverPort {
    /// The port is no more.
    fn forget(&self, access: &mut Access<'_>) {
        PORTS.write().remove(&handle_of(self.0.id));
        for (fd, selected) in self.0.selected.lock().drain() {
            selected.unwatch(access, fd);
        }
        let lock = self.0.data_lock.swap(ptr::null_mut(), Ordering::AcqRel);
        if !lock.is_null() {
            // SAFETY: the port's count, which is taken back once.
            unsafe { driver_pdl_dec_refc(lock) };
        }
        self.0.driver.port_closed(self.0.id);
    }
}

/// The parts of an output for `outputv`, with an empty one in front, which drivers may use for a header.
struct Vector {
    parts: Vec<IoPart>,
    binaries: Vec<*mut Binary>,
}

impl Vector {
    /// None if there is no memory.
    fn of(output: &Output) -> Option<Vector> {
        let mut vector = Vector {
            parts: vec![IoPart {
                data: ptr::null_mut(),
                size: 0,
            }],
            binaries: vec![ptr::null_mut()],
        };
        for (bytes, shared) in output.shared_parts() {
            let shared = shared.and_then(functions::block_of_binary);
            let (data, binary) = match shared {
                Some(block) => (bytes.as_ptr().cast_mut(), Binary::of(block)),
                None => {
                    let binary = queue::copied(bytes)?;
                    // SAFETY: the block is new.
                    let data = unsafe { off_heap::BinaryBlock::bytes(Binary::block(binary)) };
                    (data, binary)
                }
            };
            vector.parts.push(IoPart {
                data,
                size: bytes.len(),
            });
            vector.binaries.push(binary);
        }
        Some(vector)
    }
}

impl Drop for Vector {
    fn drop(&mut self) {
        for &binary in self.binaries.iter().filter(|binary| !binary.is_null()) {
            // SAFETY: counted when the vector was made.
            unsafe { off_heap::drop_reference(Binary::counted(binary)) };
        }
    }
}

/// A result that a driver has written: into the room that it was given, or into memory of its own, which is freed.
///
/// # Safety
/// `at` is the room, or memory of `driver_alloc`; it has `size` bytes.
unsafe fn taken(room: &[u8], at: *mut c_char, size: usize) -> Vec<u8> {
    if at.is_null() {
        return Vec::new();
    }
    // SAFETY: the caller's promise.
    unsafe {
        let bytes = std::slice::from_raw_parts(at.cast::<u8>(), size).to_vec();
        if at.cast_const().cast() != room.as_ptr() {
            libc::free(at.cast());
        }
        bytes
    }
}

impl Driver for DriverPort {
    fn answers_open(&self) -> bool {
        self.0.driver.flags & USE_INIT_ACK != 0
    }

    fn takes_vector(&self) -> bool {
        self.0.driver.entry().outputv.is_some()
    }

    fn output(&mut self, port: &mut Access<'_>, output: &Output) -> Command {
        let entry = self.0.driver.entry();
        if let Some(outputv) = entry.outputv {
            let Some(mut vector) = Vector::of(output) else {
                return Command::Bad;
            };
            let mut io_vec = IoVec {
                count: vector.parts.len() as c_int,
                size: output.size(),
                parts: vector.parts.as_mut_ptr(),
                binaries: vector.binaries.as_mut_ptr(),
            };
            self.0.call(port, |_, data| {
                // SAFETY: the driver's function, its data, and a vector that lives until it returns.
                unsafe { outputv(data, &raw mut io_vec) };
            });
        } else if let Some(one) = entry.output {
            let mut bytes = output.whole().into_owned();
            self.0.call(port, |_, data| {
                // SAFETY: the driver's function, its data, and bytes that it may change.
                unsafe { one(data, bytes.as_mut_ptr().cast(), bytes.len()) };
            });
        }
        Command::Done
    }

    fn control(&mut self, port: &mut Access<'_>, operation: u32, data: &[u8]) -> Option<Control> {
        let control = self.0.driver.entry().control?;
        let mut bytes = data.to_vec();
        let mut room = [0u8; CONTROL_ROOM];
        let mut at: *mut c_char = room.as_mut_ptr().cast();
        let size = self.0.call(port, |_, data| {
            let (bytes, size) = (bytes.as_mut_ptr().cast(), bytes.len());
            // SAFETY: the driver's function, its data, and memory as the header says.
            unsafe { control(data, operation, bytes, size, &raw mut at, CONTROL_ROOM) }
        });
        let size = usize::try_from(size).ok()?;
        let is_room = at.cast_const().cast() == room.as_ptr();
        if at.is_null() {
            return Some(Control::List(SmallVec::new()));
        }
        if self.0.control_is_binary.load(Ordering::Relaxed) && !is_room {
            let binary = at.cast::<Binary>();
            // SAFETY: with this flag, the driver returns a binary, and gives up its count. All of it is the result,
            // whatever size the driver returned.
            return Some(Control::Binary(unsafe {
                let size = usize::try_from((*binary).size).unwrap_or(0);
                let bytes = off_heap::BinaryBlock::bytes(Binary::block(binary));
                let bytes = std::slice::from_raw_parts(bytes, size).to_vec();
                off_heap::drop_reference(Binary::counted(binary));
                bytes
            }));
        }
        // SAFETY: the driver has written as many bytes.
        let bytes = unsafe { taken(&room, at, size) };
        Some(match self.0.control_is_binary.load(Ordering::Relaxed) {
            true => Control::Binary(bytes),
            false => Control::List(SmallVec::from_vec(bytes)),
        })
    }

    fn call(&mut self, port: &mut Access<'_>, operation: u32, data: Term) -> Option<Owned> {
        let call = self.0.driver.entry().call?;
        let mut bytes = external::encode(data, &EncodeOptions::of_release()).ok()?;
        port.is_called(operation, &bytes);
        let mut room = [0u8; CALL_ROOM];
        let mut at: *mut c_char = room.as_mut_ptr().cast();
        let mut flags = 0;
        let size = self.0.call(port, |_, data| {
            let (bytes, size) = (bytes.as_mut_ptr().cast(), bytes.len());
            // SAFETY: the driver's function, its data, and memory as the header says.
            unsafe {
                call(
                    data,
                    operation,
                    bytes,
                    size,
                    &raw mut at,
                    CALL_ROOM,
                    &raw mut flags,
                )
            }
        });
        let size = usize::try_from(size).ok()?;
        // SAFETY: the driver has written as many bytes, and keeps memory that it says so of.
        let bytes = unsafe {
            match flags & KEEP_BUFFER != 0 && !at.is_null() {
                true => std::slice::from_raw_parts(at.cast::<u8>(), size).to_vec(),
                false => taken(&room, at, size),
            }
        };
        let mut scratch = Scratch::new();
        let options = DecodeOptions::default();
        let decoded = external::decode(scratch.heap(), &bytes, &options, &mut CodeResolver);
        if decoded.is_ok() {
            port.answers_call(&bytes);
        }
        decoded.ok().map(|(term, _)| Owned::new(term))
    }

    fn is_of_library(&self) -> bool {
        true
    }

    fn locking(&self) -> &'static str {
        match self.0.driver.flags & USE_PORT_LOCKING {
            0 => "driver_level",
            _ => "port_level",
        }
    }

    fn ready(&mut self, port: &mut Access<'_>, ready: Ready) {
        let fd = ready.fd;
        let event = fd as Event;
        if (ready.readable || ready.hangup) && self.0.selection(fd).0 {
            self.0.call(port, |entry, data| {
                if let Some(ready_input) = entry.ready_input {
                    // SAFETY: the driver's function, and its data.
                    unsafe { ready_input(data, event) };
                }
            });
        }
        // A driver that has given up is not called any more.
        if port.is_ending() {
            return;
        }
        if ready.writable && self.0.selection(fd).1 {
            self.0.call(port, |entry, data| {
                if let Some(ready_output) = entry.ready_output {
                    // SAFETY: as above.
                    unsafe { ready_output(data, event) };
                }
            });
        }
        if port.is_ending() {
            return;
        }
        // Whether there is more to do, because no other event would tell.
        let (reads, writes) = self.0.selection(fd);
        let (readable, writable) = possible(fd, reads, writes);
        if readable || writable {
            port.call_again(Ready {
                fd,
                readable,
                writable,
                hangup: false,
            });
        }
    }

    fn timeout(&mut self, port: &mut Access<'_>) {
        *self.0.deadline_ns.lock() = None;
        self.0.call(port, |entry, data| {
            if let Some(timeout) = entry.timeout {
                // SAFETY: the driver's function, and its data.
                unsafe { timeout(data) };
            }
        });
    }

    fn process_down(&mut self, port: &mut Access<'_>, monitor: ReferenceNumber) {
        self.0.process_gone(port, monitor);
    }

    fn queued_bytes(&self) -> usize {
        self.0.queue.lock().size()
    }

    fn takes_force(&self) -> bool {
        self.0.driver.flags & SOFT_BUSY != 0
    }

    fn close(&mut self, port: &mut Access<'_>) -> Close {
        // A driver that has given up does not write what is queued.
        if self.queued_bytes() == 0 || self.0.has_ended() {
            return Close::Now;
        }
        self.0.call(port, |entry, data| {
            if let Some(flush) = entry.flush {
                // SAFETY: the driver's function, and its data.
                unsafe { flush(data) };
            }
        });
        Close::WhenEmpty
    }

    fn stop(self: Box<Self>, port: &mut Access<'_>) {
        // It may still use the port to clean up.
        self.0.has_ended.store(false, Ordering::Release);
        self.0.call(port, |entry, data| {
            if let Some(stop) = entry.stop {
                // SAFETY: the driver's function, and its data, which it may free.
                unsafe { stop(data) };
            }
        });
        self.forget(port);
    }
}

/// What is possible on a descriptor at this moment, of what is asked for.
fn possible(fd: RawFd, reads: bool, writes: bool) -> (bool, bool) {
    if !reads && !writes {
        return (false, false);
    }
    let mut asked = libc::pollfd {
        fd,
        events: if reads { libc::POLLIN } else { 0 } | if writes { libc::POLLOUT } else { 0 },
        revents: 0,
    };
    // SAFETY: one descriptor; the call does not wait.
    let count = unsafe { libc::poll(&raw mut asked, 1, 0) };
    if count <= 0 || asked.revents & libc::POLLNVAL != 0 {
        return (false, false);
    }
    let is_over = asked.revents & (libc::POLLHUP | libc::POLLERR) != 0;
    (
        reads && (is_over || asked.revents & libc::POLLIN != 0),
        writes && (is_over || asked.revents & libc::POLLOUT != 0),
    )
}
