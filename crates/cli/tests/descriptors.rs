//! A node with an input, output or errors that are closed, full, gone, slow or non-blocking: its program ends with the
//! same status as on stock, and as much of what it writes arrives. Needs OTP 25.

use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::net::Shutdown;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

/// Writes much to its output and to its errors, reads a line, and ends with 7. What it writes are two bytes that
/// nothing else writes.
const PROGRAM: &str = "io:put_chars([lists:duplicate(300000, 1), 10]), \
    io:put_chars(standard_error, [lists:duplicate(300000, 2), 10]), \
    Line = case io:get_line(\"\") of [_ | _] = Text -> length(Text); Other -> Other end, \
    io:format(\"~p~n\", [Line]), erlang:display(seen), halt(7, [{flush, true}]).";

const LINE_BYTES: usize = 300;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Closed,
    Full,
    /// The other end is closed.
    Gone,
    Slow,
    SlowNonBlocking,
}

use State::{Closed, Full, Gone, Slow, SlowNonBlocking};

#[test]
fn a_node_with_a_troubled_input_does_as_stock_does() {
    // A full disk is no input: what is read there is zeros without an end.
    check(0, &[Closed, Gone, Slow, SlowNonBlocking]);
}

#[test]
fn a_node_with_a_troubled_output_does_as_stock_does() {
    check(1, &[Closed, Full, Gone, Slow, SlowNonBlocking]);
}

#[test]
fn a_node_with_troubled_errors_does_as_stock_does() {
    check(2, &[Closed, Full, Gone, Slow, SlowNonBlocking]);
}

fn check(descriptor: usize, states: &[State]) {
    for &state in states {
        let machines = [&stock::otp().erl, Path::new(env!("CARGO_BIN_EXE_ferl"))];
        let [stock, ferl] = machines.map(|machine| run(machine, descriptor, state));
        assert_eq!(ferl, stock, "descriptor {descriptor} {state:?}");
    }
}

/// The exit status of the program, and how many of its bytes came out of its output and its errors. A node that ends
/// because it has lost its output does not wait until the rest has arrived.
fn run(machine: &Path, troubled: usize, state: State) -> (Option<i32>, Option<[usize; 2]>) {
    let state_of = move |descriptor: usize| (descriptor == troubled).then_some(state);
    let closed = match (state, troubled) {
        (Closed, 0) => "<&-",
        (Closed, 1) => ">&-",
        (Closed, _) => "2>&-",
        _ => "",
    };
    let mut command = Command::new("sh");
    command
        .args(["-c", &format!("exec \"$0\" \"$@\" {closed}")])
        .arg(machine)
        .args(["+S", "2", "-noshell", "-eval", PROGRAM])
        .envs(stock::otp().environment())
        .env("ERL_CRASH_DUMP_SECONDS", "0");
    let (input, writer) = end_of_node(state_of(0));
    let (output, from_output) = end_of_node(state_of(1));
    let (errors, from_errors) = end_of_node(state_of(2));
    command.stdin(input).stdout(output).stderr(errors);
    let feeding = thread::spawn(move || feed(writer, state_of(0)));
    let counting = [(from_output, 1, 1), (from_errors, 2, 2)].map(|(reader, descriptor, byte)| {
        let state = state_of(descriptor);
        thread::spawn(move || count(reader, state, byte))
    });
    let mut child = command.spawn().unwrap();
    // The node's ends are its own from now on.
    drop(command);
    let status = child.wait().unwrap().code();
    feeding.join().unwrap();
    let counts = counting.map(|thread| thread.join().unwrap());
    (status, (status == Some(7)).then_some(counts))
}

/// The node's end of a descriptor in this state, and the other end, if there is one.
fn end_of_node(state: Option<State>) -> (Stdio, Option<UnixStream>) {
    if state == Some(Full) {
        let full: File = OpenOptions::new().write(true).open("/dev/full").unwrap();
        return (Stdio::from(full), None);
    }
    let (ours, nodes) = UnixStream::pair().unwrap();
    if state == Some(SlowNonBlocking) {
        nodes.set_nonblocking(true).unwrap();
    }
    let nodes = Stdio::from(OwnedFd::from(nodes));
    let is_there = !matches!(state, Some(Gone | Closed));
    (nodes, is_there.then_some(ours))
}

fn is_slow(state: Option<State>) -> bool {
    matches!(state, Some(Slow | SlowNonBlocking))
}

/// Writes a line to the node and closes its input.
fn feed(writer: Option<UnixStream>, state: Option<State>) {
    let Some(mut writer) = writer else {
        return;
    };
    for at in 0..=LINE_BYTES {
        if is_slow(state) {
            thread::sleep(Duration::from_millis(1));
        }
        let byte = if at < LINE_BYTES { b'x' } else { b'\n' };
        // A node that has ended reads nothing any more.
        if writer.write_all(&[byte]).is_err() {
            return;
        }
    }
    // The other end may be gone.
    let _ = writer.shutdown(Shutdown::Write);
}

/// Reads to the end and counts these bytes.
fn count(reader: Option<UnixStream>, state: Option<State>, byte: u8) -> usize {
    let Some(mut reader) = reader else {
        return 0;
    };
    let mut room = [0; 4096];
    let mut count = 0;
    loop {
        if is_slow(state) {
            thread::sleep(Duration::from_millis(1));
        }
        match reader.read(&mut room) {
            Ok(0) | Err(_) => return count,
            Ok(length) => {
                count += room[..length]
                    .iter()
                    .filter(|other| **other == byte)
                    .count()
            }
        }
    }
}
