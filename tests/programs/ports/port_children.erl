%% What programs behind ports are started with, many of them at once, and what is left of them.
%% timeout: 90
-module(port_children).
-export([main/0]).

main() ->
    process_flag(trap_exit, true),
    started_with(),
    not_executed(),
    many(300),
    killed(40).

%% Signals, descriptors, session.
started_with() ->
    see:value(signals, [signals(Line) || Line <- string:lexemes(os:cmd("grep -E '^Sig(Blk|Ign)' /proc/self/status"),
        "\n")]),
    see:value(descriptors, os:cmd("ls /proc/self/fd")),
    see:value(nouse_stdio, run("/bin/sh", ["-c", "ls /proc/self/fd >&4"], [nouse_stdio])),
    see:value(only_in, run("/bin/sh", ["-c", "ls /proc/self/fd"], [in])),
    see:value(leader, run("/bin/sh", ["-c", "cut -d' ' -f5 /proc/$$/stat | grep -c \"^$$\\$\""], [])).

%% Signals 32 and 33 are the C library's.
signals(Line) ->
    [Name, Set] = string:lexemes(Line, "\t"),
    {Name, [N || N <- lists:seq(1, 64) -- [32, 33], list_to_integer(Set, 16) band (1 bsl (N - 1)) =/= 0]}.

%% The program is there, but what it asks for is not: no error of open_port, but of the program.
not_executed() ->
    File = filename:absname("port_children_script"),
    ok = file:write_file(File, "#!/no/such/interpreter\n"),
    ok = file:change_mode(File, 8#755),
    see:value(no_interpreter, run(File, [], [])),
    see:value(no_interpreter_os_pid, begin
        Port = open_port({spawn_executable, File}, [exit_status]),
        receive {Port, {exit_status, N}} -> N after 5000 -> none end
    end),
    ok = file:write_file(File, "neither a script nor a program"),
    see:value(no_format, run(File, [], [])),
    ok = file:change_mode(File, 8#644),
    see:value(refused, reason(fun() -> run(File, [], []) end)),
    ok = file:delete(File),
    see:value(refused, reason(fun() -> run(File, [], []) end)),
    see:value(no_directory, run("/bin/true", [], [{cd, "/no/such"}])).

reason(Fun) ->
    try Fun() catch Class:Reason -> {Class, Reason} end.

%% The output and the status of a program.
run(File, Arguments, Options) ->
    Port = open_port({spawn_executable, File}, [exit_status, {args, Arguments} | Options]),
    output(Port, []).

output(Port, Text) ->
    receive
        {Port, {data, Data}} -> output(Port, [Text, Data]);
        {Port, {exit_status, Status}} -> {lists:flatten(Text), Status};
        {'EXIT', Port, Reason} -> {lists:flatten(Text), Reason}
    after 10000 -> {lists:flatten(Text), none}
    end.

many(Count) ->
    Before = descriptors(),
    Ports = [open_port({spawn, "/bin/cat"}, [{line, 100}]) || _ <- lists:seq(1, Count)],
    see:value(pids, length(lists:usort([erlang:port_info(P, os_pid) || P <- Ports]))),
    [port_command(P, [integer_to_list(N), $\n]) || {P, N} <- lists:zip(Ports, lists:seq(1, Count))],
    Answers = [receive {P, {data, {eol, Line}}} -> list_to_integer(Line) after 10000 -> none end || P <- Ports],
    see:value(answers, Answers =:= lists:seq(1, Count)),
    [true = port_close(P) || P <- Ports],
    see:value(exits, length([receive {'EXIT', P, normal} -> ok end || P <- Ports])),
    see:value(left, apart:wait(fun() -> {zombies(), descriptors() - Before, length(erlang:ports()) < Count} end,
                         {0, 0, true}, 200)).

descriptors() ->
    {ok, Names} = file:list_dir("/proc/self/fd"),
    length(Names).

%% Zombies among all that this node, or a helper of its, has started.
zombies() ->
    Own = [os:getpid() | [Pid || {Pid, _, Parent} <- processes_of_system(), Parent =:= os:getpid()]],
    length([Pid || {Pid, "Z", Parent} <- processes_of_system(), lists:member(Parent, Own)]).

processes_of_system() ->
    {ok, Names} = file:list_dir("/proc"),
    lists:append([stat(Name) || [C | _] = Name <- Names, C >= $0, C =< $9]).

stat(Pid) ->
    case file:read_file("/proc/" ++ Pid ++ "/stat") of
        {ok, Text} ->
            [_, Rest] = string:split(binary_to_list(Text), ") ", trailing),
            [State, Parent | _] = string:lexemes(Rest, " "),
            [{Pid, State, Parent}];
        {error, _} -> []
    end.

%% However a program is killed, its status arrives once and behind its output. Signal 1 may be ignored from above
%% (nohup).
killed(Times) ->
    see:value(killed, lists:usort([killed("kill", Signal) || _ <- lists:seq(1, Times), Signal <- [9, 10, 15]])),
    see:value(by_itself, lists:usort([run("/bin/sh", ["-c", "echo out; kill -9 $$"], []) || _ <- lists:seq(1, Times)])).

killed(Kill, Signal) ->
    Port = open_port({spawn_executable, "/bin/cat"}, [exit_status]),
    {os_pid, Pid} = erlang:port_info(Port, os_pid),
    port_command(Port, "text"),
    Text = receive {Port, {data, T}} -> T after 5000 -> none end,
    os:cmd(lists:concat([Kill, " -", Signal, " ", Pid])),
    Status = receive {Port, {exit_status, S}} -> S after 5000 -> none end,
    Again = receive {Port, {exit_status, _}} -> again after 0 -> once end,
    receive {'EXIT', Port, _} -> ok after 0 -> ok end,
    {Signal, Text, Status, Again}.
