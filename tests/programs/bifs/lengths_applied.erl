%% `length/1` where it is applied: others run while a long list is counted, and an error names the whole list.
%% args: +S 1
-module(lengths_applied).
-export([main/0]).

main() ->
    List = lists:seq(1, 3000000),
    Applied = [fun(X) -> apply(see:id(erlang), see:id(length), [X]) end, fun(X) -> (see:id(fun erlang:length/1))(X) end,
               fun(X) -> (see:id(erlang)):length(X) end, fun(X) -> length(X) end,
                   fun(X) -> apply(erlang, length, see:id([X])) end],
    see:value(lengths, [F(List) || F <- Applied]),
    see:value(others_ran, [others(fun() -> F(List) end) || F <- Applied]),
    see:value(short, [F(L) || F <- Applied, L <- [[], [a], [a, b | []]]]),
    Improper = lists:seq(1, 300000) ++ tail,
    see:value(errors, [named(fun() -> F(L) end) || F <- Applied, L <- [Improper, [a | b], c, #{}, <<>>]]),
    see:value(collected, begin {P, R} =
        spawn_monitor(fun() -> exit(apply(see:id(erlang), see:id(length), [lists:duplicate(500000, {self()})])) end),
                               [erlang:garbage_collect(P) || _ <- [1, 2, 3]], receive {'DOWN', R, _, _, N} -> N end
                               end).

%% Whether another process had turns.
others(Fun) ->
    Self = self(),
    Other = spawn_link(fun() -> Self ! started, count(0) end),
    receive started -> ok end,
    [Fun() || _ <- lists:seq(1, 5)],
    Other ! {stop, Self},
    receive {counted, N} -> N > 10 end.

count(N) ->
    receive {stop, From} -> From ! {counted, N} after 0 -> erlang:yield(), count(N + 1) end.

named(Fun) ->
    try Fun()
    catch error:Reason:Stack ->
        [{erlang, length, [Argument], Info} | _] = Stack,
        {Reason, erlang:phash2(Argument), Info}
    end.
