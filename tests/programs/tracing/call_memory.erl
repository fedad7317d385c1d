%% How much memory calls take (call_memory), in words that a process puts on its heap.
%% releases: 27 29
-module(call_memory).
-export([main/0, outer/1, list/1, pair/1, none/1, fails/1, started/1, loop/0]).

main() ->
    P = spawn(fun loop/0),
    Q = spawn(fun loop/0),
    S = trace:session_create(memory, self(), []),
    T = trace:session_create(other, self(), []),
    [1 = trace:process(S, X, true, [call]) || X <- [P, Q]],
    [1 = trace:function(S, F, true, [call_memory]) || F <- functions()],
    shown(at_first, S),
    does(P, fun() -> none(1) end),
    shown(none, S),
    does(P, fun() -> pair(1) end),
    does(P, fun() -> list(10) end),
    shown(built, S),
    does(P, fun() -> outer(10) end),
    shown(nested, S),
    % Collections take nothing away.
    does(P, fun() -> outer(100000) end),
    does(P, fun() -> [pair(X) || X <- lists:seq(1, 1000)] end),
    does(P, fun() -> L = list(1000), erlang:garbage_collect(), pair(L) end),
    shown(large, S),
    does(Q, fun() -> outer(3) end),
    shown(of_two, S),
    % Each session counts for itself.
    1 = trace:process(T, P, true, [call]),
    1 = trace:function(T, {?MODULE, list, 1}, true, [call_memory]),
    1 = erlang:trace(P, true, [call]),
    1 = erlang:trace_pattern({?MODULE, started, 1}, true, [call_memory]),
    does(P, fun() -> outer(2), pair(2), started([1]) end),
    shown(both, S),
    shown(other, T),
    see:value(old, [setelement(1, X, p) || {call_memory, L} <- [erlang:trace_info({?MODULE, started, 1}, call_memory)],
        X <- L]),
    1 = trace:function(S, {?MODULE, list, 1}, pause, [call_memory]),
    does(P, fun() -> outer(2) end),
    shown(paused, S),
    1 = trace:function(S, {?MODULE, list, 1}, restart, [call_memory]),
    does(P, fun() -> outer(2) end),
    shown(restarted, S),
    1 = trace:function(S, {?MODULE, pair, 1}, false, [call_memory]),
    does(P, fun() -> pair(3) end),
    see:value(off, [trace:info(S, {?MODULE, pair, 1}, I) || I <- [call_memory, traced, all]]),
    see:value(refused, try trace:function(S, {?MODULE, pair, 1}, [{'_', [], []}], [call_memory]) catch error:R -> R
        end),
    0 = trace:function(S, on_load, true, [call_memory]),
    see:value(on_load, [trace:info(S, on_load, I) || I <- [call_memory, call_time, all]]),
    0 = trace:function(S, on_load, false, [call_memory]),
    see:value(on_load, trace:info(S, on_load, call_memory)),
    % What a process begins with counts for the function that it begins in.
    0 = trace:process(S, new, true, [call]),
    1 = trace:function(S, {?MODULE, started, 1}, true, [call_memory]),
    {R2, M} = spawn_monitor(?MODULE, started, [lists:seq(1, 50)]),
    receive {'DOWN', M, process, R2, _} -> ok end,
    see:value(started, [{N, W >= 100} || {call_memory, L} <- [trace:info(S, {?MODULE, started, 1}, call_memory)],
        {_, N, W} <- L]),
    % How large an exception is, is the machine's affair.
    1 = trace:function(S, {?MODULE, fails, 1}, true, [call_memory]),
    does(Q, fun() -> catch fails(10) end),
    does(Q, fun() -> catch outer(a) end),
    see:value(failed, [N || {call_memory, L} <- [trace:info(S, {?MODULE, fails, 1}, call_memory)], {_, N, W} <- L,
        W > 0]),
    true = trace:session_destroy(S),
    see:value(ended, {trace:session_info({?MODULE, list, 1}), trace:session_info({?MODULE, pair, 1})}),
    does(P, fun() -> outer(2) end),
    shown(other, T),
    true = trace:session_destroy(T),
    1 = erlang:trace_pattern({?MODULE, started, 1}, false, [call_memory]),
    [X ! stop || X <- [P, Q]].

functions() -> [{?MODULE, F, 1} || F <- [outer, list, pair, none]].

outer(N) -> list(N) ++ [a].

list(0) -> [];
list(N) -> [N | list(N - 1)].

pair(X) -> {X, X}.

none(X) -> X.

fails(N) -> length([pair(N), list(N) | see:id(x)]).

started(L) -> length(L).

loop() ->
    receive
        {do, F, To} -> F(), To ! done, loop();
        stop -> ok
    end.

does(P, F) -> P ! {do, F, self()}, receive done -> ok end.

%% Calls and words of each process.
shown(Name, S) ->
    see:value(Name, [{F, lists:sort([{N, W} || {_, N, W} <- L])} || {_, F, _} = Function <- functions(),
        {call_memory, L} <- [trace:info(S, Function, call_memory)], is_list(L), L =/= []]).
