%% Calls of BIFs that are operations of their own, traced by name: in the middle of a function, last with a frame, and
%% alone.
-module(traced_operations).
-export([main/0, alone/3, middle/3, last/3, paused/0, paused_last/0]).

main() ->
    Good = {2, {a, b, c}, x},
    Bad = {4, {a, b, c}, x},
    Large = {1, list_to_tuple(lists:seq(1, 200)), x},
    [see:value({Name, Arguments =:= Bad}, traced({erlang, setelement, 3}, fun() -> ?MODULE:Name(I, T, V) end))
        || Name <- [alone, middle, last], {I, T, V} = Arguments <- [Good, Bad]],
    see:value(large, length(traced({erlang, setelement, 3}, fun() -> {I, T, V} = Large, alone(I, T, V) end))),
    [see:value(Name, traced({erlang, yield, 0}, fun() -> ?MODULE:Name() end)) || Name <- [paused, paused_last]],
    see:value(applied, traced({erlang, setelement, 3}, fun() -> apply(see:id(erlang), setelement, [1, {a}, b]) end)),
    see:value(untraced, {alone(1, {a}, b), middle(1, {a}, b), last(1, {a}, b)}),
    %% While it is turned on and off beside them.
    Pid = spawn_link(fun() -> again(0) end),
    [begin erlang:trace_pattern({erlang, setelement, 3}, On, []), erlang:yield() end || _ <- lists:seq(1, 50),
        On <- [true, false]],
    Pid ! {stop, self()},
    see:value(right, receive {all_right, Right} -> Right end).

alone(I, T, V) -> setelement(I, T, V).

middle(I, T, V) -> see:id(element(1, setelement(I, T, V))).

last(I, T, V) ->
    T2 = see:id(T),
    setelement(I, T2, V).

paused() -> erlang:yield(), ok.
paused_last() -> see:id(x), erlang:yield().

again(N) ->
    T = {a, N, c},
    {a, x, c} = alone(2, T, x),
    {N, N, c} = last(1, T, N),
    receive {stop, From} -> From ! {all_right, true} after 0 -> again(N + 1) end.

%% What is told of a process that runs this.
traced(Function, Fun) ->
    Me = self(),
    {Pid, Monitor} = spawn_monitor(fun() -> receive go -> catch Fun(), ok end end),
    erlang:trace(Pid, true, [call, {tracer, Me}]),
    1 = erlang:trace_pattern(Function, [{'_', [], [{exception_trace}]}], [global]),
    Pid ! go,
    receive {'DOWN', Monitor, process, Pid, normal} -> ok end,
    Delivered = erlang:trace_delivered(Pid),
    receive {trace_delivered, Pid, Delivered} -> ok end,
    1 = erlang:trace_pattern(Function, false, [global]),
    told(Pid).

told(Pid) -> receive Event when element(1, Event) =:= trace -> [erlang:delete_element(2, Event) | told(Pid)] after 0 ->
    [] end.
