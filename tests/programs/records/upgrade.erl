%% Native records while the module that defines them is replaced, purged and deleted: each keeps the definition with
%% which it was made.
%% releases: 29
-module(upgrade).
-export([main/0]).

main() ->
    load("v1"),
    One = changing:new(1), Secret = changing:secret(s), External = #changing:state{count = e},
    seen(first, [One, Secret, External]),
    Me = self(),
    Maker = spawn_link(changing, old_maker, [Me]),
    Holders = [spawn_link(fun() -> hold(Me, changing:new({held, N}), N) end) || N <- lists:seq(1, 30)],
    [receive {ready, H} -> ok end || H <- Holders],
    Table = ets:new(t, []),
    true = ets:insert(Table, [{1, One}, {Secret, 2}]),
    persistent_term:put({?MODULE, kept}, {One, Secret}),
    put(kept, One),
    Fun = fun() -> One end,

    load("v2"),
    seen(both, [One, Secret, External, changing:new(2), changing:secret(t), #changing:state{count = f},
        #changing:secret{}]),
    see:value(equal, {One =:= changing:new(1), #changing:state{count = e} =:= External}),
    Maker ! {make, by_old_code}, see:value(made, receive {made, M} -> {M, kind(M)} end),
    Maker ! {read, changing:new(3)}, see:value(read, receive {read, C} -> C end),
    see:all([{set, fun() -> changing:set(One, 5) end}, {set_limit, fun() -> changing:set_limit(One, 5) end},
        {get, fun() -> changing:get(One) end},
             {no_field, fun() -> One#changing:state.limit end}, {tag, fun() -> One#changing:state.tag end},
             {new_tag, fun() -> (changing:new(1))#changing:state.tag end},
             {secret, fun() -> Secret#changing:secret.key end},
             {new_secret, fun() -> (changing:secret(1))#changing:secret.key end}]),
    see:all([{N, fun() -> records:get_definition(changing, N) end} || N <- [state, secret, other]]),

    see:value(purged_early, code:soft_purge(changing)),
    Maker ! stop, see:value(stopped, receive stopped -> ok end),
    gone(Maker),
    see:value(purged, code:soft_purge(changing)),
    churn(),
    seen(after_purge, [One, Secret, External, get(kept), Fun(), element(2, hd(ets:lookup(Table, 1))),
        persistent_term:get({?MODULE, kept})]),
    see:value(in_table, {ets:lookup(Table, Secret), ets:match(Table, {'$1', One})}),
    [H ! show || H <- Holders],
    see:value(held, lists:usort([receive {held, N, R} -> {N rem 3, kind(R), R =:= changing_one(N)} end
        || N <- lists:seq(1, 30)])),

    load("v3"),
    Two = binary_to_term(term_to_binary(records:update(One, changing, state, #{count => again}))),
    see:all([{no_state, fun() -> #changing:state{count = 1} end}, {other, fun() -> #changing:other{} end},
        {old_read, fun() -> One#changing:state.count end},
             {old_update, fun() -> One#changing:state{count = 2} end},
             {copied, fun() -> {Two, changing:kind(Two)} end}]),
    see:value(purged, [code:purge(changing), code:delete(changing), code:purge(changing)]),
    churn(),
    see:all([{deleted, fun() -> #changing:other{} end}, {deleted, fun() -> records:get_definition(changing, other) end},
             {still, fun() -> {One#changing:state.count, One#changing:state{list = []},
                 is_record(One, changing, state)} end}]),
    see:value(at_last, {One, Secret, External, Two}),
    many_versions().

load(Version) ->
    Folder = filename:join(filename:dirname(code:which(?MODULE)), Version),
    {module, changing} = code:load_abs(filename:join(Folder, "changing")).

seen(Label, Records) -> [see:value({Label, R}, kind(R)) || R <- Records].

kind(R) -> try changing:kind(R) catch error:E -> E end.

changing_one(N) -> records:create(changing, state, [{count, {held, N}}, {list, [first, {version, [1, 2, 3]}]},
                                                    {tag, <<"a default that is longer than a small binary, so that it is shared: 123456789">>}], #{is_exported => true}).

%% Holds a record on the stack, in a list or in the dictionary.
hold(Me, R, N) ->
    Me ! {ready, self()},
    case N rem 3 of
        0 -> receive show -> Me ! {held, N, R} end;
        1 -> List = [R], receive show -> Me ! {held, N, hd(List)} end;
        2 -> put(R, R), receive show -> Me ! {held, N, get(R)} end
    end.

gone(Pid) ->
    Ref = monitor(process, Pid),
    receive {'DOWN', Ref, _, _, _} -> ok end.

churn() ->
    [erlang:garbage_collect() || _ <- [1, 2, 3]],
    _ = [lists:seq(1, 1000) || _ <- lists:seq(1, 100)],
    ok.

%% The definition changes while processes make, match and exchange records.
many_versions() ->
    Me = self(),
    Pids = [spawn_link(fun() -> work(Me, N, []) end) || N <- lists:seq(1, 4)],
    [begin
         load(lists:nth(1 + N rem 2, ["v1", "v2"])),
         [P ! {go, N} || P <- Pids],
         [receive {done, P} -> ok end || P <- Pids],
         code:soft_purge(changing) orelse code:purge(changing)
     end || N <- lists:seq(1, 20)],
    [P ! finish || P <- Pids],
    see:value(finished, lists:usort([receive {finished, P, L} -> L end || P <- Pids])).

work(Me, N, Kept) ->
    receive
        {go, Round} ->
            New = [#changing:state{count = Round} | [R#changing:state{count = Round} || R <- lists:sublist(Kept, 5)]],
            Me ! {done, self()},
            work(Me, N, New ++ lists:sublist(Kept, 20));
        finish ->
            Me ! {finished, self(), [{R#changing:state.count, length(records:get_field_names(R))} || R <- Kept]}
    end.
