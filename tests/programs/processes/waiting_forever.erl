%% A receive without clauses whose timeout is a variable: the value is read once, however often the process
%% is woken meanwhile.
-module(waiting_forever).
-export([main/0, wait/1]).

main() ->
    lists:foreach(fun(Timeout) -> one(Timeout) end, [infinity, 16#ffffffff, 1000000]),
    see:value(finite, [wait(T) || T <- [0, 1, 5]]),
    see:fails([fun() -> wait(T) end || T <- [-1, 16#100000000, a, 1.0, 1 bsl 70]]),
    {Pid, Ref} = spawn_monitor(fun() -> timer:sleep(infinity) end),
    [Pid ! N || N <- lists:seq(1, 100)],
    see:value(sleeping, is_process_alive(Pid)),
    exit(Pid, enough),
    receive {'DOWN', Ref, process, Pid, Reason} -> see:value(slept, Reason) end.

one(Timeout) ->
    Self = self(),
    {Pid, Ref} = spawn_monitor(fun() -> process_flag(trap_exit, true), Self ! ready, wait(Timeout) end),
    receive ready -> ok end,
    %% Each of these wakes it; others run in between and leave other values in the registers.
    lists:foreach(fun(N) ->
                      Pid ! {message, N},
                      exit(Pid, {signal, N}),
                      {status, waiting} = settled(Pid),
                      busy(N, a, [b])
                  end, lists:seq(1, 200)),
    {message_queue_len, Length} = process_info(Pid, message_queue_len),
    see:value(Timeout, {Length, is_process_alive(Pid)}),
    exit(Pid, kill),
    receive {'DOWN', Ref, process, Pid, Reason} -> see:value(ended, Reason) end.

%% Its status once it has handled what it was sent.
settled(Pid) ->
    case process_info(Pid, status) of
        {status, waiting} = Status -> Status;
        {status, _} -> erlang:yield(), settled(Pid)
    end.

busy(N, _, _) -> lists:sum(lists:seq(1, N)).

wait(Timeout) ->
    receive after Timeout -> timed_out end.
