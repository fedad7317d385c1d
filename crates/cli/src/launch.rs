//! Splits the words of a start between the VM and Erlang's `init`, and handles the flags for the launcher itself
//! (`-env`, `-detached`, `-make`, the port mapper for `-sname`, ...), as OTP's `erlexec` program does. The result is
//! exactly the command line with which stock's VM is started; a test compares the two.
//!
//! Nothing is executed here: a [`Launch`] describes what to do. Main thread only.

use std::ffi::OsStr;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use spec::flags::{self, LauncherAction, LauncherRule, Value, ValuePosition};

use crate::environment::Environment;
use crate::otp::Otp;
use crate::refusal::Refusal;
use crate::words::{self, Word};

/// What to start, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    /// Flags for the VM, with `-` in place of `+`.
    pub emulator_words: Vec<Word>,
    /// Everything after the first `--`: `-root R -bindir B -progname P -- -home H -- ...`.
    pub init_words: Vec<Word>,
    pub environment: Environment,
    /// False after `-smp disable`: one scheduler of each kind.
    pub smp: bool,
    pub flavor: Flavor,
    /// Leave the terminal and run in the background.
    pub detached: bool,
    /// What starts the port mapper, for a node that other nodes must be able to find.
    pub port_mapper: Option<PortMapper>,
    /// Print the command line first.
    pub announced: bool,
    /// Print the command line instead of starting.
    pub printed: Option<Print>,
}

/// What starts the port mapper.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PortMapper {
    /// OTP's own program, with the argument `-daemon`.
    Own(PathBuf),
    /// A command for the shell (`-epmd`).
    Command(Word),
}

/// The form of the engine selected by `-emu_flavor`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Flavor {
    /// Not given, or `smp`.
    #[default]
    Default,
    /// `jit`: machine code.
    Jit,
    /// `emu`: no machine code.
    Emu,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Print {
    /// One argument per line, without the program.
    Arguments,
    /// The whole command in one line, quoted.
    QuotedCommand,
}

/// The meaning of a command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    Start(Box<Launch>),
    PrintName,
    /// Execute `man` with these arguments.
    Manual {
        arguments: Vec<Word>,
        environment: Environment,
    },
}

/// The name of OTP's own start script.
const PROGNAME: &str = "erl";
/// The VM's name in messages and for `-emu_name_exit`.
pub const VM_NAME: &str = "ferl";

/// The name that programs find among the arguments of `init`, and scripts in the environment, to start further nodes:
/// the path of this program, which was called by the name `called` from `directory`. The name alone would not do: the
/// search path of a node begins with the folders of its OTP, where `erl` is another VM.
#[must_use]
pub fn program_name(called: &Path, directory: &Path, environment: &Environment) -> Vec<u8> {
    let is_there = |path: &PathBuf| path.is_file();
    let path = if called.components().count() > 1 {
        Some(directory.join(called)).filter(is_there)
    } else {
        let folders = environment.get("PATH").unwrap_or_default();
        let folders = folders.split(|byte| *byte == b':');
        folders
            .map(|folder| directory.join(OsStr::from_bytes(folder)).join(called))
            .find(is_there)
    };
    // OTP tells a name with spaces from one with arguments by looking for the file, but joins what several spaces part
    // by one.
    path.map(|path| path.into_os_string().into_vec())
        .filter(|path| !path.windows(2).any(|pair| pair == b"  "))
        .unwrap_or_else(|| PROGNAME.into())
}

/// What the command line `typed` (without the program's name) asks for, with the flags of the environment.
pub fn request(typed: &[Word], otp: &Otp, environment: &Environment) -> Result<Request, Refusal> {
    let words = words::merge(typed, environment, otp.release)?;
    let mut request = split(&words.flags, otp, environment)?;
    if let Request::Start(launch) = &mut request {
        launch.init_words.extend(words.program);
    }
    Ok(request)
}

/// Splits `words`, the flags that [`words::merge`] returns.
pub fn split(words: &[Word], otp: &Otp, environment: &Environment) -> Result<Request, Refusal> {
    let (smp, flavor) = machine_kind(words)?;
    let mut split = Split::new(words, otp, environment);
    while let Some(word) = split.next() {
        match word.first() {
            Some(b'-') => {
                if let Some(request) = split.launcher_word(word)? {
                    return Ok(request);
                }
            }
            Some(b'+') => split.emulator_word(word)?,
            _ => split.user.push(word.clone()),
        }
    }
    split.finish(smp, flavor)
}

