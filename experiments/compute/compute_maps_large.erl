%% Large maps: building, lookups, updates and folds.
-module(compute_maps_large).
-export([run/0]).

run() ->
    Map = build(50000, #{}),
    Sum = lookup(200000, Map, 0),
    Words = count(200000, #{}),
    Total = maps:fold(fun(_, V, S) -> S + V end, 0, Map),
    {map_size(Map), Sum, map_size(Words), Total, maps:get({key, 7}, Words, none)}.

build(0, Map) -> Map;
build(N, Map) -> build(N - 1, Map#{N => N * 2}).

lookup(0, _, Sum) -> Sum;
lookup(N, Map, Sum) ->
    case Map of
        #{N := Value} -> lookup(N - 1, Map, Sum + Value);
        #{} -> lookup(N - 1, Map, Sum + 1)
    end.

count(0, Map) -> Map;
count(N, Map) ->
    Key = {key, N * 7 rem 1009},
    count(N - 1, maps:update_with(Key, fun(C) -> C + 1 end, 1, Map)).
