%% Literals of a module that is purged: terms that processes still hold are theirs from then on.
-module(purged_literals).
-export([main/0]).

main() ->
    Path = filename:join(filename:dirname(code:which(?MODULE)), "constants"),
    {module, constants} = code:load_abs(filename:join(Path, "constants")),
    Kept = constants:value(), Fun = constants:closure(),
    Me = self(),
    Holders = [spawn(fun() -> hold(Me, constants:value(), N) end) || N <- lists:seq(1, 50)],
    Queue = spawn(fun() -> receive look -> ok end, receive {msg, V} -> Me ! {queued, erlang:phash2(V)} end end),
    Queue ! {msg, constants:value()},
    put(in_dictionary, constants:value()),
    T = ets:new(t, []), ets:insert(T, {k, constants:value()}),
    Timer = erlang:send_after(150, self(), {timer, constants:value()}),
    Hash = erlang:phash2(Kept),
    see:value(before, {Hash, is_reference(Timer), element(1, Fun(1))}),
    see:value(deleted, [code:delete(constants), erlang:check_process_code(self(), constants)]),
    see:value(purged, code:soft_purge(constants) orelse code:purge(constants)),
    [erlang:garbage_collect() || _ <- [1, 2, 3]], churn(200),
    see:value(kept, erlang:phash2(Kept) =:= Hash),
    [H ! hash || H <- Holders],
    see:value(holders, lists:usort([receive {hash, X} -> X =:= Hash end || _ <- Holders])),
    Queue ! look, see:value(queued, receive {queued, Q} -> Q =:= Hash end),
    see:value(dictionary, erlang:phash2(get(in_dictionary)) =:= Hash),
    see:value(table, [erlang:phash2(V) =:= Hash || {k, V} <- ets:lookup(T, k)]),
    see:value(timer, receive {timer, V} -> erlang:phash2(V) =:= Hash end),
    see:value(gone, try constants:value() catch error:undef -> undef end),
    see:value(fun_now, try Fun(1) catch error:{badfun, _} -> badfun; error:undef -> undef end).

hold(Me, V, N) ->
    Part = case N rem 3 of 0 -> V; 1 -> [V, {V}]; 2 -> element(2, V) end,
    receive hash -> Me ! {hash, erlang:phash2(case N rem 3 of 0 -> Part; 1 -> hd(Part); 2 -> setelement(2, V, Part)
        end)} end.

churn(0) -> ok;
churn(N) -> _ = lists:seq(1, 1000), churn(N - 1).
