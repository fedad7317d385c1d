//! What comes in from the other node: packets, taken apart, put together if they are fragments, and done.
//!
//! Only control messages are decoded here. The terms that processes send each other are decoded by whoever receives
//! them ([`decode`]), so that one channel keeps all schedulers busy. Nothing is trusted: what makes no sense ends the
//! connection.
//!
//! One thread at a time reads a channel: it holds the lock of the input, and then takes the others.

use std::sync::Arc;

use layout::{Fragment, ObjectKind, Term, no_gc};
use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};
use term::copy::Owned;
use term::external::{self, DecodeOptions, SourceBinary};
use term::heap::{self, Scratch};
use term::input_buffer::InputBuffer;
use term::integer::uint64;
use term::{am, build, copy, node, reference};

use super::Channel;
use super::header::{self, AtomCache, AtomList, Bytes};
use crate::control::{alternative, code};
use crate::flags::Flags;
use crate::relations::{self, Kind};
use crate::{peers, remote, signals, spawn};
use runtime::code::load::CodeResolver;
use runtime::effects::port::carrier::{Accepted, Source};
use runtime::effects::{self, log};
use runtime::mail::{registry, senders, signal};
use runtime::process::rank::Rank;
use runtime::process::relations::Watcher;
use runtime::process::sequence::Token;
use runtime::process::signal::{PRIORITY, Signal, UNDECODED};
use runtime::process::{Process, table};
use runtime::trace::sequence;

/// A message of at least so many bytes may be shared by its binaries.
const SHARED_BYTES: usize = 64 << 10;

/// What is known of what has come in so far.
pub(crate) struct Input {
    cache: AtomCache,
    sequences: FxHashMap<u64, Sequence>,
    /// The fragment that is being read to its place in a message.
    begun: Option<Begun>,
    is_broken: bool,
}

/// A fragment of which more is to come.
struct Begun {
    /// That of its message.
    id: u64,
    number: u64,
    rest: usize,
}

/// The fragments of a message that have come in.
struct Sequence {
    atoms: AtomList,
    bytes: Assembly,
    /// The number of the fragment that comes next.
    next: u64,
}

/// Bytes of a message in the block in which they will stay.
struct Assembly {
    block: InputBuffer,
    room: usize,
    filled: usize,
}

/// At most so much room is made for fragments that have not come yet. It costs address space only.
const MOST_ROOM_BYTES: u64 = 64 << 20;
/// And at most so many times as much as there is already, so that a node whose messages never end fills neither the
/// memory nor the address space with what it has only announced.
const MOST_ROOM_TIMES: u64 = 32;

impl Assembly {
    /// For `count` times as many bytes as there are already, or for a good part of them; `None` if there is no memory.
    fn new(first: &[u8], count: u64) -> Option<Assembly> {
        let bytes = (first.len() as u64).saturating_mul(count.min(MOST_ROOM_TIMES));
        let room = (bytes.min(MOST_ROOM_BYTES) as usize).max(first.len());
        let mut assembly = Assembly {
            block: InputBuffer::new(room)?,
            room,
            filled: 0,
        };
        assembly.push(first)?;
        Some(assembly)
    }

    /// Makes room for so many bytes more.
    fn reserve(&mut self, bytes: usize) -> Option<()> {
        let end = self.filled.checked_add(bytes)?;
        if end > self.room {
            self.room = end.checked_mul(2)?;
            let block = std::mem::replace(&mut self.block, InputBuffer::new(0)?);
            self.block = block.grow(self.room)?;
        }
        Some(())
    }

    fn push(&mut self, bytes: &[u8]) -> Option<()> {
        self.reserve(bytes.len())?;
        let room = &mut self.block.room()[self.filled..][..bytes.len()];
        room.write_copy_of_slice(bytes);
        self.filled += bytes.len();
        Some(())
    }

    /// Reads once, at most so many bytes, for which there is room. Returns their number.
    fn read(&mut self, source: &mut dyn Source, most: usize) -> usize {
        let room = &mut self.block.room()[self.filled..][..most];
        let (start, most) = (room.as_ptr(), room.len());
        let read = source.read(room);
        let (count, is_there) = (read.len(), read.as_ptr() == start.cast());
        // These bytes are written, since there is a slice of them.
        assert!(is_there && count <= most, "read to another place");
        self.filled += count;
        count
    }

    /// The bytes as a binary.
    fn into_binary(self) -> Owned {
        let mut scratch = Scratch::new();
        // SAFETY: these bytes were written by `push` and `read`.
        let binary = unsafe { self.block.into_binary(scratch.heap(), self.filled) };
        Owned::new(binary)
    }
}

