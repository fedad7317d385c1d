%% The ends that connections come to: closed, half closed, reset, refused, used afterwards; with and without
%% exit_on_close, show_econnreset, linger, send_timeout.
%% timeout: 60
-module(tcp_ends).
-export([main/0]).

main() ->
    process_flag(trap_exit, true),
    {ok, L} = gen_tcp:listen(0, [binary, {active, false}, {ip, {127, 0, 0, 1}}]),
    see:value(closed_passive,
        with(L, [], fun(C, S) -> gen_tcp:close(S), pause(), [gen_tcp:recv(C, 0, 10000), gen_tcp:recv(C, 0, 100),
        gen_tcp:send(C, "x"), gen_tcp:send(C, "x"), messages(C)] end)),
    see:value(closed_data_first,
        with(L, [], fun(C, S) -> gen_tcp:send(S, "last"), gen_tcp:close(S), pause(),
        [gen_tcp:recv(C, 0, 10000), gen_tcp:recv(C, 0, 10000)] end)),
    see:value(closed_too_short,
        with(L, [], fun(C, S) -> gen_tcp:send(S, "last"), gen_tcp:close(S), pause(),
        [gen_tcp:recv(C, 10, 10000), gen_tcp:recv(C, 0, 10000)] end)),
    see:value(closed_active, with(L, [{active, true}], fun(C, S) -> gen_tcp:send(S, "last"), gen_tcp:close(S),
        [ended(C), gen_tcp:send(C, "x"), inet:getopts(C, [active])] end)),
    see:value(closed_once,
        with(L, [{active, once}],
        fun(C, S) -> gen_tcp:close(S), [ended(C), inet:setopts(C, [{active, once}]), messages(C)] end)),
    see:value(closed_then_active, with(L, [], fun(C, S) -> gen_tcp:close(S), pause(), R = gen_tcp:recv(C, 0, 10000),
        [R, inet:setopts(C, [{active, true}]), ended(C)] end)),
    see:value(keeps_open, with(L, [{exit_on_close, false}], fun(C, S) -> gen_tcp:shutdown(S, write), pause(),
        R = gen_tcp:recv(C, 0, 10000), R2 = gen_tcp:send(C, "still"),
    [R, R2, gen_tcp:recv(S, 0, 10000), gen_tcp:recv(C, 0, 50)] end)),
    see:value(keeps_open_active, with(L, [{exit_on_close, false}, {active, true}],
        fun(C, S) -> gen_tcp:shutdown(S, write), M = ended(C), R2 = gen_tcp:send(C, "still"),
        [M, R2, gen_tcp:recv(S, 0, 10000), messages(C), gen_tcp:close(C), messages(C)] end)),
    [see:value({reset, Opts}, reset(L, Opts)) || Opts <- [[{active, false}], [{active, true}],
        [{active, false}, {show_econnreset, true}], [{active, true}, {show_econnreset, true}],
    [{active, once}, {show_econnreset, true}, {exit_on_close, false}]]],
    [see:value({reset_send, Opts}, reset_send(L, Opts)) || Opts <- [[{active, false}],
        [{active, false}, {show_econnreset, true}]]],
    see:value(shutdowns, [with(L, [], fun(C, S) -> R = gen_tcp:shutdown(C, How), pause(),
        {R, gen_tcp:send(S, "abc"), gen_tcp:recv(C, 0, 200), gen_tcp:recv(S, 0, 200)} end)
        || How <- [read, write, read_write]]),
    see:value(shutdown_send,
        with(L, [], fun(C, _) -> ok = gen_tcp:shutdown(C, write), [gen_tcp:send(C, "x"), gen_tcp:send(C, "y"),
        gen_tcp:recv(C, 0, 100), gen_tcp:shutdown(C, write)] end)),
    see:value(shutdown_bad, gen_tcp:shutdown(L, write)),
    see:value(closed_while_receiving,
        with(L, [], fun(C, _) -> Me = self(), apart:blocked(spawn(fun() -> Me ! {r, gen_tcp:recv(C, 0)} end)),
        gen_tcp:close(C), receive {r, R} -> R after 10000 -> none end end)),
    see:value(listener_closed, begin {ok, L2} = gen_tcp:listen(0, []), Me = self(),
        [apart:blocked(spawn(fun() -> Me ! {r, gen_tcp:accept(L2)} end)) || _ <- [1, 2]], gen_tcp:close(L2),
    [receive {r, R} -> R after 10000 -> none end || _ <- [1, 2]] ++ [gen_tcp:accept(L2), gen_tcp:close(L2)] end),
    see:value(refused, begin {ok, L3} = gen_tcp:listen(0, []), {ok, P3} = inet:port(L3), gen_tcp:close(L3),
        [gen_tcp:connect({127, 0, 0, 1}, P3, []), gen_tcp:connect("localhost", P3, [], 1000)] end),
    see:value(bad_addresses, [begin {'EXIT', R} = (catch gen_tcp:connect(A, 1, [], 500)), R end
        || A <- [{300, 0, 0, 1}, {1, 2, 3}]]),
    see:value(bad_connects,
        with(L, [], fun(C, _) -> [prim_inet:connect(C, {127, 0, 0, 1}, 1), prim_inet:connect(L, {127, 0, 0, 1}, 1),
        prim_inet:listen(C)] end)),
    see:value(twice, [begin {ok, Port} = inet:port(L), R = gen_tcp:listen(Port, [{ip, {127, 0, 0, 1}}]), R end]),
    see:value(send_timeout, with(L, [{send_timeout, 50}, {sndbuf, 4096}], fun fill/2)),
    see:value(send_timeout_close, with(L, [{send_timeout, 50}, {send_timeout_close, true}, {sndbuf, 4096}],
        fun fill/2)),
    see:value(send_timeout_0, with(L, [{send_timeout, 0}, {sndbuf, 4096}], fun fill/2)),
    see:value(full_then_read, with(L, [{sndbuf, 4096}], fun full_then_read/2)),
    see:value(full_then_closed, with(L, [{sndbuf, 4096}], fun full_then_closed/2)),
    see:value(linger_0, with(L, [{linger, {true, 0}}], fun(C, S) -> gen_tcp:close(C), gen_tcp:recv(S, 0, 10000) end)),
    see:value(close_flushes, close_flushes(L)),
    see:value(closed_sockets, closed_sockets(L)),
    see:value(reconnect, begin {ok, S9} = gen_tcp:listen(0, []), [inet:peername(S9), gen_tcp:send(S9, "x"),
        gen_tcp:recv(S9, 0)] end),
    see:value(rest, messages(all)).

