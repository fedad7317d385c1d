//! `system_info/1`: information about the node.

use std::sync::atomic::Ordering;

use layout::{Heap, Term, no_gc};
use term::gc::block;
use term::release::{self, Release};
use term::{am, atom, build, map};

use super::allocators::{self, Detail};
use super::system_flags::{multi_scheduling_state, outstanding_requests_limit};
use super::{resident, topology};
use runtime::code::bif::{BifResult, badarg, trap};
use runtime::exec::scheduler::online::{self, Blocked, SchedulerKind};
use runtime::exec::scheduler::{self};
use runtime::mail::{current, hooks, io, schedulers, time};
use runtime::process::heap_limit::{DEFAULTS, HeapLimit};
use runtime::process::{Process, config, table};

/// `erlang:system_info(Item)`
pub(crate) fn system_info_1(process: &mut Process, [item]: [Term; 1]) -> BifResult {
    if item == am::CPU_TOPOLOGY {
        let records = topology::used(process.heap());
        return Err(trap(am::ERLANG, am::FORMAT_CPU_TOPOLOGY, &[records]));
    }
    if item.is_atom() {
        let name = atom::text(item);
        return limits(name)
            .or_else(|| numbers(process.heap(), name))
            .or_else(|| words(name))
            .or_else(|| texts(process.heap(), name))
            .or_else(|| structures(process, name))
            .ok_or(badarg(1));
    }
    match item.as_tuple(no_gc!()) {
        Some(&[am::WORDSIZE, which])
            if which == atom::known("internal") || which == am::EXTERNAL =>
        {
            Ok(Term::small(8))
        }
        Some(&[name, which]) if name == am::CPU_TOPOLOGY => {
            let heap = process.heap();
            let records = if which == am::DETECTED {
                topology::detected(heap)
            } else if which == am::USED {
                topology::used(heap)
            } else if which == atom::known("defined") {
                topology::defined(heap)
            } else {
                return Err(badarg(1));
            };
            Err(trap(am::ERLANG, am::FORMAT_CPU_TOPOLOGY, &[records]))
        }
        Some(&[name, which]) if name == atom::known("ferl") && which.is_atom() => {
            of_ferl(process, atom::text(which)).ok_or(badarg(1))
        }
        Some(&[am::ALLOCATOR, which]) => Err(trap(am::ERLANG, am::ALLOC_INFO, &[which])),
        Some(&[am::ALLOCATOR_SIZES, which]) => Err(trap(am::ERLANG, am::ALLOC_SIZES, &[which])),
        Some(
            &[
                what @ (am::ALLOCATOR | am::ALLOCATOR_SIZES | am::MEMORY_INTERNAL),
                reference,
                names,
            ],
        ) if reference.is_reference() => {
            allocators::tell(process, Detail::of(what), reference, names)
        }
        _ => Err(badarg(1)),
    }
}

/// Items of ferl's own: `{ferl, Item}`.
fn of_ferl(process: &mut Process, item: &str) -> Option<Term> {
    Some(match item {
        "memory_guard" => guard::info(process.heap()),
        "resident" => resident::info(process.heap()),
        "figures" => window::figures::info(process.heap()),
        "dashboard" => super::window::where_it_is(process),
        _ => return None,
    })
}

fn count(value: usize) -> Term {
    Term::small(value as i64)
}

