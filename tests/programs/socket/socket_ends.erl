%% The ends of sockets: closing while others wait, owners that end or give the socket away, who else may close, what is
%% counted and listed, and that nothing is left open.
%% timeout: 60
-module(socket_ends).
-export([main/0]).

main() ->
    see:value(pending, [pending(W) || W <- [recv, recvfrom, recvmsg, accept, send, two_readers, two_acceptors]]),
    see:value(nowait, [nowait(W) || W <- [recv, accept]]),
    see:value(twice, twice()),
    see:value(owner_ends, [owner_ends(W) || W <- [idle, used, listening]]),
    see:value(waiter_ends, [waiter_ends(W) || W <- [reader, acceptor, writer, queued]]),
    see:value(given, given()),
    see:value(given_to_none, given_to_none()),
    see:value(other_closes, other_closes()),
    see:value(counted, counted()),
    see:value(listed, listed()),
    see:value(unregistered, unregistered()),
    see:value(lingers, lingers()),
    see:value(reset, reset()),
    see:value(peer_closes, peer_closes()),
    see:value(after_close, after_close()),
    see:value(meta, meta()),
    see:value(descriptors, descriptors()),
    see:value(monitors, monitors()).

pause() -> receive after 30 -> ok end.
tried(F) -> try F() catch C:R -> {C, R} end.
plain(R) when is_reference(R) -> ref;
plain(R) when is_pid(R) -> pid;
plain(L) when is_list(L) -> [plain(E) || E <- L];
plain(T) when is_tuple(T) -> list_to_tuple(plain(tuple_to_list(T)));
plain(X) -> X.
got(P) -> receive {P, R} -> R after 3000 -> none end.
in(F) -> Me = self(), P = spawn(fun() -> R = F(), Me ! {self(), R} end), pause(), P.

pending(What) ->
    {L, A, B} = ends:stream(),
    Ps = case What of
             recv -> [in(fun() -> socket:recv(B, 5) end)];
             recvfrom -> [in(fun() -> socket:recvfrom(B, 5) end)];
             recvmsg -> [in(fun() -> socket:recvmsg(B) end)];
             accept -> [in(fun() -> socket:accept(L) end)];
             send -> [in(fun() -> element(1, socket:send(A, binary:copy(<<"x">>, 10000000))) end)];
             two_readers -> [in(fun() -> socket:recv(B, 5) end) || _ <- [1, 2]];
             two_acceptors -> [in(fun() -> socket:accept(L) end) || _ <- [1, 2]]
         end,
    R = [socket:close(S) || S <- [A, B, L]],
    {What, R, [got(P) || P <- Ps]}.

nowait(What) ->
    {L, A, B} = ends:stream(),
    S = case What of recv -> B; accept -> L end,
    {select, {select_info, What, Ref}} = case What of recv -> socket:recv(B, 0, nowait);
        accept -> socket:accept(L, nowait) end,
    R = socket:close(S),
    M = receive {'$socket', S, abort, {Ref, Reason}} -> Reason; Other -> Other after 1000 -> none end,
    [socket:close(X) || X <- [A, B, L] -- [S]],
    {R, plain(M)}.

twice() ->
    {L, A, B} = ends:stream(),
    [socket:close(A), socket:close(A), socket:recv(A), socket:send(A, "x"), socket:close(L), socket:close(B),
        tried(fun() -> socket:close(x) end), tried(fun() -> socket:close({'$socket', make_ref()}) end)].

owner_ends(What) ->
    Me = self(),
    {P, M} = spawn_monitor(fun() ->
        {L, A, B} = ends:stream(),
        case What of
            idle -> ok;
            used -> {error, timeout} = socket:recv(B, 1, 10);
            listening -> {error, timeout} = socket:accept(L, 10)
        end,
        Me ! {self(), L, A, B},
        receive stop -> ok end
    end),
    {L, A, B} = receive {P, L0, A0, B0} -> {L0, A0, B0} end,
    Waiter = in(fun() -> socket:recv(A, 1, 2000) end),
    Acceptor = in(fun() -> socket:accept(L, 2000) end),
    P ! stop,
    receive {'DOWN', M, _, _, _} -> ok end,
    pause(),
    [socket:recv(B, 1), socket:sockname(L), socket:send(A, "x"), got(Waiter), got(Acceptor), socket:close(A)].

