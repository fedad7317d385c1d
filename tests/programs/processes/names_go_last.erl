%% A process that ends keeps its name until its tables are gone: whoever finds the name free can make a table of the
%% same name.
-module(names_go_last).
-export([main/0]).

main() ->
    see:value(free, lists:usort([ended(Way) || _ <- lists:seq(1, 100), Way <- [normal, killed]])),
    see:value(heir, lists:usort([inherited() || _ <- lists:seq(1, 50)])).

ended(Way) ->
    {Pid, Watch} = owner([]),
    case Way of
        normal -> Pid ! go;
        killed -> exit(Pid, kill)
    end,
    Made = made(),
    receive {'DOWN', Watch, process, Pid, _} -> ok end,
    Made.

%% A process with a name, tables and timers.
owner(Options) ->
    Self = self(),
    Started = spawn_monitor(fun() ->
        register(?MODULE, self()),
        [ets:new(other, []) || _ <- lists:seq(1, 20)],
        ?MODULE = ets:new(?MODULE, [named_table, ordered_set | Options]),
        ets:insert(?MODULE, [{N, N} || N <- lists:seq(1, 100)]),
        [erlang:send_after(1000000, self(), late) || _ <- lists:seq(1, 100)],
        Self ! ready,
        receive go -> ok end
    end),
    receive ready -> Started end.

made() ->
    case whereis(?MODULE) of
        undefined ->
            try ets:new(?MODULE, [named_table]) of
                Table -> ets:delete(Table)
            catch
                Class:Reason -> {Class, Reason}
            end;
        _ -> made()
    end.

%% Who finds the name free owns the table that it inherits.
inherited() ->
    {Pid, Watch} = owner([{heir, self(), given}]),
    exit(Pid, kill),
    free(),
    Owner = ets:info(?MODULE, owner) =:= self(),
    receive {'ETS-TRANSFER', ?MODULE, Pid, given} -> ok end,
    ets:delete(?MODULE),
    receive {'DOWN', Watch, process, Pid, killed} -> Owner end.

free() ->
    case whereis(?MODULE) of
        undefined -> ok;
        _ -> free()
    end.
