%% How long processes stop while the machine works for one of them.
%%
%%   erl +S 1:1 -noshell -s pauses run collection 1000 -s erlang halt
%%
%% prints `others: MICROSECONDS`: by how much a process that wants to run every millisecond was late at worst, and for
%% `collection` also `own: MICROSECONDS`, the longest time for which the process itself stood still. The size is in
%% megabytes, for `exits` a number of processes. Figures are the least of three runs, because the host causes pauses
%% too.
-module(pauses).
-export([run/1]).

-define(ROUNDS, 3).

run([What, N]) ->
    Rounds = [round(What, list_to_integer(atom_to_list(N))) || _ <- lists:seq(1, ?ROUNDS)],
    [io:format("~s: ~b~n", [Figure, lists:min([maps:get(Figure, Round) || Round <- Rounds])])
        || Figure <- maps:keys(hd(Rounds))].

%% What was prepared is worked on in the process that prepared it, or what it had there would be copied.
round(What, N) ->
    Parent = self(),
    {Busy, Ref} = spawn_monitor(fun() ->
        Work = prepared(What, N),
        Parent ! {ready, self()},
        receive go -> ok end,
        exit({done, Work()})
    end),
    receive {ready, Busy} -> ok end,
    Other = spawn_opt(fun() -> tick(erlang:monotonic_time(microsecond), 1) end, [{priority, normal}]),
    Busy ! go,
    receive {'DOWN', Ref, process, Busy, {done, Own}} -> ok end,
    Other ! {stop, self()},
    receive {late, Micros} -> Own#{others => Micros} end.

tick(Last, Most) ->
    receive
        {stop, From} -> From ! {late, later(Last, Most)}
    after 1 ->
        tick(erlang:monotonic_time(microsecond), later(Last, Most))
    end.

later(Last, Most) -> max(Most, erlang:monotonic_time(microsecond) - Last - 1000).

%% All that lives is collected once, then as often as the process's own garbage asks for.
prepared(collection, Megabytes) ->
    Living = living(Megabytes),
    fun() ->
        Before = erlang:monotonic_time(microsecond),
        garbage_collect(),
        After = erlang:monotonic_time(microsecond),
        {_, Most} = lists:foldl(fun(_, {Last, Most}) ->
            _ = lists:seq(1, 10),
            Now = erlang:monotonic_time(microsecond),
            {Now, max(Most, Now - Last)}
        end, {After, After - Before}, lists:seq(1, 2000000)),
        true = length(Living) > 0,
        #{own => Most}
    end;
%% Rows of 100 bytes or so.
prepared(tables, Megabytes) ->
    Tables = [table(Type, Megabytes * 2500) || Type <- [set, ordered_set, bag, duplicate_bag]],
    fun() -> [true = ets:delete(Table) || Table <- Tables], #{} end;
%% All their objects go, of some because of a specification, of others one by one while the table is fixed.
prepared(objects, Megabytes) ->
    [Chosen, Fixed] = [[table(Type, Megabytes * 2500) || Type <- [set, ordered_set]] || _ <- [chosen, fixed]],
    fun() ->
        [ets:select_delete(Table, [{'_', [], [true]}]) || Table <- Chosen],
        [begin
            ets:safe_fixtable(Table, true),
            [ets:delete(Table, I) || I <- lists:seq(1, Megabytes * 2500)],
            ets:safe_fixtable(Table, false)
        end || Table <- Fixed],
        #{}
    end;
prepared(messages, Megabytes) ->
    Message = living(Megabytes div 4),
    {Taker, Ref} = spawn_monitor(fun() -> [receive {message, _} -> ok end || _ <- lists:seq(1, 4)] end),
    fun() ->
        [Taker ! {message, Message} || _ <- lists:seq(1, 4)],
        receive {'DOWN', Ref, process, Taker, normal} -> #{} end
    end;
%% They are linked with one, which ends.
prepared(exits, N) ->
    Parent = self(),
    {First, Ref} = spawn_monitor(fun() ->
        [spawn_link(fun() -> receive never -> ok end end) || _ <- lists:seq(1, N)],
        Parent ! {linked, self()},
        receive go -> exit(gone) end
    end),
    receive {linked, First} -> ok end,
    Before = erlang:system_info(process_count),
    fun() ->
        First ! go,
        receive {'DOWN', Ref, process, First, gone} -> ok end,
        gone(Before - N),
        #{}
    end.

gone(Left) ->
    case erlang:system_info(process_count) =< Left of
        true -> ok;
        false -> timer:sleep(1), gone(Left)
    end.

%% 80 bytes each: a cell, a tuple, a float and a list of two.
living(Megabytes) -> [{I, I + 0.5, [I]} || I <- lists:seq(1, Megabytes * 12500)].

table(Type, Rows) ->
    Table = ets:new(rows, [Type]),
    [ets:insert(Table, {I, "a row", <<"some bytes">>}) || I <- lists:seq(1, Rows)],
    Table.
