//! Calendar times: seconds since 1970 to dates and back, in UTC and in the host's time zone.
//!
//! The rules are those of `erlang:localtime/0`, `universaltime/0`, `localtime_to_universaltime/2`,
//! `universaltime_to_localtime/1`, `posixtime_to_universaltime/1` and `universaltime_to_posixtime/1`:
//! which dates are accepted, and how the C library resolves times that a change to or from summer
//! time skips or repeats. Those functions turn `None` into `badarg`.
//!
//! The time zone is that of the `TZ` variable the program was started with, else of `/etc/localtime`. Ferl never
//! changes the process's own environment (see `env`), so reading `TZ` does not race.

/// A date of the Gregorian calendar and a time of day, without a zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DateTime {
    /// May be negative or beyond four digits.
    pub year: i64,
    /// 1 to 12.
    pub month: u8,
    /// 1 to 31.
    pub day: u8,
    /// 0 to 23.
    pub hour: u8,
    /// 0 to 59.
    pub minute: u8,
    /// 0 to 59; 60 where the system's time zone counts leap seconds.
    pub second: u8,
}

/// Whether a local time is summer time, as far as the caller knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DaylightSaving {
    /// The time is given in summer time (`true`).
    InEffect,
    /// The time is given in standard time (`false`).
    NotInEffect,
    /// The system is to find out (`undefined`).
    Unknown,
}

const SECONDS_PER_DAY: i64 = 86_400;
/// Dates before this year are refused by the conversions from and to local time.
const FIRST_LOCAL_YEAR: i64 = 1902;
/// Dates before this year are refused by [`seconds_of_universal`].
const FIRST_UNIVERSAL_YEAR: i64 = 1600;
/// The last year accepted anywhere.
const LAST_YEAR: i64 = i32::MAX as i64 - 1;

/// The local time at `seconds` since 1970; `None` if its year does not fit the system's own type.
pub fn local_of_seconds(seconds: i64) -> Option<DateTime> {
    load_zone();
    let mut parts = std::mem::MaybeUninit::<libc::tm>::uninit();
    // SAFETY: both pointers are valid for the call; the C library guards its zone tables.
    let result = unsafe { libc::localtime_r(&seconds, parts.as_mut_ptr()) };
    if result.is_null() {
        return None;
    }
    // SAFETY: the call succeeded and filled the structure.
    Some(date_time(unsafe { parts.assume_init_ref() }))
}

/// A local time as C's `ctime` writes it, without the end of the line: `Sat Nov 21 04:12:01 2026`. Empty if its year
/// does not fit the system's own type.
pub fn local_text(seconds: i64) -> String {
    const DAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
    const MONTHS: [&str; 12] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ];
    let Some(time) = local_of_seconds(seconds) else {
        return String::new();
    };
    // The first day of 1970 was a Thursday.
    let day = seconds_of_universal(time).map_or(0, |local| local.div_euclid(SECONDS_PER_DAY));
    format!(
        "{} {} {:2} {:02}:{:02}:{:02} {}",
        DAYS[day.rem_euclid(7) as usize],
        MONTHS[usize::from(time.month - 1) % 12],
        time.day,
        time.hour,
        time.minute,
        time.second,
        time.year
    )
}

/// The universal time at `seconds` since 1970.
pub fn universal_of_seconds(seconds: i64) -> DateTime {
    let days = seconds.div_euclid(SECONDS_PER_DAY);
    let rest = seconds.rem_euclid(SECONDS_PER_DAY);
    let (year, month, day) = date_of_days(days);
    DateTime {
        year,
        month,
        day,
        hour: (rest / 3_600) as u8,
        minute: (rest % 3_600 / 60) as u8,
        second: (rest % 60) as u8,
    }
}

/// Seconds since 1970 of a universal time from the year 1600 on.
pub fn seconds_of_universal(time: DateTime) -> Option<i64> {
    if !is_valid(time, FIRST_UNIVERSAL_YEAR) {
        return None;
    }
    Some(seconds_of(time))
}

/// The local time at a universal time from the year 1902 on.
pub fn universal_to_local(time: DateTime) -> Option<DateTime> {
    if !is_valid(time, FIRST_LOCAL_YEAR) {
        return None;
    }
    local_of_seconds(seconds_of(time))
}

