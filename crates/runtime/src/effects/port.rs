//! Ports: the node's connections to the outside world.
//!
//! A port is found in a table by its identifier, and guarded by a lock of its own. A command runs in the sender if
//! the port is idle, otherwise in order on a scheduler ([`queue`]); I/O events run on the scheduler that saw them.
//! [`signals`] is what processes can ask of a port, [`driver`] what is behind one, [`busy`] how senders wait for one.
//! Links, monitors and the connected process work as between processes, by signals.

pub mod access;
pub mod busy;
pub mod carrier;
pub mod descriptor_writer;
pub mod driver;
mod entered;
pub mod framing;
pub mod info;
pub mod look;
pub mod output;
pub(crate) mod queue;
mod report;
pub mod signals;
mod table;
pub mod tracing;

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use layout::{Term, no_gc};
use parking_lot::{Mutex, MutexGuard};
use smallvec::SmallVec;
use term::copy::Owned;
use term::heap::Scratch;
use term::{am, atom, build, reference};

use crate::mail::observer::observer;
use crate::mail::ports::{Left, PortWork};
use crate::mail::{deferred, observer, registry, signal, timer};
use crate::process::rank::Rank;
use crate::process::relations::ReferenceNumber;
use crate::process::signal::Signal;
use crate::process::timer_key::TimerKey;
use crate::process::tracing::Tracings;
use crate::process::{Flags, Process};
use access::Access;
use busy::{Busy, Watermarks};
use driver::{Close, Driver, Ready};
use entered::{Entered, Occasion};
use output::Output;
use tracing::Tracee;

pub use report::report;
pub(crate) use table::flush_all;
pub use table::{
    all_within, bytes, count, find, limit, list, next_number, resolve, set_next_number,
    waiting_bytes_within,
};

/// A port that may be open.
pub struct Port {
    pub id: Term,
    /// All commands are queued, so that senders continue at once.
    pub parallelism: bool,
    /// A copy of `Core::busy`, for callers that find the port locked: whether they have to wait for the lock to be
    /// certain.
    is_driver_busy: AtomicBool,
    /// Whether its phase is one that is listed: a copy for [`table::list`], which locks no port.
    is_listed: AtomicBool,
    state: Mutex<State>,
    tasks: queue::Tasks,
}

/// The data that a port's lock guards.
pub struct State {
    /// None before the port is open, and once it is closed.
    driver: Option<Box<dyn Driver>>,
    core: Core,
}

/// The phase of a port's life.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Phase {
    Starting,
    Open,
    /// It accepts nothing any more but still exists; queued output is being written.
    Closing,
    Closed,
}

impl Phase {
    /// Whether `erlang:ports/0` shows the port. As on stock, a closed port still exists while its output is written.
    fn is_listed(self) -> bool {
        matches!(self, Phase::Open | Phase::Closing)
    }
}

/// The fields of all ports, whatever their driver.
pub struct Core {
    phase: Phase,
    connected: Term,
    links: Vec<Term>,
    /// The processes that monitor the port.
    monitors: HashMap<ReferenceNumber, (Term, Option<Term>)>,
    /// The processes that the port monitors.
    monitored: HashMap<ReferenceNumber, Term>,
    /// Whether data is delivered as binaries.
    pub binary: bool,
    /// The name that it was opened with, for `port_info(name)`.
    name: Arc<[u8]>,
    input_bytes: u64,
    output_bytes: u64,
    data: Option<Owned>,
    /// Whether the driver takes no output now, and the senders that wait for it.
    busy: Busy,
    /// Signals that wait until the driver is not busy any more.
    held: VecDeque<busy::Held>,
    os_pid: Option<u32>,
    timer: Option<TimerKey>,
    timer_generation: u64,
    /// What [`Access::call_again`] has asked for, one for each descriptor.
    calls_again: SmallVec<[Ready; 1]>,
    /// The reason with which the driver wants the port to end.
    exit: Option<Owned>,
    /// The process that opens the port, and the number of the reference that its answer has, if it waits for the
    /// driver.
    opening: Option<(Term, ReferenceNumber)>,
    /// The process that asked by message to close the port; it is notified when that is done.
    closed_for: Option<Term>,
    /// The connection to another node that the port carries.
    channel: Option<Arc<dyn carrier::Channel>>,
    /// What it is traced for.
    tracings: Tracings,
}

