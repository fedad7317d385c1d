%% gen_tcp and gen_udp on the loopback: modes, packets, active and passive, closing, errors.
-module(sockets).
-export([main/0]).

main() ->
    {ok, L} = gen_tcp:listen(0, [binary, {active, false}, {reuseaddr, true}, {ip, {127, 0, 0, 1}}]),
    {ok, Port} = inet:port(L),
    see:value(echo, begin spawn(fun() -> {ok, S} = gen_tcp:accept(L), echo(S) end),
        {ok, C} = gen_tcp:connect({127, 0, 0, 1}, Port, [binary, {active, false}]),
    R = [begin ok = gen_tcp:send(C, M), gen_tcp:recv(C, iolist_size(M), 5000) end || M <- ["hello", <<"binary">>,
        ["io", <<"list">>]]], ok = gen_tcp:close(C), R end),
    [see:value({packet, P}, packets(L, Port, P)) || P <- [1, 2, 4, line, raw]],
    see:value(active, active(L, Port, true)), see:value(once, active(L, Port, once)),
    see:value(active_n, active(L, Port, 2)),
    see:value(closed, begin Me = self(), spawn(fun() -> {ok, S2} = gen_tcp:accept(L), gen_tcp:close(S2), Me ! closed
        end), {ok, C2} = gen_tcp:connect({127, 0, 0, 1}, Port, [{active, false}]), receive closed -> ok end,
    {gen_tcp:recv(C2, 0, 5000), gen_tcp:close(C2), gen_tcp:send(C2, "x"), gen_tcp:recv(C2, 0)} end),
    see:value(refused, begin {ok, L2} = gen_tcp:listen(0, []), {ok, P2} = inet:port(L2), gen_tcp:close(L2),
        gen_tcp:connect({127, 0, 0, 1}, P2, []) end),
    see:value(timeouts, [gen_tcp:accept(L, 20),
        begin spawn(fun() -> {ok, _} = gen_tcp:accept(L), receive after 300 -> ok end end),
        {ok, C3} = gen_tcp:connect("localhost", Port, [{active, false}]), gen_tcp:recv(C3, 0, 20) end]),
    see:value(in_use, gen_tcp:listen(Port, [{ip, {127, 0, 0, 1}}])),
    see:value(large, large(L, Port)),
    see:value(shutdown, begin spawn(fun() -> {ok, S4} = gen_tcp:accept(L),
        ok = inet:setopts(S4, [{exit_on_close, false}]), {ok, D4} = gen_tcp:recv(S4, 0),
    {error, closed} = gen_tcp:recv(S4, 0), gen_tcp:send(S4, [D4, " back"]), gen_tcp:close(S4) end),
    {ok, C4} = gen_tcp:connect({127, 0, 0, 1}, Port, [binary, {active, false}]), gen_tcp:send(C4, "half"),
    gen_tcp:shutdown(C4, write), gen_tcp:recv(C4, 9, 5000) end),
    see:value(options, begin {ok, O} = inet:getopts(L, [active, packet, reuseaddr, mode]),
        ok = inet:setopts(L, [{packet, 2}]), {ok, O2} = inet:getopts(L, [packet]), inet:setopts(L, [{packet, raw}]),
    {O, O2} end),
    see:value(names, begin {ok, {A, Pn}} = inet:sockname(L), {A, Pn =:= Port} end),
    see:value(controlling,
        begin spawn(fun() -> {ok, S5} = gen_tcp:accept(L), gen_tcp:send(S5, "moved"), receive after 500 -> ok end end),
        {ok, C5} = gen_tcp:connect({127, 0, 0, 1}, Port, [binary, {active, false}]), Me5 = self(),
    Q = spawn(fun() -> receive go -> inet:setopts(C5, [{active, true}]), receive {tcp, C5, D5} -> Me5 ! {got, D5} end
        end end), ok = gen_tcp:controlling_process(C5, Q), Q ! go, receive {got, D6} -> D6 after 5000 -> none end end),
    gen_tcp:close(L),
    {ok, U1} = gen_udp:open(0, [binary, {active, false}, {ip, {127, 0, 0, 1}}]),
    {ok, U2} = gen_udp:open(0, [binary, {active, true}, {ip, {127, 0, 0, 1}}]), {ok, Up1} = inet:port(U1),
    {ok, Up2} = inet:port(U2),
    see:value(udp, begin ok = gen_udp:send(U1, {127, 0, 0, 1}, Up2, "datagram"),
        receive {udp, U2, {127, 0, 0, 1}, Up1, D7} -> D7 after 5000 -> none end end),
    see:value(udp_passive, begin ok = gen_udp:send(U2, {127, 0, 0, 1}, Up1, [<<"a">>, "b"]),
        {ok, {A7, _, D8}} = gen_udp:recv(U1, 0, 5000), {A7, D8, gen_udp:recv(U1, 0, 10)} end),
    see:value(addresses, [inet:parse_address("127.0.0.1"), inet:parse_address("::1"), inet:parse_address("x"),
        inet:ntoa({1, 2, 3, 4}), inet:ntoa({0, 0, 0, 0, 0, 0, 0, 1}), inet:getaddr("localhost", inet)]),
    see:value(local, begin {ok, L3} = gen_tcp:listen(0, [{ifaddr, {local, "sock"}}, binary, {active, false}]),
        spawn(fun() -> {ok, S6} = gen_tcp:accept(L3), echo(S6) end), {ok, C6} = gen_tcp:connect({local, "sock"}, 0,
        [binary, {active, false}]), ok = gen_tcp:send(C6, "unix"), gen_tcp:recv(C6, 4, 5000) end).

