%% What OTP 27's socket asks of the machine: sending lists of binaries, receiving without waiting.
%% releases: 27
-module(socket_27).
-export([main/0]).

main() ->
    {A, B} = pair(),
    see:value(nothing, socket:recv(A, 0, [], 0)),
    see:value(nothing_of_a_length, socket:recv(A, 3, [], 0)),
    see:value(sent, socket:sendv(B, [<<"one">>, <<>>, <<"two">>])),
    see:value(too_little, socket:recv(A, 10, [], 0)),
    see:value(sent, socket:sendv(B, [<<"three">>])),
    see:value(some, socket:recv(A, 2, [], 0)),
    see:value(rest, socket:recv(A, 0, [], 0)),
    see:value(nothing_left, socket:recv(A, 0, [], 0)),
    see:value(empty, [socket:sendv(B, IOV) || IOV <- [[], [<<>>]]]),
    see:all([{{sendv, X}, fun() -> socket:sendv(B, X) end} || X <- [[a], [<<1>> | <<2>>], [<<1>>, [<<2>>]], <<1>>, a]]),
    see:value(long, long(A, B)),
    see:value(in_line, in_line(A)),
    socket:close(B),
    see:value(closed, socket:recv(A, 0, [], 100)),
    see:value(closed, socket:recv(A, 0, [], 0)),
    datagrams().

%% More parts than one message may have.
long(A, B) ->
    Parts = [<<N:16>> || N <- lists:seq(1, 3000)],
    ok = socket:sendv(B, Parts),
    {ok, All} = socket:recv(A, 6000),
    All =:= iolist_to_binary(Parts).

%% One who does not wait never stands in line.
in_line(A) ->
    Self = self(),
    {Pid, Ref} = spawn_monitor(fun() -> {select, _} = socket:recv(A, 0, [], nowait), Self ! waits, receive go -> ok end
        end),
    receive waits -> ok end,
    Found = socket:recv(A, 0, [], 0),
    Pid ! go,
    receive {'DOWN', Ref, process, Pid, Reason} -> {Found, Reason} end.

datagrams() ->
    {ok, S} = socket:open(inet, dgram),
    ok = socket:bind(S, #{family => inet, addr => loopback, port => 0}),
    {ok, #{port := Port}} = socket:sockname(S),
    see:value(no_packet, {socket:recvfrom(S, 0, [], 0), socket:recvmsg(S, 0, 0, [], 0)}),
    {ok, C} = socket:open(inet, dgram),
    ok = socket:connect(C, #{family => inet, addr => loopback, port => Port}),
    see:value(packet, socket:sendv(C, [<<"p">>, <<"q">>])),
    {ok, {_, Packet}} = socket:recvfrom(S, 0, [], 1000),
    see:value(packet, Packet),
    see:that(many_parts, fun() -> socket:sendv(C, [<<N:16>> || N <- lists:seq(1, 3000)]) end).

pair() ->
    {ok, L} = socket:open(inet, stream),
    ok = socket:bind(L, #{family => inet, addr => loopback, port => 0}),
    ok = socket:listen(L),
    {ok, Address} = socket:sockname(L),
    {ok, A} = socket:open(inet, stream),
    ok = socket:connect(A, Address),
    {ok, B} = socket:accept(L),
    ok = socket:close(L),
    {A, B}.
