//! Nodes and distribution, for a node that is not distributed: it knows itself and connects to no other node.

use layout::{ObjectKind, Term};
use term::{am, build, list, map, node};

use crate::erlang::spawning;
use runtime::bif::{BifResult, badarg, badarg_because, error, notsup};
use runtime::process::Process;

/// `node()`.
pub fn node_0(_process: &mut Process, []: [Term; 0]) -> BifResult {
    Ok(node::own_name())
}

/// `node(PidPortOrReference)`.
pub fn node_1(_process: &mut Process, [identifier]: [Term; 1]) -> BifResult {
    if identifier.is_local_pid() || identifier.is_local_port() {
        return Ok(node::own_name());
    }
    match identifier.boxed_kind() {
        Some(ObjectKind::Reference | ObjectKind::MagicReference) => Ok(node::own_name()),
        Some(
            ObjectKind::ExternalPid | ObjectKind::ExternalPort | ObjectKind::ExternalReference,
        ) => Ok(node::of(identifier).name),
        _ => Err(badarg(1)),
    }
}

fn is_alive() -> bool {
    node::own_name() != am::NONODE_NOHOST
}

/// `nodes()`.
pub fn nodes_0(_process: &mut Process, []: [Term; 0]) -> BifResult {
    Ok(Term::NIL)
}

/// `nodes(Kinds)`.
pub fn nodes_1(process: &mut Process, [kinds]: [Term; 1]) -> BifResult {
    let names: Vec<Term> = nodes(kinds)
        .ok_or_else(|| badarg(1))?
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    Ok(build::list(process.heap(), &names))
}

/// `nodes(Kinds, #{connection_id => boolean(), node_type => boolean()})`: each node with the requested information.
pub fn nodes_2(process: &mut Process, [kinds, options]: [Term; 2]) -> BifResult {
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
    for (name, kind) in nodes {
        let mut facts = Vec::new();
        if with_id {
            // Neither this node nor a node that is only known by name has a connection.
            facts.push((am::CONNECTION_ID, am::UNDEFINED));
        }
        if with_type {
            facts.push((am::NODE_TYPE, kind));
        }
        let facts = map::from_pairs(heap, &facts);
        items.push(build::tuple(heap, &[name, facts]));
    }
    Ok(build::list(heap, &items))
}

