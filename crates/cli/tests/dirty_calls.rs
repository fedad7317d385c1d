//! Which threads make the dirty calls of a process, how soon it goes on after them, and what is left for others. With
//! OTP 25.

/// Prints how many dirty I/O schedulers have worked while one process called `prim_file:read_link/1` many times.
const PROGRAM: &str = "
    erlang:system_flag(scheduler_wall_time, true),
    {error, _} = prim_file:read_link(\"/\"),
    Before = lists:sort(statistics(scheduler_wall_time_all)),
    [{error, _} = prim_file:read_link(\"/\") || _ <- lists:seq(1, 1000)],
    After = lists:sort(statistics(scheduler_wall_time_all)),
    Others = erlang:system_info(schedulers) + erlang:system_info(dirty_cpu_schedulers),
    Worked = [Id || {{Id, From, _}, {Id, To, _}} <- lists:zip(Before, After), Id > Others, To > From],
    io:format(\"~w\", [length(Worked)]),
    halt().";

#[test]
fn calls_of_one_process_are_made_by_one_thread() {
    for flags in [
        &["+S", "1"][..],
        &["+S", "2"],
        &["+S", "2", "+sbwtdio", "none"],
        &["+S", "2", "+sbwt", "none", "+sbwtdio", "very_long"],
    ] {
        let mut ferl = stock::ferl_on_25(env!("CARGO_BIN_EXE_ferl"));
        let output = ferl
            .args(flags)
            .args(["-noshell", "-eval", PROGRAM])
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        assert_eq!((&*said, output.status.success()), ("1", true), "{flags:?}");
    }
}

/// The reductions of a process that computes for each of the calls that another one makes beside it: the fewest of some
/// tries, since on a busy host the thread that makes the calls may wait for a processor.
fn reductions_beside(make_calls: &str, calls: u32) -> u32 {
    let program = format!(
        "Loop = fun Loop(N) -> Loop(N + 1) end,
        Busy = spawn(fun() -> Loop(0) end),
        Count = fun() -> {{reductions, Count}} = process_info(Busy, reductions), Count end,
        {{ok, File}} = file:open(code:which(lists), [raw, read, binary]),
        Try = fun(_) ->
            Before = Count(),
            {make_calls},
            (Count() - Before) div {calls}
        end,
        io:format(\"~w\", [lists:min(lists:map(Try, lists:seq(1, 100)))]),
        halt()."
    );
    let output = stock::ferl_on_25(env!("CARGO_BIN_EXE_ferl"))
        .args(["+S", "1", "-noshell", "-eval", &program])
        .output()
        .unwrap();
    String::from_utf8_lossy(&output.stdout).parse().unwrap()
}

#[test]
fn who_comes_back_from_a_call_goes_before_the_process_that_ran_meanwhile() {
    let reductions = reductions_beside(
        "[{error, _} = prim_file:read_link(\"/\") || _ <- lists:seq(1, 20)]",
        20,
    );
    // A slice has 4000.
    assert!(reductions < 6000, "{reductions} for each call");
}

#[test]
fn others_have_their_turns_beside_reads_that_wait_for_nothing() {
    // The calls are made by compiled code, whose reductions are few.
    let read = "[Files, Zeros, Sizes] = [lists:duplicate(1000, Each) || Each <- [File, 0, 16]],
        [{ok, _} | _] = lists:zipwith3(fun file:pread/3, Files, Zeros, Sizes)";
    let reductions = reductions_beside(read, 1000);
    assert!(reductions >= 60, "{reductions} for each call");
}
