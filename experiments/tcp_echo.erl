%% An echo server on the loopback interface. Each of Connections clients sends Size bytes and waits for them, until
%% there have been Total round trips altogether. Prints round trips per second.
-module(tcp_echo).
-export([start/1]).

start([Connections, Total, Size, Mode]) ->
    run(list_to_integer(atom_to_list(Connections)), list_to_integer(atom_to_list(Total)),
        list_to_integer(atom_to_list(Size)), Mode),
    halt().

run(Connections, Total, Size, Mode) ->
    Opts = [binary, {active, false}, {nodelay, true}, {packet, raw}],
    {ok, L} = gen_tcp:listen(0, [{ip, {127, 0, 0, 1}}, {backlog, 1024} | Opts]),
    {ok, Port} = inet:port(L),
    spawn(fun() -> accept(L, Mode) end),
    Me = self(),
    Data = binary:copy(<<"x">>, Size),
    Each = Total div Connections,
    Clients = [spawn_link(fun() ->
        {ok, S} = gen_tcp:connect({127, 0, 0, 1}, Port, Opts),
        Me ! {self(), ready},
        receive go -> ok end,
        client(S, Data, Size, Each),
        Me ! {self(), done}
    end) || _ <- lists:seq(1, Connections)],
    [receive {C, ready} -> ok end || C <- Clients],
    T0 = erlang:monotonic_time(microsecond),
    [C ! go || C <- Clients],
    [receive {C, done} -> ok end || C <- Clients],
    T1 = erlang:monotonic_time(microsecond),
    io:format("round_trips_per_second ~w~n", [Each * Connections * 1000000 div (T1 - T0)]).

accept(L, Mode) ->
    {ok, S} = gen_tcp:accept(L),
    Pid = spawn(fun() -> receive go -> serve(S, Mode) end end),
    ok = gen_tcp:controlling_process(S, Pid),
    Pid ! go,
    accept(L, Mode).

serve(S, passive) -> passive(S);
serve(S, active) -> inet:setopts(S, [{active, true}]), active(S).

passive(S) ->
    case gen_tcp:recv(S, 0) of
        {ok, D} -> gen_tcp:send(S, D), passive(S);
        _ -> gen_tcp:close(S)
    end.

active(S) ->
    receive
        {tcp, S, D} -> gen_tcp:send(S, D), active(S);
        {tcp_closed, S} -> ok
    end.

client(_, _, _, 0) -> ok;
client(S, Data, Size, N) ->
    ok = gen_tcp:send(S, Data),
    {ok, _} = gen_tcp:recv(S, Size),
    client(S, Data, Size, N - 1).