/// The universal time at a local time from the year 1902 on.
///
/// A time that the change to summer time skips is moved, and one that the change back repeats is
/// resolved by `daylight_saving`, both as the C library's `mktime` does.
pub fn local_to_universal(time: DateTime, daylight_saving: DaylightSaving) -> Option<DateTime> {
    if !is_valid(time, FIRST_LOCAL_YEAR) {
        return None;
    }
    let seconds = match daylight_saving {
        DaylightSaving::NotInEffect => seconds_of_local(time, 0),
        // A zone without summer time may refuse a time said to be in it; take it as standard time then.
        DaylightSaving::InEffect => seconds_of_local(time, 1).or_else(|| seconds_of_local(time, 0)),
        DaylightSaving::Unknown => seconds_of_local(time, -1).or_else(|| seconds_of_local(time, 0)),
    }?;
    Some(universal_of_seconds(seconds))
}

/// How many days the month has; `month` is 1 to 12.
fn days_of_month(year: i64, month: u8) -> u8 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        _ => 31,
    }
}

fn is_valid(time: DateTime, first_year: i64) -> bool {
    (first_year..=LAST_YEAR).contains(&time.year)
        && (1..=12).contains(&time.month)
        && (1..=days_of_month(time.year, time.month)).contains(&time.day)
        && time.hour <= 23
        && time.minute <= 59
        && time.second <= 59
}

/// The caller has checked the date; years are at most 32 bits, so nothing overflows.
fn seconds_of(time: DateTime) -> i64 {
    let of_day =
        i64::from(time.hour) * 3_600 + i64::from(time.minute) * 60 + i64::from(time.second);
    days_of_date(time.year, time.month, time.day) * SECONDS_PER_DAY + of_day
}

/// Days since 1970-01-01. Years are counted from March, so that the leap day is the last of its year and
/// a month's first day is a linear function of its number.
fn days_of_date(year: i64, month: u8, day: u8) -> i64 {
    let (year, month) = if month > 2 {
        (year, month - 3)
    } else {
        (year - 1, month + 9)
    };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * i64::from(month) + 2) / 5 + i64::from(day) - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

/// The inverse of [`days_of_date`].
fn date_of_days(days: i64) -> (i64, u8, u8) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = (day_of_year - (153 * month + 2) / 5 + 1) as u8;
    let (month, carry) = if month < 10 {
        (month + 3, 0)
    } else {
        (month - 9, 1)
    };
    (year_of_era + era * 400 + carry, month as u8, day)
}

fn seconds_of_local(time: DateTime, is_dst: i32) -> Option<i64> {
    // SAFETY: all-zero is a valid `tm`: integers and a null pointer.
    let mut parts: libc::tm = unsafe { std::mem::zeroed() };
    parts.tm_year = i32::try_from(time.year - 1900).ok()?;
    parts.tm_mon = i32::from(time.month) - 1;
    parts.tm_mday = i32::from(time.day);
    parts.tm_hour = i32::from(time.hour);
    parts.tm_min = i32::from(time.minute);
    parts.tm_sec = i32::from(time.second);
    parts.tm_isdst = is_dst;
    // -1 is also the last second of 1969. The call sets the day of the week only when it succeeds.
    parts.tm_wday = -1;
    // SAFETY: `parts` is a complete structure that the call may normalise in place.
    let seconds = unsafe { libc::mktime(&mut parts) };
    (parts.tm_wday != -1).then_some(seconds)
}

/// Whether the local time zone has or had summer time.
#[must_use]
pub fn has_daylight_saving() -> bool {
    unsafe extern "C" {
        static daylight: libc::c_int;
    }
    load_zone();
    // SAFETY: an integer of the C library's own, to which `tzset` in another thread writes at most the same value.
    unsafe { (&raw const daylight).read_volatile() != 0 }
}

fn date_time(parts: &libc::tm) -> DateTime {
    DateTime {
        year: i64::from(parts.tm_year) + 1900,
        month: (parts.tm_mon + 1) as u8,
        day: parts.tm_mday as u8,
        hour: parts.tm_hour as u8,
        minute: parts.tm_min as u8,
        second: parts.tm_sec as u8,
    }
}

/// Notices a new `/etc/localtime`, for which `localtime_r` alone does not look again after its first call.
fn load_zone() {
    unsafe extern "C" {
        fn tzset();
    }
    // SAFETY: takes nothing and locks the C library's own tables.
    unsafe { tzset() }
}

#[cfg(test)]
mod tests;
