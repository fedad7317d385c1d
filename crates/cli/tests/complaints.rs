//! Compares how ferl and stock react to flags with good and with bad values: the exit status and the
//! first line of output. Each command line has a `+V`, so that an accepted one prints the version
//! and starts no node. Needs OTP 25; flags of later releases are compared where OTP 27 and 29 are installed.

use std::collections::BTreeSet;
use std::process::{Command, Output};

use spec::Release;
use spec::flags::{Digits, EMULATOR_FLAGS, EmulatorFlag, Origin, Value, ValuePosition};
use stock::Otp;

/// Intended differences, with the reason.
const MEANT: &[(&str, &str)] = &[
    ("+JDdump true", "ferl cannot dump machine code"),
    ("+Mlpm all", "ferl cannot lock memory"),
    ("+MIscs 0", "stock has no room for literals then"),
    ("+MIscs 0x", "the same"),
    ("+MIscs0x", "the same"),
    ("+cfoo", "stock's complaint has a typing mistake"),
    ("+help", "stock takes it for +h elp"),
];

/// Command lines that are not generated from the table.
const LINES: &[&str] = &[
    "",
    "-version",
    "+Z",
    "+",
    "+foo",
    "+pfoo",
    "+sfoo 3",
    "+zfoo 3",
    "+Jfoo foo",
    "+JPfoo foo",
    "+JDfoo foo",
    "+IOx 3",
    "+IOp3",
    "+SDx 3",
    "+Mfoo 3",
    "+MBfoo 3",
    "+MMfoo 3",
    "+MYfoo 3",
    "+Mufoo 3",
    "+MTacul 3",
    "+MIcp B",
    "+MTe false",
    "+MIe false",
    "+MIt true",
    "+Mue false",
    "+MXscs 3",
    "+Bx",
    "+B x",
    "+fnux",
    "+fnae",
    "+fnlx",
    "+dcg 3",
    "+H 100",
    "+v +P 5",
    "+P 5 +S foo",
    "+P foo +MBas foo",
    "+IOt 0 +MBas foo",
    "+S 2:3",
    "+S :1",
    "+S 2000",
    "+S 1:0",
    "+S 4: +SP 50:50",
    "+SP 200:10",
    "+SP :50",
    "+SP -5",
    "+SDcpu 1:3",
    "+SDcpu 2000",
    "+SDPcpu :50",
    "+IOp 4 +IOt 2",
    "+IOp 2",
    "+IOp 2 +IOt 2",
    "+IOp 4 +IOPp 50",
    "+hmax 300",
    "+sct L0-1c0-1:L2c2",
    "+sct L",
    "+sct c0",
    "+sct L0-1c0-2",
    "+sct L0p0c0",
    "+sct L0:L0c1",
    "+sct L0-1",
    "+sct L0c0p0n0:L1c1p1",
    "+zdntgc 100000001",
    "-no_epmd",
    "-emu_name_exitx",
    "-args_file /nowhere",
    "-start_epmd foo",
    "-env",
];

/// The same for families that later releases have.
const LATER_LINES: [&str; 5] = ["+Dfoo", "+Dix", "+Dibp", "+hmaxfoo", "+zhf 3"];

#[test]
fn says_what_stock_says() {
    let mut lines: BTreeSet<String> = LINES.iter().map(|line| (*line).to_owned()).collect();
    // Stock takes ferl's own flags for others, such as `+native_libs` for `+n ative_libs`.
    for flag in EMULATOR_FLAGS
        .iter()
        .filter(|flag| flag.origin != Origin::Own)
    {
        lines.extend(lines_for(flag));
    }
    compare(stock::otp(), lines);
}

#[test]
fn says_of_later_flags_what_stock_of_later_releases_says() {
    for release in [27, 29] {
        let otp = match stock::find(release) {
            Ok(otp) => otp,
            Err(missing) => {
                println!("LEFT OUT: {missing}");
                continue;
            }
        };
        let mut lines: BTreeSet<String> = LATER_LINES.map(str::to_owned).into();
        for flag in EMULATOR_FLAGS.iter().filter(|flag| is_later(flag.origin)) {
            lines.extend(lines_for(flag));
        }
        compare(&otp, lines);
    }
}

fn is_later(origin: Origin) -> bool {
    match origin {
        Origin::Since(first) => first != Release::OTP_25,
        Origin::Own => false,
    }
}

