%% The blocks that the allocators count for tables are those that there are: as many after as before, whatever threads
%% have made and freed them, for tables that are freed by their owner, by its end, or aside since they are large.
%% Compiled match specifications are not among them. Whoever asks for a number of locks gets a power of two.
-module(ets_blocks).
-export([main/0]).

main() ->
    logger:set_primary_config(level, none),
    erts_debug:set_internal_state(available_internal_state, true),
    %% Compiled and loaded before anything is counted.
    [blocks() || _ <- [1, 2]],
    Works = [{deleted, fun deleted/0}, {orphans, fun orphans/0}, {large, fun large/0}, {many_owners, fun many_owners/0},
        {specifications, fun specifications/0}],
    [same(What, Work) || {What, Work} <- Works],
    [locks(Count) || Count <- [1, 63, 64, 65, 1000, 2048, 2049, 32768]].

same(What, Work) ->
    Before = blocks(),
    Held = Work(),
    After = blocks(),
    see:value(What, {After =:= Before, After - Before =< 0 orelse After - Before}),
    erlang:phash2(Held).

blocks() ->
    erts_debug:set_internal_state(wait, deallocations),
    erts_debug:alloc_blocks_size(ets_alloc).

deleted() ->
    Table = filled(set, 1000),
    ets:delete(Table).

orphans() ->
    [gone(fun() -> [filled(Kind, 100) || Kind <- [set, ordered_set, bag, duplicate_bag]] end) || _ <- lists:seq(1, 20)].

large() ->
    gone(fun() -> filled(set, 200000) end).

many_owners() ->
    Owners = [spawn_monitor(fun() -> filled(set, N) end) || N <- lists:seq(1, 200)],
    [receive {'DOWN', Monitor, process, Pid, _} -> ok end || {Pid, Monitor} <- Owners].

specifications() ->
    [ets:match_spec_compile([{{'$1', {N, "and a list"}}, [], ['$1']}]) || N <- lists:seq(1, 500)].

filled(Kind, Count) ->
    Table = ets:new(table, [Kind, public]),
    true = ets:insert(Table, [{N, "text", <<N:256>>} || N <- lists:seq(1, Count)]),
    Table.

gone(Work) ->
    {Pid, Monitor} = spawn_monitor(Work),
    receive {'DOWN', Monitor, process, Pid, _} -> ok end.

locks(Count) ->
    Table = ets:new(table, [public, {write_concurrency, {debug_hash_fixed_number_of_locks, Count}}]),
    see:value(Count, ets:info(Table, write_concurrency)).
