%% A function may need memory at its very beginning, and a collection for it. Its call is counted and told of once all
%% the same, however large the heap is.
-module(entries_that_collect).
-export([main/0]).
-export([small/1, wide/1, list/1, binary/1, framed/1, deep/1, waits/1, sums/1]).

-import(see, [value/2]).

main() ->
    [value({Live, Flags}, apart(Live, Flags)) || Live <- [0, 3000, 600000],
        Flags <- [[call_count], [call_time], [local], [meta], [local, call_count]]].

functions() -> [small, wide, list, binary, framed, deep, waits, sums].

%% A process of its own, which holds so many elements of a list meanwhile.
apart(Live, Flags) ->
    Me = self(),
    {Pid, Monitor} = spawn_monitor(fun() ->
                                           Held = lists:seq(1, Live),
                                           receive go -> ok end,
                                           [calls(F, 3000) || F <- functions()],
                                           Me ! {called, self(), length(Held)},
                                           receive stop -> ok end
                                   end),
    Tracer = spawn(fun() -> tracer(#{}) end),
    Pattern = case Flags of
                  [meta] -> [{meta, Tracer}];
                  _ -> Flags
              end,
    [erlang:trace_pattern({?MODULE, F, 1}, true, Pattern) || F <- functions()],
    erlang:trace(Pid, true, [call, {tracer, Tracer}]),
    Pid ! go,
    receive {called, Pid, Length} -> ok end,
    Delivered = erlang:trace_delivered(Pid),
    receive {trace_delivered, Pid, Delivered} -> ok end,
    Tracer ! {tell, self()},
    Told = receive {told, Of} -> lists:sort(maps:to_list(Of)) end,
    Counted = [counted(F, Flag) || F <- functions(), Flag <- [call_count, call_time]],
    [erlang:trace_pattern({?MODULE, F, 1}, false, Pattern) || F <- functions()],
    Pid ! stop,
    receive {'DOWN', Monitor, process, Pid, _} -> ok end,
    exit(Tracer, kill),
    {Length, Told, Counted}.

counted(F, Flag) ->
    case erlang:trace_info({?MODULE, F, 1}, Flag) of
        {Flag, [{_, Calls, _, _}]} -> Calls;
        {Flag, Other} -> Other
    end.

tracer(Of) ->
    receive
        {tell, Pid} -> Pid ! {told, Of};
        Event when element(1, Event) =:= trace; element(1, Event) =:= trace_ts ->
            {_, F, _} = element(4, Event),
            tracer(maps:update_with(F, fun(N) -> N + 1 end, 1, Of))
    end.

%% Some values are kept for a while, so that collections move something.
calls(F, N) -> calls(F, N, []).

calls(_, 0, Kept) -> length(Kept);
calls(waits, N, Kept) -> self() ! N, keep(waits, N, waits(N), Kept);
calls(F, N, Kept) -> keep(F, N, ?MODULE:F(N), Kept).

keep(F, N, Value, Kept) when N rem 8 > 0 -> calls(F, N - 1, [Value | Kept]);
keep(F, N, _, _) -> calls(F, N - 1, []).

small(N) -> {seven, N}.

wide(N) ->
    {N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N,
        N, N,
     N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N,
     N, N}.

list(N) -> [N, N, N, N, N | {N}].

binary(N) -> <<N:320, "and what follows it">>.

framed(N) -> {list(N), small(N), list(N)}.

deep(0) -> [];
deep(N) when N > 20 -> deep(N rem 20);
deep(N) -> [N | deep(N - 1)].

waits(N) -> receive M when M =:= N -> {M} end.

sums(N) -> N * 1152921504606846976 + N.
