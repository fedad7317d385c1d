%% atomics, counters, persistent_term.
-module(atomics_and_counters).
-export([main/0]).

main() ->
    A = atomics:new(3, [{signed, true}]), U = atomics:new(1, [{signed, false}]),
    see:value(new, [atomics:get(A, 1), atomics:get(A, 3)]),
    see:value(put_get, [atomics:put(A, 1, -5), atomics:get(A, 1), atomics:put(U, 1, 16#ffffffffffffffff), atomics:get(U, 1)]),
    see:value(add, [atomics:add(A, 2, 7), atomics:sub(A, 2, 10), atomics:get(A, 2), atomics:add_get(A, 2, 1), atomics:sub_get(A, 2, -1)]),
    see:value(exchange, [atomics:exchange(A, 1, 9), atomics:compare_exchange(A, 1, 9, 10), atomics:compare_exchange(A, 1, 9, 11), atomics:get(A, 1)]),
    see:value(wrap, begin atomics:put(A, 1, 16#7fffffffffffffff), atomics:add(A, 1, 1), atomics:add(U, 1, 1), [atomics:get(A, 1), atomics:get(U, 1)] end),
    see:value(info, [lists:sort(maps:to_list(maps:remove(memory, atomics:info(X)))) || X <- [A, U]]),
    C = counters:new(2, []), W = counters:new(2, [write_concurrency]),
    see:value(counters, [counters:add(C, 1, 5), counters:sub(C, 1, 2), counters:get(C, 1), counters:put(C, 2, 100), counters:get(C, 2)]),
    see:value(write_concurrency, [counters:add(W, 1, 5), counters:sub(W, 1, 2), counters:get(W, 1), counters:put(W, 2, 100), counters:get(W, 2)]),
    see:value(info2, [maps:get(size, counters:info(X)) || X <- [C, W]]),
    Me = self(),
    [spawn(fun() -> [begin atomics:add(A, 3, 1), counters:add(C, 1, 1), counters:add(W, 1, 1) end || _ <- lists:seq(1, 1000)], Me ! done end) || _ <- lists:seq(1, 20)],
    [receive done -> ok end || _ <- lists:seq(1, 20)],
    see:value(together, [atomics:get(A, 3), counters:get(C, 1), counters:get(W, 1)]),
    see:value(kinds, [is_reference(A), is_reference(C), A =:= A, A =:= U]),
    see:value(pt, [persistent_term:put({?MODULE, k}, #{a => [1, 2]}), persistent_term:get({?MODULE, k}), persistent_term:get(nothing, default), persistent_term:put({?MODULE, k}, new), persistent_term:get({?MODULE, k})]),
    see:value(pt_erase, [persistent_term:erase({?MODULE, k}), persistent_term:erase({?MODULE, k}), persistent_term:get({?MODULE, k}, gone)]),
    see:value(pt_others, begin persistent_term:put(shared, lists:seq(1, 1000)), spawn(fun() -> Me ! {sum, lists:sum(persistent_term:get(shared))} end), receive {sum, S} -> S end end),
    see:value(pt_replaced, begin Old = persistent_term:get(shared), persistent_term:put(shared, other), erlang:garbage_collect(), R = {length(Old), persistent_term:get(shared)}, persistent_term:erase(shared), R end),
    see:value(pt_many, begin [persistent_term:put({pt, N}, {N}) || N <- lists:seq(1, 2000)], S2 = lists:sum([element(1, persistent_term:get({pt, N})) || N <- lists:seq(1, 2000)]), [persistent_term:erase({pt, N}) || N <- lists:seq(1, 2000)], S2 end),
    see:value(pt_info, lists:sort(maps:keys(persistent_term:info()))),
    see:fails([fun() -> atomics:get(A, see:id(4)) end, fun() -> atomics:get(A, see:id(0)) end, fun() -> atomics:put(A, 1, see:id(1 bsl 63)) end, fun() -> atomics:put(U, 1, see:id(-1)) end, fun() -> atomics:new(see:id(0), []) end,
               fun() -> atomics:new(1, [bad]) end, fun() -> atomics:add(see:id(make_ref()), 1, 1) end, fun() -> counters:get(C, see:id(3)) end, fun() -> counters:new(1, [x]) end, fun() -> persistent_term:get(see:id(never_put)) end, fun() -> counters:add(C, 1, see:id(a)) end]).
