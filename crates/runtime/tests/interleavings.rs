//! Tests the lock-free protocols under loom, with every interleaving and every stale value that the memory model
//! allows: `cargo test -p runtime --features loom --test interleavings`.
//!
//! A model explores schedules with at most `LOOM_MAX_PREEMPTIONS` preemptions, two by default (`make test-all` sets
//! more). The protocols are the runtime's own; the feature gives them loom's atomics ([`runtime::process::sync`]).

use std::collections::VecDeque;
use std::ptr;

use layout::{Fragment, Term};
use loom::cell::UnsafeCell;
use loom::sync::Arc;
use loom::thread;

use runtime::mail::schedulers::Sleepers;
use runtime::process::epoch::Epochs;
use runtime::process::signal_queue::SignalQueue;
use runtime::process::state;
use runtime::process::sync::{AtomicPtr, AtomicU32, AtomicUsize, Mutex, Ordering, check};

/// A signal whose content loom checks: a read that is not ordered after the write is an error.
#[repr(C)]
struct Signal {
    fragment: Fragment,
    content: UnsafeCell<u32>,
}

fn push(queue: &SignalQueue, content: u32) {
    let signal = Box::into_raw(Box::new(Signal {
        fragment: Fragment {
            next: ptr::null_mut(),
            kind: 0,
            words: 0,
            term: Term::NIL,
            off_heap: ptr::null_mut(),
        },
        content: UnsafeCell::new(0),
    }));
    // SAFETY: the signal is new, the fragment is its first field, and the queue takes ownership of it.
    unsafe {
        (*signal).content.with_mut(|place| *place = content);
        queue.push(signal.cast());
    }
}

fn take(queue: &SignalQueue) -> Vec<u32> {
    let mut contents = Vec::new();
    let mut fragment = queue.take();
    while !fragment.is_null() {
        // SAFETY: taken from the queue, so this thread owns it; `push` made it from a boxed `Signal`.
        let signal = unsafe { Box::from_raw(fragment.cast::<Signal>()) };
        // SAFETY: loom checks that no thread writes at the same time.
        contents.push(signal.content.with(|place| unsafe { *place }));
        fragment = signal.fragment.next;
    }
    contents
}

/// The signals of one sender that arrived, in order.
fn from_sender(contents: &[u32], sender: u32) -> Vec<u32> {
    let is_its = |content: &&u32| **content / 10 == sender;
    contents.iter().filter(is_its).copied().collect()
}

#[test]
fn signals_of_one_sender_keep_their_order() {
    check(|| {
        let queue = Arc::new(SignalQueue::new());
        let senders: Vec<_> = [1, 2]
            .map(|sender| {
                let queue = queue.clone();
                thread::spawn(move || {
                    push(&queue, sender * 10);
                    push(&queue, sender * 10 + 1);
                })
            })
            .into();
        let mut contents = take(&queue);
        contents.extend(take(&queue));
        for sender in senders {
            sender.join().unwrap();
        }
        contents.extend(take(&queue));
        assert_eq!(from_sender(&contents, 1), [10, 11]);
        assert_eq!(from_sender(&contents, 2), [20, 21]);
    });
}

/// A model of a process for the wake-up protocol. `owned` represents everything that only its owner may access: loom
/// reports unordered accesses by two threads.
struct Process {
    word: AtomicU32,
    signals: SignalQueue,
    owned: UnsafeCell<Vec<u32>>,
    runs: AtomicUsize,
    /// As `awaited::refused`.
    refused: AtomicUsize,
}

impl Process {
    fn new(word: u32) -> Arc<Process> {
        Arc::new(Process {
            word: AtomicU32::new(word),
            signals: SignalQueue::new(),
            owned: UnsafeCell::new(Vec::new()),
            runs: AtomicUsize::new(0),
            refused: AtomicUsize::new(0),
        })
    }

