%% `socket:sendfile`: whole files and parts, to slow readers, with time-outs, and files that cannot be sent.
%% timeout: 60
-module(socket_files).
-export([main/0]).

main() ->
    Name = filename:join(os:getenv("TMPDIR", "/tmp"), "socket_files_" ++ os:getpid()),
    Data = binary:copy(<<"0123456789">>, 300000),
    ok = file:write_file(Name, Data),
    see:value(whole, with(Name, fun(F, A, B) -> P = reader(B, byte_size(Data)), R = socket:sendfile(A, F),
        {R, got(P) =:= Data} end)),
    see:value(part, with(Name,
        fun(F, A, B) -> [socket:sendfile(A, F, 5, 10), socket:recv(B, 10), socket:sendfile(A, F, byte_size(Data) - 3,
        100), socket:recv(B, 3), socket:sendfile(A, F, byte_size(Data) + 10, 5)] end)),
    see:value(timeout, with(Name, fun(F, A, B) -> {error, {timeout, N}} = socket:sendfile(A, F, 0, 0, 50),
        P = reader(B, N), D = got(P), [N < byte_size(Data), D =:= binary:part(Data, 0, N), socket:sendfile(A, F, 0, 3),
        socket:recv(B, 3)] end)),
    see:value(slow, with(Name, fun(F, A, B) -> P = slow(B, byte_size(Data)), R = socket:sendfile(A, F, 0, 0, 20000),
        {R, got(P) =:= Data} end)),
    see:value(counters, with(Name, fun(F, A, _) -> {ok, 20} = socket:sendfile(A, F, 0, 20),
        #{counters := C} = socket:info(A),
    maps:with([sendfile, sendfile_byte, sendfile_fails, sendfile_max, sendfile_pkg, sendfile_pkg_max, sendfile_tries,
        sendfile_waits], C) end)),
    see:value(closed, with(Name, fun(F, A, B) -> ok = file:close(F), [socket:sendfile(A, F, 0, 5), socket:close(B),
        socket:close(A), socket:sendfile(A, F)] end)),
    see:value(bad, with(Name,
        fun(F, A, _) -> [tried(fun() -> socket:sendfile(A, X, O, C) end) || {X, O, C} <- [{x, 0, 0}, {F, -1, 5},
        {F, x, 1}, {F, 0, -1}, {F, 0, x}]] end)),
    see:value(gone, with(Name, fun(F, A, B) -> ok = socket:close(B), timer:sleep(20), R1 = socket:sendfile(A, F),
        R2 = socket:sendfile(A, F), [is_tuple(R1), R2] end)),
    see:value(nowait, with(Name, fun nowait/3)),
    see:value(gen_tcp, [gen(Name, Data, O) || O <- [[], [{inet_backend, socket}]]]),
    file:delete(Name).

tried(F) -> try F() catch C:R -> {C, R} end.

with(Name, Fun) ->
    {ok, F} = file:open(Name, [raw, read, binary]),
    {L, A, B} = ends:stream(),
    R = tried(fun() -> Fun(F, A, B) end),
    [socket:close(S) || S <- [A, B, L]],
    file:close(F),
    R.

reader(S, N) -> Me = self(), spawn(fun() -> R = socket:recv(S, N, 20000), Me ! {self(), R} end).
got(P) -> receive {P, {ok, D}} -> D; {P, R} -> R after 20000 -> none end.

slow(S, N) -> Me = self(), spawn(fun() -> R = slowly(S, N, []), Me ! {self(), {ok, iolist_to_binary(R)}} end).
slowly(_, 0, Acc) -> lists:reverse(Acc);
slowly(S, N, Acc) ->
    {ok, D} = socket:recv(S, min(N, 300000), 10000),
    timer:sleep(2),
    slowly(S, N - byte_size(D), [D | Acc]).

nowait(F, A, B) ->
    {select, {Info, Sent}} = socket:sendfile(A, F, 0, 0, nowait),
    {ok, D} = socket:recv(B, Sent, 5000),
    R = socket:cancel(A, Info),
    [byte_size(D) =:= Sent, R =:= ok orelse R =:= {error, select_sent} orelse R, socket:send(A, "x", 1000),
        socket:recv(B, 1, 1000)].

gen(Name, Data, Opts) ->
    {ok, L} = gen_tcp:listen(0, Opts ++ [binary, {active, false}, {ip, {127, 0, 0, 1}}]),
    {ok, Port} = inet:port(L),
    Me = self(),
    P = spawn(fun() -> {ok, S} = gen_tcp:accept(L), R = gen_tcp:recv(S, byte_size(Data), 20000), Me ! {self(), R} end),
    {ok, C} = gen_tcp:connect({127, 0, 0, 1}, Port, Opts ++ [binary, {active, false}]),
    R = file:sendfile(Name, C),
    D = got(P),
    gen_tcp:close(C), gen_tcp:close(L),
    {R, D =:= Data}.
