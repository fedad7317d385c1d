//! Schedulers: native threads that run Erlang processes.
//!
//! Each scheduler has its own run queues, one per priority. A process is queued on the scheduler that wakes or spawns
//! it, so two processes that exchange messages stay on one core; a scheduler without work steals from the others. One
//! round handles expired timers, then I/O events (polled at intervals, and waited for when there is nothing to run),
//! then runs the next process by priority.
//!
//! A scheduler owns the process that it runs: taking the pointer from a run queue transfers the ownership.
//!
//! Code that a process runs reaches the scheduler of its thread through [`current`], while [`Scheduler::run_slice`] is
//! still on the stack. So a [`Scheduler`] is only ever borrowed shared, and what changes in it is in cells.

mod awaited;
pub mod binding;
mod dead;
pub mod dirty;
pub(crate) mod loans;
pub mod online;
pub mod places;
mod resting;
mod slice;
mod stealing;

use std::cell::{Cell, RefCell};
use std::marker::PhantomPinned;
use std::ptr;
use std::sync::atomic::Ordering;

use layout::limits::{ALL_X_REGISTERS, FLOAT_REGISTERS, REDUCTIONS_PER_SLICE};
use layout::{Abrupt, AbruptKind, Class, Context, Term};
use sys::lookout;
use sys::memory::budget;
use term::am;

use crate::effects::{profile, time_offset};
use crate::exec::engine_calls;
use crate::mail::current::Current;
use crate::mail::idle::SPINS_PER_LOOK;
use crate::mail::microstate::{self, ThreadState};
use crate::mail::observer::observer;
use crate::mail::schedulers::{RunQueuesOf, Shared, schedulers};
use crate::mail::wake::wake_one;
use crate::mail::{current, metering, observer, ports, timer};
use crate::process::owner::{Begun, Runnable};
use crate::process::{Priority, block, epoch};
use dead::DeadProcesses;
use resting::Resting;
use slice::{Next, Slice, must_wait};
use stealing::{Thief, Verdict};

/// Slices between two checks of the clock and of I/O.
const SLICES_PER_CHECK: u32 = 64;
/// So much time in a port counts as a slice: some tasks of ports take much longer than others, and a check must not
/// wait for many of them.
const PORT_NS_PER_SLICE: i64 = 10_000;
/// Reductions after which the next check is due even before [`SLICES_PER_CHECK`] slices.
const REDUCTIONS_PER_CHECK: i64 = 2 * REDUCTIONS_PER_SLICE;

/// After so many reductions' worth of handling the signals of processes that are awaited, the next process runs.
const MOST_ATTENDED: i64 = REDUCTIONS_PER_SLICE;

/// A thief that has to wait longer than this sleeps instead of spinning.
const LONGEST_SPIN_NS: i64 = 50_000;

/// Removed tables, persistent terms and the like that a scheduler frees at a time, some microseconds each at most.
const DROPPED_AT_ONCE: usize = 64;

/// A scheduler. Only its own thread accesses it, and only through shared references (see the module's documentation):
/// the type is neither `Send` nor `Sync`.
pub struct Scheduler {
    pub(crate) own: Current,
    /// Whether the process that was taken last is bound to this scheduler.
    pub(crate) bound_had_turn: Cell<bool>,
    thief: RefCell<Thief>,
    dead: DeadProcesses,
    resting: Resting,
    pub(crate) reductions_to_check: Cell<i64>,
    /// Reductions' worth of time that [`attend`](Scheduler::attend) has used since the last slice.
    attended: Cell<i64>,
    /// When it last waited until it might take the processes of others, and how many slices it had run then.
    stood_by: Cell<(i64, u64)>,
}