    /// Sends as `signal::send` does, but runs the receiver itself instead of queueing it. The content 20 is a signal
    /// other than a message.
    fn send(&self, content: u32) {
        let bits = match content {
            20 => state::EVENT | state::SIGNALS,
            _ => state::EVENT,
        };
        push(&self.signals, content);
        if state::announce(&self.word, bits) {
            self.run();
        }
    }

    /// A slice as run by the scheduler: handles signals, and goes to rest when there are no more.
    fn run(&self) {
        if state::begin(&self.word) & state::BORROWED == 0 {
            self.go_on();
        }
    }

    fn go_on(&self) {
        self.runs.fetch_add(1, Ordering::Relaxed);
        loop {
            state::look(&self.word);
            let came = take(&self.signals);
            // SAFETY: loom checks that only the owner accesses it.
            self.owned
                .with_mut(|owned| unsafe { (*owned).extend(came) });
            if state::rest(&self.word) {
                return;
            }
        }
    }

    /// Works on the memory of a process at rest, as a scheduler without work does.
    fn trim(&self) {
        if !state::take_resting(&self.word) {
            return;
        }
        // SAFETY: loom checks that only the owner accesses it.
        self.owned.with_mut(|owned| unsafe { (*owned).push(99) });
        if !state::rest(&self.word) {
            state::give_up(&self.word);
            self.run();
        }
    }

    /// Looks at the process as `effects::looking` does; who has it queued, if anybody, runs it. Returns whether the
    /// looker has to have its signals handled.
    fn look(&self) -> bool {
        if state::take_resting(&self.word) {
            let _: Vec<u32> = self.received();
            if !state::rest(&self.word) {
                state::give_up(&self.word);
                self.run();
            }
            return false;
        }
        let refused = self.refused.load(Ordering::SeqCst);
        if !state::borrow(&self.word) {
            return false;
        }
        let _: Vec<u32> = self.received();
        let before = state::give_back(&self.word, false);
        if before & state::QUEUED == 0 {
            state::give_up(&self.word);
            self.run();
            return false;
        }
        before & state::SIGNALS != 0 && self.refused.load(Ordering::SeqCst) != refused
    }

    /// Borrows the process as `awaited::borrow` does, and handles its signals; returns whether it could.
    fn attend(&self) -> bool {
        let is_borrowed = state::borrow(&self.word) || {
            self.refused.fetch_add(1, Ordering::SeqCst);
            state::borrow(&self.word)
        };
        if is_borrowed {
            state::look(&self.word);
            let came = take(&self.signals);
            // SAFETY: loom checks that only the owner accesses it.
            self.owned
                .with_mut(|owned| unsafe { (*owned).extend(came) });
            assert!(state::give_back(&self.word, false) & state::QUEUED != 0);
        }
        is_borrowed
    }

    fn received(&self) -> Vec<u32> {
        // SAFETY: loom checks that no thread writes at the same time.
        self.owned.with(|owned| unsafe { (*owned).clone() })
    }
}

#[test]
fn a_process_at_rest_is_woken_once_and_misses_nothing() {
    check(|| {
        let process = Process::new(0);
        let senders: Vec<_> = [1, 2]
            .map(|sender| {
                let process = process.clone();
                thread::spawn(move || process.send(sender * 10))
            })
            .into();
        for sender in senders {
            sender.join().unwrap();
        }
        let mut received = process.received();
        received.sort_unstable();
        assert_eq!(received, [10, 20]);
        assert_eq!(process.word.load(Ordering::SeqCst), 0, "it is at rest");
        assert!(process.runs.load(Ordering::Relaxed) <= 2);
    });
}

#[test]
fn a_process_that_is_trimmed_at_rest_misses_nothing() {
    check(|| {
        let process = Process::new(0);
        let sender = {
            let process = process.clone();
            thread::spawn(move || process.send(10))
        };
        let other = {
            let process = process.clone();
            thread::spawn(move || process.trim())
        };
        process.trim();
        sender.join().unwrap();
        other.join().unwrap();
        let received = process.received();
        assert_eq!(received.iter().filter(|content| **content == 10).count(), 1);
        assert_eq!(process.word.load(Ordering::SeqCst), 0, "it is at rest");
    });
}