waiter_ends(What) ->
    {L, A, B} = ends:stream(),
    {ok, N} = socket:sockname(L),
    R = case What of
        reader ->
            P = in(fun() -> socket:recv(B, 5) end),
            exit(P, kill), pause(),
            [maps:get(num_readers, socket:info(B)), socket:send(A, "abcde"), socket:recv(B, 5, 1000)];
        acceptor ->
            P = in(fun() -> socket:accept(L) end),
            Q = in(fun() -> element(1, socket:accept(L)) end),
            exit(P, kill), pause(),
            N1 = maps:get(num_acceptors, socket:info(L)),
            {ok, C} = socket:open(inet, stream),
            [N1, socket:connect(C, N), got(Q), socket:close(C)];
        writer ->
            P = in(fun() -> socket:send(A, binary:copy(<<"x">>, 10000000)) end),
            exit(P, kill), pause(),
            N1 = maps:get(num_writers, socket:info(A)),
            Drain = in(fun() -> drain(B, 0) end),
            R1 = socket:send(A, "y", 3000),
            socket:close(A),
            [N1, R1, got(Drain) > 0];
        queued ->
            P = in(fun() -> socket:recv(B, 2) end),
            Q = in(fun() -> socket:recv(B, 2) end),
            exit(Q, kill), pause(),
            N1 = maps:get(num_readers, socket:info(B)),
            [N1, socket:send(A, "abcd"), got(P), socket:recv(B, 2, 1000)]
    end,
    [socket:close(S) || S <- [L, A, B]],
    R.

drain(S, N) ->
    case socket:recv(S, 0, 3000) of
        {ok, D} -> drain(S, N + byte_size(D));
        _ -> N
    end.

given() ->
    {L, A, B} = ends:stream(),
    Me = self(),
    P = spawn(fun() ->
        receive go -> ok end,
        Me ! {self(), [socket:getopt(A, {otp, controlling_process}) =:= {ok, self()}, socket:send(A, "mine")]},
        receive stop -> ok end
    end),
    R = [socket:setopt(A, {otp, controlling_process}, P), socket:setopt(A, {otp, controlling_process}, self()),
        socket:setopt(A, {otp, controlling_process}, x)],
    P ! go,
    R2 = [got(P), socket:recv(B, 4, 1000)],
    P ! stop,
    R3 = [socket:recv(B, 1, 1000), socket:info(A) =/= x],
    [socket:close(S) || S <- [L, B]],
    R ++ R2 ++ R3 ++ [socket:close(A), socket:setopt(B, {otp, controlling_process}, self())].

given_to_none() ->
    {L, A, B} = ends:stream(),
    {P, M} = spawn_monitor(fun() -> ok end),
    receive {'DOWN', M, _, _, _} -> ok end,
    R = [socket:setopt(A, {otp, controlling_process}, P), socket:recv(B, 1, 1000), socket:send(A, "x")],
    [socket:close(S) || S <- [L, B]],
    R.

other_closes() ->
    {L, A, B} = ends:stream(),
    P = in(fun() -> socket:close(A) end),
    R = [got(P), socket:send(A, "x"), socket:recv(B, 0, 1000)],
    [socket:close(S) || S <- [L, B]],
    R.

%% OTP 25 counts local sockets as those of IPv6, and protocols that were not asked for by name wrongly; what is printed
%% is the rest.
counted() ->
    Before = socket:number_of(),
    {L, A, B} = ends:stream(),
    {ok, U} = socket:open(inet6, dgram),
    {ok, X} = socket:open(local, seqpacket),
    Count = fun() -> #{counters := C} = socket:info(),
        maps:with([num_sockets, num_tstreams, num_tdgrams, num_tseqpkgs, num_dinet], C) end,
    During = Count(),
    R = socket:number_of() - Before,
    [socket:close(S) || S <- [L, A, B, U, X]],
    After = Count(),
    [R, socket:number_of() - Before, maps:map(fun(K, V) -> V - maps:get(K, After) end, During)].

