//! Which threads make the dirty calls of a process. With OTP 25.

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
