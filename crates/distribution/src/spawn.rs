//! Processes that one node spawns on another: `spawn_request` and what is built on it.
//!
//! The parent keeps the request among its monitors, by the number of the request's reference, until the reply comes.
//! That entry owns one count of the handle, and the reply that is to come owns another: so whichever of them goes
//! first, the other finds the request. A new process waits for its arguments, which are its first message: so it
//! decodes them itself.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use layout::{Heap, Term};
use parking_lot::Mutex;
use smallvec::smallvec;
use term::copy::Owned;
use term::heap::Scratch;
use term::release::{self, Release};
use term::{am, build, list, reference};

use crate::channel::Channel;
use crate::channel::input::payload::{Payload, Way};
use crate::control::{Control, SPAWNED_LINKED, SPAWNED_MONITORED, code};
use crate::relations::{self, Kind, Relation, SpawnRequest};
use crate::{peers, remote, signals};
use runtime::code::preloaded;
use runtime::effects;
use runtime::exec::spawn::options::{
    Parsed, Replies, Reply, monitor_options, parse, rank, set_reply,
};
use runtime::exec::spawn::{self, CallFromAbroad, SpawnError};
use runtime::mail::remote::Reason;
use runtime::mail::senders;
use runtime::mail::signal::{self, Sent};
use runtime::process::rank::Rank;
use runtime::process::relations::{MonitorOptions, MonitorTarget, Watcher, reference_of};
use runtime::process::sequence::Token;
use runtime::process::signal::Signal;
use runtime::process::{Flags, Process, relations as own};
use runtime::trace::{events, sequence};

/// A request that was sent, or answered at once.
pub struct Requested {
    pub reference: Term,
    /// Whether the caller wants to monitor the new process.
    pub monitors: bool,
    pub sent: Sent,
}

/// The options of a request, as far as this node heeds them.
struct Wanted {
    reply: Reply,
    link_rank: Rank,
    monitor: Option<MonitorOptions>,
    /// The options for the other node, the first one last.
    passed_on: Vec<Term>,
    /// One of them is wrong.
    is_bad: bool,
}

/// Reads the options; `None` if they are not a proper list, or not allowed in a call that is no request.
fn read_options(options: Term, is_request: bool) -> Option<Wanted> {
    let mut wanted = Wanted {
        reply: Reply {
            tag: am::SPAWN_REPLY,
            on_success: true,
            on_error: true,
        },
        link_rank: Rank::Ordinary,
        monitor: None,
        passed_on: Vec::new(),
        is_bad: false,
    };
    for option in list::items(options) {
        let option = option.ok()?;
        let is_good = match option.as_tuple_of() {
            Some([am::REPLY, when]) => {
                is_request.then_some(())?;
                set_reply(&mut wanted.reply, when).is_some()
            }
            Some([am::REPLY_TAG, tag]) => {
                is_request.then_some(())?;
                wanted.reply.tag = tag;
                true
            }
            Some([am::MONITOR, options]) => {
                let options = monitor_options(options);
                let is_good = options.is_some();
                is_request.then_some(()).or(is_good.then_some(()))?;
                wanted.monitor = options;
                wanted.passed_on.push(am::MONITOR);
                is_good
            }
            // The other node links without it.
            Some([am::LINK, options]) if release::has(Release::OTP_28) => {
                let rank = rank(options);
                wanted.link_rank = rank.unwrap_or_default();
                wanted.passed_on.push(am::LINK);
                rank.is_some()
            }
            _ => {
                match option {
                    am::LINK => wanted.link_rank = Rank::Ordinary,
                    am::MONITOR => wanted.monitor = Some(MonitorOptions::default()),
                    _ => {}
                }
                wanted.passed_on.push(option);
                true
            }
        };
        wanted.is_bad |= !is_good;
    }
    Some(wanted)
}

