//! The channel to one other node, from the attempt to connect until the connection is lost.
//!
//! ```text
//!  pending ---- create (handshake done) ----> up ---- port or controlling process ends ----> down
//!     └──────────── attempt given up ──────────────────────────────────────────────────────────┘
//! ```
//!
//! While it is pending, what is sent waits as terms, because it is not known yet how the other node wants them;
//! afterwards it is encoded by whoever sends, and put into the [`output`]. A port takes output when its driver can
//! write; a controlling process asks for it packet by packet. What comes in is taken apart by [`input`].
//!
//! **Busy.** When `+zdbbl` bytes wait, the process that sends is suspended, after its message was accepted. It is
//! resumed when nothing of its own waits any more, and all are once less waits. A process that ends does not wait: what
//! it has to tell does ([`endings`]).
//!
//! Locks: the state, the relations ([`crate::relations`]) and the input are locked one at a time, never one within
//! another.

mod downgrade;
mod endings;
pub(crate) mod header;
pub(crate) mod input;
mod output;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use layout::Term;
use parking_lot::Mutex;
use term::byte_queue::ByteQueue;
use term::copy::Owned;
use term::external::{EncodeBuffers, EncodeOptions, Encoder, Segment};
use term::heap::Scratch;
use term::{am, build, reference};

use crate::flags::{Flag, Flags};
use crate::monitor_nodes;
use crate::relations::Relations;
use downgrade::{Answer, Downgraded};
use endings::{Ending, Endings};
use header::Collector;
use input::Input;
use output::{Body, Output};
use runtime::effects::port::busy::{SuspendedSenders, suspend_sender};
use runtime::effects::port::{Port, carrier};
use runtime::mail::dirty;
use runtime::mail::remote::Reason;
use runtime::mail::signal::{self, Sent};
use runtime::process::Process;
use runtime::process::dirty::DirtyKind;
use runtime::process::signal::Signal;

/// For how long signals of processes that have ended are encoded before other work of the same kind has its turn.
const TURN: Duration = Duration::from_millis(1);
/// Shared binaries of more bytes are not copied into the output.
const SHARED_BYTES: usize = 4 << 10;

/// See the module.
pub struct Channel {
    /// The name of the other node.
    pub node: Term,
    /// Its number among the connections to that node.
    pub id: u32,
    /// That of the reference which is its handle ([`crate::dist_handle`]).
    pub handle_number: u64,
    pub relations: Relations,
    /// Those of both nodes; 0 while the channel is pending.
    flags: AtomicU64,
    /// That of the other node in its present life; 0 while the channel is pending.
    creation: AtomicU32,
    state: Mutex<State>,
    input: Mutex<Input>,
    /// Something came in that cannot be understood, or the connection is to end for another reason: what comes in from
    /// then on is for nobody.
    refuses_input: AtomicBool,
    /// Whether the port was asked to take output, and has not begun.
    is_output_announced: AtomicBool,
    packets_in: AtomicU64,
    packets_out: AtomicU64,
}

struct State {
    phase: Phase,
    output: Output,
    /// What was sent while the channel was pending, and how many bytes that is about.
    waiting: Vec<Operation>,
    waiting_bytes: usize,
    /// The senders that were suspended while the channel was pending.
    suspended: Vec<Term>,
    endings: Endings,
    controller: Controller,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    Pending,
    Up,
    Down,
}

/// What the handshake has found.
#[derive(Clone, Copy)]
pub struct Facts {
    /// That of the other node.
    pub creation: u32,
    /// What both nodes are capable of.
    pub both: Flags,
}

/// What a process has sent, as terms.
struct Operation {
    sender: Term,
    control: Owned,
    payload: Option<Owned>,
}

/// Who carries the channel.
#[derive(Clone)]
enum Controller {
    None,
    Port(Arc<Port>),
    Process(ControllingProcess),
}

impl Controller {
    fn identifier(&self) -> Option<Term> {
        match self {
            Controller::None => None,
            Controller::Port(port) => Some(port.id),
            Controller::Process(process) => Some(process.pid),
        }
    }
}

/// A channel as it was seen: [`Channel::look_within`].
pub struct Looked {
    pub phase: Phase,
    /// Whether a sender would be suspended.
    pub is_busy: bool,
    /// About how many bytes wait to be sent.
    pub queued_bytes: usize,
    pub packets_in: u64,
    pub packets_out: u64,
    /// The port or process that carries the channel.
    pub controller: Option<Term>,
}

