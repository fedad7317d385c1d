%% Every option of a socket, with values from usual to absurd, set and read back on sockets of all kinds and states,
%% over ports.
%% timeout: 120
-module(every_option).
-export([main/0]).

-define(LO, {127, 0, 0, 1}).
-define(LO6, {0, 0, 0, 0, 0, 0, 0, 1}).

main() ->
    io:setopts([{encoding, unicode}]),
    [try_all(Name, Open) || {Name, Open} <- sockets()],
    ok.

sockets() ->
    lists:append([[{{Backend, Name}, fun() -> open(Name, Backend) end} || Name <- kinds()] || Backend <- [inet]]).

kinds() ->
    [listener, connection, accepted, listener6, connection6, local_listener, local_connection,
     shut, peer_gone, closed, datagram, connected_datagram, datagram6, local_datagram].

open(listener, B) -> gen_tcp:listen(0, b(B) ++ [{ip, ?LO}]);
open(connection, B) -> {C, _} = pair(B, [{ip, ?LO}], ?LO), {ok, C};
open(accepted, B) -> {_, A} = pair(B, [{ip, ?LO}], ?LO), {ok, A};
open(listener6, B) -> gen_tcp:listen(0, b(B) ++ [inet6, {ip, ?LO6}]);
open(connection6, B) -> {C, _} = pair(B, [inet6, {ip, ?LO6}], ?LO6), {ok, C};
open(local_listener, B) -> gen_tcp:listen(0, b(B) ++ [{ifaddr, {local, name()}}]);
open(local_connection, B) ->
    Name = {local, name()},
    {ok, L} = gen_tcp:listen(0, b(B) ++ [{ifaddr, Name}]),
    {ok, C} = gen_tcp:connect(Name, 0, b(B) ++ [local, {active, false}]),
    {ok, _} = gen_tcp:accept(L),
    {ok, C};
open(shut, B) -> {C, _} = pair(B, [{ip, ?LO}], ?LO), ok = gen_tcp:shutdown(C, write), {ok, C};
open(peer_gone, B) -> {C, A} = pair(B, [{ip, ?LO}], ?LO), ok = gen_tcp:close(A), {error, closed} = gen_tcp:recv(C, 0),
    {ok, C};
open(closed, B) -> {ok, L} = gen_tcp:listen(0, b(B)), ok = gen_tcp:close(L), {ok, L};
open(datagram, B) -> gen_udp:open(0, b(B) ++ [{ip, ?LO}, {active, false}]);
open(connected_datagram, B) ->
    {ok, U} = gen_udp:open(0, b(B) ++ [{ip, ?LO}, {active, false}]),
    ok = gen_udp:connect(U, ?LO, 9),
    {ok, U};
open(datagram6, B) -> gen_udp:open(0, b(B) ++ [inet6, {ip, ?LO6}, {active, false}]);
open(local_datagram, B) -> gen_udp:open(0, b(B) ++ [{ifaddr, {local, name()}}, {active, false}]).

b(inet) -> [];
b(socket) -> [{inet_backend, socket}].

name() -> list_to_binary([0, "option", os:getpid(), $., integer_to_list(erlang:unique_integer([positive]))]).

pair(B, Opts, To) ->
    {ok, L} = gen_tcp:listen(0, b(B) ++ Opts),
    {ok, P} = inet:port(L),
    {ok, C} = gen_tcp:connect(To, P, b(B) ++ [O || O <- Opts, O =:= inet6] ++ [{active, false}]),
    {ok, A} = gen_tcp:accept(L, 5000),
    {C, A}.

booleans() ->
    [reuseaddr, keepalive, dontroute, broadcast, recvtos, recvtclass, recvttl, nodelay, nopush, multicast_loop,
        ipv6_v6only,
     exit_on_close, send_timeout_close, delay_send, show_econnreset].

integers() ->
    [sndbuf, recbuf, priority, tos, tclass, ttl, multicast_ttl, header, buffer, low_watermark, high_watermark,
        low_msgq_watermark,
     high_msgq_watermark, send_timeout, packet_size, read_packets, line_delimiter, bit8].

