//! The items of `process_info`.
//!
//! The owner of the process calls this, between two slices or in a BIF of the process itself. Results are built on a
//! heap that need not be that of the process.

use std::cmp::Reverse;
use std::sync::atomic::Ordering;

use layout::heap::is_return_address;
use layout::kinds::SharedBinary;
use layout::{Export, Fragment, Heap, ObjectKind, Term, no_gc};
use term::off_heap::{self, MagicBlock};
use term::release::{self, Release};
use term::{am, build, copy, gc, node};

use crate::code;
use crate::code::stack;
use crate::effects::exception;
use crate::mail::observer::observer;
use crate::mail::{current, registry, remote};
use crate::process::heap_limit::{HeapLimit, min_binary_words};
use crate::process::relations::MonitorTarget;
use crate::process::tracing::what;
use crate::process::{Flags, Process, block, message_queue, priority_of, sequence, state};

/// Which process requests the information.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Asker {
    /// The process itself, in a BIF.
    Itself,
    /// Another process; `saw_it_run` is whether the process was running when the request was made.
    Another { saw_it_run: bool },
}

/// The items of `process_info(Pid)`.
pub const COMMON: [Term; 17] = [
    am::REGISTERED_NAME,
    am::CURRENT_FUNCTION,
    am::INITIAL_CALL,
    am::STATUS,
    am::MESSAGE_QUEUE_LEN,
    am::LINKS,
    am::DICTIONARY,
    am::TRAP_EXIT,
    am::ERROR_HANDLER,
    am::PRIORITY,
    am::GROUP_LEADER,
    am::TOTAL_HEAP_SIZE,
    am::HEAP_SIZE,
    am::STACK_SIZE,
    am::REDUCTIONS,
    am::GARBAGE_COLLECTION,
    am::SUSPENDING,
];

/// The items that are given only when asked for.
pub const OTHERS: [Term; 20] = [
    am::MESSAGES,
    am::MONITORS,
    am::MONITORED_BY,
    am::MEMORY,
    am::TRACE,
    am::BINARY,
    am::SEQUENTIAL_TRACE_TOKEN,
    am::CATCHLEVEL,
    am::BACKTRACE,
    am::LAST_CALLS,
    am::MIN_HEAP_SIZE,
    am::MIN_BIN_VHEAP_SIZE,
    am::MAX_HEAP_SIZE,
    am::CURRENT_LOCATION,
    am::CURRENT_STACKTRACE,
    am::MESSAGE_QUEUE_DATA,
    am::GARBAGE_COLLECTION_INFO,
    am::MAGIC_REF,
    am::FULLSWEEP_AFTER,
    am::PARENT,
];

/// Items that later releases have: their names, and the release that brought them.
const LATER: [(Term, Release); 3] = [
    (am::ASYNC_DIST, Release::OTP_26),
    (am::LABEL, Release::OTP_27),
    (am::PRIORITY_MESSAGES, Release::OTP_28),
];

/// Whether `process_info` knows an item of this name.
#[must_use]
pub fn is_item(item: Term) -> bool {
    let later = || LATER.iter().find(|(name, _)| *name == item);
    COMMON.contains(&item)
        || OTHERS.contains(&item)
        || later().is_some_and(|(_, since)| release::has(*since))
}

/// Whether a process is charged when another asks for this item, alone or among others: those that stock must have the
/// process itself look for.
#[must_use]
pub fn is_charged(item: Term) -> bool {
    matches!(
        item,
        am::CURRENT_FUNCTION
            | am::CURRENT_LOCATION
            | am::CURRENT_STACKTRACE
            | am::MESSAGES
            | am::LINKS
            | am::MONITORS
            | am::MONITORED_BY
            | am::SUSPENDING
            | am::DICTIONARY
            | am::MEMORY
            | am::TOTAL_HEAP_SIZE
            | am::BINARY
            | am::MAGIC_REF
            | am::BACKTRACE
            | am::LABEL
    )
}

