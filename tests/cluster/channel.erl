%% What a node tells of its connections: net_kernel:node_info, the port or process that owns one, its options and
%% statistics, dist_ctrl, flags; busy channels.
%% args: -connect_all false
%% timeout: 30
-module(channel).
-export([main/1]).

main([B]) ->
    cluster:quiet(),
    true = net_kernel:connect_node(B),
    {ok, Info} = net_kernel:node_info(B),
    see:value("node_info", [Key || {Key, _} <- Info]),
    see:value("values", [proplists:get_value(Key, Info) || Key <- [state, type]] ++
        [is_pid(proplists:get_value(owner, Info))]),
    see:value("address", [element(N, proplists:get_value(address, Info)) || N <- [1, 3, 4, 5]]),
    see:value("nodes_info", [Name || {Name, _} <- element(2, net_kernel:nodes_info())]),
    see:value("of nobody", [net_kernel:node_info('nobody@localhost'), net_kernel:node_info(B, type),
        net_kernel:node_info(B, nothing)]),
    [{B, Controller}] = erlang:system_info(dist_ctrl),
    see:value("controller", [is_port(Controller), erlang:port_info(Controller, name),
        is_pid(element(2, erlang:port_info(Controller, connected)))]),
    see:value("options", [net_kernel:getopts(B, [nodelay, keepalive]), net_kernel:setopts(B, [{nodelay, true}]),
        net_kernel:getopts(B, [nodelay]),
                          net_kernel:setopts(new, [{nodelay, false}])]),
    see:value("buffer", erlang:system_info(dist_buf_busy_limit)),
    watermarks(B, Controller),
    busy(B),
    see:value("procs", [is_pid(whereis(Name)) || Name <- [net_kernel, auth, erl_epmd, net_sup]]),
    see:value("still", nodes()).

%% The limits of the port that carries the connection can be read and set.
watermarks(B, Controller) ->
    see:value("watermarks", inet:getopts(Controller, [high_watermark, low_watermark])),
    see:value("set", [inet:setopts(Controller, [{high_watermark, 128 * 1024}, {low_watermark, 64 * 1024}]),
        inet:getopts(Controller, [high_watermark])]),
    see:value("statistics", case inet:getstat(Controller, [send_oct, recv_oct]) of
                                {ok, [{_, Sent}, {_, Received}]} -> {Sent > 0, Received > 0}
                            end),
    see:value("works", erpc:call(B, erlang, node, [])).

counted(N) ->
    receive {count, M} when M =:= N + 1 -> counted(M); {tell, To} -> To ! {counted, N} end.

%% As soon as five looks in a row find it suspended; the system takes some more until all buffers are full.
suspended(_, 5) -> suspended;
suspended(Pid, Found) ->
    Status = process_info(Pid, status),
    receive after 20 -> ok end,
    case Status of
        {status, suspended} -> suspended(Pid, Found + 1);
        undefined -> gone;
        _ -> suspended(Pid, 0)
    end.

refused(C, Large) ->
    case erlang:send({ignored, C}, Large, [nosuspend]) of
        ok -> refused(C, Large);
        nosuspend -> exit(refused)
    end.

%% A node that is stopped takes nothing: a sender is suspended, or is told so; all has come when it goes on.
busy(_) ->
    {Peer, C} = cluster:start(c),
    true = net_kernel:connect_node(C),
    Counter = cluster:on(C, fun() -> spawn(fun() -> counted(0) end) end),
    Stopped = cluster:stop(Peer),
    Self = self(),
    %% Also what makes the channel busy does not suspend whoever does not want that.
    see:value("refused", cluster:gone(spawn(fun() -> refused(C, binary:copy(<<0>>, 100_000)) end))),
    erlang:system_monitor(self(), [busy_dist_port]),
    Sender = spawn(fun() ->
        Large = binary:copy(<<0>>, 100_000),
        _ = [begin {ignored, C} ! Large, Counter ! {count, N} end || N <- lists:seq(1, 400)],
        Counter ! {tell, Self},
        Self ! {sent, self()}
    end),
    see:value("busy", receive {monitor, Sender, busy_dist_port, Port} -> is_port(Port) after 10_000 -> no end),
    see:value("suspended", suspended(Sender, 0)),
    see:value("nosuspend", [erlang:send({ignored, C}, x, [nosuspend]), erlang:send_nosuspend({ignored, C}, x)]),
    erlang:system_monitor(undefined),
    ok = cluster:go_on(Stopped),
    see:value("goes on", receive {sent, Sender} -> sent end),
    see:value("all", receive {counted, N} -> N end),
    ok = peer:stop(Peer).
