//! Nodes and connections: what programs ask of them, and what `net_kernel` and those who carry connections do.

use std::sync::Arc;

use layout::{ObjectKind, Term, no_gc};
use term::copy::Owned;
use term::heap::Scratch;
use term::{am, build, integer, list, map, node};

use crate::erlang::{sending, spawning};
use crate::{node_table, persistent_term};
use distribution::channel::{Channel, Facts, Phase};
use distribution::flags::{self, Flags};
use distribution::{dist_handle, peers, signals, spawn};
use runtime::code::bif::{BifResult, Failure, badarg, badarg_because, error, notsup};
use runtime::effects::port;
use runtime::effects::port::carrier::Accepted;
use runtime::mail::{current, registry, signal};
use runtime::process::Process;
use runtime::process::relations::{MonitorOptions, MonitorTarget};
use runtime::process::signal::Signal;
use term::release::{self, Release};

/// `node()`.
pub(crate) fn node_0(_process: &mut Process, []: [Term; 0]) -> BifResult {
    Ok(node::own_name())
}

/// `node(PidPortOrReference)`.
pub(crate) fn node_1(_process: &mut Process, [identifier]: [Term; 1]) -> BifResult {
    if identifier.is_local_pid() || identifier.is_local_port() {
        return Ok(node::own_name());
    }
    match identifier.boxed_kind() {
        Some(ObjectKind::Reference) => Ok(node::own_name()),
        Some(
            ObjectKind::ExternalPid | ObjectKind::ExternalPort | ObjectKind::ExternalReference,
        ) => Ok(node::of(identifier).name),
        _ => Err(badarg(1)),
    }
}

/// `nodes()`.
pub(crate) fn nodes_0(process: &mut Process, []: [Term; 0]) -> BifResult {
    nodes_1(process, [am::VISIBLE])
}

/// `nodes(Kinds)`.
pub(crate) fn nodes_1(process: &mut Process, [kinds]: [Term; 1]) -> BifResult {
    let names: Vec<Term> = nodes(kinds)
        .ok_or_else(|| badarg(1))?
        .into_iter()
        .map(|known| known.name)
        .collect();
    Ok(build::list(process.heap(), &names))
}

/// `nodes(Kinds, #{connection_id => boolean(), node_type => boolean()})`: each node with the requested information.
pub(crate) fn nodes_2(process: &mut Process, [kinds, options]: [Term; 2]) -> BifResult {
    let nodes = nodes(kinds).ok_or_else(|| badarg(1))?;
    let size = options.map_size().ok_or_else(|| badarg(2))?;
    let mut known = 0;
    let mut wanted = |name: Term| match map::get(options, name) {
        None => Ok(false),
        Some(value @ (am::TRUE | am::FALSE)) => {
            known += 1;
            Ok(value == am::TRUE)
        }
        Some(_) => Err(badarg(2)),
    };
    let with_id = wanted(am::CONNECTION_ID)?;
    let with_type = wanted(am::NODE_TYPE)?;
    if known != size {
        return Err(badarg(2));
    }
    let heap = process.heap();
    let mut items = Vec::new();
    for known in nodes {
        let mut facts = Vec::new();
        if with_id {
            let id = known.connection.map(|id| Term::small(i64::from(id)));
            facts.push((am::CONNECTION_ID, id.unwrap_or(am::UNDEFINED)));
        }
        if with_type {
            facts.push((am::NODE_TYPE, known.kind));
        }
        let facts = map::from_pairs(heap, &facts);
        items.push(build::tuple(heap, &[known.name, facts]));
    }
    Ok(build::list(heap, &items))
}

/// A node that this one knows.
struct KnownNode {
    name: Term,
    kind: Term,
    /// The number of the connection, if there is one.
    connection: Option<u32>,
}