impl Input {
    pub(crate) fn new() -> Input {
        Input {
            cache: AtomCache::new(),
            sequences: FxHashMap::default(),
            begun: None,
            is_broken: false,
        }
    }
}

/// The packet cannot be understood.
struct Damaged;

/// A whole message, in external format.
struct Arrived<'a> {
    atoms: &'a [Term],
    bytes: &'a [u8],
    /// Each term begins with the version.
    versioned: bool,
    /// The binary that the bytes are, if it may be kept.
    whole: Option<Term>,
}

/// The message behind a control term.
#[derive(Clone, Copy)]
pub(crate) struct Payload<'a> {
    atoms: &'a [Term],
    bytes: &'a [u8],
    versioned: bool,
    /// The binary that the bytes are the end of, if it may be kept.
    whole: Option<Term>,
}

/// How a message reaches its receiver.
#[derive(Clone, Copy)]
pub(crate) enum Way {
    Direct,
    /// Through the alias with this number; with priority if that is asked for and the alias is for it.
    Alias((u64, u64), Rank),
    /// It is the arguments that this new process waits for. Without them it must end.
    Arguments(Term),
}

/// Does what a packet says.
pub(crate) fn packet(channel: &Arc<Channel>, input: &Mutex<Input>, bytes: &[u8]) -> Accepted {
    if bytes.is_empty() {
        // A sign of life.
        return Accepted::Yes;
    }
    let mut input = input.lock();
    if input.is_broken || input.begun.is_some() {
        return Accepted::No;
    }
    let is_part = matches!(
        bytes,
        [
            header::VERSION,
            header::FIRST_FRAGMENT | header::LATER_FRAGMENT,
            ..
        ]
    );
    let result = take_apart(channel, &mut input, bytes);
    input.accepted(result, is_part)
}

/// Keeps the beginning of a packet, if it is a fragment of a message whose beginning is here already: there its bytes
/// have their place, and need not be copied. Returns whether it was kept.
pub(crate) fn begin(input: &Mutex<Input>, beginning: &[u8], length: usize) -> bool {
    let mut input = input.lock();
    let rest = length.saturating_sub(beginning.len());
    if input.is_broken || input.begun.is_some() || rest as u64 > MOST_ROOM_BYTES {
        return false;
    }
    rest > 0 && input.begin(beginning, rest).is_some()
}

/// Reads more of the packet that was begun; `None` if it is not whole yet.
pub(crate) fn fill(
    channel: &Arc<Channel>,
    input: &Mutex<Input>,
    source: &mut dyn Source,
) -> Option<Accepted> {
    let mut input = input.lock();
    let sequence = input.read(source)?;
    let result = match sequence {
        Some(sequence) => carry_out_whole(channel, sequence),
        None => Ok(()),
    };
    Some(input.accepted(result, true))
}

impl Input {
    fn accepted(&mut self, result: Result<(), Damaged>, is_part: bool) -> Accepted {
        match result {
            Ok(()) if is_part => Accepted::Part,
            Ok(()) => Accepted::Yes,
            Err(Damaged) => {
                self.is_broken = true;
                Accepted::No
            }
        }
    }

    /// Keeps the beginning of a fragment, of which `rest` bytes are to come, and makes room for them.
    fn begin(&mut self, beginning: &[u8], rest: usize) -> Option<()> {
        let mut bytes = Bytes(beginning);
        let kind = [bytes.u8()?, bytes.u8()?];
        let (id, number) = (bytes.u64()?, bytes.u64()?);
        let sequence = self.sequences.get_mut(&id)?;
        if kind != [header::VERSION, header::LATER_FRAGMENT] || sequence.next != number {
            return None;
        }
        sequence.bytes.reserve(bytes.0.len() + rest)?;
        sequence.bytes.push(bytes.0)?;
        self.begun = Some(Begun { id, number, rest });
        Some(())
    }

    /// Reads more of the fragment that was begun. If it is whole then, returns the message if that is whole.
    #[allow(clippy::option_option)]
    fn read(&mut self, source: &mut dyn Source) -> Option<Option<Sequence>> {
        let begun = self.begun.as_mut()?;
        let sequence = self.sequences.get_mut(&begun.id)?;
        begun.rest -= sequence.bytes.read(source, begun.rest);
        if begun.rest > 0 {
            return None;
        }
        let (id, number) = (begun.id, begun.number);
        self.begun = None;
        Some(self.fragment_is_there(id, number))
    }