/// A process that carries a channel, and what it wants.
#[derive(Clone, Copy)]
struct ControllingProcess {
    pid: Term,
    /// It wants a message when there is output.
    wants_notification: bool,
    /// It wants the size of each packet.
    wants_size: bool,
    /// The process that may hand in what arrives.
    input_handler: Term,
}

/// How sending went, for a process that can be suspended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
enum Queued {
    Accepted,
    /// The sender must wait.
    Busy,
    /// Not sent: a part of it is larger than its external format can say (a binary of 4 GiB).
    TooLarge,
}

impl Channel {
    pub fn pending(node: Term, id: u32) -> Arc<Channel> {
        Arc::new(Channel {
            node,
            id,
            handle_number: reference::fresh_number(),
            relations: Relations::default(),
            flags: AtomicU64::new(0),
            creation: AtomicU32::new(0),
            state: Mutex::new(State {
                phase: Phase::Pending,
                output: Output::default(),
                waiting: Vec::new(),
                waiting_bytes: 0,
                suspended: Vec::new(),
                endings: Endings::default(),
                controller: Controller::None,
            }),
            input: Mutex::new(Input::new()),
            refuses_input: AtomicBool::new(false),
            is_output_announced: AtomicBool::new(false),
            packets_in: AtomicU64::new(0),
            packets_out: AtomicU64::new(0),
        })
    }

    pub fn phase(&self) -> Phase {
        self.state.lock().phase
    }

    /// What both nodes are capable of; nothing is known of that while the channel is pending.
    pub(crate) fn flags(&self) -> Option<Flags> {
        let both = self.flags.load(Ordering::Acquire);
        (both != 0).then_some(Flags(both))
    }

    /// Whether both nodes have a flag; not while the channel is pending.
    pub fn has(&self, flag: Flag) -> bool {
        self.flags().is_some_and(|both| both.has(flag))
    }

    /// The creation of the other node, which is known when the channel is up.
    pub fn creation(&self) -> u32 {
        self.creation.load(Ordering::Acquire)
    }

    /// Whether other nodes should know of the other node.
    pub fn is_visible(&self) -> bool {
        self.has(Flag::Published)
    }

    /// The port or process that carries the channel.
    pub fn controller(&self) -> Option<Term> {
        self.state.lock().controller.identifier()
    }

    /// What is seen of the channel from outside; `None` if its lock was not acquired within `timeout`.
    #[must_use]
    pub fn look_within(&self, timeout: Duration) -> Option<Looked> {
        let state = self.state.try_lock_for(timeout)?;
        Some(Looked {
            phase: state.phase,
            is_busy: state.is_busy(),
            queued_bytes: state.output.size() + state.waiting_bytes,
            packets_in: self.packets_in.load(Ordering::Relaxed),
            packets_out: self.packets_out.load(Ordering::Relaxed),
            controller: state.controller.identifier(),
        })
    }

    /// The handshake is done: a port carries the channel. Returns false if that is impossible.
    pub fn open_by_port(self: &Arc<Channel>, port: &Arc<Port>, facts: Facts) -> bool {
        if !port.carry(Arc::new(Carried(self.clone()))) {
            return false;
        }
        self.open(Controller::Port(port.clone()), facts)
    }

    /// As [`Channel::open_by_port`], for a process.
    pub fn open_by_process(self: &Arc<Channel>, pid: Term, facts: Facts) -> bool {
        let process = ControllingProcess {
            pid,
            wants_notification: false,
            wants_size: false,
            input_handler: pid,
        };
        self.open(Controller::Process(process), facts)
    }