/// The nodes of the given kinds.
fn nodes(kinds: Term) -> Option<Vec<KnownNode>> {
    let (mut this, mut known, mut visible, mut hidden) = (false, false, false, false);
    let mut add = |kind: Term| {
        match kind {
            am::VISIBLE => visible = true,
            am::HIDDEN => hidden = true,
            am::CONNECTED => (visible, hidden) = (true, true),
            am::THIS => this = true,
            am::KNOWN => (this, known, visible, hidden) = (true, true, true, true),
            _ => return None,
        }
        Some(())
    };
    if kinds.is_atom() {
        add(kinds)?;
    } else {
        for kind in list::items(kinds) {
            add(kind.ok()?)?;
        }
    }
    let own = node::own_name();
    let connected: Vec<_> = peers::connected().collect();
    let mut nodes = Vec::new();
    for channel in connected.iter().rev() {
        let kind = match channel.is_visible() {
            true if visible => am::VISIBLE,
            false if hidden => am::HIDDEN,
            _ => continue,
        };
        nodes.push(KnownNode {
            name: channel.node,
            kind,
            connection: Some(channel.id),
        });
    }
    let unconnected = |name: Term, kind: Term| KnownNode {
        name,
        kind,
        connection: None,
    };
    if known {
        node_table::forget_unused();
        let others = node::known_names()
            .into_iter()
            .filter(|name| *name != own && connected.iter().all(|channel| channel.node != *name));
        nodes.extend(others.map(|name| unconnected(name, am::KNOWN)));
    }
    if this {
        nodes.push(unconnected(own, am::THIS));
    }
    Some(nodes)
}

/// `monitor_node(Node, Flag)`.
pub(crate) fn monitor_node_2(process: &mut Process, [name, flag]: [Term; 2]) -> BifResult {
    monitor_node_3(process, [name, flag, Term::NIL])
}

/// `monitor_node(Node, Flag, Options)`: begins a connection if there is none. With `allow_passive_connect` one that the
/// other node begins counts as well.
pub(crate) fn monitor_node_3(process: &mut Process, [name, flag, options]: [Term; 3]) -> BifResult {
    if list::items(options).any(|option| option != Ok(am::ALLOW_PASSIVE_CONNECT)) {
        return Err(badarg_because(am::BADOPT));
    }
    if !name.is_atom() {
        return Err(badarg(1));
    }
    if name != am::NONODE_NOHOST && !is_distributed() {
        return Err(error(am::NOTALIVE));
    }
    match flag {
        am::TRUE if name == node::own_name() => {}
        am::TRUE => {
            let may_be_passive = !options.is_nil();
            let is_up = peers::channel(name).is_some_and(|channel| channel.phase() == Phase::Up);
            if may_be_passive && !is_up {
                return Err(connect_first(name, options));
            }
            runtime::effects::signal_handling::catch_up(process);
            let number = term::reference::fresh_number();
            let Some(handle) = signals::monitor_node(process, name, number) else {
                return Err(connect_first(name, options));
            };
            let target = MonitorTarget::Remote { handle };
            process
                .relations
                .add_monitor((number, 0), target, MonitorOptions::default());
        }
        am::FALSE => {
            runtime::effects::signal_handling::catch_up(process);
            if let Some(number) = signals::monitored_node(process, name)
                && let Some(monitor) = process.relations.take_monitor((number, 0))
            {
                let target = &monitor.target;
                runtime::effects::signal_handling::demonitor_target((number, 0), target);
            }
        }
        _ => return Err(badarg(2)),
    }
    Ok(am::TRUE)
}

/// `erlang` waits for a connection, and monitors it or reports that there is none.
fn connect_first(name: Term, options: Term) -> Failure {
    let arguments = [name, am::TRUE, options];
    runtime::code::bif::trap(am::ERLANG, am::DMONITOR_NODE, &arguments)
}

/// Whether this node has a name, or gets one from the first node that it connects to. OTP's code in Erlang notes the
/// latter as a persistent term.
pub(crate) fn is_distributed() -> bool {
    if peers::is_alive() {
        return true;
    }
    let mut scratch = Scratch::new();
    let key = build::tuple(scratch.heap(), &[am::ERTS_INTERNAL, am::DYNAMIC_NODE_NAME]);
    persistent_term::find(key).is_some_and(|noted| noted != am::FALSE)
}