    /// The next fragment of a message is among its bytes; returns the message if that was the last one.
    fn fragment_is_there(&mut self, id: u64, number: u64) -> Option<Sequence> {
        if number > 1 {
            self.sequences.get_mut(&id)?.next = number - 1;
            return None;
        }
        self.sequences.remove(&id)
    }
}

fn take_apart(channel: &Arc<Channel>, input: &mut Input, packet: &[u8]) -> Result<(), Damaged> {
    let mut bytes = Bytes(packet);
    let first = bytes.u8().ok_or(Damaged)?;
    if first == header::PASS_THROUGH {
        if channel.flags().is_some_and(Flags::have_header) {
            return report_damage(channel, packet, &[]);
        }
        let arrived = Arrived {
            atoms: &[],
            bytes: bytes.0,
            versioned: true,
            whole: None,
        };
        return carry_out(channel, &arrived);
    }
    if first != header::VERSION {
        return report_damage(channel, packet, &[]);
    }
    match bytes.u8().ok_or(Damaged)? {
        header::WHOLE => {
            let Some(atoms) = input.cache.read(&mut bytes) else {
                return report_damage(channel, packet, &[]);
            };
            let arrived = Arrived {
                atoms: &atoms,
                bytes: bytes.0,
                versioned: false,
                whole: None,
            };
            carry_out(channel, &arrived)
        }
        kind @ (header::FIRST_FRAGMENT | header::LATER_FRAGMENT) => {
            let done = fragment(input, kind, &mut bytes);
            let Ok(done) = done else {
                return report_damage(channel, packet, &[]);
            };
            match done {
                Some(sequence) => carry_out_whole(channel, sequence),
                None => Ok(()),
            }
        }
        _ => report_damage(channel, packet, &[]),
    }
}

/// Adds a fragment to those before it; returns the message if it is the last one.
fn fragment(
    input: &mut Input,
    kind: u8,
    bytes: &mut Bytes<'_>,
) -> Result<Option<Sequence>, Damaged> {
    let id = bytes.u64().ok_or(Damaged)?;
    let number = bytes.u64().ok_or(Damaged)?;
    if number == 0 {
        return Err(Damaged);
    }
    if kind == header::FIRST_FRAGMENT {
        let atoms = input.cache.read(bytes).ok_or(Damaged)?;
        let sequence = Sequence {
            atoms,
            bytes: Assembly::new(bytes.0, number).ok_or(Damaged)?,
            next: number - 1,
        };
        if input.sequences.insert(id, sequence).is_some() {
            return Err(Damaged);
        }
    } else {
        let sequence = input.sequences.get_mut(&id).ok_or(Damaged)?;
        if sequence.next != number {
            return Err(Damaged);
        }
        sequence.bytes.push(bytes.0).ok_or(Damaged)?;
    }
    Ok(input.fragment_is_there(id, number))
}

/// Carries out a message that came in fragments.
fn carry_out_whole(channel: &Arc<Channel>, sequence: Sequence) -> Result<(), Damaged> {
    let whole = sequence.bytes.into_binary();
    let bits = whole.term().as_bits();
    let no_gc = whole.no_gc();
    let arrived = Arrived {
        atoms: &sequence.atoms,
        bytes: bits
            .and_then(|bits| bits.as_bytes(no_gc))
            .expect("a binary"),
        versioned: false,
        whole: Some(whole.term()),
    };
    carry_out(channel, &arrived)
}

/// Reports bytes that cannot be understood.
fn report_damage(channel: &Channel, bytes: &[u8], atoms: &[Term]) -> Result<(), Damaged> {
    log::corrupted_distribution_term(channel.node, channel.id, bytes, atoms);
    Err(Damaged)
}

/// Decodes the control term of a message, and does what it says.
fn carry_out(channel: &Arc<Channel>, arrived: &Arrived<'_>) -> Result<(), Damaged> {
    let mut scratch = Scratch::new();
    let options = DecodeOptions {
        atoms: arrived.atoms,
        ..DecodeOptions::default()
    };
    let decode = match arrived.versioned {
        true => external::decode,
        false => external::decode_bare,
    };
    let decoded = decode(scratch.heap(), arrived.bytes, &options, &mut CodeResolver);
    let Ok((control, used)) = decoded else {
        return report_damage(channel, arrived.bytes, arrived.atoms);
    };
    let payload = Payload {
        atoms: arrived.atoms,
        bytes: &arrived.bytes[used..],
        versioned: arrived.versioned,
        whole: arrived.whole,
    };
    if execute(channel, control, payload).is_none() {
        log::invalid_distribution_message(control);
        return Err(Damaged);
    }
    Ok(())
}

