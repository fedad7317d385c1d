//! The break menu on a node without a terminal: its exact output when standard input ends. Needs an installed OTP.

use std::process::{Command, Stdio};

#[test]
fn the_menu_ends_its_lines_as_on_stock() {
    let [stock, ferl] = ["erl", env!("CARGO_BIN_EXE_ferl")].map(|machine| {
        let program = "os:cmd(\"kill -INT \" ++ os:getpid()), receive after infinity -> ok end.";
        let output = Command::new(machine)
            .args(["-noinput", "-eval", program])
            .stdin(Stdio::null())
            .output()
            .unwrap();
        (
            output.status.code(),
            String::from_utf8_lossy(&output.stdout).into_owned(),
        )
    });
    assert!(stock.1.contains("BREAK: "), "{stock:?}");
    assert_eq!(stock, ferl);
}