/// Reads `-smp` and `-emu_*`, which select the VM, before any other flag. Their words stay in the list, for
/// `init:get_argument/1`.
fn machine_kind(words: &[Word]) -> Result<(bool, Flavor), Refusal> {
    let (mut smp, mut flavor) = (true, Flavor::Default);
    let mut words = words
        .iter()
        .take_while(|word| *word != b"-extra")
        .peekable();
    while let Some(word) = words.next() {
        match word.as_slice() {
            b"-smp" => match words.peek().map(|next| next.as_slice()) {
                Some(b"disable") => smp = false,
                Some(b"enable" | b"auto") => smp = true,
                _ => {}
            },
            b"-smpdisable" => smp = false,
            b"-smpenable" | b"-smpauto" => smp = true,
            b"-emu_type" => match value_of(word, words.next())? {
                b"opt" => {}
                _ => return Err(invalid_kind()),
            },
            b"-emu_flavor" => match value_of(word, words.next())? {
                b"smp" => flavor = Flavor::Default,
                b"jit" => flavor = Flavor::Jit,
                b"emu" => flavor = Flavor::Emu,
                _ => return Err(invalid_kind()),
            },
            _ => {}
        }
    }
    Ok((smp, flavor))
}

fn invalid_kind() -> Refusal {
    Refusal::plain(
        "ferl: Invalid emulator type or flavor. Available combinations are: \n  \
         -emu_type opt -emu_flavor smp\n  -emu_type opt -emu_flavor jit\n  \
         -emu_type opt -emu_flavor emu\n",
    )
}

/// The value of a flag that needs one: the next word, unless it is the end of a source (`--`).
fn value_of<'a>(flag: &[u8], next: Option<&'a Word>) -> Result<&'a [u8], Refusal> {
    match next {
        Some(word) if word != b"--" => Ok(word),
        _ => Err(Refusal::missing_argument(flag)),
    }
}

/// A split in progress.
struct Split<'a> {
    words: &'a [Word],
    position: usize,
    otp: &'a Otp,
    program_name: Word,
    environment: Environment,
    emulator: Vec<Word>,
    user: Vec<Word>,
    epmd: Option<Word>,
    starts_port_mapper: bool,
    distributed: bool,
    without_port_mapper: bool,
    other_protocol: bool,
    halts: bool,
    detached: bool,
    announced: bool,
    printed: Option<Print>,
}

