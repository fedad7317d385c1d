//! Creating processes: `spawn`, `spawn_link`, `spawn_opt`, and the BIF below `spawn_request`.

use layout::Term;
use term::{am, build, list, node, reference};

use distribution::spawn::abandon;
use runtime::code::bif::{BifResult, Failure, badarg, badarg_because, system_limit};
use runtime::effects::signal_handling;
use runtime::exec::spawn::options::{BadOptions, Parsed, Replies, Reply, parse};
use runtime::exec::spawn::{self, SpawnError, SpawnOptions, Spawned};
use runtime::process::Process;
use runtime::process::rank::Rank;
use runtime::trace::sequence;

/// `spawn(Module, Function, Args)`.
pub(crate) fn spawn_3(process: &mut Process, arguments: [Term; 3]) -> BifResult {
    spawn_with(process, arguments, SpawnOptions::default()).map(|spawned| spawned.pid)
}

/// `spawn_link(Module, Function, Args)`.
pub(crate) fn spawn_link_3(process: &mut Process, arguments: [Term; 3]) -> BifResult {
    let options = SpawnOptions {
        link: Some(Rank::Ordinary),
        ..SpawnOptions::default()
    };
    spawn_with(process, arguments, options).map(|spawned| spawned.pid)
}

/// `spawn_opt(Module, Function, Args, Options)`: returns a pid, or `{Pid, Reference}` with a monitor.
pub(crate) fn spawn_opt_4(
    process: &mut Process,
    [module, function, arguments, options]: [Term; 4],
) -> BifResult {
    let Ok(Parsed { options, .. }) = parse(options, Replies::Refused) else {
        return Err(badarg_because(am::BADOPT));
    };
    let spawned = spawn_with(process, [module, function, arguments], options)?;
    Ok(match spawned.monitor {
        Some(monitor) => build::tuple(process.heap(), &[spawned.pid, monitor]),
        None => spawned.pid,
    })
}

/// `erts_internal:spawn_request(Module, Function, Args, Options)`: returns the request's reference, `badarg`, or
/// `badopt` if the options are not a proper list. The reply is put in the message queue before this returns.
pub(crate) fn spawn_request_4(
    process: &mut Process,
    [module, function, arguments, options]: [Term; 4],
) -> BifResult {
    let Some(arity) = arity_of(module, function, arguments) else {
        return Ok(am::BADARG);
    };
    let parsed = match parse(options, Replies::Accepted) {
        Ok(parsed) => parsed,
        Err(BadOptions::NoList) => return Ok(am::BADOPT),
        Err(BadOptions::Unknown(reply)) => {
            signal_handling::catch_up(process);
            return Ok(refuse(process, &reply, am::BADOPT));
        }
    };
    let Parsed { mut options, reply } = parsed;
    options.requested = true;
    options.reply_tag = Some(reply.tag);
    options.replied = reply.on_success;
    // The reply comes after what has arrived, and before anything from the child.
    signal_handling::catch_up(process);
    match spawn::spawn(process, module, function, arguments, arity, options) {
        Ok(spawned) => {
            let token = spawned.sequence;
            let request = spawned
                .monitor
                .or(token.as_ref().map(|(reference, _)| *reference))
                .unwrap_or_else(|| reference::make(process.heap()));
            if reply.on_success {
                let message = [reply.tag, request, am::OK, spawned.pid];
                match token {
                    Some((_, Some(token))) => {
                        let message = build::tuple(process.heap(), &message);
                        sequence::deliver_spawn_reply(process, spawned.pid, &token, message);
                    }
                    _ => deliver(process, spawned.pid, &message),
                }
            }
            Ok(request)
        }
        Err(SpawnError::Limit) => Ok(refuse(process, &reply, am::SYSTEM_LIMIT)),
    }
}

fn refuse(process: &mut Process, reply: &Reply, reason: Term) -> Term {
    let request = reference::make(process.heap());
    if reply.on_error {
        deliver(
            process,
            node::own_name(),
            &[reply.tag, request, am::ERROR, reason],
        );
    }
    request
}

fn deliver(process: &mut Process, sender: Term, elements: &[Term]) {
    let message = build::tuple(process.heap(), elements);
    signal_handling::deliver(process, sender, message);
}

/// `spawn_request_abandon(Request)`. A request to this node has its reply from the start, so there is none to abandon.
pub(crate) fn spawn_request_abandon_1(process: &mut Process, [request]: [Term; 1]) -> BifResult {
    if !request.is_reference() {
        return Err(badarg(1));
    }
    signal_handling::catch_up(process);
    let number = reference::number(request);
    let is_abandoned = number.is_some_and(|number| abandon(process, number));
    Ok(am::boolean(is_abandoned))
}

fn spawn_with(
    process: &mut Process,
    [module, function, arguments]: [Term; 3],
    options: SpawnOptions,
) -> Result<Spawned, Failure> {
    let arity = arity_of(module, function, arguments).ok_or_else(|| badarg(3))?;
    spawn::spawn(process, module, function, arguments, arity, options)
        .map_err(|SpawnError::Limit| system_limit())
}

/// The number of arguments; `None` unless these are two atoms and a proper list.
pub(crate) fn arity_of(module: Term, function: Term, arguments: Term) -> Option<u32> {
    if !module.is_atom() || !function.is_atom() {
        return None;
    }
    let arity = list::length(arguments)?;
    Some(u32::try_from(arity).unwrap_or(u32::MAX))
}
