//! Monitors and aliases: `monitor`, `demonitor`, `alias`, `unalias`.

use layout::{ObjectKind, Term, no_gc};
use term::copy::Owned;
use term::release::{self, Release};
use term::{am, build, list, node, reference};

use runtime::code::bif::{BifResult, Failure, badarg, badarg_because, room_for_relation};
use runtime::effects::flood::{self, Relating};
use runtime::effects::{port, signal_handling};
use runtime::exec::spawn::options::monitor_options;
use runtime::mail::signal::{self, Sent};
use runtime::mail::time::watchers;
use runtime::mail::{current, registry, senders};
use runtime::process::Process;
use runtime::process::rank::Rank;
use runtime::process::relations::{
    AliasKind, MonitorOptions, MonitorTarget, ReferenceNumber, Watcher,
};
use runtime::process::signal::Signal;

use super::sending;
use distribution::{signals, spawn};

/// `monitor(Type, Item)`.
pub(crate) fn monitor_2(process: &mut Process, [kind, item]: [Term; 2]) -> BifResult {
    monitor(process, kind, item, MonitorOptions::default())
}

/// `monitor(Type, Item, Options)`.
pub(crate) fn monitor_3(process: &mut Process, [kind, item, options]: [Term; 3]) -> BifResult {
    let options = monitor_options(options).ok_or_else(|| badarg_because(am::BADOPT))?;
    monitor(process, kind, item, options)
}

/// What the arguments of `monitor` refer to.
enum Watched {
    Here(MonitorTarget),
    /// A process of another node, or a name there.
    Elsewhere(Term),
    /// The same, once the other node is told.
    Remote {
        handle: Term,
    },
    /// The caller itself: nothing needs to be monitored.
    Oneself,
    /// Something out of reach: `'DOWN'` for this object with this reason is delivered at once.
    Gone {
        kind: Term,
        object: Term,
        reason: Term,
    },
}

fn monitor(process: &mut Process, kind: Term, item: Term, options: MonitorOptions) -> BifResult {
    let watched = match kind {
        am::PROCESS => watched_process(process, item)?,
        am::PORT => watched_port(item)?,
        am::TIME_OFFSET if item == am::CLOCK_SERVICE => Watched::Here(MonitorTarget::TimeOffset),
        am::TIME_OFFSET => return Err(badarg(2)),
        _ => return Err(badarg_because(am::BADTYPE)),
    };
    room_for_relation(process)?;
    let own = process.pid();
    let (number, reference) = process.new_reference(options.alias);
    let mut requested = Sent::Done;
    let watched = match watched {
        Watched::Elsewhere(object) => {
            let names_owner = options.alias.is_some();
            match signals::monitor(process, object, number.0, names_owner) {
                Some((handle, sent)) => {
                    requested = sent;
                    Watched::Remote { handle }
                }
                None => Watched::Gone {
                    kind: am::PROCESS,
                    object,
                    reason: am::NOCONNECTION,
                },
            }
        }
        watched => watched,
    };
    match watched {
        Watched::Oneself | Watched::Elsewhere(_) => {}
        Watched::Remote { handle } => {
            let target = MonitorTarget::Remote { handle };
            process.relations.add_monitor(number, target, options);
        }
        Watched::Gone {
            kind,
            object,
            reason,
        } => {
            if options.alias == Some(AliasKind::ExplicitUnalias) {
                let kind = AliasKind::ExplicitUnalias;
                process.relations.add_alias(number, kind, Rank::Ordinary);
            }
            let tag = options.tag.as_ref().map_or(am::UC_DOWN, Owned::term);
            let sender = senders::of(object);
            let down = build::tuple(process.heap(), &[tag, reference, kind, object, reason]);
            match options.rank {
                Rank::Ordinary => signal_handling::deliver_last(process, sender, down),
                Rank::Priority => signal_handling::deliver_before_others(process, sender, down),
            }
        }
        Watched::Here(target) => {
            let reaches = begin_watching(own, target, number, options.alias.is_some());
            process.relations.add_monitor(number, target, options);
            if !reaches {
                let down = Signal::Down {
                    reference: number,
                    from: None,
                    reason: Owned::new(am::NOPROC),
                };
                let _ = signal::send(own, down);
            } else if let MonitorTarget::Process { pid, .. } = target {
                requested = flood::related(process, pid, Relating::Monitored);
            }
        }
    }
    sending::after(process, requested, reference)
}

/// Sends the request to the monitored object; false if it does not exist.
fn begin_watching(
    watcher: Term,
    target: MonitorTarget,
    number: ReferenceNumber,
    names_owner: bool,
) -> bool {
    match target {
        MonitorTarget::Process { pid, name } => {
            let request = Signal::Monitor {
                reference: number,
                watcher: Watcher {
                    watcher,
                    name,
                    names_owner,
                },
            };
            signal::send(pid, request).is_ok()
        }
        MonitorTarget::Port { port, name } => port::signals::monitor(port, watcher, number, name),
        MonitorTarget::TimeOffset => {
            watchers::watch(watcher, number);
            true
        }
        MonitorTarget::Remote { .. } => true,
    }
}