/// Asks another node to spawn a process. `call` is module, function and arguments, whose number is known. `None` if the
/// options are invalid.
pub fn request(
    process: &mut Process,
    node: Term,
    ([module, function, arguments], arity): ([Term; 3], u32),
    options: Term,
    is_request: bool,
) -> Option<Requested> {
    let wanted = read_options(options, is_request)?;
    let Wanted {
        reply,
        link_rank,
        monitor,
        passed_on,
        is_bad,
    } = wanted;
    let monitors = monitor.is_some();
    let monitor = monitor.unwrap_or_default();
    let (number, reference) = process.new_reference(monitor.alias);
    let refuse = |process: &mut Process, reason: Term| {
        if reply.on_error {
            let parts = [reply.tag, reference, am::ERROR, reason];
            let message = build::tuple(process.heap(), &parts);
            effects::signal_handling::deliver(process, term::node::own_name(), message);
        }
        Some(Requested {
            reference,
            monitors,
            sent: Sent::Done,
        })
    };
    if is_bad {
        return refuse(process, am::BADOPT);
    }
    let Some(channel) = peers::connect(node) else {
        return refuse(process, am::NOCONNECTION);
    };
    let pid = process.pid();
    let kind = Kind::Spawn(SpawnRequest {
        reply_tag: Owned::new(reply.tag),
        on_success: reply.on_success,
        on_error: reply.on_error,
        link_rank,
        alias: Mutex::new(monitor.alias),
        names_owner: monitor.alias.is_some(),
        given_up: Mutex::new(None),
        is_answered: AtomicBool::new(false),
    });
    let Some(handle) = channel.relations.add(&channel, pid, node, number.0, kind) else {
        return refuse(process, am::NOCONNECTION);
    };
    // That of the reply.
    relations::retain(handle);
    let target = MonitorTarget::Remote { handle };
    process.relations.add_monitor(number, target, monitor);
    // The reference is an alias once the other node has spawned the process.
    process.relations.remove_alias(number);
    let mut scratch = Scratch::new();
    let heap = scratch.heap();
    let call = [module, function, Term::small(i64::from(arity))];
    let call = build::tuple(heap, &call);
    let options = build::list(heap, &passed_on);
    let parts = [reference, pid, process.group_leader, call, options];
    let request = told_request(heap, &parts);
    let control = match sequence::asks_to_spawn(process, node, request, arguments) {
        None => Control::new(code::SPAWN_REQUEST, &parts),
        Some(token) => Control::with(code::SPAWN_REQUEST_TRACED, |heap| {
            let token = token.to_term(heap);
            parts.into_iter().chain([token]).collect()
        }),
    };
    let sent = channel.send_from(process, control.term(), Some(arguments));
    if sent == Sent::TooLarge {
        abandon(process, number);
        // There will be no reply.
        relations::release(handle);
    }
    Some(Requested {
        reference,
        monitors,
        sent,
    })
}

/// A request as a sequence has it.
fn told_request(heap: &mut Heap, parts: &[Term; 5]) -> Term {
    let [reference, parent, leader, call, options] = *parts;
    let told = [am::SPAWN_REQUEST, reference, parent, leader, call, options];
    build::tuple(heap, &told)
}

/// Whether a monitor of this process is a spawn request without reply.
pub fn is_pending(process: &mut Process, number: own::ReferenceNumber) -> bool {
    match process.relations.monitored(number) {
        Some(MonitorTarget::Remote { handle }) => {
            matches!(relations::get(handle).kind, Kind::Spawn(_))
        }
        _ => false,
    }
}

/// The reference of a request without reply shall not become an alias. Returns whether it would have.
pub fn unalias(process: &mut Process, number: own::ReferenceNumber) -> bool {
    match process.relations.monitored(number) {
        Some(MonitorTarget::Remote { handle }) => match &relations::get(handle).kind {
            Kind::Spawn(request) => request.alias.lock().take().is_some(),
            _ => false,
        },
        _ => false,
    }
}

