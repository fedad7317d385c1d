%% An ETS table: insertions, lookups, counters and traversals.
-module(compute_ets).
-export([run/0]).

run() ->
    Set = ets:new(set, [set]),
    Ordered = ets:new(ordered, [ordered_set]),
    insert(50000, Set),
    insert(20000, Ordered),
    Found = lookup(150000, Set, 0) + lookup(50000, Ordered, 0),
    count(100000, Set),
    Sum = ets:foldl(fun({_, V, _}, S) -> S + V end, 0, Set),
    Big = length(ets:select(Ordered, [{{'$1', '$2', '_'}, [{'>', '$2', 30000}], ['$1']}])),
    {Found, Sum, Big, ets:info(Set, size)}.

insert(0, _) -> ok;
insert(N, Table) -> ets:insert(Table, {N, N * 2, {row, N}}), insert(N - 1, Table).

lookup(0, _, Found) -> Found;
lookup(N, Table, Found) ->
    case ets:lookup(Table, N) of
        [{_, V, _}] -> lookup(N - 1, Table, Found + V);
        [] -> lookup(N - 1, Table, Found)
    end.

count(0, _) -> ok;
count(N, Table) -> ets:update_counter(Table, N rem 1000 + 1, {2, 1}), count(N - 1, Table).
