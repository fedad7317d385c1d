//! When a node halts, output that is still queued in ports is written first, as on stock. Needs OTP 25.

use std::io::Read;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

const BYTES: usize = 3_000_000;

fn machines() -> [&'static Path; 2] {
    [&stock::otp().erl, Path::new(env!("CARGO_BIN_EXE_ferl"))]
}

fn start(machine: &Path, program: &str) -> Child {
    let mut node = Command::new(machine);
    node.args(["-noshell", "-eval", program])
        .envs(stock::otp().environment())
        .stdin(Stdio::null());
    node.spawn().expect("a node")
}

/// The number of bytes that `wc` receives through a port if the node halts at once with these options. `command` is the
/// port's shell command; it writes the number to `FILE`.
fn counted(machine: &Path, command: &str, options: &str) -> usize {
    // Tests run side by side.
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let file = std::env::temp_dir().join(format!("ferl-halt-{}-{number}", std::process::id()));
    let file_name = file.to_str().expect("a plain name");
    let command = command.replace("FILE", file_name);
    let program = format!(
        "P = open_port({{spawn, \"sh -c '{command}'\"}}, [binary]), \
         port_command(P, binary:copy(<<120>>, {BYTES})), halt(0, {options})."
    );
    assert!(start(machine, &program).wait().unwrap().success());
    // The program outlives the node for a moment.
    let end = Instant::now() + Duration::from_secs(60);
    let count = loop {
        match std::fs::read_to_string(&file) {
            Ok(text) if text.ends_with('\n') => break text.trim().parse().unwrap(),
            _ => thread::sleep(Duration::from_millis(10)),
        }
        assert!(Instant::now() < end, "{command} does not end");
    };
    std::fs::remove_file(file).unwrap();
    count
}

#[test]
fn a_program_that_is_slow_to_read_gets_all() {
    for machine in machines() {
        assert_eq!(
            counted(machine, "sleep 1; wc -c >FILE", "[]"),
            BYTES,
            "{machine:?}"
        );
        let unflushed = counted(machine, "sleep 1; wc -c >FILE", "[{flush, false}]");
        assert!(unflushed < BYTES, "{machine:?}: {unflushed}");
    }
}

#[test]
fn a_program_that_answers_all_it_reads_gets_all() {
    for machine in machines() {
        assert_eq!(
            counted(
                machine,
                "tee FILE.all; wc -c <FILE.all >FILE; rm FILE.all",
                "[]"
            ),
            BYTES,
            "{machine:?}"
        );
    }
}

#[test]
fn a_peer_that_is_slow_to_read_gets_all() {
    for machine in machines() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let program = format!(
            "{{ok, S}} = gen_tcp:connect({{127,0,0,1}}, {port}, [binary]), \
             ok = gen_tcp:send(S, binary:copy(<<120>>, {BYTES})), halt()."
        );
        let mut node = start(machine, &program);
        let (mut stream, _) = listener.accept().unwrap();
        thread::sleep(Duration::from_millis(500));
        let mut received = Vec::new();
        stream.read_to_end(&mut received).unwrap();
        assert_eq!(received.len(), BYTES, "{machine:?}");
        assert!(node.wait().unwrap().success());
    }
}

/// From OTP 27 on the wait has a limit: a node whose peer reads nothing ends when it is over, with a status of its own.
#[test]
fn the_wait_for_a_peer_that_reads_nothing_has_a_limit() {
    let Ok(otp) = stock::find(27) else {
        println!("LEFT OUT: it needs OTP 27");
        return;
    };
    let cases = [
        (&[][..], "halt(9, [{flush_timeout, 300}])", 255),
        (&["+zhft", "300"], "halt(9)", 255),
        (&["+zhft", "300"], "halt(9, [{flush, false}])", 9),
        (&["+zhft", "infinity"], "halt(9, [{flush_timeout, 0}])", 255),
    ];
    for machine in [&otp.erl, Path::new(env!("CARGO_BIN_EXE_ferl"))] {
        for (flags, halt, status) in cases {
            let listener = TcpListener::bind("127.0.0.1:0").unwrap();
            let port = listener.local_addr().unwrap().port();
            let program = format!(
                "{{ok, S}} = gen_tcp:connect({{127,0,0,1}}, {port}, [binary, {{high_watermark, 100000000}}]), \
                 ok = gen_tcp:send(S, binary:copy(<<120>>, 20000000)), {halt}."
            );
            let mut node = Command::new(machine);
            node.args(flags).args(["-noshell", "-eval", &program]);
            node.envs(otp.environment()).stdin(Stdio::null());
            let mut node = node.spawn().expect("a node");
            let _peer = listener.accept().unwrap();
            let ended = node.wait().unwrap();
            assert_eq!(ended.code(), Some(status), "{machine:?} {flags:?} {halt}");
        }
    }
}
