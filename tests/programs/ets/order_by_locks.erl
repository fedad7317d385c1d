%% Tables with write concurrency are traversed lock by lock, so their order is another than that of other tables. A
%% program sees it where the table is small; then OTP's order depends on how the table has grown: beyond 256 objects,
%% and with `auto`, which counts objects by lock, as soon as there are five behind one lock.
-module(order_by_locks).
-export([main/0]).

main() ->
    [show(Type, [Protection, {write_concurrency, Concurrency}], Size, Key)
     || Type <- [set, bag, duplicate_bag],
        Protection <- [public, protected, private],
        Concurrency <- [true, auto, false],
        Size <- [1, 2, 5, 20] ++ [70 || Concurrency =/= auto],
        Key <- [integer, binary, string, tuple]],
    [show(set, [public, {write_concurrency, true}, Option], 100, integer)
     || Option <- [{read_concurrency, true}, {decentralized_counters, false}, compressed]],
    changed().

show(Type, Options, Size, Kind) ->
    Table = ets:new(table, [Type | Options]),
    [ets:insert(Table, {key(Kind, N), N}) || N <- lists:seq(1, Size)],
    [ets:insert(Table, {key(Kind, N), more}) || Type =/= set, N <- lists:seq(1, Size, 3)],
    List = ets:tab2list(Table),
    io:format("~p ~p ~p ~p: ~p~n", [Type, Options, Size, Kind, erlang:phash2(List)]),
    Chunks = chunks(ets:select(Table, [{'_', [], ['$_']}], 7)),
    io:format("~p ~p~n", [erlang:phash2(Chunks), lists:sort(lists:append(Chunks)) =:= lists:sort(List)]),
    Folded = ets:foldl(fun(Object, Seen) -> [Object | Seen] end, [], Table),
    io:format("~p ~p~n", [erlang:phash2(Folded), erlang:phash2(keys(Table, ets:first(Table)))]),
    ets:delete(Table).

%% Objects are deleted during the traversal, and others come.
changed() ->
    Table = ets:new(table, [public, {write_concurrency, true}]),
    [ets:insert(Table, {N, N}) || N <- lists:seq(1, 60)],
    ets:safe_fixtable(Table, true),
    Seen = deleting(Table, ets:first(Table)),
    io:format("deleted one by one: ~p~n", [Seen]),
    ets:safe_fixtable(Table, false),
    io:format("left: ~p~n", [ets:tab2list(Table)]),
    [ets:insert(Table, {N, N}) || N <- lists:seq(1, 60)],
    2 = ets:select_delete(Table, [{{'$1', '_'}, [{'>', '$1', 58}], [true]}]),
    30 = ets:select_replace(Table, [{{'$1', '$2'}, [{'<', '$1', 31}], [{{'$1', {{'$2'}}}}]}]),
    io:format("~p~n", [ets:tab2list(Table)]).

deleting(_, '$end_of_table') -> [];
deleting(Table, Key) ->
    ets:delete(Table, Key),
    [Key | deleting(Table, ets:next(Table, Key))].

key(integer, N) -> N;
key(binary, N) -> integer_to_binary(N);
key(string, N) -> integer_to_list(N);
key(tuple, N) -> {N, [N * 7]}.

chunks('$end_of_table') -> [];
chunks({Objects, Continuation}) -> [Objects | chunks(ets:select(Continuation))].

keys(_, '$end_of_table') -> [];
keys(Table, Key) -> [Key | keys(Table, ets:next(Table, Key))].