/// Runs scheduler `index` on this thread; does not return while the node lives.
pub fn run(index: usize, queues: RunQueuesOf) -> ! {
    binding::begin(&schedulers().all[index]);
    microstate::begin(
        microstate::ThreadKind::Scheduler,
        index + 1,
        ThreadState::Emulator,
    );
    let shared = &schedulers().all[index];
    // Leaked: the thread runs as long as the node.
    let scheduler: &'static Scheduler = Box::leak(Box::new(Scheduler {
        own: Current::new(shared, new_context(index + 1), queues.0),
        bound_had_turn: Cell::new(false),
        thief: RefCell::default(),
        dead: DeadProcesses::new(),
        resting: Resting::default(),
        reductions_to_check: Cell::new(REDUCTIONS_PER_CHECK),
        attended: Cell::new(0),
        stood_by: Cell::new((0, u64::MAX)),
    }));
    scheduler.own.slices_to_check.set(SLICES_PER_CHECK);
    current::begin(&scheduler.own);
    profile::begin(scheduler.own.context.get(), profile::ThreadKind::Scheduler);
    scheduler.rounds()
}

/// A context with empty registers, for the scheduler of this number, or 0.
fn new_context(number: usize) -> Context {
    Context {
        process: ptr::null_mut(),
        runtime: &raw const engine_calls::TABLE,
        reductions_left: 0,
        abrupt: Abrupt {
            kind: AbruptKind::None,
            class: Class::Error,
            reason: Term::NONE,
            trace: Term::NONE,
            target: ptr::null(),
            arguments: Term::NONE,
        },
        searches_tries: term::map::searched_by_code(),
        number,
        scheduler: ptr::null_mut(),
        f: [0.0; FLOAT_REGISTERS],
        builder: [0; 3],
        x: [Term::NIL; ALL_X_REGISTERS],
        aliased: PhantomPinned,
    }
}

impl Scheduler {
    fn rounds(&self) -> ! {
        // SAFETY: the thread is between two slices, and holds nothing from a table.
        unsafe { epoch::quiescent() };
        crate::mail::world::enter();
        loop {
            if self.own.slices_to_check.get() == 0 || self.reductions_to_check.get() <= 0 {
                self.check();
            }
            if ports::any(&self.own.shared.ports) {
                self.run_port();
            }
            // Where signals arrive faster than they are handled, a process would have to be attended to without end.
            if self.attended.get() < MOST_ATTENDED
                && let Some(pid) = self.own.queues.pop_awaited(&self.own.shared.bound)
            {
                self.attend(pid);
                continue;
            }
            self.attended.set(0);
            match self.next() {
                Some(runnable) => self.run_slice(runnable),
                None => self.wait_for_work(),
            }
        }
    }

    /// The part of a round that is done once in [`SLICES_PER_CHECK`] slices.
    fn check(&self) {
        {
            let _check_io = microstate::enter(ThreadState::CheckIo);
            crate::mail::io::poll_now();
        }
        self.check_all_but_io();
    }

    fn check_all_but_io(&self) {
        self.own.slices_to_check.set(SLICES_PER_CHECK);
        self.reductions_to_check.set(REDUCTIONS_PER_CHECK);
        {
            let _aux = microstate::enter(ThreadState::Aux);
            self.retire();
            crate::mail::deferred::run();
            self.own.shared.aux_work.run();
            time_offset::follow();
            timer::expire(self.own.shared.index);
        }
        budget::look_if_overdue();
        if self.is_online() {
            self.own.queues.take_injected(&schedulers().injected, false);
            self.even_out();
        }
        if !self.has_no_work() {
            lookout::something_runs();
        }
    }

