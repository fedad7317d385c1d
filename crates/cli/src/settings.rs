//! Checks the machine's words against the table of emulator flags and turns them into a [`Config`].
//!
//! Words are read in the table's four rounds, each from left to right, so that of several errors the
//! one that stock would report is reported. Main thread only.

mod schedulers;

use std::os::unix::ffi::OsStringExt;

use isa::Release;
use isa::flags::{self, Effect, EmulatorFlag, Round, Setting, Value, ValuePosition};

use crate::config::{
    BindType, BreakMode, BusyWait, Config, FileNameEncoding, FileNameWarning, MessageQueueData,
    PerfSupport, PrintableRange, TimeWarp, WarningsMap,
};
use crate::launch::{Launch, MACHINE_NAME};
use crate::otp::Otp;
use crate::refusal::Refusal;
use crate::value::{self, Parsed};
use schedulers::Schedulers;

/// What the words request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wish {
    Run(Box<Config>),
    PrintVersion,
    PrintHelp,
}

/// The result, and the notes to be printed before it is carried out.
pub struct Reading {
    pub notes: Vec<String>,
    pub wish: Result<Wish, Refusal>,
}

/// Reads the words of `launch`. `processors` is the number of processors that this process may use.
pub fn read(launch: &Launch, otp: &Otp, processors: u32) -> Reading {
    let mut reader = Reader {
        config: defaults(launch, otp),
        schedulers: Schedulers::new(processors),
        notes: Vec::new(),
        interrupts_shell: false,
        poll_sets: 1,
        poll_threads: None,
        poll_threads_percent: 0,
    };
    let early = reader.read_all(launch);
    Reading {
        notes: std::mem::take(&mut reader.notes),
        wish: early.map(|early| early.unwrap_or_else(|| reader.finish(launch.smp))),
    }
}

/// The settings without any flags; some come from the environment.
fn defaults(launch: &Launch, otp: &Otp) -> Config {
    let variable = |name: &str| {
        let value = launch.environment.get(name)?;
        Some(value::leading_number(value).map_or(0, |(number, _)| number))
    };
    let since = |release: Release| otp.release.has(release);
    let clamped = |number: i64, min: i64, max: i64| number.clamp(min, max) as u32;
    Config {
        root_dir: otp.root.clone(),
        bin_dir: otp.bin.clone(),
        preloaded_dir: otp.preloaded.clone(),
        release: otp.release,
        erts_version: otp.erts_version.clone(),
        init_args: launch.init_words.clone(),
        emulator_args: launch.emulator_words.clone(),
        boot_module: b"init".to_vec(),
        environment: launch.environment.clone(),
        smp: launch.smp,
        flavor: launch.flavor,
        schedulers: 1,
        schedulers_online: 1,
        dirty_cpu_schedulers: 1,
        dirty_cpu_schedulers_online: 1,
        dirty_io_schedulers: 10,
        bind_type: BindType::Unbound,
        bind_if_possible: false,
        busy_wait: BusyWait::Medium,
        busy_wait_dirty_cpu: BusyWait::Short,
        busy_wait_dirty_io: BusyWait::Short,
        async_threads: clamped(
            variable("ERL_THREAD_POOL_SIZE").unwrap_or(1),
            1,
            flags::MAX_ASYNC_THREADS,
        ),
        process_limit: if since(Release::OTP_27) {
            1 << 20
        } else {
            1 << 18
        },
        port_limit: clamped(
            variable("ERL_MAX_PORTS").unwrap_or(65_536),
            flags::MIN_IDENTIFIERS,
            flags::MAX_IDENTIFIERS,
        ),
        atom_limit: 1_048_576,
        ets_limit: ets_limit(variable("ERL_MAX_ETS_TABLES").unwrap_or(0)),
        min_heap_size_words: None,
        min_bin_vheap_size_words: 46_422,
        max_heap_size_words: 0,
        max_heap_kill: true,
        max_heap_log: true,
        process_dictionary_size: 8,
        message_queue_data: MessageQueueData::OnHeap,
        fullsweep_after: variable("ERL_FULLSWEEP_AFTER").map_or(u16::MAX, |number| {
            number.clamp(0, i64::from(u16::MAX)) as u16
        }),
        port_parallelism: false,
        native_checks: false,
        native_libraries: true,
        dist_busy_limit_bytes: 1 << 20,
        node_table_gc_delay_s: Some(60),
        outstanding_requests_limit: 0,
        time_warp_mode: if since(Release::OTP_26) {
            TimeWarp::Multi
        } else {
            TimeWarp::No
        },
        time_correction: true,
        break_mode: BreakMode::Menu,
        file_name_encoding: FileNameEncoding::Default,
        file_name_warning: FileNameWarning::Warn,
        printable_range: PrintableRange::Latin1,
        warnings_map: WarningsMap::Warning,
        crash_dump: true,
        line_info: true,
        perf: PerfSupport::Off,
        coverage: flags::COVERAGE_MODES[0],
        debugger: false,
        line_breakpoints: true,
        code_calls: flags::DEFAULT_CODE_CALLS,
        profile: None,
        profile_hz: flags::DEFAULT_PROFILE_HZ,
    }
}

