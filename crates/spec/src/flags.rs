//! The emulator flags (`+P`, `+S`, `+hms`, ...) and the flags that the launcher itself understands
//! (`-detached`, `-env`, `-sname`, ...): one row each, in OTP 25's spelling (the `erl` manual page).
//!
//! A row determines how the command line is split into words, which values are allowed, the complaint about a wrong
//! value, what the flag sets, and its line in the usage text. A row that `sets` something is also a field of
//! [`FlagValues`], with its type and its default: whoever uses the value reads it there.
//!
//! Constant tables; any thread may read them.

mod values;

use std::net::SocketAddr;
use std::path::PathBuf;

use crate::Release;
use values::FlagValue;
pub use values::{CpuPlace, MemoryBudget, Parsed, Word, listen_address};

/// One emulator flag.
pub struct EmulatorFlag {
    /// The name without the `+`. In the memory allocator flags, `?` stands for any letter of [`ALLOCATOR_LETTERS`],
    /// and `@` for any letter of [`MIGRATING_LETTERS`].
    pub name: &'static str,
    pub place: ValuePosition,
    pub value: Value,
    pub effect: Effect,
    /// The name of the value in the usage text.
    pub argument: &'static str,
    /// The complaint about a wrong value: `{}` is replaced by the value, `{n}` by the number read from it, `?` by the
    /// allocator's letter.
    pub complaint: &'static str,
    pub help: &'static str,
    pub origin: Origin,
}

/// Who has a flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// Stock, since this release; before, the flag is unknown. Where a later row has the same name, up to its release.
    Since(Release),
    /// Only ferl: stock takes the word for another flag.
    Own,
}

/// The position of a flag's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValuePosition {
    /// There is no value; the rest of the word after the name is ignored.
    Alone,
    /// There is no value, and the word ends with the name: a longer one is another flag.
    Whole,
    /// The rest of the word, or the next word if the name is the whole word.
    Next,
    /// The next word, never the rest of this one.
    NextOnly,
    /// The rest of the word: the launcher does not pass the next one on.
    Joined,
    /// As `Next`, but only if the next word is one of the allowed values.
    Optional,
}

/// The format of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    Nothing,
    Text,
    /// As `Text`, but not empty, and not a flag: stock's flags take any word, but a name that is written to is no place
    /// for one that lost its own value.
    Name,
    /// `true` or `false`.
    Bool,
    /// One of these words; the result is its position.
    OneOf(&'static [&'static str]),
    /// A word that starts with one of these; the result is the position.
    StartsWith(&'static [&'static str]),
    /// A whole number within bounds.
    Number {
        min: i64,
        max: i64,
        digits: Digits,
    },
    /// A number, or this word.
    NumberOr {
        word: &'static str,
        min: i64,
        max: i64,
        digits: Digits,
    },
    /// `N`, `N:M` or `:M`.
    Pair,
    /// A CPU topology, such as `L0-3c0-3p0:L4-7c0-3p1`.
    Topology,
    /// Bytes, a percentage (`80%`), or `off`.
    Budget,
    /// `PORT` or `ADDRESS:PORT` to listen at.
    Listen,
}

/// How strictly a number is parsed. Existing scripts rely on what C's functions accept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Digits {
    /// Leading digits are read, the rest is ignored; no digits mean 0 (C's `atoi`).
    Lenient,
    /// As `Lenient`, but there must be at least one digit.
    Needed,
    /// The whole word must be the number.
    Strict,
}

/// What ferl does with a flag.
#[derive(Clone, Copy, Debug)]
pub enum Effect {
    /// Stores the value in a field of [`FlagValues`].
    Sets(fn(&mut FlagValues, &Parsed)),
    /// What is more than to store a value.
    Does(Action),
    /// Prints this line, without any other effect.
    Notes(&'static str),
    /// Checked like every flag, but without effect: most of these tune a part that ferl does not have (OTP's
    /// allocators, poll threads, wake-up heuristics).
    Ignored,
    /// With this value the flag is refused, because it asks for something that ferl cannot do; other values are
    /// ignored.
    RefusedFor(&'static str),
}

/// What `cli` has code for: flags that depend on each other, and flags that ask for something else than a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    BindType,
    BreakMode,
    DirtyCpuSchedulers,
    DirtyCpuSchedulersPercent,
    FileNames,
    Help,
    Perf,
    Schedulers,
    SchedulersPercent,
    Version,
}

/// Flags are read in four rounds, so that of several mistakes, the same one is reported as by OTP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Round {
    Threads,
    Allocators,
    Polling,
    Rest,
}

impl Round {
    pub const ALL: [Round; 4] = [
        Round::Threads,
        Round::Allocators,
        Round::Polling,
        Round::Rest,
    ];
}

impl EmulatorFlag {
    pub fn round(&self) -> Round {
        match self.name.as_bytes()[0] {
            b'S' | b'A' => Round::Threads,
            b'd' | b'r' if self.name.ends_with('g') => Round::Threads,
            b'M' => Round::Allocators,
            b'I' | b'K' => Round::Polling,
            _ => Round::Rest,
        }
    }

    /// Whether a node of this release knows the flag.
    pub fn is_in(&self, release: Release) -> bool {
        match self.origin {
            Origin::Since(first) => release.has(first),
            Origin::Own => true,
        }
    }

    /// The length of the name, if `word` (without its `+`) starts with it.
    fn prefix_length(&self, word: &[u8]) -> Option<usize> {
        let name = self.name.as_bytes();
        let matches = word.len() >= name.len()
            && name
                .iter()
                .zip(word)
                .all(|(&pattern, &letter)| match pattern {
                    b'?' => ALLOCATOR_LETTERS.contains(&letter),
                    b'@' => MIGRATING_LETTERS.contains(&letter),
                    _ => pattern == letter,
                });
        matches.then_some(name.len())
    }

