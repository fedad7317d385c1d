%% gen_tcp with {inet_backend, socket}: packet modes, active modes, options, time-outs, ends, local sockets.
%% timeout: 90
-module(tcp_over_socket).
-export([main/0]).

-define(B, {inet_backend, socket}).

main() ->
    see:value(passive, with([], fun passive/2)),
    [see:value({active, M}, with([{active, false}], fun(A, B) -> active(M, A, B) end)) || M <- [true, once, 3]],
    [see:value({packet, P}, with([{packet, P}], fun(A, B) -> packets(P, A, B) end)) || P <- [raw, 1, 2, 4, line, asn1,
        sunrm, cdr, fcgi, tpkt]],
    [see:value({received, P}, with([{packet, P}], fun(A, B) -> received(P, A, B) end)) || P <- [http, http_bin, httph,
        line]],
    see:value(active_packet,
        with([{packet, 4}, {active, true}], fun(A, B) -> [gen_tcp:send(A, D) || D <- ["one", "", "three"]],
        [message(B) || _ <- [1, 2, 3]] end)),
    see:value(list, with([list], fun(A, B) -> ok = gen_tcp:send(A, <<"as list">>), gen_tcp:recv(B, 7, 20000) end)),
    see:value(header, with([{header, 2}], fun(A, B) -> ok = gen_tcp:send(A, "abcd"), gen_tcp:recv(B, 4, 20000) end)),
    see:value(timeouts, with([], fun(A, B) -> R = gen_tcp:recv(B, 3, 20), ok = gen_tcp:send(A, "abc"),
        [R, gen_tcp:recv(B, 3, 20000), gen_tcp:recv(B, 0, 0)] end)),
    see:value(close_passive,
        with([], fun(A, B) -> ok = gen_tcp:send(A, "rest"), ok = gen_tcp:close(A),
        [gen_tcp:recv(B, 0, 20000), gen_tcp:recv(B, 0, 20000), gen_tcp:send(A, "x")] end)),
    see:value(close_active, with([{active, true}], fun(A, B) -> ok = gen_tcp:send(A, "rest"), ok = gen_tcp:close(A),
        [message(B), message(B)] end)),
    see:value(shutdown, with([],
        fun(A, B) -> [gen_tcp:shutdown(A, write), gen_tcp:recv(B, 0, 20000), gen_tcp:send(B, "back"),
        gen_tcp:recv(A, 4, 20000)] end)),
    see:value(exit_on_close, with([{exit_on_close, false}, {active, true}],
        fun(A, B) -> ok = gen_tcp:shutdown(A, write), [message(B), gen_tcp:send(B, "still"), gen_tcp:recv(A, 5, 20000)]
        end)),
    see:value(options, with([], fun options/2)),
    see:value(controlling, with([{active, true}], fun controlling/2)),
    see:value(owner, owner()),
    see:value(pending, with([], fun(_, B) -> P = in(fun() -> gen_tcp:recv(B, 5) end), ok = gen_tcp:close(B), got(P)
        end)),
    see:value(large, with([], fun large/2)),
    see:value(large_packets, with([{packet, 4}], fun large_packets/2)),
    see:value(send_timeout, with([], fun send_timeout/2)),
    see:value(accept, accept()),
    see:value(refused, refused()),
    see:value(names, with([], fun names/2)),
    see:value(bad, bad()),
    see:value(local, local()),
    see:value(ipv6, ipv6()),
    see:value(unrecv, with([], fun(A, B) -> ok = gen_tcp:send(A, "abcdef"), {ok, D} = gen_tcp:recv(B, 3, 20000),
        [D, gen_tcp:recv(B, 3, 20000), gen_tcp:unrecv(B, "zz"), gen_tcp:recv(B, 2, 100)] end)),
    see:value(packet_size, with([{packet, 4}, {packet_size, 10}], fun(A, B) -> ok = inet:setopts(A, [{packet, raw}]),
        ok = gen_tcp:send(A, <<100:32, "x">>), [gen_tcp:recv(B, 0, 20000), gen_tcp:recv(B, 0, 100)] end)),
    see:value(statistics, with([], fun(A, B) -> ok = gen_tcp:send(A, "12345"), {ok, _} = gen_tcp:recv(B, 5),
        {ok, S} = inet:getstat(B, [recv_oct, recv_cnt, send_oct]), lists:sort(S) end)).

tried(F) -> try F() catch C:R -> {C, R} end.
in(F) -> Me = self(), apart:blocked(spawn(fun() -> R = F(), Me ! {self(), R} end)).
got(P) -> receive {P, R} -> R after 20000 -> none end.

with(Opts, Fun) ->
    {ok, L} = gen_tcp:listen(0, [?B, binary, {active, false}, {ip, {127, 0, 0, 1}}]),
    {ok, Port} = inet:port(L),
    {ok, A} = gen_tcp:connect({127, 0, 0, 1}, Port, [?B, binary, {active, false} | [O || {packet, _} = O <- Opts]]),
    {ok, B} = gen_tcp:accept(L),
    ok = inet:setopts(B, Opts),
    R = tried(fun() -> Fun(A, B) end),
    [gen_tcp:close(S) || S <- [A, B, L]],
    flush(),
    R.

