%% What a process knows of others that it has asked to stop without waiting for that.
%% args: +S 1:1
-module(suspending_later).
-export([main/0]).

main() ->
    Pid = spawn(fun busy/0),
    erlang:yield(),
    erlang:suspend_process(Pid, [asynchronous]),
    see:value(asked, counts()),
    erlang:suspend_process(Pid, [asynchronous]),
    see:value(twice, counts()),
    erlang:suspend_process(Pid, [asynchronous, unless_suspending]),
    see:value(unless, counts()),
    erlang:suspend_process(Pid),
    see:value(waited, counts()),
    see:value(status, process_info(Pid, status)),
    erlang:suspend_process(Pid, [asynchronous]),
    see:value(known, counts()),
    [begin erlang:resume_process(Pid), see:value(resumed, counts()) end || _ <- lists:seq(1, 4)],
    see:that(too_often, fun() -> erlang:resume_process(Pid) end),
    erlang:suspend_process(Pid, [{asynchronous, tag}]),
    see:value(again, counts()),
    receive {tag, Result} -> see:value(told, Result) end,
    see:value(again, counts()),
    exit(Pid, kill).

busy() -> erlang:yield(), busy().

counts() -> {suspending, List} = process_info(self(), suspending), [{Count, Waiting} || {_, Count, Waiting} <- List].
