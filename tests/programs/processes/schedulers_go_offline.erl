%% Timers run out in time although the scheduler on which they were set goes offline, or multi-scheduling is blocked
%% meanwhile; and a node that waits for them uses no processor.
%% args: +S 8:8
-module(schedulers_go_offline).
-export([main/0]).

main() ->
    see:value(offline, rounds(60, fun(N) -> erlang:system_flag(schedulers_online, N) end)),
    see:value(idle_offline, begin erlang:system_flag(schedulers_online, 1), idle() end),
    erlang:system_flag(schedulers_online, 8),
    see:value(blocked, rounds(20, fun(1) -> erlang:system_flag(multi_scheduling, block);
        (_) -> erlang:system_flag(multi_scheduling, unblock) end)),
    see:value(schedulers, [erlang:system_info(schedulers_online), erlang:system_info(multi_scheduling)]).

rounds(0, _) -> all_in_time;
rounds(Left, Set) ->
    Workers = [spawn_monitor(fun() -> work(30) end) || _ <- lists:seq(1, 24)],
    receive after Left rem 20 -> ok end,
    Set(1),
    case [late || {_, R} <- Workers, late =:= receive {'DOWN', R, process, _, normal} -> ended after 20000 -> late end]
        of
        [] -> Set(8), rounds(Left - 1, Set);
        Late -> Set(8), {late, length(Late)}
    end.

%% Many short waits, and work between them that wakes the other schedulers.
work(0) -> ok;
work(N) ->
    lists:sort([rand:uniform(1000) || _ <- lists:seq(1, 100)]),
    receive after 1 -> work(N - 1) end.

%% Less than half of the time is spent, as soon as that was seen once.
idle() ->
    apart:wait(fun() ->
        {Before, _} = statistics(runtime),
        receive after 300 -> ok end,
        {After, _} = statistics(runtime),
        After - Before < 150
    end, true, 20).
