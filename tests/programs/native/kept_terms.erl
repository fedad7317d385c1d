%% Terms that are kept outside processes, or wait on their way to one, while the literals that they were made of go.
%% needs: erl_nif.h
-module(kept_terms).
-export([main/0, init/0, keep/1, kept/0, keep_for_thread/2, select/2, ready/0, traced/1]).
-on_load(init/0).

init() -> erlang:load_nif(filename:rootname(code:which(?MODULE)), 0).

keep(_) -> erlang:nif_error(not_loaded).
kept() -> erlang:nif_error(not_loaded).
keep_for_thread(_, _) -> erlang:nif_error(not_loaded).
select(_, _) -> erlang:nif_error(not_loaded).
ready() -> erlang:nif_error(not_loaded).

main() ->
    Places = [environment, thread, select, table, table_update, ordered_table, bag, timer, start_timer, port_data,
        dictionary,
        queue, token, both, alias, exit_reason, heap, spawned, closure, specification, prepared],
    [see:value(What, Kept) || {What, Kept} <- through(Places, erased, fun erased/2) ++ through(Places, purged,
        fun purged/2)].

%% Whether terms come back as they were from these places after their literals have gone.
through(Places, Name, How) ->
    Me = self(),
    Terms = [{Place, value(Place), How(Place, value(Place))} || Place <- Places],
    Fetchers = [in_another(fun() -> keep_in(Place, Get, Me) end) || {Place, _, {Get, _}} <- Terms],
    [Free() || {_, _, {_, Free}} <- Terms],
    %% What is made now may lie where they were.
    [begin persistent_term:put({other, I}, lists:duplicate(300, {I, [<<I:800>>], "another", I})), timer:sleep(20) end
        || I <- lists:seq(1, 30)],
    Results = [{{Name, Place}, Fetch() =:= Value} || {Fetch, {Place, Value, _}} <- lists:zip(Fetchers, Terms)],
    [persistent_term:erase({other, I}) || I <- lists:seq(1, 30)],
    Results.

