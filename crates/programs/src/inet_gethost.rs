//! `inet_gethost`, which OTP's module `inet_gethost_native` runs behind a port to ask the system for hosts' addresses
//! and names.
//!
//! A request is a packet of a serial number, an operation, a family and a name or address; so is an answer, in the
//! order in which they are found. The threads, as many as the first word says, share the requests, and so ask for as
//! many hosts at once; a request that has been withdrawn while it waited is not asked.

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crate::complaint;
use sys::socket::Family;
use sys::socket::hosts::{self, Failure, Host};

/// The threads, unless a word says how many.
const THREADS: usize = 4;
const MOST_THREADS: usize = 64;
/// The C library may use much for an answer.
const STACK_BYTES: usize = 1 << 20;
/// A request is a name of a host.
const MOST_REQUEST_BYTES: usize = 1 << 16;

/// The requests that wait.
struct Queue {
    waiting: Mutex<VecDeque<Vec<u8>>>,
    changed: Condvar,
    /// One answer at a time is written.
    output: Mutex<()>,
}

static QUEUE: Queue = Queue {
    waiting: Mutex::new(VecDeque::new()),
    changed: Condvar::new(),
    output: Mutex::new(()),
};

/// Serves the port until it is closed. Returns the exit status.
pub(crate) fn run(words: &[Vec<u8>]) -> u8 {
    let count = words
        .iter()
        .find_map(|word| std::str::from_utf8(word).ok()?.parse().ok());
    for number in 0..count.unwrap_or(THREADS).clamp(1, MOST_THREADS) {
        let started = sys::thread::spawn(&format!("lookup {number}"), STACK_BYTES, serve);
        // One is enough.
        if let (Err(error), 0) = (started, number) {
            complaint::say(&format!("inet_gethost: {}\n", error.message()));
            return 1;
        }
    }
    let mut input = io::stdin().lock();
    while let Some(request) = read_packet(&mut input) {
        QUEUE.add(request);
    }
    // What is being asked nobody waits for.
    0
}

/// A packet, as a port sends it; `None` when the port has closed its end, or sends what cannot be a request.
fn read_packet(input: &mut impl Read) -> Option<Vec<u8>> {
    let mut length = [0; 4];
    input.read_exact(&mut length).ok()?;
    let length = usize::try_from(u32::from_be_bytes(length)).ok()?;
    if length > MOST_REQUEST_BYTES {
        return None;
    }
    let mut packet = vec![0; length];
    input.read_exact(&mut packet).ok()?;
    Some(packet)
}

impl Queue {
    fn waiting(&self) -> MutexGuard<'_, VecDeque<Vec<u8>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a request, or withdraws one that waits.
    fn add(&self, request: Vec<u8>) {
        let mut waiting = self.waiting();
        match Request::read(&request) {
            Some(Request {
                what: What::Withdraw,
                serial,
            }) => waiting.retain(|other| serial_of(other) != Some(serial)),
            Some(_) => {
                waiting.push_back(request);
                self.changed.notify_one();
            }
            None => {}
        }
    }

