%% The module `socket` with streams: IPv4, IPv6 and local ones; exact and free lengths, time-outs, nowait, peeking,
%% parts of messages, shutting down, several who wait.
%% timeout: 60
-module(socket_streams).
-export([main/0]).

main() ->
    [begin
         see:value({Domain, echo}, with(Domain, fun echo/2)),
         see:value({Domain, lengths}, with(Domain, fun lengths/2)),
         see:value({Domain, timeouts}, with(Domain, fun timeouts/2)),
         see:value({Domain, nowait}, with(Domain, fun nowait/2)),
         see:value({Domain, more}, with(Domain, fun more/2)),
         see:value({Domain, peek}, with(Domain, fun peek/2)),
         see:value({Domain, parts}, with(Domain, fun parts/2)),
         see:value({Domain, halves}, with(Domain, fun halves/2)),
         see:value({Domain, large}, with(Domain, fun large/2)),
         see:value({Domain, blocked}, with(Domain, fun blocked/2)),
         see:value({Domain, readers}, with(Domain, fun readers/2)),
         see:value({Domain, writers}, with(Domain, fun writers/2)),
         see:value({Domain, flags}, with(Domain, fun flags/2)),
         see:value({Domain, from}, with(Domain, fun from/2))
     end || Domain <- [inet, inet6, local]],
    see:value(acceptors, acceptors()),
    see:value(accept_nowait, accept_nowait()),
    see:value(accept_timeout, accept_timeout()),
    see:value(connect, connecting()),
    see:value(connect_nowait, connect_nowait()).

address(inet) -> #{family => inet, port => 0, addr => loopback};
address(inet6) -> #{family => inet6, port => 0, addr => loopback};
address(local) ->
    Name = filename:join(os:getenv("TMPDIR", "/tmp"), "socket_" ++ os:getpid() ++ "_" ++
        integer_to_list(erlang:unique_integer([positive]))),
    #{family => local, path => Name}.

listener(Domain) ->
    {ok, L} = socket:open(Domain, stream, default),
    A = address(Domain),
    ok = socket:bind(L, A),
    ok = socket:listen(L),
    {ok, N} = socket:sockname(L),
    {L, N}.

