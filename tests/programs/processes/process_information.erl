%% process_info: the items whose values are known.
-module(process_information).
-export([main/0, waiter/1]).

main() ->
    Me = self(),
    P = spawn_opt(?MODULE, waiter, [Me], [{priority, low}, {min_heap_size, 1000}, {fullsweep_after, 7}, link]),
    receive ready -> ok end, await_waiting(P),
    see:value(items, process_info(P, [registered_name, initial_call, current_function, status, message_queue_len,
        messages, trap_exit, priority, dictionary, error_handler, suspending, message_queue_data, catchlevel])),
    see:value(links, process_info(P, links) =:= {links, [Me]}),
    see:value(group_leader, process_info(P, group_leader) =:= {group_leader, group_leader()}),
    see:value(dictionary_key, [process_info(P, [dictionary])]),
    see:value(gc, begin {garbage_collection, L} = process_info(P, garbage_collection),
        [lists:keyfind(K, 1, L) || K <- [fullsweep_after, max_heap_size]] end),
    see:value(numbers, [begin {I, N} = process_info(P, I), is_integer(N) andalso N >= 0 end
        || I <- [heap_size, total_heap_size, stack_size, reductions, memory, message_queue_len]]),
    see:value(location, begin {current_location, {M, F, A, Loc}} = process_info(P, current_location),
        {M, F, A, lists:keyfind(line, 1, Loc)} end),
    see:value(stack, begin {current_stacktrace, S} = process_info(P, current_stacktrace),
        [{M1, F1, A1} || {M1, F1, A1, _} <- S] end),
    P ! {queued, 1}, P ! "two",
    see:value(messages, process_info(P, [message_queue_len, messages])),
    see:value(self_status, process_info(Me, status)),
    see:value(self_messages, begin Me ! a, R = process_info(Me, [message_queue_len, messages]), receive a -> ok end, R
        end),
    see:value(empty_name, process_info(P, registered_name)),
    see:value(empty_name_list, process_info(P, [registered_name])),
    see:value(all, begin All = process_info(P), [K || {K, _} <- All] -- [registered_name] end),
    see:value(binary, process_info(P, binary)),
    see:value(dead, begin unlink(P), exit(P, kill), wait(P), [process_info(P), process_info(P, status),
        process_info(P, [status, links]), is_process_alive(P)] end),
    see:value(alive, [is_process_alive(Me), lists:member(Me, processes()), lists:member(P, processes())]),
    see:value(count, erlang:system_info(process_count) =:= length(processes())),
    see:fails([fun() -> process_info(Me, see:id(nonsense)) end, fun() -> process_info(see:id(x), status) end,
        fun() -> process_info(Me, [status | x]) end, fun() -> is_process_alive(see:id(1)) end]).

waiter(To) ->
    put(key, value),
    process_flag(trap_exit, true),
    To ! ready,
    receive go -> ok end,
    To.

await_waiting(P) -> case process_info(P, status) of {_, waiting} -> ok; _ -> erlang:yield(), await_waiting(P) end.
wait(P) -> R = monitor(process, P), receive {'DOWN', R, _, _, _} -> ok end.
