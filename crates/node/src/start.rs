//! Starting and ending a node.

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use layout::Term;
use ship::start_modules::StartModule;
use spec::flags::MemoryBudget;
use sys::cpu::Processors;
use sys::standard::to_error;
use term::heap::Scratch;
use term::unicode::{Encoding, filename};
use term::{am, atom, build};

use crate::{break_menu, crash, processors};
use runtime::code::coverage::CoverageMode;
use runtime::code::{self, preloaded};
use runtime::effects::collection;
use runtime::exec::scheduler;
use runtime::exec::spawn::{self, SpawnError, SpawnOptions};
use runtime::mail::hooks::{self, CrashCause, Hooks};
use runtime::mail::time::{self, WarpMode};
use runtime::mail::{schedulers, timer};
use runtime::process::config::{self, BreakMode, Config};
use runtime::process::heap_limit::DEFAULTS;
use runtime::process::{Priority, table};

/// Runs a node, which begins with these modules; returns only if it cannot start.
pub fn start(config: Config, start_modules: Vec<StartModule>) -> ExitCode {
    match prepare(config, start_modules) {
        Ok(queues) => run(queues),
        Err(message) => {
            to_error(format_args!("ferl: {message}\n"));
            ExitCode::FAILURE
        }
    }
}

fn prepare(
    config: Config,
    start_modules: Vec<StartModule>,
) -> Result<Vec<schedulers::RunQueuesOf>, String> {
    term::release::set(config.release);
    if config.release.has(spec::Release::OTP_29) {
        sys::errno::use_later_names();
    }
    let config = config::set(config);
    runtime::trace::set(&trace::TRACE);
    hooks::set(Hooks {
        bifs: bifs::ENTRIES,
        release_tables: ets::owner_ends,
        end_with_dump: crash::end,
        memory_short: guard::short,
        libraries_end: native::node_ends,
        dump_section: crash::text_of,
        machine: &runtime::exec::MACHINE,
        remote: &distribution::REMOTE,
        observer: &runtime::trace::observer::OBSERVER,
    });
    crash::watch_panics();
    crash::watch_memory();
    native::watch_faults();
    crash::reserve_descriptor();
    // With the guard, who wants one more atom gets an exception.
    if config.flags.memory_budget == MemoryBudget::Unlimited {
        atom::on_full(|limit| {
            crash::end(
                CrashCause::Outside,
                &format!("no more index entries in atom_tab (max={limit})"),
            )
        });
    }
    sys::signal::init()
        .map_err(|error| format!("signals cannot be set up: {}", error.message()))?;
    // Optional: if the descriptor limit is too low for this, the node starts programs without it.
    let _ = sys::child::low::keep();
    time::start(
        WarpMode::named(config.flags.time_warp_mode),
        config.flags.time_correction,
    );
    atom::set_limit(config.flags.atom_limit);
    let limit = config.flags.process_limit.next_power_of_two();
    table::create(limit).map_err(|error| {
        format!(
            "no address space for {limit} processes: {}",
            error.message()
        )
    })?;
    code::literals::create()
        .map_err(|error| format!("no address space for literals: {}", error.message()))?;
    timer::create(config.schedulers);
    set_defaults(config);
    choose_form(config.machine_code);
    engine::tiering::set_calls(code_calls(config));
    code::gdb_jit::register_bottom();
    code::coverage::set_mode(coverage(config.flags.coverage));
    code::debugger_lines::set_up(config.flags.debugger, config.flags.line_breakpoints);
    code::perf::open(
        matches!(config.flags.perf, "true" | "map"),
        matches!(config.flags.perf, "true" | "dump"),
        config.flags.perf_directory.as_deref(),
    );
    if let Some(path) = &config.flags.profile {
        runtime::effects::profile::open(path, config.flags.profile_hz)?;
    }
    collection::set_stress(std::env::var_os("FERL_COLLECT_ALWAYS"));
    runtime::process::sync::set_delays(std::env::var_os("FERL_DELAYS"))?;
    filename::set_native_encoding(if config.file_names_utf8 {
        Encoding::Utf8
    } else {
        Encoding::Latin1
    });
    let queues = schedulers::create(config.schedulers, config.schedulers_online);
    processors::set_busy_waits(config, &Processors::detect());
    scheduler::binding::take_flag();
    let bind_type = scheduler::binding::flagged(config.bind_type);
    if scheduler::binding::bind(bind_type).is_none() && !config.bind_if_possible {
        return Err(format!(
            "setting scheduler bind type '{}' failed: no cpu topology available",
            config.bind_type
        ));
    }
    watch_clock();
    watch_signals().map_err(|error| format!("signals cannot be watched: {}", error.message()))?;
    // Native functions are BIFs here, so their names are made before the modules that name them on stock.
    code::exports::create();
    atom::rank(config.release);
    load_preloaded(start_modules)?;
    atom::rank_natives(config.release);
    spawn_first(config)?;
    processors::follow(config)
        .map_err(|error| format!("the processors cannot be watched: {}", error.message()))?;
    guard::start(config.flags.memory_budget)
        .map_err(|error| format!("the memory guard cannot be started: {}", error.message()))?;
    open_window(config)?;
    Ok(queues)
}

