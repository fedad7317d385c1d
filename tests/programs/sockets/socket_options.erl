%% Options: every one set and read back on listening, connected and datagram sockets of each family, with good values
%% and bad ones; what accepted connections take over.
%% timeout: 60
-module(socket_options).
-export([main/0]).

main() ->
    [try_all(Name, Open) || {Name, Open} <- sockets()],
    inherited(),
    see:value(raw, raw()),
    see:value(bad, bad()),
    see:value(order, order()),
    see:value(buffers, buffers()),
    see:value(pktoptions, pktoptions()),
    see:value(bind_to_device, bind_to_device()),
    see:value(inet6_only, inet6_only()).

sockets() ->
    Lo = {127, 0, 0, 1}, Lo6 = {0, 0, 0, 0, 0, 0, 0, 1},
    [{listener, fun() -> gen_tcp:listen(0, [{ip, Lo}]) end},
     {connection, fun() -> {ok, L} = gen_tcp:listen(0, [{ip, Lo}]), {ok, P} = inet:port(L),
         gen_tcp:connect(Lo, P, [{active, false}]) end},
     {listener6, fun() -> gen_tcp:listen(0, [inet6, {ip, Lo6}]) end},
     {datagram, fun() -> gen_udp:open(0, [{ip, Lo}, {active, false}]) end},
     {datagram6, fun() -> gen_udp:open(0, [inet6, {ip, Lo6}, {active, false}]) end}].

%% Sizes of the kernel's buffers are the kernel's affair.
options() ->
    [{reuseaddr, true}, {reuseaddr, false}, {keepalive, true}, {keepalive, false}, {dontroute, true},
        {dontroute, false},
     {linger, {true, 3}}, {linger, {false, 0}}, {broadcast, true}, {priority, 3}, {priority, 0}, {tos, 16}, {tos, 0},
     {tclass, 32}, {ttl, 7},
     {recvtos, true}, {recvtclass, true}, {recvttl, true}, {nodelay, true}, {nodelay, false}, {nopush, true},
     {nopush, false},
     {multicast_ttl, 4}, {multicast_loop, false}, {multicast_loop, true}, {ipv6_v6only, true},
     {buffer, 5000}, {buffer, 0}, {header, 3}, {header, 0}, {active, once}, {active, false}, {active, 7},
     {active, false},
     {packet, 4}, {packet, line}, {packet, http}, {packet, ssl_tls}, {packet, 0}, {mode, binary}, {mode, list},
     {deliver, port}, {deliver, term},
     {exit_on_close, false}, {exit_on_close, true}, {high_watermark, 100}, {low_watermark, 200}, {high_watermark, 50},
     {low_watermark, 10},
     {high_msgq_watermark, 100}, {low_msgq_watermark, 200}, {high_msgq_watermark, 50}, {send_timeout, 1000},
     {send_timeout, infinity},
     {send_timeout_close, true}, {delay_send, true}, {delay_send, false}, {packet_size, 77}, {read_packets, 9},
     {show_econnreset, true},
     {line_delimiter, $x}, {netns, <<"/proc/self/ns/net">>}].

try_all(Name, Open) ->
    {ok, S} = Open(),
    see:value({Name, defaults}, [{O, inet:getopts(S, [O])} || O <- lists:usort([O || {O, _} <- options()]),
        O =/= buffer]),
    see:value({Name, set}, [{O, V, inet:setopts(S, [{O, V}]), inet:getopts(S, [O])} || {O, V} <- options()]),
    see:value({Name, watermarks},
        inet:getopts(S, [high_watermark, low_watermark, high_msgq_watermark, low_msgq_watermark])),
    catch gen_tcp:close(S).

inherited() ->
    Lo = {127, 0, 0, 1},
    Opts = [binary, {active, 5}, {packet, 2}, {header, 1}, {nodelay, true}, {keepalive, true}, {delay_send, true},
        {priority, 2}, {linger, {true, 4}}, {buffer, 3000},
            {high_watermark, 999}, {low_watermark, 99}, {send_timeout, 88}, {send_timeout_close, true},
            {packet_size, 55}, {exit_on_close, false}, {show_econnreset, true},
            {high_msgq_watermark, 77}, {low_msgq_watermark, 7}, {line_delimiter, $y}, {deliver, port}, {tos, 16},
            {recvtos, true}],
    {ok, L} = gen_tcp:listen(0, [{ip, Lo}]),
    [ok = inet:setopts(L, [O]) || O <- Opts],
    {ok, P} = inet:port(L),
    {ok, _} = gen_tcp:connect(Lo, P, []),
    {ok, S} = gen_tcp:accept(L, 5000),
    Names = [mode | [element(1, O) || O <- Opts, is_tuple(O)]] -- [line_delimiter],
    see:value(inherited, [inet:getopts(S, [N]) || N <- Names]).

