%% A peer that refuses what comes, and closes, while a large message is written: whoever sends it hears of the first
%% write, which succeeded, and the socket's owner of the end.
-module(refused_while_sent).
-export([main/0]).

main() ->
    Message = [<<1000:32>>, binary:copy(<<0>>, 16 bsl 20)],
    [see:value(Round, refused(Message)) || Round <- lists:seq(1, 20)].

refused(Message) ->
    {ok, Listener} = gen_tcp:listen(0, [binary, {packet, 4}, {packet_size, 100}, {active, true}, {ip, {127, 0, 0, 1}}]),
    {ok, Port} = inet:port(Listener),
    {ok, Client} = gen_tcp:connect({127, 0, 0, 1}, Port, [binary, {active, true}]),
    {ok, Server} = gen_tcp:accept(Listener),
    ok = gen_tcp:close(Listener),
    Sent = gen_tcp:send(Client, Message),
    Refused = receive {tcp_error, Server, Reason} -> Reason end,
    receive {tcp_closed, Server} -> ok end,
    receive {tcp_closed, Client} -> {Sent, Refused, closed} end.