/// Opens the window, if a flag says so, and tells where: its port may be one that was free, and its token a random one.
fn open_window(config: &Config) -> Result<(), String> {
    use window::server::{Options, open};
    let Some(address) = config.flags.dashboard else {
        return Ok(());
    };
    let options = Options::configured();
    let url = open(address, &options).map_err(|error| error.to_string())?;
    // Who has the file has no need to find its token among what the node prints.
    let shown = match (url.split_once('#'), &options.token_file) {
        (Some((shown, _)), Some(_)) => shown,
        _ => &url,
    };
    to_error(format_args!("ferl: the dashboard is at {shown}\n"));
    Ok(())
}

/// Decides whether modules get machine code: only if that is wanted, supported for this processor, and allowed by the
/// system.
fn choose_form(wanted: bool) {
    engine::native::set_enabled(wanted);
    if let Err(error) = engine::native::check() {
        to_error(format_args!(
            "ferl: the system gives no executable memory ({}): code is interpreted, which is slower\n",
            error.message()
        ));
        engine::native::set_enabled(false);
    }
}

/// Calls of a function before its module gets machine code. Profilers want all of it from the start, so that each place
/// in it has a name.
fn code_calls(config: &Config) -> u16 {
    match config.flags.perf != "false" || config.flags.profile.is_some() {
        true => 0,
        false => config.flags.code_calls,
    }
}

/// The mode of coverage for a value of `+JPcover`.
fn coverage(word: &str) -> Option<CoverageMode> {
    let mut modes = CoverageMode::ALL.into_iter();
    match word {
        "true" => Some(CoverageMode::LineCounters),
        name => modes.find(|mode| mode.name() == name),
    }
}

/// Sets up handling of the system's signals; most of those handled are sent as messages to `erl_signal_server`.
fn watch_signals() -> sys::Result<()> {
    use drivers::tty::TerminalSignal;
    use sys::signal::{Disposition, Signal};
    sys::signal::set(Signal::Terminate, Disposition::Handle)?;
    sys::signal::set(Signal::User1, Disposition::Handle)?;
    sys::signal::set(Signal::Continue, Disposition::Handle)?;
    match config::get().break_mode {
        // Even if Ctrl-C is an ordinary key for the shell, other programs may send an interrupt.
        BreakMode::Menu | BreakMode::InterruptShell => {
            for signal in [Signal::Interrupt, Signal::Quit] {
                sys::signal::set(signal, Disposition::Handle)?;
            }
        }
        BreakMode::Ignore => {
            for signal in [Signal::Interrupt, Signal::Quit, Signal::TerminalStop] {
                sys::signal::set(signal, Disposition::Ignore)?;
            }
        }
        BreakMode::Default => {}
    }
    let forward = |_| {
        for signal in sys::signal::take_pending().iter() {
            match signal {
                Signal::Interrupt => {
                    break_menu::open();
                    continue;
                }
                Signal::Continue => {
                    drivers::tty::continued();
                    drivers::tty::signalled(TerminalSignal::Continued);
                    if !drivers::tty::forwards_continue() {
                        continue;
                    }
                }
                Signal::WindowChange if drivers::tty::signalled(TerminalSignal::Resized) => {
                    continue;
                }
                _ => {}
            }
            if let Some(server) =
                runtime::mail::registry::whereis_process(atom::known("erl_signal_server"))
            {
                let mut scratch = Scratch::new();
                let message =
                    build::tuple(scratch.heap(), &[am::NOTIFY, atom::known(signal.name())]);
                runtime::mail::signal::send_message(am::SYSTEM, server, message);
            }
        }
    };
    let fd = sys::signal::pending_fd()?;
    runtime::mail::io::register(fd, sys::poll::Interest::READ, Arc::new(forward))?;
    Ok(())
}

/// Has system time follow when the wall clock is set. Where the system does not tell of that, a node that runs notices
/// it within a second, and an idle one when it has something to do.
fn watch_clock() {
    let Ok(changes) = sys::clock::changes() else {
        return;
    };
    // Leaked: it is watched as long as the node lives.
    let changes: &'static _ = Box::leak(Box::new(changes));
    let follow = |_| {
        if changes.take() {
            runtime::effects::time_offset::follow_now();
        }
    };
    let _ =
        runtime::mail::io::register(changes.as_fd(), sys::poll::Interest::READ, Arc::new(follow));
}

