%% What is reported of a port of a linked-in driver: the answers of control and call, terms that the driver sends, its
%% timer.
%% needs: erl_nif.h
-module(traced_driver).
-export([main/0]).

main() ->
    ok = erl_ddll:load(filename:dirname(code:which(?MODULE)), traced_driver),
    [seen(Name, Flags, Binary, Ask) || Flags <- [[send], ['receive'], [send, 'receive']], Binary <- [[], [binary]],
        {Name, Ask} <- asked()].

asked() ->
    [{control, fun(Port) -> port_control(Port, 7, <<"abc">>) end},
     {call, fun(Port) -> erlang:port_call(Port, 7, {a, [1]}) end},
     {output_term, fun(Port) -> true = port_command(Port, "o"), told() end},
     {send_term, fun(Port) -> true = port_command(Port, "s"), told() end},
     {send_to_dead, fun(Port) ->
          {Pid, Monitor} = spawn_monitor(fun() -> port_command(Port, "r") end),
          receive {'DOWN', Monitor, process, Pid, _} -> ok end,
          port_command(Port, "d")
      end},
     {timer, fun(Port) -> true = port_command(Port, "t"), told() end}].

told() -> receive {told, What} -> What after 5000 -> nothing end.

seen(Name, Flags, Options, Ask) ->
    Tracer = tracelog:start(),
    Port = open_port({spawn_driver, traced_driver}, Options),
    1 = erlang:trace(Port, true, [{tracer, Tracer} | Flags]),
    Result = Ask(Port),
    Events = tracelog:events(Tracer, [all]),
    port_close(Port),
    see:value(io_lib:format("~w ~w ~w", [Name, Flags, Options]), Result),
    tracelog:show(events, Events, #{self() => main, Port => port}).
