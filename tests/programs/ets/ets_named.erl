%% Named tables, owners, heirs, giving away, renaming, info.
-module(ets_named).
-export([main/0]).

main() ->
    Me = self(),
    see:value(new, [ets:new(named, [named_table, public, ordered_set]), ets:whereis(named) =/= undefined,
        ets:insert(named, {k, v}), ets:lookup(named, k)]),
    see:value(info, [ets:info(named, I) || I <- [name, named_table, type, keypos, protection, size, read_concurrency,
        write_concurrency, compressed, heir]]),
    see:value(owner, ets:info(named, owner) =:= Me),
    see:value(info_all, lists:sort([K || {K, _} <- ets:info(named)])),
    see:value(all, lists:member(named, ets:all())),
    see:value(twice, try ets:new(named, [named_table]) catch error:E -> E end),
    see:value(rename, [ets:rename(named, renamed), ets:info(named), ets:lookup(renamed, k)]),
    P = spawn(fun() -> receive {'ETS-TRANSFER', T, From, Gift} -> Me ! {got, T, From =:= Me, Gift,
        ets:info(T, owner) =:= self()}, receive stop -> ok end end end),
    see:value(given, [ets:give_away(renamed, P, a_gift), receive {got, T, F, G, O} -> {T, F, G, O} end]),
    see:value(heir, begin Q = spawn(fun() -> ets:new(inherited, [named_table, {heir, Me, heirloom}]),
        ets:insert(inherited, {x, y}), receive stop -> ok end end), wait_for(inherited), Q ! stop,
    receive {'ETS-TRANSFER', T2, Q, D} -> {T2, D, ets:tab2list(T2)} after 5000 -> none end end),
    see:value(setopts, [ets:setopts(inherited, {heir, none}), ets:info(inherited, heir)]),
    P ! stop, wait_gone(renamed),
    see:value(gone, ets:info(renamed)),
    see:value(by_ref, begin T3 = ets:new(unnamed, []), {is_reference(T3), ets:info(T3, name), ets:whereis(unnamed),
        catch_it(fun() -> ets:lookup(unnamed, x) end)} end),
    see:value(safe_fixtable, begin T4 = ets:new(f, []), true = ets:safe_fixtable(T4, true), ets:insert(T4, [{1}, {2}]),
        ets:delete(T4, 1), true = ets:safe_fixtable(T4, false), ets:tab2list(T4) end),
    see:value(compressed, begin T5 = ets:new(c, [compressed]), ets:insert(T5, {a, lists:seq(1, 100), <<"b">>}),
        {ets:lookup(T5, a) =:= [{a, lists:seq(1, 100), <<"b">>}], ets:info(T5, compressed)} end),
    see:value(concurrency, [begin T6 = ets:new(w, [O, set, public]), ets:insert(T6, {a, 1}), ets:lookup(T6, a) end
        || O <- [{write_concurrency, true}, {read_concurrency, true}, {write_concurrency, auto},
        {decentralized_counters, true}]]),
    see:value(memory, begin T7 = ets:new(m, []), M0 = ets:info(T7, memory),
        ets:insert(T7, [{N, N} || N <- lists:seq(1, 1000)]), ets:info(T7, memory) > M0 end),
    see:value(parallel, parallel()).

parallel() ->
    T = ets:new(p, [public, {write_concurrency, true}]), Me = self(),
    ets:insert(T, {total, 0}),
    [spawn(fun() -> [begin ets:update_counter(T, total, 1), ets:insert(T, {{I, N}, N}) end || N <- lists:seq(1, 500)],
        Me ! done end) || I <- lists:seq(1, 10)],
    [receive done -> ok end || _ <- lists:seq(1, 10)],
    {ets:lookup(T, total), ets:info(T, size)}.

wait_for(N) -> case ets:info(N) of undefined -> erlang:yield(), wait_for(N); _ -> ok end.
wait_gone(N) -> case ets:info(N) of undefined -> ok; _ -> erlang:yield(), wait_gone(N) end.
catch_it(F) -> try F() catch error:R -> R end.
