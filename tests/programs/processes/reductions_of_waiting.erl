%% Reductions of BIFs that give up the slice or wait for another process: a BIF that goes on later counts once, yield/0
%% and the call of process_info not at all.
-module(reductions_of_waiting).
-export([main/0, measured/3]).

main() ->
    Other = spawn(fun() -> receive never -> ok end end),
    Dead = spawn(fun() -> ok end),
    Monitor = monitor(process, Dead),
    receive {'DOWN', Monitor, process, _, _} -> ok end,
    Calls = [{nothing, fun() -> ok end},
             {yield, fun() -> erlang:yield(), ok end},
             {yield_often, fun() -> [erlang:yield() | erlang:yield()], erlang:yield(), ok end},
             {status, fun() -> process_info(Other, status), ok end},
             {heap_size, fun() -> process_info(Other, heap_size), ok end},
             {queue, fun() -> process_info(Other, message_queue_len), ok end},
             {name, fun() -> process_info(Other, registered_name), ok end},
             {dead, fun() -> process_info(Dead, status), ok end},
             {own_status, fun() -> process_info(self(), status), ok end},
             {three_items, fun() -> process_info(self(), [status, links, heap_size]), ok end},
             {no_item, fun() -> process_info(self(), []), ok end},
             {alive, fun() -> is_process_alive(Other), ok end},
             {dead_alive, fun() -> is_process_alive(Dead), ok end}],
    [see:value(Name, measure(Fun)) || {Name, Fun} <- Calls].

%% In a process with room, so that nothing is collected meanwhile.
measure(Fun) ->
    {Pid, Monitor} = spawn_opt(?MODULE, measured, [self(), Fun, fun() -> ok end], [monitor, {min_heap_size, 50_000}]),
    receive
        {Pid, Counts} -> demonitor(Monitor, [flush]), Counts;
        {'DOWN', Monitor, process, _, Reason} -> Reason
    end.

measured(Parent, Fun, Nothing) ->
    Parent ! {self(), [count(Fun) - count(Nothing) || _ <- "four"]}.

count(Fun) ->
    {reductions, Before} = process_info(self(), reductions),
    Fun(),
    {reductions, After} = process_info(self(), reductions),
    After - Before.
