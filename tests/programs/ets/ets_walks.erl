%% Walks through ordered sets key by key, both ways, while objects are put in, replaced and taken out behind and before
%% the walk.
-module(ets_walks).
-export([main/0]).

main() ->
    [walks(Name, Keys) || {Name, Keys} <- [{integers, lists:seq(1, 200)}, {floats, [I / 2 || I <- lists:seq(1, 200)]},
                                           {tuples, [{k, I} || I <- lists:seq(1, 200)]},
                                           {lists, [[I] || I <- lists:seq(1, 200)]}]],
    crossing(),
    together().

walks(Name, Keys) ->
    T = new(Keys),
    see:value({Name, forwards}, walk(T, fun ets:next/2, ets:first(T), fun(_, _) -> ok end) =:= Keys),
    see:value({Name, backwards}, walk(T, fun ets:prev/2, ets:last(T), fun(_, _) -> ok end) =:= lists:reverse(Keys)),
    see:value({Name, looked_up}, walk(T, fun ets:next/2, ets:first(T), fun(_, K) -> [{K, _}] = ets:lookup(T, K)
        end) =:= Keys),
    see:value({Name, replaced}, walk(T, fun ets:next/2, ets:first(T), fun(_, K) -> ets:insert(T, {K, [new]})
        end) =:= Keys),
    see:value({Name, replaced_ahead}, begin
        _ = walk(T, fun ets:next/2, ets:first(T), fun(I, _) -> ets:insert(T, {lists:nth(min(I + 3, 200), Keys), I})
            end),
        [V || {_, V} <- ets:tab2list(T)] end),
    see:value({Name, counted}, begin
        _ = walk(T, fun ets:next/2, ets:first(T), fun(I, K) -> ets:insert(T, {K, 0}), ets:update_counter(T, K, I) end),
        lists:sum([V || {_, V} <- ets:tab2list(T)]) end),
    see:value({Name, deleted_behind},
        length(walk(T, fun ets:next/2, ets:first(T), fun(I, K) -> I rem 2 =:= 0 andalso ets:delete(T, K) end))),
    see:value({Name, left}, ets:info(T, size)),
    see:value({Name, deleted_ahead}, walk(T, fun ets:next/2, ets:first(T), fun(_, K) -> after_next(T, K) end)),
    see:value({Name, deleted_backwards},
        walk(T, fun ets:prev/2, ets:last(T), fun(_, K) -> ets:delete(T, ets:prev(T, K)) end)),
    see:value({Name, rest}, ets:tab2list(T)),
    see:value({Name, beyond}, [ets:next(T, zzz), ets:prev(T, 0), ets:prev(T, zzz) =:= ets:last(T),
        ets:next(T, 0) =:= ets:first(T)]),
    see:value({Name, all_gone}, begin F = ets:first(T), _ = ets:next(T, F), ets:delete_all_objects(T),
        {ets:next(T, F), ets:prev(T, F), ets:lookup(T, F)} end),
    ets:delete(T).

after_next(T, K) ->
    case ets:next(T, K) of
        '$end_of_table' -> ok;
        Next -> ets:delete(T, Next)
    end.

%% 1 and 1.0 are one key; what is asked for is not what is there.
crossing() ->
    T = new([1, 2.0, 3, 4.0, 5]),
    see:value(crossing, walk(T, fun(Tab, K) -> ets:next(Tab, K * 1.0) end, 1.0, fun(_, _) -> ok end)),
    see:value(crossing_lookup,
        [begin N = ets:next(T, K), {N, ets:lookup(T, N), ets:lookup(T, float(N)), ets:lookup(T, trunc(N))} end
        || K <- [0, 1, 2, 3, 4]]),
    see:value(between, [{ets:next(T, K), ets:prev(T, K)} || K <- [0.5, 1.5, 2.5, 3.5, 4.5, 5.5]]),
    ets:delete(T).

%% Two walks at a time, one forwards and one backwards, a step each, and in two processes.
together() ->
    Keys = lists:seq(1, 3000),
    T = new(Keys),
    see:value(alternately, both(T, ets:first(T), ets:last(T), 0)),
    Self = self(),
    Walkers = [spawn_link(fun() ->
        Self ! {self(), lists:sum(walk(T, fun ets:next/2, ets:first(T), fun(_, K) -> [{K, _}] = ets:lookup(T, K) end))}
        end)
               || _ <- [1, 2, 3]],
    see:value(processes, [receive {W, Sum} -> Sum end || W <- Walkers]),
    see:value(folds, {ets:foldl(fun({K, _}, A) -> A + K end, 0, T), ets:foldr(fun({K, _}, A) -> A + K end, 0, T)}).

both(_, '$end_of_table', '$end_of_table', Sum) -> Sum;
both(T, Up, Down, Sum) -> both(T, ets:next(T, Up), ets:prev(T, Down), Sum + Up * Down).

new(Keys) ->
    T = ets:new(t, [ordered_set, public]),
    [ets:insert(T, {K, x}) || K <- Keys],
    T.

walk(T, Step, K, Do) -> walk(T, Step, K, Do, 1).

walk(_, _, '$end_of_table', _, _) -> [];
walk(T, Step, K, Do, I) ->
    Do(I, K),
    [K | walk(T, Step, Step(T, K), Do, I + 1)].
