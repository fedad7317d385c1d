//! A node whose wall clock is set while it runs follows it as stock does, in each time warp mode, with and without time
//! correction. The clock is shifted for that node alone (`wall_clock/shift.c`). Needs OTP 25, a C compiler, and a
//! system that lets a program trace another.
//!
//! Stock may take a minute to notice, so that what it prints is written down here. That it still does so is a test of
//! its own, which `make test-all` runs.
#![cfg(target_arch = "x86_64")]

use std::path::{Path, PathBuf};
use std::process::Command;

/// Prints what the time offset may do, whether the calendar follows at once, how system time follows, whether monotonic
/// time leaps, how often a monitor is told until then, and what `finalize` returns and does. Without correction a clock
/// that was set back is looked at until it has stood still for long enough.
const PROGRAM: &str = "
    Jump = list_to_integer(os:getenv(\"JUMP\")),
    Corrected = erlang:system_info(time_correction),
    Behind = fun() -> os:system_time(millisecond) - erlang:system_time(millisecond) end,
    Told = fun Told(N) -> receive {'CHANGE', _, time_offset, clock_service, _} -> Told(N + 1) after 0 -> N end end,
    How = fun How(0) -> not_at_all;
              How(N) -> B = Behind(), J = Jump * 1000,
                  if abs(B) < 500 -> wholly;
                     Corrected, abs(J) - abs(B) > 15, abs(J) - abs(B) < 3000 -> slowly;
                     true -> receive after 250 -> How(N - 1) end
                  end
          end,
    erlang:monitor(time_offset, clock_service),
    Tagged = erlang:monitor(time_offset, clock_service, [{tag, tagged}]),
    Gone = erlang:monitor(time_offset, clock_service, [{tag, gone}]),
    true = erlang:demonitor(Gone),
    Before = erlang:system_info(time_offset),
    Monotonic = erlang:monotonic_time(second),
    ok = file:write_file(os:getenv(\"SHIFT\"), integer_to_list(Jump)),
    Calendar = calendar:datetime_to_gregorian_seconds(erlang:universaltime()) - 62167219200,
    AtOnce = abs(os:system_time(second) - Calendar) < 2,
    Follows = How(case Before of preliminary -> 12; _ -> 280 end),
    Leaps = erlang:monotonic_time(second) - Monotonic > 300,
    receive after 100 -> ok end,
    First = Told(0),
    Final = erlang:system_flag(time_offset, finalize),
    receive after 100 -> ok end,
    io:format(\"~w~n\", [{Before, AtOnce, Follows, Leaps, First, Final, erlang:system_info(time_offset), Told(0),
                          receive {tagged, Tagged, time_offset, clock_service, O} -> is_integer(O) after 0 -> none end,
                          receive {gone, _, _, _, _} -> told after 0 -> not_told end}]),
    halt(0, [{flush, true}]).";

fn compiled(directory: &Path) -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/wall_clock/shift.c");
    let program = directory.join("shift");
    let compiler = Command::new("cc")
        .args(["-O1", "-Wall", "-o"])
        .args([&program, &source])
        .status();
    assert!(compiler.expect("a C compiler").success());
    program
}

/// A time warp mode, time correction, by how many seconds the clock is set, and what the program prints then. A clock
/// that stands still without correction does so for as long as it was set back.
const CASES: &[(&str, &str, i32, &str)] = &[
    (
        "no_time_warp",
        "true",
        3600,
        "{final,true,slowly,false,0,final,final,0,none,not_told}",
    ),
    (
        "no_time_warp",
        "true",
        -3600,
        "{final,true,slowly,false,0,final,final,0,none,not_told}",
    ),
    (
        "no_time_warp",
        "false",
        3600,
        "{final,true,wholly,true,0,final,final,0,none,not_told}",
    ),
    (
        "no_time_warp",
        "false",
        -4,
        "{final,true,wholly,false,0,final,final,0,none,not_told}",
    ),
    (
        "single_time_warp",
        "true",
        3600,
        "{preliminary,true,not_at_all,false,0,preliminary,final,1,true,not_told}",
    ),
    (
        "single_time_warp",
        "true",
        -3600,
        "{preliminary,true,not_at_all,false,0,preliminary,final,1,true,not_told}",
    ),
    (
        "single_time_warp",
        "false",
        3600,
        "{preliminary,true,wholly,true,0,preliminary,final,1,true,not_told}",
    ),
    (
        "single_time_warp",
        "false",
        -4,
        "{preliminary,true,wholly,false,0,preliminary,final,1,true,not_told}",
    ),
    (
        "multi_time_warp",
        "true",
        3600,
        "{volatile,true,wholly,false,1,volatile,volatile,0,true,not_told}",
    ),
    (
        "multi_time_warp",
        "true",
        -3600,
        "{volatile,true,wholly,false,1,volatile,volatile,0,true,not_told}",
    ),
    (
        "multi_time_warp",
        "false",
        3600,
        "{volatile,true,wholly,true,0,volatile,volatile,0,none,not_told}",
    ),
    (
        "multi_time_warp",
        "false",
        -4,
        "{volatile,true,wholly,false,1,volatile,volatile,0,true,not_told}",
    ),
];

/// Runs the program in all cases side by side, and compares what it prints with what is written down.
fn check(name: &str, machine: &Path, schedulers: &[&str]) {
    let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("wall_clock_{name}"));
    std::fs::create_dir_all(&directory).unwrap();
    let shift = &compiled(&directory);
    std::thread::scope(|scope| {
        for (mode, corrected, jump, expected) in CASES {
            for schedulers in schedulers {
                scope.spawn(move || {
                    let case = format!("{mode}, correction {corrected}, {jump} s, +S {schedulers}");
                    let file = shift.with_file_name(case.replace([' ', ','], ""));
                    std::fs::write(&file, "0").unwrap();
                    let output = Command::new(shift)
                        .arg(&file)
                        .arg(machine)
                        .args(["+C", mode, "+c", corrected, "+S", schedulers])
                        .args(["-noshell", "-eval", PROGRAM])
                        .envs(stock::otp().environment())
                        .env("SHIFT", &file)
                        .env("JUMP", jump.to_string())
                        .output()
                        .unwrap();
                    let errors = String::from_utf8_lossy(&output.stderr);
                    assert!(output.status.success(), "{name}, {case}: {errors}");
                    let printed = String::from_utf8(output.stdout).unwrap();
                    assert_eq!(printed.trim_end(), *expected, "{name}, {case}");
                });
            }
        }
    });
}

#[test]
fn a_clock_that_is_set_is_followed() {
    let ferl = Path::new(env!("CARGO_BIN_EXE_ferl"));
    check("ferl", ferl, &["1", "2"]);
}

#[test]
#[ignore = "takes more than a minute"]
fn stock_follows_a_clock_that_is_set_as_is_written_down() {
    check("stock", &stock::otp().erl, &["2"]);
}
