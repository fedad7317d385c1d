%% releases: 27 29
%% A packet that says it ends beyond 2^31 - 1 bytes of the buffer it begins in is refused, since 27.3.4: what lies
%% before it there counts, because the packet is appended to it.
-module(promised_lengths_27).
-export([main/0]).

main() ->
    [told(Kind, Before, Beyond) || Kind <- [4, sunrm], Before <- [[], [0], [4], [100, 100]], Beyond <- [-100, 0, 1, 4]],
    [asked(Before, Beyond) || Before <- [[], [4]], Beyond <- [0, 1, 4]].

%% With what comes before it, its head and all of its bytes, the last packet has so many bytes beyond 2^31 - 1.
stream(Before, Beyond) ->
    Length = 16#7fffffff + Beyond - lists:sum(Before) - 4 * length(Before) - 4,
    [[<<Size:32, 0:Size/unit:8>> || Size <- Before], <<Length:32, 0:1024/unit:8>>].

told(Kind, Before, Beyond) ->
    {Client, Server} = pair(Kind),
    ok = gen_tcp:send(Client, stream(Before, Beyond)),
    ok = inet:setopts(Server, [{active, true}]),
    [receive {tcp, Server, _} -> packet end || _ <- Before],
    ok = gen_tcp:close(Client),
    io:format("~p ~w ~p: ~p~n", [Kind, Before, Beyond, until_closed(Server)]).

asked(Before, Beyond) ->
    {Client, Server} = pair(4),
    ok = gen_tcp:send(Client, stream(Before, Beyond)),
    Packets = [element(1, gen_tcp:recv(Server, 0)) || _ <- Before],
    ok = gen_tcp:close(Client),
    io:format("asked ~w ~p: ~p ~p~n", [Before, Beyond, Packets, gen_tcp:recv(Server, 0)]).

pair(Kind) ->
    {ok, Listener} = gen_tcp:listen(0, [binary, {packet, Kind}, {active, false}, {ip, {127, 0, 0, 1}}]),
    {ok, Port} = inet:port(Listener),
    {ok, Client} = gen_tcp:connect({127, 0, 0, 1}, Port, [binary, {packet, raw}]),
    {ok, Server} = gen_tcp:accept(Listener),
    ok = gen_tcp:close(Listener),
    {Client, Server}.

until_closed(Server) ->
    receive
        {tcp_closed, Server} -> [closed];
        {tcp_error, Server, Reason} -> [Reason | until_closed(Server)]
    end.
