%% Who was spawned before its module is deleted starts in the module as it was, though it was not its turn yet.
-module(spawned_before_deleted).
-export([main/0]).

main() ->
    process_flag(trap_exit, true),
    see:value(by_the_server, often(fun code:delete/1)),
    see:value(at_once, often(fun erlang:delete_module/1)),
    see:value(not_there, [erlang:delete_module(no_such_module_at_all), code:delete(no_such_module_at_all)]),
    see:fails([fun() -> erlang:delete_module(see:id(1)) end, fun() -> erlang:delete_module(see:id([a | b])) end]),
    load(),
    see:value(deleted, erlang:delete_module(short_lived)),
    load(),
    see:that(old_code, fun() -> erlang:delete_module(see:id(short_lived)) end),
    see:value(purged, [code:purge(short_lived), code:purge(short_lived)]).

%% On a busy machine some of them come too late, here and there: whether any came in time, and what became of the
%% others.
often(Delete) ->
    Seen = lists:usort([once(Delete) || _ <- lists:seq(1, 20)]),
    InTime = {true, true, killed},
    {lists:member(InTime, Seen), Seen -- [InTime, {false, false, {undef, [{short_lived, wait, [], []}]}}]}.

once(Delete) ->
    load(),
    Pid = spawn_link(short_lived, wait, []),
    true = Delete(short_lived),
    Uses = erlang:check_process_code(Pid, short_lived),
    Purged = code:purge(short_lived),
    receive {'EXIT', Pid, Reason} -> {Uses, Purged, Reason} after 5000 -> {Uses, Purged, lives} end.

load() ->
    Forms = [{attribute, 1, module, short_lived}, {attribute, 1, export, [{wait, 0}]},
             {function, 2, wait, 0,
                 [{clause, 2, [], [], [{'receive', 3, [{clause, 3, [{atom, 3, go}], [], [{atom, 3, ok}]}]}]}]}],
    {ok, short_lived, Code} = compile:forms(Forms),
    {module, _} = code:load_binary(short_lived, "short_lived.erl", Code),
    ok.
