%% Reports of the machine itself on a node that has a name: they tell that name, and reports of another node's processes
%% go to where their group leader is.
-module(reports).
-export([main/1, log/2]).

main([B]) ->
    see:value(here, [reported(Fun) || Fun <- failures()]),
    see:value(there, [cluster:on(B, fun() -> reported(Fun) end) || Fun <- failures()]),
    %% Processes there whose group leader is here.
    ok = cluster:on(B, fun() -> logger:set_primary_config(level, all) end),
    see:value(sent, reported(fun() -> spawn(B, fun() -> throw({failed, erlang:make_tuple(3, a)}) end) end)),
    see:value(linked, reported(fun() -> process_flag(trap_exit, true), spawn_link(B, fun() -> error(linked) end) end)),
    see:value(killed, reported(fun() ->
        spawn_opt(B, fun grow/0, [{max_heap_size, #{size => 100_000, kill => true, error_logger => true}}]) end)).

failures() ->
    [fun() -> spawn(fun() -> error(unhappy) end) end,
     fun() -> spawn(fun() -> throw({unhappy, "text"}) end) end,
     fun() -> spawn_opt(fun grow/0, [{max_heap_size, #{size => 100_000, kill => true, error_logger => true}}]) end,
     fun() -> spawn(fun() -> erts_debug:set_internal_state(available_internal_state, true) end) end].

grow() -> grow([]).

grow(Grown) -> grow([lists:seq(1, 100) | Grown]).

%% What the logger here is told when a process fails that the fun starts.
reported(Fun) ->
    ok = logger:add_handler(?MODULE, ?MODULE, #{config => self()}),
    _ = logger:set_handler_config(default, level, none),
    #{level := Level} = logger:get_primary_config(),
    ok = logger:set_primary_config(level, all),
    Process = Fun(),
    Report = receive {?MODULE, Event} -> shown(Event, Process) after 3_000 -> nothing end,
    ok = logger:set_primary_config(level, Level),
    ok = logger:remove_handler(?MODULE),
    Report.

log(#{level := Level, msg := Message, meta := Meta}, #{config := Listener}) ->
    Listener ! {?MODULE, {Level, Message, maps:with([error_logger, pid, gl], Meta)}}.

%% Without what is another on each run: pids become `process' or where they are, sizes and addresses are left out.
shown({Level, {Format, Arguments}, Meta}, Process) ->
    {Level, Format, [argument(A, Process) || A <- Arguments],
     [{Key, argument(Value, Process)} || {Key, Value} <- lists:sort(maps:to_list(Meta))]};
shown(Other, _) ->
    Other.

argument(Process, Process) -> process;
argument(Pid, _) when is_pid(Pid) -> {pid_on, node(Pid)};
argument(Number, _) when is_integer(Number) -> number;
argument(#{} = Map, _) -> maps:keys(Map);
argument([{Key, _} | _], _) when is_atom(Key) -> facts;
argument({Reason, [{_, _, _, _} | _]}, _) -> {Reason, trace};
argument([{_, _, _, _} | _], _) -> trace;
argument(Text, Process) when is_list(Text) ->
    case io_lib:printable_unicode_list(Text) of
        true -> re:replace(Text, "<[0-9.]+>", "process", [{return, list}]);
        false -> [argument(A, Process) || A <- Text]
    end;
argument(Other, _) -> Other.
