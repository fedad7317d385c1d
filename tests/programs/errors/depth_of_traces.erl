%% How deep traces are, whatever system_flag(backtrace_depth) says, and whatever made them; the class that a trace was
%% passed on with stays when it is passed on once more; lines that are too large to be kept.
-module(depth_of_traces).
-export([main/0, deep/1, changed/2]).

main() ->
    [depth(Depth) || Depth <- [0, 1, 2, 3, 8, 13, 64, 100]],
    see:value(refused, [(catch erlang:system_flag(backtrace_depth, Depth)) =:= 64 || Depth <- [-1, a, 8, 8]]),
    [see:that({passed_on_as, Class}, fun() -> changed(Class, fun() -> throw(thrown) end) end)
     || Class <- [error, exit, throw]],
    see:that(huge_line, fun() -> on_a_huge_line(see:id(1)) end),
    see:that(large_line, fun() -> on_a_large_line(see:id(1)) end).

depth(Depth) ->
    erlang:system_flag(backtrace_depth, Depth),
    Frame = {a, b, 1, []},
    Traces = [trace(Raises) || Raises <- [
        fun() -> deep(2) end,
        fun() -> deep(20) end,
        fun() -> erlang:raise(error, reason, lists:duplicate(12, Frame)) end,
        fun() -> erlang:raise(error, reason, [Frame]) end,
        fun() -> erlang:raise(error, reason, []) end,
        fun() -> atom_to_list(see:id(1)) end,
        fun() -> lists:map(see:id(a), see:id(1)) end,
        fun() -> apply(m, f, see:id(a)) end,
        fun() -> no_such_module:f() end,
        fun() -> try deep(3) catch _:_:Stack -> erlang:raise(error, reason, Stack) end end]],
    {current_stacktrace, Own} = process_info(self(), current_stacktrace),
    {current_stacktrace, Of} = process_info(whereis(init), current_stacktrace),
    erlang:system_flag(backtrace_depth, 64),
    see:value({depth, Depth}, Traces),
    see:value(current, [[F || {_, F, _, _} <- Stack] || Stack <- [lists:sublist(Own, 2), lists:sublist(Of, 2)]]).

trace(Raises) ->
    try Raises() catch _:_:Stack -> [{F, length(lists:takewhile(fun(X) -> element(2, X) =:= F end, Stack))}
        || {_, F, _, _} <- Stack] end.

deep(0) -> error(x);
deep(N) -> [deep(N - 1), N].

changed(Class, Fun) ->
    try
        passes_on(Class, Fun)
    after
        see:id(rethrown_here)
    end.

passes_on(Class, Fun) ->
    try Fun() catch throw:Reason:Stack -> erlang:raise(Class, Reason, Stack) end.

-file("large.erl", 16777212).

on_a_large_line(X) ->
    [error(X)].
-file("huge.erl", 100000000).
on_a_huge_line(X) ->
    [error(X)].
