//! A node that is sent a signal which otherwise stands for a fault ends by it, or ignores it, as stock does. Needs OTP
//! 25.

use std::io::{BufRead as _, BufReader};
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

#[test]
fn signals_that_stand_for_faults_end_the_node_when_they_are_sent() {
    for signal in ["SEGV", "BUS", "ILL", "FPE"] {
        let machines = [&stock::otp().erl, Path::new(env!("CARGO_BIN_EXE_ferl"))];
        let [stock, ferl] = machines.map(|machine| after(machine, signal));
        assert_eq!(stock, ferl, "SIG{signal}");
    }
}

/// By which signal a node ends that is sent one, if it does, or with which status it ends by itself a little later.
fn after(machine: &Path, signal: &str) -> (Option<i32>, Option<i32>) {
    let eval = "io:put_chars(\"ready\\n\"), receive after 1000 -> halt(7) end.";
    let mut child = Command::new(machine)
        .args(["-noshell", "-eval", eval])
        .envs(stock::otp().environment())
        .env("ERL_CRASH_DUMP_SECONDS", "0")
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    output.read_line(&mut line).unwrap();
    assert_eq!(line, "ready\n");
    let kill = ["-s", signal, &child.id().to_string()].map(str::to_owned);
    assert!(Command::new("kill").args(kill).status().unwrap().success());
    let status = child.wait().unwrap();
    (status.signal(), status.code())
}