    fn open(self: &Arc<Channel>, controller: Controller, facts: Facts) -> bool {
        let mut state = self.state.lock();
        if state.phase != Phase::Pending {
            return false;
        }
        let Facts { creation, both } = facts;
        state.output = Output::new(both.have_header(), both.has(Flag::Fragments));
        state.controller = controller;
        self.creation.store(creation, Ordering::Release);
        self.flags.store(both.0, Ordering::Release);
        let waiting = std::mem::take(&mut state.waiting);
        state.waiting_bytes = 0;
        let mut answers = Vec::new();
        let mut all_sent = true;
        for operation in &waiting {
            let payload = operation.payload.as_ref().map(Owned::term);
            let put = |message: &Message<'_>| {
                message.put(&mut state.output, operation.sender);
                Queued::Accepted
            };
            let (queued, answer) = self.encode(both, operation.control.term(), payload, put);
            all_sent &= queued != Queued::TooLarge;
            answers.extend(answer);
        }
        for sender in std::mem::take(&mut state.suspended) {
            state.output.wait(sender);
        }
        state.phase = Phase::Up;
        let has_output = !state.output.is_empty();
        let has_endings = state.wants_attention();
        drop(state);
        if has_output {
            self.announce_output();
        }
        if has_endings {
            self.attend_to_endings();
        }
        // Their terms are those of the operations.
        for answer in answers {
            downgrade::answer(self, answer);
        }
        drop(waiting);
        if !all_sent {
            self.break_off();
        }
        true
    }

    /// Tells those who watch nodes that the channel is up.
    pub fn tell_up(&self) {
        monitor_nodes::tell(monitor_nodes::Change {
            what: am::NODEUP,
            node: self.node,
            id: Some(self.id),
            is_visible: self.is_visible(),
            reason: Term::NIL,
        });
    }

    /// Gives up a channel that is still pending; returns whether it was.
    pub fn abort(self: &Arc<Channel>) -> bool {
        self.phase() == Phase::Pending && self.close(am::NOCONNECTION)
    }

    /// Sends a control term, and a message if there is one, for a process that is suspended if too much waits, unless
    /// it has set the flag `async_dist`.
    pub fn send_from(&self, from: &mut Process, control: Term, payload: Option<Term>) -> Sent {
        let pid = from.pid();
        match self.queue(
            pid,
            (!from.is_async_dist()).then_some(pid),
            control,
            payload,
        ) {
            Queued::Accepted => Sent::Done,
            Queued::Busy => {
                suspend_sender(from);
                if let Some(controller) = self.controller() {
                    runtime::effects::system_monitor::busy_dist_port(pid, controller);
                }
                Sent::Suspended
            }
            Queued::TooLarge => Sent::TooLarge,
        }
    }

    /// As [`Channel::send_from`], but never suspends the sender.
    pub fn send_without_waiting(&self, from: Term, control: Term, payload: Option<Term>) -> Sent {
        match self.queue(from, None, control, payload) {
            Queued::TooLarge => Sent::TooLarge,
            Queued::Accepted | Queued::Busy => Sent::Done,
        }
    }

    /// Sends a control term, and a message if there is one, in the order of what `sender` sends. Nobody could be told
    /// that it is too large, and the other node must not wait for it in vain: that ends the connection, as on stock.
    pub fn send(&self, sender: Term, control: Term, payload: Option<Term>) {
        if self.queue(sender, None, control, payload) == Queued::TooLarge {
            self.break_off();
        }
    }

    fn queue(
        &self,
        sender: Term,
        suspendable: Option<Term>,
        control: Term,
        payload: Option<Term>,
    ) -> Queued {
        if self.flags().is_none() {
            let mut state = self.state.lock();
            if state.phase == Phase::Pending {
                let operation = Operation {
                    sender,
                    control: Owned::new(control),
                    payload: payload.map(Owned::new),
                };
                let words = payload.map_or(0, term::copy::size) + term::copy::size(control);
                state.waiting_bytes += 8 * words;
                state.waiting.push(operation);
                return state.must_wait(suspendable);
            }
        }
        let Some(both) = self.flags() else {
            // It is down, and never was up.
            return Queued::Accepted;
        };
        let put = |message: &Message<'_>| {
            let mut state = self.state.lock();
            if state.phase != Phase::Up {
                return Queued::Accepted;
            }
            message.put(&mut state.output, sender);
            state.must_wait(suspendable)
        };
        let (queued, answer) = self.encode(both, control, payload, put);
        self.announce_output();
        if let Some(answer) = answer {
            downgrade::answer(self, answer);
        }
        queued
    }

    /// Encodes a signal as the other node wants it, and shows the result. Returns also what the other node would have
    /// answered if it were newer.
    fn encode(
        &self,
        both: Flags,
        control: Term,
        payload: Option<Term>,
        show: impl FnOnce(&Message<'_>) -> Queued,
    ) -> (Queued, Option<Answer>) {
        let downgraded = match downgrade::understands_all(both) {
            true => None,
            false => downgrade::translate(both, control, payload),
        };
        match downgraded {
            None => (Message::encode(both, control, payload, show), None),
            Some(Downgraded { message, answer }) => {
                let queued = match message {
                    Some((control, payload)) => {
                        Message::encode(both, control.term(), payload, show)
                    }
                    None => Queued::Accepted,
                };
                (queued, answer)
            }
        }
    }

    /// Whether a sender would be suspended.
    pub fn is_busy(&self) -> bool {
        self.state.lock().is_busy()
    }

    /// Tells whoever carries the channel that there is output.
    fn announce_output(&self) {
        if self.is_output_announced.swap(true, Ordering::SeqCst) {
            return;
        }
        let notified = {
            let mut state = self.state.lock();
            match &mut state.controller {
                Controller::None => return,
                Controller::Port(port) => {
                    let port = port.clone();
                    drop(state);
                    return port.take_output_soon();
                }
                Controller::Process(process) => {
                    let wanted = std::mem::take(&mut process.wants_notification);
                    wanted.then_some(process.pid)
                }
            }
        };
        // A process asks again when it wants to know again.
        self.is_output_announced.store(false, Ordering::SeqCst);
        if let Some(pid) = notified {
            signal::send_message(am::SYSTEM, pid, am::DIST_DATA);
        }
    }

    /// Resumes the senders that wait, if the channel is not busy any more, or else those of which nothing waits.
    fn relieve(self: &Arc<Channel>, mut state: parking_lot::MutexGuard<'_, State>) {
        let all = !state.is_busy();
        let suspended = SuspendedSenders(state.output.relieved(all));
        let has_endings = state.wants_attention();
        drop(state);
        suspended.resume();
        if has_endings {
            self.attend_to_endings();
        }
    }

    /// A packet has come in.
    pub fn packet(self: &Arc<Channel>, bytes: &[u8]) -> carrier::Accepted {
        self.packets_in.fetch_add(1, Ordering::Relaxed);
        input::packet(self, &self.input, bytes)
    }

    /// From now on no packet is handled, and the next one ends the connection if nothing else does.
    fn refuse_input(&self) {
        self.refuses_input.store(true, Ordering::SeqCst);
    }

    fn refuses_input(&self) -> bool {
        self.refuses_input.load(Ordering::SeqCst)
    }

    /// The end of the channel: everything that depended on it learns of that. Returns false if it had ended before.
    pub fn close(self: &Arc<Channel>, reason: Term) -> bool {
        let (suspended, endings, was_up) = {
            let mut state = self.state.lock();
            if state.phase == Phase::Down {
                return false;
            }
            let was_up = state.phase == Phase::Up;
            state.phase = Phase::Down;
            let mut suspended = std::mem::take(&mut state.suspended);
            suspended.append(&mut state.output.relieved(true));
            state.output = Output::default();
            state.waiting = Vec::new();
            state.controller = Controller::None;
            (suspended, std::mem::take(&mut state.endings), was_up)
        };
        drop(endings);
        *self.input.lock() = Input::new();
        SuspendedSenders(suspended).resume();
        crate::peers::channel_closed(self, was_up, reason);
        true
    }

    /// Has the connection end by ending whoever carries it: the other node sends what cannot be understood, or takes
    /// nothing, or waits for what cannot be sent. Nothing that it still sends is handled.
    pub fn break_off(&self) {
        self.refuse_input();
        let controller = self.state.lock().controller.clone();
        match controller {
            Controller::None => {}
            Controller::Port(port) => {
                port.run_later(|_, access| access.exit(am::KILLED));
            }
            Controller::Process(process) => {
                let kill = Signal::Exit {
                    from: process.pid,
                    reason: Owned::new(am::KILL),
                    linked: false,
                };
                let _ = signal::send(process.pid, kill);
            }
        }
    }

    /// Gives up the connection, or the attempt to connect, with all that waits to be sent.
    pub fn give_up(self: &Arc<Channel>) {
        match self.phase() {
            Phase::Pending => {
                self.close(am::NOCONNECTION);
            }
            Phase::Up => self.break_off(),
            Phase::Down => {}
        }
    }

    /// About how many bytes wait to be sent; `None` if the lock was not acquired in time.
    pub fn waiting_bytes_within(&self, timeout: Duration) -> Option<usize> {
        let state = self.state.try_lock_for(timeout)?;
        Some(state.output.size() + state.waiting_bytes)
    }

    /// What a controlling process sees of the channel: packets in, packets out, and bytes that wait.
    pub fn statistics(&self) -> Option<(u64, u64, usize)> {
        let state = self.state.lock();
        (state.phase == Phase::Up).then(|| {
            let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
            (
                count(&self.packets_in),
                count(&self.packets_out),
                state.output.size(),
            )
        })
    }
}

