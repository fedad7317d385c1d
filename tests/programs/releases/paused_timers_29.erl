%% Timers of a suspended process stand still: that of its receive, and those that send to its pid.
%% releases: 29
-module(paused_timers_29).
-export([main/0]).

main() ->
    see:all([{receives, fun receives/0}, {messages, fun messages/0}, {set_while_suspended, fun set_while_suspended/0},
        {own, fun own/0}, {name, fun name/0}, {suspended_twice, fun suspended_twice/0},
        {suspender_ends, fun suspender_ends/0}, {awake_again, fun awake_again/0}, {many, fun many/0},
        {ends, fun ends/0}]).

receives() ->
    P = waiting(fun() -> receive never -> ok after 2000 -> timeout end end),
    erlang:suspend_process(P),
    Nothing = nothing_within(2200),
    erlang:resume_process(P),
    {Nothing, nothing_within(500), receive {done, P, Result} -> Result end}.

%% From here on, a second is long enough for the process to be suspended before its timer expires.

messages() ->
    P = waiting(fun() -> [receive M -> M end || _ <- [1, 2, 3]] end),
    [erlang:send_after(T, P, T) || T <- [1200, 1000, 1100]],
    erlang:suspend_process(P),
    {nothing_within(1500), length_of_queue(P), resumed(P)}.

set_while_suspended() ->
    P = waiting(fun() -> [receive {timeout, _, M} -> M; M -> M end || _ <- [1, 2, 3, 4]] end),
    erlang:suspend_process(P),
    Now = erlang:monotonic_time(millisecond),
    erlang:send_after(20, P, after_20),
    erlang:start_timer(0, P, at_once),
    erlang:send_after(Now + 100, P, at_100, [{abs, true}]),
    erlang:send_after(Now - 1000, P, past, [{abs, true}]),
    {nothing_within(300), length_of_queue(P), lists:sort(lists:sublist(resumed(P), 2))}.

own() ->
    P = waiting(fun() -> erlang:send_after(1000, self(), own), receive M -> M end end),
    erlang:suspend_process(P),
    {nothing_within(1500), length_of_queue(P), resumed(P)}.

name() ->
    P = waiting(fun() -> register(paused_timers, self()), receive M -> M end end),
    erlang:send_after(1000, paused_timers, by_name),
    erlang:suspend_process(P),
    {apart:wait(fun() -> length_of_queue(P) end, 1, 400), resumed(P)}.

suspended_twice() ->
    P = waiting(fun() -> receive never -> ok after 1000 -> timeout end end),
    erlang:send_after(1000, P, x),
    Other = spawn_link(fun() -> erlang:suspend_process(P), receive stop -> erlang:resume_process(P) end end),
    suspended(P),
    erlang:suspend_process(P),
    erlang:suspend_process(P),
    erlang:resume_process(P),
    erlang:resume_process(P),
    Nothing = nothing_within(1500),
    Other ! stop,
    {Nothing, receive {done, P, Result} -> Result end}.

suspender_ends() ->
    P = waiting(fun() -> receive never -> ok after 1000 -> timeout end end),
    Other = spawn(fun() -> erlang:suspend_process(P), receive stop -> ok end end),
    suspended(P),
    Nothing = nothing_within(1500),
    Other ! stop,
    {Nothing, receive {done, P, Result} -> Result end}.

%% A message that comes meanwhile is looked at, and the timer goes on.
awake_again() ->
    P = waiting(fun() -> receive never -> ok after 1000 -> receive M -> M end end end),
    erlang:suspend_process(P),
    P ! other,
    Nothing = nothing_within(1200),
    erlang:resume_process(P),
    erlang:suspend_process(P),
    {Nothing, nothing_within(300), resumed(P)}.

many() ->
    Numbers = lists:seq(1, 2000),
    P = waiting(fun() -> lists:sort([receive N -> N end || _ <- Numbers]) =:= Numbers end),
    Setters = [spawn_monitor(fun() -> [erlang:send_after(N rem 40, P, N) || N <- Numbers, N rem 4 =:= Part] end)
               || Part <- [0, 1, 2, 3]],
    [begin erlang:suspend_process(P), erlang:yield(), erlang:resume_process(P) end || _ <- lists:seq(1, 200)],
    [receive {'DOWN', M, process, _, normal} -> ok end || {_, M} <- Setters],
    receive {done, P, Result} -> Result end.

ends() ->
    P = waiting(fun() -> receive never -> ok end end),
    Timer = erlang:send_after(100000, P, x),
    erlang:suspend_process(P),
    Monitor = monitor(process, P),
    exit(P, kill),
    receive {'DOWN', Monitor, process, P, Reason} -> {Reason, erlang:read_timer(Timer)} end.

waiting(Fun) ->
    Own = self(),
    P = spawn(fun() -> Own ! {done, self(), Fun()} end),
    waiting = apart:wait(fun() -> element(2, process_info(P, status)) end, waiting, 400),
    P.

suspended(P) -> suspended = apart:wait(fun() -> element(2, process_info(P, status)) end, suspended, 400).

nothing_within(Time) -> receive {done, _, Result} -> Result after Time -> nothing end.

resumed(P) ->
    erlang:resume_process(P),
    receive {done, P, Result} -> Result end.

length_of_queue(P) -> element(2, process_info(P, message_queue_len)).
