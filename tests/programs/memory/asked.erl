%% Processes that another one asks about give back the memory that they needed to answer.
%% timeout: 60
-module(asked).
-export([main/0]).

-define(PROCESSES, 50000).

main() ->
    ask([spawn(fun idle/0) || _ <- lists:seq(1, 1000)]),
    Pids = [spawn(fun idle/0) || _ <- lists:seq(1, ?PROCESSES)],
    [begin Pid ! {self(), Pid}, receive Pid -> ok end end || Pid <- Pids],
    erlang:garbage_collect(),
    Before = held(),
    see:value(items, ask(Pids)),
    see:value(held, apart:wait(fun() -> erlang:garbage_collect(), case held() - Before of More when More < 16 -> less;
        More -> {more, More} end end, less, 100)).

ask(Pids) ->
    lists:usort([Value || Pid <- Pids, {_, Value} <- [process_info(Pid, message_queue_len)]]).

idle() ->
    receive
        {From, Answer} -> From ! Answer, idle()
    end.

%% Megabytes of memory that the node has.
held() ->
    {ok, Status} = file:read_file("/proc/self/status"),
    {match, [Kilobytes]} = re:run(Status, "VmRSS:\\s+(\\d+)", [{capture, all_but_first, list}]),
    list_to_integer(Kilobytes) div 1024.
