//! The break menu on a node without a terminal: its exact output when standard input ends. Needs OTP 25.

use std::process::Stdio;

#[test]
fn the_menu_ends_its_lines_as_on_stock() {
    let [stock, ferl] = [
        stock::erl_25(),
        stock::ferl_on_25(env!("CARGO_BIN_EXE_ferl")),
    ]
    .map(|mut machine| {
        let program = "os:cmd(\"kill -INT \" ++ os:getpid()), receive after infinity -> ok end.";
        let output = machine
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
