%% Enough garbage that the heap must be collected many times while data live on.
-module(garbage_shown).
-export([main/0]).

main() ->
    Kept = build(1000),
    erlang:display(churn(200, Kept)),
    erlang:display(sum(Kept, 0)),
    erlang:display(deep(200000)),
    erlang:display(tree_sum(tree(14))).

build(0) -> [];
build(N) -> [{N, integer_to_list(N), <<N:32>>} | build(N - 1)].

churn(0, Kept) -> length(Kept);
churn(N, Kept) -> _ = build(1000), churn(N - 1, Kept).

sum([], S) -> S;
sum([{N, L, <<N:32>>} | T], S) -> N = list_to_integer(L), sum(T, S + N).

deep(0) -> 0;
deep(N) -> 1 + deep(N - 1).

tree(0) -> leaf;
tree(N) -> {tree(N - 1), N, tree(N - 1)}.

tree_sum(leaf) -> 0;
tree_sum({L, N, R}) -> tree_sum(L) + N + tree_sum(R).
