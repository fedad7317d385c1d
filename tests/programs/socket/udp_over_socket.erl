%% gen_udp with {inet_backend, socket}: active and passive, connected, options, ancillary data, errors.
%% timeout: 60
-module(udp_over_socket).
-export([main/0]).

main() ->
    see:value(passive, with([], fun(A, B) -> [send(A, B, "one"), received(B, A), send(A, B, ""), received(B, A),
        gen_udp:recv(B, 0, 10), gen_udp:recv(B, 0, 0)] end)),
    see:value(list, with([list], fun(A, B) -> ok = send(A, B, "one"), received(B, A) end)),
    see:value(active, with([{active, true}], fun(A, B) -> [send(A, B, [X]) || X <- "abc"],
        [message(B, A) || _ <- [1, 2, 3]] ++ [nothing(B, A)] end)),
    see:value(once, with([{active, once}], fun(A, B) -> [send(A, B, [X]) || X <- "ab"],
        M = [message(B, A), nothing(B, A)], ok = inet:setopts(B, [{active, once}]),
    M ++ [message(B, A), inet:getopts(B, [active])] end)),
    see:value(count, with([{active, 2}], fun(A, B) -> [send(A, B, [X]) || X <- "abc"],
        [message(B, A) || _ <- [1, 2, 3]] ++ [nothing(B, A)] end)),
    see:value(recv_active, with([{active, true}], fun(_, B) -> gen_udp:recv(B, 0, 10) end)),
    see:value(waits, with([], fun(A, B) -> P = in(fun() -> received(B, A) end), ok = send(A, B, "late"), got(P) end)),
    see:value(large, with([{recbuf, 200000}, {buffer, 70000}], fun(A, B) -> D = binary:copy(<<"0123456789">>, 6000),
        ok = send(A, B, D), {_, _, R} = received(B, A), R =:= D end)),
    see:value(truncated, with([{buffer, 5}], fun(A, B) -> ok = send(A, B, "abcdefgh"), received(B, A) end)),
    see:value(too_large, with([], fun(A, B) -> send(A, B, binary:copy(<<"x">>, 70000)) end)),
    see:value(connected, with([], fun connected/2)),
    see:value(closed, with([], fun(A, B) -> P = in(fun() -> gen_udp:recv(B, 0) end), ok = gen_udp:close(B),
        [got(P), gen_udp:recv(B, 0), gen_udp:send(B, {127, 0, 0, 1}, 9, "x"), port(A) > 0] end)),
    see:value(options, with([],
        fun(A, _) -> [tried(fun() -> inet:setopts(A, [O]) end) || O <- [{broadcast, true}, {tos, 16}, {ttl, 9},
        {recbuf, 30000}, {foo, 1}, {tos, x}, {multicast_ttl, 4}, {multicast_loop, false}]] ++
    [tried(fun() -> inet:getopts(A, [broadcast, tos, ttl, mode, active, multicast_ttl, multicast_loop, header, buffer])
        end)] end)),
    see:value(ancillary, with([{recvtos, true}, {recvttl, true}],
        fun(A, B) -> R = gen_udp:send(A, {{127, 0, 0, 1}, port(B)}, [{tos, 16}, {ttl, 7}], "x"),
        {R, tried(fun() -> case gen_udp:recv(B, 0, 20000) of {ok, {_, _, Anc, D}} -> {lists:sort(Anc), D}; O -> O end
        end)} end)),
    see:value(destinations,
        with([], fun(A, B) ->
        [begin R = tried(fun() -> gen_udp:send(A, D, "x") end), {R, gen_udp:recv(B, 0, 50) =/= {error, timeout}} end
        || D <- [{{127, 0, 0, 1}, port(B)}, {inet, {{127, 0, 0, 1}, port(B)}}, {inet, {loopback, port(B)}},
        #{family => inet, addr => {127, 0, 0, 1}, port => port(B)}]] end)),
    see:value(controlling,
        with([{active, true}],
        fun(A, B) -> Me = self(),
        P = spawn(fun() -> receive go -> Me ! {self(), message(B, A)} end, receive stop -> ok end end),
    R = gen_udp:controlling_process(B, P), ok = send(A, B, "p"), P ! go, {R, got(P)} end)),
    see:value(in_use, with([], fun(A, _) -> [gen_udp:open(port(A), [{inet_backend, socket}, {ip, {127, 0, 0, 1}}]),
        gen_udp:open(0, [{inet_backend, socket}, {ip, {1, 2, 3, 4}}]),
    tried(fun() -> gen_udp:open(0, [{inet_backend, socket}, foo]) end)] end)),
    see:value(ipv6, ipv6()),
    see:value(local, local()).

tried(F) -> try F() catch C:R -> {C, R} end.
in(F) -> Me = self(), apart:blocked(spawn(fun() -> R = F(), Me ! {self(), R} end)).
got(P) -> receive {P, R} -> R after 20000 -> none end.

with(Opts, Fun) ->
    [A, B] = [begin {ok, S} = gen_udp:open(0, [{inet_backend, socket}, binary, {active, false}, {ip, {127, 0, 0, 1}}]),
        S end || _ <- [1, 2]],
    ok = inet:setopts(B, Opts),
    R = tried(fun() -> Fun(A, B) end),
    gen_udp:close(A), gen_udp:close(B),
    R.

port(S) -> {ok, P} = inet:port(S), P.
send(A, B, D) -> gen_udp:send(A, {127, 0, 0, 1}, port(B), D).

message(B, A) -> message(B, A, 20000).

%% For messages that do not come.
nothing(B, A) -> message(B, A, 200).

message(B, A, Patience) ->
    P = port(A),
    receive
        {udp, B, Ip, P, D} -> {Ip, D};
        {udp, B, Ip, P, Anc, D} -> {Ip, Anc, D};
        {udp_error, B, E} -> {error, E};
        {Tag, B} -> Tag
    after Patience -> none
    end.

received(B, A) ->
    P = port(A),
    case gen_udp:recv(B, 0, 20000) of
        {ok, {Ip, P, D}} -> {ok, Ip, D};
        O -> O
    end.

connected(A, B) ->
    [gen_udp:connect(A, {127, 0, 0, 1}, port(B)), gen_udp:send(A, "to b"), received(B, A),
        element(1, element(2, inet:peername(A))), send(B, A, "to a"), received(A, B)].

ipv6() ->
    Lo = {0, 0, 0, 0, 0, 0, 0, 1},
    [A, B] = [begin {ok, S} = gen_udp:open(0, [{inet_backend, socket}, inet6, binary, {active, false}, {ip, Lo}]), S
        end || _ <- [1, 2]],
    R = [gen_udp:send(A, Lo, port(B), "six"), received(B, A), element(1, element(2, inet:sockname(A)))],
    gen_udp:close(A), gen_udp:close(B),
    R.

local() ->
    Names = [filename:join(os:getenv("TMPDIR", "/tmp"), "udp_over_socket_" ++ os:getpid() ++ N) || N <- ["a", "b"]],
    [A, B] = [begin {ok, S} = gen_udp:open(0, [{inet_backend, socket}, binary, {active, false}, {ifaddr, {local, N}}]),
        S end || N <- Names],
    R = [gen_udp:send(A, {local, lists:last(Names)}, 0, "loc"),
        tried(fun() -> case gen_udp:recv(B, 0, 20000) of {ok, {From, 0, D}} ->
        {From =:= {local, list_to_binary(hd(Names))}, D}; O -> O end end)],
    gen_udp:close(A), gen_udp:close(B),
    [file:delete(N) || N <- Names],
    R.