    fn is_exact(&self) -> bool {
        !self.name.contains(['?', '@'])
    }
}

/// The flag of a release that `word` (without its `+` or `-`) begins with, and the length of its name. The longest name
/// wins; among equally long ones, the one without a placeholder, then the one of the latest release. A word that
/// belongs to a family is never read as a shorter flag (`+SDx` is not `+S Dx`).
pub fn find(word: &[u8], release: Release) -> Option<(&'static EmulatorFlag, usize)> {
    let shortest = family(word, release).map_or(0, |family| family.prefix.len());
    EMULATOR_FLAGS
        .iter()
        .filter(|flag| flag.is_in(release))
        .filter_map(|flag| Some((flag, flag.prefix_length(word)?)))
        .filter(|&(_, length)| length >= shortest)
        .max_by_key(|&(flag, length)| (length, flag.is_exact(), flag.origin))
}

/// A group of flags with a common prefix, and what happens to a word that has the prefix but is no flag.
pub struct Family {
    pub prefix: &'static str,
    pub launcher: LauncherRule,
    /// `{}` is replaced by the word, `{name}` by the word without its `-`.
    pub complaint: &'static str,
    pub since: Release,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LauncherRule {
    /// Passed to the emulator, which complains.
    Pass,
    /// Passed to the emulator together with the next word.
    PassWithNext,
    /// The launcher itself complains.
    Refuse,
}

pub const FAMILIES: &[Family] = &[
    Family {
        prefix: "Di",
        launcher: LauncherRule::Pass,
        complaint: "Unknown instrumentation option {name}",
        since: Release::OTP_28,
    },
    Family {
        prefix: "D",
        launcher: LauncherRule::Pass,
        complaint: "Unknown option {name}",
        since: Release::OTP_28,
    },
    Family {
        prefix: "SD",
        launcher: LauncherRule::Refuse,
        complaint: "bad or missing dirty scheduler specifier: {}",
        since: Release::OTP_25,
    },
    Family {
        prefix: "I",
        launcher: LauncherRule::Refuse,
        complaint: "unknown flag {}",
        since: Release::OTP_25,
    },
    // Of these, stock only prints the usage.
    Family {
        prefix: "JD",
        launcher: LauncherRule::PassWithNext,
        complaint: "",
        since: Release::OTP_25,
    },
    Family {
        prefix: "JP",
        launcher: LauncherRule::PassWithNext,
        complaint: "",
        since: Release::OTP_25,
    },
    Family {
        prefix: "J",
        launcher: LauncherRule::PassWithNext,
        complaint: "invalid JIT option {}",
        since: Release::OTP_25,
    },
    Family {
        prefix: "s",
        launcher: LauncherRule::Pass,
        complaint: "bad scheduling option {}",
        since: Release::OTP_25,
    },
    Family {
        prefix: "z",
        launcher: LauncherRule::Pass,
        complaint: "bad -z option {}",
        since: Release::OTP_25,
    },
];

/// The family of a release that a word (without its `+` or `-`) belongs to.
pub fn family(word: &[u8], release: Release) -> Option<&'static Family> {
    FAMILIES
        .iter()
        .filter(|family| release.has(family.since))
        .find(|family| word.starts_with(family.prefix.as_bytes()))
}

/// OTP's allocators, as `+M` names them; `u` stands for all of them.
pub const ALLOCATOR_LETTERS: &[u8] = b"uBIDEFHLRSTZ";
/// Those whose carriers may migrate between schedulers.
const MIGRATING_LETTERS: &[u8] = b"uBDEFHLRSZ";

/// The maximum number of schedulers of one kind.
pub const MAX_SCHEDULERS: i64 = 1024;
/// The maximum number of processes, and of ports, that identifiers can distinguish.
pub const MAX_IDENTIFIERS: i64 = (1 << 27) - 1;
/// The lowest limit that may be set for processes, and for ports.
pub const MIN_IDENTIFIERS: i64 = 1024;
/// The lowest number of ETS tables to expect.
pub const MIN_ETS_TABLES: usize = 8192;
const MIN_ATOMS: i64 = 8192;
const MAX_ATOMS: i64 = i32::MAX as i64;
pub const MAX_ASYNC_THREADS: i64 = 1024;
/// The largest small integer, which limits `+hmax`.
const MAX_SMALL: i64 = (1 << 59) - 1;
const INT: i64 = i32::MAX as i64;
const LONG: i64 = i64::MAX;
/// The largest numbers of kilobytes and of megabytes whose size in bytes fits into a word.
const KB: i64 = 1 << 54;
const MB: i64 = 1 << 44;