fn set_defaults(config: &Config) {
    if let Some(words) = config.flags.min_heap_words {
        DEFAULTS.min_heap_words.store(words, Ordering::Relaxed);
    }
    DEFAULTS.min_binary_words.store(
        runtime::process::heap_limit::virtual_heap_words(config.flags.min_binary_words),
        Ordering::Relaxed,
    );
    DEFAULTS
        .max_heap_words
        .store(config.flags.max_heap_words, Ordering::Relaxed);
    DEFAULTS
        .max_heap_kill
        .store(config.flags.max_heap_kill, Ordering::Relaxed);
    DEFAULTS
        .max_heap_log
        .store(config.flags.max_heap_log, Ordering::Relaxed);
    DEFAULTS
        .max_heap_binaries
        .store(config.flags.max_heap_binaries, Ordering::Relaxed);
    DEFAULTS
        .fullsweep_after
        .store(u32::from(config.fullsweep_after), Ordering::Relaxed);
    DEFAULTS.off_heap_messages.store(
        u32::from(config.flags.message_queue_data == "off_heap"),
        Ordering::Relaxed,
    );
}

fn load_preloaded(mut found: Vec<StartModule>) -> Result<(), String> {
    let mut loaded = Vec::new();
    for name in preloaded::PRELOADED {
        let Some(place) = found.iter().position(|module| module.name == *name) else {
            continue;
        };
        let bytes = found.swap_remove(place).bytes;
        let mut module = code::load::prepare(Some(atom::known(name)), &bytes)
            .map_err(|error| format!("the module {name} to start with: {error}"))?;
        // OTP's emulator contains these modules without line tables and attributes, so its stack traces have no
        // lines for them; match that.
        if let Some(module) = Arc::get_mut(&mut module) {
            module.locations.clear();
            module.attributes.clear();
            module.compile_info.clear();
        }
        loaded.push(module);
    }
    code::load::commit(&loaded).expect("nothing is loaded before");
    preloaded::note(&loaded);
    Ok(())
}

/// Spawns the processes that every node begins with.
fn spawn_first(config: &Config) -> Result<(), String> {
    let mut scratch = Scratch::new();
    let heap = scratch.heap();
    let boot = atom::intern(&config.flags.boot_module)
        .map_err(|_| "the name of the boot module is not a valid atom".to_owned())?;
    let arguments: Vec<Term> = config
        .init_args
        .iter()
        .map(|argument| build::binary(heap, argument))
        .collect();
    let arguments = build::list(heap, &arguments);
    let arguments = build::list(heap, &[boot, arguments]);
    let first = |module: &str, arguments: Term, arity: u32, priority: Priority, off_heap: bool| {
        let options = SpawnOptions {
            priority: Some(priority),
            system: true,
            off_heap_messages: Some(off_heap),
            ..SpawnOptions::default()
        };
        spawn::spawn_root(atom::known(module), am::START, arguments, arity, &options)
            .map_err(|SpawnError::Limit| format!("the first process of {module} cannot start: the process limit is reached or there is no memory"))
    };
    let init = first("erl_init", arguments, 2, Priority::Normal, false)?;
    drivers::forker::make(init);
    let purger = first("erts_code_purger", Term::NIL, 0, Priority::High, true)?;
    code::purge::set_purger(purger);
    let collector = "erts_literal_area_collector";
    let collector = first(collector, Term::NIL, 0, Priority::High, true)?;
    code::literal_collector::set_collector(collector);
    for priority in [Priority::Normal, Priority::High, Priority::Max] {
        first(
            "erts_dirty_process_signal_handler",
            Term::NIL,
            0,
            priority,
            true,
        )?;
    }
    let cleaner = "erts_trace_cleaner";
    if code::modules::current(atom::known(cleaner)).is_some() {
        first(cleaner, Term::NIL, 0, Priority::Normal, true)?;
    }
    Ok(())
}

fn run(queues: Vec<schedulers::RunQueuesOf>) -> ExitCode {
    let mut threads = Vec::new();
    for (index, queues) in queues.into_iter().enumerate() {
        let name = format!("{}_scheduler", index + 1);
        match sys::thread::spawn(&name, schedulers::STACK_BYTES, move || {
            scheduler::run(index, queues)
        }) {
            Ok(thread) => threads.push(thread),
            Err(error) => {
                to_error(format_args!(
                    "ferl: scheduler {} cannot be started: {}\n",
                    index + 1,
                    error.message()
                ));
                return ExitCode::FAILURE;
            }
        }
    }
    // The schedulers never return; `halt` ends the operating system process.
    sys::child::orphans::take_for_ever()
}