impl<'a> Split<'a> {
    fn new(words: &'a [Word], otp: &'a Otp, environment: &Environment) -> Split<'a> {
        let mut split = Split {
            words,
            position: 0,
            otp,
            program_name: environment
                .get_non_empty("PROGNAME")
                .unwrap_or(PROGNAME.as_bytes())
                .to_vec(),
            environment: environment.clone(),
            emulator: Vec::new(),
            user: Vec::new(),
            epmd: None,
            starts_port_mapper: true,
            distributed: false,
            without_port_mapper: false,
            other_protocol: false,
            halts: false,
            detached: false,
            announced: false,
            printed: None,
        };
        split.set_up_environment();
        if let Some(home) = environment.get("HOME") {
            split.user.extend([b"-home".to_vec(), home.to_vec()]);
        }
        if let Some(port) = environment.get("ERL_EPMD_PORT") {
            split.user.extend([b"-epmd_port".to_vec(), port.to_vec()]);
        }
        split.user.push(b"--".to_vec());
        split
    }

    /// Sets the variables that OTP's own scripts and programs started by the node rely on.
    fn set_up_environment(&mut self) {
        let (root, bin) = (self.otp.root_bytes(), self.otp.bin_bytes());
        let path = search_path(self.environment.get("PATH"), root, bin);
        for (name, value) in [
            ("EMU", b"beam".as_slice()),
            ("ROOTDIR", root),
            ("BINDIR", bin),
            ("PROGNAME", &self.program_name.clone()),
            ("PATH", &path),
        ] {
            self.environment.set(name.as_bytes(), value);
        }
    }

    fn next(&mut self) -> Option<&'a Word> {
        let word = self.peek()?;
        self.position += 1;
        Some(word)
    }

    fn peek(&self) -> Option<&'a Word> {
        self.words.get(self.position)
    }

    fn value(&mut self, flag: &[u8]) -> Result<&'a [u8], Refusal> {
        let value = value_of(flag, self.peek())?;
        self.position += 1;
        Ok(value)
    }

    fn add_user(&mut self, words: &[&str]) {
        self.user
            .extend(words.iter().map(|word| word.as_bytes().to_vec()));
    }

    /// Handles a word that begins with `-`. Flags that the launcher does not know are passed to `init`.
    fn launcher_word(&mut self, word: &Word) -> Result<Option<Request>, Refusal> {
        let Some(flag) = flags::find_launcher_flag(word) else {
            self.user.push(word.clone());
            return Ok(None);
        };
        match flag.action {
            LauncherAction::Compile => {
                self.add_user(&["-noshell", "-noinput", "-s", "c", "lc_batch"]);
                self.emulator.push(b"-B".to_vec());
            }
            LauncherAction::ConfigDescriptor => {
                let descriptor = value_of(word, self.peek())?;
                if descriptor == b"0" {
                    self.add_user(&["-noshell", "-noinput"]);
                }
                self.user.push(word.clone());
            }
            LauncherAction::Detached => {
                self.detached = true;
                self.add_user(&["-noshell", "-noinput"]);
            }
            LauncherAction::DistributionProtocol => {
                self.pass_with_value(word)?;
                self.other_protocol = true;
            }
            LauncherAction::EmulatorFlavor | LauncherAction::EmulatorType => {
                self.user.push(word.clone());
            }
            LauncherAction::Environment => {
                let name = self.value(word)?;
                let value = self.value(word)?;
                self.environment.set(name, value);
            }
            LauncherAction::Epmd => self.epmd = Some(self.value(word)?.to_vec()),
            LauncherAction::Extra => {
                self.user
                    .extend_from_slice(&self.words[self.position - 1..]);
                self.position = self.words.len();
            }
            LauncherAction::KeepWindow => {}
            LauncherAction::Make => {
                self.add_user(&["-noshell", "-noinput", "-s", "make", "all_or_nothing"]);
                self.emulator.push(b"-B".to_vec());
                self.halts = true;
                self.position = self.words.len();
            }
            LauncherAction::Manual => {
                let pages = [self.otp.root_bytes(), b"/man"].concat();
                self.environment.set(b"MANPATH", &pages);
                return Ok(Some(Request::Manual {
                    arguments: self.words[self.position..].to_vec(),
                    environment: self.environment.clone(),
                }));
            }
            LauncherAction::NoEpmd => {
                self.user.push(word.clone());
                self.without_port_mapper = true;
                self.starts_port_mapper = false;
            }
            LauncherAction::NoInput => self.add_user(&["-noshell", "-noinput"]),
            LauncherAction::NodeName => {
                self.pass_with_value(word)?;
                self.distributed = true;
            }
            LauncherAction::PrintArguments => {
                // If both forms are requested, the quoted one wins, as on stock.
                self.printed.get_or_insert(Print::Arguments);
            }
            LauncherAction::PrintName => return Ok(Some(Request::PrintName)),
            LauncherAction::PrintQuoted => self.printed = Some(Print::QuotedCommand),
            LauncherAction::ShowArguments => self.announced = true,
            LauncherAction::StartEpmd => {
                self.starts_port_mapper = match self.pass_with_value(word)? {
                    b"true" => true,
                    b"false" => false,
                    _ => {
                        return Err(Refusal::launcher(
                            "Expected boolean argument for '-start_epmd'.",
                        ));
                    }
                };
            }
            LauncherAction::Version => self.emulator.push(b"-V".to_vec()),
        }
        Ok(None)
    }

    fn pass_with_value(&mut self, word: &Word) -> Result<&'a [u8], Refusal> {
        let value = self.value(word)?;
        self.user.extend([word.clone(), value.to_vec()]);
        Ok(value)
    }

    /// Handles a word that begins with `+`: passes it to the VM, with the next word if that is its value.
    fn emulator_word(&mut self, word: &Word) -> Result<(), Refusal> {
        let name = &word[1..];
        let passed = [b"-", name].concat();
        let known = flags::find(name, self.otp.release);
        let takes_next = match (known, flags::family(name, self.otp.release)) {
            (Some((flag, length)), _) => match flag.place {
                ValuePosition::Alone | ValuePosition::Whole | ValuePosition::Joined => false,
                // The launcher does not know the JIT flags: for any flag that begins with `J` it takes the next word.
                ValuePosition::Next | ValuePosition::NextOnly => {
                    length == name.len() || name.starts_with(b"J")
                }
                ValuePosition::Optional if length == name.len() => {
                    self.peek().is_some_and(|next| is_listed(flag.value, next))
                }
                ValuePosition::Optional
                    if flag.name == "B" && !starts_listed(flag.value, &name[1..]) =>
                {
                    return Err(Refusal::missing_argument(&passed));
                }
                ValuePosition::Optional => false,
            },
            (None, Some(family)) => match family.launcher {
                LauncherRule::Pass => false,
                LauncherRule::PassWithNext => true,
                LauncherRule::Refuse => return Err(Refusal::missing_argument(word)),
            },
            (None, None) => false,
        };
        // If the value is optional, it was found above, so it cannot be missing here.
        let value = takes_next.then(|| self.value(word)).transpose()?;
        self.emulator.push(passed);
        self.emulator.extend(value.map(<[u8]>::to_vec));
        Ok(())
    }

    fn finish(mut self, smp: bool, flavor: Flavor) -> Result<Request, Refusal> {
        if self.without_port_mapper && !self.other_protocol {
            return Err(Refusal::plain(
                "ferl: Missing -proto_dist option, expected when using -no_epmd.",
            ));
        }
        if self.halts {
            self.add_user(&["-s", "erlang", "halt"]);
        }
        let (root, bin) = (self.otp.root_bytes(), self.otp.bin_bytes());
        let port_mapper = (self.distributed && self.starts_port_mapper).then(|| {
            let own = || PortMapper::Own(self.otp.bin.join("epmd"));
            self.epmd.map_or_else(own, PortMapper::Command)
        });
        let mut init_words: Vec<Word> = [
            b"-root".as_slice(),
            root,
            b"-bindir",
            bin,
            b"-progname",
            &self.program_name,
            b"--",
        ]
        .map(<[u8]>::to_vec)
        .to_vec();
        init_words.append(&mut self.user);
        Ok(Request::Start(Box::new(Launch {
            emulator_words: self.emulator,
            init_words,
            environment: self.environment,
            smp,
            flavor,
            detached: self.detached,
            port_mapper,
            announced: self.announced,
            printed: self.printed,
        })))
    }
}