const BIND_TYPES: &[&str] = &["u", "ns", "ts", "ps", "s", "nnts", "nnps", "tnnps", "db"];
const BUSY_WAITS: &[&str] = &["none", "very_short", "short", "medium", "long", "very_long"];
const TIME_WARPS: &[&str] = &["no_time_warp", "single_time_warp", "multi_time_warp"];
const BREAK_MODES: &[&str] = &["i", "c", "d"];
const QUEUE_PLACES: &[&str] = &["on_heap", "off_heap"];
const PRINTABLE_RANGES: &[&str] = &["latin1", "unicode"];
const WARNING_LEVELS: &[&str] = &["i", "w", "e"];
/// The modes of native coverage; `true` stands for the last one.
const COVERAGE_MODES: &[&str] = &[
    "false",
    "true",
    "function",
    "function_counters",
    "line",
    "line_counters",
];
const PERF_SUPPORTS: &[&str] = &["false", "true", "dump", "map"];
/// From OTP 27 on also whether frames have pointers for perf; ferl's always have.
const PERF_SUPPORTS_27: &[&str] = &["false", "true", "dump", "map", "fp", "no_fp"];
const ETS_WAITS: &[&str] = &[
    "none",
    "very_short",
    "short",
    "medium",
    "long",
    "very_long",
    "extremely_long",
];
const WAKEUPS: &[&str] = &["very_low", "low", "medium", "high", "very_high"];
const CLEANUPS: &[&str] = &["very_lazy", "lazy", "medium", "eager", "very_eager"];
const STRATEGIES: &[&str] = &[
    "bf",
    "aobf",
    "gf",
    "af",
    "aoff",
    "aoffcbf",
    "aoffcaobf",
    "ageffcaoff",
    "ageffcbf",
    "ageffcaobf",
];

const fn number(min: i64, max: i64) -> Value {
    Value::Number {
        min,
        max,
        digits: Digits::Lenient,
    }
}

const fn digits(min: i64, max: i64) -> Value {
    Value::Number {
        min,
        max,
        digits: Digits::Needed,
    }
}

const fn number_or(word: &'static str, min: i64, max: i64, digits: Digits) -> Value {
    Value::NumberOr {
        word,
        min,
        max,
        digits,
    }
}

/// Makes the table and [`FlagValues`]. Rows have the form `name position value => effect, argument, complaint, help;`,
/// and may end with `, from RELEASE` or `, from ferl`. An effect is one of:
///
/// * `sets FIELD: TYPE = DEFAULT`
/// * `sets_too FIELD`, of a field that another row declares
/// * `does ACTION`
/// * `notes LINE`
/// * `refused_for WORD`
/// * `ignored`
///
/// A later release's row of the same name takes the place of the earlier one; without help it is not listed twice.
macro_rules! emulator_flags {
    ($($name:literal $position:ident $value:expr =>
       $(sets $field:ident: $type:ty = $default:expr,)?
       $(sets_too $same:ident,)?
       $(does $action:ident,)?
       $(notes $note:literal,)?
       $(refused_for $refused:literal,)?
       $(ignored,)?
       $argument:literal, $complaint:literal, $help:literal $(, from $origin:ident)?;)*) => {
        /// The emulator flags.
        pub const EMULATOR_FLAGS: &[EmulatorFlag] = &[$(EmulatorFlag {
            name: $name,
            place: ValuePosition::$position,
            value: $value,
            effect: effect!(
                $(sets $field)? $(sets $same)? $(does $action)? $(notes $note)? $(refused_for $refused)?
            ),
            argument: $argument,
            complaint: $complaint,
            help: $help,
            origin: origin!($($origin)?),
        }),*];

        /// The values of the flags that a row declares a field for.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct FlagValues {
            $($(
                #[doc = concat!("`+", $name, "`: ", $help, ".")]
                pub $field: $type,
            )?)*
        }

        impl Default for FlagValues {
            /// The values without any flag.
            fn default() -> FlagValues {
                FlagValues { $($($field: $default,)?)* }
            }
        }
    };
}

macro_rules! effect {
    () => {
        Effect::Ignored
    };
    (sets $field:ident) => {
        Effect::Sets(|values, value| values.$field.store(value, FlagValues::default().$field))
    };
    (does $action:ident) => {
        Effect::Does(Action::$action)
    };
    (notes $note:literal) => {
        Effect::Notes($note)
    };
    (refused_for $word:literal) => {
        Effect::RefusedFor($word)
    };
}

macro_rules! origin {
    () => {
        Origin::Since(Release::OTP_25)
    };
    (ferl) => {
        Origin::Own
    };
    ($release:ident) => {
        Origin::Since(Release::$release)
    };
}

use Value::{Bool, Budget, Listen, Name, Nothing, OneOf, Pair, StartsWith, Text, Topology};