/// Does what a control message says; `None` if it makes no sense.
fn execute(channel: &Arc<Channel>, control: Term, payload: Payload<'_>) -> Option<()> {
    let no_gc = no_gc!();
    let [code, rest @ ..] = control.as_tuple(no_gc)? else {
        return None;
    };
    match (code.as_small()?, rest) {
        (code::SEND | code::SEND_SENDER, &[_, to]) => {
            if to.is_local_pid() {
                payload.send(channel, to, None);
            }
            to.is_pid().then_some(())
        }
        (code::SEND_TRACED | code::SEND_SENDER_TRACED, &[_, to, token]) => {
            if to.is_local_pid() {
                payload.send_traced(channel, to, None, token)?;
            }
            to.is_pid().then_some(())
        }
        (code::REG_SEND_TRACED, &[from, _, name, token]) => {
            if !from.is_pid() || !name.is_atom() {
                return None;
            }
            match registry::whereis_process(name) {
                Some(to) => payload.send_traced(channel, to, None, token),
                None => Some(()),
            }
        }
        (code::REG_SEND, &[from, _, name]) => {
            if !from.is_pid() || !name.is_atom() {
                return None;
            }
            if let Some(to) = registry::whereis_process(name) {
                payload.send(channel, to, None);
            }
            Some(())
        }
        (code::ALIAS_SEND_TRACED, &[_, to, token]) => {
            if let (Some(pid), Some(number)) = (table::owner_pid(to), reference::number(to)) {
                payload.send_traced(channel, pid, Some((number, Rank::Ordinary)), token)?;
            }
            (to.is_reference()).then_some(())
        }
        (code::ALIAS_SEND, &[_, to]) => {
            if let (Some(pid), Some(number)) = (table::owner_pid(to), reference::number(to)) {
                payload.send(channel, pid, Some((number, Rank::Ordinary)));
            }
            (to.is_reference()).then_some(())
        }
        (code::ALTERNATIVE_SEND, &[flags, from, to, ref token @ ..]) => {
            alternative_send(channel, flags.as_small()?, (from, to), token, payload)
        }
        (code::LINK, &[from, to]) => link(channel, from, to),
        (code::UNLINK_ID, &[number, from, to]) => unlink(channel, uint64(number)?, from, to),
        (code::UNLINK, &[from, to]) => unlink(channel, 0, from, to),
        (code::UNLINK_ID_ACK, &[number, from, to]) => {
            let number = uint64(number)?;
            let to = receiver(channel, from, to)?;
            if let Some(handle) = to.and_then(|to| channel.relations.find_link(to, from)) {
                let from = handle;
                send_counted(to?, Signal::UnlinkAck { from, number });
            }
            Some(())
        }
        (code::MONITOR, &[watcher, watched, reference]) => {
            monitor(channel, watcher, watched, reference)
        }
        (code::DEMONITOR, &[watcher, _, reference]) => {
            if !is_of(channel, watcher) || !reference.is_reference() {
                return None;
            }
            if let Some(handle) = channel.relations.find_watcher(reference) {
                let relation = relations::get(handle);
                signal::demonitor(relation.local, (relation.number, 0));
                relations::release(handle);
            }
            Some(())
        }
        (code::DOWN, &[watched, watcher, reference, reason]) => {
            down(channel, (watched, watcher, reference), || {
                Some(Owned::new(reason))
            })
        }
        (code::PAYLOAD_DOWN, &[watched, watcher, reference]) => {
            down(channel, (watched, watcher, reference), || payload.decode())
        }
        (code::EXIT, &[from, to, reason]) => {
            link_broken(channel, from, to, &Owned::new(reason), None)
        }
        (code::EXIT_TRACED, &[from, to, token, reason]) => {
            link_broken(channel, from, to, &Owned::new(reason), Some(token))
        }
        (code::PAYLOAD_EXIT, &[from, to]) => {
            link_broken(channel, from, to, &payload.decode()?, None)
        }
        (code::PAYLOAD_EXIT_TRACED, &[from, to, token]) => {
            link_broken(channel, from, to, &payload.decode()?, Some(token))
        }
        (code::EXIT2, &[from, to, reason]) | (code::EXIT2_TRACED, &[from, to, _, reason]) => {
            exit(channel, from, to, &Owned::new(reason))
        }
        (code::PAYLOAD_EXIT2, &[from, to]) | (code::PAYLOAD_EXIT2_TRACED, &[from, to, _]) => {
            exit(channel, from, to, &payload.decode()?)
        }
        (code::GROUP_LEADER, &[leader, to]) => group_leader(leader, to),
        (code::SPAWN_REQUEST, &[reference, parent, leader, call, options, ref token @ ..])
        | (
            code::SPAWN_REQUEST_TRACED,
            &[reference, parent, leader, call, options, ref token @ ..],
        ) => {
            let token = token_of(token)?;
            if !is_of(channel, parent) || !reference.is_kind(ObjectKind::ExternalReference) {
                return None;
            }
            let request = [reference, parent, leader, call, options];
            spawn::serve(channel, request, payload, token)
        }
        (code::SPAWN_REPLY, &[reference, parent, flags, result, ref token @ ..])
        | (code::SPAWN_REPLY_TRACED, &[reference, parent, flags, result, ref token @ ..]) => {
            let token = token_of(token)?;
            let flags = flags.as_small()?;
            if !parent.is_pid() || !(result.is_pid() || result.is_atom()) {
                return None;
            }
            let (number, _) = reference::number(reference).unwrap_or_default();
            let Some(handle) = channel.relations.find_spawn(number) else {
                return Some(());
            };
            if result.is_pid() && !is_of(channel, result) {
                relations::release(handle);
                return None;
            }
            spawn::replied(handle, result, flags, token);
            Some(())
        }
        _ => None,
    }
}

