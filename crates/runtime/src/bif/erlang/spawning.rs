//! Making processes: `spawn`, `spawn_link`, `spawn_opt`, and what `spawn_request` is made of.

use std::sync::atomic::Ordering;

use layout::Term;
use layout::limits::FIRST_HEAP_WORDS;
use term::collect::block;
use term::copy::Owned;
use term::{am, build, map, reference};

use crate::bif::{BifResult, Failure, badarg, badarg_because, system_limit};
use crate::node;
use crate::process::relations::AliasKind;
use crate::process::spawn::{self, DEFAULTS, MonitorOptions, Options, SpawnError, Spawned};
use crate::process::{Priority, Process};
use crate::scheduler;
use crate::signal::handle;

/// `spawn(Module, Function, Args)`.
pub fn spawn_3(process: &mut Process, arguments: [Term; 3]) -> BifResult {
    spawn_with(process, arguments, Options::default()).map(|spawned| spawned.pid)
}

/// `spawn_link(Module, Function, Args)`.
pub fn spawn_link_3(process: &mut Process, arguments: [Term; 3]) -> BifResult {
    let options = Options {
        link: true,
        ..Options::default()
    };
    spawn_with(process, arguments, options).map(|spawned| spawned.pid)
}

/// `spawn_opt(Module, Function, Args, Options)`: a pid, or with a monitor `{Pid, Reference}`.
pub fn spawn_opt_4(
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

/// `erts_internal:spawn_request(Module, Function, Args, Options)`: the request's reference, `badarg`,
/// or `badopt` when the options are no list. The reply is in the message queue before this answers.
pub fn spawn_request_4(
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
            return Ok(refuse(process, &reply, am::BADOPT));
        }
    };
    let Parsed { options, reply } = parsed;
    match spawn::spawn(process, module, function, arguments, arity, options) {
        Ok(spawned) => {
            let request = spawned
                .monitor
                .unwrap_or_else(|| reference::make(process.heap()));
            if reply.on_success {
                let message = [reply.tag, request, am::OK, spawned.pid];
                deliver(process, &message);
            }
            Ok(request)
        }
        Err(SpawnError::Limit) => Ok(refuse(process, &reply, am::SYSTEM_LIMIT)),
    }
}

fn refuse(process: &mut Process, reply: &Reply, reason: Term) -> Term {
    let request = reference::make(process.heap());
    if reply.on_error {
        deliver(process, &[reply.tag, request, am::ERROR, reason]);
    }
    request
}

fn deliver(process: &mut Process, elements: &[Term]) {
    let message = build::tuple(process.heap(), elements);
    handle::deliver(process, message);
}

/// Answers a request to a node that is not connected; the request's reference, and whether a monitor
/// was asked for. None when the options are no list.
pub fn refuse_remote(process: &mut Process, options: Term, kind: Term) -> Option<(Term, bool)> {
    let mut reply = Reply {
        tag: am::SPAWN_REPLY,
        on_success: true,
        on_error: true,
    };
    let mut monitors = false;
    let mut rest = options;
    while let Some((option, tail)) = rest.as_cons() {
        // What else there is, that node would have looked at.
        match option.as_tuple() {
            Some(&[am::REPLY, when]) if kind == am::SPAWN_REQUEST => {
                let _ = set_reply(&mut reply, when);
            }
            Some(&[am::REPLY_TAG, tag]) if kind == am::SPAWN_REQUEST => reply.tag = tag,
            Some(&[am::MONITOR, _]) => monitors = true,
            _ => monitors |= option == am::MONITOR,
        }
        rest = tail;
    }
    let request = rest
        .is_nil()
        .then(|| refuse(process, &reply, am::NOCONNECTION))?;
    Some((request, monitors))
}

/// `spawn_request_abandon(Request)`. A request to this node was answered when it was made, so there
/// is none to give up.
pub fn spawn_request_abandon_1(_process: &mut Process, [request]: [Term; 1]) -> BifResult {
    if request.is_reference() {
        Ok(am::FALSE)
    } else {
        Err(badarg(1))
    }
}

fn spawn_with(
    process: &mut Process,
    [module, function, arguments]: [Term; 3],
    options: Options,
) -> Result<Spawned, Failure> {
    let arity = arity_of(module, function, arguments).ok_or_else(|| badarg(3))?;
    spawn::spawn(process, module, function, arguments, arity, options)
        .map_err(|SpawnError::Limit| system_limit())
}

