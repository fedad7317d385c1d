//! A line about where a thread was when it executed what it must not: for faults in native libraries, which end the
//! node.
//!
//! The handler of such signals writes the line to standard error, puts back what was to happen before, and returns to
//! the fault, which then takes its course. It runs on the thread's signal stack in the middle of anything, so it
//! allocates nothing and takes no lock but the loader's, whose tables name the function and the object of an address.

use std::ffi::{CStr, c_int, c_void};
use std::fmt::{self, Write as _};
use std::mem::MaybeUninit;
use std::os::fd::AsFd as _;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// Writes which library this thread was calling; returns false if none. Must do no more than the handler may.
pub type Describe = fn(&mut dyn fmt::Write) -> bool;

const SIGNALS: [(c_int, &str); 4] = [
    (libc::SIGSEGV, "SIGSEGV"),
    (libc::SIGBUS, "SIGBUS"),
    (libc::SIGILL, "SIGILL"),
    (libc::SIGFPE, "SIGFPE"),
];

static DESCRIBE: OnceLock<Describe> = OnceLock::new();

/// What was to happen before, in the order of [`SIGNALS`].
static BEFORE: [OnceLock<libc::sigaction>; SIGNALS.len()] =
    [const { OnceLock::new() }; SIGNALS.len()];

/// Has faults reported from now on. A signal whose handler cannot be set goes unreported.
pub fn watch(describe: Describe) {
    if DESCRIBE.set(describe).is_err() {
        return;
    }
    // Resolves what the handler calls, which the loader would otherwise do in it.
    let _ = place_of(watch as *const () as usize);
    for ((number, _), before) in SIGNALS.iter().zip(&BEFORE) {
        // SAFETY: all-zero is a valid structure: an empty mask and no flags.
        let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
        action.sa_sigaction = report
            as unsafe extern "C" fn(c_int, *const libc::siginfo_t, *const c_void)
            as libc::sighandler_t;
        action.sa_flags = libc::SA_ONSTACK | libc::SA_SIGINFO;
        let mut old = MaybeUninit::uninit();
        // SAFETY: reads what was to happen, which is initialised if that succeeds; then sets a handler that may run at
        // any time.
        unsafe {
            if libc::sigaction(*number, std::ptr::null(), old.as_mut_ptr()) == 0 {
                let _ = before.set(old.assume_init());
                libc::sigaction(*number, &raw const action, std::ptr::null_mut());
            }
        }
    }
}

/// The handler.
///
/// # Safety
/// The system calls it, with valid pointers.
unsafe extern "C" fn report(number: c_int, info: *const libc::siginfo_t, context: *const c_void) {
    static IS_REPORTED: AtomicBool = AtomicBool::new(false);
    // SAFETY: the system's structure.
    let was_sent = unsafe { (*info).si_code } <= 0;
    let index = SIGNALS.iter().position(|(known, _)| *known == number);
    let Some(index) = index else { return };
    if !was_sent && !IS_REPORTED.swap(true, Ordering::Relaxed) {
        // SAFETY: as above.
        let at = unsafe { instruction(context.cast()) };
        let mut line = Line::new();
        if describe(&mut line, SIGNALS[index].1, at) {
            line.write_to_stderr();
        }
    }
    if was_sent {
        // Whoever sends one wants the node to end, but not by this one, which stock ignores.
        if number != libc::SIGFPE {
            // SAFETY: what was to happen before may be a handler (the standard library's, which looks for an overflow
            // of the stack) that expects the fault to happen again. The signal that is sent again here ends the node.
            unsafe {
                libc::signal(number, libc::SIG_DFL);
                libc::raise(number);
            }
        }
        return;
    }
    // SAFETY: puts back a complete action; the fault happens again.
    unsafe {
        match BEFORE[index].get() {
            Some(before) => libc::sigaction(number, before, std::ptr::null_mut()),
            None => libc::signal(number, libc::SIG_DFL) as c_int,
        };
    }
}

/// Writes the line; returns false if no library had a part in the fault.
fn describe(line: &mut Line, signal: &str, at: usize) -> bool {
    let mut call = Line::new();
    let is_called = DESCRIBE.get().is_some_and(|describe| describe(&mut call));
    let place = place_of(at);
    let own = place_of(describe as *const () as usize);
    let is_own = place.is_some() && place.as_ref().map(|p| p.base) == own.map(|own| own.base);
    if !is_called && (is_own || place.is_none()) {
        return false;
    }
    let _ = write!(line, "ferl: {signal} ");
    let _ = match place {
        Some(place) => write!(line, "{place}"),
        None => write!(line, "at {at:#x}, which is in no library"),
    };
    if is_called {
        let _ = line.write_str(", called for ");
        line.append(&call);
    }
    let _ = line.write_str("\r\n");
    true
}