/// `spawn_request_abandon(Reference)`: returns whether there was such a request without reply.
pub fn abandon(process: &mut Process, number: own::ReferenceNumber) -> bool {
    if !is_pending(process, number) {
        return false;
    }
    let monitor = process.relations.take_monitor(number);
    if let Some(MonitorTarget::Remote { handle }) = monitor.map(|monitor| monitor.target)
        && let Kind::Spawn(request) = &relations::get(handle).kind
    {
        give_up(handle, request, am::ABANDONED);
    }
    true
}

/// The process that sent the request does not want the new one any more, and its entry is gone. Uses up the handle.
pub(crate) fn give_up(handle: Term, request: &SpawnRequest, reason: Term) {
    *request.given_up.lock() = Some(Owned::new(reason));
    relations::release(handle);
}

/// The reply to a request has come: the new pid, or the reason why there is none, and perhaps a token of sequential
/// trace. Uses up a count of the handle.
pub(crate) fn replied(handle: Term, result: Term, flags: i64, token: Option<Token>) {
    let relation = relations::get(handle);
    if let Kind::Spawn(request) = &relation.kind
        && request.is_answered.swap(true, Ordering::Relaxed)
    {
        return relations::release(handle);
    }
    // Before anything else comes in, because that may be the child's end, or that of the connection.
    let child = Child::of(&relation, result, flags);
    let result = Owned::new(result);
    let parent = relation.local;
    let deliver = move |parent: Option<&mut Process>| {
        let Kind::Spawn(request) = &relation.kind else {
            unreachable!("a spawn request");
        };
        let is_given_up = request.given_up.lock().is_some();
        match parent {
            Some(parent) if !is_given_up => {
                let reply = (result.term(), child);
                if accept_reply(parent, &relation, request, reply, token.as_ref()) {
                    relations::release(handle);
                }
            }
            _ => refuse_child(&relation, request, (result.term(), child)),
        }
        // The reply's, and the caller's.
        relations::release(handle);
        relations::release(handle);
    };
    signal::send_or_bounce(parent, Signal::Call(Box::new(deliver)));
}

/// The relations between a parent and the new process, before the parent has them.
struct Child {
    link: Early,
    monitor: Early,
}

enum Early {
    /// It was not asked for, or there is no new process.
    None,
    /// A counted handle.
    Made(Term),
    /// The connection has ended meanwhile.
    Lost,
}

impl Child {
    fn of(relation: &Relation, result: Term, flags: i64) -> Child {
        let Kind::Spawn(request) = &relation.kind else {
            unreachable!("a spawn request");
        };
        let (channel, parent) = (&relation.channel, relation.local);
        let made =
            |flag, make: &dyn Fn() -> Option<Term>| match result.is_pid() && flags & flag != 0 {
                true => make().map_or(Early::Lost, Early::Made),
                false => Early::None,
            };
        Child {
            link: made(SPAWNED_LINKED, &|| {
                channel.relations.link(channel, parent, result)
            }),
            monitor: made(SPAWNED_MONITORED, &|| {
                let names_owner = request.names_owner;
                let kind = Kind::Monitor { names_owner };
                let number = relation.number;
                channel.relations.add(channel, parent, result, number, kind)
            }),
        }
    }

    /// Nobody gets them.
    fn give_up(&self) {
        for early in [&self.link, &self.monitor] {
            if let Early::Made(handle) = early {
                relations::release(*handle);
            }
        }
    }
}

