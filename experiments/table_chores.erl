%% Operations on ETS tables that `tables` leaves out, each timed separately.
%%
%%   erl -noshell -s table_chores time set one 100000 -s erlang halt
%%
%% prints a line `OPERATION: MICROSECONDS` for each operation on a table of that many objects. The types are those of
%% ETS; `many` creates that many tables, uses each once and deletes it. The ways of sharing are as in `tables`:
%%
%%   one        one process
%%   reading    two processes read one table with read concurrency
%%   counted    two processes change one table with write concurrency and decentralized counters, and ask for its size
-module(table_chores).
-export([time/1]).

-define(ROUNDS, 3).
%% The number of objects with the same key in a bag: few, and many.
-define(SIBLINGS, 4).
-define(CROWD, 500).

time([Type, Mode, Size]) ->
    N = list_to_integer(atom_to_list(Size)),
    Rounds = [round(Type, Mode, N) || _ <- lists:seq(1, ?ROUNDS)],
    [io:format("~s: ~b~n", [Operation, lists:min([proplists:get_value(Operation, R) || R <- Rounds])])
     || {Operation, _} <- hd(Rounds)].

round(many, one, N) -> many(N);
round(Type, one, N) ->
    Table = ets:new(table, [Type, public]),
    fill(Type, Table, N),
    Times = [{Operation, timed([fun() -> run(Operation, Type, Table, 1, N) end])} || Operation <- operations(Type)],
    ets:delete(Table),
    Times;
round(Type, reading, N) ->
    Table = ets:new(table, [Type, public, {read_concurrency, true}]),
    fill(Type, Table, N),
    Times = [{Operation, shared(Operation, Type, Table, N)} || Operation <- [lookup, lookup_element, match_object]],
    ets:delete(Table),
    Times;
round(Type, counted, N) ->
    Table = ets:new(table, [Type, public, {write_concurrency, true}, {decentralized_counters, true}]),
    fill(Type, Table, N),
    Times = [{Operation, shared(Operation, Type, Table, N)} || Operation <- [insert_again, take, insert_new,
        update_element]],
    Asked = timed([fun() -> [ets:info(Table, size) || _ <- lists:seq(1, N div 100)] end]),
    ets:delete(Table),
    Times ++ [{size, Asked * 100}].

shared(Operation, Type, Table, N) ->
    timed([fun() -> run(Operation, Type, Table, From, To) end || {From, To} <- [{1, N div 2}, {N div 2 + 1, N}]]).

%% The time until the last process is done.
timed(Works) ->
    Workers = [spawn_monitor(fun() -> receive start -> Work() end end) || Work <- Works],
    erlang:garbage_collect(),
    Start = erlang:monotonic_time(),
    [Pid ! start || {Pid, _} <- Workers],
    [receive {'DOWN', Monitor, process, _, normal} -> ok end || {_, Monitor} <- Workers],
    erlang:convert_time_unit(erlang:monotonic_time() - Start, native, microsecond).

fill(Type, Table, N) -> [ets:insert(Table, object(Type, I)) || I <- lists:seq(1, N)].

%% Keys are tuples, as in many programs.
key(Type, I) when Type =:= bag; Type =:= duplicate_bag -> {user, I div ?SIBLINGS};
key(_, I) -> {user, I}.

object(Type, I) -> {key(Type, I), I, <<"a name">>, [I]}.

operations(Type) when Type =:= bag; Type =:= duplicate_bag ->
    [insert_again, lookup, lookup_element, match_object, select_count, tab2list, foldl, delete_object, crowd_insert,
     crowd_insert_again, crowd_delete_object, take];
operations(_) ->
    [insert_again, insert_large, lookup_large, delete_large, insert_list, lookup, lookup_element, update_element,
     update_value, match_object, select_count, select_some, chunks, tab2list, foldl, select_delete, insert_new, take].

run(insert_again, Type, Table, I, N) -> each(fun(At) -> ets:insert(Table, object(Type, At)) end, I, N);
run(insert_new, Type, Table, I, N) -> each(fun(At) -> ets:insert_new(Table, object(Type, At)) end, I, N);
run(insert_large, _, Table, I, N) -> large(fun(At, Large) -> ets:insert(Table, {{large, At}, Large}) end, I, N);
run(lookup_large, _, Table, I, N) -> large(fun(At, _) -> [_] = ets:lookup(Table, {large, At}) end, I, N);
run(delete_large, _, Table, I, N) -> large(fun(At, _) -> ets:delete(Table, {large, At}) end, I, N);
run(insert_list, Type, Table, I, N) ->
    each(fun(At) -> ets:insert(Table, [object(Type, At * 100 - Rest) || Rest <- lists:seq(0, 99)]) end, I, N div 100);
