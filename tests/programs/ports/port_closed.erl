%% A port that is closed while it is busy, and those who wait for it.
%% differs: stock now and then leaves such a process suspended for ever.
%% timeout: 90
-module(port_closed).
-export([main/0]).

main() ->
    process_flag(trap_exit, true),
    closed_while_busy(40).

%% Who waits until a port takes output again hears that it was closed.
closed_while_busy(Times) ->
    see:value(closed_while_busy, lists:usort([closed_while_busy() || _ <- lists:seq(1, Times)])).

closed_while_busy() ->
    Me = self(),
    Port = open_port({spawn_executable, "/bin/sleep"}, [{args, ["30"]}]),
    Data = binary:copy(<<"x">>, 100000),
    true = port_command(Port, Data),
    false = port_command(Port, Data, [nosuspend]),
    Senders = [spawn(fun() -> Me ! {self(), catch port_command(Port, Data)} end) || _ <- lists:seq(1, 3)],
    {os_pid, Pid} = erlang:port_info(Port, os_pid),
    os:cmd("kill " ++ integer_to_list(Pid)),
    Heard = [receive {S, {'EXIT', {Reason, _}}} -> Reason; {S, Other} -> Other after 5000 -> nothing
        end || S <- Senders],
    receive {'EXIT', Port, _} -> ok after 5000 -> none end,
    lists:usort(Heard).
