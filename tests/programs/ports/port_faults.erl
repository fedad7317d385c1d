%% What goes wrong beside the data: stopped programs, owners that are killed, ports that are closed under their senders,
%% directories that are gone, a full disk, very many commands. Nothing is left over, and nobody is busy afterwards.
%% timeout: 90
-module(port_faults).
-export([main/0]).

main() ->
    process_flag(trap_exit, true),
    [] = os:cmd("true"),
    Before = descriptors(),
    [stopped(Parallel) || Parallel <- [false, true]],
    [owner_killed(Parallel) || Parallel <- [false, true]],
    [closed_under_senders(How) || How <- [close, message, exit]],
    directory_is_gone(),
    full_disk(),
    cut_short(),
    commands(300),
    %% Stock keeps one.
    see:value(nothing_left, apart:wait(fun() -> descriptors() - Before =< 1 end, true, 200)),
    see:value(busy, busy_ms(500) > 200).

cat(Options) -> open_port({spawn_executable, "/bin/cat"}, [binary | Options]).

os_pid(Port) ->
    {os_pid, Pid} = erlang:port_info(Port, os_pid),
    integer_to_list(Pid).

%% A stopped program takes nothing: its senders stand still. It goes on, and so do they; nothing is lost.
stopped(Parallel) ->
    Port = cat([{packet, 4}, {parallelism, Parallel}]),
    Pid = os_pid(Port),
    [] = os:cmd("kill -STOP " ++ Pid),
    Senders = senders(Port, 4, 30),
    see:value({stand_still, Parallel}, apart:wait(fun() -> still(Senders) end, true, 400)),
    [] = os:cmd("kill -CONT " ++ Pid),
    Data = [receive {Port, {data, D}} -> D after 20000 -> none end || _ <- lists:seq(1, 120)],
    see:value({in_order, Parallel}, [[N || <<S1, N, _/binary>> <- Data, S1 =:= S] =:= lists:seq(1, 30)
        || S <- [1, 2, 3, 4]]),
    see:value({answers, Parallel}, lists:usort(answers(Senders))),
    port_close(Port),
    ended(Port).

%% Each sends so many large packets, and tells how that went.
senders(Port, Count, Packets) ->
    Me = self(),
    [spawn_link(fun() ->
        Fill = binary:copy(<<0>>, 5000),
        Me ! {self(), lists:usort([try port_command(Port, [<<S, N>>, Fill]) catch error:E -> E end
            || N <- lists:seq(1, Packets)])}
    end) || S <- lists:seq(1, Count)].

answers(Senders) -> [receive {S, Answer} -> Answer after 20000 -> stuck end || S <- Senders].

%% A sender to a parallel port may be waiting for an answer.
still(Senders) ->
    lists:all(fun(S) -> lists:member(process_info(S, status), [{status, suspended}, {status, waiting}]) end, Senders).

ended(Port) -> receive {'EXIT', Port, Why} -> Why after 20000 -> none end.

%% The owner stands still itself when it is killed.
owner_killed(Parallel) ->
    Me = self(),
    {Owner, Ref} = spawn_monitor(fun() ->
        Port = open_port({spawn_executable, "/bin/sleep"}, [{args, ["1000"]}, {parallelism, Parallel}]),
        Me ! {port, Port},
        fill(Port)
    end),
    Port = receive {port, P} -> P end,
    Pid = os_pid(Port),
    Others = senders(Port, 3, 30),
    see:value({all_stand_still, Parallel}, apart:wait(fun() -> still([Owner | Others]) end, true, 400)),
    exit(Owner, kill),
    see:value({owner, Parallel}, receive {'DOWN', Ref, process, _, Why} -> Why after 20000 -> none end),
    see:value({others, Parallel}, lists:usort(lists:append(answers(Others))) -- [true]),
    see:value({port, Parallel}, erlang:port_info(Port, connected)),
    [] = os:cmd("kill " ++ Pid).

fill(Port) -> port_command(Port, binary:copy(<<0>>, 10000)), fill(Port).