echo(S) -> case gen_tcp:recv(S, 0) of {ok, D} -> gen_tcp:send(S, D), echo(S); _ -> gen_tcp:close(S) end.

packets(L, Port, P) ->
    Opts = [binary, {active, false}, {packet, P}],
    spawn(fun() -> {ok, S} = gen_tcp:accept(L), inet:setopts(S, [{packet, P}]), echo(S) end),
    {ok, C} = gen_tcp:connect({127, 0, 0, 1}, Port, Opts),
    R = [begin ok = gen_tcp:send(C, M), gen_tcp:recv(C, 0, 5000) end || M <- ["one\n", "second message\n"]],
    gen_tcp:close(C), R.

active(L, Port, Mode) ->
    %% Each piece is sent when the one before has come, so that two never come as one.
    Sender = spawn(fun() -> {ok, S} = gen_tcp:accept(L), [begin gen_tcp:send(S, [N]), receive next -> ok end end
        || N <- "abc"], gen_tcp:close(S) end),
    {ok, C} = gen_tcp:connect({127, 0, 0, 1}, Port, [list, {active, Mode}]),
    active_loop(C, Mode, Sender).
active_loop(C, Mode, Sender) ->
    receive
        {tcp, C, D} when Mode =:= 2, D =:= "b" -> [D | active_loop(C, Mode, Sender)];
        {tcp, C, D} -> Mode =:= once andalso inet:setopts(C, [{active, once}]), Sender ! next,
        [D | active_loop(C, Mode, Sender)];
        {tcp_passive, C} -> inet:setopts(C, [{active, true}]), Sender ! next, [passive | active_loop(C, Mode, Sender)];
        {tcp_closed, C} -> [closed]
    after 5000 -> [timeout] end.

large(L, Port) ->
    Big = binary:copy(<<"0123456789">>, 200000),
    spawn(fun() -> {ok, S} = gen_tcp:accept(L), ok = gen_tcp:send(S, Big), gen_tcp:close(S) end),
    {ok, C} = gen_tcp:connect({127, 0, 0, 1}, Port, [binary, {active, false}]),
    {ok, B} = gen_tcp:recv(C, byte_size(Big), 10000), gen_tcp:close(C), B =:= Big.