/// A message or exit signal in the form of OTP 28.
fn alternative_send(
    channel: &Arc<Channel>,
    flags: i64,
    (from, to): (Term, Term),
    token: &[Term],
    payload: Payload<'_>,
) -> Option<()> {
    let is = |flag| flags & flag != 0;
    if !from.is_pid() || token_of(token)?.is_some() != is(alternative::TRACED) {
        return None;
    }
    let rank = match is(alternative::PRIORITY) {
        true => Rank::Priority,
        false => Rank::Ordinary,
    };
    let (pid, alias) = if is(alternative::ALIAS) {
        let alias = reference::number(to).map(|number| (number, rank));
        (table::owner_pid(to).filter(|_| alias.is_some()), alias)
    } else if is(alternative::NAME) {
        (registry::whereis_process(to), None)
    } else {
        (to.is_local_pid().then_some(to), None)
    };
    let is_understood = match (is(alternative::ALIAS), is(alternative::NAME)) {
        (true, _) => to.is_reference(),
        (_, true) => to.is_atom(),
        _ => to.is_pid(),
    };
    is_understood.then_some(())?;
    let Some(pid) = pid else {
        return Some(());
    };
    if is(alternative::EXIT) {
        let reason = payload.decode()?;
        let exit = signals::exit_pair(from, reason.term());
        match alias {
            Some((number, rank)) => {
                effects::signal_handling::exit_through_alias(pid, number, exit, rank)
            }
            None => {
                let _ = signal::send(pid, Signal::RemoteExit { exit, link: None });
            }
        }
        return Some(());
    }
    match *token {
        [token] => payload.send_traced(channel, pid, alias, token),
        _ => {
            payload.send(channel, pid, alias);
            Some(())
        }
    }
}

/// Whether an identifier is a pid of the other node.
fn is_of(channel: &Channel, pid: Term) -> bool {
    pid.is_kind(ObjectKind::ExternalPid) && node::of(pid).name == channel.node
}

/// The process of this node that a signal of the other node is for; `Some(None)` if it was one of an earlier life of
/// this node.
#[allow(clippy::option_option)]
fn receiver(channel: &Channel, from: Term, to: Term) -> Option<Option<Term>> {
    if !is_of(channel, from) || !to.is_pid() {
        return None;
    }
    if to.is_local_pid() {
        return Some(Some(to));
    }
    (node::of(to).name == node::own_name()).then_some(None)
}

/// Sends a signal that owns a count of a handle, which goes back if there is no such process.
fn send_counted(to: Term, signal: Signal) {
    signal::send_or_bounce(to, signal);
}

fn link(channel: &Arc<Channel>, from: Term, to: Term) -> Option<()> {
    match receiver(channel, from, to)? {
        Some(to) => {
            if let Some(handle) = channel.relations.link(channel, to, from) {
                send_counted(to, Signal::Link { from: handle });
            }
        }
        None => remote::exit_link(channel, to, from, am::NOPROC),
    }
    Some(())
}

