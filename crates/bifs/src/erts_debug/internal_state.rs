//! `erts_debug:get_internal_state/1` and `set_internal_state/2`: what OTP's own test suites ask of the VM below
//! them, and what they make it do.
//!
//! There are three tables of names: states, states of something, and settings. A name that is in none raises `badarg`,
//! as on stock; so do those that stock has and this VM has nothing for (`reader_groups_map`).

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use layout::heap::flag as heap_flag;
use layout::kinds::{MagicReference, SharedBinary};
use layout::object::Header;
use layout::{ObjectKind, Term, no_gc};
use term::heap::{self, Allocate};
use term::off_heap::{BinaryBlock, MagicBlock};
use term::release::{self, Release};
use term::{am, atom, build, copy, hash, integer, reference};

use super::{node_references, relations};

use crate::erlang::unique;
use crate::{magic, node_table, persistent_term};
use distribution::monitor_nodes::{self, option};
use distribution::peers;
use ets::Pressure;
use runtime::code::bif::{BifResult, Failure, badarg, error};
use runtime::code::{self, debugger_lines, permission};
use runtime::effects::looking::{self, Seen};
use runtime::effects::{holdings, info, log, port, system_monitor};
use runtime::exec::scheduler::binding;
use runtime::mail::current::{charge, reductions_left};
use runtime::mail::schedulers::schedulers;
use runtime::mail::{loans, timer, world};
use runtime::process::{Process, epoch, state, table};

/// Whether a program has enabled the internal state. Until then the two BIFs raise `undef`.
static AVAILABLE: AtomicBool = AtomicBool::new(false);

type State = fn(&mut Process) -> BifResult;
type StateOf = fn(&mut Process, Term) -> BifResult;

/// `get_internal_state(Name)`
const STATES: &[(&str, State)] = &[
    ("available_internal_state", |_| Ok(am::TRUE)),
    ("reds_left", |process| {
        Ok(build::integer(process.heap(), reductions_left()))
    }),
    ("force_heap_frags", |_| Ok(am::FALSE)),
    ("scheduler_dump", |_| Ok(am::FALSE)),
    ("lc_graph", |_| Ok(am::NOTSUP)),
    ("flxctr_memory_usage", |_| Ok(am::NOTSUP)),
    ("memory", |process| {
        world::stopped(|| crate::erlang::memory_0(process, []))
    }),
    ("process_info_args", |process| {
        Ok(build::list(
            process.heap(),
            &[&info::COMMON[..], &info::OTHERS].concat(),
        ))
    }),
    ("processes", |process| {
        let (pids, _) = table::list(0, usize::MAX);
        Ok(build::list(process.heap(), &pids))
    }),
    ("processes_bif_info", processes_bif_info),
    ("persistent_term", persistent_term::table_info),
    ("nbalance", |process| {
        let all = schedulers().all.iter();
        let checks = all.map(|scheduler| scheduler.counts.balance_checks());
        Ok(build::unsigned(process.heap(), checks.sum()))
    }),
    ("kept", kept),
    ("next_pid", |process| {
        Ok(build::unsigned(process.heap(), table::cursor()))
    }),
    ("next_port", |process| {
        let next = port::next_number();
        Ok(build::unsigned(process.heap(), next))
    }),
    ("dist_ctrl", connections),
    ("node_and_dist_references", node_references::both),
    ("check_io_debug", |process| Ok(polled(process))),
    ("max_atom_out_cache_index", |_| {
        Ok(Term::small(atom::CACHE_PLACES as i64 - 1))
    }),
    ("monitoring_nodes", monitoring_nodes),
    ("unique_monotonic_integer_state", unique::monotonic_count),
    ("min_unique_monotonic_integer", |process| {
        Ok(build::integer(process.heap(), unique::MONOTONIC_MIN))
    }),
];