    /// Takes processes from schedulers that have many more than this one, or that give them no turns because urgent
    /// ones run there: of those the urgent ones first.
    fn even_out(&self) {
        let all = &schedulers().all;
        if all.len() == 1 {
            return;
        }
        self.own.shared.counts.add_balance_check();
        let now_ns = sys::clock::monotonic_ns();
        let (since_ns, slices) = self
            .thief
            .borrow_mut()
            .since_last_look(now_ns, &self.own.shared.counts);
        let passed_over = self.own.queues.passed_over();
        let gives_no_turns = passed_over > 0 && passed_over >= slices;
        if gives_no_turns != self.own.shared.gives_no_turns.load(Ordering::Relaxed) {
            self.own
                .shared
                .gives_no_turns
                .store(gives_no_turns, Ordering::Relaxed);
        }
        let others = all
            .iter()
            .filter(|victim| victim.index != self.own.shared.index);
        for victim in others {
            let is_blocked = victim.gives_no_turns.load(Ordering::Relaxed);
            if is_blocked && self.take_urgent(victim, gives_no_turns) || gives_no_turns {
                continue;
            }
            let own = self.own.shared.stealers.lengths();
            let theirs = victim.stealers.lengths();
            let has_work = own.iter().any(|&queued| queued > 0);
            for priority in [Priority::Normal, Priority::Low] {
                let (own, theirs) = (own[priority as usize], theirs[priority as usize]);
                let share = match is_blocked {
                    true => Thief::rescue(theirs),
                    false if has_work => Thief::share(since_ns, slices, own, theirs),
                    false => 0,
                };
                if share > 0 {
                    self.own.queues.take_from(&victim.stealers, priority, share);
                }
            }
        }
    }

    /// Takes urgent processes from a scheduler that runs nothing else; returns whether it had any besides the one that
    /// runs.
    fn take_urgent(&self, victim: &Shared, is_busy_too: bool) -> bool {
        let own = self.own.shared.stealers.lengths();
        let theirs = victim.stealers.lengths();
        let mut any = false;
        for priority in [Priority::Max, Priority::High] {
            let (own, theirs) = (own[priority as usize], theirs[priority as usize]);
            let share = match is_busy_too {
                true => theirs.saturating_sub(own) / 2,
                false => Thief::rescue(theirs),
            };
            if share > 0 {
                self.own.queues.take_from(&victim.stealers, priority, share);
            }
            any |= theirs > 0;
        }
        any
    }

    /// Runs tasks that are queued for a port.
    fn run_port(&self) {
        crate::mail::world::step_aside_if_asked();
        self.own.set_reductions_left(REDUCTIONS_PER_SLICE);
        let spent_ns = ports::run_one(&self.own.shared.ports);
        // SAFETY: the thread is between two slices, and holds nothing from a table.
        unsafe { epoch::quiescent() };
        let counted = 1 + (spent_ns / PORT_NS_PER_SLICE) as u32;
        self.own
            .slices_to_check
            .update(|slices| slices.saturating_sub(counted));
    }

    fn next(&self) -> Option<Runnable> {
        crate::mail::world::step_aside_if_asked();
        if !self.is_online() {
            self.hand_over();
            return None;
        }
        let shared = self.own.shared;
        if self.own.overload.is_noted() && (shared.stealers.len() > 1 || ports::any(&shared.ports))
        {
            self.own.call_for_help();
        }
        if self.own.shared.bound.any()
            && let Some(process) = self.next_bound()
        {
            return Some(process);
        }
        if let Some(process) = self.own.queues.pop() {
            return Some(process);
        }
        self.own.overload.is_over();
        if self.own.queues.take_injected(&schedulers().injected, true) {
            return self.own.queues.pop();
        }
        self.steal()
    }

    /// The next of the processes that are bound to this scheduler, if it is the turn of one.
    #[cold]
    fn next_bound(&self) -> Option<Runnable> {
        let process = self
            .own
            .shared
            .bound
            .pop(&self.own.queues, self.bound_had_turn.get());
        self.bound_had_turn.set(process.is_some());
        process
    }

    fn is_online(&self) -> bool {
        self.own.shared.index < schedulers().online.load(Ordering::Relaxed)
    }

    /// Gives the processes of an offline scheduler to the others.
    fn hand_over(&self) {
        let mut any = false;
        while let Some(process) = self.own.queues.pop() {
            schedulers().injected.push(process);
            any = true;
        }
        if any {
            wake_one(schedulers());
        }
    }