#[test]
fn a_process_going_to_rest_hears_what_is_sent_meanwhile() {
    check(|| {
        let process = Process::new(state::QUEUED);
        let sender = {
            let process = process.clone();
            thread::spawn(move || {
                process.send(10);
                process.send(11);
            })
        };
        process.run();
        sender.join().unwrap();
        assert_eq!(process.received(), [10, 11]);
        assert_eq!(process.word.load(Ordering::SeqCst), 0, "it is at rest");
    });
}

#[test]
fn a_process_put_back_into_a_queue_is_run_by_who_takes_it() {
    check(|| {
        let process = Process::new(state::QUEUED);
        let queue = Arc::new(AtomicUsize::new(0));
        let other = {
            let (process, queue) = (process.clone(), queue.clone());
            thread::spawn(move || {
                process.send(10);
                if queue.swap(0, Ordering::SeqCst) == 1 {
                    process.run();
                }
            })
        };
        state::begin(&process.word);
        // SAFETY: loom checks that only the owner accesses it.
        process.owned.with_mut(|owned| unsafe { (*owned).push(99) });
        state::give_up(&process.word);
        queue.swap(1, Ordering::SeqCst);
        if queue.swap(0, Ordering::SeqCst) == 1 {
            process.run();
        }
        other.join().unwrap();
        assert_eq!(process.received(), [99, 10]);
    });
}

#[test]
fn a_borrowed_process_is_run_by_who_takes_it_or_by_the_borrower() {
    check(|| {
        let process = Process::new(state::QUEUED);
        let other = {
            let process = process.clone();
            thread::spawn(move || {
                process.send(20);
                process.run();
            })
        };
        if state::borrow(&process.word) {
            state::look(&process.word);
            let came = take(&process.signals);
            // SAFETY: loom checks that only the owner accesses it.
            process
                .owned
                .with_mut(|owned| unsafe { (*owned).extend(came) });
            if state::give_back(&process.word, false) & state::QUEUED == 0 {
                process.go_on();
            }
        }
        other.join().unwrap();
        assert_eq!(process.received(), [20]);
        assert_eq!(process.runs.load(Ordering::Relaxed), 1);
        assert_eq!(process.word.load(Ordering::SeqCst), 0, "it is at rest");
    });
}

/// Two threads want the signals of a process handled that nobody runs; the one that finds it borrowed leaves them to
/// the other.
#[test]
fn a_signal_to_a_borrowed_process_does_not_wait_for_its_turn() {
    let attend = |process: &Process| {
        while state::borrow(&process.word) {
            state::look(&process.word);
            let came = take(&process.signals);
            // SAFETY: loom checks that only the owner accesses it.
            process
                .owned
                .with_mut(|owned| unsafe { (*owned).extend(came) });
            if state::give_back(&process.word, false) & state::SIGNALS == 0 {
                break;
            }
        }
    };
    check(move || {
        let process = Process::new(state::QUEUED);
        let other = {
            let process = process.clone();
            thread::spawn(move || {
                process.send(20);
                attend(&process);
            })
        };
        attend(&process);
        other.join().unwrap();
        assert_eq!(process.received(), [20]);
    });
}

#[test]
fn a_process_that_is_looked_at_misses_nothing() {
    check(|| {
        let process = Process::new(0);
        let sender = {
            let process = process.clone();
            thread::spawn(move || process.send(10))
        };
        process.look();
        process.look();
        sender.join().unwrap();
        assert_eq!(process.received(), [10]);
        assert_eq!(process.word.load(Ordering::SeqCst), 0, "it is at rest");
        assert_eq!(process.runs.load(Ordering::Relaxed), 1);
    });
}

