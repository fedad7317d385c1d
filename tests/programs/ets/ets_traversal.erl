%% Walking tables while they change, fixed and not; ordered sets by key of every type.
-module(ets_traversal).
-export([main/0]).

main() ->
    [see:value({T, fixed_delete}, fixed_delete(T)) || T <- [set, ordered_set, bag, duplicate_bag]],
    see:value(insert_while_walking, insert_while_walking()),
    see:value(ordered_types, begin T = ets:new(o, [ordered_set]), [ets:insert(T, {K}) || K <- keys()],
        [plain(K) || {K} <- ets:tab2list(T)] end),
    see:value(int_float_keys, begin T2 = ets:new(o, [ordered_set]), ets:insert(T2, {1, int}),
        ets:insert(T2, {1.0, float}), ets:tab2list(T2) end),
    see:value(int_float_set, begin T3 = ets:new(o, [set]), ets:insert(T3, {1, int}), ets:insert(T3, {1.0, float}),
        lists:sort(ets:tab2list(T3)) end),
    see:value(both_ways, begin T4 = ets:new(o, [ordered_set]),
        [ets:insert(T4, {N * 7919 rem 1009, N}) || N <- lists:seq(1, 1008)],
    {forwards(T4, ets:first(T4), 0), backwards(T4, ets:last(T4), 0), ets:first(T4), ets:last(T4)} end),
    see:value(slot, begin T5 = ets:new(s, []), ets:insert(T5, [{N} || N <- lists:seq(1, 100)]), length(slots(T5, 0))
        end),
    see:value(concurrent, concurrent()),
    see:value(to_from_list, begin T6 = ets:new(s, [bag]), ets:insert(T6, [{a, N rem 3} || N <- lists:seq(1, 10)]),
        lists:sort(ets:tab2list(T6)) end),
    see:value(duplicate_order, begin T7 = ets:new(d, [duplicate_bag]), [ets:insert(T7, {k, N}) || N <- [3, 1, 2, 1]],
        ets:lookup(T7, k) end),
    see:value(bag_order, begin T8 = ets:new(d, [bag]), [ets:insert(T8, {k, N}) || N <- [3, 1, 2, 1]], ets:lookup(T8, k)
        end),
    see:value(table_functions, begin T10 = ets:new(q, [ordered_set]), ets:insert(T10, [{N, N} || N <- lists:seq(1, 5)]),
        ets:foldl(fun({K, _}, A) -> [K | A] end, [], T10) end).

fixed_delete(Type) ->
    T = ets:new(t, [Type]),
    ets:insert(T, [{N, x} || N <- lists:seq(1, 1000)]),
    ets:safe_fixtable(T, true),
    Seen = walk(T, ets:first(T), fun(K) -> ets:delete(T, K) end),
    ets:safe_fixtable(T, false),
    {length(Seen), length(lists:usort(Seen)), ets:info(T, size), ets:first(T)}.

insert_while_walking() ->
    T = ets:new(t, [set]),
    ets:insert(T, [{N} || N <- lists:seq(1, 500)]),
    ets:safe_fixtable(T, true),
    Seen = walk(T, ets:first(T), fun(K) when K =< 500 -> ets:insert(T, {K + 10000}); (_) -> ok end),
    ets:safe_fixtable(T, false),
    {lists:seq(1, 500) -- Seen, ets:info(T, size)}.

walk(_, '$end_of_table', _) -> [];
walk(T, K, F) -> F(K), [K | walk(T, ets:next(T, K), F)].

keys() -> [5, 1.5, a, "s", {1}, {1, 2}, [], <<"b">>, <<>>, #{}, #{a => 1}, -3, 1 bsl 70, b, {}, [1], [a | b],
    fun lists:map/2, 2, 0.5].
plain(F) when is_function(F) -> a_fun;
plain(X) -> X.

forwards(_, '$end_of_table', N) -> N;
forwards(T, K, N) -> forwards(T, ets:next(T, K), N + 1).
backwards(_, '$end_of_table', N) -> N;
backwards(T, K, N) -> backwards(T, ets:prev(T, K), N + 1).
slots(T, N) -> case ets:slot(T, N) of '$end_of_table' -> []; L -> L ++ slots(T, N + 1) end.

concurrent() ->
    T = ets:new(t, [public, ordered_set]), Me = self(),
    Writers = [spawn(fun() -> [ets:insert(T, {{W, N}, N}) || N <- lists:seq(1, 1000)], Me ! done end)
        || W <- lists:seq(1, 4)],
    Reader = spawn(fun() -> read(T, 0) end),
    [receive done -> ok end || _ <- Writers],
    Reader ! {stop, Me}, receive {reads, R} -> ok end,
    {ets:info(T, size), R > 0}.
read(T, N) -> receive {stop, To} -> To ! {reads, N + 1} after 0 -> _ = ets:first(T),
    _ = ets:select_count(T, [{{'_', '$1'}, [{'>', '$1', 500}], [true]}]), read(T, N + 1) end.