/// The number of arguments, if these are two atoms and a proper list.
pub fn arity_of(module: Term, function: Term, arguments: Term) -> Option<u32> {
    if !module.is_atom() || !function.is_atom() {
        return None;
    }
    let mut rest = arguments;
    let mut arity = 0_u32;
    while rest.is_cons() {
        arity = arity.saturating_add(1);
        rest = rest.tail();
    }
    rest.is_nil().then_some(arity)
}

/// Whether the options of a request (`reply`, `reply_tag`) are allowed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Replies {
    Accepted,
    Refused,
}

/// What a request's maker is told.
struct Reply {
    tag: Term,
    on_success: bool,
    on_error: bool,
}

struct Parsed {
    options: Options,
    reply: Reply,
}

/// Why options cannot be used.
enum BadOptions {
    /// They are no proper list.
    NoList,
    /// One of them is wrong; how the maker wants to hear of it.
    Unknown(Reply),
}

fn parse(list: Term, replies: Replies) -> Result<Parsed, BadOptions> {
    let mut options = Options::default();
    let mut reply = Reply {
        tag: am::SPAWN_REPLY,
        on_success: true,
        on_error: true,
    };
    let mut all_good = true;
    let mut rest = list;
    while let Some((option, tail)) = rest.as_cons() {
        rest = tail;
        let good = match option.as_tuple() {
            Some(&[am::REPLY, when]) if replies == Replies::Accepted => {
                set_reply(&mut reply, when).is_some()
            }
            Some(&[am::REPLY_TAG, tag]) if replies == Replies::Accepted => {
                reply.tag = tag;
                true
            }
            Some(&[name, value]) => set_option(&mut options, name, value).is_some(),
            Some(_) => false,
            None => set_flag(&mut options, option).is_some(),
        };
        all_good &= good;
    }
    if !rest.is_nil() {
        return Err(BadOptions::NoList);
    }
    let least = options
        .min_heap_words
        .unwrap_or_else(|| DEFAULTS.min_heap_words.load(Ordering::Relaxed));
    if let Some(most) = options.heap.max_heap_words
        && most != 0
        && most < u64::from(least)
    {
        all_good = false;
    }
    if all_good {
        Ok(Parsed { options, reply })
    } else {
        Err(BadOptions::Unknown(reply))
    }
}

fn set_reply(reply: &mut Reply, when: Term) -> Option<()> {
    (reply.on_success, reply.on_error) = match when {
        am::YES => (true, true),
        am::NO => (false, false),
        am::ERROR_ONLY => (false, true),
        am::SUCCESS_ONLY => (true, false),
        _ => return None,
    };
    Some(())
}

fn set_flag(options: &mut Options, flag: Term) -> Option<()> {
    match flag {
        am::LINK => options.link = true,
        am::MONITOR => options.monitor = Some(MonitorOptions::default()),
        _ => return None,
    }
    Some(())
}

fn set_option(options: &mut Options, name: Term, value: Term) -> Option<()> {
    match name {
        am::MONITOR => options.monitor = Some(monitor_options(value)?),
        am::PRIORITY => options.priority = Some(priority_of(value)?),
        am::MESSAGE_QUEUE_DATA => options.off_heap_messages = Some(is_off_heap(value)?),
        am::MIN_HEAP_SIZE => {
            options.min_heap_words = Some(heap_words(value)?);
        }
        am::MIN_BIN_VHEAP_SIZE => options.heap.min_binary_words = Some(binary_words(value)?),
        am::FULLSWEEP_AFTER => {
            options.fullsweep_after = Some(u16::try_from(size(value)?).unwrap_or(u16::MAX));
        }
        am::MAX_HEAP_SIZE => {
            let limit = HeapLimit::parse(value)?;
            options.heap.max_heap_words = Some(limit.words);
            options.heap.max_heap_kill = Some(limit.kill);
            options.heap.max_heap_log = Some(limit.log);
        }
        // Only a wish in OTP too; ferl lets processes go where there is time for them.
        am::SCHEDULER => {
            let number = size(value)?;
            if number > scheduler::schedulers().all.len() as u64 {
                return None;
            }
        }
        _ => return None,
    }
    Some(())
}

/// A size that is not negative.
pub fn size(value: Term) -> Option<u64> {
    value.as_small().and_then(|words| u64::try_from(words).ok())
}

/// A least heap size: the next that heaps have.
pub fn heap_words(value: Term) -> Option<u32> {
    let words = usize::try_from(size(value)?).unwrap_or(usize::MAX);
    if words <= FIRST_HEAP_WORDS {
        return Some(FIRST_HEAP_WORDS as u32);
    }
    let words = block::size_for(words).and_then(|words| u32::try_from(words).ok());
    Some(words.unwrap_or(u32::MAX))
}