#[test]
fn a_queued_process_that_is_looked_at_runs_once() {
    check(|| {
        let process = Process::new(state::QUEUED);
        let scheduler = {
            let process = process.clone();
            thread::spawn(move || {
                push(&process.signals, 20);
                let woken = state::announce(&process.word, state::EVENT | state::SIGNALS);
                assert!(!woken, "it is queued");
                process.run();
            })
        };
        process.look();
        scheduler.join().unwrap();
        assert_eq!(process.received(), [20]);
        assert_eq!(process.word.load(Ordering::SeqCst), 0, "it is at rest");
        assert_eq!(process.runs.load(Ordering::Relaxed), 1);
    });
}

/// Whoever sends a signal and wants it handled at once does not get the process from one who only looks at it; then
/// that one sees to it.
#[test]
fn a_signal_to_a_process_that_is_looked_at_does_not_wait_for_its_turn() {
    check(|| {
        let process = Process::new(state::QUEUED);
        let asker = {
            let process = process.clone();
            thread::spawn(move || {
                push(&process.signals, 20);
                let woken = state::announce(&process.word, state::EVENT | state::SIGNALS);
                assert!(!woken, "it is queued");
                process.attend()
            })
        };
        let attends = process.look();
        let is_attended = asker.join().unwrap();
        assert!(attends || is_attended, "nobody handles the signal");
        if attends && !is_attended {
            assert!(process.attend());
        }
        assert_eq!(process.received(), [20]);
    });
}

/// Exactly one of the two threads must retire its memory.
#[test]
fn a_process_that_ends_while_it_is_borrowed_is_left_once() {
    check(|| {
        let process = Process::new(state::QUEUED);
        let left = Arc::new(AtomicUsize::new(0));
        let other = {
            let (process, left) = (process.clone(), left.clone());
            thread::spawn(move || match state::begin(&process.word) {
                before if before & state::GONE != 0 => {
                    left.fetch_add(1, Ordering::Relaxed);
                    true
                }
                before => before & state::BORROWED == 0,
            })
        };
        let borrowed = state::borrow(&process.word);
        if borrowed {
            let _ = state::exit(&process.word, true);
            if state::give_back(&process.word, true) & state::QUEUED == 0 {
                left.fetch_add(1, Ordering::Relaxed);
            }
        }
        let taken = other.join().unwrap();
        assert_eq!(left.load(Ordering::Relaxed), usize::from(borrowed));
        assert!(borrowed || taken);
    });
}

/// A signal to a process that ends is handled exactly once: by its exit or by the sender, and not before its name is
/// gone.
#[test]
fn a_signal_to_an_ending_process_is_answered() {
    check(|| {
        let process = Process::new(state::RUNNING);
        let answered = Arc::new(Mutex::new(Vec::new()));
        let named = Arc::new(Mutex::new(true));
        let sender = {
            let (process, answered, named) = (process.clone(), answered.clone(), named.clone());
            thread::spawn(move || {
                push(&process.signals, 10);
                let woken = state::announce(&process.word, state::EVENT | state::SIGNALS);
                assert!(!woken, "a process that ends is never queued");
                if state::is_closed(&process.word) {
                    assert!(!*named.lock(), "refused while it has a name");
                    let rest = take(&process.signals);
                    answered.lock().extend(rest);
                }
            })
        };
        let word = state::exit(&process.word, false);
        assert_eq!(word & state::CLOSED, 0);
        *named.lock() = false;
        state::close(&process.word);
        let rest = take(&process.signals);
        answered.lock().extend(rest);
        sender.join().unwrap();
        assert_eq!(*answered.lock(), [10]);
    });
}

/// A timer that another process sets for one that ends is cancelled by the exit or by the one that sets it.
#[test]
fn a_timer_set_for_an_ending_process_is_cancelled() {
    check(|| {
        let word = Arc::new(AtomicU32::new(state::RUNNING));
        let listed = Arc::new(Mutex::new(Vec::new()));
        let setter = {
            let (word, listed) = (word.clone(), listed.clone());
            thread::spawn(move || {
                for timer in [1, 2] {
                    let mut list = listed.lock();
                    list.push(timer);
                    if !state::set_timed(&word) {
                        list.clear();
                    }
                }
            })
        };
        if state::exit(&word, true) & state::TIMED != 0 {
            listed.lock().clear();
        }
        setter.join().unwrap();
        assert!(listed.lock().is_empty(), "a timer to a dead process stays");
    });
}

