%% The marks of a connection: its port is found by its owner and given watermarks; what fills it and the node's own
%% limit suspends senders, which is reported, and lets them go on when the other node reads again.
%% args: +zdbbl 4 -connect_all false
-module(watermarks).
-export([main/1]).

-define(BYTES, 1000).

main([B]) ->
    cluster:quiet(),
    cluster:connect(B),
    Port = port(B),
    see:value("limit", erlang:system_info(dist_buf_busy_limit)),
    see:value("marks", inet:getopts(Port, [high_watermark, low_watermark])),
    A = node(),
    see:value("small buffers",
        {inet:setopts(Port, [{sndbuf, 16384}]), cluster:on(B, fun() -> inet:setopts(port(A), [{recbuf, 16384}]) end)}),
    Sink = cluster:on(B, fun() -> spawn(fun sink/0) end),
    Stop = stopper(B),
    Few = filled(Port, Sink, Stop, 8192, 4096),
    Many = filled(Port, Sink, Stop, 524288, 65536),
    see:value("more with higher marks", Many - Few > 300 * 1024 div ?BYTES).

%% The port of the connection to a node, found as programs do: by its owner.
port(Node) ->
    {ok, Info} = net_kernel:node_info(Node),
    Owner = proplists:get_value(owner, Info),
    [Port] = [Port || Port <- erlang:ports(), erlang:port_info(Port, connected) =:= {connected, Owner}],
    Port.

sink() -> receive {are_you_there, From} -> From ! here, sink(); _ -> sink() end.

%% Stops the other node's machine, or has it go on.
stopper(B) ->
    Os = cluster:on(B, fun os:getpid/0),
    fun(Signal) -> "" = os:cmd("kill -" ++ Signal ++ " " ++ Os) end.

%% Sends to a stopped node until senders are suspended; returns how many messages that takes.
filled(Port, Sink, Stop, High, Low) ->
    see:value("set", inet:setopts(Port, [{high_watermark, High}, {low_watermark, Low}])),
    see:value("get", inet:getopts(Port, [high_watermark, low_watermark])),
    erlang:system_monitor(self(), [busy_dist_port]),
    Sent = counters:new(1, []),
    Stop("STOP"),
    Sender = spawn(fun() -> send(Sink, binary:copy(<<0>>, ?BYTES), Sent) end),
    see:value("busy", receive {monitor, Sender, busy_dist_port, Port} -> told after 10_000 -> not_told end),
    Count = resting(Sender, Sent, -1),
    {queue_size, Queued} = erlang:port_info(Port, queue_size),
    see:value("queue", {Queued > High div 2, Queued < High + 200_000}),
    see:value("no suspension wanted", {erlang:send(Sink, hello, [nosuspend]), erlang:send_nosuspend(Sink, hello)}),
    Other = spawn(fun() -> Sink ! hello end),
    suspended(Other),
    erlang:system_monitor(undefined),
    cluster:rest(),
    Stop("CONT"),
    see:value("other goes on", cluster:gone(Other) =/= still_there),
    going_on(Sent, Count),
    exit(Sender, kill),
    cluster:gone(Sender),
    Sink ! {are_you_there, self()},
    see:value("there", cluster:next()),
    Count.

send(To, Bytes, Sent) ->
    To ! Bytes,
    counters:add(Sent, 1, 1),
    send(To, Bytes, Sent).

%% A sender is suspended and goes on many times before what is between the nodes is full. Returns how much it has sent
%% then.
resting(Sender, Sent, Before) ->
    timer:sleep(300),
    suspended(Sender),
    case counters:get(Sent, 1) of
        Before -> Before;
        Now -> resting(Sender, Sent, Now)
    end.

suspended(Pid) -> cluster:wait(fun() -> process_info(Pid, status) =:= {status, suspended} end).
going_on(Sent, Count) -> cluster:wait(fun() -> counters:get(Sent, 1) > Count end).