/// The value of one item; `None` for the registered name of a process without one. Adds the work done to `steps`.
///
/// # Panics
/// If there is no such item.
pub fn value(
    process: &Process,
    item: Term,
    asker: Asker,
    heap: &mut Heap,
    steps: &mut i64,
) -> Option<Term> {
    Some(match item {
        am::REGISTERED_NAME => registry::name_of_process(process)?,
        am::CURRENT_FUNCTION => current_function(process, asker, heap),
        am::CURRENT_LOCATION => current_location(process, asker, heap),
        am::CURRENT_STACKTRACE => current_stacktrace(process, heap),
        am::INITIAL_CALL => {
            let (module, function) = process.initial_call;
            let arity = Term::small(i64::from(process.initial_arity));
            build::tuple(heap, &[Term::atom(module), Term::atom(function), arity])
        }
        am::STATUS => status(process, asker),
        am::MESSAGES => messages(process, heap, steps),
        am::MESSAGE_QUEUE_LEN => Term::small(process.head.messages.sizes.count() as i64),
        am::MESSAGE_QUEUE_DATA if process.flags.contains(Flags::OFF_HEAP_MESSAGES) => am::OFF_HEAP,
        am::MESSAGE_QUEUE_DATA => am::ON_HEAP,
        am::LINKS => links(process, heap, steps),
        am::MONITORS => monitors(process, heap, steps),
        am::MONITORED_BY => monitored_by(process, heap, steps),
        am::SUSPENDING => suspending(process, heap),
        am::DICTIONARY => dictionary(process, heap, steps),
        am::TRAP_EXIT => am::boolean(process.traps_exit()),
        am::ERROR_HANDLER => {
            let module = process
                .existing_extras()
                .and_then(|extras| extras.error_handler);
            module.unwrap_or(am::ERROR_HANDLER)
        }
        am::PRIORITY => priority_of(process.state.load(Ordering::Relaxed)).to_atom(),
        am::GROUP_LEADER => copy::copy(heap, process.group_leader),
        am::PARENT if process.parent.is_none() => am::UNDEFINED,
        am::PARENT => copy::copy(heap, process.parent),
        am::REDUCTIONS => build::unsigned(heap, current::reductions_now(process)),
        am::CATCHLEVEL => Term::small(i64::from(process.head.catches)),
        am::TRACE => Term::small(i64::from(trace_number(process))),
        am::SEQUENTIAL_TRACE_TOKEN => {
            sequence::of(process).map_or(Term::NIL, |token| token.to_term(heap))
        }
        am::LAST_CALLS => observer().last_calls(process, heap),
        am::BINARY => off_heap_objects(process, ObjectKind::SharedBinary, heap, steps),
        am::MAGIC_REF => off_heap_objects(process, ObjectKind::Reference, heap, steps),
        am::ASYNC_DIST => am::boolean(process.is_async_dist()),
        // Where `proc_lib:set_label/1` puts it.
        am::LABEL => {
            let label = process.dictionary.get(am::DOLLAR_PROCESS_LABEL);
            label.map_or(am::UNDEFINED, |label| copy::copy(heap, label))
        }
        am::PRIORITY_MESSAGES => am::boolean(process.relations.have_priority()),
        am::BACKTRACE => build::binary(heap, backtrace(process).as_bytes()),
        _ => sizes(process, item, heap),
    })
}