/// Raises a requested number of ETS tables to the minimum.
fn ets_limit(asked: i64) -> u32 {
    asked.clamp(8192, i64::from(i32::MAX)) as u32
}

/// A word, or a flag with its value.
enum Item<'a> {
    Flag {
        flag: &'static EmulatorFlag,
        word: &'a [u8],
        /// `None` if an optional value is left out.
        value: Option<&'a [u8]>,
    },
    /// Starts with `-`, but is not a known flag.
    Unknown(&'a [u8]),
    /// A flag at the end of all words, without the value that it needs.
    Unfinished,
    /// Does not start with `-`.
    Stray,
}

impl Item<'_> {
    fn round(&self) -> Round {
        match self {
            Item::Flag { flag, .. } => flag.round(),
            Item::Unknown(word) if word.starts_with(b"-M") => Round::Allocators,
            Item::Unknown(_) | Item::Unfinished | Item::Stray => Round::Rest,
        }
    }
}

/// Groups the machine's words into flags with their values, up to the first `--` that is not the value of a flag.
fn items(launch: &Launch) -> Vec<Item<'_>> {
    let mut words = launch.arguments().peekable();
    let mut items = Vec::new();
    while let Some(word) = words.next() {
        if word == b"--" {
            break;
        }
        let Some(name) = word.strip_prefix(b"-") else {
            items.push(Item::Stray);
            continue;
        };
        let Some((flag, length)) = flags::find(name) else {
            items.push(Item::Unknown(word));
            continue;
        };
        let rest = &name[length..];
        let value = match flag.place {
            ValuePosition::Whole | ValuePosition::NextOnly if !rest.is_empty() => {
                items.push(Item::Unknown(word));
                continue;
            }
            ValuePosition::Alone | ValuePosition::Whole => None,
            _ if !rest.is_empty() => Some(rest),
            ValuePosition::Optional => words.next_if(|next| value::parse(flag, next).is_ok()),
            ValuePosition::Next | ValuePosition::NextOnly | ValuePosition::Joined => {
                let next = words.next();
                if next.is_none() {
                    items.push(Item::Unfinished);
                    break;
                }
                next
            }
        };
        items.push(Item::Flag { flag, word, value });
    }
    items
}

/// The state while the words are read.
struct Reader {
    config: Config,
    schedulers: Schedulers,
    notes: Vec<String>,
    interrupts_shell: bool,
    poll_sets: i64,
    poll_threads: Option<i64>,
    poll_threads_percent: i64,
}

impl Reader {
    /// Reads all words; returns `Some` if a flag requests something other than to run the machine.
    fn read_all(&mut self, launch: &Launch) -> Result<Option<Wish>, Refusal> {
        let items = items(launch);
        for round in Round::ALL {
            for item in items.iter().filter(|item| item.round() == round) {
                if let Some(wish) = self.read_item(item)? {
                    return Ok(Some(wish));
                }
            }
            match round {
                Round::Threads => self.schedulers.apply_percentages()?,
                Round::Polling => self.check_polling()?,
                Round::Allocators | Round::Rest => {}
            }
        }
        Ok(None)
    }

