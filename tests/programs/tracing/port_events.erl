%% What is reported of ports: opening, commands, data, links, names, the end.
-module(port_events).
-export([main/0]).

main() ->
    process_flag(trap_exit, true),
    Tracer = tracelog:start(),
    seen(program, [send, 'receive', ports], Tracer, fun program/1),
    seen(by_message, [send, 'receive', ports], Tracer, fun by_message/1),
    seen(linked, [ports], Tracer, fun linked/1),
    seen(connects, [send, 'receive', ports], Tracer, fun connects/1),
    seen(controls, ['receive'], Tracer, fun controls/1),
    seen(exits, [ports, 'receive'], Tracer, fun exits/1),
    opened(Tracer),
    stamped(Tracer),
    ok.

seen(Label, Flags, Tracer, Fun) ->
    Port = open_port({spawn, "cat"}, [binary]),
    1 = erlang:trace(Port, true, [{tracer, Tracer} | Flags]),
    see:value(info, [erlang:trace_info(Port, flags), {tracer, Tracer} =:= erlang:trace_info(Port, tracer)]),
    More = Fun(Port),
    tracelog:show(Label, tracelog:events(Tracer, [all]), maps:merge(More, #{self() => main, Port => port})),
    see:value(gone, erlang:trace_info(Port, flags)),
    flush().

flush() -> receive _ -> flush() after 0 -> ok end.

closed(Port) -> Port ! {self(), close}, receive {Port, closed} -> ok end.

program(Port) ->
    true = port_command(Port, "one"),
    receive {Port, {data, Data}} -> see:value(data, Data) end,
    true = port_command(Port, [<<"two">>, $-, "three"]),
    receive {Port, {data, Data2}} -> see:value(data, Data2) end,
    true = port_close(Port),
    #{}.

by_message(Port) ->
    Port ! {self(), {command, [<<"a">>, "b"]}},
    receive {Port, {data, Data}} -> see:value(data, Data) end,
    Port ! {self(), {connect, self()}},
    receive {Port, connected} -> ok end,
    closed(Port),
    #{}.

linked(Port) ->
    Me = self(),
    {Pid, Monitor} = spawn_monitor(fun() -> link(Port), link(Port), unlink(Port), unlink(Port), link(Port), Me ! linked,
        receive stop -> ok end end),
    receive linked -> ok end,
    register(port_events_port, Port),
    unregister(port_events_port),
    register(port_events_again, Port),
    Pid ! stop,
    receive {'DOWN', Monitor, _, _, _} -> ok end,
    unlink(Port),
    link(Port),
    true = port_close(Port),
    #{Pid => other}.

connects(Port) ->
    Pid = spawn(fun() -> receive stop -> ok end end),
    true = port_connect(Port, Pid),
    true = port_connect(Port, self()),
    unlink(Port),
    exit(Port, die),
    #{Pid => other}.

controls(Port) ->
    see:value(control, catch port_control(Port, 1, "abc")),
    see:value(call, catch erlang:port_call(Port, 2, {a, b})),
    closed(Port),
    #{}.

exits(Port) ->
    unlink(Port),
    exit(Port, reason),
    #{}.

opened(Tracer) ->
    0 = erlang:trace(new_ports, true, [ports, send, 'receive', {tracer, Tracer}]),
    Me = self(),
    {Pid, Monitor} = spawn_monitor(fun() ->
        Port = open_port({spawn, "echo hello"}, [exit_status]),
        Me ! {port, Port},
        receive {Port, {exit_status, 0}} -> ok end,
        receive {Port, {data, "hello\n"}} -> ok end end),
    Port = receive {port, P} -> P end,
    receive {'DOWN', Monitor, _, _, _} -> ok end,
    0 = erlang:trace(new_ports, false, [all]),
    tracelog:show(opened, [E || E <- tracelog:events(Tracer, [all]), element(2, E) =:= Port, element(3, E) =/= closed,
                          element(3, E) =/= send, element(3, E) =/= 'receive'],
                  #{Pid => pid, Port => port}).

stamped(Tracer) ->
    Port = open_port({spawn, "cat"}, []),
    1 = erlang:trace(Port, true, [{tracer, Tracer}, ports, monotonic_timestamp]),
    port_close(Port),
    see:value(stamped, tracelog:clean(tracelog:events(Tracer, [all]), #{self() => main, Port => port})).
