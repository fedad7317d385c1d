%% What is traced, by whom: the arguments of erlang:trace/3, trace_info/2, who inherits what, and tracers that end.
-module(tracees).
-export([main/0, forever/0]).

-define(FLAGS, [send, 'receive', procs, ports, call, arity, return_to, silent, running, exiting,
                running_procs, running_ports,
                garbage_collection, timestamp, monotonic_timestamp, strict_monotonic_timestamp, set_on_spawn,
                set_on_first_spawn, set_on_link, set_on_first_link, scheduler_id, all]).

main() ->
    Pid = spawn(?MODULE, forever, []),
    Tracer = tracelog:start(),
    Names = #{self() => main, Pid => pid, Tracer => tracer},
    Info = fun(P) -> tracelog:named({erlang:trace_info(P, flags), erlang:trace_info(P, tracer)}, Names) end,
    see:value(untraced, {Info(Pid), Info(self()), Info(new), Info(new_processes), Info(new_ports)}),
    [begin
         see:value(Flag, {erlang:trace(Pid, true, [Flag, {tracer, Tracer}]), Info(Pid), process_info(Pid, trace),
                          erlang:trace(Pid, false, [Flag]), Info(Pid)})
     end || Flag <- ?FLAGS],
    see:value(sum, {erlang:trace(Pid, true, [send, {tracer, Tracer}]),
        erlang:trace(Pid, true, [procs, {tracer, Tracer}]),
                    Info(Pid), erlang:trace(Pid, false, [send]), Info(Pid), erlang:trace(Pid, false, [all]),
                    Info(Pid)}),
    see:value(nothing, {erlang:trace(Pid, true, []), Info(Pid), erlang:trace(Pid, true, [{tracer, Tracer}]), Info(Pid),
                        erlang:trace(Pid, false, []), Info(Pid)}),
    see:value(by_me, {erlang:trace(Pid, true, [send]), Info(Pid), erlang:trace(Pid, false, [all])}),
    see:value(me, {erlang:trace(self(), true, [send, 'receive', procs]), Info(self()), self() ! a, link(Pid),
        unlink(Pid),
                   receive M -> M after 0 -> none end, receive M2 -> M2 after 0 -> none end,
                   erlang:trace(self(), false, [all])}),
    errors(Pid, Tracer),
    two_tracers(Pid, Tracer, Info),
    dead_tracer(Pid, Info),
    newcomers(Tracer, Names),
    everybody(Tracer),
    timestamps(Tracer, Names),
    tracelog:stop(Tracer),
    ok.

forever() -> receive {From, ping} -> From ! pong, forever(); _ -> forever() end.

errors(Pid, Tracer) ->
    Dead = spawn(fun() -> ok end),
    Monitor = monitor(process, Dead), receive {'DOWN', Monitor, _, _, _} -> ok end,
    Port = open_port({spawn, "cat"}, []),
    port_close(Port),
    Bad = [[Pid, true, [foo]], [Pid, true, [send | foo]], [Pid, true, foo], [Pid, true, [{tracer, foo}]],
           [Pid, true, [{tracer, []}]], [Pid, true, [{tracer, tracees, foo}]],
           [Pid, true, [{tracer, no_such_module, []}]],
           [Pid, true, [{tracer, self(), x}]], [Pid, true, [{tracer, Tracer}, {foo, bar}]], [Pid, true, [1]],
           [Pid, true, [cpu_timestamp]], [Pid, foo, [send]], [Pid, foo, [foo]], [foo, true, [send]], [1, true, [send]],
           [Dead, true, [send]], [Dead, false, [send]], [Port, true, [send]], [[], true, [send]], [new, 1, [send]],
           [existing, true, [foo]], [all, 'maybe', []], [{a, b}, true, []],
           [node(), true, [send]]],
    [see:value(N, failure(trace, A, [{Pid, pid}, {Tracer, tracer}, {Dead, dead}, {Port, port}, {self(), main}]))
     || {N, A} <- lists:enumerate(Bad)],
    BadInfo = [[Pid, foo], [foo, flags], [1, flags], [Dead, flags], [Port, flags], [Pid, match_spec], [new, foo],
               [{a, b}, traced], [{a, b, c}, traced], [{lists, foo, 1}, traced], [{lists, map, 2}, foo], [send, flags],
               ['receive', foo], [on_load, flags], [self(), traced], [new_ports, call_count], [[], flags]],
    [see:value({info, N}, failure(trace_info, A, [{Pid, pid}, {Dead, dead}, {Port, port}, {self(), main}]))
     || {N, A} <- lists:enumerate(BadInfo)],
    see:value(delivered, [catch_it(fun() -> erlang:trace_delivered(X) end) || X <- [foo, 1, [], Port]]).

