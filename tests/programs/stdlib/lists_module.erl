%% The lists module.
-module(lists_module).
-export([main/0]).

main() ->
    L = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5], K = [{b, 2}, {a, 1}, {c, 3}, {a, 4}],
    see:value(sort, [lists:sort(L), lists:usort(L), lists:sort(fun(A, B) -> A >= B end, L),
        lists:usort(fun(A, B) -> A >= B end, L), lists:reverse(L)]),
    see:value(stable, lists:sort(fun({A, _}, {B, _}) -> A =< B end, [{X rem 3, X} || X <- lists:seq(1, 20)])),
    see:value(sort_mixed, lists:sort([b, 1, "s", {t}, 1.0, 0.5, <<"b">>, a, [], #{}, -1])),
    see:value(sort_large, begin R = random(5000, 7), S = lists:sort(R),
        {S =:= lists:sort(lists:reverse(R)), length(lists:usort(R)), erlang:phash2(S)} end),
    see:value(merge, [lists:merge([1, 3, 5], [2, 4, 6]), lists:merge([[1, 4], [2, 5], [3]]),
        lists:umerge([1, 2], [2, 3]), lists:merge3([1], [2], [0]), lists:merge(fun(A, B) -> A >= B end, [5, 3],
        [4, 2])]),
    see:value(keysort, [lists:keysort(1, K), lists:keysort(2, K), lists:ukeysort(1, K),
        lists:keymerge(1, [{a, 1}], [{b, 2}])]),
    see:value(key, [lists:keyfind(a, 1, K), lists:keymember(3, 2, K), lists:keydelete(a, 1, K),
        lists:keyreplace(a, 1, K, {z, 0}), lists:keystore(q, 1, K, {q, 9}), lists:keytake(c, 1, K),
    lists:keymap(fun(X) -> X * 10 end, 2, K), lists:keysearch(b, 1, K)]),
    see:value(folds, [lists:foldl(fun(X, A) -> [X | A] end, [], L), lists:foldr(fun(X, A) -> [X | A] end, [], L),
        lists:mapfoldl(fun(X, A) -> {X * 2, A + X} end, 0, L), lists:mapfoldr(fun(X, A) -> {X * 2, A + X} end, 0, L)]),
    see:value(maps, [lists:map(fun(X) -> X + 1 end, L), lists:flatmap(fun(X) -> [X, X] end, [1, 2]),
        lists:filter(fun(X) -> X > 3 end, L), lists:filtermap(fun(X) when X > 4 -> {true, X * 10}; (X) -> X =:= 1 end,
        L), lists:partition(fun(X) -> X > 3 end, L)]),
    see:value(predicates, [lists:all(fun is_integer/1, L), lists:any(fun(X) -> X > 8 end, L), lists:member(9, L),
        lists:search(fun(X) -> X > 4 end, L)]),
    see:value(taking, [lists:takewhile(fun(X) -> X < 5 end, L), lists:dropwhile(fun(X) -> X < 5 end, L),
        lists:splitwith(fun(X) -> X < 5 end, L), lists:split(3, L), lists:sublist(L, 3), lists:sublist(L, 3, 4),
    lists:sublist(L, 100), lists:nthtail(8, L), lists:nth(6, L), lists:last(L), lists:droplast(L)]),
    see:value(building, [lists:seq(1, 5), lists:seq(5, 1, -2), lists:seq(1, 0), lists:duplicate(3, x),
        lists:append([[1], [2, 3], []]), lists:append([1], [2]), lists:concat([a, 1, "s", 2.5]),
    lists:flatten([1, [2, [3, []], "45"]]), lists:flatten([[1], 2], [tail]), lists:join(x, [1, 2, 3]),
    lists:enumerate([a, b]), lists:enumerate(5, [a, b])]),
    see:value(zips, [lists:zip([1, 2], [a, b]), lists:unzip([{1, a}, {2, b}]), lists:zip3([1], [2], [3]),
        lists:unzip3([{1, 2, 3}]), lists:zipwith(fun(A, B) -> A + B end, [1, 2], [3, 4]),
    lists:zipwith3(fun(A, B, C) -> A + B + C end, [1], [2], [3])]),
    see:value(numbers, [lists:sum(L), lists:max(L), lists:min(L), lists:max([a, 1, "x"]), lists:sum([1, 2.5]),
        lists:sum([])]),
    see:value(delete, [lists:delete(1, L), lists:subtract(L, [1, 5]), lists:prefix("ab", "abc"),
        lists:suffix("bc", "abc"), lists:uniq([a, b, a, c, b]), lists:uniq(fun({X, _}) -> X end, [{a, 1}, {a, 2}])]),
    see:value(flatlength, [lists:flatlength([1, [2, [3]]]), lists:foreach(fun(_) -> ok end, L)]),
    see:fails([fun() -> lists:nth(0, L) end, fun() -> lists:nth(100, L) end, fun() -> lists:max([]) end,
        fun() -> lists:last([]) end, fun() -> lists:zip([1], [1, 2]) end, fun() -> lists:seq(1, 5, 0) end,
    fun() -> lists:map(fun(X) -> X + a end, [1]) end, fun() -> lists:sublist(L, -1) end,
               fun() -> lists:foldl(fun(X, _) -> X end, 0, [1 | 2]) end, fun() -> lists:sort([a | b]) end,
                   fun() -> lists:sum([a]) end, fun() -> lists:nthtail(20, L) end, fun() -> lists:flatten(see:id(x))
                   end, fun() -> lists:keysort(3, K) end, fun() -> lists:split(100, L) end]).

random(0, _) -> [];
random(N, S) -> X = (S * 1103515245 + 12345) band 16#7fffffff, [X rem 1000 | random(N - 1, X)].
