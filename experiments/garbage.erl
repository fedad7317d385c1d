%% Work for the garbage collector: some data lives long, most of it does not.
-module(garbage).
-export([live/1, churn/1, processes/1]).

%% A tree of 2^17 leaves stays alive while N short-lived trees of 2^10 leaves are built.
live(N) when is_integer(N), N >= 0 ->
    Kept = tree(17),
    trees(N, 0),
    131_072 = leaves(Kept),
    ok.

trees(0, Leaves) -> Leaves;
trees(N, Leaves) -> trees(N - 1, Leaves + leaves(tree(10))).

tree(0) -> leaf;
tree(Depth) -> {tree(Depth - 1), tree(Depth - 1)}.

leaves(leaf) -> 1;
leaves({Left, Right}) -> leaves(Left) + leaves(Right).

%% A map of ten thousand keys in which values are replaced N times, one by one.
churn(N) when is_integer(N), N >= 0 ->
    Map = maps:from_list([{K, [K]} || K <- lists:seq(0, 9_999)]),
    10_000 = map_size(replace(N, Map)),
    ok.

replace(0, Map) -> Map;
replace(N, Map) ->
    replace(N - 1, Map#{N * 7919 rem 10_000 := [N, {replaced, N}]}).

%% A thousand processes; each makes much garbage and keeps little, N times.
processes(N) when is_integer(N), N >= 0 ->
    Workers = [spawn_monitor(fun() -> drop(N, lists:seq(1, 100)) end) || _ <- lists:seq(1, 1000)],
    [receive {'DOWN', Monitor, process, Pid, normal} -> ok end || {Pid, Monitor} <- Workers],
    ok.

drop(0, Kept) -> 100 = length(Kept);
drop(N, Kept) -> drop(N - 1, [X + 1 || X <- Kept]).
