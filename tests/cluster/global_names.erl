%% global: names seen from both nodes, taken over, resolved, given back with the process or the node; locks;
%% transactions; a node that joins with the same name.
%% args: -kernel prevent_overlapping_partitions false
%% timeout: 30
-module(global_names).
-export([main/1]).

main([B]) ->
    pong = net_adm:ping(B),
    ok = global:sync(),
    Own = waiting(node()),
    Its = waiting(B),
    see:value("register", [global:register_name(own, Own), global:register_name(its, Its),
        global:register_name({any, <<"term">>}, Own)]),
    see:value("twice", [global:register_name(own, Its), global:register_name(other, Own)]),
    see:value("there", cluster:on(B, fun() -> {lists:sort(global:registered_names()), global:whereis_name(own) =:= Own,
                                               global:whereis_name(its) =:= Its} end)),
    Self = self(),
    see:value("send", [global:send(own, {hello, Self}) =:= Own, cluster:next(),
        cluster:on(B, fun() -> global:send(own, {hello, Self}), ok end), cluster:next()]),
    cluster:that("send to nobody", fun() -> global:send(nobody, x) end),
    see:value("re_register", [cluster:on(B, fun() -> global:re_register_name(own, Its) end),
        global:whereis_name(own) =:= Its]),
    see:value("unregister", [global:unregister_name(own), cluster:on(B, fun() -> global:whereis_name(own) end)]),
    exit(Its, kill),
    see:value("with the process", cluster:wait(fun() -> global:whereis_name(its) end, undefined)),
    see:value("left", lists:sort(global:registered_names())),
    locks(B),
    transactions(B),
    node_down(),
    clash().

waiting(Node) ->
    cluster:on(Node, fun() -> spawn(fun Loop() -> receive {hello, From} -> From ! {hello, node()}, Loop(); stop -> ok
        end end) end).

locks(B) ->
    Nodes = [node(), B],
    see:value("lock", [global:set_lock({resource, me}, Nodes, 0), global:set_lock({resource, me}, Nodes, 0)]),
    see:value("of another", [cluster:on(B, fun() -> global:set_lock({resource, other}, Nodes, 0) end),
                             cluster:on(B, fun() -> global:set_lock({resource, me}, Nodes, 0) end)]),
    see:value("given back", [global:del_lock({resource, me}, Nodes),
        cluster:on(B, fun() -> global:set_lock({resource, other}, Nodes, 0) end)]),
    %% What held the lock has ended, and with it the lock.
    see:value("free again", cluster:wait(fun() -> global:set_lock({resource, third}, Nodes, 0) end)),
    see:value("back", global:del_lock({resource, third}, Nodes)).

transactions(B) ->
    see:value("trans", [global:trans({t, self()}, fun() -> inside end), global:trans({t, self()}, fun() -> inside end,
        [node(), B], 1)]),
    cluster:that("trans fails", fun() -> global:trans({t, self()}, fun() -> exit(oops) end) end),
    Nodes = [node(), B],
    Self = self(),
    Holder = spawn(fun() -> global:trans({t, holder}, fun() -> Self ! holds, receive stop -> ok end end, Nodes) end),
    receive holds -> ok end,
    see:value("aborted", cluster:on(B, fun() -> global:trans({t, other}, fun() -> inside end, Nodes, 0) end)),
    Holder ! stop,
    see:value("then", cluster:on(B, fun() -> global:trans({t, other}, fun() -> inside end, Nodes) end)).

%% Names of a node that goes are gone.
node_down() ->
    {Peer, C} = cluster:start(c),
    pong = net_adm:ping(C),
    ok = global:sync(),
    Its = waiting(C),
    see:value("of c", [cluster:on(C, fun() -> global:register_name(of_c, Its) end), global:whereis_name(of_c) =:= Its]),
    cluster:kill(Peer),
    see:value("gone", cluster:wait(fun() -> global:whereis_name(of_c) end, undefined)).

%% Two nodes that had the same name each: one process is told, or ended, or what the resolver says.
clash() ->
    {Peer, C} = cluster:start(c, #{args => ["-connect_all", "true"]}),
    Here = node(),
    Mine = [spawn(fun() -> told(fun(Message) -> Message end) end) || _ <- lists:seq(1, 2)],
    [Mine1, Mine2] = Mine,
    yes = global:register_name(notified, Mine1, fun global:notify_all_name/3),
    yes = global:register_name(chosen, Mine2, fun(_, P1, P2) -> hd([P || P <- [P1, P2], node(P) =:= Here]) end),
    cluster:call(Peer, fun() ->
        spawn(fun() ->
            [yes = global:register_name(Name, spawn(fun() -> receive stop -> ok end end))
                || Name <- [notified, chosen]],
            receive stop -> ok end
        end)
    end),
    true = cluster:wait(fun() -> length(cluster:call(Peer, fun global:registered_names/0)) =:= 2 end),
    pong = net_adm:ping(C),
    ok = global:sync(),
    see:value("notified", cluster:wait(fun() -> global:whereis_name(notified) end, undefined)),
    see:value("chosen", cluster:on(C, fun() -> cluster:wait(fun() -> global:whereis_name(chosen) =:= Mine2 end) end)),
    Mine1 ! {tell, self()},
    see:value("told", cluster:plain(cluster:next())),
    ok = peer:stop(Peer).

told(Fun) ->
    receive
        {global_name_conflict, _, _} = Message -> receive {tell, To} -> To ! Fun(Message) end
    end.
