%% The module `socket` with datagrams: addresses of every family, sizes, flags, ancillary data, errors.
%% timeout: 60
-module(socket_datagrams).
-export([main/0]).

main() ->
    [begin
         see:value({D, plain}, with(D, fun plain/2)),
         see:value({D, sizes}, with(D, fun sizes/2)),
         see:value({D, connected}, with(D, fun connected/2)),
         see:value({D, messages}, with(D, fun messages/2)),
         see:value({D, waiting}, with(D, fun waiting/2)),
         see:value({D, nowait}, with(D, fun nowait/2)),
         see:value({D, too_large}, with(D, fun too_large/2))
     end || D <- [inet, inet6, local]],
    see:value(ancillary, with(inet, fun ancillary/2)),
    see:value(ancillary6, with(inet6, fun ancillary6/2)),
    see:value(bad_ancillary, with(inet, fun bad_ancillary/2)),
    see:value(errors, with(inet, fun errors/2)),
    see:value(queue, with(inet, fun error_queue/2)),
    see:value(bad, with(inet, fun bad/2)),
    see:value(seqpacket, seqpacket()),
    see:value(pairs, abstract()),
    see:value(counters, with(inet, fun counters/2)).

with(D, Fun) ->
    [A, B] = [begin
                  {ok, S} = socket:open(D, dgram),
                  ok = socket:bind(S, address(D)),
                  S
              end || _ <- [1, 2]],
    R = tried(fun() -> Fun(A, B) end),
    [case socket:sockname(S) of {ok, N} -> socket:close(S), forget(N); {error, closed} -> ok end || S <- [A, B]],
    R.

address(local) ->
    #{family => local, path => filename:join(os:getenv("TMPDIR", "/tmp"), "dgram_" ++ os:getpid() ++ "_" ++
        integer_to_list(erlang:unique_integer([positive])))};
address(D) -> #{family => D, port => 0, addr => loopback}.

