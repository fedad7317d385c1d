%% Cookies: a wrong one is refused by both sides; one for each node; what is set and got.
%% timeout: 15
%% args: -connect_all false
-module(cookies).
-export([main/1]).

main([B]) ->
    cluster:quiet(),
    {Peer, C} = cluster:start(c, #{args => ["-setcookie", "another"]}),
    Here = node(),
    see:value("own and its", {erlang:get_cookie() =:= cluster:call(Peer, fun erlang:get_cookie/0),
                              cluster:call(Peer, fun erlang:get_cookie/0)}),
    see:value("refused there", {net_adm:ping(C), nodes(connected)}),
    see:value("refused here", {cluster:call(Peer, fun() -> net_adm:ping(Here) end), nodes(connected)}),
    see:value("a send is dropped", {{cluster, C} ! hello, nodes(connected)}),
    Monitor = monitor(process, {cluster, C}),
    see:value("monitor", cluster:next() =:= {'DOWN', Monitor, process, {cluster, C}, noconnection}),
    see:value("b is not concerned", {net_adm:ping(B), nodes()}),
    see:value("set for it", {erlang:set_cookie(C, another), erlang:get_cookie(C)}),
    see:value("pong", {net_adm:ping(C), lists:sort(nodes())}),
    see:value("it knows ours as", cluster:on(C, fun() -> erlang:get_cookie(Here) end)),
    parted(Peer, C),
    see:value("it comes with its own", {cluster:call(Peer, fun() -> net_adm:ping(Here) end), lists:sort(nodes())}),
    parted(Peer, C),
    %% Each side checks what the other made of the cookie that this side has for it.
    see:value("a third cookie", {erlang:set_cookie(C, third), net_adm:ping(C),
                                 cluster:call(Peer, fun() -> net_adm:ping(Here) end)}),
    refused(Peer, C),
    see:value("the other follows", {cluster:call(Peer, fun() -> erlang:set_cookie(Here, third) end), net_adm:ping(C)}),
    see:value("of others as before", {cluster:call(Peer, fun() -> erlang:get_cookie(B) end), net_adm:ping(B)}),
    parted(Peer, C),
    Own = erlang:get_cookie(),
    see:value("for all", {erlang:set_cookie(everybody), erlang:get_cookie(), erlang:get_cookie(B),
        erlang:get_cookie(C)}),
    see:value("still connected to b", nodes()),
    cluster:disconnect(B),
    see:value("no more", net_adm:ping(B)),
    see:value("back", {erlang:set_cookie(node(), Own), net_adm:ping(B)}),
    see:value("auth", {auth:get_cookie() =:= Own, auth:is_auth(B), auth:node_cookie(['x@localhost', c1])}),
    see:that("no atom", fun() -> erlang:set_cookie(B, "x") end),
    see:that("no node", fun() -> erlang:set_cookie("b", x) end),
    see:that("cookie of no node", fun() -> erlang:get_cookie("b") end),
    ok = peer:stop(Peer).

%% Disconnects a node, and waits until it too tells so: it would answer over the connection that ends.
parted(Peer, Node) ->
    cluster:disconnect(Node),
    Here = node(),
    false = cluster:wait(fun() -> cluster:call(Peer, fun() -> lists:member(Here, nodes(connected)) end) end, false).

%% Waits until both nodes have forgotten a connection that was refused. Who is refused sees the socket closed, and may
%% ask again, before the kernel process of the other node hears that the handshake has ended; until then it takes the
%% connection for one that is being made, and waits for its outcome: pang.
refused(Peer, Node) ->
    Here = node(),
    Forgotten = fun(Other) -> cluster:wait(fun() -> ets:member(sys_dist, Other) end, false) end,
    false = Forgotten(Node),
    false = cluster:call(Peer, fun() -> Forgotten(Here) end).