/// Items about the heap.
fn sizes(process: &Process, item: Term, heap: &mut Heap) -> Term {
    let own = &process.head.heap;
    let words = match item {
        am::HEAP_SIZE => gc::sizes(own).heap_block - unused_words(process),
        am::STACK_SIZE => gc::sizes(own).stack,
        am::TOTAL_HEAP_SIZE => {
            let mut words = gc::total_words(own) - unused_words(process);
            if !process.flags.contains(Flags::OFF_HEAP_MESSAGES) {
                words += message_queue::words(process) as usize;
            }
            words
        }
        am::MEMORY => memory_bytes(process),
        am::MIN_HEAP_SIZE => own.min_words as usize,
        am::MIN_BIN_VHEAP_SIZE => min_binary_words(process) as usize,
        am::FULLSWEEP_AFTER => own.fullsweep_after.into(),
        am::MAX_HEAP_SIZE => return HeapLimit::of(process).to_map(heap),
        am::GARBAGE_COLLECTION => return garbage_collection(process, heap),
        am::GARBAGE_COLLECTION_INFO => return garbage_collection_info(process, heap),
        _ => unreachable!("an item that `is_item` knows"),
    };
    build::unsigned(heap, words as u64)
}

/// Words of a hibernating process's heap block that it does not use, because the block is its first one or one of the
/// allocator's sizes. The heap shrank to its live terms, so they do not count.
fn unused_words(process: &Process) -> usize {
    let own = &process.head.heap;
    if !process.flags.contains(Flags::HIBERNATED) {
        return 0;
    }
    let block_words = gc::sizes(own).heap_block;
    block_words.saturating_sub(gc::tight_words(own))
}

fn garbage_collection(process: &Process, heap: &mut Heap) -> Term {
    let own = &process.head.heap;
    let facts = [
        (am::MAX_HEAP_SIZE, HeapLimit::of(process).to_map(heap)),
        (
            am::MIN_BIN_VHEAP_SIZE,
            build::unsigned(heap, min_binary_words(process)),
        ),
        (am::MIN_HEAP_SIZE, Term::small(own.min_words.into())),
        (am::FULLSWEEP_AFTER, Term::small(own.fullsweep_after.into())),
        (am::MINOR_GCS, Term::small(own.minor_collections.into())),
    ];
    pairs(heap, &facts)
}

/// The sizes of a heap's parts, as `garbage_collection_info` and the system monitor report them.
pub fn garbage_collection_info(process: &Process, heap: &mut Heap) -> Term {
    let sizes = gc::sizes(&process.head.heap);
    let block_words = sizes.heap_block - unused_words(process);
    let facts: [(&str, usize); 11] = [
        ("old_heap_block_size", sizes.old_heap_block),
        ("heap_block_size", block_words),
        ("mbuf_size", sizes.fragments),
        ("recent_size", sizes.recent),
        ("stack_size", sizes.stack),
        ("old_heap_size", sizes.old_heap),
        ("heap_size", sizes.heap),
        ("bin_vheap_size", sizes.off_heap),
        ("bin_vheap_block_size", sizes.off_heap_limit),
        ("bin_old_vheap_size", sizes.old_off_heap),
        ("bin_old_vheap_block_size", sizes.off_heap_limit),
    ];
    let facts = facts.map(|(name, words)| (term::atom::known(name), Term::small(words as i64)));
    pairs(heap, &facts)
}

fn pairs(heap: &mut Heap, facts: &[(Term, Term)]) -> Term {
    let facts: Vec<Term> = facts
        .iter()
        .map(|(name, value)| build::tuple(heap, &[*name, *value]))
        .collect();
    build::list(heap, &facts)
}

fn message_iter(process: &Process) -> impl Iterator<Item = *mut Fragment> {
    let mut next = process.head.messages.first;
    std::iter::from_fn(move || {
        let message = next;
        if message.is_null() {
            return None;
        }
        // SAFETY: the inner queue's messages are live while the process is borrowed.
        next = unsafe { (*message).next };
        Some(message)
    })
}

/// Bytes of memory that the process uses, without its shared binaries.
#[must_use]
pub fn memory_bytes(process: &Process) -> usize {
    let count = process.head.messages.sizes.count() as usize;
    let headers = count * size_of::<Fragment>();
    let messages = message_queue::words(process) as usize;
    let words = gc::total_words(&process.head.heap) + messages;
    let mut bytes = block::BLOCK_BYTES + headers;
    bytes += process.relations.bytes() + process.dictionary.bytes();
    if let Some(cold) = &process.cold {
        bytes += cold.bytes();
    }
    bytes + words * 8
}

