//! Creating processes.

pub mod options;

use std::marker::PhantomPinned;
use std::ptr::{self, NonNull};
use std::sync::atomic::Ordering;

use layout::heap::flag as heap_flag;
use layout::limits::{FIRST_HEAP_WORDS, REDUCTIONS_PER_SLICE};
use layout::process::state as receive_state;
use layout::{Heap, ProcessHead, Term};
use sys::memory::budget::{self, Level};
use term::am;
use term::copy;

use crate::effects::holdings::{self, Vital};
use crate::mail::observer::observer;
use crate::mail::{current, observer};
use crate::process::extras::HeapOptions;
use crate::process::heap_limit::{DEFAULTS, HeapLimit};
use crate::process::owner::{Owner, Runnable};
use crate::process::rank::Rank;
use crate::process::relations::{MonitorOptions, MonitorTarget, Relations, Watcher};
use crate::process::sequence::{Spawn, Token};
use crate::process::signal_queue::SignalQueue;
use crate::process::{
    CacheLine, Dictionary, Flags, Priority, Process, block, message_queue, sequence, state, table,
};

pub use options::SpawnOptions;

/// Why no process was made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SpawnError {
    /// The process limit is reached, or there is no memory: `system_limit`.
    Limit,
}

/// The result of a spawn.
pub struct Spawned {
    pub pid: Term,
    /// The monitor's reference, on the parent's heap, if a monitor was requested.
    pub monitor: Option<Term>,
    /// What a request of a process with a token of sequential trace is answered with: its reference, on the parent's
    /// heap, and the reply's token.
    pub sequence: Option<(Term, Option<Token>)>,
}

/// Creates a process that calls `module:function` with the arguments of a proper list, and queues it.
///
/// # Errors
/// See [`SpawnError`].
pub fn spawn(
    parent: &mut Process,
    module: Term,
    function: Term,
    arguments: Term,
    arity: u32,
    options: SpawnOptions,
) -> Result<Spawned, SpawnError> {
    let call = FirstCall {
        module,
        function,
        arguments,
        arity,
    };
    let mut process = make(Some(parent), call, &options)?;
    let pid = process.pid();
    if let Some(rank) = options.link {
        process.relations.link_new(parent.pid(), Rank::Ordinary);
        parent.relations.link_new(pid, rank);
    }
    let mut sequence = None;
    let monitor = options
        .monitor
        .map(|options| monitor_child(parent, &mut process, options));
    if parent.flags.contains(Flags::TRACED) || observer::are_processes_told() {
        let call = [module, function, arguments];
        let mut scratch = term::heap::Scratch::new();
        let call = match options.requested {
            true => as_requested(scratch.heap(), call),
            false => call,
        };
        if sequence::of(parent).is_some() {
            let listed = options.listed.unwrap_or(match options.link.is_some() {
                true => term::build::list(scratch.heap(), &[am::LINK]),
                false => Term::NIL,
            });
            sequence = Some(pass_token_on(
                parent,
                &mut process,
                call,
                listed,
                monitor,
                (options.reply_tag, options.replied),
            ));
        }
        observer().spawns(Some(parent), &mut process, call, options.link.is_some());
    }
    start(process);
    if budget::level() >= Level::Soft {
        current::forgo(REDUCTIONS_PER_SLICE / SPAWNS_PER_SLICE_WHEN_SHORT);
    }
    Ok(Spawned {
        pid,
        monitor,
        sequence,
    })
}

/// Gives the child the token of its parent, and returns the reference of the spawn and the token of the reply to a
/// request.
fn pass_token_on(
    parent: &mut Process,
    child: &mut Process,
    [module, function, arguments]: [Term; 3],
    options: Term,
    reference: Option<Term>,
    (reply_tag, replied): (Option<Term>, bool),
) -> (Term, Option<Token>) {
    let reference = reference.unwrap_or_else(|| term::reference::make(parent.heap()));
    let mut scratch = term::heap::Scratch::new();
    let heap = scratch.heap();
    let arity = term::list::length(arguments).unwrap_or_default();
    let spawn = Spawn {
        reference,
        function: term::build::tuple(heap, &[module, function, Term::small(arity as i64)]),
        options,
        tag: reply_tag.unwrap_or(am::SPAWN_REPLY),
        arguments,
        requested: reply_tag.is_some(),
        replied,
    };
    (
        reference,
        observer().spawns_with_token(parent, child, &spawn),
    )
}

