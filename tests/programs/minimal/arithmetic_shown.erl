%% Integer arithmetic around the small/big border, with nothing but display.
-module(arithmetic_shown).
-export([main/0]).
-export([id/1]).

main() ->
    Border = id(1 bsl 59),
    Numbers = [0, 1, -1, Border - 1, Border, -Border, -Border - 1, id(1 bsl 64)],
    show(Numbers).

show([]) -> ok;
show([N | Rest]) ->
    erlang:display({N, N + 1, N - 1, -N, N * 3}),
    erlang:display({N div 7, N rem 7, N bsl 3, N bsr 3}),
    erlang:display({N band 255, N bor 1, N bxor 3, bnot N}),
    erlang:display({N < 5, N =< 1, N == 1.0, N =:= 1, N > 0}),
    show(Rest).

id(X) -> X.