closed_under_senders(How) ->
    Port = open_port({spawn_executable, "/bin/sleep"}, [{args, ["1000"]}]),
    Pid = os_pid(Port),
    Senders = senders(Port, 5, 30),
    see:value({stand_still, How}, apart:wait(fun() -> still(Senders) end, true, 400)),
    case How of
        close -> port_close(Port), see:value(How, ended(Port));
        message -> Port ! {self(), close}, see:value(How, receive {Port, closed} -> closed after 20000 -> none end);
        exit -> exit(Port, enough), see:value(How, ended(Port))
    end,
    see:value({answers, How}, lists:usort(lists:append(answers(Senders))) -- [true]),
    [] = os:cmd("kill " ++ Pid).

%% Where the node is, nothing is any more; or where the program is to be.
directory_is_gone() ->
    {ok, Here} = file:get_cwd(),
    Gone = filename:join(Here, "port_faults_gone"),
    ok = file:make_dir(Gone),
    ok = file:set_cwd(Gone),
    ok = file:del_dir(Gone),
    see:value(runs, try run("/bin/echo", ["still here"], []) catch error:Reason -> Reason end),
    ok = file:set_cwd(Here),
    see:value(no_directory, element(2, run("/bin/true", [], [{cd, Gone}]))),
    ok = file:write_file(Gone, ""),
    see:value(a_file, element(2, run("/bin/true", [], [{cd, Gone}]))),
    ok = file:delete(Gone).

run(File, Arguments, Options) ->
    Port = open_port({spawn_executable, File}, [exit_status, {args, Arguments} | Options]),
    output(Port, []).

output(Port, Text) ->
    receive
        {Port, {data, Data}} -> output(Port, [Text, Data]);
        {Port, {exit_status, Status}} -> ended(Port), {lists:flatten(Text), Status};
        {'EXIT', Port, Reason} -> {lists:flatten(Text), Reason}
    after 20000 -> {lists:flatten(Text), none}
    end.

full_disk() ->
    see:value(program, run("/bin/sh", ["-c", "echo text 2>/dev/null >/dev/full || exit 3"], [])),
    {ok, Raw} = file:open("/dev/full", [write, raw]),
    see:value(raw, {file:write(Raw, "text"), file:close(Raw)}),
    {ok, Delayed} = file:open("/dev/full", [write, raw, delayed_write]),
    see:value(delayed, {file:write(Delayed, "text"), file:sync(Delayed), file:write(Delayed, "more"),
        file:close(Delayed), file:close(Delayed)}),
    {ok, File} = file:open("/dev/full", [write]),
    see:value(process, {file:write(File, "text"), file:close(File)}),
    see:value(whole, file:write_file("/dev/full", "text")),
    see:value(copied, file:copy("/etc/passwd", "/dev/full")).

%% The end comes within a packet, its length, or a line.
cut_short() ->
    [see:value({Framing, Bytes}, begin
        Port = open_port({spawn_executable, "/usr/bin/printf"}, [{args, [Bytes]}, exit_status, Framing]),
        told(Port)
     end) || {Framing, Bytes} <- [{{packet, 1}, "\\5abc"}, {{packet, 2}, "\\0"}, {{packet, 2}, "\\0\\2ab\\0"},
     {{packet, 4}, "\\177\\377\\377\\377abc"},
                                  {{packet, 4}, "\\0\\0\\0\\1a\\0\\0"}, {{line, 3}, "abcdefgh"}, {{line, 3}, "abc\\r"},
                                  {{line, 3}, "abc\\r\\nd\\r"}]].

told(Port) ->
    receive
        {Port, What} -> [What | told(Port)];
        {'EXIT', Port, Why} -> [Why]
    after 20000 -> [silent]
    end.

commands(Count) ->
    Me = self(),
    Pids = [spawn_link(fun() -> Me ! {self(), os:cmd("echo " ++ integer_to_list(N))} end) || N <- lists:seq(1, Count)],
    see:value(commands, [N || {N, P} <- lists:zip(lists:seq(1, Count), Pids),
                              receive {P, Text} -> Text =/= integer_to_list(N) ++ "\n" after 60000 -> true end]).

descriptors() ->
    {ok, Names} = file:list_dir("/proc/self/fd"),
    length(Names).

%% Milliseconds of processors that this node takes while it has nothing to do for so long.
busy_ms(Time) ->
    {Before, _} = statistics(runtime),
    receive after Time -> ok end,
    {After, _} = statistics(runtime),
    After - Before.
