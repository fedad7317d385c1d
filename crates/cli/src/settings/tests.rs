//! Tests of the settings that result from command lines.

use spec::flags::Value;

use super::*;
use crate::environment::Environment;
use crate::launch::{self, Request};
use crate::words::Word;

fn read_line(line: &str, processors: u32) -> Reading {
    read_line_on("13.1.5", line, processors)
}

fn read_line_on(erts_version: &str, line: &str, processors: u32) -> Reading {
    let words: Vec<Word> = line
        .split_whitespace()
        .map(|word| word.as_bytes().to_vec())
        .collect();
    let otp = Otp::at("/otp", erts_version);
    match launch::split(&words, &otp, &Environment::default()) {
        Ok(Request::Start(launch)) => {
            let (now, most) = (processors, processors);
            read(&launch, &otp, Usable { now, most })
        }
        other => panic!("{line}: {other:?}"),
    }
}

fn config(line: &str) -> Config {
    match read_line(line, 4).outcome {
        Ok(Outcome::Run(config)) => *config,
        other => panic!("{line}: {other:?}"),
    }
}

#[test]
fn the_locale_is_that_of_the_flag_env() {
    for (value, expected) in [("C", false), ("C.UTF-8", true)] {
        let config = config(&format!("-env LC_ALL {value}"));
        assert_eq!(config.locale_utf8, expected);
        assert_eq!(config.file_names_utf8, expected);
    }
}

fn complaint(line: &str) -> String {
    read_line(line, 4).outcome.expect_err(line).message
}

/// The numbers of schedulers, schedulers online, dirty CPU schedulers, and dirty CPU schedulers online.
fn counts(line: &str) -> [usize; 4] {
    counts_in(&config(line))
}

fn counts_in(config: &Config) -> [usize; 4] {
    [
        config.schedulers,
        config.schedulers_online,
        config.dirty_cpu_schedulers,
        config.dirty_cpu_schedulers_online,
    ]
}

#[test]
fn schedulers_are_counted() {
    for (line, expected) in [
        ("", [4, 4, 4, 4]),
        ("+S 2", [2, 2, 2, 2]),
        ("+S 8", [8, 4, 4, 4]),
        ("+S 8:6", [8, 6, 4, 4]),
        ("+S :2", [4, 2, 4, 2]),
        ("+S 0", [4, 4, 4, 4]),
        ("+S -1", [3, 3, 3, 3]),
        ("+S -1:-2", [3, 2, 3, 2]),
        ("+SP 50", [2, 2, 2, 2]),
        ("+SP 200:100", [8, 4, 4, 4]),
        ("+SP 50 +S 8:8", [4, 4, 4, 4]),
        ("+SDcpu 2:1", [4, 4, 2, 1]),
        ("+SDPcpu 50:25", [4, 4, 2, 1]),
        ("+SDcpu 4 +S 2", [2, 2, 2, 2]),
        ("-smp disable +S 8", [1, 1, 1, 1]),
        ("-smp enable +S 3", [3, 3, 3, 3]),
    ] {
        assert_eq!(counts(line), expected, "{line}");
    }
}

#[test]
fn schedulers_follow_a_quota_unless_a_flag_says_otherwise() {
    for (line, expected, follow) in [
        ("", [8, 1, 8, 1], (true, true)),
        ("+S 2", [2, 1, 2, 1], (false, true)),
        ("+S 2:2", [2, 2, 2, 1], (false, true)),
        ("+SP 100", [8, 1, 8, 1], (false, true)),
        ("+SDcpu 2:1", [8, 1, 2, 1], (true, false)),
        ("+SDPcpu 50", [8, 1, 4, 1], (true, false)),
        ("-smp disable", [1, 1, 1, 1], (false, false)),
    ] {
        let words = || line.split_whitespace().map(|word| word.as_bytes().to_vec());
        let words: Vec<Word> = words().collect();
        let otp = Otp::at("/otp", "13.1.5");
        let Ok(Request::Start(launch)) = launch::split(&words, &otp, &Environment::default())
        else {
            panic!("{line}");
        };
        let Ok(Outcome::Run(config)) = read(&launch, &otp, Usable { now: 1, most: 8 }).outcome
        else {
            panic!("{line}");
        };
        assert_eq!(counts_in(&config), expected, "{line}");
        let follows = (config.follows_processors, config.dirty_follow_processors);
        assert_eq!(follows, follow, "{line}");
    }
}