    fn read_item(&mut self, item: &Item<'_>) -> Result<Option<Wish>, Refusal> {
        match *item {
            Item::Flag { flag, word, value } => self.read_flag(flag, word, value),
            Item::Unknown(word) => Err(Refusal::emulator(unknown(word))),
            Item::Unfinished => Err(Refusal::emulator("too few arguments")),
            Item::Stray => Err(Refusal::emulator("")),
        }
    }

    fn read_flag(
        &mut self,
        flag: &'static EmulatorFlag,
        word: &[u8],
        text: Option<&[u8]>,
    ) -> Result<Option<Wish>, Refusal> {
        if !self.config.release.has(flag.since()) {
            return Err(Refusal::emulator(unknown(word)));
        }
        let complain = |complaint: String| {
            // One allocator row covers several flags; the letter of the actual one is in the word.
            let letter = word.get(2).copied().map_or('?', char::from);
            Refusal::emulator(if flag.name.starts_with('M') {
                complaint.replacen('?', &letter.to_string(), 1)
            } else {
                complaint
            })
        };
        let parsed = match text {
            Some(text) => value::parse(flag, text).map_err(complain)?,
            None => Parsed::Nothing,
        };
        match flag.effect {
            Effect::Ignored => Ok(None),
            Effect::RefusedFor(refused) if names(flag.value, &parsed) == Some(refused) => Err(
                Refusal::plain(format!("ferl: +{} {refused} is not supported", flag.name)),
            ),
            Effect::RefusedFor(_) => Ok(None),
            Effect::Used(setting) => self.set(setting, parsed, flag, text.unwrap_or_default()),
        }
    }

