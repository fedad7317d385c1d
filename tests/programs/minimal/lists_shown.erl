%% Lists built, taken apart, reversed and measured without any library.
-module(lists_shown).
-export([main/0]).

main() ->
    List = seq(1, 20),
    erlang:display(List),
    erlang:display(reverse(List, [])),
    erlang:display(length(List)),
    erlang:display(hd(tl(List))),
    erlang:display([X * X || X <- List, X rem 2 =:= 0]),
    erlang:display(List ++ [tail]),
    erlang:display([1, 2, 3, 2, 1] -- [2, 1]),
    erlang:display([improper | tail]),
    erlang:display("a string"),
    erlang:display(sum(seq(1, 100000), 0)),
    erlang:display(length(map(fun(X) -> {X, X} end, seq(1, 50000)))).

seq(N, Max) when N > Max -> [];
seq(N, Max) -> [N | seq(N + 1, Max)].

reverse([], Done) -> Done;
reverse([H | T], Done) -> reverse(T, [H | Done]).

sum([], Sum) -> Sum;
sum([H | T], Sum) -> sum(T, Sum + H).

map(_, []) -> [];
map(F, [H | T]) -> [F(H) | map(F, T)].
