%% How data comes: active in every mode and changed on the way, passive with lengths and timeouts, several processes at
%% one socket, sockets that change their owner, data that is put back.
%% timeout: 60
-module(tcp_modes).
-export([main/0]).

main() ->
    {ok, L} = gen_tcp:listen(0, [binary, {active, false}, {ip, {127, 0, 0, 1}}]),
    see:value(lengths, with(L, [], fun(C, S) -> gen_tcp:send(S, "abcdefghij"),
        [gen_tcp:recv(C, N, 2000) || N <- [3, 1, 4, 2]] end)),
    see:value(length_in_pieces,
        with(L, [], fun(C, S) -> spawn(fun() -> [begin gen_tcp:send(S, [X]), pause(5) end || X <- "abcdef"] end),
        [gen_tcp:recv(C, 6, 2000)] end)),
    see:value(timeout_keeps,
        with(L, [], fun(C, S) -> gen_tcp:send(S, "ab"), R1 = gen_tcp:recv(C, 5, 30), gen_tcp:send(S, "cde"),
        [R1, gen_tcp:recv(C, 5, 2000)] end)),
    see:value(timeout_0, with(L, [], fun(C, S) -> R = gen_tcp:recv(C, 0, 0), gen_tcp:send(S, "x"), pause(30),
        [R, gen_tcp:recv(C, 0, 0)] end)),
    see:value(large, with(L, [], fun(C, S) -> B = binary:copy(<<"0123456789abcdef">>, 100000),
        spawn(fun() -> gen_tcp:send(S, B) end), {ok, R} = gen_tcp:recv(C, byte_size(B), 20000), R =:= B end)),
    see:value(too_long, with(L, [], fun(C, _) -> gen_tcp:recv(C, 16#4000001, 100) end)),
    see:value(length_of_packets, with(L, [{packet, 2}], fun(C, _) -> gen_tcp:recv(C, 3, 100) end)),
    see:value(recv_active, with(L, [{active, true}], fun(C, _) -> gen_tcp:recv(C, 0, 100) end)),
    see:value(two_receivers,
        with(L, [], fun(C, S) -> Me = self(), P = spawn(fun() -> Me ! {first, gen_tcp:recv(C, 0, 1000)} end), pause(50),
        R = gen_tcp:recv(C, 0, 1000), gen_tcp:send(S, "x"), receive {first, F} -> {is_pid(P), R, F} end end)),
    see:value(once, with(L, [{active, once}], fun(C, S) -> gen_tcp:send(S, "a"), M1 = message(C), gen_tcp:send(S, "b"),
        M2 = message(C, 50), inet:setopts(C, [{active, once}]), [M1, M2, message(C), inet:getopts(C, [active])] end)),
    see:value(count, with(L, [{active, 3}, {packet, 1}], fun(C, S) -> inet:setopts(S, [{packet, 1}]),
        [gen_tcp:send(S, [X]) || X <- "abcdef"], Ms = [message(C, 200) || _ <- lists:seq(1, 5)],
    G = inet:getopts(C, [active]), ok = inet:setopts(C, [{active, 1}]), {Ms, G, [message(C, 100) || _ <- [1, 2, 3]],
        inet:getopts(C, [active])} end)),
    see:value(counts, with(L, [],
        fun(C, _) -> [{N, inet:setopts(C, [{active, N}]), inet:getopts(C, [active]), message(C, 10)}
        || N <- [5, 10, -3, 32767, -20, 1, true, 2, -2, once, 32768, false, -1]] end)),
    see:value(to_active, with(L, [], fun(C, S) -> gen_tcp:send(S, "waiting"), pause(30),
        inet:setopts(C, [{active, true}]), message(C) end)),
    see:value(to_passive,
        with(L, [{active, true}], fun(C, S) -> gen_tcp:send(S, "one"), M = message(C),
        inet:setopts(C, [{active, false}]), gen_tcp:send(S, "two"), [M, message(C, 50), gen_tcp:recv(C, 0, 1000)] end)),
    see:value(packet_changes, with(L, [{packet, line}], fun(C, S) -> gen_tcp:send(S, ["head\n", 0, 2, "xy", "rest"]),
        R1 = gen_tcp:recv(C, 0, 1000), inet:setopts(C, [{packet, 2}]), R2 = gen_tcp:recv(C, 0, 1000),
    inet:setopts(C, [{packet, raw}]), [R1, R2, gen_tcp:recv(C, 0, 1000)] end)),
    see:value(packet_changes_active, with(L, [{packet, line}, {active, once}],
        fun(C, S) -> gen_tcp:send(S, ["head\n", 0, 2, "xy", "rest"]), R1 = message(C),
        inet:setopts(C, [{packet, 2}, {active, once}]), R2 = message(C),
    inet:setopts(C, [{packet, raw}, {active, once}]), [R1, R2, message(C)] end)),
    see:value(mode_changes, with(L, [], fun(C, S) -> gen_tcp:send(S, "abcd"), R1 = gen_tcp:recv(C, 2, 1000),
        inet:setopts(C, [list]), R2 = gen_tcp:recv(C, 1, 1000), inet:setopts(C, [binary, {header, 1}]),
    [R1, R2, gen_tcp:recv(C, 1, 1000)] end)),
    see:value(deliver, with(L, [{deliver, port}, {active, true}],
        fun(C, S) -> gen_tcp:send(S, "data"), receive {C, D} -> D after 1000 -> none end end)),
    see:value(unrecv, with(L, [], fun(C, S) -> gen_tcp:send(S, "abc"), {ok, D} = gen_tcp:recv(C, 0, 1000),
        ok = gen_tcp:unrecv(C, D), ok = gen_tcp:unrecv(C, <<"123">>),
    [gen_tcp:recv(C, 2, 1000), gen_tcp:recv(C, 0, 1000)] end)),
    see:value(unrecv_active, with(L, [{active, true}], fun(C, _) -> ok = gen_tcp:unrecv(C, <<"back">>), message(C)
        end)),
    see:value(owner, with(L, [{active, true}], fun owner/2)),
    see:value(not_owner, with(L, [], fun(C, _) -> P = spawn(fun() -> receive stop -> ok end end), Me = self(),
        spawn(fun() -> Me ! {answer, gen_tcp:controlling_process(C, P)} end), receive {answer, A} -> A end end)),
    see:value(owner_dies, owner_dies(L)),
    see:value(acceptors, acceptors(L)),
    see:value(acceptor_dies, acceptor_dies(L)),
    see:value(accept_timeouts, [gen_tcp:accept(L, T) || T <- [0, 1, 20]]),
    see:value(status, with(L, [], fun(C, S) -> [prim_inet:getstatus(X) || X <- [C, S, L]] end)),
    see:value(types, [prim_inet:gettype(L), prim_inet:getindex(L)]),
    see:value(statistics, with(L, [], fun statistics/2)),
    see:value(not_sockets, [(catch prim_inet:getstatus(P)) || P <- [open_port({spawn, "cat"}, [])]]).

with(L, Opts, Fun) ->
    {ok, Port} = inet:port(L),
    {ok, C} = gen_tcp:connect({127, 0, 0, 1}, Port, [binary, {active, false}], 5000),
    {ok, S} = gen_tcp:accept(L, 5000),
    ok = inet:setopts(C, Opts),
    R = Fun(C, S),
    gen_tcp:close(C), gen_tcp:close(S),
    R.

pause(Ms) -> receive after Ms -> ok end.

message(C) -> message(C, 2000).
message(C, T) ->
    receive
        {Tag, C, D} -> {Tag, D};
        {Tag, C} -> Tag
    after T -> none
    end.

owner(C, S) ->
    Me = self(),
    P = spawn(fun() -> receive go -> ok end, Me ! {got, message(C)}, Me ! {then, message(C)} end),
    gen_tcp:send(S, "before"), pause(30),
    ok = gen_tcp:controlling_process(C, P), P ! go,
    gen_tcp:send(S, "after"),
    [receive {got, A} -> A end, receive {then, B} -> B end, inet:getopts(C, [active])].

%% A socket ends with its owner, and the other end sees that.
owner_dies(L) ->
    {ok, Port} = inet:port(L),
    Me = self(),
    P = spawn(fun() -> {ok, C} = gen_tcp:connect({127, 0, 0, 1}, Port, []), Me ! {socket, C}, receive die -> ok end
        end),
    P ! die,
    {ok, S} = gen_tcp:accept(L, 5000),
    C = receive {socket, X} -> X end,
    R = gen_tcp:recv(S, 0, 5000),
    gen_tcp:close(S),
    [R, erlang:port_info(C), gen_tcp:send(C, "x"), gen_tcp:recv(C, 0), inet:getopts(C, [active]), gen_tcp:close(C)].

%% Whoever waits first gets the first connection.
acceptors(L) ->
    {ok, Port} = inet:port(L),
    Me = self(),
    [begin spawn(fun() -> R = gen_tcp:accept(L, 3000), Me ! {accepted, N, element(1, R)}, receive stop -> ok end end),
        pause(20) end || N <- [1, 2, 3]],
    [begin {ok, C} = gen_tcp:connect({127, 0, 0, 1}, Port, []), R = receive {accepted, N, A} -> {N, A} after 2000 ->
        none end, gen_tcp:close(C), R end || _ <- [1, 2, 3]].

acceptor_dies(L) ->
    {ok, Port} = inet:port(L),
    P = spawn(fun() -> gen_tcp:accept(L) end),
    pause(30), exit(P, kill), pause(10),
    {ok, C} = gen_tcp:connect({127, 0, 0, 1}, Port, []),
    {R, _} = gen_tcp:accept(L, 1000),
    gen_tcp:close(C),
    R.

statistics(C, S) ->
    [gen_tcp:send(S, lists:duplicate(N, $x)) || N <- [10, 20, 60]],
    {ok, _} = gen_tcp:recv(C, 90, 2000),
    {lists:sort(element(2, inet:getstat(S))), lists:sort(element(2, inet:getstat(C)))}.
