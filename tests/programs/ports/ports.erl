%% Programs as ports: packets, lines, streams, exit status, closing, errors, file descriptors.
-module(ports).
-export([main/0]).

main() ->
    see:value(cat_lines, begin P = open_port({spawn, "/bin/cat"}, [{line, 20}]),
        port_command(P, "one\ntwo\npartial line that is too long\n"),
    R = [receive {P, {data, D}} -> D after 5000 -> none end || _ <- lists:seq(1, 4)], port_close(P), R end),
    [see:value({packet, N}, begin P2 = open_port({spawn_executable, "/bin/cat"}, [{packet, N}, binary]),
        [port_command(P2, X) || X <- ["a", <<"bc">>, ["d", [<<"e">>]], ""]],
    R2 = [receive {P2, {data, D2}} -> D2 after 5000 -> none end || _ <- lists:seq(1, 4)], port_close(P2), R2 end)
        || N <- [1, 2, 4]],
    see:value(exit_status, [begin P3 = open_port({spawn, "sh -c 'exit " ++ integer_to_list(S) ++ "'"}, [exit_status]),
        receive {P3, {exit_status, X3}} -> X3 after 5000 -> none end end || S <- [0, 1, 7, 255]]),
    see:value(output, begin P4 = open_port({spawn, "echo hello"}, [exit_status, binary, stream]), collect(P4, <<>>)
        end),
    see:value(args, begin P5 = open_port({spawn_executable, "/bin/sh"},
        [{args, ["-c", "echo \"$0 $1\" $VAR; pwd", "a b", <<"c">>]}, {env, [{"VAR", "val"}]}, {cd, "/"}, exit_status,
        binary]), collect(P5, <<>>) end),
    see:value(stderr, begin P6 = open_port({spawn, "sh -c 'echo err >&2; echo out'"},
        [stderr_to_stdout, exit_status, binary]), {S6, L6} = collect(P6, <<>>),
    {S6, lists:sort(binary:split(L6, <<"\n">>, [global, trim]))} end),
    see:value(messages, begin P7 = open_port({spawn, "cat"}, [binary]), P7 ! {self(), {command, "via message"}},
        R7 = receive {P7, {data, D7}} -> D7 after 5000 -> none end, P7 ! {self(), close},
    {R7, receive {P7, closed} -> closed after 5000 -> none end} end),
    see:value(eof, begin P8 = open_port({spawn, "true"}, [eof]), receive {P8, eof} -> port_close(P8), eof after 5000 ->
        none end end),
    see:value(exit_signal, begin process_flag(trap_exit, true), P9 = open_port({spawn, "true"}, []),
        R9 = receive {'EXIT', P9, X9} -> X9 after 5000 -> none end, process_flag(trap_exit, false), R9 end),
    see:value(connect, begin P10 = open_port({spawn, "cat"}, [binary]), Me = self(),
        Q = spawn(fun() -> receive {P10, {data, D10}} -> Me ! {theirs, D10} end end), true = port_connect(P10, Q),
    unlink(P10), port_command(P10, "x"), receive {theirs, T} -> T after 5000 -> none end end),
    see:value(info, begin P11 = open_port({spawn, "cat"}, []),
        I = [erlang:port_info(P11, K) || K <- [name, input, registered_name, queue_size]],
    C = erlang:port_info(P11, connected) =:= {connected, self()}, O = element(1, erlang:port_info(P11, os_pid)),
    register(my_cat, P11), N = erlang:port_info(P11, registered_name), port_close(P11),
    {I, C, O, N, erlang:port_info(P11), whereis(my_cat)} end),
    see:value(owner_dies, begin Me2 = self(), spawn(fun() -> P12 = open_port({spawn, "cat"}, []), Me2 ! {port, P12}
        end), receive {port, P12} -> wait_closed(P12, 200) end end),
    see:value(large, begin P13 = open_port({spawn, "cat"}, [binary]), Big = binary:copy(<<"0123456789">>, 100000),
        port_command(P13, Big), R13 = gather(P13, byte_size(Big), <<>>), port_close(P13), R13 =:= Big end),
    see:value(many, begin Ps = [open_port({spawn, "cat"}, [{packet, 2}]) || _ <- lists:seq(1, 20)],
        [port_command(P14, "m" ++ integer_to_list(N14)) || {P14, N14} <- lists:zip(Ps, lists:seq(1, 20))],
    R14 = [receive {P14, {data, D14}} -> D14 after 5000 -> none end || P14 <- Ps], [port_close(P14) || P14 <- Ps], R14
        end),
    see:value(cmd, [os:cmd("echo from shell"), os:cmd("exit 3"), os:cmd("printf 'λ'")]),
    see:value(find, [os:find_executable("sh") =/= false, os:find_executable("no_such_program_x")]),
    see:value(monitor, begin P15 = open_port({spawn, "cat"}, []), R15 = monitor(port, P15), port_close(P15),
        receive {'DOWN', R15, port, P15, X15} -> X15 after 5000 -> none end end),
    see:value(missing_program, begin P16 = open_port({spawn, "/no/such/program"}, [exit_status]),
        receive {P16, {exit_status, X16}} -> X16 after 5000 -> none end end),
    see:fails([fun() -> open_port({spawn_executable, "/no/such/program"}, []) end,
        fun() -> open_port({spawn_executable, "/etc/passwd"}, []) end, fun() -> open_port({spawn, "cat"}, [bad]) end,
    fun() -> port_command(see:id(self()), "x") end, fun() -> port_close(see:id(no_port)) end]).

collect(P, Acc) -> receive {P, {data, D}} -> collect(P, <<Acc/binary, D/binary>>); {P, {exit_status, S}} ->
    rest(P, S, Acc) after 5000 -> {none, Acc} end.
rest(P, S, Acc) -> receive {P, {data, D}} -> rest(P, S, <<Acc/binary, D/binary>>) after 20 -> {S, Acc} end.
gather(_, 0, Acc) -> Acc;
gather(P, N, Acc) -> receive {P, {data, D}} -> gather(P, N - byte_size(D), <<Acc/binary, D/binary>>) after 5000 -> Acc
    end.
wait_closed(_, 0) -> still_open;
wait_closed(P, N) -> case erlang:port_info(P) of undefined -> closed; _ -> receive after 5 -> wait_closed(P, N - 1) end
    end.
