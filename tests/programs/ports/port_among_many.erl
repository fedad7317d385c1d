%% Programs that are started by a node with many open descriptors: they have what others have, and nothing of the
%% node's.
-module(port_among_many).
-export([main/0]).

main() ->
    Files = open(1500, []),
    %% One that is watched in the poll, so that its number is known to be high.
    {ok, Listener} = gen_tcp:listen(0, []),
    see:that(command, fun() -> os:cmd("echo out; echo err >&2; exit 3") end),
    see:that(descriptors, fun() -> os:cmd("exec ls /proc/self/fd") end),
    see:that(directory, fun() -> ended([{args, ["-c", "pwd; exit 4"]}, {cd, "/usr"}]) end),
    see:that(no_directory, fun() -> ended([{args, ["-c", "pwd"]}, {cd, "/no/such"}]) end),
    see:that(errors, fun() -> ended([{args, ["-c", "echo a; echo b >&2"]}, stderr_to_stdout]) end),
    see:that(others, fun() -> ended([{args, ["-c", "ls /proc/self/fd >&4; exec cat <&3 >&4"]}, nouse_stdio],
        <<"told">>) end),
    see:that(missing, fun() -> open_port({spawn_executable, "/no/such"}, []) end),
    see:that(not_executable, fun() -> open_port({spawn_executable, "/etc/passwd"}, []) end),
    see:that(much, fun() -> byte_size(element(1, ended([{args, ["-c", "head -c 300000 /dev/zero"]}]))) end),
    Self = self(),
    Starters = [spawn_link(fun() -> Self ! {self(), [status(N) || _ <- lists:seq(1, 10)]} end) || N <- lists:seq(1, 8)],
    see:value(statuses, [receive {Pid, Statuses} -> lists:usort(Statuses) end || Pid <- Starters]),
    gen_tcp:close(Listener),
    [file:close(File) || File <- Files].

open(0, Files) -> Files;
open(N, Files) ->
    case file:open("/dev/null", [read, raw]) of
        {ok, File} -> open(N - 1, [File | Files]);
        %% Fewer are allowed here: some are left for the programs.
        {error, emfile} -> {Closed, Left} = lists:split(60, Files), [file:close(File) || File <- Closed], Left
    end.

status(N) ->
    {<<>>, Status} = ended([{args, ["-c", "exit " ++ integer_to_list(N)]}]),
    Status.

ended(Options) -> ended(Options, none).

ended(Options, Input) ->
    Port = open_port({spawn_executable, "/bin/sh"}, [binary, exit_status | Options]),
    case Input of
        none -> collect(Port, <<>>);
        _ -> port_command(Port, Input), echoed(Port, <<>>, Input)
    end.

%% What comes until the input has come back.
echoed(Port, Text, Input) ->
    receive
        {Port, {data, More}} ->
            All = <<Text/binary, More/binary>>,
            case binary:match(All, Input) of
                nomatch -> echoed(Port, All, Input);
                _ -> port_close(Port), All
            end
    end.

collect(Port, Text) ->
    receive
        {Port, {data, More}} -> collect(Port, <<Text/binary, More/binary>>);
        {Port, {exit_status, Status}} -> {Text, Status}
    end.
