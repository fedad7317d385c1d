%% Several processes change patterns at the same time, and ask for them, on two schedulers.
%% args: +S 2:2
-module(patterns_at_once).
-export([main/0]).

main() ->
    Changers = [spawn_monitor(fun() -> change(300) end) || _ <- [1, 2, 3, 4]],
    [receive {'DOWN', Monitor, process, Pid, Reason} -> io:format("~p~n", [Reason]) end
     || {Pid, Monitor} <- Changers],
    io:format("~p~n", [erlang:trace_info({lists, map, 2}, traced)]).

change(0) -> ok;
change(N) ->
    erlang:trace_pattern({lists, map, 2}, N rem 2 =:= 0, [local]),
    {traced, _} = erlang:trace_info({lists, map, 2}, traced),
    erlang:trace_pattern(send, N rem 3 =/= 0, []),
    erlang:trace_pattern(on_load, N rem 2 =:= 0, [local]),
    change(N - 1).