fn unlink(channel: &Arc<Channel>, number: u64, from: Term, to: Term) -> Option<()> {
    let Some(to) = receiver(channel, from, to)? else {
        return Some(());
    };
    match channel.relations.find_link(to, from) {
        Some(from) => send_counted(to, Signal::Unlink { from, number }),
        None => remote::acknowledge_unlink(channel, number, to, from),
    }
    Some(())
}

fn monitor(channel: &Arc<Channel>, watcher: Term, watched: Term, reference: Term) -> Option<()> {
    if !is_of(channel, watcher) || !reference.is_kind(ObjectKind::ExternalReference) {
        return None;
    }
    let (pid, name) = if watched.is_atom() {
        (registry::whereis_process(watched), Some(watched))
    } else {
        (receiver(channel, watcher, watched)?, None)
    };
    let Some(pid) = pid else {
        let parts = (watched, watcher, reference);
        remote::tell_down(channel, watched, parts, am::NOPROC);
        return Some(());
    };
    let number = reference::fresh_number();
    let kind = Kind::Watcher {
        reference: Owned::new(reference),
        name,
    };
    if let Some(handle) = channel.relations.add(channel, pid, watcher, number, kind) {
        let watcher = Watcher {
            watcher: handle,
            name: None,
            names_owner: false,
        };
        let reference = (number, 0);
        send_counted(pid, Signal::Monitor { reference, watcher });
    }
    Some(())
}

fn down(
    channel: &Channel,
    (watched, watcher, reference): (Term, Term, Term),
    reason: impl FnOnce() -> Option<Owned>,
) -> Option<()> {
    if !(watched.is_atom() || watched.is_pid()) || !watcher.is_pid() {
        return None;
    }
    let reason = reason()?;
    if let Some(number) = reference::number(reference)
        && watcher.is_local_pid()
    {
        if spawn::awaits_reply(channel, number.0) {
            // The request stays: it ends with the connection.
            log::missing_spawn_reply(watcher, channel.node);
            channel.break_off();
            return Some(());
        }
        let down = Signal::Down {
            reference: number,
            from: None,
            reason,
        };
        let _ = signal::send(watcher, down);
    }
    reference.is_reference().then_some(())
}

fn link_broken(
    channel: &Channel,
    from: Term,
    to: Term,
    reason: &Owned,
    token: Option<Term>,
) -> Option<()> {
    let Some(to) = receiver(channel, from, to)? else {
        return Some(());
    };
    if let Some(handle) = channel.relations.find_link(to, from) {
        let exit = match token {
            Some(token) => signals::traced_exit(from, reason.term(), token),
            None => signals::exit_pair(from, reason.term()),
        };
        let link = Some(handle);
        send_counted(to, Signal::RemoteExit { exit, link });
    }
    Some(())
}

fn exit(channel: &Channel, from: Term, to: Term, reason: &Owned) -> Option<()> {
    if let Some(to) = receiver(channel, from, to)? {
        let exit = signals::exit_pair(from, reason.term());
        let _ = signal::send(to, Signal::RemoteExit { exit, link: None });
    }
    Some(())
}

fn group_leader(leader: Term, to: Term) -> Option<()> {
    if !leader.is_pid() || !to.is_pid() {
        return None;
    }
    if to.is_local_pid() {
        let leader = Owned::new(leader);
        let change = move |process: Option<&mut Process>| {
            if let Some(process) = process {
                process.group_leader = copy::copy(process.heap(), leader.term());
            }
        };
        let _ = signal::send(to, Signal::Call(Box::new(change)));
    }
    Some(())
}

/// The token of sequential trace that a control message ends in, if it has one more part; `None` if it is none, or
/// there are others.
fn token_of(parts: &[Term]) -> Option<Option<Token>> {
    match *parts {
        [] => Some(None),
        [token] => Some(Some(Token::of_term(token)?)),
        _ => None,
    }
}

