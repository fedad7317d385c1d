%% A TCP server that answers each request with two sends and says how long the first one took: what a call costs a
%% process that has slept.
%%
%%   erl -noshell -s two_sends serve
%%
%% prints `port: ` and the number. An answer is `<stream>first: MICROSECONDS.`
-module(two_sends).
-export([serve/0]).

-define(ACCEPTORS, 4).

serve() ->
    {ok, Listening} = gen_tcp:listen(0, [binary, {active, false}, {nodelay, true}, {ip, {127, 0, 0, 1}}, {backlog, 100},
        {send_timeout, 15000}, {send_timeout_close, true}]),
    {ok, Port} = inet:port(Listening),
    [spawn_link(fun() -> accept(Listening) end) || _ <- lists:seq(1, ?ACCEPTORS)],
    io:format("port: ~b~n", [Port]),
    receive after infinity -> ok end.

accept(Listening) ->
    {ok, Socket} = gen_tcp:accept(Listening),
    Server = spawn(fun() -> receive yours -> answer(Socket) end end),
    ok = gen_tcp:controlling_process(Socket, Server),
    Server ! yours,
    accept(Listening).

answer(Socket) ->
    ok = inet:setopts(Socket, [{active, once}]),
    receive
        {tcp, Socket, _} ->
            Before = erlang:monotonic_time(microsecond),
            ok = gen_tcp:send(Socket, <<"<stream>">>),
            After = erlang:monotonic_time(microsecond),
            ok = gen_tcp:send(Socket, [<<"first: ">>, integer_to_binary(After - Before), $.]),
            answer(Socket);
        {tcp_closed, Socket} -> ok
    end.