/// What processes that have ended still have to tell: see [`endings`].
impl Channel {
    /// Sends a control term, with a reason if there is one, in the name of a process that has ended or never was. If
    /// the channel is busy, a large reason waits without being encoded.
    pub fn send_ending(self: &Arc<Channel>, sender: Term, control: Term, reason: Option<&Reason>) {
        let is_large = reason.is_some_and(|reason| !reason.term().is_immediate());
        let must_wait = {
            let state = self.state.lock();
            state.phase != Phase::Down && (state.endings.has(sender) || is_large && state.is_busy())
        };
        if !must_wait {
            return self.send(sender, control, reason.map(Reason::term));
        }
        let ending = Ending {
            control: Owned::new(control),
            reason: reason.map(Reason::kept),
        };
        let mut state = self.state.lock();
        if state.phase == Phase::Down {
            drop(state);
            // What was copied is freed without the lock.
            drop(ending);
            return;
        }
        state.endings.push(sender, ending);
        let is_wanted = state.wants_attention();
        drop(state);
        if is_wanted {
            self.attend_to_endings();
        }
    }

    /// Has a thread encode what waits.
    fn attend_to_endings(self: &Arc<Channel>) {
        let channel = self.clone();
        dirty::later(DirtyKind::Chore, move || channel.send_endings());
    }

