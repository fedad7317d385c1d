//! The configuration of a node. The command line fills it; it never changes once the node has started.

use std::path::PathBuf;
use std::sync::OnceLock;

/// What Ctrl-C does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BreakMode {
    /// Opens the break menu.
    Menu,
    /// Ends the node, as the system does.
    Default,
    /// Is a key like others; the shell acts on it.
    InterruptShell,
    /// Nothing; nor do the keys that quit and stop.
    Ignore,
}

/// Decisions about a node, in its own units.
#[derive(Clone, Debug)]
pub struct Config {
    /// OTP's root: holds `lib`, `releases` and `bin`.
    pub root_dir: PathBuf,
    /// Where the modules are that are loaded first.
    pub preloaded_dir: PathBuf,
    /// The OTP release, such as 25, and the version of its emulator.
    pub release: u32,
    pub erts_version: String,
    /// The argument of `erl_init:start/2`.
    pub init_args: Vec<Vec<u8>>,
    /// `erlang:system_info(emu_args)`-like words before the first `--`.
    pub emulator_args: Vec<Vec<u8>>,
    /// The module that boots the node.
    pub boot_module: Vec<u8>,
    /// False: `-smp disable`.
    pub smp: bool,
    pub schedulers: usize,
    pub schedulers_online: usize,
    pub dirty_cpu_schedulers: usize,
    pub dirty_cpu_schedulers_online: usize,
    pub dirty_io_schedulers: usize,
    /// As `+sbt` spells it.
    pub bind_type: String,
    /// Whether schedulers may stay unbound when it is not known how the processors are arranged.
    pub bind_if_possible: bool,
    /// False: operations are threaded, although there is machine code for them.
    pub machine_code: bool,
    /// Whether perf is told the names of functions, and their code.
    pub perf_map: bool,
    pub perf_dump: bool,
    /// Turns of the look for work before a scheduler sleeps.
    pub busy_wait_spins: usize,
    pub async_threads: usize,
    /// As asked; the table is rounded up to a power of two.
    pub process_limit: usize,
    pub port_limit: usize,
    pub atom_limit: usize,
    pub ets_limit: usize,
    /// None: the machine's own default.
    pub min_heap_words: Option<u32>,
    pub min_binary_words: u64,
    /// 0: none.
    pub max_heap_words: u64,
    pub max_heap_kill: bool,
    pub max_heap_log: bool,
    pub off_heap_messages: bool,
    pub fullsweep_after: u16,
    pub port_parallelism: bool,
    pub dist_busy_limit_bytes: usize,
    /// As `+C` spells it.
    pub time_warp_mode: String,
    pub time_correction: bool,
    /// As `+pc` spells it: `latin1` or `unicode`.
    pub printable_range: String,
    /// File names are UTF-8 (or Latin-1).
    pub file_names_utf8: bool,
    /// What is to become of file names that are not encoded so: `warning`, `ignore` or `error`.
    pub wrong_file_names: String,
    /// False: errors of the machine itself leave no crash dump.
    pub crash_dump: bool,
    /// As `+W` spells it: `error`, `warning` or `info`.
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
