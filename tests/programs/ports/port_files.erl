%% Ports on files, pipes and devices, opened by an atom or a string alone.
%% timeout: 60
%% releases: 25
-module(port_files).
-export([main/0]).

main() ->
    process_flag(trap_exit, true),
    File = "port_files_data",
    ok = file:write_file(File, "one\ntwo\r\nthree"),
    [see:value({read, Options}, told(open_port(File, [in | Options])))
     || Options <- [[], [binary], [{line, 4}], [eof], [{line, 100}, binary, eof]]],
    see:value(atom, told(open_port(list_to_atom(File), [in, binary]))),
    see:value(info, begin
        Port = open_port(File, [in, eof]),
        [erlang:port_info(Port, I) || I <- [name, os_pid, parallelism]]
    end),
    flush(),
    written(File),
    packets(File),
    both_ways(File),
    null(),
    pipe(),
    refused(),
    ok = file:delete(File).

told(Port) -> joined(messages(Port)).

messages(Port) ->
    receive
        {Port, eof} -> port_close(Port), [eof | messages(Port)];
        {Port, What} -> [What | messages(Port)];
        {'EXIT', Port, Why} -> [{'EXIT', Why}]
    after 10000 -> [silent]
    end.

joined([{data, A}, {data, B} | Rest]) when not is_tuple(A) -> joined([{data, iolist_to_binary([A, B])} | Rest]);
joined([First | Rest]) -> [First | joined(Rest)];
joined([]) -> [].

flush() -> receive _ -> flush() after 0 -> ok end.

%% What is opened for output alone begins anew.
written(File) ->
    Port = open_port(File, [out]),
    Big = binary:copy(<<"0123456789">>, 30000),
    see:value(written, [port_command(Port, D) || D <- ["a", [<<"b">>, $c], [], Big]]),
    see:value(closed, port_close(Port)),
    ended(Port),
    see:value(content, element(2, file:read_file(File)) =:= <<"abc", Big/binary>>),
    ok = file:delete(File),
    New = open_port(File, [out]),
    New ! {self(), {command, "new"}},
    New ! {self(), close},
    see:value(new, receive {New, closed} -> element(2, file:read_file(File)) after 10000 -> none end).

packets(File) ->
    Port = open_port(File, [out, {packet, 2}]),
    [port_command(Port, D) || D <- ["a", [], "bcd"]],
    port_close(Port),
    ended(Port),
    see:value(packets, element(2, file:read_file(File))),
    see:value(back, told(open_port(File, [in, {packet, 2}, binary]))).

both_ways(File) ->
    ok = file:delete(File),
    Port = open_port(File, [eof]),
    see:value(created, receive {Port, eof} -> eof after 10000 -> none end),
    see:value(command, port_command(Port, "text")),
    port_close(Port),
    ended(Port),
    see:value(content, element(2, file:read_file(File))).

null() ->
    see:value(null, told(open_port("/dev/null", [in]))),
    Port = open_port("/dev/null", [out]),
    see:value(swallows, lists:usort([port_command(Port, binary:copy(<<0>>, 10000)) || _ <- lists:seq(1, 50)])),
    port_close(Port),
    ended(Port),
    Full = open_port("/dev/full", [out]),
    see:value(full, catch port_command(Full, "x")),
    see:value(full_end, ended(Full)).

%% A named pipe, open in both directions, is its own other end.
pipe() ->
    [] = os:cmd("mkfifo port_files_pipe"),
    Port = open_port("port_files_pipe", [{packet, 4}, binary]),
    Data = [binary:copy(<<N>>, N) || N <- lists:seq(1, 100)],
    [port_command(Port, D) || D <- Data],
    see:value(pipe, [receive {Port, {data, D}} -> D after 10000 -> none end || _ <- Data] =:= Data),
    port_close(Port),
    ended(Port),
    ok = file:delete("port_files_pipe").

ended(Port) -> receive {'EXIT', Port, Why} -> Why after 10000 -> none end.

refused() ->
    [see:value({refused, Name, Options}, try open_port(Name, Options) of
        Port -> told(Port)
     catch Class:Reason -> {Class, Reason}
     end) || {Name, Options} <- [{"/no/such/file", [in]}, {"/no/such/file", [out]}, {"/no/such/file", []}, {'', [in]},
     {"", []}, {"/", [out]},
                                 {"/dev/null", [exit_status]}, {"/dev/null", [{args, ["x"]}]}, {[1000], []},
                                 {["a"], []}, {[$a | b], []},
                                 {<<"/dev/null">>, []}, {"/dev/null", [{cd, "/no/such"}]},
                                 {"/dev/null", [in, {packet, 3}]}]].
