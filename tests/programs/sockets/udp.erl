%% Datagrams: active in every mode and passive, headers, connected sockets, ancillary data, sizes, errors.
%% timeout: 60
-module(udp).
-export([main/0]).

main() ->
    see:value(active, with([{active, true}], fun(A, B) -> send(A, B, "hello"), message(B, A) end)),
    see:value(list, with([list, {active, true}], fun(A, B) -> send(A, B, [<<"a">>, "b", [$c]]), message(B, A) end)),
    see:value(header, with([{header, 2}, {active, true}], fun(A, B) -> send(A, B, "abcd"), send(A, B, "x"),
        [message(B, A), message(B, A)] end)),
    see:value(passive_header,
        with([{header, 2}], fun(A, B) -> send(A, B, "abcd"), send(A, B, "x"), [received(B, A), received(B, A)] end)),
    see:value(passive, with([], fun(A, B) -> send(A, B, "one"), send(A, B, ""),
        [received(B, A), received(B, A), gen_udp:recv(B, 0, 0), gen_udp:recv(B, 0, 20)] end)),
    see:value(passive_list, with([list], fun(A, B) -> send(A, B, "one"), received(B, A) end)),
    see:value(waits, with([], fun(A, B) -> Me = self(), apart:blocked(spawn(fun() -> Me ! {r, received(B, A)} end)),
        send(A, B, "late"), receive {r, R} -> R after 20000 -> none end end)),
    see:value(once, with([{active, once}], fun(A, B) -> send(A, B, "1"), send(A, B, "2"), M1 = message(B, A),
        M2 = message(B, A, 30), inet:setopts(B, [{active, once}]), [M1, M2, message(B, A), inet:getopts(B, [active])]
        end)),
    see:value(count, with([{active, 2}], fun(A, B) -> [send(A, B, [X]) || X <- "abc"],
        Ms = [message(B, A) || _ <- [1, 2, 3]] ++ [message(B, A, 50)], inet:setopts(B, [{active, 2}]),
    {Ms, message(B, A), inet:getopts(B, [active])} end)),
    see:value(many, with([{active, true}, {recbuf, 1000000}],
        fun(A, B) -> [send(A, B, integer_to_list(N)) || N <- lists:seq(1, 200)],
        length([message(B, A) || _ <- lists:seq(1, 200)]) end)),
    see:value(truncated, with([{buffer, 5}], fun(A, B) -> send(A, B, "abcdefgh"), received(B, A) end)),
    see:value(large, with([{recbuf, 200000}], fun(A, B) -> D = binary:copy(<<"0123456789">>, 6000), send(A, B, D),
        {_, _, R} = received(B, A), R =:= D end)),
    see:value(too_large, with([], fun(A, B) -> send(A, B, binary:copy(<<"x">>, 70000)) end)),
    see:value(deliver, with([{deliver, port}, {active, true}],
        fun(A, B) -> send(A, B, "data"), receive {B, {data, <<1, _:16, R/binary>>}} -> R after 20000 -> none end end)),
    see:value(recv_active, with([{active, true}], fun(_, B) -> gen_udp:recv(B, 0, 10) end)),
    see:value(closed, with([],
        fun(A, B) -> Me = self(), apart:blocked(spawn(fun() -> Me ! {r, gen_udp:recv(B, 0)} end)), gen_udp:close(B),
        [receive {r, R} -> R after 20000 -> none end, gen_udp:recv(B, 0), gen_udp:send(B, {127, 0, 0, 1}, 9, "x"),
        port(A) > 0] end)),
    see:value(connected, with([], fun connected/2)),
    see:value(refused, with([], fun refused/2)),
    see:value(tos, [ancillary(O, S) || O <- [[{recvtos, true}], [{recvttl, true}], [{recvtos, true}, {recvttl, true}]],
        S <- [[], [{tos, 16}], [{ttl, 5}], [{tos, 16}, {ttl, 7}]]]),
    see:value(bad_ancillary,
        with([], fun(A, B) -> [gen_udp:send(A, {{127, 0, 0, 1}, port(B)}, D, "x") || D <- [[{foo, 1}], [{tos, x}],
        [{sndbuf, 1}], [{tos, 1}, {tos, 2}, {ttl, 3}]]] end)),
    see:value(destinations,
        with([], fun(A, B) ->
        [begin R = tried(fun() -> gen_udp:send(A, D, "x") end), {R, gen_udp:recv(B, 0, 50) =/= {error, timeout}} end
        || D <- [{{127, 0, 0, 1}, port(B)}, {inet, {{127, 0, 0, 1}, port(B)}}, {inet, {loopback, port(B)}},
        #{family => inet, addr => {127, 0, 0, 1}, port => port(B)}]] end)),
    see:value(bad_destinations,
        with([], fun(A, _) -> [tried(fun() -> gen_udp:send(A, D, "x") end) || D <- [{{127, 0, 0, 1}, 0},
        {{0, 0, 0, 0, 0, 0, 0, 1}, 9}, {local, "x"}, {{127, 0, 0, 1}, 70000}]] end)),
    see:value(bad_data, with([],
        fun(A, B) -> [gen_udp:send(A, {127, 0, 0, 1}, port(B), D) || D <- [foo, 1, [256], [a]]] end)),
    see:value(in_use, with([],
        fun(A, _) -> [gen_udp:open(port(A), [{ip, {127, 0, 0, 1}}]),
        element(1, gen_udp:open(0, [{ip, {127, 0, 0, 2}}])), gen_udp:open(0, [{ip, {1, 2, 3, 4}}])] end)),
    see:value(types, with([],
        fun(A, _) -> [prim_inet:gettype(A), prim_inet:getstatus(A), inet:peername(A),
        element(1, element(2, inet:sockname(A)))] end)),
    see:value(statistics, with([], fun(A, B) -> send(A, B, "abc"), send(A, B, "abcde"), [received(B, A) || _ <- [1, 2]],
        [lists:sort(element(2, inet:getstat(X))) || X <- [A, B]] end)),
    see:value(ipv6, ipv6()),
    see:value(multicast, multicast()).

with(Opts, Fun) ->
    {ok, A} = gen_udp:open(0, [binary, {active, false}, {ip, {127, 0, 0, 1}}]),
    {ok, B} = gen_udp:open(0, [binary, {active, false}, {ip, {127, 0, 0, 1}}]),
    ok = inet:setopts(B, Opts),
    R = Fun(A, B),
    gen_udp:close(A), gen_udp:close(B),
    R.

port(S) -> {ok, P} = inet:port(S), P.
tried(F) -> try F() catch C:R -> {C, R} end.
pause() -> receive after 30 -> ok end.
send(A, B, D) -> gen_udp:send(A, {127, 0, 0, 1}, port(B), D).

%% A message, with the sender's port told by whether it is A's.
message(B, A) -> message(B, A, 20000).
message(B, A, T) ->
    P = port(A),
    receive
        {udp, B, Ip, P, D} -> {Ip, D};
        {udp, B, Ip, P, Anc, D} -> {Ip, Anc, D};
        {udp_error, B, E} -> {error, E};
        {Tag, B} -> Tag
    after T -> none
    end.

received(B, A) ->
    P = port(A),
    case gen_udp:recv(B, 0, 20000) of
        {ok, {Ip, P, D}} -> {ok, Ip, D};
        {ok, {Ip, P, Anc, D}} -> {ok, Ip, Anc, D};
        Other -> Other
    end.

connected(A, B) ->
    {ok, Other} = gen_udp:open(0, [{ip, {127, 0, 0, 1}}]),
    R0 = gen_udp:send(A, "x"),
    ok = gen_udp:connect(A, {127, 0, 0, 1}, port(B)),
    {ok, Peer} = inet:peername(A),
    R1 = gen_udp:send(A, "connected"),
    send(Other, A, "from another"),
    send(B, A, "back"),
    R = [R0, R1, Peer =:= {{127, 0, 0, 1}, port(B)}, received(B, A), received(A, B), gen_udp:recv(A, 0, 20),
        prim_inet:getstatus(A)],
    ok = gen_udp:connect(A, {127, 0, 0, 1}, port(Other)),
    gen_udp:send(A, "to the other"),
    R2 = receive {udp, Other, _, _, D} -> D after 20000 -> none end,
    gen_udp:close(Other),
    R ++ [R2].

%% Nobody is there: a connected socket is told.
refused(A, _) ->
    {ok, C} = gen_udp:open(0, [{ip, {127, 0, 0, 1}}]),
    P = port(C), gen_udp:close(C),
    ok = gen_udp:connect(A, {127, 0, 0, 1}, P),
    R1 = gen_udp:send(A, "x"), pause(),
    R2 = gen_udp:send(A, "x"), pause(),
    R3 = gen_udp:recv(A, 0, 50),
    gen_udp:send(A, "x"), pause(),
    inet:setopts(A, [{active, true}]),
    [R1, R2, R3, receive {udp_error, A, E} -> E after 20000 -> none end].

ancillary(Opts, With) ->
    with(Opts, fun(A, B) ->
        R = gen_udp:send(A, {{127, 0, 0, 1}, port(B)}, With, "x"),
        D = received(B, A),
        inet:setopts(B, [{active, true}]),
        gen_udp:send(A, {{127, 0, 0, 1}, port(B)}, With, "y"),
        {R, D, message(B, A)}
    end).

ipv6() ->
    One = {0, 0, 0, 0, 0, 0, 0, 1},
    {ok, A} = gen_udp:open(0, [inet6, binary, {active, false}, {ip, One}]),
    {ok, B} = gen_udp:open(0, [inet6, binary, {active, false}, {ip, One}, {recvtclass, true}]),
    R = [gen_udp:send(A, One, port(B), "six"), gen_udp:send(A, {inet6, {loopback, port(B)}}, [{tclass, 32}], "six")],
    P = port(A),
    R2 = [begin {ok, {Ip, P, Anc, D}} = gen_udp:recv(B, 0, 20000), {Ip, Anc, D} end || _ <- [1, 2]],
    inet:setopts(B, [{active, true}]),
    gen_udp:send(A, One, port(B), "active"),
    R3 = receive {udp, B, Ip6, P, Anc6, D6} -> {Ip6, Anc6, D6} after 20000 -> none end,
    Types = [prim_inet:gettype(A), element(1, element(2, inet:sockname(A))),
        inet:getopts(B, [recvtclass, ipv6_v6only])],
    gen_udp:close(A), gen_udp:close(B),
    {R, R2, R3, Types}.

multicast() ->
    Group = {239, 1, 2, 3}, Lo = {127, 0, 0, 1},
    {ok, B} = gen_udp:open(0, [binary, {active, false}, {reuseaddr, true}, {ip, Group}]),
    R1 = inet:setopts(B, [{add_membership, {Group, Lo}}]),
    {ok, A} = gen_udp:open(0, [binary, {multicast_ttl, 3}, {multicast_loop, true}, {multicast_if, Lo}]),
    R2 = gen_udp:send(A, Group, port(B), "group"),
    R3 = case gen_udp:recv(B, 0, 500) of {ok, {From, _, D}} -> {From, D}; E -> E end,
    R4 = inet:getopts(A, [multicast_ttl, multicast_loop]),
    R5 = inet:setopts(B, [{drop_membership, {Group, Lo}}]),
    gen_udp:close(A), gen_udp:close(B),
    [R1, R2, R3, R4, R5].