fn limits(name: &str) -> Option<Term> {
    let config = config::get();
    Some(match name {
        "process_count" => count(table::count()),
        "async_dist" => am::boolean(config.flags.async_dist),
        "halt_flush_timeout" if term::release::has(Release::OTP_27) => {
            let limit = config.flags.halt_flush_timeout_ms;
            limit.map_or(am::INFINITY, |limit| count(limit as usize))
        }
        "process_limit" => count(table::limit()),
        "port_count" => count(runtime::effects::port::count()),
        "port_limit" => count(runtime::effects::port::limit()),
        "atom_count" => count(atom::count()),
        "atom_limit" => count(atom::limit()),
        "ets_count" => count(ets::count()),
        "ets_limit" => count(config.flags.ets_limit),
        // Every scheduler has its own run queue.
        "schedulers" | "schedulers_total" | "run_queues" => count(config.schedulers),
        "schedulers_active" => count(schedulers::schedulers().online.load(Ordering::Relaxed)),
        "schedulers_online" => count(online::online()),
        "scheduler_id" => count(current::current_number()),
        "dirty_cpu_schedulers" => count(config.dirty_cpu_schedulers),
        "dirty_cpu_schedulers_online" => count(runtime::mail::dirty::cpu_online()),
        "dirty_io_schedulers" => count(config.flags.dirty_io_schedulers),
        "thread_pool_size" => count(config.flags.async_threads),
        "context_reductions" => Term::small(layout::limits::REDUCTIONS_PER_SLICE),
        // One for each thread that can wait: the schedulers.
        "ethread_used_tse" => count(
            config.schedulers + config.dirty_cpu_schedulers + config.flags.dirty_io_schedulers,
        ),
        "dist_buf_busy_limit" => count(config.flags.dist_busy_limit_kilobytes * 1024),
        "outstanding_system_requests_limit" => count(outstanding_requests_limit()),
        "logical_processors" => count(sys::cpu::known().processors.configured),
        "logical_processors_online" => count(sys::cpu::known().processors.online),
        "logical_processors_available" => count(sys::cpu::known().processors.available),
        "cpu_quota" => match sys::cpu::known().processors.quota {
            Some(quota) => count(quota),
            None => am::UNKNOWN,
        },
        _ => return None,
    })
}

/// `embedded_3pps`: the products of others that could be the system's and are part of the machine instead.
fn embedded_products(heap: &mut Heap) -> Term {
    let names = ["mimalloc", "pcre2", "zlib", "zmij", "zstd"].map(atom::known);
    let included = build::list(heap, &names);
    let pairs = [
        (atom::known("included"), included),
        (atom::known("excluded"), Term::NIL),
    ];
    map::from_pairs(heap, &pairs)
}

/// `dist_ctrl`: each connected node with the port or process that carries the connection.
fn controllers(heap: &mut Heap) -> Term {
    let pairs: Vec<Term> = distribution::peers::connected()
        .filter_map(|channel| {
            let controller = channel.controller()?;
            Some(build::tuple(heap, &[channel.node, controller]))
        })
        .collect();
    build::list(heap, &pairs)
}

fn numbers(heap: &mut Heap, name: &str) -> Option<Term> {
    let native = |heap: &mut Heap, ns: i64| build::integer(heap, ns);
    Some(match name {
        "wordsize" => Term::small(8),
        "dist_ctrl" => controllers(heap),
        "creation" => Term::small(i64::from(term::node::own_creation())),
        "compat_rel" => Term::small(i64::from(config::get().release.number())),
        "trace_control_word" => Term::small(i64::from(
            trace::specification::CONTROL_WORD.load(Ordering::Relaxed),
        )),
        "delayed_node_table_gc" => match config::get().flags.node_table_gc_delay_s {
            Some(seconds) => Term::small(i64::from(seconds)),
            None => am::INFINITY,
        },
        "start_time" => native(heap, time::start_ns()),
        "end_time" => native(heap, i64::MAX - (1 << 40)),
        "fullsweep_after" => {
            let value = DEFAULTS.fullsweep_after.load(Ordering::Relaxed);
            build::tuple(heap, &[am::FULLSWEEP_AFTER, Term::small(i64::from(value))])
        }
        "min_heap_size" => {
            let value = DEFAULTS.min_heap_words.load(Ordering::Relaxed);
            build::tuple(heap, &[am::MIN_HEAP_SIZE, Term::small(i64::from(value))])
        }
        "min_bin_vheap_size" => {
            let value = DEFAULTS.min_binary_words.load(Ordering::Relaxed);
            build::tuple(heap, &[am::MIN_BIN_VHEAP_SIZE, Term::small(value as i64)])
        }
        _ => return None,
    })
}