/// What [`Port::open`] makes a port of.
pub struct PortOptions {
    pub core: Core,
    pub parallelism: bool,
    /// Of the queue of commands; the driver has its own.
    pub queue_watermarks: Option<Watermarks>,
}

impl Core {
    pub fn new(owner: Term, name: Arc<[u8]>) -> Core {
        Core {
            phase: Phase::Starting,
            connected: owner,
            links: vec![owner],
            monitors: HashMap::new(),
            monitored: HashMap::new(),
            binary: false,
            name,
            input_bytes: 0,
            output_bytes: 0,
            data: None,
            busy: Busy::default(),
            held: VecDeque::new(),
            os_pid: None,
            timer: None,
            timer_generation: 0,
            calls_again: SmallVec::new(),
            exit: None,
            opening: None,
            closed_for: None,
            channel: None,
            tracings: Tracings::NONE,
        }
    }
}

impl Core {
    /// Begins a phase of the port's life.
    fn enter(&mut self, port: &Port, phase: Phase) {
        if self.phase.is_listed() != phase.is_listed() {
            table::set_listed(port, phase.is_listed());
        }
        self.phase = phase;
    }

    /// The name that the port was opened with.
    pub(crate) fn name(&self) -> &[u8] {
        &self.name
    }

    /// Answers the process that opens the port, if it waits for that.
    fn answer_open(&mut self, port: Term, answer: Term) {
        if let Some((opener, number)) = self.opening.take() {
            signal::reply_to(port, opener, number, answer);
        }
    }

    /// Sends `{Port, What}`. A tracer is told of `told`, which on stock is not always the message.
    fn notify(&mut self, to: Term, port: Term, what: Term, told: Term) {
        let mut scratch = Scratch::new();
        let message = build::tuple(scratch.heap(), &[port, what]);
        tracing::sends(&self.tracings, port, to, told);
        signal::send_message(port, to, message);
    }

    /// For reporting what the port does.
    pub(crate) fn tracee(&mut self, port: Term) -> Tracee<'_> {
        Tracee {
            port,
            tracings: &mut self.tracings,
        }
    }
}

impl Port {
    /// The processes that are linked to it.
    pub fn links(&self) -> Vec<Term> {
        self.state.lock().core.links.clone()
    }

    /// Makes a port that is in the table but not open yet; None if there are as many as the limit allows, or if the
    /// node is near the end of its memory.
    pub fn make(core: Core, parallelism: bool) -> Option<Arc<Port>> {
        if sys::memory::budget::is_high() {
            return None;
        }
        table::insert(|id| Arc::new(Port::new(id, core, parallelism)))
    }

    fn new(id: Term, core: Core, parallelism: bool) -> Port {
        Port {
            id,
            parallelism,
            is_driver_busy: AtomicBool::new(false),
            is_listed: AtomicBool::new(false),
            state: Mutex::new(State { driver: None, core }),
            tasks: queue::Tasks::new(Some(Watermarks::DEFAULT)),
        }
    }

