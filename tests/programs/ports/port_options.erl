%% Ports by option: framing of both directions, directories, arguments, environment, descriptors, ends.
%% timeout: 60
-module(port_options).
-export([main/0]).

main() ->
    process_flag(trap_exit, true),
    lines(),
    packets(),
    too_large(),
    directories(),
    arguments(),
    environment(),
    directions(),
    ends(),
    refused(),
    info(),
    requests(),
    ordering(),
    busy().

run(Command, Options) ->
    run_with({spawn, Command}, Options).

run_with(Name, Options) ->
    run_with(Name, Options, 500).

run_with(Name, Options, SilentMs) ->
    try open_port(Name, Options) of
        Port -> everything(Port, SilentMs, [])
    catch
        Class:Reason -> {Class, Reason}
    end.

%% All that the port says until its end, or until it has been silent for a while.
everything(Port, SilentMs, Said) ->
    receive
        {Port, What} -> everything(Port, SilentMs, [What | Said]);
        {'EXIT', Port, Reason} -> joined(lists:reverse([{exit, Reason} | Said]))
    after SilentMs ->
        catch port_close(Port),
        receive {'EXIT', Port, _} -> ok after 0 -> ok end,
        joined(lists:reverse([silent | Said]))
    end.

%% Streams come in pieces that chance decides.
joined([{data, A}, {data, B} | Rest]) when is_binary(A), is_binary(B) ->
    joined([{data, <<A/binary, B/binary>>} | Rest]);
joined([{data, A}, {data, B} | Rest]) when is_list(A), is_list(B) ->
    joined([{data, A ++ B} | Rest]);
joined([First | Rest]) -> [First | joined(Rest)];
joined([]) -> [].

lines() ->
    [see:value({line, Max}, run("printf 'abc\\nde\\r\\n\\nabcdefgh\\nabcd\\nrest'", [{line, Max}, eof]))
     || Max <- [1, 2, 3, 4, 5, 8, 100]],
    see:value(line_atom, run("printf 'a\\nb'", [line, binary, exit_status])),
    see:value(line_binary, run("printf 'a\\rb\\r\\n\\n'", [{line, 10}, binary])).

packets() ->
    [see:value({packet, N}, begin
        Port = open_port({spawn, "cat"}, [{packet, N}, binary]),
        [port_command(Port, Data) || Data <- [<<>>, "abc", lists:duplicate(200, $x), [<<1, 2>>, [3, "4"]]]],
        Said = [receive {Port, {data, D}} -> D after 3000 -> none end || _ <- [1, 2, 3, 4]],
        port_close(Port),
        receive {'EXIT', Port, R} -> {R, Said} after 1000 -> Said end
     end) || N <- [1, 2, 4]],
    see:value(packet_cut, run("printf '\\0\\005hello\\0\\005hel'", [{packet, 2}, binary, exit_status])),
    see:value(packet_stream, run("printf '\\003abc'", [{packet, 1}, stream, binary])),
    see:value(stream_packet, run("printf '\\003abcd'", [stream, {packet, 1}, binary])).

too_large() ->
    [see:value({too_large, N}, begin
        Port = open_port({spawn, "cat"}, [{packet, N}, binary]),
        Answer = (catch port_command(Port, binary:copy(<<"x">>, Size))),
        {Answer, receive {'EXIT', Port, R} -> R after 1000 -> alive end}
     end) || {N, Size} <- [{1, 256}, {2, 65536}]].

directories() ->
    see:value(cd, run("pwd", [{cd, "/usr/lib"}, exit_status])),
    see:value(cd_binary, run("pwd", [{cd, <<"/usr">>}, exit_status])),
    see:value(cd_file, run_with({spawn_executable, "/bin/pwd"}, [{cd, "/"}, exit_status])),
    see:value(cd_missing, run("pwd", [{cd, "/no/such/place"}, exit_status])),
    see:value(cd_bad, run("pwd", [{cd, 17}])),
    see:value(cd_empty, run("pwd", [{cd, []}, exit_status]) =/= []).

