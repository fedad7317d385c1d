%% Parts of a program that must not see what is left of each other.
-module(apart).
-export([run/2, counts/0, settle/2, wait/3, blocked/1]).

%% What the fun makes in a process of its own, how that died, or that it was not done after so many milliseconds.
run(Fun, Timeout) ->
    {Pid, Monitor} = spawn_monitor(fun() -> exit({done, Fun()}) end),
    receive
        {'DOWN', Monitor, process, Pid, {done, Result}} -> Result;
        {'DOWN', Monitor, process, Pid, Reason} -> {died, Reason}
    after Timeout -> exit(Pid, kill), hung
    end.

%% Descriptors, ports and processes that there are.
counts() ->
    {ok, Fds} = file:list_dir("/proc/self/fd"),
    {length(Fds), length(erlang:ports()), length(processes())}.

%% What there is more than before, when what ends by itself has ended or the node was asked so many times.
settle(Before, N) ->
    Now = counts(),
    case N of
        0 -> [A - B || {A, B} <- lists:zip(tuple_to_list(Now), tuple_to_list(Before))];
        _ when Now =:= Before -> none;
        _ -> receive after 10 -> ok end, settle(Before, N - 1)
    end.

%% What is seen, as soon as it is what is wanted, or after so many looks 25 ms apart.
wait(See, Wanted, Times) ->
    case See() of
        Wanted -> Wanted;
        Other when Times =:= 1 -> Other;
        _ -> receive after 25 -> wait(See, Wanted, Times - 1) end
    end.

%% A process, as soon as it waits for a message in what it was spawned to call (two looks in a row find it waiting), or
%% has ended. However busy the host is, what follows then happens during that call.
blocked(Pid) -> blocked(Pid, 0).

blocked(Pid, 2) -> Pid;
blocked(Pid, Found) ->
    case process_info(Pid, status) of
        undefined -> Pid;
        {status, waiting} -> receive after 15 -> blocked(Pid, Found + 1) end;
        _ -> receive after 15 -> blocked(Pid, 0) end
    end.
