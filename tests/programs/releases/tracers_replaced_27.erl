%% From OTP 27 on whoever likes may take flags of tracing away. If a tracer is named then, it becomes the tracer for
%% those that are left.
%% releases: 27 29
-module(tracers_replaced_27).
-export([main/0]).

main() ->
    Cases = [{[send, call], [[send]]}, {[send], [[send]]}, {[send], [[call]]}, {[send, call], [[]]},
        {[send, call], [[monotonic_timestamp]]},
             {[set_on_spawn, call, procs], [[call], [procs]]}, {[], [[send]]}],
    [see:value({First, Taken}, replaced(First, Taken, Named)) || {First, Taken} <- Cases, Named <- [named, not_named]],
    see:value(new_processes, newcomers()).

replaced(First, Taken, Named) ->
    [Tracer, Other, Tracee] = [spawn_link(fun() -> receive stop -> ok end end) || _ <- [1, 2, 3]],
    Whose = fun() ->
        case erlang:trace_info(Tracee, tracer) of
            {tracer, Tracer} -> tracer;
            {tracer, Other} -> other;
            {tracer, []} -> none
        end
    end,
    Begun = attempt(fun() -> erlang:trace(Tracee, true, [{tracer, Other} | First]) end),
    Steps = [{attempt(fun() -> erlang:trace(Tracee, false, [{tracer, Tracer} || Named =:= named] ++ Flags) end),
        Whose(), flags(Tracee)} || Flags <- Taken],
    Last = attempt(fun() -> erlang:trace(Tracee, true, [{tracer, Tracer}, ports]) end),
    Seen = {Begun, Steps, Last, Whose(), flags(Tracee)},
    [begin unlink(Pid), exit(Pid, kill) end || Pid <- [Tracer, Other, Tracee]],
    Seen.

newcomers() ->
    [Tracer, Other] = [spawn_link(fun() -> receive stop -> ok end end) || _ <- [1, 2]],
    _ = erlang:trace(new_processes, true, [{tracer, Other}, send, call]),
    _ = erlang:trace(new_processes, false, [{tracer, Tracer}, send]),
    Seen = {flags(new_processes), case erlang:trace_info(new_processes, tracer) of {tracer, Tracer} -> tracer;
        {tracer, Other} -> other; None -> None end},
    _ = erlang:trace(new_processes, false, [all]),
    Seen.

flags(Who) ->
    {flags, Flags} = erlang:trace_info(Who, flags),
    lists:sort(Flags).

attempt(Fun) ->
    try Fun() catch error:Reason -> Reason end.
