//! `system_monitor` and `system_profile`.

use layout::{Heap, Term, no_gc};
use term::release::{self, Release};
use term::{am, atom, build, integer, list};

use runtime::code::bif::{BifResult, Failure, badarg};
use runtime::effects::system_monitor::{self, LongQueue, MonitorSettings};
use runtime::mail::world;
use runtime::process::tracing::{LEGACY, Tracer, what};
use runtime::process::{Process, table};
use runtime::trace;
use runtime::trace::system_profile::{self, Profile, wanted};

use super::tracing::session_of;
use ::trace::sessions::Session;

/// The smallest heap limit that `large_heap` can be set to; the value OTP has.
const LEAST_LARGE_HEAP_WORDS: u64 = 16_384;

/// `system_monitor()`: the current settings.
pub(crate) fn system_monitor_0(process: &mut Process, []: [Term; 0]) -> BifResult {
    Ok(settings(process.heap(), system_monitor::get(LEGACY)))
}

/// `system_monitor(undefined | {Pid, Options})`.
pub(crate) fn system_monitor_1(process: &mut Process, [settings]: [Term; 1]) -> BifResult {
    if settings == am::UNDEFINED {
        return system_monitor_2(process, [am::UNDEFINED, Term::NIL]);
    }
    match settings.as_tuple_of() {
        Some([pid, options]) => system_monitor_2(process, [pid, options]),
        _ => Err(badarg(1)),
    }
}

/// `system_monitor(Pid, Options)`: returns the settings before.
pub(crate) fn system_monitor_2(process: &mut Process, [pid, options]: [Term; 2]) -> BifResult {
    replace(process, LEGACY, pid, options)
}

/// Replaces the settings of a session; returns those before.
fn replace(process: &mut Process, session: u32, pid: Term, options: Term) -> BifResult {
    let monitor = if pid == am::UNDEFINED || options.is_nil() {
        None
    } else {
        if !pid.is_local_pid() || !table::exists(pid) {
            return Err(badarg(1));
        }
        let settings = parse(options, MonitorSettings::default());
        Some((pid, settings.ok_or_else(|| badarg(2))?))
    };
    let before = trace::set_monitor(session, monitor);
    Ok(settings(process.heap(), before))
}

/// `erts_internal:system_monitor(legacy | Session)`: as `system_monitor/0` before OTP 28, of a session.
pub(crate) fn session_system_monitor_1(process: &mut Process, [session]: [Term; 1]) -> BifResult {
    let number = match session {
        am::LEGACY => LEGACY,
        _ => session_of(session).map_err(|_| badarg(1))?.number,
    };
    Ok(settings(process.heap(), system_monitor::get(number)))
}

/// `erts_internal:system_monitor(legacy | Session, Pid | undefined, Options)`: as `system_monitor/2` before OTP 28, for
/// a session without a tracer too. In one whose tracer is a process, `system_monitor(Session, session, Changes)` has
/// that one told; what is not named stays as it is.
pub(crate) fn session_system_monitor_3(
    process: &mut Process,
    [session, pid, options]: [Term; 3],
) -> BifResult {
    let session = match session {
        am::LEGACY => None,
        _ => Some(session_of(session).map_err(|_| badarg(1))?),
    };
    let number = session.as_ref().map_or(LEGACY, |session| session.number);
    let told = match session.as_ref().map(|session| session.tracer.as_ref()) {
        None | Some(None) => {
            if !options.is_list() {
                return Err(badarg(3));
            }
            replace(process, number, pid, options)?
        }
        Some(Some(&Tracer::Identifier(monitor)))
            if monitor.is_local_pid() && pid == am::SESSION =>
        {
            let before = system_monitor::get(number);
            let before = before.map_or_else(MonitorSettings::default, |(_, settings)| settings);
            let wanted = parse(options, before).ok_or_else(|| badarg(1))?;
            let wanted = (wanted != MonitorSettings::default()).then_some((monitor, wanted));
            trace::set_monitor(number, wanted);
            am::OK
        }
        _ => return Err(badarg(1)),
    };
    if session.is_some_and(|session| !session.exists()) {
        // It has ended meanwhile.
        trace::set_monitor(number, None);
    }
    Ok(told)
}

/// `{system, Options}` of a session.
pub(super) fn item(heap: &mut Heap, session: &Session) -> Term {
    let monitor = system_monitor::get(session.number);
    let list = monitor.map_or(Term::NIL, |(_, options)| list_of(heap, options));
    build::tuple(heap, &[am::SYSTEM, list])
}

