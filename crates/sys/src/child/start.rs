//! What a child does from `clone` until it executes its program.
//!
//! Until then the child shares our memory, on a stack of its own, while we continue: starting costs neither a copy of
//! our memory nor the time that executing takes. If a step fails, the child leaves the reason in [`Progress`].
//!
//! Invariant: what the child reads ([`Plan`], its stack) is neither moved nor freed until the kernel has cleared
//! [`Progress::inside`], which it does when the child executes a program or ends. Until then the child only makes
//! system calls, by its own assembler: it shares the thread-local memory of the thread that started it, so not even the
//! C library's `errno` may be written, and it takes no lock and allocates no memory.

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

/// Size of a child's stack; it uses a few hundred bytes, at most a page.
const STACK_BYTES: usize = 32 << 10;
/// Stacks that are kept for later children.
const SPARE_STACKS: usize = 16;
/// Signals are numbered from 1 to this.
const SIGNALS: usize = 64;
/// The exit status of a child that could not execute its program.
const NOT_EXECUTED: usize = 127;

/// What the child is to do, prepared so that it need not allocate memory.
pub(super) struct Plan {
    pub program: CString,
    pub arguments: Vec<CString>,
    pub environment: Entries,
    /// A descriptor of the working directory.
    pub directory: Option<RawFd>,
    /// Descriptors and the numbers that they get; no number is that of a later descriptor.
    pub given: Vec<(RawFd, RawFd)>,
    /// If set, the child shares our table of descriptors at first, and begins by copying those below this number.
    /// Otherwise it starts with a copy of the whole table.
    pub beginning: Option<RawFd>,
    /// Numbers below `close_from` that are closed.
    pub closed: Vec<RawFd>,
    pub close_from: RawFd,
    /// Bit N - 1: signal N is ignored. All others have their default action.
    pub ignored: u64,
    /// The signals that this process ignores and the child inherits as ignored, in the same form.
    pub ignored_here: u64,
    pub new_session: bool,
    /// The mask of the processors that it may use; empty: those of the calling thread.
    pub processors: Vec<u64>,
}

/// Value of [`Progress::inside`]: the child runs in our memory, with its own table of descriptors.
const APART: u32 = 1;
/// Value of [`Progress::inside`]: the child runs in our memory and shares our table of descriptors.
const SHARING: u32 = 2;

/// How far a child has come.
#[derive(Debug)]
pub(super) struct Progress {
    /// [`APART`] or [`SHARING`] while the child runs in our memory; when it leaves, the kernel clears this and wakes
    /// waiters.
    inside: AtomicU32,
    /// Why the program was not executed, 0 if it was. If not 0, `at_directory` says whether the directory was the
    /// reason.
    errno: AtomicI32,
    at_directory: AtomicU32,
}

impl Progress {
    /// Why no program was executed; valid once the child has left our memory.
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

/// A child that may still run in our memory.
struct Inside {
    stack: Stack,
    orders: Box<Orders>,
}

/// What the child is given: the plan, and its texts as the pointers that the system reads.
struct Orders {
    plan: Plan,
    /// Whether the child began without our signal handlers.
    without_handlers: bool,
    arguments: Vec<*const libc::c_char>,
    environment: Vec<*const libc::c_char>,
    progress: Arc<Progress>,
}

// SAFETY: the pointers are into `plan`, which does not change.
unsafe impl Send for Orders {}

/// Children that may still run in our memory, and stacks for later ones.
static STARTED: Mutex<(Vec<Inside>, Vec<Stack>)> = Mutex::new((Vec::new(), Vec::new()));

/// Starts a child; returns its process number and its progress. The descriptors of the plan may be closed afterwards.
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
        progress: Arc::clone(&progress),
    });
    let process = match begin_without_handlers(&stack, &orders) {
        // Linux before 5.5, or forbidden.
        Err(Errno::ENOSYS | Errno::EINVAL | Errno::EPERM) => {
            orders.without_handlers = false;
            begin_with_handlers(&stack, &orders)?
        }
        begun => begun?,
    };
    let inside = Inside { stack, orders };
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