listed() ->
    {L, A, B} = ends:stream(),
    {ok, U} = socket:open(inet, dgram),
    Mine = fun(F) -> length([S || S <- socket:which_sockets(F), lists:member(S, [L, A, B, U])]) end,
    R = [Mine(F) || F <- [inet, inet6, stream, dgram, tcp, udp, self()]] ++
        [Mine(fun(#{type := T}) -> T =:= dgram end)],
    [socket:close(S) || S <- [L, A, B, U]],
    R ++ [Mine(inet), socket:is_supported(ipv6), socket:is_supported(options, socket, rcvbuf),
        socket:is_supported(foo)].

unregistered() ->
    {ok, S} = socket:open(inet, stream, tcp, #{use_registry => false}),
    R = [lists:member(S, socket:which_sockets()), socket:getopt(S, {otp, use_registry}),
        socket:setopt(S, {otp, use_registry}, false), socket:setopt(S, {otp, use_registry}, true),
    lists:member(S, socket:which_sockets())],
    R ++ [socket:close(S), lists:member(S, socket:which_sockets())].

lingers() ->
    {L, A, B} = ends:stream(),
    R = [socket:setopt(A, {socket, linger}, #{onoff => true, linger => 2}), socket:send(A, "bye"), socket:close(A),
        socket:recv(B, 3, 1000), socket:recv(B, 1, 1000)],
    [socket:close(S) || S <- [L, B]],
    R.

reset() ->
    {L, A, B} = ends:stream(),
    P = in(fun() -> socket:recv(B, 4) end),
    R = [socket:setopt(A, {socket, linger}, abort), socket:close(A), got(P), socket:recv(B, 1, 100),
        socket:send(B, "x")],
    [socket:close(S) || S <- [L, B]],
    R.

peer_closes() ->
    {L, A, B} = ends:stream(),
    Ps = [in(fun() -> socket:recv(B, 4) end) || _ <- [1, 2]],
    ok = socket:send(A, "xy"),
    pause(),
    ok = socket:close(A),
    R = [[got(P) || P <- Ps], socket:recv(B, 0)],
    [socket:close(S) || S <- [L, B]],
    R.

after_close() ->
    {L, A, B} = ends:stream(),
    [ok = socket:close(S) || S <- [L, A, B]],
    #{rstates := Rs, wstates := Ws, owner := O} = socket:info(A),
    [Rs, Ws, O, socket:getopt(A, {socket, type}), socket:setopt(A, {socket, keepalive}, true), socket:sockname(A),
        socket:peername(A), socket:shutdown(A, read),
     socket:bind(A, #{family => inet, port => 0, addr => any}), socket:listen(L),
     socket:connect(A, #{family => inet, port => 1, addr => any}), socket:ioctl(A, gifconf),
     socket:cancel(A, {select_info, recv, make_ref()}),
     socket:sendto(A, "x", #{family => inet, port => 1, addr => any})].

meta() ->
    {ok, S} = socket:open(inet, dgram),
    R = [socket:getopt(S, {otp, meta}), socket:setopt(S, {otp, meta}, #{a => [1, {b, <<"c">>}]}),
        socket:getopt(S, {otp, meta}), got(in(fun() -> socket:setopt(S, {otp, meta}, x) end))],
    socket:close(S),
    R.

descriptors() ->
    Count = fun() -> {ok, Fs} = file:list_dir("/proc/self/fd"), length(Fs) end,
    Before = Count(),
    [begin {L, A, B} = ends:stream(), {error, timeout} = socket:recv(A, 0, 0), [ok = socket:close(S) || S <- [L, A, B]]
        end || _ <- lists:seq(1, 50)],
    Ps = [spawn_monitor(fun() -> {_, A, _} = ends:stream(), {error, timeout} = socket:recv(A, 0, 1) end)
        || _ <- lists:seq(1, 20)],
    [receive {'DOWN', M, _, _, W} -> normal = W end || {_, M} <- Ps],
    pause(),
    Count() - Before.

monitors() ->
    {_, N} = erlang:process_info(self(), monitors),
    {_, ByN} = erlang:process_info(self(), monitored_by),
    [N, length(ByN) < 5, erlang:process_info(self(), message_queue_len)].