    fn steal(&self) -> Option<Runnable> {
        let all = &schedulers().all;
        let own = self.own.shared.index;
        if let Some(victim) = all.iter().find(|victim| victim.ports.has_waited())
            && let Some(port) = victim.ports.pop()
        {
            self.own.shared.ports.push(port);
            return None;
        }
        self.thief
            .borrow_mut()
            .ran_dry(sys::clock::monotonic_ns, &self.own.shared.counts);
        (1..all.len()).find_map(|distance| {
            let victim = &all[(own + distance) % all.len()];
            let queued = victim.stealers.normal();
            let verdict = if victim.stealers.other_than_normal() {
                Verdict::Take
            } else if queued == 0 {
                Verdict::Leave
            } else {
                self.thief
                    .borrow_mut()
                    .judge(sys::clock::monotonic_ns(), victim, queued)
            };
            if verdict == Verdict::Leave {
                return None;
            }
            let stolen = self.own.queues.steal_from(&victim.stealers)?;
            self.thief
                .borrow_mut()
                .took(sys::clock::monotonic_ns(), &self.own.shared.counts);
            Some(stolen)
        })
    }

    /// Sleeps, or waits until the processes that others have queued may be stolen.
    fn wait_for_work(&self) {
        if ports::any(&self.own.shared.ports) {
            return;
        }
        let look_again_ns = self.thief.borrow().look_again_ns();
        let Some(look_again_ns) = look_again_ns.filter(|_| self.is_online()) else {
            self.sleep();
            return;
        };
        let now_ns = sys::clock::monotonic_ns();
        self.stands_by(now_ns);
        let wait_ns = look_again_ns - now_ns;
        if wait_ns > LONGEST_SPIN_NS {
            self.retire();
            // SAFETY: the thread is between two slices, and holds nothing from a table.
            unsafe { epoch::idle() };
            crate::mail::world::leave();
            crate::mail::idle::nap(self.own.shared, wait_ns as u64);
            crate::mail::world::enter();
            // SAFETY: the thread is between two slices, and holds nothing from a table.
            unsafe { epoch::quiescent() };
            self.stands_by(sys::clock::monotonic_ns());
            self.check();
        } else {
            for _ in 0..SPINS_PER_LOOK {
                std::hint::spin_loop();
            }
            // SAFETY: the thread is between two slices, and holds nothing from a table.
            unsafe { epoch::quiescent() };
            // Where processes are always left to the others, this goes on for as long as they run; the check of timers
            // and I/O becomes due meanwhile, as it does by slices.
            self.own
                .slices_to_check
                .update(|slices| slices.saturating_sub(1));
        }
    }

    /// Counts the time since it stood by before, if it has run nothing since.
    fn stands_by(&self, now_ns: i64) {
        let slices = self.own.shared.counts.switches();
        let (before_ns, slices_before) = self.stood_by.replace((now_ns, slices));
        if slices_before == slices {
            let stood_by_ns = &self.own.shared.stood_by_ns;
            let sum_ns = stood_by_ns.load(Ordering::Relaxed) + now_ns - before_ns;
            stood_by_ns.store(sum_ns, Ordering::Relaxed);
        }
    }

    /// Lets a process that was taken from a run queue run until it waits, ends, or has used its reductions.
    fn run_slice(&self, runnable: Runnable) {
        self.own
            .slices_to_check
            .update(|slices| slices.saturating_sub(1));
        metering::leaves_queue(runnable.address());
        let (mut process, before) = match runnable.begin() {
            Begun::Runs(process, before) => (process, before),
            left => return self.leave_to_borrower(left),
        };
        let mut slice = Slice::begin(self, &mut process, before);
        loop {
            let next = match self.prepare(&mut slice, process) {
                Next::Run(process) if budget::brakes() && must_wait(before) => {
                    self.waits_for_memory(process)
                }
                Next::Run(process) => self.run_code(&mut slice, process),
                other => other,
            };
            match next {
                Next::Run(left) | Next::Prepare(left) => process = left,
                Next::End => break,
            }
        }
        self.end_slice(&slice);
    }