emulator_flags! {
    "a" Next number(16, 8192) => ignored, "size",
        "bad stack size for async threads {}", "stack of async threads in kilowords; no effect";
    "A" Next number(0, MAX_ASYNC_THREADS) => sets async_threads: usize = 1, "number",
        "bad number of async threads {}", "threads of the async pool, up to 1024";
    "B" Optional StartsWith(BREAK_MODES) => does BreakMode, "[c|d|i]",
        "bad break mode {}", "Ctrl-C: c interrupts the shell, d or nothing ends the node, i is ignored";
    "c" Optional Bool => sets time_correction: bool = true, "[bool]",
        "Invalid time correction value: {}", "time correction";
    "C" Next OneOf(TIME_WARPS) => sets time_warp_mode: Word = "no_time_warp", "mode",
        "Invalid time warp mode: {}", "no_time_warp, single_time_warp or multi_time_warp";
    "code_calls" Next number(0, 65_535) => sets code_calls: u16 = 100, "number",
        "bad +code_calls number {}",
        "calls of a function before its module gets machine code, 100, more in large ones; 0: when loaded (not in erl)",
        from ferl;
    "d" Alone Nothing => sets crash_dump: bool = true, "",
        "", "write no crash dump for errors of the machine itself";
    "dcg" Joined digits(0, INT) => ignored, "<limit>",
        "bad decentralized counter groups limit: {}", "groups of decentralized counters; no effect";
    "dashboard" Next Listen => sets dashboard: Option<SocketAddr> = None, "[address:]port",
        "bad +dashboard address {}: it is PORT or ADDRESS:PORT, as 8080, 0.0.0.0:8080 or [::1]:8080",
        "show the node to browsers at this port of 127.0.0.1, or of this address (not in erl)", from ferl;
    "dashboard_control" Next Bool => sets dashboard_control: bool = false, "bool",
        "bad +dashboard_control flag {}", "let who has the dashboard's token end processes (not in erl)", from ferl;
    "dashboard_hosts" Next Name => sets dashboard_hosts: Vec<u8> = Vec::new(), "names",
        "bad +dashboard_hosts names {}: they are names of this host, as a.example,b.example",
        "further names by which browsers and proxies may call the dashboard (not in erl)", from ferl;
    "dashboard_large_heap" Next number(0, INT) => sets dashboard_large_heap: u64 = 8 << 20, "words",
        "bad +dashboard_large_heap size {}",
        "heaps that the dashboard tells of as large, in words, 8388608; 0: none (not in erl)", from ferl;
    "dashboard_long_gc" Next number(0, INT) => sets dashboard_long_gc: u64 = 100, "milliseconds",
        "bad +dashboard_long_gc time {}",
        "collections that the dashboard tells of as long, 100; 0: none (not in erl)", from ferl;
    "dashboard_long_queue" Next number(0, INT) => sets dashboard_long_queue: u64 = 10_000, "messages",
        "bad +dashboard_long_queue length {}",
        "message queues that the dashboard tells of as long, 10000; 0: none (not in erl)", from ferl;
    "dashboard_long_schedule" Next number(0, INT) => sets dashboard_long_schedule: u64 = 100, "milliseconds",
        "bad +dashboard_long_schedule time {}",
        "slices of processes that the dashboard tells of as long, 100; 0: none (not in erl)", from ferl;
    "dashboard_token_file" Next Name => sets dashboard_token_file: Option<PathBuf> = None, "file",
        "bad +dashboard_token_file name {}", "the token without which the dashboard shows nothing (not in erl)", from ferl;
    "D" Whole Nothing => sets debugger: bool = false, "",
        "", "support debuggers: the module erl_debugger (OTP 28 and later)", from OTP_28;
    "Dibpl" NextOnly Bool => sets line_breakpoints: bool = true, "bool",
        "Dibpl expected `true' or `false' but got: `{}'", "with +D, load modules with breakpoints at lines (true)", from OTP_28;
    "e" Next number(0, INT) => sets ets_limit: usize = MIN_ETS_TABLES, "number",
        "bad maximum number of ets tables {}", "number of ETS tables to expect";
    "ec" Alone Nothing => ignored, "",
        "", "compress every ETS table; no effect";
    "fn" Joined Text => does FileNames, "[l|u|a][w|i|e]",
        "bad filename encoding {}, can be (l,u or a, optionally followed by w, i or e)",
        "file names: latin1, utf8 or by the locale; warn, ignore or fail on bad ones";
    "h" Next number(1, INT) => sets_too min_heap_words, "words",
        "bad heap size {}", "as +hms";
    "help" Alone Nothing => does Help, "",
        "", "print this text";
    "hmax" Next number(0, MAX_SMALL) => sets max_heap_words: u64 = 0, "words",
        "bad max heap size {}", "default largest heap of a process; 0 is no limit";
    "hmaxel" Next Bool => sets max_heap_log: bool = true, "bool",
        "bad max heap error logger {}", "log a process that outgrows its largest heap";
    "hmaxib" Next Bool => sets max_heap_binaries: bool = false, "bool",
        "bad max heap include bins {}", "count binaries outside of the heap in +hmax (OTP 27 and later)", from OTP_27;
    "hmaxk" Next Bool => sets max_heap_kill: bool = true, "bool",
        "bad max heap kill {}", "kill a process that outgrows its largest heap";
    "hmbs" Next number(1, INT) => sets min_binary_words: u64 = 46_422, "words",
        "bad heap size {}", "default smallest virtual heap for binaries";
    "hmqd" Next OneOf(QUEUE_PLACES) => sets message_queue_data: Word = "on_heap", "place",
        "Invalid message_queue_data flag: {}", "default place of messages: on_heap or off_heap";
    "hms" Next number(1, INT) => sets min_heap_words: Option<u32> = None, "words",
        "bad heap size {}", "default first heap of a process";
    "hpds" Next number(1, INT) => ignored, "size",
        "bad initial process dictionary size {}", "first size of a process dictionary";
    "H" Alone Nothing => notes "The undocumented +H option has been removed (R10B-6).\n", "",
        "", "removed long ago; warns";
    "i" Next Text => sets boot_module: Vec<u8> = b"init".to_vec(), "module",
        "", "module that boots the node (init)";
    "IOp" NextOnly digits(1, INT) => sets poll_sets: i64 = 1, "number",
        "bad I/O pollset number: {}", "poll sets; no effect";
    "IOPp" NextOnly digits(0, 100) => ignored, "percent",
        "bad I/O pollset percentage number: {}", "poll sets; no effect";
    "IOPt" NextOnly digits(0, 100) => sets poll_threads_percent: i64 = 0, "percent",
        "bad I/O poll thread percentage number: {}", "poll threads; no effect";
    "IOs" NextOnly Bool => ignored, "bool",
        "bad +IOs boolean argument: {}", "polling by schedulers, which ferl always does";
    "IOt" Next digits(1, MAX_SCHEDULERS) => sets poll_threads: Option<i64> = None, "number",
        "bad I/O poll threads number: {}", "poll threads; no effect";
    "JDdump" Next Bool => refused_for "true", "bool",
        "bad +JDdump flag {}", "dump machine code; refused when true";
    "JMsingle" Next Bool => ignored, "bool",
        "bad +JMsingle support flag {}", "map machine code once (OTP 27 and later); no effect", from OTP_27;
    "JPcover" Next OneOf(COVERAGE_MODES) => sets coverage: Word = "false", "bool|mode",
        "bad +JPcover flag {}", "count functions or lines that run (OTP 27 and later)", from OTP_27;
    "JPperf" Next OneOf(PERF_SUPPORTS) => sets perf: Word = "false", "bool|map|dump",
        "bad +JPperf support flag {}", "let Linux perf name Erlang functions";
    "JPperf" Next OneOf(PERF_SUPPORTS_27) => does Perf, "bool|map|dump|fp|no_fp",
        "bad +JPperf support flag {}", "", from OTP_27;
    "JPperfdirectory" Next Text => sets perf_directory: Option<PathBuf> = None, "folder",
        "", "where +JPperf writes its files, /tmp (OTP 29 and later)", from OTP_29;
    "K" Next Text => ignored, "bool",
        "", "kernel poll, which is always on";
    "L" Alone Nothing => sets line_numbers: bool = true, "",
        "", "do not load names of source files and line numbers";
    "n" Next OneOf(&["s", "a", "d"]) => ignored, "s|a|d",
        "bad -n option {}", "signals to ports; deprecated, no effect";
    "native_checks" Next Bool => sets native_checks: bool = false, "bool",
        "bad +native_checks flag {}", "end the node where a native library misuses terms (not in erl)", from ferl;
    "native_libs" Next Bool => sets native_libraries: bool = true, "bool",
        "bad +native_libs flag {}", "load native libraries; false refuses them all (not in erl)", from ferl;
    "pad" Next Bool => sets async_dist: bool = false, "bool",
        "bad async dist value {}", "processes do not wait for busy connections (OTP 26 and later)", from OTP_26;
    "pc" Next OneOf(PRINTABLE_RANGES) => sets printable_range: Word = "latin1", "range",
        "bad range of printable characters: {}", "printable characters: latin1 or unicode";
    "profile" Next Name => sets profile: Option<PathBuf> = None, "name",
        "bad +profile name {}", "write NAME.html, a flame graph of the run, and NAME.folded (not in erl)", from ferl;
    "profile_hz" Next number(1, 10_000) => sets profile_hz: u32 = 1000, "number",
        "bad +profile_hz number {}", "samples in a second of a thread's time, 1000 (not in erl)", from ferl;
    "P" Next number_or("legacy", MIN_IDENTIFIERS, MAX_IDENTIFIERS, Digits::Lenient)
        => sets process_limit: usize = 1 << 18, "number",
        "bad number of processes {}", "most processes, from 1024 to 134217727";
    "Q" Next number_or("legacy", MIN_IDENTIFIERS, MAX_IDENTIFIERS, Digits::Lenient)
        => sets port_limit: usize = 65_536, "number",
        "bad number of ports {}", "most ports, from 1024 to 134217727";
    "r" Alone Nothing => ignored, "",
        "", "move ETS blocks; no effect";
    "rg" Next digits(0, INT) => ignored, "limit",
        "bad reader groups limit: {}", "groups of lock readers; no effect";
    "R" Next number(23, 25) => ignored, "release",
        "bad compatibility release number {}", "be compatible with this release; no effect";
    "R" Next number(24, 26) => ignored, "release", "bad compatibility release number {}", "", from OTP_26;
    "R" Next number(25, 27) => ignored, "release", "bad compatibility release number {}", "", from OTP_27;
    "R" Next number(26, 28) => ignored, "release", "bad compatibility release number {}", "", from OTP_28;
    "R" Next number(27, 29) => ignored, "release", "bad compatibility release number {}", "", from OTP_29;
    "S" Next Pair => does Schedulers, "n1:n2",
        "bad amount of schedulers {}", "schedulers, and how many of them are online";
    "SDcpu" Next Pair => does DirtyCpuSchedulers, "n1:n2",
        "bad amount of dirty CPU schedulers {}", "dirty CPU schedulers, and how many are online";
    "SDPcpu" Next Pair => does DirtyCpuSchedulersPercent, "p1:p2",
        "bad dirty CPU schedulers percentage specifier {}", "the same in percent of the processors";
    "SDio" Next number(1, MAX_SCHEDULERS) => sets dirty_io_schedulers: usize = 10, "number",
        "bad number of dirty I/O schedulers {}", "dirty I/O schedulers";
    "SP" Next Pair => does SchedulersPercent, "p1:p2",
        "bad schedulers percentage specifier {}", "schedulers in percent of the processors";
    "sbt" Next OneOf(BIND_TYPES) => does BindType, "type",
        "setting scheduler bind type '{}' failed: invalid type", "bind schedulers to processors";
    "sbwt" Next OneOf(BUSY_WAITS) => sets busy_wait: Option<Word> = None, "threshold",
        "bad scheduler busy wait threshold: {}", "busy wait: none, very_short .. very_long";
    "sbwtdcpu" Next OneOf(BUSY_WAITS) => sets busy_wait_dirty_cpu: Option<Word> = None, "threshold",
        "bad dirty CPU scheduler busy wait threshold: {}", "the same for dirty CPU schedulers";
    "sbwtdio" Next OneOf(BUSY_WAITS) => sets busy_wait_dirty_io: Option<Word> = None, "threshold",
        "bad dirty IO scheduler busy wait threshold: {}", "the same for dirty I/O schedulers";
    "scl" Next Bool => ignored, "bool",
        "bad scheduler compact load value '{}'", "compaction of load; no effect";
    "sct" Next Topology => sets cpu_topology: Option<Vec<CpuPlace>> = None, "topology",
        "bad cpu topology '{}'", "CPU topology, instead of the one that the system reports";
    "secio" Next Text => ignored, "bool",
        "", "eager check of I/O; no effect";
    "sfwi" Next number(0, LONG) => ignored, "interval",
        "bad scheduler forced wakeup interval {}", "forced wake-up of schedulers; no effect";
    "spp" Next Bool => sets port_parallelism: bool = false, "bool",
        "bad port parallelism scheduling hint {}", "queue signals to ports";
    "ssrct" Alone Nothing => sets skip_cpu_topology: bool = false, "",
        "", "skip reading the CPU topology";
    "sss" Next number(20, 8192) => ignored, "size",
        "bad stack size for scheduler threads {}", "stack of schedulers; no effect";
    "sssdcpu" Next number(20, 8192) => ignored, "size",
        "bad stack size for dirty CPU scheduler threads {}", "the same, dirty CPU; no effect";
    "sssdio" Next number(20, 8192) => ignored, "size",
        "bad stack size for dirty IO scheduler threads {}", "the same, dirty I/O; no effect";
    "stbt" Next OneOf(BIND_TYPES) => does BindType, "type",
        "setting scheduler bind type '{}' failed: invalid type", "as +sbt, if possible";
    "sub" Next Bool => ignored, "bool",
        "bad scheduler utilization balancing  value '{}'", "balance utilization; no effect";
    "swct" Next OneOf(CLEANUPS) => ignored, "threshold",
        "scheduler wake cleanup threshold: {}", "wake for cleaning up; no effect";
    "sws" Next OneOf(&["default", "legacy"]) => ignored, "strategy",
        "scheduler wakeup strategy: {}", "strategy of wake-ups; no effect";
    "swt" Next OneOf(WAKEUPS) => ignored, "threshold",
        "scheduler wakeup threshold: {}", "when to wake schedulers; no effect";
    "swtdcpu" Next OneOf(WAKEUPS) => ignored, "threshold",
        "dirty CPU scheduler wakeup threshold: {}", "the same, dirty CPU; no effect";
    "swtdio" Next OneOf(WAKEUPS) => ignored, "threshold",
        "dirty IO scheduler wakeup threshold: {}", "the same, dirty I/O; no effect";
    "t" Next number(MIN_ATOMS, MAX_ATOMS) => sets atom_limit: usize = 1_048_576, "number",
        "bad atom table size {}", "most atoms, from 8192 to 2147483647";
    "T" Next number(0, 9) => ignored, "level",
        "bad modified timing level {}", "modified timing; no effect";
    "v" Alone Nothing => notes "warning: -v (only in debug compiled code)", "",
        "", "chatty mode, which only debug builds of stock have; warns";
    "V" Alone Nothing => does Version, "",
        "", "print the version";
    "W" Next StartsWith(WARNING_LEVELS) => sets warnings: Word = "w", "i|w|e",
        "unrecognized warning_map option {}", "log warnings as info, warning or error";
    "zdbbl" Next number(1, INT / 1024) => sets dist_busy_limit_kilobytes: usize = 1024, "kilobytes",
        "Invalid dbbl limit: {n}", "busy limit of the distribution buffer";
    "zdntgc" Next number_or("infinity", 0, 100_000_000, Digits::Strict)
        => sets node_table_gc_delay_s: Option<u32> = Some(60), "seconds",
        "Invalid delayed node table gc: {}", "how long an unused node stays in the table";
    "zebwt" Next OneOf(ETS_WAITS) => ignored, "threshold",
        "Invalid ets busy wait threshold: {}", "busy wait on ETS locks; no effect";
    "zhft" Next number_or("infinity", 0, INT, Digits::Lenient)
        => sets halt_flush_timeout_ms: Option<u32> = None, "milliseconds",
        "Invalid halt flush timeout {}", "how long halting may write what ports hold (OTP 27 and later)", from OTP_27;
    "zosrl" Next number(1, MAX_IDENTIFIERS) => sets outstanding_requests_limit: Option<usize> = None, "number",
        "Invalid outstanding requests limit {}", "requests a system process may have outstanding";

    // OTP's memory allocators: ferl has different ones, so these flags are checked but have no effect.
    "Mguard" Next Budget => sets memory_budget: MemoryBudget = MemoryBudget::Share(90), "budget",
        "bad +Mguard budget {}",
        "memory that the node may take: bytes, N% of what there is (90%), or off (not in erl)", from ferl;
    "M?as" Next OneOf(STRATEGIES) => ignored, "strategy",
        "bad \"M?a\" value: {}", "";
    "M?asbcst" Next digits(0, KB) => ignored, "kilobytes",
        "bad \"M?asbcst\" value: {}", "";
    "M?atags" Next Bool => ignored, "bool",
        "bad \"M?atags\" value: {}", "";
    "M@acul" Next number_or("de", 0, 100, Digits::Needed) => ignored, "percent",
        "bad \"M?acul\" value: {}", "";
    "M@acnl" Next digits(0, LONG) => ignored, "amount",
        "bad \"M?acnl\" value: {}", "";
    "M@acfml" Next digits(0, LONG) => ignored, "bytes",
        "bad \"M?acfml\" value: {}", "";
    "M@acful" Next number_or("de", 0, 100, Digits::Needed) => ignored, "percent",
        "bad \"M?acful\" value: {}", "";
    "M@cp" Next OneOf(&["B", "D", "E", "F", "H", "L", "R", "S", "@", ":"]) => ignored, "letter",
        "bad \"M?cp\" value: {}", "";
    "M?e" Next Bool => ignored, "bool",
        "bad \"M?e\" value: {}", "";
    "MTe" Next OneOf(&["true"]) => ignored, "true",
        "bad \"MTe\" value: {}", "";
    "MIe" Next OneOf(&["true"]) => ignored, "true",
        "bad \"MIe\" value: {}", "";
    "M?t" Next Bool => ignored, "bool",
        "bad \"M?t\" value: {}", "";
    "MIt" Next OneOf(&["false"]) => ignored, "false",
        "bad \"MIt\" value: {}", "";
    "M?lmbcs" Next digits(0, KB) => ignored, "kilobytes",
        "bad \"M?lmbcs\" value: {}", "";
    "M?mbcgs" Next digits(0, LONG) => ignored, "amount",
        "bad \"M?mbcgs\" value: {}", "";
    "M?mbsd" Next digits(0, LONG) => ignored, "amount",
        "bad \"M?mbsd\" value: {}", "";
    "M?mmbcs" Next digits(0, KB) => ignored, "kilobytes",
        "bad \"M?mmbcs\" value: {}", "";
    "M?mmmbc" Next digits(0, LONG) => ignored, "amount",
        "bad \"M?mmmbc\" value: {}", "";
    "M?mmsbc" Next digits(0, LONG) => ignored, "amount",
        "bad \"M?mmsbc\" value: {}", "";
    "M?ramv" Next Bool => ignored, "bool",
        "bad \"M?ramv\" value: {}", "";
    "M?rmbcmt" Next digits(0, LONG) => ignored, "percent",
        "bad \"M?rmbcmt\" value: {}", "";
    "M?rsbcmt" Next digits(0, LONG) => ignored, "percent",
        "bad \"M?rsbcmt\" value: {}", "";
    "M?rsbcst" Next digits(0, LONG) => ignored, "percent",
        "bad \"M?rsbcst\" value: {}", "";
    "M?sbct" Next digits(0, KB) => ignored, "kilobytes",
        "bad \"M?sbct\" value: {}", "";
    "M?smbcs" Next digits(0, KB) => ignored, "kilobytes",
        "bad \"M?smbcs\" value: {}", "";
    "Mdai" Next number_or("max", 0, LONG, Digits::Needed) => ignored, "amount",
        "bad \"Mdai\" value: {}", "";
    "Mea" Next OneOf(&["min", "max", "config", "r9c", "r10b", "r11b"]) => ignored, "configuration",
        "bad \"Mea\" parameter", "";
    "MIscs" Next digits(0, MB) => ignored, "megabytes",
        "bad \"MIscs\" value: {}", "";
    "Mlpm" Next OneOf(&["all", "no"]) => refused_for "all", "all|no",
        "bad \"Mlpm\" value: {}", "lock memory; refused for all";
    "MMamcbf" Next digits(0, KB) => ignored, "kilobytes",
        "bad \"MMamcbf\" value: {}", "";
    "MMmcs" Next digits(0, LONG) => ignored, "amount",
        "bad \"MMmcs\" value: {}", "";
    "MMrmcbf" Next digits(0, LONG) => ignored, "percent",
        "bad \"MMrmcbf\" value: {}", "";
    "MMsco" Next Bool => ignored, "bool",
        "bad \"MMsco\" value: {}", "";
    "MMscrfsd" Next digits(0, LONG) => ignored, "amount",
        "bad \"MMscrfsd\" value: {}", "";
    "MMscrpm" Next Bool => ignored, "bool",
        "bad \"MMscrpm\" value: {}", "";
    "MMscs" Next digits(0, MB) => ignored, "megabytes",
        "bad \"MMscs\" value: {}", "";
    "Mumadtn" Next Bool => ignored, "bool",
        "bad \"Mumadtn\" value: {}", "", from OTP_28;
    "Mummc" Next digits(0, LONG) => ignored, "amount",
        "bad \"Mummc\" value: {}", "";
    "Musac" Next Bool => ignored, "bool",
        "bad \"Musac\" value: {}", "";
    "Muycs" Next digits(0, KB) => ignored, "kilobytes",
        "bad \"Muycs\" value: {}", "";
    "MYe" Next OneOf(&["true"]) => ignored, "true",
        "bad \"MYe\" value: {}", "";
    "MYm" Next Text => ignored, "name",
        "", "";
    "MYtp" Next digits(0, INT / 1024) => ignored, "kilobytes",
        "bad \"MYtp\" value: {}", "";
    "MYtt" Next digits(0, INT / 1024) => ignored, "kilobytes",
        "bad \"MYtt\" value: {}", "";
}