fn words(name: &str) -> Option<Term> {
    let config = config::get();
    let word = |text: &str| Some(atom::known(text));
    match name {
        "smp_support"
        | "threads"
        | "kernel_poll"
        | "eager_check_io"
        | "thread_progress"
        | "port_tasks"
        // Each instruction begins with the address of its code.
        | "beam_jump_table"
        | "constant_pool_support" => Some(am::TRUE),
        "endian" => word(if cfg!(target_endian = "little") {
            "little"
        } else {
            "big"
        }),
        "time_correction" => Some(am::boolean(config.flags.time_correction)),
        "dynamic_trace_probes"
        | "debug_compiled"
        | "lock_checking"
        | "lock_counting"
        | "break_ignored"
        | "ets_realloc_moves"
        | "ets_always_compress"
        | "io_thread" => Some(am::FALSE),
        "time_offset" => word(time::offset_state().name()),
        "time_warp_mode" => word(config.flags.time_warp_mode),
        "tolerant_timeofday" => {
            let is_tolerant =
                config.flags.time_correction && config.flags.time_warp_mode == "no_time_warp";
            word(if is_tolerant { "enabled" } else { "disabled" })
        }
        "multi_scheduling" => Some(multi_scheduling_state()),
        "update_cpu_info" => word(match scheduler::binding::read_again() {
            true => "changed",
            false => "unchanged",
        }),
        "port_parallelism" => Some(am::boolean(config.flags.port_parallelism)),
        "scheduler_bind_type" => word(scheduler::binding::current()),
        "build_type" | "emu_type" => word("opt"),
        "emu_flavor" => word(if engine::native::is_enabled() {
            "jit"
        } else {
            "emu"
        }),
        "dynamic_trace" => word("none"),
        "heap_type" => word("private"),
        "message_queue_data" => word(if DEFAULTS.off_heap_messages.load(Ordering::Relaxed) != 0 {
            "off_heap"
        } else {
            "on_heap"
        }),
        "modified_timing_level" | "hipe_architecture" => Some(am::UNDEFINED),
        "system_logger" => Some(runtime::effects::log::receiver().term()),
        _ => None,
    }
}

fn texts(heap: &mut Heap, name: &str) -> Option<Term> {
    let config = config::get();
    let text = match name {
        "otp_release" => config.release.to_string(),
        "version" => config.erts_version.clone(),
        "machine" => "BEAM".to_owned(),
        "nif_version" => format!("2.{}", config.release.nif_minor()),
        "driver_version" => "3.3".to_owned(),
        "system_architecture" => format!("{}-pc-linux-gnu", std::env::consts::ARCH),
        "system_version" => system_version(),
        "info" | "procs" | "loaded" | "dist" => {
            let text = (hooks::get().dump_section)(name)?;
            return Some(build::binary(heap, &text));
        }
        _ => return None,
    };
    Some(build::string(heap, &text))
}

/// The line that the shell shows first, in stock's form, with ferl's version added in brackets.
#[must_use]
pub fn system_version() -> String {
    let config = config::get();
    format!(
        "Erlang/OTP {} [erts-{}] [ferl-{}] [64-bit] [smp:{}:{}] [ds:{}:{}:{}] [async-threads:{}]\n",
        config.release,
        config.erts_version,
        env!("CARGO_PKG_VERSION"),
        config.schedulers,
        online::online(),
        config.dirty_cpu_schedulers,
        runtime::mail::dirty::cpu_online(),
        config.flags.dirty_io_schedulers,
        config.flags.async_threads,
    )
}

