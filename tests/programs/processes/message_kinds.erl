%% Terms of every kind sent there and back, compared, with the sender gone and after collections.
-module(message_kinds).
-export([main/0]).

main() ->
    Echo = spawn(fun() -> echo() end),
    Terms = terms(),
    see:value(there_and_back, [begin Echo ! {self(), T}, receive {Echo, U} -> U =:= T end end || T <- Terms]),
    see:value(all_at_once, begin Echo ! {self(), Terms}, receive {Echo, Us} -> Us =:= Terms end end),
    see:value(sender_gone, begin Me = self(), {P, R} = spawn_monitor(fun() -> Me ! {gone, terms()} end),
        receive {'DOWN', R, _, P, _} -> ok end, receive {gone, L} -> lists:zipwith(fun alike/2, L, Terms) end end),
    see:value(kept, begin Echo ! {self(), {keep, Terms}}, receive {Echo, kept} -> ok end,
        [collect(Echo) || _ <- [1, 2, 3]], Echo ! {self(), kept}, receive {Echo, K} -> K =:= Terms end end),
    see:value(large_list, begin Long = [{N, integer_to_list(N)} || N <- lists:seq(1, 20000)], Echo ! {self(), Long},
        receive {Echo, Got} -> Got =:= Long end end),
    see:value(deep, begin Deep = deep(20000), Echo ! {self(), Deep}, receive {Echo, D} -> D =:= Deep end end),
    see:value(shared, begin Leaf = lists:seq(1, 100), S = lists:duplicate(50, Leaf), Echo ! {self(), S},
        receive {Echo, S2} -> S2 =:= S end end),
    see:value(sub_binaries, begin B = binary:copy(<<"0123456789">>, 100),
        Subs = [binary:part(B, N, 80) || N <- lists:seq(0, 900, 100)], Echo ! {self(), Subs},
    receive {Echo, Sb} -> Sb =:= Subs end end),
    see:value(bits, begin <<_:3, T0:501/bits, _/bits>> = see:id(binary:copy(<<170>>, 100)), Echo ! {self(), T0},
        receive {Echo, T1} -> {T1 =:= T0, bit_size(T1)} end end),
    see:value(funs, begin X = see:id(5), F = fun(Y) -> {X, Y, Terms =:= terms_same(Terms)} end,
        Echo ! {self(), {apply, F, [6]}}, receive {Echo, A} -> A end end),
    see:value(to_self, begin self() ! Terms, receive Mine -> Mine =:= Terms end end),
    Echo ! stop.

terms() ->
    [1, -1, 1 bsl 59, 1 bsl 64, -(1 bsl 500), 1.5, -0.0, a, '', 'long atom with spaces', [], [1], [a | b], "string", {},
        {1, {2, {3}}},
     <<>>, <<1>>, <<1:3>>, <<"a small binary">>, binary:copy(<<"large">>, 100), binary:copy(<<"huge">>, 100000), #{},
     #{a => 1, "b" => #{c => <<"d">>}},
     maps:from_list([{N, {N}} || N <- lists:seq(1, 200)]), fun lists:map/2, fun erlang:self/0, [[[[[]]]]],
     list_to_tuple(lists:seq(1, 300)), lists:duplicate(10, <<"x">>), true, undefined].

terms_same(T) -> T.

alike(A, B) -> A =:= B.

deep(0) -> bottom;
deep(N) -> {[deep(N - 1)]}.

collect(P) -> erlang:garbage_collect(P).

echo() ->
    receive
        {From, {keep, T}} -> From ! {self(), kept}, receive {From, kept} -> From ! {self(), T} end, echo();
        {From, {apply, F, As}} -> From ! {self(), apply(F, As)}, echo();
        {From, T} -> From ! {self(), T}, echo();
        stop -> ok
    end.