    fn set(
        &mut self,
        setting: Setting,
        parsed: Parsed,
        flag: &'static EmulatorFlag,
        text: &[u8],
    ) -> Result<Option<Wish>, Refusal> {
        let config = &mut self.config;
        match setting {
            Setting::AsyncThreads => config.async_threads = number(&parsed).max(1),
            Setting::AtomLimit => config.atom_limit = number(&parsed),
            Setting::BindType => {
                config.bind_type = choice(&parsed, BindType::ALL);
                config.bind_if_possible = flag.name == "stbt";
            }
            Setting::BootModule => config.boot_module = text.to_vec(),
            Setting::BreakMode => self.set_break_mode(&parsed),
            Setting::BusyWait => config.busy_wait = choice(&parsed, BusyWait::ALL),
            Setting::BusyWaitDirtyCpu => {
                config.busy_wait_dirty_cpu = choice(&parsed, BusyWait::ALL);
            }
            Setting::BusyWaitDirtyIo => {
                config.busy_wait_dirty_io = choice(&parsed, BusyWait::ALL);
            }
            Setting::Coverage => config.coverage = choice(&parsed, flags::COVERAGE_MODES),
            Setting::CrashDump => config.crash_dump = false,
            Setting::Debugger => config.debugger = true,
            Setting::DirtyCpuSchedulers => self.schedulers.set_dirty_cpu(pair(&parsed))?,
            Setting::DirtyCpuSchedulersPercent => {
                self.schedulers.dirty_percent = percentages(pair(&parsed))
                    .ok_or_else(|| Refusal::emulator(value::complaint(flag, text)))?;
            }
            Setting::DirtyIoSchedulers => config.dirty_io_schedulers = number(&parsed),
            Setting::DistBusyLimit => config.dist_busy_limit_bytes = number(&parsed) * 1024,
            Setting::EtsLimit => config.ets_limit = ets_limit(i64::from(number(&parsed))),
            Setting::FileNameEncoding => self.set_file_names(text, flag)?,
            Setting::Help => return Ok(Some(Wish::PrintHelp)),
            Setting::LineBreakpoints => config.line_breakpoints = parsed == Parsed::Bool(true),
            Setting::LineInfo => config.line_info = false,
            Setting::MaxHeap => config.max_heap_size_words = long_number(&parsed),
            Setting::MaxHeapKill => config.max_heap_kill = parsed == Parsed::Bool(true),
            Setting::MaxHeapLog => config.max_heap_log = parsed == Parsed::Bool(true),
            Setting::MessageQueueData => {
                config.message_queue_data = choice(&parsed, MessageQueueData::ALL);
            }
            Setting::MinBinVheap => config.min_bin_vheap_size_words = number(&parsed),
            Setting::MinHeap => config.min_heap_size_words = Some(number(&parsed)),
            Setting::NodeTableGc => {
                config.node_table_gc_delay_s = (parsed != Parsed::Instead).then(|| number(&parsed));
            }
            Setting::OutstandingRequests => config.outstanding_requests_limit = number(&parsed),
            Setting::PerfSupport => config.perf = choice(&parsed, PerfSupport::ALL),
            Setting::PollSets => self.poll_sets = i64::from(number(&parsed)),
            Setting::PollThreads => self.poll_threads = Some(i64::from(number(&parsed))),
            Setting::PollThreadsPercent => {
                self.poll_threads_percent = i64::from(number(&parsed));
            }
            Setting::PortLimit => {
                if parsed != Parsed::Instead {
                    config.port_limit = number(&parsed);
                }
            }
            Setting::NativeChecks => config.native_checks = parsed == Parsed::Bool(true),
            Setting::NativeLibraries => config.native_libraries = parsed == Parsed::Bool(true),
            Setting::CodeCalls => config.code_calls = number(&parsed) as u16,
            Setting::Profile => {
                config.profile = Some(std::ffi::OsString::from_vec(text.to_vec()).into());
            }
            Setting::ProfileHz => config.profile_hz = number(&parsed),
            Setting::PortParallelism => config.port_parallelism = parsed == Parsed::Bool(true),
            Setting::PrintableRange => {
                config.printable_range = choice(&parsed, PrintableRange::ALL);
            }
            Setting::ProcessDictionary => config.process_dictionary_size = number(&parsed),
            Setting::ProcessLimit => {
                if parsed != Parsed::Instead {
                    config.process_limit = number(&parsed);
                }
            }
            Setting::RemovedFlag => self
                .notes
                .push("The undocumented +H option has been removed (R10B-6).\n".to_owned()),
            Setting::Schedulers => self.schedulers.set(pair(&parsed))?,
            Setting::SchedulersPercent => {
                self.schedulers.percent = percentages(pair(&parsed))
                    .ok_or_else(|| Refusal::emulator(value::complaint(flag, text)))?;
            }
            Setting::TimeCorrection => config.time_correction = parsed == Parsed::Bool(true),
            Setting::TimeWarp => config.time_warp_mode = choice(&parsed, TimeWarp::ALL),
            Setting::Verbose => self
                .notes
                .push("warning: -v (only in debug compiled code)".to_owned()),
            Setting::Version => return Ok(Some(Wish::PrintVersion)),
            Setting::WarningsMap => config.warnings_map = choice(&parsed, WarningsMap::ALL),
        }
        Ok(None)
    }

    /// Of several `+B` flags, `i` (ignore) takes precedence over `c` (interrupt the shell), and `c` over the others.
    fn set_break_mode(&mut self, parsed: &Parsed) {
        let asked = match parsed {
            Parsed::Choice(0) => BreakMode::Ignore,
            Parsed::Choice(1) => BreakMode::InterruptShell,
            _ => BreakMode::Default,
        };
        self.interrupts_shell |= asked == BreakMode::InterruptShell;
        if self.config.break_mode != BreakMode::Ignore {
            self.config.break_mode = match asked {
                BreakMode::Ignore => asked,
                _ if self.interrupts_shell => BreakMode::InterruptShell,
                _ => asked,
            };
        }
    }

