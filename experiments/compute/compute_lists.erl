%% Lists built, reversed, mapped, filtered, folded and split, by the standard library and by hand.
-module(compute_lists).
-export([run/0]).

run() -> loop(60, 0).

loop(0, Sum) -> Sum;
loop(N, Sum) ->
    List = lists:seq(1, 20000),
    Doubled = lists:map(fun(X) -> X * 2 end, List),
    Odd = lists:filter(fun(X) -> X rem 3 =/= 0 end, Doubled),
    Total = lists:foldl(fun(X, S) -> X + S end, 0, lists:reverse(Odd)),
    Pairs = lists:zip(List, Doubled),
    {Left, Right} = lists:unzip(Pairs),
    Total1 = sum(append(Left, Right), Total),
    loop(N - 1, (Sum + Total1) band 16#ffffffff).

append([H | T], L) -> [H | append(T, L)];
append([], L) -> L.

sum([H | T], S) -> sum(T, S + H);
sum([], S) -> S.
