%% net_kernel:monitor_nodes with each of its options: what is told to whom, how often, and in which form.
%% timeout: 15
%% args: -connect_all false
-module(monitor_nodes).
-export([main/1]).

main([B]) ->
    cluster:quiet(),
    Options = [[], [nodedown_reason], [connection_id], [{node_type, visible}], [{node_type, hidden}],
        [{node_type, all}],
               [{node_type, all}, nodedown_reason, connection_id],
               #{}, #{nodedown_reason => true}, #{connection_id => true}, #{node_type => all, nodedown_reason => true},
               #{node_type => hidden}, #{node_type => visible, nodedown_reason => false}],
    Listeners = [{[Each], spawn_listener([Each])} || Each <- Options] ++ [{all, spawn_listener(Options)}],
    {Peer, C} = cluster:start(c, #{args => ["-hidden"]}),
    Here = node(),
    pong = net_adm:ping(B),
    cluster:disconnect(B),
    pong = cluster:call(Peer, fun() -> net_adm:ping(Here) end),
    true = cluster:wait(fun() -> nodes(hidden) =:= [C] end),
    cluster:kill(Peer),
    true = cluster:wait(fun() -> nodes(hidden) =:= [] end),
    [see:value(Each, told(Pid)) || {Each, Pid} <- Listeners],
    counted(B),
    [cluster:that(io_lib:format("~0p", [Bad]), fun() -> net_kernel:monitor_nodes(true, Bad) end)
     || Bad <- [[unknown], [{node_type, none}], #{unknown => true}, #{node_type => none}, [nodedown_reason | x], 1]],
    [cluster:that("flag", fun() -> net_kernel:monitor_nodes(Flag) end) || Flag <- [maybe_, 1, []]],
    dead(B).

%% One process may listen with many sets of options.
spawn_listener(Options) ->
    Self = self(),
    Pid = spawn(fun() -> Self ! {self(), [net_kernel:monitor_nodes(true, Each) || Each <- Options]}, listen([]) end),
    receive {Pid, [ok | _]} -> Pid end.

listen(Told) ->
    receive
        {tell, From} -> From ! {told, self(), lists:reverse(Told)};
        Message -> listen([Message | Told])
    end.

told(Pid) ->
    Pid ! {tell, self()},
    receive {told, Pid, Told} -> [shown(Message) || Message <- Told] end.

%% The numbers of connections are small, but depend on what else has connected.
shown({Event, Node, Info}) when is_map(Info) -> {Event, Node, maps:map(fun hide/2, Info)};
shown({Event, Node, Info}) when is_list(Info) -> {Event, Node, lists:sort([{Key, hide(Key, V)} || {Key, V} <- Info])};
shown(Other) -> Other.

hide(connection_id, Id) when is_integer(Id), Id > 0 -> a_number;
hide(_, Value) -> Value.

%% A process that asks twice is told twice, in each form it asked for, until it has taken back each.
counted(B) ->
    see:value("on", [net_kernel:monitor_nodes(true), net_kernel:monitor_nodes(true),
                     net_kernel:monitor_nodes(true, [nodedown_reason])]),
    pong = net_adm:ping(B),
    see:value("three at once", lists:sort([cluster:next(), cluster:next(), cluster:next()])),
    see:value("off", net_kernel:monitor_nodes(false)),
    cluster:disconnect(B),
    see:value("what is left", cluster:take(1)),
    pong = net_adm:ping(B),
    see:value("up", cluster:next()),
    see:value("off", net_kernel:monitor_nodes(false, [nodedown_reason])),
    see:value("off again", net_kernel:monitor_nodes(false)),
    cluster:disconnect(B),
    pong = net_adm:ping(B),
    see:value("nothing", cluster:rest(B)).

%% A listener that has ended is forgotten; nodeup comes before a message over the new connection, nodedown after all of
%% the old.
dead(B) ->
    cluster:disconnect(B),
    Pid = spawn_listener([[]]),
    exit(Pid, kill),
    ok = net_kernel:monitor_nodes(true),
    Self = self(),
    cluster:on(B, fun() -> ok end),
    see:value("up", cluster:next()),
    cluster:on(B, fun() -> [Self ! {number, N} || N <- lists:seq(1, 50)] end),
    Numbers = [cluster:next() || _ <- lists:seq(1, 50)],
    see:value("in order", Numbers =:= [{number, N} || N <- lists:seq(1, 50)]),
    {cluster, B} ! {run, Self, ignored, fun() -> [Self ! {number, N} || N <- lists:seq(1, 50)],
        erlang:disconnect_node(node(Self)) end},
    see:value("last", last(0)).

%% How many messages came before the connection went down, if that was the last.
last(Count) ->
    case cluster:next() of
        {number, N} when N =:= Count + 1 -> last(N);
        {nodedown, _} = Down -> {Down, cluster:rest(), Count =< 50};
        Other -> Other
    end.