/// `get_internal_state({Name, Argument})`
const STATES_OF: &[(&str, StateOf)] = &[
    ("internal_hash", |process, term| {
        let hash = hash::internal_whole(term, 0);
        Ok(build::unsigned(process.heap(), hash))
    }),
    ("binary_info", binary_info),
    ("fake_scheduler_bindings", bindings_by),
    ("process_status", process_status),
    ("link_list", relations::links),
    ("monitor_list", relations::monitors),
    ("dist_ctrl", |_, node| Ok(controller(node))),
    ("connection_id", connection_number),
    ("magic_ref", magic_info),
    ("atom", atom_of_number),
    ("atom_out_cache_index", |_, atom| match atom.is_atom() {
        true => Ok(Term::small(atom::cache_place(atom) as i64)),
        false => Err(badarg(1)),
    }),
];

/// `set_internal_state(Name, Argument)`
const SETTINGS: &[(&str, StateOf)] = &[
    ("reds_left", set_reductions_left),
    ("sleep", |_, ms| sleep(ms)),
    ("block_scheduler", |_, ms| sleep(ms)),
    ("code_write_permission", keep_permission),
    ("code_mod_permission", keep_permission),
    ("block", |_, ms| world::stopped(|| sleep(ms))),
    ("look_at_processes", look_at_processes),
    ("force_gc", force_collection),
    ("test_long_gc_sleep", |_, ms| {
        let delay_ms = integer::uint64(ms).ok_or(badarg(2))?;
        system_monitor::delay_collections(delay_ms);
        Ok(am::TRUE)
    }),
    ("fill_heap", fill_heap),
    ("mbuf", copy_beside_heap),
    ("wait", wait),
    ("make", make),
    ("binary", zeroed_binary),
    ("binary_loop_limit", |process, limit| {
        BINARY_LOOP.set(process, limit)
    }),
    ("unicode_loop_limit", |process, limit| {
        UNICODE_LOOP.set(process, limit)
    }),
    ("re_loop_limit", |process, limit| {
        RE_LOOP.set(process, limit)
    }),
    ("debugger_support", |_, is_supported| {
        let before = debugger_lines::is_supported();
        debugger_lines::set_supported(is_supported == am::TRUE);
        Ok(am::boolean(before))
    }),
    ("unique_monotonic_integer_state", |_, value| {
        unique::set_monotonic_count(value)
    }),
    ("next_pid", set_next_pid),
    ("next_port", |_, next| {
        port::set_next_number(integer::uint64(next).ok_or(badarg(2))?);
        Ok(next)
    }),
    ("node_tab_delayed_delete", set_forgetting),
    ("colliding_names", similar_names),
    ("ets_force_split", |process, request| {
        put_under_pressure(process, request, Pressure::Split)
    }),
    ("ets_debug_random_split_join", |process, request| {
        put_under_pressure(process, request, Pressure::Random)
    }),
    ("ets_force_trap", |_, _| Ok(am::NOTSUP)),
    // Every signal queue takes signals from many senders at a time.
    ("proc_sig_buffers", |_, _| Ok(am::TRUE)),
    ("jit_asm_dump", |_, _| Ok(am::NOTSUP)),
    ("abort", |_, why| {
        panic!(
            "erts_debug:set_internal_state(abort, {})",
            term::print::display(why)
        )
    }),
];

/// `[{Node, Controller}]`, whether nodes see the connection or not.
fn connections(process: &mut Process) -> BifResult {
    let heap = process.heap();
    let pairs: Vec<Term> = peers::connected()
        .map(|channel| build::tuple(heap, &[channel.node, controller(channel.node)]))
        .collect();
    Ok(build::list(heap, &pairs))
}

/// The port or process that carries the connection to a node.
fn controller(node: Term) -> Term {
    let channel = peers::channel(node);
    let controller = channel.and_then(|channel| channel.controller());
    controller.unwrap_or(am::UNDEFINED)
}

