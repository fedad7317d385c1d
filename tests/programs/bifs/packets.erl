%% erlang:decode_packet/3: all kinds, whole, cut short and broken.
%% releases: 25
-module(packets).
-export([main/0]).

main() ->
    see:value(raw, [p(T, B) || T <- [0, raw], B <- [<<>>, <<"abc">>]]),
    see:value(lengths, [p(T, B) || T <- [1, 2, 4, sunrm], B <- [<<>>, <<0>>, <<1>>, <<0, 0, 0, 2, 7, 8, 9>>,
        <<128, 0, 0, 1, 65, 66>>, <<0, 1, 5, 6>>, <<255, 255, 255, 255, 1>>]]),
    see:value(asn1, [p(asn1, B) || B <- [<<>>, <<48>>, <<48, 3, 1, 2, 3, 4>>, <<48, 130, 0, 2, 9, 8, 7>>,
        <<48, 128, 1>>, <<63, 129, 1, 1, 5, 6>>, <<48, 133, 1, 1, 1, 1, 1, 1>>, <<48, 132, 255, 255, 255, 255>>,
    <<63, 129>>]]),
    see:value(cdr, [p(cdr, B) || B <- [<<"GIOP">>, <<"GIOP", 1, 0, 0, 1, 0, 0, 0, 2, 1, 2, 3>>,
        <<"GIOP", 1, 0, 1, 1, 2, 0, 0, 0, 1, 2, 3>>, <<"GIOX", 1, 0, 1, 1, 2, 0, 0, 0, 1, 2, 3>>]]),
    see:value(fcgi, [p(fcgi, B) || B <- [<<1, 2, 3>>, <<1, 1, 0, 1, 0, 2, 1, 0, 65, 66, 67, 68>>,
        <<2, 1, 0, 1, 0, 2, 1, 0, 65, 66, 67, 68>>]]),
    see:value(tpkt, [p(tpkt, B) || B <- [<<3>>, <<3, 0, 0, 6, 1, 2, 3>>, <<3, 0, 0, 2, 1>>, <<4, 0, 0, 6, 1, 2>>]]),
    see:value(tls, [p(ssl_tls, B) || B <- [<<22, 3>>, <<22, 3, 1, 0, 2, 9, 8, 7>>, <<128, 7, 1, 3, 1, 5, 6, 7, 8, 9>>,
        <<128, 1, 1, 3, 1, 5>>]]),
    see:value(line, [erlang:decode_packet(line, B, O) || B <- [<<>>, <<"abc">>, <<"ab\ncd\n">>, <<"a\r\n">>],
        O <- [[], [{packet_size, 2}], [{line_length, 2}], [{line_delimiter, $b}],
        [{packet_size, 3}, {line_length, 1}]]]),
    see:value(bits, [erlang:decode_packet(1, <<1, 2, 3, 1:1>>, []), erlang:decode_packet(raw, tail(<<1, 2, 3, 4:4>>),
        [])]),
    Http = [<<"GET / HTTP/1.1\r\n">>, <<"GET / HTTP/1.1\n">>, <<"POST http://a.b:81/c?d HTTP/1.0\r\nHost: x\r\n">>,
        <<"OPTIONS * HTTP/1.1\r\n">>, <<"FOO mailto:x HTTP/1.1\r\n">>, <<"GET https://h\r\n">>,
    <<"GET https://h:x/p HTTP/1.1\r\n">>, <<"GET x\r\n">>,
            <<"HTTP/1.1 200 OK\r\n">>, <<"HTTP/1.0 404\r\n">>, <<"HTTP/1.x 200 OK\r\n">>,
            <<"HTTP/1.1  200  Very OK \r\n">>, <<"\r\n">>, <<"\n">>, <<"G{T / HTTP/1.1\r\n">>, <<"GET">>,
            <<"GET / HTTP/1.1\r">>, <<"GET  /  HTTP/99999999999.1\r\n">>, <<" \r\n">>, <<"GET /a b\r\n">>],
    [see:value({T, B}, p(T, B)) || T <- [http, http_bin], B <- Http],
    Headers = [<<"Host: a\r\n\r\n">>, <<"host:a\r\nx">>, <<"HOST:\ta b \r\nx">>, <<"X-Very-oWN: 1\r\n 2\r\nx">>,
        <<"A: 1\r\n">>, <<"\r\n">>, <<"\n">>, <<"no colon\r\nx">>, <<":v\r\nx">>, <<"a b: c\r\nx">>,
               <<"Content-Length: 12\nx">>, <<"Set-Cookie2: a\r\nx">>,
               <<"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaB-c: d\r\nx">>,
               <<"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaB-c: d\r\nx">>, <<"K:">>, <<"Keep-Alive\r\nx">>],
    [see:value({T, B}, p(T, B)) || T <- [httph, httph_bin], B <- Headers],
    see:value(limits, [erlang:decode_packet(T, <<"GET / HTTP/1.1\r\nA">>, O) || T <- [http, httph],
        O <- [[{packet_size, 5}], [{line_length, 5}], [{packet_size, 16}], [{packet_size, 15}]]]),
    see:fails([fun() -> erlang:decode_packet(see:id(T), see:id(B), see:id(O)) end || {T, B, O} <- [{3, <<>>, []},
        {foo, <<>>, []}, {raw, [1], []}, {raw, <<>>, x}, {raw, <<>>, [x]}, {raw, <<>>, [{packet_size, -1}]},
    {raw, <<>>, [{line_delimiter, 10}]}, {line, <<>>, [{line_delimiter, 256}]}, {"raw", <<>>, []}]]).

p(T, B) -> erlang:decode_packet(T, B, []).

tail(<<_:8, T/bits>>) -> T.