arguments() ->
    Show = "for a in \"$0\" \"$@\"; do printf '<%s>' \"$a\"; done",
    see:value(args, run_with({spawn_executable, "/bin/sh"},
        [{args, ["-c", Show, "zero", "", "a b", <<"c'd">>, [955, 228], <<255>>]}, binary])),
    see:value(arg0, run_with({spawn_executable, "/bin/sh"}, [{arg0, "other"}, {args, ["-c", "echo $0"]}])),
    see:value(arg0_alone, run_with({spawn_executable, "/bin/cat"}, [{arg0, "dog"}, {args, ["--no-such-option"]},
        stderr_to_stdout, {line, 80}])),
    see:value(args_twice, run_with({spawn_executable, "/bin/echo"}, [{args, ["one"]}, {args, ["two"]}])),
    see:value(args_of_command, run("echo", [{args, ["x"]}])),
    see:value(arg0_of_command, run("echo", [{arg0, "x"}])),
    see:value(args_bad, [run_with({spawn_executable, "/bin/echo"}, [{args, A}]) || A <- [x, [x | y], [1], ["a" | "b"],
        "ab", [[0]], [<<0>>]]]),
    see:value(words, [run(C, [binary]) || C <- ["echo  a   b ", "echo 'a  b'", "echo $HOME_NOT_SET.", "echo a;echo b",
        " echo x", "echo a > /dev/null", "echo *nothing*", "echo a=b", "A=b echo x", "/bin/echo ~root"]]),
    see:value(missing, [run(C, [exit_status, stderr_to_stdout]) || C <- ["no_such_program_here a", "/no/such/program",
        "/etc/passwd", "/"]]),
    see:value(executable_missing,
        [run_with({spawn_executable, F}, [exit_status]) || F <- ["/no/such", "cat", "/etc/passwd", <<"/bin/true">>,
        '/bin/true', "/bin/true x"]]).

environment() ->
    os:putenv("PORT_TEST_ONE", "1"),
    os:putenv("PORT_TEST_TWO", "2"),
    Show = "echo $PORT_TEST_ONE.$PORT_TEST_TWO.$PORT_TEST_THREE",
    see:value(env_inherited, run(Show, [])),
    see:value(env, run(Show, [{env, [{"PORT_TEST_TWO", false}, {"PORT_TEST_THREE", "3"}]}])),
    see:value(env_nil, run(Show, [{env, [{"PORT_TEST_ONE", []}, {<<"PORT_TEST_THREE">>, <<"drei">>}]}])),
    see:value(env_twice, run(Show, [{env, [{"PORT_TEST_ONE", "x"}]}, {env, [{"PORT_TEST_TWO", "y"}]}])),
    see:value(env_bad, [run("true", [{env, E}]) || E <- [x, [x], [{"a"}], [{"a", 1}], [{a, "b"} | c], [{"a=b", "c"}],
        [{"", "c"}]]]),
    os:unsetenv("PORT_TEST_ONE"),
    see:value(env_unset, run(Show, [])),
    see:value(path, run("hello", [{env, [{"PATH", "/nowhere"}]}, exit_status, stderr_to_stdout])).

directions() ->
    see:value(in, run("sh -c 'echo out'", [in, exit_status])),
    see:value(in_command, begin
        P1 = open_port({spawn, "sleep 1"}, [in]),
        {catch port_command(P1, "x"), receive {'EXIT', P1, R1} -> R1 after 3000 -> alive end}
    end),
    see:value(nouse_stdio, begin
        P2 = open_port({spawn, "sh -c 'read a <&3; echo got $a >&4'"}, [nouse_stdio, exit_status]),
        port_command(P2, "this\n"),
        everything(P2, 500, [])
    end),
    see:value(stderr, run("sh -c 'echo one; echo two >&2'", [stderr_to_stdout, exit_status])),
    see:value(stderr_nouse, run("true", [stderr_to_stdout, nouse_stdio])),
    see:value(open_descriptors, run("ls /proc/self/fd", [{line, 10}, binary])),
    %% Stock's children ignore broken pipes and arithmetic errors, as it does itself; ferl's begin as any program.
    see:value(signal_mask, run("grep SigBlk /proc/self/status", [{line, 80}])).

ends() ->
    see:value(status, [run("sh -c 'exit " ++ integer_to_list(N) ++ "'", [exit_status]) || N <- [0, 1, 127, 255]]),
    see:value(signals, [run("sh -c 'kill -" ++ integer_to_list(N) ++ " $$'", [exit_status]) || N <- [1, 9, 15]]),
    see:value(eof, run("true", [eof])),
    see:value(eof_status, run("sh -c 'echo x; exit 3'", [eof, exit_status])),
    see:value(nothing, run("true", [])),
    see:value(epipe, begin
        P1 = open_port({spawn, "sh -c 'exec 0<&-; sleep 2'"}, [binary]),
        timer:sleep(300),
        {catch port_command(P1, "x"), receive {'EXIT', P1, R} -> R after 3000 -> alive end}
    end),
    see:value(input_ends, begin
        P2 = open_port({spawn, "sh -c 'cat > /dev/null; echo done > /dev/null'"}, [exit_status]),
        {os_pid, Pid} = erlang:port_info(P2, os_pid),
        port_close(P2),
        gone(Pid, 100)
    end),
    see:value(grandchild, run_with({spawn, "sh -c 'sleep 0.3 & exit 5'"}, [exit_status], 10000)).