with(L, Opts, Fun) ->
    {ok, Port} = inet:port(L),
    {ok, C} = gen_tcp:connect({127, 0, 0, 1}, Port, [binary, {active, false}], 5000),
    {ok, S} = gen_tcp:accept(L, 5000),
    ok = inet:setopts(C, Opts),
    R = Fun(C, S),
    %% What is queued for the other end is lost with it.
    gen_tcp:close(S), gen_tcp:close(C),
    messages(C), messages(S),
    R.

pause() -> receive after 40 -> ok end.

messages(C) ->
    receive
        {Tag, C, D} -> [{Tag, D} | messages(C)];
        {Tag, C} -> [Tag | messages(C)];
        {'EXIT', P, _} when C =:= all, is_pid(P) -> messages(C)
    after 30 -> []
    end.

%% The messages up to the one that says that the connection is closed, and what follows it.
ended(C) ->
    receive
        {tcp_closed, C} -> [tcp_closed | messages(C)];
        {Tag, C, D} -> [{Tag, D} | ended(C)]
    after 10000 -> never_closed
    end.

%% Passive sockets are told nothing.
told(C, [{active, false} | _]) -> pause(), messages(C);
told(C, _) -> ended(C).

reset(L, Opts) ->
    with(L, Opts, fun(C, S) -> inet:setopts(S, [{linger, {true, 0}}]), gen_tcp:close(S), M = told(C, Opts),
        R = gen_tcp:recv(C, 0, 100), [M, R, gen_tcp:recv(C, 0, 100), gen_tcp:send(C, "x"), messages(C)] end).

reset_send(L, Opts) ->
    with(L, Opts, fun(C, S) -> inet:setopts(S, [{linger, {true, 0}}]), gen_tcp:close(S), pause(),
        R1 = gen_tcp:send(C, "x"), R2 = gen_tcp:send(C, "x"), [R1, R2, gen_tcp:recv(C, 0, 100), gen_tcp:recv(C, 0, 100),
        messages(C)] end).

%% Sends until it fails; nobody reads.
fill(C, _) ->
    Data = binary:copy(<<"x">>, 100000),
    fill(C, Data, 1000).
fill(C, _, 0) -> gen_tcp:close(C), never;
fill(C, Data, N) ->
    case gen_tcp:send(C, Data) of
        ok -> fill(C, Data, N - 1);
        E -> [E, element(1, gen_tcp:send(C, "more")), messages(C)]
    end.

%% A sender waits; when the other end reads everything it goes on.
full_then_read(C, S) ->
    Me = self(), Data = binary:copy(<<"0123456789">>, 100000),
    apart:blocked(spawn(fun() -> Me ! {sent, [gen_tcp:send(C, Data) || _ <- [1, 2, 3, 4, 5, 6, 7, 8]]} end)),
    R1 = receive {sent, X} -> X after 200 -> waits end,
    {ok, D} = gen_tcp:recv(S, 8000000, 20000),
    R2 = receive {sent, Y} -> Y after 20000 -> waits end,
    {R1, R2, D =:= binary:copy(Data, 8), inet:getstat(C, [send_pend])}.

full_then_closed(C, S) ->
    Me = self(), Data = binary:copy(<<"0123456789">>, 100000),
    apart:blocked(spawn(fun() -> Me ! {sent, [gen_tcp:send(C, Data) || _ <- lists:seq(1, 20)]} end)),
    R1 = receive {sent, X} -> X after 200 -> waits end,
    gen_tcp:close(S),
    R2 = receive {sent, Y} -> lists:usort(Y) after 20000 -> waits end,
    {R1, R2, gen_tcp:send(C, "x")}.

%% Closing waits until everything is sent.
close_flushes(L) ->
    {ok, Port} = inet:port(L),
    Data = binary:copy(<<"0123456789">>, 300000),
    spawn(fun() -> {ok, C} = gen_tcp:connect({127, 0, 0, 1}, Port, [{sndbuf, 4096}]), ok = gen_tcp:send(C, Data),
        gen_tcp:close(C) end),
    {ok, S} = gen_tcp:accept(L, 5000),
    pause(),
    {ok, D} = gen_tcp:recv(S, byte_size(Data), 20000),
    R = {D =:= Data, gen_tcp:recv(S, 0, 10000)},
    gen_tcp:close(S),
    R.

closed_sockets(L) ->
    with(L, [], fun(C, _) -> ok = gen_tcp:close(C), [gen_tcp:close(C), gen_tcp:send(C, "x"), gen_tcp:recv(C, 0),
        inet:setopts(C, [{active, true}]), inet:getopts(C, [active]), inet:peername(C), inet:sockname(C), inet:port(C),
    gen_tcp:shutdown(C, write), (catch inet:getstat(C)), gen_tcp:controlling_process(C, self())] end).
