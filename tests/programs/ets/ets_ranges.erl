%% Ordered sets with write concurrency while several processes change them: everybody finds what is his, walks meet what
%% is there all the time, and lists are put in whole.
%% args: +S 2:2
%% timeout: 120
-module(ets_ranges).
-export([main/0]).

-define(WORKERS, 3).
-define(KEYS, 1500).
-define(STEPS, 12000).

main() ->
    [table(Options) || Options <- [
        [{write_concurrency, true}],
        [{write_concurrency, auto}],
        [{write_concurrency, true}, {read_concurrency, true}],
        [{write_concurrency, true}, {decentralized_counters, false}],
        [{write_concurrency, true}, compressed],
        [{write_concurrency, auto}, {keypos, 2}]
    ]],
    lists_whole(),
    counters(),
    emptied(),
    owners().

%% Keys of all sorts; those of worker W are the numbers that leave W when divided, 0 is nobody's.
key(I) ->
    case I div (?WORKERS + 1) rem 5 of
        0 -> I;
        1 -> {k, I};
        2 -> [I | end_of_it];
        3 -> <<I:64>>;
        4 -> I + 0.5
    end.

object(Table, Key, Value) ->
    case ets:info(Table, keypos) of
        1 -> {Key, Value, "and more"};
        2 -> {Value, Key, "and more"}
    end.

value(Table, Object) -> element(3 - ets:info(Table, keypos), Object).