gone(_, 0) -> still_there;
gone(Pid, N) ->
    case file:read_file_info("/proc/" ++ integer_to_list(Pid)) of
        {error, enoent} -> gone;
        _ -> timer:sleep(20), gone(Pid, N - 1)
    end.

refused() ->
    see:value(settings, [{S, run_with({spawn, "true"}, S)} || S <- [[x], [{packet, 3}], [{packet, 1}, {line, 3}],
        [{line, 0}], [{line, -1}], [{line, a}], [{parallelism, 1}], [{busy_limits_port, 1}],
    [{busy_limits_port, {0, 1}}], [{busy_limits_msgq, {1, 0}}], [{packet, 1, 2}], x, [in | out]]]),
    see:value(names, [{N, run_with(N, [])} || N <- [{spawn, ""}, {spawn, x}, {spawn, 1}, {fd, -1, 1}, {fd, a, 1},
        {fd, 1}, {other, "x"}, {spawn_driver, "no_such_driver"}, {spawn_executable, ""}, 1, {}]]),
    see:value(fd_status, run_with({fd, 0, 1}, [exit_status])),
    see:value(good_limits, [run_with({spawn, "true"}, [{L, V}]) || L <- [busy_limits_port, busy_limits_msgq],
        V <- [{1, 2}, {5, 3}, disabled]]).

info() ->
    Port = open_port({spawn, "cat"}, [{parallelism, false}, binary]),
    port_command(Port, "12345"),
    receive {Port, {data, _}} -> ok after 3000 -> none end,
    see:value(items, [erlang:port_info(Port, I) || I <- [name, input, output, registered_name, queue_size, parallelism,
        monitors, monitored_by, locking]]),
    see:value(links, erlang:port_info(Port, links) =:= {links, [self()]}),
    see:value(keys, [element(1, I) || I <- erlang:port_info(Port)]),
    register(some_port, Port),
    see:value(keys_registered, [element(1, I) || I <- erlang:port_info(some_port)]),
    Ref = monitor(port, Port),
    see:value(monitored, erlang:port_info(Port, monitored_by) =:= {monitored_by, [self()]}),
    see:value(is_among_ports, lists:member(Port, erlang:ports())),
    see:fails([fun() -> erlang:port_info(Port, no_item) end, fun() -> erlang:port_info(see:id(x)) end,
        fun() -> erlang:port_info(see:id(self()), name) end]),
    port_close(Port),
    see:value(down, receive {'DOWN', Ref, port, Port, Why} -> Why after 1000 -> none end),
    see:value(exit, receive {'EXIT', Port, Why2} -> Why2 after 0 -> none end),
    see:value(closed, {erlang:port_info(Port), erlang:port_info(Port, name), whereis(some_port),
        lists:member(Port, erlang:ports())}),
    see:fails([fun() -> port_close(Port) end, fun() -> port_command(Port, "x") end, fun() -> port_connect(Port, self())
        end, fun() -> port_control(Port, 1, "x") end]),
    Late = monitor(port, Port),
    see:value(late, receive {'DOWN', Late, port, _, Why3} -> Why3 after 1000 -> none end),
    see:value(link_closed, begin link(Port), receive {'EXIT', Port, Why4} -> Why4 after 1000 -> none end end).

requests() ->
    Port = open_port({spawn, "cat"}, [binary]),
    Me = self(),
    see:fails([fun() -> port_command(Port, see:id(x)) end, fun() -> port_command(Port, [256]) end,
               fun() -> port_command(Port, "x", [force]) end, fun() -> port_command(Port, "x", [other]) end,
               fun() -> port_command(Port, "x", see:id(y)) end, fun() -> port_control(Port, 1, "x") end,
               fun() -> port_control(Port, -1, "x") end, fun() -> erlang:port_call(Port, 1, x) end,
               fun() -> port_connect(Port, see:id(x)) end]),
    see:value(nosuspend, port_command(Port, "n", [nosuspend])),
    see:value(answer, receive {Port, {data, A}} -> A after 3000 -> none end),
    Port ! {Me, {command, "by message"}},
    see:value(command, receive {Port, {data, B}} -> B after 3000 -> none end),
    [begin
        Port ! Bad,
        see:value({badsig, element(1, {Shown})}, receive {'EXIT', Port, R} -> R after 1000 -> none end)
     end || {Bad, Shown} <- [{hello, hello}, {{Me, hello}, hello_tuple}, {{Me, {command, x}}, bad_data},
     {{Me, {connect, x}}, bad_pid}]],
    Other = spawn(fun() -> process_flag(trap_exit, true), Me ! {other, collect(2)} end),
    Port ! {Me, {connect, Other}},
    see:value(connected, receive {Port, connected} -> connected after 1000 -> none end),
    see:value(still_linked, erlang:port_info(Port, links) =:= {links, [Me]}),
    Port ! {Me, {command, "no longer mine"}},
    port_command(Port, "anyone may"),
    see:value(other, receive {other, Both} -> Both after 3000 -> none end),
    port_connect(Port, Me),
    port_close(Port),
    see:value(closed, receive {'EXIT', Port, R3} -> R3 after 1000 -> none end),
    P2 = open_port({spawn, "cat"}, []),
    P2 ! {Me, close},
    see:value(close, receive {P2, closed} -> closed after 1000 -> none end),
    see:value(close_quietly, receive {'EXIT', P2, R4} -> R4 after 100 -> none end),
    P3 = open_port({spawn, "cat"}, []),
    exit(P3, because),
    see:value(exit_signal, receive {'EXIT', P3, R5} -> R5 after 1000 -> none end),
    P4 = open_port({spawn, "cat"}, []),
    unlink(P4),
    exit(P4, normal),
    see:value(exit_normal, erlang:port_info(P4)),
    P5 = open_port({spawn, "cat"}, []),
    {_, Linked} = spawn_monitor(fun() -> link(P5) end),
    receive {'DOWN', Linked, _, _, _} -> ok end,
    see:value(linked_ends_normally, is_list(erlang:port_info(P5))),
    {_, Fails} = spawn_monitor(fun() -> link(P5), exit(oops) end),
    receive {'DOWN', Fails, _, _, _} -> ok end,
    see:value(linked_fails, receive {'EXIT', P5, R6} -> R6 after 1000 -> none end).