/// Changes settings as a list of options says; `None` if one is wrong.
fn parse(list: Term, settings: MonitorSettings) -> Option<MonitorSettings> {
    let mut options = settings;
    for option in list::items(list) {
        let option = option.ok()?;
        let (name, value) = match option.as_tuple(no_gc!()) {
            Some(&[name, value]) => (name, value),
            Some(_) => return None,
            None => (option, am::TRUE),
        };
        let has_off = release::has(Release::OTP_28);
        let limit = |least: u64| match value {
            am::FALSE if has_off => Some(0),
            _ => Some(integer::uint64(value)?.max(least)),
        };
        let is_on = || match value {
            _ if !has_off && option.is_tuple() => None,
            am::TRUE => Some(true),
            am::FALSE => Some(false),
            _ => None,
        };
        match name {
            am::LONG_GC => options.long_gc_ms = limit(1)?,
            am::LONG_SCHEDULE => options.long_schedule_ms = limit(1)?,
            am::LARGE_HEAP => options.large_heap_words = limit(LEAST_LARGE_HEAP_WORDS)?,
            am::BUSY_PORT => options.busy_port = is_on()?,
            am::BUSY_DIST_PORT => options.busy_dist_port = is_on()?,
            am::LONG_MESSAGE_QUEUE if release::has(Release::OTP_27) => {
                options.long_queue = match value {
                    am::FALSE if has_off => None,
                    _ => Some(long_queue(value)?),
                };
            }
            // Only ferl has it; stock does not know the name.
            _ if name == atom::known("memory_guard") => options.memory_guard = is_on()?,
            _ => return None,
        }
    }
    Some(options)
}

/// The limits `{Off, On}` of a message queue.
fn long_queue(term: Term) -> Option<LongQueue> {
    let [off, on] = term.as_tuple_of()?;
    let (off, on) = (integer::uint64(off)?, integer::uint64(on)?);
    (off < on).then_some(LongQueue { on, off })
}

fn settings(heap: &mut Heap, monitor: Option<(Term, MonitorSettings)>) -> Term {
    let Some((pid, options)) = monitor else {
        return am::UNDEFINED;
    };
    let list = list_of(heap, options);
    build::tuple(heap, &[pid, list])
}

fn list_of(heap: &mut Heap, options: MonitorSettings) -> Term {
    let mut list = Vec::new();
    if options.busy_dist_port {
        list.push(am::BUSY_DIST_PORT);
    }
    if options.busy_port {
        list.push(am::BUSY_PORT);
    }
    if options.memory_guard {
        list.push(atom::known("memory_guard"));
    }
    for (name, value) in [
        (am::LARGE_HEAP, options.large_heap_words),
        (am::LONG_SCHEDULE, options.long_schedule_ms),
        (am::LONG_GC, options.long_gc_ms),
    ] {
        if value > 0 {
            let value = build::unsigned(heap, value);
            list.push(build::tuple(heap, &[name, value]));
        }
    }
    if let Some(LongQueue { on, off }) = options.long_queue {
        let limits = [off, on].map(|limit| build::unsigned(heap, limit));
        let limits = build::tuple(heap, &limits);
        list.push(build::tuple(heap, &[am::LONG_MESSAGE_QUEUE, limits]));
    }
    build::list(heap, &list)
}

/// What `system_profile` can be asked for, in the order in which it lists that.
const PROFILED: [(Term, u32); 4] = [
    (am::EXCLUSIVE, wanted::EXCLUSIVE),
    (am::SCHEDULER, wanted::SCHEDULER),
    (am::RUNNABLE_PROCS, wanted::RUNNABLE_PROCS),
    (am::RUNNABLE_PORTS, wanted::RUNNABLE_PORTS),
];

/// `system_profile()`: `{Profiler, Options}` or `undefined`.
pub(crate) fn system_profile_0(process: &mut Process, []: [Term; 0]) -> BifResult {
    Ok(profile_term(process, system_profile::current()))
}

fn profile_term(process: &mut Process, profile: Option<Profile>) -> Term {
    let Some(profile) = profile else {
        return am::UNDEFINED;
    };
    let heap = process.heap();
    let options = PROFILED.iter().filter(|(_, bit)| profile.what & bit != 0);
    let options: Vec<Term> = options.map(|(name, _)| *name).collect();
    let options = build::list(heap, &options);
    build::tuple(heap, &[profile.profiler, options])
}

/// `system_profile(Profiler, Options)`: returns what was set before.
pub(crate) fn system_profile_2(process: &mut Process, [profiler, options]: [Term; 2]) -> BifResult {
    let wanted = match profiler == am::UNDEFINED || options.is_nil() {
        true => None,
        false => Some(parse_profile(profiler, options)?),
    };
    let before = world::stopped(|| system_profile::set(wanted));
    Ok(profile_term(process, before))
}

fn parse_profile(profiler: Term, options: Term) -> Result<Profile, Failure> {
    if !::trace::tracer::exists(profiler) {
        return Err(badarg(1));
    }
    let mut profile = Profile {
        profiler,
        what: 0,
        stamp: what::TIMESTAMP,
    };
    for option in list::items(options) {
        let option = option.map_err(|_| badarg(2))?;
        match option {
            am::TIMESTAMP => profile.stamp = what::TIMESTAMP,
            am::MONOTONIC_TIMESTAMP => profile.stamp = what::MONOTONIC_TIMESTAMP,
            am::STRICT_MONOTONIC_TIMESTAMP => profile.stamp = what::STRICT_MONOTONIC_TIMESTAMP,
            _ => {
                let known = PROFILED.iter().find(|(name, _)| *name == option);
                profile.what |= known.ok_or(badarg(2))?.1;
            }
        }
    }
    Ok(profile)
}