/// The processors that schedulers would get by a bind type, if there were a scheduler for each and all could be used;
/// `false` if they would get none.
fn bindings_by(process: &mut Process, bind_type: Term) -> BifResult {
    let name = bind_type.as_atom().map(|_| atom::text(bind_type));
    let position = name.and_then(binding::named).ok_or(badarg(1))?;
    let Some(processors) = binding::sequence(position) else {
        return Ok(am::FALSE);
    };
    let numbers: Vec<Term> = processors
        .into_iter()
        .map(|number| Term::small(number as i64))
        .collect();
    Ok(build::tuple(process.heap(), &numbers))
}

fn connection_number(process: &mut Process, node: Term) -> BifResult {
    let channel = node.as_atom().and_then(|_| peers::channel(node));
    let channel = channel.ok_or(badarg(1))?;
    Ok(build::unsigned(process.heap(), u64::from(channel.id)))
}

/// `{Lost, Watched, ByPorts, ByLibraries}`: descriptors that were closed while they were watched, and those that are
/// watched.
fn polled(process: &mut Process) -> Term {
    let (watched, _) = runtime::mail::io::watched();
    let by_libraries = native::selected_descriptors();
    let by_ports = watched.saturating_sub(by_libraries);
    let counts = [runtime::mail::io::lost(), watched, by_ports, by_libraries];
    build::tuple(
        process.heap(),
        &counts.map(|count| Term::small(count as i64)),
    )
}

/// `[{Pid, Options}]`: the processes that are told of nodes, once for each time that they subscribed, the last one
/// first.
fn monitoring_nodes(process: &mut Process) -> BifResult {
    let heap = process.heap();
    let all = monitor_nodes::all();
    let living = all.iter().rev().filter(|(pid, _)| table::exists(*pid));
    let pairs: Vec<Term> = living
        .map(|&(pid, options)| {
            let mut list = Term::NIL;
            let has = |bit| options & bit != 0;
            let kind = match (has(option::VISIBLE), has(option::HIDDEN)) {
                (true, true) => Some(am::ALL),
                (true, false) => Some(am::VISIBLE),
                (false, true) => Some(am::HIDDEN),
                (false, false) => None,
            };
            if let Some(kind) = kind {
                let pair = build::tuple(heap, &[am::NODE_TYPE, kind]);
                list = build::cons(heap, pair, list);
            }
            if has(option::REASON) {
                list = build::cons(heap, am::NODEDOWN_REASON, list);
            }
            build::tuple(heap, &[pid, list])
        })
        .collect();
    Ok(build::list(heap, &pairs))
}

/// How `processes/0` goes about it, as the record `ptab_list_bif_info`: it looks through the whole table at once,
/// whatever the reductions.
fn processes_bif_info(process: &mut Process) -> BifResult {
    let places = build::unsigned(process.heap(), table::limit() as u64);
    let (chunks, none) = (Term::small(1), Term::small(0));
    let fields = [
        atom::known("ptab_list_bif_info"),
        none,
        chunks,
        places,
        places,
        none,
        none,
        none,
        places,
        none,
    ];
    Ok(build::tuple(process.heap(), &fields))
}

fn find<T: Copy>(rows: &[(&str, T)], name: Term) -> Option<T> {
    let text = name.as_atom().map(|_| atom::text(name))?;
    let row = rows.iter().find(|(known, _)| *known == text);
    row.map(|(_, body)| *body)
}

fn require_available() -> Result<(), Failure> {
    match AVAILABLE.load(Ordering::Relaxed) {
        true => Ok(()),
        false => Err(error(am::UNDEF)),
    }
}

