%% What `ets:info(Table, memory)` tells: what OTP takes for the table, whatever is laid out how. Not of funs, empty
%% tuples and maps and references of tables, which have other sizes, nor what fixing takes.
%% args: +S 2:2
%% releases: 25
-module(ets_memory).
-export([main/0]).

main() ->
    [table(Type, Options) || Type <- [set, ordered_set, bag, duplicate_bag], Options <- [
        [], [private], [named_table], [public, {read_concurrency, true}],
        [private, {write_concurrency, true}, {read_concurrency, true}]]],
    %% With these only what is in the table is the same at every size: tables of OTP grow before or behind their time.
    [concurrent(Type, Options) || Type <- [set, ordered_set, bag, duplicate_bag], Options <- [
        [{write_concurrency, true}], [{write_concurrency, auto}],
        [{write_concurrency, true}, {read_concurrency, true}],
        [{write_concurrency, auto}, {read_concurrency, true}],
        [{write_concurrency, true}, {decentralized_counters, true}],
        [{write_concurrency, true}, {decentralized_counters, false}],
        [{write_concurrency, auto}, {decentralized_counters, false}]]],
    replaced(),
    fixed().

memory(Table) -> ets:info(Table, memory).

table(Type, Options) ->
    io:format("~w ~w~n", [Type, Options]),
    Table = ets:new(table, [Type | Options]),
    Empty = memory(Table),
    Filled = [begin
        [ets:insert(Table, {I, I}) || I <- lists:seq(From, To)],
        {To, memory(Table)}
    end || {From, To} <- [{1, 1}, {2, 255}, {256, 256}, {257, 257}, {258, 1000}, {1001, 2304}, {2305, 2305},
    {2306, 9000}]],
    [ets:delete(Table, I) || I <- lists:seq(1, 8990)],
    Few = memory(Table),
    ets:delete_all_objects(Table),
    io:format("~w ~w ~w ~w~n", [Empty, Filled, Few, memory(Table)]),
    io:format("~w~n", [objects(Table)]),
    ets:delete(Table).

concurrent(Type, Options) ->
    Table = ets:new(table, [Type, public | Options]),
    io:format("~w ~w: ~w ~w~n", [Type, Options, memory(Table), objects(Table)]),
    ets:delete(Table).

objects(Table) ->
    [begin
        Before = memory(Table),
        ets:insert(Table, Object),
        After = memory(Table),
        ets:delete(Table, element(1, Object)),
        Before = memory(Table),
        After - Before
    end || Object <- [
        {1}, {1, 2}, {1, 2, 3, 4}, {a, "text"}, {a, 1.5}, {{1, 2}, 3}, {[1, 2], 3}, {1, <<1, 2, 3>>},
        {1, binary:copy(<<1>>, 64)}, {1, binary:copy(<<1>>, 65)}, {1, <<1:3>>}, {1 bsl 70, 3},
        {1, #{a => 1, b => "x"}}, {self(), make_ref()},
        {1, list_to_tuple(lists:seq(1, 100))}]].

replaced() ->
    [begin
        Table = ets:new(table, [Type]),
        io:format("~w ~w~n", [Type, [begin ets:insert(Table, Object), memory(Table) end || Object <- [
            {1, 2}, {1, 3}, {1, "a"}, {1, "b"}, {1, {x}}, {1.0, 2}, {1, 2, 3}, {1}]]]),
        ets:update_element(Table, 1, []),
        ets:insert(Table, {k, 1, []}),
        io:format("~w~n", [[begin ets:update_element(Table, k, Change), memory(Table) end || Change <- [
            {2, 5}, {2, "text"}, {2, "other"}, {2, ok}, [{2, 1 bsl 80}, {3, {x}}]]]]),
        ets:update_counter(Table, k, {2, 1}),
        io:format("~w~n", [memory(Table)])
    end || Type <- [set, ordered_set]].

%% Objects that are deleted while the table is fixed go when it is not.
fixed() ->
    [begin
        Table = ets:new(table, [Type]),
        [ets:insert(Table, {I, I}) || I <- lists:seq(1, 100)],
        ets:safe_fixtable(Table, true),
        [ets:delete(Table, I) || I <- lists:seq(1, 100)],
        ets:safe_fixtable(Table, false),
        io:format("~w ~w~n", [Type, memory(Table)])
    end || Type <- [set, ordered_set, bag, duplicate_bag]].
