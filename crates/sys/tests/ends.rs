//! Children whose ends are reported by the thread that waits for all of them. A test program of its own, because the
//! children of other tests must not be among them.

use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use sys::child::{Command, Exit, Step};
use sys::signal::{self, Disposition, Signal};

const PATIENCE: Duration = Duration::from_secs(60);

/// One test, because there is one such thread.
#[test]
fn every_end_is_told_once() {
    signal::init().unwrap();
    // A child that was not started through `sys`: its end is reported to nobody, and does not disturb the others.
    let stranger = std::process::Command::new("true").spawn().unwrap();
    ends_of_many();
    drop(stranger);
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