/// `erts_debug:get_internal_state(What)`
pub(crate) fn get_internal_state_1(process: &mut Process, [what]: [Term; 1]) -> BifResult {
    require_available()?;
    if let Some(state) = find(STATES, what) {
        return state(process);
    }
    match what.as_tuple(no_gc!()) {
        Some(&[name, argument]) => {
            let state = find(STATES_OF, name).ok_or(badarg(1))?;
            state(process, argument)
        }
        Some(&[name, corrected, warp]) if super::is_named(name, "check_time_config") => {
            time_config(corrected, warp)
        }
        _ => Err(badarg(1)),
    }
}

/// `erts_debug:set_internal_state(What, Value)`
pub(crate) fn set_internal_state_2(process: &mut Process, [what, value]: [Term; 2]) -> BifResult {
    if super::is_named(what, "available_internal_state") && matches!(value, am::TRUE | am::FALSE) {
        let enabled = value == am::TRUE;
        if enabled {
            log::internal_state_enabled(process);
        }
        return Ok(am::boolean(AVAILABLE.swap(enabled, Ordering::Relaxed)));
    }
    require_available()?;
    if [am::CODE_WRITE_PERMISSION, am::CODE_MOD_PERMISSION].contains(&what)
        && what != permission_name()
    {
        return Err(badarg(1));
    }
    let setting = find(SETTINGS, what).ok_or(badarg(1))?;
    setting(process, value)
}

/// What the VM keeps beside what other BIFs count, for runs that look for growth: `[{Kind, Count}]`. Stock has no
/// such state. A table whose lock is not acquired in time is left out.
fn kept(process: &mut Process) -> BifResult {
    const PATIENCE: Duration = Duration::from_secs(1);
    let mut funs = 0;
    code::funs::each_within(PATIENCE, |_| funs += 1);
    let mut timers = 0;
    timer::messages_within(PATIENCE, &mut |_, _, _| timers += 1);
    let counts = [
        (
            "exports",
            code::exports::count_within(PATIENCE).unwrap_or(0),
        ),
        ("funs", funs),
        ("literal_bytes", code::literals::bytes()),
        ("timers", timers),
    ];
    let heap = process.heap();
    let pairs: Vec<Term> = counts
        .iter()
        .map(|&(kind, count)| build::tuple(heap, &[atom::known(kind), Term::small(count as i64)]))
        .collect();
    Ok(build::list(heap, &pairs))
}

/// All combinations of time correction and warp mode work on Linux.
fn time_config(corrected: Term, warp: Term) -> BifResult {
    let is_mode = ["no_time_warp", "single_time_warp", "multi_time_warp"]
        .iter()
        .any(|mode| super::is_named(warp, mode));
    match matches!(corrected, am::TRUE | am::FALSE) && is_mode {
        true => Ok(am::TRUE),
        false => Err(badarg(1)),
    }
}

/// `heap_binary`, or `{refc_binary, Size, {binary, Capacity}, Flags}` of the whole that a bit string is part of.
fn binary_info(process: &mut Process, string: Term) -> BifResult {
    if !string.is_bitstring() {
        return Err(badarg(1));
    }
    let (whole, _) = build::whole_of(string);
    let Some(whole) = SharedBinary::of(whole) else {
        return Ok(atom::known("heap_binary"));
    };
    let block = whole.block().cast::<BinaryBlock>();
    // SAFETY: a shared binary holds a count of its block, and lives until the BIF returns.
    let capacity = unsafe { (*block).capacity };
    let heap = process.heap();
    let capacity = build::unsigned(heap, capacity as u64);
    let block = build::tuple(heap, &[atom::known("binary"), capacity]);
    let size = build::unsigned(heap, whole.size());
    let flags = Term::small(whole.flags() as i64);
    let info = [atom::known("refc_binary"), size, block, flags];
    Ok(build::tuple(heap, &info))
}

/// The status of a process at this moment, as its state word shows it: no signal is sent.
fn process_status(_process: &mut Process, pid: Term) -> BifResult {
    if !pid.is_local_pid() {
        return Err(badarg(1));
    }
    let Some(word) = table::state_of(pid) else {
        return Ok(am::UNDEFINED);
    };
    Ok(if word & state::EXITING != 0 {
        am::EXITING
    } else if word & state::RUNNING != 0 {
        am::RUNNING
    } else if word & state::QUEUED != 0 {
        am::RUNNABLE
    } else {
        am::WAITING
    })
}

