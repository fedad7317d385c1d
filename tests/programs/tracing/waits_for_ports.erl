%% A process that asks something of a port that is idle is put away meanwhile, for who traces processes that run
%% (running_procs), but not for who traces what schedulers do (running). Which function it is in is not compared: stock
%% names the one where it was last taken up.
-module(waits_for_ports).
-export([main/0]).

main() ->
    process_flag(trap_exit, true),
    [seen(Flag, Name, Ask) || Flag <- [running_procs, running], {Name, Ask} <- asked()].

asked() ->
    [{message, fun(Port, Main) -> Port ! {Main, {command, "a"}} end},
     {command, fun(Port, _) -> port_command(Port, "a") end},
     {control, fun(Port, _) -> catch port_control(Port, 1, "a") end},
     {call, fun(Port, _) -> catch erlang:port_call(Port, 1, a) end},
     {info, fun(Port, _) -> erlang:port_info(Port, name) end},
     {nothing, fun(_, _) -> ok end}].

seen(Flag, Name, Ask) ->
    Tracer = tracelog:start(),
    Main = self(),
    Port = open_port({spawn, "cat"}, []),
    {Pid, Monitor} = spawn_monitor(fun() -> receive go -> Ask(Port, Main), ok end end),
    1 = erlang:trace(Pid, true, [Flag, {tracer, Tracer}]),
    1 = erlang:trace(Port, true, [running_ports, {tracer, Tracer}]),
    Pid ! go,
    receive {'DOWN', Monitor, process, Pid, normal} -> ok end,
    Events = tracelog:events(Tracer, [all]),
    catch port_close(Port),
    receive {'EXIT', Port, _} -> ok after 0 -> ok end,
    see:value(io_lib:format("~p", [{Flag, Name}]),
        [{of_what(Who), Tag, of_port(Who, What)} || {trace, Who, Tag, What} <- Events, is_pid(Who) orelse What =/= 0]).

of_what(Pid) when is_pid(Pid) -> process;
of_what(Port) when is_port(Port) -> port.

of_port(Port, What) when is_port(Port) -> What;
of_port(_, _) -> any.
