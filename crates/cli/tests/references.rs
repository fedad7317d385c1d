//! References are not those of an earlier run, and cannot be guessed: whoever holds the bytes of one that names an
//! object of the node may use it. Needs OTP 25.

use std::collections::BTreeSet;
use std::process::Command;

/// References of a run, as text without the word that changes with each.
fn first_references(mut machine: Command) -> BTreeSet<String> {
    let program = "Refs = [make_ref(), atomics:new(1, []), ets:whereis(ets:new(a, [named_table]))], \
                   [io:format(\"~w~n\", [Ref]) || Ref <- Refs], halt().";
    let output = machine.args(["-noshell", "-eval", program]).output();
    let output = String::from_utf8(output.expect("a node").stdout).expect("text");
    let stem = |line: &str| line.rsplit_once('.').map(|(stem, _)| stem.to_owned());
    output.lines().filter_map(stem).collect()
}

#[test]
fn references_of_two_runs_have_nothing_in_common() {
    let ferl = || stock::ferl_on_25(env!("CARGO_BIN_EXE_ferl"));
    for machine in [stock::erl_25 as fn() -> Command, ferl] {
        let runs = [0; 3].map(|_| first_references(machine()));
        assert!(runs.iter().all(|run| !run.is_empty()), "{runs:?}");
        for (index, run) in runs.iter().enumerate() {
            for other in &runs[..index] {
                assert!(run.is_disjoint(other), "{runs:?}");
            }
        }
    }
}
