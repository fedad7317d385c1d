%% Objects of more than a megabyte: inserted, replaced, refused, and while the process that inserts them is killed.
-module(ets_large_objects).
-export([main/0]).

main() ->
    List = lists:seq(1, 300000),
    Kinds = [[set, public], [bag], [duplicate_bag], [ordered_set], [set, compressed]],
    Tables = [ets:new(table, Options) || Options <- Kinds],
    [table(Table, List) || Table <- Tables],
    errors(hd(Tables), List),
    by_others(hd(Tables)),
    as_key(ets:new(table, [ordered_set]), List).

table(Table, List) ->
    Short = tl(List),
    see:value(inserted, [ets:insert(Table, {1, List}), ets:insert_new(Table, {1, Short}),
        ets:insert_new(Table, {2, List}), ets:insert(Table, {1, Short}), ets:insert(Table, {1, Short}),
        ets:insert(Table, [{3, List}])]),
    see:value(objects, [[length(Elements) || {_, Elements} <- ets:lookup(Table, Key)] || Key <- [1, 2, 3]]),
    see:value(equal, [Elements =:= List || {_, Elements} <- ets:lookup(Table, 2)]),
    see:value(size, ets:info(Table, size)).

errors(Table, List) ->
    ets:new(others, [named_table, {keypos, 3}]),
    Insert = fun(Where, What) -> try ets:insert(Where, What) catch Class:Reason -> {Class, Reason} end end,
    see:value(errors, [Insert(Table, List), Insert(nowhere, {1, List}), Insert(others, {1, List}), Insert(Table, {})]).

by_others(Table) ->
    Self = self(),
    Protected = ets:new(table, [protected]),
    Insert = fun(Where) ->
        List = lists:seq(1, 300000),
        Self ! try ets:insert(Where, {from_other, List}) catch Class:Reason -> {Class, Reason} end
    end,
    [begin spawn(fun() -> Insert(Where) end), receive Answer -> see:value(by_others, Answer) end end
        || Where <- [Table, Protected]],
    {Pid, Monitor} = spawn_monitor(fun() -> List = lists:seq(1, 1000000), Self ! go, inserts(Table, List) end),
    receive go -> exit(Pid, kill) end,
    receive {'DOWN', Monitor, process, Pid, Reason} -> see:value(killed, Reason) end,
    see:value(works, [ets:insert(Table, {killed, x}), ets:lookup(Table, killed)]).

inserts(Table, List) -> ets:insert(Table, {by_killed, List}), inserts(Table, List).

as_key(Table, List) ->
    [ets:insert(Table, {Key, Value}) || {Key, Value} <- [{List, 1}, {tl(List), 2}, {List, 3}]],
    see:value(as_key, [ets:info(Table, size), ets:lookup_element(Table, List, 2)]).
