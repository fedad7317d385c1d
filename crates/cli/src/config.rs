//! The configuration with which the machine is started: all settings from the command line and the environment, with
//! defaults filled in. Plain values, for any thread.

use std::path::PathBuf;

use isa::{Release, flags};

use crate::environment::Environment;
use crate::launch::Flavor;

/// The configuration of one start of the machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// OTP's root directory, with `lib`, `releases` and `bin`.
    pub root_dir: PathBuf,
    /// OTP's own programs (`inet_gethost`, `epmd`, ...).
    pub bin_dir: PathBuf,
    /// The directory of the preloaded modules.
    pub preloaded_dir: PathBuf,
    /// The OTP release, such as 25.
    pub release: Release,
    /// The version of stock's emulator in that release (`erlang:system_info(version)`).
    pub erts_version: String,
    /// Everything after the first `--` of the machine's command line: the argument of
    /// `erl_init:start/2`.
    pub init_args: Vec<Vec<u8>>,
    /// The words before the first `--`, with `-` in place of `+` (`erlang:system_info(emu_args)` of stock).
    pub emulator_args: Vec<Vec<u8>>,
    /// The module that boots the node: `init`.
    pub boot_module: Vec<u8>,
    /// The environment of the node and of the programs it starts.
    pub environment: Environment,

    /// If false, there is one scheduler of each kind, whatever the other settings are.
    pub smp: bool,
    pub flavor: Flavor,
    pub schedulers: u32,
    /// At most `schedulers`.
    pub schedulers_online: u32,
    pub dirty_cpu_schedulers: u32,
    /// At most `dirty_cpu_schedulers`.
    pub dirty_cpu_schedulers_online: u32,
    pub dirty_io_schedulers: u32,
    pub bind_type: BindType,
    /// `+stbt`: if binding is not possible, start without it.
    pub bind_if_possible: bool,
    pub busy_wait: BusyWait,
    pub busy_wait_dirty_cpu: BusyWait,
    pub busy_wait_dirty_io: BusyWait,
    /// Threads of the pool that drivers use.
    pub async_threads: u32,

    /// The maximum number of processes, as requested: the table may round it up.
    pub process_limit: u32,
    /// The maximum number of ports, as requested: the table may round it up.
    pub port_limit: u32,
    pub atom_limit: u32,
    /// The expected number of ETS tables; not a limit.
    pub ets_limit: u32,

    /// Initial heap of a process; `None` is the machine's default.
    pub min_heap_size_words: Option<u32>,
    pub min_bin_vheap_size_words: u32,
    /// Maximum heap of a process; 0 is no limit.
    pub max_heap_size_words: u64,
    /// Whether a process that exceeds that limit is killed.
    pub max_heap_kill: bool,
    /// Whether exceeding that limit is logged.
    pub max_heap_log: bool,
    /// Initial number of buckets of a process dictionary.
    pub process_dictionary_size: u32,
    pub message_queue_data: MessageQueueData,
    /// Minor collections before a major one.
    pub fullsweep_after: u16,

    /// `+spp`: queue signals to ports rather than run them in the caller.
    pub port_parallelism: bool,
    pub native_checks: bool,
    pub native_libraries: bool,
    pub dist_busy_limit_bytes: u32,
    /// How long an unused node stays in the node table; `None` is for ever.
    pub node_table_gc_delay_s: Option<u32>,
    /// The maximum number of outstanding requests of a system process.
    pub outstanding_requests_limit: u32,

    pub time_warp_mode: TimeWarp,
    pub time_correction: bool,
    pub break_mode: BreakMode,
    pub file_name_encoding: FileNameEncoding,
    pub file_name_warning: FileNameWarning,
    pub printable_range: PrintableRange,
    pub warnings_map: WarningsMap,
    /// False after `+d`: internal errors of the machine write only a core dump.
    pub crash_dump: bool,
    /// False after `+L`: line tables are not loaded.
    pub line_info: bool,
    pub perf: PerfSupport,
    /// One of [`isa::flags::COVERAGE_MODES`].
    pub coverage: &'static str,
    /// Whether debuggers are supported, and then, whether modules are loaded with breakpoints at lines.
    pub debugger: bool,
    pub line_breakpoints: bool,
    /// Calls of a function before its module gets machine code.
    pub code_calls: u16,
    /// Where a profile of the run is written, without the endings of the files.
    pub profile: Option<PathBuf>,
    /// Samples in a second of a thread's processor time.
    pub profile_hz: u32,
}

/// Defines an enumeration whose variants are in the order of a table's words.
macro_rules! choices {
    ($(#[$doc:meta])* $name:ident in $words:path: $($(#[$variant_doc:meta])* $variant:ident,)*) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name {
            $($(#[$variant_doc])* $variant,)*
        }

        impl $name {
            pub const ALL: &[$name] = &[$($name::$variant),*];
        }

        const _: () = assert!($name::ALL.len() == $words.len());
    };
}

choices! {
    /// How schedulers are bound to processors (`erlang:system_info(scheduler_bind_type)`).
    BindType in flags::BIND_TYPES:
    Unbound,
    NoSpread,
    ThreadSpread,
    ProcessorSpread,
    Spread,
    NoNodeThreadSpread,
    NoNodeProcessorSpread,
    ThreadNoNodeProcessorSpread,
    /// The system's default, currently `ThreadNoNodeProcessorSpread`.
    DefaultBind,
}

choices! {
    /// How long a scheduler without work busy-waits before it sleeps.
    BusyWait in flags::BUSY_WAITS:
    None,
    VeryShort,
    Short,
    Medium,
    Long,
    VeryLong,
}

choices! {
    TimeWarp in flags::TIME_WARPS:
    No,
    Single,
    Multi,
}

choices! {
    /// Where messages to a process are kept by default.
    MessageQueueData in flags::QUEUE_PLACES:
    OnHeap,
    OffHeap,
}

choices! {
    /// The result of `io:printable_range/0`.
    PrintableRange in flags::PRINTABLE_RANGES:
    Latin1,
    Unicode,
}

choices! {
    /// The level at which warnings are logged.
    WarningsMap in flags::WARNING_LEVELS:
    Info,
    Warning,
    Error,
}

choices! {
    /// Files for Linux perf.
    PerfSupport in flags::PERF_SUPPORTS:
    Off,
    /// A map and a dump.
    Both,
    Dump,
    Map,
}

/// The effect of Ctrl-C.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BreakMode {
    /// Shows the break menu.
    Menu,
    /// Ends the node, by the system's default action (`+B`, `+Bd`).
    Default,
    /// Interrupts the shell (`+Bc`).
    InterruptShell,
    /// Is ignored (`+Bi`).
    Ignore,
}

/// How file names are encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileNameEncoding {
    /// Not given: UTF-8 on systems where file names are always UTF-8, otherwise as `Locale`.
    Default,
    Latin1,
    Utf8,
    /// The encoding of the locale.
    Locale,
}

/// What happens to file names that are not in that encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileNameWarning {
    Warn,
    Ignore,
    Error,
}
