//! Pollers on pipes and socket pairs, with the kernel's precise wait and without it.

use super::*;
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;

const LONG_NS: u64 = 20_000_000_000;

fn pollers() -> [Poller; 2] {
    let [new, old] = [Poller::new().unwrap(), Poller::new().unwrap()];
    old.has_precise_wait.store(false, Ordering::Relaxed);
    [new, old]
}

fn ready(poller: &Poller, timeout_ns: u64) -> Vec<u64> {
    let mut events = Events::with_capacity(8);
    poller.wait(&mut events, Some(timeout_ns)).unwrap();
    events.iter().map(|event| event.token.0).collect()
}

#[test]
fn an_edge_is_reported_once_and_a_level_always() {
    for poller in pollers() {
        let (mut edge_out, mut edge_in) = UnixStream::pair().unwrap();
        let (mut level_out, level_in) = UnixStream::pair().unwrap();
        poller
            .add(edge_in.as_fd(), Token(1), Interest::READ, Trigger::Edge)
            .unwrap();
        poller
            .add(level_in.as_fd(), Token(2), Interest::READ, Trigger::Level)
            .unwrap();
        assert_eq!(ready(&poller, 0), []);
        edge_out.write_all(b"x").unwrap();
        assert_eq!(ready(&poller, LONG_NS), [1]);
        assert_eq!(ready(&poller, 1000), []);
        level_out.write_all(b"x").unwrap();
        assert_eq!(ready(&poller, LONG_NS), [2]);
        assert_eq!(ready(&poller, LONG_NS), [2]);
        poller.remove(level_in.as_fd()).unwrap();
        assert_eq!(poller.remove(level_in.as_fd()), Err(Errno::ENOENT));
        edge_in.read_exact(&mut [0]).unwrap();
        edge_out.write_all(b"x").unwrap();
        assert_eq!(ready(&poller, LONG_NS), [1]);
    }
}

#[test]
fn a_one_shot_is_silent_until_modified() {
    for poller in pollers() {
        let (_near, far) = UnixStream::pair().unwrap();
        poller
            .add(far.as_fd(), Token(7), Interest::WRITE, Trigger::Once)
            .unwrap();
        assert_eq!(
            poller.add(far.as_fd(), Token(7), Interest::WRITE, Trigger::Once),
            Err(Errno::EEXIST)
        );
        assert_eq!(ready(&poller, LONG_NS), [7]);
        assert_eq!(ready(&poller, 0), []);
        poller
            .modify(far.as_fd(), Token(8), Interest::WRITE, Trigger::Once)
            .unwrap();
        assert_eq!(ready(&poller, LONG_NS), [8]);
    }
}

#[test]
fn the_end_of_a_connection_is_told_apart() {
    let [poller, _] = pollers();
    let (near, far) = UnixStream::pair().unwrap();
    poller
        .add(far.as_fd(), Token(1), Interest::READ, Trigger::Edge)
        .unwrap();
    let mut events = Events::with_capacity(1);
    near.shutdown(std::net::Shutdown::Write).unwrap();
    poller.wait(&mut events, Some(LONG_NS)).unwrap();
    let event = events.iter().next().unwrap();
    assert!(
        event.is_readable() && event.is_read_closed() && !event.is_hangup() && !event.is_error()
    );
    drop(near);
    poller.wait(&mut events, Some(LONG_NS)).unwrap();
    let event = events.iter().next().unwrap();
    assert!(event.is_hangup() && event.is_writable(), "{event:?}");
}

#[test]
fn events_beyond_the_capacity_come_with_the_next_wait() {
    let [poller, _] = pollers();
    let pairs: Vec<_> = (0..5).map(|_| UnixStream::pair().unwrap()).collect();
    for (number, (near, _far)) in pairs.iter().enumerate() {
        poller
            .add(
                near.as_fd(),
                Token(number as u64),
                Interest::WRITE,
                Trigger::Edge,
            )
            .unwrap();
    }
    let mut events = Events::with_capacity(2);
    let mut found = Vec::new();
    for _ in 0..3 {
        poller.wait(&mut events, Some(LONG_NS)).unwrap();
        assert!(events.len() <= events.buffer.capacity());
        found.extend(events.iter().map(|event| event.token.0));
    }
    found.sort_unstable();
    assert_eq!(found, [0, 1, 2, 3, 4]);
}

#[test]
fn short_timeouts_are_kept_to_the_microsecond() {
    for poller in pollers() {
        for timeout_ns in [50_000, 300_000, 1_500_000] {
            // The kernel's scheduler may prolong any single wait; the shortest of many shows the precision.
            let shortest = (0..20)
                .map(|_| {
                    let before = clock::monotonic_ns();
                    assert_eq!(ready(&poller, timeout_ns), []);
                    clock::monotonic_ns() - before
                })
                .min()
                .unwrap() as u64;
            assert!(
                timeout_ns <= shortest && shortest < timeout_ns + 900_000,
                "{timeout_ns} {shortest}"
            );
        }
    }
}

#[test]
fn a_waker_ends_a_wait_in_another_thread() {
    for poller in pollers() {
        let waker = poller.waker();
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| {
                let mut events = Events::with_capacity(4);
                let before = clock::monotonic_ns();
                poller.wait(&mut events, Some(LONG_NS)).unwrap();
                assert!(events.is_empty() && events.woken());
                assert!(clock::monotonic_ns() - before < LONG_NS as i64);
            });
            std::thread::sleep(std::time::Duration::from_millis(5));
            waker.wake();
            waiting.join().unwrap();
        });
        // Wake-ups are remembered and collapse.
        waker.wake();
        waker.wake();
        let mut events = Events::with_capacity(4);
        poller.wait(&mut events, None).unwrap();
        assert!(events.woken());
        poller.wait(&mut events, Some(0)).unwrap();
        assert!(!events.woken());
        waker.wake();
        poller.wait(&mut events, None).unwrap();
        assert!(events.woken());
    }
}

#[test]
fn wakeups_are_never_lost_under_contention() {
    use std::sync::atomic::AtomicU64;
    const EACH: u64 = 20_000;
    let [poller, _] = pollers();
    let posted = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            let (waker, posted) = (poller.waker(), &posted);
            scope.spawn(move || {
                for _ in 0..EACH {
                    posted.fetch_add(1, Ordering::Relaxed);
                    waker.wake();
                }
            });
        }
        let mut events = Events::with_capacity(4);
        while posted.load(Ordering::Relaxed) < 2 * EACH {
            poller.wait(&mut events, Some(LONG_NS)).unwrap();
            assert!(events.woken(), "a wake-up was lost after {posted:?}");
        }
    });
}

#[test]
fn what_cannot_be_waited_for_is_refused() {
    let [poller, _] = pollers();
    let file = std::fs::File::open("/proc/self/exe").unwrap();
    assert_eq!(
        poller.add(file.as_fd(), Token(1), Interest::READ, Trigger::Edge),
        Err(Errno::EPERM)
    );
    let (near, _far) = UnixStream::pair().unwrap();
    assert_eq!(
        poller.add(near.as_fd(), Token::RESERVED, Interest::READ, Trigger::Edge),
        Err(Errno::EINVAL)
    );
    assert_eq!(
        poller.modify(near.as_fd(), Token(1), Interest::READ, Trigger::Edge),
        Err(Errno::ENOENT)
    );
}