/// `setnode(Name, Creation)`: this node takes part in the distribution from now on.
pub(crate) fn setnode_2(_process: &mut Process, [name, creation]: [Term; 2]) -> BifResult {
    let creation = integer::uint64(creation).and_then(|creation| u32::try_from(creation).ok());
    let mut creation = creation.ok_or_else(|| badarg(2))?;
    if !is_node_name(name) || name == am::NONODE_NOHOST || peers::is_alive() {
        return Err(badarg(1));
    }
    // Releases up to 25.2 take the creation as it is, and then mistake such identifiers for their own.
    if release::has(Release::OTP_26) {
        creation = node_table::unused_creation(name, creation);
    }
    if !peers::become_alive(name, creation) {
        return Err(badarg(1));
    }
    Ok(am::TRUE)
}

/// Whether an atom is `Name@Host`, as a node may be named: the name is of ASCII letters, digits, `_` and `-`. The host
/// may be any text without another `@`.
fn is_node_name(name: Term) -> bool {
    if !name.is_atom() {
        return false;
    }
    let may_be_in_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    term::atom::text(name)
        .split_once('@')
        .is_some_and(|(name, host)| {
            !name.is_empty()
                && name.bytes().all(may_be_in_name)
                && !host.is_empty()
                && !host.contains('@')
        })
}

/// `erts_internal:get_creation()`.
pub(crate) fn get_creation_0(_process: &mut Process, []: [Term; 0]) -> BifResult {
    Ok(match node::own_creation() {
        0 => am::UNDEFINED,
        creation => Term::small(i64::from(creation)),
    })
}

/// `erts_internal:new_connection(Node)`: the connection to a node, begun if there was none.
pub(crate) fn new_connection_1(process: &mut Process, [name]: [Term; 1]) -> BifResult {
    if !is_node_name(name) || name == node::own_name() {
        return Err(badarg(1));
    }
    let channel = peers::begin(name);
    if channel.phase() == Phase::Down {
        // Whoever depended on it is being told.
        let arguments = Box::new([name]);
        return Err(Failure::Yield { arguments });
    }
    Ok(dist_handle::make(process.heap(), &channel))
}

/// `erts_internal:abort_pending_connection(Node, Connection)`: returns whether it was not established yet.
pub(crate) fn abort_pending_connection_2(
    _process: &mut Process,
    [name, connection]: [Term; 2],
) -> BifResult {
    let channel = dist_handle::channel(connection).filter(|channel| channel.node == name);
    let channel = channel.ok_or_else(|| badarg(2))?;
    Ok(am::boolean(channel.abort()))
}

/// `erts_internal:get_dflags()`: a record of sets of flags: those offered, those that other nodes must have,
/// those that may be offered on request, those that may be rejected, and those that need messages kept in order.
pub(crate) fn get_dflags_0(process: &mut Process, []: [Term; 0]) -> BifResult {
    let sets = [
        flags::offered(),
        flags::mandatory(),
        // All offered flags may be requested.
        flags::offered(),
        Flags::of(flags::REJECTABLE),
        Flags::of(flags::STRICT_ORDER),
    ];
    let mut record = vec![am::ERTS_DFLAGS];
    for set in sets {
        record.push(build::unsigned(process.heap(), set.0));
    }
    Ok(build::tuple(process.heap(), &record))
}