    fn next(&self) -> Vec<u8> {
        let mut waiting = self.waiting();
        loop {
            if let Some(request) = waiting.pop_front() {
                return request;
            }
            waiting = self
                .changed
                .wait(waiting)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// A thread's work.
fn serve() {
    loop {
        let request = QUEUE.next();
        let Some(request) = Request::read(&request) else {
            continue;
        };
        let Some(answer) = request.answer() else {
            continue;
        };
        let _one = QUEUE.output.lock().unwrap_or_else(PoisonError::into_inner);
        let mut output = io::stdout().lock();
        let packet = [&(answer.len() as u32).to_be_bytes()[..], &answer].concat();
        if output
            .write_all(&packet)
            .and_then(|()| output.flush())
            .is_err()
        {
            return;
        }
    }
}

/// A request.
#[derive(Debug, PartialEq, Eq)]
struct Request<'a> {
    serial: [u8; 4],
    what: What<'a>,
}

#[derive(Debug, PartialEq, Eq)]
enum What<'a> {
    /// The host with this name.
    Name(Option<Family>, &'a [u8]),
    /// The host with this address.
    Address(Option<Family>, &'a [u8]),
    /// The request with the same serial number is withdrawn.
    Withdraw,
    /// Settings for those who look for errors in OTP's program, which have no meaning here.
    Settings,
    /// Another operation.
    Unknown,
}

fn serial_of(request: &[u8]) -> Option<[u8; 4]> {
    request.first_chunk::<4>().copied()
}

impl<'a> Request<'a> {
    fn read(request: &'a [u8]) -> Option<Request<'a>> {
        let (serial, rest) = request.split_first_chunk::<4>()?;
        let (operation, rest) = rest.split_first()?;
        let family = |rest: &[u8]| match rest.first() {
            Some(1) => Some(Family::Inet),
            Some(2) => Some(Family::Inet6),
            _ => None,
        };
        let data = rest.get(1..).unwrap_or_default();
        let what = match operation {
            1 => {
                let end = data.iter().position(|byte| *byte == 0);
                What::Name(family(rest), &data[..end.unwrap_or(data.len())])
            }
            2 => What::Address(family(rest), data),
            3 => What::Withdraw,
            4 => What::Settings,
            _ => What::Unknown,
        };
        Some(Request {
            serial: *serial,
            what,
        })
    }

    /// The answer, without its length; `None` if nobody waits for one.
    fn answer(&self) -> Option<Vec<u8>> {
        let found = match self.what {
            What::Name(Some(family), name) => hosts::by_name(name, family).map_err(name_of),
            What::Address(Some(family), address) => {
                hosts::by_address(address, family).map_err(name_of)
            }
            What::Name(None, _) | What::Address(None, _) | What::Unknown => Err("enotsup"),
            What::Withdraw | What::Settings => return None,
        };
        let mut answer = self.serial.to_vec();
        match found {
            Ok(host) => write_host(&mut answer, &host),
            Err(name) => {
                answer.push(0);
                answer.extend(name.as_bytes());
                answer.push(0);
            }
        }
        Some(answer)
    }
}

/// The name of a failure, as OTP's program has it.
fn name_of(failure: Failure) -> &'static str {
    match failure {
        Failure::NotFound => "notfound",
        Failure::TryAgain => "try_again",
        Failure::NoRecovery => "no_recovery",
        Failure::NoData => "no_data",
        Failure::Internal => "netdb_internal",
    }
}

fn write_host(answer: &mut Vec<u8>, host: &Host) {
    answer.push(host.address_bytes as u8);
    answer.extend((host.addresses.len() as u32).to_be_bytes());
    answer.extend(host.addresses.iter().flatten());
    answer.extend((host.names.len() as u32).to_be_bytes());
    for name in &host.names {
        answer.extend(name);
        answer.push(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_read() {
        let read = |bytes: &'static [u8]| Request::read(bytes).map(|request| request.what);
        assert_eq!(
            read(b"\0\0\0\x01\x01\x01host\0"),
            Some(What::Name(Some(Family::Inet), b"host"))
        );
        assert_eq!(
            read(b"\0\0\0\x01\x02\x02abc"),
            Some(What::Address(Some(Family::Inet6), b"abc"))
        );
        assert_eq!(read(b"\0\0\0\x01\x01"), Some(What::Name(None, b"")));
        assert_eq!(read(b"\0\0\0\x01\x03"), Some(What::Withdraw));
        assert_eq!(read(b"\0\0\0\x01\x09"), Some(What::Unknown));
        assert_eq!(read(b"\0\0\0\x01"), None);
    }

    #[test]
    fn addresses_are_answered() {
        let request = Request::read(b"\0\0\0\x07\x01\x01127.0.0.1\0").unwrap();
        let answer = request.answer().unwrap();
        let expected = b"\0\0\0\x07\x04\0\0\0\x01\x7f\0\0\x01\0\0\0\x01127.0.0.1\0";
        assert_eq!(answer, expected);
        let request = Request::read(b"\0\0\0\x07\x01\x07a\0").unwrap();
        assert_eq!(request.answer().unwrap(), b"\0\0\0\x07\0enotsup\0");
        let request = Request::read(b"\0\0\0\x07\x02\x01ab").unwrap();
        assert_eq!(request.answer().unwrap(), b"\0\0\0\x07\0netdb_internal\0");
    }
}