/// What a process does, as `process_info` calls it.
#[must_use]
pub fn status(process: &Process, asker: Asker) -> Term {
    let saw_it_run = match asker {
        Asker::Itself => return am::RUNNING,
        Asker::Another { saw_it_run } => saw_it_run,
    };
    if process.suspend_count > 0 {
        return am::SUSPENDED;
    }
    if process.state.load(Ordering::Relaxed) & state::EXITING != 0 {
        return am::EXITING;
    }
    // SAFETY: `save` is a link of the queue.
    let has_message = unsafe { !(*process.head.messages.save).is_null() };
    let sleeps = process.flags.contains(Flags::HIBERNATED);
    let waits = process.flags.contains(Flags::WAITING);
    if sleeps || (waits && (!has_message || process.flags.contains(Flags::WAITING_WITHOUT_CLAUSES)))
    {
        am::WAITING
    } else if saw_it_run {
        am::RUNNING
    } else {
        am::RUNNABLE
    }
}

fn messages(process: &Process, heap: &mut Heap, steps: &mut i64) -> Term {
    if process.is_sensitive() {
        return Term::NIL;
    }
    let messages: Vec<Term> = message_iter(process)
        .map(|message| {
            // SAFETY: as in `message_iter`.
            let (message, words) = unsafe { ((*message).term, (*message).words) };
            *steps += 1 + i64::from(words) / 8;
            copy::copy(heap, message)
        })
        .collect();
    build::list(heap, &messages)
}

/// The first messages that a process will receive, of those that it has fetched. They are the process's own terms.
#[must_use]
pub fn first_messages(process: &Process, most: usize) -> Vec<Term> {
    message_iter(process)
        .take(most)
        // SAFETY: as in `message_iter`.
        .map(|message| unsafe { (*message).term })
        .collect()
}

fn links(process: &Process, heap: &mut Heap, steps: &mut i64) -> Term {
    let mut links: Vec<Term> = process
        .relations
        .linked()
        .filter_map(|other| remote::identity(heap, other))
        .collect();
    links.sort_unstable_by(|a, b| term::compare::compare(*a, *b));
    *steps += links.len() as i64 / 4;
    build::list(heap, &links)
}

fn monitors(process: &Process, heap: &mut Heap, steps: &mut i64) -> Term {
    let mut monitors: Vec<_> = process.relations.monitors().collect();
    monitors.sort_unstable_by_key(|(number, ..)| *number);
    *steps += monitors.len() as i64 / 4;
    let mut list = Vec::with_capacity(monitors.len());
    for (_, target, _) in monitors {
        let (kind, identifier, name) = match target {
            MonitorTarget::Process { pid, name } => (am::PROCESS, pid, name),
            MonitorTarget::Port { port, name } => (am::PORT, port, name),
            MonitorTarget::TimeOffset => (am::TIME_OFFSET, am::CLOCK_SERVICE, None),
            MonitorTarget::Remote { handle } => match remote::identity(heap, handle) {
                Some(identity) => (am::PROCESS, identity, None),
                None => continue,
            },
        };
        let object = match name {
            Some(name) => build::tuple(heap, &[name, node::own_name()]),
            None => identifier,
        };
        list.push(build::tuple(heap, &[kind, object]));
    }
    build::list(heap, &list)
}

fn monitored_by(process: &Process, heap: &mut Heap, steps: &mut i64) -> Term {
    let mut watchers: Vec<_> = process.relations.watchers().collect();
    // As in OTP, the newest first; objects of libraries, sockets and files are behind the processes here.
    watchers.sort_unstable_by_key(|(number, _)| Reverse(*number));
    *steps += watchers.len() as i64 / 4;
    let mut watchers: Vec<Term> = watchers
        .into_iter()
        .filter_map(|(_, watcher)| remote::identity(heap, watcher.watcher))
        .collect();
    if let Some(extras) = process.existing_extras() {
        extras.at_exit.watchers(heap, &mut watchers);
    }
    build::list(heap, &watchers)
}

