%% Packets of a stream: every packet type, whole and in pieces, active and passive, too long, cut, and what is left
%% when the other end closes.
%% timeout: 60
-module(tcp_packets).
-export([main/0]).

main() ->
    {ok, L} = gen_tcp:listen(0, [binary, {active, false}, {ip, {127, 0, 0, 1}}, {nodelay, true}]),
    [see:value({Name, Mode}, received(L, Opts, Pieces, Mode)) || {Name, Opts, Pieces} <- streams(),
        Mode <- [passive, active, once]],
    see:value(sent, [{P, sent(L, P, Data)} || {P, Data} <- [{0, "abc"}, {1, "abc"}, {2, ["a", <<"bc">>]}, {4, <<>>},
        {1, ""}, {line, "x\n"}, {raw, []}, {1, lists:duplicate(300, $x)}, {http, "GET"}, {fcgi, "f"}]]),
    see:value(unknown, [(catch inet:setopts(L, [{packet, P}])) || P <- [3, 8, foo, -1, httpx]]).

%% What a client with these options receives when these pieces are sent, one by one.
received(L, Opts, Pieces, Mode) ->
    Active = case Mode of passive -> false; active -> true; once -> once end,
    {ok, C} = connect(L, [{active, false} | Opts]),
    {ok, S} = gen_tcp:accept(L, 5000),
    case Mode of
        passive ->
            spawn_link(fun() -> pieces(S, Pieces) end),
            passive(C);
        _ ->
            inet:setopts(C, [{active, Active}]),
            spawn_link(fun() -> pieces(S, Pieces) end),
            active(C, Active)
    end.

connect(L, Opts) ->
    {ok, Port} = inet:port(L),
    gen_tcp:connect({127, 0, 0, 1}, Port, Opts, 5000).

pieces(S, Pieces) ->
    [begin gen_tcp:send(S, P), receive after 8 -> ok end end || P <- Pieces],
    gen_tcp:close(S).

passive(C) ->
    case gen_tcp:recv(C, 0, 5000) of
        {ok, {ssl_tls, C, A, B, D}} -> [{tls, A, B, D} | passive(C)];
        {ok, D} -> [D | passive(C)];
        E -> gen_tcp:close(C), [E]
    end.

active(C, Mode) ->
    receive
        {tcp_closed, C} -> [closed];
        {tcp_error, C, E} -> [{error, E} | active(C, Mode)];
        {tcp, C, D} -> again(C, Mode), [D | active(C, Mode)];
        {http, C, D} -> again(C, Mode), [{http, D} | active(C, Mode)];
        {ssl_tls, C, A, B, D} -> again(C, Mode), [{tls, A, B, D} | active(C, Mode)]
    after 5000 -> [timeout]
    end.

again(C, once) -> inet:setopts(C, [{active, once}]);
again(_, _) -> ok.

streams() ->
    [{raw_list, [list], ["one", "two"]},
     {raw_header, [binary, {header, 2}], ["abcdef", "x"]},
     {one, [binary, {packet, 1}], [<<3, "abc", 0, 1, "x", 2, "y">>, "z", <<5, "ab">>]},
     {two, [list, {packet, 2}], [<<0>>, <<3, "a">>, "b", <<"c", 0, 0, 1>>, <<0>>]},
     {two_header, [binary, {packet, 2}, {header, 1}], [<<0, 3, "abc", 0, 1, "d", 0, 0>>]},
     {four, [binary, {packet, 4}], [<<10:32, "0123">>, "456789", <<0:32, 70:32>>, binary:copy(<<"x">>, 70)]},
     {four_large, [binary, {packet, 4}], [<<3000:32>>, binary:copy(<<"abc">>, 500), binary:copy(<<"abc">>, 500)]},
     {four_limit, [binary, {packet, 4}, {packet_size, 10}], [<<10:32, "0123456789">>, <<11:32, "0123456789a">>]},
     {line, [binary, {packet, line}], ["one\ntwo\r\nth", "ree\n\n", "rest"]},
     {line_list, [list, {packet, line}], ["a\nb\n"]},
     {line_delimiter, [binary, {packet, line}, {line_delimiter, $;}], ["a;b", "c;\n;"]},
     {line_cut, [binary, {packet, line}, {buffer, 4}], ["abcdefghij\nk\n"]},
     {line_limit, [binary, {packet, line}, {packet_size, 4}], ["abc\nabcdef\n"]},
     {asn1, [binary, {packet, asn1}], [<<16#30, 3, 1, 2, 3, 16#30>>, <<16#82, 0, 4, "abcd">>,
         <<16#30, 16#85, 1, 2, 3, 4, 5>>]},
     {sunrm, [binary, {packet, sunrm}], [<<16#80000003:32, "abc", 2:32>>, "xy"]},
     {cdr, [binary, {packet, cdr}], [<<"GIOP", 1, 0, 0, 0, 3:32, "abc">>, <<"GIOP", 1, 0, 1, 0, 2:32/little, "xy">>,
         <<"GIOQ", 1, 0, 1, 0, 2:32, "xy">>]},
     {fcgi, [binary, {packet, fcgi}], [<<1, 2, 0, 1, 3:16, 2, 0, "abc", 0, 0>>, <<1, 2, 0, 1, 0:16, 0, 0>>,
         <<2, 2, 0, 1, 0:16, 0, 0>>]},
     {tpkt, [binary, {packet, tpkt}], [<<3, 0, 7:16, "abc">>, <<3, 0, 4:16>>, <<4, 0, 7:16, "abc">>]},
     {http, [binary, {packet, http}], ["GET / HTTP/1.1\r\nHost: a", ".b:80\r\nX-Unknown: v\r\n folded\r\n",
         "Connection: close\r\n\r\n", "bad line\r\n"]},
     {http_bin, [list, {packet, http_bin}], ["POST http://h.x:8080/p?q HTTP/1.0\r\ncontent-LENGTH:  3\r\n\r\n"]},
     {http_response, [binary, {packet, http}], ["HTTP/1.1 404 Not Found\r\nServer: x\r\n\r\n"]},
     {http_long, [binary, {packet, http}, {packet_size, 20}], ["GET /", lists:duplicate(30, $a), " HTTP/1.1\r\n"]},
     {httph, [binary, {packet, httph}], ["Accept: */*\r\nfoo-bar: 1\r\n\r\n"]},
     {httph_bin, [binary, {packet, httph_bin}], ["Accept: */*\r\nfoo-bar: 1\r\n\r\n"]},
     {ssl_tls, [binary, {packet, ssl_tls}], [<<22, 3, 1, 4:16, "abcd">>, <<23, 3, 3, 0:16>>]}].

%% The bytes that a send with this packet type makes.
sent(L, P, Data) ->
    {ok, C} = connect(L, [binary, {active, false}]),
    {ok, S} = gen_tcp:accept(L, 5000),
    ok = inet:setopts(S, [{packet, P}]),
    R = gen_tcp:send(S, Data),
    gen_tcp:close(S),
    Bytes = passive(C),
    {R, Bytes}.