raw() ->
    {ok, S} = gen_tcp:listen(0, []),
    %% SOL_SOCKET, SO_KEEPALIVE; IPPROTO_TCP, TCP_KEEPIDLE.
    [inet:setopts(S, [{raw, 1, 9, <<1:32/native>>}]), inet:getopts(S, [{raw, 1, 9, 4}]), inet:getopts(S, [keepalive]),
     inet:setopts(S, [{raw, 6, 4, <<77:32/native>>}]), inet:getopts(S, [{raw, 6, 4, 4}, {raw, 6, 4, <<0:32>>}]),
     inet:setopts(S, [{raw, 6, 9999, <<1:32/native>>}]), inet:getopts(S, [{raw, 6, 9999, 4}]),
     inet:getopts(S, [{raw, 1, 9, 70000}]), inet:getopts(S, [{raw, 1, 9, 0}]), inet:getopts(S, [{raw, 1, 9, 2}])].

bad() ->
    {ok, S} = gen_tcp:listen(0, []),
    [{O, inet:setopts(S, [O])} || O <- [foo, {foo, 1}, {active, foo}, {active, 40000}, {packet, 3}, {nodelay, 1},
        {linger, true}, {header, -1}, {sndbuf, x}, {high_msgq_watermark, 0}, {priority, -5}, {tos, foo},
    {read_packets, 0}, {multicast_if, {1, 2}}, {add_membership, {{239, 1, 1, 1}, {127, 0, 0, 1}}}, {netns, "x"}]]
        ++ [{O, inet:getopts(S, [O])} || O <- [foo, {raw, 1}, add_membership]].

order() ->
    {ok, S} = gen_tcp:listen(0, []),
    [inet:setopts(S, [{active, once}, {active, false}]), inet:getopts(S, [active]),
        inet:getopts(S, [mode, packet, active, nodelay, mode]), inet:getopts(S, [])].

buffers() ->
    {ok, S} = gen_tcp:listen(0, []), {ok, U} = gen_udp:open(0, []),
    {ok, T} = gen_tcp:listen(0, [{buffer, 100}, {recbuf, 5000}]),
    [inet:setopts(S, [{recbuf, 20000}]), inet:getopts(S, [buffer]), inet:setopts(S, [{recbuf, 10000}]),
        inet:getopts(S, [buffer]),
     inet:setopts(U, [{recbuf, 100000}]), inet:getopts(U, [buffer]), inet:getopts(T, [buffer]),
     begin {ok, [{sndbuf, B}, {recbuf, C}]} = inet:getopts(S, [sndbuf, recbuf]), {is_integer(B), C >= 10000} end].

pktoptions() ->
    Lo = {127, 0, 0, 1},
    {ok, L} = gen_tcp:listen(0, [{ip, Lo}, {recvtos, true}, {recvttl, true}, {active, false}]), {ok, P} = inet:port(L),
    {ok, C} = gen_tcp:connect(Lo, P, [{tos, 16}, {active, false}]), {ok, S} = gen_tcp:accept(L, 1000),
    gen_tcp:send(C, "x"), gen_tcp:recv(S, 1, 1000),
    [inet:getopts(S, [pktoptions]), inet:getopts(C, [pktoptions])].

bind_to_device() ->
    {ok, S} = gen_udp:open(0, []),
    [inet:getopts(S, [bind_to_device]), inet:setopts(S, [{bind_to_device, <<"nosuchdevice">>}]),
        inet:setopts(S, [{bind_to_device, <<"averyveryverylongname">>}])].

inet6_only() ->
    [begin
         {ok, L} = gen_tcp:listen(0, [inet6, {ipv6_v6only, Only}]), {ok, P} = inet:port(L),
         {element(1, gen_tcp:connect({127, 0, 0, 1}, P, [])),
             element(1, gen_tcp:connect({0, 0, 0, 0, 0, 0, 0, 1}, P, [inet6]))}
     end || Only <- [true, false]].