/// The parent learns of its child, and of its relations with it, whose counts it uses up. Returns whether its entry for
/// the request was there, and is gone now.
fn accept_reply(
    parent: &mut Process,
    relation: &Relation,
    request: &SpawnRequest,
    (result, child): (Term, Child),
    token: Option<&Token>,
) -> bool {
    let number = (relation.number, 0);
    let pid = parent.pid();
    let Some(monitor) = parent.relations.take_monitor(number) else {
        child.give_up();
        return false;
    };
    let is_spawned = result.is_pid();
    match child.link {
        Early::None => {}
        Early::Made(handle) => {
            let is_new = parent.relations.accept_link(handle);
            if request.link_rank == Rank::Priority && parent.relations.is_linked(handle) {
                parent.relations.add_link(handle, Rank::Priority);
            }
            if !is_new {
                relations::release(handle);
            } else if parent.flags.contains(Flags::TRACED) {
                events::does(parent, am::LINK, result);
            }
        }
        Early::Lost => {
            let exit = signals::exit_pair(result, am::NOCONNECTION);
            let (exit, link) = (exit, None);
            let _ = signal::send(pid, Signal::RemoteExit { exit, link });
        }
    }
    let names_owner = monitor.names_owner;
    match child.monitor {
        Early::None => {}
        Early::Made(handle) => {
            let target = MonitorTarget::Remote { handle };
            let options = MonitorOptions {
                alias: request.alias.lock().take(),
                tag: monitor.tag,
                rank: monitor.rank,
            };
            parent.relations.add_monitor(number, target, options);
        }
        Early::Lost => {
            let heap = parent.heap();
            let owner = names_owner.then_some(pid);
            let reference = reference_of(heap, relation.number, owner);
            let tag = monitor.tag.as_ref().map_or(am::UC_DOWN, Owned::term);
            let parts = [tag, reference, am::PROCESS, result, am::NOCONNECTION];
            let down = build::tuple(heap, &parts);
            effects::signal_handling::deliver_last(parent, relation.channel.node, down);
        }
    }
    let (is_wanted, outcome) = match is_spawned {
        true => (request.on_success, am::OK),
        false => (request.on_error, am::ERROR),
    };
    if is_wanted {
        let heap = parent.heap();
        let owner = names_owner.then_some(pid);
        let reference = reference_of(heap, relation.number, owner);
        let parts = [request.reply_tag.term(), reference, outcome, result];
        let message = build::tuple(heap, &parts);
        // As on stock, a connection that ends speaks for nobody.
        let sender = match result {
            am::NOCONNECTION => am::UNDEFINED,
            _ => relation.channel.node,
        };
        match token {
            Some(token) => sequence::deliver_reply(parent, sender, token, message),
            None => effects::signal_handling::deliver(parent, sender, message),
        }
    }
    true
}

/// Nobody waits for the new process any more.
fn refuse_child(relation: &Relation, request: &SpawnRequest, (result, child): (Term, Child)) {
    child.give_up();
    let parent = relation.local;
    if !matches!(child.monitor, Early::None) {
        let control = Control::with(code::DEMONITOR, |heap| {
            smallvec![parent, result, reference_of(heap, relation.number, None)]
        });
        relation.channel.send(parent, control.term(), None);
    }
    if !matches!(child.link, Early::None) {
        let given_up = request.given_up.lock();
        let reason = given_up.as_ref().map_or(am::NOCONNECTION, Owned::term);
        remote::exit_link(&relation.channel, parent, result, &Reason::new(reason));
    }
}

/// Whether a request with this number was sent over a channel, and no reply has come.
pub(crate) fn awaits_reply(channel: &Channel, number: u64) -> bool {
    let Some(handle) = channel.relations.find_spawn(number) else {
        return false;
    };
    let relation = relations::get(handle);
    relations::release(handle);
    match &relation.kind {
        Kind::Spawn(request) => !request.is_answered.load(Ordering::Relaxed),
        _ => false,
    }
}