/// The last steps of `idle::sleep` in a scheduler without work; returns whether it would sleep.
fn goes_to_sleep(sleepers: &Sleepers, work: &Mutex<VecDeque<u32>>, index: usize) -> bool {
    sleepers.announce(index, true);
    if work.lock().is_empty() {
        return true;
    }
    sleepers.withdraw(index);
    false
}

#[test]
fn work_is_seen_before_sleep_or_its_maker_wakes_the_sleeper() {
    check(|| {
        let sleepers = Arc::new(Sleepers::new());
        let length = Arc::new(AtomicUsize::new(0));
        let maker = {
            let (sleepers, length) = (sleepers.clone(), length.clone());
            thread::spawn(move || {
                // Like crossbeam's queues: published by a release store, and read without a lock.
                length.store(1, Ordering::Release);
                sleepers.choose(2)
            })
        };
        sleepers.announce(1, true);
        let sleeps = length.load(Ordering::Acquire) == 0;
        if !sleeps {
            sleepers.withdraw(1);
        }
        let woken = maker.join().unwrap();
        assert!(!sleeps || woken == Some(1), "it sleeps while there is work");
        assert!(!sleepers.any());
    });
}

#[test]
fn work_is_found_by_who_searches_or_its_maker_wakes_it() {
    check(|| {
        let sleepers = Arc::new(Sleepers::new());
        let work = Arc::new(Mutex::new(VecDeque::new()));
        let scheduler = {
            let (sleepers, work) = (sleepers.clone(), work.clone());
            thread::spawn(move || {
                sleepers.begin_search();
                let found = !work.lock().is_empty();
                sleepers.end_search();
                !found && goes_to_sleep(&sleepers, &work, 0)
            })
        };
        work.lock().push_back(7);
        let woken = sleepers.choose_unless_searched(1);
        let sleeps = scheduler.join().unwrap();
        assert!(!sleeps || woken == Some(0), "it sleeps while there is work");
    });
}

#[test]
fn two_makers_of_work_wake_two_sleepers() {
    check(|| {
        let sleepers = Arc::new(Sleepers::new());
        sleepers.announce(0, true);
        sleepers.announce(1, true);
        let other = {
            let sleepers = sleepers.clone();
            thread::spawn(move || sleepers.choose(2))
        };
        let mut woken = [sleepers.choose(2), other.join().unwrap()];
        woken.sort_unstable();
        assert_eq!(woken, [Some(0), Some(1)]);
    });
}

#[test]
fn sleepers_that_are_not_online_are_left_alone() {
    check(|| {
        let sleepers = Arc::new(Sleepers::new());
        let work = Arc::new(Mutex::new(VecDeque::new()));
        sleepers.announce(1, false);
        let scheduler = {
            let (sleepers, work) = (sleepers.clone(), work.clone());
            thread::spawn(move || goes_to_sleep(&sleepers, &work, 0))
        };
        work.lock().push_back(7);
        let woken = sleepers.choose(1);
        let sleeps = scheduler.join().unwrap();
        assert_eq!(woken == Some(0), sleeps || woken.is_some());
        assert!(!sleeps || woken == Some(0), "it sleeps while there is work");
        assert_eq!(sleepers.take_all().collect::<Vec<_>>(), [1]);
    });
}

/// What a table refers to; loom reports a read that is not ordered with the write of whoever reuses the memory.
type Block = UnsafeCell<u32>;

const IN_USE: u32 = 1;
const REUSED: u32 = 2;

/// A table with one place, as readers and the thread that retires use it.
struct EpochTable {
    epochs: Epochs<3>,
    place: AtomicPtr<Block>,
}

