%% Local sockets: streams and datagrams, by path and abstract, their names, and files of their own kind.
%% timeout: 60
-module(local_sockets).
-export([main/0]).

main() ->
    see:value(stream, stream("socket")),
    see:value(binary_name, stream(<<"socket2">>)),
    see:value(abstract, stream(<<0, "ferl-test-", (list_to_binary(os:getpid()))/binary>>)),
    see:value(packets, packets()),
    see:value(names, names()),
    see:value(datagrams, datagrams()),
    see:value(errors, errors()),
    see:value(large, large()),
    see:value(closed, closed()).

stream(Name) ->
    {ok, L} = gen_tcp:listen(0, [{ifaddr, {local, Name}}, binary, {active, false}]),
    {ok, C} = gen_tcp:connect({local, Name}, 0, [binary, {active, false}]),
    {ok, S} = gen_tcp:accept(L, 1000),
    ok = gen_tcp:send(C, "unix"),
    {ok, D} = gen_tcp:recv(S, 4, 1000),
    inet:setopts(C, [{active, true}]),
    ok = gen_tcp:send(S, "back"),
    M = receive {tcp, C, B} -> B after 1000 -> none end,
    gen_tcp:close(S),
    E = receive {tcp_closed, C} -> closed after 1000 -> none end,
    gen_tcp:close(L),
    [D, M, E].

packets() ->
    {ok, L} = gen_tcp:listen(0, [local, {ifaddr, {local, "packets"}}, binary, {packet, 2}, {active, false}]),
    {ok, C} = gen_tcp:connect({local, "packets"}, 0, [local, binary, {packet, 2}, {active, false}]),
    {ok, S} = gen_tcp:accept(L),
    gen_tcp:send(C, "one"), gen_tcp:send(C, ""), gen_tcp:send(C, "three"),
    [gen_tcp:recv(S, 0, 1000) || _ <- [1, 2, 3]].

names() ->
    {ok, L} = gen_tcp:listen(0, [{ifaddr, {local, "names"}}, {active, false}]),
    {ok, C} = gen_tcp:connect({local, "names"}, 0, [{active, false}]),
    {ok, S} = gen_tcp:accept(L),
    {ok, C2} = gen_tcp:connect({local, "names"}, 0, [{ifaddr, {local, "client"}}, {active, false}]),
    {ok, S2} = gen_tcp:accept(L),
    [{inet:sockname(X), inet:peername(X), inet:port(X)} || X <- [L, C, S, C2, S2]] ++
        [prim_inet:gettype(L), inet:getopts(L, [nodelay, keepalive, linger, priority, tos])].

datagrams() ->
    {ok, A} = gen_udp:open(0, [{ifaddr, {local, "a"}}, list, {active, false}]),
    {ok, B} = gen_udp:open(0, [{ifaddr, {local, "b"}}, binary, {active, true}]),
    {ok, N} = gen_udp:open(0, [local, binary]),
    R1 = gen_udp:send(A, {local, "b"}, 0, "to b"),
    M1 = receive {udp, B, F1, P1, D1} -> {F1, P1, D1} after 1000 -> none end,
    R2 = gen_udp:send(B, {local, "a"}, "to a"),
    M2 = gen_udp:recv(A, 0, 1000),
    R3 = gen_udp:send(N, {local, "b"}, "unnamed"),
    M3 = receive {udp, B, F3, P3, D3} -> {F3, P3, D3} after 1000 -> none end,
    R4 = gen_udp:send(N, {local, "a"}, "unnamed"),
    M4 = gen_udp:recv(A, 0, 1000),
    R5 = gen_udp:send(N, {local, "nobody"}, "x"),
    [R1, M1, R2, M2, R3, M3, R4, M4, R5, inet:sockname(N)].

errors() ->
    {ok, _} = gen_tcp:listen(0, [{ifaddr, {local, "taken"}}]),
    [gen_tcp:listen(0, [{ifaddr, {local, "taken"}}]),
     gen_tcp:connect({local, "missing"}, 0, []),
     gen_tcp:connect({local, "no/such/directory"}, 0, []),
     gen_tcp:listen(0, [{ifaddr, {local, "no/such/directory"}}]),
     gen_tcp:listen(0, [{ifaddr, {local, lists:duplicate(108, $x)}}]),
     (catch gen_tcp:listen(0, [{ifaddr, {local, lists:duplicate(300, $x)}}])),
     begin file:write_file("plain", "x"), gen_tcp:connect({local, "plain"}, 0, []) end].

large() ->
    Data = binary:copy(<<"0123456789">>, 500000),
    {ok, L} = gen_tcp:listen(0, [{ifaddr, {local, "large"}}, binary, {active, false}]),
    spawn(fun() -> {ok, C} = gen_tcp:connect({local, "large"}, 0, []), ok = gen_tcp:send(C, Data), gen_tcp:close(C)
        end),
    {ok, S} = gen_tcp:accept(L),
    {ok, D} = gen_tcp:recv(S, byte_size(Data), 20000),
    {D =:= Data, gen_tcp:recv(S, 0, 1000)}.

closed() ->
    {ok, L} = gen_tcp:listen(0, [{ifaddr, {local, "closed"}}, binary, {active, false}]),
    {ok, C} = gen_tcp:connect({local, "closed"}, 0, [{active, false}]),
    {ok, S} = gen_tcp:accept(L),
    gen_tcp:close(S),
    R = [gen_tcp:send(C, "x"), gen_tcp:send(C, "x"), gen_tcp:recv(C, 0, 100), gen_tcp:recv(C, 0, 100)],
    gen_tcp:close(L),
    R ++ [gen_tcp:connect({local, "closed"}, 0, [])].