fn suspending(process: &Process, heap: &mut Heap) -> Term {
    let mut list = Vec::new();
    if let Some(extras) = process.existing_extras() {
        for (bits, suspending) in &extras.suspending {
            // SAFETY: the bits of a local pid, an immediate.
            let pid = unsafe { Term::from_bits(*bits) };
            let (count, none) = (Term::small(suspending.count.into()), Term::small(0));
            // The last number is that of calls that wait for the other process to notice.
            let parts = match suspending.is_suspended() {
                true => [pid, count, none],
                false => [pid, none, count],
            };
            list.push(build::tuple(heap, &parts));
        }
    }
    build::list(heap, &list)
}

/// The value that the process's dictionary has for the key in `{dictionary, Key}`.
pub fn value_in_dictionary(process: &Process, item: Term, heap: &mut Heap) -> Term {
    let key = item
        .as_tuple(no_gc!())
        .and_then(|pair| pair.last().copied());
    let value = key.and_then(|key| process.dictionary.get(key));
    value.map_or(am::UNDEFINED, |value| copy::copy(heap, value))
}

fn dictionary(process: &Process, heap: &mut Heap, steps: &mut i64) -> Term {
    if process.is_sensitive() {
        return Term::NIL;
    }
    *steps += process.dictionary.len() as i64 / 4;
    let mut list = Term::NIL;
    for pair in process.dictionary.in_slots() {
        let pair = [copy::copy(heap, pair[0]), copy::copy(heap, pair[1])];
        let pair = build::tuple(heap, &pair);
        list = build::cons(heap, pair, list);
    }
    list
}

/// `{Address, Bytes, References}` of what each shared binary or magic reference of the process holds.
fn off_heap_objects(process: &Process, kind: ObjectKind, heap: &mut Heap, steps: &mut i64) -> Term {
    let own = &process.head.heap;
    // SAFETY: null, or the heap's own old generation.
    let old = unsafe { own.old.as_ref() }.map_or(std::ptr::null_mut(), |old| old.off_heap);
    let mut list = Vec::new();
    for mut object in [own.off_heap, old] {
        while !object.is_null() {
            // SAFETY: members of the process's off-heap lists are live objects with a live block.
            unsafe {
                let term = Term::from_boxed_pointer(object);
                if term.is_kind(kind) {
                    let counted = off_heap::block_of(object);
                    let address = build::unsigned(heap, counted as u64);
                    let bytes = match SharedBinary::of(term) {
                        Some(binary) => binary.size(),
                        None => size_of::<MagicBlock>() as u64,
                    };
                    let bytes = build::unsigned(heap, bytes);
                    let references = Term::small(i64::from(off_heap::references(counted)));
                    list.push(build::tuple(heap, &[address, bytes, references]));
                }
                object = off_heap::next_of(object);
            }
            *steps += 1;
        }
    }
    // As on stock, what has been longest on the heap comes first.
    list.reverse();
    build::list(heap, &list)
}

/// The place of the process as another one sees it: also a BIF that it waits in, or goes on with in its next slice. Who
/// asks about itself is in a BIF that asks, and gets to know of that one's caller.
fn current_place(process: &Process, asker: Asker) -> Option<code::modules::NamedPlace> {
    // Of those that yield or hibernate stock knows the caller, or that there is none.
    let sees_bif = asker != Asker::Itself && !process.flags.contains(Flags::HIBERNATED);
    let here = sees_bif.then(|| code::place_of(process.head.ip)).flatten();
    let hides = |place: &code::modules::NamedPlace| {
        place.module == am::ERLANG && [am::HIBERNATE, am::YIELD].contains(&place.function)
    };
    let here = here.filter(|place| !hides(place));
    here.or_else(|| places(process, 1).into_iter().next())
}

