//! Calendar time, in UTC and in the host's time zone.

use layout::{Term, no_gc};
use sys::clock::calendar::{self, DateTime, DaylightSaving};
use term::integer::uint8;
use term::release::{self, Release};
use term::{am, build};

use runtime::code::bif::{BifResult, badarg};
use runtime::process::Process;

/// The calendar is the system's at once, in whatever way system time follows the wall clock.
fn now_seconds() -> i64 {
    sys::clock::system_ns().div_euclid(1_000_000_000)
}

fn local_now() -> DateTime {
    let seconds = now_seconds();
    calendar::local_of_seconds(seconds).unwrap_or_else(|| calendar::universal_of_seconds(seconds))
}

fn small(value: impl Into<i64>) -> Term {
    Term::small(value.into())
}

fn date_term(process: &mut Process, time: DateTime) -> Term {
    let parts = [small(time.year), small(time.month), small(time.day)];
    build::tuple(process.heap(), &parts)
}

fn time_term(process: &mut Process, time: DateTime) -> Term {
    let parts = [small(time.hour), small(time.minute), small(time.second)];
    build::tuple(process.heap(), &parts)
}

fn date_time_term(process: &mut Process, time: DateTime) -> Term {
    let parts = [date_term(process, time), time_term(process, time)];
    build::tuple(process.heap(), &parts)
}

/// Reads `{{Year, Month, Day}, {Hour, Minute, Second}}`; the conversions check that the date exists.
fn date_time(term: Term) -> Option<DateTime> {
    let [date, time] = term.as_tuple_of()?;
    let [year, month, day] = date.as_tuple_of()?;
    let [hour, minute, second] = time.as_tuple_of()?;
    Some(DateTime {
        year: year.as_small()?,
        month: uint8(month)?,
        day: uint8(day)?,
        hour: uint8(hour)?,
        minute: uint8(minute)?,
        second: uint8(second)?,
    })
}

/// `date()`.
pub(crate) fn date_0(process: &mut Process, []: [Term; 0]) -> BifResult {
    Ok(date_term(process, local_now()))
}

/// `time()`.
pub(crate) fn time_0(process: &mut Process, []: [Term; 0]) -> BifResult {
    Ok(time_term(process, local_now()))
}

/// `localtime()`.
pub(crate) fn localtime_0(process: &mut Process, []: [Term; 0]) -> BifResult {
    Ok(date_time_term(process, local_now()))
}

/// `universaltime()`.
pub(crate) fn universaltime_0(process: &mut Process, []: [Term; 0]) -> BifResult {
    let now = calendar::universal_of_seconds(now_seconds());
    Ok(date_time_term(process, now))
}

/// `localtime_to_universaltime(DateTime, IsDst)`.
pub(crate) fn localtime_to_universaltime_2(
    process: &mut Process,
    [time, daylight_saving]: [Term; 2],
) -> BifResult {
    let daylight_saving = match daylight_saving {
        // C libraries differ in what they make of a summer time that there is none of; OTP from 28 on does not ask.
        am::TRUE if release::has(Release::OTP_28) && !calendar::has_daylight_saving() => {
            DaylightSaving::NotInEffect
        }
        am::TRUE => DaylightSaving::InEffect,
        am::FALSE => DaylightSaving::NotInEffect,
        am::UNDEFINED => DaylightSaving::Unknown,
        _ => return Err(badarg(2)),
    };
    let universal = date_time(time)
        .and_then(|time| calendar::local_to_universal(time, daylight_saving))
        .ok_or_else(|| badarg(1))?;
    Ok(date_time_term(process, universal))
}

/// `universaltime_to_localtime(DateTime)`.
pub(crate) fn universaltime_to_localtime_1(process: &mut Process, [time]: [Term; 1]) -> BifResult {
    let local = date_time(time)
        .and_then(calendar::universal_to_local)
        .ok_or_else(|| badarg(1))?;
    Ok(date_time_term(process, local))
}

/// `universaltime_to_posixtime(DateTime)`: seconds since 1970.
pub(crate) fn universaltime_to_posixtime_1(process: &mut Process, [time]: [Term; 1]) -> BifResult {
    let seconds = date_time(time)
        .and_then(calendar::seconds_of_universal)
        .ok_or_else(|| badarg(1))?;
    Ok(build::integer(process.heap(), seconds))
}

/// `posixtime_to_universaltime(Seconds)`.
pub(crate) fn posixtime_to_universaltime_1(
    process: &mut Process,
    [seconds]: [Term; 1],
) -> BifResult {
    let seconds = match seconds.as_small() {
        Some(seconds) => seconds,
        None => big_seconds(seconds).ok_or_else(|| badarg(1))?,
    };
    let time = calendar::universal_of_seconds(seconds);
    Ok(date_time_term(process, time))
}

/// A big integer that fits in 64 signed bits.
fn big_seconds(term: Term) -> Option<i64> {
    let (negative, &[limb]) = term.as_big(no_gc!())? else {
        return None;
    };
    let value = if negative {
        -i128::from(limb)
    } else {
        i128::from(limb)
    };
    i64::try_from(value).ok()
}