/// `{Address, Count, IsTestObject}` of the object behind a reference; otherwise whether there ever was one.
fn magic_info(process: &mut Process, magic: Term) -> BifResult {
    let Some(reference) = MagicReference::of(magic) else {
        let number = reference::number(magic);
        let was_magic = matches!(number, Some((_, reference::OBJECT)));
        return Ok(am::boolean(was_magic));
    };
    let block = reference.block().cast::<MagicBlock>();
    // SAFETY: the reference holds a count of its block, and lives until the BIF returns.
    let count = unsafe { (*block).references() };
    let heap = process.heap();
    let address = build::unsigned(heap, block as u64);
    let is_test_object = am::boolean(magic::get::<TestObject>(magic, no_gc!()).is_some());
    let info = [address, Term::small(i64::from(count)), is_test_object];
    Ok(build::tuple(heap, &info))
}

/// Atoms that one call of `{atom, Number}` makes at most.
const MOST_NEW_ATOMS: u64 = 1 << 20;

/// The atom with a number; atoms are made until there is one.
fn atom_of_number(_process: &mut Process, number: Term) -> BifResult {
    let number = integer::uint64(number).ok_or(badarg(1))?;
    if number >= atom::count() as u64 + MOST_NEW_ATOMS || number >= atom::limit() as u64 {
        return Err(badarg(1));
    }
    while number >= atom::count() as u64 {
        atom::intern_str(&format!("am{:x}", atom::count())).map_err(|_| badarg(1))?;
    }
    Ok(Term::atom(number as u32))
}

fn set_reductions_left(_process: &mut Process, wanted: Term) -> BifResult {
    let wanted = integer::int64(wanted).ok_or(badarg(2))?;
    if (0..=layout::limits::REDUCTIONS_PER_SLICE).contains(&wanted) {
        charge(reductions_left() - wanted);
    }
    Ok(am::TRUE)
}

/// What the permission to change code is called.
fn permission_name() -> Term {
    match release::has(Release::OTP_26) {
        true => am::CODE_MOD_PERMISSION,
        false => am::CODE_WRITE_PERMISSION,
    }
}

/// Takes the permission to change code for as long as the caller likes, or gives it back. Nothing gives it back if the
/// caller exits.
fn keep_permission(_process: &mut Process, wanted: Term) -> BifResult {
    match wanted {
        am::TRUE if permission::try_keep() => Ok(am::TRUE),
        am::TRUE => Err(Failure::Yield {
            arguments: [permission_name(), am::TRUE].into(),
        }),
        am::FALSE => {
            permission::give_back();
            Ok(am::TRUE)
        }
        _ => Err(badarg(2)),
    }
}

/// Holds the scheduler for that many milliseconds.
fn sleep(ms: Term) -> BifResult {
    let ms = integer::int64(ms).ok_or(badarg(2))?;
    std::thread::sleep(Duration::from_millis(ms.max(0).unsigned_abs()));
    Ok(am::TRUE)
}

/// Has a thread of its own look at all processes again and again for so many milliseconds, as the window into the node
/// does.
fn look_at_processes(_process: &mut Process, ms: Term) -> BifResult {
    const STACK_BYTES: usize = 1 << 20;
    const PATIENCE: Duration = Duration::from_millis(1);
    let ms = integer::uint64(ms).ok_or(badarg(2))?;
    let until = Instant::now() + Duration::from_millis(ms);
    let facts = |process: &Process| {
        let asker = info::Asker::Another { saw_it_run: false };
        let call = info::current_call(process, asker);
        (
            info::memory_bytes(process),
            holdings::messages(process),
            call,
        )
    };
    let look = move || {
        while Instant::now() < until {
            let mut in_hands = Vec::new();
            let looked = looking::at_all(|seen| match seen {
                Seen::Still(process) => _ = std::hint::black_box(facts(process)),
                Seen::InHands { pid, .. } => in_hands.push(pid),
            });
            looking::ask(&in_hands, PATIENCE, move |process| facts(process).0);
            if looked.is_err() {
                break;
            }
        }
    };
    match sys::thread::spawn("looker", STACK_BYTES, look) {
        Ok(_) => Ok(am::TRUE),
        Err(_) => Err(error(am::SYSTEM_LIMIT)),
    }
}

