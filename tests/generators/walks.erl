%% Walks through ETS tables while other processes write, by seed.
%%
%% A table holds stable objects, which stay there through a round, and unstable ones, which writers put in, change and
%% take out in large numbers, so that the table grows and shrinks all the time. Whatever way a reader takes through the
%% table, it must meet every stable object exactly once. In the end writers take out what they put in, and only the
%% stable objects may be left.
-module(walks).
-export([start/0]).

-record(round, {number, table, kind, options, stable, parent}).

%% `start Seed Walks`: prints what went wrong, then how many walks there were of each kind.
start() ->
    [Seed, Walks] = [list_to_integer(Word) || Word <- init:get_plain_arguments()],
    {Rounds, Made} = rounds(1, Seed, Walks, #{}),
    lists:foreach(fun({{Kind, Way}, {Count, Wrong}}) ->
        io:format("~ts ~ts: ~b walks, ~b wrong~n", [Kind, Way, Count, Wrong]) end, lists:sort(maps:to_list(Made))),
    io:format("~b rounds, ~b walks, ~b wrong~n", [Rounds - 1, total(1, Made), total(2, Made)]),
    halt(min(1, total(2, Made))).

total(Place, Made) -> lists:sum([element(Place, Counts) || Counts <- maps:values(Made)]).

rounds(Number, Seed, Walks, Made) ->
    case total(1, Made) >= Walks of
        true -> {Number, Made};
        false -> rounds(Number + 1, Seed, Walks, round_of(Number, Seed, Made))
    end.

round_of(Number, Seed, Made) ->
    rand:seed(exsss, {Seed, Number, 0}),
    Kind = one_of([set, set, ordered_set, bag, duplicate_bag]),
    Options = [public | [Option || Option <- [{write_concurrency, one_of([true, auto])}, {read_concurrency, true},
        compressed,
                                              {decentralized_counters, true}], rand:uniform(3) =:= 1]],
    Table = ets:new(walked, [Kind | Options]),
    Stable = one_of([0, 1, 10, 100, 300, 1000, 1000, 5000, 5000, 15000]),
    Round = #round{number = Number, table = Table, kind = Kind, options = Options, stable = Stable, parent = self()},
    ets:insert(Table, [stable(I) || I <- lists:seq(1, Stable)]),
    Writers = [started(fun() -> write(Round, Id) end, {Seed, Number, Id}) || Id <- lists:seq(1, rand:uniform(3))],
    Readers = [started(fun() -> read(Round, Id, 25) end, {Seed, Number, 100 + Id})
        || Id <- lists:seq(1, rand:uniform(3))],
    Walked = [result(Reader) || Reader <- Readers],
    [Pid ! stop || {Pid, _} <- Writers],
    [result(Writer) || Writer <- Writers],
    Left = lists:sort(ets:tab2list(Table)),
    End = {left, Left =:= lists:sort([stable(I) || I <- lists:seq(1, Stable)]) andalso ets:info(Table, size) =:= Stable
                     andalso ets:info(Table, fixed) =:= false andalso deleted(Table) =:= 0},
    ets:delete(Table),
    lists:foldl(fun({Way, Result}, Counts) -> count(Round, Way, Result, Counts) end, Made,
        [End | lists:append(Walked)]).

count(#round{kind = Kind} = Round, Way, Result, Counts) ->
    {Count, Wrong} = maps:get({Kind, Way}, Counts, {0, 0}),
    case Result of
        true -> Counts#{{Kind, Way} => {Count + 1, Wrong}};
        _ ->
            io:format("WRONG ~w in round ~b, ~w ~w, ~b stable: ~0tp~n",
                [Way, Round#round.number, Kind, Round#round.options, Round#round.stable, Result]),
            Counts#{{Kind, Way} => {Count + 1, Wrong + 1}}
    end.

%% Objects that are deleted but still in the table; stock tells it as well.
deleted(Table) ->
    case ets:info(Table, stats) of
        {_, _, _, _, _, _, Deleted} -> Deleted;
        _ -> 0
    end.

started(Fun, Seed) -> spawn_monitor(fun() -> rand:seed(exsss, Seed), exit({done, Fun()}) end).

result({Pid, Monitor}) ->
    receive {'DOWN', Monitor, process, Pid, Reason} ->
        case Reason of
            {done, Result} -> Result;
            _ -> [{crash, Reason}]
        end
    end.

one_of(List) -> lists:nth(rand:uniform(length(List)), List).

%% Keys of both sorts are mixed in the order of keys.
stable(I) -> {{I, s}, I}.

%% A writer's objects; some are large.
unstable(I, Id) -> {{I, Id}, case I rem 7 of 0 -> lists:seq(1, I rem 50); 1 -> <<I:700>>; _ -> I end}.

write(#round{table = T} = Round, Id) ->
    write(Round, Id, 0),
    ets:select_delete(T, [{{{'_', Id}, '_'}, [], [true]}]),
    ets:match_delete(T, {{'_', {Id, '_'}}, '_'}),
    ok.

write(#round{table = T, kind = Kind, stable = Stable} = Round, Id, Last) ->
    Some = one_of([1, 5, 50, 500, 3000]),
    From = rand:uniform(one_of([10, 1000, 20000])),
    Keys = lists:seq(From, From + Some),
    case rand:uniform(9) of
        1 -> ets:insert(T, [unstable(I, Id) || I <- Keys]);
        2 -> [ets:insert(T, unstable(I, Id)) || I <- Keys];
        3 -> [ets:delete(T, {I, Id}) || I <- Keys];
        4 -> [ets:delete_object(T, unstable(I, Id)) || I <- Keys];
        5 -> ets:select_delete(T, [{{{'$1', Id}, '_'}, [{'>', '$1', From}], [true]}]);
        6 -> ets:match_delete(T, {{'_', Id}, '_'});
        7 -> [ets:take(T, {I, Id}) || I <- Keys];
        8 when Kind =:= set; Kind =:= ordered_set ->
            %% Equal to what is there, but another object.
            [begin I = rand:uniform(Stable), ets:insert(T, stable(I)), ets:update_element(T, {I, s}, {2, I})
                end || _ <- Keys, Stable > 0],
            [ets:update_counter(T, {I, {Id, c}}, 1, {{I, {Id, c}}, 0}) || I <- Keys];
        _ -> [begin ets:insert(T, unstable(I, Id)), ets:delete(T, {I - 3, Id}) end || I <- Keys]
    end,
    receive stop -> Last after 0 -> write(Round, Id, Last + 1) end.

read(_, _, 0) -> [];
read(Round, Id, Left) ->
    Way = way(Round#round.kind),
    Result = try walk(Way, Round, Id) catch Class:Reason:Stack -> {Class, Reason, Stack} end,
    [{Way, Result} | read(Round, Id, Left - 1)].

way(Kind) ->
    one_of([select_count, select, match, match_object, foldl, tab2list, by_next, select_chunks, match_chunks,
        object_chunks, select_delete]
        ++ [select_replace || Kind =/= bag]
        ++ [Way || Way <- [by_prev, foldr, select_reverse, reverse_chunks, unfixed_next, unfixed_chunks],
            Kind =:= ordered_set]).

-define(STABLE, {{'$1', s}, '_'}).
-define(NUMBERS, [{?STABLE, [], ['$1']}]).

walk(select_count, #round{table = T, stable = N}, _) -> same(N, ets:select_count(T, [{?STABLE, [], [true]}]));
walk(select, #round{table = T} = R, _) -> all(R, ets:select(T, ?NUMBERS));
walk(select_reverse, #round{table = T} = R, _) -> in_order(R, lists:reverse(ets:select_reverse(T, ?NUMBERS)));
walk(match, #round{table = T} = R, _) -> all(R, [I || [I] <- ets:match(T, ?STABLE)]);
walk(match_object, #round{table = T} = R, _) -> all(R, [I || {{I, s}, I} <- ets:match_object(T, {{'_', s}, '_'})]);
walk(foldl, #round{table = T} = R, _) -> all(R, ets:foldl(fun add/2, [], T));
walk(foldr, #round{table = T} = R, _) -> in_order(R, ets:foldr(fun add/2, [], T));
walk(tab2list, #round{table = T} = R, _) -> all(R, [I || {{I, s}, I} <- ets:tab2list(T)]);
walk(by_next, #round{table = T} = R, _) -> all(R, fixed(T, fun() -> keys(T, fun ets:next/2, ets:first(T), []) end));
walk(by_prev, #round{table = T} = R, _) -> in_order(R, keys(T, fun ets:prev/2, ets:last(T), []));
walk(unfixed_next, #round{table = T} = R, _) -> in_order(R, lists:reverse(keys(T, fun ets:next/2, ets:first(T), [])));
walk(select_chunks, #round{table = T} = R, _) ->
    all(R, fixed(T, fun() -> chunks(fun ets:select/1, ets:select(T, ?NUMBERS, limit()), []) end));
walk(unfixed_chunks, #round{table = T} = R, _) ->
    in_order(R, lists:reverse(chunks(fun ets:select/1, ets:select(T, ?NUMBERS, limit()), [])));
walk(reverse_chunks, #round{table = T} = R, _) ->
    in_order(R, chunks(fun ets:select_reverse/1, ets:select_reverse(T, ?NUMBERS, limit()), []));
walk(match_chunks, #round{table = T} = R, _) ->
    all(R, [I || [I] <- fixed(T, fun() -> chunks(fun ets:match/1, ets:match(T, ?STABLE, limit()), []) end)]);
walk(object_chunks, #round{table = T} = R, _) ->
    all(R, [I || {{I, s}, I} <- fixed(T,
        fun() -> chunks(fun ets:match_object/1, ets:match_object(T, {{'_', s}, '_'}, limit()), []) end)]);
walk(select_replace, #round{table = T, stable = N}, _) ->
    same(N, ets:select_replace(T, [{{{'$1', s}, '$2'}, [], [{{{{'$1', s}}, '$2'}}]}]));
walk(select_delete, #round{table = T, stable = N}, Id) ->
    %% Objects of this reader alone, which it takes out at once.
    Mine = {r, Id},
    ets:insert(T, [{{I, Mine}, I} || I <- lists:seq(1, N)]),
    Deleted = ets:select_delete(T, [{{{'_', Mine}, '_'}, [], [true]}]),
    same({N, 0}, {Deleted, ets:select_count(T, [{{{'_', Mine}, '_'}, [], [true]}])}).

add({{I, s}, I}, List) -> [I | List];
add(_, List) -> List.

limit() -> one_of([1, 7, 100, 1000, 100000]).

fixed(T, Fun) ->
    ets:safe_fixtable(T, true),
    Result = Fun(),
    ets:safe_fixtable(T, false),
    Result.

%% The numbers of stable keys, the last one first.
keys(_, _, '$end_of_table', Found) -> Found;
keys(T, Next, {I, s} = Key, Found) -> keys(T, Next, Next(T, Key), [I | Found]);
keys(T, Next, Key, Found) -> keys(T, Next, Next(T, Key), Found).

%% What the chunks hold, the last one first.
chunks(_, '$end_of_table', Found) -> Found;
chunks(Next, {Chunk, Continuation}, Found) -> chunks(Next, Next(Continuation), lists:reverse(Chunk, Found)).

same(Wanted, Wanted) -> true;
same(Wanted, Found) -> {wanted, Wanted, found, Found}.

all(Round, Numbers) -> in_order(Round, lists:sort(Numbers)).

in_order(#round{stable = Stable}, Numbers) ->
    Wanted = lists:seq(1, Stable),
    Numbers =:= Wanted orelse {missing, lists:sublist(Wanted -- Numbers, 10), more,
        lists:sublist(Numbers -- Wanted, 10), length(Numbers)}.