impl Launch {
    /// The arguments of the VM, as stock's VM receives them.
    pub fn arguments(&self) -> impl Iterator<Item = &[u8]> {
        let emulator = self.emulator_words.iter().map(Vec::as_slice);
        let init = self.init_words.iter().map(Vec::as_slice);
        emulator.chain([b"--".as_slice()]).chain(init)
    }
}

fn is_listed(value: Value, word: &[u8]) -> bool {
    match value {
        Value::Bool => word == b"true" || word == b"false",
        Value::OneOf(words) | Value::StartsWith(words) => {
            words.iter().any(|listed| listed.as_bytes() == word)
        }
        _ => false,
    }
}

fn starts_listed(value: Value, word: &[u8]) -> bool {
    match value {
        Value::StartsWith(words) => words
            .iter()
            .any(|listed| word.starts_with(listed.as_bytes())),
        _ => is_listed(value, word),
    }
}

/// `PATH` with OTP's programs in front, only once: it must not grow when nodes start nodes.
fn search_path(path: Option<&[u8]>, root: &[u8], bin: &[u8]) -> Vec<u8> {
    let programs = [root, b"/bin"].concat();
    match path {
        None => [bin, b":", &programs, b":"].concat(),
        Some(path) if find(path, root).is_none() => [bin, b":", &programs, b":", path].concat(),
        Some(mut path) => {
            let entry = [bin, b":"].concat();
            let mut result = entry.clone();
            while let Some(start) = find(path, &entry) {
                result.extend_from_slice(&path[..start]);
                path = &path[start + entry.len()..];
            }
            result.extend_from_slice(path);
            result
        }
    }
}