#[test]
fn wrong_counts_are_refused() {
    for (line, expected) in [
        ("+S foo", "bad amount of schedulers foo"),
        ("+S 2000", "bad amount of schedulers 2000"),
        ("+S -5", "bad amount of schedulers -5"),
        (
            "+S 2:3",
            "bad amount of schedulers online 3 (total amount of schedulers 2)",
        ),
        (
            "+SDcpu 1:3",
            "bad amount of dirty CPU schedulers online 3 (total amount of dirty CPU schedulers 1)",
        ),
        ("+SP foo", "bad schedulers percentage specifier foo"),
        ("+SP -5", "bad schedulers percentage specifier -5"),
        (
            "+SP 50:100",
            "bad schedulers online percentage 100 (total amount of schedulers 2, online 4)",
        ),
        ("+SDio 0", "bad number of dirty I/O schedulers 0"),
    ] {
        assert_eq!(complaint(line), expected, "{line}");
    }
}

#[test]
fn a_joined_value_means_the_same() {
    for (joined, apart) in [
        ("+P5000", "+P 5000"),
        ("+S2:1", "+S 2:1"),
        ("+SDio3", "+SDio 3"),
        ("+hms1000", "+hms 1000"),
        ("+h1000", "+hms 1000"),
        ("+hmaxkfalse", "+hmaxk false"),
        ("+sbwtnone", "+sbwt none"),
        ("+Bi", "+B i"),
        ("+cfalse", "+c false"),
        ("+zdbbl5", "+zdbbl 5"),
    ] {
        let (mut joined, apart) = (config(joined), config(apart));
        assert_ne!(joined, config(""));
        joined.emulator_args = apart.emulator_args.clone();
        assert_eq!(joined, apart);
    }
}

#[test]
fn flags_set_what_they_say() {
    let config = config(
        "+P 5000 +Q 6000 +t 10000 +A 7 +hms 500 +hmbs 600 +hmax 7000 +hmaxk false +hmaxel false \
         +hmqd off_heap +hpds 16 +sbt db +sbwt none +sbwtdcpu long +sbwtdio medium +spp true \
         +zdbbl 2 +zdntgc infinity +zosrl 9 +C multi_time_warp +c false +Bc +fnue +pc unicode \
         +W e +d +L +i boot +e 20000 +JPperf map +code_calls 7 +native_libs false +native_checks true +profile run/a +profile_hz 99 -emu_flavor emu",
    );
    let flags = &config.flags;
    assert_eq!(flags.process_limit, 5000);
    assert!(!flags.line_numbers);
    assert_eq!(flags.port_limit, 6000);
    assert_eq!(flags.atom_limit, 10_000);
    assert_eq!(flags.ets_limit, 20_000);
    assert_eq!(flags.async_threads, 7);
    assert_eq!(flags.min_heap_words, Some(500));
    assert_eq!(flags.min_binary_words, 600);
    assert_eq!(flags.max_heap_words, 7000);
    assert!(!flags.max_heap_kill && !flags.max_heap_log);
    assert_eq!(flags.message_queue_data, "off_heap");
    assert_eq!(config.bind_type, "db");
    assert_eq!(flags.busy_wait, Some("none"));
    assert!(flags.port_parallelism && !flags.native_libraries && flags.native_checks);
    assert_eq!(flags.dist_busy_limit_kilobytes, 2);
    assert_eq!(flags.node_table_gc_delay_s, None);
    assert_eq!(flags.time_warp_mode, "multi_time_warp");
    assert!(!flags.time_correction);
    assert_eq!(config.break_mode, BreakMode::InterruptShell);
    assert!(config.file_names_utf8);
    assert_eq!(config.wrong_file_names, "error");
    assert_eq!(flags.printable_range, "unicode");
    assert_eq!(flags.warnings, "e");
    assert!(!flags.crash_dump);
    assert_eq!(flags.boot_module, b"boot");
    assert_eq!(flags.perf, "map");
    assert_eq!(flags.profile, Some("run/a".into()));
    assert_eq!(flags.profile_hz, 99);
    assert_eq!(flags.code_calls, 7);
    assert!(!config.machine_code);
}

#[test]
fn numbers_that_are_too_low_are_raised() {
    let flags = config("+A 0 +e 5").flags;
    assert_eq!((flags.async_threads, flags.ets_limit), (1, 8192));
    assert_eq!(config("+P 5000 +P legacy").flags.process_limit, 5000);
}

#[test]
fn every_allowed_word_of_every_flag_is_accepted() {
    for flag in flags::EMULATOR_FLAGS {
        let Value::OneOf(words) = flag.value else {
            continue;
        };
        for word in words {
            let name = flag.name.replace(['?', '@'], "B");
            let line = format!("+{name} {word}");
            match (read_line_on("17.1", &line, 4).outcome, flag.effect) {
                (Ok(_), _) => {}
                (Err(refusal), Effect::RefusedFor(refused)) if refused == *word => {
                    assert!(refusal.message.contains("is not supported"));
                }
                (Err(refusal), _) => panic!("{line}: {refusal}"),
            }
        }
    }
}

