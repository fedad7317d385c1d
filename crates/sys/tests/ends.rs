//! Children whose ends are reported by the thread that waits for all of them. A test program of its own, because the
//! children of other tests must not be among them.

use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use sys::child::{Command, Exit, Step};
use sys::signal::{self, Disposition, Signal};

const PATIENCE: Duration = Duration::from_secs(60);

/// One test, because there is one such thread.
#[test]
fn every_end_is_told_once() {
    signal::init().unwrap();
    // A child that was not started through `sys`: its end does not disturb the others, and its status is not taken.
    let mut stranger = stranger(7);
    ends_of_many();
    assert_eq!(stranger.wait().unwrap().code(), Some(7));
    strangers_are_news();
    // If the signal were ignored, the system would take the statuses itself.
    signal::set(Signal::Child, Disposition::Ignore).unwrap();
    ends_of_many();

    let (tell, told) = mpsc::channel();
    let end = move |end| tell.send(end).unwrap();
    Command::new(b"/no/such").start_told(end).unwrap();
    let failure = told.recv_timeout(PATIENCE).unwrap().unwrap_err();
    assert_eq!(failure.step, Step::Program);

    let (tell, told) = mpsc::channel();
    let sleep = Command::new(b"/bin/sleep").arg(b"1000");
    let process = sleep
        .start_told(move |end| tell.send(end).unwrap())
        .unwrap();
    assert!(told.recv_timeout(Duration::from_millis(20)).is_err());
    signal::send(process as i32, 9).unwrap();
    assert_eq!(told.recv_timeout(PATIENCE).unwrap(), Ok(Exit::Signal(9)));
    assert!(told.recv().is_err(), "an end was told twice");
}

fn stranger(status: i32) -> std::process::Child {
    let mut shell = std::process::Command::new("/bin/sh");
    shell
        .args(["-c", &format!("exit {status}")])
        .spawn()
        .unwrap()
}

/// The system's signal is passed on for strangers, once for each, whether children of ours run meanwhile or not.
fn strangers_are_news() {
    signal::set(Signal::Child, Disposition::Handle).unwrap();
    let event = signal::pending_fd().unwrap();
    let is_told = |milliseconds: u64| {
        let end = Instant::now() + Duration::from_millis(milliseconds);
        while let Some(left) = end.checked_duration_since(Instant::now()) {
            sys::fd::wait_readable(event, Some(left.as_nanos() as u64)).unwrap();
            if signal::take_pending().contains(Signal::Child) {
                return true;
            }
        }
        false
    };
    ends_of_many();
    assert!(!is_told(20), "of children of ours");
    let mut alone = stranger(1);
    assert!(is_told(20_000));
    let sleep = Command::new(b"/bin/sleep").arg(b"1000");
    let process = sleep.start_told(|_| {}).unwrap();
    let mut beside = stranger(2);
    assert!(is_told(20_000));
    assert!(!is_told(100), "a second time");
    assert_eq!(alone.wait().unwrap().code(), Some(1));
    assert_eq!(beside.wait().unwrap().code(), Some(2));
    signal::send(process as i32, 9).unwrap();
}

/// Starts children from several threads; each child exits with a different status.
fn ends_of_many() {
    let (tell, told) = mpsc::channel();
    let start = |status: i32, tell: mpsc::Sender<i32>| {
        let script = format!("exit {status}");
        let shell = Command::new(b"/bin/sh").arg(b"-c").arg(script.as_bytes());
        let at_end = move |end: Result<Exit, _>| tell.send(end.unwrap().shell_status()).unwrap();
        shell.start_told(at_end).unwrap();
    };
    thread::scope(|scope| {
        for first in [0, 50, 100, 150] {
            let tell = tell.clone();
            scope.spawn(move || (first..first + 50).for_each(|status| start(status, tell.clone())));
        }
    });
    drop(tell);
    // Ends when all callbacks have run and dropped their senders.
    let mut statuses: Vec<i32> = told.iter().collect();
    statuses.sort_unstable();
    assert_eq!(statuses, (0..200).collect::<Vec<_>>());
}
