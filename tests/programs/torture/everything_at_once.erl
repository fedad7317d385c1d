%% Timers, tables, names, spawns, sends, collections and exits all at the same time, on all
%% schedulers, by seed; only totals that must come out right are printed.
%% timeout: 60
-module(everything_at_once).
-export([main/0]).
-define(WORKERS, 40).
-define(STEPS, 400).

main() ->
    T = ets:new(shared, [public, {write_concurrency, true}]),
    O = ets:new(ordered, [public, ordered_set]),
    C = counters:new(4, []),
    Me = self(),
    Ps = [spawn_monitor(fun() -> work(?STEPS, N * 104729, {T, O, C, Me, N}, []), exit({finished, N}) end)
        || N <- lists:seq(1, ?WORKERS)],
    Ends = [receive {'DOWN', R, process, P, X} -> X after 50000 -> stuck end || {P, R} <- Ps],
    see:value(ends, lists:sort(Ends) =:= [{finished, N} || N <- lists:seq(1, ?WORKERS)] orelse Ends),
    see:value(steps, counters:get(C, 1)),
    see:value(table, {lists:sum([V || {_, V} <- ets:tab2list(T)]) =:= counters:get(C, 2),
        ets:info(O, size) =:= counters:get(C, 3)}),
    see:value(helpers, lists:usort([receive {helper, Ok} -> Ok after 10000 -> missing end
        || _ <- lists:seq(1, counters:get(C, 4))])),
    see:value(left, receive X -> X after 20 -> nothing end).

work(0, _, _, Kept) -> true = is_list(Kept);
work(N, S0, {T, O, C, Me, Id} = Env, Kept) ->
    S = (S0 * 6364136223846793005 + 1442695040888963407) band 16#ffffffffffffffff,
    counters:add(C, 1, 1),
    case (S bsr 40) rem 12 of
        0 -> ets:update_counter(T, S rem 17, 1, {S rem 17, 0}), counters:add(C, 2, 1);
        1 -> ets:insert_new(O, {{Id, N}, Kept}) andalso counters:add(C, 3, 1);
        2 -> counters:add(C, 4, 1), spawn(fun() -> Me ! {helper, erlang:phash2(Kept) =:= erlang:phash2(copy(Kept))}
            end);
        3 -> R = erlang:send_after(S rem 3, self(), {tick, N}), case N rem 2 of 0 -> receive {tick, N} -> ok end;
            1 -> case erlang:cancel_timer(R) of false -> receive {tick, N} -> ok end; _ -> ok end end;
        4 -> {P, Ref} = spawn_monitor(fun() -> exit(lists:sum(lists:seq(1, S rem 100))) end), X = S rem 100,
        Sum = X * (X + 1) div 2, receive {'DOWN', Ref, _, P, Sum} -> ok end;
        5 -> erlang:garbage_collect();
        6 -> P = spawn_link(fun() -> receive {sum, L} -> Me2 = lists:sum(L), exit_normal(Me2) end end), unlink(P),
        P ! {sum, lists:seq(1, 50)};
        7 -> B = binary:copy(<<N:32>>, 100), Self = self(),
        Q = spawn(fun() -> receive {b, X2} -> Self ! {back, N, binary:part(X2, 4, 4)} end end), Q ! {b, B},
        receive {back, N, <<N:32>>} -> ok end;
        8 -> try lists:nth(5, [1, 2]) catch error:function_clause -> ok end;
        9 -> Name = list_to_atom("worker_" ++ integer_to_list(Id)), true = register(Name, self()), Name ! {named, N},
        receive {named, N} -> ok end, unregister(Name);
        10 -> A = alias(), spawn(fun() -> A ! {via, N} end), receive {via, N} -> ok end, unalias(A);
        11 -> Kept =:= copy(Kept) orelse error(copy_differs)
    end,
    work(N - 1, S, Env, lists:sublist([{N, S, <<S:64>>, S / 3, [Id]} | Kept], 20)).

copy(X) -> binary_to_term(term_to_binary(X)).
exit_normal(1275) -> exit(normal).
