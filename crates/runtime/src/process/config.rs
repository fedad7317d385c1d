//! The configuration of a node, filled in from the command line.

use std::path::PathBuf;
use std::sync::OnceLock;

pub use engine::CoverageMode;
use term::release::Release;

/// The effect of Ctrl-C.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BreakMode {
    /// Opens the break menu.
    Menu,
    /// Ends the node, by the system's default action.
    Default,
    /// Is an ordinary key for the terminal; the Erlang shell handles it.
    InterruptShell,
    /// Is ignored, as are the keys that quit and stop.
    Ignore,
}

/// The settings of a node, in the units that the machine uses.
#[derive(Clone, Debug)]
pub struct Config {
    /// OTP's root directory, with `lib`, `releases` and `bin`.
    pub root_dir: PathBuf,
    /// The directory of the preloaded modules.
    pub preloaded_dir: PathBuf,
    /// The OTP release, such as 25, and the version of its emulator.
    pub release: Release,
    pub erts_version: String,
    /// The argument of `erl_init:start/2`.
    pub init_args: Vec<Vec<u8>>,
    /// The words before the first `--`, as in `erlang:system_info(emu_args)`.
    pub emulator_args: Vec<Vec<u8>>,
    /// The module that boots the node.
    pub boot_module: Vec<u8>,
    /// False after `-smp disable`.
    pub smp: bool,
    pub schedulers: usize,
    pub schedulers_online: usize,
    pub dirty_cpu_schedulers: usize,
    pub dirty_cpu_schedulers_online: usize,
    pub dirty_io_schedulers: usize,
    /// The bind type, as given to `+sbt`.
    pub bind_type: String,
    /// Whether schedulers may stay unbound if the processor topology is unknown.
    pub bind_if_possible: bool,
    /// Whether to generate machine code; if false, code runs in the threaded form.
    pub machine_code: bool,
    /// Calls of a function before its module gets machine code.
    pub code_calls: u16,
    /// Whether to write a map of function names (`perf_map`) and a dump of the code (`perf_dump`) for Linux perf.
    pub perf_map: bool,
    pub perf_dump: bool,
    /// What the code of modules counts.
    pub coverage: Option<CoverageMode>,
    /// Whether debuggers are supported, and then, whether modules are loaded with breakpoints at lines.
    pub debugger: bool,
    pub line_breakpoints: bool,
    /// Where the profiler writes what it has seen, and how often it looks in a second of a thread's processor time.
    pub profile: Option<(PathBuf, u32)>,
    /// How many times a scheduler looks for work before it sleeps.
    pub busy_wait_spins: usize,
    pub async_threads: usize,
    /// As requested; the process table is rounded up to a power of two.
    pub process_limit: usize,
    pub port_limit: usize,
    pub atom_limit: usize,
    pub ets_limit: usize,
    /// `None`: the machine's default.
    pub min_heap_words: Option<u32>,
    pub min_binary_words: u64,
    /// 0 is no limit.
    pub max_heap_words: u64,
    pub max_heap_kill: bool,
    pub max_heap_log: bool,
    pub off_heap_messages: bool,
    pub fullsweep_after: u16,
    pub port_parallelism: bool,
    /// Whether it is checked how native libraries use terms.
    pub native_checks: bool,
    /// Whether native libraries may be loaded.
    pub native_libraries: bool,
    pub dist_busy_limit_bytes: usize,
    /// As given to `+zdntgc`; `None` is for ever.
    pub node_table_gc_delay_s: Option<u32>,
    /// As given to `+C`.
    pub time_warp_mode: String,
    pub time_correction: bool,
    /// As given to `+pc`: `latin1` or `unicode`.
    pub printable_range: String,
    /// Whether file names are UTF-8; if not, they are Latin-1.
    pub file_names_utf8: bool,
    /// What happens to file names that are not in that encoding: `warning`, `ignore` or `error`.
    pub wrong_file_names: String,
    /// Whether internal errors of the machine write a crash dump.
    pub crash_dump: bool,
    /// As given to `+W`: `error`, `warning` or `info`.
    pub warnings: String,
    pub break_mode: BreakMode,
}

static CONFIG: OnceLock<Config> = OnceLock::new();

/// Stores the node's configuration; the first one stays. Called once, at the node's start.
pub fn set(config: Config) -> &'static Config {
    CONFIG.get_or_init(|| config)
}

/// The node's configuration.
///
/// # Panics
/// Before [`set`].
#[must_use]
pub fn get() -> &'static Config {
    CONFIG.get().expect("the node has started")
}

/// Whether internal errors write a crash dump (`+d`: they do not).
#[must_use]
pub fn dumps_own_errors() -> bool {
    CONFIG.get().is_none_or(|config| config.crash_dump)
}
