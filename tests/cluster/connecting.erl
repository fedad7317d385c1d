%% Connections: made by ping and by connect_node, seen by both nodes, ended by disconnect_node, made again.
%% timeout: 15
%% args: -connect_all false
-module(connecting).
-export([main/1]).

main([B]) ->
    cluster:quiet(),
    see:value("alive", {is_alive(), node(), net_kernel:get_state()}),
    see:value("nobody", {nodes(), nodes(connected)}),
    see:value("ping", net_adm:ping(B)),
    seen(B),
    see:value("ping again", net_adm:ping(B)),
    see:value("connect when connected", net_kernel:connect_node(B)),
    see:value("disconnect", erlang:disconnect_node(B)),
    see:value("after", {nodes(), lists:member(B, nodes(known))}),
    see:value("disconnect again", erlang:disconnect_node(B)),
    see:value("connect", net_kernel:connect_node(B)),
    seen(B),
    cluster:disconnect(B),
    see:value("unknown", [net_adm:ping('nobody@localhost'), net_kernel:connect_node('nobody@localhost'),
                          erlang:disconnect_node('nobody@localhost'), net_adm:ping('nobody@nowhere.invalid')]),
    see:value("itself", [net_adm:ping(node()), net_kernel:connect_node(node()), erlang:disconnect_node(node())]),
    see:value("a name without a host", [net_adm:ping(nobody), net_kernel:connect_node(nobody)]),
    [cluster:that(Label, Fun) || {Label, Fun} <- [{"no atom", fun() -> erlang:disconnect_node("b") end},
                                                  {"nodes of", fun() -> nodes(unknown) end},
                                                  {"nodes of list", fun() -> nodes([visible, this]) end},
                                                  {"nodes of both", fun() -> nodes([visible, unknown]) end}]],
    see:value("names", lists:sort([Name || {Name, _} <- element(2, net_adm:names())])),
    automatic(B).

%% What both nodes know of each other.
seen(B) ->
    Here = node(),
    Kinds = [visible, hidden, connected, this, known],
    see:value("here", [nodes() | [lists:sort(nodes(Kind)) -- [nonode@nohost] || Kind <- Kinds]]),
    There = cluster:on(B, fun() ->
                cluster:wait(fun() -> lists:member(Here, nodes()) end),
                [nodes() | [lists:sort(nodes(Kind)) -- [nonode@nohost] || Kind <- Kinds]]
            end),
    see:value("there", There).

%% Whatever needs a connection makes it; without automatic connections it does not.
automatic(B) ->
    {cluster, B} ! nobody_asks_for_this,
    see:value("by a send", cluster:wait(fun() -> nodes() end, [B])),
    cluster:disconnect(B),
    _ = monitor(process, {cluster, B}),
    see:value("by a monitor", cluster:wait(fun() -> nodes() end, [B])),
    cluster:disconnect(B),
    see:value("then", cluster:plain(cluster:next())),
    true = monitor_node(B, true),
    see:value("by monitor_node", cluster:wait(fun() -> nodes() end, [B])),
    cluster:disconnect(B),
    see:value("then", cluster:next()),
    Pid = spawn(B, erlang, node, []),
    see:value("by spawn", {nodes(), node(Pid)}).