/// The current place of the process and the places it will return to, innermost first; at most `most`. Addresses in the
/// stub of a BIF are none: they have no lines, and a stack trace begins with the caller then, as on stock.
#[must_use]
pub fn places(process: &Process, most: usize) -> Vec<code::modules::NamedPlace> {
    let mut places = Vec::new();
    if most == 0 {
        return places;
    }
    let mut note = |address: *const u64| {
        places.extend(code::place_in_module(address));
        places.len() < most
    };
    if !note(process.head.ip) {
        return places;
    }
    for call in stack::calls(&process.head.heap) {
        if !note(call) {
            break;
        }
    }
    places
}

/// The function that contains a code address: module, name, arity.
#[must_use]
pub fn function_at(address: *const u64) -> Option<[Term; 3]> {
    let place = code::place_of(address)?;
    Some([
        place.module,
        place.function,
        Term::small(i64::from(place.arity)),
    ])
}

/// Why the instruction pointer of a process is not in the code of a module.
enum Nowhere {
    /// It waits in `hibernate/3`.
    Sleeping,
    /// It has not begun to run.
    Beginning,
}

fn nowhere(process: &Process) -> Nowhere {
    if process.hibernates_without_stack() {
        Nowhere::Sleeping
    } else {
        Nowhere::Beginning
    }
}

/// What is shown of a process whose instruction pointer is not in the code of a module.
pub(crate) fn nowhere_call(process: &Process) -> [Term; 3] {
    match nowhere(process) {
        Nowhere::Sleeping => [am::ERLANG, am::HIBERNATE, Term::small(3)],
        Nowhere::Beginning => {
            let (module, function) = process.initial_call;
            [
                Term::atom(module),
                Term::atom(function),
                Term::small(i64::from(process.initial_arity)),
            ]
        }
    }
}

/// What the process is traced for, as stock counts it.
fn trace_number(process: &Process) -> u32 {
    let traced_for = process
        .existing_extras()
        .map_or(0, |extras| extras.tracings.what());
    traced_for
        | if process.is_sensitive() {
            what::IS_SENSITIVE
        } else {
            0
        }
}

/// Whether the process is suspended by a message that it has sent. The operator `!` is no call, but is shown as one of
/// `erlang:send/2` then, as on stock.
fn is_in_send(process: &Process) -> bool {
    process.suspend_count > 0
        && process
            .existing_extras()
            .is_some_and(|extras| extras.is_sending)
}

pub(crate) fn current_function(process: &Process, asker: Asker, heap: &mut Heap) -> Term {
    build::tuple(heap, &current_call(process, asker))
}

/// The function that a process is in: module, name and arity.
#[must_use]
pub fn current_call(process: &Process, asker: Asker) -> [Term; 3] {
    if is_in_send(process) {
        return [am::ERLANG, am::SEND, Term::small(2)];
    }
    if let Some(export) = dirty_call(process) {
        let arity = Term::small(i64::from(export.arity));
        return [export.module, export.function, arity];
    }
    match current_place(process, asker) {
        Some(place) => [
            place.module,
            place.function,
            Term::small(i64::from(place.arity)),
        ],
        None => nowhere_call(process),
    }
}

/// What a dirty scheduler calls, or is to call, for the process.
fn dirty_call(process: &Process) -> Option<&Export> {
    let waits_for_call = process.flags.contains(Flags::DIRTY_CALL);
    if !waits_for_call || code::modules::find_code(process.head.ip).is_some() {
        return None;
    }
    // SAFETY: the process has left to call a BIF again, and is not in code: it is at the instruction that calls it,
    // whose export lives for ever.
    Some(unsafe { &*code::stubs::called(process) })
}

