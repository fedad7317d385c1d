%% Processes that take memory without end, each in its own way. `main/1` prints how one of them ended, what the guard
%% counted, and whether a witness, which should answer every 10 ms, was silent for more than two seconds.
-module(bomb).
-export([main/1, run/1, oversee/1, end_small/1]).

main([Kind]) ->
    spawn(fun() -> oversee(fun() -> watch(Kind) end) end).

%% The guard may end whoever watches, too. Then the node ends, and the test with it.
oversee(Body) ->
    {Pid, Monitor} = spawn_monitor(Body),
    receive {'DOWN', Monitor, process, Pid, Reason} -> io:format("who watched ended: ~P~n", [Reason, 20])
    after 240000 -> io:format("nothing ends~n")
    end,
    halt(1).

watch(Kind) ->
    Watcher = self(),
    Witness = spawn_link(fun() -> witness(now_ms(), 0) end),
    erlang:system_monitor(spawn_link(fun() -> monitors(Watcher) end), [memory_guard]),
    {Pid, Monitor} = spawn_monitor(fun() -> end_small(fun() -> run(Kind) end) end),
    End = receive {'DOWN', Monitor, process, Pid, Reason} -> Reason end,
    told(case Kind of messages -> either; _ -> Pid end, End),
    % What has no owner stays.
    calm(case lists:member(Kind, [code, persistent, pieces]) of true -> 20; false -> 1000 end),
    Witness ! {stop, self()},
    Silent = receive {silent_ms, Longest} -> Longest end,
    #{ended := Ended, level := Level} = erlang:system_info({ferl, memory_guard}),
    io:format("~s ended: ~p, by the guard: ~p, then ~p, witness in time: ~p~n",
        [Kind, End, Ended > 0, Level, Silent < 2000]),
    % The logger prints what it was told.
    timer:sleep(300),
    halt().

%% Arguments of what failed are in the trace, and can be large.
end_small(Body) -> try Body() catch error:Reason -> exit(Reason) end.

now_ms() -> erlang:monotonic_time(millisecond).

witness(Last, Longest) ->
    receive {stop, From} -> From ! {silent_ms, Longest}
    after 10 -> Now = now_ms(), witness(Now, max(Longest, Now - Last - 10))
    end.

monitors(Watcher) ->
    receive {monitor, Who, memory_guard, Facts} -> Watcher ! {told, Who, Facts}, monitors(Watcher) end.

%% Who is ended by the guard is told of with its size: this process, or one of two that are linked.
told(Pid, memory_guard) ->
    receive
        {told, Ended, Facts} when Ended =:= Pid; Pid =:= either ->
            true = proplists:get_value(size, Facts) > 0,
            hard = proplists:get_value(mark, Facts)
    after 10000 ->
        io:format("nobody was told of ~p~n", [Pid]),
        halt(1)
    end;
told(_Pid, _End) ->
    ok.

%% Waits until the memory has gone back.
calm(0) -> ok;
calm(Times) ->
    case erlang:system_info({ferl, memory_guard}) of
        #{level := calm} -> ok;
        _ -> timer:sleep(50), calm(Times - 1)
    end.

run(list) -> list([]);
run(double) -> double(lists:seq(1, 1000));
run(binary) -> binary(<<0:8000>>);
run(binaries) -> binaries([]);
run(queue) -> Self = self(), [spawn_link(fun() -> flood(Self) end) || _ <- lists:seq(1, 4)], receive never -> ok end;
run(busy) -> Self = self(), [spawn_link(fun() -> flood(Self) end) || _ <- lists:seq(1, 4)], busy(0);
run(processes) -> spawn_all();
run(monitors) -> monitors_without_end();
run(messages) -> send(spawn_link(fun() -> receive never -> ok end end), lists:seq(1, 1000000));
run(objects) -> insert(ets:new(table, [public]), 0, lists:seq(1, 1000000));
run(counters) -> counters_in([]);
run(table) -> insert(ets:new(table, [public]), 0);
run(ordered) -> insert(ets:new(table, [public, ordered_set]), 0);
run(map) -> map(#{}, 0);
run(timers) -> timers(0);
run(timers_of_others) ->
    Self = self(),
    register(named, Self),
    spawn_link(fun() -> timers_to(Self) end),
    spawn_link(fun() -> timers_to(named) end),
    receive never -> ok end;
run(atoms) -> atoms(0);
run(persistent) -> persistent(0);
run(port) ->
    Self = self(),
    Port = open_port({spawn, "sleep 2"}, [binary]),
    %% One that is refused its copy may end the others, and this process, before the guard does.
    Send = fun() -> receive go -> Port ! {Self, {command, binary:copy(<<0>>, 1000000)}} end end,
    Senders = [spawn_link(fun() -> end_small(Send) end) || _ <- lists:seq(1, 190)],
    [Sender ! go || Sender <- Senders],
    receive never -> ok end;
run(regex) -> re:run(binary:copy(<<"ab">>, 4000000), <<"(?:(a)|(b))*c">>);
run(resources) -> resources([]);
run(pieces) -> pieces(8000000);
run(code) -> code(0);
run(external) -> external(term_to_binary(binary:copy(<<0>>, 30000000), [compressed]), []).

list(List) -> list([{1, 2, 3} | List]).
double(List) -> double(List ++ List).
binary(Binary) -> binary(<<Binary/binary, Binary/binary>>).
binaries(List) -> binaries([<<(length(List)):8, 0:8000000>> | List]).
flood(To) -> To ! {hello, lists:seq(1, 20)}, flood(To).
spawn_all() -> spawn(fun() -> List = lists:seq(1, 600), receive never -> List end end), spawn_all().
insert(Table, N) -> ets:insert(Table, {N, lists:seq(1, 10)}), insert(Table, N + 1).
map(Map, N) -> map(Map#{N => {N, N}}, N + 1).
timers(N) -> erlang:send_after(100000000, self(), {N, lists:seq(1, 50)}), timers(N + 1).
timers_to(To) -> erlang:send_after(100000000, To, lists:seq(1, 50)), timers_to(To).
atoms(N) -> _ = list_to_atom("an_atom_that_is_new_" ++ integer_to_list(N)), atoms(N + 1).
persistent(N) -> persistent_term:put({bomb, N}, lists:seq(1, 1000)), persistent(N + 1).
external(Bytes, List) -> external(Bytes, [binary_to_term(Bytes) | List]).
busy(N) -> busy(N + 1).
monitors_without_end() -> erlang:monitor(process, init), monitors_without_end().
resources(List) -> resources([natives:object(100000) | List]).
code(N) ->
    Name = list_to_atom("module_" ++ integer_to_list(N)),
    Clause = {clause, 1, [], [], [{string, 1, lists:duplicate(20000, $a)}]},
    Attributes = [{attribute, 1, module, Name}, {attribute, 1, export, [{f, 0}]}],
    {ok, Name, Beam} = compile:forms(Attributes ++ [{function, 1, f, 0, [Clause]}]),
    case code:load_binary(Name, "none", Beam) of {module, Name} -> code(N + 1); {error, Reason} -> exit(Reason) end.
pieces(Bytes) -> case natives:take(Bytes) of taken -> pieces(Bytes); none -> exit(none) end.
send(To, List) -> To ! List, send(To, List).
insert(Table, N, List) -> ets:insert(Table, {N, List}), insert(Table, N + 1, List).
counters_in(List) -> counters_in([atomics:new(100000, []) | List]).