fn structures(process: &mut Process, name: &str) -> Option<Term> {
    let heap = process.heap();
    Some(match name {
        "taints" => build::list(heap, &native::taints()),
        "sequential_tracer" => {
            let tracer = super::sequences::system_tracer(heap);
            build::tuple(heap, &[atom::known(name), tracer])
        }
        // Of C compilers and `config.h`, of which there are none here. `system_information` asks for it.
        "compile_info" => {
            let parts = ["ldflags", "cflags", "config_h"];
            let parts = parts.map(|part| build::tuple(heap, &[atom::known(part), Term::NIL]));
            build::list(heap, &parts)
        }
        "os_type" => build::tuple(heap, &[atom::known("unix"), atom::known("linux")]),
        "os_version" => {
            let (major, minor, patch) = sys::host::system().ok()?.release_numbers;
            let numbers = [major, minor, patch].map(|number| Term::small(i64::from(number)));
            build::tuple(heap, &numbers)
        }
        "heap_sizes" => {
            let sizes: Vec<Term> = block::SIZES
                .iter()
                .map(|&size| Term::small(size as i64))
                .collect();
            build::list(heap, &sizes)
        }
        "garbage_collection" => garbage_collection(heap),
        "max_heap_size" => HeapLimit::default().to_map(heap),
        "max_integer" if term::release::has(Release::OTP_27) => {
            let limbs = vec![u64::MAX; term::integer::most_limbs()];
            build::big(heap, false, &limbs)
        }
        "embedded_3pps" if term::release::has(Release::OTP_28) => embedded_products(heap),
        "multi_scheduling_blockers" => build::list(heap, &online::blockers(SchedulerKind::All)),
        "normal_multi_scheduling_blockers" => {
            build::list(heap, &online::blockers(SchedulerKind::Normal))
        }
        "schedulers_state" => {
            let running = schedulers::schedulers().online.load(Ordering::Relaxed);
            let numbers = [config::get().schedulers, online::online(), running].map(count);
            build::tuple(heap, &numbers)
        }
        "all_schedulers_state" => all_schedulers_state(heap),
        "scheduler_bindings" => {
            let bound = scheduler::binding::bindings();
            let bound = bound.into_iter().map(|processor| {
                processor.map_or(atom::known("unbound"), |number| Term::small(number as i64))
            });
            build::tuple(heap, &bound.collect::<Vec<Term>>())
        }
        "alloc_util_allocators" => allocators::names(heap),
        "allocator" => allocators::settings(heap),
        "allocated_areas" => Term::NIL,
        "check_io" => check_io(heap),
        "c_compiler_used" => {
            let version = build::tuple(heap, &[Term::small(1), Term::small(0), Term::small(0)]);
            build::tuple(heap, &[atom::known("rustc"), version])
        }
        "os_monotonic_time_source" => {
            clock_source(heap, "CLOCK_MONOTONIC", sys::clock::monotonic_ns(), true)
        }
        "os_system_time_source" => {
            clock_source(heap, "CLOCK_REALTIME", sys::clock::system_ns(), false)
        }
        "emu_args" => emulator_arguments(heap),
        "snifs" => builtins(heap),
        "ethread_info" => thread_primitives(heap),
        _ => return None,
    })
}

fn garbage_collection(heap: &mut Heap) -> Term {
    let max_heap = DEFAULTS.max_heap_words.load(Ordering::Relaxed);
    let min_binary = DEFAULTS.min_binary_words.load(Ordering::Relaxed);
    let min_heap = DEFAULTS.min_heap_words.load(Ordering::Relaxed);
    let fullsweep_after = DEFAULTS.fullsweep_after.load(Ordering::Relaxed);
    let items = [
        ("max_heap_size", max_heap),
        ("min_bin_vheap_size", min_binary),
        ("min_heap_size", min_heap.into()),
        ("fullsweep_after", fullsweep_after.into()),
    ];
    let items = items
        .map(|(name, value)| build::tuple(heap, &[atom::known(name), Term::small(value as i64)]));
    build::list(heap, &items)
}

/// The only set of polled descriptors. Schedulers poll it, one at a time, so it has as much as one thread.
fn check_io(heap: &mut Heap) -> Term {
    let (descriptors, bytes) = io::watched();
    let most = sys::host::descriptor_limits().map_or(0, |(limit, _)| limit);
    let [descriptors, bytes, most] =
        [descriptors as u64, bytes as u64, most].map(|count| build::unsigned(heap, count));
    let pairs = [
        ("name", atom::known("ferl_poll")),
        ("primary", atom::known("epoll")),
        ("kernel_poll", atom::known("epoll")),
        ("memory_size", bytes),
        ("total_poll_set_size", descriptors),
        ("lazy_updates", am::FALSE),
        ("pending_updates", Term::small(0)),
        ("batch_updates", am::FALSE),
        ("concurrent_updates", am::TRUE),
        ("fallback", am::FALSE),
        ("max_fds", most),
        ("active_fds", Term::small(0)),
        ("poll_threads", Term::small(1)),
    ];
    let pairs = pairs.map(|(name, value)| build::tuple(heap, &[atom::known(name), value]));
    let set = build::list(heap, &pairs);
    build::list(heap, &[set])
}

/// For each kind of scheduler, how many there are, how many are online and how many are active.
fn all_schedulers_state(heap: &mut Heap) -> Term {
    let config = config::get();
    let cpu = runtime::mail::dirty::cpu_online();
    let io = config.flags.dirty_io_schedulers;
    let running = schedulers::schedulers().online.load(Ordering::Relaxed);
    let unless_blocked = |active| match online::blocked() {
        Blocked::All => 0,
        Blocked::Normal | Blocked::Nothing => active,
    };
    let (cpu_active, io_active) = (unless_blocked(cpu), unless_blocked(io));
    let rows = [
        ("normal", config.schedulers, online::online(), running),
        ("dirty_cpu", config.dirty_cpu_schedulers, cpu, cpu_active),
        ("dirty_io", io, io, io_active),
    ];
    let rows = rows.map(|(kind, total, online, active)| {
        let [total, online, active] = [total, online, active].map(count);
        build::tuple(heap, &[atom::known(kind), total, online, active])
    });
    build::list(heap, &rows)
}

