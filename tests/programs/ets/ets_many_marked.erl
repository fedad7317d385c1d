%% Tables that are fixed while very many objects are deleted, most of which are freed some time after the release.
-module(ets_many_marked).
-export([main/0]).

-define(N, 30000).

main() ->
    [see:value({Type, Locks}, [Case(table(Type, Locks)) || Case <- [fun walked/1, fun chosen/1, fun fixed_again/1,
        fun by_another/1, fun beside_a_reader/1, fun come_and_go/1]])
        || Type <- [set, bag, duplicate_bag], Locks <- [false, true]].

table(Type, Locks) ->
    T = ets:new(t, [public, Type, {write_concurrency, Locks}]),
    ets:insert(T, [{N, N rem 3} || N <- lists:seq(1, ?N)]),
    T.

%% Each object is deleted when the walk meets it; new ones come while the old ones are freed.
walked(T) ->
    ets:safe_fixtable(T, true),
    Met = walk(T, ets:first(T), 0),
    Left = {ets:info(T, size), kept(T)},
    ets:safe_fixtable(T, false),
    None = {kept(T), ets:info(T, write_concurrency) orelse ets:info(T, memory)},
    [ets:insert(T, {N, new}) || N <- lists:seq(2, 2 * ?N, 2)],
    {Met, Left, None, what(T)}.

walk(_, '$end_of_table', Met) -> Met;
walk(T, Key, Met) -> ets:delete(T, Key), walk(T, ets:next(T, Key), Met + 1).

%% A specification deletes, without anybody else who fixes the table.
chosen(T) ->
    Some = ets:select_delete(T, [{{'_', 1}, [], [true]}]),
    [ets:insert(T, {N, new}) || N <- lists:seq(1, ?N, 5)],
    Others = ets:match_delete(T, {'_', 2}),
    {Some, Others, what(T)}.

%% It is fixed once more at once, and walked from its first key on.
fixed_again(T) ->
    ets:safe_fixtable(T, true),
    [ets:delete(T, N) || N <- lists:seq(1, ?N), N rem 10 > 0],
    ets:safe_fixtable(T, false),
    ets:safe_fixtable(T, true),
    [ets:insert(T, {N, back}) || N <- lists:seq(1, ?N, 7)],
    Met = walk(T, ets:first(T), 0),
    ets:safe_fixtable(T, false),
    {Met, what(T)}.

%% The process that fixes the table ends.
by_another(T) ->
    {Pid, Monitor} = spawn_monitor(fun() ->
        ets:safe_fixtable(T, true),
        [ets:delete(T, N) || N <- lists:seq(1, ?N), N rem 4 > 0]
    end),
    receive {'DOWN', Monitor, process, Pid, normal} -> ok end,
    [ets:insert(T, {N, anew}) || N <- lists:seq(1, ?N, 2)],
    {ets:info(T, fixed), what(T)}.

%% Another process walks while a specification deletes: it meets what is never deleted, each once.
beside_a_reader(T) ->
    Me = self(),
    Reader = spawn_link(fun() ->
        ets:safe_fixtable(T, true),
        First = ets:first(T),
        Me ! walks,
        Met = keys(T, First, []),
        ets:safe_fixtable(T, false),
        Me ! {met, length([K || K <- Met, K rem 3 =:= 0]), length(Met) - length(lists:usort(Met))}
    end),
    receive walks -> ok end,
    Deleted = ets:select_delete(T, [{{'_', '$1'}, [{'>', '$1', 0}], [true]}]),
    receive {met, Kept, Twice} -> ok end,
    unlink(Reader),
    {Deleted, Kept, Twice, what(T)}.

keys(_, '$end_of_table', Met) -> Met;
keys(T, Key, Met) -> keys(T, ets:next(T, Key), [Key | Met]).

%% The same keys are deleted and inserted again and again.
come_and_go(T) ->
    ets:safe_fixtable(T, true),
    [begin ets:delete(T, N), ets:insert(T, {N, Round}) end || Round <- lists:seq(1, 5), N <- lists:seq(1, ?N, 4)],
    [ets:delete(T, N) || N <- lists:seq(1, ?N, 8)],
    Size = ets:info(T, size),
    ets:safe_fixtable(T, false),
    {Size, what(T)}.

%% How many objects are marked as deleted. (While it is fixed, OTP also counts the memory for knowing their slots, which
%% ferl does not.)
kept(T) -> element(7, ets:info(T, stats)).

%% What the table holds, seen in three ways.
what(T) ->
    All = lists:sort(ets:tab2list(T)),
    Sum = ets:foldl(fun({N, _}, Sum) -> Sum + N end, 0, T),
    Found = length([N || N <- lists:seq(1, 2 * ?N), ets:member(T, N)]),
    {length(All), erlang:phash2(All), Sum, Found, ets:info(T, size)}.