value(Place) -> [{Place, I, integer_to_list(I), #{I => {a, I, <<I:800>>}}} || I <- lists:seq(1, 300)].

in_another(Fun) ->
    {Pid, Monitor} = spawn_monitor(fun() -> exit({done, Fun()}) end),
    receive {'DOWN', Monitor, process, Pid, {done, Done}} -> Done end.

erased(Place, Value) ->
    persistent_term:put(Place, Value),
    {fun() -> persistent_term:get(Place) end, fun() -> persistent_term:erase(Place) end}.

purged(Place, Value) ->
    Module = list_to_atom("constants_" ++ atom_to_list(Place)),
    Forms = [{attribute, 1, module, Module}, {attribute, 1, export, [{value, 0}]},
        {function, 1, value, 0, [{clause, 1, [], [], [erl_parse:abstract(Value)]}]}],
    {ok, Module, Code} = compile:forms(Forms),
    {module, Module} = code:load_binary(Module, "constants", Code),
    {fun() -> Module:value() end, fun() -> true = code:delete(Module), code:purge(Module) end}.

%% Keeps a literal somewhere, from a process that ends; returns how to get it from there.
keep_in(environment, Get, _) -> keep(Get()), fun kept/0;
keep_in(thread, Get, Me) -> keep_for_thread(Me, Get()), fun() -> receive {thread, Value} -> Value end end;
keep_in(select, Get, Me) -> select(Me, Get()), fun() -> ready(), receive {select, Value} -> Value end end;
keep_in(table, Get, Me) -> in_table(set, Me, fun(T) -> ets:insert(T, {key, Get()}) end);
keep_in(table_update, Get, Me) ->
    in_table(set, Me, fun(T) -> ets:insert(T, {key, old}), ets:update_element(T, key, {2, Get()}) end);
keep_in(ordered_table, Get, Me) -> in_table(ordered_set, Me, fun(T) -> ets:insert(T, [{a, 1}, {key, Get()}, {z,
    1}]) end);
keep_in(bag, Get, Me) ->
    in_table(bag, Me, fun(T) -> ets:insert(T, {key, 0}), ets:insert(T, {key, Get()}), ets:delete_object(T, {key,
        0}) end);
keep_in(timer, Get, Me) -> erlang:send_after(500, Me, {timer, Get()}), fun() -> receive {timer, Value} -> Value end end;
keep_in(start_timer, Get, Me) ->
    Timer = erlang:start_timer(500, Me, Get()),
    fun() -> receive {timeout, Timer, Value} -> Value end end;
keep_in(port_data, Get, Me) ->
    Port = open_port({spawn, "cat"}, []),
    port_connect(Port, Me), unlink(Port), erlang:port_set_data(Port, Get()),
    fun() -> Value = erlang:port_get_data(Port), port_close(Port), Value end;
keep_in(dictionary, Get, _) -> holder(fun() -> put(key, Get()), receive {get, From} -> From ! {got, get(key)} end end);
keep_in(queue, Get, _) ->
    holder(fun() -> receive {get, From} -> receive {value, Value} -> From ! {got, Value} end end end, Get());
keep_in(token, Get, _) ->
    Me = self(),
    Pid = spawn(fun() -> receive {get, From} -> receive {value, Value} -> From ! {got, Value,
        seq_trace:get_token()} end end end),
    spawn_monitor(fun() -> seq_trace:set_token(label, 17), Pid ! {value, Get()}, Me ! sent end),
    receive sent -> ok end, process_info(Pid, message_queue_len),
    fun() -> Pid ! {get, self()}, receive {got, Value, {_, 17, _, _, _}} -> Value; {got, _, Token} -> {token,
        Token} end end;
keep_in(both, Get, _) ->
    Me = self(),
    Pid = spawn(fun() -> receive {get, From} -> receive {value, Value} -> From ! {got, Value,
        seq_trace:get_token()} end end end),
    %% The label is a literal too.
    spawn_monitor(fun() -> seq_trace:set_token(label, Get()), Pid ! {value, here}, Me ! sent end),
    receive sent -> ok end, process_info(Pid, message_queue_len),
    fun() -> Pid ! {get, self()}, receive {got, here, {_, Label, _, _, _}} -> Label; {got, _, Token} -> {token,
        Token} end end;
keep_in(alias, Get, _) ->
    Me = self(),
    Pid = spawn(fun() -> Me ! {alias, alias()}, receive {get, From} -> receive {value, Value} -> From ! {got,
        Value} end end end),
    receive {alias, Alias} -> Alias ! {value, Get()} end,
    asks(Pid);
keep_in(exit_reason, Get, Me) ->
    Pid = spawn(fun() -> monitor(process, Me), receive {go, From} -> exit({From, Get()}) end end),
    Holder = spawn(fun() -> M = monitor(process, Pid), receive {get, From} -> receive {'DOWN', M, _, _, {_, Value}} ->
        From ! {got, Value} end end end),
    timer:sleep(20), Pid ! {go, self()}, timer:sleep(20),
    asks(Holder);
keep_in(heap, Get, _) -> holder(fun() -> Value = Get(), receive {get, From} -> From ! {got, Value} end end);
keep_in(spawned, Get, _) -> asks(spawn(?MODULE, traced, [Get()]));
keep_in(closure, Get, _) -> Value = Get(), Fun = fun() -> Value end, fun() -> Fun() end;
keep_in(specification, Get, Me) ->
    T = ets:new(table, [public, {heir, Me, here}]),
    ets:insert(T, {key, 1}),
    Compiled = ets:match_spec_compile([{{key, '_'}, [], [{const, Get()}]}]),
    fun() -> receive {'ETS-TRANSFER', T, _, here} -> [Value] = ets:match_spec_run([{key, 1}], Compiled), Value end end;
keep_in(prepared, Get, Me) ->
    T = ets:new(table, [public, ordered_set, {heir, Me, here}]),
    ets:insert(T, [{I, I} || I <- lists:seq(1, 10)]),
    {[_], Continuation} = ets:select(T, [{{'$1', '_'}, [], [{const, Get()}]}], 1),
    fun() -> receive {'ETS-TRANSFER', T, _, here} -> {[Value], _} = ets:select(Continuation), Value end end.

%% A process that was started with the term, and is traced by nobody.
traced(Value) -> receive {get, From} -> From ! {got, Value} end.

in_table(Type, Me, Fill) ->
    T = ets:new(table, [Type, public, {heir, Me, here}]),
    Fill(T),
    fun() -> receive {'ETS-TRANSFER', T, _, here} -> [{_, Value}] = ets:lookup(T, key), ets:delete(T), Value end end.

holder(Body) -> asks(spawn(Body)).

holder(Body, Value) ->
    Pid = spawn(Body),
    Pid ! {value, Value},
    process_info(Pid, message_queue_len),
    asks(Pid).

asks(Pid) -> fun() -> Pid ! {get, self()}, receive {got, Value} -> Value end end.