/// The command line as the emulator got it.
fn emulator_arguments(heap: &mut Heap) -> Term {
    let config = config::get();
    let program = std::env::current_exe().unwrap_or_default();
    let program = program.into_os_string().into_encoded_bytes();
    let words = [program.as_slice()]
        .into_iter()
        .chain(config.emulator_args.iter().map(Vec::as_slice))
        .chain([b"--".as_slice()])
        .chain(config.init_args.iter().map(Vec::as_slice))
        .map(|word| build::string(heap, &String::from_utf8_lossy(word)))
        .collect::<Vec<Term>>();
    build::list(heap, &words)
}

/// What the VM offers to threads, in the shape of stock's description of its thread library: atomic operations by
/// size, and where they are from.
fn thread_primitives(heap: &mut Heap) -> Term {
    let operations = [
        "load",
        "store",
        "swap",
        "compare_exchange",
        "fetch_add",
        "fetch_and",
        "fetch_or",
    ];
    let atomics = [
        ("32-bit native atomics", cfg!(target_has_atomic = "32")),
        ("64-bit native atomics", cfg!(target_has_atomic = "64")),
        ("Double word native atomics", false),
    ];
    let mut facts = Vec::new();
    for (name, exists) in atomics {
        let operations: &[&str] = if exists { &operations } else { &[] };
        let operations: Vec<Term> = operations
            .iter()
            .map(|name| build::string(heap, name))
            .collect();
        let fact = [
            build::string(heap, name),
            build::string(heap, if exists { "core::sync::atomic" } else { "no" }),
            build::list(heap, &operations),
        ];
        facts.push(build::tuple(heap, &fact));
    }
    let mut pair = |name: &str, value: bool| {
        let value = build::string(heap, if value { "yes" } else { "no" });
        let name = build::string(heap, name);
        facts.push(build::tuple(heap, &[name, value]));
    };
    pair("Native spinlocks", false);
    pair("Native rw-spinlocks", false);
    if cfg!(target_arch = "x86_64") {
        // Stores are seen in order there, and the code relies on nothing less.
        pair("x86_64 OOO", false);
        pair("sse2", true);
    }
    build::list(heap, &facts)
}

/// Module, name and arity of each function that is a BIF.
fn builtins(heap: &mut Heap) -> Term {
    let release = term::release::get();
    let rows: Vec<Term> = spec::bifs::BIFS
        .iter()
        // On stock, the first two are instructions, not functions, and no program can call the last one.
        .filter(|row| {
            row.is_builtin()
                && !matches!(
                    (row.module, row.name, row.arity),
                    ("erlang", "yield" | "hibernate", 0) | ("erlang", "bif_return_trap", 1)
                )
        })
        .filter(|row| row.properties.count_in(release))
        .map(|row| {
            let arity = Term::small(i64::from(row.arity));
            build::tuple(
                heap,
                &[atom::known(row.module), atom::known(row.name), arity],
            )
        })
        .collect();
    build::list(heap, &rows)
}

fn clock_source(heap: &mut Heap, clock: &str, now_ns: i64, monotonic: bool) -> Term {
    let mut items = vec![
        (atom::known("function"), atom::known("clock_gettime")),
        (atom::known("clock_id"), atom::known(clock)),
        (atom::known("resolution"), Term::small(1_000_000_000)),
    ];
    if monotonic {
        if release::has(Release::OTP_26) {
            items.push((atom::known("used_resolution"), Term::small(1_000_000_000)));
        }
        items.push((atom::known("extended"), atom::known("no")));
    }
    items.push((atom::known("parallel"), atom::known("yes")));
    let now = build::integer(heap, now_ns);
    items.push((atom::known("time"), now));
    let items: Vec<Term> = items
        .iter()
        .map(|(name, value)| build::tuple(heap, &[*name, *value]))
        .collect();
    build::list(heap, &items)
}
