//! What the node itself prints may be lost, because nobody reads it or the disk is full; the program goes on, as on
//! stock. Needs OTP 25.

use std::fs::OpenOptions;
use std::path::Path;
use std::process::{Command, Stdio};

#[test]
fn a_node_survives_that_its_output_is_lost() {
    let traced = "erlang:trace_pattern({lists, seq, 2}, [{'_', [], [{display, {const, x}}]}], [local]), \
        Me = self(), P = spawn(fun() -> receive _ -> lists:seq(1, 2), Me ! done end end), \
        erlang:trace(P, true, [call]), P ! x, receive done -> halt(7) end.";
    let other = "erlang:process_display(whereis(init), backtrace), timer:sleep(100), halt(7).";
    let programs = [
        "erlang:process_display(self(), backtrace), halt(7).",
        other,
        "erts_debug:display(x), halt(7).",
        traced,
        "erlang:display(x), halt(7).",
        "erlang:display_string(\"x\"), halt(7).",
        "unregister(logger), spawn(fun() -> exit({a, b}) end), spawn(fun() -> 1 = 2 end), timer:sleep(100), halt(7).",
    ];
    for program in programs {
        for is_pipe in [true, false] {
            let machines = [&stock::otp().erl, Path::new(env!("CARGO_BIN_EXE_ferl"))];
            let [stock, ferl] = machines.map(|machine| status(machine, program, is_pipe));
            assert_eq!(stock, Some(7), "{program}");
            assert_eq!(ferl, stock, "{program}");
        }
    }
}

/// The status of a node that runs a program with output and errors into a pipe that nobody reads, or to a full disk.
fn status(machine: &Path, program: &str, is_pipe: bool) -> Option<i32> {
    let lost = || match is_pipe {
        true => {
            let (reader, writer) = std::io::pipe().unwrap();
            drop(reader);
            Stdio::from(writer)
        }
        false => Stdio::from(OpenOptions::new().write(true).open("/dev/full").unwrap()),
    };
    let mut command = Command::new(machine);
    command
        .args(["-noshell", "-eval", program])
        .envs(stock::otp().environment())
        .env("ERL_CRASH_DUMP_SECONDS", "0")
        .stdin(Stdio::null())
        .stdout(lost())
        .stderr(lost());
    command.status().unwrap().code()
}
