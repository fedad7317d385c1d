//! Programs started by a node ignore the same signals as programs started by stock, whichever signals were ignored when
//! the node was started. Needs OTP 25.

use std::path::Path;
use std::process::Command;

#[test]
fn programs_ignore_what_they_would_under_stock() {
    for flag in ["", "+Bi", "+Bd", "+Bc", "-noinput"] {
        for signals in ["HUP INT QUIT USR1 TERM TSTP CHLD", "INT", "TERM PIPE"] {
            let machines = [&stock::otp().erl, Path::new(env!("CARGO_BIN_EXE_ferl"))];
            let [stock, ferl] = machines.map(|machine| ignored(machine, flag, signals));
            assert_eq!(stock, ferl, "with {flag:?}, started without {signals}");
        }
    }
}

/// The set of signals, as a bit mask, that a program ignores if its node was started with these signals ignored. Leaves
/// out the C library's own two (32 and 33), which depend on whoever runs this test.
fn ignored(machine: &Path, flag: &str, signals: &str) -> u64 {
    let eval = "io:put_chars(os:cmd(\"grep SigIgn /proc/self/status\")), halt().";
    let line = format!("trap '' {signals}; exec \"$0\" -noshell {flag} -eval '{eval}' </dev/null");
    let output = Command::new("bash")
        .args(["-c", &line])
        .arg(machine)
        .envs(stock::otp().environment())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let set = said.strip_prefix("SigIgn:").map(str::trim);
    let set = set.and_then(|set| u64::from_str_radix(set, 16).ok());
    set.unwrap_or_else(|| panic!("{machine:?} said {said:?}")) & !(0b11 << 31)
}