forget(#{path := P}) -> file:delete(P);
forget(_) -> ok.

tried(F) -> try F() catch C:R -> {C, R} end.
pause() -> receive after 30 -> ok end.
name(S) -> {ok, N} = socket:sockname(S), N.

%% Who a datagram is from, as a letter.
who(A, B, {ok, {From, D}}) -> {ok, {who(A, B, From), D}};
who(A, B, {ok, #{addr := From} = M}) -> {ok, M#{addr := who(A, B, From)}};
who(A, B, From) ->
    case [L || {L, S} <- [{a, A}, {b, B}], name(S) =:= From] of
        [L] -> L;
        [] -> From
    end.

plain(A, B) ->
    [socket:sendto(A, "hello", name(B)), who(A, B, socket:recvfrom(B)), socket:sendto(B, [<<"re">>, "ply"], name(A)),
        who(A, B, socket:recvfrom(A, 0, 1000)), socket:sendto(A, <<>>, name(B)),
    who(A, B, socket:recvfrom(B, 10, 1000)), socket:sendto(A, "x", name(B)), socket:recv(B, 0, 1000)].

sizes(A, B) ->
    ok = socket:sendto(A, "0123456789", name(B)),
    ok = socket:sendto(A, "0123456789", name(B)),
    ok = socket:sendto(A, "0123456789", name(B)),
    ok = socket:sendto(A, "0123456789", name(B)),
    R = [who(A, B, socket:recvfrom(B, 4)), who(A, B, socket:recvfrom(B, 10)), socket:recv(B, 3),
        who(A, B, socket:recvmsg(B, 5, 0, []))],
    D = binary:copy(<<"x">>, 9000),
    ok = socket:sendto(A, D, name(B)),
    ok = socket:sendto(A, D, name(B)),
    {ok, {_, D1}} = socket:recvfrom(B),
    ok = socket:setopt(B, {otp, rcvbuf}, 20000),
    {ok, {_, D2}} = socket:recvfrom(B),
    R ++ [byte_size(D1), byte_size(D2), socket:getopt(B, {otp, rcvbuf})].

connected(A, B) ->
    R = [socket:connect(A, name(B)), socket:send(A, "to b"), who(A, B, socket:recvfrom(B)),
        socket:peername(A) =:= {ok, name(B)}, socket:sendto(B, "to a", name(A)), socket:recv(A, 0, 1000)],
    R ++ [socket:connect(A, #{family => unspec}), socket:peername(A), socket:send(A, "x")].

messages(A, B) ->
    R = [socket:sendmsg(A, #{addr => name(B), iov => [<<"a">>, <<"bc">>]}), who(A, B, socket:recvmsg(B)),
        socket:sendmsg(A, #{iov => [<<"x">>]}), socket:recvmsg(B, 10),
         socket:sendmsg(A, #{addr => name(B), iov => [<<"0123456789">>]})],
    R ++ [who(A, B, socket:recvmsg(B, 4, 0)),
        tried(fun() -> socket:sendmsg(A, #{addr => name(B), iov => [<<"x">> || _ <- lists:seq(1, 2000)]}) end),
    socket:sendmsg(A, #{addr => foo, iov => []}) ].

waiting(A, B) ->
    Me = self(),
    To = name(B),
    R1 = socket:recvfrom(B, 0, 10),
    spawn(fun() -> pause(), Me ! socket:sendto(A, "late", To) end),
    R2 = who(A, B, socket:recvfrom(B, 0, 2000)),
    [R1, R2, receive X -> X end, socket:recv(B, 0, 0), socket:recvmsg(B, 0)].

nowait(A, B) ->
    {select, {select_info, recvfrom, Ref}} = socket:recvfrom(B, 0, nowait),
    ok = socket:sendto(A, "x", name(B)),
    M = receive {'$socket', B, select, Ref} -> told after 1000 -> none end,
    R = who(A, B, socket:recvfrom(B, 0, nowait)),
    {select, Info} = socket:recvmsg(B, nowait),
    [M, R, socket:cancel(B, Info), socket:recv(B, 0, 0)].

too_large(A, B) -> [socket:sendto(A, binary:copy(<<"x">>, 1000000), name(B))].

%% Ancillary data by type, without the bytes that depend on the machine.
along({ok, #{ctrl := Cs, flags := Fs, iov := I}}) -> {lists:sort([one(C) || C <- Cs]), Fs, I};
along(X) -> X.

one(#{level := L, type := timestamp, data := D, value := #{sec := S}}) -> {L, timestamp, byte_size(D), S > 1600000000};
one(#{level := L, type := T, data := D, value := #{ifindex := _} = V}) -> {L, T, byte_size(D), maps:remove(ifindex, V)};
one(#{level := L, type := T, data := D, value := #{port := _} = V}) -> {L, T, byte_size(D), maps:remove(port, V)};
one(#{level := L, type := T, data := D, value := V}) -> {L, T, D, V};
one(#{level := L, type := T, data := D}) -> {L, T, byte_size(D)}.

ancillary(A, B) ->
    Set = [socket:setopt(B, {ip, O}, true) || O <- [recvtos, recvttl, pktinfo, recvorigdstaddr]] ++
        [socket:setopt(B, {socket, timestamp}, true)],
    Send = fun(Ctrl) -> R = socket:sendmsg(A, #{addr => name(B), iov => [<<"d">>], ctrl => Ctrl}),
        {R, along(socket:recvmsg(B, 0, 0, [], 200))} end,
    [Set, Send([]),
     Send([#{level => ip, type => tos, value => mincost}]),
     Send([#{level => ip, type => tos, value => 16}, #{level => ip, type => ttl, value => 7}]),
     Send([#{level => ip, type => tos, data => <<8:32/native>>}]),
     Send([#{level => ip, type => ttl, data => 9}]),
     Send([#{level => 0, type => 2, data => <<11:32/native>>}]),
     begin ok = socket:sendto(A, "t", name(B)), along(socket:recvmsg(B, 0, 40, [], 200)) end].

ancillary6(A, B) ->
    Set = [socket:setopt(B, {ipv6, O}, true) || O <- [recvtclass, recvhoplimit, recvpktinfo]],
    Send = fun(Ctrl) -> R = socket:sendmsg(A, #{addr => name(B), iov => [<<"d">>], ctrl => Ctrl}),
        {R, along(socket:recvmsg(B, 0, 0, [], 200))} end,
    [Set, Send([#{level => ipv6, type => tclass, value => 8}, #{level => ipv6, type => hoplimit, value => 33}]),
        Send([#{level => ipv6, type => hoplimit, value => 12345}])].

bad_ancillary(A, B) ->
    Send = fun(Ctrl) -> tried(fun() -> case socket:sendmsg(A, #{addr => name(B), iov => [<<"d">>], ctrl => Ctrl})
        of {error, {invalid, _}} -> invalid; R -> R end end) end,
    R = [Send(C) || C <- [[#{level => ip, type => foo, value => 1}], [#{level => ip, type => tos, value => x}],
        [#{level => ip, type => tos}], [#{level => ip, type => tos, value => 1, data => 1}],
                      [#{level => ip, type => recvttl, value => 1}], [x], [#{level => foo, type => tos, value => 1}],
                      [#{level => socket, type => rights, data => <<1, 2, 3>>}],
                      [#{level => ip, type => tos, value => 1} || _ <- lists:seq(1, 100)],
                      [#{level => socket, type => timestamp, value => #{sec => 1, usec => 2}}]]],
    ok = socket:setopt(A, {otp, sndctrlbuf}, 10),
    R ++ [Send([#{level => ip, type => tos, value => 1}]), socket:getopt(A, {otp, sndctrlbuf})].

errors(A, B) ->
    N = name(B),
    ok = socket:connect(A, N),
    ok = socket:close(B),
    R = [socket:send(A, "x")],
    pause(),
    {ok, B2} = socket:open(inet, dgram),
    ok = socket:bind(B2, N),
    R ++ [socket:recv(A, 0, 200), socket:send(A, "y"), socket:recv(B2, 0, 200),
        socket:sendto(B2, "z", #{family => inet, port => 9, addr => {255, 255, 255, 255}}),
    socket:sendto(B2, "z", #{family => inet6, port => 9, addr => loopback}), socket:close(B2),
    socket:open(inet, dgram) =/= x].

error_queue(A, B) ->
    N = name(B),
    {ok, C} = socket:open(inet, dgram),
    ok = socket:setopt(A, {ip, recverr}, true),
    ok = socket:bind(C, #{family => inet, port => 0, addr => loopback}),
    Nowhere = name(C),
    ok = socket:close(C),
    R = socket:sendto(A, "lost", Nowhere),
    pause(),
    First = socket:sendto(A, "more", N),
    case socket:recvmsg(A, 0, 0, [errqueue], 500) of
        {ok, #{ctrl := [#{level := L, type := T, value := V}], flags := Fs, iov := I}} ->
            #{offender := #{family := F, addr := Ad}} = V,
            [R, First, L, T, maps:remove(offender, V), F, Ad, Fs, I];
        O -> [R, First, O]
    end.

bad(A, B) ->
    [tried(F) || F <- [fun() -> socket:sendto(A, "x", x) end,
        fun() -> socket:sendto(A, "x", #{family => inet, port => x, addr => any}) end,
    fun() -> socket:sendto(A, x, name(B)) end,
                       fun() -> socket:sendto(A, "x", #{family => inet, port => 1, addr => {1, 2, 3, 300}}) end,
                           fun() -> socket:sendto(A, "x", #{family => local, path => <<0:1100>>}) end,
                       fun() -> socket:sendto(A, "x", #{family => inet, port => 1, addr => any, foo => 1}) end,
                           fun() -> socket:recvfrom(A, -1) end, fun() -> socket:recvfrom(A, x) end,
                       fun() -> socket:bind(A, #{family => 2, addr => <<0, 0>>}) end, fun() -> socket:bind(A, any) end,
                           fun() -> socket:bind(A, broadcast) end, fun() -> socket:open(inet, foo) end,
                       fun() -> socket:open(foo, dgram) end,
                       fun() -> socket:open(inet, dgram, foo) end, fun() -> socket:open(inet, dgram, tcp) end,
                           fun() -> socket:open(12345, dgram) end, fun() -> socket:open(x) end,
                       fun() -> socket:open(99999, #{}) end]].

seqpacket() ->
    Name = address(local),
    {ok, L} = socket:open(local, seqpacket),
    ok = socket:bind(L, Name),
    ok = socket:listen(L),
    {ok, A} = socket:open(local, seqpacket),
    ok = socket:connect(A, Name),
    {ok, B} = socket:accept(L),
    R = [socket:send(A, "one"), socket:send(A, "two"), socket:recv(B), socket:recv(B),
        socket:sendmsg(B, #{iov => [<<"x">>, <<"y">>]}), maps:get(flags, element(2, socket:recvmsg(A))),
    socket:peername(B), socket:getopt(A, {socket, type})],
    [socket:close(S) || S <- [A, B, L]],
    forget(Name),
    R.

abstract() ->
    Name = #{family => local, path => <<0, "dgram_", (list_to_binary(os:getpid()))/binary>>},
    {ok, A} = socket:open(local, dgram),
    {ok, B} = socket:open(local, dgram),
    R = [socket:bind(A, Name), socket:sockname(A) =:= {ok, Name}, socket:sockname(B), socket:sendto(B, "x", Name),
        socket:recvfrom(A), socket:bind(B, Name), maps:get(wstates, socket:info(A)), maps:get(rstates, socket:info(A))],
    [socket:close(S) || S <- [A, B]],
    R.

counters(A, B) ->
    ok = socket:sendto(A, "12345", name(B)),
    ok = socket:sendto(A, "123", name(B)),
    {ok, _} = socket:recvfrom(B),
    {ok, _} = socket:recv(B),
    {error, timeout} = socket:recv(B, 0, 10),
    [maps:get(counters, socket:info(S)) || S <- [A, B]].
