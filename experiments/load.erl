%% TCP servers on the loopback interface, with clients in the same VM: many busy connections, or idle ones.
-module(load).
-export([thousand/1, idle/1]).

-define(CONNECTIONS, 1000).
-define(MESSAGE, <<"sixty-four bytes, sent and answered, again and again and again..">>).

%% N round trips altogether over a thousand connections, each with one message in flight. Prints the median and the 99th
%% percentile of the round trips' times.
thousand(N) when is_integer(N), N >= ?CONNECTIONS ->
    Port = server(),
    Self = self(),
    Clients = [spawn_link(fun() -> client(Self, Port, N div ?CONNECTIONS) end) || _ <- lists:seq(1, ?CONNECTIONS)],
    [receive {Client, ready} -> ok end || Client <- Clients],
    [Client ! start || Client <- Clients],
    Micros = lists:sort(lists:append([receive {Client, Times} -> Times end || Client <- Clients])),
    io:format("median: ~b~np99: ~b~n", [share(50, Micros), share(99, Micros)]).

share(Percent, Sorted) ->
    lists:nth(max(1, length(Sorted) * Percent div 100), Sorted).

client(Parent, Port, N) ->
    {ok, Socket} = connect(Port, [{nodelay, true}]),
    Parent ! {self(), ready},
    receive start -> ok end,
    Parent ! {self(), round_trips(N, Socket, ?MESSAGE, [])},
    ok = gen_tcp:close(Socket).

round_trips(0, _, _, Times) ->
    Times;
round_trips(N, Socket, Message, Times) ->
    Start = erlang:monotonic_time(),
    ok = gen_tcp:send(Socket, Message),
    {ok, Message} = gen_tcp:recv(Socket, byte_size(Message)),
    Time = erlang:monotonic_time() - Start,
    round_trips(N - 1, Socket, Message, [erlang:convert_time_unit(Time, native, microsecond) | Times]).

%% N idle connections with both ends in this VM. Then it waits, so that its memory can be read from outside.
idle(N) when is_integer(N) ->
    Port = server(),
    Sockets = [begin {ok, Socket} = connect(Port, []), Socket end || _ <- lists:seq(1, N)],
    %% The last connection has an answer, so all have been accepted.
    Last = lists:last(Sockets),
    ok = gen_tcp:send(Last, ?MESSAGE),
    {ok, _} = gen_tcp:recv(Last, byte_size(?MESSAGE)),
    io:format("waiting: ~b~n", [N]),
    receive after infinity -> length(Sockets) end.

connect(Port, Options) ->
    gen_tcp:connect({127, 0, 0, 1}, Port, [binary, {active, false} | Options]).

server() ->
    {ok, Listening} = gen_tcp:listen(0, [binary, {active, false}, {ip, {127, 0, 0, 1}}, {backlog, 1024},
        {nodelay, true}]),
    spawn_link(fun() -> echo:accept(Listening) end),
    {ok, Port} = inet:port(Listening),
    Port.
