%% Balanced trees of the standard library (gb_trees).
-module(compute_gb_trees).
-export([run/0]).

run() ->
    Tree = build(30000, 1, gb_trees:empty()),
    Sum = lookup(60000, Tree, 0),
    Smaller = drop(5000, Tree),
    {gb_trees:size(Tree), Sum, gb_trees:size(Smaller), length(gb_trees:keys(Smaller)),
     gb_sets:size(gb_sets:from_list([N * 7 rem 5003 || N <- lists:seq(1, 20000)]))}.

build(0, _, Tree) -> Tree;
build(N, Key, Tree) -> build(N - 1, Key * 16807 rem 2147483647, gb_trees:enter(Key, N, Tree)).

lookup(0, _, Sum) -> Sum;
lookup(N, Tree, Sum) ->
    case gb_trees:lookup(N, Tree) of
        {value, Value} -> lookup(N - 1, Tree, Sum + Value);
        none -> lookup(N - 1, Tree, Sum + 1)
    end.

drop(0, Tree) -> Tree;
drop(N, Tree) -> {_, _, Tree1} = gb_trees:take_smallest(Tree), drop(N - 1, Tree1).