/// A flag that the launcher understands; every other `-flag` is passed unchanged to Erlang's `init`.
pub struct LauncherFlag {
    /// The name with its `-`.
    pub name: &'static str,
    pub action: LauncherAction,
    pub arguments: &'static str,
    pub help: &'static str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LauncherAction {
    Compile,
    ConfigDescriptor,
    Detached,
    DistributionProtocol,
    EmulatorFlavor,
    EmulatorType,
    Environment,
    Epmd,
    Extra,
    KeepWindow,
    Make,
    Manual,
    NoEpmd,
    NoInput,
    NodeName,
    PrintArguments,
    PrintName,
    PrintQuoted,
    ShowArguments,
    StartEpmd,
    Version,
}

macro_rules! launcher_rows {
    ($($name:literal $action:ident $arguments:literal $help:literal;)*) => {
        &[$(LauncherFlag {
            name: $name,
            action: LauncherAction::$action,
            arguments: $arguments,
            help: $help,
        }),*]
    };
}

/// The flags of the launcher. `-args_file` and `-smp` are read before these.
pub const LAUNCHER_FLAGS: &[LauncherFlag] = launcher_rows! {
    "-compile" Compile "file ..." "compile these modules and stop";
    "-configfd" ConfigDescriptor "fd" "read a configuration from this descriptor";
    "-detached" Detached "" "leave the terminal";
    "-emu_args" ShowArguments "" "print what the machine is started with";
    "-emu_args_exit" PrintArguments "" "print the machine's arguments, one a line, and stop";
    "-emu_flavor" EmulatorFlavor "flavor" "smp, jit or emu";
    "-emu_name_exit" PrintName "" "print the machine's name and stop";
    "-emu_qouted_cmd_exit" PrintQuoted "" "print the machine's quoted command line and stop";
    "-emu_type" EmulatorType "type" "opt, the only one";
    "-env" Environment "variable value" "set an environment variable";
    "-epmd" Epmd "command" "start this port mapper";
    "-extra" Extra "argument ..." "the rest is for the program";
    "-keep_window" KeepWindow "" "no effect";
    "-make" Make "" "make all, as an Emakefile says, and stop";
    "-man" Manual "page" "show a manual page";
    "-name" NodeName "name" "be a node with a long name";
    "-no_epmd" NoEpmd "" "start no port mapper; needs -proto_dist";
    "-noinput" NoInput "" "no shell, and nothing is read";
    "-proto_dist" DistributionProtocol "protocol" "distribution protocol";
    "-sname" NodeName "name" "be a node with a short name";
    "-start_epmd" StartEpmd "bool" "whether to start the port mapper";
    "-version" Version "" "print the version";
};

