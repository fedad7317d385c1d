//! Dates compared with known ones, and local time in zones set by `TZ` in a child process, because a
//! process reads that variable once.

use super::*;

fn at(year: i64, month: u8, day: u8, hour: u8, minute: u8, second: u8) -> DateTime {
    DateTime {
        year,
        month,
        day,
        hour,
        minute,
        second,
    }
}

#[test]
fn universal_times_have_known_seconds() {
    for (seconds, time) in [
        (0, at(1970, 1, 1, 0, 0, 0)),
        (-1, at(1969, 12, 31, 23, 59, 59)),
        (951_782_400, at(2000, 2, 29, 0, 0, 0)),
        (4_107_542_399, at(2100, 2, 28, 23, 59, 59)),
        (-11_676_096_000, at(1600, 1, 1, 0, 0, 0)),
    ] {
        assert_eq!(universal_of_seconds(seconds), time);
        assert_eq!(seconds_of_universal(time), Some(seconds));
    }
}

#[test]
fn every_day_of_eight_centuries_follows_its_predecessor() {
    let mut expected = at(1600, 1, 1, 12, 0, 0);
    let first = seconds_of_universal(expected).unwrap();
    for day in 0..800 * 365 {
        let seconds = first + day * SECONDS_PER_DAY;
        assert_eq!(universal_of_seconds(seconds), expected);
        assert_eq!(seconds_of_universal(expected), Some(seconds));
        expected.day += 1;
        if expected.day > days_of_month(expected.year, expected.month) {
            expected.day = 1;
            expected.month += 1;
        }
        if expected.month > 12 {
            expected.month = 1;
            expected.year += 1;
        }
    }
}

#[test]
fn impossible_dates_are_refused() {
    for time in [
        at(1599, 12, 31, 0, 0, 0),
        at(2023, 2, 29, 0, 0, 0),
        at(1900, 2, 29, 0, 0, 0),
        at(2023, 13, 1, 0, 0, 0),
        at(2023, 0, 1, 0, 0, 0),
        at(2023, 1, 0, 0, 0, 0),
        at(2023, 1, 1, 24, 0, 0),
        at(2023, 1, 1, 0, 60, 0),
        at(2023, 1, 1, 0, 0, 60),
        at(i64::MAX, 1, 1, 0, 0, 0),
        at(i64::MIN, 1, 1, 0, 0, 0),
    ] {
        assert_eq!(seconds_of_universal(time), None, "{time:?}");
        assert_eq!(universal_to_local(time), None, "{time:?}");
        assert_eq!(
            local_to_universal(time, DaylightSaving::Unknown),
            None,
            "{time:?}"
        );
    }
    assert_eq!(universal_to_local(at(1901, 12, 31, 0, 0, 0)), None);
    assert_eq!(local_of_seconds(i64::MAX), None);
    assert_eq!(local_of_seconds(i64::MIN), None);
}

#[test]
fn any_number_of_seconds_has_a_date() {
    for seconds in [i64::MIN, i64::MAX] {
        let time = universal_of_seconds(seconds);
        assert!((1..=12).contains(&time.month) && (1..=31).contains(&time.day));
    }
}

/// Runs in the child of the test below, where `TZ` is central European time in POSIX notation, which
/// needs no zone files.
#[test]
#[ignore = "started by `local_time_follows_the_zone`"]
fn central_european_time() {
    let winter = at(2024, 1, 15, 12, 0, 0);
    let summer = at(2024, 7, 15, 12, 0, 0);
    // The hour from 2 to 3 on 2024-10-27 happens twice.
    let twice = at(2024, 10, 27, 2, 30, 0);
    for (local, daylight_saving, universal) in [
        (winter, DaylightSaving::Unknown, at(2024, 1, 15, 11, 0, 0)),
        (winter, DaylightSaving::InEffect, at(2024, 1, 15, 10, 0, 0)),
        (summer, DaylightSaving::Unknown, at(2024, 7, 15, 10, 0, 0)),
        (
            summer,
            DaylightSaving::NotInEffect,
            at(2024, 7, 15, 11, 0, 0),
        ),
        (twice, DaylightSaving::InEffect, at(2024, 10, 27, 0, 30, 0)),
        (
            twice,
            DaylightSaving::NotInEffect,
            at(2024, 10, 27, 1, 30, 0),
        ),
        // The last second of 1969 in UTC, for which `mktime` returns -1, as for an error.
        (
            at(1970, 1, 1, 0, 59, 59),
            DaylightSaving::Unknown,
            at(1969, 12, 31, 23, 59, 59),
        ),
    ] {
        assert_eq!(
            local_to_universal(local, daylight_saving),
            Some(universal),
            "{local:?}"
        );
    }
    assert_eq!(universal_to_local(at(2024, 7, 15, 10, 0, 0)), Some(summer));
    assert_eq!(universal_to_local(at(2024, 10, 27, 0, 30, 0)), Some(twice));
    assert_eq!(universal_to_local(at(2024, 10, 27, 1, 30, 0)), Some(twice));
    assert_eq!(local_of_seconds(0), Some(at(1970, 1, 1, 1, 0, 0)));
}

#[test]
fn local_time_follows_the_zone() {
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "--ignored",
            "clock::calendar::tests::central_european_time",
        ])
        .env("TZ", "CET-1CEST,M3.5.0,M10.5.0/3")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && text.contains("1 passed"),
        "{text}"
    );
}
