//! The end of a node that cannot go on: its last words, and the crash dump that OTP's crashdump viewer reads.
//!
//! Any thread may end the node, also one that has no memory left or holds locks: nothing here waits for a lock
//! without a bound, and a part that cannot be reached is left out. Schedulers are stopped first, for at most
//! [`PATIENCE`]; whose process still runs then is not looked into. There is one dump; other threads that want to
//! end the node meanwhile wait for its end.
//!
//! The same text in parts answers `erlang:system_info(info | procs | loaded | dist)`, and is what the break menu shows.

mod heaps;
mod memory;
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
use runtime::halt::CrashCause;
use runtime::scheduler::world;

pub use memory::watch as watch_memory;

/// How long schedulers have to come to rest, and a lock to be given up.
const PATIENCE: Duration = Duration::from_secs(5);
/// The wait for a lock once schedulers are at rest: then only this thread itself may hold it.
const LOCK_PATIENCE: Duration = Duration::from_millis(200);

/// Whether a text is for the dump, or for `system_info` while the node lives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    Dump,
    Live,
}

static ENDING: AtomicBool = AtomicBool::new(false);

/// A descriptor that is given up before the dump's file is opened: the node may end because there are no more.
static SPARE: Mutex<Option<File>> = Mutex::new(None);

thread_local! {
    /// This thread writes the dump.
    static DUMPING: Cell<bool> = const { Cell::new(false) };
}

/// Sees to it that the dump's file can be opened when descriptors have run out. Called once, at the node's start.
pub fn reserve_descriptor() {
    *SPARE.lock() = File::open("/dev/null").ok();
}

/// Ends the node: prints `slogan`, writes the dump.
pub fn end(cause: CrashCause, slogan: &str) -> ! {
    // Without the buffers of the standard library: there may be no memory.
    let end = if cause == CrashCause::Menu { "" } else { "\n" };
    say(&format_args!("{slogan}{end}"));
    finish(cause, slogan)
}

/// The dump and the end, after the last words.
fn finish(cause: CrashCause, slogan: &str) -> ! {
    if ENDING.swap(true, Ordering::SeqCst) {
        wait_for_the_end(cause);
    }
    DUMPING.set(true);
    if cause != CrashCause::Internal || runtime::config::dumps_own_errors() {
        dump(slogan);
    }
    leave(cause)
}

/// Another thread ends the node; but what fails while dumping must not wait for itself.
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

/// Last words go to standard error, and each line of them back to the margin, whatever state a terminal is in.
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

/// Turns a panic of the machine into the end of the node with a dump.
pub fn watch_panics() {
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |information| {
        if DUMPING.get() {
            leave(CrashCause::Internal);
        }
        before(information);
        let place = information
            .location()
            .map_or_else(String::new, |place| format!(" at {place}"));
        let what = information.payload_as_str().unwrap_or("no message");
        finish(
            CrashCause::Internal,
            &format!("internal error{place}: {}", what.replace('\n', " ")),
        );
    }));
}

/// What the environment says about the dump.
struct Wish {
    name: PathBuf,
    /// More than 0: the node is killed after so long.
    seconds: Option<u32>,
    bytes: Option<u64>,
    nice: Option<i32>,
}

impl Wish {
    /// `None`: no dump.
    fn read() -> Option<Wish> {
        let number = |name: &[u8]| {
            let value = sys::env::get_now(name)?;
            Some(leading_number(&value))
        };
        let seconds = number(b"ERL_CRASH_DUMP_SECONDS");
        if seconds == Some(0) {
            return None;
        }
        // `heart` starts the node anew at once, unless there is time for a dump.
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
        Some(Wish {
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

/// Tells the program that watches over the node, if there is one, that the node ends and may take its time.
fn tell_heart() -> bool {
    const PREPARING_CRASH: u8 = 8;
    let Some(id) = term::atom::lookup("heart_port").and_then(runtime::registry::whereis) else {
        return false;
    };
    let ports = runtime::port::all_within(LOCK_PATIENCE);
    if let Some(port) = ports.iter().find(|port| port.id == id) {
        port.write_last(&[PREPARING_CRASH], LOCK_PATIENCE);
    }
    true
}

/// The number that a text begins with, as C's `atoi` reads it.
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
    let Some(wish) = Wish::read() else { return };
    if let Some(nice) = wish.nice {
        sys::thread::lower_priority(nice);
    }
    if let Some(seconds) = wish.seconds {
        sys::signal::kill_after(seconds);
    }
    say(&format_args!(
        "\nCrash dump is being written to: {}...",
        wish.name.display()
    ));
    drop(SPARE.try_lock().and_then(|mut spare| spare.take()));
    let Ok(file) = wish.open() else { return };
    let mut out = Output::to_file(file, wish.bytes);
    if write(&mut out, slogan).and_then(|()| out.finish()).is_ok() {
        say(&"done\n");
    }
}

/// Everything, in stock's order.
fn write(out: &mut Output, slogan: &str) -> fmt::Result {
    let stopped = world::stop_for_good(PATIENCE);
    let view = tables::View::take();
    node::header(out, slogan)?;
    node::schedulers(out, &view)?;
    node::info(out, &view)?;
    processes::all(out, &view, Form::Dump)?;
    tables::ports(out, &view)?;
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

/// A part of the text that is told while the node lives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    Node,
    Processes,
    Ports,
    Loaded,
    Distribution,
    Tables,
}

/// The answer of `erlang:system_info(info | procs | loaded | dist)`; `None` for another item. Called in a BIF.
#[must_use]
pub fn text_of(item: &str) -> Option<Vec<u8>> {
    let parts: &[Part] = match item {
        "info" => &[Part::Node],
        "procs" => &[Part::Processes, Part::Ports],
        "loaded" => return Some(text(&[Part::Loaded])),
        "dist" => return Some(text(&[Part::Distribution])),
        _ => return None,
    };
    Some(world::stopped(|| text(parts)))
}

/// Those parts, one behind the other. For processes, ports and tables the world stands still.
#[must_use]
pub fn text(parts: &[Part]) -> Vec<u8> {
    let mut out = Output::to_memory();
    let view = LazyCell::new(tables::View::take);
    for part in parts {
        let done = match part {
            Part::Node => node::info(&mut out, &view),
            Part::Processes => processes::all(&mut out, &view, Form::Live),
            Part::Ports => tables::ports(&mut out, &view),
            Part::Loaded => node::loaded(&mut out, &view, Form::Live),
            Part::Distribution => node::distribution(&mut out),
            Part::Tables => tables::ets(&mut out, &view, Form::Live),
        };
        done.expect("nothing limits what is written to memory");
    }
    out.into_bytes()
}

/// Every process and what is told of it, the youngest place of the table first. The world stands still.
pub fn each_process() -> impl Iterator<Item = (Term, Vec<u8>)> {
    let mut processes: Vec<_> = processes::each().collect();
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
