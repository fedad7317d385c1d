%% A process whose dirty call lasts is attended to meanwhile: it answers, takes links and monitors, and ends when it is
%% told to. What it held is free at once, while its call goes on; a suspension and a collection wait for the end of the
%% call.
-module(attended_while_dirty).
-export([main/0, busy/1]).

main() ->
    answers(),
    relations(),
    ends(),
    trapped(),
    what_it_held(),
    suspended(),
    collected(),
    messages(),
    purged(),
    fifo(),
    flood(),
    crowd().

busy(Ms) -> erts_debug:dirty_io(wait, Ms).

start(Options, Before, Ms) ->
    Me = self(),
    Result = spawn_opt(fun() -> Before(), Me ! ready, busy(Ms), exit(over) end, Options),
    receive ready -> ok end,
    timer:sleep(50),
    Result.

%% Whether it took less time than the call does.
soon(Ms, Fun) ->
    {Time, Result} = timer:tc(Fun),
    {Time < Ms * 1000 div 2, Result}.

answers() ->
    {Pid, Monitor} = start([monitor], fun() -> put(key, value), self() ! one, self() ! two end, 2000),
    io:format("answers: ~p~n", [soon(2000, fun() ->
        [process_info(Pid, Item) || Item <- [current_function, status, message_queue_len, messages, dictionary,
            trap_exit, priority]]
    end)]),
    io:format("alive: ~p~n", [soon(2000, fun() -> is_process_alive(Pid) end)]),
    io:format("executing: ~p~n", [erts_internal:is_process_executing_dirty(Pid)]),
    Leader = group_leader(),
    Other = spawn(fun() -> receive stop -> ok end end),
    io:format("leader: ~p~n", [soon(2000, fun() ->
        true = group_leader(Other, Pid),
        Seen = process_info(Pid, group_leader) =:= {group_leader, Other},
        true = group_leader(Leader, Pid),
        {Seen, process_info(Pid, group_leader) =:= {group_leader, Leader}}
    end)]),
    Other ! stop,
    exit(Pid, kill),
    receive {'DOWN', Monitor, process, Pid, Reason} -> io:format("down: ~p~n", [Reason]) end.

relations() ->
    process_flag(trap_exit, true),
    Pid = start([], fun() -> ok end, 1500),
    {IsSoon, _} = soon(1500, fun() ->
        link(Pid),
        {links, Links} = process_info(Pid, links),
        true = lists:member(self(), Links),
        unlink(Pid),
        {links, []} = process_info(Pid, links),
        Monitor = monitor(process, Pid),
        {monitored_by, [_]} = process_info(Pid, monitored_by),
        demonitor(Monitor),
        {monitored_by, []} = process_info(Pid, monitored_by),
        link(Pid)
    end),
    io:format("relations: ~p~n", [IsSoon]),
    receive {'EXIT', Pid, Reason} -> io:format("by itself: ~p~n", [Reason]) end,
    process_flag(trap_exit, false).

ends() ->
    [begin
        {Pid, Monitor} = start([monitor], fun() -> ok end, 2000),
        io:format("~p: ~p~n", [Sent, soon(2000, fun() ->
            exit(Pid, Sent),
            receive {'DOWN', Monitor, process, Pid, Reason} -> Reason after 5000 -> none end
        end)]),
        io:format("gone: ~p~n", [{process_info(Pid), is_process_alive(Pid), lists:member(Pid, processes())}])
    end || Sent <- [kill, because]],
    %% Through a chain of links.
    Pids = [start([], fun() -> ok end, 2000) || _ <- lists:seq(1, 5)],
    Monitors = [monitor(process, Pid) || Pid <- Pids],
    {IsSoon, Reasons} = soon(2000, fun() ->
        spawn(fun() -> [link(Pid) || Pid <- Pids], exit(chained) end),
        [receive {'DOWN', Monitor, process, _, Reason} -> Reason end || Monitor <- Monitors]
    end),
    io:format("chain: ~p~n", [{IsSoon, Reasons}]).

trapped() ->
    Me = self(),
    {Pid, Monitor} = spawn_monitor(fun() ->
        process_flag(trap_exit, true),
        Me ! ready,
        busy(700),
        receive {'EXIT', Me, Reason} -> exit({got, Reason}) after 0 -> exit(nothing) end
    end),
    receive ready -> ok end,
    timer:sleep(50),
    exit(Pid, signal),
    io:format("queue: ~p~n", [process_info(Pid, messages) =:= {messages, [{'EXIT', Me, signal}]}]),
    receive {'DOWN', Monitor, process, Pid, Reason} -> io:format("trapped: ~p~n", [Reason]) end.

what_it_held() ->
    {Pid, Monitor} = start([monitor], fun() -> register(holder, self()), ets:new(held, [named_table, public]) end,
        2000),
    io:format("held: ~p~n", [{whereis(holder) =:= Pid, ets:info(held, owner) =:= Pid}]),
    exit(Pid, kill),
    receive {'DOWN', Monitor, process, Pid, killed} -> ok end,
    io:format("free: ~p~n", [{whereis(holder), ets:info(held)}]),
    register(holder, self()),
    ets:new(held, [named_table]),
    ets:delete(held),
    unregister(holder).

suspended() ->
    {Pid, Monitor} = start([monitor], fun() -> ok end, 600),
    true = erlang:suspend_process(Pid, [asynchronous]),
    io:format("status: ~p~n", [process_info(Pid, status)]),
    timer:sleep(1000),
    io:format("status: ~p~n", [process_info(Pid, status)]),
    true = erlang:resume_process(Pid),
    receive {'DOWN', Monitor, process, Pid, Reason} -> io:format("resumed: ~p~n", [Reason]) end.

