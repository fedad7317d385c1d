//! Tests the lock-free protocols under loom, with every interleaving and every stale value that the memory model
//! allows.
//!
//! The files below are the runtime's own, compiled with loom's atomics in place of `std`'s ([`sync`]). A model explores
//! schedules with at most `LOOM_MAX_PREEMPTIONS` preemptions, two by default (`make test-all` sets more): nearly all
//! errors show with two.
#![allow(dead_code)]

#[path = "../../../ets/src/store/directory.rs"]
mod directory;
#[path = "../../src/signal/queue.rs"]
mod queue;
#[path = "../../src/scheduler/idle/sleepers.rs"]
mod sleepers;
#[path = "../../src/process/state.rs"]
mod state;
mod sync;

use std::collections::VecDeque;
use std::ptr;

use layout::{Fragment, Term};
use loom::cell::UnsafeCell;
use loom::sync::Arc;
use loom::thread;

use directory::{Range, Ranges};
use queue::SignalQueue;
use sleepers::Sleepers;
use sync::{AtomicU32, AtomicUsize, Mutex, MutexGuard, Ordering};

const DEFAULT_PREEMPTIONS: usize = 2;

fn check(body: impl Fn() + Sync + Send + 'static) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound.get_or_insert(DEFAULT_PREEMPTIONS);
    model.check(body);
}

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
}

impl Process {
    fn new(word: u32) -> Arc<Process> {
        Arc::new(Process {
            word: AtomicU32::new(word),
            signals: SignalQueue::new(),
            owned: UnsafeCell::new(Vec::new()),
            runs: AtomicUsize::new(0),
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
            state::claim(&self.word);
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
            if !state::give_back(&process.word, false) {
                process.go_on();
            }
        }
        other.join().unwrap();
        assert_eq!(process.received(), [20]);
        assert_eq!(process.runs.load(Ordering::Relaxed), 1);
        assert_eq!(process.word.load(Ordering::SeqCst), 0, "it is at rest");
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
            state::exit(&process.word);
            if !state::give_back(&process.word, true) {
                left.fetch_add(1, Ordering::Relaxed);
            }
        }
        let taken = other.join().unwrap();
        assert_eq!(left.load(Ordering::Relaxed), usize::from(borrowed));
        assert!(borrowed || taken);
    });
}

/// A signal to a process that ends is handled exactly once: by its exit or by the sender.
#[test]
fn a_signal_to_an_ending_process_is_answered() {
    check(|| {
        let process = Process::new(state::RUNNING);
        let answered = Arc::new(Mutex::new(Vec::new()));
        let sender = {
            let (process, answered) = (process.clone(), answered.clone());
            thread::spawn(move || {
                push(&process.signals, 10);
                let woken = state::announce(&process.word, state::EVENT | state::SIGNALS);
                assert!(!woken, "a process that ends is never queued");
                if state::is_exiting(&process.word) {
                    let rest = take(&process.signals);
                    answered.lock().extend(rest);
                }
            })
        };
        state::exit(&process.word);
        let rest = take(&process.signals);
        answered.lock().extend(rest);
        sender.join().unwrap();
        assert_eq!(*answered.lock(), [10]);
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

/// A model of a table's range: its lock and some numbers.
struct Numbers(Mutex<Vec<u32>>);

impl Range for Numbers {
    type Writer<'a> = MutexGuard<'a, Vec<u32>>;

    fn write(&self) -> Self::Writer<'_> {
        self.0.lock()
    }

    fn try_write(&self) -> Option<Self::Writer<'_>> {
        self.0.try_lock()
    }
}

type Table = Ranges<u32, Numbers>;

fn table(numbers: &[u32]) -> Arc<Table> {
    Arc::new(Ranges::new(Numbers(Mutex::new(numbers.to_vec()))))
}

fn with_range<R>(table: &Table, number: u32, act: impl Fn(&mut Vec<u32>) -> R) -> R {
    let route = |bounds: &[u32]| bounds.partition_point(|bound| *bound <= number);
    let (_, mut numbers) = table.enter(route, Range::write);
    act(&mut numbers)
}

fn put(table: &Table, number: u32) {
    with_range(table, number, |numbers| numbers.push(number));
}

fn has(table: &Table, number: u32) -> bool {
    with_range(table, number, |numbers| numbers.contains(&number))
}

/// Splits the range that contains `bound` at `bound`.
fn cut(table: &Table, bound: u32) {
    let route = |bounds: &[u32]| bounds.partition_point(|other| *other <= bound);
    let (range, mut lower) = table.enter(route, Range::write);
    let fresh = || Numbers(Mutex::new(Vec::new()));
    let replaced = table.split(range, fresh, |upper| {
        assert!(upper.is_empty(), "a range that is in no directory");
        upper.extend(lower.extract_if(.., |number| *number >= bound));
        Some(bound)
    });
    drop(lower);
    // Leaked, because other threads may still read it.
    std::mem::forget(replaced);
}

/// Joins the first range with the next.
fn join(table: &Table) {
    let (range, mut lower) = table.enter(|_| 0, Range::write);
    let merge = |lower: &mut MutexGuard<'_, Vec<u32>>, upper: &mut MutexGuard<'_, Vec<u32>>| {
        lower.append(upper);
    };
    let replaced = table.join(range, &mut lower, merge);
    drop(lower);
    std::mem::forget(replaced);
}

/// All numbers in the table; asserts that each is in the range that it belongs to.
fn numbers_of(table: &Table) -> Vec<u32> {
    let changes = table.hold();
    let (ranges, bounds) = table.all(&changes);
    let mut all = Vec::new();
    for (index, range) in ranges.enumerate() {
        for number in &*range.write() {
            assert_eq!(bounds.partition_point(|bound| bound <= number), index);
            all.push(*number);
        }
    }
    all.sort_unstable();
    all
}

#[test]
fn what_is_put_into_a_range_is_found_while_it_is_cut() {
    check(|| {
        let table = table(&[5, 15]);
        let cutter = {
            let table = table.clone();
            thread::spawn(move || cut(&table, 10))
        };
        let other = {
            let table = table.clone();
            thread::spawn(move || {
                put(&table, 16);
                assert!(has(&table, 5));
            })
        };
        put(&table, 6);
        assert!(has(&table, 15));
        assert!(has(&table, 6));
        cutter.join().unwrap();
        other.join().unwrap();
        assert_eq!(numbers_of(&table), [5, 6, 15, 16]);
    });
}

#[test]
fn a_range_that_was_put_together_serves_again() {
    check(|| {
        let table = table(&[5, 15, 25]);
        cut(&table, 10);
        let changer = {
            let table = table.clone();
            thread::spawn(move || {
                join(&table);
                cut(&table, 20);
            })
        };
        put(&table, 16);
        assert!(has(&table, 25));
        assert!(has(&table, 16));
        changer.join().unwrap();
        assert_eq!(numbers_of(&table), [5, 15, 16, 25]);
    });
}

#[test]
fn two_who_change_ranges_do_not_wait_for_each_other() {
    check(|| {
        let table = table(&[5, 15, 25]);
        cut(&table, 20);
        let other = {
            let table = table.clone();
            thread::spawn(move || {
                cut(&table, 22);
                assert_eq!(numbers_of(&table), [5, 15, 25]);
            })
        };
        join(&table);
        cut(&table, 10);
        other.join().unwrap();
        assert_eq!(numbers_of(&table), [5, 15, 25]);
    });
}
