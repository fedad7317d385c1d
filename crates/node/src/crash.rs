//! Ending a node that cannot continue: the final message, and the crash dump, which OTP's crashdump viewer can read.
//!
//! Any thread may end the node, even one that has run out of memory or holds locks: every wait for a lock here has a
//! timeout, and parts that cannot be reached are left out. Schedulers are stopped first, within at most [`PATIENCE`];
//! processes that still run then are left out. Only one dump is written; other threads that try to end the node
//! meanwhile wait until it ends.
//!
//! Parts of the same text are the result of `erlang:system_info(info | procs | loaded | dist)`, and are shown by the
//! break menu.

mod heaps;
mod memory;
mod names;
mod node;
mod output;
mod processes;
mod tables;

use std::cell::{Cell, LazyCell};
use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use layout::Term;
use parking_lot::Mutex;

use output::Output;
use runtime::mail::hooks::CrashCause;
use runtime::mail::world;
use runtime::process::epoch::Pinned;
use term::release::{self, Release};

pub(crate) use memory::watch as watch_memory;

/// How long to wait for the schedulers to stop.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long to wait for a lock once the schedulers are stopped: then probably only this thread itself can hold it.
const LOCK_PATIENCE: Duration = Duration::from_millis(200);

/// Whether a text is for the dump, or for `system_info` while the node lives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    Dump,
    Live,
}

static ENDING: AtomicBool = AtomicBool::new(false);

/// A descriptor that is closed before the dump's file is opened: the node may end because it has run out of
/// descriptors.
static SPARE: Mutex<Option<File>> = Mutex::new(None);

thread_local! {
    /// Whether this thread writes the dump.
    static DUMPING: Cell<bool> = const { Cell::new(false) };
}

/// Reserves a descriptor, so that the dump's file can be opened even if descriptors have run out. Called once, at the
/// node's start.
pub(crate) fn reserve_descriptor() {
    *SPARE.lock() = File::open("/dev/null").ok();
}

/// Ends the node: prints `slogan` and writes the dump.
pub(crate) fn end(cause: CrashCause, slogan: &str) -> ! {
    // Not through the buffers of the standard library: there may be no memory.
    let is_unended = cause == CrashCause::Menu && !release::has(Release::OTP_29);
    let end = if is_unended { "" } else { "\n" };
    say(&format_args!("{slogan}{end}"));
    finish(cause, slogan)
}

/// Writes the dump and ends the node, after the final message.
fn finish(cause: CrashCause, slogan: &str) -> ! {
    if ENDING.swap(true, Ordering::SeqCst) {
        wait_for_the_end(cause);
    }
    DUMPING.set(true);
    if cause != CrashCause::Internal || runtime::process::config::dumps_own_errors() {
        dump(slogan);
    }
    leave(cause)
}

/// Waits while another thread ends the node. If this thread itself is writing the dump and has failed, it ends the node
/// at once.
fn wait_for_the_end(cause: CrashCause) -> ! {
    if DUMPING.get() {
        leave(cause);
    }
    loop {
        std::thread::park();
    }
}

fn leave(cause: CrashCause) -> ! {
    match cause {
        CrashCause::Outside => sys::thread::exit_at_once(1),
        CrashCause::Menu | CrashCause::Internal => std::process::abort(),
    }
}

/// Writes the final message to standard error, with a carriage return at each line end, because a terminal may be in
/// raw mode.
fn say(text: &dyn fmt::Display) {
    struct WithReturns(std::io::Stderr);
    impl fmt::Write for WithReturns {
        fn write_str(&mut self, text: &str) -> fmt::Result {
            for (index, line) in text.split('\n').enumerate() {
                let end = if index > 0 { "\r\n" } else { "" };
                self.0.write_all(end.as_bytes()).map_err(|_| fmt::Error)?;
                self.0.write_all(line.as_bytes()).map_err(|_| fmt::Error)?;
            }
            Ok(())
        }
    }
    let _ = fmt::write(&mut WithReturns(std::io::stderr()), format_args!("{text}"));
}

