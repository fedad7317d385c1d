//! Checks the VM's words against the table of emulator flags and turns them into a [`Config`].
//!
//! Words are read in the table's four rounds, each from left to right, so that of several errors the
//! one that stock would report is reported. Main thread only.

mod schedulers;

use runtime::process::config::{BreakMode, Config};
use spec::Release;
use spec::flags::{self, Action, Effect, EmulatorFlag, FlagValues, Parsed, Round, ValuePosition};

use crate::launch::{Flavor, Launch, VM_NAME};
use crate::otp::Otp;
use crate::refusal::Refusal;
use crate::value;
use schedulers::Schedulers;
pub use schedulers::Usable;

/// What the words request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    Run(Box<Config>),
    PrintVersion,
    PrintHelp,
}

/// The result, and the notes to be printed before it is carried out.
pub struct Reading {
    pub notes: Vec<String>,
    pub outcome: Result<Outcome, Refusal>,
}

/// Reads the words of `launch`.
pub fn read(launch: &Launch, otp: &Otp, processors: Usable) -> Reading {
    let mut reader = Reader {
        config: defaults(launch, otp),
        schedulers: Schedulers::new(processors),
        notes: Vec::new(),
    };
    let early = reader.read_all(launch);
    Reading {
        notes: std::mem::take(&mut reader.notes),
        outcome: early.map(|early| early.unwrap_or_else(|| reader.finish(launch.smp))),
    }
}