failure(Name, Arguments, Names) ->
    tracelog:named(try apply(erlang, Name, Arguments) of R -> {returned, R}
                   catch C:R:S -> {C, R, [{M, F, A, [I || {error_info, I} <- L]} || {M, F, A, L} <- [hd(S)]]} end,
                   maps:from_list(Names)).

catch_it(Fun) -> try Fun() of X when is_reference(X) -> ref; X -> X catch C:R -> {C, R} end.

two_tracers(Pid, Tracer, Info) ->
    see:value(one, erlang:trace(Pid, true, [send, {tracer, Tracer}])),
    %% Until the end: the machine's report comes when the logger gets to it, which may be any time after this.
    logger:set_primary_config(level, none),
    see:value(other, catch_it(fun() -> erlang:trace(Pid, true, [procs]) end)),
    see:value(still, Info(Pid)),
    see:value(off_by_other, {catch_it(fun() -> erlang:trace(Pid, false, [send, {tracer, self()}]) end), Info(Pid)}),
    see:value(off, {erlang:trace(Pid, false, [send]), Info(Pid)}).

dead_tracer(Pid, Info) ->
    Tracer = tracelog:start(),
    see:value(alive, {erlang:trace(Pid, true, [send, {tracer, Tracer}]), element(1, Info(Pid))}),
    Monitor = monitor(process, Tracer),
    tracelog:stop(Tracer),
    receive {'DOWN', Monitor, _, _, _} -> ok end,
    Pid ! {self(), ping}, receive pong -> ok end,
    see:value(gone, Info(Pid)),
    see:value(another, {erlang:trace(Pid, true, [procs]), Info(Pid), erlang:trace(Pid, false, [all])}),
    see:value(dead_from_start, {erlang:trace(Pid, true, [procs, {tracer, Tracer}]), Info(Pid)}),
    see:value(new_with_dead, {erlang:trace(new, true, [procs, {tracer, Tracer}]), Info(new)}).

newcomers(Tracer, Names) ->
    Info = fun(P) -> tracelog:named({erlang:trace_info(P, flags), erlang:trace_info(P, tracer)}, Names) end,
    [begin
         see:value(What, {erlang:trace(What, true, [procs, ports, send, {tracer, Tracer}]), Info(new),
             Info(new_processes),
                          Info(new_ports)}),
         {Pid, Monitor} = spawn_monitor(fun() -> self() ! x, exit(bye) end),
         receive {'DOWN', Monitor, _, _, _} -> ok end,
         tracelog:show(What, [E || E <- tracelog:events(Tracer, [Pid]), element(2, E) =:= Pid], Names#{Pid => new}),
         see:value(off, {erlang:trace(What, false, [procs, ports, send]), Info(new), Info(new_processes),
             Info(new_ports)})
     end || What <- [new, new_processes, new_ports]],
    ok.

everybody(Tracer) ->
    Count = fun(What) -> erlang:trace(What, true, [send, {tracer, Tracer}]) end,
    All = length(processes()) + length(erlang:ports()),
    see:value(existing, Count(existing) - All),
    see:value(off, erlang:trace(all, false, [send]) - All),
    see:value(processes, Count(existing_processes) - length(processes())),
    see:value(off, erlang:trace(existing, false, [send]) - All),
    see:value(ports, Count(existing_ports) - length(erlang:ports())),
    see:value(off, erlang:trace(all, false, [all]) - All),
    see:value(procs, erlang:trace(existing, true, [procs, {tracer, Tracer}]) - length(processes())),
    see:value(off, erlang:trace(all, false, [all]) - All),
    see:value(new, {erlang:trace(new, true, [set_on_spawn, {tracer, Tracer}]), erlang:trace_info(new, flags),
                    erlang:trace(new, false, [all])}),
    tracelog:events(Tracer, [all]).

timestamps(Tracer, Names) ->
    [begin
         {Pid, Monitor} = spawn_monitor(fun() -> receive go -> ok end, self() ! x, exit(bye) end),
         erlang:trace(Pid, true, [procs, send, 'receive', {tracer, Tracer} | Kinds]),
         Pid ! go,
         receive {'DOWN', Monitor, _, _, _} -> ok end,
         Events = tracelog:events(Tracer, [Pid]),
         see:value(Kinds, tracelog:clean(Events, Names#{Pid => pid}))
     end || Kinds <- [[timestamp], [monotonic_timestamp], [strict_monotonic_timestamp],
     [timestamp, monotonic_timestamp],
                      [strict_monotonic_timestamp, monotonic_timestamp], [monotonic_timestamp, timestamp,
                      strict_monotonic_timestamp]]].