/// How the standard library begins its panics when it has no memory for the stack on which a new thread handles
/// signals. That is a lack of memory like others, and no fault of the node.
const NO_SIGNAL_STACK: [&str; 2] = [
    "failed to allocate an alternative stack",
    "failed to set up alternative stack guard page",
];

/// Makes any panic end the node with a dump.
pub(crate) fn watch_panics() {
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |information| {
        if DUMPING.get() {
            leave(CrashCause::Internal);
        }
        let what = information.payload_as_str().unwrap_or("no message");
        if NO_SIGNAL_STACK.iter().any(|start| what.starts_with(start)) {
            let slogan =
                "a thread cannot start: no memory for the stack on which it handles signals";
            end(CrashCause::Outside, slogan);
        }
        before(information);
        let place = information
            .location()
            .map_or_else(String::new, |place| format!(" at {place}"));
        finish(
            CrashCause::Internal,
            &format!("internal error{place}: {}", what.replace('\n', " ")),
        );
    }));
}

/// The settings of the dump, from environment variables.
struct DumpOptions {
    name: PathBuf,
    /// If more than 0, the node is killed after this time.
    seconds: Option<u32>,
    bytes: Option<u64>,
    nice: Option<i32>,
}

impl DumpOptions {
    /// Reads the environment variables; `None` if no dump is to be written.
    fn read() -> Option<DumpOptions> {
        let number = |name: &[u8]| {
            let value = sys::env::get_now(name)?;
            Some(leading_number(&value))
        };
        let seconds = number(b"ERL_CRASH_DUMP_SECONDS");
        if seconds == Some(0) {
            return None;
        }
        // `heart` restarts the node at once, unless the variable grants time for a dump.
        if tell_heart() && seconds.is_none() {
            return None;
        }
        let bytes = sys::env::get_now(b"ERL_CRASH_DUMP_BYTES")
            .and_then(|value| String::from_utf8(value).ok()?.parse::<i64>().ok())
            .and_then(|limit| u64::try_from(limit).ok());
        if bytes == Some(0) {
            return None;
        }
        let name =
            sys::env::get_now(b"ERL_CRASH_DUMP").unwrap_or_else(|| b"erl_crash.dump".to_vec());
        Some(DumpOptions {
            name: std::ffi::OsString::from_vec(name).into(),
            seconds: seconds.and_then(|seconds| u32::try_from(seconds).ok()),
            bytes,
            nice: number(b"ERL_CRASH_DUMP_NICE")
                .and_then(|nice| i32::try_from(nice).ok())
                .filter(|nice| *nice >= 0)
                .map(|nice| nice.min(39)),
        })
    }

    fn open(&self) -> std::io::Result<File> {
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true).mode(0o640);
        options.open(&self.name)
    }
}

/// Tells the `heart` program, if there is one, that the node is crashing and may take some time to end. Returns whether
/// there is one.
fn tell_heart() -> bool {
    const PREPARING_CRASH: u8 = 8;
    let Some(id) = term::atom::lookup("heart_port").and_then(runtime::mail::registry::whereis)
    else {
        return false;
    };
    let ports = runtime::effects::port::all_within(LOCK_PATIENCE);
    if let Some(port) = ports.iter().find(|port| port.id == id) {
        port.write_last(&[PREPARING_CRASH], LOCK_PATIENCE);
    }
    true
}

/// The number at the start of a text, read as by C's `atoi`.
fn leading_number(text: &[u8]) -> i64 {
    let text = text.trim_ascii_start();
    let (negative, digits) = match text.first() {
        Some(b'-') => (true, &text[1..]),
        Some(b'+') => (false, &text[1..]),
        _ => (false, text),
    };
    let number =
        digits
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .fold(0_i64, |number, byte| {
                number
                    .saturating_mul(10)
                    .saturating_add(i64::from(byte - b'0'))
            });
    if negative { -number } else { number }
}