table(Options) ->
    io:format("~w~n", [Options]),
    Table = ets:new(ranges, [ordered_set, public | Options]),
    Lasting = [key(I * (?WORKERS + 1)) || I <- lists:seq(1, ?KEYS)],
    [ets:insert(Table, object(Table, Key, lasting)) || Key <- Lasting],
    Sorted = lists:sort(Lasting),
    Workers = [spawn_monitor(fun() -> work(Table, W, ?STEPS, W * 7919, #{}) end) || W <- lists:seq(1, ?WORKERS)],
    Walker = spawn_monitor(fun() -> walk(Table, Sorted, 0) end),
    Left = lists:append([receive {'DOWN', Monitor, process, _, Own} -> Own end || {_, Monitor} <- Workers]),
    {Pid, Monitor} = Walker,
    Pid ! stop,
    receive {'DOWN', Monitor, process, _, Walked} -> io:format("walks: ~p~n", [Walked]) end,
    Expected = lists:sort([{Key, lasting} || Key <- Lasting] ++ Left),
    Found = [{element(ets:info(Table, keypos), Object), value(Table, Object)} || Object <- ets:tab2list(Table)],
    io:format("contents: ~p, ~p, ~p objects~n", [Found =:= Expected, erlang:phash2(Found), length(Found)]),
    io:format("size: ~p~n", [ets:info(Table, size) =:= length(Expected)]),
    whole(Table, Expected),
    ets:delete(Table).

work(_, _, 0, _, Own) -> exit(lists:sort(maps:to_list(Own)));
work(Table, W, N, Seed, Own) ->
    Next = (Seed * 1103515245 + 12345) band 16#7FFFFFFF,
    I = (Next bsr 8) rem ?KEYS * (?WORKERS + 1) + W,
    Key = key(I),
    Known = maps:get(Key, Own, none),
    case (Next bsr 4) rem 8 of
        Insert when Insert < 3 ->
            true = ets:insert(Table, object(Table, Key, N)),
            work(Table, W, N - 1, Next, Own#{Key => N});
        3 ->
            true = ets:delete(Table, Key),
            work(Table, W, N - 1, Next, maps:remove(Key, Own));
        4 ->
            Position = 3 - ets:info(Table, keypos),
            case Known of
                none ->
                    false = ets:update_element(Table, Key, {Position, N}),
                    work(Table, W, N - 1, Next, Own);
                _ ->
                    Sum = ets:update_counter(Table, Key, {Position, 5}),
                    Sum = Known + 5,
                    work(Table, W, N - 1, Next, Own#{Key => Sum})
            end;
        5 ->
            Taken = [value(Table, Object) || Object <- ets:take(Table, Key)],
            Taken = [Known || Known =/= none],
            work(Table, W, N - 1, Next, maps:remove(Key, Own));
        6 ->
            Found = [value(Table, Object) || Object <- ets:lookup(Table, Key)],
            Found = [Known || Known =/= none],
            work(Table, W, N - 1, Next, Own);
        7 ->
            New = ets:insert_new(Table, object(Table, Key, N)),
            New = Known =:= none,
            work(Table, W, N - 1, Next, case New of true -> Own#{Key => N}; false -> Own end)
    end.

%% What lasts is met by every walk, in order.
walk(Table, Sorted, Turns) ->
    Ways = [
        {forwards, fun() -> forwards(Table, ets:first(Table)) end},
        {backwards, fun() -> lists:reverse(backwards(Table, ets:last(Table))) end},
        {select, fun() -> ets:select(Table, spec(Table)) end},
        {chunks, fun() -> chunks(ets:select(Table, spec(Table), 37)) end},
        {reverse, fun() -> lists:reverse(reverse(ets:select_reverse(Table, spec(Table), 41))) end}
    ],
    Bad = [{Way, length(Met), is_sorted(Met)} || {Way, Walk} <- Ways, Met <- [Walk()],
              not is_sorted(Met) orelse ordsets:subtract(Sorted, lists:sort(Met)) =/= []],
    receive
        stop -> exit(Bad)
    after 0 ->
        case Bad of
            [] -> walk(Table, Sorted, Turns + 1);
            _ -> exit(Bad)
        end
    end.

is_sorted(Keys) -> Keys =:= lists:usort(Keys).

spec(Table) ->
    case ets:info(Table, keypos) of
        1 -> [{{'$1', '_', '_'}, [], ['$1']}];
        2 -> [{{'_', '$1', '_'}, [], ['$1']}]
    end.

forwards(_, '$end_of_table') -> [];
forwards(Table, Key) -> [Key | forwards(Table, ets:next(Table, Key))].

backwards(_, '$end_of_table') -> [];
backwards(Table, Key) -> [Key | backwards(Table, ets:prev(Table, Key))].

chunks('$end_of_table') -> [];
chunks({Keys, Continuation}) -> Keys ++ chunks(ets:select(Continuation)).

reverse('$end_of_table') -> [];
reverse({Keys, Continuation}) -> Keys ++ reverse(ets:select_reverse(Continuation)).

%% A table that was in pieces, now that nobody changes it.
whole(Table, Expected) ->
    Position = ets:info(Table, keypos),
    Head = fun(Key) -> setelement(Position, {'_', '_', '_'}, Key) end,
    Keys = [Key || {Key, _} <- Expected],
    io:format("next: ~p~n", [forwards(Table, ets:first(Table)) =:= Keys]),
    io:format("prev: ~p~n", [backwards(Table, ets:last(Table)) =:= lists:reverse(Keys)]),
    io:format("slot: ~p~n",
        [[element(Position, hd(ets:slot(Table, I))) || I <- lists:seq(0, length(Keys) - 1)] =:= Keys]),
    io:format("slot behind: ~p~n", [ets:slot(Table, length(Keys))]),
    %% Keys that are not there, from the lowest to the highest.
    Absent = [-1, 0, 700.25, 10000000, a, {}, {k}, {k, 777.5}, {k, zz}, {z, 1}, #{}, [], [1], [700.25], [zz], <<>>,
        <<700:64, 1>>, <<255>>],
    io:format("beside: ~p~n", [[{ets:next(Table, Key), ets:prev(Table, Key)} || Key <- Absent]]),
    [io:format("~p: ~p~n", [Pattern, erlang:phash2(ets:match_object(Table, Head(Pattern)))])
     || Pattern <- [{k, '_'}, {'_', 801}, ['$1' | end_of_it], '_', {k, 801}, 804, {nothing, '_'}]],
    io:format("count: ~p~n", [ets:select_count(Table, [{Head({k, '_'}), [], [true]}])]),
    Chunk = ets:match_object(Table, Head({k, '_'}), 10),
    io:format("chunk: ~p~n", [erlang:phash2(element(1, Chunk))]),
    io:format("replaced: ~p~n",
        [ets:select_replace(Table, [{Head({k, '$1'}), [], [{setelement_of(Position, '$1')}]}])]),
    io:format("deleted: ~p~n", [ets:select_delete(Table, [{Head('$1'), [{is_integer, '$1'}], [true]}])]),
    io:format("rest: ~p~n", [erlang:phash2(ets:tab2list(Table))]),
    Renamed = ets:rename(Table, other),
    io:format("~p ~p~n", [Renamed =:= Table, ets:info(Table, name)]),
    io:format("all: ~p~n", [ets:delete_all_objects(Table)]),
    io:format("~p ~p ~p~n", [ets:info(Table, size), ets:first(Table), ets:tab2list(Table)]),
    ets:insert(Table, object(Table, again, 1)),
    io:format("~p~n", [ets:tab2list(Table)]).

setelement_of(1, Variable) -> {{{k, Variable}}, new, new};
setelement_of(2, Variable) -> {new, {{k, Variable}}, new}.

%% Lists are put in whole: a counter in each object of a list is the same to who puts in lists himself, only if there
%% are none.
lists_whole() ->
    Table = ets:new(ranges, [ordered_set, public, {write_concurrency, true}]),
    Objects = fun(Who) -> [{I, Who} || I <- lists:seq(1, 400)] end,
    Insert = fun(Who) -> spawn_monitor(fun() ->
        [begin ets:insert(Table, Objects(Who)), ets:insert(Table, {1000 + I, Who}) end || I <- lists:seq(1, 300)]
    end) end,
    Workers = [Insert(Who) || Who <- [a, b]],
    [receive {'DOWN', Monitor, process, _, normal} -> ok end || {_, Monitor} <- Workers],
    io:format("one's list: ~p~n",
        [length(lists:usort(ets:select(Table, [{{'$1', '$2'}, [{'=<', '$1', 400}], ['$2']}])))]),
    io:format("~p~n", [ets:insert_new(Table, [{5000, c}, {7, c}])]),
    io:format("~p~n", [ets:lookup(Table, 5000)]),
    io:format("~p~n", [ets:insert_new(Table, [{5000, c}, {5001, c}])]),
    io:format("~p~n", [ets:select(Table, [{{'$1', c}, [], ['$1']}])]),
    %% Of two who claim the same keys in one list each, one gets them all.
    Claim = fun(Who) -> spawn_monitor(fun() ->
        exit([Turn || Turn <- lists:seq(1, 300),
            ets:insert_new(Table, [{{Turn, Part}, Who} || Part <- lists:seq(1, 9)])])
    end) end,
    Won = [receive {'DOWN', Monitor, process, _, Turns} -> Turns
        end || {_, Monitor} <- [Claim(Who) || Who <- [a, b, c]]],
    io:format("claimed: ~p~n", [lists:sort(lists:append(Won)) =:= lists:seq(1, 300)]),
    ets:delete(Table).

%% Nothing that is counted is lost.
counters() ->
    Table = ets:new(ranges, [ordered_set, public, {write_concurrency, auto}]),
    Workers = [spawn_monitor(fun() ->
        [ets:update_counter(Table, I rem 100, 1, {I rem 100, 0}) || I <- lists:seq(1, 20000)]
    end) || _ <- lists:seq(1, 4)],
    [receive {'DOWN', Monitor, process, _, normal} -> ok end || {_, Monitor} <- Workers],
    io:format("counted: ~p~n", [lists:usort(ets:select(Table, [{{'_', '$1'}, [], ['$1']}]))]),
    ets:delete(Table).

%% Emptied by several, filled again, and deleted while others are at it.
emptied() ->
    Table = ets:new(ranges, [ordered_set, public, {write_concurrency, true}]),
    Each = fun(Do) ->
        Workers = [spawn_monitor(fun() -> [Do(I * 4 + W) || I <- lists:seq(1, 5000)] end) || W <- lists:seq(0, 3)],
        [receive {'DOWN', Monitor, process, _, Reason} -> Reason end || {_, Monitor} <- Workers]
    end,
    [begin
        io:format("~p ", [Each(fun(I) -> ets:insert(Table, {I, I}) end)]),
        io:format("~p ", [ets:info(Table, size)]),
        io:format("~p ", [Each(fun(I) -> ets:delete(Table, I) end)]),
        io:format("~p ~p~n", [ets:info(Table, size), ets:first(Table)])
    end || _ <- lists:seq(1, 3)],
    Self = self(),
    Writers = [spawn_monitor(fun() -> Self ! writing, write_on(Table, W) end) || W <- lists:seq(1, 3)],
    [receive writing -> ok end || _ <- Writers],
    ets:delete(Table),
    io:format("~p~n", [[receive {'DOWN', Monitor, process, _, {Reason, _}} -> Reason end || {_, Monitor} <- Writers]]).

write_on(Table, I) ->
    ets:insert(Table, {I, I}),
    write_on(Table, I + 3).

%% What owners do with tables.
owners() ->
    Self = self(),
    Table = ets:new(ranges, [ordered_set, public, {write_concurrency, true}, {heir, self(), inherited}]),
    [ets:insert(Table, {I, I}) || I <- lists:seq(1, 1000)],
    {Pid, Monitor} = spawn_monitor(fun() ->
        receive {'ETS-TRANSFER', _, Self, given} -> ok end,
        ets:setopts(Table, {heir, Self, inherited}),
        ets:safe_fixtable(Table, true),
        [ets:delete(Table, I) || I <- lists:seq(1, 1000, 2)]
    end),
    ets:give_away(Table, Pid, given),
    receive {'DOWN', Monitor, process, _, Reason} -> io:format("~p~n", [Reason]) end,
    receive {'ETS-TRANSFER', _, Pid, Data} -> io:format("~p~n", [Data]) end,
    io:format("~p ~p ~p~n", [ets:info(Table, size), ets:info(Table, fixed), ets:info(Table, owner) =:= self()]),
    ets:setopts(Table, {protection, protected}),
    {_, Other} = spawn_monitor(fun() -> ets:insert(Table, {1, 1}) end),
    receive {'DOWN', Other, process, _, {Refused, _}} -> io:format("~p ~p~n", [Refused, ets:member(Table, 1)]) end,
    ets:delete(Table).