collected() ->
    {Pid, Monitor} = start([monitor], fun() -> ok end, 600),
    {IsSoon, true} = soon(600, fun() -> erlang:garbage_collect(Pid) end),
    io:format("collected: ~p~n", [IsSoon]),
    receive {'DOWN', Monitor, process, Pid, Reason} -> io:format("then: ~p~n", [Reason]) end.

messages() ->
    Me = self(),
    Pid = spawn(fun() -> Me ! ready, busy(500), Me ! {all, collect([])} end),
    receive ready -> ok end,
    timer:sleep(30),
    Counts = [begin Pid ! {number, Number}, process_info(Pid, message_queue_len) end || Number <- lists:seq(1, 20)],
    io:format("counted: ~p~n", [Counts =:= [{message_queue_len, Number} || Number <- lists:seq(1, 20)]]),
    receive {all, All} -> io:format("in order: ~p~n", [All =:= [{number, Number} || Number <- lists:seq(1, 20)]]) end.

collect(Sofar) ->
    receive Message -> collect([Message | Sofar]) after 0 -> lists:reverse(Sofar) end.

%% Code that the call returns to is old, and its process is killed at once.
purged() ->
    Text = "-module(attended_code). -export([run/2]). run(Parent, Ms) -> Parent ! ready, erts_debug:dirty_io(wait, Ms), {literal, \"of the code\"}.",
    Forms = [begin {ok, Tokens, _} = erl_scan:string(Part ++ "."), {ok, Form} = erl_parse:parse_form(Tokens), Form end
             || Part <- string:lexemes(Text, ".") , string:trim(Part) =/= ""],
    {ok, attended_code, Code} = compile:forms(Forms),
    {module, _} = code:load_binary(attended_code, "attended_code.erl", Code),
    Me = self(),
    {Pid, Monitor} = spawn_monitor(fun() -> exit(attended_code:run(Me, 2000)) end),
    receive ready -> ok end,
    timer:sleep(50),
    {module, _} = code:load_binary(attended_code, "attended_code.erl", Code),
    io:format("checked: ~p~n", [soon(2000, fun() -> erlang:check_process_code(Pid, attended_code) end)]),
    io:format("purged: ~p~n", [soon(2000, fun() -> code:purge(attended_code) end)]),
    receive {'DOWN', Monitor, process, Pid, Reason} -> io:format("by the purge: ~p~n", [Reason]) end,
    code:delete(attended_code),
    code:purge(attended_code).

%% Opening a pipe with a name waits for its other end.
fifo() ->
    Name = "attended_fifo." ++ os:getpid(),
    [] = os:cmd("mkfifo " ++ Name),
    {Pid, Monitor} = spawn_monitor(fun() -> {ok, _} = file:open(Name, [read, raw]), exit(opened) end),
    %% It may first have to load what opens files.
    opens(Pid),
    io:format("opening: ~p~n", [soon(5000, fun() -> process_info(Pid, [trap_exit, status]) end)]),
    exit(Pid, kill),
    io:format("ended: ~p~n",
        [soon(5000, fun() -> receive {'DOWN', Monitor, process, Pid, Reason} -> Reason after 3000 -> none end end)]),
    os:cmd("echo > " ++ Name),
    file:delete(Name).

opens(Pid) ->
    case process_info(Pid, current_function) of
        {current_function, {prim_file, open_nif, 2}} -> ok;
        _ -> timer:sleep(10), opens(Pid)
    end.

%% More signals than a scheduler handles at a time.
flood() ->
    Pid = start([], fun() -> ok end, 3000),
    [begin monitor(process, Pid), Pid ! Number end || Number <- lists:seq(1, 40000)],
    io:format("flood: ~p~n", [soon(3000, fun() -> process_info(Pid, message_queue_len) end)]),
    exit(Pid, kill),
    io:format("flooded: ~p~n", [soon(3000, fun() ->
        lists:usort([receive {'DOWN', _, process, Pid, Reason} -> Reason end || _ <- lists:seq(1, 40000)])
    end)]).

%% Many at once, told to end at all moments of their calls.
crowd() ->
    rand:seed(exsss, {1, 2, 3}),
    Started = [begin
        Ms = rand:uniform(30),
        {Pid, Monitor} = spawn_monitor(fun() -> [busy(Ms) || _ <- lists:seq(1, 3)], exit(over) end),
        {Pid, Monitor, rand:uniform(3), rand:uniform(60)}
    end || _ <- lists:seq(1, 300)],
    Askers = [spawn_monitor(fun() ->
        [process_info(Pid, [status, links, message_queue_len]) || _ <- lists:seq(1, 30), {Pid, _, _, _} <- Started]
    end) || _ <- [1, 2]],
    [case What of
        1 -> erlang:send_after(After, spawn(fun() -> receive stop -> exit(Pid, kill) end end), stop);
        2 -> spawn(fun() -> timer:sleep(After), link(Pid), exit(linked) end);
        3 -> ok
    end || {Pid, _, What, After} <- Started],
    Reasons = [receive {'DOWN', Monitor, process, Pid, Reason} -> Reason end || {Pid, Monitor, _, _} <- Started],
    [receive {'DOWN', Monitor, process, Pid, normal} -> ok end || {Pid, Monitor} <- Askers],
    io:format("crowd: ~p~n", [{length(Reasons), lists:usort(Reasons) -- [over, killed, linked, noproc]}]).
