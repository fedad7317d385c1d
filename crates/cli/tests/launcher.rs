//! Compares ferl's splitting of the command line with stock's `erlexec`, which is made to start a
//! script that records its arguments and environment. Needs OTP 25, and compares with 27 and 29 where they are set up.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use cli::environment::Environment;
use cli::launch::{self, Launch, PortMapper, Request};
use cli::otp::Otp;
use spec::flags::{EMULATOR_FLAGS, LAUNCHER_FLAGS, Origin};

/// A directory in which stock's launcher finds a fake machine and port mapper.
struct Stage {
    directory: PathBuf,
    erlexec: PathBuf,
    otp: Otp,
}

const MACHINE: &str = "#!/bin/sh\n\
    for word in \"$@\"; do printf '%s\\0' \"$word\"; done >\"$STAGE/words\"\n\
    /usr/bin/env -0 >\"$STAGE/environment\"\n";
const PORT_MAPPER: &str = "#!/bin/sh\n\
    for word in \"$@\"; do printf '%s\\0' \"$word\"; done >\"$STAGE/mapper\"\n";

/// The result of a run.
#[derive(Debug, PartialEq, Eq)]
enum Outcome {
    Started {
        words: Vec<String>,
        environment: BTreeMap<String, String>,
        maps_ports: bool,
    },
    /// The error message.
    Refused(String),
}

impl Stage {
    fn new(name: &str) -> Stage {
        Stage::of(name, stock::otp())
    }

    fn of(name: &str, stock: &stock::Otp) -> Stage {
        let found = Otp::open(stock.root.clone()).expect("an OTP to compare with");
        let directory =
            std::env::temp_dir().join(format!("ferl-launcher-{name}-{}", std::process::id()));
        let bin = directory.join("bin");
        fs::create_dir_all(&bin).unwrap();
        for (name, text) in [("beam.smp", MACHINE), ("epmd", PORT_MAPPER)] {
            stock::write_program(&bin.join(name), text);
        }
        for (name, text) in FILES {
            fs::write(
                directory.join(name),
                text.replace("DIR", directory.to_str().unwrap()),
            )
            .unwrap();
        }
        Stage {
            erlexec: found.bin.join("erlexec"),
            otp: Otp { bin, ..found },
            directory,
        }
    }

    fn environment(&self, more: &[(&str, &str)]) -> Environment {
        let mut variables = vec![
            ("HOME", "/home/someone"),
            ("PATH", "/usr/local/bin:/usr/bin:/bin"),
            ("EMU", "beam"),
            ("PROGNAME", "erl"),
            ("STAGE", self.directory.to_str().unwrap()),
            ("ROOTDIR", self.otp.root.to_str().unwrap()),
            ("BINDIR", self.otp.bin.to_str().unwrap()),
        ];
        variables.extend_from_slice(more);
        variables
            .into_iter()
            .filter(|(_, value)| *value != "UNSET")
            .map(|(name, value)| (name.as_bytes().to_vec(), self.fill(value).into_bytes()))
            .collect()
    }

    fn fill(&self, text: &str) -> String {
        text.replace("DIR", self.directory.to_str().unwrap())
    }

    fn stock(&self, line: &[String], environment: &Environment) -> Outcome {
        for name in ["words", "environment", "mapper"] {
            let _ = fs::remove_file(self.directory.join(name));
        }
        let output = Command::new(&self.erlexec)
            .args(line)
            .env_clear()
            .envs(
                environment
                    .iter()
                    .map(|(name, value)| (OsStr::from_bytes(name), OsStr::from_bytes(value))),
            )
            .output()
            .expect("erlexec runs");
        let parts = |name: &str| {
            let bytes = fs::read(self.directory.join(name)).unwrap_or_default();
            let text = String::from_utf8(bytes).unwrap();
            let parts: Vec<String> = text.split_terminator('\0').map(String::from).collect();
            parts
        };
        if !output.status.success() {
            assert_eq!(output.status.code(), Some(1), "{line:?}");
            let text = String::from_utf8_lossy(&output.stderr);
            return Outcome::Refused(first_line(&text).replace("erlexec:", "ferl:"));
        }
        Outcome::Started {
            words: parts("words"),
            environment: parts("environment")
                .iter()
                .filter_map(|pair| pair.split_once('='))
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .filter(|(name, _)| is_ours(name))
                .collect(),
            maps_ports: parts("mapper") == ["-daemon"],
        }
    }

    fn ferl(&self, line: &[String], environment: &Environment) -> Outcome {
        let typed: Vec<_> = line.iter().map(|word| word.as_bytes().to_vec()).collect();
        match launch::request(&typed, &self.otp, environment) {
            Ok(Request::Start(launch)) => self.started(&launch),
            Ok(other) => panic!("{line:?}: {other:?}"),
            Err(refusal) => Outcome::Refused(first_line(&refusal.message).to_owned()),
        }
    }