    /// Drops a process that was taken from a run queue while another thread had borrowed it, or after it ended while
    /// borrowed.
    #[cold]
    fn leave_to_borrower(&self, left: Begun) {
        if let Begun::IsGone(block) = left {
            self.dead.add(block);
        }
        // SAFETY: the thread is between two slices, and holds nothing from a table.
        unsafe { epoch::quiescent() };
    }

    /// What is done after each slice, when the process has been given up.
    fn end_slice(&self, slice: &Slice) {
        let used = slice.used();
        self.reductions_to_check.update(|left| left - (used + 16));
        self.own.shared.counts.add(used);
        // SAFETY: the thread is between two slices, and holds nothing from a table.
        unsafe { epoch::quiescent() };
        if self.dead.is_full() {
            self.retire();
        }
    }

    /// Reclaims the memory of dead processes that no thread can still reference, and tells what was counted meanwhile.
    fn retire(&self) {
        let sent = metering::sent_here();
        self.own.shared.counts.set_messages_sent(sent);
        // SAFETY: the thread is between two slices, and holds nothing from a table.
        let reclaimed = unsafe { self.dead.reclaim() };
        block::count(self.own.spawned.take() - reclaimed as isize);
        epoch::drop_passed(DROPPED_AT_ONCE);
    }

    /// Waits for an event, a timer, or a call from another thread, because there is nothing to run.
    fn sleep(&self) {
        self.retire();
        while self.has_no_work() && epoch::drop_passed(DROPPED_AT_ONCE) > 0 {}
        self.own.shared.aux_work.run();
        time_offset::follow();
        timer::expire(self.own.shared.index);
        self.trim_resting();
        // No separate I/O poll here: the wait below includes one (E3: this saves one system call for each message).
        if self.has_no_work() && !self.is_kept_awake() {
            // SAFETY: the thread is between two slices, and holds nothing from a table.
            unsafe { epoch::idle() };
            crate::mail::world::leave();
            let asleep_since_ns = sys::clock::monotonic_ns();
            self.own
                .shared
                .asleep_since_ns
                .store(asleep_since_ns, Ordering::Relaxed);
            microstate::set(ThreadState::Other);
            crate::mail::idle::sleep(self.own.shared, self.is_online(), self.resting.due_ns());
            microstate::set(ThreadState::Emulator);
            self.stood_by.set((0, u64::MAX));
            let slept_ns = sys::clock::monotonic_ns() - asleep_since_ns;
            self.own.shared.asleep_since_ns.store(0, Ordering::Relaxed);
            self.own
                .shared
                .slept_ns
                .fetch_add(slept_ns, Ordering::Relaxed);
            crate::mail::world::enter();
            // SAFETY: the thread is between two slices, and holds nothing from a table.
            unsafe { epoch::quiescent() };
            if observer::is_profiled() {
                observer().scheduler_is(self.own.shared.index + 1, am::ACTIVE);
            }
            self.check_all_but_io();
        }
    }

    fn has_no_work(&self) -> bool {
        let has_bound = self.own.shared.bound.any() && self.is_online();
        self.own.queues.is_empty()
            && !ports::any(&self.own.shared.ports)
            && !has_bound
            && !self.own.queues.has_awaited(&self.own.shared.bound)
            && !crate::mail::deferred::any()
    }

    /// Tells the profiler that the scheduler sleeps, which may make work for it.
    fn is_kept_awake(&self) -> bool {
        if !observer::is_profiled() {
            return false;
        }
        let number = self.own.shared.index + 1;
        observer().scheduler_is(number, am::INACTIVE);
        let is_kept = !self.has_no_work();
        if is_kept {
            observer().scheduler_is(number, am::ACTIVE);
        }
        is_kept
    }
}
