%% Nodes that get their names while they run: net_kernel:start and stop, names taken and given back, identifiers before
%% and after; dynamic names (-sname undefined); nodes that do not listen.
%% args: -connect_all false
%% timeout: 30
-module(names_at_run_time).
-export([main/1]).

main([B]) ->
    cluster:quiet(),
    started_and_stopped(B),
    dynamic(B),
    deaf(B),
    no_name_server(B),
    itself(B).

%% A node without a name gets one, another one, and none.
started_and_stopped(B) ->
    {Peer, nonode@nohost} = cluster:start(none),
    see:value("without a name",
        cluster:call(Peer, fun() -> {node(), is_alive(), nodes(), net_adm:ping(B), net_kernel:get_state(),
                                                            catch net_kernel:connect_node(B), erlang:get_cookie()}
                                                            end)),
    see:value("sends to nobody", cluster:call(Peer, fun() -> [{x, B} ! y, spawn(B, erlang, self, []) =/= self()] end)),
    see:value("monitors nobody", cluster:call(Peer, fun() -> [element(1, element(2, catch monitor(process, {x, B}))),
                                                              element(1, element(2, catch monitor_node(B, true)))]
                                                              end)),
    see:value("start", cluster:call(Peer, fun() ->
        Pid = spawn(fun() -> receive after infinity -> ok end end),
        Ref = make_ref(),
        Before = {node(Pid), node(Ref)},
        {ok, _} = net_kernel:start('late@localhost', #{name_domain => shortnames}),
        persistent_term:put(before, {Pid, Ref}),
        {Before, node(), is_alive(), node(Pid), node(Ref), is_process_alive(Pid), node(self()), net_kernel:get_state()}
    end)),
    see:value("and again", cluster:call(Peer, fun() -> element(1, net_kernel:start(['late2@localhost', shortnames]))
        end)),
    see:value("pong", cluster:call(Peer, fun() -> {net_adm:ping(B), nodes()} end)),
    Own = node(),
    see:value("seen by b", cluster:on(B, fun() -> cluster:wait(fun() -> nodes() -- [Own] end, ['late@localhost']) end)),
    ok = net_kernel:monitor_nodes(true, [{node_type, all}]),
    pong = net_adm:ping('late@localhost'),
    see:value("up", cluster:next()),
    {Pid, Ref} = cluster:call(Peer, fun() -> persistent_term:get(before) end),
    _ = Ref,
    see:value("its pid", node(Pid)),
    see:value("stop", cluster:call(Peer, fun() ->
        [net_kernel:stop(), cluster:wait(fun() -> {node(), is_alive(), nodes()} end, {nonode@nohost, false, []}),
            net_kernel:stop()]
    end)),
    see:value("down", cluster:next()),
    see:value("name is free", cluster:wait(fun() -> lists:keymember("late", 1, element(2, net_adm:names())) end,
        false)),
    see:value("another name", cluster:call(Peer, fun() ->
        {ok, _} = net_kernel:start('later@localhost', #{name_domain => shortnames, hidden => true}),
        [node(), net_adm:ping(B), nodes(hidden), element(1, erlang:process_info(self(), links)),
            node(element(1, persistent_term:get(before)))]
    end)),
    pong = net_adm:ping('later@localhost'),
    see:value("up", cluster:next()),
    see:value("name in use",
        cluster:call(Peer, fun() -> net_kernel:stop(),
        element(1, net_kernel:start('b@localhost', #{name_domain => shortnames})) end)),
    see:value("down", cluster:next()),
    ok = peer:stop(Peer),
    net_kernel:monitor_nodes(false, [{node_type, all}]).

%% Such a node is named by the first node that it connects to.
dynamic(B) ->
    {Peer, nonode@nohost} = cluster:start(none, #{args => ["-sname", "undefined@localhost"]}),
    cluster:call(Peer, fun() -> ok end),
    see:value("not yet", cluster:call(Peer, fun() -> {node(), is_alive(), maps:get(name_type, net_kernel:get_state())}
        end)),
    %% Nothing of this makes a connection.
    see:value("monitors", cluster:call(Peer, fun() ->
        Reference = monitor(process, {x, B}),
        Down = receive {'DOWN', Reference, process, What, Reason} -> {What, Reason} after 30_000 -> nothing end,
        Monitored = monitor_node(B, true),
        {Down, Monitored, receive {nodedown, B} -> down after 30_000 -> nothing end, monitor_node(B, false),
            element(1, element(2, catch monitor(port, {x, B}))), node()}
    end)),
    see:value("connects", cluster:call(Peer, fun() -> net_kernel:connect_node(B) end)),
    Name = cluster:call(Peer, fun() -> node() end),
    see:value("named", [Name =/= nonode@nohost, lists:last(string:split(atom_to_list(Name), "@")),
                        cluster:call(Peer, fun() -> [is_alive(), maps:get(name, net_kernel:get_state()) =:= node(),
                            nodes(hidden)] end),
                        cluster:on(B, fun() -> nodes(hidden) =:= [Name] end)]),
    see:value("cannot be called", net_adm:ping(Name)),
    see:value("calls b", cluster:call(Peer, fun() -> erpc:call(B, erlang, node, []) end)),
    cluster:on(B, fun() -> erlang:disconnect_node(Name) end),
    see:value("name is lost", cluster:call(Peer, fun() -> cluster:wait(fun() -> node() end, nonode@nohost) end)),
    see:value("connects again", cluster:call(Peer, fun() -> {net_kernel:connect_node(B), node() =/= nonode@nohost}
        end)),
    ok = peer:stop(Peer).

%% A node that does not listen can connect to others, who cannot connect to it; it is hidden.
deaf(B) ->
    {Peer, D} = cluster:start(deaf, #{args => ["-dist_listen", "false"]}),
    see:value("does not listen", net_adm:ping(D)),
    see:value("connects", cluster:call(Peer, fun() -> {net_adm:ping(B), nodes(), nodes(hidden), node()} end)),
    see:value("seen as", cluster:on(B, fun() -> {nodes(), nodes(hidden) =:= [D], net_adm:ping(D)} end)),
    ok = peer:stop(Peer).

%% Without the port mapper, at a port that both know of.
no_name_server(_) ->
    {ok, Socket} = gen_tcp:listen(0, []),
    {ok, Port} = inet:port(Socket),
    gen_tcp:close(Socket),
    {Peer, E} = cluster:start(unmapped, #{args => ["-start_epmd", "false", "-erl_epmd_port", integer_to_list(Port)]}),
    see:value("port", {E,
        cluster:call(Peer, fun() -> {node(), erl_epmd:listen_port_please(node(), localhost) =:= {ok, Port}} end)}),
    ok = peer:stop(Peer).

itself(B) ->
    cluster:that("start when started", fun() -> element(1, net_kernel:start([other, shortnames])) end),
    see:value("stop is not allowed", net_kernel:stop()),
    cluster:that("setnode", fun() -> erlang:setnode('x@localhost', 1) end),
    see:value("ticktime", [net_kernel:get_net_ticktime(), net_kernel:set_net_ticktime(60),
        net_kernel:set_net_ticktime(30, 0),
                           cluster:wait(fun() -> net_kernel:get_net_ticktime() end, 30)]),
    see:value("still there", net_adm:ping(B)).
