%% The life of many processes of one kind: they are started, called one by one, left alone, called again and killed.
%%
%%   erl -noshell -s lives of live_server 30000 -s erlang halt
%%
%% prints the time of each step in microseconds and the memory that the processes hold after it, in bytes; all for N
%% processes together. The module exports `start(Key)`, which starts a process linked to the caller and returns it, and
%% `call(Key, Pid)`, which waits for its answer.
-module(lives).
-export([of_kind/1, of_module/2, alone/1, number/1, print/2, collected/0, step/2, micros/1]).

%% How long the processes are left alone.
-define(REST_MS, 5000).
-define(KILLED_TOGETHER, 10_000).

of_kind([Module, Count]) -> of_module(Module, number(Count)).

%% The parent of all processes has nothing else to do.
of_module(Module, N) -> alone(fun() -> life(Module, N) end).

%% Runs the function in a process that traps exits, and waits for its end.
alone(Fun) ->
    {Pid, Monitor} = spawn_opt(fun() -> process_flag(trap_exit, true), Fun() end, [monitor]),
    receive {'DOWN', Monitor, process, Pid, Reason} -> normal = Reason end.

life(Module, N) ->
    Before = collected(),
    Pids = list_to_tuple(step("start", fun() -> [Module:start(Key) || Key <- lists:seq(1, N)] end)),
    print("started_bytes", collected() - Before),
    step("in_order", fun() -> in_order(1, N, Module, Pids) end),
    print("called_bytes", collected() - Before),
    receive after ?REST_MS -> ok end,
    print("rested_bytes", collected() - Before),
    step("at_random", fun() -> at_random(N, 1, power_of_two(N, 1), Module, Pids) end),
    step("kill", fun() -> kill(N, Pids) end).

in_order(Key, N, _, _) when Key > N -> ok;
in_order(Key, N, Module, Pids) ->
    ok = Module:call(Key, element(Key, Pids)),
    in_order(Key + 1, N, Module, Pids).

%% Each process once. A linear congruential generator modulo a power of two visits every number below it.
at_random(0, _, _, _, _) -> ok;
at_random(Left, At, Power, Module, Pids) ->
    Next = (At * 1664525 + 1013904223) band (Power - 1),
    if
        Next < tuple_size(Pids) ->
            ok = Module:call(Next + 1, element(Next + 1, Pids)),
            at_random(Left - 1, Next, Power, Module, Pids);
        true ->
            at_random(Left, Next, Power, Module, Pids)
    end.

power_of_two(N, Power) when Power >= N -> Power;
power_of_two(N, Power) -> power_of_two(N, Power * 2).

%% Some at a time: the collections of a parent with hundreds of thousands of messages would take minutes on some VMs.
kill(0, _) -> ok;
kill(N, Pids) ->
    Least = max(0, N - ?KILLED_TOGETHER),
    [exit(element(At, Pids), kill) || At <- lists:seq(Least + 1, N)],
    ends(N - Least),
    kill(Least, Pids).

ends(0) -> ok;
ends(N) ->
    receive {'EXIT', _, killed} -> ends(N - 1) end.

%% Calls the function and prints how long it took.
step(Name, Fun) ->
    Start = erlang:monotonic_time(),
    Result = Fun(),
    print(Name, micros_since(Start)),
    Result.

micros(Fun) ->
    Start = erlang:monotonic_time(),
    _ = Fun(),
    micros_since(Start).

micros_since(Start) ->
    erlang:convert_time_unit(erlang:monotonic_time() - Start, native, microsecond).

print(Name, Number) -> io:format("~s: ~p~n", [Name, Number]).

%% Resident memory without the garbage of the caller.
collected() ->
    garbage_collect(),
    resident().

resident() ->
    {ok, Status} = file:read_file("/proc/self/status"),
    [_, Rest] = binary:split(Status, <<"VmRSS:">>),
    [Kilobytes | _] = string:lexemes(Rest, "\t "),
    binary_to_integer(Kilobytes) * 1024.

number(Atom) -> list_to_integer(atom_to_list(Atom)).