/// Spawns a process as another node has asked: `request` is the reference, the parent, the group leader,
/// `{Module, Function, Arity}` and the options; `None` if it makes no sense. `token` is one of sequential trace, if
/// there is one.
pub(crate) fn serve(
    channel: &Arc<Channel>,
    request: [Term; 5],
    arguments: Payload<'_>,
    token: Option<Token>,
) -> Option<()> {
    let [reference, parent, group_leader, call, options] = request;
    let refuse = |reason: Term| {
        let token = token.as_ref().map(|token| {
            let mut scratch = Scratch::new();
            let heap = scratch.heap();
            let reply = [am::SPAWN_REPLY, reference, am::ERROR, reason];
            let (request, reply) = (told_request(heap, &request), build::tuple(heap, &reply));
            sequence::refuses_to_spawn(token, request, parent, reply)
        });
        answer(channel, parent, reference, 0, reason, token.as_ref());
    };
    let [module, function, arity] = call.as_tuple_of()?;
    let arity = u32::try_from(arity.as_small()?).ok()?;
    if !module.is_atom() || !function.is_atom() || !group_leader.is_pid() {
        return None;
    }
    let parsed = match parse(options, Replies::Refused) {
        Ok(Parsed { options, .. }) => options,
        Err(runtime::exec::spawn::options::BadOptions::NoList) => return None,
        Err(_) => {
            refuse(am::BADOPT);
            return Some(());
        }
    };
    let from = CallFromAbroad {
        call,
        initial: (module, function, arity),
        parent,
        group_leader,
    };
    // So few requests have a token that these need not leave decoding to the new process.
    let decoded = match &token {
        None => None,
        Some(token) => Some((token, arguments.decode()?)),
    };
    let mut is_closed = false;
    let spawned = spawn::spawn_from_abroad(from, &parsed, |child| {
        let message = match decoded {
            None => arguments.into_fragment(channel, Way::Arguments(child.pid())),
            Some((token, decoded)) => {
                let message = sequence::message_from_abroad(decoded.term(), token, None);
                // SAFETY: the fragment is new.
                unsafe { senders::noted(channel.node, message) }
            }
        };
        // SAFETY: the fragment is new, so it is in no list, and nobody else knows the process.
        unsafe { signal::send_first(child, message) };
        if preloaded::wants_mark() {
            let mark = Owned::new(am::DIST_SPAWN_INIT).into_fragment();
            // SAFETY: as above. It is a message of the VM, which leaves the token of the arguments alone.
            unsafe {
                (*mark).kind = runtime::process::signal::OWN_MESSAGE;
                signal::send_first(child, mark);
            }
        }
        let pid = child.pid();
        let mut flags = 0;
        if parsed.link.is_some() {
            match channel.relations.link(channel, pid, parent) {
                Some(handle) => child.relations.link_new(handle, Rank::Ordinary),
                None => is_closed = true,
            }
            flags |= SPAWNED_LINKED;
        }
        if parsed.monitor.is_some() {
            let number = reference::fresh_number();
            let kind = Kind::Watcher {
                reference: Owned::new(reference),
                name: None,
            };
            if let Some(handle) = channel.relations.add(channel, pid, parent, number, kind) {
                let watcher = Watcher {
                    watcher: handle,
                    name: None,
                    names_owner: false,
                };
                child.relations.add_watcher((number, 0), watcher);
            }
            flags |= SPAWNED_MONITORED;
        }
        let token = token.as_ref().and_then(|token| {
            let mut scratch = Scratch::new();
            let heap = scratch.heap();
            let reply = [am::SPAWN_REPLY, reference, am::OK, pid];
            let (request, reply) = (told_request(heap, &request), build::tuple(heap, &reply));
            sequence::is_spawned_for(child, token, request, parent, reply)
        });
        answer(channel, parent, reference, flags, pid, token.as_ref());
    });
    match spawned {
        Ok(pid) if is_closed => {
            let exit = signals::exit_pair(parent, am::NOCONNECTION);
            let _ = signal::send(pid, Signal::RemoteExit { exit, link: None });
        }
        Ok(_) => {}
        Err(SpawnError::Limit) => refuse(am::SYSTEM_LIMIT),
    }
    Some(())
}

fn answer(
    channel: &Channel,
    parent: Term,
    reference: Term,
    flags: i64,
    result: Term,
    token: Option<&Token>,
) {
    let reply = [reference, parent, Term::small(flags), result];
    let control = match token {
        None => Control::new(code::SPAWN_REPLY, &reply),
        Some(token) => Control::with(code::SPAWN_REPLY_TRACED, |heap| {
            let token = token.to_term(heap);
            reply.into_iter().chain([token]).collect()
        }),
    };
    channel.send(result, control.term(), None);
}