/// The launcher flag with this name.
pub fn find_launcher_flag(word: &[u8]) -> Option<&'static LauncherFlag> {
    LAUNCHER_FLAGS
        .iter()
        .find(|flag| flag.name.as_bytes() == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn longest_name_wins() {
        for (word, name, length) in [
            ("hms", "hms", 3),
            ("hmaxk", "hmaxk", 5),
            ("hmax100", "hmax", 4),
            ("h100", "h", 1),
            ("sbwtdcpu", "sbwtdcpu", 8),
            ("swtdio", "swtdio", 6),
            ("SDcpu4", "SDcpu", 5),
            ("S4", "S", 1),
            ("ec", "ec", 2),
            ("MBas", "M?as", 4),
            ("Mummc", "Mummc", 5),
            ("Mummbcs", "M?mmbcs", 7),
            ("MTe", "MTe", 3),
            ("MBe", "M?e", 3),
            ("MIscs", "MIscs", 5),
            ("hmaxib", "hmax", 4),
        ] {
            let (flag, found) = find(word.as_bytes(), Release::OTP_25).expect(word);
            assert_eq!((flag.name, found), (name, length), "{word}");
        }
        for word in [
            "Z", "", "sfoo", "MTacul", "Mfoo", "MXscs", "IOx", "SDx", "pfoo",
        ] {
            assert!(find(word.as_bytes(), Release::OTP_25).is_none(), "{word}");
        }
    }

    #[test]
    fn names_are_unique_and_rows_complete() {
        for (index, flag) in EMULATOR_FLAGS.iter().enumerate() {
            let twin = EMULATOR_FLAGS[..index]
                .iter()
                .find(|other| (other.name, other.origin) == (flag.name, flag.origin));
            assert!(twin.is_none(), "{} twice", flag.name);
            assert_eq!(
                flag.value == Value::Nothing,
                matches!(flag.place, ValuePosition::Alone | ValuePosition::Whole),
                "{}",
                flag.name
            );
            let can_fail = !matches!(flag.value, Value::Nothing | Value::Text);
            assert!(
                !can_fail || !flag.complaint.is_empty(),
                "{} has no complaint",
                flag.name
            );
        }
    }

    #[test]
    fn every_allowed_value_fits_its_field() {
        for flag in EMULATOR_FLAGS {
            let Effect::Sets(set) = flag.effect else {
                continue;
            };
            let values = match flag.value {
                Value::Nothing => vec![Parsed::Nothing],
                Value::Text | Value::Name => vec![Parsed::Text(b"text".to_vec())],
                Value::Bool => vec![Parsed::Bool(true), Parsed::Bool(false)],
                Value::OneOf(words) | Value::StartsWith(words) => {
                    words.iter().map(|word| Parsed::Word(word)).collect()
                }
                Value::Number { min, max, .. } => vec![Parsed::Number(min), Parsed::Number(max)],
                Value::NumberOr { min, max, .. } => {
                    vec![Parsed::Instead, Parsed::Number(min), Parsed::Number(max)]
                }
                Value::Budget => [
                    MemoryBudget::Unlimited,
                    MemoryBudget::Bytes(5),
                    MemoryBudget::Share(50),
                ]
                .map(Parsed::Budget)
                .to_vec(),
                Value::Topology => vec![Parsed::Topology(vec![[-1, 0, -1, 0, 0, 0]])],
                Value::Listen => vec![Parsed::Listen(SocketAddr::from(([127, 0, 0, 1], 80)))],
                Value::Pair => panic!("{}: no field holds this", flag.name),
            };
            let mut told = values.iter().map(|value| {
                let mut values = FlagValues::default();
                set(&mut values, value);
                values
            });
            let mut last = told.next().expect("a value");
            for next in told {
                assert_ne!(last, next, "{}", flag.name);
                last = next;
            }
        }
    }

    #[test]
    fn a_refused_value_is_an_allowed_one() {
        for flag in EMULATOR_FLAGS {
            if let Effect::RefusedFor(value) = flag.effect {
                match flag.value {
                    Value::Bool => assert!(["true", "false"].contains(&value)),
                    Value::OneOf(words) => assert!(words.contains(&value)),
                    other => panic!("{}: {other:?}", flag.name),
                }
            }
        }
    }
}
