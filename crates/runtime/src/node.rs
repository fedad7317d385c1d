//! A node from start to end.

use std::path::Path;
use std::process::ExitCode;
use std::sync::{Arc, OnceLock};

use layout::Term;
use term::heap::Scratch;
use term::unicode::{Encoding, filename};
use term::{am, atom, build};

use crate::config::{BreakMode, Config};
use crate::process::spawn::{self, DEFAULTS, Options};
use crate::process::{Priority, table};
use crate::{code, collector, crash, scheduler, time, timer};
use std::sync::atomic::Ordering;

static CONFIG: OnceLock<Config> = OnceLock::new();

/// The modules that are loaded before anything runs, in this order; those that the release lacks are
/// skipped.
const PRELOADED: &[&str] = &[
    "erts_code_purger",
    "erl_init",
    "init",
    "prim_buffer",
    "prim_eval",
    "prim_inet",
    "prim_file",
    "zlib",
    "socket_registry",
    "prim_socket",
    "prim_net",
    "prim_zip",
    "erl_prim_loader",
    "erlang",
    "erts_internal",
    "erl_tracer",
    "erts_literal_area_collector",
    "erts_dirty_process_signal_handler",
    "atomics",
    "counters",
    "persistent_term",
];

/// The node's configuration.
///
/// # Panics
/// Before [`start`].
#[must_use]
pub fn config() -> &'static Config {
    CONFIG.get().expect("the node has started")
}

/// Names of the preloaded modules that this release has.
#[must_use]
pub fn preloaded() -> Vec<Term> {
    let loaded = |name: &&&str| config().preloaded_dir.join(format!("{name}.beam")).exists();
    PRELOADED
        .iter()
        .filter(loaded)
        .map(|name| atom::known(name))
        .collect()
}

/// Runs a node; comes back only when it cannot start.
pub fn start(config: Config) -> ExitCode {
    match prepare(config) {
        Ok(queues) => run(queues),
        Err(message) => {
            eprintln!("ferl: {message}");
            ExitCode::FAILURE
        }
    }
}

fn prepare(config: Config) -> Result<Vec<scheduler::RunQueuesOf>, String> {
    let config = CONFIG.get_or_init(|| config);
    crash::watch_panics();
    crash::watch_memory();
    crash::reserve_descriptor();
    atom::on_full(|limit| {
        crash::end(
            crash::Cause::Outside,
            &format!("no more index entries in atom_tab (max={limit})"),
        )
    });
    sys::signal::init()
        .map_err(|error| format!("signals cannot be set up: {}", error.message()))?;
    // A node that may have few descriptors starts programs without.
    let _ = sys::child::low::keep();
    time::start();
    atom::set_limit(config.atom_limit);
    let limit = config.process_limit.next_power_of_two();
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
    code::debugger::register_bottom();
    code::perf::open(config.perf_map, config.perf_dump);
    collector::set_stress(std::env::var_os("FERL_COLLECT_ALWAYS"));
    filename::set_native_encoding(if config.file_names_utf8 {
        Encoding::Utf8
    } else {
        Encoding::Latin1
    });
    let queues = scheduler::create(config.schedulers, config.schedulers_online);
    scheduler::idle::set_busy_wait(config.busy_wait_spins);
    let bind_type = scheduler::binding::flagged(&config.bind_type);
    if scheduler::binding::bind(bind_type).is_none() && !config.bind_if_possible {
        return Err(format!(
            "setting scheduler bind type '{}' failed: no cpu topology available",
            config.bind_type
        ));
    }
    watch_signals().map_err(|error| format!("signals cannot be watched: {}", error.message()))?;
    load_preloaded(&config.preloaded_dir)?;
    spawn_first(config)?;
    Ok(queues)
}

/// Decides whether modules get machine code: they do where it is wanted, made for this processor, and allowed to run.
fn choose_form(wanted: bool) {
    engine::native::set_enabled(wanted);
    if let Err(error) = engine::native::check() {
        eprintln!(
            "ferl: the system gives no executable memory ({}): code runs threaded, which is slower",
            error.message()
        );
        engine::native::set_enabled(false);
    }
}

/// Signals of the system that are handled become messages to `erl_signal_server`.
fn watch_signals() -> sys::Result<()> {
    use sys::signal::{Disposition, Signal};
    sys::signal::set(Signal::Terminate, Disposition::Handle)?;
    sys::signal::set(Signal::User1, Disposition::Handle)?;
    sys::signal::set(Signal::Continue, Disposition::Handle)?;
    match config().break_mode {
        // Where Ctrl-C is a key, an interrupt still comes from other programs.
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
                    crate::break_menu::open();
                    continue;
                }
                Signal::Continue => {
                    crate::port::tty::continued();
                    continue;
                }
                _ => {}
            }
            if let Some(server) = crate::registry::whereis_process(atom::known("erl_signal_server"))
            {
                let mut scratch = Scratch::new();
                let message =
                    build::tuple(scratch.heap(), &[am::NOTIFY, atom::known(signal.name())]);
                crate::signal::send_message_from_outside(server, message);
            }
        }
    };
    let fd = sys::signal::pending_fd()?;
    crate::io::register(fd, sys::poll::Interest::READ, Arc::new(forward))?;
    Ok(())
}

