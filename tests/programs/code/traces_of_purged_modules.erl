%% The names of files in stack traces are kept by whoever has a trace: its process, a message, a table, the reason of an
%% exit, also after the module that they name is purged, with another version or none behind it.
-module(traces_of_purged_modules).
-export([main/0, keeper/1]).

main() ->
    load(1),
    Keepers = [spawn_link(?MODULE, keeper, [self()]) || _ <- lists:seq(1, 4)],
    receive_from(Keepers, failed),
    {_, Own} = failure(),
    table = ets:new(table, [named_table]),
    ets:insert(table, {trace, Own}),
    persistent_term:put(trace, Own),
    {_, Monitor} = spawn_monitor(fun() -> purged_one:fail(1) end),
    Reason = receive {'DOWN', Monitor, process, _, It} -> It end,
    Waiting = spawn(fun() -> purged_one:wait() end),
    timer:sleep(20),
    {current_stacktrace, Current} = process_info(Waiting, current_stacktrace),
    exit(Waiting, kill),
    see:that(first, fun() -> told(Own) end),
    see:that(purged, fun() -> load(2), code:purge(purged_one) end),
    {_, Second} = failure(),
    see:that(deleted, fun() -> {code:delete(purged_one), code:purge(purged_one)} end),
    % What was freed is written over by the literals of others.
    [load_other(Number) || Number <- lists:seq(1, 30)],
    [garbage_collect(Pid) || Pid <- [self() | Keepers]],
    [Keeper ! {tell, self()} || Keeper <- Keepers],
    [see:that(kept, fun() -> receive {Keeper, Trace} -> told(Trace) end end) || Keeper <- Keepers],
    see:that(own, fun() -> told(Own) end),
    see:that(second, fun() -> told(Second) end),
    see:that(table, fun() -> told(ets:lookup_element(table, trace, 2)) end),
    see:that(term, fun() -> told(persistent_term:get(trace)) end),
    see:that(reason, fun() -> {badarith, Trace} = Reason, told(Trace) end),
    see:that(current, fun() -> told(Current) end).

keeper(Parent) ->
    {_, Trace} = failure(),
    Parent ! {self(), failed},
    keep(Trace).

keep(Trace) ->
    receive {tell, To} -> To ! {self(), Trace} end.

receive_from(Pids, What) ->
    [receive {Pid, What} -> ok end || Pid <- Pids].

failure() ->
    try purged_one:fail(1) catch error:Reason:Trace -> {Reason, Trace} end.

%% The frames of the module that comes and goes.
told(Trace) ->
    [{Function, Arity, Location} || {purged_one, Function, Arity, Location} <- Trace].

load(Version) ->
    Forms = [{attribute, 1, file, {"version_" ++ integer_to_list(Version) ++ "/purged_one.erl", 1}},
             {attribute, 1, module, purged_one},
             {attribute, 2, export, [{fail, 1}, {wait, 0}]},
             {function, 10 * Version, fail, 1,
              [{clause, 10 * Version, [{var, 1, 'X'}], [],
                [{op, 10 * Version + 1, '+', {call, 10 * Version + 2, {atom, 1, wrong}, [{var, 1, 'X'}]},
                    {integer, 1, 1}}]}]},
             {function, 50, wrong, 1,
              [{clause, 50, [{var, 1, 'X'}], [], [{op, 51, '+', {var, 1, 'X'}, {atom, 1, a}}]}]},
             {function, 60, wait, 0,
              [{clause, 60, [], [],
                  [{'receive', 61, [{clause, 62, [{atom, 62, go}], [], [{call, 62, {atom, 62, wait}, []}]}]}]}]}],
    {ok, Module, Code} = compile:forms(Forms, [{error_location, line}]),
    {module, Module} = code:load_binary(Module, "purged_one.beam", Code).

load_other(Number) ->
    Name = list_to_atom("other_one_" ++ integer_to_list(Number)),
    Text = lists:duplicate(40 + Number, $x),
    Forms = [{attribute, 1, module, Name}, {attribute, 2, export, [{it, 0}]},
             {function, 3, it, 0, [{clause, 3, [], [], [{string, 3, Text}]}]}],
    {ok, Name, Code} = compile:forms(Forms),
    {module, Name} = code:load_binary(Name, "other.beam", Code),
    Text = Name:it().