/// The settings without any flags; some come from the environment.
fn defaults(launch: &Launch, otp: &Otp) -> Config {
    let variable = |name: &str| {
        let value = launch.environment.get(name)?;
        Some(value::leading_number(value).map_or(0, |(number, _)| number))
    };
    let locale_utf8 = sys::locale::is_utf8(|name| launch.environment.get(name));
    let since = |release: Release| otp.release.has(release);
    let clamped = |number: i64, min: i64, max: i64| number.clamp(min, max) as usize;
    let mut flags = FlagValues::default();
    if let Some(number) = variable("ERL_THREAD_POOL_SIZE") {
        flags.async_threads = clamped(number, 1, flags::MAX_ASYNC_THREADS);
    }
    if let Some(number) = variable("ERL_MAX_PORTS") {
        flags.port_limit = clamped(number, flags::MIN_IDENTIFIERS, flags::MAX_IDENTIFIERS);
    }
    if let Some(number) = variable("ERL_MAX_ETS_TABLES") {
        flags.ets_limit = clamped(number, 0, i64::from(i32::MAX));
    }
    if since(Release::OTP_26) {
        flags.time_warp_mode = "multi_time_warp";
    }
    if since(Release::OTP_27) {
        flags.process_limit = 1 << 20;
    }
    Config {
        flags,
        root_dir: otp.root.clone(),
        release: otp.release,
        erts_version: otp.erts_version.clone(),
        init_args: launch.init_words.clone(),
        emulator_args: launch.emulator_words.clone(),
        schedulers: 1,
        schedulers_online: 1,
        dirty_cpu_schedulers: 1,
        dirty_cpu_schedulers_online: 1,
        follows_processors: false,
        dirty_follow_processors: false,
        bind_type: "u",
        bind_if_possible: false,
        machine_code: launch.flavor != Flavor::Emu,
        fullsweep_after: variable("ERL_FULLSWEEP_AFTER").map_or(u16::MAX, |number| {
            number.clamp(0, i64::from(u16::MAX)) as u16
        }),
        locale_utf8,
        file_names_utf8: locale_utf8,
        wrong_file_names: "warning",
        break_mode: BreakMode::Menu,
    }
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

/// Groups the VM's words into flags with their values, up to the first `--` that is not the value of a flag.
fn items(launch: &Launch, release: Release) -> Vec<Item<'_>> {
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
        let Some((flag, length)) = flags::find(name, release) else {
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
}

impl Reader {
    /// Reads all words; returns `Some` if a flag requests something other than to run the VM.
    fn read_all(&mut self, launch: &Launch) -> Result<Option<Outcome>, Refusal> {
        let items = items(launch, self.config.release);
        for round in Round::ALL {
            for item in items.iter().filter(|item| item.round() == round) {
                if let Some(outcome) = self.read_item(item)? {
                    return Ok(Some(outcome));
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

    fn read_item(&mut self, item: &Item<'_>) -> Result<Option<Outcome>, Refusal> {
        match *item {
            Item::Flag { flag, word, value } => self.read_flag(flag, word, value),
            Item::Unknown(word) => Err(Refusal::emulator(unknown(word, self.config.release))),
            Item::Unfinished => Err(Refusal::emulator("too few arguments")),
            Item::Stray => Err(Refusal::emulator("")),
        }
    }

    fn read_flag(
        &mut self,
        flag: &'static EmulatorFlag,
        word: &[u8],
        text: Option<&[u8]>,
    ) -> Result<Option<Outcome>, Refusal> {
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
            Effect::Sets(set) => set(&mut self.config.flags, &parsed),
            Effect::Does(action) => {
                return self.act(action, parsed, flag, text.unwrap_or_default());
            }
            Effect::Notes(note) => self.notes.push(note.to_owned()),
            Effect::RefusedFor(refused) if names(&parsed) == Some(refused) => {
                return Err(Refusal::plain(format!(
                    "ferl: +{} {refused} is not supported",
                    flag.name
                )));
            }
            Effect::RefusedFor(_) | Effect::Ignored => {}
        }
        Ok(None)
    }

    fn act(
        &mut self,
        action: Action,
        parsed: Parsed,
        flag: &'static EmulatorFlag,
        text: &[u8],
    ) -> Result<Option<Outcome>, Refusal> {
        let config = &mut self.config;
        match action {
            Action::BindType => {
                if let Parsed::Word(word) = parsed {
                    config.bind_type = word;
                }
                config.bind_if_possible = flag.name == "stbt";
            }
            Action::BreakMode => {
                let asked = match parsed {
                    Parsed::Word("i") => BreakMode::Ignore,
                    Parsed::Word("c") => BreakMode::InterruptShell,
                    _ => BreakMode::Default,
                };
                config.break_mode = config.break_mode.max(asked);
            }
            // Whether frames have pointers is nothing that could be chosen.
            Action::Perf => match parsed {
                Parsed::Word("fp" | "no_fp") => {}
                Parsed::Word(word) => config.flags.perf = word,
                _ => {}
            },
            Action::DirtyCpuSchedulers => self.schedulers.set_dirty_cpu(pair(&parsed))?,
            Action::DirtyCpuSchedulersPercent => {
                let percentages = percentages(pair(&parsed))
                    .ok_or_else(|| Refusal::emulator(value::complaint(flag, text)))?;
                self.schedulers.set_dirty_percent(percentages);
            }
            Action::FileNames => self.set_file_names(text, flag)?,
            Action::Help => return Ok(Some(Outcome::PrintHelp)),
            Action::Schedulers => self.schedulers.set(pair(&parsed))?,
            Action::SchedulersPercent => {
                let percentages = percentages(pair(&parsed))
                    .ok_or_else(|| Refusal::emulator(value::complaint(flag, text)))?;
                self.schedulers.set_percent(percentages);
            }
            Action::Version => return Ok(Some(Outcome::PrintVersion)),
        }
        Ok(None)
    }

    /// Parses `l`, or `u` or `a` followed by a letter that selects what happens to names in another encoding.
    fn set_file_names(&mut self, text: &[u8], flag: &'static EmulatorFlag) -> Result<(), Refusal> {
        let (utf8, warning) = match text {
            [b'l', ..] => (false, b"".as_slice()),
            [b'u', rest @ ..] => (true, rest),
            [b'a', rest @ ..] => (self.config.locale_utf8, rest),
            _ => return Err(Refusal::emulator(value::complaint(flag, text))),
        };
        self.config.file_names_utf8 = utf8;
        self.config.wrong_file_names = match warning.first() {
            None | Some(b'w') => "warning",
            Some(b'i') => "ignore",
            Some(b'e') => "error",
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
        let flags = &self.config.flags;
        let share = self.schedulers.total * flags.poll_threads_percent / 100;
        let threads = flags.poll_threads.unwrap_or(share.max(1));
        if threads >= flags.poll_sets {
            return Ok(());
        }
        Err(Refusal::emulator(format!(
            "number of IO poll threads has to be greater or equal to the number of \n\
             IO pollsets. Current values are set to: \n  -IOt {threads} -IOp {}",
            flags.poll_sets
        )))
    }

    fn finish(mut self, smp: bool) -> Outcome {
        self.schedulers.fill(&mut self.config, smp);
        let flags = &mut self.config.flags;
        flags.async_threads = flags.async_threads.max(1);
        flags.ets_limit = flags.ets_limit.max(flags::MIN_ETS_TABLES);
        Outcome::Run(Box::new(self.config))
    }
}

/// The error message for a word that is not a flag.
fn unknown(word: &[u8], release: Release) -> String {
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
    match flags::family(name, release) {
        Some(family) => {
            let name = String::from_utf8_lossy(name);
            let complaint = family.complaint.replace("{}", &word);
            complaint.replace("{name}", &name)
        }
        None => format!("{VM_NAME} unknown flag {word}"),
    }
}

/// The word that was read, if the value is a word.
fn names(parsed: &Parsed) -> Option<&'static str> {
    match parsed {
        Parsed::Word(word) => Some(word),
        Parsed::Bool(true) => Some("true"),
        Parsed::Bool(false) => Some("false"),
        _ => None,
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
