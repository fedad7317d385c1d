%% A port whose new owner is just ending closes, however it came to that owner: none of them stays open.
-module(given_to_the_dying).
-export([main/0]).

main() ->
    see:value(connected, kept(fun() -> [connect() || _ <- lists:seq(1, 300)] end)),
    see:value(controlling_process, kept(fun() -> [control() || _ <- lists:seq(1, 300)] end)),
    see:value(accepted, kept(fun accepted/0)),
    see:value(refused, refused()).

%% How many ports there are more than before, when those have closed that will.
kept(Fun) ->
    Before = length(erlang:ports()),
    Fun(),
    apart:wait(fun() -> length(erlang:ports()) - Before end, 0, 200).

connect() ->
    {ok, Port} = gen_udp:open(0, []),
    Owner = dying(),
    case try erlang:port_connect(Port, Owner) catch error:badarg -> false end of
        true -> unlink(Port);
        false -> gen_udp:close(Port)
    end.

control() ->
    {ok, Port} = gen_udp:open(0, []),
    %% It may have closed before the caller has restored its options.
    case catch gen_udp:controlling_process(Port, dying()) of
        {error, badarg} -> gen_udp:close(Port);
        _ -> ok
    end.

%% Acceptors that are killed about when their connection comes.
accepted() ->
    {ok, Listener} = gen_tcp:listen(0, [{active, false}, {backlog, 500}]),
    {ok, Number} = inet:port(Listener),
    lists:foreach(fun(N) ->
        Acceptor = spawn(fun() -> gen_tcp:accept(Listener) end),
        {ok, Client} = gen_tcp:connect({127, 0, 0, 1}, Number, [{linger, {true, 0}}]),
        spin(N * 7 rem 400),
        exit(Acceptor, kill),
        gen_tcp:close(Client)
    end, lists:seq(1, 300)),
    gen_tcp:close(Listener).

%% A port cannot be given to a process that is known to be dead; it keeps its owner.
refused() ->
    {ok, Port} = gen_udp:open(0, []),
    {P, R} = spawn_monitor(fun() -> ok end),
    receive {'DOWN', R, process, P, normal} -> ok end,
    Result = try erlang:port_connect(Port, P) catch error:Reason -> Reason end,
    {Result, erlang:port_info(Port, connected) =:= {connected, self()}, gen_udp:close(Port)}.

dying() -> P = spawn(fun() -> receive after infinity -> ok end end), exit(P, kill), P.
spin(0) -> ok;
spin(N) -> spin(N - 1).
