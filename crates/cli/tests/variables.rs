//! What `-env` sets is the environment of C code in the node, too: the C library reads the time zone there. Compared
//! with stock. Needs OTP 25.

use std::path::Path;
use std::process::{Command, Stdio};

/// The hours that local time is ahead of UTC, when it starts and after the program has set another zone.
const PROGRAM: &str = "
    Ahead = fun() ->
        Here = erlang:localtime_to_universaltime({{2024, 1, 10}, {12, 0, 0}}),
        12 - element(1, element(2, Here))
    end,
    First = Ahead(),
    os:putenv(\"TZ\", \"AAA-7\"),
    io:format(\"~w ~w~n\", [First, Ahead()]), halt(0, [{flush, true}]).";

fn hours(machine: &Path, inherited: &str, words: &[&str]) -> String {
    let output = Command::new(machine)
        .args(words)
        .args(["-noshell", "-eval", PROGRAM])
        .envs(stock::otp().environment())
        .env("TZ", inherited)
        .stdin(Stdio::null())
        .output()
        .expect("a node");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{machine:?}: {output:?}");
    text.trim().to_string()
}

#[test]
fn the_time_zone_of_env_is_that_of_the_node() {
    for (inherited, words, expected) in [
        ("BBB-2", &["-env", "TZ", "CCC-5"][..], "5 5"),
        ("BBB-2", &["-env", "TZ", "UTC"], "0 0"),
        (
            "BBB-2",
            &["-env", "TZ", "CCC-5", "-env", "TZ", "DDD-4"],
            "4 4",
        ),
        ("BBB-2", &[], "2 2"),
    ] {
        for machine in [&stock::otp().erl, Path::new(env!("CARGO_BIN_EXE_ferl"))] {
            assert_eq!(
                hours(machine, inherited, words),
                expected,
                "{machine:?} {words:?}"
            );
        }
    }
}
