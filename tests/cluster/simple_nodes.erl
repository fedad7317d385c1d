%% Nodes that know no monitors, as those written in C: a monitor of a process there is one of the connection, and
%% nothing of it is sent. What such a node is sent, and what processes here are told in the end. Also who is told of
%% nodes, in which order.
%% timeout: 30
%% args: -connect_all false
-module(simple_nodes).
-export([main/1]).

main([B]) ->
    cluster:quiet(),
    [simple(B, Without) || Without <- [[], [3], [5], [3, 5]]],
    [see:value("order of subscriptions", cluster:on(Node, fun order/0)) || Node <- [B, node()]].

%% A node without these capabilities, beside which there is neither a cache of atoms nor fragments. It monitors a
%% process that is not there, and then greets one that does the rest.
simple(B, Without) ->
    Name = list_to_atom(lists:concat(["simple" | Without] ++ ["@localhost"])),
    {ok, Socket} = hostile:connect(B, Name, #{flags => hostile:without(hostile:flags(), [13, 23 | Without])}),
    Pid = binary_to_term(iolist_to_binary([131, hostile:pid(Name, 7, 1, 0)])),
    Reference = binary_to_term(iolist_to_binary([131, hostile:reference(Name, 7, [1, 2, 3])])),
    Self = self(),
    Watcher = cluster:on(B, fun() -> Watcher = spawn(fun() -> watch(Self, Name, Pid) end), register(watcher, Watcher),
        Watcher end),
    send(Socket, [{19, Pid, nobody, Reference}]),
    send(Socket, [{6, Pid, '', watcher}, greeting]),
    see:value({Without, sent}, received(Socket, <<>>)),
    hostile:close(Socket),
    receive {Watcher, told, Told} -> see:value({Without, told}, Told) end.

send(Socket, Terms) -> ok = gen_tcp:send(Socket, hostile:frame([112 | [term_to_binary(Term) || Term <- Terms]])).

watch(From, Name, Pid) ->
    receive greeting -> ok end,
    process_flag(trap_exit, true),
    First = monitor(process, Pid),
    Second = monitor(process, {someone, Name}),
    Third = monitor(process, Pid),
    true = demonitor(Third),
    true = link(Pid),
    Pid ! hello,
    From ! {self(), told, lists:sort([receive {'DOWN', First, process, _, Reason} -> {pid, Reason} end,
                                      receive {'DOWN', Second, process, Other, Why} -> {name, Other, Why} end,
                                      receive {'EXIT', Pid, Exit} -> {link, Exit} end])}.

%% The numbers of the control messages, up to that of the message which the watcher sends last.
received(Socket, Bytes) ->
    case codes(Bytes) of
        {complete, Codes} -> [Code || Code <- Codes, Code =/= 6];
        incomplete ->
            {ok, More} = gen_tcp:recv(Socket, 0, 10_000),
            received(Socket, <<Bytes/binary, More/binary>>)
    end.

codes(<<0:32, Rest/binary>>) -> codes(Rest);
codes(<<Size:32, Packet:Size/binary, Rest/binary>>) ->
    <<112, Control/binary>> = Packet,
    case {element(1, binary_to_term(Control)), codes(Rest)} of
        {22, _} -> {complete, [22]};
        {Code, {complete, Codes}} -> {complete, [Code | Codes]};
        {_, incomplete} -> incomplete
    end;
codes(_) -> incomplete.

%% Who is told of nodes: the last one that has subscribed comes first.
order() ->
    _ = erts_debug:set_internal_state(available_internal_state, true),
    Self = self(),
    Other = spawn(fun() -> ok = net_kernel:monitor_nodes(true), Self ! {self(), on}, receive stop -> ok end end),
    receive {Other, on} -> ok end,
    ok = net_kernel:monitor_nodes(true),
    ok = net_kernel:monitor_nodes(true, [nodedown_reason]),
    All = erts_debug:get_internal_state(monitoring_nodes),
    Mine = [{Pid =:= Self, Options} || {Pid, Options} <- All, Pid =:= Self orelse Pid =:= Other],
    exit(Other, kill),
    ok = net_kernel:monitor_nodes(false),
    ok = net_kernel:monitor_nodes(false, [nodedown_reason]),
    Mine.
