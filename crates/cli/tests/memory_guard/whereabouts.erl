%% Grows one kind of memory after the other by some tens of megabytes, and compares what `{ferl, resident}` tells of it
%% with what the system counts. Prints a line for each kind: by how many hundredths of the growth the part that should
%% have grown differs from it, and how many hundredths of the whole have no name.
-module(whereabouts).
-export([main/1]).

main([Natives]) ->
    [grow(Kind) || Kind <- kinds() ++ [Native || Natives =:= "natives", Native <- natives()]],
    halt().

%% The kind, the part that grows, and what makes it.
kinds() ->
    Held = fun(Make) -> fun() -> keep(Make) end end,
    Times = fun(Times, Body) -> fun() -> times(Times, Body) end end,
    Atom = fun(N) -> list_to_atom("an atom of this test " ++ integer_to_list(N)) end,
    Put = fun(N) -> persistent_term:put({?MODULE, N}, lists:seq(1, 20000)) end,
    [{heap, processes, Held(fun() -> lists:seq(1, 2500000) end)},
     {decoded, processes, Held(fun() -> binary_to_term(nested(2000000)) end)},
     {dictionary, processes, Held(Times(500000, fun(N) -> put(N, N) end))},
     {links, processes, Held(Times(40000, fun(_) -> spawn_link(fun sleep/0) end))},
     {small_processes, processes, Times(40000, fun(_) -> keep(fun() -> ok end) end)},
     {messages, processes, fun() -> send(keep(fun() -> ok end), 400000) end},
     {binaries, binary, Held(fun() -> [binary:copy(<<1>>, 100000) || _ <- lists:seq(1, 400)] end)},
     {one_binary, binary, Held(fun() -> binary:copy(<<1>>, 40000000) end)},
     {table, ets, fun() -> fill(set) end},
     {ordered_table, ets, fun() -> fill(ordered_set) end},
     {atoms, atom, Times(300000, Atom)},
     {timers, timers, Times(300000, fun(N) -> erlang:start_timer(3600000, self(), N) end)},
     {persistent_terms, literals, Times(100, Put)}].

natives() ->
    [{resources, libraries, fun() -> keep(fun() -> [natives:object(100000) || _ <- lists:seq(1, 400)] end) end},
     {allocated, libraries, fun() -> times(4000, fun(_) -> natives:take(10000) end) end}].

times(0, _) -> ok;
times(N, Body) -> Body(N), times(N - 1, Body).

send(Pid, Times) -> times(Times, fun(N) -> Pid ! {N, "a message"} end).

%% A process that waits with what it has made.
keep(Make) ->
    Self = self(),
    Pid = spawn(fun() -> Made = Make(), Self ! {self(), made}, sleep(), Made end),
    receive {Pid, made} -> Pid end.

sleep() -> receive never -> ok end.

nested(Words) -> term_to_binary(lists:duplicate(Words div 8, "abc")).

fill(Type) ->
    Table = ets:new(table, [Type, public]),
    times(300000, fun(N) -> ets:insert(Table, {N, "an object", N}) end).

grow({Kind, Part, Make}) ->
    #{total := Before, Part := PartBefore, untouched := UntouchedBefore} = settled(),
    Make(),
    #{total := After, Part := PartAfter, other := Other, untouched := Untouched} = All = settled(),
    After = lists:sum(maps:values(maps:without([total, untouched], All))) - Untouched,
    Grown = After - Before,
    true = Grown > 8000000,
    Missed = abs(PartAfter - PartBefore - (Untouched - UntouchedBefore) - Grown) * 100 div Grown,
    io:format("~p: ~p missed, ~p unnamed~n", [Kind, Missed, Other * 100 div After]).

%% When what was freed has gone back to the system.
settled() ->
    garbage_collect(),
    timer:sleep(700),
    erlang:system_info({ferl, resident}).
