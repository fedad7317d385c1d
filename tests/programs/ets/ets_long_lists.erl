%% Long lists are inserted at once for whoever looks, or not at all, while others go on; whoever inserts may be killed,
%% and the table deleted, meanwhile.
-module(ets_long_lists).
-export([main/0]).

-define(MANY, 60000).

main() ->
    Kinds = [{Kind, More} || Kind <- [set, ordered_set, bag, duplicate_bag], More <- [[], [{write_concurrency, true}]]],
    [see:that([Kind, More], fun() -> contents([public, Kind | More]) end) || {Kind, More} <- Kinds],
    [see:that({whole, Kind, More}, fun() -> whole([public, Kind | More]) end) || {Kind, More} <- Kinds],
    see:that(refused, fun refused/0),
    see:that(private, fun private/0),
    see:that(two, fun two/0),
    see:that(killed, fun killed/0),
    see:that(deleted, fun deleted/0),
    see:that(fixed, fun fixed/0),
    see:that(compressed, fun() -> contents([public, set, compressed]) end).

objects() -> objects(1).

objects(From) -> [{N, N * 2} || N <- lists:seq(From, From + ?MANY - 1)].

contents(Options) ->
    Table = ets:new(table, Options),
    true = ets:insert(Table, objects()),
    false = ets:insert_new(Table, objects(?MANY)),
    First = ets:info(Table, size),
    true = ets:insert_new(Table, objects(?MANY + 1)),
    true = ets:insert(Table, [{5, again} | objects(10)]),
    Sum = ets:foldl(fun({_, N}, Sum) when is_integer(N) -> Sum + N; (_, Sum) -> Sum end, 0, Table),
    Found = {First, ets:info(Table, size), ets:lookup(Table, 5), ets:lookup(Table, 2 * ?MANY), Sum},
    ets:delete(Table),
    Found.

%% Who looks at the first and the last of a list sees both or neither.
whole(Options) ->
    Table = ets:new(table, Options),
    Me = self(),
    Looks = [spawn_link(fun() -> look(Me, Table, 0) end) || _ <- lists:seq(1, 2)],
    [begin
        ets:insert(Table, [{N, Round} || N <- lists:seq(1, ?MANY)]),
        true = ets:member(Table, ?MANY),
        ets:delete_all_objects(Table)
     end || Round <- lists:seq(1, 5)],
    [Look ! stop || Look <- Looks],
    Torn = lists:sum([receive {Look, Count} -> Count end || Look <- Looks]),
    ets:delete(Table),
    Torn.

look(Parent, Table, Torn) ->
    receive
        stop -> Parent ! {self(), Torn}
    after 0 ->
        look(Parent, Table, Torn + torn(Table, 1, ?MANY) + torn(Table, ?MANY, 1))
    end.

%% Whether one of the two is there all the time, and the other is not.
torn(Table, Key, Other) ->
    case {ets:lookup(Table, Key), ets:lookup(Table, Other), ets:lookup(Table, Key)} of
        {[{_, Round}], [], [{_, Round}]} -> 1;
        _ -> 0
    end.

refused() ->
    Table = ets:new(table, [protected, {keypos, 2}]),
    Bad = [objects() ++ [{short}], objects() ++ [not_a_tuple], objects() ++ tail, objects() ++ [{}]],
    Errors = [{catch ets:insert(Table, List), catch ets:insert_new(Table, List)} || List <- Bad],
    Reasons = [{Reason, Other} || {{'EXIT', {Reason, _}}, {'EXIT', {Other, _}}} <- Errors],
    {_, Monitor} = spawn_monitor(fun() -> exit(catch ets:insert(Table, objects())) end),
    Foreign = receive {'DOWN', Monitor, _, _, {'EXIT', {Why, [Frame | _]}}} -> {Why, element(2, Frame)} end,
    Gone = ets:new(gone, []),
    ets:delete(Gone),
    {Reasons, Foreign, catch element(1, element(2, catch ets:insert(Gone, objects()))), ets:info(Table, size)}.

private() ->
    Table = ets:new(table, [private]),
    true = ets:insert(Table, objects()),
    {ets:info(Table, size), ets:lookup(Table, 77)}.

%% Two lists at the same time.
two() ->
    Table = ets:new(table, [public]),
    Started = [spawn_monitor(fun() -> exit(ets:insert_new(Table, objects())) end) || _ <- lists:seq(1, 3)],
    Results = lists:sort([receive {'DOWN', Monitor, _, _, Result} -> Result end || {_, Monitor} <- Started]),
    {Results, ets:info(Table, size)}.

%% What a process that is killed has begun is done to its end, or was not begun.
killed() ->
    Table = ets:new(table, [public]),
    Sizes = [begin
        {Pid, Monitor} = spawn_monitor(fun() -> ets:insert(Table, objects()) end),
        timer:sleep(Ms),
        exit(Pid, kill),
        receive {'DOWN', Monitor, _, _, _} -> ok end,
        Size = case ets:member(Table, 1) of
            true -> ets:info(Table, size);
            false -> ?MANY
        end,
        ets:delete_all_objects(Table),
        Size
    end || Ms <- [0, 1, 2, 5, 10, 20, 50]],
    lists:usort(Sizes).

deleted() ->
    [begin
        Table = ets:new(table, [public]),
        {_, Monitor} = spawn_monitor(fun() -> exit(catch ets:insert(Table, objects())) end),
        timer:sleep(Ms),
        ets:delete(Table),
        receive {'DOWN', Monitor, _, _, _} -> ok end,
        ets:info(Table)
    end || Ms <- [0, 1, 5, 10, 20]].

fixed() ->
    Table = ets:new(table, [public]),
    true = ets:insert(Table, [{N, N} || N <- lists:seq(1, 10)]),
    true = ets:safe_fixtable(Table, true),
    First = ets:first(Table),
    ets:delete(Table, First),
    true = ets:insert(Table, objects()),
    Count = count(Table, ets:first(Table), 0),
    true = ets:safe_fixtable(Table, false),
    {Count, ets:info(Table, size)}.

count(_, '$end_of_table', Count) -> Count;
count(Table, Key, Count) -> count(Table, ets:next(Table, Key), Count + 1).