/// The call of a process that was spawned by `spawn_request`, as stock makes it.
fn as_requested(heap: &mut Heap, call: [Term; 3]) -> [Term; 3] {
    let call = term::build::tuple(heap, &call);
    let arguments = term::build::list(heap, &[call]);
    [am::ERTS_INTERNAL, am::SPAWN_INIT, arguments]
}

/// Lets a process monitor the child that it is spawning; returns the monitor's reference.
fn monitor_child(parent: &mut Process, child: &mut Process, options: MonitorOptions) -> Term {
    let (number, reference) = parent.new_reference(options.alias);
    let watcher = Watcher {
        watcher: parent.pid(),
        name: None,
        names_owner: options.alias.is_some(),
    };
    child.relations.add_watcher(number, watcher);
    let target = MonitorTarget::Process {
        pid: child.pid(),
        name: None,
    };
    parent.relations.add_monitor(number, target, options);
    reference
}

/// Creates a process without a spawning parent: one of the first processes of the node.
///
/// # Errors
/// See [`SpawnError`].
pub fn spawn_root(
    module: Term,
    function: Term,
    arguments: Term,
    arity: u32,
    options: &SpawnOptions,
) -> Result<Term, SpawnError> {
    let call = FirstCall {
        module,
        function,
        arguments,
        arity,
    };
    let mut process = make(None, call, options)?;
    let pid = process.pid();
    // The first process is its own group leader, and counts as the parent of the others.
    let first = Term::local_pid(0, 0);
    process.group_leader = first;
    if pid != first {
        process.parent = first;
    }
    if observer::are_processes_told() {
        observer().spawns(None, &mut process, [module, function, arguments], false);
    }
    start(process);
    Ok(pid)
}

/// A call with which a process on behalf of another node begins.
#[derive(Clone, Copy)]
pub struct CallFromAbroad {
    /// What `erts_internal:dist_spawn_init/1` gets, which waits for the arguments.
    pub call: Term,
    /// What the process was spawned to do.
    pub initial: (Term, Term, u32),
    pub parent: Term,
    pub group_leader: Term,
}

/// Creates a process on behalf of another node. `prepare` gives it its relations and its first message before
/// anybody else knows of it.
///
/// # Errors
/// See [`SpawnError`].
pub fn spawn_from_abroad(
    CallFromAbroad {
        call,
        initial,
        parent,
        group_leader,
    }: CallFromAbroad,
    options: &SpawnOptions,
    prepare: impl FnOnce(&mut Process),
) -> Result<Term, SpawnError> {
    let mut scratch = term::heap::Scratch::new();
    let first = FirstCall {
        module: am::ERTS_INTERNAL,
        function: am::DIST_SPAWN_INIT,
        arguments: term::build::list(scratch.heap(), &[call]),
        arity: 1,
    };
    let mut process = make(None, first, options)?;
    let (module, function, arity) = initial;
    process.initial_call = (
        module.as_atom().unwrap_or(0),
        function.as_atom().unwrap_or(0),
    );
    process.initial_arity = arity;
    process.group_leader = copy::copy(process.heap(), group_leader);
    process.parent = copy::copy(process.heap(), parent);
    if observer::are_processes_told() {
        let call = [first.module, first.function, first.arguments];
        observer().is_spawned_from_abroad(&mut process, parent, call, options.link.is_some());
    }
    prepare(&mut process);
    let pid = process.pid();
    start(process);
    Ok(pid)
}

/// Lets everybody know of a new process, and queues it: its state word says QUEUED from the beginning.
fn start(process: Owner) {
    let pid = process.pid();
    let block = process.into_block();
    // SAFETY: the block is initialised, and retired when the process has ended. A thread that finds it may borrow it,
    // so that this one has the entry for the queue only.
    let runnable = unsafe {
        table::publish(block, pid);
        Runnable::new(block)
    };
    if let Some(scheduler) = current::current() {
        scheduler.count_spawn();
    } else {
        block::count(1);
    }
    if observer::is_profiled() {
        let (pid, ip) = runnable.place();
        observer().process_is(pid, ip, am::ACTIVE);
    }
    current::enqueue_woken(runnable);
}

/// The call that a process begins with.
#[derive(Clone, Copy)]
struct FirstCall {
    module: Term,
    function: Term,
    arguments: Term,
    arity: u32,
}

/// A process spawns at most so many others in a slice while the node is short of memory. Each of them may take some
/// when it runs first: of thousands that wait for that nobody would know how much before the node is full, and whoever
/// waits for a turn behind them would be silent for long.
const SPAWNS_PER_SLICE_WHEN_SHORT: i64 = 16;