others() ->
    [{linger, {true, 3}}, {linger, {true, -1}}, {linger, {true, 16#7fffffff}}, {linger, {true, 1 bsl 33}},
        {linger, {false, 0}}, {linger, true}, {linger, {1, 2}},
     {linger, {true, 0, 0}}, {linger, {false, 5}},
     {multicast_if, {127, 0, 0, 1}}, {multicast_if, 1}, {multicast_if, {1, 2, 3, 4}}, {multicast_if, x},
     {multicast_if, ?LO6}, {multicast_if, 7777}, {multicast_if, 0},
     {add_membership, {{224, 1, 1, 1}, ?LO}}, {drop_membership, {{224, 1, 1, 1}, ?LO}},
     {drop_membership, {{224, 1, 1, 1}, ?LO}},
     {add_membership, {{1, 1, 1, 1}, ?LO}}, {add_membership, {{224, 1, 1, 1}, {9, 9, 9, 9}}},
     {add_membership, {{224, 1, 1, 1}, any}},
     {add_membership, {{224, 1, 1, 2}, ?LO, 1}}, {drop_membership, {{224, 1, 1, 2}, ?LO, 1}},
     {add_membership, {{16#ff02, 0, 0, 0, 0, 0, 0, 16#77}, 1}},
     {drop_membership, {{16#ff02, 0, 0, 0, 0, 0, 0, 16#77}, 1}},
     {drop_membership, {{16#ff02, 0, 0, 0, 0, 0, 0, 16#77}, 1}},
     {add_membership, {{16#ff02, 0, 0, 0, 0, 0, 0, 16#77}, 7777}}, {add_membership, x}, {add_membership, {x, y}},
     {active, true}, {active, false}, {active, once}, {active, false}, {active, 0}, {active, 32767}, {active, 1},
     {active, -32768},
     {active, 32768}, {active, -32769}, {active, x}, {active, false},
     {packet, raw}, {packet, 0}, {packet, 1}, {packet, 2}, {packet, 3}, {packet, 4}, {packet, asn1}, {packet, sunrm},
     {packet, cdr}, {packet, fcgi},
     {packet, tpkt}, {packet, line}, {packet, http}, {packet, http_bin}, {packet, httph}, {packet, httph_bin},
     {packet, ssl}, {packet, ssl_tls},
     {packet, x}, {packet, 0},
     {mode, binary}, {mode, list}, {mode, x}, {deliver, port}, {deliver, term}, {deliver, x},
     {send_timeout, infinity}, {send_timeout, x}, {netns, <<"/proc/self/ns/net">>}, {netns, "/x"}, {netns, x},
     {bind_to_device, <<"lo">>},
     {bind_to_device, <<"nosuchdevice">>}, {bind_to_device, <<>>}, {bind_to_device, <<"averyveryverylongdevicename">>},
     {bind_to_device, "lo"},
     {packet_size, -1}, {nosuch, 1}, {pktoptions, []}, {raw, {1, 2, <<1:32/native>>}}, {sctp_nodelay, true},
     {sctp_maxseg, 5},
     {reuseaddr, 1}, {keepalive, undefined}, {tos, x}, {ttl, 1.5}, {recbuf, <<>>}, {ip, ?LO}, {port, 5}, {ifaddr, ?LO},
     {backlog, 5}, {tcp_module, inet_tcp}].

numbers() -> [0, 1, 7, 255, 256, 65535, 1 bsl 31 - 1, -1, 1 bsl 31, 1 bsl 32 - 1, 1 bsl 32, 1 bsl 64, -(1 bsl 31) - 1].

settings() ->
    [{O, V} || O <- booleans(), V <- [true, false]] ++ [{O, V} || O <- integers(), V <- numbers(),
        not is_dangerous(O, V)] ++ others().

%% What asks for gigabytes.
is_dangerous(buffer, V) -> V > 65535;
is_dangerous(recbuf, V) -> V > 65535;
is_dangerous(sndbuf, V) -> V > 65535;
is_dangerous(_, _) -> false.

try_all({Backend, Kind} = Name, Open) ->
    {ok, S} = Open(),
    Names = booleans() ++ integers() ++
        [linger, add_membership, active, packet, mode, deliver, netns, bind_to_device, pktoptions, nosuch, sctp_nodelay,
            raw, ip],
    [line(Name, default, O, opt(fun() -> inet:getopts(S, [O]) end)) || O <- Names],
    [begin
         Result = opt(fun() -> inet:setopts(S, [{O, V}]) end),
         line(Name, {O, V}, Result, [opt(fun() -> inet:getopts(S, [O]) end) || O =/= multicast_if])
     end || {O, V} <- settings()],
    [line(Name, list, L, {opt(fun() -> inet:setopts(S, L) end), opt(fun() -> inet:getopts(S, [N || {N, _} <- L]) end)})
        || L <- lists_of()],
    [line(Name, get, L, opt(fun() -> inet:getopts(S, L) end)) || L <- gets()],
    line(Name, bare, [], [opt(fun() -> inet:setopts(S, [X]) end) || X <- [binary, list, inet, inet6, x, 1, {},
        {1, 2, 3}]]),
    _ = Backend, _ = Kind,
    catch gen_tcp:close(S),
    catch gen_udp:close(S).

lists_of() ->
    [[{nodelay, true}, {nosuch, 1}, {keepalive, true}], [{keepalive, true}, {priority, 99}, {reuseaddr, true}],
        [{tos, 16}, {tclass, 32}, {ttl, 9}],
     [{priority, 99}, {keepalive, false}, {linger, {true, 9}}], [{packet, 4}, {packet, 2}, {mode, binary}, {header, 2}],
     [], not_a_list, [{active, false} | x]].

gets() ->
    [[{raw, 1, 9, 4}], [{raw, 1, 9, 0}], [{raw, 1, 9, 2}], [{raw, 1, 9, 100}], [{raw, 1, 9, <<0:32>>}],
        [{raw, 1, 9, <<>>}], [{raw, 99, 99, 4}], [{raw, 6, 1, 4}, {raw, 1, 2, 4}],
     [{raw, 1, 9, -1}], [{raw, x, 9, 4}], [{raw, 1, 9, 1 bsl 31}], [{raw, 1, 9, 1 bsl 33}], [{raw, 1, 9}],
     [nodelay, nosuch, keepalive], [nodelay, {raw, 99, 99, 4}, keepalive], [], x, [x | y],
     [tclass, tos, nodelay, ipv6_v6only], [1], ["nodelay"], [{nodelay, true}]].

opt(Fun) ->
    try Fun() catch C:R -> {C, r(R)} end.

r({function_clause, _}) -> function_clause;
r(R) -> R.

line(Name, What, A, B) -> io:format("~0p ~0p ~0p ~0p~n", [Name, What, A, B]).