    fn started(&self, launch: &Launch) -> Outcome {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        let own = PortMapper::Own(self.otp.bin.join("epmd"));
        Outcome::Started {
            words: launch.arguments().map(text).collect(),
            environment: launch
                .environment
                .iter()
                .map(|(name, value)| (text(name), text(value)))
                .filter(|(name, _)| is_ours(name))
                .collect(),
            maps_ports: launch.port_mapper.as_ref() == Some(&own),
        }
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.directory);
    }
}

/// Whether a variable is to be compared: the shell that runs the fake machine sets some variables itself, and drops
/// those whose name is not valid in the shell.
fn is_ours(name: &str) -> bool {
    let is_name = name
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let is_name = is_name && !name.starts_with(|first: char| first.is_ascii_digit());
    is_name && !["PWD", "OLDPWD", "SHLVL", "_"].contains(&name)
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

/// Argument files; `DIR` is the stage's directory.
const FILES: &[(&str, &str)] = &[
    (
        "plain",
        "-a 1 +P 5000\n# +P 7000\n-b 'two words' \"x # y\" z#comment\n+Bi",
    ),
    (
        "nested",
        "before -args_file DIR/plain after -args_file DIR/plain",
    ),
    ("extra", "-a -extra from file -args_file DIR/plain"),
    ("nested_extra", "-args_file DIR/extra rest"),
    ("empty", ""),
    ("blank", " \n\t# nothing\n"),
    ("open", "-a 'never closed +P 5"),
    ("backslash", "a\\ b c\\\nd \\\"q\\\" \"in\\side\""),
    ("bare", "-x -args_file"),
];

/// Command lines, split at white space that is not protected by `'`.
const LINES: &[&str] = &[
    "",
    "a -b c",
    "-noshell -s m f x -run m f -eval 'halt(0).' -pa dir1 dir2 -pz dir3",
    "-boot start_clean -config sys -mode embedded -init_debug",
    "-noinput",
    "-noinput -- +P 5000 -- x",
    "+P 5000 -- +Q 6000",
    "+P5000 +S 2:1 +SP 50 +SDcpu 2:2 +SDPcpu 50:50 +SDio 4 +A 5 +a 20",
    "+S4 +SP50 +SDcpu4 +SDPcpu50 +SDio4",
    "+sbt db +sbwt none +sbwtdcpu short +sbwtdio long +swt low +sws default +stbt u +sub true +scl false",
    "+sct L0-1c0-1 +ssrct +sss 100 +sssdcpu 100 +sssdio 100 +spp true +sfwi 5 +secio true +swct lazy",
    "+swtdcpu low +swtdio low +sfoo 3",
    "+K true +t 20000 +e 100 +ec +c true +c false +c x +C no_time_warp +cfalse",
    "+B +B i +B c +Bi +Bc +Bd +B x",
    "+W w +Ww +R 25 +r +rg 5 +rg5 +hms 500 +hmbs 500 +hmax 0 +hmaxel true +hmaxk true +hpds 9 +hmqd off_heap",
    "+h 500 +h500 +hfoo 5",
    "+MBas bf +Mea min +Mummc 3 +MMscs 5 +MHe true +Mulmbcs 5 +Mfoo 3 +MYtt 3 +MIscs 10 +Mdai 3",
    "+L +d +v +V +n s +T 3 +i init +pc unicode +fnu +fnlw +fna x +fn u",
    "+zdbbl 100 +zdntgc 5 +zebwt none +zosrl 100 +zfoo 3",
    "+IOt 2 +IOp 2 +IOPt 50 +IOPp 50 +IOt3 +IOs true +IOsx true +IOPt5",
    "+JPperf true +JDdump false +Jfoo x",
    "+dcg 5 +dcg5 +Z + +foo",
    "-name a@b x",
    "-sname a -setcookie c",
    "-sname a -start_epmd false",
    "-sname a -start_epmd true",
    "-proto_dist inet6_tcp -no_epmd -sname a",
    "-smp -smpenable -smpauto -smp auto -smp enable x",
    "-emu_type opt -emu_flavor smp x",
    "-heart -kernel logger_level info -stdlib x",
    "-version -v",
    "-env A 'b c' -env HOME /other -env ERL_FLAGS +P",
    "-env A=B c -env PATH /x",
    "-compile a b",
    "-make +P 5 x",
    "-extra -env A b +P 5000 -- -extra",
    "x -extra",
    "-configfd 0 -configfd 3",
    "-keep_window -nohup -epmd_module m -compiled -nameless -sname_x",
    "-emu_args_x -detachedx '' ' ' -",
    "-args_file plain",
    "-args_file plain +P 6000 -extra -args_file plain",
    "-args_file nested -args_file empty -args_file blank last",
    "-args_file extra +P 6000 -extra typed",
    "-args_file nested_extra x",
    "-args_file open x",
    "-args_file backslash",
    "-epmd true -sname a",
];

/// Command lines that both reject, with the same message.
const REFUSED: &[&str] = &[
    "+P",
    "+P --",
    "+S",
    "+SDx 4",
    "+IOx 4",
    "+IOt",
    "+Bx",
    "+J",
    "+hms",
    "+MBas",
    "+zdbbl",
    "+pc",
    "+rg",
    "+sbt --",
    "-env",
    "-env A",
    "-env A --",
    "-sname",
    "-name --",
    "-proto_dist",
    "-start_epmd",
    "-start_epmd foo",
    "-epmd",
    "-emu_type",
    "-emu_flavor",
    "-emu_type foo",
    "-configfd",
    "-no_epmd",
    "-args_file",
    "-args_file missing",
    "-args_file bare",
    "-args_file /",
];

/// Variables, each list with a command line to run; the value `UNSET` removes a variable.
const VARIABLES: &[(&[(&str, &str)], &str)] = &[
    (&[("ERL_FLAGS", "+P 5000 -f")], "-typed"),
    (
        &[("ERL_AFLAGS", "-a 'x y' \"z #\" w#"), ("ERL_ZFLAGS", "-z")],
        "-typed +Q 5000",
    ),
    (
        &[
            ("ERL_OTP25_FLAGS", "-o"),
            ("ERL_AFLAGS", "-a"),
            ("ERL_FLAGS", "-f"),
            ("ERL_ZFLAGS", "-z"),
            ("ERL_OTP24_FLAGS", "-never"),
        ],
        "",
    ),
    (
        &[
            ("ERL_FLAGS", "-f -extra fe"),
            ("ERL_ZFLAGS", "-z -extra ze"),
        ],
        "t -extra te",
    ),
    (
        &[("ERL_FLAGS", "-args_file DIR/plain -args_file DIR/extra")],
        "t",
    ),
    (&[("ERL_FLAGS", "-args_file")], "t"),
    (&[("ERL_FLAGS", "+P")], "t"),
    (&[("ERL_AFLAGS", "-env A")], "t"),
    (&[("ERL_FLAGS", "  \t ")], "t -- u"),
    (&[("ERL_FLAGS", "'' \\")], ""),
    (&[("HOME", "UNSET")], "x"),
    (&[("ERL_EPMD_PORT", "4370")], "x"),
    (&[("ERL_LIBS", "/some/libs")], "x"),
    (&[("PATH", "UNSET")], "x"),
    (&[("PATH", "DIR/bin:/usr/bin:DIR/bin:/bin")], "x"),
];

#[test]
fn splits_as_stock_does() {
    let stage = Stage::new("split");
    let plain = LINES.iter().map(|line| (&[][..], *line));
    let cases = plain.chain(VARIABLES.iter().copied());
    for (variables, line) in cases {
        let environment = stage.environment(variables);
        let words = shell_words(line);
        let words: Vec<String> = words.iter().map(|word| stage.fill(word)).collect();
        // The name of an argument file is relative to the working directory.
        let words = absolute_files(&stage.directory, words);
        let (stock, ferl) = (
            stage.stock(&words, &environment),
            stage.ferl(&words, &environment),
        );
        assert_eq!(ferl, stock, "{variables:?} {line}");
    }
}

/// Stock 27 and 29, where they are set up (`make stock-27`, `make stock-29`).
fn later() -> impl Iterator<Item = stock::Otp> {
    [27, 29]
        .into_iter()
        .filter_map(|release| stock::find(release).ok())
}

#[test]
fn parts_words_as_later_releases_do() {
    for stock in later() {
        let stage = Stage::of(&format!("later-{}", stock.release), &stock);
        let lines = PARTED.iter().map(|line| (&[][..], *line));
        for (variables, line) in lines.chain(PARTED_VARIABLES.iter().copied()) {
            let environment = stage.environment(variables);
            let words = absolute_files(&stage.directory, shell_words(line));
            let (stock, ferl) = (
                stage.stock(&words, &environment),
                stage.ferl(&words, &environment),
            );
            assert_eq!(ferl, stock, "{variables:?} {line}");
        }
    }
}

/// Command lines with `-extra` and `-S`.
const PARTED: &[&str] = &[
    "x",
    "x -extra",
    "-extra a -- b --",
    "-extra -S m",
    "-S",
    "-S m f a -- -extra +P 5000 -- '\\--' -args_file missing -S",
    "-x -- -S m",
    "-args_file plain -S m",
    "-args_file extra +P 6000 -extra typed",
    "-args_file nested_extra x",
    "-args_file nested_extra -S m -extra x",
];

/// Variables with `-extra` and `-S`, each list with a command line to run.
const PARTED_VARIABLES: &[(&[(&str, &str)], &str)] = &[
    (
        &[
            ("ERL_FLAGS", "-f -extra fe --"),
            ("ERL_ZFLAGS", "-z -extra ze"),
        ],
        "t -extra te --",
    ),
    (
        &[
            ("ERL_AFLAGS", "-S a"),
            ("ERL_FLAGS", "-f"),
            ("ERL_ZFLAGS", "-S z"),
        ],
        "-S m f -- x",
    ),
    (
        &[(
            "ERL_FLAGS",
            "-args_file DIR/nested_extra -args_file DIR/extra f -extra",
        )],
        "t",
    ),
];

#[test]
fn refuses_as_stock_does() {
    let stage = Stage::new("refuse");
    for line in REFUSED {
        let environment = stage.environment(&[]);
        let words = absolute_files(&stage.directory, shell_words(line));
        let stock = stage.stock(&words, &environment);
        assert!(matches!(stock, Outcome::Refused(_)), "{line}: {stock:?}");
        assert_eq!(stage.ferl(&words, &environment), stock, "{line}");
    }
}

/// Random command lines made of meaningful words.
#[test]
fn splits_any_words_as_stock_does() {
    splits_any_words(&Stage::new("any"));
}

#[test]
fn splits_any_words_as_later_releases_do() {
    for stock in later() {
        splits_any_words(&Stage::of(&format!("any-{}", stock.release), &stock));
    }
}

fn splits_any_words(stage: &Stage) {
    let vocabulary = vocabulary();
    // A fixed seed, so that a difference can be reproduced.
    let mut dice = Dice(0x5eed);
    for _ in 0..LINES_OF_ANY_WORDS {
        let line: Vec<String> = (0..dice.below(7))
            .map(|_| vocabulary[dice.below(vocabulary.len())].clone())
            .collect();
        let variable: Vec<String> = (0..dice.below(4))
            .map(|_| vocabulary[dice.below(vocabulary.len())].clone())
            .collect();
        let variable = variable.join(" ");
        let environment = stage.environment(&[("ERL_FLAGS", &variable)]);
        let line: Vec<String> = line.iter().map(|word| stage.fill(word)).collect();
        assert_eq!(
            stage.ferl(&line, &environment),
            stage.stock(&line, &environment),
            "ERL_FLAGS={variable} {line:?}"
        );
    }
}

const LINES_OF_ANY_WORDS: usize = 300;

/// Flags, values and other words, without the flags that detach, print or run something else.
fn vocabulary() -> Vec<String> {
    let left_out = ["-detached", "-man", "-epmd", "-emu_type", "-emu_flavor"];
    let launcher = LAUNCHER_FLAGS
        .iter()
        .map(|flag| flag.name.to_owned())
        .filter(|name| !left_out.contains(&name.as_str()) && !name.ends_with("_exit"))
        .filter(|name| name != "-emu_args");
    let emulator = EMULATOR_FLAGS
        .iter()
        .filter(|flag| flag.origin != Origin::Own);
    let emulator = emulator.flat_map(|flag| {
        let name = format!("+{}", flag.name.replace(['?', '@'], "B"));
        [format!("{name}x"), name]
    });
    let others = [
        "x",
        "--",
        "-",
        "+",
        "5000",
        "true",
        "i",
        "-extra",
        "-S",
        "-smp",
        "-a",
        "DIR/plain",
        "DIR/extra",
        "-args_file",
    ];
    let rare: Vec<String> = launcher.chain(emulator).collect();
    // As many ordinary words as flags, or nearly every line would be rejected.
    let common = others.iter().cycle().take(rare.len()).copied();
    common.map(str::to_owned).chain(rare).collect()
}

/// A small generator of pseudo-random numbers.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % bound as u64).expect("less than the bound")
    }
}

/// Splits at white space that is not protected by `'`.
fn shell_words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (index, part) in line.split('\'').enumerate() {
        if index % 2 == 1 {
            words.push(part.to_owned());
        } else {
            words.extend(part.split_whitespace().map(str::to_owned));
        }
    }
    words
}

fn absolute_files(directory: &Path, mut words: Vec<String>) -> Vec<String> {
    for index in 1..words.len() {
        if words[index - 1] == "-args_file" && FILES.iter().any(|(name, _)| *name == words[index]) {
            words[index] = directory.join(&words[index]).display().to_string();
        }
    }
    words
}
