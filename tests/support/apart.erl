%% Parts of a program that must not see what is left of each other.
-module(apart).
-export([run/2, counts/0, settle/2]).

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