fn watched_process(process: &mut Process, item: Term) -> Result<Watched, Failure> {
    if item == process.pid() {
        return Ok(Watched::Oneself);
    }
    if item.is_local_pid() {
        let target = MonitorTarget::Process {
            pid: item,
            name: None,
        };
        return Ok(Watched::Here(target));
    }
    if item.is_kind(ObjectKind::ExternalPid) {
        return Ok(match node::is_own(item) {
            true => Watched::Gone {
                kind: am::PROCESS,
                object: item,
                reason: am::NOPROC,
            },
            false => Watched::Elsewhere(item),
        });
    }
    let name = match item.as_tuple(no_gc!()) {
        None => item,
        Some(&[name, node]) if name.is_atom() && node.is_atom() => {
            if node != am::NONODE_NOHOST && !super::distribution::is_distributed() {
                return Err(badarg(2));
            }
            if node != node::own_name() {
                return Ok(Watched::Elsewhere(item));
            }
            name
        }
        Some(_) => return Err(badarg(2)),
    };
    if !name.is_atom() {
        return Err(badarg(2));
    }
    match registry::whereis(name) {
        Some(pid) if pid == process.pid() => Ok(Watched::Oneself),
        found => Ok(Watched::Here(MonitorTarget::Process {
            // `undefined` and ports are not processes: the signal finds no receiver.
            pid: found.unwrap_or(am::UNDEFINED),
            name: Some(name),
        })),
    }
}

fn watched_port(item: Term) -> Result<Watched, Failure> {
    if item.is_local_port() {
        let target = MonitorTarget::Port {
            port: item,
            name: None,
        };
        return Ok(Watched::Here(target));
    }
    if item.is_kind(ObjectKind::ExternalPort) && node::is_own(item) {
        return Ok(Watched::Gone {
            kind: am::PORT,
            object: item,
            reason: am::NOPROC,
        });
    }
    let name = match item.as_tuple(no_gc!()) {
        Some(&[name, node]) if node == node::own_name() => name,
        Some(_) => return Err(badarg(2)),
        None => item,
    };
    if !name.is_atom() {
        return Err(badarg(2));
    }
    Ok(Watched::Here(MonitorTarget::Port {
        port: registry::whereis(name).unwrap_or(am::UNDEFINED),
        name: Some(name),
    }))
}

/// The outcome of `demonitor`.
enum Demonitored {
    /// The monitor was active, and will not send anything any more. What it watched has been told.
    Removed(Sent),
    /// The same of a monitor that has sent any number of messages, each time that what it watches changed.
    RemovedLasting,
    /// There was no active monitor: it has sent its message, or never existed.
    Absent,
}

/// `demonitor(Reference)`.
pub(crate) fn demonitor_1(process: &mut Process, [reference]: [Term; 1]) -> BifResult {
    match demonitor(process, reference)? {
        Demonitored::Removed(sent) => sending::after(process, sent, am::TRUE),
        Demonitored::RemovedLasting | Demonitored::Absent => Ok(am::TRUE),
    }
}

/// `demonitor(Reference, Options)`; the options are `flush` and `info`.
pub(crate) fn demonitor_2(process: &mut Process, [reference, options]: [Term; 2]) -> BifResult {
    let (mut flush, mut info) = (false, false);
    for option in list::items(options) {
        match option {
            Ok(am::FLUSH) => flush = true,
            Ok(am::INFO) => info = true,
            _ => return Err(badarg(2)),
        }
    }
    let (has_several, result) = match demonitor(process, reference)? {
        Demonitored::Removed(sent) => return sending::after(process, sent, am::TRUE),
        Demonitored::RemovedLasting => (true, am::TRUE),
        Demonitored::Absent => (false, am::boolean(!info)),
    };
    if !flush {
        return Ok(result);
    }
    Err(runtime::code::bif::trap(
        am::ERTS_INTERNAL,
        am::FLUSH_MONITOR_MESSAGES,
        &[reference, am::boolean(has_several), result],
    ))
}

fn demonitor(process: &mut Process, reference: Term) -> Result<Demonitored, Failure> {
    let Some(number) = reference::number(reference) else {
        return if reference.is_kind(ObjectKind::ExternalReference) && node::is_own(reference) {
            Ok(Demonitored::Absent)
        } else {
            Err(badarg(1))
        };
    };
    if spawn::is_pending(process, number) {
        return Ok(Demonitored::Absent);
    }
    let Some(monitor) = process.relations.take_monitor(number) else {
        return Ok(Demonitored::Absent);
    };
    current::charge(1);
    if let MonitorTarget::Remote { handle } = monitor.target {
        let sent = signals::demonitor(process, handle, number.0);
        return Ok(Demonitored::Removed(sent));
    }
    signal_handling::demonitor_target(number, &monitor.target);
    Ok(match monitor.target {
        MonitorTarget::TimeOffset => Demonitored::RemovedLasting,
        MonitorTarget::Process { pid, .. } => {
            Demonitored::Removed(flood::related(process, pid, Relating::Parted))
        }
        _ => Demonitored::Removed(Sent::Done),
    })
}

/// `alias(Options)`; the options are `explicit_unalias`, `reply`, and from OTP 28 on `priority`.
pub(crate) fn alias_1(process: &mut Process, [options]: [Term; 1]) -> BifResult {
    let (mut kind, mut rank) = (AliasKind::ExplicitUnalias, Rank::Ordinary);
    for option in list::items(options) {
        match option {
            Ok(am::EXPLICIT_UNALIAS) => kind = AliasKind::ExplicitUnalias,
            Ok(am::REPLY) => kind = AliasKind::Reply,
            Ok(am::PRIORITY) if release::has(Release::OTP_28) => rank = Rank::Priority,
            _ => return Err(badarg(1)),
        }
    }
    room_for_relation(process)?;
    let own = process.pid();
    let number = reference::fresh_number();
    process.relations.add_alias((number, 0), kind, rank);
    Ok(reference::with_pid(process.heap(), number, own))
}

/// `unalias(Alias)`: returns whether it was active.
pub(crate) fn unalias_1(process: &mut Process, [alias]: [Term; 1]) -> BifResult {
    if !alias.is_reference() {
        return Err(badarg(1));
    }
    let number = reference::number(alias);
    let removed = number.is_some_and(|number| {
        process.relations.remove_alias(number) || spawn::unalias(process, number)
    });
    Ok(am::boolean(removed))
}