    fn send_endings(self: &Arc<Channel>) {
        let began = Instant::now();
        while began.elapsed() < TURN {
            let next = {
                let mut state = self.state.lock();
                let next = match state.phase == Phase::Up && !state.is_busy() {
                    true => state.endings.next(),
                    false => None,
                };
                state.endings.is_attended = next.is_some();
                next
            };
            let Some((sender, Ending { control, reason })) = next else {
                return;
            };
            let reason = reason.as_deref().map(Owned::term);
            self.send(sender, control.term(), reason);
            self.state.lock().endings.sent(sender);
        }
        self.attend_to_endings();
    }
}

/// What a controlling process does (`erlang:dist_ctrl_*`).
impl Channel {
    fn with_process<R>(
        &self,
        pid: Term,
        body: impl FnOnce(&mut State, ControllingProcess) -> R,
    ) -> Option<R> {
        let mut state = self.state.lock();
        match state.controller {
            Controller::Process(process) if process.pid == pid => Some(body(&mut state, process)),
            _ => None,
        }
    }

    fn change_process(&self, pid: Term, change: impl FnOnce(&mut ControllingProcess)) -> bool {
        let changed = self.with_process(pid, |state, mut process| {
            change(&mut process);
            state.controller = Controller::Process(process);
        });
        changed.is_some()
    }

    /// The next packet, and whether its size is wanted; `None` if `pid` does not control the channel.
    pub fn output_for(self: &Arc<Channel>, pid: Term) -> Option<(Option<ByteQueue>, bool)> {
        let taken = self.with_process(pid, |state, process| {
            (state.output.take_packet(), process.wants_size)
        })?;
        if taken.0.is_some() {
            self.packets_out.fetch_add(1, Ordering::Relaxed);
            self.relieve(self.state.lock());
        }
        Some(taken)
    }

    /// The process wants a message when there is output; it comes at once if there is some.
    pub fn notify(&self, pid: Term) -> bool {
        let Some(is_empty) = self.with_process(pid, |state, _| state.output.is_empty()) else {
            return false;
        };
        self.change_process(pid, |process| process.wants_notification = true);
        if !is_empty || !self.state.lock().output.is_empty() {
            self.announce_output();
        }
        true
    }

    pub fn set_input_handler(&self, pid: Term, handler: Term) -> bool {
        self.change_process(pid, |process| process.input_handler = handler)
    }

    /// Whether a process may hand in what arrives.
    pub fn takes_input_from(&self, pid: Term) -> bool {
        let state = self.state.lock();
        match state.controller {
            Controller::Process(process) => process.input_handler == pid,
            Controller::None | Controller::Port(_) => false,
        }
    }

    /// Whether packets come with their size, before and after setting that.
    pub fn wants_size(&self, pid: Term, new: Option<bool>) -> Option<bool> {
        let before = self.with_process(pid, |_, process| process.wants_size)?;
        if let Some(new) = new {
            self.change_process(pid, |process| process.wants_size = new);
        }
        Some(before)
    }
}

impl State {
    fn is_busy(&self) -> bool {
        let limit = runtime::process::config::get()
            .flags
            .dist_busy_limit_kilobytes
            * 1024;
        self.phase != Phase::Down && self.output.size() + self.waiting_bytes >= limit as usize
    }