impl Payload<'_> {
    /// Decodes the message here.
    pub(crate) fn decode(&self) -> Option<Owned> {
        let mut scratch = Scratch::new();
        let options = DecodeOptions {
            atoms: self.atoms,
            ..DecodeOptions::default()
        };
        let decode = match self.versioned {
            true => external::decode,
            false => external::decode_bare,
        };
        let decoded = decode(scratch.heap(), self.bytes, &options, &mut CodeResolver);
        Some(Owned::new(decoded.ok()?.0))
    }

    /// Sends the message to a process, perhaps through an alias.
    fn send(&self, channel: &Channel, to: Term, alias: Option<((u64, u64), Rank)>) {
        let way = alias.map_or(Way::Direct, |(number, rank)| Way::Alias(number, rank));
        let message = self.into_fragment(channel, way);
        // SAFETY: the fragment is new.
        unsafe { signal::send_prepared(to, message) };
    }

    /// Sends the message with a token of sequential trace. It is decoded here, which so few messages need not avoid.
    fn send_traced(
        &self,
        channel: &Channel,
        to: Term,
        alias: Option<((u64, u64), Rank)>,
        token: Term,
    ) -> Option<()> {
        let message = self.decode()?;
        let token = Token::of_term(token)?;
        let number = alias.map(|(number, _)| number);
        let message = sequence::message_from_abroad(message.term(), &token, number);
        // SAFETY: the fragment is new.
        unsafe {
            if let Some((_, Rank::Priority)) = alias {
                (*message).kind |= PRIORITY;
            }
            signal::send_prepared(to, senders::noted(channel.node, message));
        }
        Some(())
    }

    /// The message as its receiver will decode it: `{Node, Connection, Versioned, Atoms, Bytes, Start}`; then for one
    /// through an alias the two words of its number, and `priority` if it asks for that, and for arguments the new
    /// process.
    pub(crate) fn into_fragment(self, channel: &Channel, way: Way) -> *mut Fragment {
        let words = 16 + self.atoms.len() + build::binary_words(self.bytes.len());
        let mut scratch = Scratch::with_room(words);
        let heap = scratch.heap();
        let atoms = build::tuple(heap, self.atoms);
        let (bytes, start) = match self.whole {
            Some(whole) => {
                let length = whole
                    .as_bits()
                    .map_or(0, |bits| bits.bit_len() as usize / 8);
                (copy::copy(heap, whole), length - self.bytes.len())
            }
            None => (build::binary(heap, self.bytes), 0),
        };
        let id = Term::small(i64::from(channel.id));
        let versioned = am::boolean(self.versioned);
        let start = Term::small(start as i64);
        let mut parts: SmallVec<[Term; 8]> =
            smallvec![channel.node, id, versioned, atoms, bytes, start];
        match way {
            Way::Direct => {}
            Way::Alias((low, high), rank) => {
                parts.push(build::unsigned(heap, low));
                parts.push(build::unsigned(heap, high));
                if rank == Rank::Priority {
                    parts.push(am::PRIORITY);
                }
            }
            Way::Arguments(child) => parts.push(child),
        }
        let parts = build::tuple(heap, &parts);
        // SAFETY: all of it was built here or is immediate.
        unsafe {
            let fragment = scratch.into_fragment(parts);
            (*fragment).kind = match way {
                Way::Alias(_, Rank::Priority) => UNDECODED | PRIORITY,
                _ => UNDECODED,
            };
            fragment
        }
    }
}

