%% Operations on ETS tables, each timed separately.
%%
%%   erl -noshell -s tables time set one 200000 -s erlang halt
%%
%% prints a line `OPERATION: MICROSECONDS` for each operation on a table of that many objects. One process does the
%% work, or two share it:
%%
%%   one          one process, one table
%%   shared       two processes, one table with default options
%%   concurrent   two processes, one table with read and write concurrency and decentralized counters
%%   own          two processes, each with its own table for its half
-module(tables).
-export([time/1]).

-define(ROUNDS, 3).
%% The number of objects with the same key in a bag.
-define(SIBLINGS, 4).

time([Type, Mode, Size]) ->
    N = list_to_integer(atom_to_list(Size)),
    Rounds = [round(Type, Mode, N) || _ <- lists:seq(1, ?ROUNDS)],
    [io:format("~s: ~b~n", [Operation, lists:min([proplists:get_value(Operation, R) || R <- Rounds])])
     || {Operation, _} <- hd(Rounds)].

round(Type, Mode, N) ->
    Shares = shares(Type, Mode, N),
    Times = [{Operation, together(Operation, Shares)} || Operation <- operations(Type)],
    [ets:delete(Table) || Table <- lists:usort([Table || {Table, _, _} <- Shares])],
    Times.

operations(bag) -> [insert, lookup, member, select, match, next, delete];
operations(_) -> [insert, lookup, member, update_counter, select, match, next, delete].

%% The work of each process: a table, and the first and the last key of its objects.
shares(Type, one, N) ->
    [{new(Type, []), {Type, 1}, N}];
shares(Type, own, N) ->
    [{new(Type, []), {Type, 1}, N div 2}, {new(Type, []), {Type, 1}, N div 2}];
shares(Type, Mode, N) ->
    Table = new(Type, options(Mode)),
    [{Table, {Type, 1}, N div 2}, {Table, {Type, N div 2 + 1}, N}].

options(shared) -> [];
options(concurrent) ->
    [{read_concurrency, true}, {write_concurrency, true}, {decentralized_counters, true}].

new(Type, Options) -> ets:new(table, [Type, public | Options]).

%% The time until the last process is done.
together(Operation, Shares) ->
    Workers = [spawn_monitor(fun() -> receive start -> run(Operation, Share) end end) || Share <- Shares],
    erlang:garbage_collect(),
    Start = erlang:monotonic_time(),
    [Pid ! start || {Pid, _} <- Workers],
    [receive {'DOWN', Monitor, process, _, normal} -> ok end || {_, Monitor} <- Workers],
    erlang:convert_time_unit(erlang:monotonic_time() - Start, native, microsecond).

run(insert, {Table, {Type, First}, Last}) -> insert(First, Last, Type, Table);
run(lookup, {Table, {Type, First}, Last}) -> lookup(First, Last, Type, Table);
run(member, {Table, {Type, First}, Last}) -> member(First, Last, Type, Table);
run(update_counter, {Table, {_, First}, Last}) -> count(First, Last, Table);
run(match, {Table, {Type, First}, Last}) -> match(First, Last, Type, Table);
run(delete, {Table, {Type, First}, Last}) -> delete(First, Last, Type, Table);
run(select, {Table, _, _}) -> ets:select(Table, [{{'$1', '$2'}, [{'>', '$2', 100}], ['$1']}]);
run(next, {Table, _, _}) -> walk(ets:first(Table), Table).

key(bag, I) -> I div ?SIBLINGS;
key(_, I) -> I.

insert(I, Last, _, _) when I > Last -> ok;
insert(I, Last, Type, Table) -> ets:insert(Table, {key(Type, I), I}), insert(I + 1, Last, Type, Table).

lookup(I, Last, _, _) when I > Last -> ok;
lookup(I, Last, Type, Table) -> [_ | _] = ets:lookup(Table, key(Type, I)), lookup(I + 1, Last, Type, Table).

member(I, Last, _, _) when I > Last -> ok;
member(I, Last, Type, Table) -> true = ets:member(Table, key(Type, I)), member(I + 1, Last, Type, Table).

count(I, Last, _) when I > Last -> ok;
count(I, Last, Table) -> ets:update_counter(Table, I, 1), count(I + 1, Last, Table).

match(I, Last, _, _) when I > Last -> ok;
match(I, Last, Type, Table) -> [_ | _] = ets:match(Table, {key(Type, I), '$1'}), match(I + 1, Last, Type, Table).

delete(I, Last, _, _) when I > Last -> ok;
delete(I, Last, Type, Table) -> ets:delete(Table, key(Type, I)), delete(I + 1, Last, Type, Table).

walk('$end_of_table', _) -> ok;
walk(Key, Table) -> walk(ets:next(Table, Key), Table).
