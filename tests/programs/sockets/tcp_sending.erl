%% Sending: files with sendfile, delayed sends, watermarks and busy ports, senders that would rather not wait, large
%% transfers both ways at once, many connections.
%% timeout: 120
%% releases: 25
-module(tcp_sending).
-export([main/0]).

main() ->
    {ok, L} = gen_tcp:listen(0, [binary, {active, false}, {ip, {127, 0, 0, 1}}, {backlog, 300}]),
    ok = file:write_file("data", Data = << <<N:32>> || N <- lists:seq(1, 300000) >>),
    see:value(sendfile, [with(L, [], fun(C, S) -> sendfile(C, S, Data, Offset, Bytes, Opts) end)
        || {Offset, Bytes, Opts} <- [{0, 0, []}, {100, 50, []}, {0, 2000000, []}, {1199990, 100, []}, {5000000, 10, []},
        {10, 100000, [{use_threads, true}]}, {0, 0, [{chunk_size, 1000}]}]]),
    see:value(sendfile_name, with(L, [], fun(C, S) -> Me = self(), spawn_link(fun() -> Me ! {size, size_of(S)} end),
        R = file:sendfile("data", C), gen_tcp:shutdown(C, write), {R, receive {size, Z} -> Z end} end)),
    see:value(sendfile_headers,
        with(L, [{packet, 4}], fun(C, S) -> ok = gen_tcp:send(C, "one"), {ok, F} = file:open("data", [read, raw]),
        R = file:sendfile(F, C, 0, 8, []), {R, gen_tcp:recv(S, 15, 1000)} end)),
    see:value(sendfile_errors,
        with(L, [], fun(C, S) -> {ok, F} = file:open("data", [read, raw]), Me = self(),
        spawn(fun() -> {ok, F2} = file:open("data", [read, raw]), Me ! {r, file:sendfile(F2, C, 0, 10, [])} end),
    R1 = receive {r, X} -> X end, gen_tcp:close(S), R2 = file:sendfile("nosuchfile", C), gen_tcp:close(C),
    [R1, R2, file:sendfile(F, C, 0, 10, [])] end)),
    see:value(sendfile_closed, with(L, [{sndbuf, 4096}], fun(C, S) -> {ok, F} = file:open("data", [read, raw]),
        spawn(fun() -> receive after 50 -> ok end, gen_tcp:close(S) end), R = file:sendfile(F, C, 0, 0, []),
    {element(1, R), gen_tcp:send(C, "x")} end)),
    see:value(sendfile_queued, with(L, [{sndbuf, 4096}, {high_watermark, 10000000}],
        fun(C, S) -> Big = binary:copy(<<"q">>, 500000), ok = gen_tcp:send(C, Big), Me = self(),
        spawn_link(fun() -> {ok, D} = gen_tcp:recv(S, 500000 + 1200000, 10000),
        Me ! {d, D =:= <<Big/binary, Data/binary>>} end), {ok, F} = file:open("data", [read, raw]),
    R = file:sendfile(F, C, 0, 0, []), {R, receive {d, X} -> X end} end)),
    see:value(delay_send,
        with(L, [{delay_send, true}], fun(C, S) -> Rs = [gen_tcp:send(C, integer_to_list(N)) || N <- lists:seq(1, 9)],
        {Rs, gen_tcp:recv(S, 9, 1000)} end)),
    see:value(delay_send_large, with(L, [{delay_send, true}, {sndbuf, 4096}],
        fun(C, S) -> Me = self(), spawn_link(fun() -> Me ! {sent, [gen_tcp:send(C, Data) || _ <- [1, 2, 3]]} end),
        {ok, D} = gen_tcp:recv(S, 3600000, 20000), {receive {sent, R} -> R end, D =:= binary:copy(Data, 3)} end)),
    see:value(nosuspend, with(L, [{sndbuf, 4096}], fun nosuspend/2)),
    see:value(senders, with(L, [{sndbuf, 4096}, {high_watermark, 100}, {low_watermark, 50}, {packet, 4}],
        fun senders/2)),
    see:value(commands, with(L, [], fun commands/2)),
    see:value(both_ways, with(L, [], fun both_ways/2)),
    see:value(many, many(L)),
    see:value(pending, with(L, [{sndbuf, 4096}, {high_watermark, 10000000}], fun(C, S) -> ok = gen_tcp:send(C, Data),
        {ok, [{send_pend, P}]} = inet:getstat(C, [send_pend]), {ok, D} = gen_tcp:recv(S, byte_size(Data), 5000),
    {P > 0, P < byte_size(Data), D =:= Data} end)).

with(L, Opts, Fun) ->
    {ok, Port} = inet:port(L),
    {ok, C} = gen_tcp:connect({127, 0, 0, 1}, Port, [binary, {active, false}], 5000),
    {ok, S} = gen_tcp:accept(L, 5000),
    ok = inet:setopts(C, Opts),
    R = Fun(C, S),
    gen_tcp:close(S), gen_tcp:close(C),
    R.