/// Whether a process is made also when the node is near the end of its memory: because a process asks for it that the
/// node cannot do without, or because of its priority. It may be what helps.
#[cold]
fn is_urgent(parent: Option<&Process>, options: &SpawnOptions) -> bool {
    options
        .priority
        .is_some_and(|wanted| wanted < Priority::Normal)
        || parent.is_some_and(|parent| Vital::now().has(&holdings::standing(parent)))
}

/// Creates a fully initialised process that is neither published nor queued.
fn make(
    parent: Option<&Process>,
    call: FirstCall,
    options: &SpawnOptions,
) -> Result<Owner, SpawnError> {
    if budget::is_high() && !is_urgent(parent, options) {
        return Err(SpawnError::Limit);
    }
    let pid = table::reserve().ok_or(SpawnError::Limit)?;
    let Some(block) = block::take() else {
        table::unreserve(pid);
        return Err(SpawnError::Limit);
    };
    // SAFETY: the block is unused, and nobody else knows of it.
    let process = unsafe {
        write_control_block(block.as_ptr(), pid, parent, call, options);
        &mut *block.as_ptr()
    };
    if !term::gc::begin(&mut process.head.heap) {
        // SAFETY: the process was made above and never published.
        unsafe { discard(block, pid) };
        return Err(SpawnError::Limit);
    }
    message_queue::link(&mut process.head.messages);
    keep_heap_options(process, &options.heap);
    if options.async_dist.is_some() {
        process.extras().async_dist = options.async_dist;
    }
    let group_leader = process.group_leader;
    if !group_leader.is_immediate() && !group_leader.is_none() {
        process.group_leader = copy::copy(process.heap(), group_leader);
    }
    if prepare_first_call(process, call).is_err() {
        // SAFETY: the process was made above and never published.
        unsafe { discard(block, pid) };
        return Err(SpawnError::Limit);
    }
    // SAFETY: it is new, and nobody else knows of it.
    Ok(unsafe { Owner::new(block) })
}

/// Writes the control block of a new process. Always inlined, so that the block is written in place.
///
/// # Safety
/// `pointer` is an unused block.
#[inline(always)]
unsafe fn write_control_block(
    pointer: *mut Process,
    pid: Term,
    parent: Option<&Process>,
    call: FirstCall,
    options: &SpawnOptions,
) {
    let process = Process {
        head: ProcessHead {
            heap: first_heap(options),
            ip: ptr::null(),
            messages: message_queue::UNLINKED,
            id: pid,
            saved_x: 0,
            is_counting: false,
            receive_state: receive_state::NO_TIMER,
            catches: 0,
        },
        flags: first_flags(options),
        suspend_count: 0,
        rested_in: 0,
        reductions: 0,
        // The parent's own term, until `make` has copied it.
        group_leader: parent.map_or(Term::NONE, |parent| parent.group_leader),
        public_line: CacheLine,
        signals: SignalQueue::new(),
        state: crate::process::sync::AtomicU32::new(first_state(options)),
        initial_arity: call.arity,
        id: pid,
        parent: parent.map_or(Term::NONE, Process::pid),
        initial_call: (
            call.module.as_atom().unwrap_or(0),
            call.function.as_atom().unwrap_or(0),
        ),
        cold: None,
        relations: Relations::new(),
        dictionary: Dictionary::new(),
        aliased: PhantomPinned,
    };
    // SAFETY: by the caller's promise nothing else is in the block.
    unsafe { pointer.write(process) };
}

fn first_flags(options: &SpawnOptions) -> Flags {
    let mut flags = Flags::NONE;
    let off_heap = options
        .off_heap_messages
        .unwrap_or_else(|| DEFAULTS.off_heap_messages.load(Ordering::Relaxed) != 0);
    if off_heap {
        flags.insert(Flags::OFF_HEAP_MESSAGES);
    }
    if options.system {
        flags.insert(Flags::SYSTEM);
    }
    flags
}

fn first_state(options: &SpawnOptions) -> u32 {
    let priority = options.priority.unwrap_or(Priority::Normal);
    let system = if options.system { state::SYSTEM } else { 0 };
    let scheduler = u32::from(options.scheduler) << state::BOUND_SHIFT;
    state::QUEUED | (priority as u32) << state::PRIORITY_SHIFT | system | scheduler
}

