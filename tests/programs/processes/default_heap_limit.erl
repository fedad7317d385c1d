%% The node's limit for heaps holds for processes made afterwards; others keep what they were made with.
-module(default_heap_limit).
-export([main/0]).

main() ->
    Early = holder([]),
    Own = holder([{max_heap_size, 400_000}]),
    io:format("~p~n", [erlang:system_flag(max_heap_size, #{size => 100_000, kill => true, error_logger => false})]),
    Late = holder([]),
    LateOwn = holder([{max_heap_size, 500_000}]),
    show([self(), Early, Own, Late, LateOwn]),
    io:format("~p~n", [erlang:system_flag(max_heap_size, #{size => 0, kill => false, error_logger => true})]),
    show([self(), Early, Own, Late, LateOwn, holder([])]),
    [io:format("~p~n", [fill(Pid)]) || Pid <- [Early, Late]],
    io:format("~p~n", [erlang:system_info(max_heap_size)]).

holder(Options) ->
    spawn_opt(fun hold/0, Options).

hold() ->
    receive
        {fill, From} -> From ! {filled, length(lists:seq(1, 300_000))}
    end.

show(Pids) ->
    [begin
        {garbage_collection, All} = process_info(Pid, garbage_collection),
        io:format("~p~n", [proplists:get_value(max_heap_size, All)])
    end || Pid <- Pids].

fill(Pid) ->
    Monitor = monitor(process, Pid),
    Pid ! {fill, self()},
    receive
        {filled, Length} -> Length;
        {'DOWN', Monitor, process, Pid, Reason} -> Reason
    end.
