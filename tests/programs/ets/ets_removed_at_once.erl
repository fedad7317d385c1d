%% The memory of many tables that are removed at once goes back, though no further table is removed.
-module(ets_removed_at_once).
-export([main/0]).

-define(COUNT, 100000).

main() ->
    %% Loads what is needed later.
    tables(1000),
    returned(fun() -> tables(?COUNT) end).

%% Prints what it waited for: that half of what was taken is given back. `Use` returns the resident megabytes at its
%% peak.
returned(Use) ->
    Before = resident(),
    Peak = Use(),
    wait(fun() -> resident() < Before + (Peak - Before) div 2 end),
    io:format("the memory is given back~n").

wait(Is) ->
    case Is() of
        true -> ok;
        false ->
            receive after 50 -> ok end,
            wait(Is)
    end.

tables(Count) ->
    in_process(fun() ->
        [ets:new(table, [ordered_set, public, {write_concurrency, true}]) || _ <- lists:seq(1, Count)],
        resident()
    end).

in_process(Use) ->
    {Pid, Monitor} = spawn_monitor(fun() -> exit({result, Use()}) end),
    receive {'DOWN', Monitor, process, Pid, {result, Result}} -> Result end.

resident() ->
    {ok, Facts} = file:read_file("/proc/self/statm"),
    [_, Pages | _] = binary:split(Facts, <<" ">>, [global]),
    binary_to_integer(Pages) * 4 div 1024.
