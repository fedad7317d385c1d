%% What is reported of ports that run.
-module(running_ports).
-export([main/0]).

main() ->
    process_flag(trap_exit, true),
    Tracer = tracelog:start(),
    seen(command, Tracer, fun(Port) -> port_command(Port, "abc"), data(Port) end),
    seen(by_message, Tracer, fun(Port) ->
        Port ! {self(), {command, "abc"}}, data(Port), Port ! {self(), {connect, self()}},
        receive {Port, connected} -> ok end end),
    seen(control, Tracer, fun(Port) -> catch port_control(Port, 1, "abc"), catch erlang:port_call(Port, 1, a) end),
    seen(link, Tracer, fun(Port) -> unlink(Port), link(Port) end),
    seen(monitor, Tracer, fun(Port) -> demonitor(monitor(port, Port)) end),
    seen(connect, Tracer, fun(Port) -> port_connect(Port, self()) end),
    seen(info, Tracer, fun(Port) -> erlang:port_info(Port, name), erlang:port_set_data(Port, a),
        erlang:port_get_data(Port) end),
    seen(close, Tracer, fun(Port) -> port_close(Port) end),
    seen(close_message, Tracer, fun(Port) -> Port ! {self(), close}, receive {Port, closed} -> ok end end),
    seen(exit, Tracer, fun(Port) -> exit(Port, die), receive {'EXIT', Port, die} -> ok end end),
    seen(bad, Tracer, fun(Port) -> Port ! bad, receive {'EXIT', Port, badsig} -> ok end end),
    opened(Tracer).

data(Port) -> receive {Port, {data, "abc"}} -> ok end.

seen(Label, Tracer, Fun) ->
    Port = open_port({spawn, "cat"}, []),
    1 = erlang:trace(Port, true, [running_ports, {tracer, Tracer}]),
    Fun(Port),
    show(Label, Tracer),
    catch port_close(Port),
    tracelog:events(Tracer, [all]).

opened(Tracer) ->
    erlang:trace(new_ports, true, [running_ports, {tracer, Tracer}]),
    Port = open_port({spawn, "cat"}, []),
    erlang:trace(new_ports, false, [running_ports]),
    show(opened, Tracer),
    port_close(Port).

%% What a process asks for is told by name; how often a port runs by itself differs from run to run.
show(Label, Tracer) ->
    see:value(Label, [{Tag, What} || {trace, _, Tag, What} <- tracelog:events(Tracer, [all]), What =/= 0]).