/// A least size of the virtual heap of shared binaries: not below the default.
pub fn binary_words(value: Term) -> Option<u64> {
    let least = DEFAULTS.min_binary_words.load(Ordering::Relaxed);
    Some(virtual_heap_words(size(value)?).max(least))
}

/// Virtual heaps have the sizes of heaps.
pub fn virtual_heap_words(words: u64) -> u64 {
    let words = usize::try_from(words).ok().and_then(block::size_for);
    words.map_or(u64::MAX, |words| words as u64)
}

/// The options of a monitor: `{alias, Kind}` and `{tag, Term}`.
pub fn monitor_options(list: Term) -> Option<MonitorOptions> {
    let mut options = MonitorOptions::default();
    let mut rest = list;
    while let Some((option, tail)) = rest.as_cons() {
        match option.as_tuple() {
            Some(&[am::ALIAS, kind]) => {
                options.alias = Some(match kind {
                    am::EXPLICIT_UNALIAS => AliasKind::ExplicitUnalias,
                    am::DEMONITOR => AliasKind::Demonitor,
                    am::REPLY_DEMONITOR => AliasKind::ReplyDemonitor,
                    _ => return None,
                });
            }
            Some(&[am::TAG, tag]) => options.tag = Some(Owned::new(tag)),
            _ => return None,
        }
        rest = tail;
    }
    rest.is_nil().then_some(options)
}

/// The priority of its atom.
pub fn priority_of(atom: Term) -> Option<Priority> {
    Some(match atom {
        am::MAX => Priority::Max,
        am::HIGH => Priority::High,
        am::NORMAL => Priority::Normal,
        am::LOW => Priority::Low,
        _ => return None,
    })
}

/// The atom of a priority.
#[must_use]
pub fn priority_atom(priority: Priority) -> Term {
    match priority {
        Priority::Max => am::MAX,
        Priority::High => am::HIGH,
        Priority::Normal => am::NORMAL,
        Priority::Low => am::LOW,
    }
}

/// The value of `message_queue_data`: whether messages stay off the heap.
pub fn is_off_heap(value: Term) -> Option<bool> {
    match value {
        am::OFF_HEAP => Some(true),
        am::ON_HEAP => Some(false),
        _ => None,
    }
}

/// `max_heap_size` as programs give and see it.
pub struct HeapLimit {
    /// 0: none.
    pub words: u64,
    pub kill: bool,
    pub log: bool,
}

impl Default for HeapLimit {
    /// The node's.
    fn default() -> HeapLimit {
        HeapLimit {
            words: DEFAULTS.max_heap_words.load(Ordering::Relaxed),
            kill: DEFAULTS.max_heap_kill.load(Ordering::Relaxed),
            log: DEFAULTS.max_heap_log.load(Ordering::Relaxed),
        }
    }
}

impl HeapLimit {
    /// From a size, or a map with `size` and perhaps `kill` and `error_logger`.
    pub fn parse(value: Term) -> Option<HeapLimit> {
        let mut limit = HeapLimit {
            words: 0,
            ..HeapLimit::default()
        };
        if !value.is_map() {
            limit.words = size(value)?;
            return Some(limit);
        }
        limit.words = size(map::get(value, am::SIZE)?)?;
        for (key, place) in [
            (am::KILL, &mut limit.kill),
            (am::ERROR_LOGGER, &mut limit.log),
        ] {
            match map::get(value, key) {
                None => {}
                Some(am::TRUE) => *place = true,
                Some(am::FALSE) => *place = false,
                Some(_) => return None,
            }
        }
        Some(limit)
    }

    /// What the node began with: the limit of processes that were given no other.
    fn at_start() -> HeapLimit {
        let config = node::config();
        HeapLimit {
            words: config.max_heap_words,
            kill: config.max_heap_kill,
            log: config.max_heap_log,
        }
    }

    /// The limit of a process.
    pub fn of(process: &Process) -> HeapLimit {
        let default = HeapLimit::at_start();
        let Some(cold) = process.cold.as_ref() else {
            return default;
        };
        let options = &cold.heap_options;
        HeapLimit {
            words: options.max_heap_words.unwrap_or(default.words),
            kill: options.max_heap_kill.unwrap_or(default.kill),
            log: options.max_heap_log.unwrap_or(default.log),
        }
    }

    /// `#{error_logger => _, kill => _, size => _}`.
    pub fn to_map<A: term::Allocate + ?Sized>(&self, heap: &mut A) -> Term {
        let words = build::unsigned(heap, self.words);
        map::from_pairs(
            heap,
            &[
                (am::ERROR_LOGGER, am::boolean(self.log)),
                (am::KILL, am::boolean(self.kill)),
                (am::SIZE, words),
            ],
        )
    }
}