    /// Makes a port that `process` owns and is linked to, and starts its driver. The driver may already use the port.
    /// Returns the port or, if the driver answers later ([`Driver::answers_open`]), the reference of the message that
    /// will bring it.
    ///
    /// # Errors
    /// The reason: what `start` returned, or `system_limit`. Nothing stays of the port then.
    pub fn open(
        process: &mut Process,
        options: PortOptions,
        start: impl FnOnce(&mut Access<'_>) -> Result<Box<dyn Driver>, Term>,
    ) -> Result<Term, Term> {
        let port = Port::make(options.core, options.parallelism).ok_or(am::SYSTEM_LIMIT)?;
        port.tasks.set_watermarks(options.queue_watermarks);
        let mut state = port.state.lock();
        let State { driver, core } = &mut *state;
        if observer::are_ports_told() {
            core.tracings = observer().new_port();
            let name = atom::intern_latin1(core.name()).ok();
            core.tracee(port.id).happens(am::OPEN, process.pid(), name);
        }
        let access = &mut Access {
            port: &port,
            core,
            caller: Some(process.pid()),
        };
        access.core.tracee(port.id).runs(am::IN, am::OPEN);
        let started = start(access);
        access.core.tracee(port.id).runs(am::OUT, am::OPEN);
        let answers_later = match started {
            Ok(started) => driver.insert(started).answers_open(),
            Err(reason) => {
                core.enter(&port, Phase::Closed);
                drop(state);
                table::remove(port.id);
                return Err(reason);
            }
        };
        core.enter(&port, Phase::Open);
        process.relations.add_link(port.id, Rank::Ordinary);
        let owner = process.pid();
        core.tracee(port.id)
            .happens(am::GETTING_LINKED, owner, None);
        if process.flags.contains(Flags::TRACED) {
            observer().does(process, am::LINK, port.id);
        }
        let mut opened = port.id;
        if answers_later {
            let number = (reference::fresh_number(), 0);
            core.opening = Some((owner, number));
            opened = reference::with_number(process.heap(), number.0, number.1);
        }
        state.settle(&port);
        Ok(opened)
    }

    /// Makes the machine's own port, which is there before all others; it has an owner and no links.
    pub fn make_own(owner: Term, name: Arc<[u8]>, driver: Box<dyn Driver>) {
        let mut core = Core::new(owner, name);
        core.links.clear();
        let port = table::insert_own(|id| Arc::new(Port::new(id, core, false)));
        let mut state = port.state.lock();
        state.driver = Some(driver);
        state.core.enter(&port, Phase::Open);
    }

    #[must_use]
    pub fn is_open(&self) -> bool {
        self.state.lock().core.phase == Phase::Open
    }

    /// As [`Port::is_open`], for a caller that must not wait: true also while another thread is in the port.
    #[must_use]
    pub fn seems_open(&self) -> bool {
        let state = self.state.try_lock();
        state.is_none_or(|state| state.core.phase == Phase::Open)
    }

    /// Reads or changes how the port is traced; `None` if it is not open.
    pub fn change_tracing<R>(&self, body: impl FnOnce(&mut Tracings) -> R) -> Option<R> {
        let mut state = self.state.lock();
        (state.core.phase == Phase::Open).then(|| body(&mut state.core.tracings))
    }

    /// Ends what is traced of the port in a session, whatever phase it is in.
    pub fn end_tracing(&self, session: u32) {
        self.state.lock().core.tracings.end(session);
    }

    /// Stores the term of `port_set_data/2`; returns whether the port is open.
    #[must_use]
    pub fn set_data(&self, data: Owned) -> bool {
        let mut state = self.state.lock();
        let is_open = state.core.phase == Phase::Open;
        if is_open {
            state.core.data = Some(data);
        }
        is_open
    }

    /// Shows the term of `port_set_data/2`, or `undefined` if there is none. `None` if the port is not open: whoever
    /// had to wait for its lock while it was closed finds no data, and so does not give it what it cannot take.
    pub fn with_data<R>(&self, show: impl FnOnce(Term) -> R) -> Option<R> {
        let state = self.state.lock();
        let data = state.core.data.as_ref().map_or(am::UNDEFINED, Owned::term);
        (state.core.phase == Phase::Open).then(|| show(data))
    }

    /// Locks the port, if what a process asks for may run now, in this thread.
    fn enter(&self, operation: Term) -> Option<Entered<'_>> {
        let state = self.lock_if_idle()?;
        Some(Entered::new(self, state, Occasion::Asked(operation)))
    }