/// The next pid is that of `next_pid` when it had this value, if that is free. Returns the value.
fn set_next_pid(_process: &mut Process, next: Term) -> BifResult {
    table::set_cursor(integer::uint64(next).ok_or(badarg(2))?);
    Ok(next)
}

/// The seconds after which an unused node is forgotten; with a negative number it is what the command line says.
fn set_forgetting(_process: &mut Process, seconds: Term) -> BifResult {
    let seconds = integer::int64(seconds).ok_or(badarg(2))?;
    node_table::set_delay(match seconds {
        ..0 => None,
        _ => Some(u32::try_from(seconds).map_err(|_| badarg(2))?),
    });
    Ok(am::OK)
}

/// The most names that `colliding_names` makes.
const MOST_NAMES: u64 = 1000;

/// `{Name, Count}`: names for tables that lie beside each other. No two names share a slot here.
fn similar_names(process: &mut Process, request: Term) -> BifResult {
    let Some([name, count]) = request.as_tuple_of() else {
        return Err(badarg(2));
    };
    let count = integer::uint64(count).filter(|count| *count <= MOST_NAMES);
    let (true, Some(count)) = (name.is_atom(), count) else {
        return Err(badarg(2));
    };
    let name = atom::text(name);
    let names = (0..count).map(|number| atom::intern_str(&format!("{name}_{number}")));
    let names = names.collect::<Result<Vec<Term>, _>>();
    let names = names.map_err(|_| badarg(2))?;
    Ok(build::list(process.heap(), &names))
}

/// `{Table, Enable}`: splits and merges ranges of an ordered set with write concurrency, whether or not anybody
/// contends for them.
fn put_under_pressure(process: &mut Process, request: Term, pressure: Pressure) -> BifResult {
    let Some([table, enable]) = request.as_tuple_of() else {
        return Err(badarg(2));
    };
    let (found, _) = crate::ets::table(process, table)?;
    let ranges = found.ranges().ok_or(badarg(2))?;
    ranges.set_pressure(match enable {
        am::TRUE => pressure,
        _ => Pressure::None,
    });
    Ok(am::OK)
}

/// The caller is collected as soon as it has the result.
fn force_collection(process: &mut Process, pid: Term) -> BifResult {
    if pid != process.pid() && !table::exists(pid) {
        return Ok(am::FALSE);
    }
    process.heap().flags |= heap_flag::FORCE;
    Ok(am::TRUE)
}

/// Uses up the room on the heap; with `true` the next collection is a major one.
fn fill_heap(process: &mut Process, major: Term) -> BifResult {
    let heap = process.heap();
    let words = heap::room_words(heap);
    if words > 1 {
        let object = heap.allocate(words);
        // SAFETY: fresh words; nothing refers to this integer, whose digits no collection reads.
        unsafe {
            object.write(Header::new(ObjectKind::PositiveBig, words - 1).0);
            object.add(1).write_bytes(0xff, words - 1);
        }
    }
    if major == am::TRUE {
        heap.flags |= heap_flag::NEED_FULLSWEEP;
    }
    Ok(am::OK)
}

