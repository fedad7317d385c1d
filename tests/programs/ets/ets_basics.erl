%% The four types of tables: insert, lookup, delete, counters, members.
-module(ets_basics).
-export([main/0]).

main() -> [type(T) || T <- [set, ordered_set, bag, duplicate_bag]], errors().

type(T) ->
    E = ets:new(table, [T, public]),
    S = fun(L) -> case T of ordered_set -> L; _ -> lists:sort(L) end end,
    see:value({T, insert}, [ets:insert(E, {a, 1}), ets:insert(E, [{b, 2}, {c, 3}, {b, 20}]), ets:insert(E, {a, 1}),
        ets:insert(E, {1, x}), ets:insert(E, {1.0, y})]),
    see:value({T, all}, S(ets:tab2list(E))),
    see:value({T, lookup}, [S(ets:lookup(E, K)) || K <- [a, b, 1, 1.0, z]]),
    see:value({T, member}, [ets:member(E, K) || K <- [a, z]]),
    see:value({T, insert_new}, [ets:insert_new(E, {a, 9}), ets:insert_new(E, {new, 1}),
        ets:insert_new(E, [{n1, 1}, {a, 1}]), ets:member(E, n1)]),
    see:value({T, size}, ets:info(E, size)),
    see:value({T, element}, [catch_it(fun() -> ets:lookup_element(E, K, 2) end) || K <- [a, c, z]]),
    see:value({T, delete_object}, [ets:delete_object(E, {b, 20}), S(ets:lookup(E, b))]),
    see:value({T, take}, [S(ets:take(E, a)), ets:lookup(E, a)]),
    see:value({T, delete}, [ets:delete(E, c), ets:delete(E, c), ets:lookup(E, c)]),
    see:value({T, counter}, [catch_it(fun() -> ets:update_counter(E, K, Op) end)
        || {K, Op} <- [{new, 5}, {new, {2, 10}}, {new, {2, -3, 0, 100}}, {new, [{2, 1}, {2, 1}]},
        {new, {2, 1000, 50, 0}}, {zzz, 1}]]),
    see:value({T, counter_default}, catch_it(fun() -> ets:update_counter(E, fresh, {2, 1}, {fresh, 10}) end)),
    see:value({T, update_element}, [catch_it(fun() -> ets:update_element(E, new, {2, changed}) end),
        catch_it(fun() -> ets:update_element(E, zzz, {2, x}) end), ets:lookup(E, new)]),
    see:value({T, walk}, length(walk(E, ets:first(E)))),
    see:value({T, last}, begin case T of ordered_set -> {ets:first(E), ets:last(E), ets:next(E, ets:first(E)),
        ets:prev(E, ets:last(E)), ets:next(E, ets:last(E)), ets:next(E, 1.5), ets:prev(E, aa)}; _ -> ok end end),
    see:value({T, delete_all}, [ets:delete_all_objects(E), ets:tab2list(E), ets:first(E), ets:info(E, size)]),
    [ets:insert(E, {N, N * N}) || N <- lists:seq(1, 5000)],
    see:value({T, many}, {ets:info(E, size), lists:sum([V || N <- lists:seq(1, 5000), {_, V} <- ets:lookup(E, N)])}),
    [ets:delete(E, N) || N <- lists:seq(1, 5000, 2)],
    see:value({T, halved}, {ets:info(E, size), length(ets:tab2list(E)), erlang:phash2(lists:sort(ets:tab2list(E)))}),
    see:value({T, fold}, [ets:foldl(fun({_, V}, A) -> V + A end, 0, E), ets:foldr(fun({_, V}, A) -> V + A end, 0, E)]),
    see:value({T, types}, [begin ets:insert(E, {K, value}), ets:lookup(E, K) =:= [{K, value}] end
        || K <- ["string", <<"bin">>, {tuple, 1}, 1 bsl 70, 1.5e10, [], #{a => 1}, {}, self(), make_ref()]]),
    see:value({T, binaries}, begin B = binary:copy(<<"x">>, 1000), ets:insert(E, {bin, B}),
        [{bin, B2}] = ets:lookup(E, bin), B2 =:= B end),
    see:value({T, keypos}, begin E2 = ets:new(x, [T, {keypos, 2}]), ets:insert(E2, [{1, k}, {2, l}, {3, k}]),
        R = S(ets:lookup(E2, k)), ets:delete(E2), R end),
    see:value({T, deleted}, [ets:delete(E), ets:info(E), catch_it(fun() -> ets:lookup(E, a) end)]).

walk(_, '$end_of_table') -> [];
walk(E, K) -> [K | walk(E, ets:next(E, K))].

errors() ->
    E = ets:new(protected, []), Me = self(),
    ets:insert(E, {a, 1}),
    spawn(fun() -> Me ! {other, [catch_it(fun() -> ets:lookup(E, a) end), catch_it(fun() -> ets:insert(E, {b, 2}) end),
        catch_it(fun() -> ets:delete(E) end)]} end),
    see:value(protected, receive {other, L} -> L end),
    P = ets:new(private, [private]),
    spawn(fun() -> Me ! {other2, catch_it(fun() -> ets:lookup(P, a) end)} end),
    see:value(private, receive {other2, L2} -> L2 end),
    see:fails([fun() -> ets:new(see:id("x"), []) end, fun() -> ets:new(x, [bad]) end, fun() -> ets:insert(E, see:id(x))
        end, fun() -> ets:insert(E, {}) end, fun() -> ets:insert(E, [{a, 1}, b]) end, fun() -> ets:lookup(no_table, a)
        end,
               fun() -> ets:lookup_element(E, a, 5) end, fun() -> ets:lookup_element(E, zz, 2) end,
                   fun() -> ets:update_counter(E, zz, 1) end, fun() -> ets:next(E, zz) end,
               fun() -> ets:new(x, [{keypos, 0}]) end, fun() -> ets:delete(make_ref()) end,
               fun() -> ets:rename(E, see:id(1)) end]).

catch_it(F) -> try F() catch error:R -> R end.