    /// Whether the caller must ask a thread to see to what waits of processes that have ended.
    fn wants_attention(&mut self) -> bool {
        let is_busy = self.is_busy();
        self.phase == Phase::Up && self.endings.wants_attention(is_busy)
    }

    fn must_wait(&mut self, sender: Option<Term>) -> Queued {
        match sender {
            Some(sender) if self.is_busy() => {
                match self.phase {
                    Phase::Up => self.output.wait(sender),
                    Phase::Pending | Phase::Down => self.suspended.push(sender),
                }
                Queued::Busy
            }
            _ => Queued::Accepted,
        }
    }
}

/// What a port calls.
impl carrier::Channel for Carried {
    fn packet(&self, bytes: &[u8]) -> carrier::Accepted {
        self.0.packet(bytes)
    }

    fn begin_packet(&self, beginning: &[u8], length: usize) -> bool {
        input::begin(&self.0, &self.0.input, beginning, length)
    }

    fn fill(&self, source: &mut dyn carrier::Source) -> Option<carrier::Accepted> {
        let accepted = input::fill(&self.0, &self.0.input, source)?;
        self.0.packets_in.fetch_add(1, Ordering::Relaxed);
        Some(accepted)
    }

    fn take_output(&self, queue: &mut ByteQueue, enough: usize, most: usize) -> usize {
        // From here on whoever adds output announces it again.
        self.0.is_output_announced.store(false, Ordering::SeqCst);
        let mut state = self.0.state.lock();
        let packets = state.output.take(queue, enough, most);
        self.0
            .packets_out
            .fetch_add(packets as u64, Ordering::Relaxed);
        self.0.relieve(state);
        packets
    }

    fn closed(&self, reason: Term) {
        self.0.close(reason);
    }
}

/// A channel as the port that carries it sees it.
struct Carried(Arc<Channel>);

/// An encoded control term, with the message behind it.
struct Message<'a> {
    atoms: &'a [Term],
    encoder: &'a Encoder<'a>,
    control_bytes: usize,
}

impl Message<'_> {
    /// Encodes a control term and a message as the other node wants them, and shows the result.
    fn encode(
        both: Flags,
        control: Term,
        payload: Option<Term>,
        show: impl FnOnce(&Message<'_>) -> Queued,
    ) -> Queued {
        let has_cache = both.has(Flag::HeaderAtomCache);
        let collector = Collector::new();
        let number = |atom| collector.number(atom);
        let options = EncodeOptions {
            utf8_atoms: true,
            atom_cache: has_cache.then_some(&number),
            ..EncodeOptions::default()
        };
        let mut buffers = EncodeBuffers::new();
        let mut encoder = match both.have_header() {
            true => Encoder::bare_segmented(control, &mut buffers, SHARED_BYTES),
            false => Encoder::segmented(control, &mut buffers),
        };
        if encoder.finish(&options).is_err() {
            return Queued::TooLarge;
        }
        let control_bytes = encoder.size();
        if let Some(payload) = payload {
            if !both.have_header() {
                encoder.append_byte(header::VERSION);
            }
            encoder.append(payload);
            if encoder.finish(&options).is_err() {
                return Queued::TooLarge;
            }
        }
        show(&Message {
            atoms: &collector.list(),
            encoder: &encoder,
            control_bytes,
        })
    }

    /// Puts the message where it waits.
    fn put(&self, output: &mut Output, sender: Term) {
        let size = self.encoder.size();
        let goes_to_lane = output.divides(size) || output.has_lane(sender);
        let is_copied = size == self.encoder.bytes().len();
        if is_copied && !goes_to_lane {
            return output.put(self.atoms, self.encoder.bytes());
        }
        let mut body = self.body();
        match goes_to_lane {
            true => output.put_in_lane(sender, body),
            false => output.put_body(&mut body),
        }
    }

    fn body(&self) -> Body {
        let mut bytes = ByteQueue::default();
        for segment in self.encoder.segments() {
            match segment {
                Segment::Bytes { start, end } => {
                    bytes.push_bytes(&self.encoder.bytes()[start..end]);
                }
                Segment::Shared {
                    binary,
                    start,
                    size,
                } => {
                    let mut scratch = Scratch::new();
                    let (start, size) = (start as u64 * 8, size as u64 * 8);
                    let part = build::sub_bits(scratch.heap(), binary, start, size);
                    bytes.push(part).expect("a binary");
                }
            }
        }
        Body {
            bytes,
            atoms: self.atoms.into(),
            control_bytes: self.control_bytes,
        }
    }
}
