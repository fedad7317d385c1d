//! Programs that a node starts ignore the signals that stock's would, whatever the node was started with. Needs an
//! installed OTP.

use std::process::Command;

#[test]
fn programs_ignore_what_they_would_under_stock() {
    for flag in ["", "+Bi", "+Bd", "+Bc", "-noinput"] {
        for signals in ["HUP INT QUIT USR1 TERM TSTP CHLD", "INT", "TERM PIPE"] {
            let [stock, ferl] =
                ["erl", env!("CARGO_BIN_EXE_ferl")].map(|machine| ignored(machine, flag, signals));
            assert_eq!(stock, ferl, "with {flag:?}, started without {signals}");
            assert!(stock.starts_with("SigIgn:"), "{stock}");
        }
    }
}

/// What the system says of a program whose node was started with these signals ignored.
fn ignored(machine: &str, flag: &str, signals: &str) -> String {
    let eval = "io:put_chars(os:cmd(\"grep SigIgn /proc/self/status\")), halt().";
    let line =
        format!("trap '' {signals}; exec {machine} -noshell {flag} -eval '{eval}' </dev/null");
    let output = Command::new("bash").args(["-c", &line]).output().unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned()
}