/// Where an address is: in which object, behind which symbol.
struct Place<'a> {
    address: usize,
    base: usize,
    object: &'a CStr,
    symbol: Option<(&'a CStr, usize)>,
}

/// The place of an address; none if no loaded object has it.
fn place_of<'a>(address: usize) -> Option<Place<'a>> {
    let mut info = MaybeUninit::<libc::Dl_info>::zeroed();
    // SAFETY: the loader fills the structure if it finds an object, and the object stays loaded: its code is being
    // executed.
    unsafe {
        if libc::dladdr(address as *const c_void, info.as_mut_ptr()) == 0 {
            return None;
        }
        let info = info.assume_init();
        if info.dli_fname.is_null() {
            return None;
        }
        let has_symbol = !info.dli_sname.is_null();
        Some(Place {
            address,
            base: info.dli_fbase as usize,
            object: CStr::from_ptr(info.dli_fname),
            symbol: has_symbol.then(|| (CStr::from_ptr(info.dli_sname), info.dli_saddr as usize)),
        })
    }
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let part = |text: &CStr, out: &mut fmt::Formatter<'_>| {
            text.to_bytes()
                .utf8_chunks()
                .try_for_each(|chunk| out.write_str(chunk.valid()))
        };
        match self.symbol {
            Some((symbol, start)) => {
                out.write_str("in ")?;
                part(symbol, out)?;
                write!(out, "+{:#x} of ", self.address.wrapping_sub(start))?;
                part(self.object, out)
            }
            None => {
                write!(out, "at {:#x} of ", self.address.wrapping_sub(self.base))?;
                part(self.object, out)
            }
        }
    }
}

/// Writes the object that an address is in, if there is one.
pub fn write_object(out: &mut dyn fmt::Write, address: usize) -> fmt::Result {
    match place_of(address) {
        Some(place) => place
            .object
            .to_bytes()
            .utf8_chunks()
            .try_for_each(|chunk| out.write_str(chunk.valid())),
        None => out.write_str("a library that is gone"),
    }
}

/// The address that was executed.
///
/// # Safety
/// The system's structure, or a copy of it.
#[cfg(target_arch = "x86_64")]
unsafe fn instruction(context: *const libc::ucontext_t) -> usize {
    // SAFETY: the caller's promise.
    unsafe { (*context).uc_mcontext.gregs[libc::REG_RIP as usize] as usize }
}

/// As above.
///
/// # Safety
/// As above.
#[cfg(target_arch = "aarch64")]
unsafe fn instruction(context: *const libc::ucontext_t) -> usize {
    // SAFETY: the caller's promise.
    unsafe { (*context).uc_mcontext.pc as usize }
}

/// A text of limited length in place: what does not fit is left out.
struct Line {
    bytes: [u8; 1024],
    length: usize,
}

impl Line {
    fn new() -> Line {
        Line {
            bytes: [0; 1024],
            length: 0,
        }
    }

    fn append(&mut self, other: &Line) {
        self.push(&other.bytes[..other.length]);
    }

    fn push(&mut self, bytes: &[u8]) {
        let room = &mut self.bytes[self.length..];
        let count = bytes.len().min(room.len());
        room[..count].copy_from_slice(&bytes[..count]);
        self.length += count;
    }

    fn write_to_stderr(&self) {
        let _ = rustix::io::write(std::io::stderr().as_fd(), &self.bytes[..self.length]);
    }
}

impl fmt::Write for Line {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.push(text.as_bytes());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_named_by_symbol_and_object() {
        let place = place_of(libc::getpid as *const () as usize).expect("libc has it");
        let mut line = Line::new();
        write!(line, "{place}").unwrap();
        let text = String::from_utf8_lossy(&line.bytes[..line.length]).into_owned();
        assert!(
            text.contains("getpid+0x0 of ") && text.contains("libc"),
            "{text}"
        );
        assert!(place_of(8).is_none());
    }

    #[test]
    fn a_line_that_is_full_takes_no_more() {
        let mut line = Line::new();
        for _ in 0..300 {
            line.write_str("12345").unwrap();
        }
        assert_eq!(line.length, 1024);
    }
}