/// `erts_internal:create_dist_channel(Node, Controller, {Flags, Creation})`: the handshake is done, and a port or
/// process carries the connection. Returns `{ok, Handle}`, `{message, Reference}` if the handle comes in a message, or
/// `badarg`.
pub(crate) fn create_dist_channel_3(
    process: &mut Process,
    [name, controller, facts]: [Term; 3],
) -> BifResult {
    let Some(facts) = facts_of(facts) else {
        return Ok(am::BADARG);
    };
    let net_kernel = registry::whereis_process(am::NET_KERNEL);
    let channel = peers::channel(name).filter(|_| name != node::own_name());
    let (Some(net_kernel), Some(channel)) = (net_kernel, channel) else {
        return Ok(am::BADARG);
    };
    if !facts.both.suffice() {
        runtime::effects::log::incapable_node(process, name);
        return Ok(am::BADARG);
    }
    let setup = process.pid();
    let announce = move |channel: &Channel| {
        let mut scratch = Scratch::new();
        let parts = [am::DIST_CTRLR, controller, channel.node, setup];
        let message = build::tuple(scratch.heap(), &parts);
        signal::send_message(am::SYSTEM, net_kernel, message);
    };
    if controller.is_local_port() {
        let port = port::find(controller);
        let is_open = port.is_some_and(|port| channel.open_by_port(&port, facts));
        if !is_open {
            return Ok(am::BADARG);
        }
        announce(&channel);
        channel.tell_up();
    } else if controller == setup {
        if !carry_by(process, &channel, facts) {
            return Ok(am::BADARG);
        }
        announce(&channel);
        channel.tell_up();
    } else if controller.is_local_pid() {
        let reference = runtime::effects::signal_handling::reference_of_answer(process);
        let wanted = Owned::new(reference);
        let carry = move |controller: Option<&mut Process>| {
            let is_carried = controller.is_some_and(|process| carry_by(process, &channel, facts));
            let mut scratch = Scratch::new();
            let result = match is_carried {
                true => {
                    announce(&channel);
                    channel.tell_up();
                    dist_handle::make(scratch.heap(), &channel)
                }
                false => am::BADARG,
            };
            signal::reply(am::SYSTEM, setup, &wanted, result);
        };
        signal::send_or_bounce(controller, Signal::Call(Box::new(carry)));
        return Ok(build::tuple(process.heap(), &[am::MESSAGE, reference]));
    } else {
        return Ok(am::BADARG);
    }
    let handle = dist_handle::make(process.heap(), &channel);
    Ok(build::tuple(process.heap(), &[am::OK, handle]))
}

/// `{Flags, Creation}`.
fn facts_of(facts: Term) -> Option<Facts> {
    let [flags, creation] = facts.as_tuple_of()?;
    Some(Facts {
        creation: u32::try_from(integer::uint64(creation)?).ok()?,
        both: Flags(integer::uint64(flags)?),
    })
}

/// Makes a process carry a connection, which ends with it.
fn carry_by(process: &mut Process, channel: &Arc<Channel>, facts: Facts) -> bool {
    if !channel.open_by_process(process.pid(), facts) {
        return false;
    }
    let channel = channel.clone();
    let end = move |reason: Term| {
        let reason = match reason.as_tuple_of() {
            Some([am::SHUTDOWN, reason]) => reason,
            _ => reason,
        };
        channel.close(reason);
    };
    process.extras().at_exit.add(|_| ((), Box::new(end)));
    true
}

/// `erts_internal:dist_spawn_request(Node, {Module, Function, Args}, Options, Kind)`: returns the request's reference,
/// for `spawn_opt` with whether the new process is to be monitored.
pub(crate) fn dist_spawn_request_4(
    process: &mut Process,
    [name, call, options, kind]: [Term; 4],
) -> BifResult {
    let call = match call.as_tuple_of() {
        Some([module, function, arguments]) => spawning::arity_of(module, function, arguments)
            .map(|arity| ([module, function, arguments], arity)),
        _ => None,
    };
    let Some(call) = call.filter(|_| name.is_atom() && name != node::own_name()) else {
        return Ok(am::BADARG);
    };
    runtime::effects::signal_handling::catch_up(process);
    let is_request = kind == am::SPAWN_REQUEST;
    let Some(requested) = spawn::request(process, name, call, options, is_request) else {
        return Ok(am::BADARG);
    };
    let result = match is_request {
        true => requested.reference,
        false => {
            let parts = [requested.reference, am::boolean(requested.monitors)];
            build::tuple(process.heap(), &parts)
        }
    };
    sending::after(process, requested.sent, result)
}

/// The connection that the caller controls. A caller that controls none is told so, whatever it gives as handle.
fn controlled(process: &Process, handle: Term) -> Result<Arc<Channel>, Failure> {
    let own = Some(process.pid());
    match dist_handle::channel(handle) {
        Some(channel) if channel.controller() == own => Ok(channel),
        None if peers::channels().iter().any(|it| it.controller() == own) => Err(badarg(1)),
        _ => Err(notsup()),
    }
}

