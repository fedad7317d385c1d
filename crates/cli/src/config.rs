//! What the machine is started with: every decision of the command line and the environment, with
//! defaults filled in. Plain values; any thread.

use std::path::PathBuf;

use isa::flags;

use crate::environment::Environment;
use crate::launch::Flavor;

/// A start of the machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// What OTP calls its root: holds `lib`, `releases` and `bin`.
    pub root_dir: PathBuf,
    /// OTP's own programs (`inet_gethost`, `epmd`, ...).
    pub bin_dir: PathBuf,
    /// The modules to load first.
    pub preloaded_dir: PathBuf,
    /// The OTP release, such as 25.
    pub release: u32,
    /// The version of stock's emulator in that release (`erlang:system_info(version)`).
    pub erts_version: String,
    /// The name that further nodes are started by.
    pub progname: &'static str,
    /// Everything after the first `--` of the machine's command line: the argument of
    /// `erl_init:start/2`.
    pub init_args: Vec<Vec<u8>>,
    /// The words before it, with `-` for `+` (`erlang:system_info(emu_args)` of stock).
    pub emulator_args: Vec<Vec<u8>>,
    /// The module that boots the node: `init`.
    pub boot_module: Vec<u8>,
    /// The environment of the node and of the programs it starts.
    pub environment: Environment,

    /// False: one scheduler of each kind, whatever else was asked.
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
    /// `+stbt`: when binding is not possible, go on without.
    pub bind_if_possible: bool,
    pub busy_wait: BusyWait,
    pub busy_wait_dirty_cpu: BusyWait,
    pub busy_wait_dirty_io: BusyWait,
    /// Threads of the pool that drivers use.
    pub async_threads: u32,

    /// Most processes at a time, as asked: the table may round it up.
    pub process_limit: u32,
    /// Most ports at a time, as asked: the table may round it up.
    pub port_limit: u32,
    pub atom_limit: u32,
    /// ETS tables to expect; not a limit.
    pub ets_limit: u32,

    /// First heap of a process; `None` leaves it to the machine.
    pub min_heap_size_words: Option<u32>,
    pub min_bin_vheap_size_words: u32,
    /// Largest heap of a process; 0 is no limit.
    pub max_heap_size_words: u64,
    /// Whether a process that outgrows it is killed.
    pub max_heap_kill: bool,
    /// Whether that is logged.
    pub max_heap_log: bool,
    /// First number of buckets of a process dictionary.
    pub process_dictionary_size: u32,
    pub message_queue_data: MessageQueueData,
    /// Minor collections before a major one.
    pub fullsweep_after: u16,

    /// `+spp`: queue signals to ports rather than run them in the caller.
    pub port_parallelism: bool,
    pub dist_busy_limit_bytes: u32,
    /// How long an unused node stays in the node table; `None` is for ever.
    pub node_table_gc_delay_s: Option<u32>,
    /// Requests that a system process may have outstanding.
    pub outstanding_requests_limit: u32,

    pub time_warp_mode: TimeWarp,
    pub time_correction: bool,
    pub break_mode: BreakMode,
    pub file_name_encoding: FileNameEncoding,
    pub file_name_warning: FileNameWarning,
    pub printable_range: PrintableRange,
    pub warnings_map: WarningsMap,
    /// False after `+d`: errors of the machine itself leave a core dump only.
    pub crash_dump: bool,
    /// False after `+L`: line tables are not loaded.
    pub line_info: bool,
    pub perf: PerfSupport,
}

/// An enumeration whose variants stand in the order of a table's words.
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
    /// The system's best: `ThreadNoNodeProcessorSpread` today.
    DefaultBind,
}

choices! {
    /// How long a scheduler without work looks for some before it sleeps.
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
    /// What `io:printable_range/0` says.
    PrintableRange in flags::PRINTABLE_RANGES:
    Latin1,
    Unicode,
}

choices! {
    /// What warnings are logged as.
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

/// What Ctrl-C does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BreakMode {
    /// Shows the break menu.
    Menu,
    /// Ends the node, as the system does (`+B`, `+Bd`).
    Default,
    /// Interrupts the shell (`+Bc`).
    InterruptShell,
    /// Nothing (`+Bi`).
    Ignore,
}

/// How file names are encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileNameEncoding {
    /// Not asked: UTF-8 where the system's names are that by rule, else as `Locale`.
    Default,
    Latin1,
    Utf8,
    /// As the locale says.
    Locale,
}

/// What happens to file names that are not in the encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileNameWarning {
    Warn,
    Ignore,
    Error,
}