impl EpochTable {
    fn new() -> Arc<EpochTable> {
        Arc::new(EpochTable {
            epochs: Epochs::new(),
            place: AtomicPtr::new(Box::into_raw(Box::new(UnsafeCell::new(IN_USE)))),
        })
    }

    /// Looks the block up and reads it. The thread is not idle.
    fn look(&self) {
        let block = self.place.load(Ordering::Acquire);
        if !block.is_null() {
            // SAFETY: never freed while a model looks at it; loom checks that nobody writes at the same time.
            let content = unsafe { (*block).with(|content| *content) };
            assert_eq!(content, IN_USE, "found memory that is used again");
        }
    }

    /// Makes the block unreachable; returns it, to be reused when its stamp has passed.
    fn retire(&self) -> (*mut Block, u64) {
        let block = self.place.swap(ptr::null_mut(), Ordering::AcqRel);
        (block, self.epochs.retire_stamp())
    }

    /// Reuses the block if its stamp has passed; returns whether it has.
    fn reuse(&self, (block, stamp): (*mut Block, u64)) -> bool {
        let passed = self.epochs.passed(stamp);
        if passed {
            // SAFETY: it is a live block; loom checks that nobody else accesses it.
            unsafe { (*block).with_mut(|content| *content = REUSED) };
        }
        passed
    }
}

/// Frees a block when all threads of the model have ended.
fn free((block, _): (*mut Block, u64)) {
    // SAFETY: it came from a box, and no other thread is left.
    drop(unsafe { Box::from_raw(block) });
}

#[test]
fn memory_is_reused_when_nobody_can_look_at_it() {
    check(|| {
        let table = EpochTable::new();
        let reader = {
            let table = table.clone();
            thread::spawn(move || {
                let place = table.epochs.join();
                table.epochs.quiescent(place);
                table.look();
                table.epochs.quiescent(place);
                table.look();
                place.become_idle();
            })
        };
        let retired = table.retire();
        let reused = table.reuse(retired) || table.reuse(retired);
        reader.join().unwrap();
        assert!(reused || table.reuse(retired), "all threads are idle");
        free(retired);
    });
}

/// As a thread does that is not a scheduler (`epoch::with_pin`), while a scheduler retires.
#[test]
fn memory_is_not_reused_while_an_idle_thread_comes_back() {
    check(|| {
        let table = EpochTable::new();
        let readers: Vec<_> = (0..2)
            .map(|_| {
                let table = table.clone();
                thread::spawn(move || {
                    let place = table.epochs.join();
                    assert!(place.is_idle());
                    table.epochs.quiescent(place);
                    table.look();
                    place.become_idle();
                })
            })
            .collect();
        let own = table.epochs.join();
        table.epochs.quiescent(own);
        let retired = table.retire();
        assert!(!table.epochs.passed(retired.1), "this thread still looks");
        table.epochs.quiescent(own);
        let reused = table.reuse(retired);
        for reader in readers {
            reader.join().unwrap();
        }
        assert!(reused || table.reuse(retired), "all threads have passed it");
        free(retired);
    });
}

/// As `Retired::keep`: one thread stamps, and another finds that the stamp has passed.
#[test]
fn whoever_is_told_of_a_stamp_sees_who_may_still_look() {
    check(|| {
        let table = EpochTable::new();
        let told = Arc::new(Mutex::new(None));
        let reader = {
            let table = table.clone();
            thread::spawn(move || {
                let place = table.epochs.join();
                table.epochs.quiescent(place);
                table.look();
                place.become_idle();
            })
        };
        let other = {
            let (table, told) = (table.clone(), told.clone());
            thread::spawn(move || {
                let (block, stamp) = table.retire();
                *told.lock() = Some((block, stamp));
            })
        };
        let retired = *told.lock();
        let reused = retired.is_some_and(|retired| table.reuse(retired));
        reader.join().unwrap();
        other.join().unwrap();
        let retired = told.lock().take().unwrap();
        assert!(reused || table.reuse(retired), "all threads are idle");
        free(retired);
    });
}
