//! A child's way from `clone` to the program it executes.
//!
//! The child shares our memory until then, on a stack of its own, while we go on: starting costs neither a copy of our
//! memory nor the time that executing takes. What goes wrong on the way is left in [`Progress`], where we find it.
//!
//! Invariant: what the child reads ([`Plan`], its stack) stays where it is until the kernel has cleared
//! [`Progress::inside`], which it does when the child executes a program or ends. Until then the child calls the system
//! and nothing else: it has the thread-local memory of the thread that started it, so that not even an error number of
//! the C library's may be written, and it takes no lock and no memory.

use std::ffi::CString;
use std::os::fd::RawFd;
use std::ptr;
use std::sync::atomic::{AtomicI32, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rustix::thread::futex;

use super::Step;
use crate::env::Entries;
use crate::errno::{Errno, Result, check};
use crate::memory::{Reservation, page_bytes};
use crate::thread::BlockedSignals;

/// Stack of a child; it needs a few hundred bytes, of a system without red zones a page.
const STACK_BYTES: usize = 32 << 10;
/// Stacks that are kept for children to come.
const SPARE_STACKS: usize = 16;
/// Signals are numbered from 1 to this.
const SIGNALS: usize = 64;
/// What a child exits with that could not execute its program.
const NOT_EXECUTED: usize = 127;

/// What the child is to do, prepared so that it need not ask for memory.
pub(super) struct Plan {
    pub program: CString,
    pub arguments: Vec<CString>,
    pub environment: Entries,
    /// A descriptor of the directory to be in.
    pub directory: Option<RawFd>,
    /// Descriptors and the numbers they get, none of which is the number of one that comes later.
    pub given: Vec<(RawFd, RawFd)>,
    /// The child shares our table of descriptors, and begins with taking a copy of those below this number. Otherwise it
    /// has a whole copy from the first.
    pub beginning: Option<RawFd>,
    /// Numbers below `close_from` that are closed.
    pub closed: Vec<RawFd>,
    pub close_from: RawFd,
    /// Bit N - 1: signal N is ignored. All others do what the system does by itself.
    pub ignored: u64,
    /// Those that this process ignores, in the same way: what a child inherits.
    pub ignored_here: u64,
    pub new_session: bool,
    /// The processors it may use, a bit for each; empty: those of the calling thread.
    pub processors: Vec<u64>,
}

/// The child runs in our memory, with descriptors of its own.
const APART: u32 = 1;
/// It shares our descriptors as well.
const SHARING: u32 = 2;

/// How far a child has come.
#[derive(Debug)]
pub(super) struct Progress {
    /// [`APART`] or [`SHARING`] while the child runs in our memory; then the kernel clears it, and wakes whoever waits for that.
    inside: AtomicU32,
    /// Why the program was not executed, 0 if it was; then `at_directory` says whether that was the directory's fault.
    errno: AtomicI32,
    at_directory: AtomicU32,
}

impl Progress {
    /// Why no program was executed; meaningful when the child has left our memory.
    pub(super) fn failure(&self) -> Option<(Step, Errno)> {
        match self.errno.load(Ordering::Acquire) {
            0 => None,
            errno if self.at_directory.load(Ordering::Relaxed) != 0 => {
                Some((Step::Directory, Errno(errno)))
            }
            errno => Some((Step::Program, Errno(errno))),
        }
    }

    fn has_left(&self) -> bool {
        self.inside.load(Ordering::Acquire) == 0
    }

    /// Waits until the child has executed its program or ended.
    pub(super) fn wait(&self) {
        self.wait_while(|inside| inside != 0);
    }

    fn wait_while(&self, waits: impl Fn(u32) -> bool) {
        loop {
            let seen = self.inside.load(Ordering::Acquire);
            if !waits(seen) {
                return;
            }
            // Not private: the kernel wakes as for words that processes share.
            let _ = futex::wait(&self.inside, futex::Flags::empty(), seen, None);
        }
    }
}

/// A child that perhaps still runs in our memory.
struct Inside {
    progress: Arc<Progress>,
    stack: Stack,
    _orders: Box<Orders>,
}

/// What the child is given: the plan, and it once more as the system reads it.
struct Orders {
    plan: Plan,
    /// The child began without our handlers.
    without_handlers: bool,
    arguments: Vec<*const libc::c_char>,
    environment: Vec<*const libc::c_char>,
    progress: *const Progress,
}

// SAFETY: the pointers are into `plan` and the shared progress, which nobody changes but through atomics.
unsafe impl Send for Orders {}

/// Children that perhaps still run in our memory, and stacks for those to come.
static STARTED: Mutex<(Vec<Inside>, Vec<Stack>)> = Mutex::new((Vec::new(), Vec::new()));

/// Starts a child: its process number, and how far it comes. The descriptors of the plan may be closed when this returns.
pub(super) fn start(plan: Plan) -> Result<(libc::pid_t, Arc<Progress>)> {
    let stack = stack()?;
    let pointers = |texts: &[CString]| -> Vec<*const libc::c_char> {
        let texts = texts.iter().map(|text| text.as_ptr());
        texts.chain([ptr::null()]).collect()
    };
    let progress = Arc::new(Progress {
        inside: AtomicU32::new(match plan.beginning {
            Some(_) => SHARING,
            None => APART,
        }),
        errno: AtomicI32::new(0),
        at_directory: AtomicU32::new(0),
    });
    let mut orders = Box::new(Orders {
        arguments: pointers(&plan.arguments),
        environment: pointers(&plan.environment),
        plan,
        without_handlers: true,
        progress: Arc::as_ptr(&progress),
    });
    let process = match begin_without_handlers(&stack, &orders) {
        // Before Linux 5.5, or forbidden.
        Err(Errno::ENOSYS | Errno::EINVAL | Errno::EPERM) => {
            orders.without_handlers = false;
            begin_with_handlers(&stack, &orders)?
        }
        begun => begun?,
    };
    let inside = Inside {
        progress: Arc::clone(&progress),
        stack,
        _orders: orders,
    };
    STARTED
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .0
        .push(inside);
    progress.wait_while(|inside| inside == SHARING);
    Ok((process, progress))
}

fn flags(plan: &Plan) -> libc::c_int {
    let sharing = if plan.beginning.is_some() {
        libc::CLONE_FILES
    } else {
        0
    };
    libc::CLONE_VM | libc::CLONE_CHILD_CLEARTID | sharing
}

/// Begins a child in which no handler of ours can run, since it has none: a signal that comes before it has blocked or
/// ignored anything does what it does to any program. The stack and the orders must stay until it has left them.
fn begin_without_handlers(stack: &Stack, orders: &Orders) -> Result<libc::pid_t> {
    const CLEAR_HANDLERS: u64 = 1 << 32;
    let flags = flags(&orders.plan);
    // SAFETY: `start` keeps the progress beside the orders.
    let inside = unsafe { (*orders.progress).inside.as_ptr() };
    // As the kernel has it since its first version.
    let arguments: [u64; 8] = [
        flags as u64 | CLEAR_HANDLERS,
        0,
        inside as u64,
        0,
        libc::SIGCHLD as u64,
        stack.low() as u64,
        STACK_BYTES as u64,
        0,
    ];
    let orders = ptr::from_ref(orders).cast_mut().cast::<libc::c_void>();
    // SAFETY: the stack is the child's alone, and the caller's promise covers the rest.
    let answer = unsafe { begin(&arguments, orders) };
    match answer {
        0.. => Ok(answer as libc::pid_t),
        _ => Err(Errno(-answer as i32)),
    }
}

/// As [`begin_without_handlers`], with our handlers and all signals blocked, so that none of them runs.
fn begin_with_handlers(stack: &Stack, orders: &Orders) -> Result<libc::pid_t> {
    let flags = flags(&orders.plan) | libc::SIGCHLD;
    let _blocked = BlockedSignals::all();
    // SAFETY: the caller's promise; `start` keeps the progress beside the orders.
    check(unsafe {
        libc::clone(
            child,
            stack.top().cast(),
            flags,
            ptr::from_ref::<Orders>(orders).cast_mut().cast(),
            ptr::null_mut::<libc::c_void>(),
            ptr::null_mut::<libc::c_void>(),
            (*orders.progress).inside.as_ptr(),
        )
    })
}

/// A stack for a child; takes back what earlier ones have left.
fn stack() -> Result<Stack> {
    let mut started = STARTED.lock().unwrap_or_else(PoisonError::into_inner);
    let (inside, spare) = &mut *started;
    let mut at = 0;
    while at < inside.len() {
        if inside[at].progress.has_left() {
            let left = inside.swap_remove(at);
            if spare.len() < SPARE_STACKS {
                spare.push(left.stack);
            }
        } else {
            at += 1;
        }
    }
    match spare.pop() {
        Some(stack) => Ok(stack),
        None => Stack::new(),
    }
}

/// Memory with an inaccessible page below it.
struct Stack {
    memory: Reservation,
}

impl Stack {
    fn new() -> Result<Stack> {
        let memory = Reservation::new(page_bytes() + STACK_BYTES, page_bytes())?;
        memory.commit(page_bytes()..memory.bytes())?;
        Ok(Stack { memory })
    }

    /// Its first byte above the inaccessible page.
    fn low(&self) -> *mut u8 {
        self.memory.base().as_ptr().wrapping_add(page_bytes())
    }

    /// One past its last byte; it grows downwards from here.
    fn top(&self) -> *mut u8 {
        self.memory
            .base()
            .as_ptr()
            .wrapping_add(self.memory.bytes())
    }
}

/// What the child does: everything up to the program.
extern "C" fn child(orders: *mut libc::c_void) -> libc::c_int {
    // SAFETY: `start` gave this pointer and keeps what it points to until we have left this memory; nobody changes it.
    let orders = unsafe { &*orders.cast::<Orders>() };
    // SAFETY: as above.
    let progress = unsafe { &*orders.progress };
    let (at_directory, errno) = execute(orders);
    progress
        .at_directory
        .store(u32::from(at_directory), Ordering::Relaxed);
    progress.errno.store(errno, Ordering::Release);
    loop {
        // SAFETY: ends this process, which is the child.
        unsafe { call(libc::SYS_exit_group, [NOT_EXECUTED, 0, 0, 0]) };
    }
}

/// Returns only when something went wrong: whether it was the directory, and the system's number.
fn execute(orders: &Orders) -> (bool, i32) {
    let plan = &orders.plan;
    let number = |fd: RawFd| fd as usize;
    if let Some(beginning) = plan.beginning
        && let Err(errno) = part(number(beginning), orders)
    {
        return (false, errno);
    }
    // What was executed gets rid of handlers by itself; but until then none may run here.
    match orders.without_handlers {
        true => set_signals(plan.ignored | plan.ignored_here, plan.ignored),
        false => set_signals(u64::MAX, plan.ignored),
    }
    // SAFETY: numbers, and pointers to what lives until the program is executed.
    unsafe {
        if plan.new_session {
            call(libc::SYS_setsid, [0; 4]);
        }
        if !plan.processors.is_empty() {
            let bytes = size_of_val(&plan.processors[..]);
            let mask = plan.processors.as_ptr() as usize;
            call(libc::SYS_sched_setaffinity, [0, bytes, mask, 0]);
        }
        if let Some(directory) = plan.directory {
            let entered = call(libc::SYS_fchdir, [number(directory), 0, 0, 0]);
            if entered < 0 {
                return (true, -entered as i32);
            }
        }
        for &(from, to) in &plan.given {
            let given = call(libc::SYS_dup3, [number(from), number(to), 0, 0]);
            if given < 0 {
                return (false, -given as i32);
            }
        }
        for &fd in &plan.closed {
            call(libc::SYS_close, [number(fd), 0, 0, 0]);
        }
        let lowest = number(plan.close_from);
        let closed = call(libc::SYS_close_range, [lowest, RawFd::MAX as usize, 0, 0]);
        if closed < 0 {
            // Before Linux 5.9, or forbidden.
            let limit = most_descriptors();
            for fd in lowest..limit {
                call(libc::SYS_close, [fd, 0, 0, 0]);
            }
        }
        // Last, when handlers are gone: what was sent meanwhile does what it does to any program.
        let none = 0u64;
        let mask = &raw const none as usize;
        call(
            libc::SYS_rt_sigprocmask,
            [libc::SIG_SETMASK as usize, mask, 0, size_of::<u64>()],
        );
        let failed = call(
            libc::SYS_execve,
            [
                plan.program.as_ptr() as usize,
                orders.arguments.as_ptr() as usize,
                orders.environment.as_ptr() as usize,
                0,
            ],
        );
        (false, -failed as i32)
    }
}

/// Takes a copy of our descriptors below a number, and lets the process go on that waits for this. In the child.
fn part(beginning: usize, orders: &Orders) -> std::result::Result<(), i32> {
    const UNSHARE: usize = 1 << 1;
    // SAFETY: numbers.
    let mut parted = unsafe {
        call(
            libc::SYS_close_range,
            [beginning, RawFd::MAX as usize, UNSHARE, 0],
        )
    };
    if parted < 0 {
        // Before Linux 5.9, or forbidden: a whole copy. What is too much of it is closed later.
        // SAFETY: a number.
        parted = unsafe { call(libc::SYS_unshare, [libc::CLONE_FILES as usize, 0, 0, 0]) };
    }
    if parted < 0 {
        return Err(-parted as i32);
    }
    // SAFETY: `start` keeps the progress beside the orders.
    let inside = unsafe { &(*orders.progress).inside };
    inside.store(APART, Ordering::Release);
    // SAFETY: a live word; wakes whoever waits for it, in the process that shares it.
    unsafe {
        call(
            libc::SYS_futex,
            [inside.as_ptr() as usize, libc::FUTEX_WAKE as usize, 1, 0],
        );
    }
    Ok(())
}

/// The limit of numbers of descriptors. In the child: calls the system only.
fn most_descriptors() -> usize {
    let mut limits = [0u64; 2];
    let place = &raw mut limits as usize;
    // SAFETY: the kernel fills in two words.
    let asked = unsafe {
        call(
            libc::SYS_prlimit64,
            [0, libc::RLIMIT_NOFILE as usize, 0, place],
        )
    };
    if asked < 0 {
        1 << 20
    } else {
        limits[0] as usize
    }
}

/// Gives each of these signals its own action back, or has it ignored. In the child.
fn set_signals(signals: u64, ignored: u64) {
    for signal in (1..=SIGNALS).filter(|signal| signals & (1 << (signal - 1)) != 0) {
        // As the kernel has it: handler, flags, restorer, mask.
        let mut action = [0usize; 4];
        if ignored & (1 << (signal - 1)) != 0 {
            action[0] = libc::SIG_IGN;
        }
        // SAFETY: the kernel reads the action; what it refuses (SIGKILL, SIGSTOP) stays as it is.
        unsafe {
            call(
                libc::SYS_rt_sigaction,
                [signal, &raw const action as usize, 0, size_of::<u64>()],
            );
        }
    }
}

/// Calls the system without the C library, which would write its error number into memory that is another thread's.
/// The answer is negative for an error.
///
/// # Safety
/// As for the call.
#[cfg(target_arch = "x86_64")]
unsafe fn call(number: libc::c_long, arguments: [usize; 4]) -> isize {
    let answer;
    // SAFETY: the caller's; the kernel changes no registers but these.
    unsafe {
        std::arch::asm!(
            "syscall",
            inlateout("rax") number as isize => answer,
            in("rdi") arguments[0],
            in("rsi") arguments[1],
            in("rdx") arguments[2],
            in("r10") arguments[3],
            lateout("rcx") _,
            lateout("r11") _,
            options(nostack),
        );
    }
    answer
}

/// As above.
///
/// # Safety
/// As for the call.
#[cfg(target_arch = "aarch64")]
unsafe fn call(number: libc::c_long, arguments: [usize; 4]) -> isize {
    let answer;
    // SAFETY: the caller's; the kernel changes no register but the first.
    unsafe {
        std::arch::asm!(
            "svc 0",
            in("x8") number,
            inlateout("x0") arguments[0] as isize => answer,
            in("x1") arguments[1],
            in("x2") arguments[2],
            in("x3") arguments[3],
            options(nostack),
        );
    }
    answer
}

/// `clone3`: the child calls [`child`] with the orders. The answer is negative for an error.
///
/// # Safety
/// The arguments are as the kernel wants them, with memory of our own shared and a stack that nobody else uses; what they and
/// the orders point to stays until the child has left this memory.
#[cfg(target_arch = "x86_64")]
unsafe fn begin(arguments: &[u64; 8], orders: *mut libc::c_void) -> isize {
    let answer;
    // SAFETY: the caller's. The child, which has an answer of 0 and a stack of its own, does not come out of the call.
    unsafe {
        std::arch::asm!(
            "syscall",
            "test rax, rax",
            "jnz 2f",
            "xor ebp, ebp",
            "mov rdi, r12",
            "call {child}",
            "ud2",
            "2:",
            child = sym child,
            inlateout("rax") libc::SYS_clone3 as isize => answer,
            in("rdi") arguments.as_ptr(),
            in("rsi") size_of_val(arguments),
            in("r12") orders,
            lateout("rcx") _,
            lateout("r11") _,
        );
    }
    answer
}

/// As above.
///
/// # Safety
/// As above.
#[cfg(target_arch = "aarch64")]
unsafe fn begin(arguments: &[u64; 8], orders: *mut libc::c_void) -> isize {
    let answer;
    // SAFETY: the caller's. The child, which has an answer of 0 and a stack of its own, does not come out of the call.
    unsafe {
        std::arch::asm!(
            "svc 0",
            "cbnz x0, 2f",
            "mov x29, xzr",
            "mov x30, xzr",
            "mov x0, x10",
            "b {child}",
            "2:",
            child = sym child,
            in("x8") libc::SYS_clone3,
            inlateout("x0") arguments.as_ptr() => answer,
            in("x1") size_of_val(arguments),
            in("x10") orders,
        );
    }
    answer
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
compile_error!("a child calls the system without the C library: say here how");