forget(#{path := Path}) -> file:delete(Path);
forget(_) -> ok.

%% Two ends of a connection.
with(Domain, Fun) ->
    {L, N} = listener(Domain),
    {ok, A} = socket:open(Domain, stream),
    ok = socket:connect(A, N),
    {ok, B} = socket:accept(L),
    R = tried(fun() -> Fun(A, B) end),
    socket:close(A), socket:close(B), socket:close(L),
    forget(N),
    R.

tried(F) -> try F() catch C:R -> {C, R} end.
pause() -> receive after 30 -> ok end.

echo(A, B) ->
    [socket:send(A, "hello"), socket:recv(B, 5), socket:send(B, <<"abc">>), socket:recv(A),
        socket:send(A, ["x", [<<"y">>, $z]]), socket:recv(B, 0, 1000)].

lengths(A, B) ->
    ok = socket:send(A, "0123456789"),
    pause(),
    R = [socket:recv(B, 3), socket:recv(B, 0), socket:recv(B, 1, 0), tried(fun() -> socket:recv(B, -1) end),
        tried(fun() -> socket:recv(B, x) end)],
    ok = socket:send(A, "rest"),
    spawn(fun() -> pause(), socket:send(A, "and more") end),
    R ++ [socket:recv(B, 12, 2000)].

timeouts(A, B) ->
    R1 = socket:recv(B, 5, 20),
    ok = socket:send(A, "ab"),
    R2 = socket:recv(B, 5, 20),
    ok = socket:send(A, "cd"),
    pause(),
    [R1, R2, socket:recv(B, 0, 0), socket:recv(B, 0, 0), socket:recv(B, 3, 0)].

nowait(A, B) ->
    {select, {select_info, Tag, Ref} = Info} = socket:recv(B, 0, nowait),
    pause(),
    None = receive {'$socket', _, _, _} = M0 -> M0 after 0 -> none end,
    ok = socket:send(A, "now"),
    Told = receive {'$socket', B, select, Ref} -> told after 2000 -> none end,
    Got = socket:recv(B, 0, nowait),
    {select, Info2} = socket:recv(B, 10, nowait),
    Cancelled = socket:cancel(B, Info2),
    Again = socket:cancel(B, Info2),
    ok = socket:send(A, "12345"),
    pause(),
    Part = case socket:recv(B, 10, nowait) of {select, {Info3, D}} -> {part, D, socket:cancel(B, Info3)}; O -> O end,
    Handle = make_ref(),
    {select, {select_info, Tag4, Handle}} = socket:recv(B, 0, Handle),
    ok = socket:send(A, "handle"),
    Told4 = receive {'$socket', B, select, Handle} -> told after 2000 -> none end,
    plain([Tag, None, Told, Got, Cancelled, Again, Part, Tag4, Told4, socket:recv(B, 0, nowait), socket:cancel(B, Info),
        flushed()]).

plain(R) when is_reference(R) -> ref;
plain(L) when is_list(L) -> [plain(E) || E <- L];
plain(T) when is_tuple(T) -> list_to_tuple(plain(tuple_to_list(T)));
plain(X) -> X.

flushed() -> receive M -> [M | flushed()] after 0 -> [] end.

more(A, B) ->
    ok = socket:setopt(B, {otp, rcvbuf}, {3, 10}),
    ok = socket:send(A, binary:copy(<<"0123456789">>, 5)),
    pause(),
    R1 = [socket:recv(B), socket:recv(B), socket:recv(B, 0, 20)],
    ok = socket:setopt(B, {otp, rcvbuf}, 4),
    ok = socket:send(A, "abcdefghij"),
    pause(),
    R1 ++ [socket:recv(B), socket:recv(B), socket:recv(B), socket:getopt(B, {otp, rcvbuf})].

peek(A, B) ->
    ok = socket:send(A, "peekable"),
    pause(),
    [socket:recv(B, 4, [peek]), socket:recv(B, 4, [peek], 100), socket:recv(B, 8, []), socket:recv(B, 1, [peek], 10)].

parts(A, B) ->
    R = [socket:sendmsg(A, #{iov => [<<"ab">>, <<>>, <<"cd">>]}), socket:sendmsg(A, #{iov => []}),
        socket:sendmsg(A, #{iov => [binary:copy(<<"z">>, 3) || _ <- lists:seq(1, 1500)]})],
    {ok, <<"abcd", D/binary>>} = socket:recv(B, 4504, 2000),
    ok = socket:send(A, "msg"),
    pause(),
    {ok, M} = socket:recvmsg(B),
    [R, byte_size(D), maps:get(iov, M), maps:get(ctrl, M), maps:get(flags, M), socket:recvmsg(B, 0, 0, [], 10),
        begin {select, I} = socket:recvmsg(B, nowait), socket:cancel(B, I) end,
     tried(fun() -> socket:sendmsg(A, #{iov => [x]}) end),
         tried(fun() -> socket:sendmsg(A, #{iov => [<<"a">> | <<"b">>]}) end),
     tried(fun() -> socket:sendmsg(A, #{}) end)].

halves(A, B) ->
    ok = socket:send(A, "last"),
    R1 = [socket:shutdown(A, write), socket:recv(B, 0), socket:recv(B, 0), socket:recv(B, 5), socket:send(B, "back"),
        socket:recv(A, 4)],
    R1 ++ [socket:send(A, "x"), socket:shutdown(B, read_write), socket:recv(A, 1),
        tried(fun() -> socket:shutdown(A, foo) end), socket:recvfrom(A), socket:recvmsg(A)].

large(A, B) ->
    D = binary:copy(<<"0123456789abcdef">>, 200000),
    Me = self(),
    spawn(fun() -> Me ! {sent, socket:send(A, D)} end),
    {ok, R} = socket:recv(B, byte_size(D), 10000),
    S = receive {sent, X} -> X after 5000 -> none end,
    spawn(fun() -> Me ! {sent, socket:sendmsg(A, #{iov => [binary:copy(<<"q">>, 1000) || _ <- lists:seq(1, 3000)]})}
        end),
    {ok, R2} = socket:recv(B, 3000000, 10000),
    S2 = receive {sent, X2} -> X2 after 5000 -> none end,
    [R =:= D, S, byte_size(R2), S2].

%% Nobody reads: what was sent is told, and the rest can be.
blocked(A, B) ->
    D = binary:copy(<<"x">>, 10000000),
    R1 = socket:send(A, D, 50),
    {Tag, Rest} = case R1 of {error, {timeout, Rst}} -> {timeout, Rst}; {error, timeout} -> {all, D} end,
    {Info, Rest2} = case socket:send(A, Rest, nowait) of
                        {select, {I, Rst2}} -> {I, Rst2};
                        {select, I} -> {I, Rest}
                    end,
    select_info = element(1, Info),
    Cancelled = socket:cancel(A, Info),
    Sent = byte_size(D) - byte_size(Rest2),
    {ok, Got} = socket:recv(B, Sent, 5000),
    [Tag, byte_size(Rest) < byte_size(D), Cancelled, byte_size(Got) =:= Sent, socket:send(A, "more", 5000),
        socket:recv(B, 4, 5000)].

readers(A, B) ->
    Me = self(),
    Ps = [begin P = spawn(fun() -> Me ! {self(), socket:recv(B, 2, 5000)} end), pause(), P end || _ <- [1, 2, 3]],
    #{num_readers := N} = socket:info(B),
    ok = socket:send(A, "aabbcc"),
    Rs = [receive {P, R} -> R after 6000 -> none end || P <- Ps],
    #{num_readers := N2} = socket:info(B),
    [N, lists:sort(Rs), N2].

writers(A, B) ->
    Me = self(),
    D = binary:copy(<<"w">>, 5000000),
    Ps = [begin P = spawn(fun() -> Me ! {self(), socket:send(A, D)} end), pause(), P end || _ <- [1, 2]],
    #{num_writers := N} = socket:info(A),
    {ok, X} = socket:recv(B, 2 * byte_size(D), 10000),
    [N, byte_size(X), [receive {P, R} -> R after 6000 -> none end || P <- Ps], maps:get(num_writers, socket:info(A))].

flags(A, B) ->
    [socket:send(A, "f", [nosignal]), socket:recv(B, 1, []), tried(fun() -> socket:send(A, "x", [foo]) end),
        tried(fun() -> socket:recv(B, 1, [bar]) end), tried(fun() -> socket:send(A, "x", [{}]) end),
    socket:send(A, "num", [16384]), socket:recv(B, 3)].

from(A, B) ->
    ok = socket:send(A, "who"),
    pause(),
    {ok, {_, D}} = socket:recvfrom(B),
    [D, socket:recvfrom(B, 0, 10), socket:recvfrom(B, 5, 0)].

acceptors() ->
    {L, N} = listener(inet),
    Me = self(),
    Ps = [begin P = spawn(fun() -> {ok, S} = socket:accept(L), Me ! {self(), socket:recv(S, 1)} end), pause(), P
        end || _ <- [1, 2, 3]],
    #{num_acceptors := Count, rstates := States} = socket:info(L),
    Cs = [begin {ok, C} = socket:open(inet, stream), ok = socket:connect(C, N), ok = socket:send(C, "!"), C
        end || _ <- Ps],
    Rs = [receive {P, R} -> R after 5000 -> none end || P <- Ps],
    #{num_acceptors := Count2, rstates := States2, counters := #{acc_success := Taken, acc_fails := Fails}} =
        socket:info(L),
    [socket:close(C) || C <- Cs],
    Refused = [socket:recv(L), socket:close(L), socket:accept(L)],
    [Count, States, Rs, Count2, States2, Taken, Fails, Refused].

accept_nowait() ->
    {L, N} = listener(inet),
    {select, {select_info, accept, Ref}} = socket:accept(L, nowait),
    {ok, C} = socket:open(inet, stream),
    ok = socket:connect(C, N),
    Told = receive {'$socket', L, select, Ref} -> told after 2000 -> none end,
    {ok, S} = socket:accept(L, nowait),
    {select, Info} = socket:accept(L, nowait),
    R = [Told, socket:cancel(L, Info), socket:send(C, "a"), socket:recv(S, 1), socket:recv(L, 0, 0)],
    [socket:close(X) || X <- [C, S, L]],
    R.

accept_timeout() ->
    {L, _} = listener(inet),
    R = [socket:accept(L, 10), socket:accept(L, 0), tried(fun() -> socket:accept(L, -1) end)],
    {ok, U} = socket:open(inet, stream),
    R2 = [socket:accept(U), socket:listen(L, 3), tried(fun() -> socket:listen(L, x) end)],
    socket:close(L), socket:close(U),
    R ++ R2 ++ [socket:listen(L), socket:sockname(L), socket:peername(U)].

connecting() ->
    {L, N} = listener(inet),
    socket:close(L),
    {ok, A} = socket:open(inet, stream),
    Refused = socket:connect(A, N, 2000),
    {ok, B} = socket:open(inet, stream),
    R = [Refused, socket:peername(A), socket:recv(A, 1), socket:send(A, "x"),
        socket:connect(B, #{family => local, path => "/nowhere"}),
    socket:connect(B, #{family => inet, port => 1, addr => {1, 2}}),
         tried(fun() -> socket:connect(B, #{family => foo}) end), tried(fun() -> socket:connect(B, {127, 0, 0, 1}) end),
             tried(fun() -> socket:connect(B, #{addr => loopback}) end)],
    socket:close(A), socket:close(B),
    R.

connect_nowait() ->
    {L, N} = listener(inet),
    {ok, C} = socket:open(inet, stream),
    R = case socket:connect(C, N, nowait) of
            ok -> connected;
            {select, {select_info, connect, Ref}} ->
                receive {'$socket', C, select, Ref} -> ok end,
                case socket:connect(C) of ok -> connected; O -> O end
        end,
    {ok, S} = socket:accept(L),
    {ok, #{port := P1}} = socket:sockname(C),
    {ok, #{port := P2}} = socket:peername(S),
    Again = socket:connect(C, N),
    Finish = tried(fun() -> socket:connect(C) end),
    #{wstates := W} = socket:info(C),
    [socket:close(X) || X <- [C, S, L]],
    [R, P1 =:= P2, Again, Finish, W].