    /// As [`Port::enter`], unless earlier signals of the sender are held; `before` is called when the port is locked,
    /// before its run begins.
    #[inline]
    fn enter_for(
        &self,
        sender: Term,
        operation: Term,
        before: impl FnOnce(),
    ) -> Option<Entered<'_>> {
        let state = self
            .lock_if_idle()
            .filter(|state| !state.holds_of(sender))?;
        before();
        Some(Entered::new(self, state, Occasion::Asked(operation)))
    }

    #[inline]
    fn lock_if_idle(&self) -> Option<MutexGuard<'_, State>> {
        if self.parallelism || self.tasks.are_pending() {
            return None;
        }
        self.try_enter()
    }

    /// Locks the port, unless another thread has, or its driver comes from a library and this thread must call none
    /// (`mail::deferred`).
    #[inline]
    fn try_enter(&self) -> Option<MutexGuard<'_, State>> {
        let state = self.state.try_lock()?;
        let driver = state.driver.as_deref();
        match deferred::is_held() && driver.is_some_and(|driver| driver.is_of_library()) {
            true => None,
            false => Some(state),
        }
    }

    /// Calls the driver, from any thread: for an event, a timer, or a thread of the driver. None if the driver has
    /// stopped.
    pub fn run<R>(
        self: &Arc<Port>,
        body: impl FnOnce(&mut dyn Driver, &mut Access<'_>) -> R,
    ) -> Option<R> {
        let mut state = Entered::new(self, self.state.lock(), Occasion::Input);
        state.call(self, None, body)
    }

    /// As [`Port::run`], but if another thread is in the port, a scheduler calls the driver later. For a thread
    /// that has more to do than wait.
    fn run_soon(
        self: &Arc<Port>,
        occasion: Occasion,
        body: impl FnOnce(&mut dyn Driver, &mut Access<'_>) + Send + 'static,
    ) {
        match self.try_enter() {
            Some(state) => {
                Entered::new(self, state, occasion).call(self, None, body);
            }
            None => self.run_later(body),
        }
    }

    /// As [`Port::run`], but on a scheduler, after what is already queued.
    pub fn run_later(
        self: &Arc<Port>,
        body: impl FnOnce(&mut dyn Driver, &mut Access<'_>) + Send + 'static,
    ) {
        let task = move |port: &Arc<Port>, state: &mut State| {
            state.call(port, None, body);
        };
        queue::push(self, 0, Box::new(task));
    }

    /// Has the driver write a few bytes when the node ends, unless the port's lock was not acquired within
    /// `timeout`. What that does to the port no longer matters.
    pub fn write_last(self: &Arc<Port>, bytes: &[u8], timeout: Duration) {
        let Some(mut state) = self.state.try_lock_for(timeout) else {
            return;
        };
        let State { driver, core } = &mut *state;
        let mut scratch = Scratch::new();
        let bytes = build::binary(scratch.heap(), bytes);
        if let (Some(driver), Ok(output)) = (driver, Output::new(bytes, no_gc!())) {
            let mut access = Access {
                port: self,
                core,
                caller: None,
            };
            let _ = driver.output(&mut access, &output);
        }
    }
}

impl State {
    fn call<R>(
        &mut self,
        port: &Arc<Port>,
        caller: Option<Term>,
        body: impl FnOnce(&mut dyn Driver, &mut Access<'_>) -> R,
    ) -> Option<R> {
        let State { driver, core } = self;
        let driver = driver.as_mut()?;
        let _port = crate::mail::microstate::enter(crate::mail::microstate::ThreadState::Port);
        let result = body(&mut **driver, &mut Access { port, core, caller });
        self.settle(port);
        Some(result)
    }

    /// Carries out what the driver asked for.
    #[inline]
    fn settle(&mut self, port: &Arc<Port>) {
        let exit = self.core.exit.take();
        match self.core.phase {
            Phase::Open => {
                if let Some(reason) = exit {
                    self.close(port, reason.term());
                    if self.core.phase == Phase::Closing {
                        // The driver has given up, so what is queued will not be written.
                        self.stop(port);
                    }
                }
            }
            Phase::Closing => {
                let is_empty = self
                    .driver
                    .as_ref()
                    .is_none_or(|driver| driver.queued_bytes() == 0);
                if exit.is_some() || is_empty {
                    self.stop(port);
                }
            }
            Phase::Starting | Phase::Closed => {}
        }
    }

    /// Whether nobody can close the port.
    fn is_permanent(&self) -> bool {
        let driver = self.driver.as_ref();
        driver.is_some_and(|driver| driver.is_permanent())
    }

    /// Closes the port with a reason; returns false if it was not open, or cannot be closed. A port that is killed does
    /// not wait until its output is written, and linked and monitoring processes get the reason `killed`, as with
    /// processes. Neither does one whose owner was ended for the memory that it held, which is that output perhaps.
    fn close(&mut self, port: &Arc<Port>, reason: Term) -> bool {
        if self.core.phase != Phase::Open || self.is_permanent() {
            return false;
        }
        let is_killed = reason == am::KILL;
        let gives_up = is_killed || reason == atom::known("memory_guard");
        let reason = if is_killed { am::KILLED } else { reason };
        self.core.answer_open(port.id, port.id);
        // The port stays in the table while output is written, so that this is completed if the node ends meanwhile.
        self.core.enter(port, Phase::Closing);
        self.core.tracee(port.id).happens(am::CLOSED, reason, None);
        let name = registry::name_of(port.id).filter(|_| !self.core.tracings.is_off());
        registry::forget_owner(port.id);
        if let Some(name) = name {
            self.core
                .tracee(port.id)
                .happens(am::UNREGISTER, name, None);
        }
        if let Some(channel) = self.core.channel.take() {
            channel.closed(reason);
        }
        for linked in std::mem::take(&mut self.core.links) {
            let exit = Signal::Exit {
                from: port.id,
                reason: Owned::new(reason),
                linked: true,
            };
            let _ = signal::send(linked, exit);
        }
        for (reference, (watcher, _)) in std::mem::take(&mut self.core.monitors) {
            let down = Signal::Down {
                reference,
                from: None,
                reason: Owned::new(reason),
            };
            let _ = signal::send(watcher, down);
        }
        self.core.end_busy();
        self.run_held(port);
        let State { driver, core } = self;
        let close = driver.as_mut().map_or(Close::Now, |driver| {
            driver.close(&mut Access {
                port,
                core,
                caller: None,
            })
        });
        match close {
            Close::WhenEmpty if !gives_up => self.settle(port),
            Close::WhenEmpty | Close::Now => self.stop(port),
        }
        true
    }

    fn stop(&mut self, port: &Arc<Port>) {
        self.core.enter(port, Phase::Closed);
        let State { driver, core } = self;
        let mut access = Access {
            port,
            core,
            caller: None,
        };
        if let Some(driver) = driver.take() {
            driver.stop(&mut access);
        }
        access.cancel_timer();
        let monitored: Vec<ReferenceNumber> = access.core.monitored.keys().copied().collect();
        for monitor in monitored {
            access.demonitor(monitor);
        }
        self.core.exit = None;
        table::remove(port.id);
        if let Some(asker) = self.core.closed_for.take() {
            self.core.notify(asker, port.id, am::CLOSED, am::CLOSED);
        }
    }
}

impl Drop for Core {
    fn drop(&mut self) {
        if let Some(key) = self.timer.take() {
            timer::cancel(key);
        }
    }
}

impl PortWork for Port {
    fn run_tasks(self: Arc<Self>, may_go_on: &dyn Fn() -> bool) -> Left {
        queue::run_some(&self, queue::TASKS_AT_ONCE, may_go_on)
    }

    /// The timer with this number has expired.
    fn timer_expired(self: Arc<Self>, generation: u64) {
        let expire = move |port: &Arc<Port>, state: &mut State| {
            if state.core.timer.is_some() && state.core.timer_generation == generation {
                state.core.timer = None;
                state.core.tracee(port.id).timed_out();
                state.call(port, None, |driver, access| driver.timeout(access));
            }
        };
        match self.try_enter() {
            Some(state) => expire(&self, &mut Entered::new(&self, state, Occasion::Timeout)),
            None => queue::push(&self, 0, Box::new(expire)),
        }
    }
}
