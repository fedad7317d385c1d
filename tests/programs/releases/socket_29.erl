%% What `socket' does since OTP 28 and 29: several messages at once, and reading on.
%% releases: 29
%% timeout: 20
-module(socket_29).
-export([main/0]).

main() ->
    together(),
    faulty(),
    limits(),
    streams(),
    full(),
    in_turn(),
    reading_on().

udp() ->
    {ok, S} = socket:open(inet, dgram, udp),
    ok = socket:bind(S, #{family => inet, addr => loopback, port => 0}),
    {ok, Name} = socket:sockname(S),
    {S, Name}.

tcp() ->
    {ok, L} = socket:open(inet, stream, tcp),
    ok = socket:bind(L, #{family => inet, addr => loopback, port => 0}),
    ok = socket:listen(L),
    {ok, Name} = socket:sockname(L),
    {ok, A} = socket:open(inet, stream, tcp),
    ok = socket:connect(A, Name),
    {ok, B} = socket:accept(L),
    socket:close(L),
    {A, B}.

%% Without what changes from run to run.
plain(R) when is_reference(R) -> ref;
plain(#{port := _} = M) -> plain(maps:remove(port, M));
plain(M) when is_map(M) -> maps:map(fun(_, V) -> plain(V) end, M);
plain(T) when is_tuple(T) -> list_to_tuple(plain(tuple_to_list(T)));
plain([H | T]) -> [plain(H) | plain(T)];
plain(X) -> X.

sees(Label, Fun) -> see:that(Label, fun() -> plain(Fun()) end).

%% How it fails, without the stack, whose lines are the library's.
fails(Label, Fun) -> see:value(Label, try plain(Fun()) catch C:R -> {C, plain(R)} end).

counters(S) ->
    #{counters := Counters} = socket:info(S),
    lists:sort([{K, V} || {K, V} <- maps:to_list(Counters), V =/= 0]).

texts({ok, Ms}) -> [iolist_to_binary(I) || #{iov := I} <- Ms];
texts(Other) -> Other.

together() ->
    {A, _} = udp(),
    {B, To} = udp(),
    M = fun(Iov) -> #{addr => To, iov => Iov} end,
    Take = fun(Most, Size) -> socket:recvmmsg(B, Most, Size, 0, [], 1000) end,
    sees(sent, fun() -> socket:sendmmsg(A, [M([<<"a">>]), M([<<"b">>, <<"cc">>]), M([])], [], infinity) end),
    sees(received, fun() -> Take(5, 0) end),
    sees(nothing, fun() -> [socket:recvmmsg(B, 5, 0, 0, [], T) || T <- [0, 10]] end),
    sees(later, fun() ->
        {select, {select_info, recvmmsg, Handle}} = socket:recvmmsg(B, 5, 0, 0, [], nowait),
        ok = socket:sendmmsg(A, [M([<<"x">>])], [], nowait),
        receive {'$socket', B, select, Handle} -> Take(1, 3) after 1000 -> none end
    end),
    sees(many, fun() -> {socket:sendmmsg(A, [M([<<I>>]) || I <- lists:seq(1, 5)], [], infinity), texts(Take(2, 0)),
        texts(socket:recvmmsg(B, 2, 0, 0, [peek], infinity)), texts(Take(100, 1))} end),
    sees(cut, fun() -> {socket:sendmmsg(A, [M([<<"abcdef">>]), M([<<"xy">>])], [], infinity), Take(100, 3)} end),
    sees(ancillary, fun() ->
        ok = socket:setopt(B, {ip, recvtos}, true),
        ok = socket:sendmmsg(A, [(M([<<1>>]))#{ctrl => [#{level => ip, type => tos, value => mincost}]}, M([<<2>>])],
            [], infinity),
        R = socket:recvmmsg(B, 2, 10, 100, [], 1000),
        ok = socket:setopt(B, {ip, recvtos}, false),
        R
    end),
    sees(none, fun() -> socket:sendmmsg(A, [], [], infinity) end),
    sees(too_long, fun() -> {socket:sendmmsg(A, [M([<<"ok">>]), M([binary:copy(<<1>>, 70000)]), M([<<"later">>])], [],
        infinity),
        socket:sendmmsg(A, [M([binary:copy(<<1>>, 70000)]), M([<<"later">>])], [], infinity), texts(Take(9, 9))} end),
    see:value(counters, {counters(A), counters(B)}),
    socket:close(A), socket:close(B),
    sees(closed, fun() -> {socket:sendmmsg(A, [M([<<1>>])], [], infinity), socket:sendmmsg(A, [], [], infinity),
        socket:recvmmsg(A, 1, 0, 0, [], 0)} end).

faulty() ->
    {A, _} = udp(),
    {B, To} = udp(),
    Good = #{addr => To, iov => [<<"x">>]},
    [fails({sendmmsg, Ms, Flags}, fun() -> socket:sendmmsg(A, with(Ms, Good), Flags, infinity) end) || {Ms, Flags} <- [
        {[#{iov => [<<"q">>]}], []}, {[#{}], []}, {[#{iov => [a]}], []}, {[#{iov => a}], []},
        {[good, #{iov => [<<1>>, a]}], []},
        {[#{iov => [<<1>> | a]}], []}, {[#{iov => [<<1:3>>]}], []}, {[good, a], []}, {[good | a], []}, {a, []},
        {[good], [foo]}, {[good], [16#40]}, {[good], [1 bsl 40]},
        {[#{iov => [<<1>>], addr => a}], []}, {[#{iov => [<<1>>], addr => #{family => foo}}], []},
        {[#{iov => [<<1>>], addr => #{family => inet, addr => foo, port => 1}}], []},
        {[#{iov => [<<1>>], ctrl => a}], []},
        {[good, #{iov => [<<1>>], ctrl => [#{level => ip, type => tos, value => foo}]}], []}]],
    [fails({recvmmsg, Most, Size, Along, Flags}, fun() -> texts(socket:recvmmsg(B, Most, Size, Along, Flags, 0)) end)
        || {Most, Size, Along, Flags} <- [
        {0, 0, 0, []}, {-1, 0, 0, []}, {1 bsl 40, 1, 1, []}, {1 bsl 70, 1, 1, []}, {1, 1 bsl 70, 0, []},
        {1, 0, 1 bsl 70, []}, {a, 0, 0, []},
        {1.0, 0, 0, []}, {1, -1, 0, []}, {1, 0, 0, [foo]}, {1, 0, 0, [1 bsl 40]}]],
    {'$socket', R} = B,
    Number = make_ref(),
    [fails({recvmmsg, What}, fun() -> prim_socket:recvmmsg(S, Most, Size, 0, Flags, Ref) end)
        || {What, S, Most, Size, Flags, Ref} <- [
        {no_socket, a, 1, 1, [], Number}, {other_reference, Number, 1, 1, [], Number}, {request, R, 1, 1, [], a},
        {most, R, 0, 1, [], Number},
        {less, R, -1, 1, [], Number}, {size, R, 1, -1, [], Number}, {most_first, R, 0, -1, [], zero},
        {zero, R, 1, 1, [], zero}]],
    {'$socket', W} = A,
    [fails({sendmmsg, What}, fun() -> prim_socket:sendmmsg(S, [], [], Ref) end) || {What, S, Ref} <- [
        {no_socket, a, Number}, {other_reference, Number, Number}, {request, W, a}, {zero, W, zero},
        {good, W, Number}]],
    [socket:close(S) || S <- [A, B]].

with([good | T], Good) -> [Good | with(T, Good)];
with([M | T], Good) when is_map(M) -> [maps:merge(Good, M) | with(T, Good)];
with([H | T], Good) -> [H | with(T, Good)];
with(Other, _) -> Other.

limits() ->
    {A, B} = tcp(),
    ok = socket:send(A, binary:copy(<<1>>, 3000)),
    sees(most, fun() -> {ok, Ms} = socket:recvmmsg(B, 2500, 1, 0, [], 1000), length(Ms) end),
    socket:close(A), socket:close(B),
    {C, _} = udp(),
    {D, To} = udp(),
    sees(parts, fun() -> ok = socket:sendmmsg(C, [#{addr => To, iov => [<<I>> || I <- lists:seq(1, 1100)]}], [],
        infinity),
        [byte_size(T) || T <- texts(socket:recvmmsg(D, 1, 10000, 0, [], 1000))] end),
    sees(huge, fun() -> socket:recvmmsg(D, 1 bsl 31, 1, 0, [], 0) end),
    socket:close(C), socket:close(D).

streams() ->
    {A, B} = tcp(),
    sees(sent, fun() -> socket:sendmmsg(A, [#{iov => [<<"abc">>]}, #{iov => [<<"def">>, <<"g">>]}], [], infinity) end),
    apart:wait(fun() -> element(2, socket:recv(B, 7, [peek], 1000)) end, <<"abcdefg">>, 200),
    sees(received, fun() -> [socket:recvmmsg(B, 3, 2, 0, [], 1000), socket:recvmmsg(B, 3, 20, 0, [], 1000),
        socket:recvmmsg(B, 3, 20, 0, [], 0)] end),
    sees(counters, fun() -> {counters(A), lists:keydelete(read_tries, 1, counters(B))} end),
    socket:close(A),
    sees(ended, fun() -> socket:recvmmsg(B, 2, 20, 0, [], 1000) end),
    socket:close(B).

%% More than the receiver's queue takes.
full() ->
    Names = ["socket_29." ++ os:getpid() ++ [$. | integer_to_list(I)] || I <- [1, 2]],
    [A, B] = [begin
        {ok, S} = socket:open(local, dgram),
        ok = socket:bind(S, #{family => local, path => N}),
        S
    end || N <- Names],
    {ok, To} = socket:sockname(B),
    Ms = [#{addr => To, iov => [<<I:16>>]} || I <- lists:seq(1, 300)],
    Send = fun() -> socket:sendmmsg(A, Ms, [], nowait) end,
    ok = Send(),
    sees(full, fun() -> {select, {select_info, sendmmsg, Handle}} = Send(),
        Other = spawn_monitor(fun() -> exit(plain(Send())) end),
        Told = receive {'DOWN', _, process, _, Why} -> Why end,
        {ok, Got} = socket:recvmmsg(B, 1000, 2, 0, [], 0),
        {is_tuple(Other), Told, [I || #{iov := [<<I:16>>]} <- Got] =:= lists:seq(1, length(Got)),
            receive {'$socket', A, select, Handle} -> select after 5000 -> none end, Send()}
    end),
    see:value(counters, [K || {K, _} <- counters(A)]),
    [socket:close(S) || S <- [A, B]],
    [file:delete(N) || N <- Names].

%% One that waits, and one that comes then.
in_turn() ->
    {A, _} = udp(),
    {B, To} = udp(),
    Main = self(),
    {Pid, Ref} = spawn_monitor(fun() ->
        {select, Info} = socket:recvmmsg(B, 2, 0, 0, [], nowait),
        Main ! waits,
        receive {'$socket', B, select, _} -> ok end,
        % The first of two may be there before the second.
        receive sent -> ok end,
        exit({element(2, Info), texts(socket:recvmmsg(B, 2, 0, 0, [], nowait))})
    end),
    receive waits -> ok end,
    sees(in_turn, fun() ->
        Zero = socket:recvmmsg(B, 2, 0, 0, [], 0),
        {select, Info} = socket:recvmmsg(B, 2, 0, 0, [], nowait),
        {Zero, Info, socket:cancel(B, Info)}
    end),
    ok = socket:sendmmsg(A, [#{addr => To, iov => [<<"t">>]}, #{addr => To, iov => [<<"u">>]}], [], infinity),
    Pid ! sent,
    receive {'DOWN', Ref, process, Pid, Why} -> see:value(waited, Why) end,
    [socket:close(S) || S <- [A, B]].

%% Who gets something is told when there is more.
reading_on() ->
    {A, _} = udp(),
    {B, To} = udp(),
    sees(options, fun() ->
        [socket:getopt(B, {otp, select_read}) | [{X, socket:setopt(B, {otp, select_read}, X),
        socket:getopt(B, {otp, select_read})}
        || X <- [true, false, 1, a, <<>>, true]]] end),
    Send = fun(N) -> [ok = socket:sendto(A, <<I:16>>, To) || I <- lists:seq(1, N)] end,
    Told = fun() -> receive {'$socket', B, What, _} -> What after 1000 -> none end end,
    Quiet = fun() -> receive {'$socket', _, What, _} -> What after 50 -> quiet end end,
    Send(2),
    sees(first, fun() -> {socket:recv(B, 0, nowait), Told()} end),
    sees(second, fun() -> {socket:recvfrom(B, 0, nowait), Quiet()} end),
    sees(then, fun() -> Send(1), {Told(), socket:recvmsg(B, nowait), Quiet()} end),
    sees(then, fun() -> Send(1), {Told(), socket:recvmmsg(B, 2, 0, 0, [], nowait), Quiet()} end),
    sees(then, fun() -> Send(1), {Told(), socket:recv(B, 0, 0), Quiet()} end),
    sees(waits, fun() -> Send(1), {socket:recv(B, 0, 1000), Quiet()} end),
    sees(waits, fun() -> Send(1), {socket:recvfrom(B, 0, infinity), Quiet()} end),
    sees(waits, fun() -> Send(1), {socket:recvmsg(B, 0, 0, [], 1000), Quiet()} end),
    sees(cancels, fun() -> Send(1), {select_read, {Info, _}} = socket:recv(B, 0, nowait),
        {socket:cancel(B, Info), Send(1), Quiet(), socket:recv(B, 0, 0)} end),
    [socket:close(S) || S <- [A, B]],
    {C, D} = tcp(),
    ok = socket:setopt(D, {otp, select_read}, true),
    Pass = fun(N) -> ok = socket:send(C, binary:copy(<<$a>>, N)), {ok, _} = socket:recv(D, N, [peek], 1000) end,
    %% Whether a message comes when nothing is left, is chance.
    Stream = fun(Length) -> socket:recv(D, Length, nowait) end,
    Pass(5), sees(stream, fun() -> Stream(0) end),
    Pass(5), sees(part, fun() -> Stream(3) end),
    sees(rest, fun() -> Stream(2) end),
    Pass(5), sees(short, fun() -> Stream(7) end),
    sees(buffer, fun() ->
        ok = socket:send(C, binary:copy(<<$a>>, 20000)),
        {ok, _} = socket:recv(D, 20000, [peek], 1000),
        {Tag, {_, Bytes}} = socket:recv(D, 0, nowait),
        {Tag, byte_size(Bytes)}
    end),
    [socket:close(S) || S <- [C, D]].
