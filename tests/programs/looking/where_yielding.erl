%% Where a process is that has given up its slice: in the function that called erlang:yield/0, on stock.
-module(where_yielding).
-export([main/0, yielding/0, yield/1, hibernate/1]).

main() ->
    {Pid, Watch} = spawn_monitor(fun yielding/0),
    see:value(seen, lists:usort([seen(Pid) || _ <- lists:seq(1, 200)])),
    exit(Pid, kill),
    receive {'DOWN', Watch, process, Pid, Reason} -> see:value(ended, Reason) end,
    see:value(traced, traced()),
    %% Functions of a program may have such names, too.
    [begin
         Busy = spawn(?MODULE, Name, [1]),
         see:value(busy, lists:usort([begin erlang:yield(), process_info(Busy, current_function) end
             || _ <- lists:seq(1, 50)])),
         exit(Busy, kill)
     end || Name <- [yield, hibernate]].

yield(N) -> yield(N + 1).

hibernate(N) -> hibernate(N + 1).

yielding() ->
    erlang:yield(),
    yielding().

seen(Pid) ->
    erlang:yield(),
    {current_function, Function} = process_info(Pid, current_function),
    {current_location, {Module, Name, Arity, _}} = process_info(Pid, current_location),
    {current_stacktrace, Stack} = process_info(Pid, current_stacktrace),
    {Function, {Module, Name, Arity}, [{M, F, A} || {M, F, A, _} <- Stack]}.

%% What the trace of a process's slices says.
traced() ->
    Self = self(),
    Tracer = spawn_link(fun() -> receive {told, To} -> To ! told() end end),
    1 = erlang:trace(Self, true, [running, {tracer, Tracer}]),
    true = erlang:yield(),
    1 = erlang:trace(Self, false, [running]),
    Delivered = erlang:trace_delivered(Self),
    receive {trace_delivered, Self, Delivered} -> ok end,
    Tracer ! {told, Self},
    receive Told -> Told end.

told() ->
    receive
        {trace, _, What, Where} -> [{What, Where} | told()]
    after 0 -> []
    end.