collect(0) -> [];
collect(N) -> receive {'EXIT', _, What} -> [{exit, What} | collect(N - 1)]; {_, What} -> [What | collect(N - 1)]
    after 3000 -> [none] end.

%% What one process sends one port comes in order, whatever the way.
ordering() ->
    [begin
        Port = open_port({spawn, "cat"}, [{packet, 2}, {parallelism, Parallel}]),
        [case N rem 3 of
             0 -> Port ! {self(), {command, integer_to_list(N)}};
             1 -> port_command(Port, integer_to_list(N));
             2 -> Port ! {self(), {command, [integer_to_list(N)]}}
         end || N <- lists:seq(1, 500)],
        All = [receive {Port, {data, D}} -> list_to_integer(D) after 5000 -> none end || _ <- lists:seq(1, 500)],
        see:value({in_order, Parallel}, All =:= lists:seq(1, 500)),
        Port ! {self(), {command, "last"}},
        see:value({parallelism, Parallel}, erlang:port_info(Port, parallelism)),
        Port ! {self(), close},
        see:value(last, [receive {Port, {data, L}} -> L; {Port, closed} -> closed after 2000 -> none end
            || _ <- [1]] =/= none),
        flush(Port)
     end || Parallel <- [false, true]].

flush(Port) ->
    receive {Port, _} -> flush(Port); {'EXIT', Port, _} -> flush(Port) after 50 -> ok end.

%% Nobody reads: senders stand still, or hear of it, or are refused.
busy() ->
    Me = self(),
    erlang:system_monitor(Me, [busy_port]),
    Port = open_port({spawn, "sleep 30"}, [binary]),
    Data = binary:copy(<<"x">>, 100000),
    see:value(first, port_command(Port, Data)),
    see:value(refused, port_command(Port, Data, [nosuspend])),
    see:value(busy_limits, begin {queue_size, Q} = erlang:port_info(Port, queue_size), Q > 8192 end),
    Sender = spawn(fun() -> Me ! {sent, catch port_command(Port, Data)} end),
    see:value(busy_port, receive {monitor, Sender, busy_port, Port} -> told after 2000 -> none end),
    see:value(status, process_info(Sender, status)),
    see:value(waits, receive {sent, _} -> sent after 200 -> waits end),
    Messenger = spawn(fun() -> Port ! {Me, {command, "x"}}, Me ! {sent, by_message} end),
    see:value(busy_message, receive {monitor, Messenger, busy_port, Port} -> told after 2000 -> none end),
    see:value(waits, receive {sent, _} -> sent after 200 -> waits end),
    see:value(nosuspend, erlang:send(Port, {Me, {command, "y"}}, [nosuspend])),
    {os_pid, Pid} = erlang:port_info(Port, os_pid),
    os:cmd("kill " ++ integer_to_list(Pid)),
    see:value(goes_on, lists:sort([receive {sent, Result} -> short(Result) after 5000 -> none end || _ <- [1, 2]])),
    %% The end of what it writes, or that it does not read: whichever the machine sees first.
    see:value(end_of_port, receive {'EXIT', Port, Why} -> lists:member(Why, [normal, epipe]) after 2000 -> none end),
    erlang:system_monitor(undefined).

short({'EXIT', {Reason, _}}) -> {'EXIT', Reason};
short(Other) -> Other.