fn set_defaults(config: &Config) {
    if let Some(words) = config.min_heap_words {
        DEFAULTS.min_heap_words.store(words, Ordering::Relaxed);
    }
    DEFAULTS.min_binary_words.store(
        crate::bif::erlang::virtual_heap_words(config.min_binary_words),
        Ordering::Relaxed,
    );
    DEFAULTS
        .max_heap_words
        .store(config.max_heap_words, Ordering::Relaxed);
    DEFAULTS
        .max_heap_kill
        .store(config.max_heap_kill, Ordering::Relaxed);
    DEFAULTS
        .max_heap_log
        .store(config.max_heap_log, Ordering::Relaxed);
    DEFAULTS
        .fullsweep_after
        .store(u32::from(config.fullsweep_after), Ordering::Relaxed);
    DEFAULTS
        .off_heap_messages
        .store(u32::from(config.off_heap_messages), Ordering::Relaxed);
}

fn load_preloaded(directory: &Path) -> Result<(), String> {
    let mut loaded = Vec::new();
    for name in PRELOADED {
        let path = directory.join(format!("{name}.beam"));
        let bytes = match std::fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
            Err(error) => return Err(format!("{}: {error}", path.display())),
        };
        let mut module = code::load::prepare(Some(atom::known(name)), &bytes)
            .map_err(|error| format!("{}: {error}", path.display()))?;
        // OTP's emulator holds these modules without what describes them, so that stack traces name no
        // lines of theirs.
        if let Some(module) = Arc::get_mut(&mut module) {
            module.lines = None;
            module.attributes.clear();
            module.compile_info.clear();
        }
        loaded.push(module);
    }
    code::load::commit(&loaded).expect("nothing is loaded before");
    Ok(())
}

/// The processes that every node begins with.
fn spawn_first(config: &Config) -> Result<(), String> {
    let mut scratch = Scratch::new();
    let heap = scratch.heap();
    let boot = atom::intern(&config.boot_module)
        .map_err(|_| "the boot module's name is no atom".to_owned())?;
    let arguments: Vec<Term> = config
        .init_args
        .iter()
        .map(|argument| build::binary(heap, argument))
        .collect();
    let arguments = build::list(heap, &arguments);
    let arguments = build::list(heap, &[boot, arguments]);
    let first = |module: &str, arguments: Term, arity: u32, priority: Priority, off_heap: bool| {
        let options = Options {
            priority: Some(priority),
            system: true,
            off_heap_messages: Some(off_heap),
            ..Options::default()
        };
        spawn::spawn_root(atom::known(module), am::START, arguments, arity, &options)
            .map_err(|error| format!("the process of {module} cannot be made: {error:?}"))
    };
    first("erl_init", arguments, 2, Priority::Normal, false)?;
    first("erts_code_purger", Term::NIL, 0, Priority::High, true)?;
    let collector = "erts_literal_area_collector";
    let collector = first(collector, Term::NIL, 0, Priority::High, true)?;
    code::purge::set_collector(collector);
    for priority in [Priority::Normal, Priority::High, Priority::Max] {
        first(
            "erts_dirty_process_signal_handler",
            Term::NIL,
            0,
            priority,
            true,
        )?;
    }
    Ok(())
}

fn run(queues: Vec<scheduler::RunQueuesOf>) -> ExitCode {
    let mut threads = Vec::new();
    for (index, queues) in queues.into_iter().enumerate() {
        let name = format!("{}_scheduler", index + 1);
        match sys::thread::spawn(&name, scheduler::STACK_BYTES, move || {
            scheduler::run(index, queues)
        }) {
            Ok(thread) => threads.push(thread),
            Err(error) => {
                eprintln!(
                    "ferl: scheduler {} cannot be started: {}",
                    index + 1,
                    error.message()
                );
                return ExitCode::FAILURE;
            }
        }
    }
    // The schedulers never end; `halt` ends the process.
    loop {
        std::thread::park();
    }
}

/// Ends the node with an exit status; output that ports still hold is written first if `flush`.
pub fn halt(status: i32, flush: bool) -> ! {
    if flush {
        crate::port::flush_all();
    }
    // Not by way of the libraries' own ends: other threads still use what those give back, such as the stack on which the
    // main thread may be handling a signal.
    sys::thread::exit_at_once(status)
}

/// Ends the node as `halt(abort)` does: by a signal that leaves a core.
pub fn abort() -> ! {
    std::process::abort()
}

/// Ends the node with a crash dump, as `halt(Slogan)` does; output that ports still hold is written first.
pub fn crash(slogan: &str) -> ! {
    crate::port::flush_all();
    crash::end(crash::Cause::Outside, slogan)
}

/// Whether errors of the machine itself leave a dump (`+d`: they do not).
#[must_use]
pub fn dumps_own_errors() -> bool {
    CONFIG.get().is_none_or(|config| config.crash_dump)
}
