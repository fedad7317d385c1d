%% Large maps walked in both directions and in pieces, and merged where they share keys, nodes or all of them.
-module(large_walks).
-export([main/0]).

main() ->
    [walk(Size) || Size <- [32, 33, 64, 500, 5000]],
    Maps = [from(1, 1000), from(500, 1500), from(1001, 2000), from(1, 20), #{}, from(1, 40), (from(1, 1000))#{7 => x}],
    [io:format("~p~n", [merged(A, B)]) || A <- Maps, B <- Maps],
    ok.

from(First, Last) -> maps:from_list([{I, {value, I}} || I <- lists:seq(First, Last)]).

walk(Size) ->
    Map = maps:from_list([{{key, I}, I} || I <- lists:seq(1, Size)]),
    Steps = steps(maps:next(maps:iterator(Map))),
    Keys = [K || {K, _} <- Steps],
    true = lists:sort(Keys) =:= lists:sort(maps:keys(Map)),
    true = lists:sort(maps:to_list(Map)) =:= lists:sort(Steps),
    true = lists:sum(maps:values(Map)) =:= Size * (Size + 1) div 2,
    Sum = maps:fold(fun(_, V, A) -> V + A end, 0, Map),
    io:format("~p ~p ~p ~p~n", [Size, length(Steps), Sum, map_size(maps:filter(fun(_, V) -> V rem 3 =:= 0 end, Map))]).

steps(none) -> [];
steps({K, V, Next}) -> [{K, V} | steps(maps:next(Next))].

merged(A, B) ->
    M = maps:merge(A, B),
    true = lists:all(fun(K) -> maps:get(K, M) =:= maps:get(K, B, maps:get(K, A, none)) end, maps:keys(M)),
    {map_size(A), map_size(B), map_size(M), M =:= A, M =:= B, erlang:phash2(M)}.
