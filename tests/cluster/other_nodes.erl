%% peer starts nodes of either machine: controlled over standard input and output, over TCP, and as linked nodes; slave
%% too; what they print; how they end.
%% args: -connect_all false
%% timeout: 60
-module(other_nodes).
-export([main/1]).

main([_]) ->
    cluster:quiet(),
    [by_standard_io(Machine) || Machine <- [a, b]],
    [by_distribution(Machine) || Machine <- [a, b]],
    [by_tcp(Machine) || Machine <- [a, b]],
    [by_slave(Machine) || Machine <- [a, b]],
    failing(),
    each_other().

options(Machine, Name) ->
    Variable = case Machine of a -> "CLUSTER_A"; b -> "CLUSTER_B" end,
    #{name => Name, host => "localhost", exec => os:getenv(Variable), wait_boot => 60_000,
      args => ["-kernel", "logger_level", "none", "-connect_all", "false"]}.

by_standard_io(Machine) ->
    {ok, Peer, Node} = peer:start((options(Machine, io))#{connection => standard_io}),
    see:value("standard_io", [Node, nodes(), peer:get_state(Peer), peer:call(Peer, erlang, node, []),
        peer:call(Peer, lists, seq, [1, 3])]),
    cluster:that("error", fun() -> peer:call(Peer, erlang, error, [oops]) end),
    cluster:that("exit", fun() -> peer:call(Peer, erlang, exit, [oops]) end),
    cluster:that("late", fun() -> peer:call(Peer, timer, sleep, [5_000], 50) end),
    peer:cast(Peer, persistent_term, put, [cast, done]),
    see:value("cast", cluster:wait(fun() -> peer:call(Peer, persistent_term, get, [cast, undefined]) end, done)),
    ok = peer:call(Peer, io, format, ["printed by a peer~n"]),
    see:value("large", byte_size(peer:call(Peer, binary, copy, [<<1>>, 1_000_000]))),
    peer:send(Peer, init, ignored),
    see:value("ping", [net_adm:ping(Node), nodes()]),
    see:value("stop", [peer:stop(Peer), cluster:wait(fun() -> nodes() end, [])]).

%% Its control is the connection between the nodes: it ends with that.
by_distribution(Machine) ->
    {ok, Peer, Node} = peer:start(options(Machine, dist)),
    see:value("distribution", [Node, nodes(), peer:get_state(Peer), erpc:call(Node, erlang, node, [])]),
    Monitor = monitor(process, Peer),
    true = monitor_node(Node, true),
    erlang:disconnect_node(Node),
    see:value("ends", [receive {nodedown, Node} -> nodedown end,
        receive {'DOWN', Monitor, process, Peer, Reason} -> Reason end]),
    see:value("gone", cluster:wait(fun() -> lists:keymember("dist", 1, element(2, net_adm:names())) end, false)),
    {ok, Peer2, Node2} = peer:start_link((options(Machine, linked))#{shutdown => 10_000}),
    see:value("again", [Node2, nodes()]),
    see:value("stop", [peer:stop(Peer2), cluster:wait(fun() -> nodes() end, [])]).

by_tcp(Machine) ->
    {ok, Peer, Node} = peer:start((options(Machine, tcp))#{connection => {{127, 0, 0, 1}, 0}}),
    see:value("tcp", [Node, nodes(), peer:call(Peer, erlang, node, []), peer:stop(Peer)]).

%% slave takes a command line instead of a program.
by_slave(Machine) ->
    #{exec := Program} = options(Machine, slave),
    {ok, [Folders | _]} = init:get_argument(pa),
    Args = lists:concat(lists:join(" ", ["-kernel logger_level none -connect_all false -pa" | Folders])),
    {ok, Node} = slave:start(localhost, slave, Args, no_link, Program),
    see:value("slave", [Node, nodes(), erpc:call(Node, init, get_plain_arguments, []),
        erpc:call(Node, erlang, node, [])]),
    see:value("already", slave:start(localhost, slave, Args, no_link, Program)),
    Self = self(),
    spawn(Node, fun() -> io:format("printed by a slave~n"), Self ! printed end),
    see:value("print", receive printed -> printed end),
    see:value("stop", [slave:stop(Node), cluster:wait(fun() -> nodes() end, [])]),
    Master = spawn(fun() -> {ok, Linked} = slave:start_link(localhost, linked_slave, Args), Self ! {linked, Linked},
        receive stop -> ok end end),
    see:value("linked", receive {linked, It} -> It end),
    exit(Master, kill),
    see:value("ends with its starter", cluster:wait(fun() -> nodes() end, [])).

failing() ->
    Options = options(b, failing),
    {error, {Reason, _}} = peer:start(Options#{exec => "/no/such/program"}),
    see:value("no program", Reason),
    cluster:that("bad option", fun() -> peer:start(Options#{exec => 1}) end),
    {ok, Peer, _} = peer:start(Options#{connection => standard_io, peer_down => continue}),
    peer:cast(Peer, erlang, halt, [0]),
    see:value("down", cluster:wait(fun() -> peer:get_state(Peer) =/= running end)),
    see:value("stop", peer:stop(Peer)).

%% Nodes of both machines beside this one know each other.
each_other() ->
    Peers = [{ok, P1, N1}, {ok, P2, N2}] = [peer:start((options(Machine, Machine_))#{connection => standard_io})
                                            || {Machine, Machine_} <- [{a, peer_a}, {b, peer_b}]],
    see:value("each other", [peer:call(P1, net_adm, ping, [N2]), peer:call(P2, erlang, nodes, []),
        peer:call(P1, erpc, call, [N2, erlang, node, []]),
                             peer:call(P2, gen_server, call, [{kernel_sup, N1}, which_children]) =/= [], nodes()]),
    [peer:stop(Peer) || {ok, Peer, _} <- Peers],
    ok.