flush() -> receive _ -> flush() after 0 -> ok end.

message(B) -> message(B, 20000).

%% For messages that do not come.
nothing(B) -> message(B, 300).

message(B, Patience) ->
    receive
        {tcp, B, D} -> {tcp, D};
        {tcp_closed, B} -> closed;
        {tcp_passive, B} -> passive;
        {tcp_error, B, E} -> {error, E};
        {http, B, H} -> {http, H};
        Other -> element(1, Other)
    after Patience -> none
    end.

passive(A, B) ->
    [gen_tcp:send(A, "hello"), gen_tcp:recv(B, 5), gen_tcp:send(B, [<<"a">>, "b", [$c]]), gen_tcp:recv(A, 0),
        gen_tcp:send(A, ""), gen_tcp:send(A, x), gen_tcp:recv(B, 0, 10)].

active(M, A, B) ->
    ok = inet:setopts(B, [{active, M}]),
    {Second, Third, Last} = case M of
                                once -> {fun nothing/1, fun nothing/1, fun nothing/1};
                                true -> {fun message/1, fun message/1, fun nothing/1};
                                3 -> {fun message/1, fun message/1, fun message/1}
                            end,
    ok = gen_tcp:send(A, "one"),
    M1 = message(B),
    ok = gen_tcp:send(A, "two"),
    M2 = Second(B),
    ok = gen_tcp:send(A, "three"),
    M3 = Third(B),
    M4 = Last(B),
    [M1, M2, M3, M4, inet:getopts(B, [active]), gen_tcp:recv(B, 0, 10), inet:setopts(B, [{active, false}]),
        gen_tcp:close(A), nothing(B)].