/// `dist_ctrl_get_data(Handle)`: the next packet as a list of binaries, with its size if that is wanted; `none` if
/// there is none.
pub(crate) fn dist_ctrl_get_data_1(process: &mut Process, [handle]: [Term; 1]) -> BifResult {
    let channel = controlled(process, handle)?;
    let Some((packet, wants_size)) = channel.output_for(process.pid()) else {
        return Ok(am::NONE);
    };
    let Some(mut packet) = packet else {
        return Ok(am::NONE);
    };
    let size = packet.size();
    let heap = process.heap();
    let mut pieces = Vec::new();
    while let Some(piece) = packet.first(heap) {
        let length = piece.as_bits().map_or(0, |bits| bits.bit_len() / 8);
        packet.skip(length as usize);
        pieces.push(piece);
    }
    let data = build::list(heap, &pieces);
    if !wants_size {
        return Ok(data);
    }
    let size = build::unsigned(heap, size as u64);
    Ok(build::tuple(heap, &[size, data]))
}

/// `dist_ctrl_get_data_notification(Handle)`: asks for the message `dist_data` when there is output.
pub(crate) fn dist_ctrl_get_data_notification_1(
    process: &mut Process,
    [handle]: [Term; 1],
) -> BifResult {
    let channel = controlled(process, handle)?;
    channel.notify(process.pid());
    Ok(am::OK)
}

/// `dist_ctrl_input_handler(Handle, Pid)`: the process that hands in what arrives.
pub(crate) fn dist_ctrl_input_handler_2(
    process: &mut Process,
    [handle, pid]: [Term; 2],
) -> BifResult {
    let channel = controlled(process, handle)?;
    if !pid.is_local_pid() {
        return Err(badarg(2));
    }
    channel.set_input_handler(process.pid(), pid);
    Ok(am::OK)
}

/// `dist_ctrl_get_opt(Handle, get_size)`.
pub(crate) fn dist_ctrl_get_opt_2(process: &mut Process, [handle, option]: [Term; 2]) -> BifResult {
    let channel = controlled(process, handle)?;
    if option != am::GET_SIZE {
        return Err(badarg(2));
    }
    let value = channel.wants_size(process.pid(), None);
    Ok(am::boolean(value.unwrap_or_default()))
}

/// `dist_ctrl_set_opt(Handle, get_size, Value)`: returns the value before.
pub(crate) fn dist_ctrl_set_opt_3(
    process: &mut Process,
    [handle, option, value]: [Term; 3],
) -> BifResult {
    let channel = controlled(process, handle)?;
    if option != am::GET_SIZE {
        return Err(badarg(2));
    }
    let new = match value {
        am::TRUE => true,
        am::FALSE => false,
        _ => return Err(badarg(3)),
    };
    let before = channel.wants_size(process.pid(), Some(new));
    Ok(am::boolean(before.unwrap_or_default()))
}

/// `dist_ctrl_put_data(Handle, Data)`: hands in a packet that has arrived.
pub(crate) fn dist_ctrl_put_data_2(process: &mut Process, [handle, data]: [Term; 2]) -> BifResult {
    if data.is_cons() {
        let helper = (am::ERTS_INTERNAL, am::DIST_CTRL_PUT_DATA);
        return Err(runtime::code::bif::trap(
            helper.0,
            helper.1,
            &[handle, data],
        ));
    }
    let no_gc = no_gc!();
    let bytes = match data.is_nil() {
        true => std::borrow::Cow::Borrowed(&[][..]),
        false => term::unicode::bytes_of(data, no_gc).ok_or_else(|| badarg(2))?,
    };
    let channel = dist_handle::channel(handle).ok_or_else(|| badarg(1))?;
    if !channel.takes_input_from(process.pid()) {
        return Err(notsup());
    }
    if channel.packet(&bytes) == Accepted::No {
        channel.break_off();
    }
    current::charge(5);
    Ok(am::OK)
}

/// `dist_get_stat(Handle)`: `{ok, PacketsIn, PacketsOut, BytesThatWait}`.
pub(crate) fn dist_get_stat_1(process: &mut Process, [handle]: [Term; 1]) -> BifResult {
    let statistics = dist_handle::channel(handle).and_then(|channel| channel.statistics());
    let (packets_in, packets_out, waiting) = statistics.ok_or_else(|| badarg(1))?;
    let heap = process.heap();
    let numbers = [packets_in, packets_out, waiting as u64];
    let numbers = numbers.map(|number| build::unsigned(heap, number));
    let parts = [am::OK, numbers[0], numbers[1], numbers[2]];
    Ok(build::tuple(heap, &parts))
}