/// Begins a child without our signal handlers: a signal that comes before it has blocked or ignored any has its default
/// action. The caller keeps the stack and the orders until the child has left our memory.
fn begin_without_handlers(stack: &Stack, orders: &Orders) -> Result<libc::pid_t> {
    const CLEAR_HANDLERS: u64 = 1 << 32;
    let flags = flags(&orders.plan);
    let inside = orders.progress.inside.as_ptr();
    // The kernel's `struct clone_args`, in its first version.
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

/// As [`begin_without_handlers`], but with our handlers; all signals are blocked, so that no handler runs.
fn begin_with_handlers(stack: &Stack, orders: &Orders) -> Result<libc::pid_t> {
    let flags = flags(&orders.plan) | libc::SIGCHLD;
    let _blocked = BlockedSignals::all();
    // SAFETY: the stack is the child's alone; `start` keeps stack and orders until the child has left our memory.
    check(unsafe {
        libc::clone(
            child,
            stack.top().cast(),
            flags,
            ptr::from_ref::<Orders>(orders).cast_mut().cast(),
            ptr::null_mut::<libc::c_void>(),
            ptr::null_mut::<libc::c_void>(),
            orders.progress.inside.as_ptr(),
        )
    })
}

/// A stack for a child; reclaims the stacks of children that have left our memory.
fn stack() -> Result<Stack> {
    let mut started = STARTED.lock().unwrap_or_else(PoisonError::into_inner);
    let (inside, spare) = &mut *started;
    let mut at = 0;
    while at < inside.len() {
        if inside[at].orders.progress.has_left() {
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

/// The child: does everything up to executing the program.
extern "C" fn child(orders: *mut libc::c_void) -> libc::c_int {
    // SAFETY: `start` gave this pointer and keeps what it points to unchanged until we have left this memory.
    let orders = unsafe { &*orders.cast::<Orders>() };
    let progress = &orders.progress;
    let (at_directory, errno) = execute(orders);
    progress
        .at_directory
        .store(u32::from(at_directory), Ordering::Relaxed);
    progress.errno.store(errno, Ordering::Release);
    loop {
        // SAFETY: ends the calling process, which is the child.
        unsafe { call(libc::SYS_exit_group, [NOT_EXECUTED, 0, 0, 0]) };
    }
}

/// Returns only when a step has failed: whether it was that of the directory, and the error number.
fn execute(orders: &Orders) -> (bool, i32) {
    let plan = &orders.plan;
    let number = |fd: RawFd| fd as usize;
    if let Some(beginning) = plan.beginning
        && let Err(errno) = part(number(beginning), orders)
    {
        return (false, errno);
    }
    // Executing a program resets handlers; but until then none may run here.
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
            // Linux before 5.9, or forbidden.
            let limit = most_descriptors();
            for fd in lowest..limit {
                call(libc::SYS_close, [fd, 0, 0, 0]);
            }
        }
        // Last, when there are no handlers: signals that were sent meanwhile now have their default action.
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

/// Copies our descriptors below a number into a table of the child's own, then wakes the parent. Runs in the child.
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
        // Linux before 5.9, or forbidden: a copy of the whole table, of which `execute` closes the rest.
        // SAFETY: a number.
        parted = unsafe { call(libc::SYS_unshare, [libc::CLONE_FILES as usize, 0, 0, 0]) };
    }
    if parted < 0 {
        return Err(-parted as i32);
    }
    let inside = &orders.progress.inside;
    inside.store(APART, Ordering::Release);
    // SAFETY: a live word; wakes the threads that wait for it in the parent.
    unsafe {
        call(
            libc::SYS_futex,
            [inside.as_ptr() as usize, libc::FUTEX_WAKE as usize, 1, 0],
        );
    }
    Ok(())
}

/// The limit of descriptor numbers. Runs in the child: only makes system calls.
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

/// Gives each of these signals its default action, or ignores it. Runs in the child.
fn set_signals(signals: u64, ignored: u64) {
    for signal in (1..=SIGNALS).filter(|signal| signals & (1 << (signal - 1)) != 0) {
        // The kernel's structure: handler, flags, restorer, mask.
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

/// Makes a system call without the C library, which would write `errno` into the memory of another thread.
/// The result is negative for an error.
///
/// # Safety
/// As for the call.
#[cfg(target_arch = "x86_64")]
unsafe fn call(number: libc::c_long, arguments: [usize; 4]) -> isize {
    let answer;
    // SAFETY: the caller's promise; the kernel changes no registers but these.
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
    // SAFETY: the caller's promise; the kernel changes no register but the first.
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

/// `clone3`: the child calls [`child`] with the orders. The result is negative for an error.
///
/// # Safety
/// The arguments are valid for the kernel, share our memory and name a stack that nothing else uses; everything that
/// they and the orders point to stays alive until the child has left this memory.
#[cfg(target_arch = "x86_64")]
unsafe fn begin(arguments: &[u64; 8], orders: *mut libc::c_void) -> isize {
    let answer;
    // SAFETY: the caller's promise. The child, for which the result is 0, continues on its own stack and never returns
    // from the assembler.
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
    // SAFETY: the caller's promise. The child, for which the result is 0, continues on its own stack and never returns
    // from the assembler.
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