packets(P, A, B) ->
    Data = case P of
               line -> [<<"line 1\n">>, <<"line 2\r\n">>, <<"\n">>];
               asn1 -> [<<2, 1, 5>>, <<4, 3, 1, 2, 3>>];
               sunrm -> [<<16#80000003:32, 1, 2, 3>>];
               cdr -> [<<"GIOP", 1, 2, 0, 0, 3:32, 1, 2, 3>>];
               fcgi -> [<<1, 1, 0, 1, 0, 3, 1, 0, 1, 2, 3, 0>>];
               tpkt -> [<<3, 0, 7:16, 1, 2, 3>>];
               _ -> [<<"first">>, <<>>, binary:copy(<<"x">>, 200)]
           end,
    S = [gen_tcp:send(A, D) || D <- Data],
    [S, [gen_tcp:recv(B, 0, 200) || _ <- Data], gen_tcp:recv(B, 0, 10)].

received(P, A, B) ->
    ok = inet:setopts(A, [{packet, raw}]),
    Text = case P of
               httph -> <<"Host: example\r\nX-A: b\r\n\r\n">>;
               line -> <<"one\ntwo\nrest">>;
               _ -> <<"GET /path HTTP/1.1\r\nHost: example\r\nContent-Length: 3\r\n\r\nabc">>
           end,
    [ok = gen_tcp:send(A, X) || X <- [binary:part(Text, 0, 7), binary:part(Text, 7, byte_size(Text) - 7)]],
    R = [gen_tcp:recv(B, 0, 200) || _ <- [1, 2, 3, 4]],
    ok = inet:setopts(B, [{packet, raw}]),
    [R, gen_tcp:recv(B, 0, 20)].

options(A, _) ->
    Set = [tried(fun() -> inet:setopts(A, [O]) end) || O <- [{nodelay, true}, {keepalive, true}, {linger, {true, 3}},
        {send_timeout, 500}, {packet, 2}, {mode, list}, {tos, 16}, {priority, 3}, {buffer, 3000}, {foo, 1}, {packet, 9},
    {nodelay, 5}, {raw, 6, 1, <<0:32/native>>}, {high_watermark, 5000}, {delay_send, true}, {reuseaddr, true},
    {recbuf, 20000}]],
    [Set, tried(fun() -> inet:getopts(A, [nodelay, keepalive, linger, send_timeout, packet, mode, tos, priority, buffer,
        active, header, exit_on_close, packet_size, deliver, {raw, 6, 1, 4}]) end),
    tried(fun() -> inet:getopts(A, [foo]) end)].

controlling(A, B) ->
    Me = self(),
    P = spawn(fun() -> receive go -> ok end, Me ! {self(), message(B)} end),
    R = [gen_tcp:controlling_process(B, P), gen_tcp:controlling_process(B, self())],
    P ! go,
    ok = gen_tcp:send(A, "for p"),
    R2 = got(P),
    receive after 50 -> ok end,
    [R, R2, gen_tcp:recv(A, 0, 20000)].

owner() ->
    {ok, L} = gen_tcp:listen(0, [?B, binary, {active, false}, {ip, {127, 0, 0, 1}}]),
    {ok, Port} = inet:port(L),
    P = in(fun() -> {ok, C} = gen_tcp:connect({127, 0, 0, 1}, Port, [?B, binary]), gen_tcp:send(C, "bye") end),
    {ok, S} = gen_tcp:accept(L),
    R = [got(P), gen_tcp:recv(S, 3, 20000), gen_tcp:recv(S, 0, 20000)],
    gen_tcp:close(S), gen_tcp:close(L),
    R.

large(A, B) ->
    D = binary:copy(<<"0123456789">>, 500000),
    P = in(fun() -> gen_tcp:send(A, D) end),
    {ok, R} = gen_tcp:recv(B, byte_size(D), 20000),
    [got(P), R =:= D].

large_packets(A, B) ->
    D = binary:copy(<<"abc">>, 400000),
    P = in(fun() -> [gen_tcp:send(A, D) || _ <- [1, 2, 3]] end),
    R = [begin {ok, X} = gen_tcp:recv(B, 0, 20000), X =:= D end || _ <- [1, 2, 3]],
    [got(P), R].

send_timeout(A, _) ->
    ok = inet:setopts(A, [{send_timeout, 100}]),
    D = binary:copy(<<"x">>, 10000000),
    gen_tcp:send(A, D).

accept() ->
    {ok, L} = gen_tcp:listen(0, [?B, binary, {active, false}, {ip, {127, 0, 0, 1}}]),
    {ok, Port} = inet:port(L),
    R = [gen_tcp:accept(L, 20), gen_tcp:accept(L, 0)],
    Ps = [in(fun() -> {ok, S} = gen_tcp:accept(L), X = gen_tcp:recv(S, 1, 20000), gen_tcp:close(S), X end)
        || _ <- [1, 2]],
    Cs = [begin {ok, C} = gen_tcp:connect({127, 0, 0, 1}, Port, [?B]), gen_tcp:send(C, "y"), C end || _ <- [1, 2]],
    R2 = [got(P) || P <- Ps],
    [gen_tcp:close(C) || C <- Cs],
    P = in(fun() -> gen_tcp:accept(L) end),
    ok = gen_tcp:close(L),
    [R, R2, got(P), gen_tcp:accept(L)].

refused() ->
    {ok, L} = gen_tcp:listen(0, [?B, {ip, {127, 0, 0, 1}}]),
    {ok, Port} = inet:port(L),
    In = gen_tcp:listen(Port, [?B, {ip, {127, 0, 0, 1}}]),
    gen_tcp:close(L),
    [In, gen_tcp:connect({127, 0, 0, 1}, Port, [?B]), gen_tcp:connect({127, 0, 0, 1}, Port, [?B], 100)].

names(A, B) ->
    {ok, {Ip, P}} = inet:sockname(A),
    {ok, {Ip2, P2}} = inet:peername(B),
    {ok, P3} = inet:port(A),
    [Ip, Ip2, P =:= P2, P =:= P3, is_tuple(inet:info(A)) orelse is_map(inet:info(A))].

bad() ->
    [case tried(fun() -> gen_tcp:listen(P, [?B | O]) end) of {ok, S} -> gen_tcp:close(S); R -> R
        end || {P, O} <- [{-1, []}, {70000, []}, {0, [foo]}, {0, [{packet, 99}]}, {0, [{ip, {1, 2, 3, 4}}]},
    {0, [{ip, x}]}]].

local() ->
    Name = filename:join(os:getenv("TMPDIR", "/tmp"), "tcp_over_socket_" ++ os:getpid()),
    {ok, L} = gen_tcp:listen(0, [?B, binary, {active, false}, {ifaddr, {local, Name}}]),
    {ok, A} = gen_tcp:connect({local, Name}, 0, [?B, binary, {active, false}]),
    {ok, B} = gen_tcp:accept(L),
    R = [gen_tcp:send(A, "x"), gen_tcp:recv(B, 1, 20000), inet:sockname(L) =:= {ok, {local, list_to_binary(Name)}},
        inet:port(L) =:= {ok, list_to_binary(Name)}],
    [gen_tcp:close(S) || S <- [A, B, L]],
    file:delete(Name),
    R.

ipv6() ->
    {ok, L} = gen_tcp:listen(0, [?B, inet6, binary, {active, false}, {ip, {0, 0, 0, 0, 0, 0, 0, 1}}]),
    {ok, Port} = inet:port(L),
    {ok, A} = gen_tcp:connect({0, 0, 0, 0, 0, 0, 0, 1}, Port, [?B, inet6, binary, {active, true}]),
    {ok, B} = gen_tcp:accept(L),
    ok = gen_tcp:send(B, "six"),
    R = [message(A), element(1, element(2, inet:sockname(A)))],
    [gen_tcp:close(S) || S <- [A, B, L]],
    R.