fn dump(slogan: &str) {
    let Some(options) = DumpOptions::read() else {
        return;
    };
    if let Some(nice) = options.nice {
        sys::thread::lower_priority(nice);
    }
    if let Some(seconds) = options.seconds {
        sys::signal::kill_after(seconds);
    }
    say(&format_args!(
        "\nCrash dump is being written to: {}...",
        options.name.display()
    ));
    drop(SPARE.try_lock().and_then(|mut spare| spare.take()));
    let Ok(file) = options.open() else { return };
    let mut out = Output::to_file(file, options.bytes);
    if write(&mut out, slogan).and_then(|()| out.finish()).is_ok() {
        say(&"done\n");
    }
}

/// Writes all sections, in stock's order.
fn write(out: &mut Output, slogan: &str) -> fmt::Result {
    let stopped = world::stop_for_good(PATIENCE);
    let view = tables::View::take();
    node::header(out, slogan)?;
    node::schedulers(out, &view)?;
    node::info(out, &view)?;
    processes::all(out, &view, Form::Dump)?;
    tables::ports(out, &view, Form::Dump)?;
    tables::ets(out, &view, Form::Dump)?;
    tables::timers(out)?;
    node::distribution(out)?;
    out.text("=loaded_modules\n")?;
    node::loaded(out, &view, Form::Dump)?;
    node::funs(out)?;
    heaps::all(out, &view, stopped)?;
    node::atoms(out)?;
    out.text("=end\n")
}

/// A part of the text that can be requested while the node lives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Part {
    Node,
    Processes,
    Ports,
    Loaded,
    Distribution,
    Tables,
}

/// The result of `erlang:system_info(info | procs | loaded | dist)`; `None` for any other item. Called in a BIF.
#[must_use]
pub(crate) fn text_of(item: &str) -> Option<Vec<u8>> {
    let parts: &[Part] = match item {
        "info" => &[Part::Node],
        "procs" => &[Part::Processes, Part::Ports],
        "loaded" => return Some(text(&[Part::Loaded])),
        "dist" => return Some(text(&[Part::Distribution])),
        _ => return None,
    };
    Some(world::stopped(|| text(parts)))
}

/// The text of these parts, in order. For processes, ports and tables the caller must have stopped the world.
#[must_use]
pub(crate) fn text(parts: &[Part]) -> Vec<u8> {
    let mut out = Output::to_memory();
    let view = LazyCell::new(tables::View::take);
    for part in parts {
        let done = match part {
            Part::Node => node::info(&mut out, &view),
            Part::Processes => processes::all(&mut out, &view, Form::Live),
            Part::Ports => tables::ports(&mut out, &view, Form::Live),
            Part::Loaded => node::loaded(&mut out, &view, Form::Live),
            Part::Distribution => node::distribution(&mut out),
            Part::Tables => tables::ets(&mut out, &view, Form::Live),
        };
        done.expect("nothing limits what is written to memory");
    }
    out.into_bytes()
}

/// Every process with its text, those with the highest index in the process table first.
///
/// # Safety
/// The world is stopped while the iterator lives.
pub(crate) unsafe fn each_process(pinned: Pinned<'_>) -> impl Iterator<Item = (Term, Vec<u8>)> {
    // SAFETY: the caller has stopped the world.
    let mut processes: Vec<_> = unsafe { processes::each(pinned) }.collect();
    let view = tables::View::take();
    std::iter::from_fn(move || {
        let process = processes.pop()?;
        let mut out = Output::to_memory();
        processes::one(&mut out, &view, process, Form::Live)
            .expect("nothing limits what is written to memory");
        Some((process.id, out.into_bytes()))
    })
}

#[cfg(test)]
mod tests {
    use super::leading_number;

    #[test]
    fn numbers_are_read_as_by_atoi() {
        for (text, number) in [
            ("5", 5),
            (" -1x", -1),
            ("+7", 7),
            ("x", 0),
            ("", 0),
            ("99999999999999999999", i64::MAX),
        ] {
            assert_eq!(leading_number(text.as_bytes()), number, "{text:?}");
        }
    }
}
