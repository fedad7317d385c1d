%% Large lists and tuples that stay alive, as work for the garbage collector.
-module(compute_build).
-export([run/0]).

run() ->
    List = build(1500000, []),
    Tree = tree(17),
    {length(List), depth(Tree), checksum(List, 0)}.

build(0, List) -> List;
build(N, List) -> build(N - 1, [N | List]).

tree(0) -> leaf;
tree(N) -> {node, tree(N - 1), N, tree(N - 1)}.

depth(leaf) -> 0;
depth({node, Left, _, Right}) -> 1 + max(depth(Left), depth(Right)).

checksum([H | T], Sum) -> checksum(T, (Sum + H) band 16#ffffff);
checksum([], Sum) -> Sum.
