%% A hidden node: connected, but not among nodes(); it is not told of others, nor others of it.
%% timeout: 15
%% args: -connect_all false
-module(hidden).
-export([main/1]).

main([B]) ->
    cluster:quiet(),
    {Peer, C} = cluster:start(c, #{args => ["-hidden"]}),
    Here = node(),
    ok = net_kernel:monitor_nodes(true, [{node_type, all}, nodedown_reason]),
    see:value("hidden connects", cluster:call(Peer, fun() -> net_adm:ping(Here) end)),
    see:value("told", cluster:next()),
    see:value("here", kinds()),
    see:value("there", cluster:call(Peer, fun kinds/0)),
    see:value("visible connects", net_adm:ping(B)),
    see:value("told", cluster:next()),
    see:value("here", kinds()),
    see:value("b", cluster:on(B, fun kinds/0)),
    see:value("there", cluster:call(Peer, fun kinds/0)),
    see:value("not in global", {lists:member(C, nodes()), cluster:on(B, fun() -> lists:member(C, nodes(known)) end)}),
    see:value("info", [proplists:get_value(Key, element(2, net_kernel:node_info(C)))
                       || Key <- [type, state]] ++ [element(2, net_kernel:node_info(B, type))]),
    see:value("hidden_connect_node", {net_kernel:hidden_connect_node(C), kinds()}),
    see:value("disconnect", erlang:disconnect_node(C)),
    see:value("told", cluster:next()),
    see:value("hidden_connect_node", {net_kernel:hidden_connect_node(C), kinds()}),
    see:value("told", cluster:next()),
    see:value("by us hidden, there", cluster:call(Peer, fun kinds/0)),
    cluster:disconnect(B),
    see:value("told", cluster:next()),
    see:value("b as hidden", {net_kernel:hidden_connect_node(B), kinds()}),
    see:value("b sees us as", cluster:on(B, fun kinds/0)),
    see:value("told", cluster:next()),
    ok = peer:stop(Peer),
    see:value("told", cluster:next()),
    see:value("at the end", {kinds(), cluster:rest()}).

kinds() -> [{Kind, lists:sort(nodes(Kind))} || Kind <- [visible, hidden, connected]].