fn find(text: &[u8], part: &[u8]) -> Option<usize> {
    text.windows(part.len().max(1))
        .position(|window| window == part)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn start(line: &[&str]) -> Result<Request, Refusal> {
        let words: Vec<Word> = line.iter().map(|word| word.as_bytes().to_vec()).collect();
        split(&words, &Otp::at("/otp", "13.1.5"), &Environment::default())
    }

    fn launch(line: &[&str]) -> Launch {
        match start(line) {
            Ok(Request::Start(launch)) => *launch,
            other => panic!("{line:?}: {other:?}"),
        }
    }

    fn shown(words: &[Word]) -> String {
        let words: Vec<_> = words
            .iter()
            .map(|word| String::from_utf8_lossy(word))
            .collect();
        words.join(" ")
    }

    #[test]
    fn program_name_is_the_path_by_which_it_was_called() {
        let folder = std::env::temp_dir().join(format!("ferl-program-name-{}", std::process::id()));
        let (there, spaced) = (folder.join("bin"), folder.join("a folder"));
        let twice = folder.join("two  spaces");
        for folder in [&there, &spaced, &twice] {
            std::fs::create_dir_all(folder).unwrap();
            std::fs::write(folder.join("ferl"), "").unwrap();
        }
        let mut environment = Environment::default();
        environment.set(b"PATH", format!("/nowhere:{}", there.display()).as_bytes());
        let name = |called: &str, directory: &Path| {
            let name = program_name(Path::new(called), directory, &environment);
            PathBuf::from(OsStr::from_bytes(&name))
        };
        assert_eq!(name("ferl", Path::new("/")), there.join("ferl"));
        assert_eq!(name("bin/ferl", &folder), folder.join("bin/ferl"));
        let absolute = there.join("ferl");
        assert_eq!(name(absolute.to_str().unwrap(), Path::new("/")), absolute);
        let spaced = spaced.join("ferl");
        assert_eq!(name(spaced.to_str().unwrap(), Path::new("/")), spaced);
        for (called, directory) in [("gone", &there), ("./ferl", &twice), ("bin/gone", &folder)] {
            assert_eq!(name(called, directory), Path::new("erl"), "{called}");
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn smp_disable_is_one_scheduler_and_stays_visible_to_init() {
        let launch = launch(&["-smp", "disable", "a"]);
        assert!(!launch.smp);
        assert!(shown(&launch.init_words).ends_with("-- -- -smp disable a"));
    }

    #[test]
    fn value_stands_in_the_next_word_or_the_same() {
        for (line, emulator) in [
            (&["+P", "5000", "x"][..], "-P 5000"),
            (&["+P5000", "x"], "-P5000"),
            (&["+sbwtdio", "none"], "-sbwtdio none"),
            (&["+B", "i"], "-B i"),
            (&["+B", "x"], "-B"),
            (&["+Bi", "i"], "-Bi"),
            (&["+c", "true"], "-c true"),
            (&["+c", "x"], "-c"),
            (&["+MBas", "bf"], "-MBas bf"),
            (&["+JPperf", "true"], "-JPperf true"),
            (&["+fnu", "x"], "-fnu"),
            (&["+fn", "u"], "-fn"),
            (&["+", "u"], "-"),
        ] {
            assert_eq!(shown(&launch(line).emulator_words), emulator, "{line:?}");
        }
    }

    #[test]
    fn a_missing_value_is_refused() {
        for (line, flag) in [
            (&["+P"][..], "+P"),
            (&["+P", "--"], "+P"),
            (&["+IOx", "3"], "+IOx"),
            (&["+SDx", "3"], "+SDx"),
            (&["+Bx"], "-Bx"),
            (&["-env", "A"], "-env"),
            (&["-sname"], "-sname"),
            (&["-emu_type"], "-emu_type"),
        ] {
            let message = start(line).unwrap_err().message;
            assert_eq!(message, format!("Missing argument(s) for '{flag}'."));
        }
    }

    #[test]
    fn port_mapper_starts_for_named_nodes_only() {
        assert_eq!(launch(&["a"]).port_mapper, None);
        assert_eq!(
            launch(&["-sname", "a", "-start_epmd", "false"]).port_mapper,
            None
        );
        assert_eq!(
            launch(&["-sname", "a"]).port_mapper,
            Some(PortMapper::Own("/otp/erts-13.1.5/bin/epmd".into()))
        );
        assert_eq!(
            launch(&["-name", "a", "-epmd", "mine -d"]).port_mapper,
            Some(PortMapper::Command(b"mine -d".to_vec()))
        );
    }

    #[test]
    fn search_path_names_the_programs_once() {
        let path = |path: Option<&str>| {
            let path = search_path(path.map(str::as_bytes), b"/otp", b"/otp/erts/bin");
            String::from_utf8(path).unwrap()
        };
        assert_eq!(path(None), "/otp/erts/bin:/otp/bin:");
        assert_eq!(path(Some("/bin")), "/otp/erts/bin:/otp/bin:/bin");
        let once = "/otp/erts/bin:/otp/bin:/bin";
        assert_eq!(path(Some(once)), once);
    }
}