#[test]
fn coverage_came_with_27() {
    assert_eq!(complaint("+JPcover line"), "");
    for (line, word) in [
        ("", "false"),
        ("+JPcover true", "true"),
        ("+JPcover line", "line"),
        (
            "+JPcover line +JPcover function_counters",
            "function_counters",
        ),
    ] {
        match read_line_on("15.2.7", line, 4).outcome {
            Ok(Outcome::Run(config)) => assert_eq!(config.flags.coverage, word, "{line}"),
            other => panic!("{line}: {other:?}"),
        }
    }
}

#[test]
fn debuggers_are_supported_from_28_on() {
    for line in ["+D", "+Dibpl true", "+Dfoo"] {
        assert!(complaint(line).contains("unknown flag"), "{line}");
    }
    for (line, wanted) in [
        ("", (false, true)),
        ("+D", (true, true)),
        ("+D +Dibpl false", (true, false)),
        ("+Dibpl true", (false, true)),
    ] {
        match read_line_on("17.1", line, 4).outcome {
            Ok(Outcome::Run(config)) => {
                let flags = config.flags;
                assert_eq!((flags.debugger, flags.line_breakpoints), wanted, "{line}");
            }
            other => panic!("{line}: {other:?}"),
        }
    }
    for line in ["+Dfoo", "+Dibpl maybe"] {
        assert!(read_line_on("17.1", line, 4).outcome.is_err(), "{line}");
    }
}

#[test]
fn of_several_break_modes_ignoring_wins() {
    for (line, mode) in [
        ("", BreakMode::Menu),
        ("+B", BreakMode::Default),
        ("+Bd +Bc", BreakMode::InterruptShell),
        ("+Bc +Bd", BreakMode::InterruptShell),
        ("+Bi +Bc", BreakMode::Ignore),
    ] {
        assert_eq!(config(line).break_mode, mode, "{line}");
    }
}

#[test]
fn the_first_round_with_a_mistake_is_reported() {
    assert_eq!(complaint("+P 5 +S foo"), "bad amount of schedulers foo");
    assert_eq!(complaint("+Z +MBfoo"), "bad \"MB\" parameter");
    assert_eq!(read_line("+V +P 5", 4).outcome, Ok(Outcome::PrintVersion));
    assert_eq!(
        read_line("-version +P 5", 4).outcome,
        Ok(Outcome::PrintVersion)
    );
    assert_eq!(complaint("+P 5 +V"), "bad number of processes 5");
}

#[test]
fn notes_come_before_what_follows() {
    let reading = read_line("+v +P 5", 4);
    assert_eq!(reading.notes, ["warning: -v (only in debug compiled code)"]);
    assert!(reading.outcome.is_err());
}

#[test]
fn unsupported_values_are_refused_clearly() {
    assert_eq!(complaint("+Mlpm all"), "ferl: +Mlpm all is not supported");
    assert_eq!(
        complaint("+JDdump true"),
        "ferl: +JDdump true is not supported"
    );
    config("+Mlpm no +JDdump false");
}

#[test]
fn words_of_the_environment_set_defaults() {
    let environment = [
        ("ERL_MAX_PORTS", "5"),
        ("ERL_FULLSWEEP_AFTER", "10"),
        ("ERL_THREAD_POOL_SIZE", "5000"),
        ("ERL_MAX_ETS_TABLES", "9000"),
    ]
    .into_iter()
    .map(|(name, value)| (name.as_bytes().to_vec(), value.as_bytes().to_vec()))
    .collect();
    let otp = Otp::at("/otp", "13.1.5");
    let Ok(Request::Start(launch)) = launch::split(&[], &otp, &environment) else {
        panic!("no start");
    };
    let config = defaults(&launch, &otp);
    assert_eq!(config.fullsweep_after, 10);
    assert_eq!(config.flags.port_limit, 1024);
    assert_eq!(config.flags.async_threads, 1024);
    assert_eq!(config.flags.ets_limit, 9000);
}

#[test]
fn no_value_makes_reading_panic() {
    let values: &[&[u8]] = &[
        b"",
        b"-",
        b"--",
        b":",
        b"0",
        b"-9223372036854775809",
        b"99999999999999999999:99999999999999999999",
        b"-99999999999999999999",
        b"2147483647:2147483647",
        b"L-,:",
        b"\xff\xfe",
        b"?{}{n}",
    ];
    let otp = Otp::at("/otp", "13.1.5");
    for flag in flags::EMULATOR_FLAGS {
        for value in values {
            let name = format!("+{}", flag.name.replace(['?', '@'], "u")).into_bytes();
            let joined = [name.as_slice(), value].concat();
            for words in [vec![name.clone(), value.to_vec()], vec![joined]] {
                let split = launch::split(&words, &otp, &Environment::default());
                if let Ok(Request::Start(launch)) = split {
                    let (now, most) = (u32::MAX, u32::MAX);
                    let _ = read(&launch, &otp, Usable { now, most }).outcome;
                }
            }
        }
    }
}
