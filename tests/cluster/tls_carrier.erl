%% Two nodes that are connected by TLS (-proto_dist inet_tls): messages of all sizes, links, monitors, calls, many
%% senders, the end of the other node; a node whose certificate another authority has signed is refused.
%% timeout: 90
%% needs: crypto public_key ssl
-module(tls_carrier).
-export([main/1, echo/0]).

main([_]) ->
    {ok, _} = application:ensure_all_started(ssl),
    Folder = filename:join("/tmp", "tls_carrier" ++ os:getpid() ++ integer_to_list(erlang:unique_integer([positive]))),
    ok = file:make_dir(Folder),
    try nodes_of(Folder)
    after file:del_dir_r(Folder)
    end.

nodes_of(Folder) ->
    Options = options(Folder, "good"),
    {One, C} = start(c, a, Options),
    {Other, D} = start(d, b, Options),
    see:value("connected", cluster:call(One, fun() -> net_kernel:connect_node(D) end)),
    [see:value("nodes", cluster:wait(fun() -> cluster:call(Peer, fun() -> nodes() end) end, [Node]))
        || {Peer, Node} <- [{One, D}, {Other, C}]],
    see:value("carried by a process",
        [cluster:call(Peer, fun() -> [is_pid(Controller) || {_, Controller} <- erlang:system_info(dist_ctrl)] end)
        || Peer <- [One, Other]]),
    [see:value("sizes", cluster:call(Peer, fun() -> sizes(Node) end)) || {Peer, Node} <- [{One, D}, {Other, C}]],
    [see:value("many senders", cluster:call(Peer, fun() -> many(Node) end)) || {Peer, Node} <- [{One, D}, {Other, C}]],
    [see:value("links, monitors", cluster:call(Peer, fun() -> relations(Node) end)) || {Peer, Node} <- [{One, D},
        {Other, C}]],
    see:value("calls", cluster:call(One,
        fun() -> [erpc:call(D, fun() -> node() end), rpc:call(D, erlang, node, []), erpc:call(D, lists, seq, [1, 5])]
        end)),
    {Bad, E} = start(e, b, options(Folder, "bad")),
    see:value("of another authority", [cluster:call(One, fun() -> net_kernel:connect_node(E) end),
        cluster:call(Bad, fun() -> net_kernel:connect_node(C) end)]),
    see:value("without TLS", net_kernel:connect_node(C)),
    cluster:call(One, fun() ->
        spawn(fun() -> register(watcher, self()), monitor_node(D, true),
        receive {nodedown, D} -> put(seen, D), receive {ask, From} -> From ! {seen, D} end end end) end),
    cluster:kill(Other),
    see:value("told of the end", cluster:call(One, fun() -> watcher ! {ask, self()}, receive {seen, Node} -> Node end
        end)),
    see:value("nodes", cluster:call(One, fun() -> nodes() end)),
    [peer:stop(Peer) || Peer <- [One, Bad]].

start(Name, Machine, Options) ->
    cluster:start(Name, #{machine => Machine, args => ["-proto_dist", "inet_tls", "-ssl_dist_optfile", Options]}).

%% A file of options with certificates of an authority of its own.
options(Folder, Name) ->
    Strong = [{key, {namedCurve, secp256r1}}, {digest, sha256}],
    %% 2.5.29.17 is the alternative name of a subject.
    Host = {'Extension', {2, 5, 29, 17}, false, [{dNSName, "localhost"}]},
    Chain = #{root => Strong, intermediates => [], peer => [{extensions, [Host]} | Strong]},
    #{server_config := Server, client_config := Client} =
        public_key:pkix_test_data(#{server_chain => Chain, client_chain => Chain}),
    Parts = [begin
                 {Type, Key} = proplists:get_value(key, Config),
                 File = fun(What) -> filename:join(Folder, Name ++ What ++ atom_to_list(Side)) end,
                 pem(File("cert"), [{'Certificate', proplists:get_value(cert, Config), not_encrypted}]),
                 pem(File("key"), [{Type, Key, not_encrypted}]),
                 pem(File("cacerts"), [{'Certificate', Cert, not_encrypted} || Cert <- proplists:get_value(cacerts,
                     Config)]),
                 {Side, [{certfile, File("cert")}, {keyfile, File("key")}, {cacertfile, File("cacerts")},
                     {verify, verify_peer} | more(Side)]}
             end || {Side, Config} <- [{server, Server}, {client, Client}]],
    Result = filename:join(Folder, Name ++ ".conf"),
    ok = file:write_file(Result, io_lib:format("~p.~n", [Parts])),
    Result.

more(server) -> [{fail_if_no_peer_cert, true}];
more(client) -> [].

pem(File, Entries) -> ok = file:write_file(File, public_key:pem_encode(Entries)).

sizes(Node) ->
    Pid = spawn(Node, ?MODULE, echo, []),
    [begin
         Bytes = binary:copy(<<"x">>, Size),
         Pid ! {self(), Bytes},
         receive {Pid, Bytes} -> Size after 20_000 -> {lost, Size} end
     end || Size <- [0, 1, 100, 16_383, 16_384, 16_385, 65_536, 1_000_000, 5_000_000]].

echo() -> receive {From, What} -> From ! {self(), What}, echo() end.

many(Node) ->
    Own = self(),
    Count = 20,
    Pids = [spawn_link(fun() ->
                Pid = spawn(Node, ?MODULE, echo, []),
                [begin Pid ! {self(), N}, receive {Pid, N} -> ok end end || N <- lists:seq(1, 200)],
                Own ! {self(), done}
            end) || _ <- lists:seq(1, Count)],
    [receive {Pid, done} -> ok end || Pid <- Pids] =:= lists:duplicate(Count, ok).

relations(Node) ->
    process_flag(trap_exit, true),
    Pid = spawn_link(Node, fun() -> receive stop -> exit(stopped) end end),
    Monitor = monitor(process, Pid),
    Pid ! stop,
    Results = {receive {'EXIT', Pid, Reason} -> Reason end, receive {'DOWN', Monitor, process, Pid, Why} -> Why end,
               begin M = monitor(process, {no_such_name, Node}), receive {'DOWN', M, process, _, W} -> W end end},
    process_flag(trap_exit, false),
    Results.
