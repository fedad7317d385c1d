%% What a program costs the node in descriptors: a pipe's end for each direction, and nothing for its end, which is told
%% also when the node ignores the signal of it.
-module(port_costs).
-export([main/0]).

main() ->
    _ = os:cmd("true"),
    [see:value(descriptors, [Options, costs(Options)]) || Options <- [[], [in], [out], [exit_status], [nouse_stdio]]],
    [begin
         ok = os:set_signal(sigchld, Disposition),
         see:value(status, [Disposition, [status(integer_to_list(Status)) || Status <- [0, 3, 255]]])
     end
     || Disposition <- [ignore, handle, default]].

%% Descriptors of ten programs that wait.
costs(Options) ->
    Before = least(),
    Ports = [open_port({spawn_executable, "/bin/sleep"}, [{args, ["1000"]} | Options]) || _ <- lists:seq(1, 10)],
    %% Started, each of them: their numbers are known.
    Programs = [Pid || Port <- Ports, {os_pid, Pid} <- [erlang:port_info(Port, os_pid)]],
    Open = least(),
    [port_close(Port) || Port <- Ports],
    os:cmd("kill " ++ lists:join($\s, [integer_to_list(Program) || Program <- Programs])),
    {length(Programs), Open - Before, settled(Before, 1000)}.

%% They are closed soon, if not at once.
settled(Count, Tries) ->
    case descriptors() of
        Other when Other =/= Count, Tries > 0 -> timer:sleep(10), settled(Count, Tries - 1);
        Now -> Now - Count
    end.

%% What is open for a moment only does not count: stock still has some of a program's for a while after its start.
least() -> lists:min([begin timer:sleep(5), descriptors() end || _ <- lists:seq(1, 20)]).

descriptors() ->
    {ok, Names} = file:list_dir("/proc/" ++ os:getpid() ++ "/fd"),
    length(Names).

status(Status) ->
    Port = open_port({spawn, "sh -c 'exit " ++ Status ++ "'"}, [exit_status]),
    receive {Port, {exit_status, Ended}} -> Ended end.