run(lookup, Type, Table, I, N) -> each(fun(At) -> [_ | _] = ets:lookup(Table, key(Type, At)) end, I, N);
run(lookup_element, Type, Table, I, N) -> each(fun(At) -> ets:lookup_element(Table, key(Type, At), 2) end, I, N);
run(update_element, Type, Table, I, N) -> each(fun(At) -> ets:update_element(Table, key(Type, At), {2, 7}) end, I, N);
run(update_value, Type, Table, I, N) -> each(fun(At) -> ets:update_element(Table, key(Type, At), {4, [At]}) end, I, N);
run(match_object, Type, Table, I, N) -> each(fun(At) -> ets:match_object(Table, {key(Type, At), '_', '_', '_'}) end, I,
    N);
run(select_count, _, Table, _, _) ->
    ets:select_count(Table, [{{{user, '_'}, '$1', '_', '_'}, [{'<', '$1', 50}], [true]}]);
run(select_some, _, Table, _, _) ->
    ets:select(Table, [{{{user, '$1'}, '$2', '_', '_'}, [{'>', '$2', 100}, {'=:=', {'rem', '$1', 3}, 0}],
    [{{'$1', '$2'}}]}]);
run(chunks, _, Table, _, _) -> chunks(ets:select(Table, [{{'$1', '_', '_', '_'}, [], ['$1']}], 100));
run(tab2list, _, Table, _, _) -> ets:tab2list(Table);
run(foldl, _, Table, _, _) -> ets:foldl(fun(_, Sum) -> Sum + 1 end, 0, Table);
run(select_delete, _, Table, _, _) ->
    ets:select_delete(Table, [{{{user, '_'}, '$1', '_', '_'}, [{'=:=', {'rem', '$1', 2}, 0}], [true]}]);
run(delete_object, Type, Table, I, N) -> each(fun(At) -> ets:delete_object(Table, object(Type, At)) end, I, N div 2);
run(crowd_insert, _, Table, I, N) -> crowd(fun(Key, At) -> ets:insert(Table, {Key, At}) end, I, N);
run(crowd_insert_again, _, Table, I, N) -> crowd(fun(Key, At) -> ets:insert(Table, {Key, At}) end, I, N);
run(crowd_delete_object, _, Table, I, N) -> crowd(fun(Key, At) -> ets:delete_object(Table, {Key, At}) end, I, N);
run(take, Type, Table, I, N) -> each(fun(At) -> ets:take(Table, key(Type, At)) end, I, N).

each(_, I, N) when I > N -> ok;
each(Do, I, N) -> Do(I), each(Do, I + 1, N).

large(Do, I, N) ->
    Large = [{L, <<"some text">>, #{value => L}} || L <- lists:seq(1, 50)],
    each(fun(At) -> Do(At, Large) end, I, N div 50).

crowd(Do, I, N) -> each(fun(At) -> Do({crowd, At rem 4}, At div 4) end, I, min(N, ?CROWD * 4)).

chunks('$end_of_table') -> ok;
chunks({_, Continuation}) -> chunks(ets:select(Continuation)).

many(N) ->
    Self = self(),
    Start = erlang:monotonic_time(),
    Tables = [ets:new(many, [public]) || _ <- lists:seq(1, N)],
    Made = erlang:monotonic_time(),
    [ets:insert(Table, {key, 1}) || Table <- Tables],
    Used = erlang:monotonic_time(),
    Bytes = erlang:memory(ets) div N,
    [ets:delete(Table) || Table <- Tables],
    Deleted = erlang:monotonic_time(),
    {Pid, Monitor} = spawn_monitor(fun() ->
        [ets:new(many, []) || _ <- lists:seq(1, N)],
        Self ! made,
        receive stop -> ok end
    end),
    receive made -> ok end,
    Ending = erlang:monotonic_time(),
    Pid ! stop,
    receive {'DOWN', Monitor, process, _, normal} -> ok end,
    Ended = erlang:monotonic_time(),
    Time = fun(From, To) -> erlang:convert_time_unit(To - From, native, microsecond) end,
    [{new, Time(Start, Made)}, {first_insert, Time(Made, Used)}, {delete, Time(Used, Deleted)},
     {owner_ends, Time(Ending, Ended)}, {bytes, Bytes}].
