%% Priorities: higher ones run first, low ones run still, flags are kept.
-module(priorities).
-export([main/0]).

main() ->
    see:value(flag, [process_flag(priority, P) || P <- [low, normal, high, max, normal]]),
    Me = self(),
    see:value(spawned, [begin Pid = spawn_opt(fun() -> Me ! {self(), process_info(self(), priority)} end,
        [{priority, P}]), receive {Pid, I} -> I end end || P <- [low, normal, high, max]]),
    %% A busy normal process doesn't keep a low one from running.
    Busy = [spawn(fun() -> spin() end) || _ <- lists:seq(1, 4)],
    Low = spawn_opt(fun() -> Me ! {low, ran} end, [{priority, low}]),
    see:value(low, receive {low, R} -> R after 10000 -> starved end),
    High = spawn_opt(fun() -> Me ! {high, ran} end, [{priority, high}]),
    see:value(high, receive {high, R2} -> R2 after 10000 -> starved end),
    see:value(pids, [is_pid(Low), is_pid(High)]),
    [exit(B, kill) || B <- Busy],
    %% A high process that waits and wakes gets its turn before the normal ones that spin.
    see:value(woken, woken()),
    see:fails([fun() -> process_flag(priority, see:id(urgent)) end]).

spin() -> spin().

woken() ->
    Me = self(),
    High = spawn_opt(fun() -> wake_loop(100), Me ! woken_100_times end, [{priority, high}]),
    Feeder = spawn(fun() -> feed(High) end),
    Busy = [spawn(fun() -> spin() end) || _ <- [1, 2]],
    R = receive woken_100_times -> ok after 20000 -> starved end,
    [exit(B, kill) || B <- [Feeder | Busy]],
    R.
wake_loop(0) -> ok;
wake_loop(N) -> receive tick -> wake_loop(N - 1) end.
feed(P) -> P ! tick, erlang:yield(), feed(P).