sendfile(C, S, Data, Offset, Bytes, Opts) ->
    Me = self(),
    Reader = spawn_link(fun() -> Me ! {self(), all(S, [])} end),
    {ok, F} = file:open("data", [read, raw]),
    R = file:sendfile(F, C, Offset, Bytes, Opts),
    gen_tcp:shutdown(C, write),
    Got = receive {Reader, D} -> D end,
    file:close(F),
    Rest = binary:part(Data, min(Offset, byte_size(Data)), byte_size(Data) - min(Offset, byte_size(Data))),
    Wanted = case Bytes of 0 -> Rest; _ -> binary:part(Rest, 0, min(Bytes, byte_size(Rest))) end,
    {R, Got =:= Wanted}.

all(S, Acc) ->
    case gen_tcp:recv(S, 0, 5000) of
        {ok, D} -> all(S, [D | Acc]);
        {error, closed} -> iolist_to_binary(lists:reverse(Acc))
    end.

size_of(S) -> byte_size(all(S, [])).

%% A busy port refuses those who will not wait, and takes what is forced on it.
nosuspend(C, S) ->
    Data = binary:copy(<<"x">>, 200000),
    Me = self(),
    spawn(fun() -> Me ! {blocked, [gen_tcp:send(C, Data) || _ <- lists:seq(1, 60)]} end),
    receive after 100 -> ok end,
    R1 = prim_inet:send(C, "refused", [nosuspend]),
    R2 = erlang:port_command(C, "refused", [nosuspend]),
    {ok, _} = gen_tcp:recv(S, 60 * 200000, 20000),
    R3 = receive {blocked, X} -> lists:usort(X) after 5000 -> none end,
    {R1, R2, R3, prim_inet:send(C, "taken", [nosuspend])}.

%% Many senders, a slow reader: nothing is lost, and each sender's packets come in order.
senders(C, S) ->
    ok = inet:setopts(S, [{packet, 4}]),
    Me = self(),
    [spawn_link(fun() -> [ok = gen_tcp:send(C, <<N:16, I:16, 0:8000>>) || I <- lists:seq(1, 100)], Me ! done end)
        || N <- lists:seq(1, 20)],
    Packets = [begin I rem 200 =:= 0 andalso receive after 1 -> ok end, {ok, <<N:16, K:16, _/binary>>} =
        gen_tcp:recv(S, 0, 5000), {N, K} end || I <- lists:seq(1, 2000)],
    [receive done -> ok end || _ <- lists:seq(1, 20)],
    lists:all(fun(N) -> [K || {M, K} <- Packets, M =:= N] =:= lists:seq(1, 100) end, lists:seq(1, 20)).

%% Sockets are ports, and take the messages that ports take.
commands(C, S) ->
    C ! {self(), {command, "as a message"}},
    R1 = receive {inet_reply, C, X} -> X after 1000 -> none end,
    R2 = gen_tcp:recv(S, 0, 1000),
    true = erlang:port_command(C, ["as a ", <<"command">>]),
    R3 = receive {inet_reply, C, Y} -> Y after 1000 -> none end,
    R4 = gen_tcp:recv(S, 0, 1000),
    R5 = (catch erlang:port_control(C, 1, "x")),
    C ! {self(), close},
    R6 = receive {C, closed} -> closed after 1000 -> none end,
    [R1, R2, R3, R4, R5, R6, erlang:port_info(C), gen_tcp:recv(S, 0, 1000), element(1, erlang:port_info(S, name)),
        erlang:port_info(S, name)].

both_ways(C, S) ->
    Data = binary:copy(<<"0123456789">>, 400000),
    Me = self(),
    [spawn_link(fun() -> ok = gen_tcp:send(X, Data), Me ! sent end) || X <- [C, S]],
    [spawn_link(fun() -> receive go -> ok end, {ok, D} = gen_tcp:recv(X, byte_size(Data), 20000),
        Me ! {got, D =:= Data} end) ! go || X <- [C, S]],
    [receive sent -> ok end || _ <- [1, 2]],
    [receive {got, R} -> R end || _ <- [1, 2]].

many(L) ->
    {ok, Port} = inet:port(L),
    Me = self(),
    Server = spawn_link(fun() -> server(L) end),
    [spawn_link(fun() -> {ok, C} = gen_tcp:connect({127, 0, 0, 1}, Port, [binary, {active, false}]),
        Rs = [begin ok = gen_tcp:send(C, <<N:32, I:32>>), {ok, <<N:32, I:32>>} = gen_tcp:recv(C, 8, 20000), ok end
        || I <- lists:seq(1, 50)], gen_tcp:close(C), Me ! {client, length(Rs)} end) || N <- lists:seq(1, 200)],
    Sum = lists:sum([receive {client, R} -> R end || _ <- lists:seq(1, 200)]),
    unlink(Server), exit(Server, kill),
    Sum.

server(L) ->
    {ok, S} = gen_tcp:accept(L),
    P = spawn(fun() -> receive go -> inet:setopts(S, [{active, true}]), echo(S) end end),
    ok = gen_tcp:controlling_process(S, P),
    P ! go,
    server(L).

echo(S) ->
    receive
        {tcp, S, D} -> ok = gen_tcp:send(S, D), echo(S);
        {tcp_closed, S} -> ok
    end.
