%% Every form of send to another node: by pid, name, {Name, Node}, alias; send/2,3 and send_nosuspend/2,3 with each
%% option;
%% timeout: 15
%% to the dead, to unknown names and nodes, without a connection.
%% args: -connect_all false
-module(sending).
-export([main/1]).

main([B]) ->
    cluster:quiet(),
    Echo = cluster:on(B, fun echo/0),
    see:value("pid", [Echo ! {self(), 1}, cluster:next()] =:= [{self(), 1}, 1]),
    see:value("erlang:send/2", [erlang:send(Echo, {self(), 2}) =:= {self(), 2}, cluster:next()]),
    see:value("name", [element(2, {echo, B} ! {self(), 3}), cluster:next()]),
    see:value("own name with node", begin register(me, self()), {me, node()} ! own, cluster:next() end),
    [see:value(Options, [[erlang:send(To, {self(), Options}, Options), cluster:next()] || To <- [Echo, {echo, B}]])
     || Options <- [[], [noconnect], [nosuspend], [noconnect, nosuspend], [nosuspend, noconnect, nosuspend]]],
    see:value("send_nosuspend", [[erlang:send_nosuspend(To, {self(), 4}), cluster:next()] || To <- [Echo, {echo, B}]]),
    see:value("send_nosuspend/3", [[erlang:send_nosuspend(To, {self(), 5}, Options), cluster:next()]
                                   || To <- [Echo, {echo, B}], Options <- [[], [noconnect]]]),
    aliases(B),
    nobody(B),
    see:value("still connected", nodes()),
    unconnected(B, Echo),
    bad(B, Echo).

echo() ->
    Pid = spawn(fun Loop() -> receive {From, Message} -> From ! Message, Loop() end end),
    register(echo, Pid),
    Pid.

%% Through an alias comes what is sent until it is taken back, or only the first.
aliases(B) ->
    Send = fun(To, Messages) -> cluster:on(B, fun() -> [To ! Message || Message <- Messages], ok end) end,
    Alias = alias(),
    see:value("alias", {Send(Alias, [1, 2]), cluster:rest(B), unalias(Alias)}),
    see:value("taken back", {Send(Alias, [3]), cluster:rest(B), unalias(Alias)}),
    Once = alias([reply]),
    see:value("reply", {Send(Once, [4, 5]), cluster:rest(B), unalias(Once)}),
    Ping = monitor(process, {echo, B}, [{alias, reply_demonitor}]),
    see:value("reply of a monitor", {Send(Ping, [6, 7]), cluster:rest(B), demonitor(Ping, [info])}),
    Own = self(),
    Holder = cluster:on(B, fun() ->
                 Pid = spawn(fun() -> Own ! {alias, alias()}, Own ! {came, cluster:next()}, cluster:next() end),
                 Pid
             end),
    Other = receive {alias, A} -> A end,
    Other ! through_alias,
    see:value("through", cluster:next()),
    Gone = monitor(process, Holder),
    Holder ! stop,
    see:value("holder", receive {'DOWN', Gone, _, _, Reason} -> Reason end),
    see:value("of the dead", Other ! lost).

%% Nobody there is no error.
nobody(B) ->
    Dead = cluster:on(B, fun() -> spawn(fun() -> ok end) end),
    _ = cluster:gone(Dead),
    see:value("to the dead", [Dead ! lost, erlang:send(Dead, lost, [noconnect]), erlang:send_nosuspend(Dead, lost)]),
    see:value("to no name", [{nobody, B} ! lost, erlang:send({nobody, B}, lost, [nosuspend])]),
    see:value("to no node", [{echo, 'nobody@localhost'} ! lost, erlang:send({echo, 'nobody@localhost'}, lost,
        [noconnect]),
                             {echo, nonsense} ! lost]),
    see:value("name of own node", [{nobody, node()} ! lost, erlang:send({nobody, node()}, lost, [noconnect])]).

unconnected(B, Echo) ->
    cluster:disconnect(B),
    see:value("noconnect", [erlang:send(To, {self(), lost}, [noconnect]) || To <- [Echo, {echo, B}]]),
    see:value("noconnect, nosuspend", [erlang:send(To, {self(), lost}, [noconnect, nosuspend])
        || To <- [Echo, {echo, B}]]),
    see:value("nothing connects", nodes()),
    see:value("a send connects", [element(2, Echo ! {self(), again}), cluster:next(), nodes()]).

bad(B, Echo) ->
    see:fails([fun() -> erlang:send(Echo, x, [unknown]) end,
               fun() -> erlang:send(Echo, x, noconnect) end,
               fun() -> erlang:send({echo, B}, x, [noconnect | x]) end,
               fun() -> erlang:send({"echo", B}, x) end,
               fun() -> {echo, "b"} ! x end,
               fun() -> {echo, B, x} ! x end,
               fun() -> not_registered ! x end,
               fun() -> erlang:send_nosuspend(Echo, x, [nosuspend | y]) end,
               fun() -> erlang:send_after(1, {echo, B}, x) end,
               fun() -> erlang:send_after(1, Echo, x) end,
               fun() -> erlang:start_timer(1, Echo, x) end]).
