%% The maps module.
-module(map_functions).
-export([main/0]).

main() ->
    Big = maps:from_list([{N, N rem 7} || N <- lists:seq(1, 200)]),
    [all(Name, M) || {Name, M} <- [{empty, #{}}, {small, #{a => 1, b => 2, c => 3}}, {big, Big}]],
    see:value(update_with, [maps:update_with(a, fun(V) -> V + 1 end, #{a => 1}),
        maps:update_with(z, fun(V) -> V end, init, #{a => 1})]),
    see:value(groups, lists:sort(maps:to_list(maps:groups_from_list(fun(X) -> X rem 3 end, lists:seq(1, 10))))),
    see:value(from_keys, [maps:from_keys([a, b], 0), map_size(maps:from_keys(lists:seq(1, 100), x))]),
    see:value(merge_with, maps:merge_with(fun(_, A, B) -> {A, B} end, #{a => 1, b => 2}, #{b => 3, c => 4})),
    see:value(intersect, [maps:intersect(#{a => 1, b => 2}, #{b => 3}), maps:intersect_with(fun(_, A, B) -> A + B end,
        #{a => 1, b => 2}, #{b => 3})]),
    see:value(duplicates, maps:from_list([{a, 1}, {b, 2}, {a, 3}])),
    see:before(26, iterate, fun() -> iterate(maps:next(maps:iterator(#{a => 1, b => 2, c => 3}))) end),
    see:value(iterate_big, lists:sort(iterate(maps:next(maps:iterator(Big)))) =:= lists:sort(maps:to_list(Big))),
    see:value(filtermap, maps:filtermap(fun(_, 1) -> false; (_, 2) -> {true, two}; (_, _) -> true end,
        #{a => 1, b => 2, c => 3})),
    see:fails([fun() -> maps:update(z, 1, #{}) end, fun() -> maps:update_with(z, fun(V) -> V end, #{}) end,
        fun() -> maps:from_list(see:id([a])) end, fun() -> maps:from_list(see:id([{a, 1} | b])) end,
               fun() -> maps:fold(see:id(x), 0, #{}) end, fun() -> maps:map(fun(_, V) -> V + 1 end, #{a => b}) end,
                   fun() -> maps:merge(#{}, see:id(1)) end, fun() -> maps:to_list(see:id(1)) end,
               fun() -> maps:with(see:id(x), #{}) end, fun() -> maps:next(see:id(x)) end,
                   fun() -> maps:take(a, see:id(x)) end]).

all(Name, M) ->
    see:value({Name, keys}, lists:sort(maps:keys(M)) =:= lists:sort([K || {K, _} <- maps:to_list(M)])),
    see:value({Name, values}, lists:sum(maps:values(M))),
    see:value({Name, map}, lists:sort(maps:to_list(maps:map(fun(K, V) -> {K, V * 2} end, M)))),
    see:value({Name, filter}, lists:sort(maps:to_list(maps:filter(fun(_, V) -> V > 1 end, M)))),
    see:value({Name, fold}, maps:fold(fun(_, V, A) -> V + A end, 0, M)),
    see:value({Name, find}, [maps:find(a, M), maps:find(100, M), maps:find(zzz, M)]),
    see:value({Name, is_key}, [maps:is_key(a, M), maps:is_key(7, M), maps:is_key(7.0, M)]),
    see:value({Name, put}, map_size(maps:put(new, 1, M))),
    see:value({Name, remove}, map_size(maps:remove(a, maps:remove(5, M)))),
    see:value({Name, take}, case maps:take(5, M) of error -> error; {V, R} -> {V, map_size(R)} end),
    see:value({Name, with}, lists:sort(maps:to_list(maps:with([a, c, 5, 9, none], M)))),
    see:value({Name, without}, map_size(maps:without([a, c, 5, 9, none], M))),
    see:value({Name, merge}, [map_size(maps:merge(M, #{a => x, 300 => y})),
        map_size(maps:merge(#{a => x, 300 => y}, M)), map_size(maps:merge(M, M))]),
    see:value({Name, get_default}, [maps:get(a, M, none), maps:get(5, M, none)]).

iterate(none) -> [];
iterate({K, V, I}) -> [{K, V} | iterate(maps:next(I))].
