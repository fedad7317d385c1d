%% Maps over 32 keys: hash tries, with collisions of every kind of key, grown and shrunk.
-module(large_maps).
-export([main/0]).

main() ->
    N = 10000,
    M = maps:from_list([{K, K * K} || K <- lists:seq(1, N)]),
    see:value(size, map_size(M)),
    see:value(sum, lists:sum([maps:get(K, M) || K <- lists:seq(1, N)])),
    see:value(missing, [maps:get(K, M, none) || K <- [0, -1, N + 1, 1.0, a, <<1>>]]),
    M2 = lists:foldl(fun(K, A) -> A#{K := x} end, M, lists:seq(2, N, 2)),
    see:value(updated, {map_size(M2), length([K || {K, x} <- maps:to_list(M2)])}),
    see:value(original, maps:get(2, M)),
    M3 = lists:foldl(fun(K, A) -> maps:remove(K, A) end, M2, lists:seq(1, N, 2)),
    see:value(removed, {map_size(M3), lists:usort(maps:values(M3))}),
    M4 = lists:foldl(fun maps:remove/2, M3, lists:seq(1, N - 20)),
    see:value(shrunk, {map_size(M4), lists:sort(maps:to_list(M4))}),
    see:value(emptied, lists:foldl(fun maps:remove/2, M4, maps:keys(M4))),
    Keys = lists:append([[X, float(X), {X}, [X], <<X:32>>, integer_to_list(X), integer_to_binary(X),
        list_to_atom("k" ++ integer_to_list(X)), X bsl 64, #{X => X}] || X <- lists:seq(1, 100)]),
    Mixed = maps:from_list([{K, I} || {I, K} <- lists:zip(lists:seq(1, length(Keys)), Keys)]),
    see:value(mixed, {map_size(Mixed), [maps:get(K, Mixed) || K <- lists:sublist(Keys, 25)]}),
    see:value(mixed_sum, lists:sum(maps:values(Mixed))),
    #{{7} := Seven, 7.0 := SevenF, "7" := SevenS} = Mixed,
    see:value(matched, {Seven, SevenF, SevenS}),
    see:value(equal, M =:= maps:from_list(lists:reverse([{K, K * K} || K <- lists:seq(1, N)]))),
    see:value(not_equal, [M =:= M#{1 := 2}, M == M#{1 := 1.0}, M =:= M#{1 := 1.0}]),
    see:value(compare, [M < M#{N + 1 => x}, M < M#{1 := 2}, M > M#{1 := 0}, M =< M]),
    see:value(in_and_out, [in_and_out(S) || S <- [30, 31, 32, 33, 34, 40, 64, 100, 1000]]),
    see:value(sorted_keys, lists:sublist(lists:sort(maps:keys(M)), 5)),
    see:value(fold, maps:fold(fun(K, V, A) -> A + K + V end, 0, M)),
    see:value(merge, begin X = maps:merge(M, #{1 => one, new => added}),
        {map_size(X), maps:get(1, X), maps:get(new, X)} end),
    see:value(hash, erlang:phash2(M)),
    see:value(sent, begin self() ! M, receive R -> R =:= M end end),
    see:fails([fun() -> M#{0 := x} end, fun() -> maps:get(0, M) end, fun() -> #{0 := _} = M end]).

in_and_out(S) ->
    M = maps:from_list([{{k, K}, K} || K <- lists:seq(1, S)]),
    M2 = maps:remove({k, 1}, M), M3 = M2#{{k, 1} => 1},
    {S, map_size(M2), M3 =:= M, is_map_key({k, 1}, M2)}.
