//! A node that cannot start, because it has no descriptors, says so in a line and ends. Needs OTP 25. What else the
//! system may refuse, at each step of a program: `cargo xtask exhaust`.

use std::process::{Command, Output, Stdio};

/// The node with at most this many descriptors, three of which it has at its start.
fn with_descriptors(limit: u32) -> Output {
    let script = format!("ulimit -n {limit}; exec \"$0\" \"$@\"");
    Command::new("sh")
        .args(["-c", &script, env!("CARGO_BIN_EXE_ferl")])
        .args(["-noshell", "-s", "erlang", "halt"])
        .envs(stock::otp().environment())
        .env("ERL_CRASH_DUMP_SECONDS", "0")
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

#[test]
fn a_node_without_descriptors_says_so() {
    let mut refused = 0;
    for limit in 4..13 {
        let output = with_descriptors(limit);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code().is_some(), "{limit}: {output:?}");
        assert!(!said.contains("panicked"), "{limit}: {said}");
        if output.status.code() != Some(0) {
            assert!(
                !said.trim().is_empty() || !output.stdout.is_empty(),
                "{limit}"
            );
            refused += 1;
        }
    }
    assert!(refused > 0 && with_descriptors(64).status.success());
}