/// The nodes of the given kinds, with the kind of each.
fn nodes(kinds: Term) -> Option<Vec<(Term, Term)>> {
    let (mut this, mut known) = (false, false);
    let mut add = |kind: Term| {
        match kind {
            am::VISIBLE | am::HIDDEN | am::CONNECTED => {}
            am::THIS => this = true,
            am::KNOWN => (this, known) = (true, true),
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
    let mut nodes = Vec::new();
    if known {
        let others = node::known_names().into_iter().filter(|name| *name != own);
        nodes.extend(others.map(|name| (name, am::KNOWN)));
    }
    if this {
        nodes.push((own, am::THIS));
    }
    Some(nodes)
}

/// `monitor_node(Node, Flag)`.
pub fn monitor_node_2(process: &mut Process, [name, flag]: [Term; 2]) -> BifResult {
    monitor_node_3(process, [name, flag, Term::NIL])
}

/// `monitor_node(Node, Flag, Options)`.
pub fn monitor_node_3(process: &mut Process, [name, flag, options]: [Term; 3]) -> BifResult {
    if list::items(options).any(|option| option != Ok(am::ALLOW_PASSIVE_CONNECT)) {
        return Err(badarg_because(am::BADOPT));
    }
    if !name.is_atom() {
        return Err(badarg(1));
    }
    if name != am::NONODE_NOHOST && !is_alive() {
        return Err(error(am::NOTALIVE));
    }
    match flag {
        am::TRUE if name != node::own_name() => {
            // No node is connected, so it is reported down at once.
            let message = build::tuple(process.heap(), &[am::NODEDOWN, name]);
            runtime::signal::handle::deliver_last(process, message);
            Ok(am::TRUE)
        }
        am::TRUE | am::FALSE => Ok(am::TRUE),
        _ => Err(badarg(2)),
    }
}

/// `setnode(Name, Creation)`: would make the node distributed, which is not supported.
pub fn setnode_2(_process: &mut Process, [_name, _creation]: [Term; 2]) -> BifResult {
    Err(notsup())
}

/// `erts_internal:get_creation()`.
pub fn get_creation_0(_process: &mut Process, []: [Term; 0]) -> BifResult {
    Ok(match node::own_creation() {
        0 => am::UNDEFINED,
        creation => Term::small(i64::from(creation)),
    })
}

/// `erts_internal:new_connection(Node)`.
pub fn new_connection_1(_process: &mut Process, [_node]: [Term; 1]) -> BifResult {
    Err(badarg(1))
}

/// `erts_internal:abort_pending_connection(Node, Connection)`.
pub fn abort_pending_connection_2(
    _process: &mut Process,
    [_node, _connection]: [Term; 2],
) -> BifResult {
    Err(badarg(1))
}

/// `erts_internal:get_dflags()`: a record of sets of capabilities: those offered, those that other nodes must have,
/// those that may be offered on request, those that may be rejected, and those that need messages kept in order.
pub fn get_dflags_0(process: &mut Process, []: [Term; 0]) -> BifResult {
    let sets = [
        Capability::DEFAULT,
        Capability::MANDATORY,
        // All offered capabilities may be requested.
        Capability::DEFAULT,
        Capability::REJECTABLE,
        Capability::STRICT_ORDER,
    ];
    let mut record = vec![am::ERTS_DFLAGS];
    for set in sets {
        let bits = set.iter().fold(0, |bits, flag| bits | 1 << *flag as u8);
        record.push(build::unsigned(process.heap(), bits));
    }
    Ok(build::tuple(process.heap(), &record))
}

/// The capabilities that a node announces in the distribution handshake, by bit number. The format is public.
#[derive(Clone, Copy)]
enum Capability {
    AtomCache = 1,
    ExtendedReferences = 2,
    Monitor = 3,
    FunTags = 4,
    MonitorName = 5,
    HiddenAtomCache = 6,
    NewFunTags = 7,
    ExtendedPidsPorts = 8,
    ExportTag = 9,
    BitBinaries = 10,
    NewFloats = 11,
    UnicodeIo = 12,
    HeaderAtomCache = 13,
    SmallAtomTags = 14,
    Utf8Atoms = 16,
    MapTag = 17,
    BigCreation = 18,
    SendSender = 19,
    BigSequentialTraceLabels = 20,
    ExitPayload = 22,
    Fragments = 23,
    Handshake23 = 24,
    UnlinkId = 25,
    /// Stands for all of `MANDATORY` as of release 25.
    Mandatory25 = 26,
    Spawn = 32,
    Version4 = 34,
    Alias = 35,
}

impl Capability {
    const MANDATORY: &[Self] = &[
        Self::ExtendedReferences,
        Self::FunTags,
        Self::NewFunTags,
        Self::ExtendedPidsPorts,
        Self::ExportTag,
        Self::BitBinaries,
        Self::NewFloats,
        Self::Utf8Atoms,
        Self::MapTag,
        Self::BigCreation,
        Self::Handshake23,
    ];
    const DEFAULT: &[Self] = &[
        Self::ExtendedReferences,
        Self::Monitor,
        Self::FunTags,
        Self::MonitorName,
        Self::NewFunTags,
        Self::ExtendedPidsPorts,
        Self::ExportTag,
        Self::BitBinaries,
        Self::NewFloats,
        Self::UnicodeIo,
        Self::HeaderAtomCache,
        Self::SmallAtomTags,
        Self::Utf8Atoms,
        Self::MapTag,
        Self::BigCreation,
        Self::SendSender,
        Self::BigSequentialTraceLabels,
        Self::ExitPayload,
        Self::Fragments,
        Self::Handshake23,
        Self::UnlinkId,
        Self::Mandatory25,
        Self::Spawn,
        Self::Version4,
        Self::Alias,
    ];
    const REJECTABLE: &[Self] = &[
        Self::AtomCache,
        Self::HiddenAtomCache,
        Self::HeaderAtomCache,
        Self::Fragments,
    ];
    const STRICT_ORDER: &[Self] = &[Self::HeaderAtomCache];
}

/// `erts_internal:create_dist_channel(Node, Controller, {Flags, Creation})`.
pub fn create_dist_channel_3(
    _process: &mut Process,
    [_node, _controller, _flags]: [Term; 3],
) -> BifResult {
    Ok(am::BADARG)
}

/// `erts_internal:dist_spawn_request(Node, {Module, Function, Args}, Options, Kind)`: returns the request's reference.
/// The reply says that there is no connection.
pub fn dist_spawn_request_4(
    process: &mut Process,
    [name, call, options, kind]: [Term; 4],
) -> BifResult {
    let good_call = matches!(
        call.as_tuple(),
        Some(&[module, function, arguments])
            if spawning::arity_of(module, function, arguments).is_some()
    );
    if !name.is_atom() || name == node::own_name() || !good_call {
        return Ok(am::BADARG);
    }
    runtime::signal::handle::catch_up(process);
    let Some((request, monitors)) = spawning::refuse_remote(process, options, kind) else {
        return Ok(am::BADARG);
    };
    if kind == am::SPAWN_OPT {
        return Ok(build::tuple(
            process.heap(),
            &[request, am::boolean(monitors)],
        ));
    }
    Ok(request)
}

/// `dist_ctrl_get_data(Handle)`: only a distribution controller may call this, and there is none.
pub fn dist_ctrl_get_data_1(_process: &mut Process, [_handle]: [Term; 1]) -> BifResult {
    Err(notsup())
}

/// `dist_ctrl_get_data_notification(Handle)`.
pub fn dist_ctrl_get_data_notification_1(
    _process: &mut Process,
    [_handle]: [Term; 1],
) -> BifResult {
    Err(notsup())
}

/// `dist_ctrl_input_handler(Handle, Pid)`.
pub fn dist_ctrl_input_handler_2(_process: &mut Process, [_handle, _pid]: [Term; 2]) -> BifResult {
    Err(notsup())
}

/// `dist_ctrl_get_opt(Handle, Option)`.
pub fn dist_ctrl_get_opt_2(_process: &mut Process, [_handle, _option]: [Term; 2]) -> BifResult {
    Err(notsup())
}

/// `dist_ctrl_set_opt(Handle, Option, Value)`.
pub fn dist_ctrl_set_opt_3(
    _process: &mut Process,
    [_handle, _option, _value]: [Term; 3],
) -> BifResult {
    Err(notsup())
}

/// `dist_ctrl_put_data(Handle, Data)`.
pub fn dist_ctrl_put_data_2(_process: &mut Process, [_handle, _data]: [Term; 2]) -> BifResult {
    Err(badarg(1))
}

/// `dist_get_stat(Handle)`.
pub fn dist_get_stat_1(_process: &mut Process, [_handle]: [Term; 1]) -> BifResult {
    Err(badarg(1))
}