fn current_location(process: &Process, asker: Asker, heap: &mut Heap) -> Term {
    if is_in_send(process) {
        return build::tuple(heap, &[am::ERLANG, am::SEND, Term::small(2), Term::NIL]);
    }
    match current_place(process, asker) {
        Some(place) => frame(heap, &place),
        None => nowhere_frame(process, heap),
    }
}

fn nowhere_frame(process: &Process, heap: &mut Heap) -> Term {
    let [module, function, arity] = nowhere_call(process);
    build::tuple(heap, &[module, function, arity, Term::NIL])
}

pub(crate) fn current_stacktrace(process: &Process, heap: &mut Heap) -> Term {
    let depth = exception::DEPTH.load(Ordering::Relaxed);
    let frames: Vec<Term> = places(process, depth)
        .iter()
        .map(|place| frame(heap, place))
        .collect();
    build::list(heap, &frames)
}

/// The functions to which a process returns, as in a stack trace, innermost first: at most `depth`, and no more than
/// stack traces have.
#[must_use]
pub fn callers(process: &Process, depth: Option<usize>, heap: &mut Heap) -> Term {
    let most = exception::DEPTH.load(Ordering::Relaxed);
    let depth = depth.map_or(most, |depth| depth.min(most));
    let calls = stack::calls(&process.head.heap);
    let frames: Vec<Term> = calls
        .filter_map(code::place_in_module)
        .take(depth)
        .map(|place| frame(heap, &place))
        .collect();
    build::list(heap, &frames)
}

fn frame(heap: &mut Heap, place: &code::modules::NamedPlace) -> Term {
    let location = exception::location(heap, place);
    let arity = Term::small(i64::from(place.arity));
    build::tuple(heap, &[place.module, place.function, arity, location])
}

/// The program counter and the stack of a process, as text.
#[must_use]
pub fn backtrace(process: &Process) -> String {
    use std::fmt::Write;
    if process.is_sensitive() {
        return String::new();
    }
    // As on stock, an address outside all modules has no name: the process has not begun to run, or hibernates.
    let name = |address: *const u64| {
        let loaded = code::modules::find_code(address);
        match loaded.and_then(|loaded| loaded.code.place(address)) {
            Some(place) => format!(
                "{}:{}/{} + {}",
                term::print::display(place.module),
                term::print::display(place.function),
                place.arity,
                // From the instruction before the entry on, as on stock.
                address as usize - place.start as usize
            ),
            None => "unknown function".to_owned(),
        }
    };
    let mut text = String::new();
    let ip = process.head.ip;
    // Writing to a string cannot fail.
    let _ = writeln!(text, "Program counter: {ip:#018x?} ({})", name(ip));
    let heap = &process.head.heap;
    // Skip the X registers that were saved on top of the stack when the process was switched out; they belong to no
    // frame.
    let mut at = heap
        .stack
        .wrapping_add(usize::from(process.head.saved_x))
        .cast_const();
    let mut slot = 0;
    while at < heap.end.cast_const() {
        // SAFETY: the words between stack and end are return addresses and terms.
        let word = unsafe { *at };
        if is_return_address(word) {
            let place = if word == engine::start::process_end() as u64 {
                "<terminate process normally>".to_owned()
            } else {
                name((word - 8) as *const u64)
            };
            let _ = writeln!(text, "\n{at:#018x?} Return addr {word:#018x} ({place})");
            slot = 0;
        } else {
            // SAFETY: a stack word that is not a return address is a term or a catch mark.
            let term = unsafe { Term::from_bits(word) };
            let _ = match term.as_catch() {
                Some(handler) => {
                    let handler_name = name(handler);
                    writeln!(
                        text,
                        "y({slot})     Catch {handler:#018x?} ({handler_name})"
                    )
                }
                None => writeln!(text, "y({slot})     {}", term::print::display(term)),
            };
            slot += 1;
        }
        at = at.wrapping_add(1);
    }
    text
}
