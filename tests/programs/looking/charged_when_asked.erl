%% Reductions of a process that waits while others ask about it: what stock must have the process itself look for costs
%% one, in a list once; the rest costs nothing. While it looks, all that is asked goes that way on stock, so it is left
%% alone for a moment before each item.
-module(charged_when_asked).
-export([main/0]).

-define(TIMES, 100).

main() ->
    Pid = spawn(fun() -> put(key, value), receive stop -> ok end end),
    apart:wait(fun() -> process_info(Pid, status) end, {status, waiting}, 1000),
    Items = [current_function, current_location, current_stacktrace, initial_call, registered_name, status, messages,
        message_queue_len, links, monitors, monitored_by, suspending, dictionary, trap_exit, error_handler, heap_size,
        stack_size, memory, garbage_collection, garbage_collection_info, group_leader, total_heap_size, priority, trace,
        binary, sequential_trace_token, catchlevel, backtrace, message_queue_data, min_heap_size, fullsweep_after,
        min_bin_vheap_size, max_heap_size, magic_ref, parent, last_calls, [], [registered_name], [links],
        [dictionary, links, memory], [status, memory, messages]],
    [see:value(text(Item), charge(Pid, fun() -> process_info(Pid, Item) end)) || Item <- Items],
    see:value("all", charge(Pid, fun() -> process_info(Pid) end)),
    [see:value(text(Item), charge(Pid, fun() -> process_info(Pid, Item) end))
     || {Since, Item} <- [{26, {dictionary, key}}, {26, [{dictionary, key}]}, {27, label}, {26, async_dist}],
        list_to_integer(erlang:system_info(otp_release)) >= Since].

%% The mean, rounded: a process may be collected in between.
charge(Pid, Ask) ->
    receive after 10 -> ok end,
    {reductions, Before} = process_info(Pid, reductions),
    [Ask() || _ <- lists:seq(1, ?TIMES)],
    {reductions, After} = process_info(Pid, reductions),
    round((After - Before) / ?TIMES).

text(Item) -> io_lib:format("~w", [Item]).
