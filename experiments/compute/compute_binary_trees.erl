%% Binary trees of several depths, built and counted, beside one that lives on.
-module(compute_binary_trees).
-export([run/0]).

-define(DEEPEST, 16).

run() ->
    Lasting = tree(?DEEPEST),
    Counts = [{Depth, many(1 bsl (?DEEPEST - Depth + 2), Depth, 0)} || Depth <- lists:seq(4, ?DEEPEST, 3)],
    {Counts, count(Lasting)}.

many(0, _, Sum) -> Sum;
many(N, Depth, Sum) -> many(N - 1, Depth, Sum + count(tree(Depth))).

tree(0) -> {none, none};
tree(Depth) -> {tree(Depth - 1), tree(Depth - 1)}.

count({none, none}) -> 1;
count({Left, Right}) -> count(Left) + count(Right) + 1.
