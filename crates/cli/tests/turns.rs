//! Who is woken goes before who computes. With OTP 25, and counted in turns, so that no clock matters.

/// Has 300 processes compute without end, and asks a supervisor 100 times. Prints how many turns all had meanwhile. In
/// one queue for all, each question and each answer would wait for 300.
const PROGRAM: &str = "
    [spawn(fun Loop() -> Loop() end) || _ <- lists:seq(1, 300)],
    Turns = fun() -> element(1, statistics(context_switches)) end,
    timer:sleep(100),
    Before = Turns(),
    [supervisor:count_children(kernel_safe_sup) || _ <- lists:seq(1, 100)],
    io:format(\"~b\", [Turns() - Before]),
    halt().";

#[test]
fn a_question_does_not_wait_for_all_who_compute() {
    let mut ferl = stock::ferl_on_25(env!("CARGO_BIN_EXE_ferl"));
    let output = ferl
        .args(["+S", "1", "-noshell", "-eval", PROGRAM])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let turns: u64 = said.parse().unwrap_or_else(|_| panic!("{output:?}"));
    // Each question and answer is a turn of both, and the one that asks is interpreted, so that it computes itself.
    assert!((200..10_000).contains(&turns), "{turns} turns");
}