/// Decodes a message that [`Payload::into_fragment`] has made, and returns it after the name of its node; if that
/// fails, the connection it came over ends, and so does a process that would wait for its arguments for ever.
///
/// # Safety
/// The fragment is live, and in no list.
pub(crate) unsafe fn decode(fragment: *mut Fragment) -> Option<(Term, *mut Fragment)> {
    // SAFETY: the caller's promise; only `into_fragment` makes fragments of this kind.
    let whole = unsafe { (*fragment).term };
    let no_gc = no_gc!();
    let parts = whole.as_tuple(no_gc).expect("a tuple");
    let &[node, id, versioned, atoms, bytes, offset, ref way @ ..] = parts else {
        unreachable!("six parts or more");
    };
    let mut scratch = Scratch::new();
    let encoded = bytes.as_bits().and_then(|bits| bits.as_bytes(no_gc));
    let encoded = &encoded.expect("a binary")[offset.as_small().expect("a number") as usize..];
    // Large parts of a large message stay where they are.
    let source = (encoded.len() >= SHARED_BYTES).then(|| copy::copy(scratch.heap(), bytes));
    let options = DecodeOptions {
        safe: false,
        atoms: atoms.as_tuple(no_gc).expect("a tuple"),
        source: source.map(|source| SourceBinary {
            binary: source,
            start: offset.as_small().expect("a number") as usize,
        }),
    };
    let decode = match versioned {
        am::TRUE => external::decode,
        _ => external::decode_bare,
    };
    let decoded = decode(scratch.heap(), encoded, &options, &mut CodeResolver);
    let message = match (decoded, way) {
        (Err(_), _) => {
            let is_wanted = |channel: &Arc<Channel>| id == Term::small(i64::from(channel.id));
            if let Some(channel) = peers::channel(node).filter(is_wanted) {
                let _ = report_damage(&channel, encoded, options.atoms);
                channel.break_off();
            }
            if let &[child] = way {
                let (exit, link) = (signals::exit_pair(node, am::NOCONNECTION), None);
                let _ = signal::send(child, Signal::RemoteExit { exit, link });
            }
            None
        }
        (Ok((message, _)), &[low, high, ref rank @ ..]) => {
            let number = (uint64(low), uint64(high));
            let number = (number.0.expect("a number"), number.1.expect("a number"));
            let message = signal::alias_message(number, message);
            if let [am::PRIORITY] = rank {
                // SAFETY: the fragment is new.
                unsafe { (*message).kind |= PRIORITY };
            }
            Some(message)
        }
        // SAFETY: all of the message was built in the scratch heap, or is immediate or a literal.
        (Ok((message, _)), _) => Some(unsafe { scratch.into_fragment(message) }),
    };
    // SAFETY: the fragment is in no list, and nothing of the message points into it.
    unsafe { heap::drop_fragment(fragment) };
    Some((node, message?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::mem::MaybeUninit;

    /// Hands out the rest of a packet in pieces.
    struct Pieces<'a> {
        rest: &'a [u8],
        most: usize,
    }

    impl Source for Pieces<'_> {
        fn read<'a>(&mut self, room: &'a mut [MaybeUninit<u8>]) -> &'a [u8] {
            let count = self.most.min(self.rest.len()).min(room.len());
            let (piece, rest) = self.rest.split_at(count);
            self.rest = rest;
            room[..count].write_copy_of_slice(piece)
        }
    }

    fn later_fragment(id: u64, number: u64, bytes: &[u8]) -> Vec<u8> {
        let mut packet = vec![header::VERSION, header::LATER_FRAGMENT];
        packet.extend_from_slice(&id.to_be_bytes());
        packet.extend_from_slice(&number.to_be_bytes());
        packet.extend_from_slice(bytes);
        packet
    }

    fn input_with(id: u64, first: &[u8], fragments: u64) -> Input {
        let mut input = Input::new();
        let sequence = Sequence {
            atoms: AtomList::default(),
            bytes: Assembly::new(first, fragments).unwrap(),
            next: fragments - 1,
        };
        input.sequences.insert(id, sequence);
        input
    }

    #[test]
    fn fragments_are_read_to_their_place_in_any_pieces() {
        let message: Vec<u8> = (0..9_000_u32).map(|byte| byte as u8).collect();
        for (known, most) in [(0, 1), (1, 7), (100, 1000), (2999, 1)] {
            let mut input = input_with(7, &message[..3000], 3);
            let mut whole = None;
            for (number, bytes) in [(2, &message[3000..6000]), (1, &message[6000..])] {
                let packet = later_fragment(7, number, bytes);
                let (beginning, rest) = packet.split_at(18 + known);
                assert!(input.begin(beginning, rest.len()).is_some());
                let mut pieces = Pieces { rest, most };
                whole = loop {
                    if let Some(whole) = input.read(&mut pieces) {
                        break whole;
                    }
                };
                assert!(pieces.rest.is_empty() && whole.is_some() == (number == 1));
            }
            let whole = whole.expect("the last fragment").bytes.into_binary();
            let bits = whole.term().as_bits().unwrap();
            assert_eq!(bits.as_bytes(no_gc!()).unwrap(), message);
        }
    }

    #[test]
    fn room_is_made_by_what_is_there_and_not_by_what_is_announced() {
        let mut input = input_with(7, &[1; 10], u64::MAX);
        assert!(input.sequences[&7].bytes.room <= 320);
        let sequence = input.sequences.get_mut(&7).unwrap();
        for _ in 0..100 {
            sequence.bytes.push(&[1; 10]).unwrap();
        }
        let whole = input.sequences.remove(&7).unwrap().bytes.into_binary();
        let bits = whole.term().as_bits().unwrap();
        assert_eq!(bits.as_bytes(no_gc!()).unwrap(), [1; 1010]);
    }

    #[test]
    fn what_is_no_next_fragment_comes_as_a_whole() {
        let mut input = input_with(7, &[0; 100], 3);
        for packet in [
            later_fragment(8, 2, &[0; 50]),
            later_fragment(7, 1, &[0; 50]),
            later_fragment(7, 2, &[0; 50])[..17].to_vec(),
            vec![header::VERSION, header::FIRST_FRAGMENT],
            Vec::new(),
        ] {
            assert!(input.begin(&packet, 10_000).is_none());
        }
        assert!(input.begun.is_none() && input.sequences[&7].bytes.filled == 100);
    }
}
