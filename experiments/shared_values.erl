%% Operations on atomics, counters and persistent terms, each timed separately.
%%
%%   erl -noshell -s shared_values time one 1000000 -s erlang halt
%%
%% prints a line `OPERATION: MICROSECONDS` for that many repetitions of each operation, done by one process (`one`), or
%% by two at the same time, half each (`two`).
-module(shared_values).
-export([time/1]).

-define(ROUNDS, 3).
%% The number of persistent terms that are read in turn, and that exist while one of them is updated.
-define(TERMS, 1000).
-define(UPDATES, 2000).

time([Processes, Times]) ->
    N = list_to_integer(atom_to_list(Times)),
    Atomics = atomics:new(16, []),
    Exact = counters:new(16, [atomics]),
    Loose = counters:new(16, [write_concurrency]),
    [persistent_term:put(key(I), value(I)) || I <- lists:seq(1, ?TERMS)],
    Works = works(Atomics, Exact, Loose),
    Rounds = [[{Name, timed(Processes, Work, N)} || {Name, Work} <- Works] ++
              [{term_put, timed(one, fun put/1, ?UPDATES) * N div ?UPDATES}] || _ <- lists:seq(1, ?ROUNDS)],
    [io:format("~s: ~b~n", [Name, lists:min([proplists:get_value(Name, Round) || Round <- Rounds])])
     || {Name, _} <- hd(Rounds)].

works(Atomics, Exact, Loose) ->
    [{atomics_add, fun(N) -> each(fun(_) -> atomics:add(Atomics, 1, 1) end, N) end},
     {atomics_add_get, fun(N) -> each(fun(_) -> atomics:add_get(Atomics, 2, 1) end, N) end},
     {atomics_get, fun(N) -> each(fun(_) -> atomics:get(Atomics, 3) end, N) end},
     {atomics_put, fun(N) -> each(fun(I) -> atomics:put(Atomics, 4, I) end, N) end},
     {atomics_exchange, fun(N) -> each(fun(I) -> atomics:compare_exchange(Atomics, 5, I, I + 1) end, N) end},
     {counters_add, fun(N) -> each(fun(_) -> counters:add(Exact, 1, 1) end, N) end},
     {counters_get, fun(N) -> each(fun(_) -> counters:get(Exact, 2) end, N) end},
     {loose_add, fun(N) -> each(fun(_) -> counters:add(Loose, 1, 1) end, N) end},
     {loose_get, fun(N) -> each(fun(_) -> counters:get(Loose, 2) end, N) end},
     {term_of_atom, fun(N) -> each(fun(_) -> persistent_term:get(key(1)) end, N) end},
     {term_of_tuple, fun(N) -> each(fun(I) -> persistent_term:get({?MODULE, I rem (?TERMS - 1) + 2}) end, N) end},
     {term_default, fun(N) -> each(fun(I) -> persistent_term:get({?MODULE, -I}, none) end, N) end}].

key(1) -> ?MODULE;
key(I) -> {?MODULE, I}.

value(I) -> #{number => I, text => <<"some text">>, list => [I, I + 1]}.

%% Adds and erases terms that no process uses.
put(N) ->
    each(fun(I) ->
        persistent_term:put({fresh, I}, value(I)),
        persistent_term:erase({fresh, I})
    end, N div 2).

timed(one, Work, N) -> timed([N], Work);
timed(two, Work, N) -> timed([N div 2, N div 2], Work).

%% The time until the last process is done.
timed(Parts, Work) ->
    Workers = [spawn_monitor(fun() -> receive start -> Work(Part) end end) || Part <- Parts],
    erlang:garbage_collect(),
    Start = erlang:monotonic_time(),
    [Pid ! start || {Pid, _} <- Workers],
    [receive {'DOWN', Monitor, process, _, normal} -> ok end || {_, Monitor} <- Workers],
    erlang:convert_time_unit(erlang:monotonic_time() - Start, native, microsecond).

each(_, 0) -> ok;
each(Do, N) -> Do(N), each(Do, N - 1).