/// Stores the heap options that differ from those of the node's start.
#[inline]
fn keep_heap_options(process: &mut Process, options: &HeapOptions) {
    if options.max_heap_words.is_some() || options.min_binary_words.is_some() {
        process.extras().heap_options = *options;
    }
    if DEFAULTS.max_heap_changed.load(Ordering::Acquire) {
        let limit = HeapLimit::default();
        let options = &mut process.extras().heap_options;
        options.max_heap_words.get_or_insert(limit.words);
        options.max_heap_kill.get_or_insert(limit.kill);
        options.max_heap_log.get_or_insert(limit.log);
        options.max_heap_binaries.get_or_insert(limit.binaries);
    }
}

/// Frees a process that was not published.
///
/// # Safety
/// `block` holds a process that only the caller knows.
#[cold]
unsafe fn discard(block: NonNull<Process>, pid: Term) {
    // SAFETY: the caller's promise; besides its heap the process owns only its control block.
    unsafe {
        term::gc::free(&mut (*block.as_ptr()).head.heap);
        ptr::drop_in_place(block.as_ptr());
        block::give_back(block);
    }
    table::unreserve(pid);
}

/// Stack words of a new process: a return address and three registers.
const FIRST_STACK_WORDS: usize = 4;

/// Sets up stack and registers so that the first slice calls the function. If the arguments do not fit in the first
/// heap, the heap moves to a block that is large enough.
fn prepare_first_call(process: &mut Process, call: FirstCall) -> Result<(), SpawnError> {
    let FirstCall {
        module,
        function,
        arguments,
        ..
    } = call;
    // `spawn(Fun)` arrives as `erlang:apply(Fun, [])`: the process calls the fun directly.
    let direct = module == am::ERLANG && function == am::APPLY;
    let fun_call = if direct {
        fun_and_arguments(arguments)
    } else {
        None
    };
    let heap = &mut process.head.heap;
    let (fun, arguments) = fun_call.unwrap_or((Term::NIL, arguments));
    let (fun_words, argument_words) = (copy::size(fun), copy::size(arguments));
    let words = fun_words + argument_words + FIRST_STACK_WORDS;
    let is_first_block_used = heap.top != heap.start;
    let fits = words <= term::heap::room_words(heap) && heap.flags & heap_flag::FORCE == 0;
    if !fits && !is_first_block_used && !term::gc::begin_in_block(heap, words) {
        return Err(SpawnError::Limit);
    }
    // SAFETY: the sizes were computed above.
    let (fun, arguments) = unsafe {
        (
            copy::copy_counted(heap, fun, fun_words),
            copy::copy_counted(heap, arguments, argument_words),
        )
    };
    let registers = match fun_call {
        Some(_) => [fun, arguments, Term::NIL],
        None => [module, function, arguments],
    };
    // SAFETY: there is room for the four words below the end of the heap. Arguments that would have left less either
    // made the heap start in a larger block, or went to a fragment, because `allocate` keeps the stack's reserve.
    unsafe {
        heap.stack = heap.stack.sub(1);
        heap.stack.write(engine::start::process_end() as u64);
        for register in registers.iter().rev() {
            heap.stack = heap.stack.sub(1);
            heap.stack.write(register.bits());
        }
    }
    process.head.saved_x = 3;
    process.head.ip = match fun_call {
        Some(_) if observer::may_tell_of_calls() => observer().observed_apply(),
        Some(_) => engine::start::apply_fun(),
        None => engine::start::apply(),
    };
    Ok(())
}

/// The fun and the argument list, if `list` holds the two arguments of `apply/2`.
fn fun_and_arguments(list: Term) -> Option<(Term, Term)> {
    let (fun, rest) = list.as_cons()?;
    let (arguments, end) = rest.as_cons()?;
    (end.is_nil() && fun.is_fun()).then_some((fun, arguments))
}

/// The heap of a new process, without a block.
fn first_heap(options: &SpawnOptions) -> Heap {
    let mut heap = term::heap::empty();
    let wanted = options
        .min_heap_words
        .unwrap_or_else(|| DEFAULTS.min_heap_words.load(Ordering::Relaxed));
    heap.min_words = wanted.max(FIRST_HEAP_WORDS as u32);
    if wanted as usize > FIRST_HEAP_WORDS {
        // The heap gets a block of the requested size when the arguments are copied, or else at the first safepoint.
        heap.flags |= heap_flag::FORCE;
    }
    heap.off_heap_limit_words = DEFAULTS
        .min_binary_words
        .load(Ordering::Relaxed)
        .min(u64::from(u32::MAX)) as u32;
    heap.fullsweep_after = options
        .fullsweep_after
        .unwrap_or_else(|| DEFAULTS.fullsweep_after.load(Ordering::Relaxed) as u16);
    heap
}