    /// Parses `l`, or `u` or `a` followed by a letter that selects what happens to names in another encoding.
    fn set_file_names(&mut self, text: &[u8], flag: &'static EmulatorFlag) -> Result<(), Refusal> {
        let (encoding, warning) = match text {
            [b'l', ..] => (FileNameEncoding::Latin1, b"".as_slice()),
            [b'u', rest @ ..] => (FileNameEncoding::Utf8, rest),
            [b'a', rest @ ..] => (FileNameEncoding::Locale, rest),
            _ => return Err(Refusal::emulator(value::complaint(flag, text))),
        };
        self.config.file_name_encoding = encoding;
        self.config.file_name_warning = match warning.first() {
            None | Some(b'w') => FileNameWarning::Warn,
            Some(b'i') => FileNameWarning::Ignore,
            Some(b'e') => FileNameWarning::Error,
            Some(_) => {
                return Err(Refusal::emulator(format!(
                    "bad type of warnings for wrongly coded filename: {}",
                    String::from_utf8_lossy(warning)
                )));
            }
        };
        Ok(())
    }

    /// Checks the flags for poll threads: ferl has none, but a command line that stock rejects is an error here, too.
    fn check_polling(&self) -> Result<(), Refusal> {
        let share = self.schedulers.total * self.poll_threads_percent / 100;
        let threads = self.poll_threads.unwrap_or(share.max(1));
        if threads >= self.poll_sets {
            return Ok(());
        }
        Err(Refusal::emulator(format!(
            "number of IO poll threads has to be greater or equal to the number of \n\
             IO pollsets. Current values are set to: \n  -IOt {threads} -IOp {}",
            self.poll_sets
        )))
    }

    fn finish(mut self, smp: bool) -> Wish {
        self.schedulers.fill(&mut self.config, smp);
        if self.config.outstanding_requests_limit == 0 {
            self.config.outstanding_requests_limit = 2 * self.config.schedulers;
        }
        Wish::Run(Box::new(self.config))
    }
}

/// The error message for a word that is not a flag.
fn unknown(word: &[u8]) -> String {
    let name = &word[1..];
    if name.starts_with(b"M") {
        // Stock parses such a word up to the letter of the allocator.
        let known = name
            .get(1)
            .filter(|letter| flags::ALLOCATOR_LETTERS.contains(letter) || b"MYld".contains(letter));
        let letter = known.copied().map(char::from);
        return format!(
            "bad \"M{}\" parameter",
            letter.map(String::from).unwrap_or_default()
        );
    }
    let word = String::from_utf8_lossy(word);
    match flags::family(name) {
        Some(family) => family.complaint.replace("{}", &word),
        None => format!("{MACHINE_NAME} unknown flag {word}"),
    }
}

/// The word that was read, if the value is a word.
fn names(value: Value, parsed: &Parsed) -> Option<&'static str> {
    match (value, parsed) {
        (Value::OneOf(words), Parsed::Choice(index)) => words.get(*index).copied(),
        (Value::Bool, Parsed::Bool(true)) => Some("true"),
        (Value::Bool, Parsed::Bool(false)) => Some("false"),
        _ => None,
    }
}

/// The number that was read; the table's bounds keep all but `+hmax` within 31 bits.
fn number(parsed: &Parsed) -> u32 {
    u32::try_from(long_number(parsed)).unwrap_or(u32::MAX)
}

fn long_number(parsed: &Parsed) -> u64 {
    match parsed {
        Parsed::Number(number) => u64::try_from(*number).unwrap_or_default(),
        _ => 0,
    }
}

fn choice<T: Copy>(parsed: &Parsed, all: &[T]) -> T {
    match parsed {
        Parsed::Choice(index) => all[*index],
        other => unreachable!("a choice is read as its position, not as {other:?}"),
    }
}

fn pair(parsed: &Parsed) -> (Option<i64>, Option<i64>) {
    match parsed {
        Parsed::Pair(first, second) => (*first, *second),
        _ => (None, None),
    }
}

/// The percentages for all schedulers and for those online.
fn percentages(pair: (Option<i64>, Option<i64>)) -> Option<(i64, i64)> {
    let (total, online) = match pair {
        (Some(total), Some(online)) => (total, online),
        (Some(total), None) => (total, total.min(100)),
        (None, Some(online)) => (100, online),
        (None, None) => return None,
    };
    (total >= 0 && online >= 0).then_some((total, online))
}

#[cfg(test)]
mod tests;
