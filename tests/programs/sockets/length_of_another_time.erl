%% A receive of so many bytes that came to nothing leaves its length behind, and what comes then is taken for a packet
%% of the kind that has been set meanwhile, however short it is for that.
%% differs: stock's machine ends when the packet is shorter than its head says ("Cannot allocate 18446744073709551520
%% bytes"); here what there is of it is handed out.
-module(length_of_another_time).
-export([main/0]).

main() ->
    [see:value({Packet, Active}, received(Packet, Active))
     || Packet <- [raw, 1, 2, 4, asn1, sunrm, cdr, fcgi, tpkt, line, http, http_bin, httph, httph_bin, ssl_tls],
     Active <- [false, once, true]].

received(Packet, Active) -> [apart:run(fun() -> received(Packet, Active, Bytes) end, 5000)
    || Bytes <- [<<5>>, <<128, 1, 1>>, <<1, 2, 3, 4, 5, 6, 250>>]].

received(Packet, Active, Bytes) ->
    {ok, L} = gen_tcp:listen(0, [binary, {active, false}, {ip, {127, 0, 0, 1}}]),
    {ok, P} = inet:port(L),
    {ok, A} = gen_tcp:connect({127, 0, 0, 1}, P, [binary, {active, false}, {nodelay, true}]),
    {ok, B} = gen_tcp:accept(L),
    {error, timeout} = gen_tcp:recv(B, byte_size(Bytes), 0),
    ok = inet:setopts(B, [{packet, Packet}]),
    ok = gen_tcp:send(A, Bytes),
    case Active of
        false ->
            case gen_tcp:recv(B, 0, 2000) of
                {ok, {ssl_tls, B, Type, Version, Data}} -> {ok, {ssl_tls, socket, Type, Version, Data}};
                Other -> Other
            end;
        _ ->
            ok = inet:setopts(B, [{active, Active}]),
            receive Message -> setelement(2, Message, socket) after 2000 -> nothing end
    end.