/// A copy of a term in a heap fragment.
fn copy_beside_heap(process: &mut Process, term: Term) -> BifResult {
    let fragment = copy::to_fragment(term);
    // SAFETY: a fresh fragment, in no list; from here on it is part of the heap.
    unsafe {
        let copied = (*fragment).term;
        heap::adopt(process.heap(), fragment);
        Ok(copied)
    }
}

/// `deallocations`, `thread_progress`, `aux_work`, `timer_cancellations`: waits until every scheduler has begun another
/// slice. By then what was retired before is free, and no request to another scheduler is pending. Tables that are
/// freed on a thread of their own are free, too, and nothing is done any more for processes that have ended.
fn wait(process: &mut Process, what: Term) -> BifResult {
    const KINDS: [&str; 4] = [
        "deallocations",
        "thread_progress",
        "aux_work",
        "timer_cancellations",
    ];
    let stamp = match magic::resume::<Stamp>(what) {
        Some(stamp) => stamp,
        None if KINDS.iter().any(|kind| super::is_named(what, kind)) => {
            Stamp(epoch::retire_stamp())
        }
        None => return Err(badarg(2)),
    };
    epoch::drop_passed(usize::MAX);
    if epoch::passed(stamp.0) && ets::reaper::is_idle() && !loans::is_any_departed() {
        return Ok(am::OK);
    }
    charge(reductions_left().max(0));
    Err(Failure::Yield {
        arguments: Box::new([atom::known("wait"), magic::pause(process, stamp)]),
    })
}

/// What `wait` waits for, between two slices.
struct Stamp(u64);

/// The object behind a reference that `make` returned.
struct TestObject;

/// `magic_ref`: `{Reference, Address}` of a fresh object.
fn make(process: &mut Process, what: Term) -> BifResult {
    if !super::is_named(what, "magic_ref") {
        return Err(badarg(2));
    }
    let reference = magic::make(process, TestObject);
    let address = MagicReference::expect(reference).block() as u64;
    let heap = process.heap();
    let address = build::unsigned(heap, address);
    Ok(build::tuple(heap, &[reference, address]))
}

/// A binary of zeros, kept off the heap whatever its size; `false` if there is not enough memory.
fn zeroed_binary(process: &mut Process, size: Term) -> BifResult {
    let size = integer::uint64(size).ok_or(badarg(2))? as usize;
    let Some(block) = BinaryBlock::try_new(size) else {
        return Ok(am::FALSE);
    };
    // SAFETY: the block has `size` bytes, and its only count goes to the binary.
    unsafe {
        BinaryBlock::bytes(block).write_bytes(0, size);
        Ok(build::shared_binary(process.heap(), block, size, 0))
    }
}

/// The most work that a BIF does before it yields, whatever is left of its slice: suites set it to have short inputs
/// interrupted often.
pub(crate) struct LoopLimit(AtomicU64);

pub(crate) static BINARY_LOOP: LoopLimit = LoopLimit::none();
pub(crate) static UNICODE_LOOP: LoopLimit = LoopLimit::none();
/// Regular expressions run on dirty schedulers when they take long, so nothing looks at this limit.
pub(super) static RE_LOOP: LoopLimit = LoopLimit::none();

impl LoopLimit {
    const fn none() -> LoopLimit {
        LoopLimit(AtomicU64::new(u64::MAX))
    }

    /// `budget`, or the limit where that is less.
    pub(crate) fn bound(&self, budget: usize) -> usize {
        budget.min(self.0.load(Ordering::Relaxed) as usize)
    }

    /// Sets the limit (`default`: none) and returns the one before.
    fn set(&self, process: &mut Process, limit: Term) -> BifResult {
        let limit = match super::is_named(limit, "default") {
            true => u64::MAX,
            false => integer::uint64(limit).ok_or(badarg(2))?.max(1),
        };
        let before = self.0.swap(limit, Ordering::Relaxed);
        let shown = before.min(layout::limits::SMALL_MAX as u64);
        Ok(build::unsigned(process.heap(), shown))
    }
}