/// Compares what ferl and stock of this release say to each line.
fn compare(otp: &Otp, mut lines: BTreeSet<String>) {
    lines.retain(|line| !MEANT.iter().any(|(meant, _)| line == meant));
    // Two at a time, because a run mostly waits.
    let lines: Vec<String> = lines.into_iter().collect();
    let differences: Vec<String> = std::thread::scope(|scope| {
        let of_half = |half: &[String]| -> Vec<String> {
            let differences = half.iter().filter_map(|line| difference(otp, line));
            differences.collect()
        };
        let halves: Vec<_> = lines
            .chunks(lines.len().div_ceil(2))
            .map(|half| scope.spawn(move || of_half(half)))
            .collect();
        halves
            .into_iter()
            .flat_map(|half| half.join().expect("a comparing thread"))
            .collect()
    });
    assert!(
        differences.is_empty(),
        "{} of {} differ on OTP {}:\n{}",
        differences.len(),
        lines.len(),
        otp.release,
        differences.join("\n")
    );
}

/// Command lines with good and bad values for a flag, in the next word and in the same word.
fn lines_for(flag: &EmulatorFlag) -> Vec<String> {
    let name = format!("+{}", flag.name.replace(['?', '@'], "B"));
    let mut values: Vec<String> = vec!["foo".to_owned()];
    match flag.value {
        Value::Nothing => return vec![name],
        Value::Text | Value::Name => {}
        Value::Bool => values.extend(["true".to_owned(), "false".to_owned()]),
        Value::OneOf(words) | Value::StartsWith(words) => {
            values.extend(words.iter().map(|word| (*word).to_owned()));
        }
        Value::Number { min, max, digits } => values.extend(numbers(min, max, digits)),
        Value::NumberOr {
            word,
            min,
            max,
            digits,
        } => {
            values.push(word.to_owned());
            values.extend(numbers(min, max, digits));
        }
        Value::Pair => values.extend(["1", "0", "1:1"].map(str::to_owned)),
        Value::Topology => values.push("L0c0".to_owned()),
        Value::Budget => values.extend(["off", "80%", "1000000000"].map(str::to_owned)),
        Value::Listen => values.push("8080".to_owned()),
    }
    if flag.place == ValuePosition::Joined {
        return values
            .iter()
            .map(|value| format!("{name}{value}"))
            .collect();
    }
    let joined = format!("{name}{}", values.last().expect("a value"));
    let mut lines: Vec<String> = values
        .iter()
        .map(|value| format!("{name} {value}"))
        .collect();
    if flag.place == ValuePosition::Optional {
        lines.push(name);
    } else {
        // `+V` must come before the flag, or it would be taken as the value.
        lines.push(format!("+V {name}"));
    }
    lines.push(joined);
    lines
}

/// The bounds and the numbers just outside them, within the range of C's `int`: beyond it stock wraps
/// around and ferl does not.
fn numbers(min: i64, max: i64, digits: Digits) -> Vec<String> {
    let int = i64::from(i32::MAX);
    let mut values: Vec<String> = [min - 1, min, max, max.saturating_add(1)]
        .into_iter()
        .filter(|value| (-int..=int).contains(value))
        .map(|value| value.to_string())
        .collect();
    if digits != Digits::Strict {
        values.push(format!("{min}x"));
    }
    values
}

/// The difference between stock and ferl for a command line, if any.
fn difference(otp: &Otp, line: &str) -> Option<String> {
    let run = |mut program: Command| {
        let output = program
            .args(line.split_whitespace())
            .args((!line.starts_with("+V")).then_some("+V"))
            .output()
            .expect("the program starts");
        summary(&output)
    };
    let mut ferl = Command::new(env!("CARGO_BIN_EXE_ferl"));
    ferl.envs(otp.environment());
    let (stock, ferl) = (run(Command::new(&otp.erl)), run(ferl));
    (stock != ferl).then(|| format!("{line}\n  stock: {stock}\n  ferl:  {ferl}"))
}

/// The exit status and the first line of standard error, without the program's name.
fn summary(output: &Output) -> String {
    let errors = String::from_utf8_lossy(&output.stderr);
    let first = errors.lines().next().unwrap_or_default();
    let first = match first.find("unknown flag") {
        Some(start) => &first[start..],
        None => first,
    };
    let first = if first.starts_with("Usage:") {
        "(usage)"
    } else if first.starts_with("Erlang (") {
        "(version)"
    } else {
        first
    };
    let first = first.replace("erlexec:", "ferl:");
    format!("{:?} {first}", output.status.code())
}
